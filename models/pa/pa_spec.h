// SPDX-License-Identifier: Apache-2.0
// Parameters of the primitive assemblers of a chip, one in each shader engine.
#pragma once

#include <cstdint>

#include "models/common/channel.h"
#include "models/pa/register_map.h"

namespace archipelago::pa {

struct PaSpec {
    static constexpr unsigned kMaxEngines = 8;
    RegisterMap map;  // of the chip's family

    unsigned engines = 2;               // shader engines
    uint32_t raster_config = 0;         // PA_SC_RASTER_CONFIG until it is written: SC's
    unsigned primitives_per_cycle = 1;  // of each: set up, and sent to a scan converter
    unsigned queue = 64;                // primitives in an engine
    unsigned latency = 20;              // cycles from set-up to departure
    unsigned register_latency = 1;      // of a register write
    ChannelSpec primitives{4, 1};       // from VGT
    ChannelSpec vertices{4, 1};         // from SPI
    ChannelSpec samples{2, 1};          // counts of sample events, from VGT
};

}  // namespace archipelago::pa
