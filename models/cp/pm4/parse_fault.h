// SPDX-License-Identifier: Apache-2.0
// What can be wrong with a packet before its program runs.
#pragma once

#include <cstdint>

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

}  // namespace archipelago::cp
