// SPDX-License-Identifier: Apache-2.0
// Headers of PM4 packets from a5xx on: types 4 and 7, with parity.
#pragma once

#include <cstdint>
#include <string>

#include "models/afuc/isa/generation.h"

namespace archipelago::afuc {

inline constexpr unsigned kType4Entry = 4;  // of the packet table

struct Pm4Header {
    const char* error = nullptr;  // null: a packet
    unsigned entry = 0;           // of the packet table: 4 for type 4, else the opcode
    uint32_t words = 0;           // behind the header
    uint32_t first = 0;           // register that a type 4 packet begins with
};

// Type 4: register index in bits 25:8, its parity in bit 27, count in 6:0, parity in bit 7. Type 7:
// opcode in 22:16, parity in bit 23, count in 13:0, parity in bit 15. With its parity bit a value
// has an odd number of ones.
Pm4Header take_header(uint32_t header);

// "CP_NOP, header 0x70108000"
std::string packet_text(Names names, uint32_t header);

}  // namespace archipelago::afuc
