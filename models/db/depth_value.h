// SPDX-License-Identifier: Apache-2.0
// Depth as it is stored: an integer of 16 or 24 bits that stands for 0 to 1, or a float's bits.
#pragma once

#include <cstdint>

#include "models/db/depth_state.h"
#include "models/raster/lane_floats.h"

namespace archipelago::db {

constexpr unsigned bytes_of(DepthFormat format) {
    return format == DepthFormat::Z16 ? 2 : 4;
}
// The largest integer of a format, which stands for 1.
constexpr uint32_t largest_of(DepthFormat format) {
    return format == DepthFormat::Z16 ? 0xFFFF : 0xFFFFFF;
}
// Mask of the defined bits of a word in memory: bits 31:24 of Z24 are not.
constexpr uint32_t stored_bits(DepthFormat format) {
    return format == DepthFormat::Z32Float ? ~0u : largest_of(format);
}

// To the nearest integer, halves up. NaN counts as 0.
inline uint32_t depth_integer(double z, double largest) {
    const double from_below = z > 0 ? z : 0;
    const double in_range = from_below < 1 ? from_below : 1;
    constexpr double kHalf = 0.5;  // before the fraction is dropped
    return static_cast<uint32_t>(static_cast<int32_t>(in_range * largest + kHalf));
}
inline uint32_t stored_depth(DepthFormat format, double z) {
    return format == DepthFormat::Z32Float ? raster::bits_of(static_cast<float>(z))
                                           : depth_integer(z, largest_of(format));
}
inline double depth_of(DepthFormat format, uint32_t stored) {
    return format == DepthFormat::Z32Float ? static_cast<double>(raster::float_of(stored))
                                           : static_cast<double>(stored) / largest_of(format);
}

}  // namespace archipelago::db
