// SPDX-License-Identifier: Apache-2.0
// Stall cycles of a unit by reason. Counted by cycle numbers, because a unit without progress is
// not ticked: a stall still in progress when a statistic is read is not in it yet.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "models/common/clocked.h"

namespace archipelago {

// Stall cycles for each reason. `Reason` is an enum class with None, which is not counted, and
// kCount.
template <class Reason>
class StallCycles {
  public:
    // From cycle `now` on the unit stalls for this reason, or not (None). `now` must not decrease.
    void note(Cycle now, Reason reason) {
        if (reason != reason_)
            change(now, reason);
    }
    Reason reason() const { return reason_; }
    Cycle since() const { return since_; }  // first cycle of the stall for reason()
    template <class Archive>
    void archive(Archive& a) {
        a(reason_, since_, cycles_);
    }
    // Where the cycles of a reason are counted.
    const uint64_t* counter(Reason reason) const { return &cycles_[static_cast<size_t>(reason)]; }

  private:
    void change(Cycle now, Reason reason) {
        if (reason_ != Reason::None)
            cycles_[static_cast<size_t>(reason_)] += now - since_;
        reason_ = reason;
        since_ = now;
    }

    Reason reason_ = Reason::None;
    Cycle since_ = 0;
    std::array<uint64_t, static_cast<size_t>(Reason::kCount)> cycles_{};
};

// For a unit with one reason to stall. `since` is the first cycle of the stall, kNever while there
// is none; the length of a stall, in cycles, is added to `counter` when it ends.
inline void note_stall(bool stalled, Cycle now, Cycle& since, uint64_t& counter) {
    if (stalled && since == kNever) {
        since = now;
    } else if (!stalled && since != kNever) {
        counter += now - since;
        since = kNever;
    }
}

}  // namespace archipelago
