// SPDX-License-Identifier: Apache-2.0
// Parameters of one channel of the L2 cache. Latencies in cycles of the engine clock.
#pragma once

#include "models/common/channel.h"
#include "models/tc/cache_array.h"

namespace archipelago::tc {

struct TccSpec {
    CacheGeometry geometry{64, 16};       // 64 KiB per channel: AMD OpenCL guide 2.4
    unsigned mshrs = 32;                  // lines being fetched at a time
    unsigned waiting_requests = 64;       // requests that wait for a fill of their line
    unsigned response_entries = 64;       // answers on their way through the data pipeline
    unsigned memory_entries = 16;         // fills and writes queued towards memory, >= 2
    unsigned write_through_entries = 16;  // write-through requests memory has not answered
    unsigned hit_latency = 1;            // lookup to response leaving, >= 1; writes and atomics too
    unsigned fill_latency = 1;           // waiting request served to response leaving, >= 1
    unsigned ack_latency = 1;            // memory's answer to a write-through to response leaving
    unsigned atomic_cycles = 1;          // cycles one atomic request keeps the pipeline, >= 1
    unsigned walk_lines_per_cycle = 16;  // tags checked by a write-back or invalidation, >= 1
    unsigned page_entries = 64;          // pages remembered as mapped; power of two
    ChannelSpec from_fabric{4, 1};       // its latency is that of the path before the tags
    ChannelSpec from_memory{4, 1};
    ChannelSpec actions{2, 1};
};

}  // namespace archipelago::tc
