// SPDX-License-Identifier: Apache-2.0
// Rings of Radeon's async DMA engines, R6xx to CIK. Facts: Linux radeon r600_dma.c to cik_sdma.c.
#pragma once

#include "testbenches/host/ring_driver.h"

namespace archipelago::host {

std::unique_ptr<RingDriver> make_radeon_dma(Machine& machine, unsigned rings);

}  // namespace archipelago::host
