// SPDX-License-Identifier: Apache-2.0
#include "models/ctm/mc/surface_addresses.h"

namespace archipelago::ctm {
namespace {

constexpr TilePlaces make_places() {
    constexpr uint32_t kPlace = 0x7ff;
    TilePlaces places;
    for (unsigned log2 = 0; log2 < places.of_x.size(); ++log2) {
        for (uint32_t x = 0; x < places.of_x[log2].size(); ++x)
            places.of_x[log2][x] = static_cast<uint16_t>(tiled_address(log2, 0, 0, x, 0) & kPlace);
        for (uint32_t y = 0; y < places.of_y[log2].size(); ++y)
            places.of_y[log2][y] = static_cast<uint16_t>(tiled_address(log2, 0, 0, 0, y) & kPlace);
    }
    return places;
}

}  // namespace

constexpr TilePlaces kTilePlaces = make_places();

}  // namespace archipelago::ctm
