// SPDX-License-Identifier: Apache-2.0
// The arithmetic of image instructions for 64 lanes at once, over plain arrays: places of texels in
// a surface, texel coordinates, depth comparison, the weighted sum (formats: format_lanes.h). One
// table per host level, as for the vector ALU; all levels, and the code that goes lane by lane,
// give the same bits. Lanes that are not selected may hold anything. Needs the default
// floating-point environment. Private to models/cu/isa.
#pragma once

#include <cstdint>

#include "models/cu/isa/image_resource.h"
#include "models/cu/isa/wave_state.h"

namespace archipelago::surface {
struct SurfaceLevel;
}

namespace archipelago::isa {

// A level as surface::SurfaceLevel has it, in 32 bits: offsets from the level's first byte.
struct LaneLevel {
    bool usable = false;  // false: beyond 31 bits, or parameters the GB block of SI does not have
    bool linear = false, macro = false, split = false;
    uint8_t column_shift = 0, row_shift = 0, tile_x_shift = 0, bank_x_shift = 0, bank_y_shift = 0;
    uint8_t split_shift = 0, interleave_shift = 0, channel_shift = 0;
    uint8_t hash_x[16], hash_y[16], bank_x[16], bank_y[16];
    alignas(32) uint32_t in_row[8];     // bytes in a tile, by x & 7
    alignas(32) uint32_t in_column[8];  // by y & 7
    uint32_t column_bytes = 0, row_bytes = 0, bank_column_bytes = 0, bank_row_bytes = 0;
    uint32_t bank_width_mask = 0, bank_height_mask = 0;
    uint32_t split_mask = 0, split_bytes = 0, split_rotation = 0;
    uint32_t hash_x_mask = 0, hash_y_mask = 0, hash_mask = 0, low_mask = 0;

    // For `slices` slices.
    void set_up(const surface::SurfaceLevel& level, uint32_t slices);
};

// What the slice contributes: see surface::SlicePart.
struct LaneSlice {
    uint32_t offset, in_tile, hash;
};

// One coordinate of a footprint: see axis_texels() and wrap_texel().
struct LaneAxis {
    uint32_t size = 1;  // texels
    Wrap wrap = Wrap::Repeat;
    bool normalized = true, truncate = false, linear = false;
    const uint32_t* offsets = nullptr;  // packed texel offsets, or null
    unsigned offset_shift = 0;          // of this coordinate's six bits
};
struct LaneTexels {
    alignas(32) uint32_t at[2][kLanes];     // wrapped; anything where it is border
    alignas(32) uint32_t fraction[kLanes];  // weight of at[1], in 1/256
    uint64_t border[2] = {};
};

struct ImageLanes {
    // Offsets of the elements x, y of one slice.
    void (*place)(const LaneLevel&, const LaneSlice&, const uint32_t* x, const uint32_t* y,
                  uint32_t* to);
    // `values`: floats. False: a lane lies more than one period outside, `to` is not complete.
    bool (*axis)(const LaneAxis&, const uint32_t* values, LaneTexels& to);
    // x = 1.0 or 0: what a depth compare of references with the texels x says. `relation`:
    // SQ_TEX_DEPTH_COMPARE; `clamp`: references to 0..1.
    void (*compare)(const uint32_t* reference, unsigned relation, bool clamp, uint32_t* x);
    // Weights of the texels (0, 0), (1, 0), (0, 1), (1, 1) in units of 2^-24, for lanes in `mask`.
    void (*weigh)(const uint32_t* x_fraction, const uint32_t* y_fraction,
                  const uint32_t* level_weight, uint64_t mask, VReg* weight);
    // out[c] = sum of value[t][c] * weight[t], in the order of t, for the components in `needed`;
    // `texels` is 4 or 8. `finite`: no value is infinite or NaN. `single`: lanes with one texel of
    // weight. Returns the lanes with a NaN.
    uint64_t (*filter)(const VReg (*value)[4], const VReg* weight, unsigned texels, unsigned needed,
                       bool finite, VReg* out, uint64_t& single);
};

// The level this process uses, and for tests: see lane_memory.h.
const ImageLanes& image_lanes();
const ImageLanes* image_lanes(const char* level);

}  // namespace archipelago::isa
