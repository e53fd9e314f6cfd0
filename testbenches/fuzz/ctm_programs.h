// SPDX-License-Identifier: Apache-2.0
// Programs of the DPP made at random: every operation of the ALU with its modifiers, predicates,
// lookups, branches, loops, calls, cached and uncached outputs. Lookups stay within a square of
// elements, and uncached outputs write each place from one processor.
#pragma once

#include <array>
#include <vector>

#include "models/ctm/isa/instruction.h"
#include "testbenches/fuzz/fuzz_target.h"

namespace archipelago::fuzz {

// Float constants that programs count on: c30 scales coordinates to the square, c31 adds to them.
constexpr unsigned kScaleConstant = 30, kAddConstant = 31;

struct CtmProgramSpec {
    bool uncached = false;
    bool full_flow_control = true;
    bool transposed = false;       // of uncached outputs: (j, i) in place of (i, j)
    std::vector<unsigned> inputs;  // that may be looked up
    unsigned length = 16;          // statements of the outermost block
};

std::vector<ctm::isa::Words> make_ctm_program(Random& random, const CtmProgramSpec& spec);

}  // namespace archipelago::fuzz
