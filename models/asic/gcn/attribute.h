// SPDX-License-Identifier: Apache-2.0
// What the compute units contribute to a chip's attribution.
#pragma once

#include "models/asic/attribution.h"
#include "models/asic/gcn/chip_config.h"
#include "models/asic/gcn/compute.h"
#include "models/asic/sampler.h"

namespace archipelago::gcn {

asic::Ceilings ceilings(const ChipConfig& config);

// Fills in waves, dispatches and instructions as they are in cycle `now`.
void attribute_waves(const Compute& compute, const spi::SpiSpec& spi, const asic::Sampler& sampler,
                     Cycle now, asic::Attribution& to);

}  // namespace archipelago::gcn
