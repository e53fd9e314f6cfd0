// SPDX-License-Identifier: Apache-2.0
// CMASK and FMASK of the tiles of a target: which tiles are cleared, and which fragment each sample
// of a pixel shows.
#pragma once

#include <array>
#include <cstdint>

#include "models/cb/colour_state.h"
#include "models/cb/pixel_access.h"
#include "models/raster/pixel_memory.h"

namespace archipelago::cb {

// CMASK: bits 3:2 are 0 for a cleared tile and 3 for one that is not; bits 1:0 are 0 when all
// samples of the tile show fragment 0, whatever FMASK holds.
constexpr uint8_t kCmaskCleared = 0x0;
constexpr uint8_t kCmaskFragment0 = 0xC;
constexpr uint8_t kCmaskExpanded = 0xF;

// Where a target's pixels and its CMASK and FMASK are accessed: the same memory, or the caches.
struct TargetMemory {
    raster::PixelMemory& colours;
    raster::PixelMemory& metadata;
};

// Metadata of a slice of a target.
class TileMetadata {
  public:
    TileMetadata(const Target& target, uint32_t slice, const TargetMemory& memory)
        : target_(target), slice_(slice), memory_(memory) {}

    // Before the tile that has pixel (x, y) is read or written: a cleared one gets the clear
    // colour. True: FMASK holds the fragments of its samples; else all show fragment 0.
    bool open(uint32_t x, uint32_t y);
    // FMASK of an open tile where all samples show fragment 0 gets them.
    void expand(uint32_t x, uint32_t y);
    // Fragments of the samples of pixels of open tiles.
    void load_fragments(const Quads& quads, uint64_t lanes,
                        std::array<SampleFragments, kLanes>& to);
    void store_fragments(const Quads& quads, uint64_t lanes,
                         const std::array<SampleFragments, kLanes>& from);

  private:
    uint8_t code(uint32_t x, uint32_t y);
    void set_code(uint32_t x, uint32_t y, uint8_t code);
    void fill(uint32_t x, uint32_t y);
    void find_fmask(const Quads& quads, Addresses& at) const;

    const Target& target_;
    uint32_t slice_;
    TargetMemory memory_;
};

}  // namespace archipelago::cb
