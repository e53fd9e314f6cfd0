// SPDX-License-Identifier: Apache-2.0
// Parameters of the depth block of a render back end.
#pragma once

#include <string>
#include <vector>

#include "models/common/channel.h"
#include "models/db/register_map.h"
#include "models/raster/pixel_cache.h"

namespace archipelago::db {

struct DbSpec {
    RegisterMap map;  // of the chip's family

    unsigned rb = 0;                    // number of the render back end
    unsigned z_samples_per_cycle = 16;  // tested
    unsigned quads_per_cycle = 4;       // passed on, before and after the shader each
    unsigned early_latency = 1;         // from the test of a batch's last sample to SPI
    unsigned late_latency = 1;          // likewise to the colour block
    unsigned lookahead = 4;  // batches of a stream whose lines are fetched before their turn
    raster::PixelCacheSpec data, htile;
    Client client = Client::Host;  // to memory
    TransactionUnit unit = TransactionUnit::Cu;
    unsigned register_latency = 1;  // of a register write
    ChannelSpec early{4, 1};        // from the scan converter
    ChannelSpec late{4, 1};         // from SPI
    ChannelSpec memory{8, 1};       // answers of memory
    ChannelSpec flushes{1, 1};      // actions of SURFACE_SYNC

    // What is wrong, one sentence each.
    std::vector<std::string> problems() const;
};

}  // namespace archipelago::db
