// SPDX-License-Identifier: Apache-2.0
// Clip space: which primitives lie wholly outside, and the parts of the others that are inside.
// R6xx/R7xx document 2.1.2.
#pragma once

#include <array>
#include <cstdint>

#include "models/pa/setup_state.h"
#include "models/pa/vertex.h"

namespace archipelago::pa {

// A convex polygon; each plane adds a corner at most.
struct ClipPolygon {
    static constexpr unsigned kMax = 4 + 7 + 6 + 8;
    unsigned count = 0;
    std::array<ClipVertex, kMax> corner;
};

// A primitive's source vertices and the state that it is clipped with.
class Clipper {
  public:
    enum class Fate : uint8_t { Inside, Clip, Outside, CullDistance, UserPlane, GuardBand };

    // `count`: 1 point, 2 line, 3 triangle or rectangle.
    Clipper(const ClipState& state, const std::array<SourceVertex, 3>& source, unsigned count)
        : state_(state), source_(source), count_(count) {}

    // What happens to the primitive whose corners are `corner`, which are its vertices and the
    // fourth corner of a rectangle.
    Fate judge(const ClipPolygon& corners);
    // After Fate::Clip. False: nothing is left.
    bool clip_polygon(ClipPolygon& polygon) const;
    bool clip_line(ClipPolygon& line) const;

    // A corner with given weights of the source vertices.
    ClipVertex corner(const std::array<double, 3>& weight) const;

  private:
    // Planes by number; a corner is inside where the distance is not negative.
    static constexpr unsigned kPositiveW = 0, kNear = 1, kFar = 2, kGuardBand = 3, kUserPlane = 7,
                              kDistance = 13, kPlanes = 21;
    double distance(unsigned plane, const ClipVertex& v) const;
    double exported_distance(unsigned n, const ClipVertex& v) const;
    uint32_t outcode(const ClipVertex& v) const;
    bool culled(unsigned first, uint32_t mask, const ClipPolygon& corners) const;
    bool beyond_guard_band(const ClipPolygon& corners) const;
    ClipVertex cut(unsigned plane, const ClipVertex& in, const ClipVertex& out) const;

    const ClipState& state_;
    const std::array<SourceVertex, 3>& source_;
    unsigned count_;
    uint32_t crossed_ = 0;  // planes that a corner is outside of
};

}  // namespace archipelago::pa
