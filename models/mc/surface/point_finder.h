// SPDX-License-Identifier: Apache-2.0
// Which element of a surface is at an address: the inverse of byte_address().
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "models/mc/surface/surface.h"

namespace archipelago::surface {

// A byte of an element. Coordinates in elements, padding included.
struct SurfacePoint {
    uint32_t x = 0;
    uint32_t y = 0;
    uint32_t slice = 0;
    uint32_t sample = 0;
    uint32_t byte = 0;
};

// Tables of a level: the elements of a micro tile by their place in it, and the tiles of a macro
// tile by pipe, bank and place in the bank.
class PointFinder {
  public:
    // `level` must outlive this.
    explicit PointFinder(const SurfaceLevel& level);

    // Nothing for an address outside the level.
    std::optional<SurfacePoint> find(uint64_t address) const;

  private:
    struct Element {
        uint8_t x = 0, y = 0, slice = 0, sample = 0;
    };
    struct Tile {
        uint16_t x = 0, y = 0;
    };
    SurfacePoint find_linear(uint64_t offset) const;
    SurfacePoint find_tiled(uint64_t offset) const;
    size_t tile_index(uint32_t hash, uint32_t bank_column, uint32_t bank_row) const;

    const SurfaceLevel& level_;
    uint32_t element_bytes_;
    std::vector<Element> elements_;
    std::vector<Tile> tiles_;  // none without macro tiles
};

}  // namespace archipelago::surface
