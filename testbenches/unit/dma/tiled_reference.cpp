// SPDX-License-Identifier: Apache-2.0
#include "testbenches/unit/dma/tiled_reference.h"

namespace archipelago::dma::test {

using surface::ArrayMode;
using surface::MicroTileMode;
using surface::PipeConfig;

namespace {

bool r6xx(const Generation& g) {
    return g.surfaces == surface::Generation::R6xx;
}
bool evergreen(const Generation& g) {
    return g.surfaces == surface::Generation::Evergreen;
}

surface::AddressConfig config_of(const Generation& g) {
    surface::AddressConfig config;
    config.generation = g.surfaces;
    config.pipes = r6xx(g) ? 2 : 4;
    config.row_bytes = 1024;
    return config;
}

// Pipe swizzle, then bank swizzle, above the 256 bytes of a pipe; `pipes` of them.
unsigned pipes_of(const Generation& g, const Tiling& t) {
    if (r6xx(g))
        return 2;
    return evergreen(g) ? 4 : surface::pipes_of(static_cast<PipeConfig>(t.pipes));
}

surface::LevelLayout layout_of(const Generation& g, const Tiling& t, unsigned pitch_tiles,
                               unsigned tile_rows, uint64_t base) {
    surface::LevelLayout l;
    l.mode.generation = g.surfaces;
    l.mode.array = static_cast<ArrayMode>(t.array);
    l.bits = 8u << t.size;
    l.pitch = 8 * pitch_tiles;
    l.height = 8 * tile_rows;
    l.slices = 16;
    l.base = base;
    l.pipe_swizzle = t.pipe_swizzle;
    l.bank_swizzle = t.bank_swizzle;
    if (r6xx(g)) {
        // 2D_TILED_THIN2 and _THIN4: macro tiles half and a quarter as wide.
        if (t.array == 5 || t.array == 6) {
            l.mode.array = ArrayMode::Tiled2dThin;
            l.mode.macro_aspect = t.array == 5 ? 2 : 4;
        }
        l.mode.micro = MicroTileMode::Display;
        l.mode.pipe = PipeConfig::P2;
        l.mode.banks = 4;
        return l;
    }
    l.mode.tile_split = static_cast<uint16_t>(64u << t.split);
    l.mode.banks = static_cast<uint8_t>(2u << t.banks);
    l.mode.bank_width = static_cast<uint8_t>(1u << t.width);
    l.mode.bank_height = static_cast<uint8_t>(1u << t.height);
    l.mode.macro_aspect = static_cast<uint8_t>(1u << t.aspect);
    if (evergreen(g)) {
        l.mode.pipe = PipeConfig::P4_8x16;
        l.mode.micro = t.thin ? MicroTileMode::Thin : MicroTileMode::Display;
    } else {
        l.mode.pipe = static_cast<PipeConfig>(t.pipes);
        l.mode.micro = static_cast<MicroTileMode>(t.micro);
    }
    return l;
}

}  // namespace

Surf::Surf(const Generation& g, const Tiling& tiling, unsigned pitch, unsigned tile_rows,
           unsigned rows, uint64_t base)
    : t(tiling),
      pitch_tiles(pitch),
      slice_tiles(pitch * tile_rows),
      height(rows),
      base_(base + 256u * (tiling.pipe_swizzle + tiling.bank_swizzle * pipes_of(g, tiling))) {
    std::string error;
    if (!level_.set_up(layout_of(g, t, pitch, tile_rows, base), config_of(g), error))
        throw std::logic_error(error);
}

Words Surf::old(bool detile, uint32_t x, uint32_t y, uint32_t z, unsigned swap) const {
    return {f(31, 31, detile) | f(30, 27, t.array) | f(26, 24, t.size) | f(22, 10, height - 1) |
                f(9, 0, pitch_tiles - 1),
            f(31, 12, slice_tiles - 1) | f(10, 0, z), f(29, 17, y) | f(15, 3, x) | f(2, 1, swap)};
}

Words Surf::islands(bool detile, uint32_t x, uint32_t y, uint32_t z, unsigned swap,
                    unsigned swap0) const {
    return {f(31, 31, detile) | f(30, 27, t.array) | f(26, 24, t.size) | f(22, 21, t.height) |
                f(19, 18, t.width) | f(17, 16, t.aspect),
            f(29, 16, height - 1) | f(10, 0, pitch_tiles - 1),
            f(30, 26, t.pipes) | f(21, 0, slice_tiles - 1), f(28, 18, z) | f(13, 0, x),
            f(31, 30, swap) | f(28, 27, t.micro) | f(26, 25, t.banks) | f(23, 21, t.split) |
                f(20, 19, swap0) | f(13, 0, y)};
}

uint32_t Surf::cik_mode() const {
    return f(30, 26, t.pipes) | f(25, 24, t.aspect) | f(22, 21, t.banks) | f(19, 18, t.height) |
           f(16, 15, t.width) | f(13, 11, t.split) | f(10, 8, t.micro) | f(6, 3, t.array) |
           f(2, 0, t.size);
}

std::vector<Tiling> tilings(const Generation& g, bool document) {
    std::vector<Tiling> list;
    std::vector<unsigned> arrays = {0, 1, 2, 3, 4, 7, 12, 13};
    if (r6xx(g))
        arrays.insert(arrays.end(), {5, 6});
    else
        arrays.insert(arrays.end(), {8, 14});
    if (!r6xx(g) && !evergreen(g))
        arrays.insert(arrays.end(), {5, 6, 9, 10, 11, 15});
    for (const unsigned array : arrays) {
        Tiling t;
        t.array = array;
        t.size = static_cast<unsigned>(list.size() % 5);
        list.push_back(t);
    }
    for (unsigned size = 0; size < 5; ++size) {
        Tiling t;
        t.size = size;
        t.pipe_swizzle = size % 2;
        t.bank_swizzle = size % 3;
        if (!r6xx(g)) {
            t.micro = size < 4 ? size : 1;
            t.thin = (t.micro & (document ? 3 : 2)) != 0;
            t.width = size % 2;
            t.height = size == 3 ? 2 : 1;
            t.aspect = size % 2;
            t.banks = size == 0 ? 2 : size % 3;
            t.split = 1 + size % 3;
            t.pipes = size < 3 ? 4 + size : size % 2 * 4;
        }
        list.push_back(t);
    }
    return list;
}

Addresses walk(const Place& at, uint32_t x, uint32_t y, uint32_t z, uint64_t elements,
               uint32_t pitch, uint32_t height, uint32_t element) {
    Addresses list;
    for (uint64_t n = 0; n < elements; ++n) {
        for (unsigned byte = 0; byte < element; ++byte)
            list.push_back(at(x, y, z) + byte);
        if (++x == pitch) {
            x = 0;
            if (++y == height) {
                y = 0;
                ++z;
            }
        }
    }
    return list;
}

Addresses window(const Place& at, uint32_t x, uint32_t y, uint32_t z, uint32_t dx, uint32_t dy,
                 uint32_t dz, uint32_t element) {
    Addresses list;
    for (uint32_t k = 0; k < dz; ++k)
        for (uint32_t j = 0; j < dy; ++j)
            for (uint32_t i = 0; i < dx; ++i)
                for (unsigned byte = 0; byte < element; ++byte)
                    list.push_back(at(x + i, y + j, z + k) + byte);
    return list;
}

}  // namespace archipelago::dma::test
