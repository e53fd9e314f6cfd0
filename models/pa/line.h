// SPDX-License-Identifier: Apache-2.0
// A line between two points of the window as the polygon that it covers.
#pragma once

#include <array>
#include <cstdint>

#include "models/pa/setup_state.h"
#include "models/raster/primitive.h"

namespace archipelago::pa {

struct LineShape {
    std::array<raster::Point, 4> corner{};
    raster::Point side;  // from its middle to a long side: across it, values do not change
    bool x_major = false, descending = false;
    uint32_t pixels = 0;  // whose centres it passes along its major axis
};

// False: it covers nothing.
bool shape_line(const SetupState& state, raster::Point from, raster::Point to, LineShape& out);

}  // namespace archipelago::pa
