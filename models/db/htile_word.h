// SPDX-License-Identifier: Apache-2.0
// A word of HTILE: what is known of a tile of 8 x 8 pixels without its pixels.
//
//   Z only       31:18 max z   17:4 min z                                     3:0 zmask
//   Z, stencil   31:18 base z  17:12 delta code   9:8 smem  7:6 SR1  5:4 SR0  3:0 zmask
//
// zmask 0, smem 0: all samples have the clear value, memory has something else; zmask 0xF, smem 3:
// memory has the samples.
#pragma once

#include <cstdint>

#include "models/db/depth_state.h"

namespace archipelago::db {

// Bounds of the z of a tile, in units of 1 / 0x3FFF. The smallest and the largest value bound
// nothing.
struct TileRange {
    static constexpr uint32_t kLargest = 0x3FFF;
    uint32_t min = 0, max = kLargest;
    bool operator==(const TileRange& o) const { return min == o.min && max == o.max; }
    void include(const TileRange& o) {
        min = o.min < min ? o.min : min;
        max = o.max > max ? o.max : max;
    }
};

// Rounded outwards. `low`, `high`: z as stored, not NaN.
TileRange tile_range(DepthFormat format, uint32_t low, uint32_t high);
// Bounds as depth; infinite where the range has no bound.
double lower_bound(const TileRange& range);
double upper_bound(const TileRange& range);

// The range of values, one by one.
class RangeOfValues {
  public:
    explicit RangeOfValues(DepthFormat format) : format_(format) {}
    void include(uint32_t stored);
    TileRange range() const;

  private:
    DepthFormat format_;
    bool any_ = false, unordered_ = false;
    uint32_t low_ = 0, high_ = 0;
};

struct HtileWord {
    bool z_cleared = false, stencil_cleared = false;
    TileRange range;

    bool operator==(const HtileWord& o) const {
        return z_cleared == o.z_cleared && stencil_cleared == o.stencil_cleared && range == o.range;
    }
};

// Throws MachineStop(Unimplemented) for the states of compressed tiles.
HtileWord decode_htile(uint32_t word, const DepthState& state);
// The word with the new contents; `stencil_changes`: its stencil results are unknown from now on.
uint32_t encode_htile(uint32_t word, const HtileWord& contents, const DepthState& state,
                      bool stencil_changes);

}  // namespace archipelago::db
