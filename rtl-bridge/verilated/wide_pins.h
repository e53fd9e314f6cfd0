// SPDX-License-Identifier: Apache-2.0
// Arrays of fields to and from one vector of Verilog, element 0 in the lowest bits.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace archipelago::rtl {

// Up to 64 bits altogether.
template <unsigned Bits, class T, size_t N>
uint64_t pack_word(const std::array<T, N>& from) {
    static_assert(Bits * N <= 64);
    uint64_t r = 0;
    for (size_t i = 0; i < N; ++i)
        r |= static_cast<uint64_t>(from[i]) << (Bits * i);
    return r;
}
template <unsigned Bits, class T, size_t N>
void unpack_word(uint64_t from, std::array<T, N>& to) {
    static_assert(Bits * N <= 64);
    for (size_t i = 0; i < N; ++i)
        to[i] = static_cast<T>(from >> (Bits * i) & ((uint64_t{1} << Bits) - 1));
}

// More than 64 bits: `to` is indexed by 32-bit word.
template <unsigned Bits, class T, size_t N, class Wide>
void pack_wide(const std::array<T, N>& from, Wide& to) {
    if constexpr (Bits == 64) {
        for (size_t i = 0; i < N; ++i) {
            to[2 * i] = static_cast<uint32_t>(from[i]);
            to[2 * i + 1] = static_cast<uint32_t>(from[i] >> 32);
        }
    } else {
        constexpr size_t kFields = 32 / Bits;  // in a word
        static_assert(32 % Bits == 0 && N % kFields == 0);
        for (size_t w = 0; w < N / kFields; ++w) {
            uint32_t word = 0;
            for (size_t f = 0; f < kFields; ++f)
                word |= static_cast<uint32_t>(from[w * kFields + f]) << (Bits * f);
            to[w] = word;
        }
    }
}

}  // namespace archipelago::rtl
