// SPDX-License-Identifier: Apache-2.0
#include "models/cu/isa/image_sampler.h"

#include <cmath>

#include "models/cu/isa/small_float.h"

namespace archipelago::isa {
namespace {

constexpr double kFarTexel = 1 << 20;  // beyond any size and offset

// Coordinate in 1/256 texel, moved by whole periods where the wrap mode has one.
int64_t fixed_coordinate(double value, uint32_t size, Wrap wrap, bool normalized, bool truncate) {
    if (!(value == value)) {
        return 0;
    }
    double t = value;
    if (normalized) {
        if (wrap == Wrap::Repeat || wrap == Wrap::Mirror) {
            const double period = wrap == Wrap::Repeat ? 1.0 : 2.0;
            // From 2^52 on a double is an even integer or, at most, one off a period.
            t = t < 4503599627370496.0 && t > -4503599627370496.0
                    ? t - period * static_cast<double>(floor_integer(t / period))
                    : 0.0;
        }
        t *= size;
    }
    t = t > kFarTexel ? kFarTexel : t < -kFarTexel ? -kFarTexel : t;
    return floor_integer(t * 256.0 + (truncate ? 0.0 : 0.5));
}

// 2^(i / 128), from square roots, which every host rounds the same way.
struct LogTable {
    double threshold[128];

    LogTable() : threshold{} {
        double root[7];
        double r = 2.0;
        for (double& step : root) {
            r = std::sqrt(r);
            step = r;  // 2^(1/2), 2^(1/4), ...
        }
        for (unsigned i = 0; i < 128; ++i) {
            double product = 1.0;
            for (unsigned bit = 0; bit < 7; ++bit) {
                if ((i >> (6 - bit) & 1) != 0) {
                    product *= root[bit];
                }
            }
            threshold[i] = product;
        }
    }
};

int32_t round_to_level(int32_t lod) {
    return (lod + 128) >> 8;
}

int32_t clamped(int32_t v, int32_t low, int32_t high) {
    return v < low ? low : v > high ? high : v;
}

}  // namespace

AxisTexels axis_texels(double value, uint32_t size, Wrap wrap, bool normalized, bool truncate,
                       bool linear, int32_t offset) {
    int64_t fixed =
        fixed_coordinate(value, size, wrap, normalized, truncate) + int64_t{offset} * 256;
    const int64_t end = int64_t{size} * 256;
    if (wrap == Wrap::ClampHalfBorder || wrap == Wrap::MirrorOnceHalfBorder) {
        if (wrap == Wrap::MirrorOnceHalfBorder && fixed < 0) {
            fixed = -fixed;
        }
        fixed = fixed < 0 ? 0 : fixed > end ? end : fixed;
        if (!linear && fixed == end) {
            fixed = end - 1;
        }
    }
    AxisTexels a;
    if (!linear) {
        a.at[0] = a.at[1] = static_cast<int32_t>(fixed >> 8);
        return a;
    }
    fixed -= 128;
    a.at[0] = static_cast<int32_t>(fixed >> 8);
    a.at[1] = a.at[0] + 1;
    a.fraction = static_cast<uint32_t>(fixed & 255);
    return a;
}

int32_t wrap_texel(int32_t at, uint32_t size, Wrap wrap) {
    const auto n = static_cast<int32_t>(size);
    switch (wrap) {
        case Wrap::Repeat: {
            const int32_t m = at % n;
            return m < 0 ? m + n : m;
        }
        case Wrap::Mirror: {
            int32_t m = at % (2 * n);
            m = m < 0 ? m + 2 * n : m;
            return m >= n ? 2 * n - 1 - m : m;
        }
        case Wrap::ClampLastTexel:
            return clamped(at, 0, n - 1);
        case Wrap::MirrorOnceLastTexel:
            return clamped(at < 0 ? -1 - at : at, 0, n - 1);
        case Wrap::ClampHalfBorder:
        case Wrap::ClampBorder:
            return at < 0 || at >= n ? kBorderTexel : at;
        case Wrap::MirrorOnceHalfBorder:
        case Wrap::MirrorOnceBorder:
            at = at < 0 ? -1 - at : at;
            return at >= n ? kBorderTexel : at;
    }
    return kBorderTexel;
}

int32_t lod_of_squared(double squared) {
    if (!(squared > 0.0)) {
        return -kLodLimit;
    }
    uint64_t bits;
    std::memcpy(&bits, &squared, sizeof bits);
    const auto exponent = static_cast<int32_t>(bits >> 52 & 0x7ff);
    if (exponent == 0x7ff) {
        return kLodLimit;
    }
    if (exponent == 0) {
        return -kLodLimit;
    }
    bits = (bits & 0xfffffffffffffull) | uint64_t{1023} << 52;
    double mantissa;
    std::memcpy(&mantissa, &bits, sizeof mantissa);
    static const LogTable table;
    unsigned low = 0;
    for (unsigned step = 64; step != 0; step /= 2) {
        if (mantissa >= table.threshold[low + step]) {
            low += step;
        }
    }
    // log2 of the root, in 1/256, is log2 of the square in 1/128.
    return (exponent - 1023) * 128 + static_cast<int32_t>(low);
}

int32_t lod_of_operand(float value) {
    if (!(value == value)) {
        return 0;
    }
    const double scaled = static_cast<double>(value) * 256.0;
    if (scaled >= kLodLimit) {
        return kLodLimit;
    }
    if (scaled <= -kLodLimit) {
        return -kLodLimit;
    }
    return static_cast<int32_t>(floor_integer(scaled + 0.5));
}

LevelChoice choose_level(int32_t lod, int32_t lower, const ImageSampler& s, unsigned levels) {
    const auto mip = static_cast<MipFilter>(s.mip_filter);
    const bool preclamp = mip == MipFilter::Point && s.mip_point_preclamp;
    if (preclamp) {
        lod = round_to_level(lod) * 256;
    }
    lod = lod < s.min_lod ? s.min_lod : lod;
    lod = lod > s.max_lod ? s.max_lod : lod;
    lod = lod < lower ? lower : lod;
    LevelChoice c;
    c.lod = lod;
    c.magnified = lod <= 0;
    const auto last = static_cast<int32_t>(levels - 1);
    if (mip == MipFilter::Point) {
        const int32_t level = preclamp ? lod >> 8 : round_to_level(lod);
        c.level = static_cast<uint32_t>(clamped(level, 0, last));
    } else if (mip == MipFilter::Linear) {
        const int32_t level = lod >> 8;
        c.level = static_cast<uint32_t>(clamped(level, 0, last));
        c.fraction = level < 0 || level >= last ? 0 : static_cast<uint32_t>(lod & 255);
    }
    return c;
}

uint32_t named_slice(float value, uint32_t limit) {
    if (!(value > 0.0f)) {
        return 0;
    }
    const double v = value > 65536.0f ? 65536.0 : static_cast<double>(value);
    const auto n = static_cast<uint32_t>(nearest_integer(v));
    return n < limit ? n : limit - 1;
}

CubeTexel cross_cube_edge(uint32_t face, int32_t x, int32_t y, int32_t size) {
    // Centre of the texel on a cube of half edge `size`: coordinates odd or even with `size`.
    if ((x < 0 || x >= size) && (y < 0 || y >= size)) {
        y = clamped(y, 0, size - 1);
    }
    if (x >= 0 && x < size && y >= 0 && y < size) {
        return {face, x, y};
    }
    struct Axis {
        uint8_t axis;
        int8_t sign;
    };
    // Direction of x, of y, and outwards, of the faces +X -X +Y -Y +Z -Z.
    static constexpr Axis kAxes[6][3] = {
        {{2, -1}, {1, -1}, {0, 1}}, {{2, 1}, {1, -1}, {0, -1}}, {{0, 1}, {2, 1}, {1, 1}},
        {{0, 1}, {2, -1}, {1, -1}}, {{0, 1}, {1, -1}, {2, 1}},  {{0, -1}, {1, -1}, {2, -1}},
    };
    const Axis(&from)[3] = kAxes[face];
    int32_t p[3] = {};
    int32_t s = 2 * x + 1 - size;
    int32_t t = 2 * y + 1 - size;
    int32_t outwards = size;
    // Fold what sticks out over the edge: it becomes distance from the old face.
    const unsigned out = s < -size || s > size ? 0 : 1;
    int32_t& over = out == 0 ? s : t;
    const int32_t magnitude = over < 0 ? -over : over;
    outwards = size - (magnitude - size);
    over = over < 0 ? -size : size;
    p[from[0].axis] += from[0].sign * s;
    p[from[1].axis] += from[1].sign * t;
    p[from[2].axis] += from[2].sign * outwards;
    // The new face is where the folded coordinate points.
    const int new_axis = from[out].axis;
    const bool negative = p[new_axis] < 0;
    const auto to_face = static_cast<uint32_t>(new_axis * 2 + (negative ? 1 : 0));
    const Axis(&to)[3] = kAxes[to_face];
    const int32_t new_s = to[0].sign * p[to[0].axis];
    const int32_t new_t = to[1].sign * p[to[1].axis];
    return {to_face, clamped((new_s + size - 1) / 2, 0, size - 1),
            clamped((new_t + size - 1) / 2, 0, size - 1)};
}

}  // namespace archipelago::isa
