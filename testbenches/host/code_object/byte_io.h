// SPDX-License-Identifier: Apache-2.0
// Little-endian loads and stores on byte arrays, the same on any host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace archipelago::host {

// The `bytes` (1..8) at `p`, zero-extended. The caller has checked the range.
inline uint64_t load_le(const uint8_t* p, unsigned bytes) {
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes; ++i)
        value |= static_cast<uint64_t>(p[i]) << (8 * i);
    return value;
}

inline void store_le(uint8_t* p, uint64_t value, unsigned bytes) {
    for (unsigned i = 0; i < bytes; ++i)
        p[i] = static_cast<uint8_t>(value >> (8 * i));
}

// The 32-bit words of the bytes; what is left at the end is no word.
inline std::vector<uint32_t> load_words(const std::vector<uint8_t>& bytes) {
    std::vector<uint32_t> words(bytes.size() / 4);
    for (size_t i = 0; i < words.size(); ++i)
        words[i] = static_cast<uint32_t>(load_le(&bytes[4 * i], 4));
    return words;
}

// The same bits in a type of the same size.
template <class To, class From>
To bit_cast(From from) {
    static_assert(sizeof(To) == sizeof(From));
    To to;
    std::memcpy(&to, &from, sizeof to);
    return to;
}

}  // namespace archipelago::host
