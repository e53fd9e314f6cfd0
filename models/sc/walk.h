// SPDX-License-Identifier: Apache-2.0
// The walk over the tiles of a primitive: edge setup, supertiles of 8 x 8 tiles, tiles, coverage of
// the 64 pixels of a tile. One visit at a time, all state in values: functional mode makes the
// visits in a loop, the timed scan converter so many in a cycle, its Verilog twin one in a clock.
//
//   begin(walk, state, primitive);
//   while ((v = visit(walk, state, tile)) != Visit::End)
//       if (v == Visit::Covered) ...tile
//
// How many bits: a corner is within +-2^29 (1/4096 pixel: 2^15 pixels of the window, 2^13 of the
// screen offset, three times that for the fourth corner of a rectangle, a line's or point's width),
// so sides are below 2^30 and products of a side and a corner below 2^60: 64 bits hold a sum of
// four. From setup on, edge functions are in units of 1/16 pixel x 1/4096 pixel: 2^30 x 2^19, plus
// a constant below 2^54.
#pragma once

#include <array>
#include <cstdint>

#include "models/raster/primitive.h"
#include "models/sc/scan_state.h"

namespace archipelago::sc {

constexpr int kTilePixels = 8;
constexpr int kSupertileTiles = 8;  // a side; model's choice, DECISIONS.md

// A sample at (x, y), in 1/16 pixel from the window's origin, is inside where
// a * x + b * y + c >= 0. Ties are in c: it is one less where the fill rule excludes the edge.
struct Edge {
    int64_t a = 0, b = 0, c = 0;
    int64_t at(int64_t x, int64_t y) const { return a * x + b * y + c; }
};

struct WalkState {
    static constexpr unsigned kEdges = 4;

    uint8_t edges = 0;
    std::array<Edge, kEdges> edge{};
    PixelRect bounds;  // of the primitive, cut by the scissors; empty: the walk has ended
    // Stippled lines: their first pixel on the major axis, and how many pixels of the pattern came
    // before it.
    bool stippled = false, x_major = false, descending = false;
    int32_t line_start = 0;
    uint32_t stipple_start = 0;

    // Next supertile, in supertiles; and inside it the next tile, in tiles.
    int32_t super_x = 0, super_y = 0;
    bool in_supertile = false;
    uint8_t crossing = 0;  // bit n: edge n does not contain all of the supertile
    int32_t tile_x = 0, tile_y = 0;
    PixelRect tiles;  // of the supertile, cut by the bounds, in tiles

    bool ended() const { return bounds.empty(); }
};

// Covered samples of a tile. Lane of a pixel: 4 * quad + 2 * (y & 1) + (x & 1), quads in rows.
struct TileCoverage {
    static constexpr unsigned kLanes = 64;
    uint16_t x = 0, y = 0;  // of its upper left pixel
    raster::TileOwner owner;
    // Bit n of covered[s]: sample s of lane n. All samples are covered alike where `alike`, and
    // covered[0] has them.
    bool alike = true;
    std::array<uint64_t, raster::kMaxSamples> covered{};
};

enum class Visit : uint8_t {
    End,        // nothing is left
    Supertile,  // no tile of a supertile can be covered
    Empty,      // a tile without a covered sample
    Covered,
};

// Which shader engine's tiles are visited; the others cost no visit.
constexpr uint8_t kAllEngines = 0xFF;

// False: no sample is covered.
bool begin(WalkState& walk, const ScanState& state, const raster::Primitive& primitive);
// Throws MachineStop when a tile belongs to a render back end that is not present.
Visit visit(WalkState& walk, const ScanState& state, TileCoverage& tile,
            uint8_t engine = kAllEngines);

}  // namespace archipelago::sc
