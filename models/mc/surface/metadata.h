// SPDX-License-Identifier: Apache-2.0
// Where the metadata of a render target are in memory: an element for each tile of 8 x 8 pixels,
// of depth buffers (HTILE) and of colour buffers (CMASK). Southern Islands.
//
//   MetadataSurface htile;                                        // once per surface
//   if (!htile.set_up({MetadataKind::Htile, mode.pipe, ...}, error)) ...
//   const MetadataAddress at = metadata_address(htile, x, y, slice);  // per tile: a few ns
//
// An element belongs to the pipe of its tile. Each pipe holds its elements in sequence, and the
// sequences of the pipes alternate in memory in units of the pipe interleave.
#pragma once

#include <cstdint>
#include <string>

#include "models/mc/surface/tile_mode.h"

namespace archipelago::surface {

enum class MetadataKind : uint8_t {
    Htile,  // 32 bits of a tile
    Cmask,  // 4 bits of a tile
};

struct MetadataLayout {
    MetadataKind kind = MetadataKind::Htile;
    PipeConfig pipe = PipeConfig::P2;  // of the render target
    bool linear = false;               // DB_HTILE_SURFACE.LINEAR, CB_COLOR_INFO.CMASK_IS_LINEAR
    uint32_t pitch = 0;                // pixels; of the render target: set_up() pads it
    uint32_t height = 0;               // pixels; likewise
    uint32_t slices = 1;
    uint64_t base = 0;               // bytes
    unsigned pipe_interleave = 256;  // bytes
};

// Plain data, copied freely.
struct MetadataSurface {
    MetadataLayout layout;
    uint32_t pitch = 0, height = 0;              // pixels, padded to whole blocks
    uint32_t block_width = 0, block_height = 0;  // pixels; linear: what is padded to
    uint64_t slice_bytes = 0;                    // of all pipes; linear: rounded up
    uint64_t size_bytes = 0;
    uint32_t base_alignment = 0;  // bytes

    // ---- derived: see metadata_address()
    // ----------------------------------------------------------
    uint64_t slice_bits = 0;          // of one pipe
    uint32_t block_bits = 0;          // of one pipe
    uint32_t blocks_per_row = 0;      // linear: groups of 32 x 32 pixels
    uint32_t groups_per_row = 0;      // of 32 x 32 pixels in a block
    uint32_t interleave_bits = 2048;  // of a pipe before the next one's
    uint8_t element_shift = 5;        // log2 of the bits of an element
    uint8_t group_shift = 0;          // log2 of the elements that a pipe has of such a group
    uint8_t hash_shift = 0;           // low bits of an element's number that are a hash of x and y
    uint8_t pipe_shift = 0;           // log2 of the pipes
    uint8_t block_x_shift = 0, block_y_shift = 0;
    // What bits 3 to 6 of a coordinate contribute to the hash | pipe << 4.
    uint8_t part_x[16] = {};
    uint8_t part_y[16] = {};

    // False: `error` says why it has no address mathematics.
    bool set_up(const MetadataLayout& layout, std::string& error);
};

struct MetadataAddress {
    uint64_t byte = 0;
    unsigned bit = 0;  // of the byte: 0, or 4 for every second element of CMASK
};

// The element of the tile that has pixel (x, y). Coordinates beyond the padded surface are safe and
// yield addresses outside it.
inline MetadataAddress metadata_address(const MetadataSurface& s, uint32_t x, uint32_t y,
                                        uint32_t slice) {
    const uint32_t part = s.part_x[x >> 3 & 15] ^ s.part_y[y >> 3 & 15];
    uint64_t bits = slice * s.slice_bits;
    uint32_t group = 0;
    if (s.layout.linear) {
        group = (x >> 5) + (y >> 5) * s.blocks_per_row;
    } else {
        const uint32_t in_x = x & (s.block_width - 1), in_y = y & (s.block_height - 1);
        bits += ((x >> s.block_x_shift) + uint64_t{y >> s.block_y_shift} * s.blocks_per_row) *
                s.block_bits;
        group = (in_x >> 5) + (in_y >> 5) * s.groups_per_row;
    }
    const uint64_t element =
        (uint64_t{group} << s.group_shift >> s.hash_shift << s.hash_shift) + (part & 15);
    bits += element << s.element_shift;
    const uint64_t low = bits & (s.interleave_bits - 1);
    const uint64_t in_memory =
        low + (part >> 4) * uint64_t{s.interleave_bits} + ((bits - low) << s.pipe_shift);
    return {s.layout.base + in_memory / 8, static_cast<unsigned>(in_memory % 8)};
}

}  // namespace archipelago::surface
