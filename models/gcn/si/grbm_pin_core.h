// SPDX-License-Identifier: Apache-2.0
// The graphics register bus of Southern Islands at its pins, which its Verilog twin has too.
#pragma once

#include "models/gcn/si/front_end.h"
#include "models/grbm/grbm_pins.h"

namespace archipelago::gcn::si {

static_assert(bus::kPorts - grbm::kFirstBlock == rtl::GrbmPins::kBlocks,
              "a block more or less in configs/registers/si_bus.yaml: GrbmPins::kBlocks");

struct GrbmPinCore : grbm::GrbmPinCore {
    GrbmPinCore() : grbm::GrbmPinCore(grbm_spec()) {}
};

}  // namespace archipelago::gcn::si
