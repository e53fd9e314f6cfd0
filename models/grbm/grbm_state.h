// SPDX-License-Identifier: Apache-2.0
// All mutable data of GRBM. Plain and serialisable. DESIGN section 2.
#pragma once

#include <cstdint>
#include <vector>

#include "models/common/arbiter.h"
#include "models/common/control.h"

namespace archipelago::grbm {

struct GrbmCounters {
    uint64_t writes = 0;
    uint64_t reads = 0;
    uint64_t unknown = 0;  // accesses to offsets no document names
    uint64_t port_full_cycles = 0;
    uint64_t busy_cycles = 0;  // cycles in which a request moved
};

struct GrbmState {
    uint32_t gfx_index = 0xE0000000;  // broadcast to all after reset
    std::vector<uint32_t> store;      // state registers of blocks without a port, by dword
    RoundRobin turn{2};
    RunState run = RunState::Running;
    uint64_t full_since = ~uint64_t{0};
    GrbmCounters counters;
};

}  // namespace archipelago::grbm
