// SPDX-License-Identifier: Apache-2.0
// The checks and effects of a packet's register write, in this order in both modes: the
// privilege of a user's buffer, what the packet must not write, the roll of the render context, an
// event in place of a write. "Radeon Southern Islands Acceleration" 2.1.1, 2.2, 2.4.2.
#pragma once

#include <cstdint>

#include "models/cp/cp_spec.h"
#include "models/cp/pm4/packet_program.h"

namespace archipelago::cp {

enum class RegisterWriteKind : uint8_t {
    Privileged,  // not for a user's address space: reported, and not written
    Event,       // posts an event to the pipe
    Write,
};

// Says so when there is no register that the packet reads or writes.
inline void check_known(const PacketProgram& program, const RegisterSet& known, const char* does,
                        uint32_t offset) {
    if (!known.allows(offset))
        program.warn_register(does, offset);
}

inline bool privileged_write(const PacketProgram& program, const RegisterSet& user,
                             uint32_t offset) {
    return program.location().vmid != 0 && !user.allows(offset) &&
           !program.info().is(kOwnRegisters);
}

// Throws MachineStop when the packet must not write the register.
inline RegisterWriteKind register_write_kind(const PacketProgram& program, const RegisterSet& user,
                                             uint32_t offset) {
    if (privileged_write(program, user, offset))
        return RegisterWriteKind::Privileged;
    program.check_register_write(offset);
    return offset == program.de().contexts.registers().event_initiator ? RegisterWriteKind::Event
                                                                       : RegisterWriteKind::Write;
}

}  // namespace archipelago::cp
