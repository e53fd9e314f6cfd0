// SPDX-License-Identifier: Apache-2.0
// Whole tiles between a tiled surface and rows of elements, in host memory.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>

#include "models/dma/transfer.h"

namespace archipelago::dma {

// The places may overlap.
template <unsigned kBytes>
inline void move_bytes(uint8_t* to, const uint8_t* from) {
    uint8_t between[kBytes];
    std::memcpy(between, from, kBytes);
    std::memcpy(to, between, kBytes);
}

constexpr uint32_t kTileSide = 8;  // elements along x and y

// Eight rows of elements; where each begins.
using TileRows = std::array<uint8_t*, kTileSide>;
// And the pieces of a tile.
using TilePieces = std::array<uint8_t*, 64>;

// One tile: to `rows`, or from them.
void copy_tile(const TiledSurface& surface, const TileSlice& slice, const TilePieces& pieces,
               const TileRows& rows, bool to_rows);

}  // namespace archipelago::dma
