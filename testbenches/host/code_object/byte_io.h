// SPDX-License-Identifier: Apache-2.0
// Little-endian loads and stores on byte arrays, the same on any host.
#pragma once

#include <cstddef>
#include <cstdint>

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

}  // namespace archipelago::host
