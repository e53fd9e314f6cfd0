// SPDX-License-Identifier: Apache-2.0
// The registers of a render context as the scan converter uses them, decoded once for a context.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "models/raster/primitive.h"
#include "models/raster/register_sets.h"
#include "models/raster/sample_positions.h"
#include "models/raster/tile_owner.h"
#include "models/sc/register_map.h"

namespace archipelago::sc {

constexpr unsigned kMaxEngines = 4;

// Of the chip: a bit for each render back end that it has and that is not harvested, by
// TileOwner::number().
struct RenderBackEnds {
    uint32_t present = 0xFFFF;
};

// Pixels x0 <= x < x1, y0 <= y < y1.
struct PixelRect {
    int32_t x0 = 0, y0 = 0, x1 = 0, y1 = 0;
    bool empty() const { return x0 >= x1 || y0 >= y1; }
    bool contains(const PixelRect& o) const {
        return x0 <= o.x0 && y0 <= o.y0 && x1 >= o.x1 && y1 >= o.y1;
    }
    PixelRect cut(const PixelRect& o) const {
        return {std::max(x0, o.x0), std::max(y0, o.y0), std::min(x1, o.x1), std::min(y1, o.y1)};
    }
};

// A field of PA_SC_EDGERULE: on which edges a sample counts as inside. Horizontal edges are top or
// bottom ones, all others left or right ones.
struct EdgeRule {
    bool left = false, right = false, top = false, bottom = false;
};

struct LineStipple {
    bool enabled = false;
    uint16_t pattern = 0;  // bit 0 first
    uint16_t repeat = 1;   // pixels that a bit of the pattern lasts
    // Whether pixel n of a line is drawn.
    bool operator()(uint32_t n) const { return (pattern >> n / repeat % 16 & 1) != 0; }
};

struct ScanState {
    raster::SamplePositions samples;
    // The box of all sample positions, 1/16 pixel from the centre.
    int8_t min_x = 0, max_x = 0, min_y = 0, max_y = 0;
    // Samples that may be covered, by pixel of a quad, 16 bits each.
    uint64_t aa_mask = 0;

    std::array<PixelRect, 16> scissor;  // all scissors, by viewport
    std::array<PixelRect, 4> clip_rect;
    uint16_t clip_rule = 0xFFFF;  // bit n: pixels inside exactly the rectangles of n's bits

    EdgeRule triangle, rectangle, point;
    EdgeRule line_right, line_left, line_down, line_up;  // by the direction of drawing
    LineStipple stipple;

    bool kills_all = false;  // KILL_PIX_*: for debugging

    // By shader engine, as each has read PA_SC_RASTER_CONFIG.
    std::array<raster::TileOwners, kMaxEngines> owners;
    RenderBackEnds rbs;

    const EdgeRule& edge_rule(const raster::Primitive& primitive) const;
    raster::TileOwner owner_of(uint32_t x, uint32_t y) const {
        return owners[owners[0].at(x, y).shader_engine].at(x, y);
    }
};

// `raster_config`: PA_SC_RASTER_CONFIG by shader engine. Drivers write it for each where engines
// have lost different render back ends. Throws MachineStop for what cannot be scanned.
ScanState decode_scan_state(const RegisterMap& map, const raster::RegisterView& registers,
                            const std::array<uint32_t, kMaxEngines>& raster_config,
                            RenderBackEnds rbs);
// All engines read the same.
ScanState decode_scan_state(const RegisterMap& map, const raster::RegisterView& registers,
                            RenderBackEnds rbs);

}  // namespace archipelago::sc
