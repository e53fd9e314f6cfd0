// SPDX-License-Identifier: Apache-2.0
// All that changes in the address calculation of tiled surfaces.
#pragma once

#include <array>
#include <cstdint>
#include <deque>

#include "models/common/clocked.h"
#include "models/mc/surface/surface.h"
#include "pins/si_tile_address_pins.h"

namespace archipelago::tile_address {

struct TileAddressState {
    struct Surface {
        surface::SurfaceLevel level;
        bool good = false;
    };
    struct InFlight {
        Cycle ready = 0;  // first cycle it may leave in
        uint64_t address = 0;
        bool refused = false;
        uint8_t tag = 0;
    };
    surface::TilingRegisters registers;
    std::array<Surface, rtl::SiTileAddressPins::kSurfaces> surfaces;
    std::deque<InFlight> pipeline;  // oldest first
    Cycle now = 0;
};

}  // namespace archipelago::tile_address
