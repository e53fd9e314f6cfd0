// SPDX-License-Identifier: Apache-2.0
// Parameters of the colour block of a render back end.
#pragma once

#include <string>
#include <vector>

#include "models/cb/register_map.h"
#include "models/common/channel.h"
#include "models/raster/pixel_cache.h"

namespace archipelago::cb {

// Cycles that a quad of a target takes: written, or with the destination read for it.
struct QuadCycles {
    unsigned write = 1, blend = 1;
};

struct CbSpec {
    RegisterMap map;  // of the chip's family

    unsigned rb = 0;  // number of the render back end
    // By the bytes of a pixel.
    QuadCycles up_to_4_bytes{1, 1}, of_8_bytes{1, 2}, of_16_bytes{4, 4};
    unsigned latency = 1;     // from a quad's pixels in the cache to its results there
    unsigned lookahead = 16;  // batches whose lines are fetched before their turn
    raster::PixelCacheSpec data, metadata;
    unsigned register_latency = 1;  // of a register write
    ChannelSpec batches{2, 1};      // from the depth block
    ChannelSpec memory{8, 1};       // answers of memory
    ChannelSpec flushes{1, 1};      // actions of SURFACE_SYNC

    const QuadCycles& cycles_of(unsigned bytes) const {
        return bytes <= 4 ? up_to_4_bytes : bytes <= 8 ? of_8_bytes : of_16_bytes;
    }
    // What is wrong, one sentence each.
    std::vector<std::string> problems() const;
};

}  // namespace archipelago::cb
