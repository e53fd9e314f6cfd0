// SPDX-License-Identifier: Apache-2.0
// A TraceSink that passes on a part of what is reported: some rows, some cycles.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "models/common/trace_sink.h"

namespace archipelago::report {

// What of a timeline is wanted.
struct TraceChoice {
    // Cycles of a clock with this period: slices that overlap [first, end) are passed on whole.
    uint64_t period_fs = 1;
    Cycle first = 0;
    Cycle end = kNever;
    // Rows and all below them; shell patterns such as "se0.sh0.cu[01]", in which * also stands for
    // dots. None: all rows.
    std::vector<std::string> units;
};

class TraceSelection : public TraceSink {
  public:
    // `to` must outlive this.
    TraceSelection(TraceSink& to, TraceChoice choice);

    TrackId track(const std::string& path, uint64_t period_fs) override;
    void slice(TrackId track, Cycle begin, Cycle end, std::string_view name, uint64_t flow = 0,
               std::string_view detail = {}) override;
    void instant(TrackId track, Cycle at, std::string_view name, uint64_t flow = 0) override;
    void end_of_run() override { to_.end_of_run(); }
    TrackId counter_track(const std::string& path, uint64_t period_fs,
                          std::string_view unit = {}) override;
    // A counter begins in the window with the value it has then.
    void counter(TrackId track, Cycle at, uint64_t value) override;
    void fraction(TrackId track, Cycle at, double value) override;

    // The units of the choice that name none of the rows asked for so far.
    std::vector<std::string> unknown_units() const;
    // Names of rows and of what they are in, each once, in the order in which they were asked for.
    std::vector<std::string> known_units() const;

  private:
    struct Row {
        TrackId to = 0;
        bool wanted = false;
        // The window in cycles of the row's clock: a slice that ends after `before` and begins
        // before `end` overlaps it, an event from `first` on and before `end` is in it.
        Cycle before = 0, first = 0, end = kNever;
        bool fraction = false;
        bool waits = false;  // a value from before the window, not yet passed on
        uint64_t value = 0;
        double share = 0;
    };
    bool wants(const std::string& path) const;
    TrackId add(const std::string& path, uint64_t period_fs, bool counts, std::string_view unit);
    // Whether the row's number at `at` is passed on; the one from before the window then has been.
    bool passes(Row& row, Cycle at);
    void pass_earlier(Row& row);

    TraceSink& to_;
    const TraceChoice choice_;
    std::vector<Row> rows_;
    std::vector<std::string> paths_;
};

}  // namespace archipelago::report
