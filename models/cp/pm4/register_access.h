// SPDX-License-Identifier: Apache-2.0
// The registers that SET_*_REG and LOAD_*_REG packets name: what the windows hold and forbid, their
// copies in memory, and the packets that need no program to be executed.
// "Radeon Southern Islands Acceleration" 2.2, 2.4.1.
#pragma once

#include <cstdint>

#include "models/cp/pm4/packet_program.h"

namespace archipelago::cp {

inline RegisterSpace space_of(const PacketInfo& info, uint32_t header) {
    return header_is_compute(header) ? info.window->compute_space : info.window->space;
}

// What is wrong with the registers a packet names.
enum class RegisterRangeError : uint8_t { None, Outside, GraphicsStage };

// Byte offset of the first of `count` registers at `offset` dwords of a window.
inline RegisterRangeError find_registers(const RegisterWindow& window, unsigned ring,
                                         uint32_t offset, uint32_t count, uint32_t& start) {
    start = window.start + 4 * offset;
    if (start + 4 * uint64_t{count} > window.end)
        return RegisterRangeError::Outside;
    if (ring != 0 && start < window.compute_start)
        return RegisterRangeError::GraphicsStage;
    return RegisterRangeError::None;
}

// Whether CONTEXT_CONTROL wants registers of the space in memory too.
inline bool shadows(const DeState::Ring& ring, RegisterSpace space) {
    return (ring.shadow_enable >> space & 1) != 0;
}

// Byte offset of the first of `count` registers at `offset` dwords of the packet's window. Throws
// MachineStop.
uint32_t register_start(const ProgramState& p, uint32_t offset, uint32_t count);
// Whether the registers that follow go to memory too. Throws MachineStop.
bool begin_shadow(ProgramState& p, uint32_t offset);
// A register was written with `value`. True: `op` now writes what has gathered of a line.
bool shadow(ProgramState& p, MicroOp& op, uint32_t value, bool last);

// Consecutive registers, from a byte offset on.
struct RegisterRun {
    uint32_t offset = 0;
    uint32_t count = 0;
    bool noted = false;  // Contexts::wrote() records them
};

// Most packets: a SET_*_REG whose program at ME would do nothing but write body[1].. to `run`, and
// none of these registers starts something. The packet is one check_header() has passed.
[[gnu::always_inline]] inline bool sets_run(const PacketInfo& info, uint32_t header,
                                            const uint32_t* body, const Location& location,
                                            const DeState& state, RegisterRun& run) {
    if (!info.is(kSetsRegisters))
        return false;
    run.count = header_body_dwords(header) - 1;
    if (state.header_dump.enabled || shadows(state.rings[location.ring], space_of(info, header)) ||
        (body[0] & info.window->reserved_offset_bits) != 0 ||
        find_registers(*info.window, location.ring, info.fields[0].in(body), run.count,
                       run.offset) != RegisterRangeError::None)
        return false;
    const RegisterMap& registers = state.contexts.registers();
    run.noted = info.window->of_contexts && registers.plain_run(run.offset) < run.count;
    for (uint32_t i = 0; run.noted && i < run.count; ++i)
        if (registers.acts(run.offset + 4 * i))
            return false;
    return true;
}

}  // namespace archipelago::cp
