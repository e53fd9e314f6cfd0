// SPDX-License-Identifier: Apache-2.0
// Packets that set registers to what a table in memory or the place of the indirect buffer says.
// "Radeon Southern Islands Acceleration" 2.2.2; SET_SH_REG_OFFSET as AMD's PAL lays it out.
#include "models/cp/packets/si/field_values.h"
#include "models/cp/packets/si/si_packets.h"
#include "models/cp/pm4/operations.h"
#include "models/cp/pm4/register_access.h"

namespace archipelago::cp::si {

namespace set_context_reg_indirect {
enum f : uint8_t { kOffset, kIndex };
constexpr PacketField kFields[] = {
    {"REG_OFFSET", 1, 0, 15, &kWindowRegister},
    {"REG_INDEX", 2, 0, 31},
};

bool run(ProgramState& p, MicroOp& op) {
    const DeState::Ring& ring = p.ring();
    const uint32_t offset = p[f::kOffset];
    switch (p.step++) {
        case 0:
            p.address = register_start(p, offset, 1);
            if (!ring.base_set[0])
                p.bad("no SET_BASE has said where the patch table is");
            p.address_in(f::kIndex, op);
            return read_memory(op, ring.base[0] + 4 * uint64_t{p[f::kIndex]});
        case 1:
            p.shadowing = begin_shadow(p, offset);
            return write_register(op, static_cast<uint32_t>(p.address), p.result.data[0]);
        case 2:
            return p.shadowing && shadow(p, op, static_cast<uint32_t>(p.result.value), true);
        default:
            return false;
    }
}
}  // namespace set_context_reg_indirect
constexpr PacketInfo kSetContextRegIndirect =
    packet("SET_CONTEXT_REG_INDIRECT", 0x73, PacketClass::State)
        .body(2)
        .fields(set_context_reg_indirect::kFields)
        .window(kContextWindow)
        .runs(set_context_reg_indirect::run);

namespace set_sh_reg_offset {
enum f : uint8_t { kOffset, kBufferOffset, kDriverData };
constexpr PacketField kFields[] = {
    {"REG_OFFSET", 1, 0, 15, &kWindowRegister},
    {"IB_OFFSET", 2, 0, 21},
    {"DRIVER_DATA", 3, 16, 31},
};

// An address inside the buffer of the packet goes to two registers, the driver's 16 bits
// above it. The offset is in bytes, as Mesa's radeonsi of 2012 sent it to these chips; its 22 bits
// are those of the largest buffer.
bool run(ProgramState& p, MicroOp& op) {
    const uint32_t* body = p.body.data();
    enum : uint32_t { kStart, kShadowLow, kHigh, kShadowHigh, kEnd };
    const uint32_t first = p[f::kOffset];
    const uint64_t target = p.location.base + p[f::kBufferOffset];
    const auto high = static_cast<uint32_t>(p[f::kDriverData] << 16 | (target >> 32 & 0xFFFF));
    switch (p.step++) {
        case kStart:
            if (body[0] >> 16 != 0 || body[1] >> 22 != 0 || (body[2] & 0xFFFF) != 0)
                p.bad("reserved bits are not zero");
            if (p[f::kBufferOffset] % 4 != 0)
                p.bad("IB_OFFSET " + hex(p[f::kBufferOffset]) + " is not dword aligned");
            if (p.location.level == 0)
                p.bad("is in no indirect buffer");
            p.address = register_start(p, first, 2);
            p.shadowing = begin_shadow(p, first);
            return write_register(op, static_cast<uint32_t>(p.address),
                                  static_cast<uint32_t>(target));
        case kShadowLow:
            if (p.shadowing && shadow(p, op, static_cast<uint32_t>(target), false))
                return true;
            [[fallthrough]];
        case kHigh:
            p.step = kShadowHigh;
            return write_register(op, static_cast<uint32_t>(p.address) + 4, high);
        case kShadowHigh:
            return p.shadowing && shadow(p, op, high, true);
        default:
            return false;
    }
}
}  // namespace set_sh_reg_offset
constexpr PacketInfo kSetShRegOffset = packet("SET_SH_REG_OFFSET", 0x77, PacketClass::State)
                                           .body(3)
                                           .fields(set_sh_reg_offset::kFields)
                                           .window(kShWindow)
                                           .runs(set_sh_reg_offset::run);

constexpr PacketInfo kSetResourceIndirect =
    packet("SET_RESOURCE_INDIRECT", 0x74, PacketClass::State).unpublished(kPayload);

}  // namespace archipelago::cp::si
