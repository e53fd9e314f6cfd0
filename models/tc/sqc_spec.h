// SPDX-License-Identifier: Apache-2.0
// Parameters of the instruction cache and the scalar data cache that up to four compute units
// share. Latencies in cycles of the engine clock.
#pragma once

#include "models/common/channel.h"
#include "models/tc/cache_array.h"

namespace archipelago::tc {

struct SqcInstSpec {
    CacheGeometry geometry{128, 4};  // 32 KiB per group of CUs
    unsigned cus = 4;                // compute units that share the cache, 1..16
    unsigned banks = 4;              // of lines in turn, 1..16; a lookup per cycle in each
    unsigned mshrs = 8;              // lines being fetched at a time
    unsigned outstanding = 40;       // fetches per CU accepted and not yet answered
    unsigned hit_latency = 1;        // lookup to response leaving, >= 1
    unsigned fill_latency = 1;       // line arriving to response leaving
    unsigned invalidate_cycles = 1;
    ChannelSpec from_cu{4, 1};
    ChannelSpec from_l2{4, 1};
    ChannelSpec actions{2, 1};
};

struct SqcDataSpec {
    CacheGeometry geometry{64, 4};  // 16 KiB per group of CUs; ways are not published
    unsigned cus = 4;               // 1..16
    unsigned mshrs = 8;
    unsigned outstanding = 16;       // scalar loads per CU accepted and not yet answered
    unsigned lookups_per_cycle = 1;  // each for another CU; one looks up one line
    unsigned return_bytes = 16;      // per cycle and CU: 474 GB/s / (32 CUs x 925 MHz)
    unsigned hit_latency = 1;        // last lookup to response leaving, >= 1
    unsigned fill_latency = 1;       // last line arriving to response leaving
    unsigned invalidate_cycles = 1;  // cache action, or s_dcache_inv to its answer
    ChannelSpec from_cu{4, 1};
    ChannelSpec from_l2{4, 1};
    ChannelSpec actions{2, 1};
};

}  // namespace archipelago::tc
