// SPDX-License-Identifier: Apache-2.0
// The part of a chip's attribution that compute units have in it.
#pragma once

#include "models/asic/attribution.h"
#include "models/asic/gcn/chip_config.h"
#include "models/asic/gcn/compute.h"
#include "models/asic/sampler.h"

namespace archipelago::gcn {

asic::Ceilings ceilings(const ChipConfig& config);

// Fills in waves, dispatches and instructions as they are in cycle `now`.
void attribute_waves(const Compute& compute, const asic::Sampler& sampler, Cycle now,
                     asic::Attribution& to);

}  // namespace archipelago::gcn
