// SPDX-License-Identifier: Apache-2.0
#include "models/cp/pfp_core.h"

#include "models/common/archive.h"
#include "models/common/error.h"
#include "models/cp/ce_command.h"
#include "models/cp/pfp_pins.h"
#include "models/cp/pm4/packet_log.h"
#include "models/cp/pm4/packet_stop.h"

namespace archipelago::cp {
namespace {

const char* missing_dwords(const PfpState::Ring& r) {
    return r.stream.at_write_pointer() ? kBeyondWritePointer : "dwords of the command stream";
}
template <class T>
bool full(const OutputChannel<T>& queue) {
    return queue->size() == queue->spec().capacity;
}

}  // namespace

PfpCore::PfpCore(const Spec& spec, DeState* de)
    : update(spec.strobe_latency),
      halt(spec.strobe_latency),
      sync(spec.strobe_latency),
      memory_response(spec.memory_return, "cp.pfp.memory_response"),
      register_response(spec.register_return, "cp.pfp.register_response"),
      cache_done(spec.done, "cp.pfp.cache_done"),
      dma_done(spec.done, "cp.pfp.dma_done"),
      limits(spec.strobe_latency),
      engine_(spec_, ProgramEngine::Pfp, *this),
      to_meq(spec.rings, OutputChannel<MeqEntry>(this)),
      to_ce(spec.rings, OutputChannel<CeCommand>(this)),
      spec_(spec),
      turn_(spec.rings),
      own_de_(spec.de_state()),
      de_(de != nullptr ? *de : own_de_),
      pace_(spec.microcode, ProgramEngine::Pfp, spec.rings),
      track_(spec.rings) {
    for (unsigned i = 0; i < spec.rings * spec.levels; ++i)
        roq.emplace_back(ChannelSpec{spec.roq_lines(i % spec.levels), spec.roq_latency},
                         "cp.roq" + std::to_string(i));
    for (auto& queue : roq)
        add_input(queue);
    add_inputs_with_bits(inputs_, update, halt, sync, memory_response, register_response,
                         cache_done, dma_done, limits);
    PfpCore::reset();
}

void PfpCore::archive(Archive& a) {
    Unit::archive(a);
    a.at_rest(pins_ == nullptr, "it is a Verilog twin");
    a(engine_, state_, turn_, own_de_, busy);
    pace_.forget();
}

void PfpCore::reset() {
    state_ = {};
    state_.rings.resize(spec_.rings);
    engine_.reset();
    for (PfpState::Ring& r : state_.rings) {
        r.stream.levels.resize(spec_.levels);
        engine_.add_ring(r.op);
    }
    turn_.reset();
    own_de_ = spec_.de_state();
    clear_inputs();
    busy.reset();
    run_ = RunState::Running;
    if (pins_ != nullptr)
        pins_->reset();
}

void PfpCore::apply(const RingUpdate& u) {
    const PfpState::Ring& r = state_.rings[u.ring];
    const front::StreamLevel& top = r.stream.levels[0];
    const RingConfig& ring = r.stream.ring;
    const bool unread = !top.at_end() || !r.stream.in_ring() || r.phase != PfpPhase::Header;
    const bool moved = u.reset || u.config.base != ring.base || u.config.dwords != ring.dwords;
    if (moved && unread && ring.enabled) {
        if (events_ != nullptr)
            events_->error = {
                ParseFault::RingMoved, {u.ring, 0, 0, top.position, 0}, 0, top.end, {}};
        ring_moved(u.ring, top);
    }
    set_up(u);
}

void PfpCore::ring_moved(unsigned ring, const front::StreamLevel& top) const {
    throw PacketStop(StopKind::BadInput, std::string("ring ") + ring_name(ring),
                     {static_cast<uint8_t>(ring), 0, 0, top.position, 0}, ParseFault::RingMoved,
                     rewritten_unread(top));
}

void PfpCore::set_up(const RingUpdate& u) {
    front::StreamReader& stream = state_.rings[u.ring].stream;
    stream.follow(u.config, u.write_pointer);
    if (u.reset)
        stream.levels[0].position = u.read_pointer;
    note_runnable(u.ring);
}

// CP error interrupt for this error: PFP halts. False: the error has no interrupt.
bool PfpCore::error_reported(Cycle now, const PacketStop& stop) {
    const uint32_t bits = spec_.registers->error_status(stop.fault());
    const unsigned ring = stop.location().ring;
    if (!to_parse_error || bits == 0 || ((*interrupt_control_)[ring].get(now) & bits) == 0)
        return false;
    to_parse_error->send(now, {static_cast<uint8_t>(ring), stop.location().vmid, bits});
    state_.error = stop.what();
    return true;
}

inline bool PfpCore::take_dword(Cycle now, unsigned ring, uint32_t& dword) {
    if (!state_.rings[ring].stream.take(now, ring, &roq[ring * spec_.levels], to_credit, dword))
        return false;
    ++state_.dwords;
    return true;
}

void PfpCore::parse_header(Cycle now, unsigned ring, uint32_t header) {
    PfpState::Ring& r = state_.rings[ring];
    r.header = header;
    r.began = now;
    r.have = r.forwarded = 0;
    r.programmed = false;
    if (header_type(header) == 2) {
        ++state_.type2;
        r.info = nullptr;
        r.left = 0;
        return;
    }
    r.left = r.stream.most_left(1);
    r.info = &check_header(*spec_.packets, header, r.location, r.left);
    r.left = header_body_dwords(header);
    ++state_.packets[static_cast<size_t>(r.info->packet_class)];
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
    if (events_ != nullptr)
        events_->skipped |= uint64_t{1} << r.location.ring;
    log_packet(observers_, path_, now, spec_, r.location, r.header, r.body.data(), 0);
}

void PfpCore::finish(Cycle now, unsigned ring) {
    PfpState::Ring& r = state_.rings[ring];
    r.phase = PfpPhase::Header;
    if (events_ != nullptr) {
        events_->finished = true;
        events_->finished_in = r.location;
    }
    if (pace_.on() && r.info != nullptr)
        state_.free_at = pace_.end(ring, r);
    if (r.location.level == 0)
        to_read_pointer->send(now, {static_cast<uint8_t>(ring), r.stream.levels[0].position});
    if (observers_.trace != nullptr)
        trace_packet(now + 1, ring);
}

// ME traces the packets that go to it.
void PfpCore::trace_packet(Cycle end, unsigned ring) const {
    const PfpState::Ring& r = state_.rings[ring];
    std::string detail = to_string(r.location);
    if (r.programmed) {
        detail = packet_detail(spec_, r.location, r.header, r.body.data(), r.info->fixed);
        if (r.info->is(kPolls))
            detail += "; read " + std::to_string(r.op.last_read);
    }
    observers_.trace->slice(track_[ring], r.began, end, r.info != nullptr ? r.info->name : "type-2",
                            0, detail);
}

void PfpCore::finish_trace(Cycle now) const {
    for (unsigned i = 0; i < spec_.rings; ++i)
        if (state_.rings[i].phase != PfpPhase::Header)
            trace_packet(now, i);
}

void PfpCore::command_ce(Cycle now, unsigned ring) {
    const PfpState::Ring& r = state_.rings[ring];
    CeCommand command;
    if (!r.info->ce_command(*r.info, r.body.data(), command))
        return;
    command.location = r.location;
    to_ce[ring]->push(now, command);
}

void PfpCore::start_program(unsigned ring) {
    PfpState::Ring& r = state_.rings[ring];
    if (programs_ != nullptr)
        programs_->start(ring, *r.info, r.header, r.body.data(), r.location);
    else
        engine_.start(r.op, *r.info, r.header, r.body.data(), r.location, de_);
}
OpStep PfpCore::step_program(Cycle now, unsigned ring, StallReason& reason, uint32_t& skip) {
    if (programs_ != nullptr)
        return programs_->step(now, ring, reason, skip);
    PfpState::Ring& r = state_.rings[ring];
    const OpStep did = engine_.step(now, r.op, reason);
    if (did == OpStep::Finished) {
        skip = r.op.program.skip();
        r.walk.begin(skip);
    }
    return did;
}
void PfpCore::give_program(unsigned ring, uint32_t dword) {
    if (programs_ != nullptr)
        programs_->give(ring, dword);
    else
        OpEngine::give(state_.rings[ring].op, dword);
}

// The packet ends behind `dwords` more of its stream.
void PfpCore::skip_on(unsigned ring, uint32_t dwords) {
    PfpState::Ring& r = state_.rings[ring];
    const uint32_t most = r.stream.most_left(1);
    r.left = dwords;
    r.phase = PfpPhase::Skip;
    r.pace.behind = true;
    if (dwords > most)
        skips_too_far(*r.info, r.location, dwords, most);
}

// The `place`-th dword of a packet goes to ME.
void PfpCore::note_forwarded(unsigned ring, uint32_t place, uint32_t dword) {
    PfpState::Ring& r = state_.rings[ring];
    if (place == 0 || place > r.info->fixed)
        return;
    r.body[place - 1] = dword;
    if (place == r.info->fixed && r.info->note != nullptr)
        r.info->note(*r.info, r.body.data(), de_);
}

void PfpCore::walk(unsigned ring, uint32_t dword) {
    PfpState::Ring& r = state_.rings[ring];
    if (r.walk.active())
        r.walk.take(dword, *spec_.packets, *r.info, r.location);
}

// Hands a dword of a packet to ME. Those read for routing, and the header, leave one a cycle too.
inline RingOutcome PfpCore::forward(Cycle now, unsigned ring, StallReason& reason) {
    PfpState::Ring& r = state_.rings[ring];
    Channel<MeqEntry>& meq = *to_meq[ring];
    const uint32_t place = r.forwarded;
    const uint32_t last = header_body_dwords(r.header);
    // A command for the constant engine leaves when the last dword is taken. Packets without one do
    // not wait for it: it may wait for what is behind them.
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
        tell_taken(ring, dword, PfpEvents::Dword::Other);
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
    if (r.route == Route::MeAndSync) {
        ++state_.syncs;
        if (events_ != nullptr)
            events_->synced = true;
    }
    if (r.route == Route::MeAndSync && !r.synced)
        r.phase = PfpPhase::SyncMe;
    else
        finish(now, ring);
    return RingOutcome::Moved;
}

// By microcode: the dwords whose beats have come.
RingOutcome PfpCore::forward_in_beats(Cycle now, unsigned ring, StallReason& reason) {
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
            const RingOutcome outcome = pace_.on() ? forward_in_beats(t.now, t.ring, t.reason)
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
        return take_in_beat(t, dword);
    if (t.moved || !take_dword(t.now, t.ring, dword))
        return false;
    return t.moved = true;
}

// By microcode: the header and what the route hangs on as they come, others in their beats.
bool PfpCore::take_in_beat(Turn& t, uint32_t& dword) {
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
        tell_taken(t.ring, r.body[r.have], PfpEvents::Dword::First);
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
    tell_taken(t.ring, header, PfpEvents::Dword::Header);
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
        tell_taken(t.ring, skipped, PfpEvents::Dword::Other);
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
    if (!r.programmed) {
        log_packet(observers_, path_, t.now, spec_, r.location, r.header, r.body.data(), r.have);
        r.programmed = true;
        if (events_ != nullptr)
            events_->begun |= uint64_t{1} << t.ring;
        if (r.route == Route::Pfp)
            start_program(t.ring);
    }
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
            tell_taken(t.ring, dword, PfpEvents::Dword::Other);
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
    enter_buffer(t.now, t.ring, static_cast<uint8_t>(r.stream.level + 1), buffer);
    return RingOutcome::Moved;
}

void PfpCore::enter_buffer(Cycle now, unsigned ring, uint8_t level, const IndirectBuffer& buffer) {
    PfpState::Ring& r = state_.rings[ring];
    note_vmid(de_.warnings, r.location, r.info->name, buffer.vmid);
    to_fetch->push(now, {static_cast<uint8_t>(ring), level, buffer.vmid, buffer.swap, buffer.base,
                         buffer.dwords});
    r.stream.call(level, buffer.base, buffer.dwords, buffer.vmid, buffer.swap);
    ++state_.indirect_buffers;
}

RingOutcome PfpCore::call_constant_buffer(Turn& t) {
    const PfpState::Ring& r = state_.rings[t.ring];
    if (!to_ce[t.ring]->can_push(t.now))
        return t.stop(RingOutcome::Wait, StallReason::QueueFull);
    const CeCommand command = constant_buffer(*r.info, r.body.data(), r.location);
    note_vmid(de_.warnings, r.location, r.info->name, command.vmid);
    to_ce[t.ring]->push(t.now, command);
    ++state_.constant_buffers;
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
        if (events_ != nullptr)
            add_error(stop);
        if (!error_reported(now, stop))
            throw;
    }
    note_runnable(ring);
    return outcome;
}

// What the programs wait for.
void PfpCore::take_responses(Cycle now, bool& progress) {
    progress |= engine_.take_from(memory_response, now);
    progress |= engine_.take_from(register_response, now);
    progress |= engine_.take_from(cache_done, now);
    progress |= engine_.take_from(dma_done, now);
    while (limits.ready(now)) {
        engine_.limits = limits.take();
        progress = true;
    }
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

// Its microcode is in the last beats of a packet, behind which it takes the next header.
bool PfpCore::ending_packet(Cycle now, front::RingCycle<StallReason>& cycle) {
    if (state_.free_at <= now || state_.runnable == 0)
        return false;
    wake_at(state_.free_at);
    cycle.stall = StallReason::Microcode;
    return true;
}

inline bool PfpCore::run_cycle(Cycle now) {
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
            [&](unsigned i, StallReason& reason) { return run_until_error(now, i, reason); },
            [&] { return state_.runnable; },
            [&](unsigned i) { return state_.rings[i].phase == PfpPhase::Header; });
    }
    if (cycle.quiescent) {
        if (cycle.stall == StallReason::QueueFull)
            state_.waits_from = now + 1;
        state_.stalls.note(now, StallReason::None);
        state_.stalls.note(now + 1, cycle.stall);
        set_busy(now, true);
        return false;
    }
    state_.stalls.note(now, cycle.stall);
    set_busy(now, state_.current >= 0 || !idle());
    return progress || cycle.progress;
}

bool PfpCore::tick(Cycle now) {
    if (pins_ != nullptr)
        return tick_pins(now);
    const bool progress = run_cycle(now);
    if (events_ != nullptr)
        add_outcome(now);
    return progress;
}

void PfpCore::tick_held(Cycle now) {
    struct Restored {
        explicit Restored(PfpCore& core) : core(core), state(core.state_), turn(core.turn_) {}
        Restored(const Restored&) = delete;
        Restored& operator=(const Restored&) = delete;
        ~Restored() {
            core.state_ = state;
            core.turn_ = turn;
        }
        PfpCore& core;
        const PfpState state;
        const RoundRobin turn;
    } restored(*this);
    tick(now);
}

void PfpCore::add_taken(unsigned ring, uint32_t dword, PfpEvents::Dword kind) {
    events_->took = kind;
    events_->ring = static_cast<uint8_t>(ring);
    events_->dword = dword;
    events_->packet = state_.rings[ring].location;
}

void PfpCore::add_error(const PacketStop& stop) {
    const PfpState::Ring& r = state_.rings[stop.location().ring];
    const uint32_t* body = r.body.data();
    events_->error = {stop.fault(), stop.location(), r.header, r.left, {body, body + r.have}};
}

void PfpCore::add_outcome(Cycle now) {
    events_->stall = now < state_.stalls.since() ? StallReason::None : state_.stalls.reason();
    events_->phases.clear();
    for (unsigned i = 0; i < spec_.rings; ++i) {
        events_->runnable |= uint64_t{runnable(i)} << i;
        events_->phases.push_back(state_.rings[i].phase);
    }
}

bool PfpCore::idle() const {
    if (run_ != RunState::Draining && !update.empty())
        return false;
    for (unsigned i = 0; i < spec_.rings; ++i) {
        if (runnable(i) || !OpEngine::idle(state_.rings[i].op))
            return false;
    }
    return true;
}

std::string PfpCore::wait_of(unsigned ring) const {
    const PfpState::Ring& r = state_.rings[ring];
    if (r.phase == PfpPhase::SyncMe)
        return "ME to reach PFP_SYNC_ME";
    if (r.phase == PfpPhase::Execute && r.route == Route::Pfp && r.programmed)
        return OpEngine::waiting_for(r.op);
    if (r.phase == PfpPhase::Forward && full(to_meq[ring]))
        return "room in the micro engine queue";
    const bool to_constants =
        (r.phase == PfpPhase::Forward && r.info != nullptr && r.info->ce_when != nullptr) ||
        (r.phase == PfpPhase::Execute && r.route == Route::FetchConst);
    if (to_constants && full(to_ce[ring]))
        return "room in the queue of the constant engine";
    return missing_dwords(r);
}

std::string PfpCore::waiting_for() const {
    std::string text;
    for (unsigned i = 0; i < spec_.rings; ++i) {
        const PfpState::Ring& r = state_.rings[i];
        if (!runnable(i))
            continue;
        text += (text.empty() ? "ring " : "; ring ") + std::string(ring_name(i)) + ": PFP ";
        if (!state_.error.empty())
            text += "halted, the host has the error: " + state_.error;
        else if (state_.halted)
            text += "is halted";
        else
            text += "waits for " + wait_of(i);
        text += " at " + to_string(r.location);
    }
    return text;
}

void PfpCore::report(unsigned ring, RingReport& report) const {
    const PfpState::Ring& r = state_.rings[ring];
    if (!runnable(ring) || !report.engine.empty())
        return;
    report.engine = "PFP";
    report.place = to_string(r.location);
    if (r.phase != PfpPhase::Header && r.info != nullptr)
        report.packet =
            describe_packet(*spec_.packets, r.header, r.body.data(), r.have, spec_.register_namer);
    if (!state_.error.empty())
        report.waits_for = "the host, which has the error: " + state_.error;
    else if (state_.halted)
        report.waits_for = "PFP_HALT";
    else
        report.waits_for = wait_of(ring);
}

void PfpCore::register_stats(StatsRegistry& stats, const std::string& path) const {
    const UnitStats add(stats, path);
    for (size_t i = 0; i < state_.packets.size(); ++i) {
        const std::string name = std::string("packets_") + to_string(static_cast<PacketClass>(i));
        add(name.c_str(), "packets", "type-0 and type-3 packets of this class parsed",
            &state_.packets[i]);
    }
    add("type2", "packets", "type-2 fillers skipped", &state_.type2);
    add("dwords", "dwords", "taken from the reorder queue", &state_.dwords);
    add("indirect_buffers", "packets", "indirect buffers entered", &state_.indirect_buffers);
    add("constant_buffers", "packets", "constant buffers handed on", &state_.constant_buffers);
    add("syncs", "packets", "PFP_SYNC_ME waited for", &state_.syncs);
    add("polls", "transactions", "unsuccessful polls", &engine_.counters.polls);
    const auto stall = [&](const char* name, const char* meaning, StallReason reason) {
        add(name, "cycles", meaning, state_.stalls.counter(reason));
    };
    stall("stall_roq_empty", "no dword in the reorder queue", StallReason::Queue);
    stall("stall_meq_full", "no room in the micro engine queue", StallReason::QueueFull);
    stall("stall_microcode", "deciding about a packet", StallReason::Microcode);
    stall("stall_sync", "waiting for ME at PFP_SYNC_ME", StallReason::Event);
    stall("stall_mem_wait", "memory data outstanding", StallReason::MemData);
    stall("stall_poll", "between two polls", StallReason::Poll);
    stall("stall_reg_bus", "register bus busy", StallReason::RegBus);
}

void PfpCore::observe(const Observers& observers, const std::string& path) {
    observers_ = observers;
    path_ = path;
    for (unsigned i = 0; i < spec_.rings; ++i)
        track_[i] = observers.track(path + "." + ring_name(i));
}

}  // namespace archipelago::cp
