// SPDX-License-Identifier: Apache-2.0
#include "models/pa/window.h"

#include <algorithm>
#include <cfloat>
#include <cmath>

namespace archipelago::pa {
namespace {

using raster::kSubpixels;

// Coordinates of planes: differences and products of two of them fit 64 bits.
constexpr double kPlaneLimit = 1 << 29;

// std::floor(), which a call costs.
double floor_of(double value) {
    constexpr double kWhole = 1LL << 52;  // from here on there are no fractions
    if (!(std::abs(value) < kWhole))
        return value;
    const auto toward_zero = static_cast<double>(static_cast<int64_t>(value));
    return toward_zero > value ? toward_zero - 1 : toward_zero;
}

double rounded(double value, SnapState::Round mode) {
    const double down = floor_of(value);
    const double rest = value - down;  // not a number for infinities: they stay
    switch (mode) {
        case SnapState::Round::Truncate:
            return down;
        case SnapState::Round::Up:
            return rest >= 0.5 ? down + 1 : down;
        case SnapState::Round::Even:
        case SnapState::Round::Odd:
            break;
    }
    if (rest != 0.5)
        return rest > 0.5 ? down + 1 : down;
    const bool odd = std::fmod(down, 2) != 0;
    return odd == (mode == SnapState::Round::Odd) ? down : down + 1;
}

double limited(double z) {
    return std::clamp(z, -double(FLT_MAX), double(FLT_MAX));
}

// A coordinate after division: `divided`, it has been already.
double project(double value, double w, bool divided, bool w_inverted) {
    if (divided)
        return value;
    return w_inverted ? value * w : value / w;
}

}  // namespace

Snapped snap(const SnapState& state, double value, int32_t origin) {
    Snapped out;
    out.exact = rounded((value - origin) * state.units, state.round) * state.step;
    const auto inside = static_cast<int32_t>(
        std::clamp(out.exact, -double(state.range), double(state.range - state.step)));
    const int32_t move = origin * kSubpixels + state.centre;
    out.value = inside + move;
    out.exact += move;
    return out;
}

ParameterOrder::ParameterOrder(unsigned vertices, bool provoking_last) : count(vertices) {
    for (unsigned n = 0; n < vertices; ++n)
        source[n] = static_cast<uint8_t>(provoking_last ? (n + vertices - 1) % vertices : n);
}

bool to_window(const SetupState& state, const ClipVertex& v, const std::array<double, 3>& source_w,
               const ParameterOrder& order, unsigned viewport, WindowVertex& out) {
    const double w = v.position[3];
    const Viewport& port = state.viewport[viewport];
    const auto coordinate = [&](unsigned c, bool divided) {
        return project(v.position[c], w, divided, state.w_inverted) * port.scale[c] +
               port.offset[c];
    };
    const double x = coordinate(0, state.xy_divided) + state.window_x;
    const double y = coordinate(1, state.xy_divided) + state.window_y;
    const double z = coordinate(2, state.z_divided);
    const double inverse_w = state.w_inverted ? w : 1 / w;
    if (std::isnan(x) || std::isnan(y) || std::isnan(z) || std::isnan(inverse_w) ||
        (state.naninf.xy.discard_infinity && (std::isinf(x) || std::isinf(y))) ||
        (state.naninf.z.discard_infinity && std::isinf(z)) ||
        (state.naninf.w.discard_infinity && std::isinf(inverse_w)))
        return false;
    const Snapped sx = snap(state.snap, x, state.snap.origin_x);
    const Snapped sy = snap(state.snap, y, state.snap.origin_y);
    out.at = {sx.value, sy.value};
    out.plane = out.at;
    out.plane_valid = w > 0 && std::abs(sx.exact) < kPlaneLimit && std::abs(sy.exact) < kPlaneLimit;
    if (out.plane_valid)
        out.plane = {static_cast<int32_t>(sx.exact), static_cast<int32_t>(sy.exact)};
    out.z = limited(z);
    out.w = static_cast<float>(limited(state.w_inverted ? 1 / w : w));
    out.inverse_w = state.flat_perspective ? 1 : static_cast<float>(limited(inverse_w));
    // In the window a source vertex weighs as much more as it is near.
    std::array<double, 3> linear = v.weight;
    if (v.made && state.clip.linear_in_window && !state.w_inverted) {
        double sum = 0;
        for (unsigned n = 0; n < order.count; ++n)
            sum += linear[n] = v.weight[n] == 0 ? 0 : v.weight[n] * source_w[n];
        for (double& weight : linear)
            weight = sum == 0 ? 0 : weight / sum;
    }
    const auto weight = [&](const std::array<double, 3>& of, unsigned n) {
        return n < order.count ? static_cast<float>(limited(of[order.source[n]])) : 0.0f;
    };
    const std::array<double, 3>& perspective = state.flat_perspective ? linear : v.weight;
    out.i = weight(perspective, 1);
    out.j = weight(perspective, 2);
    out.linear_i = weight(linear, 1);
    out.linear_j = weight(linear, 2);
    return true;
}

raster::DepthPlane depth_plane(const std::array<const WindowVertex*, 3>& v) {
    const raster::Point origin = v[0]->plane;
    raster::DepthPlane plane;
    plane.at = origin;
    plane.z = v[0]->z;
    const auto area = static_cast<double>(area_of(origin, v[1]->plane, v[2]->plane));
    if (area == 0)
        return plane;
    const double x1 = v[1]->plane.x - origin.x, y1 = v[1]->plane.y - origin.y;
    const double x2 = v[2]->plane.x - origin.x, y2 = v[2]->plane.y - origin.y;
    const double z1 = v[1]->z - v[0]->z, z2 = v[2]->z - v[0]->z;
    plane.dz_dx = (z1 * y2 - z2 * y1) / area * kSubpixels;
    plane.dz_dy = (z2 * x1 - z1 * x2) / area * kSubpixels;
    return plane;
}

// Direct3D 10 and OpenGL: slope times factor plus a multiple of the least difference that the
// format of depth has. SCALE counts slopes over 1/16 pixel.
double polygon_offset(const SetupState& state, const PolygonOffset& offset,
                      const raster::DepthPlane& plane, double largest_z) {
    if (!offset.enabled)
        return 0;
    int exponent = state.offset_exponent;
    if (state.float_depth)
        exponent += largest_z == 0 ? -127 : std::ilogb(largest_z);
    const double slope = std::max(std::abs(plane.dz_dx), std::abs(plane.dz_dy));
    const double added = (offset.scale == 0 ? 0 : offset.scale / 16.0 * slope) +
                         std::ldexp(double(offset.offset), exponent);
    if (std::isnan(added))
        return 0;
    if (state.offset_clamp > 0)
        return limited(std::min(added, double(state.offset_clamp)));
    if (state.offset_clamp < 0)
        return limited(std::max(added, double(state.offset_clamp)));
    return limited(added);
}

}  // namespace archipelago::pa
