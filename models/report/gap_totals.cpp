// SPDX-License-Identifier: Apache-2.0
#include "models/report/gap_totals.h"

#include <algorithm>
#include <map>
#include <utility>

#include "models/report/kernel_totals.h"

namespace archipelago::report {
namespace {

using asic::GapPart;

Cycle sum(const GapCycles& reasons) {
    Cycle all = 0;
    for (const uint64_t cycles : reasons)
        all += cycles;
    return all;
}

template <class T>
void most_cycles_first(std::vector<T>& list) {
    std::stable_sort(list.begin(), list.end(),
                     [](const T& x, const T& y) { return x.cycles > y.cycles; });
}

// Of each dispatch, and after the last.
std::vector<GapCycles> by_dispatch(const asic::Attribution& a, Cycle from, Cycle until,
                                   GapTotals& totals) {
    std::vector<GapCycles> gaps(a.dispatches.size() + 1);
    std::map<std::pair<std::string, asic::GapReason>, size_t> known;
    for (const GapPart& part : a.gaps) {
        const Cycle begin = std::max(part.begin, from), end = std::min(part.end, until);
        if (begin >= end)
            continue;
        const Cycle cycles = end - begin;
        const auto reason = static_cast<size_t>(part.reason);
        gaps[part.dispatch][reason] += cycles;
        totals.reasons[reason] += cycles;
        const auto [at, is_new] =
            known.try_emplace({part.packet, part.reason}, totals.packets.size());
        if (is_new)
            totals.packets.push_back({part.packet, part.reason, 0});
        totals.packets[at->second].cycles += cycles;
    }
    return gaps;
}

void add(KernelGaps& to, const GapCycles& reasons) {
    const Cycle cycles = sum(reasons);
    to.least = to.dispatches == 0 ? cycles : std::min(to.least, cycles);
    to.most = std::max(to.most, cycles);
    to.cycles += cycles;
    ++to.dispatches;
    for (size_t i = 0; i < reasons.size(); ++i)
        to.reasons[i] += reasons[i];
}

std::vector<KernelGaps> by_kernel(const asic::Attribution& a, const std::vector<GapCycles>& gaps,
                                  const Programs* programs) {
    std::vector<KernelGaps> kernels;
    std::map<std::pair<uint64_t, ShaderStage>, size_t> known;
    for (size_t i = 1; i < a.dispatches.size(); ++i) {
        const cu::DispatchRecord& record = a.dispatches[i].record;
        const auto [at, is_new] =
            known.try_emplace({record.program, record.key.stage}, kernels.size());
        if (is_new) {
            kernels.emplace_back();
            kernels.back().name = program_name(record.program, programs);
            kernels.back().stage = stage_name(record.key.stage);
        }
        add(kernels[at->second], gaps[i]);
    }
    most_cycles_first(kernels);
    return kernels;
}

std::vector<GapCycles> of_intervals(const asic::Attribution& a) {
    std::vector<GapCycles> intervals(a.dispatches.size());
    for (const GapPart& part : a.intervals)
        intervals[part.dispatch][static_cast<size_t>(part.reason)] += part.end - part.begin;
    return intervals;
}

}  // namespace

GapTotals gap_totals(const asic::Attribution& a, Cycle start, uint64_t cycles,
                     const Programs* programs) {
    GapTotals totals;
    if (a.gaps.empty())
        return totals;
    const std::vector<GapCycles> gaps = by_dispatch(a, start, start + cycles, totals);
    totals.before_first = a.dispatches.empty() ? 0 : sum(gaps.front());
    totals.after_last = sum(gaps.back());
    totals.kernels = by_kernel(a, gaps, programs);
    totals.intervals = by_kernel(a, of_intervals(a), programs);
    most_cycles_first(totals.packets);
    return totals;
}

}  // namespace archipelago::report
