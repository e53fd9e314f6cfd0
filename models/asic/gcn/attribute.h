// SPDX-License-Identifier: Apache-2.0
// What the compute units contribute to a chip's attribution.
#pragma once

#include "models/asic/attribution.h"
#include "models/asic/gcn/chip_config.h"
#include "models/asic/gcn/compute.h"
#include "models/asic/sampler.h"
#include "models/cp/cp_core.h"

namespace archipelago::gcn {

asic::Ceilings ceilings(const ChipConfig& config);

// Fills in waves, dispatches and instructions as they are in cycle `now`.
void attribute_waves(const Compute& compute, const spi::SpiSpec& spi, const asic::Sampler& sampler,
                     Cycle now, asic::Attribution& to);

// Packets of PFP and ME by ring; and for a ring that had some, the rest of the `cycles` since the
// chip was reset.
void attribute_packets(const cp::CpCore& cp, uint64_t cycles, asic::Attribution& to);

}  // namespace archipelago::gcn
