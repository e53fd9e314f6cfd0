// SPDX-License-Identifier: Apache-2.0
// Where the registers of SET_*_REG and LOAD_*_REG lie. "Radeon Southern Islands Acceleration" 2.2.
#pragma once

#include "models/cp/pm4/packet.h"

namespace archipelago::cp::si {

enum : RegisterSpace {
    kConfigRegisters,
    kContextRegisters,
    kGfxShRegisters,
    kComputeShRegisters,
};

// SET_CONFIG_REG has 16 bits for the offset of a register; the others leave the upper half open.
constexpr RegisterWindow kConfigWindow{0x8000,           0xB000, kConfigRegisters,
                                       kConfigRegisters, 0,      0xFFFF0000};
// Section 2.2 has where the context registers begin. Their end is a choice without a source, wider
// than what Linux lets user packets set (sid.h: up to 0x28FFF): models/cp/DECISIONS.md.
constexpr RegisterWindow kContextWindow{0x28000, 0x30000, kContextRegisters, kContextRegisters, 0,
                                        0,       true};
// Registers of the graphics stages lie below those of compute.
constexpr RegisterWindow kShWindow{0xB000, 0xC000, kGfxShRegisters, kComputeShRegisters, 0xB800, 0};

}  // namespace archipelago::cp::si
