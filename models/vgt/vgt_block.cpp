// SPDX-License-Identifier: Apache-2.0
#include "models/vgt/vgt_block.h"

#include <string>

#include "models/config/block_reader.h"

namespace archipelago::vgt {

using config::kAtLeastOne;
using config::range;

void VgtBlock::read(config::Reader& root, VgtSpec& spec) {
    config::Reader r = root.map("vgt");
    spec.draw_queue = r.required("draw_queue", range(1u, 1024u), "draws and events waiting");
    spec.immediate_queue =
        r.required("immediate_queue", range(1u, 16384u), "dwords of VGT_IMMED_DATA");
    spec.reuse_most = r.required("reuse", range(3u, 64u), "vertices in the reuse buffer");
    spec.wave_primitives = r.required("wave_primitives", range(1u, 65536u),
                                      "primitives waiting for their wave of vertices to end");
    spec.indices_per_cycle =
        r.required("indices_per_cycle", range(1u, 64u), "indices grouped per cycle");
    spec.primitives_per_cycle =
        r.required("primitives_per_cycle", range(1u, 16u), "primitives made and sent per cycle");
    spec.gs_waves = r.required("gs_waves", range(1u, 1024u), "GS and ES waves in flight");
    spec.gs_threads_per_es =
        r.required("gs_threads_per_es", range(1u, 4096u), "GS threads that read one ES wave");
    spec.ring_waves = r.required("ring_waves", range(1u, 65536u),
                                 "waves in the ESGS and in the GSVS ring at most");
    spec.patch_groups = r.required("patch_groups", range(1u, 1024u), "groups of patches in flight");
    spec.draw_cycles =
        r.timing("draw_cycles", kAtLeastOne, "from the start of a draw to its first index");
    spec.event_cycles =
        r.timing("event_cycles", kAtLeastOne, "from the start of an event to its departure");
    spec.wave_cycles = r.timing("wave_cycles", kAtLeastOne, "sending a wave to SPI");
    spec.stage_done_latency =
        r.timing("stage_done_latency", kAtLeastOne, "latency of the end of a wave, from SPI");
    spec.registers = read_channel(r, "registers", "writes and reads from GRBM");
    spec.gs_messages = read_channel(r, "gs_messages", "s_sendmsg of GS waves");
    {
        config::Reader d = r.map("index_dma");
        spec.dma.indices_per_cycle =
            d.required("indices_per_cycle", range(1u, 8u), "indices passed on per cycle");
        spec.dma.lines_ahead = d.required("lines_ahead", range(1u, IndexDmaSpec::kMaxLines),
                                          "lines requested and not yet passed on");
        spec.dma.lines_in_flight = d.required("lines_in_flight", range(1u, IndexDmaSpec::kMaxLines),
                                              "lines requested and not yet returned");
        spec.dma.commands_begun =
            d.required("commands_begun", range(1u, IndexDmaSpec::kMaxCommands),
                       "commands started and not finished");
        spec.dma.setup_cycles = d.timing("setup_cycles", range(1u, IndexDmaSpec::kMaxSetupCycles),
                                         "cycles from a command to its first request");
        spec.dma.command = read_channel(d, "command", "VGT to the unit");
        spec.dma.group = read_channel(d, "group", "the unit to VGT");
        spec.dma.response = read_channel(d, "response", "memory to the unit");
    }
    if (r.ok())
        for (const std::string& problem : spec.problems())
            r.conflict(problem);
}

}  // namespace archipelago::vgt
