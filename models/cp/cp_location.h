// SPDX-License-Identifier: Apache-2.0
// Where in a command stream a packet stands: what every error and log line of CP names.
#pragma once

#include <cstdint>
#include <string>

#include "models/common/ring_name.h"
#include "models/front/location.h"

namespace archipelago::cp {

using front::Location;

constexpr uint8_t kConstantLevel = 3;   // buffer of INDIRECT_BUFFER_CONST, after ring, IB1 and IB2
constexpr uint8_t kConstantLevel2 = 4;  // called by a constant buffer

// "gfx", "compute0", ...; "IB1", "IB2", "constant IB", "constant IB2".
const front::RingNames& ring_names();

// "ring gfx dword 18", "ring gfx, IB1 0x208000 dword 13" or "ring gfx, constant IB 0x209000 dword
// 3".
std::string to_string(const Location& location);

}  // namespace archipelago::cp
