// SPDX-License-Identifier: Apache-2.0
// The ring of the interrupt handler as drivers of R6xx to CIK set it up.
#pragma once

#include <cstdint>

namespace archipelago::host {

class Machine;

// `bytes`: a power of two, at `address`, which is a multiple of 256. The write pointer is mirrored
// to a page of the host.
void start_interrupt_ring(Machine& machine, uint64_t address, uint64_t bytes);

}  // namespace archipelago::host
