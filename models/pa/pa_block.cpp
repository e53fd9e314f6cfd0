// SPDX-License-Identifier: Apache-2.0
#include "models/pa/pa_block.h"

#include "models/config/block_reader.h"

namespace archipelago::pa {

using config::kAtLeastOne;
using config::range;

void PaBlock::read(config::Reader& root, PaSpec& spec) {
    config::Reader r = root.map(kKey);
    spec.primitives_per_cycle = r.required("primitives_per_cycle", range(1u, 16u),
                                           "primitives set up in each shader engine");
    spec.queue =
        r.required("queue", range(1u, 65536u), "primitives in a shader engine's assembler");
    spec.latency = r.timing("latency", kAtLeastOne, "from a primitive's set-up to its departure");
    spec.register_latency =
        r.timing("register_latency", kAtLeastOne, "of register writes from GRBM");
    spec.primitives = read_channel(r, "primitives", "primitives from VGT");
    spec.vertices = read_channel(r, "vertices", "positions from SPI");
    spec.samples = read_channel(r, "samples", "counts of sample events from VGT");
}

}  // namespace archipelago::pa
