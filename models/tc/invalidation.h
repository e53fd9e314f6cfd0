// SPDX-License-Identifier: Apache-2.0
// Cache actions at caches whose lines are all clean (vector L1, instruction and scalar caches), and
// the report of an action's end, which L2 makes as well.
#pragma once

#include <cstdint>
#include <string>

#include "models/common/error.h"
#include "models/common/memory_message.h"
#include "models/common/unit.h"
#include "models/tc/cache_array.h"
#include "models/tc/miss_table.h"

namespace archipelago::tc {

// The action in progress, one at a time.
struct Invalidation {
    bool active = false;
    CacheAction action;
    Cycle ready = 0;         // its end is not reported before,
    unsigned old_fills = 0;  // nor while fills of older requests are on their way
};

// Drops the lines the action covers; returns how many.
inline uint64_t drop_covered(CacheArray& array, const CacheAction& action) {
    uint64_t dropped = 0;
    for (uint32_t i = 0; i < array.entries(); ++i) {
        if (array.in_use(i) && covers(action, line_of(array.key(i)))) {
            array.remove(i);
            ++dropped;
        }
    }
    return dropped;
}

// Takes the action that has come, unless one is in progress. What is for this cache (`kind`) drops
// the lines it covers at once, and those that are on their way when they come; its end is reported
// `cycles` later at the earliest. Counts `cache_actions` and `invalidated_lines`.
template <class Waiter, class Counters>
bool start_invalidation(Invalidation& current, Cycle now, Channel<CacheAction>& actions,
                        bool CacheAction::*kind, unsigned cycles, CacheArray& array,
                        MissTable<Waiter>& misses, Counters& count) {
    if (current.active || !actions.can_pop(now))
        return false;
    current = Invalidation{true, actions.pop(now), now, 0};
    if (!(current.action.*kind))
        return true;
    ++count.cache_actions;
    current.ready = now + cycles;
    count.invalidated_lines += drop_covered(array, current.action);
    current.old_fills = misses.begin_action(current.action);
    return true;
}

// Reports the end of an action; false when there is no room. `name` is the cache's.
inline bool report_action(const CacheAction& action, Cycle now,
                          const OutputChannel<CacheActionDone>& done, const std::string& name) {
    if (!done)
        throw MachineStop(StopKind::Protocol, name,
                          "a cache action arrived but its completion channel is not connected");
    if (!done->can_push(now))
        return false;
    done->push(now, CacheActionDone{action.tag});
    return true;
}

// Ends the action when it is time; `cache` is woken for that.
inline bool finish_invalidation(Invalidation& current, Cycle now, Clocked& cache,
                                const OutputChannel<CacheActionDone>& done,
                                const std::string& name) {
    if (!current.active || current.old_fills != 0)
        return false;
    if (now < current.ready) {
        cache.wake_at(current.ready);
        return false;
    }
    if (!report_action(current.action, now, done, name))
        return false;
    current.active = false;
    return true;
}

}  // namespace archipelago::tc
