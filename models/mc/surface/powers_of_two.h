// SPDX-License-Identifier: Apache-2.0
// Sizes of surfaces and their tiles that are powers of two.
#pragma once

#include <cstdint>

namespace archipelago::surface {

constexpr bool is_pow2(uint32_t v) {
    return v != 0 && (v & (v - 1)) == 0;
}

// Rounded down; 0 for 0.
constexpr uint8_t log2_of(uint32_t v) {
    uint8_t n = 0;
    while (v > 1) {
        v >>= 1;
        ++n;
    }
    return n;
}

}  // namespace archipelago::surface
