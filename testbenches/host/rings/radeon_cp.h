// SPDX-License-Identifier: Apache-2.0
// Graphics and compute rings of the Radeon command processor. Brought up as by Linux radeon
// si.c.
#pragma once

#include "models/cp/pm4/packet_table.h"
#include "testbenches/host/ring_driver.h"
#include "testbenches/host/rings/gcn_kernel.h"

namespace archipelago::host {

constexpr uint32_t kRadeonRingDwords = 1u << 18;

// The packets of one dispatch, as compute drivers write them.
std::vector<uint32_t> radeon_dispatch(const cp::PacketTable& packets, const GcnLaunch& launch,
                                      KernelSync sync = KernelSync::All);

std::unique_ptr<RingDriver> make_radeon_cp(Machine& machine, unsigned rings);

}  // namespace archipelago::host
