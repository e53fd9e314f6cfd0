// SPDX-License-Identifier: Apache-2.0
// The constant engine with the packets that its Verilog decodes.
#pragma once

#include "models/cp/ce_core.h"
#include "models/cp/packets/si/si_packets.h"

namespace archipelago::cp {

struct SiCeCore : CeCore {
    SiCeCore() : CeCore(si_packet_table()) {}
};

}  // namespace archipelago::cp
