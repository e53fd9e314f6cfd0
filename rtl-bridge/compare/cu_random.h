// SPDX-License-Identifier: Apache-2.0
// Random stimulus of a compute unit: groups of waves with programs of their own, a memory that
// answers in any order, another Spec at every reset.
#pragma once

#include <memory>

#include "pins/cu_pins.h"
#include "rtl-bridge/compare/lockstep.h"

namespace archipelago::rtl {

std::unique_ptr<Stimulus<CuPins>> make_cu_random(uint64_t seed);

}  // namespace archipelago::rtl
