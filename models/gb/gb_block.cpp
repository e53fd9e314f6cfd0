// SPDX-License-Identifier: Apache-2.0
#include "models/gb/gb_block.h"

#include <algorithm>
#include <vector>

#include "models/config/block_reader.h"

namespace archipelago::gb {

void GbBlock::read(config::Reader& root, GbSpec& spec) {
    config::Reader r = root.map("tiling");
    spec.gb_addr_config = r.required<uint32_t>("gb_addr_config", "GB_ADDR_CONFIG after reset");
    const std::vector<uint32_t> modes = r.sequence<uint32_t>(
        "tile_modes", config::exactly(GbSpec::kModes), "GB_TILE_MODE0..31 after reset");
    if (modes.size() == spec.tile_modes.size())
        std::copy(modes.begin(), modes.end(), spec.tile_modes.begin());
    spec.registers = read_channel(r, "registers", "writes and reads from GRBM");
    spec.broadcast =
        r.timing("broadcast", config::kAtLeastOne, "latency of the broadcast to the texture units");
}

}  // namespace archipelago::gb
