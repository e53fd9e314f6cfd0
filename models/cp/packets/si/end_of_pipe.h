// SPDX-License-Identifier: Apache-2.0
// What packets with an end-of-pipe event share. "Radeon Southern Islands Acceleration" 2.8.3.
#pragma once

#include "models/cp/pm4/packet_program.h"

namespace archipelago::cp::si {

// An end-of-pipe command of the packet, after an event of this type; nothing is written yet.
inline void end_of_pipe(const ProgramState& p, MicroOp& op, uint8_t event_type) {
    op.kind = OpKind::Eop;
    op.eop = {};
    op.eop.location = p.location;
    op.eop.event_type = event_type;
}

}  // namespace archipelago::cp::si
