// SPDX-License-Identifier: Apache-2.0
// All mutable data of the register bus manager.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/common/clocked.h"

namespace archipelago::grbm {

constexpr unsigned kSources = 2;  // RegSource: host, CP

struct State {
    // A read on its way: its place is the tag the block sees.
    struct Read {
        bool used = false;
        uint8_t source = 0;
        uint32_t tag = 0;
    };
    std::vector<uint32_t> store;                 // by dword of the aperture
    std::array<uint32_t, kSources> gfx_index{};  // GRBM_GFX_INDEX of each source
    std::vector<Read> reads;
    unsigned reads_used = 0;
    // counters
    std::array<uint64_t, kSources> writes{};
    std::array<uint64_t, kSources> reads_done{};
    uint64_t unknown = 0;
    std::array<uint64_t, kSources> stall_port{};      // head waits for a block
    std::array<uint64_t, kSources> stall_response{};  // head read waits for a place in the answer
    std::array<Cycle, kSources> stalled_since{kNever, kNever};
    std::array<bool, kSources> stalled_on_port{};
};

}  // namespace archipelago::grbm
