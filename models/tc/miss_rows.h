// SPDX-License-Identifier: Apache-2.0
// The rows of a cache in the timeline: one for each MSHR, with a slice from a line's request to
// its arrival.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "models/common/trace_sink.h"

namespace archipelago::tc {

class MissRows {
  public:
    void observe(const Observers& observers, const std::string& path, size_t mshrs) {
        trace_ = observers.trace;
        rows_ = observers.tracks(path + ".miss", mshrs);
    }
    bool shown() const { return trace_ != nullptr; }
    // The line of MSHR `miss`, asked for in cycle `since`, is here. `flow`: TraceSink::slice().
    void arrived(size_t miss, Cycle since, Cycle now, uint64_t flow,
                 std::string_view detail = {}) const {
        if (trace_ != nullptr)
            trace_->slice(rows_[miss], since, now, "miss", flow, detail);
    }
    // At the end of a run. since(miss): when the line that is still on its way was asked for,
    // kNever when none is.
    template <class Since>
    void finish(Cycle now, Since&& since) const {
        for (uint32_t miss = 0; miss < rows_.size(); ++miss)
            if (const Cycle asked = since(miss); asked != kNever)
                trace_->slice(rows_[miss], asked, now, "miss");
    }

  private:
    TraceSink* trace_ = nullptr;
    std::vector<TrackId> rows_;
};

}  // namespace archipelago::tc
