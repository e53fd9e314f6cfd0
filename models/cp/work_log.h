// SPDX-License-Identifier: Apache-2.0
// What CP's units were at, stretch by stretch: what the gaps between dispatches are explained with.
// Kept with --profile alone.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "models/common/clocked.h"
#include "models/common/stall_cycles.h"
#include "models/cp/op_engine.h"

namespace archipelago::cp {

struct WorkLog {
    // Cycles from `begin` to `end` (exclusive); those of a list follow each other.
    struct Span {
        Cycle begin = 0, end = 0;
    };
    struct Packet : Span {
        const char* name = "";
    };
    struct Stall : Span {
        StallReason reason = StallReason::None;
    };
    struct Engine {
        std::vector<std::vector<Packet>> packets;  // by ring
        std::vector<Stall> stalls;
        std::vector<Span> register_writes;  // cycles in which it sends one

        void wrote(Cycle now) {
            if (!register_writes.empty() && register_writes.back().end >= now)
                register_writes.back().end = now + 1;
            else
                register_writes.push_back({now, now + 1});
        }
        void ended(unsigned ring, Cycle begin, Cycle end, const char* name) {
            if (packets.size() <= ring)
                packets.resize(ring + 1);
            packets[ring].push_back({{begin, end}, name});
        }
        void ended(const StallCycles<StallReason>& stall, Cycle end) {
            if (stall.reason() != StallReason::None && stall.since() < end)
                stalls.push_back({{stall.since(), end}, stall.reason()});
        }
    };
    // A packet had written what starts a dispatch or a draw.
    struct Start {
        Cycle at = 0;
        const char* packet = "";
    };

    Engine pfp, me;
    std::vector<Span> cache_actions;  // of the coherency unit
    std::vector<Span> fences;         // commands of the end-of-pipe unit, from their grant on
    std::vector<Cycle> submissions;   // a ring's write pointer came to PFP
    std::map<uint64_t, Start> dispatches, draws;  // by number
};

// The engine stalls for `reason` from cycle `now` on; `log` may be null, else it has the stall that
// ends.
inline void note_stall(StallCycles<StallReason>& stalls, Cycle now, StallReason reason,
                       WorkLog::Engine* log) {
    if (reason == stalls.reason())
        return;
    if (log != nullptr)
        log->ended(stalls, now);
    stalls.note(now, reason);
}

}  // namespace archipelago::cp
