// SPDX-License-Identifier: Apache-2.0
// Places in the global data share as packets name them: within the partition of their ring
// (SET_BASE 2). "Radeon Southern Islands Acceleration" 2.2.3, 2.9.
#pragma once

#include "models/cp/pm4/packet_program.h"

namespace archipelago::cp::si {

// Where `bytes` bytes from `offset` of the ring's partition lie. Throws MachineStop when they reach
// beyond it.
uint32_t gds_address(const ProgramState& p, uint64_t offset, uint64_t bytes);
// The same for dwords, whose offset must be aligned.
uint32_t gds_dwords(const ProgramState& p, uint32_t offset, uint64_t dwords);
// The next dwords of the packet to p.address, p.count in all; false: no more.
bool write_gds_stream(ProgramState& p, MicroOp& op, bool one_address);
// A write is confirmed by reading its last dword (2.9.2, 2.9.4).
void confirm_gds(MicroOp& op, uint64_t address);

}  // namespace archipelago::cp::si
