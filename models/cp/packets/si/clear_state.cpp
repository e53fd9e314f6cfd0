// SPDX-License-Identifier: Apache-2.0
// CLEAR_STATE: "Radeon Southern Islands Acceleration" 2.4.4.
#include "models/cp/packets/si/field_values.h"
#include "models/cp/packets/si/si_packets.h"
#include "models/cp/pm4/operations.h"
#include "registers/si_names.h"

namespace archipelago::cp::si {

namespace clear_state {
// The clear state is context 0's, which the driver's preamble wrote. Compute state (SHADER_TYPE 1)
// has no hardware context to clear.
bool run(ProgramState& p, MicroOp& op) {
    if (header_is_compute(p.header) || p.step++ != 0)
        return false;
    return write_register(op, regs::si::GFX_COPY_STATE, 0);
}
}  // namespace clear_state
constexpr PacketInfo kClearState = packet("CLEAR_STATE", 0x12, PacketClass::State)
                                       .body(1)
                                       .flags(kCopiesContexts | kOwnRegisters)
                                       .program(kDummy, clear_state::run);

}  // namespace archipelago::cp::si
