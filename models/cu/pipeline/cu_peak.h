// SPDX-License-Identifier: Apache-2.0
// What a compute unit can do at most: bounds of the rates that WaveWork counts.
#pragma once

#include "models/cu/pipeline/cu_spec.h"

namespace archipelago::cu {

// A cycle of the unit's clock.
struct CuPeak {
    double f32_flops = 0;
    double f64_flops = 0;
    double lds_bytes = 0;
};

// Regardless of the mix of instructions and the pattern of addresses.
CuPeak peak_of(const CuSpec& spec);

}  // namespace archipelago::cu
