// SPDX-License-Identifier: Apache-2.0
// Everything in the instruction and scalar data caches that changes.
#pragma once

#include <vector>

#include "models/common/arbiter.h"
#include "models/common/compute_message.h"
#include "models/common/control.h"
#include "models/tc/invalidation.h"
#include "models/tc/miss_table.h"
#include "models/tc/ring.h"
#include "models/tc/sqc_spec.h"
#include "models/tc/stall_clock.h"

namespace archipelago::tc {

enum class SqcStall : uint8_t { Mshr, Outstanding, Downstream, kCount };

struct SqcCounters {
    uint64_t requests = 0;
    uint64_t lookups = 0;
    uint64_t hits = 0;
    uint64_t misses = 0;
    uint64_t merged = 0;
    uint64_t evictions = 0;
    uint64_t dropped_fills = 0;
    uint64_t invalidated_lines = 0;
    uint64_t cache_actions = 0;
    uint64_t faults = 0;
    uint64_t bytes_returned = 0;
};

// What both caches hold besides their clients' requests.
template <class Waiter>
struct SqcStore {
    SqcStore(const CacheGeometry& geometry, unsigned mshrs, unsigned waiters,
             const std::string& where)
        : array(geometry, where), misses(mshrs, waiters), miss_since(mshrs, 0) {}
    CacheArray array;
    MissTable<Waiter> misses;
    std::vector<Cycle> miss_since;
    Invalidation action;
};

struct SqcInstState {
    struct Answer {
        Cycle ready = 0;
        FetchResponse response;
    };
    struct Cu {
        explicit Cu(unsigned outstanding) : answers(outstanding) {}
        Ring<Answer> answers;
        unsigned open = 0;  // accepted and not yet answered
        StallClock<SqcStall> stall;
    };
    explicit SqcInstState(const SqcInstSpec& spec)
        : store(spec.geometry, spec.mshrs, spec.cus * spec.outstanding, "sqc.inst"),
          cus(spec.cus, Cu(spec.outstanding)),
          turn(spec.cus) {}
    SqcStore<FetchRequest> store;
    std::vector<Cu> cus;
    uint64_t answering = 0;  // CUs with answers
    RoundRobin turn;
    RunState run = RunState::Running;
    SqcCounters count;
};

struct SqcDataState {
    // One scalar load: at most two lines.
    struct Load {
        ScalarRequest request;
        ScalarResponse response;
        uint64_t next_line = 0;  // the next to look up
        unsigned lookups_left = 0;
        unsigned lines_left = 0;  // not delivered yet
        Cycle ready = 0;
        bool in_use = false;
    };
    struct Waiter {
        uint16_t cu = 0;
        uint16_t load = 0;
    };
    struct Cu {
        explicit Cu(unsigned outstanding) : loads(outstanding), answers(outstanding) {}
        std::vector<Load> loads;
        int looking = -1;              // load with lookups left
        Ring<uint16_t> answers;        // complete loads in order of completion
        Cycle sending_until = kNever;  // last cycle of the transfer of the first answer
        StallClock<SqcStall> stall;
    };
    explicit SqcDataState(const SqcDataSpec& spec)
        : store(spec.geometry, spec.mshrs, 2 * spec.cus * spec.outstanding, "sqc.data"),
          cus(spec.cus, Cu(spec.outstanding)),
          turn(spec.cus) {}
    SqcStore<Waiter> store;
    std::vector<Cu> cus;
    RoundRobin turn;
    RunState run = RunState::Running;
    SqcCounters count;
};

}  // namespace archipelago::tc
