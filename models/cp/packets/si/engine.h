// SPDX-License-Identifier: Apache-2.0
// ENGINE_SEL of packets that several engines execute.
#pragma once

#include <string>

#include "models/cp/pm4/packet.h"
#include "models/cp/pm4/packet_stop.h"

namespace archipelago::cp::si {

// A packet with ENGINE_SEL CE that is not in a constant buffer.
[[noreturn]] inline void wrong_engine(const PacketInfo& info, const Location& location) {
    throw PacketStop(StopKind::BadInput, location, ParseFault::EngineCe,
                     std::string(info.name) +
                         " with ENGINE_SEL CE belongs into a buffer of INDIRECT_BUFFER_CONST");
}

}  // namespace archipelago::cp::si
