// SPDX-License-Identifier: Apache-2.0
#include "models/asic/place_trace.h"

#include <algorithm>
#include <functional>
#include <string>

namespace archipelago::asic {

PlaceTrace::PlaceTrace(const TransactionLedger& ledger, TraceSink& sink,
                       std::initializer_list<tlm_shell::ClockDomain*> clocks)
    : sink_(sink) {
    // Taps are of two clocks: times are in femtoseconds.
    for (size_t i = 0; i < kPlaces; ++i)
        rows_[i] = sink.counter_track(std::string("transactions.") + kPlaceRows[i].name, 1);
    for (tlm_shell::ClockDomain* clock : clocks)
        watch(*clock, ledger);
}

// Taps say of which period they are, not of which clock.
void PlaceTrace::watch(tlm_shell::ClockDomain& clock, const TransactionLedger& ledger) {
    const auto same = std::find_if(clocks_.begin(), clocks_.end(), [&](const Clock& known) {
        return known.period_fs == clock.period_fs();
    });
    Clock* const holder = same != clocks_.end() ? &*same : nullptr;
    Clock& watched = clocks_.emplace_back(Clock{this, clock.period_fs(), {}, holder});
    if (holder == nullptr) {
        watched.holder = &watched;
        ledger.for_each_passage(
            [&](Place place, const CycleTap& tap, uint64_t period_fs, bool leaves) {
                if (period_fs == watched.period_fs)
                    add(watched.taps, tap, place, leaves);
            });
        // In the order in which they lie in the host's memory: each sample goes through all.
        std::sort(watched.taps.begin(), watched.taps.end(),
                  [](const Watched& a, const Watched& b) { return std::less<>()(a.tap, b.tap); });
    }
    clock.scheduler().call_before(
        0,
        [](void* context, Cycle now) {
            Clock& next = *static_cast<Clock*>(context);
            next.trace->sample(&next, now * next.period_fs);
            return now + 1;
        },
        &watched);
}

// What leaves one place enters the next at the same tap: one entry.
void PlaceTrace::add(std::vector<Watched>& taps, const CycleTap& tap, Place place, bool leaves) {
    auto known = std::find_if(taps.begin(), taps.end(), [&](const Watched& w) {
        return w.tap == &tap && (leaves ? w.from : w.to) == Place::kCount;
    });
    if (known == taps.end())
        known = taps.insert(taps.end(), {&tap, tap.count, Place::kCount, Place::kCount});
    (leaves ? known->from : known->to) = place;
}

void PlaceTrace::restored(uint64_t now_fs) {
    for (Clock& clock : clocks_)
        count(clock);
    stepped_fs_ = now_fs;
}

void PlaceTrace::finish(uint64_t now_fs) {
    sample(nullptr, now_fs);
    for (size_t i = 0; i < kPlaces; ++i)
        if (shown_[i] != 0)
            emit(i, now_fs);
}

void PlaceTrace::sample(Clock* next, uint64_t now_fs) {
    if (stepped_ != nullptr)
        count(*stepped_->holder);
    for (size_t i = 0; i < kPlaces; ++i)
        if (inside_[i] != shown_[i])
            emit(i, stepped_fs_);
    stepped_ = next;
    stepped_fs_ = now_fs;
}

void PlaceTrace::count(Clock& clock) {
    for (Watched& w : clock.taps) {
        const uint64_t passed = w.tap->count - w.seen;
        if (passed == 0)
            continue;
        w.seen += passed;
        inside_[static_cast<size_t>(w.from)] -= passed;
        inside_[static_cast<size_t>(w.to)] += passed;
    }
}

void PlaceTrace::emit(size_t place, uint64_t at_fs) {
    shown_[place] = inside_[place];
    sink_.counter(rows_[place], at_fs, inside_[place]);
}

}  // namespace archipelago::asic
