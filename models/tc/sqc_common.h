// SPDX-License-Identifier: Apache-2.0
// What the instruction cache and the scalar data cache do alike: read-only lines, fills, actions.
// For their sources only.
#pragma once

#include <string>

#include "models/common/stats.h"
#include "models/tc/sqc_state.h"

namespace archipelago::tc {

inline uint64_t sqc_key(uint64_t line, uint8_t vmid) {
    return line | (vmid & 63u);
}

inline MemRequest sqc_fill_request(uint64_t line, uint8_t vmid, Client client, uint16_t source,
                                   uint32_t tag) {
    MemRequest fill;
    fill.line = line;
    fill.byte_mask = ~uint64_t{0};
    fill.client = client;
    fill.source = source;
    fill.vmid = vmid;
    fill.tag = tag;
    return fill;
}

// The lookups of one cycle: as many as there are, of the CUs in `asking` whose turn it is.
// look_up(cu) returns whether it took effect. Whether any did.
template <class LookUp>
bool sqc_look_up(RoundRobin& turn, unsigned lookups, uint64_t asking, const LookUp& look_up) {
    unsigned done = 0;
    while (done < lookups && asking != 0) {
        const int cu = turn.pick(asking);
        asking &= ~(uint64_t{1} << cu);
        if (!look_up(static_cast<unsigned>(cu)))
            continue;
        turn.grant(cu);
        ++done;
    }
    return done != 0;
}

// Keeps the line unless its fill was overtaken by an invalidation or failed.
template <class Waiter>
void sqc_install(SqcStore<Waiter>& store, uint32_t miss, const MemResponse& fill,
                 SqcCounters& count) {
    if (!store.misses.joinable(miss) || fill.status != MemStatus::Ok) {
        ++count.dropped_fills;
        return;
    }
    const uint64_t key = store.misses.key(miss);
    CacheArray& array = store.array;
    const uint32_t entry = array.victim(array.set_of(line_of(key) / kLineBytes));
    if (array.in_use(entry))
        ++count.evictions;
    array.replace(entry, key, fill.data);
    array.touch(entry);
}

// As an invalidation of everything, without waiting: s_dcache_inv.
template <class Waiter>
void sqc_detach_all(SqcStore<Waiter>& store, SqcCounters& count) {
    CacheArray& array = store.array;
    for (uint32_t i = 0; i < array.entries(); ++i) {
        if (array.in_use(i)) {
            array.remove(i);
            ++count.invalidated_lines;
        }
    }
    for (uint32_t i = 0; i < store.misses.capacity(); ++i)
        if (store.misses.in_use(i))
            store.misses.detach(i);
}

inline void sqc_register_stats(StatsRegistry& registry, const std::string& path,
                               const SqcCounters& c) {
    const auto add = [&](const char* name, const char* unit, const char* meaning,
                         const uint64_t* value) { registry.add(path, name, unit, meaning, value); };
    add("requests", "requests", "requests of the compute units taken", &c.requests);
    add("lookups", "lookups", "tag lookups that took effect", &c.lookups);
    add("hits", "lookups", "lookups that found the line", &c.hits);
    add("misses", "lookups", "lookups that fetched the line from L2", &c.misses);
    add("merged", "lookups", "lookups that joined a fill in flight", &c.merged);
    add("evictions", "lines", "lines replaced by others", &c.evictions);
    add("dropped_fills", "lines", "lines fetched but not kept", &c.dropped_fills);
    add("invalidated_lines", "lines", "lines dropped by invalidations", &c.invalidated_lines);
    add("cache_actions", "actions", "invalidations asked for", &c.cache_actions);
    add("faults", "requests", "requests answered with a fault", &c.faults);
    add("bytes_returned", "bytes", "data returned to the compute units", &c.bytes_returned);
}

inline void sqc_register_stalls(StatsRegistry& registry, const std::string& path,
                                const StallClock<SqcStall>& stall) {
    registry.add(path, "mshr_full_cycles", "cycles", "a miss waited for a free MSHR",
                 stall.counter(SqcStall::Mshr));
    registry.add(path, "outstanding_full_cycles", "cycles",
                 "a request waited because too many of its CU were open",
                 stall.counter(SqcStall::Outstanding));
    registry.add(path, "downstream_full_cycles", "cycles", "a miss waited for the link to L2",
                 stall.counter(SqcStall::Downstream));
}

}  // namespace archipelago::tc
