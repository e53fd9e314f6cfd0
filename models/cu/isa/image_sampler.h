// SPDX-License-Identifier: Apache-2.0
// Sampling mathematics: texel coordinates of eight fraction bits, wrap modes, levels of detail,
// seams of cubes. Exact and the same on every host; private to models/cu/isa. See README.md for
// the rules.
#pragma once

#include <cstdint>

#include "models/cu/isa/image_resource.h"

namespace archipelago::isa {

constexpr int32_t kBorderTexel = -1;
constexpr int32_t kLodLimit = 1 << 20;  // stands for infinity

// Texels along one coordinate: `at[0]` with weight 256 - fraction, `at[1]` with weight fraction.
struct AxisTexels {
    int32_t at[2] = {0, 0};  // before wrapping
    uint32_t fraction = 0;
};

// `value`: normalised when `normalized`, else in texels; `size` in texels; `offset` in texels.
AxisTexels axis_texels(double value, uint32_t size, Wrap wrap, bool normalized, bool truncate,
                       bool linear, int32_t offset);

// Index of a texel in the level, or kBorderTexel.
int32_t wrap_texel(int32_t at, uint32_t size, Wrap wrap);

// LOD of a footprint whose squared length is `squared` texels: log2 of its root, rounded down to
// eight fraction bits; within +-kLodLimit. 0 and NaN: -kLodLimit.
int32_t lod_of_squared(double squared);

// A LOD operand, to the nearest of eight fraction bits, within +-kLodLimit; NaN is 0.
int32_t lod_of_operand(float value);

// The level or levels a LOD selects.
struct LevelChoice {
    uint32_t level = 0;     // of the view
    uint32_t fraction = 0;  // of the next level, in 1/256
    bool magnified = false;
    int32_t lod = 0;  // clamped
};
// `lod` as computed or given, bias included; `lower`: clamps of the resource and the instruction.
LevelChoice choose_level(int32_t lod, int32_t lower, const ImageSampler& s, unsigned levels);

// Slice a float register names: to nearest even, limited to the view's `limit` slices.
uint32_t named_slice(float value, uint32_t limit);

// A texel one step outside a face of a cube: the face and place it continues at. Outside both ways
// (a corner), y is clamped first.
struct CubeTexel {
    uint32_t face;
    int32_t x, y;
};
CubeTexel cross_cube_edge(uint32_t face, int32_t x, int32_t y, int32_t size);

}  // namespace archipelago::isa
