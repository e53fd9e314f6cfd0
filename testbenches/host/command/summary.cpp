// SPDX-License-Identifier: Apache-2.0
#include "testbenches/host/command/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "testbenches/host/command/kernel_verdicts.h"

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

void print_rates(const asic::Asic& chip, const asic::WorkDone& work, const StatsRegistry& s,
                 double cycles) {
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

void print_work(const asic::Asic& chip, const RunOutcome& outcome, const PartDone& part) {
    const asic::Identity& id = chip.description().identity();
    const bool cycle = chip.has_time();
    const auto cycles = static_cast<double>(outcome.cycles);
    if (cycle)
        fmt::print("  cycles        {} ({:.3f} us at {:g} MHz)\n", outcome.cycles,
                   id.seconds(outcome.cycles) * 1e6, static_cast<double>(id.clock_hz) / 1e6);
    if (const auto attribution = chip.attribution())
        print_verdicts(*attribution, part.programs, outcome.cycles, part.first_dispatch);
    fmt::print("  waves         {}\n", part.work.waves);
    print_instructions(part.work);
    if (cycle && outcome.cycles != 0 && id.compute_units != 0)
        print_rates(chip, part.work, part.counters, cycles);
}

void print_host(const asic::Asic& chip, const RunOutcome& outcome, const asic::WorkDone& work) {
    const auto cycles = static_cast<double>(outcome.cycles);
    const auto instructions = static_cast<double>(work.instructions);
    fmt::print(
        "  host          {:.3f} s{}{}\n", outcome.host_seconds,
        not_counted(work)
            ? ""
            : fmt::format(", {:.0f} instructions/s", instructions / outcome.host_seconds),
        chip.has_time() ? fmt::format(", {:.0f} cycles/s", cycles / outcome.host_seconds) : "");
}

std::string configuration(const asic::Asic& chip) {
    const asic::Identity& id = chip.description().identity();
    return fmt::format("{} {}, configuration {}", id.name, chip.has_time() ? "cycle" : "functional",
                       id.hash);
}

}  // namespace

Totals totals(const asic::Asic& chip, const StatsRegistry& counters) {
    Totals out{chip.work(), {}};
    for (const Counter& c : counters.counters())
        out.counters.push_back(*c.value);
    return out;
}

namespace {

template <class Combine>
void combine(Totals& to, const Totals& other, const Combine& with) {
    to.counters.resize(std::max(to.counters.size(), other.counters.size()));
    for (size_t i = 0; i < other.counters.size(); ++i)
        with(to.counters[i], other.counters[i]);
    with(to.work.waves, other.work.waves);
    with(to.work.instructions, other.work.instructions);
    if (to.work.by_class.empty())
        for (const auto& [name, count] : other.work.by_class)
            to.work.by_class.emplace_back(name, 0);
    for (size_t i = 0; i < other.work.by_class.size(); ++i)
        with(to.work.by_class[i].second, other.work.by_class[i].second);
    if (to.work.silent.empty())
        to.work.silent = other.work.silent;
}

}  // namespace

Totals& Totals::operator+=(const Totals& other) {
    combine(*this, other, [](uint64_t& to, uint64_t n) { to += n; });
    return *this;
}

Totals& Totals::operator-=(const Totals& other) {
    combine(*this, other, [](uint64_t& to, uint64_t n) { to -= n; });
    return *this;
}

StatsRegistry with_values(const StatsRegistry& names, const std::vector<uint64_t>& values) {
    StatsRegistry out;
    for (size_t i = 0; i < values.size(); ++i) {
        const Counter& c = names.counters()[i];
        out.add(c.unit_path, c.name.c_str(), c.unit.c_str(), c.meaning.c_str(), &values[i]);
    }
    return out;
}

void print_warnings(const asic::Asic& chip) {
    for (const std::string& warning : chip.warnings())
        fmt::print("  warning       {}\n", warning);
}

void print_summary(const asic::Asic& chip, const RunOutcome& outcome, const Programs& programs) {
    const asic::WorkDone work = chip.work();
    fmt::print("{}\n", configuration(chip));
    print_work(chip, outcome, {"", work, chip.stats(), programs, 0});
    print_warnings(chip);
    print_host(chip, outcome, work);
}

void print_summary(const asic::Asic& chip, const RunOutcome& outcome, const PartDone& part) {
    fmt::print("{}: {}\n", part.title, configuration(chip));
    print_work(chip, outcome, part);
    print_host(chip, outcome, part.work);
}

}  // namespace archipelago::host
