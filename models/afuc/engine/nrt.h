// SPDX-License-Identifier: Apache-2.0
// Memory writes through NRT_ADDR and NRT_DATA: pipe registers; on a5xx, GPU registers of the ME.
// Document "Adreno Five Microcode", "Writing Memory".
#pragma once

#include <cstdint>

namespace archipelago::afuc {

inline constexpr uint32_t kPipeNrtAddress = 0xA0;  // lower half; 0xA1: upper half
inline constexpr uint32_t kPipeNrtData = 0xA2;

// Memory is read and written in dwords: the two lowest bits of an address are ignored.
constexpr uint64_t dword_at(uint64_t address) {
    return address & ~uint64_t{3};
}

struct NrtAddress {
    uint32_t low = 0, high = 0;

    void set(unsigned half, uint32_t value) { (half == 0 ? low : high) = value; }
    uint64_t address() const { return uint64_t{high} << 32 | (low & ~3u); }
    // Address of the next dword; counts up by 4 bytes unless bit 0 is set.
    uint64_t next() {
        const uint64_t at = address();
        if ((low & 1) == 0) {
            low += 4;
            high += low < 4 ? 1 : 0;
        }
        return at;
    }
};

}  // namespace archipelago::afuc
