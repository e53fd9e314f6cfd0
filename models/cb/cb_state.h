// SPDX-License-Identifier: Apache-2.0
// All that the colour block keeps, without its caches.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "models/common/clocked.h"
#include "models/common/stall_cycles.h"
#include "models/raster/back_end_done.h"
#include "models/raster/pixel_cache.h"
#include "models/raster/quad_batch.h"

namespace archipelago::cb {

// Why no quads are written though there are some.
enum class WriteStall : uint8_t { None, Metadata, Data, Flush, kCount };

struct CbCounters {
    uint64_t batches = 0, quads = 0, pixels = 0, blended_pixels = 0, accesses = 0, bytes = 0,
             events = 0, flushes = 0, register_writes = 0, pipe_cycles = 0;
};

struct CbState {
    // How far the quads of the oldest batch are.
    enum class Phase : uint8_t {
        Probe,     // their lines are not known
        Metadata,  // waits for lines of CMASK and FMASK
        Data,      // waits for lines of pixels
    };
    struct Batch {
        raster::ShadedBatch shaded;
        // Lines that it will touch, of all its quads; `known`: the metadata they follow from were
        // here.
        std::vector<raster::PixelTouch> data, metadata;
        bool known = false, fetched = false, counted = false;
    };

    std::deque<Batch> batches;  // oldest first
    // Quads `first` to `end` of the oldest batch are in work; they touch these lines.
    Phase phase = Phase::Probe;
    unsigned first = 0, end = 0;
    std::vector<raster::PixelTouch> data, metadata;
    bool known = false;    // as of a batch
    Cycle pipe_free = 0;   // the pipe takes the next quad
    Cycle pipe_empty = 0;  // the last quad has left it

    bool event_flush = false;  // of the event that is the oldest batch, begun
    bool sync_flush = false;   // of SURFACE_SYNC, begun
    raster::FlushAction sync;

    // The draw on the timeline, 0: none.
    uint32_t draw = 0;
    Cycle draw_begin = 0;
    StallCycles<WriteStall> stall;
    Cycle busy_since = kNever;
    uint64_t busy_cycles = 0;
    CbCounters counters;
};

}  // namespace archipelago::cb
