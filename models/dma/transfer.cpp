// SPDX-License-Identifier: Apache-2.0
#include "models/dma/transfer.h"

#include <algorithm>

namespace archipelago::dma {
namespace {

// Whether in every row of the tile each aligned group of `run` elements is one piece of memory.
bool follows(const surface::SurfaceLevel& level, uint32_t run) {
    const uint32_t bytes = level.layout.bits / 8;
    for (uint32_t i = 0; i < 64; ++i)
        if (level.element[i] != level.element[i - i % run] + i % run * bytes)
            return false;
    return true;
}

// Pieces end where pipes change, at the least 256 bytes, and where a tile is split.
void make_pieces(TiledSurface& surface) {
    const surface::SurfaceLevel& level = surface.level;
    surface.piece_bytes = static_cast<uint32_t>(std::min<uint64_t>(256, level.split_mask + 1ull));
    for (uint32_t z = 0; z < 1u << level.thick_shift; ++z) {
        TileSlice& slice = surface.slices[z];
        std::array<uint32_t, 64> places{};  // of pieces in the tile
        for (uint8_t i = 0; i < 64; ++i) {
            const uint32_t in_tile = level.element[i] + level.thick[z];
            const uint32_t place = in_tile / surface.piece_bytes;
            const auto end = places.begin() + slice.pieces;
            const auto found = std::find(places.begin(), end, place);
            if (found == end) {
                slice.element[slice.pieces++] = i;
                *found = place;
            }
            slice.piece[i] = static_cast<uint8_t>(found - places.begin());
            slice.offset[i] = static_cast<uint16_t>(in_tile % surface.piece_bytes);
        }
    }
}

}  // namespace

std::shared_ptr<const TiledSurface> make_surface(const surface::LevelLayout& layout,
                                                 const surface::AddressConfig& config,
                                                 std::string& error) {
    auto made = std::make_shared<TiledSurface>();
    if (!made->level.set_up(layout, config, error))
        return nullptr;
    for (made->run = 8; !follows(made->level, made->run);)
        made->run /= 2;
    make_pieces(*made);
    return made;
}

}  // namespace archipelago::dma
