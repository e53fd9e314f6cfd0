// SPDX-License-Identifier: Apache-2.0
// All mutable data of the primitive assemblers besides the untimed set-up.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "models/common/stall_cycles.h"
#include "models/gcn/draw_message.h"
#include "models/pa/pa_spec.h"
#include "models/pa/positions.h"
#include "models/pa/primitive_setup.h"
#include "models/raster/primitive.h"

namespace archipelago::pa {

// To the scan converters whose bit is set.
struct Departure {
    raster::Primitive primitive;
    uint8_t engines = 0;
};

// A primitive, event or end of a draw of VGT, until all that is made of it has left.
struct Entry {
    bool primitive = false;
    uint8_t engine = 0;    // that sets it up
    uint32_t set_ups = 0;  // left of its pieces
    Cycle ready = kNever;  // to leave
    std::vector<Departure> departures{};
    uint32_t next = 0;  // of departures
};

enum class PaStall : uint8_t { None, Positions, Engine, ScanConverter, kCount };

struct PaCounters {
    SetupCounters setup;
    uint64_t vertices = 0, events = 0, draws = 0, releases = 0, freed = 0, register_writes = 0;
    std::array<uint64_t, PaSpec::kMaxEngines> sent{};  // to each scan converter
    uint64_t busy_cycles = 0;
};

struct PaState {
    Positions positions;
    std::deque<Entry> entries{};  // in VGT's order
    uint64_t first = 0;           // number of the first entry
    // By engine: numbers of the entries to set up; entries that it has, those set up included.
    std::array<std::deque<uint64_t>, PaSpec::kMaxEngines> to_set_up{};
    std::array<uint32_t, PaSpec::kMaxEngines> held{};
    std::deque<ExportFree> to_free{};
    std::deque<PipelineCounts> sampled{};  // at SAMPLE_PIPELINESTAT events
    uint32_t ended_through = 0;  // draws that have ended: their waves have no more primitives
    uint32_t leaving = 0;        // draw whose primitives are leaving, and since when
    Cycle leaving_since = 0;
    StallCycles<PaStall> stalls;
    Cycle busy_since = kNever;
    PaCounters counters{};
};

}  // namespace archipelago::pa
