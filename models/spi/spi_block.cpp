// SPDX-License-Identifier: Apache-2.0
#include "models/spi/spi_block.h"

#include "models/config/block_reader.h"

namespace archipelago::spi {

using config::kAtLeastOne;
using config::range;

void SpiBlock::read(config::Reader& root, SpiSpec& spec) {
    config::Reader r = root.map("spi");
    spec.queue_depth = r.required("queue_depth", range(1u, 1024u), "dispatches waiting per ring");
    spec.event_depth =
        r.required("event_depth", range(1u, 1024u), "events waiting for running work, per ring");
    spec.groups_per_cycle =
        r.required("groups_per_cycle", range(1u, 16u), "work-groups placed per cycle");
    spec.wave_interval =
        r.timing("wave_interval", kAtLeastOne, "between two waves launched in one shader engine");
    spec.registers = read_channel(r, "registers", "register writes from GRBM");
    spec.wave_done = read_channel(r, "wave_done", "ended waves from each CU");
    spec.draws_in_flight =
        r.required("draws_in_flight", range(1u, 65536u), "draws in flight in SPI");
    spec.sh_updates = r.required("sh_updates", range(1u, 1u << 20),
                                 "writes of SPI_SHADER_* kept since the oldest draw in flight");
    spec.stage_queue =
        r.required("stage_queue", range(1u, 1024u), "waves of a graphics stage waiting for room");
    spec.position_vectors = r.required("position_vectors", range(4u, 65536u),
                                       "position exports of waves, each shader engine");
    spec.parameter_vectors = r.required("parameter_vectors", range(32u, 65536u),
                                        "parameter exports of waves, each shader engine");
    spec.vgt = read_channel(r, "vgt", "waves and events from VGT");
    spec.color_vectors = r.required("color_vectors", range(9u, 65536u),
                                    "colour and depth exports of waves, each shader engine");
    spec.quads_per_cycle = r.required("quads_per_cycle", range(1u, 16u),
                                      "quads packed into pixel waves, each shader engine");
    spec.partial_wave = r.timing("partial_wave", kAtLeastOne,
                                 "without quads until a pixel wave leaves that is not full");
    spec.back_end_latency =
        r.timing("back_ends", kAtLeastOne, "from a render back end that an event has passed");
    spec.quads = read_channel(r, "quads", "quads from each render back end");
    spec.exports = read_channel(r, "exports", "exports from each CU");
    spec.freed = read_channel(r, "freed", "export space given back");
}

}  // namespace archipelago::spi
