// SPDX-License-Identifier: Apache-2.0
#include "models/raster/quad_batch.h"

namespace archipelago::raster {

uint64_t QuadBatch::covered() const {
    uint64_t lanes = 0;
    for (unsigned lane = 0; lane < 4u * quads; ++lane)
        lanes |= uint64_t{coverage[lane] != 0} << lane;
    return lanes;
}

}  // namespace archipelago::raster
