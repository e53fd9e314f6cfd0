// SPDX-License-Identifier: Apache-2.0
// Everything in the vector L1 that changes.
#pragma once

#include "models/common/control.h"
#include "models/common/ring.h"
#include "models/tc/invalidation.h"
#include "models/tc/miss_table.h"
#include "models/tc/stall_clock.h"
#include "models/tc/tcp_spec.h"

namespace archipelago::tc {

enum class TcpStall : uint8_t { Mshr, Order, Downstream, kCount };

struct TcpCounters {
    uint64_t reads = 0;
    uint64_t read_hits = 0;
    uint64_t read_misses = 0;
    uint64_t read_merged = 0;
    uint64_t glc_reads = 0;
    uint64_t writes = 0;
    uint64_t write_hits = 0;
    uint64_t atomics = 0;
    uint64_t fills = 0;
    uint64_t dropped_fills = 0;
    uint64_t evictions = 0;
    uint64_t invalidated_lines = 0;
    uint64_t cache_actions = 0;
    uint64_t failed_accesses = 0;
    uint64_t bytes_returned = 0;
    uint64_t bytes_written = 0;
};

// What the core has done.
struct TcpEvents {
    TcpCounters count;
    uint64_t released = 0;  // requests that waited for an answer of L2 which has come
};

struct TcpState {
    // One accepted request, answered in order. Ready is kNever until the answer is known, and only
    // then.
    struct Slot {
        Cycle ready = 0;
        MemResponse response;
    };

    explicit TcpState(const TcpSpec& spec)
        : order(spec.order_entries),
          array(spec.geometry, "tcp"),
          misses(spec.mshrs, spec.order_entries),
          miss_since(spec.mshrs, 0) {}

    // What shows whether a tick has anything to do, in one cache line of the host: the first cycle
    // in which a channel has an entry, and in which the oldest request can be answered.
    alignas(64) Cycle from_cu = kNever;
    Cycle from_l2 = kNever;
    Cycle actions = kNever;
    Cycle answer = kNever;
    Invalidation action;

    Ring<Slot> order;
    CacheArray array;
    MissTable<uint32_t> misses;  // waiters are slots of `order`
    StallClock<TcpStall> stall;
    TcpEvents events;
    std::vector<Cycle> miss_since;  // kept for the timeline only
    static constexpr size_t kFields = 11;
};

}  // namespace archipelago::tc
