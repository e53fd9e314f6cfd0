// SPDX-License-Identifier: Apache-2.0
// The checks and effects of a packet's register write, in this order in both modes: the
// privilege of a user's buffer, what the packet must not write, the roll of the render context, an
// event in place of a write. "Radeon Southern Islands Acceleration" 2.1.1, 2.2, 2.4.2.
#pragma once

#include <cstdint>

#include "models/cp/cp_message.h"
#include "models/cp/cp_spec.h"
#include "models/cp/pm4/packet_program.h"
#include "models/front/op_engine.h"

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

inline PrivilegeFault privilege_fault(const PacketProgram& program, uint32_t offset,
                                      uint32_t value) {
    return {program.location(), program.info().name, offset, value};
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

// The same of the value, which may post an event that the packet must not.
inline RegisterWriteKind check_register_write(const PacketProgram& program, const Spec& spec,
                                              uint32_t offset, uint32_t value) {
    const RegisterWriteKind kind = register_write_kind(program, spec.user_registers, offset);
    if (kind == RegisterWriteKind::Event)
        program.check_event_write(spec.registers->events.type_of(value));
    return kind;
}

// A packet's register write, in both modes. `steps` does what they do differently:
//   void report(fault)              the write of a user's packet that is not for it
//   OpStep roll(offset)             brings the write into its render context
//   OpStep post_event(type)
//   OpStep send(offset, value)      note_register_write(), and the request
// What a step returns but Finished ends the write for now.
template <class Steps>
front::OpStep write_packet_register(PacketProgram& program, const Spec& spec, uint32_t offset,
                                    uint32_t value, Steps&& steps) {
    const RegisterWriteKind kind = check_register_write(program, spec, offset, value);
    if (kind == RegisterWriteKind::Privileged) {
        steps.report(privilege_fault(program, offset, value));
        return front::OpStep::Finished;
    }
    const front::OpStep rolled = steps.roll(offset);
    if (rolled != front::OpStep::Finished)
        return rolled;
    if (kind == RegisterWriteKind::Write)
        return steps.send(offset, value);
    return steps.post_event(spec.registers->events.type_of(value));
}

// The packet's write goes to the register, which is no event: what warns of it and what follows it
// in the drawing engine. Returns RegRequest::place.
inline uint16_t note_register_write(PacketProgram& program, const RegisterSet& known,
                                    uint32_t offset, uint32_t value) {
    check_known(program, known, "writes", offset);
    const uint16_t place = program.place_of_work(offset);
    program.de().contexts.wrote(offset, value);
    return place;
}

}  // namespace archipelago::cp
