// SPDX-License-Identifier: Apache-2.0
// Holds PFP and ME to the issue cycles of their microcode (packet_cost.h): a dword moves in the
// issue cycle that takes it. A dword that is late delays the issue cycles after it.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "models/common/clocked.h"
#include "models/cp/op_engine.h"
#include "models/cp/packet_cost.h"
#include "models/front/ring_turns.h"

namespace archipelago::cp {

// What a ring's state has of the issue cycles of its packet.
struct PaceState {
    Cycle first = 0;      // issue cycle
    uint32_t known = 0;   // dwords of the body that were there before
    bool behind = false;  // what moves belongs to no issue cycle
};

// Rings have `info`, `header`, `body`, `location` and `pace`. A place counts from 1, the first
// dword of the body; 0 is the header.
class PacketPace {
  public:
    PacketPace(std::shared_ptr<const PacketCost> cost, ProgramEngine engine, unsigned rings)
        : cost_(std::move(cost)), engine_(engine), rings_(cost_ != nullptr ? rings : 0) {}

    bool on() const { return cost_ != nullptr; }
    bool early = false;  // a dword was asked for before its issue cycle in this cycle

    template <class Ring>
    void begin(Cycle now, unsigned ring, Ring& r, uint32_t known) {
        r.pace = {now, known, false};
        rings_[ring].there = false;
        of(ring, r);
    }
    // The cycle from which a dword may move; 0: no issue cycle takes it.
    template <class Ring>
    Cycle due(unsigned ring, const Ring& r, uint32_t place) {
        const std::vector<uint32_t>& dwords = of(ring, r).dwords;
        if (r.pace.behind || place > dwords.size())
            return 0;
        return r.pace.first + (place == 0 ? 0 : dwords[place - 1]);
    }
    template <class Ring>
    bool too_early(Cycle now, unsigned ring, const Ring& r, uint32_t place, Clocked& owner) {
        const Cycle at = due(ring, r, place);
        if (at <= now)
            return false;
        owner.wake_at(at);
        return early = true;
    }
    // A dword moves.
    template <class Ring>
    void took(Cycle now, unsigned ring, Ring& r, uint32_t place) {
        if (const Cycle at = due(ring, r, place); at != 0 && at < now)
            r.pace.first += now - at;
    }
    // The next header may be taken from this cycle on.
    template <class Ring>
    Cycle end(unsigned ring, const Ring& r) {
        return r.pace.first + of(ring, r).count;
    }
    // Keeps the turn of a ring that waits for an issue cycle.
    front::RingOutcome hold(front::RingOutcome outcome, StallReason& reason) const {
        if (!early || outcome != front::RingOutcome::Wait)
            return outcome;
        reason = StallReason::Microcode;
        return front::RingOutcome::Hold;
    }
    // Issue cycles follow from the state of the rings, which has changed.
    void forget() {
        for (Packet& p : rings_)
            p.there = false;
    }

  private:
    struct Packet {
        bool there = false;
        MicrocodeCycles cycles;
    };
    template <class Ring>
    const MicrocodeCycles& of(unsigned ring, const Ring& r) {
        Packet& p = rings_[ring];
        if (!p.there)
            p.cycles = cost_->microcode_cycles(engine_, *r.info, r.header, r.body.data(),
                                               r.pace.known, r.location);
        p.there = true;
        return p.cycles;
    }

    const std::shared_ptr<const PacketCost> cost_;
    const ProgramEngine engine_;
    std::vector<Packet> rings_;
};

}  // namespace archipelago::cp
