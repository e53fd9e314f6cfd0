// SPDX-License-Identifier: Apache-2.0
// What the constant engine and the rest of CP say to each other.
#pragma once

#include <cstdint>

#include "models/cp/cp_location.h"

namespace archipelago::cp {

// Messages of DE, which is ME here.
enum class DeKind : uint8_t {
    WaitCounter,    // WAIT_ON_CE_COUNTER: grant when CE_COUNTER > 0
    WaitBuffer,     // WAIT_ON_AVAIL_BUFFER: grant by the table; `flags` are DE1 DE0
    Increment,      // INCREMENT_DE_COUNTER at the top of the pipe
    IncrementDone,  // and at its end, for `buffer`; bit 0 of `flags`: as Release as well
    Release,        // DE has left `buffer`, and the pipe holds nothing of it
};
struct DeMessage {
    uint8_t ring = 0;
    DeKind kind = DeKind::WaitCounter;
    uint8_t buffer = 0;
    uint8_t flags = 0;
};

// Constant engine -> ME: the ring's wait is over.
struct CeGrant {
    uint8_t ring = 0;
    DeKind kind = DeKind::WaitCounter;  // of the wait
    uint8_t buffer = 0;                 // WaitBuffer: to set the flag of
};

// Constant engine -> its fetch: a packet of the ring has been executed.
struct CePacketDone {
    uint8_t ring = 0;
};

// BASE_INDEX of SET_BASE.
constexpr uint8_t kGdsPartitions = 2, kCePartitions = 3;

// PFP -> fetch of the constant engine, in the order of the ring: a constant buffer, or the
// partitions of a SET_BASE.
struct CeCommand {
    uint8_t partition = 0;  // BASE_INDEX: of the GDS or of CE RAM; 0: a constant buffer
    uint32_t cs1 = 0, cs2 = 0;
    Location location;  // of the packet
    uint64_t base = 0;  // bytes
    uint32_t dwords = 0;
    uint8_t vmid = 0;
    uint8_t swap = 0;
};

}  // namespace archipelago::cp
