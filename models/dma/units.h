// SPDX-License-Identifier: Apache-2.0
// What takes the place of parts of an async DMA engine in time: Verilog.
#pragma once

#include "models/mc/surface/address_unit.h"

namespace archipelago::dma {

// Null: the engine's own.
struct Units {
    surface::AddressUnit* addresses = nullptr;  // of tiled surfaces
};

}  // namespace archipelago::dma
