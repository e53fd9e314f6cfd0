// SPDX-License-Identifier: Apache-2.0
// The places of memory transactions in the timeline: a row of each shows how many are there. The
// time under a row's curve is the place's time in the statistics (TransactionLedger::times()).
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <initializer_list>
#include <vector>

#include "models/asic/transaction_ledger.h"
#include "models/common/trace_sink.h"
#include "tlm/clock_domain.h"

namespace archipelago::asic {

// Taps only count, so they are looked at before every step of a clock: what has passed since the
// last sample passed in the cycle that was stepped then, and at taps of that clock. `clocks`: all
// that taps count in.
class PlaceTrace {
  public:
    // All outlive this; the ledger is complete.
    PlaceTrace(const TransactionLedger& ledger, TraceSink& sink,
               std::initializer_list<tlm_shell::ClockDomain*> clocks);
    PlaceTrace(const PlaceTrace&) = delete;
    PlaceTrace& operator=(const PlaceTrace&) = delete;

    // The taps have been read from an archive that was written at `now_fs`.
    void restored(uint64_t now_fs);
    // Shows what has passed in the last step, and until when what is still under way is known.
    void finish(uint64_t now_fs);

  private:
    struct Watched {
        const CycleTap* tap;
        uint64_t seen;   // its count
        Place from, to;  // kCount: none
    };
    struct Clock {
        PlaceTrace* trace;
        uint64_t period_fs;
        std::vector<Watched> taps;
        Clock* holder;  // of the taps: the first clock of this period
    };
    void watch(tlm_shell::ClockDomain& clock, const TransactionLedger& ledger);
    static void add(std::vector<Watched>& taps, const CycleTap& tap, Place place, bool leaves);
    // Shows what has passed since `stepped_` was stepped; `next` is stepped now.
    void sample(Clock* next, uint64_t now_fs);
    void count(Clock& clock);
    void emit(size_t place, uint64_t at_fs);

    TraceSink& sink_;
    std::deque<Clock> clocks_;
    std::array<TrackId, kPlaces> rows_{};
    std::array<uint64_t, kPlaces + 1> inside_{};  // the last: outside
    std::array<uint64_t, kPlaces> shown_{};
    Clock* stepped_ = nullptr;
    uint64_t stepped_fs_ = 0;  // when
};

}  // namespace archipelago::asic
