// SPDX-License-Identifier: Apache-2.0
// How PFP, or a constant buffer, calls a constant buffer. "Radeon Southern Islands
// Acceleration" 2.3.
#pragma once

#include "models/cp/ce_message.h"
#include "models/cp/pm4/packet.h"

namespace archipelago::cp {

// The fetch command of a packet that calls a constant buffer. Throws MachineStop.
CeCommand constant_buffer(const PacketInfo& info, const uint32_t* body, const Location& location);

}  // namespace archipelago::cp
