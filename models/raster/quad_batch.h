// SPDX-License-Identifier: Apache-2.0
// Covered pixels in quads of 2 x 2: what the scan converter, the depth block, SPI and the colour
// block pass on. R6xx/R7xx document 2.1.3 to 2.1.5.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/raster/primitive.h"

namespace archipelago::raster {

constexpr unsigned kTile = 8;  // pixels a side: unit of the walk, of HTILE and of CMASK
constexpr unsigned kMaxSamples = 16;

// Quads of one primitive that belong to one render back end (RB). A pixel is at most once in a
// batch, but that shader runs for each sample (PS_ITER_SAMPLE) have a quad for each, whose coverage
// is that sample. Lane of a pixel: 4 * quad + 2 * (y & 1) + (x & 1).
struct QuadBatch {
    static constexpr unsigned kQuads = 16;
    static constexpr unsigned kLanes = 4 * kQuads;
    // Before SPI the quads are those of one tile, and only those that are covered.
    uint8_t quads = 0;
    uint8_t rb = 0;
    uint8_t shader_engine = 0;
    // The depth block has tested and written it before the shader: it does neither after it.
    bool depth_done = false;
    // The hierarchical test has failed it, and it is here for the shader's side effects alone
    // (DB_SHADER_CONTROL.EXEC_ON_HIER_FAIL): coverage does not reach memory.
    bool killed = false;
    std::array<uint16_t, kQuads> x{}, y{};    // of the upper left pixel, even
    std::array<uint16_t, kLanes> coverage{};  // bit n: sample n
    Primitive primitive;

    uint16_t x_of(unsigned lane) const { return static_cast<uint16_t>(x[lane / 4] + (lane & 1)); }
    uint16_t y_of(unsigned lane) const {
        return static_cast<uint16_t>(y[lane / 4] + (lane >> 1 & 1));
    }
    // Lanes with a covered sample.
    uint64_t covered() const;
};

// What a pixel wave has exported of the lanes of a batch, as exported: the formats of
// SPI_SHADER_COL_FORMAT and SPI_SHADER_Z_FORMAT are not decoded.
struct PixelExports {
    using Vector = std::array<std::array<uint32_t, QuadBatch::kLanes>, 4>;  // components, by lane
    struct Target {
        uint8_t enabled = 0;      // components; compressed: bits 1:0 and 3:2 are pairs
        bool compressed = false;  // two 16-bit components in each of data[0] and data[1]
        Vector data{};
    };
    // Of EXEC at the last export with its valid mask: pixels that are alive; all ones without one.
    uint64_t valid = ~uint64_t{0};
    uint8_t colours = 0;         // bit n: target n has been exported
    bool has_depth = false;      // MRTZ has
    std::vector<Target> colour;  // target 0 up to the last one exported
    Target depth;
};

// Quads that have been shaded. A run of a wave's quads with one primitive and one RB.
struct ShadedBatch {
    QuadBatch quads;
    PixelExports exports;  // by lane of `quads`
};

}  // namespace archipelago::raster
