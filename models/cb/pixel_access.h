// SPDX-License-Identifier: Apache-2.0
// Pixels of a surface in memory, 64 lanes at a time.
#pragma once

#include <array>
#include <cstdint>

#include "models/cb/colour_state.h"
#include "models/raster/pixel_memory.h"

namespace archipelago::cb {

using Addresses = std::array<uint64_t, kLanes>;

// Quads of 2 x 2 pixels by their upper left one: those of a batch, or of a tile.
struct Quads {
    unsigned count = 0;
    const uint16_t* x = nullptr;
    const uint16_t* y = nullptr;

    static Quads of(const raster::QuadBatch& batch) {
        return {batch.quads, batch.x.data(), batch.y.data()};
    }
    unsigned lanes() const { return 4 * count; }
    uint32_t x_of(unsigned lane) const { return x[lane / 4] + (lane & 1); }
    uint32_t y_of(unsigned lane) const { return y[lane / 4] + (lane >> 1 & 1); }
};

// All pixels of the tile that has pixel (x, y).
class TileQuads {
  public:
    TileQuads(uint32_t x, uint32_t y);
    operator Quads() const { return {raster::QuadBatch::kQuads, x_.data(), y_.data()}; }

  private:
    std::array<uint16_t, raster::QuadBatch::kQuads> x_{}, y_{};
};
constexpr uint64_t kAllLanes = ~uint64_t{0};

// Quads of which a lane is in `lanes`.
inline unsigned quads_of(uint64_t lanes) {
    lanes |= lanes >> 1;
    lanes |= lanes >> 2;
    return static_cast<unsigned>(__builtin_popcountll(lanes & 0x1111111111111111u));
}

// Of one fragment (or sample) of each pixel.
void find_pixels(const surface::SurfaceLevel& level, bool quads_in_line, const Quads& quads,
                 uint32_t slice, uint32_t fragment, Addresses& at);
// Of a fragment for each lane in `lanes`.
void find_pixels(const surface::SurfaceLevel& level, const Quads& quads, uint32_t slice,
                 const std::array<uint8_t, kLanes>& fragment, uint64_t lanes, Addresses& at);

// Pixels of 1, 2, 4, 8 or 16 bytes to and from the dwords of `lanes`. A line is fetched once for
// lanes in a row that are in it.
void load_pixels(raster::PixelMemory& memory, unsigned bytes, const Addresses& at, uint64_t lanes,
                 Vector& dwords);
void store_pixels(raster::PixelMemory& memory, unsigned bytes, const Addresses& at, uint64_t lanes,
                  const Vector& dwords);

}  // namespace archipelago::cb
