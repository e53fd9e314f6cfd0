// SPDX-License-Identifier: Apache-2.0
// Conversion of components: loops over lanes without branches.
#include <algorithm>

#include "models/cb/colour_format.h"
#include "models/common/srgb.h"
#include "models/raster/lane_floats.h"
#include "models/raster/lane_loops.h"

namespace archipelago::cb {
namespace {

using raster::bits_of;
using raster::float_of;

uint32_t mask_of(unsigned bits) {
    return bits >= 32 ? ~0u : (1u << bits) - 1;
}

// ---- to memory
// ----------------------------------------------------------------------------------

float clamped(float x, float low, float high) {
    x = x > low ? x : low;
    return x < high ? x : high;
}
// NaN is 0.
float number_or_zero(float x) {
    return x == x ? x : 0.0f;
}

// The linear values from which on each sRGB code from 1 is the nearest, or has been reached.
struct SrgbThresholds {
    std::array<float, 256> value{};
    explicit SrgbThresholds(double offset) {
        value[0] = 0;
        for (unsigned i = 1; i < 256; ++i)
            value[i] = static_cast<float>(linear_of_srgb((i - offset) / 255.0));
    }
};
uint32_t srgb_code(const SrgbThresholds& thresholds, float x) {
    unsigned code = 0;
    for (unsigned step = 128; step != 0; step /= 2)
        code += x >= thresholds.value[code + step] ? step : 0;
    return code;
}

uint32_t small_float(uint32_t f, unsigned bits, bool nearest) {
    const uint32_t magnitude = f & 0x7fffffffu;
    const bool negative = (f >> 31) != 0 && magnitude <= 0x7f800000u;
    const uint32_t v = bits == 11 ? raster::small_of_float<6>(magnitude, nearest)
                                  : raster::small_of_float<5>(magnitude, nearest);
    return negative ? 0 : v;
}

template <class Encode>
void put(const Lane& from, unsigned lanes, unsigned shift, Lane& to, const Encode& encode) {
    for (unsigned i = 0; i < lanes; ++i)
        to[i] |= encode(from[i]) << shift;
}

void put_unorm(const ColourFormat::Field& f, bool nearest, const Lane& from, unsigned lanes,
               Lane& to) {
    if (f.bits > 16) {
        const double top = mask_of(f.bits), half = nearest ? 0.5 : 0.0;
        put(from, lanes, f.shift, to, [=](uint32_t v) {
            return static_cast<uint32_t>(
                static_cast<int64_t>(double{clamped(float_of(v), 0, 1)} * top + half));
        });
        return;
    }
    const auto top = static_cast<float>(mask_of(f.bits));
    const float half = nearest ? 0.5f : 0.0f;
    put(from, lanes, f.shift, to, [=](uint32_t v) {
        return static_cast<uint32_t>(static_cast<int32_t>(clamped(float_of(v), 0, 1) * top + half));
    });
}

void put_snorm(const ColourFormat::Field& f, bool nearest, float low, const Lane& from,
               unsigned lanes, Lane& to) {
    const uint32_t mask = mask_of(f.bits);
    const double top = mask_of(f.bits - 1u), half = nearest ? 0.5 : 0.0;
    put(from, lanes, f.shift, to, [=](uint32_t v) {
        const double x = double{clamped(number_or_zero(float_of(v)), low, 1)} * top;
        return static_cast<uint32_t>(static_cast<int32_t>(x < 0 ? x - half : x + half)) & mask;
    });
}

void put_float(const ColourFormat::Field& f, bool nearest, const Lane& from, unsigned lanes,
               Lane& to) {
    switch (f.bits) {
        case 32:
            std::copy_n(from.begin(), lanes, to.begin());
            break;
        case 16:
            put(from, lanes, f.shift, to,
                [=](uint32_t v) { return raster::half_of_float(v, nearest); });
            break;
        case 11:
            put(from, lanes, f.shift, to, [=](uint32_t v) { return small_float(v, 11, nearest); });
            break;
        default:
            put(from, lanes, f.shift, to, [=](uint32_t v) { return small_float(v, 10, nearest); });
    }
}

void put_field(const ColourFormat& format, const ColourFormat::Field& f, const Lane& from,
               unsigned lanes, Lane& to) {
    const bool nearest = format.nearest;
    const uint32_t mask = mask_of(f.bits);
    switch (f.encoding) {
        case Encoding::Unorm:
            return put_unorm(f, nearest, from, lanes, to);
        case Encoding::Snorm:
            return put_snorm(f, nearest, format.low, from, lanes, to);
        case Encoding::Uint:
            return put(from, lanes, f.shift, to, [=](uint32_t v) { return std::min(v, mask); });
        case Encoding::Sint: {
            const auto high = static_cast<int32_t>(mask_of(f.bits) >> 1);
            const int32_t low = -high - 1;
            return put(from, lanes, f.shift, to, [=](uint32_t v) {
                const auto s = static_cast<int32_t>(v);
                return static_cast<uint32_t>(s < low ? low : s > high ? high : s) & mask;
            });
        }
        case Encoding::Srgb: {
            static const SrgbThresholds half_way(0.5), reached(0.0);
            const SrgbThresholds& thresholds = nearest ? half_way : reached;
            return put(from, lanes, f.shift, to,
                       [&](uint32_t v) { return srgb_code(thresholds, float_of(v)); });
        }
        case Encoding::Float:
            return put_float(f, nearest, from, lanes, to);
    }
}

// ---- from memory
// --------------------------------------------------------------------------------

template <class Decode>
void take(const Lane& from, unsigned lanes, const ColourFormat::Field& f, Lane& to,
          const Decode& decode) {
    const uint32_t mask = mask_of(f.bits);
    const unsigned shift = f.shift;
    for (unsigned i = 0; i < lanes; ++i)
        to[i] = decode(from[i] >> shift & mask);
}

int32_t sign_extended(uint32_t v, unsigned bits) {
    const unsigned up = (32 - bits) & 31;
    return static_cast<int32_t>(v << up) >> up;
}

const std::array<float, 256>& srgb_values() {
    static const std::array<float, 256> values = [] {
        std::array<float, 256> v{};
        for (unsigned i = 0; i < 256; ++i)
            v[i] = static_cast<float>(linear_of_srgb(i / 255.0));
        return v;
    }();
    return values;
}

void take_float(const ColourFormat::Field& f, const Lane& from, unsigned lanes, Lane& to) {
    switch (f.bits) {
        case 16:
            return take(from, lanes, f, to, raster::float_of_half);
        case 11:
            return take(from, lanes, f, to, raster::float_of_small<6>);
        case 10:
            return take(from, lanes, f, to, raster::float_of_small<5>);
        default:
            return take(from, lanes, f, to, [](uint32_t v) { return v; });
    }
}

void take_field(const ColourFormat::Field& f, const Lane& from, unsigned lanes, Lane& to) {
    const unsigned bits = f.bits;
    switch (f.encoding) {
        case Encoding::Unorm: {
            const float unit = 1.0f / static_cast<float>(mask_of(bits));
            return take(from, lanes, f, to, [=](uint32_t v) {
                return bits_of(static_cast<float>(static_cast<int32_t>(v)) * unit);
            });
        }
        case Encoding::Snorm: {
            const float unit = 1.0f / static_cast<float>(mask_of(bits - 1));
            return take(from, lanes, f, to, [=](uint32_t v) {
                const float x = static_cast<float>(sign_extended(v, bits)) * unit;
                return bits_of(x < -1.0f ? -1.0f : x);
            });
        }
        case Encoding::Uint:
            return take(from, lanes, f, to, [](uint32_t v) { return v; });
        case Encoding::Sint:
            return take(from, lanes, f, to,
                        [=](uint32_t v) { return static_cast<uint32_t>(sign_extended(v, bits)); });
        case Encoding::Srgb: {
            const std::array<float, 256>& values = srgb_values();
            return take(from, lanes, f, to, [&](uint32_t v) { return bits_of(values[v]); });
        }
        case Encoding::Float:
            return take_float(f, from, lanes, to);
    }
}

uint32_t swapped(uint32_t v, Endian endian) {
    return endian == Endian::Swap8In16 ? (v & 0x00ff00ffu) << 8 | (v >> 8 & 0x00ff00ffu)
                                       : __builtin_bswap32(v);
}

}  // namespace

ARCHIPELAGO_LANE_LOOPS
void pack(const ColourFormat& format, const Vector& colour, unsigned lanes, Vector& dwords) {
    for (unsigned d = 0; d < format.dwords; ++d)
        std::fill_n(dwords[d].begin(), lanes, 0);
    for (unsigned i = 0; i < format.fields; ++i) {
        const ColourFormat::Field& f = format.field[i];
        put_field(format, f, colour[f.component], lanes, dwords[f.dword]);
    }
}

ARCHIPELAGO_LANE_LOOPS
void unpack(const ColourFormat& format, const Vector& dwords, unsigned lanes, Vector& colour) {
    for (unsigned i = 0; i < format.fields; ++i) {
        const ColourFormat::Field& f = format.field[i];
        take_field(f, dwords[f.dword], lanes, colour[f.component]);
    }
}

void swap_bytes(const ColourFormat& format, unsigned lanes, Vector& dwords) {
    if (format.endian == Endian::None)
        return;
    for (unsigned d = 0; d < format.dwords; ++d)
        for (unsigned i = 0; i < lanes; ++i)
            dwords[d][i] = swapped(dwords[d][i], format.endian);
    if (format.endian == Endian::Swap8In64)
        for (unsigned d = 0; d + 1 < format.dwords; d += 2)
            std::swap_ranges(dwords[d].begin(), dwords[d].begin() + lanes, dwords[d + 1].begin());
}

}  // namespace archipelago::cb
