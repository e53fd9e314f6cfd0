// SPDX-License-Identifier: Apache-2.0
#include "models/pa/clipper.h"

#include <cfloat>
#include <cmath>

namespace archipelago::pa {
namespace {

// Divisors below it have no float reciprocal.
constexpr double kLeastW = FLT_MIN;

bool bit(uint32_t mask, unsigned n) {
    return (mask >> n & 1) != 0;
}

}  // namespace

ClipVertex Clipper::corner(const std::array<double, 3>& weight) const {
    ClipVertex v;
    v.weight = weight;
    for (unsigned c = 0; c < 4; ++c)
        for (unsigned k = 0; k < count_; ++k)
            if (weight[k] != 0)
                v.position[c] += weight[k] * source_[k].position[c];
    return v;
}

double Clipper::exported_distance(unsigned n, const ClipVertex& v) const {
    double sum = 0;
    for (unsigned k = 0; k < count_; ++k)
        if (v.weight[k] != 0)
            sum += v.weight[k] * source_[k].distance[n];
    return sum;
}

double Clipper::distance(unsigned plane, const ClipVertex& v) const {
    const Vector4& p = v.position;
    switch (plane) {
        case kPositiveW:
            return p[3] - kLeastW;
        case kNear:
            return state_.zero_to_one ? p[2] : p[3] + p[2];
        case kFar:
            return p[3] - p[2];
        case kGuardBand:
            return p[3] * state_.clip_x + p[0];
        case kGuardBand + 1:
            return p[3] * state_.clip_x - p[0];
        case kGuardBand + 2:
            return p[3] * state_.clip_y + p[1];
        case kGuardBand + 3:
            return p[3] * state_.clip_y - p[1];
        default:
            break;
    }
    if (plane >= kDistance)
        return exported_distance(plane - kDistance, v);
    const std::array<float, 4>& user = state_.plane[plane - kUserPlane];
    return user[0] * p[0] + user[1] * p[1] + user[2] * p[2] + user[3] * p[3];
}

// Planes that v is outside of, among those that clip; bit n: plane n.
uint32_t Clipper::outcode(const ClipVertex& v) const {
    const auto out = [&](unsigned plane) { return distance(plane, v) >= 0 ? 0 : 1u << plane; };
    uint32_t code = out(kPositiveW) | out(kGuardBand) | out(kGuardBand + 1) | out(kGuardBand + 2) |
                    out(kGuardBand + 3);
    code |= (state_.near_plane ? out(kNear) : 0) | (state_.far_plane ? out(kFar) : 0);
    for (unsigned n = 0; n < 6 && state_.planes != 0; ++n)
        code |= bit(state_.planes, n) ? out(kUserPlane + n) : 0;
    for (unsigned n = 0; n < 8 && state_.distances != 0; ++n)
        code |= bit(state_.distances, n) ? out(kDistance + n) : 0;
    return code;
}

// A plane of `mask`, from number `first` on, that all corners are outside of.
bool Clipper::culled(unsigned first, uint32_t mask, const ClipPolygon& corners) const {
    for (unsigned n = 0; mask >> n != 0; ++n) {
        bool all = bit(mask, n);
        for (unsigned k = 0; k < corners.count && all; ++k)
            all = !(distance(first + n, corners.corner[k]) >= 0);
        if (all)
            return true;
    }
    return false;
}

bool Clipper::beyond_guard_band(const ClipPolygon& corners) const {
    unsigned beyond = 0xf;  // all corners: left, right, above, below
    for (unsigned k = 0; k < corners.count; ++k) {
        const Vector4& p = corners.corner[k].position;
        const double x = p[3] * state_.discard_x, y = p[3] * state_.discard_y;
        beyond &=
            (p[0] < -x ? 1u : 0) | (p[0] > x ? 2u : 0) | (p[1] < -y ? 4u : 0) | (p[1] > y ? 8u : 0);
    }
    return beyond != 0;
}

Clipper::Fate Clipper::judge(const ClipPolygon& corners) {
    if (culled(kDistance, state_.cull_distances, corners))
        return Fate::CullDistance;
    if (culled(kUserPlane, state_.cull_planes, corners))
        return Fate::UserPlane;
    if (beyond_guard_band(corners))
        return Fate::GuardBand;
    uint32_t all = ~0u;
    crossed_ = 0;
    for (unsigned k = 0; k < corners.count; ++k) {
        const uint32_t code = outcode(corners.corner[k]);
        all &= code;
        crossed_ |= code;
    }
    return all != 0 ? Fate::Outside : crossed_ != 0 ? Fate::Clip : Fate::Inside;
}

// Always from inside to outside: two primitives with a common edge get the same corner.
ClipVertex Clipper::cut(unsigned plane, const ClipVertex& in, const ClipVertex& out) const {
    const double d_in = distance(plane, in), d_out = distance(plane, out);
    const double t = d_in / (d_in - d_out);
    std::array<double, 3> weight;
    for (unsigned k = 0; k < 3; ++k)
        weight[k] = in.weight[k] + t * (out.weight[k] - in.weight[k]);
    ClipVertex v = corner(weight);
    v.made = true;
    // Rounding may leave it outside.
    v.position[3] = v.position[3] >= kLeastW || plane != kPositiveW ? v.position[3] : kLeastW;
    return v;
}

// Sutherland and Hodgman, a plane after the other.
bool Clipper::clip_polygon(ClipPolygon& polygon) const {
    for (unsigned plane = 0; plane < kPlanes && polygon.count >= 3; ++plane) {
        if (!bit(crossed_, plane))
            continue;
        ClipPolygon kept;
        for (unsigned k = 0; k < polygon.count; ++k) {
            const ClipVertex& from = polygon.corner[k];
            const ClipVertex& to = polygon.corner[(k + 1) % polygon.count];
            const bool from_in = distance(plane, from) >= 0, to_in = distance(plane, to) >= 0;
            if (from_in)
                kept.corner[kept.count++] = from;
            if (from_in == to_in || kept.count == ClipPolygon::kMax)
                continue;
            ClipVertex& added = kept.corner[kept.count++];
            added = from_in ? cut(plane, from, to) : cut(plane, to, from);
            // Leaving, it begins an edge on the plane; entering, the rest of the edge it lies on.
            added.edge = from_in ? state_.boundary_edges : from.edge;
        }
        polygon = kept;
    }
    return polygon.count >= 3;
}

bool Clipper::clip_line(ClipPolygon& line) const {
    for (unsigned plane = 0; plane < kPlanes; ++plane) {
        if (!bit(crossed_, plane))
            continue;
        ClipVertex& a = line.corner[0];
        ClipVertex& b = line.corner[1];
        const bool a_in = distance(plane, a) >= 0, b_in = distance(plane, b) >= 0;
        if (!a_in && !b_in)
            return false;
        if (!a_in)
            a = cut(plane, b, a);
        else if (!b_in)
            b = cut(plane, a, b);
    }
    return true;
}

}  // namespace archipelago::pa
