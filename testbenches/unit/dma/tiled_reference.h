// SPDX-License-Identifier: Apache-2.0
// Tiled surfaces as the packets of each generation describe them, and where their bytes are by the
// surface library.
#pragma once

#include "testbenches/unit/dma/scene.h"

namespace archipelago::dma::test {

// Codes as they stand in packets; sizes in tiles of 8 x 8 elements.
struct Tiling {
    unsigned array = 4;
    unsigned size = 2;               // log2 of the bytes of an element
    unsigned micro = 0;              // SI, CIK: MICRO_TILE_MODE; EG, NI: non_disp[0:1]
    bool thin = false;               // EG, NI: the order that this says
    unsigned pipes = 5;              // SI, CIK: PIPE_CONFIG, here of four pipes
    unsigned banks = 1;              // 4
    unsigned width = 0, height = 0;  // of a bank
    unsigned aspect = 0;
    unsigned split = 6;  // 64 << split bytes
    unsigned pipe_swizzle = 0, bank_swizzle = 0;
};

class Surf {
  public:
    // `height`: rows in use. The engine is that of spec_of().
    Surf(const Generation& generation, const Tiling& tiling, unsigned pitch_tiles,
         unsigned tile_rows, unsigned height, uint64_t base);

    const Tiling t;
    const uint32_t pitch_tiles, slice_tiles, height;
    uint32_t pitch() const { return 8 * pitch_tiles; }
    uint32_t rows() const { return slice_tiles / pitch_tiles * 8; }
    uint32_t element() const { return 1u << t.size; }
    uint64_t base() const { return base_; }  // with the swizzle
    uint64_t size_bytes() const { return level_.size_bytes; }
    const surface::SurfaceLevel& level() const { return level_; }
    uint64_t at(uint32_t x, uint32_t y, uint32_t z) const {
        return surface::byte_address(level_, x, y, z);
    }

    // Fields, as the document has them; `detile` where the packet has the bit.
    Words old(bool detile, uint32_t x, uint32_t y, uint32_t z, unsigned swap) const;  // 3 to 5
    // Five dwords from that of the array mode on; `swap0`: only broadcasts have it.
    Words islands(bool detile, uint32_t x, uint32_t y, uint32_t z, unsigned swap,
                  unsigned swap0 = 0) const;
    uint32_t cik_mode() const;  // the dword with the tiling

  private:
    surface::SurfaceLevel level_;
    uint64_t base_;
};

// The tilings of a generation that tests go through: every array mode, then others. EG, NI: drivers
// use bit 28 of non_disp, in the document's form both bits count.
std::vector<Tiling> tilings(const Generation& generation, bool document = false);
// Sizes that fit them all, in tiles.
constexpr unsigned kPitchTiles = 16, kTileRows = 16;

// The bytes of `elements` elements from (x, y, z) on, through rows of `pitch` and slices of
// `height` rows; `at` says where one is.
using Place = std::function<uint64_t(uint32_t x, uint32_t y, uint32_t z)>;
Addresses walk(const Place& at, uint32_t x, uint32_t y, uint32_t z, uint64_t elements,
               uint32_t pitch, uint32_t height, uint32_t element);
// And of a window.
Addresses window(const Place& at, uint32_t x, uint32_t y, uint32_t z, uint32_t dx, uint32_t dy,
                 uint32_t dz, uint32_t element);

}  // namespace archipelago::dma::test
