// SPDX-License-Identifier: Apache-2.0
// Pictures of where the elements of a surface lie, for who chooses a tiling.
#pragma once

#include <cstdint>
#include <string>

#include "testbenches/host/map/surface.h"

namespace archipelago::host {

// In elements of the mapped level and slice.
struct Region {
    uint32_t x = 0;
    uint32_t y = 0;
    uint32_t width = 1;
    uint32_t height = 1;
};

// "X,Y,WIDTH,HEIGHT"; empty: as much from 0,0 on as a picture shows well. Throws
// std::invalid_argument for a region outside the surface or of more than 2^16 elements.
Region read_region(const std::string& text, const RadeonSurface& surface);

struct Picture {
    std::string svg;        // a panel each for tiling pipe, tiling bank, memory channel
    std::string conflicts;  // lines of text: what walks over the region cost
};
Picture draw_surface(const RadeonSurface& surface, const SurfaceChip& chip, const Region& region);

}  // namespace archipelago::host
