// SPDX-License-Identifier: Apache-2.0
// What the units inside CP say to each other.
#pragma once

#include <cstdint>

#include "models/cp/cp_location.h"
#include "models/cp/register_file.h"
#include "models/front/ring_message.h"

namespace archipelago::cp {

using front::FetchCommand;
using front::ReadPointer;
using front::RingUpdate;
using front::RoqCredit;
using front::RoqLine;

// PFP -> ME: one dword of the micro engine queue.
struct MeqEntry {
    uint32_t dword = 0;
    bool first = false;  // a header; `location` holds
    Location location;
};

// ME -> PFP: ME reached the PFP_SYNC_ME of this ring.
struct SyncReached {
    uint8_t ring = 0;
};

// ME -> end-of-pipe unit: the event of the ring's next command has passed the pipe.
struct EopTrigger {
    uint8_t ring = 0;
    uint64_t cs_invocations = 0, ps_invocations = 0;  // of EventDone
};

// End-of-pipe unit -> registers: a command is complete.
struct EopNotice {
    uint8_t ring = 0;
    uint8_t vmid = 0;
    bool wrote = false;
    bool interrupt = false;
    uint64_t data = 0;
};

// ME -> registers: an illegal packet. Bits of CP_INT_STATUS_RINGn.
struct RingError {
    uint8_t ring = 0;
    uint8_t vmid = 0;
    uint32_t bits = 0;
};

// PFP, ME -> registers: a WAIT_REG_MEM has polled for longer than CP_WAIT_REG_MEM_TIMEOUT.
struct PollTimeout {
    uint8_t ring = 0;
    uint8_t vmid = 0;
};

// ME -> registers: a SO_VGTSTREAMOUT_FLUSH has left the pipe.
struct StreamoutFlushed {};

// Registers -> PFP, ME: how many clocks a packet may poll; 0: for ever.
struct PollLimits {
    uint32_t wait_reg_mem = 0;
    uint32_t semaphore = 0;
};

// Registers -> PFP, ME, constant engine: CP_ME_CNTL halt bits.
struct HaltChange {
    bool pfp = false;
    bool me = false;
    bool ce = false;
};

}  // namespace archipelago::cp
