// SPDX-License-Identifier: Apache-2.0
// One primitive from its vertices' exports to what the scan converter covers: clipped, projected,
// snapped, culled, with the planes of depth and interpolation. Untimed: the timed core and the
// functional mode both call it. R6xx/R7xx document 2.1.2, 2.1.3.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/common/pipe_message.h"
#include "models/gcn/draw_message.h"
#include "models/pa/clipper.h"
#include "models/pa/positions.h"
#include "models/pa/setup_state.h"
#include "models/pa/vertex.h"
#include "models/raster/primitive.h"

namespace archipelago::pa {

// Pipeline statistics, while they are counted (PIPELINESTAT_START, _STOP).
struct PipelineCounts {
    bool counting = false;
    uint64_t invocations = 0;  // C_INVOCATIONS: primitives that came
    uint64_t primitives = 0;   // C_PRIMITIVES: primitives and pieces that the clipper passed on
};

struct SetupCounters {
    PipelineCounts pipeline;
    uint64_t in = 0;       // primitives of VGT
    uint64_t out = 0;      // to the scan converter
    uint64_t clipped = 0;  // of those that came, cut by a plane
    // Dropped, by reason.
    uint64_t rasterization_kill = 0, bad_position = 0, cull_distance = 0, user_plane = 0,
             guard_band = 0, outside = 0, front_face = 0, back_face = 0, zero_area = 0;
};

void fill(const PipelineCounts& counts, SampleCounts& sample);
// Pipeline statistics run from PIPELINESTAT_START to _STOP.
void count_by_event(const RegisterMap& map, uint8_t event_type, PipelineCounts& counts);

class PrimitiveSetup {
  public:
    // Appends what is left of the primitive of `message` to `out`. Throws MachineStop(BadInput) for
    // vertices without the exports that the registers ask for.
    void setup(const SetupState& state, const PrimitiveMessage& message, const Positions& positions,
               std::vector<raster::Primitive>& out, SetupCounters& counters);
    // Appends an event or the end of a draw.
    void pass(const PrimitiveMessage& message, std::vector<raster::Primitive>& out);
    // As Primitive::free_through, of the draw at work: what later primitives tell, or the caller by
    // Kind::Release when none comes for long.
    uint32_t free_through() const { return free_through_; }

    void reset() { *this = PrimitiveSetup(); }
    template <class Archive>
    void archive(Archive& a) {
        a(draw_, free_through_, number_, stipple_);
    }

  private:
    class Job;  // a primitive at work

    uint32_t draw_ = 0;
    uint32_t free_through_ = 0;
    uint32_t number_ = 0;   // of the next primitive of the draw
    uint32_t stipple_ = 0;  // pixels of lines so far, for the pattern
    // Of the primitive at work; here, for they are large.
    ClipPolygon polygon_;                                   // or line, or point
    std::array<WindowVertex, ClipPolygon::kMax> corner_{};  // its corners in the window
    std::array<WindowVertex, 3> unclipped_{};
};

}  // namespace archipelago::pa
