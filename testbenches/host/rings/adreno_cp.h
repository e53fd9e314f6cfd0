// SPDX-License-Identifier: Apache-2.0
// The ring of an Adreno's command processor: microcode, ring and fences as Linux's driver has them
// (msm a5xx_gpu.c, a6xx_gpu.c).
#pragma once

#include "testbenches/host/ring_driver.h"

namespace archipelago::host {

std::unique_ptr<RingDriver> make_adreno_cp(Machine& machine, unsigned rings);

}  // namespace archipelago::host
