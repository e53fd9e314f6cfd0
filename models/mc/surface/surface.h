// SPDX-License-Identifier: Apache-2.0
// Where the elements of a surface are in memory: linear, micro tiled (1D) and macro tiled (2D, 3D,
// PRT) surfaces of R6xx to CIK. An element is a pixel, or a block of a compressed format.
//
//   std::array<SurfaceLevel, kMaxLevels> levels;          // once per descriptor
//   if (!make_levels(geometry, tiling.address, tiling.modes, levels, error)) ...
//   uint64_t at = byte_address(levels[lod], x, y, slice, sample);     // per element: a few ns
//
// Sources of the rules: README of this folder.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "models/mc/surface/tile_mode.h"

namespace archipelago::surface {

constexpr unsigned kMaxLevels = 16;
constexpr uint32_t kTileSide = 8;  // elements of a micro tile

// Everything that fixes the layout of one level. SurfaceLevel::set_up derives the rest.
struct LevelLayout {
    TileMode mode;         // CIK: resolved
    unsigned bits = 32;    // of an element: 8, 16, 32, 64, 128; linear also 96
    unsigned samples = 1;  // 1, 2, 4, 8, 16
    uint32_t pitch = 0;    // elements; tiled: a multiple of the tile
    uint32_t height = 0;   // elements; tiled: a multiple of the tile
    uint32_t slices = 1;   // a multiple of the thickness
    uint64_t base = 0;     // bytes: first byte of the level
    uint32_t pipe_swizzle = 0;
    uint32_t bank_swizzle = 0;
};

// The pipe that a macro tiled surface has a tile in, before slices and swizzles turn it: XOR of
// what bits 3 to 6 of each coordinate of a pixel contribute.
struct PipeTable {
    uint16_t x[16] = {}, y[16] = {};
    uint32_t pipe(uint32_t pixel_x, uint32_t pixel_y) const {
        return x[pixel_x >> 3 & 15] ^ y[pixel_y >> 3 & 15];
    }
};
// False: the equation is not published.
bool pipe_table(PipeConfig config, PipeTable& table);

// A level, prepared for address calculation. Plain data, about 0.6 KiB, copied freely.
struct SurfaceLevel {
    LevelLayout layout;
    // For walks over the level; in elements.
    uint32_t width = 0;        // in range: what the program may address
    uint32_t height = 0;       // in range
    uint32_t depth = 0;        // in range: slices (3D: depth of this level; arrays, cubes: layers)
    uint64_t slice_bytes = 0;  // of one slice with all its samples
    uint64_t size_bytes = 0;   // of the level with all its slices
    uint32_t base_alignment = 0;  // bytes

    // ---- derived: see byte_address() ------------------------------------------------------------
    // "Offset" is what remains of the address without the pipe and bank bits.
    uint64_t group_bytes = 0;   // offset between groups of `thickness` slices
    uint64_t split_bytes = 0;   // offset between the parts of a split tile
    uint64_t row_bytes = 0;     // offset between rows of macro tiles (1D: tiles, linear: elements)
    uint64_t sample_bytes = 0;  // linear: between samples
    uint64_t low_mask = ~uint64_t{0};  // offset bits below the pipe bits
    uint64_t middle_mask = 0;          // offset bits between pipe and bank (bank interleave)
    uint32_t column_bytes = 0;         // offset between macro tiles (1D: tiles, linear: elements)
    uint32_t bank_row_bytes = 0;       // offset between tile rows within a bank
    uint32_t bank_column_bytes = 0;    // offset between tile columns within a bank
    uint32_t bank_width_mask = 0;      // tiles
    uint32_t bank_height_mask = 0;     // tiles
    uint32_t tile_bytes = 0;           // of a micro tile with all its slices and samples
    uint32_t sample_offset = 0;        // bytes within a tile
    uint32_t split_mask = ~0u;         // bytes of a part of a split tile - 1
    uint32_t hash_x_mask = ~0u;        // coordinate bits the pipe and bank equations see
    uint32_t hash_y_mask = ~0u;
    uint32_t rotation = 0;   // per slice group: banks * pipes + pipes
    uint32_t pipe_base = 0;  // swizzles the rotation starts from
    uint32_t bank_base = 0;
    uint32_t split_rotation = 0;  // per part of a split tile, as `hash`
    uint32_t pipe_mask = 0;
    uint32_t hash_mask = 0;
    uint8_t thick_shift = 0;
    uint8_t split_shift = 31;
    uint8_t column_shift = 0;
    uint8_t row_shift = 0;
    uint8_t tile_x_shift = 3;
    uint8_t bank_x_shift = 3;
    uint8_t bank_y_shift = 3;
    uint8_t bank_gap = 0;  // bits between pipe and bank
    uint8_t interleave_shift = 0;
    uint8_t pipe_shift = 0;     // log2 of the pipes
    uint8_t channel_shift = 0;  // log2 of pipes * banks
    // What a coordinate contributes to pipe | bank << (pipe_shift + bank_gap).
    uint16_t hash_x[16] = {};  // by bits 3 to 6 of x
    uint16_t hash_y[16] = {};
    uint16_t bank_x[16] = {};  // by bank column
    uint16_t bank_y[16] = {};
    uint16_t element[64] = {};  // bytes in a tile, by (y & 7) * 8 + (x & 7)
    uint16_t thick[8] = {};     // bytes in a tile, by slice within the tile

    // Checks the layout and fills in what is derived from it. False: `error` names the parameter
    // and why it has no address mathematics.
    bool set_up(const LevelLayout& layout, const AddressConfig& config, std::string& error);
};

// Byte address of an element. Coordinates in elements; `slice` counts from the first slice of the
// surface (array layer; 6 * cube + face; z of a 3D surface). Any coordinates are safe; those
// outside the padded level yield addresses outside it.
inline uint64_t byte_address(const SurfaceLevel& s, uint32_t x, uint32_t y, uint32_t slice,
                             uint32_t sample = 0);

// The address contribution of slice and sample, computed once for many elements of a slice.
struct SlicePart {
    uint64_t offset;
    uint32_t in_tile;
    uint32_t hash;
};
inline SlicePart slice_part(const SurfaceLevel& s, uint32_t slice, uint32_t sample = 0);
inline uint64_t byte_address(const SurfaceLevel& s, uint32_t x, uint32_t y,
                             const SlicePart& in_slice);

struct LaneCoordinates {
    alignas(32) uint32_t x[64];
    alignas(32) uint32_t y[64];
    alignas(32) uint32_t slice[64];
    alignas(32) uint32_t sample[64];
};
// The same for the lanes in `exec`; other entries of `to` are left as they were.
void byte_addresses(const SurfaceLevel& s, const LaneCoordinates& at, uint64_t exec,
                    uint64_t (&to)[64]);

enum class ImageType : uint8_t { D1, D2, D3, Cube, D1Array, D2Array, D2Msaa, D2MsaaArray };

// An image resource as its descriptor states it. Sizes in texels.
struct ImageGeometry {
    ImageType type = ImageType::D2;
    uint32_t width = 1;
    uint32_t height = 1;         // 1 for 1D
    uint32_t depth = 1;          // 3D: depth; arrays: layers; cube: cubes (6 slices each)
    uint32_t pitch = 0;          // of level 0, texels; 0: the least that the tiles take
    uint32_t samples = 1;        // MSAA types
    uint32_t last_level = 0;     // levels are made from 0 to here
    uint32_t element_bytes = 4;  // of a pixel or a compressed block: 1, 2, 4, 8, 16; linear also 12
    uint32_t block_width = 1;    // texels per element; 4 for BCn
    uint32_t block_height = 1;   // 4 for BCn
    uint32_t tiling_index = 0;
    bool pow2_pad = false;
    uint64_t base = 0;  // bytes, as in the descriptor (address field * 256): with swizzle
};

// The levels of an image as its generation lays them out; entries above last_level are left alone.
// `macro_modes`: GB_MACROTILE_MODE0..15, needed for a mode of CIK that is not resolved. False:
// `error` says what is wrong.
bool make_levels(const ImageGeometry& image, const AddressConfig& config,
                 const TileMode (&modes)[TilingRegisters::kModes],
                 std::array<SurfaceLevel, kMaxLevels>& levels, std::string& error,
                 const uint32_t (*macro_modes)[16] = nullptr);

// ---- implementation ---------------------------------------------------------------------------

inline SlicePart slice_part(const SurfaceLevel& s, uint32_t slice, uint32_t sample) {
    const uint32_t z = slice >> s.thick_shift;
    const uint32_t turn = z * s.rotation;
    SlicePart part;
    part.offset = z * s.group_bytes + sample * s.sample_bytes;
    part.in_tile = s.thick[slice & ((1u << s.thick_shift) - 1)] + sample * s.sample_offset;
    part.hash = ((s.pipe_base + turn) & s.pipe_mask) | ((s.bank_base + turn) & ~s.pipe_mask)
                                                           << s.bank_gap;
    return part;
}

// Pipe and bank as the coordinates of a tile choose them, before slices and parts turn them: XOR of
// what each coordinate bit contributes.
inline uint32_t tile_hash(const SurfaceLevel& s, uint32_t x, uint32_t y) {
    const uint32_t hx = x & s.hash_x_mask;
    const uint32_t hy = y & s.hash_y_mask;
    return s.hash_x[(hx >> 3) & 15] ^ s.hash_y[(hy >> 3) & 15] ^
           s.bank_x[(hx >> s.bank_x_shift) & 15] ^ s.bank_y[(hy >> s.bank_y_shift) & 15];
}

inline uint64_t byte_address(const SurfaceLevel& s, uint32_t x, uint32_t y,
                             const SlicePart& in_slice) {
    // Place in the tile, and which part of a split tile that is.
    const uint32_t in_tile = s.element[(y & 7) * 8 + (x & 7)] + in_slice.in_tile;
    const uint32_t part = in_tile >> s.split_shift;
    const uint64_t offset = in_slice.offset + (in_tile & s.split_mask) + part * s.split_bytes +
                            (y >> s.row_shift) * s.row_bytes +
                            uint64_t{x >> s.column_shift} * s.column_bytes +
                            ((y >> 3) & s.bank_height_mask) * s.bank_row_bytes +
                            ((x >> s.tile_x_shift) & s.bank_width_mask) * s.bank_column_bytes;
    const uint64_t hash =
        (tile_hash(s, x, y) ^ in_slice.hash ^ part * s.split_rotation) & s.hash_mask;
    const uint64_t low = offset & s.low_mask;
    const uint64_t middle = offset & s.middle_mask;
    return s.layout.base + low + (hash << s.interleave_shift) + (middle << s.pipe_shift) +
           ((offset - low - middle) << s.channel_shift);
}

inline uint64_t byte_address(const SurfaceLevel& s, uint32_t x, uint32_t y, uint32_t slice,
                             uint32_t sample) {
    return byte_address(s, x, y, slice_part(s, slice, sample));
}

}  // namespace archipelago::surface
