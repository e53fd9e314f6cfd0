// SPDX-License-Identifier: Apache-2.0
// What packets cost an engine whose microcode is known. Costs only: what packets do is in their
// programs.
#pragma once

#include <cstdint>
#include <vector>

#include "models/cp/cp_location.h"
#include "models/cp/pm4/packet.h"

namespace archipelago::cp {

enum class ProgramEngine : uint8_t;

// A packet's routine in cycle mode; an issue cycle is a cycle.
struct MicrocodeCycles {
    std::vector<uint32_t> dwords;  // of the body: the issue cycle, from 0, that takes it
    uint32_t count = 0;
};

class PacketCost {
  public:
    virtual ~PacketCost() = default;
    // Depends on nothing but its arguments. `known` dwords of the body are there; those after them
    // count as 0. No issue cycles: the engine has nothing to do for packets. Throws MachineStop.
    virtual MicrocodeCycles microcode_cycles(ProgramEngine engine, const PacketInfo& info,
                                             uint32_t header, const uint32_t* body, uint32_t known,
                                             const Location& location) const = 0;
};

}  // namespace archipelago::cp
