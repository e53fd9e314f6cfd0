// SPDX-License-Identifier: Apache-2.0
// Floats of 16 bits and fewer (five exponent bits) to and from binary32, without branches: loops
// over lanes that call these are vectorised.
#pragma once

#include <cstdint>
#include <cstring>

namespace archipelago::raster {

inline uint32_t bits_of(float f) {
    uint32_t u;
    std::memcpy(&u, &f, sizeof u);
    return u;
}
inline float float_of(uint32_t u) {
    float f;
    std::memcpy(&f, &u, sizeof f);
    return f;
}

// Bits of binary32 of a magnitude with five exponent bits above `Mantissa` bits, exactly; NaN keeps
// its payload.
template <unsigned Mantissa>
inline uint32_t float_of_small(uint32_t bits) {
    constexpr int32_t up = 23 - Mantissa;
    constexpr int32_t infinity = 31 << Mantissa;
    const auto v = static_cast<int32_t>(bits);
    // A denormal is an integer in units of 2^(-14 - Mantissa).
    const uint32_t denormal =
        bits_of(static_cast<float>(v) * float_of((127 - 14 - Mantissa) << 23));
    const uint32_t normal = (bits << up) + (112u << 23);
    const uint32_t special = bits << up | 0x7f800000u;
    return v >= infinity ? special : v < 1 << Mantissa ? denormal : normal;
}
inline uint32_t float_of_half(uint32_t h) {
    return (h & 0x8000) << 16 | float_of_small<10>(h & 0x7fff);
}

// The reverse of a magnitude's bits. `nearest`: half a unit in the last place is rounded up, and
// what is too large becomes infinity; else bits are dropped, and what is too large becomes the
// largest number. NaN keeps its upper bits and stays NaN.
template <unsigned Mantissa>
inline uint32_t small_of_float(uint32_t magnitude, bool nearest) {
    constexpr int32_t down = 23 - Mantissa;
    constexpr int32_t infinity = 31 << Mantissa;
    const auto m = static_cast<int32_t>(magnitude);
    const int32_t normal = (m - (112 << 23) + (nearest ? 1 << (down - 1) : 0)) >> down;
    const int32_t largest = nearest ? infinity : infinity - 1;
    // Below 2^-14 the unit is fixed: 2^(-14 - Mantissa).
    const bool small = m < 113 << 23;
    const float units = float_of(small ? magnitude : 0) * float_of((127 + 14 + Mantissa) << 23);
    const auto whole = static_cast<int32_t>(units);
    const float rest = units - static_cast<float>(whole);
    const int32_t denormal = whole + (nearest && rest >= 0.5f ? 1 : 0);
    const int32_t finite = small ? denormal : normal > largest ? largest : normal;
    const int32_t payload = m >> down & ((1 << Mantissa) - 1);
    const int32_t nan = infinity | payload | (payload == 0 ? 1 << (Mantissa - 1) : 0);
    return static_cast<uint32_t>(m > 0x7f800000 ? nan : m == 0x7f800000 ? infinity : finite);
}
inline uint32_t half_of_float(uint32_t f, bool nearest) {
    return (f >> 16 & 0x8000) | small_of_float<10>(f & 0x7fffffffu, nearest);
}

}  // namespace archipelago::raster
