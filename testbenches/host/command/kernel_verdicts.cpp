// SPDX-License-Identifier: Apache-2.0
#include "testbenches/host/command/kernel_verdicts.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "models/report/kernel_totals.h"

namespace archipelago::host {
namespace {

using report::KernelTotal;

constexpr size_t kShown = 4;  // kernels, those with most cycles

double percent(uint64_t part, uint64_t whole) {
    return whole != 0 ? 100.0 * static_cast<double>(part) / static_cast<double>(whole) : 0;
}

std::string title(const KernelTotal& k) {
    return (k.stage == "cs" ? "" : k.stage + " ") + k.name +
           (k.dispatches == 1 ? "" : fmt::format(" x {}", k.dispatches));
}

std::string peaks(const KernelTotal& k) {
    std::string text;
    for (size_t i = 0; i < report::kPeaks; ++i)
        text += fmt::format("{}{} {:.0f} %", i != 0 ? ", " : "", report::kPeakNames[i],
                            100 * k.of_peak[i]);
    return text + (k.alone ? "" : "; L1, L2 and DRAM of all dispatches at the time");
}

std::string limits(const KernelTotal& k) {
    if (k.limits == std::vector<std::string>{"dispatch"})
        return k.dispatches == 1 ? fmt::format("{} in the dispatch", k.work.waves)
                                 : fmt::format("{} in {} dispatches", k.work.waves, k.dispatches);
    return fmt::format("limit: {}", fmt::join(k.limits, ", "));
}

void print_verdict(const KernelTotal& k, uint64_t cycles) {
    fmt::print(
        "  kernel        {}: {} cycles ({:.1f} % of the run), bound by {} ({:.0f} % of {})\n",
        title(k), k.busy, percent(k.busy, cycles), k.bound_by, 100 * k.share,
        k.near_peak ? "its peak" : "wave cycles");
    fmt::print("    of peak     {}\n", peaks(k));
    // Small numbers keep two digits: one wave of a dispatch on 32 units is 0.03.
    const std::string waves = fmt::format(k.waves_per_cu < 1 ? "{:.2g}" : "{:.1f}", k.waves_per_cu);
    fmt::print("    waves a CU  {} of at most {}; {}\n", waves, k.most_waves, limits(k));
}

}  // namespace

void print_verdicts(const asic::Attribution& a, const Programs& programs, uint64_t cycles,
                    size_t first) {
    const std::vector<KernelTotal> totals = report::kernel_totals(a, &programs, first);
    if (totals.empty())
        return;
    for (size_t i = 0; i < std::min(kShown, totals.size()); ++i)
        print_verdict(totals[i], cycles);
    if (totals.size() > kShown) {
        uint64_t rest = 0;
        for (size_t i = kShown; i < totals.size(); ++i)
            rest += totals[i].cycles;
        fmt::print("  kernels       {} more: {} cycles (all in --stats)\n", totals.size() - kShown,
                   rest);
    }
    const uint64_t outside = cycles - std::min(cycles, report::kernel_cycles(a, first));
    fmt::print("  no kernel     {} cycles ({:.1f} % of the run)\n", outside,
               percent(outside, cycles));
}

}  // namespace archipelago::host
