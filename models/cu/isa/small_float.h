// SPDX-License-Identifier: Apache-2.0
// Floats of 16, 11 and 10 bits (five exponent bits, bias 15), and other exact conversions of the
// memory formats; private to models/cu/isa. Results do not depend on the host's maths library.
#pragma once

#include <cstdint>
#include <cstring>

#include "models/common/invariant.h"

namespace archipelago::isa {

inline uint32_t to_bits(float f) {
    uint32_t u;
    std::memcpy(&u, &f, sizeof u);
    return u;
}
inline float to_float(uint32_t u) {
    float f;
    std::memcpy(&f, &u, sizeof f);
    return f;
}

// A magnitude of five exponent bits above `mantissa_bits` (10 at most), exactly; NaN keeps its
// payload.
inline uint32_t small_to_float(uint32_t v, unsigned mantissa_bits) {
    invariant(mantissa_bits <= 10, "isa", "a small float has at most 10 bits of mantissa");
    const uint32_t exponent = v >> mantissa_bits & 31;
    const unsigned up = 23 - mantissa_bits;
    uint32_t mantissa = v & ((1u << mantissa_bits) - 1);
    if (exponent == 31) {
        return 0x7f800000u | mantissa << up;
    }
    if (exponent != 0) {
        return (exponent + 112) << 23 | mantissa << up;
    }
    if (mantissa == 0) {
        return 0;
    }
    uint32_t e = 113;
    while (mantissa >> mantissa_bits == 0) {
        mantissa <<= 1;
        --e;
    }
    return e << 23 | (mantissa & ((1u << mantissa_bits) - 1)) << up;
}

// The reverse of a float's magnitude: to nearest even, overflow to infinity, denormals kept.
inline uint32_t float_to_small(uint32_t magnitude, unsigned mantissa_bits) {
    const uint32_t infinity = 31u << mantissa_bits;
    const unsigned down = 23 - mantissa_bits;
    magnitude &= 0x7fffffffu;
    if (magnitude > 0x7f800000u) {
        return infinity | 1u << (mantissa_bits - 1) |
               (magnitude >> down & ((1u << mantissa_bits) - 1));
    }
    if (magnitude == 0x7f800000u) {
        return infinity;
    }
    const int exponent = static_cast<int>(magnitude >> 23) - 127;
    if (exponent > 15) {
        return infinity;
    }
    uint32_t mantissa = (magnitude & 0x7fffff) | 0x800000;
    // Bits to drop so that one unit is the last place; below 2^-14 the place is fixed.
    const int shift =
        exponent >= -14 ? static_cast<int>(down) : static_cast<int>(down) + (-14 - exponent);
    if (shift > 24) {
        return 0;
    }
    const uint32_t half = 1u << (shift - 1);
    const uint32_t rest = mantissa & ((half << 1) - 1);
    mantissa >>= shift;
    if (rest > half || (rest == half && (mantissa & 1) != 0)) {
        ++mantissa;  // a carry lands in the exponent, up to infinity
    }
    if (exponent >= -14) {
        return (static_cast<uint32_t>(exponent + 14) << mantissa_bits) + mantissa;
    }
    return mantissa;
}

inline uint32_t half_bits_to_float(uint32_t h) {
    return (h & 0x8000) << 16 | small_to_float(h & 0x7fff, 10);
}
inline uint32_t float_to_half_bits(uint32_t f) {
    return (f >> 16 & 0x8000) | float_to_small(f, 10);
}

// To the nearest integer, ties to even; |x| < 2^53.
inline int64_t nearest_integer(double x) {
    const auto truncated = static_cast<int64_t>(x);
    const double rest = x - static_cast<double>(truncated);
    if (rest > 0.5 || (rest == 0.5 && (truncated & 1) != 0)) {
        return truncated + 1;
    }
    if (rest < -0.5 || (rest == -0.5 && (truncated & 1) != 0)) {
        return truncated - 1;
    }
    return truncated;
}

// Largest integer not above x; |x| < 2^53.
inline int64_t floor_integer(double x) {
    const auto truncated = static_cast<int64_t>(x);
    return static_cast<double>(truncated) > x ? truncated - 1 : truncated;
}

}  // namespace archipelago::isa
