// SPDX-License-Identifier: Apache-2.0
// A machine stop by an access of a wave that no memory takes.
#pragma once

#include <cstdint>
#include <utility>

namespace archipelago::cu {

// For a host that knows more about the address than the chip does: dynamic_cast the MachineStop.
struct AccessFault {
    uint64_t address = 0;  // of the first byte, bytes
    uint8_t vmid = 0;
};

// `Stop`: MachineStop, or a class derived from it.
template <class Stop>
class AccessStop : public Stop, public AccessFault {
  public:
    AccessStop(Stop stop, const AccessFault& fault) : Stop(std::move(stop)), AccessFault(fault) {}
};

}  // namespace archipelago::cu
