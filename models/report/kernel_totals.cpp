// SPDX-License-Identifier: Apache-2.0
#include "models/report/kernel_totals.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <numeric>
#include <utility>

#include "models/spi/graphics.h"

namespace archipelago::report {
namespace {

using asic::CacheCounts;

void add(CacheCounts& to, const CacheCounts& n) {
    to.reads += n.reads;
    to.hits += n.hits;
    to.merged += n.merged;
    to.writes += n.writes;
    to.bytes += n.bytes;
}

void add(KernelTotal& to, const asic::DispatchProfile& d) {
    const Cycle cycles = d.record.end - d.record.start;
    const asic::MemoryCounts memory = asic::counted(d.before, d.after);
    to.least = to.dispatches == 0 ? cycles : std::min(to.least, cycles);
    to.most = std::max(to.most, cycles);
    to.cycles += cycles;
    const Cycle from = std::max(to.busy_until, d.record.start);  // dispatches come by start
    to.busy += d.record.end > from ? d.record.end - from : 0;
    to.busy_until = std::max(to.busy_until, d.record.end);
    ++to.dispatches;
    to.alone = to.alone && d.alone;
    to.work.add(d.record.work);
    add(to.l1, memory.l1);
    add(to.l2, memory.l2);
    to.dram_read += memory.dram_read;
    to.dram_written += memory.dram_written;
    to.most_waves = d.most_waves;
    to.limits = d.limits;
}

void measure(KernelTotal& k, const asic::Attribution& a) {
    if (k.cycles == 0)
        return;
    // What waves did is counted once, what the memory did once for each dispatch that saw it.
    const auto share_of = [&](Cycle cycles, uint64_t count, double per_second) {
        const double seconds = 1e-15 * static_cast<double>(cycles * a.period_fs);
        return static_cast<double>(count) / (per_second * seconds);
    };
    const auto work = [&](uint64_t count, double per_second) {
        return share_of(k.busy, count, per_second);
    };
    const auto memory = [&](uint64_t count, double per_second) {
        return share_of(k.cycles, count, per_second);
    };
    const asic::Ceilings& c = a.ceilings;
    k.of_peak = {work(k.work.cycles[cu::index_of(cu::WaveReason::IssueValu)], c.valu_cycles),
                 work(k.work.lds_bytes, c.lds_bytes), memory(k.l1.bytes, c.l1_bytes),
                 memory(k.l2.bytes, c.l2_bytes),
                 memory(k.dram_read + k.dram_written, c.dram_bytes)};
    k.waves_per_cu =
        static_cast<double>(k.work.life) / static_cast<double>(k.busy * a.compute_units);
    if (k.work.waves < uint64_t{k.dispatches} * k.most_waves * a.compute_units)
        k.limits = {"dispatch"};
}

void judge(KernelTotal& k) {
    const auto* const nearest = std::max_element(k.of_peak.begin(), k.of_peak.end());
    k.near_peak = *nearest >= kNearPeak;
    if (k.near_peak) {
        k.bound_by = kPeakNames[static_cast<size_t>(nearest - k.of_peak.begin())];
        k.share = *nearest;
        return;
    }
    std::array<uint64_t, cu::kWaveGroups> groups{};
    for (size_t i = 0; i < cu::kWaveReasons; ++i)
        groups[static_cast<size_t>(cu::kWaveReasonRows[i].group)] += k.work.cycles[i];
    const auto* const most = std::max_element(groups.begin(), groups.end());
    const uint64_t all = std::accumulate(groups.begin(), groups.end(), uint64_t{0});
    k.bound_by = cu::kWaveGroupNames[static_cast<size_t>(most - groups.begin())];
    k.share = all != 0 ? static_cast<double>(*most) / static_cast<double>(all) : 0;
}

}  // namespace

std::string program_name(uint64_t program, const Programs* programs) {
    const std::string name = programs != nullptr ? programs->name(program) : std::string();
    return !name.empty() ? name : fmt::format("{:#x}", program);
}

std::string stage_name(ShaderStage stage) {
    std::string name = spi::stage_name(stage);
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return name;
}

std::vector<KernelTotal> kernel_totals(const asic::Attribution& a, const Programs* programs,
                                       size_t first) {
    std::vector<KernelTotal> totals;
    std::map<std::pair<uint64_t, ShaderStage>, size_t> known;
    for (size_t i = first; i < a.dispatches.size(); ++i) {
        const cu::DispatchRecord& record = a.dispatches[i].record;
        const auto [at, is_new] =
            known.try_emplace({record.program, record.key.stage}, totals.size());
        if (is_new) {
            totals.emplace_back();
            totals.back().name = program_name(record.program, programs);
            totals.back().program = record.program;
            totals.back().stage = stage_name(record.key.stage);
        }
        add(totals[at->second], a.dispatches[i]);
    }
    for (KernelTotal& k : totals) {
        measure(k, a);
        judge(k);
    }
    std::stable_sort(totals.begin(), totals.end(),
                     [](const auto& x, const auto& y) { return x.cycles > y.cycles; });
    return totals;
}

Cycle kernel_cycles(const asic::Attribution& a, size_t first) {
    Cycle cycles = 0, until = 0;
    for (size_t i = first; i < a.dispatches.size(); ++i) {  // by start
        const cu::DispatchRecord& record = a.dispatches[i].record;
        const Cycle from = std::max(until, record.start);
        if (record.end > from)
            cycles += record.end - from;
        until = std::max(until, record.end);
    }
    return cycles;
}

}  // namespace archipelago::report
