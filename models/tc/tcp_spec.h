// SPDX-License-Identifier: Apache-2.0
// Parameters of the vector L1 cache of a compute unit. Latencies in cycles of the engine clock.
#pragma once

#include "models/common/channel.h"
#include "models/tc/cache_array.h"

namespace archipelago::tc {

struct TcpSpec {
    CacheGeometry geometry{64, 4};   // 16 KiB: AMD OpenCL guide 2.4; ways are not published
    unsigned mshrs = 64;             // lines being fetched at a time
    unsigned order_entries = 128;    // requests accepted and not yet answered, of any kind
    unsigned lookups_per_cycle = 1;  // lines looked up and answered, see TcpCore
    unsigned hit_latency = 1;        // lookup to response leaving, >= 1
    unsigned fill_latency = 1;       // line from L2 arriving to response leaving
    unsigned ack_latency = 1;        // write or atomic answer arriving to response leaving
    unsigned invalidate_cycles = 1;  // action taken to tags cleared
    ChannelSpec from_cu{4, 1};       // its latency is that of the address path before the tags
    ChannelSpec from_l2{4, 1};
    ChannelSpec actions{2, 1};
};

}  // namespace archipelago::tc
