// SPDX-License-Identifier: Apache-2.0
// What a chip needs to have the raster back end at its register bus.
#pragma once

#include "models/raster/raster_core.h"

namespace archipelago::config {
class Reader;
}

namespace archipelago::raster {

struct RasterBlock {
    using Spec = RasterSpec;
    using Core = RasterCore;
    static constexpr const char* kName = "raster";
    static constexpr const char* kStatsAfter = "gb";  // the block before it in statistics

    static void read(config::Reader& root, RasterSpec& spec);
};

}  // namespace archipelago::raster
