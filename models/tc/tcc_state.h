// SPDX-License-Identifier: Apache-2.0
// Everything in an L2 channel that changes.
#pragma once

#include <vector>

#include "models/common/control.h"
#include "models/common/ring.h"
#include "models/tc/miss_table.h"
#include "models/tc/stall_clock.h"
#include "models/tc/tcc_spec.h"

namespace archipelago::tc {

enum class TccStall : uint8_t { Mshr, Waiting, Set, Memory, WriteThrough, Response, kCount };

struct TccCounters {
    uint64_t reads = 0;
    uint64_t read_hits = 0;
    uint64_t read_misses = 0;
    uint64_t read_merged = 0;
    uint64_t partial_fills = 0;
    uint64_t writes = 0;
    uint64_t write_hits = 0;
    uint64_t write_allocates = 0;
    uint64_t write_throughs = 0;
    uint64_t atomics = 0;
    uint64_t atomic_operands = 0;
    uint64_t waited = 0;
    uint64_t fills = 0;
    uint64_t failed_fills = 0;
    uint64_t evictions = 0;
    uint64_t writebacks = 0;
    uint64_t writeback_bytes = 0;
    uint64_t invalidated_lines = 0;
    uint64_t cache_actions = 0;
    uint64_t unmapped_writes = 0;
    uint64_t bytes_read = 0;
    uint64_t bytes_written = 0;
    uint64_t busy_cycles = 0;
};

// What the core has done.
struct TccEvents {
    TccCounters count;
    uint64_t fetches = 0;  // lines sent for
    uint32_t fetched = 0;  // the MSHR of the last of them
};

struct TccState {
    struct Fill {
        uint32_t entry = CacheArray::kNone;  // pinned for the fill
        MemStatus status = MemStatus::Ok;
        bool invalidate = false;  // a cache action invalidates the line in flight
        Cycle since = 0;
        unsigned waiting = 0;  // requests, until it is here
    };
    struct Answer {
        Cycle ready = 0;
        MemResponse response;
    };
    struct WriteThrough {
        bool in_use = false;
        MemResponse response;
    };
    struct Action {
        bool active = false;
        bool walking = false;
        CacheAction action;
        uint32_t cursor = 0;  // next entry to check
    };

    explicit TccState(const TccSpec& spec)
        : returned(spec.mshrs),
          to_memory(spec.memory_entries),
          answers(spec.response_entries),
          misses(spec.mshrs, spec.waiting_requests),
          array(spec.geometry, "tcc"),
          fills(spec.mshrs),
          write_throughs(spec.write_through_entries),
          pages(spec.page_entries, ~uint64_t{0}) {}

    // What shows whether a tick has anything to do, in neighbouring cache lines of the host: the
    // first cycle in which a channel has an entry, and in which the oldest answer can leave. Then
    // what every request needs.
    alignas(64) Cycle from_fabric = kNever;
    Cycle from_memory = kNever;
    Cycle actions = kNever;
    Cycle answer = kNever;
    Cycle busy_until = 0;  // an atomic keeps the pipeline
    StallClock<TccStall> stall;
    Action action;
    Ring<uint32_t> returned;     // MSHRs whose fill has come, waiters being served
    Ring<MemRequest> to_memory;  // strictly in order, so that a line's write-back precedes its fill
    Ring<Answer> answers;
    MissTable<MemRequest> misses;  // waiters: all requests to the line since its fill was sent
    CacheArray array;
    std::vector<Fill> fills;  // by MSHR
    std::vector<WriteThrough> write_throughs;
    unsigned write_throughs_open = 0;
    // Write-backs memory has not answered, before and since the last action began to wait.
    unsigned epoch = 0;
    uint64_t writebacks_open[2] = {0, 0};
    std::vector<uint64_t> pages;
    TccEvents events;
    static constexpr size_t kFields = 19;
};

}  // namespace archipelago::tc
