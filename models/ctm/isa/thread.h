// SPDX-License-Identifier: Apache-2.0
// Architectural state of a thread: the processors of the DPP array that share a program counter.
// Knows no time. ATI CTM Guide 1.01, chapter 3.
//
// Lanes 4q to 4q+3 are the processors of quad q, at (i, j), (i+1, j), (i, j+1) and (i+1, j+1) of an
// even i and an even j. A lane outside the domain computes for its quad's sake and writes nothing
// to memory.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/ctm/mc/address.h"

namespace archipelago::ctm::isa {

constexpr unsigned kMaxQuads = 12;
constexpr unsigned kMaxLanes = 4 * kMaxQuads;  // 48: R580; other chips leave the last ones out
constexpr unsigned kChannels = 4;              // R, G, B, A
constexpr unsigned kTemporaries = 128;
constexpr unsigned kFloatConstants = 256;
constexpr unsigned kOutputTargets = 4;

using LaneMask = uint64_t;  // bit l: lane l

// A value of each lane, and four of them.
struct alignas(64) LaneFloats {
    std::array<float, kMaxLanes> lane{};
};
using Register = std::array<LaneFloats, kChannels>;

struct AddressStackEntry {
    uint16_t pc = 0;
};
struct LoopStackEntry {
    uint16_t iterations_left = 0;  // with the one that runs
    int16_t al = 0;                // aL of the loop around
    LaneMask active = 0;           // lanes that entered it
    LaneMask broken = 0;           // ... off until the loop ends
    LaneMask continued = 0;        // ... off until the iteration ends
};

struct Thread {
    std::array<Point, kMaxQuads> origin{};  // of each quad, even indices
    unsigned quads = 0;
    LaneMask covered = 0;  // in the domain, and the PE's condition passed
    LaneMask active = 0;   // not turned off by flow control; lanes that are not covered count
    uint16_t pc = 0;       // instructions
    bool ended = false;

    std::vector<Register> temporaries;  // as many as the program names
    std::array<LaneMask, kChannels> predicate{};
    LaneMask alu_result = 0;
    int16_t al = 0;  // loop counter added to relative addresses
    std::array<uint8_t, kMaxLanes> branch_counter{};
    std::vector<AddressStackEntry> address_stack;
    std::vector<LoopStackEntry> loop_stack;

    // Cached outputs: the last value written of each channel, sent at the end of the program.
    std::array<Register, kOutputTargets> output{};
    std::array<std::array<LaneMask, kChannels>, kOutputTargets> output_written{};
    // For the conditional operation unit: bits of a float, of each lane.
    std::array<uint32_t, kMaxLanes> conditional{};

    unsigned lanes() const { return 4 * quads; }
    Point index_of(unsigned lane) const {
        const Point& o = origin[lane / 4];
        return {static_cast<uint16_t>(o.x + (lane & 1)),
                static_cast<uint16_t>(o.y + (lane >> 1 & 1))};
    }
};

}  // namespace archipelago::ctm::isa
