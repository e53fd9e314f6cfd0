// SPDX-License-Identifier: Apache-2.0
#include "testbenches/unit/mc/surface_reference.h"

#include <algorithm>

namespace archipelago::surface {
namespace {

uint32_t bit(uint32_t v, unsigned n) {
    return v >> n & 1;
}

uint32_t element_index(const LevelLayout& l, uint32_t x, uint32_t y, uint32_t z) {
    const uint32_t x0 = bit(x, 0), x1 = bit(x, 1), x2 = bit(x, 2);
    const uint32_t y0 = bit(y, 0), y1 = bit(y, 1), y2 = bit(y, 2);
    const uint32_t z0 = bit(z, 0), z1 = bit(z, 1), z2 = bit(z, 2);
    const auto six = [](uint32_t a, uint32_t b, uint32_t c, uint32_t d, uint32_t e, uint32_t f) {
        return a | b << 1 | c << 2 | d << 3 | e << 4 | f << 5;
    };
    const unsigned thick = thickness(l.mode.array);
    uint32_t index = 0;
    switch (l.mode.micro) {
        case MicroTileMode::Display:
            switch (l.bits) {
                case 8:
                    index = six(x0, x1, x2, y1, y0, y2);
                    break;
                case 16:
                    index = six(x0, x1, x2, y0, y1, y2);
                    break;
                case 32:
                    index = six(x0, x1, y0, x2, y1, y2);
                    break;
                case 64:
                    index = six(x0, y0, x1, x2, y1, y2);
                    break;
                default:
                    index = six(y0, x0, x1, x2, y1, y2);
                    break;
            }
            break;
        case MicroTileMode::Thin:
        case MicroTileMode::Depth:
            index = six(x0, y0, x1, y1, x2, y2);
            break;
        case MicroTileMode::Rotated:
            switch (l.bits) {
                case 8:
                    index = six(y0, y1, y2, x1, x0, x2);
                    break;
                case 16:
                    index = six(y0, y1, y2, x0, x1, x2);
                    break;
                case 32:
                    index = six(y0, y1, x0, y2, x1, x2);
                    break;
                default:
                    index = six(y0, x0, y1, x1, x2, y2);
                    break;
            }
            break;
        case MicroTileMode::Thick:
            if (l.bits <= 16)
                index = six(x0, y0, x1, y1, z0, z1);
            else if (l.bits == 32)
                index = six(x0, y0, x1, z0, y1, z1);
            else
                index = six(x0, y0, z0, x1, y1, z1);
            return index | x2 << 6 | y2 << 7 | (thick == 8 ? z2 << 8 : 0);
    }
    if (thick >= 4)
        index |= z0 << 6 | z1 << 7;
    if (thick == 8)
        index |= z2 << 8;
    return index;
}

uint32_t pipe_of(PipeConfig config, uint32_t x, uint32_t y) {
    const uint32_t x3 = bit(x, 3), x4 = bit(x, 4), x5 = bit(x, 5), x6 = bit(x, 6);
    const uint32_t y3 = bit(y, 3), y4 = bit(y, 4), y5 = bit(y, 5), y6 = bit(y, 6);
    const auto four = [](uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
        return a | b << 1 | c << 2 | d << 3;
    };
    switch (config) {
        case PipeConfig::P2:
            return x3 ^ y3;
        case PipeConfig::P4_8x16:
            return four(x4 ^ y3, x3 ^ y4, 0, 0);
        case PipeConfig::P4_16x16:
            return four(x3 ^ y3 ^ x4, x4 ^ y4, 0, 0);
        case PipeConfig::P4_16x32:
            return four(x3 ^ y3 ^ x4, x4 ^ y5, 0, 0);
        case PipeConfig::P4_32x32:
            return four(x3 ^ y3 ^ x5, x5 ^ y5, 0, 0);
        case PipeConfig::P8_16x32_8x16:
            return four(x4 ^ y3 ^ x5, x3 ^ y4, x4 ^ y5, 0);
        case PipeConfig::P8_32x32_8x16:
            return four(x4 ^ y3 ^ x5, x3 ^ y4, x5 ^ y5, 0);
        case PipeConfig::P8_16x32_16x16:
            return four(x3 ^ y3 ^ x4, x5 ^ y4, x4 ^ y5, 0);
        case PipeConfig::P8_32x32_16x16:
            return four(x3 ^ y3 ^ x4, x4 ^ y4, x5 ^ y5, 0);
        case PipeConfig::P8_32x32_16x32:
            return four(x3 ^ y3 ^ x4, x4 ^ y6, x5 ^ y5, 0);
        case PipeConfig::P8_32x64_32x32:
            return four(x3 ^ y3 ^ x5, x6 ^ y5, x5 ^ y6, 0);
        case PipeConfig::P16_32x32_8x16:
            return four(x4 ^ y3, x3 ^ y4, x5 ^ y6, x6 ^ y5);
        case PipeConfig::P16_32x32_16x16:
            return four(x3 ^ y3 ^ x4, x4 ^ y4, x5 ^ y6, x6 ^ y5);
        default:
            return 0;
    }
}

uint32_t bank_of(const TileMode& m, uint32_t x, uint32_t y) {
    const uint32_t tx = x / 8 / (m.bank_width * pipes_of(m.pipe));
    const uint32_t ty = y / 8 / m.bank_height;
    const uint32_t x0 = bit(tx, 0), x1 = bit(tx, 1), x2 = bit(tx, 2), x3 = bit(tx, 3);
    const uint32_t y0 = bit(ty, 0), y1 = bit(ty, 1), y2 = bit(ty, 2), y3 = bit(ty, 3);
    uint32_t bank = 0;
    switch (m.banks) {
        case 16:
            bank = (x0 ^ y3) | (x1 ^ y2 ^ y3) << 1 | (x2 ^ y1) << 2 | (x3 ^ y0) << 3;
            break;
        case 8:
            bank = (x0 ^ y2) | (x1 ^ y1 ^ y2) << 1 | (x2 ^ y0) << 2;
            break;
        case 4:
            bank = (x0 ^ y1) | (x1 ^ y0) << 1;
            break;
        default:
            bank = x0 ^ y0;
            break;
    }
    if (m.bank_width == 1 &&
        (m.pipe == PipeConfig::P4_32x32 || m.pipe == PipeConfig::P8_32x64_32x32))
        bank ^= bit(x, 4) ^ bit(x, 5);
    return bank;
}

}  // namespace

uint64_t reference_address(const LevelLayout& l, const AddressConfig& c, uint32_t x, uint32_t y,
                           uint32_t slice, uint32_t sample) {
    const TileMode& m = l.mode;
    const uint64_t bytes = l.bits / 8;
    const uint64_t slice_pixels = uint64_t{l.pitch} * l.height;
    if (is_linear(m.array))
        return l.base +
               ((slice + uint64_t{sample} * l.slices) * slice_pixels + uint64_t{y} * l.pitch + x) *
                   bytes;
    const unsigned thick = thickness(m.array);
    uint64_t tile_bytes = 64 * thick * bytes * l.samples;
    const uint64_t index = element_index(l, x % 8, y % 8, slice % thick);
    uint64_t element = m.micro == MicroTileMode::Depth
                           ? (index * l.samples + sample) * bytes
                           : sample * (tile_bytes / l.samples) + index * bytes;
    const uint64_t group = slice / thick;
    if (!is_macro(m.array))
        return l.base + group * slice_pixels * thick * bytes * l.samples +
               (y / 8 * (l.pitch / 8) + x / 8) * tile_bytes + element;

    const uint32_t pipes = pipes_of(m.pipe);
    const uint32_t mw = 8 * m.bank_width * pipes * m.macro_aspect;
    const uint32_t mh = 8 * m.bank_height * m.banks / m.macro_aspect;
    uint64_t slices_per_tile = 1, split_slice = 0;
    if (thick == 1 && tile_bytes > m.tile_split) {
        slices_per_tile = tile_bytes / m.tile_split;
        split_slice = element / m.tile_split;
        element %= m.tile_split;
        tile_bytes = m.tile_split;
    }
    const uint64_t macro_bytes = tile_bytes * (mw / 8) * (mh / 8) / (pipes * m.banks);
    const uint64_t slice_bytes = uint64_t{l.pitch / mw} * (l.height / mh) * macro_bytes;
    const uint64_t total =
        slice_bytes * (split_slice + slices_per_tile * group) +
        (uint64_t{y / mh} * (l.pitch / mw) + x / mw) * macro_bytes +
        (y / 8 % m.bank_height * m.bank_width + x / 8 / pipes % m.bank_width) * tile_bytes +
        element;
    if (m.array == ArrayMode::PrtThin || m.array == ArrayMode::PrtThick) {
        x %= mw;
        y %= mh;
    }
    const bool turns_3d = m.array == ArrayMode::Tiled3dThin || m.array == ArrayMode::Tiled3dThick ||
                          m.array == ArrayMode::Tiled3dXthick;
    const bool turns_2d = m.array == ArrayMode::Tiled2dThin || m.array == ArrayMode::Tiled2dThick ||
                          m.array == ArrayMode::Tiled2dXthick;
    const uint64_t step = std::max(1, static_cast<int>(pipes / 2) - 1);
    const uint64_t pipe =
        pipe_of(m.pipe, x, y) ^ ((l.pipe_swizzle + (turns_3d ? step * group : 0)) & (pipes - 1));
    uint64_t turn = 0;
    if (turns_2d)
        turn = (m.banks / 2 - 1) * group;
    if (turns_3d)
        turn = step * group / pipes;
    uint64_t split_turn = 0;
    if (m.array == ArrayMode::Tiled2dThin || m.array == ArrayMode::Tiled3dThin ||
        m.array == ArrayMode::Prt2dThin || m.array == ArrayMode::Prt3dThin)
        split_turn = (m.banks / 2 + 1) * split_slice;
    const uint64_t bank = (bank_of(m, x, y) ^ (l.bank_swizzle + turn) ^ split_turn) & (m.banks - 1);
    const uint64_t unit = c.pipe_interleave;
    return l.base + total % unit + pipe * unit + bank * unit * pipes +
           total / unit * unit * pipes * m.banks;
}

}  // namespace archipelago::surface
