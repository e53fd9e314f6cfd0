// SPDX-License-Identifier: Apache-2.0
// Headers of PM4 packets from a5xx on: types 4 and 7, with parity.
#pragma once

#include <cstdint>
#include <string>

#include "models/afuc/isa/generation.h"

namespace archipelago::afuc {

inline constexpr unsigned kType4Entry = 4;         // of the packet table
inline constexpr uint32_t kMaxRegister = 0x3FFFF;  // that a packet of type 4 begins with
inline constexpr uint32_t kMaxRegisters = 0x7F;    // that it writes
inline constexpr uint32_t kMaxOpcode = 0x7F;

struct Pm4Header {
    const char* error = nullptr;  // null: a packet
    bool type4 = false;           // else of type 7
    unsigned entry = 0;           // of the packet table: 4 for type 4, else the opcode
    uint32_t words = 0;           // after the header
    uint32_t first = 0;           // register that a type 4 packet begins with
};

// Type 4: register index in bits 25:8, its parity in bit 27, count in 6:0, parity in bit 7. Type 7:
// opcode in 22:16, parity in bit 23, count in 13:0, parity in bit 15. With its parity bit a value
// has an odd number of ones.
Pm4Header take_header(uint32_t header);

// Headers with their parity; what is given must fit.
uint32_t make_type4_header(uint32_t first, uint32_t count);
uint32_t make_type7_header(unsigned opcode, uint32_t count);

// "CP_NOP, header 0x70108000"
std::string packet_text(Names names, uint32_t header);

}  // namespace archipelago::afuc
