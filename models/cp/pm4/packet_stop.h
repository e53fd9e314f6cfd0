// SPDX-License-Identifier: Apache-2.0
// A machine stopped at a packet, with what is wrong as a code and where as a place.
#pragma once

#include <string>

#include "models/common/error.h"
#include "models/cp/cp_location.h"
#include "models/cp/pm4/parse_fault.h"

namespace archipelago::cp {

class PacketStop : public MachineStop {
  public:
    PacketStop(StopKind kind, const Location& location, ParseFault fault, const std::string& reason)
        : PacketStop(kind, to_string(location), location, fault, reason) {}
    PacketStop(StopKind kind, const std::string& where, const Location& location, ParseFault fault,
               const std::string& reason)
        : MachineStop(kind, where, reason), fault_(fault), location_(location) {}
    ParseFault fault() const { return fault_; }
    const Location& location() const { return location_; }

  private:
    ParseFault fault_;
    Location location_;
};

}  // namespace archipelago::cp
