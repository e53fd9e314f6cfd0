// SPDX-License-Identifier: Apache-2.0
// What threads of the array take and ask of other units, the same with time and without: launch,
// limits, constants, tests and writes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/ctm/dpp/decode_cache.h"
#include "models/ctm/isa/semantics.h"
#include "models/ctm/messages.h"

namespace archipelago::ctm::dpp {

using Extents = std::array<isa::Extent, kInputs>;

// Sizes of inputs, for lookups with scaled coordinates: a row is a pitch long. Other commands than
// set_inp_fmt change nothing.
void set_extent(const UnitCommand& command, Extents& extents);

// A thread as the PE launches it. It has r0 alone: instructions bring the registers they name.
void start(const ThreadLaunch& launch, isa::Thread& thread);
// Temporaries that it takes of the register file.
constexpr uint8_t temporaries_of(const ThreadLaunch& launch) {
    return launch.temporaries == 0 ? uint8_t{1} : launch.temporaries;
}

struct Limits {
    uint64_t instructions = ~uint64_t{0};  // of a thread
    unsigned temporaries = isa::kTemporaries;
};
[[noreturn]] void stop_at(const Limits& limits, const isa::Instruction& instruction,
                          const isa::Thread& thread, uint64_t executed);
// Before an instruction is executed, the thread's number `executed` counted from 1: throws
// MachineStop with its place when the thread does not end, or names more registers than it has.
inline void check(const Limits& limits, const isa::Instruction& instruction,
                  const isa::Thread& thread, uint64_t executed) {
    if (executed > limits.instructions || instruction.temporaries > limits.temporaries)
        stop_at(limits, instruction, thread, executed);
}

// ---- constants, as the memory controller sends them
void set_float(const uint32_t* words, std::array<float, isa::kChannels>& value);
void set_integer(const uint32_t* words, std::array<uint8_t, 3>& value);
constexpr bool boolean_of(const uint32_t* words) {
    return words[0] != 0;
}
// What the thread's next instruction needs.
inline isa::ConstantNeeds needs_of(const Decoded& d, const isa::Thread& thread) {
    return d.inst.alu.plan.relative_constants ? isa::needs(d.inst, thread) : d.needs;
}

// ---- quads of lanes
constexpr unsigned kQuadLanes = 4;
constexpr unsigned kQuadBits =
    4;  // of a request's tag, below the thread's slot or the place of the lookup
constexpr uint8_t lanes_of(isa::LaneMask lanes, unsigned quad) {
    return static_cast<uint8_t>(lanes >> kQuadLanes * quad & 0xf);
}
// How many lanes of a quad.
constexpr unsigned lanes_in(uint8_t lanes) {
    return (lanes & 1u) + (lanes >> 1 & 1u) + (lanes >> 2 & 1u) + (lanes >> 3 & 1u);
}
// Bit q: quad q has one of the lanes.
constexpr uint16_t quads_of(isa::LaneMask lanes) {
    unsigned quads = 0;
    for (unsigned q = 0; q < isa::kMaxQuads; ++q)
        quads |= lanes_of(lanes, q) != 0 ? 1u << q : 0;
    return static_cast<uint16_t>(quads);
}

// ---- the end of a program: lanes that write are tested by the CO if the PE says so, then write
void fill_test(const isa::Thread& thread, isa::LaneMask writing, unsigned quad,
               ConditionRequest& request);
// Lanes of the quad that have not passed do not write.
constexpr isa::LaneMask without_failed(isa::LaneMask writing, unsigned quad, uint8_t passed) {
    const unsigned first = kQuadLanes * quad;
    return writing & (~(isa::LaneMask{0xf} << first) | isa::LaneMask{passed} << first);
}

// Outputs in rising order, of each its quads.
struct OutputPlace {
    uint8_t target = 0, quad = 0;
};
// Moves on to the first quad with something to be written, from where it stands; false: none.
bool find_output(const isa::Thread& thread, isa::LaneMask writing, OutputPlace& at);
void fill_output(const isa::Thread& thread, isa::LaneMask writing, const OutputPlace& at,
                 ElementRequest& request);

// ---- uncached outputs: what one OUT writes, past the cache. The elements of the next quad, from
// number `from` on; returns the number after them.
size_t fill_uncached(const std::vector<isa::UncachedWrite>& writes, size_t from,
                     ElementRequest& request);

}  // namespace archipelago::ctm::dpp
