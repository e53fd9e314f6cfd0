// SPDX-License-Identifier: Apache-2.0
// CONTEXT_CONTROL: which registers LOAD_*_REG load and SET_*_REG shadow. "Radeon Southern Islands
// Acceleration" 2.4.1.
#include "models/cp/packets/si/field_values.h"
#include "models/cp/packets/si/si_packets.h"
#include "models/cp/pm4/packet_program.h"

namespace archipelago::cp::si {

namespace context_control {
enum f : uint8_t {
    kLoadUpdate,
    kLoadCsSh,
    kLoadGfxSh,
    kLoadContext,
    kLoadConfig,
    kShadowUpdate,
    kShadowCsSh,
    kShadowGfxSh,
    kShadowContext,
    kShadowConfig,
    kLoadControl,
    kShadowEnable
};
constexpr PacketField kFields[] = {
    {"LOAD_DW_ENABLE", 1, 31, 31}, {"LOAD_CS_SH", 1, 24, 24},    {"LOAD_GFX_SH", 1, 16, 16},
    {"LOAD_CONTEXT", 1, 1, 1},     {"LOAD_CONFIG", 1, 0, 0},     {"SHADOW_DW_ENABLE", 2, 31, 31},
    {"SHADOW_CS_SH", 2, 24, 24},   {"SHADOW_GFX_SH", 2, 16, 16}, {"SHADOW_CONTEXT", 2, 1, 1},
    {"SHADOW_CONFIG", 2, 0, 0},    {"LOAD_CONTROL", 1, 0, 31},   {"SHADOW_ENABLE", 2, 0, 31},
};
constexpr size_t kShown = 10;  // after them: whole dwords, for the program

// Bits of both dwords.
constexpr uint32_t kConfig = 1u << 0, kContext = 1u << 1, kGfxSh = 1u << 16, kComputeSh = 1u << 24;

// The bits of CONTEXT_CONTROL's dwords as a mask of RegisterSpace.
uint16_t space_mask(uint32_t dword) {
    return static_cast<uint16_t>(((dword & kConfig) != 0 ? 1u << kConfigRegisters : 0u) |
                                 ((dword & kContext) != 0 ? 1u << kContextRegisters : 0u) |
                                 ((dword & kGfxSh) != 0 ? 1u << kGfxShRegisters : 0u) |
                                 ((dword & kComputeSh) != 0 ? 1u << kComputeShRegisters : 0u));
}

bool run(ProgramState& p, MicroOp&) {
    constexpr uint32_t kKnown = kConfig | kContext | kGfxSh | kComputeSh | 0x80000000u;
    const uint32_t load = p[f::kLoadControl];
    const uint32_t shadow = p[f::kShadowEnable];
    if ((load & ~kKnown) != 0)
        p.bad("reserved bits " + hex(load & ~kKnown) + " of LOAD_CONTROL");
    if ((shadow & ~kKnown) != 0)
        p.bad("reserved bits " + hex(shadow & ~kKnown) + " of SHADOW_ENABLE");
    DeState::Ring& ring = p.ring();
    if (p[f::kLoadUpdate] != 0)
        ring.load_enable = space_mask(load);
    if (p[f::kShadowUpdate] != 0)
        ring.shadow_enable = space_mask(shadow);
    return false;
}
}  // namespace context_control
constexpr PacketInfo kContextControl =
    packet("CONTEXT_CONTROL", 0x28, PacketClass::State)
        .body(2)
        .fields(context_control::kFields, context_control::kShown)
        .runs(context_control::run);

}  // namespace archipelago::cp::si
