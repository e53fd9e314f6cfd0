// SPDX-License-Identifier: Apache-2.0
// All that the scan converter keeps.
#pragma once

#include <array>
#include <cstdint>
#include <deque>

#include "models/common/clocked.h"
#include "models/common/stall_cycles.h"
#include "models/raster/quad_batch.h"
#include "models/sc/sc_spec.h"
#include "models/sc/walk.h"

namespace archipelago::sc {

// Why the walk does not go on though a primitive is there.
enum class WalkStall : uint8_t { None, TileQueue, kCount };
// Why no quads leave though a tile is there.
enum class QuadStall : uint8_t { None, RenderBackEnd, kCount };

struct ScCounters {
    uint64_t primitives = 0, empty = 0, supertiles = 0, tiles = 0, empty_tiles = 0, quads = 0,
             pixels = 0, events = 0, releases = 0, register_writes = 0;
};

struct ScState {
    // A tile's quads, or an event, the end of a draw, a release, on the way to render back ends.
    struct Leaving {
        Cycle ready = 0;
        uint8_t to = 0;      // bit n: RB n of the engine, not sent yet
        bool begun = false;  // `left` holds
        uint8_t left = 0;    // quads that have not passed
        raster::QuadBatch batch;
    };

    // The primitive that is walked.
    bool walking = false;
    bool covered = false;  // a tile of it has been
    raster::Primitive primitive;
    WalkState walk;
    std::deque<Leaving> leaving;

    // The highest Primitive::free_through of draw `free_draw` that each RB has been sent.
    uint32_t free_draw = 0;
    std::array<uint32_t, ScSpec::kRbs> free_through{};

    // The draw on the timeline, 0: none.
    uint32_t draw = 0;
    Cycle draw_begin = 0;
    StallCycles<WalkStall> walk_stall;
    StallCycles<QuadStall> quad_stall;
    Cycle busy_since = kNever;
    uint64_t busy_cycles = 0;
    ScCounters counters;
};

}  // namespace archipelago::sc
