// SPDX-License-Identifier: Apache-2.0
// All mutable data of the system register bus manager.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/common/stall_cycles.h"
#include "models/srbm/srbm_spec.h"

namespace archipelago::srbm {

// Why the oldest request of a source stays.
enum class Stall : uint8_t {
    None,
    Port,      // its port has no room, or has not answered the read of a merge
    Response,  // no place for its answer
    kCount,
};

struct State {
    // A read on its way: its place is the tag the port sees.
    struct Read {
        bool used = false;
        bool merges = false;  // for a write of some bytes, not for an answer
        uint8_t source = 0;   // Source
        uint32_t offset = 0;
        uint32_t tag = 0;
    };
    // A write of some bytes stays the oldest of its source until what it leaves alone is read.
    enum class Merge : uint8_t { None, Asked, Answered };

    std::vector<uint32_t> store;  // by dword of the aperture
    std::vector<Read> reads;
    std::array<unsigned, kSources> reads_used{};
    std::array<Merge, kSources> merge{};
    std::array<uint32_t, kSources> merge_value{};  // when Answered
    bool translates = false;  // page tables have been asked for (Answer::Translate)
    // counters
    std::array<uint64_t, kSources> writes{};
    std::array<uint64_t, kSources> reads_done{};
    std::array<StallCycles<Stall>, kSources> stalls;
    uint64_t merges = 0;
    uint64_t unknown = 0;
};

}  // namespace archipelago::srbm
