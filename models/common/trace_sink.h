// SPDX-License-Identifier: Apache-2.0
// Where blocks report the slices, instants and flows of the timeline; null: not observed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "models/common/clocked.h"
#include "models/common/programs.h"

namespace archipelago {

using TrackId = uint32_t;

// Why a transaction did not move: every cycle of its life carries one of these.
enum class WaitReason : uint8_t { Work, Queue, Resource, Data, Dependency };

class TraceSink {
  public:
    virtual ~TraceSink() = default;
    // A row of the timeline, "cp.me" or "se0.sh0.cu2.simd1.slot3"; cycles given to it are of a
    // clock with this period.
    virtual TrackId track(const std::string& path, uint64_t period_fs) = 0;
    // Something that lasted from `begin` to `end` (exclusive) on a row. `flow` other than 0 draws
    // an arrow between the slices that carry the same number.
    virtual void slice(TrackId track, Cycle begin, Cycle end, std::string_view name,
                       uint64_t flow = 0, std::string_view detail = {}) = 0;
    virtual void instant(TrackId track, Cycle at, std::string_view name, uint64_t flow = 0) = 0;
    // The run has ended: slices reported from now on are of what was still open then, up to where
    // it got. A sink says so with each.
    virtual void end_of_run() {}
    // A row that shows a number over time, in `unit`, and that it is `value` from `at` on. A sink
    // that draws no numbers leaves these as they are.
    virtual TrackId counter_track(const std::string& /*path*/, uint64_t /*period_fs*/,
                                  std::string_view /*unit*/ = {}) {
        return 0;
    }
    virtual void counter(TrackId /*track*/, Cycle /*at*/, uint64_t /*value*/) {}
    virtual void fraction(TrackId /*track*/, Cycle /*at*/, double /*value*/) {}

    // Who knows the programs that the chip executes, and outlives the run; null, as at first:
    // nobody.
    void use_programs(const Programs* programs) { programs_ = programs; }
    const Programs* programs() const { return programs_; }
    // The name of the program whose first instruction is at this address; empty: not known.
    std::string program_name(uint64_t program) const {
        return programs_ != nullptr ? programs_->name(program) : std::string();
    }

  private:
    const Programs* programs_ = nullptr;
};

enum class LogCategory : uint8_t { Pm4, Isa, Dma, Reg, Mem, kCount };

// Text logs; callers check enabled() before they format a line.
class LogSink {
  public:
    virtual ~LogSink() = default;
    bool enabled(LogCategory c) const { return (mask_ >> static_cast<unsigned>(c) & 1) != 0; }
    virtual void line(LogCategory category, Cycle at, std::string_view unit,
                      std::string_view text) = 0;

  protected:
    uint32_t mask_ = 0;
};

// What a core may report to; both may be null.
struct Observers {
    TraceSink* trace = nullptr;
    LogSink* log = nullptr;
    uint64_t period_fs = 0;

    // A row of the timeline, if there is one.
    TrackId track(const std::string& path) const {
        return trace != nullptr ? trace->track(path, period_fs) : 0;
    }
    // `count` rows whose names end in their number.
    std::vector<TrackId> tracks(const std::string& path, size_t count) const {
        std::vector<TrackId> rows(count);
        for (size_t i = 0; i < count; ++i)
            rows[i] = track(path + std::to_string(i));
        return rows;
    }
};

}  // namespace archipelago
