// SPDX-License-Identifier: Apache-2.0
// A vertex on its way through PA: as exported, in clip space, in the window.
#pragma once

#include <array>
#include <cstdint>

#include "models/pa/setup_state.h"
#include "models/raster/primitive.h"

namespace archipelago::pa {

// x y z w
using Vector4 = std::array<double, 4>;

// As VS exported it, finite.
struct SourceVertex {
    Vector4 position{};
    std::array<double, 8> distance{};  // clip and cull distances
    float point_size = 0;              // pixels
    bool edge = true;  // the edge from it to the next vertex is drawn in polygon mode
    uint16_t layer = 0;
    uint8_t viewport = 0;
};

// A corner of a primitive in clip space. The corner's values are the sum of the source vertices'
// values by weight.
struct ClipVertex {
    std::array<double, 3> weight{};
    Vector4 position{};
    bool edge = true;
    bool made = false;  // no source vertex: cut by a plane, or a rectangle's fourth corner
};

// In the window.
struct WindowVertex {
    raster::Point at;          // snapped, within the range of the grid
    raster::Point plane;       // snapped, for planes: beyond the range of the grid, too
    bool plane_valid = false;  // w > 0, and `plane` has enough bits
    double z = 0;
    float w = 1;
    float inverse_w = 1;  // of interpolation
    // Barycentric coordinates of the second and third parameter vertex (raster::PlaneVertex).
    float i = 0, j = 0, linear_i = 0, linear_j = 0;
};

// Twice the signed area of a triangle, in squares of 1/4096 pixel.
inline int64_t area_of(raster::Point a, raster::Point b, raster::Point c) {
    return int64_t{b.x - a.x} * (c.y - a.y) - int64_t{c.x - a.x} * (b.y - a.y);
}

// A coordinate of the window on the grid, in 1/4096 pixel: `value` and `origin` in pixels.
// Infinities saturate; NaN is not allowed.
struct Snapped {
    double exact = 0;   // not limited to the range
    int32_t value = 0;  // limited
};
Snapped snap(const SnapState& state, double value, int32_t origin);

}  // namespace archipelago::pa
