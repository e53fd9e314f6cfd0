// SPDX-License-Identifier: Apache-2.0
// From clip space to the window: perspective division, viewport, fixed-point grid; planes over the
// window.
#pragma once

#include <array>
#include <cstdint>

#include "models/pa/setup_state.h"
#include "models/pa/vertex.h"
#include "models/raster/primitive.h"

namespace archipelago::pa {

// Parameter vertices of a primitive: source vertex `source[n]` is parameter vertex n, the first of
// which gives flat attributes.
struct ParameterOrder {
    unsigned count = 3;
    std::array<uint8_t, 3> source{0, 1, 2};
    ParameterOrder(unsigned vertices, bool provoking_last);
};

// False: a coordinate is not a number, or is infinite and PA_CL_NANINF_CNTL discards it.
// `source_w`: of the source vertices, for linear weights.
bool to_window(const SetupState& state, const ClipVertex& v, const std::array<double, 3>& source_w,
               const ParameterOrder& order, unsigned viewport, WindowVertex& out);

// The plane through z at three points; level when they lie in a line.
raster::DepthPlane depth_plane(const std::array<const WindowVertex*, 3>& v);

// Window z added by polygon offset to a primitive with this plane and largest |z|.
double polygon_offset(const SetupState& state, const PolygonOffset& offset,
                      const raster::DepthPlane& plane, double largest_z);

}  // namespace archipelago::pa
