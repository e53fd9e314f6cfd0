// SPDX-License-Identifier: Apache-2.0
// Where in a command stream a packet stands: what every error and log line of CP names.
#pragma once

#include <cstdint>
#include <string>

#include "models/common/ring_name.h"

namespace archipelago::cp {

constexpr unsigned kRings = 3;         // 0 graphics, 1 and 2 compute
constexpr unsigned kLevels = 3;        // ring, IB1, IB2
constexpr uint8_t kConstantLevel = 3;  // buffer of INDIRECT_BUFFER_CONST

struct Location {
    uint8_t ring = 0;
    uint8_t level = 0;  // 0 ring, 1 IB1, 2 IB2, or kConstantLevel
    uint8_t vmid = 0;
    uint32_t dword = 0;  // of the packet's header, from the start of the ring or buffer
    uint64_t base = 0;   // bytes; of the buffer, for levels above 0
};

// "ring gfx dword 18", "ring gfx, IB1 0x208000 dword 13" or "ring gfx, constant IB 0x209000 dword
// 3".
std::string to_string(const Location& location);

}  // namespace archipelago::cp
