// SPDX-License-Identifier: Apache-2.0
// The first rows of the timeline: the chip as a whole over time. Waves, instructions, hit rates and
// bandwidth are means of kInterval cycles, taken from counters; busy engines are counted cycle by
// cycle.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/common/clocked.h"
#include "models/common/control.h"
#include "models/common/stats.h"
#include "models/common/trace_sink.h"

namespace archipelago::asic {

class OverviewTrace {
  public:
    static constexpr Cycle kInterval = 128;  // cycles of the engine clock
    enum Row : unsigned {
        kWaves,
        kInstructions,
        kVector,
        kMemory,
        kLds,
        kL1Hits,
        kL2Hits,
        kL1Bytes,
        kL2Bytes,
        kDramBytes,
        kRowHits,
        kEngines,
        kRows,
    };

    // Declares the rows, before any other of the chip.
    OverviewTrace(TraceSink& sink, uint64_t period_fs);
    OverviewTrace(const OverviewTrace&) = delete;
    OverviewTrace& operator=(const OverviewTrace&) = delete;
    // The counters of the chip, and the command processor's engines. All outlive this; `clock` is
    // that of `period_fs`.
    void watch(const StatsRegistry& stats, std::vector<const Control*> engines, Scheduler& clock);
    // The counters have been read from an archive; `now` is the next cycle.
    void restored(Cycle now);
    // The run has ended before cycle `now`.
    void finish(Cycle now);

  private:
    // Sums of counters, two where a row is a ratio of them.
    enum Sum : unsigned {
        kLaunched,
        kEnded,
        kAll,
        kValu,
        kVmem,
        kLdsOps,
        kL1Read,
        kL1Hit,
        kL2Read,
        kL2Hit,
        kL1Moved,
        kL2Moved,
        kDramMoved,
        kColumns,
        kColumnHits,
        kSums,
    };
    using Sums = std::array<uint64_t, kSums>;

    void take(const Counter& counter);
    Sums read() const;
    void show_interval(Cycle begin, const Sums& before, const Sums& after);
    void show(Row row, Cycle at, double value);
    void show_engines(Cycle at);
    Cycle sample(Cycle now);

    TraceSink& sink_;
    const uint64_t period_fs_;
    std::array<TrackId, kRows> tracks_{};
    std::array<double, kRows> shown_{};
    std::array<std::vector<const uint64_t*>, kSums> counters_;
    std::vector<const Control*> engines_;
    Sums last_{};
    Cycle begun_ = 0;    // of the interval
    Cycle stepped_ = 0;  // the last cycle that was ticked
};

}  // namespace archipelago::asic
