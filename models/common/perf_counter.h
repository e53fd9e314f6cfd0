// SPDX-License-Identifier: Apache-2.0
// A performance counter as registers show it: counts what one of the model's counters counts while
// it is let run. The model's counters go on by themselves; this one remembers where they stood when
// it started, so that counting costs nothing.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "models/common/clocked.h"

namespace archipelago {

// What a counter can count: the sum of some of the model's counters less that of others, cycles, or
// what none of the model's counters has.
struct PerfEvent {
    bool cycles = false;
    std::vector<const uint64_t*> counters{}, less{};
    std::function<uint64_t(Cycle now)> other{};
    uint64_t total(Cycle now) const {
        uint64_t sum = cycles ? now : 0;
        for (const uint64_t* counter : counters)
            sum += *counter;
        for (const uint64_t* counter : less)
            sum -= *counter;
        return other ? sum + other(now) : sum;
    }
};

class PerfCounter {
  public:
    // Counts `event` from now on, which outlives this; null counts nothing. The count is kept.
    void select(Cycle now, const PerfEvent* event) {
        const bool runs = running_;
        stop(now);
        event_ = event;
        if (runs)
            start(now);
    }
    // The event that a counter read from a checkpoint counted.
    void recall(const PerfEvent* event) { event_ = event; }
    void start(Cycle now) {
        if (running_)
            return;
        running_ = true;
        base_ = event_ != nullptr ? event_->total(now) : 0;
    }
    void stop(Cycle now) {
        count_ = value(now);
        running_ = false;
    }
    void reset() {
        count_ = 0;
        running_ = false;
    }
    // The count goes on from `count`.
    void load(Cycle now, uint64_t count) {
        count_ = count;
        base_ = event_ != nullptr ? event_->total(now) : 0;
    }
    // What a further source, which is not a counter of the model, has counted.
    void add(uint64_t n) {
        if (running_)
            count_ += n;
    }
    uint64_t value(Cycle now) const {
        return count_ + (running_ && event_ != nullptr ? event_->total(now) - base_ : 0);
    }
    bool running() const { return running_; }
    template <class Archive>
    void archive(Archive& a) {
        a(running_, count_, base_);
    }

  private:
    const PerfEvent* event_ = nullptr;
    bool running_ = false;
    uint64_t count_ = 0;
    uint64_t base_ = 0;
};

}  // namespace archipelago
