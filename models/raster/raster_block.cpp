// SPDX-License-Identifier: Apache-2.0
#include "models/raster/raster_block.h"

#include "models/config/block_reader.h"

namespace archipelago::raster {

void RasterBlock::read(config::Reader& root, RasterSpec& spec) {
    config::Reader r = root.map("raster");
    spec.registers = read_channel(r, "registers", "writes of context registers from GRBM");
}

}  // namespace archipelago::raster
