// SPDX-License-Identifier: Apache-2.0
#include "models/cp/pfp_core.h"

#include "models/common/archive.h"
#include "models/common/error.h"
#include "models/cp/ce_command.h"
#include "models/cp/pm4/packet_log.h"
#include "models/cp/pm4/packet_stop.h"

namespace archipelago::cp {

PfpCore::PfpCore(const Spec& spec, DeState* de)
    : PfpUnit(spec, de), turn_(spec.rings), pace_(spec.microcode, ProgramEngine::Pfp, spec.rings) {
    PfpCore::reset();
}

void PfpCore::archive(Archive& a) {
    Unit::archive(a);
    a(engine_, state_, turn_, own_de_, busy);
    pace_.forget();
}

void PfpCore::reset() {
    PfpUnit::reset();
    turn_.reset();
}

void PfpCore::apply(const RingUpdate& u) {
    const PfpState::Ring& r = state_.rings[u.ring];
    const front::StreamLevel& top = r.stream.levels[0];
    const RingConfig& ring = r.stream.ring;
    const bool unread = !top.at_end() || !r.stream.in_ring() || r.phase != PfpPhase::Header;
    const bool moved = u.reset || u.config.base != ring.base || u.config.dwords != ring.dwords;
    if (moved && unread && ring.enabled) {
        ring_moved(u.ring, top);
    }
    set_up(u);
}

inline bool PfpCore::take_dword(Cycle now, unsigned ring, uint32_t& dword) {
    if (!state_.rings[ring].stream.take(now, ring, &roq[ring * spec_.levels], to_credit, dword))
        return false;
    ++state_.dwords;
    return true;
}

void PfpCore::parse_header(Cycle now, unsigned ring, uint32_t header) {
    PfpState::Ring& r = state_.rings[ring];
    begin_packet(now, r, header);
    if (header_type(header) == 2) {
        r.left = 0;
        return know_packet(r, nullptr);
    }
    r.left = r.stream.most_left(1);
    const PacketInfo& info = check_header(*spec_.packets, header, r.location, r.left);
    r.left = header_body_dwords(header);
    know_packet(r, &info);
}

// The routing dwords are here: what becomes of the packet.
void PfpCore::decide(Cycle now, PfpState::Ring& r) {
    const bool predicated = header_type(r.header) == 3 && (r.header & 1) != 0;
    r.route = predicated && predicate_skips(r.location.ring)
                  ? Route::Skip
                  : r.info->route(r.body.data(), r.location);
    r.synced = false;
    switch (r.route) {
        case Route::Skip:
            r.phase = PfpPhase::Skip;
            break;
        case Route::Fetch:
        case Route::FetchConst:
        case Route::Pfp:
            r.phase = PfpPhase::Execute;
            break;
        case Route::Me:
        case Route::MeAndSync:
            r.phase = PfpPhase::Forward;
            r.plain = r.route == Route::Me && r.info->note == nullptr && r.info->ce_when == nullptr;
            break;
    }
    if (r.route != Route::Skip)
        return;
    log_packet_of(now, r, 0);
}

void PfpCore::finish(Cycle now, unsigned ring) {
    PfpState::Ring& r = state_.rings[ring];
    r.phase = PfpPhase::Header;
    if (pace_.on() && r.info != nullptr)
        state_.free_at = pace_.end(ring, r);
    end_packet(now, ring, r.stream.levels[0].position);
}

void PfpCore::command_ce(Cycle now, unsigned ring) {
    const PfpState::Ring& r = state_.rings[ring];
    CeCommand command;
    if (!r.info->ce_command(*r.info, r.body.data(), command))
        return;
    command.location = r.location;
    to_ce[ring]->push(now, command);
}

// The packet ends after `dwords` more of its stream.
void PfpCore::skip_on(unsigned ring, uint32_t dwords) {
    PfpState::Ring& r = state_.rings[ring];
    const uint32_t most = r.stream.most_left(1);
    r.left = dwords;
    r.phase = PfpPhase::Skip;
    r.pace.behind = true;
    if (dwords > most)
        skips_too_far(*r.info, r.location, dwords, most);
}

// Hands a dword of a packet to ME. Those read for routing, and the header, leave one a cycle too.
inline RingOutcome PfpCore::forward(Cycle now, unsigned ring, StallReason& reason) {
    PfpState::Ring& r = state_.rings[ring];
    Channel<MeqEntry>& meq = *to_meq[ring];
    const uint32_t place = r.forwarded;
    const uint32_t last = header_body_dwords(r.header);
    // A command for the constant engine leaves when the last dword is taken. Packets without one do
    // not wait for it: it may wait for what is after them.
    const bool for_ce = !r.plain && place == last && commands_ce(*r.info, r.body.data());
    if (!meq.can_push(now) || (for_ce && !to_ce[ring]->can_push(now))) {
        reason = StallReason::QueueFull;
        return RingOutcome::Wait;
    }
    uint32_t dword = r.header;
    if (place > r.have) {
        if (!take_dword(now, ring, dword)) {
            reason = StallReason::Queue;
            return RingOutcome::Wait;
        }
        --r.left;
    } else if (place != 0) {
        dword = r.body[place - 1];
    }
    meq.emplace(now, [&](MeqEntry& to) {
        to.dword = dword;
        to.first = place == 0;
        to.location = place == 0 ? r.location : Location{};
    });
    if (!r.plain)
        note_forwarded(ring, place, dword);
    if (for_ce)
        command_ce(now, ring);
    ++r.forwarded;
    if (place != last) {
        if (meq.can_push(now) || state_.runnable != uint64_t{1} << ring)
            return RingOutcome::Moved;
        reason = StallReason::QueueFull;
        return RingOutcome::Rest;
    }
    if (r.route == Route::MeAndSync)
        ++state_.syncs;
    if (r.route == Route::MeAndSync && !r.synced)
        r.phase = PfpPhase::SyncMe;
    else
        finish(now, ring);
    return RingOutcome::Moved;
}

// By microcode: the dwords whose issue cycles have come.
RingOutcome PfpCore::forward_by_microcode(Cycle now, unsigned ring, StallReason& reason) {
    PfpState::Ring& r = state_.rings[ring];
    for (bool moved = false;; moved = true) {
        const uint32_t place = r.forwarded;
        if (const Cycle due = pace_.due(ring, r, place); due > now) {
            wake_at(due);
            reason = StallReason::Microcode;
            return moved ? RingOutcome::Moved : RingOutcome::Hold;
        }
        pace_.took(now, ring, r, place);  // first: the last dword ends the packet
        const RingOutcome did = forward(now, ring, reason);
        if (did == RingOutcome::Wait)
            return moved ? RingOutcome::Moved : did;
        if (did == RingOutcome::Rest || r.phase != PfpPhase::Forward)
            return did;
    }
}

// Moves one ring as far as this cycle allows.
RingOutcome PfpCore::run(Cycle now, unsigned ring, StallReason& reason) {
    Turn turn{now, ring, reason};
    pace_.early = false;
    for (;;)
        if (const std::optional<RingOutcome> outcome = run_phase(turn))
            return pace_.hold(*outcome, reason);
}

std::optional<RingOutcome> PfpCore::run_phase(Turn& t) {
    PfpState::Ring& r = state_.rings[t.ring];
    switch (r.phase) {
        case PfpPhase::Header:
            return run_header(t);
        case PfpPhase::Routing:
            return run_routing(t);
        case PfpPhase::Microcode:
            if (t.now < r.ready_at)
                return t.stop(RingOutcome::Hold, StallReason::Microcode);
            decide(t.now, r);
            return {};
        case PfpPhase::Skip:
            return run_skip(t);
        case PfpPhase::Forward: {
            const RingOutcome outcome = pace_.on() ? forward_by_microcode(t.now, t.ring, t.reason)
                                                   : forward(t.now, t.ring, t.reason);
            return outcome == RingOutcome::Wait ? t.stop(outcome, t.reason) : outcome;
        }
        case PfpPhase::SyncMe:
            if (!r.synced)
                return t.stop(RingOutcome::Wait, StallReason::Event);
            finish(t.now, t.ring);
            return RingOutcome::Moved;
        case PfpPhase::Execute:
            return run_execute(t);
    }
    return {};
}

// One dword a cycle.
bool PfpCore::take(Turn& t, uint32_t& dword) {
    if (pace_.on())
        return take_by_microcode(t, dword);
    if (t.moved || !take_dword(t.now, t.ring, dword))
        return false;
    return t.moved = true;
}

// By microcode: the header and what the route depends on as they come, others in their issue
// cycles.
bool PfpCore::take_by_microcode(Turn& t, uint32_t& dword) {
    PfpState::Ring& r = state_.rings[t.ring];
    const bool timed = r.phase == PfpPhase::Skip || r.phase == PfpPhase::Execute;
    const uint32_t place = header_body_dwords(r.header) - r.left + 1;
    if (timed && pace_.too_early(t.now, t.ring, r, place, *this))
        return false;
    if (!take_dword(t.now, t.ring, dword))
        return false;
    if (timed)
        pace_.took(t.now, t.ring, r, place);
    return t.moved = true;
}

// Body dwords up to the `count`-th; false: there are not so many yet.
bool PfpCore::collect(Turn& t, uint32_t count) {
    PfpState::Ring& r = state_.rings[t.ring];
    for (; r.have < count; ++r.have, --r.left) {
        if (!take(t, r.body[r.have]))
            return false;
    }
    return true;
}

std::optional<RingOutcome> PfpCore::run_header(Turn& t) {
    PfpState::Ring& r = state_.rings[t.ring];
    front::StreamReader& stream = r.stream;
    stream.leave_finished();
    if (stream.top().at_end() || (stream.in_ring() && !stream.ring.enabled))
        return t.stop(RingOutcome::Empty, t.reason);
    r.location = stream.location(t.ring);
    uint32_t header = 0;
    if (!take(t, header))
        return t.stop(RingOutcome::Wait, StallReason::Queue);
    parse_header(t.now, t.ring, header);
    if (r.info == nullptr) {
        finish(t.now, t.ring);
        return RingOutcome::Moved;
    }
    r.phase = PfpPhase::Routing;
    return {};
}

std::optional<RingOutcome> PfpCore::run_routing(Turn& t) {
    PfpState::Ring& r = state_.rings[t.ring];
    if (!collect(t, r.info->routing.dwords))
        return t.stop(RingOutcome::Wait, StallReason::Queue);
    if (pace_.on()) {
        pace_.begin(t.now, t.ring, r, r.info->routing.dwords);
        r.ready_at = t.now;
        r.phase = PfpPhase::Microcode;
        return {};
    }
    r.ready_at = t.now + spec_.pfp_packet_cycles;
    r.phase = PfpPhase::Microcode;
    if (spec_.pfp_packet_cycles != 0)
        wake_at(r.ready_at);
    return t.delay(spec_.pfp_packet_cycles, StallReason::Microcode);
}

std::optional<RingOutcome> PfpCore::run_skip(Turn& t) {
    PfpState::Ring& r = state_.rings[t.ring];
    uint32_t skipped = 0;
    for (; r.left > 0; --r.left) {
        if (!take(t, skipped))
            return t.stop(RingOutcome::Wait, StallReason::Queue);
        walk(t.ring, skipped);
    }
    finish(t.now, t.ring);
    return RingOutcome::Moved;
}

// A packet of PFP's own.
std::optional<RingOutcome> PfpCore::run_execute(Turn& t) {
    PfpState::Ring& r = state_.rings[t.ring];
    if (!collect(t, r.info->fixed))
        return t.stop(RingOutcome::Wait, StallReason::Queue);
    if (!r.programmed)
        begin_program(t.now, t.ring, r.route, r.have);
    if (r.route == Route::Fetch)
        return call_buffer(t);
    if (r.route == Route::FetchConst)
        return call_constant_buffer(t);
    uint32_t skip = 0;
    switch (step_program(t.now, t.ring, t.reason, skip)) {
        case OpStep::Advanced:
            return RingOutcome::Moved;
        case OpStep::Finished:
            if (skip != 0)
                skip_on(t.ring, skip);
            else
                finish(t.now, t.ring);
            return RingOutcome::Moved;
        case OpStep::Blocked:
            return t.stop(RingOutcome::Hold, t.reason);
        case OpStep::Waiting:
            return t.stop(RingOutcome::Wait, t.reason);
        case OpStep::NeedDword: {
            uint32_t dword = 0;
            if (!take(t, dword))
                return t.stop(RingOutcome::Wait, t.reason);  // the program's
            --r.left;
            give_program(t.ring, dword);
            return {};
        }
    }
    return {};
}

RingOutcome PfpCore::call_buffer(Turn& t) {
    PfpState::Ring& r = state_.rings[t.ring];
    if (!to_fetch->can_push(t.now))
        return t.stop(RingOutcome::Wait, StallReason::QueueFull);
    const IndirectBuffer buffer = r.info->buffer(*r.info, r.body.data(), r.location);
    finish(t.now, t.ring);
    const auto level = static_cast<uint8_t>(r.stream.level + 1);
    to_fetch->push(t.now, {static_cast<uint8_t>(t.ring), level, buffer.vmid, buffer.swap,
                           buffer.base, buffer.dwords});
    enter_buffer(t.ring, level, buffer);
    return RingOutcome::Moved;
}

RingOutcome PfpCore::call_constant_buffer(Turn& t) {
    const PfpState::Ring& r = state_.rings[t.ring];
    if (!to_ce[t.ring]->can_push(t.now))
        return t.stop(RingOutcome::Wait, StallReason::QueueFull);
    const CeCommand command = constant_buffer(*r.info, r.body.data(), r.location);
    count_constant_buffer(r, command.vmid);
    to_ce[t.ring]->push(t.now, command);
    finish(t.now, t.ring);
    return RingOutcome::Moved;
}

// run(); an error with an interrupt halts PFP.
inline RingOutcome PfpCore::run_until_error(Cycle now, unsigned ring, StallReason& reason) {
    RingOutcome outcome = RingOutcome::Stopped;
    try {
        outcome = state_.rings[ring].phase == PfpPhase::Forward && !pace_.on()
                      ? forward(now, ring, reason)
                      : run(now, ring, reason);
    } catch (const PacketStop& stop) {
        if (!error_reported(now, stop))
            throw;
    }
    note_runnable(ring);
    return outcome;
}

bool PfpCore::take_inputs(Cycle now) {
    bool progress = false;
    while (run_ == RunState::Running && update.ready(now)) {
        apply(update.take());
        progress = true;
    }
    while (halt.ready(now)) {
        state_.halted = halt.take().pfp;
        progress = true;
    }
    while (sync.ready(now)) {
        state_.rings[sync.take().ring].synced = true;
        progress = true;
    }
    take_responses(now, progress);
    return progress;
}

// Its microcode is in the last issue cycles of a packet, after which it takes the next header.
bool PfpCore::ending_packet(Cycle now, front::RingCycle<StallReason>& cycle) {
    if (state_.free_at <= now || state_.runnable == 0)
        return false;
    wake_at(state_.free_at);
    cycle.stall = StallReason::Microcode;
    return true;
}

bool PfpCore::tick(Cycle now) {
    bool progress = inputs_ != 0 && take_inputs(now);
    if (state_.waits_from <= now) {
        if (state_.waits_from < now)
            state_.current = -1;
        state_.waits_from = kNever;
    }
    front::RingCycle<StallReason> cycle;
    if (!state_.halted && state_.error.empty() && run_ != RunState::Paused &&
        !ending_packet(now, cycle)) {
        int ring = state_.current;
        if (ring < 0 || !runnable(static_cast<unsigned>(ring)))
            ring = turn_.pick(state_.runnable);
        cycle = front::share_cycle<StallReason>(
            turn_, state_.current, ring,
            [&](unsigned i, StallReason& reason) {
                return front::move_often(spec_.dwords_per_cycle, reason,
                                         [&] { return run_until_error(now, i, reason); });
            },
            [&] { return state_.runnable; },
            [&](unsigned i) { return state_.rings[i].phase == PfpPhase::Header; });
    }
    if (cycle.quiescent) {
        if (cycle.stall == StallReason::QueueFull)
            state_.waits_from = now + 1;
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
