// SPDX-License-Identifier: Apache-2.0
// What CP knows of Southern Islands' registers, and its parameters to start from.
#pragma once

#include "models/cp/cp_spec.h"

namespace archipelago::cp {

constexpr unsigned kSiRings = 3;   // 0 graphics, 1 and 2 compute
constexpr unsigned kSiLevels = 3;  // ring, IB1, IB2

const RegisterMap& si_register_map();
// Packets, registers, rings and levels of Southern Islands; sizes and latencies at their defaults.
Spec si_spec();

}  // namespace archipelago::cp
