// SPDX-License-Identifier: Apache-2.0
// All that the index DMA unit keeps.
#pragma once

#include <array>
#include <cstdint>

#include "models/common/memory_message.h"
#include "models/vgt/index_dma_decode.h"
#include "models/vgt/index_dma_spec.h"

namespace archipelago::vgt {

// What fetching waits for, as the pins number it.
enum class FetchReason : uint8_t {
    None,      // it moves, or has nothing to do
    Setup,     // a command is being set up
    Lines,     // as many lines as may be ahead are
    InFlight,  // as many lines as may be at memory are
    Port,      // the way to memory is busy
    Commands,  // as many commands as may be begun are, or a bad one waits for those before it
    kCount,
};
// What handing on waits for.
enum class GiveReason : uint8_t { None, Setup, Data, Consumer, kCount };

struct IndexDmaState {
    static constexpr unsigned kLines = IndexDmaSpec::kMaxLines;
    static constexpr unsigned kCommands = IndexDmaSpec::kMaxCommands;

    // A line requested; lines leave in the order of their requests.
    struct Slot {
        bool arrived = false;
        MemStatus status = MemStatus::Ok;
        LineWords words{};
    };
    // The newest command: what it has yet to ask for.
    struct Fetch {
        uint8_t timer = 0;     // cycles of setup
        uint64_t address = 0;  // of the next index
        uint32_t left = 0;     // indices
        uint8_t type = 0;
        uint8_t vmid = 0;
    };
    std::array<Slot, kLines> slots;
    uint8_t head = 0, used = 0;  // the oldest slot, and how many there are
    uint8_t in_flight = 0;
    Fetch fetch;
    std::array<IndexWalk, kCommands> commands;  // begun
    uint8_t first = 0, begun = 0;
    bool halted = false;
};

}  // namespace archipelago::vgt
