// SPDX-License-Identifier: Apache-2.0
// The registers that SET_*_REG and LOAD_*_REG packets name: what the windows hold and forbid, and
// the packets that need no program to be carried out. "Radeon Southern Islands Acceleration" 2.2.
#pragma once

#include <cstdint>

#include "models/cp/packet_program.h"
#include "models/cp/si_packet_fields.h"

namespace archipelago::cp {

constexpr RegisterWindow kRegisterWindows[kRegisterSpaces] = {kConfigWindow, kContextWindow,
                                                              kShWindow, kShWindow};

inline RegisterSpace space_of(PacketId id, uint32_t header) {
    switch (id) {
        case PacketId::SetConfigReg:
        case PacketId::LoadConfigReg:
            return kConfigRegisters;
        case PacketId::SetShReg:
        case PacketId::SetShRegOffset:
        case PacketId::LoadShReg:
            return header_is_compute(header) ? kComputeShRegisters : kGfxShRegisters;
        default:
            return kContextRegisters;
    }
}

// What can be wrong with the registers a packet names.
enum class NameFault : uint8_t { None, Outside, GraphicsStage };

// Byte offset of the first of `count` registers at `offset` dwords of a window.
inline NameFault find_registers(RegisterSpace space, unsigned ring, uint32_t offset, uint32_t count,
                                uint32_t& start) {
    const RegisterWindow& window = kRegisterWindows[space];
    start = window.start + 4 * offset;
    if (start + 4 * uint64_t{count} > window.end)
        return NameFault::Outside;
    if (window.start == kShWindow.start && ring != 0 && start < kComputeShStart)
        return NameFault::GraphicsStage;
    return NameFault::None;
}

// Reserved bits of the first dword of a SET_*_REG.
inline uint32_t reserved_bits(PacketId id, uint32_t dword) {
    return id == PacketId::SetConfigReg ? dword & 0xFFFF0000u : 0;
}

// Whether CONTEXT_CONTROL wants registers of the space in memory too.
inline bool shadows(const DeState::Ring& ring, RegisterSpace space) {
    return (ring.shadow_enable >> space & 1) != 0;
}

// Consecutive registers, from a byte offset on.
struct RegisterRun {
    uint32_t offset = 0;
    uint32_t count = 0;
    bool noted = false;  // Contexts::wrote() has to hear of them
};

// Most packets: a SET_*_REG whose program at ME would do nothing but write body[1].. to `run`, and
// none of these registers starts something. The packet is one check_header() has passed.
inline bool sets_run(const PacketInfo& info, uint32_t header, const uint32_t* body,
                     const Location& location, const DeState& state, RegisterRun& run) {
    if (!is_set_reg(info.id))
        return false;
    const RegisterSpace space = space_of(info.id, header);
    run.count = header_body_dwords(header) - 1;
    if (state.header_dump.enabled || shadows(state.rings[location.ring], space) ||
        reserved_bits(info.id, body[0]) != 0 ||
        find_registers(space, location.ring, fields::set_reg::kOffset.in(body), run.count,
                       run.offset) != NameFault::None)
        return false;
    run.noted = space == kContextRegisters && kQuietRegisters.from(run.offset) < run.count;
    for (uint32_t i = 0; run.noted && i < run.count; ++i)
        if (starts_something(run.offset + 4 * i))
            return false;
    return true;
}

}  // namespace archipelago::cp
