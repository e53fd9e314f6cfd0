// SPDX-License-Identifier: Apache-2.0
// Addresses of many elements of a surface: the rows of address.h with all that does not depend on
// the element worked out before.
#pragma once

#include <array>
#include <cstdint>

#include "models/ctm/mc/address.h"

namespace archipelago::ctm {

// Bits 10:0 of a row of table 2 are an exclusive or of bits of x and of bits of y.
struct TilePlaces {
    std::array<std::array<uint16_t, 128>, 5> of_x{};  // by log2 of an element's bytes
    std::array<std::array<uint16_t, 64>, 5> of_y{};
};
extern const TilePlaces kTilePlaces;

class SurfaceAddresses {
  public:
    // Not for reserved formats.
    SurfaceAddresses(const Surface& s, unsigned log2_bytes)
        : log2_bytes_(log2_bytes), tiled_(is_tiled(s.tiling)) {
        // Tiles are as high as their rows of the table say; a granule of the pitch is as wide.
        constexpr uint8_t kLog2Height[] = {5, 5, 4, 4, 3};
        const auto granule =
            static_cast<unsigned>(__builtin_ctz(pitch_granule(log2_bytes, tiled_)));
        shift_x_ = granule;
        pitch_ = s.pitch >> granule;
        shift_y_ = tiled_ ? kLog2Height[log2_bytes] : 0;
        base_ = s.base >> (tiled_ ? 11 : 5);
        of_x_ = kTilePlaces.of_x[log2_bytes].data();
        of_y_ = kTilePlaces.of_y[log2_bytes].data();
    }
    // element_address(); x and y have 12 bits.
    uint32_t of(uint32_t x, uint32_t y) const {
        const uint32_t unit = (y >> shift_y_) * pitch_ + (x >> shift_x_) + base_;
        if (tiled_)
            return unit << 11 | (of_x_[x % 128] ^ of_y_[y % 64]);
        return unit << 5 | (x & ((1u << shift_x_) - 1)) << log2_bytes_;
    }

  private:
    unsigned log2_bytes_;
    bool tiled_;
    unsigned shift_x_, shift_y_;
    uint32_t pitch_, base_;  // granules; units of 2 KiB, of 32 bytes
    const uint16_t* of_x_;
    const uint16_t* of_y_;
};

}  // namespace archipelago::ctm
