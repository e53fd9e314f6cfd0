// SPDX-License-Identifier: Apache-2.0
// Arrays of fields to and from one vector of Verilog, element 0 in the lowest bits. These run in
// every cycle of every twin, hence no loop over single fields.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace archipelago::rtl {

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
              "fields of arrays are taken to lie in memory as in a vector of Verilog");

// Sixteen fields of four bits, one in each byte of the array; upper bits of the bytes are dropped.
inline uint64_t pack_nibbles(const std::array<uint8_t, 16>& from) {
    const auto half = [&](size_t at) {
        uint64_t x;
        std::memcpy(&x, from.data() + at, sizeof x);
        x &= 0x0f0f0f0f0f0f0f0f;
        x = (x | x >> 4) & 0x00ff00ff00ff00ff;
        x = (x | x >> 8) & 0x0000ffff0000ffff;
        return (x | x >> 16) & 0xffffffff;
    };
    return half(0) | half(8) << 32;
}
inline void unpack_nibbles(uint64_t from, std::array<uint8_t, 16>& to) {
    const auto half = [&](uint64_t x, size_t at) {
        x = (x | x << 16) & 0x0000ffff0000ffff;
        x = (x | x << 8) & 0x00ff00ff00ff00ff;
        x = (x | x << 4) & 0x0f0f0f0f0f0f0f0f;
        std::memcpy(to.data() + at, &x, sizeof x);
    };
    half(from & 0xffffffff, 0);
    half(from >> 32, 8);
}

// Fields as wide as their type, to a vector of more than 64 bits.
template <class T, size_t N, class Wide>
void pack_wide(const std::array<T, N>& from, Wide& to) {
    static_assert(sizeof from % sizeof(uint32_t) == 0 && sizeof from <= sizeof to);
    std::memcpy(&to[0], from.data(), sizeof from);
}

}  // namespace archipelago::rtl
