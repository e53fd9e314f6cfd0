// SPDX-License-Identifier: Apache-2.0
// Legal work for a whole CTM chip, made at random: command buffers that set surfaces, caches and
// tests and start programs of all types of instructions. What it leaves in memory does not depend
// on time: programs that run at once write places of their own, and what others write is read when
// it has been flushed, or where no line has to leave a cache.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "testbenches/fuzz/fuzz_target.h"
#include "testbenches/host/ctm/program_info.h"

namespace archipelago::fuzz {

struct CtmMemory {
    uint32_t address = 0;
    std::vector<uint32_t> words;
};

struct CtmBuffer {
    host::ProgramInfo info;
    std::vector<uint32_t> words;
};

struct CtmScenario {
    std::vector<CtmMemory> memory;  // before the first buffer
    std::vector<CtmBuffer> buffers;
    unsigned programs = 0, starts = 0, instructions = 0, commands = 0;
    bool corrupted = false;  // one word is wrong: only the kind of the end counts
};

// Ranges that scenarios use, to be mapped: address, bytes.
std::vector<std::pair<uint64_t, uint64_t>> ctm_ranges();
// Surfaces and the conditional buffer: what both modes must leave alike.
std::vector<std::pair<uint64_t, uint64_t>> ctm_surfaces();
std::string ctm_surface_name(size_t index);
bool is_code(const CtmMemory& memory);

CtmScenario make_ctm_scenario(Random& random, bool corrupted);

}  // namespace archipelago::fuzz
