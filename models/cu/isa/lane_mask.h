// SPDX-License-Identifier: Apache-2.0
// Between 64-bit lane masks and per-lane words, without a branch per lane; private to
// models/cu/isa.
#pragma once

#include <cstdint>
#include <cstring>

#include "models/cu/isa/wave_state.h"

namespace archipelago::isa {

// Bit l of the result: flags[l] != 0. `flags` must hold 0 or 1.
inline uint64_t pack_flags(const uint8_t flags[kLanes]) {
    uint64_t mask = 0;
    for (unsigned i = 0; i < kLanes / 8; ++i) {
        uint64_t bytes;
        std::memcpy(&bytes, flags + 8 * i, 8);
        // The product gathers bit 0 of the eight bytes in its top byte.
        mask |= (bytes * 0x0102040810204080ull >> 56) << (8 * i);
    }
    return mask;
}

// Four lanes of a mask as words of all ones or zeros.
struct NibbleMasks {
    alignas(16) uint32_t words[16][4] = {};

    constexpr NibbleMasks() {
        for (unsigned n = 0; n < 16; ++n) {
            for (unsigned l = 0; l < 4; ++l) {
                words[n][l] = (n >> l & 1) != 0 ? 0xffffffffu : 0;
            }
        }
    }
};
inline constexpr NibbleMasks kNibbleMasks{};

// dst[l] = src[l] for lanes in `mask`; the others keep their value.
inline void blend(VReg& dst, const uint32_t* src, uint64_t mask) {
    if (mask == ~uint64_t{0}) {
        std::memcpy(dst, src, sizeof(VReg));
        return;
    }
    for (unsigned l = 0; l < kLanes; l += 4) {
        const uint32_t* m = kNibbleMasks.words[mask >> l & 15];
        for (unsigned i = 0; i < 4; ++i) {
            dst[l + i] = (dst[l + i] & ~m[i]) | (src[l + i] & m[i]);
        }
    }
}

// dst[l] = 0 for lanes in `mask`.
inline void clear(uint32_t* dst, uint64_t mask) {
    for (unsigned l = 0; l < kLanes; l += 4) {
        const uint32_t* m = kNibbleMasks.words[mask >> l & 15];
        for (unsigned i = 0; i < 4; ++i) {
            dst[l + i] &= ~m[i];
        }
    }
}

}  // namespace archipelago::isa
