// SPDX-License-Identifier: Apache-2.0
#include "models/cp/cp_spec.h"

namespace archipelago::cp {

front::FetchSpec Spec::fetch() const {
    front::FetchSpec spec;
    spec.shape = {rings, levels};
    spec.names = ring_names();
    for (unsigned level = 0; level < levels; ++level)
        spec.roq_lines.push_back(roq_lines(level));
    spec.outstanding = fetch_outstanding;
    spec.burst_lines = fetch_burst_lines;
    spec.command = command;
    spec.response = memory_return;
    spec.strobe_latency = strobe_latency;
    spec.path = "cp.fetch";
    return spec;
}

std::vector<std::string> Spec::problems() const {
    std::vector<std::string> list;
    const auto need = [&](bool holds, const char* text) {
        if (!holds)
            list.emplace_back(text);
    };
    const auto in_range = [&](const char* key, unsigned value, unsigned least, unsigned most) {
        if (value < least || value > most)
            list.push_back(std::string(key) + ": " + std::to_string(least) + " to " +
                           std::to_string(most));
    };
    need(packets != nullptr, "packets: a family's packet table is needed");
    need(registers != nullptr, "registers: a family's register map is needed");
    need(rings >= 1 && rings <= kMaxRings, "rings: 1 to 3");
    need(levels >= 1 && levels <= kMaxLevels, "levels: 1 to 3");
    need(roq_unit_dwords == 16, "roq_unit_dwords: lines of the reorder queue are 16 dwords");
    need(roq_ib1_start >= 1 && roq_ib1_start < roq_ib2_start && roq_ib2_start < roq_units,
         "roq_ib1_start, roq_ib2_start: must rise and lie inside roq_units");
    need(meq1_start >= 1 && meq1_start < meq2_start && meq2_start < meq_dwords,
         "meq1_start, meq2_start: must rise and lie inside meq_dwords");
    in_range("roq_units", roq_units, 3, kMaxRoqUnits);
    need(meq_latency >= 1 && roq_latency >= 1 && strobe_latency >= 1,
         "meq_latency, roq_latency, strobe_latency: at least 1 cycle");
    need(fetch_outstanding >= 1, "fetch_outstanding: at least 1");
    need(fetch_burst_lines >= 1, "fetch_burst_lines: at least 1");
    in_range("dwords_per_cycle", dwords_per_cycle, 1, kMaxDwordsPerCycle);
    need(dwords_per_cycle == 1 || microcode == nullptr,
         "dwords_per_cycle: a microcode has cycles of its own for each dword");
    in_range("events_in_flight", events_in_flight, 1, kMaxEvents);
    need(poll.unit_cycles >= 1, "poll.unit_cycles: at least 1");
    need(poll.minimum >= 1, "poll.minimum: at least 1");
    need(depth_blocks >= 1 && depth_blocks <= 8, "depth_blocks: 1 to 8");
    need(eop_depth >= 1, "eop_depth: at least 1");
    in_range("dma_read_lines", dma_read_lines, kMinDmaLines, kMaxDmaLines);
    need(dma_outstanding_writes >= 1, "dma_outstanding_writes: at least 1");
    need(gds_store_reads >= 1, "gds_store_reads: at least 1");
    need(writeback_depth >= kMinWritebacks, "writeback_depth: at least 2");
    need(gpu_clock_mul >= 1 && gpu_clock_div >= 1, "gpu_clock_mul, gpu_clock_div: at least 1");
    const ChannelSpec* channels[] = {&memory_client,   &memory_return,   &memory_in,
                                     &register_client, &register_return, &register_in,
                                     &register_target, &command,         &done,
                                     &gds_client,      &gds_return,      &gds_in};
    for (const ChannelSpec* channel : channels)
        need(channel->capacity >= 1 && channel->latency >= 1,
             "a channel needs capacity and latency of at least 1");
    for (const std::string& problem : ce.problems())
        list.push_back(problem);
    return list;
}

}  // namespace archipelago::cp
