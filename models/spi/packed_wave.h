// SPDX-License-Identifier: Apache-2.0
// The quads of a pixel wave, which SPI keeps while the wave runs: its exports belong to them.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/raster/quad_batch.h"

namespace archipelago::spi {

// Arrays are by quad; lanes are those of raster::QuadBatch. Plain and serialisable.
struct PackedWave {
    static constexpr unsigned kQuads = raster::QuadBatch::kQuads;
    static constexpr unsigned kLanes = raster::QuadBatch::kLanes;
    uint8_t context = 0;
    uint8_t shader_engine = 0;
    uint8_t quads = 0;
    uint32_t draw = 0;
    uint32_t wave = 0;                      // number within the draw, given at launch
    std::array<uint16_t, kQuads> x{}, y{};  // of the upper left pixel
    std::array<uint8_t, kQuads> rb{};
    std::array<uint8_t, kQuads> primitive{};  // index in `primitives`
    std::array<uint8_t, kQuads> sample{};     // that the shader runs for (PS_ITER_SAMPLE), or 0
    std::array<bool, kQuads> depth_done{}, killed{};
    std::array<uint16_t, kLanes> coverage{};        // samples that this run of the shader colours
    std::array<uint16_t, kLanes> pixel_coverage{};  // samples of the pixel that are covered
    std::vector<raster::Primitive> primitives;
};

}  // namespace archipelago::spi
