// SPDX-License-Identifier: Apache-2.0
#include "models/cp/me_core.h"

#include "models/common/error.h"
#include "models/cp/packet_log.h"
#include "models/cp/state_run.h"

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
      spec_(spec),
      de_(de),
      engine_(spec_, ProgramEngine::Me, *this) {
    engine_.gfx = &state_.rings[0].op;
    for (unsigned ring = 0; ring < kRings; ++ring)
        meq.emplace_back(ChannelSpec{spec.meq_size(ring), spec.meq_latency},
                         "cp.meq" + std::to_string(ring));
    for (auto& channel : meq)
        channel.set_consumer(this);
    halt.set_consumer(this, inputs_, 0);
    hub_response.set_consumer(this, inputs_, 1);
    l2_response.set_consumer(this, inputs_, 2);
    register_response.set_consumer(this, inputs_, 3);
    cache_done.set_consumer(this, inputs_, 4);
    dma_done.set_consumer(this, inputs_, 5);
    event_done.set_consumer(this, inputs_, 6);
    ce_grant.set_consumer(this, inputs_, 7);
    gds_response.set_consumer(this, inputs_, 8);
    gds_stored.set_consumer(this, inputs_, 9);
    limits.set_consumer(this, inputs_, 10);
    reset();
}

void MeCore::connect_hub(Channel<MemRequest>* out) {
    engine_.ports.hub = out;
    out->set_producer(this);
}
void MeCore::connect_l2(Channel<MemRequest>* out) {
    engine_.ports.l2 = out;
    out->set_producer(this);
}
void MeCore::connect_registers(Channel<RegRequest>* out) {
    engine_.ports.reg = out;
    out->set_producer(this);
}
void MeCore::connect_coherency(Channel<CacheAction>* out) {
    engine_.ports.coherency = out;
    out->set_producer(this);
}
void MeCore::connect_dma(Channel<DmaCommand>* out) {
    engine_.ports.dma = out;
    out->set_producer(this);
}
void MeCore::connect_eop(Channel<EopCommand>* out, Channel<EopTrigger>* trigger) {
    engine_.ports.eop = out;
    trigger_ = trigger;
    out->set_producer(this);
    trigger->set_producer(this);
}

void MeCore::connect_ce(Channel<DeMessage>* out) {
    engine_.ports.ce = out;
    out->set_producer(this);
}

void MeCore::connect_gds(Channel<GdsRequest>* out) {
    engine_.ports.gds = out;
    out->set_producer(this);
}

void MeCore::reset() {
    state_ = {};
    for (MeState::Ring& r : state_.rings)
        engine_.clear(r.op);
    turn_.reset();
    engine_.counters = {};
    for (auto& channel : meq)
        channel.clear();
    halt.clear();
    limits.clear();
    engine_.limits = {};
    hub_response.clear();
    l2_response.clear();
    register_response.clear();
    cache_done.clear();
    dma_done.clear();
    event_done.clear();
    ce_grant.clear();
    gds_response.clear();
    gds_stored.clear();
    busy = Wire<bool>();
    run_ = RunState::Running;
}

void MeCore::finish(Cycle now, MeState::Ring& r) {
    r.phase = MePhase::Header;
    ++state_.packets[static_cast<size_t>(r.info->packet_class)];
    if (r.info->packet_class == PacketClass::Dispatch)
        engine_.flow = ++state_.dispatches;
    if (observers_.trace != nullptr)
        trace_packet(now, r);
}

void MeCore::trace_packet(Cycle now, const MeState::Ring& r) {
    const bool dispatch = r.info->packet_class == PacketClass::Dispatch;
    std::string detail = packet_detail(spec_, r.location, r.header, r.body.data(), r.info->fixed);
    if (dispatch)
        detail += "; dispatch " + std::to_string(state_.dispatches);
    const uint64_t draws = de_.contexts.draws;
    if (draws != state_.draws)
        detail += "; draws " + std::to_string(state_.draws + 1) + " to " + std::to_string(draws) +
                  " in context " + std::to_string(de_.contexts.current);
    state_.draws = draws;
    if (r.info->id == PacketId::WaitRegMem || r.info->id == PacketId::MemSemaphore)
        detail += "; read " + std::to_string(r.op.last_read);
    // The arrow from the packet to SPI's dispatch of the same number and to the fence behind.
    observers_.trace->slice(track_[r.location.ring], r.began, now, r.info->name,
                            dispatch ? state_.dispatches : 0, detail);
}

RingOutcome MeCore::run(Cycle now, unsigned ring, unsigned& dwords, StallReason& reason) {
    MeState::Ring& r = state_.rings[ring];
    Channel<MeqEntry>& queue = meq[ring];
    bool moved = false;
    const auto stop = [&](RingOutcome otherwise) { return moved ? RingOutcome::Moved : otherwise; };
    for (;;) {
        switch (r.phase) {
            case MePhase::Header: {
                if (dwords == 0)
                    return RingOutcome::Moved;
                if (!queue.can_pop(now))
                    return stop(RingOutcome::Empty);
                const MeqEntry& entry = queue.front();
                queue.drop_awake(now);  // its place keeps it for this tick
                --dwords;
                ++state_.dwords;
                moved = true;
                r.header = entry.dword;
                r.location = entry.location;
                r.info = header_type(entry.dword) == 0
                             ? &spec_.packets->type0()
                             : spec_.packets->find(header_opcode(entry.dword));
                r.have = 0;
                r.left = header_body_dwords(entry.dword);
                r.began = now;
                r.phase = MePhase::Collect;
                break;
            }
            case MePhase::Collect:
                while (r.have < r.info->fixed) {
                    if (dwords == 0)
                        return RingOutcome::Moved;
                    if (!queue.can_pop(now)) {
                        reason = StallReason::Queue;
                        return stop(RingOutcome::Wait);
                    }
                    r.body[r.have++] = queue.front().dword;
                    queue.drop_awake(now);
                    --r.left;
                    --dwords;
                    ++state_.dwords;
                    moved = true;
                }
                r.ready_at = now + spec_.me_packet_cycles;
                r.phase = MePhase::Microcode;
                if (spec_.me_packet_cycles == 0)
                    break;
                wake_at(r.ready_at);
                if (!moved)
                    break;
                reason = StallReason::Microcode;
                return spec_.me_packet_cycles > 1 ? RingOutcome::Rest : RingOutcome::Moved;
            case MePhase::Microcode:
                if (now < r.ready_at) {
                    reason = StallReason::Microcode;
                    return stop(RingOutcome::Hold);
                }
                if (!logs_registers(r.info->id))
                    log_packet(observers_, path_, now, spec_, r.location, r.header, r.body.data(),
                               r.have);
                engine_.start(r.op, *r.info, r.header, r.body.data(), r.location, de_);
                r.phase = MePhase::Execute;
                break;
            case MePhase::Execute:
                // Nearly all there is to do.
                if (dwords != 0 && !log_writes_ && queue.can_pop(now) &&
                    engine_.write_run(now, r.op, queue.front().dword)) {
                    queue.drop_awake(now);
                    --r.left;
                    --dwords;
                    ++state_.dwords;
                    note_context(now);
                    return RingOutcome::Moved;
                }
                switch (engine_.step(now, r.op, reason)) {
                    case OpStep::Advanced:
                        note_context(now);
                        if (!r.op.has_op && r.op.op.kind == OpKind::RegWrite &&
                            logs_registers(r.info->id) && logs_packets(observers_))
                            log_register(observers_, path_, now, spec_, r.op.program, r.op.op);
                        return RingOutcome::Moved;
                    case OpStep::Finished:
                        r.phase = MePhase::Drop;
                        break;
                    case OpStep::Blocked:
                        return stop(RingOutcome::Hold);
                    case OpStep::Waiting:
                        return stop(RingOutcome::Wait);
                    case OpStep::NeedDword:
                        if (dwords == 0)
                            return RingOutcome::Moved;
                        if (!queue.can_pop(now))
                            return stop(RingOutcome::Wait);
                        moved = true;
                        --r.left;
                        --dwords;
                        ++state_.dwords;
                        if (!log_writes_ && engine_.write_run(now, r.op, queue.front().dword)) {
                            queue.drop_awake(now);
                            note_context(now);
                            return RingOutcome::Moved;
                        }
                        OpEngine::give(r.op, queue.front().dword);
                        queue.drop_awake(now);
                        break;
                }
                break;
            case MePhase::Drop:
                while (r.left > 0) {
                    if (dwords == 0)
                        return RingOutcome::Moved;
                    if (!queue.can_pop(now)) {
                        reason = StallReason::Queue;
                        return stop(RingOutcome::Wait);
                    }
                    queue.drop_awake(now);
                    --r.left;
                    --dwords;
                    ++state_.dwords;
                    moved = true;
                }
                finish(now, r);
                return RingOutcome::Moved;
        }
    }
}

uint64_t MeCore::candidates() const {
    uint64_t rings = 0;
    for (unsigned i = 0; i < kRings; ++i)
        if (runnable(i))
            rings |= uint64_t{1} << i;
    return rings;
}

bool MeCore::take_responses(Cycle now) {
    OpEngine::States states{};
    for (unsigned i = 0; i < kRings; ++i)
        states[i] = &state_.rings[i].op;
    bool progress = engine_.take_from(hub_response, now, states);
    progress |= engine_.take_from(l2_response, now, states);
    progress |= engine_.take_from(register_response, now, states);
    progress |= engine_.take_from(cache_done, now, states);
    progress |= engine_.take_from(gds_response, now, states);
    progress |= engine_.take_from(dma_done, now, states);
    if (ce_grant.can_pop(now)) {
        const CeGrant grant = ce_grant.pop(now);
        states[grant.ring]->ce_grant = static_cast<uint8_t>(1 + grant.buffer);
        progress = true;
    }
    if (gds_stored.can_pop(now)) {
        --states[gds_stored.pop(now).ring]->gds_stores;
        progress = true;
    }
    if (event_done.can_pop(now)) {
        const uint8_t ring = event_done.front().ring;
        if (ring >= kRings)
            throw MachineStop(StopKind::Protocol, path_.empty() ? "cp.me" : path_,
                              "event done for ring " + std::to_string(ring));
        OpState& s = *states[ring];
        const PendingEvent front = s.events_count != 0 ? s.events[s.events_head] : PendingEvent{};
        const bool for_eop = front.purpose == EventPurpose::Eop;
        const bool for_ce = front.purpose == EventPurpose::IncrementDe;
        if ((!for_eop || trigger_->can_push(now)) && (!for_ce || engine_.ports.ce->can_push(now))) {
            const EventDone done = event_done.pop(now);
            OpEngine::take(done, s, spec_.events_in_flight);
            if (perf_events_ != nullptr && is_counter_event(done.event_type))
                perf_events_->send(now, done.event_type);
            if (done.event_type == kStreamoutFlush && streamout_ != nullptr)
                streamout_->send(now, {});
            if (front.purpose == EventPurpose::ContextDone) {
                de_.contexts.done(front.buffer);
                if (observers_.trace != nullptr)
                    observers_.trace->slice(context_track_[front.buffer],
                                            state_.context_since[front.buffer], now, "context");
            }
            if (for_eop)
                trigger_->push(now, {ring});
            if (for_ce) {
                const bool left = de_.rings[ring].incremented(front.buffer);
                engine_.ports.ce->push(now, DeMessage{ring, DeKind::IncrementDone, front.buffer,
                                                      static_cast<uint8_t>(left ? 1 : 0)});
            }
            progress = true;
        }
    }
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

bool MeCore::tick(Cycle now) {
    bool again = false;
    if (state_run_ != nullptr && state_run_->engine_tick(now, again))
        return again;
    return tick_alone(now);
}

bool MeCore::tick_alone(Cycle now) {
    bool progress = inputs_ != 0 && take_responses(now);
    RingCycle cycle;
    if (!state_.halted && run_ != RunState::Paused) {
        unsigned dwords = spec_.me_dwords_per_cycle;
        int ring = state_.current;
        if (ring < 0 || !runnable(static_cast<unsigned>(ring))) {
            ring = turn_.pick(candidates());
        } else if (!progress) {
            // Woken by what arrives in the queue while it is still starting a packet.
            const MeState::Ring& r = state_.rings[static_cast<unsigned>(ring)];
            if (r.phase == MePhase::Microcode && now < r.ready_at) {
                state_.stalls.note(now, StallReason::Microcode);
                set_busy(now, true);
                return false;
            }
        }
        cycle = share_cycle(
            turn_, state_.current, ring,
            [&](unsigned i, StallReason& reason) { return run(now, i, dwords, reason); },
            [&] { return candidates(); },
            [&](unsigned i) { return state_.rings[i].phase == MePhase::Header; });
    }
    if (cycle.rests) {
        state_.stalls.note(now, StallReason::None);
        state_.stalls.note(now + 1, cycle.stall);
        set_busy(now, true);
        return false;
    }
    state_.stalls.note(now, cycle.stall);
    set_busy(now, state_.current >= 0 || !idle());
    return progress || cycle.progress;
}

bool MeCore::enter_run(const RunParser& parser, RunEngine& to) const {
    const MeState::Ring& r = state_.rings[parser.ring];
    if (!undisturbed() || state_.halted || !busy.latest() || observers_.trace != nullptr ||
        log_writes_ || candidates() != uint64_t{1} << parser.ring || de_.contexts.drawn ||
        de_.contexts.closed || r.phase == MePhase::Drop)
        return false;
    to = {};
    if (r.phase != MePhase::Header) {
        if (r.info == nullptr || !is_set_reg(r.info->id) || r.location.level != parser.level ||
            r.location.base != parser.base || r.location.vmid != 0)
            return false;
        to.offset_dword = r.body[0];
    }
    if (r.phase == MePhase::Execute) {
        const OpState& s = r.op;
        const bool held =
            s.has_op && s.op.kind == OpKind::RegWrite && s.op.stream && s.stream_have == 0;
        if (s.wait != StallReason::None || !s.program.in_run() || (s.has_op && !held))
            return false;
        to.count = s.program.run_left() + (held ? 1 : 0);
        to.offset = held ? s.op.offset : s.program.run_offset();
        for (uint32_t i = 0; i < to.count; ++i)
            if (starts_something(to.offset + 4 * i))
                return false;
    }
    to.phase = r.phase;
    to.packet = {r.info, r.header, r.location.dword, r.left, r.ready_at, r.began};
    to.current = state_.current;
    to.stalls = state_.stalls;
    return true;
}

void MeCore::leave_run(const RunParser& parser, const RunEngine& from) {
    MeState::Ring& r = state_.rings[parser.ring];
    const RunPacket& p = from.packet;
    r.info = p.info;
    r.header = p.header;
    if (p.info != nullptr)
        r.location = {static_cast<uint8_t>(parser.ring), parser.level, 0, p.place, parser.base};
    r.left = p.left;
    r.ready_at = p.ready_at;
    r.began = p.began;
    r.have = from.phase == MePhase::Collect ? 0 : 1;
    r.body[0] = from.offset_dword;
    r.phase = from.phase;
    if (from.last != nullptr)
        de_.rings[parser.ring].began(from.last->id);
    if (from.started)
        engine_.start(r.op, *r.info, r.header, r.body.data(), r.location, de_);
    for (uint32_t i = 0; from.phase == MePhase::Execute && i < from.written; ++i) {
        if (!r.op.has_op)
            r.op.program.next(r.op.op);
        r.op.has_op = r.op.no_context = false;
        r.op.stream_have = 1;
    }
    if (from.phase == MePhase::Header)
        r.op.has_op = false;
    state_.current = from.current;
    state_.stalls = from.stalls;
    state_.dwords += from.dwords;
    state_.packets[static_cast<size_t>(PacketClass::State)] += from.packets;
    if (from.packets != 0)
        turn_.grant(static_cast<int>(parser.ring));
}

bool MeCore::write_of_run(Cycle now, unsigned ring, uint32_t offset, uint32_t value) {
    if (!engine_.write_now(now, static_cast<uint8_t>(ring), offset, value, de_.contexts))
        return false;
    note_context(now);
    return true;
}

void MeCore::wrote_in_run(uint32_t offset, const uint32_t* values, uint32_t count, bool noted) {
    engine_.counters.reg_writes += count;
    for (uint32_t i = 0; noted && i < count; ++i)
        de_.contexts.wrote(offset + 4 * i, values[i]);
}

bool MeCore::idle() const {
    for (unsigned i = 0; i < kRings; ++i)
        if (runnable(i) || !OpEngine::idle(state_.rings[i].op))
            return false;
    return event_done.empty() && ce_grant.empty() && gds_stored.empty();
}

std::string MeCore::waiting_for() const {
    std::string text;
    for (unsigned i = 0; i < kRings; ++i) {
        const MeState::Ring& r = state_.rings[i];
        const bool in_packet = r.phase != MePhase::Header;
        if (!in_packet && meq[i].empty() && OpEngine::idle(r.op))
            continue;
        text += (text.empty() ? "ring " : "; ring ") + std::string(ring_name(i)) + ": ME ";
        if (state_.halted)
            text += "is halted";
        else if (r.phase == MePhase::Execute)
            text += "waits for " + OpEngine::waiting_for(r.op) + " at " + to_string(r.location);
        else if (in_packet || !meq[i].empty())
            text += "waits for dwords of the micro engine queue";
        else if (r.op.events_count != 0)
            text +=
                "waits for the pipe to complete " + event_name(r.op.events[r.op.events_head].type);
        else
            text += "waits for write acknowledgements";
    }
    return text;
}

void MeCore::report(unsigned ring, RingReport& report) const {
    const MeState::Ring& r = state_.rings[ring];
    const OpState& op = r.op;
    for (unsigned i = 0; i < op.events_count; ++i)
        report.events.push_back(
            event_name(op.events[(op.events_head + i) % op.events.size()].type));
    if (r.phase == MePhase::Header)
        return;
    report.engine = "ME";
    report.place = to_string(r.location);
    report.packet =
        describe_packet(*spec_.packets, r.header, r.body.data(), r.have, spec_.register_namer);
    if (state_.halted)
        report.waits_for = "ME_HALT";
    else if (r.phase == MePhase::Execute)
        report.waits_for = OpEngine::waiting_for(op);
    else
        report.waits_for = "dwords of the micro engine queue";
}

void MeCore::register_stats(StatsRegistry& stats, const std::string& path) const {
    static const char* const kClasses[] = {"packets_filler", "packets_state", "packets_dispatch",
                                           "packets_draw",   "packets_sync",  "packets_event",
                                           "packets_data",   "packets_buffer"};
    for (size_t i = 0; i < state_.packets.size(); ++i)
        stats.add(path, kClasses[i], "packets", "packets of this class executed",
                  &state_.packets[i]);
    const OpCounters& c = engine_.counters;
    stats.add(path, "dwords", "dwords", "taken from the micro engine queues", &state_.dwords);
    stats.add(path, "dispatches", "packets", "dispatch packets executed", &state_.dispatches);
    stats.add(path, "reg_writes", "transactions", "register writes", &c.reg_writes);
    stats.add(path, "reg_reads", "transactions", "register reads", &c.reg_reads);
    stats.add(path, "mem_reads", "transactions", "memory reads", &c.mem_reads);
    stats.add(path, "mem_writes", "transactions", "memory writes", &c.mem_writes);
    stats.add(path, "mem_bytes_written", "bytes", "written to memory", &c.mem_bytes_written);
    stats.add(path, "atomics", "transactions", "atomics of memory", &c.atomics);
    stats.add(path, "polls", "transactions", "unsuccessful polls", &c.polls);
    stats.add(path, "events", "transactions", "events posted to the pipe", &c.events);
    stats.add(path, "context_rolls", "transactions", "render contexts taken", &c.context_rolls);
    stats.add(path, "gds_requests", "transactions", "asked of the GDS", &c.gds_requests);
    stats.add(path, "cache_actions", "transactions", "cache actions started", &c.cache_actions);
    const auto stall = [&](const char* name, const char* meaning, StallReason reason) {
        stats.add(path, name, "cycles", meaning, state_.stalls.counter(reason));
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
    log_writes_ = observers.log != nullptr;
    path_ = path;
    if (observers_.trace != nullptr) {
        for (unsigned i = 0; i < kRings; ++i)
            track_[i] = observers_.trace->track(path + "." + ring_name(i), observers_.period_fs);
        for (unsigned i = 1; i < kContexts; ++i)
            context_track_[i] = observers_.trace->track(path + ".context" + std::to_string(i),
                                                        observers_.period_fs);
    }
}

}  // namespace archipelago::cp
