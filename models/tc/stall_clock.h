// SPDX-License-Identifier: Apache-2.0
// Cycles lost by reason, taken as differences of cycle numbers: a stalled core sleeps.
#pragma once

#include <array>
#include <cstdint>

#include "models/common/clocked.h"

namespace archipelago::tc {

// Reason is an enum class whose last member is kCount. A stall is booked when it ends or its
// reason changes.
template <class Reason>
struct StallClock {
    static constexpr size_t kReasons = static_cast<size_t>(Reason::kCount);
    Reason reason = Reason::kCount;
    Cycle since = 0;
    std::array<uint64_t, kReasons> cycles{};

    // kCount: it does not.
    void stalled(Cycle now, Reason why) {
        if (why == reason)
            return;
        moved(now);
        reason = why;
        since = now;
    }
    void moved(Cycle now) {
        if (reason == Reason::kCount)
            return;
        cycles[static_cast<size_t>(reason)] += now - since;
        reason = Reason::kCount;
    }
    const uint64_t* counter(Reason why) const { return &cycles[static_cast<size_t>(why)]; }
};

}  // namespace archipelago::tc
