// SPDX-License-Identifier: Apache-2.0
#include "models/asic/gcn/read_blocks.h"

namespace archipelago::gcn {

using asic::kAtLeastOne;
using asic::read_bytes;
using asic::read_channel;
using config::range;
using config::Reader;

void read_srbm(Reader& root, ChipConfig& chip) {
    Reader r = root.map("srbm");
    srbm::Spec& s = chip.srbm;
    s.requests_per_cycle =
        r.required("requests_per_cycle", range(1u, 16u), "requests accepted per cycle");
    s.reads_in_flight =
        r.required("reads_in_flight", range(1u, 64u), "reads of each source in flight");
    s.request =
        read_channel(r, "request", "requests of a DMA engine, or of the host when it waits");
    s.response = read_channel(r, "response", "answers of GRBM and of each DMA engine");
}

void read_grbm(Reader& root, ChipConfig& chip) {
    Reader r = root.map("grbm");
    grbm::Spec& s = chip.grbm;
    s.requests_per_cycle =
        r.required("requests_per_cycle", range(1u, 16u), "requests accepted per cycle");
    s.reads_in_flight =
        r.required("reads_in_flight", range(1u, 255u), "reads of both sources in flight");
    s.request = read_channel(r, "request", "requests of the host and of CP");
    s.response = read_channel(r, "response", "answers of each block");
}

void read_ih(Reader& root, ChipConfig& chip) {
    if (!chip.blocks.ih) {
        root.find("interrupts");  // what a base says of it
        return;
    }
    Reader r = root.map("interrupts");
    ih::IhSpec& s = chip.ih;
    s.registers = read_channel(r, "registers", "writes and reads from GRBM");
    s.memory_return = read_channel(r, "memory_return", "acknowledgements of its writes");
    s.timer_unit = r.timing("timer_unit", kAtLeastOne, "cycles of a step of the write-back timer");
    s.fifo = r.required("fifo", range(2u, 65536u), "interrupts queued for the ring");
    s.high_water =
        r.required("high_water", range(1u, 65535u), "queued interrupts from which senders stall");
    if (r.ok() && s.high_water >= s.fifo)
        r.conflict("high_water is " + std::to_string(s.high_water) + ", expected less than fifo, " +
                   std::to_string(s.fifo));
}

void read_spi(Reader& root, ChipConfig& chip) {
    Reader r = root.map("spi");
    spi::SpiSpec& s = chip.spi;
    s.queue_depth = r.required("queue_depth", range(1u, 1024u), "dispatches waiting per ring");
    s.event_depth =
        r.required("event_depth", range(1u, 1024u), "events waiting for running work, per ring");
    s.groups_per_cycle =
        r.required("groups_per_cycle", range(1u, 16u), "work-groups placed per cycle");
    s.wave_interval =
        r.timing("wave_interval", kAtLeastOne, "between two waves launched in one shader engine");
    s.registers = read_channel(r, "registers", "register writes from GRBM");
    s.wave_done = read_channel(r, "wave_done", "ended waves from each CU");
    s.draws_in_flight = r.required("draws_in_flight", range(1u, 65536u), "draws in flight in SPI");
    s.sh_updates = r.required("sh_updates", range(1u, 1u << 20),
                              "writes of SPI_SHADER_* kept since the oldest draw in flight");
    s.stage_queue =
        r.required("stage_queue", range(1u, 1024u), "waves of a graphics stage waiting for room");
    s.position_vectors = r.required("position_vectors", range(4u, 65536u),
                                    "position exports of waves, each shader engine");
    s.parameter_vectors = r.required("parameter_vectors", range(32u, 65536u),
                                     "parameter exports of waves, each shader engine");
    s.vgt = read_channel(r, "vgt", "waves and events from VGT");
    s.pixels = read_channel(r, "pixels", "pixel waves from the rasteriser");
    s.exports = read_channel(r, "exports", "exports from each CU");
    s.freed = read_channel(r, "freed", "export space given back");
    s.assembler = read_channel(r, "assembler", "primitives and positions to their assembler");
}

void read_vgt(Reader& root, ChipConfig& chip) {
    Reader r = root.map("vgt");
    vgt::VgtSpec& s = chip.vgt;
    s.draw_queue = r.required("draw_queue", range(1u, 1024u), "draws and events waiting");
    s.immediate_queue =
        r.required("immediate_queue", range(1u, 16384u), "dwords of VGT_IMMED_DATA");
    s.reuse_most = r.required("reuse", range(3u, 64u), "vertices in the reuse buffer");
    s.wave_primitives = r.required("wave_primitives", range(1u, 65536u),
                                   "primitives waiting for their wave of vertices to end");
    s.indices_per_cycle =
        r.required("indices_per_cycle", range(1u, 64u), "indices grouped per cycle");
    s.primitives_per_cycle =
        r.required("primitives_per_cycle", range(1u, 16u), "primitives made and sent per cycle");
    s.gs_waves = r.required("gs_waves", range(1u, 1024u), "GS and ES waves in flight");
    s.gs_threads_per_es =
        r.required("gs_threads_per_es", range(1u, 4096u), "GS threads that read one ES wave");
    s.ring_waves = r.required("ring_waves", range(1u, 65536u),
                              "waves in the ESGS and in the GSVS ring at most");
    s.patch_groups = r.required("patch_groups", range(1u, 1024u), "groups of patches in flight");
    s.draw_cycles =
        r.timing("draw_cycles", kAtLeastOne, "from the start of a draw to its first index");
    s.event_cycles =
        r.timing("event_cycles", kAtLeastOne, "from the start of an event to its departure");
    s.wave_cycles = r.timing("wave_cycles", kAtLeastOne, "sending a wave to SPI");
    s.stage_done_latency =
        r.timing("stage_done_latency", kAtLeastOne, "latency of the end of a wave, from SPI");
    s.registers = read_channel(r, "registers", "writes and reads from GRBM");
    s.gs_messages = read_channel(r, "gs_messages", "s_sendmsg of GS waves");
    {
        Reader d = r.map("index_dma");
        s.dma.indices_per_cycle =
            d.required("indices_per_cycle", range(1u, 8u), "indices passed on per cycle");
        s.dma.lines_ahead = d.required("lines_ahead", range(1u, vgt::IndexDmaSpec::kMaxLines),
                                       "lines requested and not yet passed on");
        s.dma.lines_in_flight =
            d.required("lines_in_flight", range(1u, vgt::IndexDmaSpec::kMaxLines),
                       "lines requested and not yet returned");
        s.dma.commands_begun =
            d.required("commands_begun", range(1u, vgt::IndexDmaSpec::kMaxCommands),
                       "commands started and not finished");
        s.dma.setup_cycles = d.timing("setup_cycles", range(1u, vgt::IndexDmaSpec::kMaxSetupCycles),
                                      "cycles from a command to its first request");
        s.dma.command = read_channel(d, "command", "VGT to the unit");
        s.dma.group = read_channel(d, "group", "the unit to VGT");
        s.dma.response = read_channel(d, "response", "memory to the unit");
    }
    if (r.ok())
        for (const std::string& problem : s.problems())
            r.conflict(problem);
}

void read_gds(Reader& root, ChipConfig& chip) {
    if (!chip.blocks.gds) {
        root.find("gds");  // what a base says of it
        return;
    }
    Reader r = root.map("gds");
    gds::GdsSpec& s = chip.gds;
    s.bytes = read_bytes(r, "size", range(8u, 1u << 20), "global data share");
    s.lanes_per_cycle =
        r.required("lanes_per_cycle", range(1u, 64u), "elements accessed per cycle");
    s.banks = r.required("banks", range(1u, 64u), "banks, each a dword wide");
    s.request_cycles = r.timing("request_cycles", kAtLeastOne, "minimum cycles per instruction");
    s.latency = r.timing("latency", kAtLeastOne, "end of the work to the answer's departure");
    s.request_in = read_channel(r, "request_in", "requests from each compute unit and CP");
    s.registers = read_channel(r, "registers", "writes and reads from GRBM");
}

}  // namespace archipelago::gcn
