// SPDX-License-Identifier: Apache-2.0
// Readings of a chip's counters: at the start and end of dispatches, and every so many cycles.
#pragma once

#include <string>
#include <vector>

#include "models/asic/attribution.h"
#include "models/common/archive.h"
#include "models/common/clocked.h"
#include "models/common/stats.h"
#include "models/cu/pipeline/wave_ledger.h"

namespace archipelago::asic {

// A reading is taken before the first tick from its cycle on: what has been counted until then does
// not depend on the order of the ticks, and cycles without a tick cost nothing.
class Sampler {
  public:
    // `interval` 0: no series. All outlive this.
    Sampler(const StatsRegistry& stats, Scheduler& clock, Cycle interval);
    Sampler(const Sampler&) = delete;
    Sampler& operator=(const Sampler&) = delete;
    // Reads the counters when a dispatch starts or ends.
    void watch(cu::WaveLedger& ledger);

    Sample read(Cycle at) const;
    // The readings of a record of the ledger; those still due are taken in cycle `now`.
    Sample before(size_t record, Cycle now) const;
    Sample after(size_t record, Cycle now) const;
    // A series of another interval than the one that was saved begins with the next cycle of its
    // own.
    void archive(Archive& a);
    // The readings of the series, with a reading in cycle `now` as the last.
    std::vector<Sample> series(Cycle now) const;

  private:
    using Values = std::vector<const uint64_t*>;
    struct CacheValues {
        Values reads, hits, merged, writes, bytes;
    };
    struct Readings {
        Sample before, after;
        bool before_due = false, after_due = false;
    };
    // A counter of a compute unit, a cache or a memory channel.
    void take_unit(const Counter& c);
    void take_memory(const Counter& c);
    static void take_cache(const Counter& c, const char* bytes_read, CacheValues& to);
    void take_l1(const Counter& c) { take_cache(c, "bytes_returned", l1_); }
    void take_l2(const Counter& c) { take_cache(c, "bytes_read", l2_); }
    static uint64_t sum(const Values& values);
    static CacheCounts sum(const CacheValues& values);
    static Cycle sample(void* self, Cycle now);
    Cycle sample(Cycle now);

    Scheduler& clock_;
    const Cycle interval_;
    Cycle next_ = kNever;  // of the series
    Values launched_, ended_, instructions_, dram_read_, dram_written_;
    CacheValues l1_, l2_;
    std::vector<Sample> series_;
    std::vector<Readings> readings_;  // by record
    std::vector<size_t> due_;         // records with a reading due
};

}  // namespace archipelago::asic
