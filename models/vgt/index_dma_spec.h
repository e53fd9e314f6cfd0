// SPDX-License-Identifier: Apache-2.0
// Parameters of the index DMA unit.
#pragma once

#include <string>
#include <vector>

#include "models/common/channel.h"
#include "models/vgt/index_dma_message.h"

namespace archipelago::vgt {

struct IndexDmaSpec {
    unsigned indices_per_cycle = 6;  // two triangles of a list, one for each shader engine: guess
    unsigned lines_ahead = 8;        // requested and not passed on; 64 bytes each. guess
    unsigned lines_in_flight = 8;    // requested and not returned: guess
    unsigned commands_begun = 2;     // accepted and not passed on to the last index: guess
    unsigned setup_cycles = 2;       // from taking a command to its first request: guess
    ChannelSpec command{2, 1};       // VGT -> unit
    ChannelSpec group{4, 1};         // unit -> VGT
    ChannelSpec response{4, 1};      // memory -> unit

    static constexpr unsigned kMaxLines = 16;
    static constexpr unsigned kMaxCommands = 4;
    static constexpr unsigned kMaxSetupCycles = 255;

    // What is wrong with the values, one sentence each; empty when they can be built.
    std::vector<std::string> problems() const;
};

}  // namespace archipelago::vgt
