// SPDX-License-Identifier: Apache-2.0
// A machine stop by an access of a wave that no memory takes.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "models/gcn/compute_message.h"

namespace archipelago::cu {

// For a host that knows more about the address than the chip does: dynamic_cast the MachineStop.
struct AccessFault {
    uint64_t address = 0;  // of the first byte, bytes
    uint8_t vmid = 0;
    uint64_t program = 0;  // where the waves of its dispatch begin, bytes
    uint64_t pc = 0;       // of the instruction, bytes
    uint32_t group = 0;    // of the dispatch, as groups are walked
    // Of the group, as they are numbered, x fastest; none: the access is the whole wave's.
    std::optional<uint32_t> item = {};
};

// That of a lane (none: of the wave) to an address in the address space of `vmid`.
inline AccessFault access_fault(const WaveLaunch& wave, uint64_t pc, uint64_t address, uint8_t vmid,
                                std::optional<unsigned> lane) {
    AccessFault fault{address, vmid, wave.pc, pc, wave.group, {}};
    if (lane)
        fault.item = wave.first_thread + *lane;
    return fault;
}

// `Stop`: MachineStop, or a class derived from it.
template <class Stop>
class AccessStop : public Stop, public AccessFault {
  public:
    AccessStop(Stop stop, const AccessFault& fault) : Stop(std::move(stop)), AccessFault(fault) {}
};

}  // namespace archipelago::cu
