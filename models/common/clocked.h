// SPDX-License-Identifier: Apache-2.0
// Clocked objects, and the scheduler that ticks only those that are awake.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace archipelago {

// Cycle number of one clock domain. Integer cycles are the truth; times are derived from them.
using Cycle = uint64_t;
constexpr Cycle kNever = ~Cycle{0};

class Archive;
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
    // until a channel it reads delivers, a channel it filled drains, or the cycle of a wake_at().
    virtual bool tick(Cycle now) = 0;

    // Schedules a tick in cycle `at`, or in the next cycle when `at` has passed.
    void wake_at(Cycle at);

    Scheduler* scheduler() const { return scheduler_; }

  private:
    friend class Scheduler;
    Scheduler* scheduler_ = nullptr;
    // Where the scheduler keeps in which cycles this is due: a word per place in its wheel.
    uint64_t* due_ = nullptr;
    uint64_t bit_ = 0;
    uint64_t word_ = 0;
    uint32_t index_ = 0;
};

// Ticks the awake members of one clock domain, and says when it wants to run next. Knows nothing
// of SystemC: unit tests drive it by hand, tlm::ClockDomain drives it from one SC_METHOD.
class Scheduler {
  public:
    Scheduler();
    void add(Clocked& clocked);
    // From now on `by` is ticked whenever `member` is due. A second call with `member` itself as
    // `by` undoes that. Call it between two steps only.
    void replace(const Clocked& member, Clocked& by);

    // Ticks everything due in cycle `now`. `now` must not decrease.
    void step(Cycle now);
    // As step() of a cycle that next_wake() has returned since the last step, without its search.
    void step_on(Cycle now);

    // First cycle after the last step in which something is due, kNever when all sleep.
    Cycle next_wake() const {
        // Mostly one of the next cycles, whose bits are in one word.
        const size_t slot = earliest_ % kHorizon;
        const uint64_t bits = occupied_[slot / 64] >> (slot % 64);
        return bits != 0 ? earliest_ + static_cast<Cycle>(__builtin_ctzll(bits)) : look_for_wake();
    }

    // Schedules a tick of an added member.
    void wake(const Clocked& member, Cycle at) {
        if (at < earliest_)
            at = earliest_;
        // Nearly all wakes come from the member being ticked, for one of the next cycles.
        if (at < near_)
            set_bit(at, member);
        else
            wake_otherwise(member, at);
    }

    // Steps until nothing is due or `limit` is reached; returns the last cycle stepped.
    Cycle run(Cycle limit);

    // In which cycles members are due. Call it between two steps; reading, with the same members
    // added in the same order.
    void archive(Archive& a);
    // Makes every member due in the next cycle, after a change from outside.
    void wake_all();

    Cycle now() const { return now_; }
    // Cycles in which at least one member was ticked, and ticks in total: the cost of a run.
    uint64_t steps() const { return steps_; }
    uint64_t ticks() const { return ticks_; }

    // Test mode: members due in one cycle are ticked in an order drawn from `seed`.
    void shuffle(uint64_t seed) { shuffle_state_ = seed | 1; }

    // Called when a wake is scheduled for a cycle earlier than next_wake() said before.
    using EarlierWake = void (*)(void* context, Cycle at);
    void on_earlier_wake(EarlierWake fn, void* context) {
        earlier_ = fn;
        earlier_context_ = context;
    }

    // Calls `fn` before the first tick in a cycle from `at` on; it returns from which cycle on it
    // is called again. For observers: it must schedule nothing.
    using BeforeTick = Cycle (*)(void* context, Cycle now);
    void call_before(Cycle at, BeforeTick fn, void* context);
    // The observer of this context is called at `at` when that is sooner than it has asked for.
    void call_before(Cycle at, const void* context);

  private:
    static constexpr unsigned kHorizon = 256;  // cycles kept in the wheel; later ones in far_
    void set_bit(Cycle at, const Clocked& member) {
        const size_t slot = at % kHorizon;
        member.due_[slot] |= member.bit_;
        words_due_[slot] |= member.word_;
        occupied_[slot / 64] |= uint64_t{1} << (slot % 64);
    }
    void wake_otherwise(const Clocked& member, Cycle at);
    void wake_far(uint32_t index, Cycle at);
    void place_members();
    void announce(Cycle at);
    void group_members();
    struct Due {
        uint32_t member = 0;
        Cycle at = 0;
    };
    std::vector<Due> all_due() const;
    void pull_far();
    void collect_passed(Cycle now);
    static constexpr uint64_t word_bit(size_t word) {
        return uint64_t{1} << (word < 63 ? word : 63);
    }
    void tick_row(Cycle now);
    void call_observers(Cycle now);
    bool tick_only_one(Cycle now, uint64_t words);
    void tick_words(Cycle now, uint64_t words);
    uint64_t tick_word(Cycle now, size_t word);
    void tick_shuffled(Cycle now, uint64_t* row);
    Cycle look_for_wake() const;

    // What wake() and set_bit() need comes first: they run several times per tick.
    Cycle now_ = 0;
    Cycle earliest_ = 0;  // not stepped yet: a wake for an earlier cycle means this one
    Cycle near_ = 0;      // while stepping the first cycle that the wheel does not hold, else 0
    uint64_t occupied_[kHorizon / 64] = {};
    Cycle announced_ = kNever;
    Cycle before_at_ = kNever;  // of the observer that is called next
    size_t words_ = 0;
    std::vector<Clocked*> members_;
    std::vector<uint64_t> wheel_;  // a bit per member: kHorizon words for the first 64, and so on
    // Of each cycle which words have bits: of the first 63 one by one, the last bit for all others.
    std::array<uint64_t, kHorizon> words_due_{};
    std::vector<std::pair<Cycle, uint32_t>> far_;  // min-heap
    std::vector<Cycle> far_wake_;  // last cycle scheduled per member, to keep far_ small
    std::vector<uint64_t> late_;   // members due in cycles that were skipped
    bool any_late_ = false;
    std::vector<uint32_t> order_;
    uint64_t steps_ = 0;
    uint64_t ticks_ = 0;
    uint64_t shuffle_state_ = 0;
    struct Observer {
        Cycle at;
        BeforeTick call;
        void* context;
    };
    std::vector<Observer> observers_;
    EarlierWake earlier_ = nullptr;
    void* earlier_context_ = nullptr;
};

inline void Clocked::wake_at(Cycle at) {
    if (scheduler_ != nullptr)
        scheduler_->wake(*this, at);
}

}  // namespace archipelago
