// SPDX-License-Identifier: Apache-2.0
// Everything of the global data share that changes while it runs.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "models/common/arbiter.h"
#include "models/common/clocked.h"
#include "models/common/gds_message.h"
#include "models/common/memory_message.h"
#include "models/gds/register_map.h"

namespace archipelago::gds {

constexpr unsigned kVmids = 16;
constexpr unsigned kResources = 64;  // of wave synchronisation
constexpr unsigned kCounters = 64;   // of ordered appends, for each shader stage
constexpr unsigned kStages = 4;
constexpr unsigned kOrderBits = 11;    // ordered_append_term of LLVM's work-group info
constexpr uint32_t kMaxCount = 0xFFF;  // GDS_GWS_RESOURCE.COUNTER has 12 bits

// What of the GDS a VMID may use (GDS_VMIDn_BASE/SIZE, GDS_GWS_VMIDn).
struct Partition {
    uint32_t base = 0;
    uint32_t bytes = ~uint32_t{0};
    uint8_t resource_base = 0;
    uint8_t resources = kResources;
};

// Semaphore or barrier.
struct Resource {
    uint32_t counter = 0;            // up to kMaxCount
    bool barrier = false;            // as it was used last
    bool flag = false;               // changes whenever the barrier opens
    std::deque<GdsRequest> waiting;  // oldest first
};

// What accesses did since GDS_CNTL_STATUS was written last.
struct Noted {
    bool bank_conflict = false;     // two dwords of one bank in one cycle
    bool address_conflict = false;  // one dword modified twice in one cycle
    bool write_clamp = false;       // beyond ATOM_SIZE or the memory
    bool read_clamp = false;
};

// Contents and what waits for them: no time in it, shared by both modes.
struct Contents {
    std::vector<uint8_t> memory;
    std::array<uint32_t, RegisterMap::kDwords> registers{};  // as written; see gds_registers.h
    Noted noted;
    std::array<Partition, kVmids> partitions;
    std::array<Resource, kResources> resources;
    std::array<std::array<uint16_t, kCounters>, kStages> due{};  // wave that may pass next
    std::vector<GdsRequest> out_of_turn;                         // ordered counts, oldest first
};

struct Counters {
    uint64_t requests = 0;
    uint64_t lanes = 0;
    uint64_t busy_cycles = 0;
    uint64_t waited = 0;  // requests that were not answered at once
    uint64_t bank_conflict_cycles = 0;
    uint64_t address_conflict_cycles = 0;
    uint64_t register_writes = 0;
    uint64_t register_reads = 0;
};

struct Answer {
    Cycle at = 0;
    GdsResponse response;
};

struct RegisterAnswer {
    Cycle at = 0;
    RegResponse response;
};

struct State {
    Contents contents;
    RoundRobin turn = RoundRobin(64);
    Cycle free = 0;
    Cycle atom_done = 0;   // the last operation of GDS_ATOM_SRC0 is complete
    Cycle write_done = 0;  // the last write of GDS_WR_DATA or GDS_WR_BURST_DATA is
    std::deque<RegisterAnswer> register_answers;
    std::vector<std::deque<Answer>> answers;  // of each unit, in order
    unsigned waiting = 0;                     // requests taken and not yet executed
    Counters counters;
};

}  // namespace archipelago::gds
