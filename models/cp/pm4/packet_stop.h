// SPDX-License-Identifier: Apache-2.0
// A machine stopped at a packet, with what is wrong as a code and where as a place.
#pragma once

#include <cstdint>
#include <string>

#include "models/common/error.h"
#include "models/cp/cp_location.h"
#include "registers/si_cp.h"

namespace archipelago::cp {

// Numbers as on the pins of rtl-bridge/rtl/cp_pfp_parser.
enum class ParseFault : uint8_t {
    None,
    HeaderType,
    UnknownOpcode,
    WrongRing,
    ForCe,  // a packet of the constant engine only
    NotImplemented,
    WrongSize,
    CutOff,
    EngineCe,  // the packet names an engine that cannot execute it
    EngineWrong = 10,
    TooDeep = 12,  // indirect buffers
    Chain,
    Empty,
    SwapCode,
    RingMoved,   // ring buffer registers rewritten while dwords are not executed
    SkipTooFar,  // a program skips more dwords than there are
};

// The bit of CP_INT_STATUS_RINGn (and of CP_INT_CNTL_RINGn) that stands for it; 0: none does.
inline uint32_t error_status(ParseFault fault) {
    using regs::si::typed::CP_INT_STATUS_RING0;
    switch (fault) {
        case ParseFault::HeaderType:
        case ParseFault::UnknownOpcode:
        case ParseFault::WrongRing:
        case ParseFault::ForCe:
            return CP_INT_STATUS_RING0{}.set_OPCODE_ERROR_INT_STAT(1).raw;
        case ParseFault::SwapCode:
            return CP_INT_STATUS_RING0{}.set_RESERVED_BIT_ERROR_INT_STAT(1).raw;
        default:
            return 0;
    }
}

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
