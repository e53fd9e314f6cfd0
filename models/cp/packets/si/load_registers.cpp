// SPDX-License-Identifier: Apache-2.0
// LOAD_*_REG: load registers from memory, where SET_*_REG packets shadow them (CONTEXT_CONTROL).
// "Radeon Southern Islands Acceleration" 2.4.1. Opcode numbers: the Linux headers for Southern
// Islands.
#include "models/cp/packets/si/field_values.h"
#include "models/cp/packets/si/si_packets.h"
#include "models/cp/pm4/operations.h"
#include "models/cp/pm4/register_access.h"
#include "models/gcn/vgt_event.h"

namespace archipelago::cp::si {

namespace load_registers {
enum f : uint8_t { kBaseLo, kBaseHi, kOffset, kCount, kWaitForIdle };
constexpr PacketField kFields[] = {
    {"BASE_ADDR_LO", 1, 2, 31, &kAddress},
    {"BASE_ADDR_HI", 2, 0, 15},
    PacketField{"REG_OFFSET", 3, 0, 15, &kWindowRegister}.every(2),
    PacketField{"NUM_DWORDS", 4, 0, 13}.every(2),
    {"WAIT_FOR_IDLE", 2, 31, 31},
};
constexpr size_t kShown = 4;  // without WAIT_FOR_IDLE, which only LOAD_CONFIG_REG has

// A LOAD_* packet is discarded unless CONTEXT_CONTROL enabled its kind (2.4.1). It reads memory
// only after all that the ring's SET_* packets have shadowed has arrived there.
// Checks the packet and keeps its base: writes of the space are shadowed there from now on.
void take_base(ProgramState& p, RegisterSpace space) {
    if (p.body_dwords() % 2 != 0)
        p.bad("has " + std::to_string(p.body_dwords()) +
              " body dwords: a base and pairs of offset and count are an even number");
    if (p.body[0] % 4 != 0)
        p.bad("base address " + hex(p.body[0]) + " is not dword aligned");
    if ((p[f::kWaitForIdle] != 0 && space != kConfigRegisters) || (p.body[1] & 0x7FFF0000u) != 0)
        p.bad("reserved bits " + hex(p.body[1] & 0xFFFF0000u) + " beside BASE_ADDR_HI");
    DeState::Ring& ring = p.ring();
    ring.register_base[space] = uint64_t{p[f::kBaseHi]} << 32 | p.body[0];
    ring.register_base_set[space] = true;
}

bool run(ProgramState& p, MicroOp& op) {
    enum : uint32_t { kBegin, kIdle, kPair, kRange, kRead, kLine };
    enum : uint32_t { kLineDwords, kLineIsNew };  // of p.words: the line read; not yet in p.line
    const RegisterSpace space = space_of(*p.info, p.header);
    DeState::Ring& ring = p.ring();
    if (p.step == kBegin) {
        if ((ring.load_enable >> space & 1) == 0)
            return false;
        take_base(p, space);
        p.index = 2;
        p.step = kIdle;
        if (p[f::kWaitForIdle] != 0) {
            op.kind = OpKind::Event;
            op.event_type = vgt_event::kPsPartialFlush;
            op.wait = true;
            return true;
        }
    }
    for (;;) {
        switch (p.step) {
            case kIdle:
                p.step = kPair;
                return issue(op, OpKind::WaitWrites);
            case kPair:
                if (p.index == p.body_dwords())
                    return false;
                p.index += 2;
                p.step = kRange;
                return take(op, 2);
            case kRange: {
                const uint32_t offset = p.result.data[0];
                p.count = p.result.data[1];
                if (offset >> 16 != 0 || p.count >> 14 != 0)
                    p.bad("reserved bits in REG_OFFSET " + hex(offset) + " or NUM_DWORDS " +
                          hex(p.count));
                p.step = p.count == 0 ? kPair : kRead;
                if (p.count == 0)
                    break;
                p.address = register_start(p, offset, p.count);
                p.memory = ring.register_base[space] + 4 * uint64_t{offset};
                break;
            }
            case kRead: {
                p.address_in(f::kBaseLo, op);
                read_memory(op, p.memory, dwords_in_line(p.memory, p.count));
                op.swap = p.de->external_swap;
                p.line_have = 0;
                p.words[kLineDwords] = op.dwords;
                p.words[kLineIsNew] = 1;
                p.memory += 4 * uint64_t{op.dwords};
                p.step = kLine;
                return true;
            }
            default:
                if (p.words[kLineIsNew] != 0) {
                    p.line = p.result.data;
                    p.words[kLineIsNew] = 0;
                }
                write_register(op, static_cast<uint32_t>(p.address), p.line[p.line_have++]);
                p.address += 4;
                --p.count;
                if (p.line_have == p.words[kLineDwords])
                    p.step = p.count == 0 ? kPair : kRead;
                return true;
        }
    }
}

constexpr PacketRow row(const char* name, uint8_t opcode, const RegisterWindow& window) {
    return packet(name, opcode, PacketClass::State)
        .body(4, kMaxBodyDwords, 2)
        .fields(kFields, kShown)
        .window(window)
        .runs(run);
}
}  // namespace load_registers

constexpr PacketInfo kLoadConfigReg = load_registers::row("LOAD_CONFIG_REG", 0x5F, kConfigWindow)
                                          .rings(kRingGfx)
                                          .fields(load_registers::kFields);
constexpr PacketInfo kLoadContextReg =
    load_registers::row("LOAD_CONTEXT_REG", 0x60, kContextWindow);
constexpr PacketInfo kLoadShReg = load_registers::row("LOAD_SH_REG", 0x61, kShWindow);

}  // namespace archipelago::cp::si
