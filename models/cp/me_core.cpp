// SPDX-License-Identifier: Apache-2.0
#include "models/cp/me_core.h"

#include "models/common/archive.h"
#include "models/common/error.h"
#include "models/common/transaction_id.h"
#include "models/cp/me_pins.h"
#include "models/cp/pm4/packet_log.h"

namespace archipelago::cp {

MeCore::MeCore(const Spec& spec, DeState& de)
    : MeUnit(spec, de), turn_(spec.rings), pace_(spec.microcode, ProgramEngine::Me, spec.rings) {
    MeCore::reset();
}

void MeCore::archive(Archive& a) {
    Unit::archive(a);
    a(engine_, state_, turn_, busy);
    pace_.forget();
}

void MeCore::reset() {
    MeUnit::reset();
    turn_.reset();
}

// One dword of the body a cycle.
inline bool MeCore::take(Turn& t, uint32_t& dword) {
    if (pace_.on())
        return take_by_microcode(t, dword);
    Channel<MeqEntry>& queue = meq[t.ring];
    if (t.moved || !queue.can_pop(t.now))
        return false;
    dword = queue.front().dword;
    queue.pop_no_wake(t.now);
    --state_.rings[t.ring].left;
    ++state_.dwords;
    return t.moved = true;
}

// By microcode: the dwords that are there before the packet starts as they come, others in their
// issue cycles.
bool MeCore::take_by_microcode(Turn& t, uint32_t& dword) {
    MeState::Ring& r = state_.rings[t.ring];
    Channel<MeqEntry>& queue = meq[t.ring];
    const bool timed = r.phase != MePhase::Collect;
    const uint32_t place = header_body_dwords(r.header) - r.left + 1;
    if (!queue.can_pop(t.now) || (timed && pace_.too_early(t.now, t.ring, r, place, *this)))
        return false;
    dword = queue.front().dword;
    queue.pop_no_wake(t.now);
    --r.left;
    ++state_.dwords;
    if (timed)
        pace_.took(t.now, t.ring, r, place);
    return t.moved = true;
}

// Moves one ring as far as this cycle allows.
RingOutcome MeCore::run(Cycle now, unsigned ring, StallReason& reason) {
    Turn turn{now, ring, reason};
    pace_.early = false;
    for (;;)
        if (const std::optional<RingOutcome> outcome = run_phase(turn))
            return pace_.hold(*outcome, reason);
}

inline std::optional<RingOutcome> MeCore::run_phase(Turn& t) {
    MeState::Ring& r = state_.rings[t.ring];
    switch (r.phase) {
        case MePhase::Header:
            if (!meq[t.ring].can_pop(t.now))
                return RingOutcome::Empty;
            take_header(t);
            return {};
        case MePhase::Collect:
            return run_collect(t);
        case MePhase::Microcode:
            if (t.now < r.ready_at)
                return t.stop(RingOutcome::Hold, StallReason::Microcode);
            log_start(t.now, r);
            engine_.start(r.op, *r.info, r.header, r.body.data(), r.location, de_);
            r.phase = MePhase::Execute;
            return {};
        case MePhase::Execute:
            return run_execute(t);
        case MePhase::Drop: {
            uint32_t ignored = 0;
            while (r.left > 0)
                if (!take(t, ignored))
                    return t.stop(RingOutcome::Wait, StallReason::Queue);
            if (pace_.on())
                state_.free_at = pace_.end(t.ring, r);
            finish(t.now, r);
            return RingOutcome::Moved;
        }
    }
    return {};
}

inline void MeCore::take_header(Turn& t) {
    MeState::Ring& r = state_.rings[t.ring];
    const MeqEntry& entry = meq[t.ring].front();
    meq[t.ring].pop_no_wake(t.now);  // its place keeps it for this tick
    ++state_.dwords;
    t.moved = true;
    begin_packet(t.now, r, entry);
}

inline std::optional<RingOutcome> MeCore::run_collect(Turn& t) {
    MeState::Ring& r = state_.rings[t.ring];
    for (; r.have < r.info->fixed; ++r.have)
        if (!take(t, r.body[r.have]))
            return t.stop(RingOutcome::Wait, StallReason::Queue);
    r.phase = MePhase::Microcode;
    if (pace_.on()) {
        pace_.begin(t.now, t.ring, r, r.have);
        r.ready_at = pace_.due(t.ring, r, r.info->fixed);
        if (r.ready_at <= t.now)
            return {};
        wake_at(r.ready_at);
        return t.stop(RingOutcome::Hold, StallReason::Microcode);
    }
    r.ready_at = t.now + spec_.me_packet_cycles;
    if (spec_.me_packet_cycles != 0)
        wake_at(r.ready_at);
    return t.delay(spec_.me_packet_cycles, StallReason::Microcode);
}

inline std::optional<RingOutcome> MeCore::run_execute(Turn& t) {
    MeState::Ring& r = state_.rings[t.ring];
    switch (engine_.step(t.now, r.op, t.reason)) {
        case OpStep::Advanced:
            note_context(t.now);
            if (!r.op.has_op && r.op.op.kind == OpKind::RegWrite)
                log_write(t.now, r);
            // Microcode writes the registers of the words that an issue cycle takes in that issue
            // cycle.
            t.moved = true;
            if (pace_.on() && r.op.op.kind == OpKind::RegWrite)
                return {};
            return RingOutcome::Moved;
        case OpStep::Finished:
            r.phase = MePhase::Drop;
            return {};
        case OpStep::Blocked:
            return t.stop(RingOutcome::Hold, t.reason);
        case OpStep::Waiting:
            return t.stop(RingOutcome::Wait, t.reason);
        case OpStep::NeedDword: {
            uint32_t dword = 0;
            if (!take(t, dword))
                return t.stop(RingOutcome::Wait, StallReason::Queue);
            OpEngine::give(r.op, dword);
            return {};
        }
    }
    return {};
}

uint64_t MeCore::candidates() const {
    uint64_t rings = 0;
    for (unsigned i = 0; i < spec_.rings; ++i)
        if (runnable(i))
            rings |= uint64_t{1} << i;
    return rings;
}

bool MeCore::take_responses(Cycle now) {
    bool progress = engine_.take_from(hub_response, now);
    progress |= engine_.take_from(l2_response, now);
    progress |= engine_.take_from(register_response, now);
    progress |= engine_.take_from(cache_done, now);
    progress |= engine_.take_from(gds_response, now);
    progress |= engine_.take_from(dma_done, now);
    progress |= engine_.take_from(ce_grant, now);
    progress |= engine_.take_from(gds_stored, now);
    progress |= event_done.can_pop(now) && take_event(now);
    while (halt.ready(now)) {
        state_.halted = halt.take().me;
        progress = true;
    }
    while (limits.ready(now)) {
        engine_.limits = limits.take();
        progress = true;
    }
    return progress;
}

// The oldest event of a ring has passed the pipe: everything that waits for it continues. False
// while that has no room.
bool MeCore::take_event(Cycle now) {
    const EventDone done = event_done.front();
    check_event(done);
    OpState& s = state_.rings[done.ring].op;
    const PendingEvent front = s.events_count != 0 ? s.events[s.events_head] : PendingEvent{};
    if ((front.purpose == EventPurpose::Eop && !to_eop_trigger->can_push(now)) ||
        (front.purpose == EventPurpose::IncrementDe && !to_ce->can_push(now)))
        return false;
    event_done.drop(now);
    engine_.take(done, s);
    event_passed(now, done, front);
    return true;
}

// As PfpCore's.
bool MeCore::ending_packet(Cycle now, front::RingCycle<StallReason>& cycle) {
    if (state_.free_at <= now || candidates() == 0)
        return false;
    wake_at(state_.free_at);
    cycle.stall = StallReason::Microcode;
    return true;
}

bool MeCore::tick(Cycle now) {
    bool progress = inputs_ != 0 && take_responses(now);
    front::RingCycle<StallReason> cycle;
    if (!state_.halted && run_ != RunState::Paused && !ending_packet(now, cycle)) {
        int ring = state_.current;
        if (ring < 0 || !runnable(static_cast<unsigned>(ring))) {
            ring = turn_.pick(candidates());
        } else if (!progress) {
            // Woken by what arrives in the queue while it is still starting a packet.
            const MeState::Ring& r = state_.rings[static_cast<unsigned>(ring)];
            if (r.phase == MePhase::Microcode && now < r.ready_at) {
                note_stall(now, StallReason::Microcode);
                set_busy(now, true);
                return false;
            }
        }
        cycle = front::share_cycle<StallReason>(
            turn_, state_.current, ring,
            [&](unsigned i, StallReason& reason) {
                return front::move_often(spec_.dwords_per_cycle, reason,
                                         [&] { return run(now, i, reason); });
            },
            [&] { return candidates(); },
            [&](unsigned i) { return state_.rings[i].phase == MePhase::Header; });
    }
    if (cycle.quiescent) {
        note_stall(now, StallReason::None);
        note_stall(now + 1, cycle.stall);
        set_busy(now, true);
        return false;
    }
    note_stall(now, cycle.stall);
    set_busy(now, state_.current >= 0 || !idle());
    return progress || cycle.progress;
}

}  // namespace archipelago::cp
