// SPDX-License-Identifier: Apache-2.0
// All that the depth block keeps, without its caches and its untimed unit.
#pragma once

#include <cstdint>
#include <deque>

#include "models/common/clocked.h"
#include "models/common/stall_cycles.h"
#include "models/raster/back_end_done.h"
#include "models/raster/quad_batch.h"

namespace archipelago::db {

// Why no batch is tested though there is one.
enum class TestStall : uint8_t {
    None,
    Htile,      // lines of HTILE are fetched
    Data,       // lines of depth and stencil are
    LateDraws,  // an earlier draw is still to be tested after its shader
    Output,     // SPI or the colour block takes nothing
    Flush,      // the caches are written back
    kCount
};

struct DbCounters {
    uint64_t early_batches = 0, late_batches = 0, quads = 0, dropped_batches = 0, z_samples = 0,
             events = 0, flushes = 0, register_writes = 0, test_cycles = 0;
};

struct DbState {
    static constexpr uint64_t kNoLine = ~uint64_t{0};
    template <class Batch>
    struct Queued {
        Batch batch;
        bool asked = false, fetched = false;  // for some, for all of its lines
        uint64_t needs = kNoLine;  // a line of HTILE that is not here and decides on the others
    };
    template <class Batch>
    struct Leaving {
        Cycle ready = 0;
        Batch batch;
    };
    // Before the shader, or after it.
    template <class Batch>
    struct Stream {
        std::deque<Queued<Batch>> waiting;
        std::deque<Leaving<Batch>> leaving;
        Cycle free = 0;  // when the next batch may begin
    };
    Stream<raster::QuadBatch> early;
    Stream<raster::ShadedBatch> late;
    // The oldest batch of a stream, which waits for its lines.
    enum class Work : uint8_t { None, Early, Late };
    Work work = Work::None;
    Cycle test_free = 0;  // when the tests take the next sample

    // Draws up to this one have batches that may be tested and written after their shader; 0: all
    // have come back.
    uint32_t late_draw = 0;
    // Samples that have passed in each stream; of the early one at each ZPASS_DONE on its way.
    uint64_t passed_early = 0, passed_late = 0;
    std::deque<uint64_t> passed_at_event;

    bool flushing = false;
    bool acting = false;  // for SURFACE_SYNC, not for an event
    raster::FlushAction action;

    // The draw on the timeline, 0: none.
    uint32_t draw = 0;
    Cycle draw_begin = 0;
    StallCycles<TestStall> stall;
    Cycle busy_since = kNever;
    uint64_t busy_cycles = 0;
    DbCounters counters;
};

}  // namespace archipelago::db
