// SPDX-License-Identifier: Apache-2.0
// First-fit allocation of contiguous granules, as a bit vector would do it in hardware.
#pragma once

#include <array>
#include <cstdint>

namespace archipelago::spi {

// Up to 256 granules; the lowest free run that is long enough wins.
class RangeAllocator {
  public:
    explicit RangeAllocator(unsigned granules = 64) : granules_(granules) {}

    // First granule of a free run of `count`, -1 when there is none. count 0 always fits at 0.
    int find(unsigned count) const {
        if (count == 0)
            return 0;
        if (count > granules_)
            return -1;
        unsigned run = 0;
        for (unsigned i = 0; i < granules_; ++i) {
            if (run == 0 && i % 64 == 0) {  // skip words without a free granule
                while (i < granules_ && used_[i / 64] == ~uint64_t{0})
                    i += 64;
                if (i >= granules_)
                    return -1;
            }
            run = (used_[i / 64] >> (i % 64) & 1) != 0 ? 0 : run + 1;
            if (run == count)
                return static_cast<int>(i + 1 - count);
        }
        return -1;
    }
    void take(unsigned first, unsigned count) { set(first, count, true); }
    void free(unsigned first, unsigned count) { set(first, count, false); }
    unsigned used() const {
        unsigned n = 0;
        for (const uint64_t w : used_)
            n += static_cast<unsigned>(__builtin_popcountll(w));
        return n;
    }
    unsigned granules() const { return granules_; }

  private:
    void set(unsigned first, unsigned count, bool value) {
        for (unsigned i = first; i < first + count; ++i) {
            const uint64_t bit = uint64_t{1} << (i % 64);
            if (value)
                used_[i / 64] |= bit;
            else
                used_[i / 64] &= ~bit;
        }
    }
    unsigned granules_;
    std::array<uint64_t, 4> used_{};
};

}  // namespace archipelago::spi
