// SPDX-License-Identifier: Apache-2.0
#include "models/asic/gcn/read_blocks.h"
#include "models/cp/ce_state.h"
#include "registers/si_register_table.h"

namespace archipelago::gcn {

using asic::kAtLeastOne;
using asic::read_channel;
using config::range;
using config::Reader;
using config::Unit;

namespace {

// Constant engine.
void read_ce(Reader& parent, cp::CeSpec& s) {
    Reader r = parent.map("ce");
    s.packet_cycles = r.timing("packet_cycles", range(1u, 255u),
                               "cycles that a packet costs before its first operation");
    s.loads_in_flight = r.required("loads_in_flight", range(1u, 255u), "lines in flight");
    s.dumps_in_flight = r.required("dumps_in_flight", range(1u, 255u), "lines in flight");
    s.sets_in_flight = r.required("sets_in_flight", range(2u, cp::kCeMaxSets),
                                  "constant sets being written, per ring");
    const auto boundary = [&](const char* key, const char* doc) {
        return static_cast<uint32_t>(
            r.required_quantity(key, Unit::Byte, range(0u, cp::kCeRamBytes - 64), doc));
    };
    s.cs1_base = boundary("cs1_base", "CE RAM before the partition of ring 1");
    s.cs2_base = boundary("cs2_base", "CE RAM before the partition of ring 2");
    s.fetch_lines = r.required("fetch_lines", range(1u, 255u), "lines read ahead per ring");
    s.command = read_channel(r, "command", "PFP to the fetch of constant buffers, per ring");
    s.stream = read_channel(r, "stream", "dwords of constant buffers, per ring");
    s.message = read_channel(r, "message", "ME to the constant engine");
    s.grant = read_channel(r, "grant", "constant engine to ME");
}

}  // namespace

void read_cp(Reader& root, ChipConfig& chip) {
    Reader r = root.map("cp");
    cp::Spec& s = chip.cp;
    s.roq_units = r.required("roq_units", range(3u, cp::Spec::kMaxRoqUnits),
                             "ROQ units per ring, each of 16 dwords");
    s.roq_ib1_start = r.required("roq_ib1_start", range(1u, cp::Spec::kMaxRoqUnits - 2),
                                 "ROQ units of the ring, where those of IB1 begin");
    s.roq_ib2_start = r.required("roq_ib2_start", range(2u, cp::Spec::kMaxRoqUnits - 1),
                                 "ROQ units before those of IB2");
    constexpr unsigned kMaxMeqDwords = 4096;
    s.meq_dwords = r.required("meq_dwords", range(3u, kMaxMeqDwords),
                              "dwords of the micro engine queue, of all rings");
    s.meq1_start = r.required("meq1_start", range(1u, kMaxMeqDwords - 2),
                              "MEQ dwords of ring 0, where those of ring 1 begin");
    s.meq2_start =
        r.required("meq2_start", range(2u, kMaxMeqDwords - 1), "first MEQ dword of ring 2");
    s.meq_latency = r.timing("meq_latency", kAtLeastOne,
                             "cycles from PFP through the micro engine queue to ME");
    s.fetch_outstanding = r.required("fetch_outstanding", range(1u, 1024u), "lines in flight");
    s.fetch_burst_lines = r.required("fetch_burst_lines", range(1u, 1024u),
                                     "lines fetched for one stream before the next is granted");
    s.roq_latency = r.timing("roq_latency", kAtLeastOne,
                             "cycles from fetched data through the reorder queue to PFP");
    s.pfp_packet_cycles = r.timing("pfp_packet_cycles", range(0u, Reader::kMaxCycles),
                                   "cycles that a packet costs before its first operation");
    s.me_packet_cycles = r.timing("me_packet_cycles", range(0u, Reader::kMaxCycles),
                                  "cycles that a packet costs before its first operation");
    s.dwords_per_cycle =
        r.maybe<unsigned>("dwords_per_cycle", range(1u, cp::Spec::kMaxDwordsPerCycle),
                          "dwords and operations of packets that PFP and ME each "
                          "do in a cycle; without the key one")
            .value_or(1);
    read_microcode(r, chip);
    s.events_in_flight = r.required("events_in_flight", range(1u, cp::Spec::kMaxEvents),
                                    "events in flight per ring");
    s.poll.unit_cycles =
        r.timing("poll_unit_cycles", kAtLeastOne, "cycles of one unit of a packet's poll interval");
    s.poll.minimum = r.required("poll_minimum", range(1u, 1024u), "minimum poll interval");
    s.depth_blocks = r.required("depth_blocks", range(1u, 8u), "counters of ZPASS_DONE");
    s.eop_depth = r.required("eop_depth", range(1u, 1024u), "end-of-pipe commands");
    s.dma_read_lines =
        r.required("dma_read_lines", range(cp::Spec::kMinDmaLines, cp::Spec::kMaxDmaLines),
                   "transfers or lines in flight");
    s.dma_outstanding_writes =
        r.required("dma_outstanding_writes", range(1u, 1024u), "transfers or lines in flight");
    s.gds_store_reads =
        r.required("gds_store_reads", range(1u, 64u), "pieces of GDS data read ahead");
    s.writeback_depth = r.required("writeback_depth", range(cp::Spec::kMinWritebacks, 1024u),
                                   "scratch and read pointer writes");
    s.strobe_latency =
        r.timing("strobe_latency", kAtLeastOne, "latency of doorbells and interrupts");
    s.strict = r.required<bool>(
        "strict",
        "stop the machine at packets that are legal but suspicious, instead of counting them");
    s.constant_engine = chip.blocks.ce;
    if (chip.blocks.ce)
        read_ce(r, s.ce);
    else
        r.find("ce");  // what a base says of it
    read_packets(r, s);
    Reader c = r.map("channels");
    s.memory_client = read_channel(c, "memory_client", "unit to memory interface");
    s.memory_return = read_channel(c, "memory_return", "memory interface to unit");
    s.memory_in = read_channel(c, "memory_in", "responses of memory");
    s.register_client = read_channel(c, "register_client", "unit to register bus");
    s.register_return = read_channel(c, "register_return", "register bus to unit");
    s.register_in = read_channel(c, "register_in", "responses of the register bus");
    s.register_target = read_channel(c, "register_target", "requests to CP's registers");
    s.command = read_channel(c, "command", "messages between the units of the engine");
    s.done = read_channel(c, "done", "messages between the units of the engine");
    s.gds_client = read_channel(c, "gds_client", "unit to GDS interface");
    s.gds_return = read_channel(c, "gds_return", "GDS interface to unit");
    s.gds_in = read_channel(c, "gds_in", "answers of the global data share");
    s.register_namer = [](uint32_t offset, uint32_t value) {
        return regs::si::decode(offset, value);
    };
    const auto& known = regs::si::database().registers;
    for (size_t i = known.size(); i-- > 0;)  // from the last: what is after it is counted then
        if (grbm::reaches(chip.grbm.ranges, known[i].offset))
            s.known_registers.allow(known[i].offset, known[i].offset);
    if (r.ok())
        for (const std::string& problem : s.problems())
            r.conflict(problem);
}

}  // namespace archipelago::gcn
