// SPDX-License-Identifier: Apache-2.0
#include "models/cp/me_core.h"

#include "models/common/archive.h"
#include "models/common/error.h"
#include "models/common/transaction_id.h"
#include "models/cp/me_pins.h"
#include "models/cp/pm4/packet_log.h"

namespace archipelago::cp {

MeCore::MeCore(const Spec& spec, DeState& de)
    : halt(spec.strobe_latency),
      limits(spec.strobe_latency),
      hub_response(spec.memory_return, "cp.me.hub_response"),
      l2_response(spec.memory_return, "cp.me.l2_response"),
      register_response(spec.register_return, "cp.me.register_response"),
      cache_done(spec.done, "cp.me.cache_done"),
      dma_done(spec.done, "cp.me.dma_done"),
      event_done(spec.done, "cp.me.event_done"),
      ce_grant(spec.ce.grant, "cp.me.ce_grant"),
      gds_response(spec.gds_return, "cp.me.gds_response"),
      gds_stored(spec.done, "cp.me.gds_stored"),
      engine_(spec_, ProgramEngine::Me, *this),
      spec_(spec),
      de_(de),
      turn_(spec.rings),
      pace_(spec.microcode, ProgramEngine::Me, spec.rings),
      track_(spec.rings) {
    for (unsigned ring = 0; ring < spec.rings; ++ring)
        meq.emplace_back(ChannelSpec{spec.meq_size(ring), spec.meq_latency},
                         "cp.meq" + std::to_string(ring));
    for (auto& channel : meq)
        add_input(channel);
    add_inputs_with_bits(inputs_, halt, hub_response, l2_response, register_response, cache_done,
                         dma_done, event_done, ce_grant, gds_response, gds_stored, limits);
    MeCore::reset();
}

void MeCore::archive(Archive& a) {
    Unit::archive(a);
    a.at_rest(pins_ == nullptr, "it is a Verilog twin");
    a(engine_, state_, turn_, busy);
    pace_.forget();
}

void MeCore::reset() {
    state_ = {};
    state_.rings.resize(spec_.rings);
    engine_.reset();
    for (MeState::Ring& r : state_.rings)
        engine_.add_ring(r.op);
    turn_.reset();
    clear_inputs();
    busy.reset();
    run_ = RunState::Running;
    if (pins_ != nullptr)
        pins_->reset();
}

void MeCore::finish(Cycle now, MeState::Ring& r) {
    r.phase = MePhase::Header;
    if (events_ != nullptr) {
        events_->finished = true;
        events_->finished_in = r.location.ring;
    }
    if (pace_.on())
        state_.free_at = pace_.end(r.location.ring, r);
    ++state_.packets[static_cast<size_t>(r.info->packet_class)];
    if (r.info->packet_class == PacketClass::Dispatch)
        engine_.flow = ++state_.dispatches;
    const uint64_t before = state_.draws;
    state_.draws = de_.contexts.draws;
    if (state_.draws != before)
        engine_.flow = draw_flow(state_.draws);
    if (observers_.trace != nullptr)
        trace_packet(now, r, before);
}

void MeCore::trace_packet(Cycle end, const MeState::Ring& r, uint64_t draws_before) const {
    // One that is still in work starts its dispatch when it ends.
    const bool dispatch =
        r.info->packet_class == PacketClass::Dispatch && r.phase == MePhase::Header;
    std::string detail = packet_detail(
        spec_, r.location, r.header, r.body.data(),
        r.phase == MePhase::Header ? r.info->fixed : std::min<uint32_t>(r.have, r.info->fixed));
    if (dispatch)
        detail += "; dispatch " + std::to_string(state_.dispatches);
    const bool draws = state_.draws != draws_before;
    if (draws)
        detail += "; draws " + std::to_string(draws_before + 1) + " to " +
                  std::to_string(state_.draws) + " in context " +
                  std::to_string(de_.contexts.current);
    if (r.info->is(kPolls))
        detail += "; read " + std::to_string(r.op.last_read);
    // The arrow from the packet to the dispatch or draw it starts (the first of several) and to the
    // fence behind.
    const uint64_t flow = dispatch ? state_.dispatches : draws ? draw_flow(draws_before + 1) : 0;
    observers_.trace->slice(track_[r.location.ring], r.began, end, r.info->name, flow, detail);
}

void MeCore::show_context(unsigned context, Cycle end) const {
    observers_.trace->slice(context_track_[context], state_.context_since[context], end, "context");
}

void MeCore::finish_trace(Cycle now) const {
    for (const MeState::Ring& r : state_.rings)
        if (r.phase != MePhase::Header)
            trace_packet(now, r, state_.draws);
    for (unsigned i = 0; i < kContexts; ++i)
        if (de_.contexts.in_pipe[i] || (i == de_.contexts.current && de_.contexts.drawn))
            show_context(i, now);
}

void MeCore::tell_taken(unsigned ring) {
    events_->took = true;
    events_->ring = static_cast<uint8_t>(ring);
    switch (state_.rings[ring].phase) {
        case MePhase::Collect:
            events_->dword = MeEvents::Dword::Collected;
            break;
        case MePhase::Execute:
            events_->dword = MeEvents::Dword::Operand;
            break;
        case MePhase::Drop:
            events_->dword = MeEvents::Dword::PassedOver;
            break;
        default:
            events_->dword = MeEvents::Dword::Header;
    }
}

// One dword of the body a cycle.
inline bool MeCore::take(Turn& t, uint32_t& dword) {
    if (pace_.on())
        return take_in_beat(t, dword);
    Channel<MeqEntry>& queue = meq[t.ring];
    if (t.moved || !queue.can_pop(t.now))
        return false;
    dword = queue.front().dword;
    queue.pop_no_wake(t.now);
    if (events_ != nullptr)
        tell_taken(t.ring);
    --state_.rings[t.ring].left;
    ++state_.dwords;
    return t.moved = true;
}

// By microcode: the dwords that are there before the packet starts as they come, others in their
// beats.
bool MeCore::take_in_beat(Turn& t, uint32_t& dword) {
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
    if (events_ != nullptr)
        events_->turn = static_cast<uint8_t>(ring);
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
            if (!logs_registers(*r.info))
                log_packet(observers_, path_, t.now, spec_, r.location, r.header, r.body.data(),
                           r.have);
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
    if (events_ != nullptr)
        tell_taken(t.ring);
    ++state_.dwords;
    t.moved = true;
    begin_packet(t.now, r, entry);
}

void MeCore::begin_packet(Cycle now, MeState::Ring& r, const MeqEntry& header) {
    r.header = header.dword;
    r.location = header.location;
    r.info = header_type(header.dword) == 0 ? &spec_.packets->type0()
                                            : spec_.packets->find(header_opcode(header.dword));
    r.have = 0;
    r.left = header_body_dwords(header.dword);
    r.began = now;
    r.phase = MePhase::Collect;
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
            if (events_ != nullptr && !r.op.has_op) {
                events_->acted = true;
                events_->acted_in = static_cast<uint8_t>(t.ring);
                events_->act = r.op.op.kind;
            }
            if (!r.op.has_op && r.op.op.kind == OpKind::RegWrite && logs_registers(*r.info) &&
                logs_packets(observers_))
                log_register(observers_, path_, t.now, spec_, r.op.program, r.op.op);
            // Microcode writes the registers of the words that a beat takes in that beat.
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

// The oldest event of a ring has passed the pipe: whatever waits for it goes on. False while that
// has no room.
bool MeCore::take_event(Cycle now) {
    const EventDone done = event_done.front();
    if (done.ring >= spec_.rings)
        stop_at_event(done.ring);
    OpState& s = state_.rings[done.ring].op;
    const PendingEvent front = s.events_count != 0 ? s.events[s.events_head] : PendingEvent{};
    if ((front.purpose == EventPurpose::Eop && !to_eop_trigger->can_push(now)) ||
        (front.purpose == EventPurpose::IncrementDe && !to_ce->can_push(now)))
        return false;
    event_done.drop(now);
    engine_.take(done, s);
    if (events_ != nullptr) {
        events_->passed = true;
        events_->event = front;
    }
    event_passed(now, done, front);
    return true;
}

void MeCore::stop_at_event(unsigned ring) const {
    throw MachineStop(StopKind::Protocol, path_.empty() ? "cp.me" : path_,
                      "event done for ring " + std::to_string(ring));
}

// Tells whom it is for, who has room.
void MeCore::event_passed(Cycle now, const EventDone& done, const PendingEvent& event) {
    if (to_perf_events && spec_.registers->events.counts(done.event_type))
        to_perf_events->send(now, done.event_type);
    if (done.event_type == spec_.registers->events.streamout_flush && to_streamout)
        to_streamout->send(now, {});
    if (event.purpose == EventPurpose::ContextDone) {
        de_.contexts.done(event.buffer);
        if (observers_.trace != nullptr)
            show_context(event.buffer, now);
    }
    if (event.purpose == EventPurpose::Eop)
        to_eop_trigger->push(now, {done.ring, done.cs_invocations});
    if (event.purpose == EventPurpose::IncrementDe) {
        const bool left = de_.rings[done.ring].incremented(event.buffer);
        to_ce->push(now, DeMessage{done.ring, DeKind::IncrementDone, event.buffer,
                                   static_cast<uint8_t>(left ? 1 : 0)});
    }
}

// As PfpCore's.
bool MeCore::ending_packet(Cycle now, front::RingCycle<StallReason>& cycle) {
    if (state_.free_at <= now || candidates() == 0)
        return false;
    wake_at(state_.free_at);
    cycle.stall = StallReason::Microcode;
    return true;
}

bool MeCore::tick_or_stay(Cycle now) {
    const MeState state = state_;
    const RoundRobin turn = turn_;
    const PollLimits limits = engine_.limits;
    const Contexts contexts = de_.contexts;
    try {
        return tick(now);
    } catch (...) {
        state_ = state;
        turn_ = turn;
        engine_.limits = limits;
        de_.contexts = contexts;
        throw;
    }
}

bool MeCore::tick(Cycle now) {
    if (pins_ != nullptr)
        return tick_pins(now);
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
                state_.stalls.note(now, StallReason::Microcode);
                set_busy(now, true);
                tell_end(StallReason::Microcode);
                return false;
            }
        }
        cycle = front::share_cycle<StallReason>(
            turn_, state_.current, ring,
            [&](unsigned i, StallReason& reason) { return run(now, i, reason); },
            [&] { return candidates(); },
            [&](unsigned i) { return state_.rings[i].phase == MePhase::Header; });
    }
    tell_end(cycle.stall, cycle.progress || cycle.quiescent, cycle.quiescent);
    if (cycle.quiescent) {
        state_.stalls.note(now, StallReason::None);
        state_.stalls.note(now + 1, cycle.stall);
        set_busy(now, true);
        return false;
    }
    state_.stalls.note(now, cycle.stall);
    set_busy(now, state_.current >= 0 || !idle());
    return progress || cycle.progress;
}

bool MeCore::working() const {
    if (state_.current >= 0)
        return true;
    for (const MeState::Ring& r : state_.rings)
        if (r.phase != MePhase::Header || !OpEngine::idle(r.op))
            return true;
    return false;
}

bool MeCore::idle() const {
    for (unsigned i = 0; i < spec_.rings; ++i)
        if (runnable(i) || !OpEngine::idle(state_.rings[i].op))
            return false;
    return event_done.empty() && ce_grant.empty() && gds_stored.empty();
}

std::string MeCore::wait_of(unsigned ring) const {
    const MeState::Ring& r = state_.rings[ring];
    if (r.phase == MePhase::Execute)
        return OpEngine::waiting_for(r.op);
    if (r.phase != MePhase::Header || !meq[ring].empty())
        return "dwords of the micro engine queue";
    if (r.op.events_count != 0)
        return "the pipe to complete " +
               spec_.registers->events.name(r.op.events[r.op.events_head].type);
    return "write acknowledgements";
}

std::string MeCore::waiting_for() const {
    std::string text;
    for (unsigned i = 0; i < spec_.rings; ++i) {
        const MeState::Ring& r = state_.rings[i];
        if (r.phase == MePhase::Header && meq[i].empty() && OpEngine::idle(r.op))
            continue;
        text += (text.empty() ? "ring " : "; ring ") + std::string(ring_name(i)) + ": ME ";
        if (state_.halted)
            text += "is halted";
        else
            text += "waits for " + wait_of(i) +
                    (r.phase == MePhase::Execute ? " at " + to_string(r.location) : "");
    }
    return text;
}

void MeCore::report(unsigned ring, RingReport& report) const {
    const MeState::Ring& r = state_.rings[ring];
    const OpState& op = r.op;
    for (unsigned i = 0; i < op.events_count; ++i)
        report.events.push_back(
            spec_.registers->events.name(op.events[(op.events_head + i) % op.events.size()].type));
    if (r.phase == MePhase::Header)
        return;
    report.engine = "ME";
    report.place = to_string(r.location);
    report.packet =
        describe_packet(*spec_.packets, r.header, r.body.data(), r.have, spec_.register_namer);
    if (state_.halted)
        report.waits_for = "ME_HALT";
    else
        report.waits_for = wait_of(ring);
}

void MeCore::register_stats(StatsRegistry& stats, const std::string& path) const {
    const UnitStats add(stats, path);
    for (size_t i = 0; i < state_.packets.size(); ++i) {
        const std::string name = std::string("packets_") + to_string(static_cast<PacketClass>(i));
        add(name.c_str(), "packets", "packets of this class executed", &state_.packets[i]);
    }
    const front::OpCounters& c = engine_.counters;
    const OpEngine::PipeCounters& pipe = engine_.pipe_counters;
    add("dwords", "dwords", "taken from the micro engine queues", &state_.dwords);
    add("dispatches", "packets", "dispatch packets executed", &state_.dispatches);
    de_.warnings.register_stats(add, Warning::EosApart, Warning::LargeVmid);
    add("reg_writes", "transactions", "register writes", &c.reg_writes);
    add("reg_reads", "transactions", "register reads", &c.reg_reads);
    add("mem_reads", "transactions", "memory reads", &c.mem_reads);
    add("mem_writes", "transactions", "memory writes", &c.mem_writes);
    add("mem_bytes_written", "bytes", "written to memory", &c.mem_bytes_written);
    add("atomics", "transactions", "atomics of memory", &c.atomics);
    add("polls", "transactions", "unsuccessful polls", &c.polls);
    add("events", "transactions", "events posted to the pipe", &pipe.events);
    add("context_rolls", "transactions", "render contexts taken", &pipe.context_rolls);
    add("gds_requests", "transactions", "requests to the GDS", &pipe.gds_requests);
    add("cache_actions", "transactions", "cache actions started", &pipe.cache_actions);
    const auto stall = [&](const char* name, const char* meaning, StallReason reason) {
        add(name, "cycles", meaning, state_.stalls.counter(reason));
    };
    stall("stall_meq_empty", "in a packet, no dword in the queue", StallReason::Queue);
    stall("stall_reg_bus", "register bus busy", StallReason::RegBus);
    stall("stall_reg_read", "register data outstanding", StallReason::RegRead);
    stall("stall_mem_port", "memory port busy", StallReason::MemPort);
    stall("stall_mem_wait", "memory data outstanding", StallReason::MemData);
    stall("stall_mem_write", "write acknowledgements outstanding", StallReason::MemWrite);
    stall("stall_event_wait", "an event has not passed the pipe", StallReason::Event);
    stall("stall_cache", "coherency unit takes no action", StallReason::Cache);
    stall("stall_dma", "DMA engine busy", StallReason::Dma);
    stall("stall_eop", "end-of-pipe unit full", StallReason::Eop);
    stall("stall_poll", "between two polls", StallReason::Poll);
    stall("stall_microcode", "starting a packet", StallReason::Microcode);
    stall("stall_ce", "waiting for the constant engine", StallReason::Ce);
    stall("stall_context", "all render contexts in the pipe", StallReason::Context);
    stall("stall_gds", "GDS busy or posted operations outstanding", StallReason::Gds);
    stall("stall_gds_data", "GDS data outstanding", StallReason::GdsData);
    stall("stall_gds_store", "GDS data not all in memory", StallReason::GdsStore);
}

void MeCore::observe(const Observers& observers, const std::string& path) {
    observers_ = observers;
    path_ = path;
    for (unsigned i = 0; i < spec_.rings; ++i)
        track_[i] = observers.track(path + "." + ring_name(i));
    for (unsigned i = 1; i < kContexts; ++i)
        context_track_[i] = observers.track(path + ".context" + std::to_string(i));
}

}  // namespace archipelago::cp
