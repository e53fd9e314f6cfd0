// SPDX-License-Identifier: Apache-2.0
// Parameters of the scan converter (SC) of a shader engine.
#pragma once

#include <string>
#include <vector>

#include "models/common/channel.h"
#include "models/sc/register_map.h"
#include "models/sc/scan_state.h"

namespace archipelago::sc {

struct ScSpec {
    static constexpr unsigned kRbs = 4;  // of an engine at most
    RegisterMap map;                     // of the chip's family

    unsigned shader_engine = 0;
    RenderBackEnds rbs;                 // of the chip
    uint32_t raster_config = 0;         // PA_SC_RASTER_CONFIG until it is written
    unsigned primitives_per_cycle = 1;  // taken
    unsigned supertiles_per_cycle = 1;  // tested and found to have no tile to visit
    unsigned tiles_per_cycle = 1;       // visited
    unsigned quads_per_cycle = 4;       // of one tile
    unsigned tile_queue = 16;           // covered tiles between the walk and the quads
    unsigned latency = 1;               // from a primitive or an event taken to its first quads
    unsigned register_latency = 1;      // of a register write
    ChannelSpec primitives{8, 1};       // from the primitive assembler

    // Errors of the values, one sentence each.
    std::vector<std::string> problems() const;
};

}  // namespace archipelago::sc
