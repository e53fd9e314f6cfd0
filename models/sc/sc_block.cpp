// SPDX-License-Identifier: Apache-2.0
#include "models/sc/sc_block.h"

#include "models/config/block_reader.h"

namespace archipelago::sc {

using config::kAtLeastOne;
using config::range;

void ScBlock::read(config::Reader& root, ScSpec& spec) {
    config::Reader r = root.map("sc");
    spec.raster_config =
        r.required<uint32_t>("raster_config", "PA_SC_RASTER_CONFIG as the kernel driver leaves it");
    spec.primitives_per_cycle =
        r.required("primitives_per_cycle", range(1u, 16u), "primitives taken per cycle");
    spec.supertiles_per_cycle =
        r.required("supertiles_per_cycle", range(1u, 64u), "empty supertiles passed per cycle");
    spec.tiles_per_cycle = r.required("tiles_per_cycle", range(1u, 64u), "tiles visited per cycle");
    spec.quads_per_cycle =
        r.required("quads_per_cycle", range(1u, 16u), "quads of a tile that leave per cycle");
    spec.tile_queue =
        r.required("tile_queue", range(1u, 4096u), "covered tiles between the walk and the quads");
    spec.latency = r.timing("latency", kAtLeastOne, "from a primitive to its first quads");
    spec.register_latency =
        r.timing("register_latency", kAtLeastOne, "of register writes from GRBM");
    spec.primitives = read_channel(r, "primitives", "from the primitive assembler");
}

}  // namespace archipelago::sc
