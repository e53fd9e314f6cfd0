// SPDX-License-Identifier: Apache-2.0
// All mutable data of the register bus manager.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/common/clocked.h"
#include "models/common/context_registers.h"
#include "models/grbm/register_copies.h"

namespace archipelago::grbm {

constexpr unsigned kSources = 2;  // RegSource: host, CP

// Why the register bus stopped the machine, and where: the block's port, or the register's offset.
enum class StopCause : uint8_t { None, Unsolicited, StartsNothing };

struct State {
    // A read on its way: its place is the tag the block sees.
    struct Read {
        bool used = false;
        uint8_t source = 0;
        uint32_t tag = 0;
    };
    std::vector<uint32_t> store;  // by dword of the aperture
    // Those there are for each render context; `newest` is the one CP copied last.
    ContextRegisters contexts{0, 0, regs::kNoOffset};  // sized by reset
    RegisterCopies copies;                             // of them, and of `store`
    uint8_t newest_context = 1;
    std::array<uint32_t, kSources> gfx_index{};  // GRBM_GFX_INDEX of each source
    std::vector<Read> reads;
};

// What the model and a block on pins have alike: reads on their way, counters, why it stopped.
struct Activity {
    unsigned reads_used = 0;
    // counters
    std::array<uint64_t, kSources> writes{};
    std::array<uint64_t, kSources> reads_done{};
    uint64_t unknown = 0;
    std::array<uint64_t, kSources> stall_port{};      // head waits for a block
    std::array<uint64_t, kSources> stall_response{};  // head read waits for a place in the answer
    std::array<Cycle, kSources> stalled_since{kNever, kNever};
    std::array<bool, kSources> stalled_on_port{};
    StopCause stop = StopCause::None;
    uint32_t stop_place = 0;
};

}  // namespace archipelago::grbm
