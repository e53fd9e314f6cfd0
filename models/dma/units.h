// SPDX-License-Identifier: Apache-2.0
// Verilog that may replace parts of an async DMA engine in cycle mode.
#pragma once

#include "models/mc/surface/address_unit.h"
#include "pins/dma_linear_pins.h"

namespace archipelago::dma {

struct Spec;

// Gives each engine a linear datapath of its own.
class LinearFactory {
  public:
    virtual ~LinearFactory() = default;
    // Throws std::invalid_argument for a spec that it does not take. What it returns outlives the
    // engine.
    virtual rtl::PinBlock<rtl::DmaLinearPins>& datapath(const Spec& spec) = 0;
};

// Null: the engine's own.
struct Units {
    surface::AddressUnit* addresses = nullptr;  // of tiled surfaces
    LinearFactory* linear = nullptr;
};

}  // namespace archipelago::dma
