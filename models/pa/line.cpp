// SPDX-License-Identifier: Apache-2.0
#include "models/pa/line.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace archipelago::pa {
namespace {

using raster::kSubpixels;
using raster::Point;

constexpr int32_t kHalf = kSubpixels / 2;

// Rounds down.
int32_t pixel_of(int32_t coordinate) {
    return coordinate >> 12;
}
int32_t centre_of(int32_t coordinate) {
    return pixel_of(coordinate) * kSubpixels + kHalf;
}

// A line that runs along its major axis in positive direction: x_major lines as they are, y_major
// ones with x and y exchanged, descending ones with the major axis mirrored.
struct Run {
    int32_t major0, minor0, major1, minor1;

    // The minor coordinate where the line, or its extension, is at `major`.
    int32_t minor_at(int32_t major) const {
        const double slope = double(minor1 - minor0) / double(major1 - major0);
        return minor0 + static_cast<int32_t>(std::lround(slope * (major - major0)));
    }
    void move_start(int32_t major) {
        const int32_t minor = minor_at(major);
        major0 = major, minor0 = minor;
    }
    void move_end(int32_t major) {
        const int32_t minor = minor_at(major);
        major1 = major, minor1 = minor;
    }
};

bool in_diamond(int32_t major, int32_t minor) {
    return std::abs(major - centre_of(major)) + std::abs(minor - centre_of(minor)) < kHalf;
}

// A pixel is drawn when the line leaves the diamond around its centre. False: no pixel is. `tie` is
// 1 where a polygon covers a centre at the end of its span and not one at its start.
bool apply_diamonds(Run& run, bool last_pixel, int32_t tie) {
    const bool starts_in = in_diamond(run.major0, run.minor0);
    const bool ends_in = in_diamond(run.major1, run.minor1);
    if (starts_in && ends_in && !last_pixel && pixel_of(run.major0) == pixel_of(run.major1) &&
        pixel_of(run.minor0) == pixel_of(run.minor1))
        return false;
    const int32_t start_centre = centre_of(run.major0), end_centre = centre_of(run.major1);
    Run moved = run;
    if (starts_in && run.major0 + tie > start_centre)
        moved.move_start(start_centre - kHalf);
    if (ends_in && !last_pixel && run.major1 + tie > end_centre)
        moved.move_end(end_centre - tie);
    run = moved;
    return run.major1 > run.major0;
}

// The end moves to the far side of its pixel, whose centre is then covered.
void extend_to_last_pixel(Run& run) {
    run.move_end(centre_of(run.major1) + kHalf);
}

Point across(const SetupState& state, const LineShape& line, int32_t dx, int32_t dy) {
    const double length = std::hypot(double(dx), double(dy));
    const double half = state.line_half_width;
    const auto whole = [](double v) { return static_cast<int32_t>(std::lround(v)); };
    if (state.expand_lines && state.perpendicular_ends)
        return {whole(-half * dy / length), whole(half * dx / length)};
    const int32_t major = std::abs(line.x_major ? dx : dy);
    const int32_t side = state.expand_lines ? whole(half * length / major) : state.line_half_width;
    return line.x_major ? Point{0, side} : Point{side, 0};
}

// Centres from `from` on and before `to`.
uint32_t centres_between(int32_t from, int32_t to) {
    const auto before = [](int32_t coordinate) { return pixel_of(coordinate + kHalf - 1); };
    return static_cast<uint32_t>(std::max(0, before(to) - before(from)));
}

}  // namespace

bool shape_line(const SetupState& state, Point from, Point to, LineShape& out) {
    const int32_t dx = to.x - from.x, dy = to.y - from.y;
    if (dx == 0 && dy == 0)
        return false;
    out.x_major = std::abs(dx) >= std::abs(dy);
    out.descending = (out.x_major ? dx : dy) < 0;
    const int32_t mirror = out.descending ? -1 : 1;
    Run run = out.x_major ? Run{mirror * from.x, from.y, mirror * to.x, to.y}
                          : Run{mirror * from.y, from.x, mirror * to.y, to.x};
    // A centre at the start of a polygon's span is covered, one at its end is not. Mirroring
    // exchanges the two.
    const int32_t tie = out.descending ? 1 : 0;
    if (state.diamond_test && !state.expand_lines && !apply_diamonds(run, state.last_pixel, tie))
        return false;
    if (state.last_pixel)
        extend_to_last_pixel(run);
    out.pixels = centres_between(run.major0, run.major1);
    const Point a = out.x_major ? Point{mirror * run.major0, run.minor0}
                                : Point{run.minor0, mirror * run.major0};
    const Point b = out.x_major ? Point{mirror * run.major1, run.minor1}
                                : Point{run.minor1, mirror * run.major1};
    out.side = across(state, out, dx, dy);
    if (out.side.x == 0 && out.side.y == 0)
        return false;
    const Point s = out.side;
    out.corner = {Point{a.x - s.x, a.y - s.y}, Point{b.x - s.x, b.y - s.y},
                  Point{b.x + s.x, b.y + s.y}, Point{a.x + s.x, a.y + s.y}};
    return true;
}

}  // namespace archipelago::pa
