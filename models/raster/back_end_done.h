// SPDX-License-Identifier: Apache-2.0
// What a render back end says to the command processor: which events and draws have passed it, and
// that its caches are flushed. "Radeon Southern Islands Acceleration" 2.8.
#pragma once

#include <cstdint>

#include "models/raster/primitive.h"

namespace archipelago::raster {

// Colour block -> CP, in order: an event or the end of a draw. All pixels before it are in memory
// or in the caches of the render back end; what the event flushes is in memory.
struct BackEndDone {
    Primitive::Kind kind = Primitive::Kind::Event;  // or DrawEnd
    uint8_t rb = 0;
    uint8_t ring = 0, event_type = 0;  // Event
    uint8_t context = 0;
    uint32_t draw = 0;
};

// Depth block -> CP, in order: the samples of this render back end that have passed before a
// ZPASS_DONE, since the chip was reset.
struct ZpassCount {
    uint8_t rb = 0;
    uint8_t ring = 0;
    uint64_t count = 0;
};

// CP -> colour block, depth block: SURFACE_SYNC with CB_ACTION_ENA or DB_ACTION_ENA, once the work
// before it has passed. Data and metadata are written back and forgotten.
struct FlushAction {
    uint32_t tag = 0;
};
struct FlushDone {
    uint32_t tag = 0;
};

}  // namespace archipelago::raster
