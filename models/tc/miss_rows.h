// SPDX-License-Identifier: Apache-2.0
// The rows of a cache in the timeline: one for each MSHR, with a slice from a line's request to
// its arrival.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "models/common/memory_message.h"
#include "models/common/text.h"
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
                 std::string_view detail) const {
        if (trace_ != nullptr)
            trace_->slice(rows_[miss], since, now, "miss", flow, detail);
    }
    // At the end of a run. open(miss): of the line that is still on its way.
    struct Open {
        Cycle since = kNever;  // kNever: none is
        uint64_t address = 0;  // 0: not known
    };
    template <class Fn>
    void finish(Cycle now, Fn&& open) const {
        for (uint32_t miss = 0; miss < rows_.size(); ++miss)
            if (const Open line = open(miss); line.since != kNever)
                trace_->slice(rows_[miss], line.since, now, "miss", 0,
                              line.address != 0 ? "address " + hex(line.address) : std::string());
    }
    // "address 0x1000, client vector, 2 merged". `requests`: all that the line answers, of which
    // the first sent for it.
    static std::string detail(uint64_t address, const std::string& client, uint64_t requests) {
        return "address " + hex(address) + ", client " + client + ", " +
               std::to_string(requests - std::min<uint64_t>(requests, 1)) + " merged";
    }

  private:
    TraceSink* trace_ = nullptr;
    std::vector<TrackId> rows_;
};

}  // namespace archipelago::tc
