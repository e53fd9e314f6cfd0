// SPDX-License-Identifier: Apache-2.0
#include "models/dma/tile_copy.h"

namespace archipelago::dma {
namespace {

// `kBytes`: of a run of elements that follow one another in both places.
template <unsigned kBytes>
void copy_runs(const TileSlice& slice, const TilePieces& pieces, const TileRows& rows, unsigned run,
               bool to_rows) {
    for (unsigned y = 0; y < kTileSide; ++y)
        for (unsigned x = 0, byte = 0; x < kTileSide; x += run, byte += kBytes) {
            const unsigned element = y * kTileSide + x;
            uint8_t* in_tile = pieces[slice.piece[element]] + slice.offset[element];
            uint8_t* in_row = rows[y] + byte;
            if (to_rows)
                move_bytes<kBytes>(in_row, in_tile);
            else
                move_bytes<kBytes>(in_tile, in_row);
        }
}

}  // namespace

void copy_tile(const TiledSurface& surface, const TileSlice& slice, const TilePieces& pieces,
               const TileRows& rows, bool to_rows) {
    switch (surface.run * surface.level.layout.bits / 8) {
        case 1:
            return copy_runs<1>(slice, pieces, rows, surface.run, to_rows);
        case 2:
            return copy_runs<2>(slice, pieces, rows, surface.run, to_rows);
        case 4:
            return copy_runs<4>(slice, pieces, rows, surface.run, to_rows);
        case 8:
            return copy_runs<8>(slice, pieces, rows, surface.run, to_rows);
        case 16:
            return copy_runs<16>(slice, pieces, rows, surface.run, to_rows);
        default:
            return copy_runs<32>(slice, pieces, rows, surface.run, to_rows);
    }
}

}  // namespace archipelago::dma
