// SPDX-License-Identifier: Apache-2.0
// What a clock ticks, and the scheduler that ticks only what is awake. DESIGN section 3.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace archipelago {

// Cycle number of one clock domain. Integer cycles are the truth; times are derived from them.
using Cycle = uint64_t;
constexpr Cycle kNever = ~Cycle{0};

class Scheduler;

// A piece of hardware driven by one clock. tick() may be called in any cycle, also in one where
// there is nothing to do; it must then change nothing and return false.
class Clocked {
  public:
    Clocked() = default;
    Clocked(const Clocked&) = delete;
    Clocked& operator=(const Clocked&) = delete;
    virtual ~Clocked() = default;

    // Does the work of cycle `now`; returns whether anything moved. After false the object sleeps
    // until a channel it reads delivers, a channel it filled drains, or a wake_at() it asked for.
    virtual bool tick(Cycle now) = 0;

    // Asks for a tick in cycle `at`, or in the next cycle when `at` has passed.
    void wake_at(Cycle at);

    Scheduler* scheduler() const { return scheduler_; }

  private:
    friend class Scheduler;
    Scheduler* scheduler_ = nullptr;
    uint32_t index_ = 0;
};

// Ticks the awake members of one clock domain, and says when it wants to run next. Knows nothing
// of SystemC: unit tests drive it by hand, tlm::ClockDomain drives it from one SC_METHOD.
class Scheduler {
  public:
    Scheduler();
    void add(Clocked& clocked);

    // Ticks everything due in cycle `now`. `now` must not decrease.
    void step(Cycle now);

    // First cycle after the last step in which something is due, kNever when all sleep.
    Cycle next_wake() const;

    void wake(uint32_t index, Cycle at);

    // Steps until nothing is due or `limit` is reached; returns the last cycle stepped.
    Cycle run(Cycle limit);

    Cycle now() const { return now_; }
    // Cycles in which at least one member was ticked, and ticks in total: the cost of a run.
    uint64_t steps() const { return steps_; }
    uint64_t ticks() const { return ticks_; }

    // Test mode: members due in one cycle are ticked in an order drawn from `seed`.
    void shuffle(uint64_t seed) { shuffle_state_ = seed | 1; }

    // Called when a wake is asked for a cycle earlier than next_wake() said before.
    using EarlierWake = void (*)(void* context, Cycle at);
    void on_earlier_wake(EarlierWake fn, void* context) {
        earlier_ = fn;
        earlier_context_ = context;
    }

  private:
    static constexpr unsigned kHorizon = 256;  // cycles kept in the wheel; later ones in far_
    void set_bit(Cycle at, uint32_t index);
    void pull_far();
    void collect_passed(Cycle now);

    std::vector<Clocked*> members_;
    size_t words_ = 0;
    std::vector<uint64_t> wheel_;  // kHorizon rows of words_ bits
    uint64_t occupied_[kHorizon / 64] = {};
    std::vector<std::pair<Cycle, uint32_t>> far_;  // min-heap
    std::vector<Cycle> far_wake_;  // cycle last asked for per member, to keep far_ small
    std::vector<uint64_t> row_;
    std::vector<uint64_t> late_;  // members due in cycles that were skipped
    bool any_late_ = false;
    std::vector<uint32_t> order_;
    Cycle now_ = 0;
    bool started_ = false;
    bool stepping_ = false;
    Cycle announced_ = kNever;
    uint64_t steps_ = 0;
    uint64_t ticks_ = 0;
    uint64_t shuffle_state_ = 0;
    EarlierWake earlier_ = nullptr;
    void* earlier_context_ = nullptr;
};

inline void Clocked::wake_at(Cycle at) {
    if (scheduler_ != nullptr)
        scheduler_->wake(index_, at);
}

}  // namespace archipelago
