// SPDX-License-Identifier: Apache-2.0
#include "models/asic/overview_trace.h"

#include <algorithm>
#include <initializer_list>
#include <string>
#include <utility>

#include "models/asic/unit_names.h"

namespace archipelago::asic {
namespace {

struct RowText {
    const char* name;
    const char* unit;
};
constexpr std::array<RowText, OverviewTrace::kRows> kTexts{{
    {"resident waves", "waves"},
    {"instructions per cycle", "instructions/cycle"},
    {"vector ALU instructions per cycle", "instructions/cycle"},
    {"vector memory instructions per cycle", "instructions/cycle"},
    {"LDS instructions per cycle", "instructions/cycle"},
    {"L1 hit rate", "%"},
    {"L2 hit rate", "%"},
    {"L1 bandwidth", "GB/s"},
    {"L2 bandwidth", "GB/s"},
    {"DRAM bandwidth", "GB/s"},
    {"DRAM row hit rate", "%"},
    {"busy CP engines", "engines"},
}};

double percent(uint64_t part, uint64_t all) {
    return all != 0 ? 100.0 * static_cast<double>(part) / static_cast<double>(all) : 0;
}

}  // namespace

OverviewTrace::OverviewTrace(TraceSink& sink, uint64_t period_fs)
    : sink_(sink), period_fs_(period_fs) {
    for (size_t row = 0; row < kRows; ++row)
        tracks_[row] = sink.counter_track(std::string("overview.") + kTexts[row].name, period_fs,
                                          kTexts[row].unit);
}

void OverviewTrace::watch(const StatsRegistry& stats, std::vector<const Control*> engines,
                          Scheduler& clock) {
    for (const Counter& counter : stats.counters())
        take(counter);
    engines_ = std::move(engines);
    clock.call_before(
        0, [](void* self, Cycle now) { return static_cast<OverviewTrace*>(self)->sample(now); },
        this);
}

void OverviewTrace::take(const Counter& c) {
    const auto is = [&](std::initializer_list<const char*> names) {
        return std::any_of(names.begin(), names.end(),
                           [&](const char* name) { return c.name == name; });
    };
    const auto add = [&](Sum sum, std::initializer_list<const char*> names) {
        if (is(names))
            counters_[sum].push_back(c.value);
    };
    if (is_compute_unit(c.unit_path)) {
        add(kLaunched, {"waves"});
        add(kEnded, {"waves_ended"});
        add(kValu, {"valu_instructions"});
        add(kVmem, {"vmem_instructions"});
        add(kLdsOps, {"lds_instructions"});
        if (ends_with(c.name, "_instructions"))
            counters_[kAll].push_back(c.value);
    } else if (ends_with(c.unit_path, ".l1")) {
        add(kL1Read, {"reads"});
        add(kL1Hit, {"read_hits"});
        add(kL1Moved, {"bytes_returned", "bytes_written"});
    } else if (numbered(c.unit_path, "tcc")) {
        add(kL2Read, {"reads"});
        add(kL2Hit, {"read_hits"});
        add(kL2Moved, {"bytes_read", "bytes_written"});
    } else if (numbered(c.unit_path, "mc")) {
        add(kDramMoved, {"bytes_read", "bytes_written"});
        add(kColumns, {"row_hits", "row_misses", "row_conflicts"});
        add(kColumnHits, {"row_hits"});
    }
}

OverviewTrace::Sums OverviewTrace::read() const {
    Sums sums{};
    for (size_t i = 0; i < kSums; ++i)
        for (const uint64_t* value : counters_[i])
            sums[i] += *value;
    return sums;
}

void OverviewTrace::show(Row row, Cycle at, double value) {
    if (value == shown_[row])
        return;
    shown_[row] = value;
    sink_.fraction(tracks_[row], at, value);
}

void OverviewTrace::show_interval(Cycle begin, const Sums& before, const Sums& after) {
    // A reset of a block clears its counters.
    const auto grown = [&](Sum sum) {
        return after[sum] >= before[sum] ? after[sum] - before[sum] : after[sum];
    };
    const auto per_cycle = [&](Sum sum) { return static_cast<double>(grown(sum)) / kInterval; };
    const double ns = static_cast<double>(kInterval * period_fs_) * 1e-6;
    const auto bandwidth = [&](Sum sum) { return static_cast<double>(grown(sum)) / ns; };
    show(kWaves, begin, static_cast<double>(after[kLaunched] - after[kEnded]));
    show(kInstructions, begin, per_cycle(kAll));
    show(kVector, begin, per_cycle(kValu));
    show(kMemory, begin, per_cycle(kVmem));
    show(kLds, begin, per_cycle(kLdsOps));
    show(kL1Hits, begin, percent(grown(kL1Hit), grown(kL1Read)));
    show(kL2Hits, begin, percent(grown(kL2Hit), grown(kL2Read)));
    show(kL1Bytes, begin, bandwidth(kL1Moved));
    show(kL2Bytes, begin, bandwidth(kL2Moved));
    show(kDramBytes, begin, bandwidth(kDramMoved));
    show(kRowHits, begin, percent(grown(kColumnHits), grown(kColumns)));
}

// After the last tick: what is idle between two cycles does not depend on the order of ticks.
void OverviewTrace::show_engines(Cycle at) {
    const auto busy = std::count_if(engines_.begin(), engines_.end(),
                                    [](const Control* engine) { return !engine->idle(); });
    show(kEngines, at, static_cast<double>(busy));
}

// Called before each cycle with a tick: what the counters have now, ticks up to `stepped_` did.
Cycle OverviewTrace::sample(Cycle now) {
    show_engines(stepped_);
    stepped_ = now;
    if (now < begun_ + kInterval)
        return now + 1;
    const Sums sums = read();
    show_interval(begun_, last_, sums);
    if (now >= begun_ + 2 * kInterval)  // nothing was ticked after the interval
        show_interval(begun_ + kInterval, sums, sums);
    last_ = sums;
    begun_ = now / kInterval * kInterval;
    return now + 1;
}

void OverviewTrace::restored(Cycle now) {
    last_ = read();
    begun_ = now / kInterval * kInterval;
    stepped_ = now;
}

void OverviewTrace::finish(Cycle now) {
    sample(now);
    if (begun_ >= now)
        return;
    const Sums sums = read();
    show_interval(begun_, last_, sums);
}

}  // namespace archipelago::asic
