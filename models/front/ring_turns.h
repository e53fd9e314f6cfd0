// SPDX-License-Identifier: Apache-2.0
// How several rings share the cycles of one engine, as those of CP share its parser and its micro
// engine.
#pragma once

#include <cstdint>
#include <optional>

#include "models/common/arbiter.h"
#include "models/common/clocked.h"

namespace archipelago::front {

constexpr int kNoRing = 64;  // after every ring

// What a ring did in its part of a cycle.
enum class RingOutcome : uint8_t {
    Moved,
    Rest,     // moved, and cannot before something that wakes the engine, for a reason
    Wait,     // could not; another ring may
    Hold,     // could not and keeps its turn
    Empty,    // has nothing to do
    Stopped,  // the engine goes no further, with any ring
};

// What a ring does in a cycle.
template <class Stall>
struct RingTurn {
    Cycle now;
    unsigned ring;
    Stall& reason;
    bool moved = false;
    // The ring can do no more.
    RingOutcome stop(RingOutcome otherwise, Stall why) {
        reason = why;
        return moved ? RingOutcome::Moved : otherwise;
    }
    // The ring waits `cycles` from now on for `why`; empty: it goes on in this cycle.
    std::optional<RingOutcome> delay(unsigned cycles, Stall why) {
        if (cycles == 0 || !moved)
            return {};
        reason = why;
        return cycles > 1 ? RingOutcome::Rest : RingOutcome::Moved;
    }
};

// Moves a ring `steps` times in a cycle, each as step() does, as long as it can.
template <class Stall, class Step>
RingOutcome move_often(unsigned steps, Stall& reason, const Step& step) {
    const RingOutcome first = step();
    if (first != RingOutcome::Moved)
        return first;
    for (unsigned i = 1; i < steps; ++i) {
        const RingOutcome next = step();
        if (next == RingOutcome::Rest || next == RingOutcome::Stopped)
            return next;
        if (next != RingOutcome::Moved)
            break;
    }
    reason = Stall::None;
    return RingOutcome::Moved;
}

// Stall: why a ring does not move; its value None says that it does or has nothing to do.
template <class Stall>
struct RingCycle {
    Stall stall = Stall::None;
    bool progress = false;
    bool quiescent = false;  // the tick of the next cycle would find no more, for `stall`
};

// The ring `first` goes on, -1: none; when it cannot, the next of ready() that can takes over.
// run(ring, reason) moves a ring as far as this cycle allows, between_packets(ring) says whether it
// has come to the end of a packet, where it gives its turn away; else it is `current` after this.
template <class Stall, class Run, class Ready, class BetweenPackets>
RingCycle<Stall> share_cycle(RoundRobin& turn, int& current, int first, const Run& run,
                             const Ready& ready, const BetweenPackets& between_packets) {
    RingCycle<Stall> cycle;
    uint64_t tried = 0;
    int stalled_ring = kNoRing;
    for (int ring = first; ring >= 0; ring = turn.pick(ready() & ~tried)) {
        Stall reason = Stall::None;
        const RingOutcome outcome = run(static_cast<unsigned>(ring), reason);
        switch (outcome) {
            case RingOutcome::Moved:
            case RingOutcome::Rest:
            case RingOutcome::Hold:
                if (between_packets(static_cast<unsigned>(ring))) {
                    current = -1;
                    turn.grant(ring);
                } else {
                    current = ring;
                }
                cycle.stall = outcome == RingOutcome::Moved ? Stall::None : reason;
                cycle.progress = outcome == RingOutcome::Moved;
                cycle.quiescent = outcome == RingOutcome::Rest;
                return cycle;
            case RingOutcome::Wait:
            case RingOutcome::Empty:
                // When several wait, the lowest ring's reason counts, whichever was tried first.
                if (reason != Stall::None && ring < stalled_ring) {
                    cycle.stall = reason;
                    stalled_ring = ring;
                }
                current = -1;
                tried |= uint64_t{1} << ring;
                break;
            case RingOutcome::Stopped:
                cycle.progress = true;
                return cycle;
        }
    }
    return cycle;
}

}  // namespace archipelago::front
