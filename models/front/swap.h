// SPDX-License-Identifier: Apache-2.0
// Byte swaps of Radeon engines. Two-bit codes: 0 none, 1 8-in-16, 2 8-in-32, 3 8-in-64; dword
// transfers know 0..2.
#pragma once

#include <cstdint>

namespace archipelago::front {

constexpr uint8_t kMaxDwordSwap = 2;
constexpr uint32_t swap_dword(uint32_t value, unsigned code) {
    switch (code) {
        case 1:
            return (value & 0x00FF00FF) << 8 | (value >> 8 & 0x00FF00FF);
        case 2:
            return value << 24 | (value & 0xFF00) << 8 | (value >> 8 & 0xFF00) | value >> 24;
        default:
            return value;
    }
}
// Byte i of a swapped stream is byte i ^ swap_mask(code) of the stream.
constexpr unsigned swap_mask(unsigned code) {
    return (1u << code) - 1;
}

}  // namespace archipelago::front
