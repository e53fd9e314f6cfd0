// SPDX-License-Identifier: Apache-2.0
// A cache that may be the core or a block on pins, as a chip sees it.
#pragma once

#include <string>

#include "models/common/stats.h"
#include "models/common/trace_sink.h"
#include "models/common/unit.h"

namespace archipelago::tc {

class CacheUnit : public Unit {
  public:
    // warming.h. A twin stops the machine by name.
    virtual void archive_lines(Archive& a) = 0;

    virtual void register_stats(StatsRegistry& registry, const std::string& path) const = 0;
    // One timeline row per MSHR: a slice from a miss to its fill.
    virtual void observe(const Observers& observers, const std::string& path) = 0;
    // Reports the slices that are still open as if these ended now.
    virtual void finish_trace(Cycle now) const = 0;
};

}  // namespace archipelago::tc
