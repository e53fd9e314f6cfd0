// SPDX-License-Identifier: Apache-2.0
// Addresses of many elements of a surface: the rows of address.h, with all that does not depend on
// the element computed once.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "models/ctm/mc/address.h"

namespace archipelago::ctm {

// Bits 10:0 of a row of table 2 are an exclusive or of bits of x and of bits of y.
struct TilePlaces {
    std::array<std::array<uint16_t, 128>, 5> of_x{};  // by log2 of an element's bytes
    std::array<std::array<uint16_t, 64>, 5> of_y{};
};
extern const TilePlaces kTilePlaces;

// The same as moves: bits of x and of y by how far up they go. For several elements at once.
constexpr unsigned kTileMoves = 9;
struct TileMoves {
    std::array<uint16_t, kTileMoves> of_x{}, of_y{};  // masks
};
constexpr TileMoves tile_moves(unsigned log2_bytes) {
    TileMoves moves;
    for (unsigned i = 0; i < 7; ++i) {
        const uint32_t x = tiled_address(log2_bytes, 0, 0, 1u << i, 0);
        const uint32_t y = tiled_address(log2_bytes, 0, 0, 0, 1u << i);
        for (unsigned up = 0; up < kTileMoves; ++up) {
            moves.of_x[up] |= static_cast<uint16_t>(bit(field(x, 10, 0), i + up) << i);
            moves.of_y[up] |= static_cast<uint16_t>(bit(field(y, 10, 0), i + up) << i);
        }
    }
    return moves;
}
// Tiles are as high as their rows of table 2 say.
constexpr unsigned tile_log2_height(unsigned log2_bytes) {
    constexpr uint8_t kLog2Height[] = {5, 5, 4, 4, 3};
    return kLog2Height[log2_bytes];
}
constexpr unsigned log2_of(uint32_t power) {
    return static_cast<unsigned>(__builtin_ctz(power));
}

// A number of each lane of a quad.
using QuadWords = uint32_t __attribute__((vector_size(16)));

class SurfaceAddresses {
  public:
    // Not for reserved formats.
    SurfaceAddresses(const Surface& s, unsigned log2_bytes)
        : log2_bytes_(log2_bytes), tiled_(is_tiled(s.tiling)) {
        // A granule of the pitch is as wide as a tile.
        shift_x_ = log2_of(pitch_granule(log2_bytes, tiled_));
        pitch_ = s.pitch >> shift_x_;
        shift_y_ = tiled_ ? tile_log2_height(log2_bytes) : 0;
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

    // of() of four elements, of a surface of this size of elements.
    template <unsigned Log2Bytes>
    QuadWords of_quad(QuadWords x, QuadWords y) const {
        if (!tiled_) {
            constexpr unsigned kShift = log2_of(pitch_granule(Log2Bytes, false));
            const QuadWords unit = y * pitch_ + (x >> kShift) + base_;
            return unit << 5 | (x & ((1u << kShift) - 1)) << Log2Bytes;
        }
        constexpr unsigned kShift = log2_of(pitch_granule(Log2Bytes, true));
        const QuadWords unit = (y >> tile_log2_height(Log2Bytes)) * pitch_ + (x >> kShift) + base_;
        return unit << 11 | place_of<Log2Bytes>(x, y, std::make_index_sequence<kTileMoves>());
    }

  private:
    template <unsigned Log2Bytes, size_t... Up>
    static QuadWords place_of(QuadWords x, QuadWords y, std::index_sequence<Up...>) {
        constexpr TileMoves kMoves = tile_moves(Log2Bytes);
        QuadWords place = {};
        const auto move = [&](QuadWords from, auto mask, unsigned up) {
            if constexpr (decltype(mask)::value != 0)
                place ^= (from & decltype(mask)::value) << up;
        };
        (move(x, std::integral_constant<uint32_t, kMoves.of_x[Up]>(), Up), ...);
        (move(y, std::integral_constant<uint32_t, kMoves.of_y[Up]>(), Up), ...);
        return place;
    }

    unsigned log2_bytes_;
    bool tiled_;
    unsigned shift_x_, shift_y_;
    uint32_t pitch_, base_;  // granules; units of 2 KiB, of 32 bytes
    const uint16_t* of_x_;
    const uint16_t* of_y_;
};

}  // namespace archipelago::ctm
