// SPDX-License-Identifier: Apache-2.0
#include "models/sc/walk.h"

#include <algorithm>
#include <string>

#include "models/common/error.h"
#include "models/common/invariant.h"
#include "models/raster/quad_batch.h"

namespace archipelago::sc {
namespace {

using raster::Point;
using raster::Primitive;

constexpr int kSupertilePixels = kSupertileTiles * kTilePixels;
constexpr int kSampleUnits = raster::SamplePositions::kUnits;  // in a pixel
constexpr int kUnits = raster::kSubpixels / kSampleUnits;      // 1/4096 pixel in 1/16 pixel
constexpr int kCentre = kSampleUnits / 2;  // from a pixel's corner to its centre
constexpr int32_t kFarthest = 1 << 29;     // of a corner
constexpr uint64_t kAllLanes = ~uint64_t{0};

// Divisions of coordinates, rounded down and up.
constexpr unsigned kUnitsShift = 8, kSampleShift = 4, kPixelShift = kUnitsShift + kSampleShift;
static_assert(kUnits == 1 << kUnitsShift && kSampleUnits == 1 << kSampleShift);
constexpr int32_t floor_shift(int32_t value, unsigned by) {
    return value >> by;
}
constexpr int32_t ceil_shift(int32_t value, unsigned by) {
    return -(-value >> by);
}

struct Box {
    Point low, high;
};
Box box_of(const Primitive& p) {
    Box box = {p.corner[0], p.corner[0]};
    for (unsigned i = 1; i < p.corners; ++i) {
        const Point& c = p.corner[i];
        box.low = {std::min(box.low.x, c.x), std::min(box.low.y, c.y)};
        box.high = {std::max(box.high.x, c.x), std::max(box.high.y, c.y)};
    }
    invariant(box.low.x >= -kFarthest && box.low.y >= -kFarthest && box.high.x <= kFarthest &&
                  box.high.y <= kFarthest,
              "sc", "a corner of a primitive is outside the range of the window");
    return box;
}

// Pixels with a sample in [low, high], 1/4096 pixel, whose samples lie `min` to `max` from
// their centre: first and one after the last.
struct Span {
    int32_t first, end;
};
Span pixels_with_samples(int32_t low, int32_t high, int min, int max) {
    return {ceil_shift(ceil_shift(low, kUnitsShift) - kCentre - max, kSampleShift),
            floor_shift(floor_shift(high, kUnitsShift) - kCentre - min, kSampleShift) + 1};
}
PixelRect bounds_of(const Primitive& p, const ScanState& state) {
    const Box box = box_of(p);
    const Span x = pixels_with_samples(box.low.x, box.high.x, state.min_x, state.max_x);
    const Span y = pixels_with_samples(box.low.y, box.high.y, state.min_y, state.max_y);
    return PixelRect{x.first, y.first, x.end, y.end}.cut(state.scissor[p.viewport & 15]);
}

// Twice the area of the polygon, positive when its corners turn from x to y. Of four corners: the
// product of the diagonals.
int64_t twice_area(const Primitive& p) {
    const Point& a = p.corner[0];
    const Point& b = p.corner[p.corners - 2];
    const Point& from = p.corners == 3 ? a : p.corner[1];
    const Point& c = p.corner[p.corners - 1];
    return int64_t{b.x - a.x} * (c.y - from.y) - int64_t{c.x - from.x} * (b.y - a.y);
}

bool tie_inside(const EdgeRule& rule, int64_t dx, int64_t dy) {
    if (dy != 0)
        return dy < 0 ? rule.left : rule.right;  // x grows, or falls, towards the inside
    return dx > 0 ? rule.top : rule.bottom;
}

// The edge from `p` to `q`, the inside to its right as one goes (y grows downwards).
Edge edge_from(const Point& p, const Point& q, const EdgeRule& rule) {
    const int64_t dx = int64_t{q.x} - p.x;
    const int64_t dy = int64_t{q.y} - p.y;
    // Of (sx, sy) in 1/4096 pixel: dx * (sy - p.y) - dy * (sx - p.x). Samples are at multiples of
    // kUnits, so that what the division rounds off never decides.
    const int64_t constant = dy * p.x - dx * p.y - (tie_inside(rule, dx, dy) ? 0 : 1);
    return {-dy, dx, constant >> kUnitsShift};
}

void set_up_edges(WalkState& walk, const ScanState& state, const Primitive& p, int64_t area) {
    const EdgeRule& rule = state.edge_rule(p);
    walk.edges = 0;
    for (unsigned i = 0; i < p.corners; ++i) {
        const Point& from = p.corner[i];
        const Point& to = p.corner[i + 1 == p.corners ? 0 : i + 1];
        if (from.x == to.x && from.y == to.y)
            continue;  // two corners in one point
        walk.edge[walk.edges++] = area > 0 ? edge_from(from, to, rule) : edge_from(to, from, rule);
    }
}

void set_up_stipple(WalkState& walk, const ScanState& state, const Primitive& p) {
    walk.stippled = p.shape == Primitive::Shape::Line && state.stipple.enabled;
    if (!walk.stippled)
        return;
    walk.x_major = p.x_major;
    walk.descending = p.descending;
    // Of the start of the line, in half units, along the major axis. A pixel belongs to it from its
    // centre on.
    const int32_t twice = p.x_major ? p.corner[0].x + p.corner[3].x : p.corner[0].y + p.corner[3].y;
    constexpr int32_t kHalfPixel = raster::kSubpixels;
    walk.line_start = p.descending ? floor_shift(twice - kHalfPixel, kPixelShift + 1)
                                   : ceil_shift(twice - kHalfPixel, kPixelShift + 1);
    walk.stipple_start = p.stipple_start;
}

// A square of `pixels` a side, whose upper left pixel is at (x, y), against an edge.
enum class Side : uint8_t { Outside, Crossing, Inside };
struct Square {
    int64_t x, y;           // of its first sample, 1/16 pixel
    int64_t width, height;  // to its last
};
Square square(const ScanState& state, int32_t x, int32_t y, int pixels) {
    return {int64_t{x} * kSampleUnits + kCentre + state.min_x,
            int64_t{y} * kSampleUnits + kCentre + state.min_y,
            (pixels - 1) * kSampleUnits + state.max_x - state.min_x,
            (pixels - 1) * kSampleUnits + state.max_y - state.min_y};
}
Side side_of(const Edge& edge, const Square& s) {
    const int64_t first = edge.at(s.x, s.y);
    const int64_t along_x = edge.a * s.width;
    const int64_t along_y = edge.b * s.height;
    if (first + std::max<int64_t>(along_x, 0) + std::max<int64_t>(along_y, 0) < 0)
        return Side::Outside;
    if (first + std::min<int64_t>(along_x, 0) + std::min<int64_t>(along_y, 0) >= 0)
        return Side::Inside;
    return Side::Crossing;
}

// The edges of `among` that cross the square. False: it is outside one of them.
bool crossing_edges(const WalkState& walk, uint8_t among, const Square& s, uint8_t& crossing) {
    crossing = 0;
    for (unsigned i = 0; i < walk.edges; ++i) {
        if ((among >> i & 1) == 0)
            continue;
        const Side side = side_of(walk.edge[i], s);
        if (side == Side::Outside)
            return false;
        crossing = static_cast<uint8_t>(crossing | (side == Side::Crossing) << i);
    }
    return true;
}

// ---- lanes of a tile --------------------------------------------------------------------------
// Bit n of `row` is pixel n of row y of the tile.
constexpr uint64_t lanes_of_row(unsigned row, unsigned y) {
    const unsigned pairs = (row & 0x03) | (row & 0x0C) << 2 | (row & 0x30) << 4 | (row & 0xC0) << 6;
    return uint64_t{pairs} << (16 * (y >> 1) + 2 * (y & 1));
}
// Rows and columns of the tile at (x, y) that are in the rectangle.
struct RowsAndColumns {
    int first_row = 0, end_row = 0;
    unsigned columns = 0;
    RowsAndColumns(const PixelRect& rect, int32_t x, int32_t y)
        : first_row(std::max(rect.y0 - y, 0)), end_row(std::min(rect.y1 - y, kTilePixels)) {
        const int left = std::clamp(rect.x0 - x, 0, kTilePixels);
        const int right = std::clamp(rect.x1 - x, 0, kTilePixels);
        if (left < right)
            columns = (0xFFu << left & 0xFF) & ~(0xFFu << right);
    }
    uint64_t lanes() const {
        uint64_t found = 0;
        for (int row = first_row; row < end_row; ++row)
            found |= lanes_of_row(columns, static_cast<unsigned>(row));
        return found;
    }
};

uint64_t lanes_of_clip_rects(const ScanState& state, int32_t x, int32_t y) {
    std::array<uint64_t, 4> inside;
    for (size_t i = 0; i < inside.size(); ++i)
        inside[i] = RowsAndColumns(state.clip_rect[i], x, y).lanes();
    uint64_t lanes = 0;
    for (unsigned combination = 0; combination < 16; ++combination) {
        if ((state.clip_rule >> combination & 1) == 0)
            continue;
        uint64_t of_this = kAllLanes;
        for (unsigned i = 0; i < inside.size(); ++i)
            of_this &= (combination >> i & 1) != 0 ? inside[i] : ~inside[i];
        lanes |= of_this;
    }
    return lanes;
}

uint64_t lanes_of_stipple(const WalkState& walk, const ScanState& state, int32_t x, int32_t y) {
    unsigned drawn = 0;  // by pixel along the major axis
    for (int i = 0; i < kTilePixels; ++i) {
        const int32_t along = (walk.x_major ? x : y) + i - walk.line_start;
        // The samples of a pixel before the first one may be covered.
        const int32_t n = std::max(walk.descending ? -along : along, 0);
        drawn |= unsigned{state.stipple(walk.stipple_start + static_cast<uint32_t>(n))} << i;
    }
    uint64_t lanes = 0;
    for (unsigned row = 0; row < kTilePixels; ++row)
        lanes |= lanes_of_row(walk.x_major ? drawn : (drawn >> row & 1) * 0xFF, row);
    return lanes;
}

// ---- edges in a tile --------------------------------------------------------------------------
// Edge functions of a sample at the even and the odd pixel of a pair.
using Pair = int64_t __attribute__((vector_size(2 * sizeof(int64_t))));

// Values of the crossing edges at one sample of the pixels of a tile.
struct SampleEdges {
    struct OfEdge {
        std::array<Pair, 2> row;  // at pixels 0 and 1 of an even and an odd row, less `down`
        Pair next;                // to the next pair
        int64_t down;             // to the next row
    };
    unsigned count = 0;
    std::array<OfEdge, WalkState::kEdges> edge;

    SampleEdges(const WalkState& walk, const ScanState& state, uint8_t crossing, unsigned sample,
                int32_t x, int32_t y) {
        for (unsigned i = 0; i < walk.edges; ++i) {
            if ((crossing >> i & 1) == 0)
                continue;
            const Edge& e = walk.edge[i];
            const int64_t corner =
                e.at(int64_t{x} * kSampleUnits + kCentre, int64_t{y} * kSampleUnits + kCentre);
            const auto at = [&](unsigned pixel) {
                const auto& offset = state.samples.at[pixel][sample];
                return corner + e.a * (offset.x + kSampleUnits * static_cast<int>(pixel & 1)) +
                       e.b * offset.y;
            };
            OfEdge& o = edge[count++];
            o.row = {Pair{at(0), at(1)}, Pair{at(2), at(3)}};
            o.next = Pair{e.a, e.a} * (2 * kSampleUnits);
            o.down = e.b * kSampleUnits;
        }
    }
    // Bit n: pixel n of the row is inside all of the edges.
    unsigned row(unsigned y) const {
        std::array<Pair, kTilePixels / 2> outside{};  // in the signs
        for (unsigned i = 0; i < count; ++i) {
            const OfEdge& o = edge[i];
            const int64_t down = o.down * y;
            Pair value = o.row[y & 1] + Pair{down, down};
            for (Pair& pair : outside) {
                pair |= value;
                value += o.next;
            }
        }
        unsigned bits = 0;
        for (unsigned n = 0; n < outside.size(); ++n)
            bits |=
                static_cast<unsigned>(static_cast<uint64_t>(outside[n][0]) >> 63 << (2 * n) |
                                      static_cast<uint64_t>(outside[n][1]) >> 63 << (2 * n + 1));
        return ~bits & 0xFF;
    }
};

uint64_t lanes_inside(const WalkState& walk, const ScanState& state, uint8_t crossing,
                      unsigned sample, const TileCoverage& tile, const RowsAndColumns& box) {
    const SampleEdges edges(walk, state, crossing, sample, tile.x, tile.y);
    uint64_t lanes = 0;
    for (int row = box.first_row; row < box.end_row; ++row) {
        const auto y = static_cast<unsigned>(row);
        lanes |= lanes_of_row(edges.row(y) & box.columns, y);
    }
    return lanes;
}

// Fills the tile's coverage; false: there is none.
bool cover(const WalkState& walk, const ScanState& state, TileCoverage& tile) {
    const int32_t x = tile.x;
    const int32_t y = tile.y;
    uint8_t crossing = 0;
    if (walk.crossing != 0 &&
        !crossing_edges(walk, walk.crossing, square(state, x, y, kTilePixels), crossing))
        return false;
    uint64_t allowed = kAllLanes;
    if (state.clip_rule != 0xFFFF)
        allowed &= lanes_of_clip_rects(state, x, y);
    if (walk.stippled)
        allowed &= lanes_of_stipple(walk, state, x, y);
    const RowsAndColumns box(walk.bounds, x, y);
    tile.alike = crossing == 0 || !state.samples.apart;
    if (crossing == 0) {
        const PixelRect pixels = {x, y, x + kTilePixels, y + kTilePixels};
        tile.covered[0] = allowed & (walk.bounds.contains(pixels) ? kAllLanes : box.lanes());
        return tile.covered[0] != 0;
    }
    uint64_t any = 0;
    const unsigned samples = tile.alike ? 1 : state.samples.count;
    for (unsigned s = 0; s < samples; ++s) {
        tile.covered[s] = allowed & lanes_inside(walk, state, crossing, s, tile, box);
        any |= tile.covered[s];
    }
    return any != 0;
}

// ---- the walk ---------------------------------------------------------------------------------
void enter_next_supertile(WalkState& walk) {
    if (++walk.super_x > (walk.bounds.x1 - 1) / kSupertilePixels) {
        walk.super_x = walk.bounds.x0 / kSupertilePixels;
        if (++walk.super_y > (walk.bounds.y1 - 1) / kSupertilePixels)
            walk.bounds = {};
    }
}

// False: no tile of it can be covered.
bool enter(WalkState& walk, const ScanState& state) {
    const int32_t x = walk.super_x * kSupertilePixels;
    const int32_t y = walk.super_y * kSupertilePixels;
    if (!crossing_edges(walk, 0xF, square(state, x, y, kSupertilePixels), walk.crossing))
        return false;
    const PixelRect pixels = walk.bounds.cut({x, y, x + kSupertilePixels, y + kSupertilePixels});
    walk.tiles = {pixels.x0 / kTilePixels, pixels.y0 / kTilePixels,
                  (pixels.x1 - 1) / kTilePixels + 1, (pixels.y1 - 1) / kTilePixels + 1};
    walk.tile_x = walk.tiles.x0;
    walk.tile_y = walk.tiles.y0;
    walk.in_supertile = true;
    return true;
}

void next_tile(WalkState& walk) {
    if (++walk.tile_x < walk.tiles.x1)
        return;
    walk.tile_x = walk.tiles.x0;
    if (++walk.tile_y < walk.tiles.y1)
        return;
    walk.in_supertile = false;
    enter_next_supertile(walk);
}

[[noreturn]] void stop_without_owner(const TileCoverage& tile) {
    throw MachineStop(StopKind::BadInput, "sc",
                      "PA_SC_RASTER_CONFIG gives the tile at pixel (" + std::to_string(tile.x) +
                          ", " + std::to_string(tile.y) + ") to render back end " +
                          std::to_string(tile.owner.number()) + ", which this chip does not have");
}

}  // namespace

bool begin(WalkState& walk, const ScanState& state, const Primitive& primitive) {
    walk.in_supertile = false;
    walk.bounds = {};
    if (state.kills_all || state.aa_mask == 0 || state.clip_rule == 0)
        return false;
    const PixelRect bounds = bounds_of(primitive, state);
    if (bounds.empty())
        return false;
    const int64_t area = twice_area(primitive);
    if (area == 0)
        return false;
    walk.bounds = bounds;
    set_up_edges(walk, state, primitive, area);
    set_up_stipple(walk, state, primitive);
    walk.super_x = bounds.x0 / kSupertilePixels;
    walk.super_y = bounds.y0 / kSupertilePixels;
    return true;
}

Visit visit(WalkState& walk, const ScanState& state, TileCoverage& tile, uint8_t engine) {
    while (!walk.ended()) {
        if (!walk.in_supertile && !enter(walk, state)) {
            enter_next_supertile(walk);
            return Visit::Supertile;
        }
        tile.x = static_cast<uint16_t>(walk.tile_x * kTilePixels);
        tile.y = static_cast<uint16_t>(walk.tile_y * kTilePixels);
        tile.owner = state.owner_of(tile.x, tile.y);
        const bool own = engine == kAllEngines || engine == tile.owner.shader_engine;
        const bool covered = own && cover(walk, state, tile);
        next_tile(walk);
        if (!own)
            continue;
        if (!covered)
            return Visit::Empty;
        if ((state.rbs.present >> tile.owner.number() & 1) == 0)
            stop_without_owner(tile);
        return Visit::Covered;
    }
    return Visit::End;
}

}  // namespace archipelago::sc
