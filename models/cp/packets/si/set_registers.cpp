// SPDX-License-Identifier: Apache-2.0
// Packets that set consecutive registers: type 0 and SET_*_REG. "Radeon Southern Islands
// Acceleration" 2.1.1, 2.2, 2.4. That document gives SET_CONFIG_REG to ring 0 alone, yet the Linux
// driver's ring test and fences write it on the compute rings of this chip too.
#include "models/cp/packets/si/field_values.h"
#include "models/cp/packets/si/si_packets.h"
#include "models/cp/pm4/operations.h"
#include "models/cp/pm4/register_access.h"

namespace archipelago::cp::si {

namespace set_registers {
enum f : uint8_t { kOffset, kData };
constexpr PacketField kFields[] = {
    {"REG_OFFSET", 1, 0, 15, &kWindowRegister},
    PacketField{"REG_DATA", 2, 0, 31}.every(1),
};

bool run(ProgramState& p, MicroOp& op) {
    if (p.step == 0) {
        p.step = 1;
        p.count = p.body_dwords() - 1;
        const uint32_t offset = p[f::kOffset];
        if (const uint32_t reserved = p.body[0] & p.info->window->reserved_offset_bits)
            p.bad("reserved bits " + hex(reserved) + " of REG_OFFSET");
        p.address = register_start(p, offset, p.count);
        p.shadowing = begin_shadow(p, offset);
        p.in_run = !p.shadowing;
    }
    if (p.shadowing && p.index > 0 && p.step == 2) {
        p.step = 1;
        if (shadow(p, op, static_cast<uint32_t>(p.result.value), p.index == p.count))
            return true;
    }
    if (p.index == p.count)
        return false;
    p.step = 2;
    return stream_register(op, static_cast<uint32_t>(p.address) + 4 * p.index++);
}

bool run_type0(ProgramState& p, MicroOp& op) {
    if (p.step == 0) {
        p.step = 1;
        if (p.header == 0)
            p.warn(Warning::ZeroHeader, "a header of 0, as of memory that nothing was written to");
        p.count = p.body_dwords();
        p.address = uint64_t{p.header & 0xFFFF} * 4;
        p.check_register_end(p.address + 4 * uint64_t{p.count});
    }
    if (p.index == p.count)
        return false;
    return stream_register(op, static_cast<uint32_t>(p.address) + 4 * p.index++);
}

constexpr PacketRow row(const char* name, uint8_t opcode, const RegisterWindow& window) {
    return packet(name, opcode, PacketClass::State)
        .body(2, kMaxBodyDwords, 1)
        .flags(kSetsRegisters | kLogsRegisters)
        .fields(kFields)
        .window(window)
        .runs(run);
}
}  // namespace set_registers

constexpr PacketInfo kType0 = packet("type-0", 0, PacketClass::State)
                                  .body(1, kMaxBodyDwords, 0)
                                  .flags(kLogsRegisters)
                                  .runs(set_registers::run_type0);
constexpr PacketInfo kSetConfigReg = set_registers::row("SET_CONFIG_REG", 0x68, kConfigWindow);
constexpr PacketInfo kSetContextReg = set_registers::row("SET_CONTEXT_REG", 0x69, kContextWindow);
constexpr PacketInfo kSetShReg = set_registers::row("SET_SH_REG", 0x76, kShWindow);

}  // namespace archipelago::cp::si
