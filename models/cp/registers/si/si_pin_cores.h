// SPDX-License-Identifier: Apache-2.0
// The models of the Verilog twins at their pins, with the packets that the twins decode.
#pragma once

#include "models/cp/ce_core.h"
#include "models/cp/me_pins.h"
#include "models/cp/packets/si/si_packets.h"
#include "models/cp/pfp_pins.h"
#include "models/cp/registers/si/si_registers.h"

namespace archipelago::cp {

struct SiCeCore : CeCore {
    SiCeCore() : CeCore(si_packet_table()) {}
};

struct SiPfpPinCore : PfpPinCore {
    SiPfpPinCore() : PfpPinCore(si_spec()) {}
};

struct SiMePinCore : MePinCore {
    SiMePinCore() : MePinCore(si_spec()) {}
};

}  // namespace archipelago::cp
