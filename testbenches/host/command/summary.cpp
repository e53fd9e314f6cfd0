// SPDX-License-Identifier: Apache-2.0
#include "testbenches/host/command/summary.h"

#include <fmt/format.h>

#include <cstdint>
#include <string>

#include "models/asic/asic.h"

namespace archipelago::host {
namespace {

bool ends_with(const std::string& text, const std::string& end) {
    return text.size() >= end.size() &&
           text.compare(text.size() - end.size(), end.size(), end) == 0;
}

// Sum of a counter over all units whose path ends in `suffix`, or starts with `prefix`.
uint64_t sum(const StatsRegistry& stats, const std::string& prefix, const std::string& suffix,
             const std::string& name) {
    uint64_t n = 0;
    for (const Counter& c : stats.counters())
        if (c.name == name && c.unit_path.rfind(prefix, 0) == 0 && ends_with(c.unit_path, suffix))
            n += *c.value;
    return n;
}

std::string row_hits(uint64_t hits, uint64_t accesses) {
    if (accesses == 0)
        return "no accesses";
    return fmt::format("row hits {:.1f} % of {} accesses",
                       100.0 * static_cast<double>(hits) / static_cast<double>(accesses), accesses);
}

// Verilog in place of units executed without reporting what: unknown, unlike a count of 0.
bool not_counted(const asic::WorkDone& work) {
    return !work.silent.empty() && work.instructions == 0;
}

void print_instructions(const asic::WorkDone& work) {
    if (not_counted(work)) {
        fmt::print("  instructions  not counted\n");
        return;
    }
    fmt::print("  instructions  {}{}", work.silent.empty() ? "" : "at least ", work.instructions);
    const char* separator = " (";
    for (const auto& [name, count] : work.by_class)
        if (count != 0) {
            // s_waitcnt, s_nop and others that occupy no unit: "internal" in the statistics.
            fmt::print("{}{} {}", separator, name == "internal" ? "special" : name, count);
            separator = ", ";
        }
    fmt::print("{}\n", work.instructions != 0 ? ")" : "");
}

void print_rates(const asic::Asic& chip, const asic::WorkDone& work, double cycles) {
    const StatsRegistry& s = chip.stats();
    const auto l1 = [&](const char* n) { return sum(s, "se", ".l1", n); };
    const auto l2 = [&](const char* n) { return sum(s, "tcc", "", n); };
    const auto mc = [&](const char* n) { return sum(s, "mc", "", n); };
    const double ipc = static_cast<double>(work.instructions) / cycles;
    if (not_counted(work))
        fmt::print("  IPC           not counted\n");
    else
        fmt::print("  IPC           {}{:.3f} chip, {:.4f} per CU\n",
                   work.silent.empty() ? "" : "at least ", ipc,
                   ipc / chip.description().identity().compute_units);
    // A read that joins a miss in flight is neither hit nor miss.
    const auto hits = [](const auto& cache, uint64_t reads) {
        const auto percent = [&](uint64_t part) {
            return 100.0 * static_cast<double>(part) / static_cast<double>(reads);
        };
        return reads == 0
                   ? "no accesses"
                   : fmt::format("{:.1f} % of {}, MSHR hits {:.1f} %", percent(cache("read_hits")),
                                 reads, percent(cache("read_merged")));
    };
    fmt::print("  L1 read hits  {}\n", hits(l1, l1("reads") - l1("glc_reads")));
    fmt::print("  L2 read hits  {}\n", hits(l2, l2("reads")));
    fmt::print("  DRAM          {} B read, {} B written, {}\n", mc("bytes_read"),
               mc("bytes_written"), row_hits(mc("row_hits"), mc("reads") + mc("writes")));
}

}  // namespace

void print_summary(const asic::Asic& chip, const RunOutcome& outcome) {
    const asic::WorkDone work = chip.work();
    const asic::Identity& id = chip.description().identity();
    const bool cycle = chip.has_time();
    const auto cycles = static_cast<double>(outcome.cycles);
    const auto instructions = static_cast<double>(work.instructions);
    fmt::print("{} {}, configuration {}\n", id.name, cycle ? "cycle" : "functional", id.hash);
    if (cycle)
        fmt::print("  cycles        {} ({:.3f} us at {:g} MHz)\n", outcome.cycles,
                   id.seconds(outcome.cycles) * 1e6, static_cast<double>(id.clock_hz) / 1e6);
    fmt::print("  waves         {}\n", work.waves);
    print_instructions(work);
    if (cycle && outcome.cycles != 0 && id.compute_units != 0)
        print_rates(chip, work, cycles);
    for (const std::string& warning : chip.warnings())
        fmt::print("  warning       {}\n", warning);
    fmt::print("  host          {:.3f} s{}{}\n", outcome.host_seconds,
               not_counted(work)
                   ? ""
                   : fmt::format(", {:.0f} instructions/s", instructions / outcome.host_seconds),
               cycle ? fmt::format(", {:.0f} cycles/s", cycles / outcome.host_seconds) : "");
}

}  // namespace archipelago::host
