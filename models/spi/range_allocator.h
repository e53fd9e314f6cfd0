// SPDX-License-Identifier: Apache-2.0
// First-fit allocation of contiguous granules, as a bit vector would do it in hardware.
#pragma once

#include <algorithm>
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
        // From one free run to the next.
        for (unsigned first = next(0, false); first + count <= granules_;) {
            const unsigned end = next(first, true);
            if (end - first >= count)
                return static_cast<int>(first);
            first = next(end, false);
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
    template <class Archive>
    void archive(Archive& a) {
        a(used_);
    }

  private:
    // First granule from `at` on that is used or free, the number of granules when there is none.
    unsigned next(unsigned at, bool used) const {
        while (at < granules_) {
            const uint64_t word = used ? used_[at / 64] : ~used_[at / 64];
            const uint64_t rest = word >> (at % 64);
            if (rest != 0)
                return std::min(at + static_cast<unsigned>(__builtin_ctzll(rest)), granules_);
            at = (at / 64 + 1) * 64;
        }
        return granules_;
    }
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
