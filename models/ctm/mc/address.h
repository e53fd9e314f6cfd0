// SPDX-License-Identifier: Apache-2.0
// Address translation of the CTM memory controller: the two tables of the ATI CTM Guide 1.01,
// section 2.1.4, one line of code per row, and the fields of the commands that set a surface
// (section 2.2.2). Pure functions; no time, no state.
//
// Indices are 12 bits, addresses 32 bits; everything the tables add wraps at its width. A pitch is
// in elements. Rows take those bits of the pitch that the table names, so a pitch that is no
// multiple of the row's granule counts as the next smaller one (pitch_granule()).
#pragma once

#include <array>
#include <cstdint>

namespace archipelago::ctm {

// An index pair; 12 bits each.
struct Point {
    uint16_t x = 0, y = 0;
};

constexpr uint32_t kMaxIndex = 0xfff;    // x, y
constexpr uint32_t kMaxPitch = 0x1ffc;   // bits 12:2 of the format parameter
constexpr uint32_t kBaseMask = ~0x7ffu;  // bases are aligned to 2 KiB

// Bits 17:16 of the format parameter.
enum class Tiling : uint8_t { Linear, Tiled, LinearInp2x2, TiledInp2x2 };

// Bits 26:24 of the format parameter. The guide lists 0 to 4 and reserves those above 5. It has
// rows for one byte per element but names no format that has one: here that is 5.
enum class Format : uint8_t {
    Uint16x1,
    Uint8x4,
    Float32x1,
    Float32x2,
    Float32x4,
    OneByte,
    Reserved6,
    Reserved7,
};

struct FormatInfo {
    uint8_t log2_bytes = 0;  // per element
    bool one_channel = false;
    bool reserved = false;
};
constexpr FormatInfo format_info(Format format) {
    switch (format) {
        case Format::Uint16x1:
            return {1, true, false};
        case Format::Uint8x4:
            return {2, false, false};
        case Format::Float32x1:
            return {2, true, false};
        case Format::Float32x2:
            return {3, false, false};
        case Format::Float32x4:
            return {4, false, false};
        case Format::OneByte:
            return {0, true, false};
        default:
            return {0, false, true};
    }
}

// Bits high:low of a value.
constexpr uint32_t field(uint32_t value, unsigned high, unsigned low) {
    return value >> low & ((2u << (high - low)) - 1u);
}
constexpr uint32_t bit(uint32_t value, unsigned n) {
    return value >> n & 1u;
}

// Table 1. Bits 31:5 are a sum, bits 4:0 come from x. `offset` and the sum are taken modulo 2^32.
constexpr uint32_t linear_address(unsigned log2_bytes, uint32_t pitch, uint32_t offset, uint32_t x,
                                  uint32_t y) {
    const uint32_t o = field(offset, 31, 5);
    switch (log2_bytes) {
        case 0:
            return (y * field(pitch, 13, 5) + field(x, 11, 5) + o) << 5 | field(x, 4, 0);
        case 1:
            return (y * field(pitch, 13, 4) + field(x, 11, 4) + o) << 5 | field(x, 3, 0) << 1;
        case 2:
            return (y * field(pitch, 13, 3) + field(x, 11, 3) + o) << 5 | field(x, 2, 0) << 2;
        case 3:
            return (y * field(pitch, 13, 2) + field(x, 11, 2) + o) << 5 | field(x, 1, 0) << 3;
        default:
            return (y * field(pitch, 13, 1) + field(x, 11, 1) + o) << 5 | field(x, 0, 0) << 4;
    }
}

// The columns 10:9, 8:7, 6:5 of table 2, two bits each as the table writes them, and 4:0.
constexpr uint32_t tile_bits(uint32_t b10, uint32_t b9, uint32_t b8, uint32_t b7, uint32_t b6,
                             uint32_t b5, uint32_t low) {
    return b10 << 10 | b9 << 9 | b8 << 8 | b7 << 7 | b6 << 6 | b5 << 5 | low;
}

// Table 2. Bits 31:11 count tiles of 2 KiB, bits 10:0 are the place in the tile.
constexpr uint32_t tiled_address(unsigned log2_bytes, uint32_t pitch, uint32_t offset, uint32_t x,
                                 uint32_t y) {
    const uint32_t o = field(offset, 31, 11);
    switch (log2_bytes) {
        case 0:
            return (field(y, 11, 5) * field(pitch, 13, 6) + field(x, 11, 6) + o) << 11 |
                   tile_bits(bit(y, 4) ^ bit(x, 6), bit(x, 5) ^ bit(y, 5),  //
                             bit(y, 3) ^ bit(x, 5), bit(x, 4) ^ bit(y, 4),  //
                             bit(y, 2), bit(x, 3), field(y, 1, 0) << 3 | field(x, 2, 0));
        case 1:
            return (field(y, 11, 5) * field(pitch, 13, 5) + field(x, 11, 5) + o) << 11 |
                   tile_bits(bit(y, 4) ^ bit(x, 5), bit(x, 4) ^ bit(y, 5),  //
                             bit(y, 3) ^ bit(x, 4), bit(x, 3) ^ bit(y, 4),  //
                             bit(y, 2), bit(x, 2), field(y, 1, 0) << 3 | field(x, 1, 0) << 1);
        case 2:
            return (field(y, 11, 4) * field(pitch, 13, 5) + field(x, 11, 5) + o) << 11 |
                   tile_bits(bit(y, 3) ^ bit(x, 5), bit(x, 4) ^ bit(y, 4),  //
                             bit(y, 2) ^ bit(x, 4), bit(x, 3) ^ bit(y, 3),  //
                             bit(y, 1), bit(x, 2), bit(y, 0) << 4 | field(x, 1, 0) << 2);
        case 3:
            return (field(y, 11, 4) * field(pitch, 13, 4) + field(x, 11, 4) + o) << 11 |
                   tile_bits(bit(y, 3) ^ bit(x, 4), bit(x, 3) ^ bit(y, 4),  //
                             bit(y, 2) ^ bit(x, 3), bit(x, 2) ^ bit(y, 3),  //
                             bit(y, 1), bit(x, 1), bit(y, 0) << 4 | bit(x, 0) << 3);
        default:
            return (field(y, 11, 3) * field(pitch, 13, 4) + field(x, 11, 4) + o) << 11 |
                   tile_bits(bit(y, 2) ^ bit(x, 4), bit(x, 3) ^ bit(y, 3),  //
                             bit(y, 1) ^ bit(x, 3), bit(x, 2) ^ bit(y, 2),  //
                             bit(y, 0), bit(x, 1), bit(x, 0) << 4);
    }
}

// Elements the pitch is counted in by the row of either table.
constexpr uint32_t pitch_granule(unsigned log2_bytes, bool tiled) {
    constexpr uint8_t kLinearBits[] = {5, 4, 3, 2, 1};
    constexpr uint8_t kTiledBits[] = {6, 5, 5, 4, 4};
    return 1u << (tiled ? kTiledBits : kLinearBits)[log2_bytes];
}

// What a client's set_*_fmt command left. All zero after reset (the guide does not say; our
// choice).
struct Surface {
    uint32_t base = 0;   // aligned to 2 KiB
    uint16_t pitch = 0;  // elements, a multiple of 4
    Tiling tiling = Tiling::Linear;
    Format format = Format::Uint16x1;
};

constexpr bool is_tiled(Tiling tiling) {
    return tiling == Tiling::Tiled || tiling == Tiling::TiledInp2x2;
}
constexpr bool is_superfine(Tiling tiling) {
    return tiling == Tiling::LinearInp2x2 || tiling == Tiling::TiledInp2x2;
}

// From the base address and format parameters of a command. Reserved bits are ignored, as the
// guide says of bits 10:0 of a base.
constexpr Surface surface_from_words(uint32_t base_word, uint32_t format_word) {
    Surface s;
    s.base = base_word & kBaseMask;
    s.pitch = static_cast<uint16_t>(field(format_word, 12, 2) << 2);
    s.tiling = static_cast<Tiling>(field(format_word, 17, 16));
    s.format = static_cast<Format>(field(format_word, 26, 24));
    return s;
}
constexpr uint32_t format_word(const Surface& s) {
    return s.pitch | static_cast<uint32_t>(s.tiling) << 16 | static_cast<uint32_t>(s.format) << 24;
}

// One element. Not for reserved formats.
constexpr uint32_t element_address(const Surface& s, unsigned log2_bytes, uint32_t x, uint32_t y) {
    return is_tiled(s.tiling) ? tiled_address(log2_bytes, s.pitch, s.base, x, y)
                              : linear_address(log2_bytes, s.pitch, s.base, x, y);
}

// The four elements of the 2x2 superfine option in the order of the channels c0..c3: (x+1, y),
// (x, y+1), (x+1, y+1), (x, y). Indices have 12 bits, as in the tables, so 4095 + 1 is 0.
constexpr std::array<uint32_t, 4> superfine_addresses(const Surface& s, unsigned log2_bytes,
                                                      uint32_t x, uint32_t y) {
    const uint32_t right = (x + 1) & kMaxIndex;
    const uint32_t below = (y + 1) & kMaxIndex;
    return {element_address(s, log2_bytes, right, y), element_address(s, log2_bytes, x, below),
            element_address(s, log2_bytes, right, below), element_address(s, log2_bytes, x, y)};
}

}  // namespace archipelago::ctm
