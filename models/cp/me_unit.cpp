// SPDX-License-Identifier: Apache-2.0
#include "models/cp/me_unit.h"

#include <algorithm>

#include "models/common/error.h"
#include "models/cp/pm4/packet_log.h"

namespace archipelago::cp {

MeUnit::MeUnit(const Spec& spec, DeState& de)
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
      track_(spec.rings) {
    for (unsigned ring = 0; ring < spec.rings; ++ring)
        meq.emplace_back(ChannelSpec{spec.meq_size(ring), spec.meq_latency},
                         "cp.meq" + std::to_string(ring));
    for (auto& channel : meq)
        add_input(channel);
    add_inputs_with_bits(inputs_, halt, hub_response, l2_response, register_response, cache_done,
                         dma_done, event_done, ce_grant, gds_response, gds_stored, limits);
}

void MeUnit::reset() {
    state_ = {};
    state_.rings.resize(spec_.rings);
    state_.times.kinds.resize(spec_.rings * PacketTimes::kKinds);
    engine_.reset();
    for (MeState::Ring& r : state_.rings)
        engine_.add_ring(r.op);
    clear_inputs();
    busy.reset();
    run_ = RunState::Running;
}

void MeUnit::begin_packet(Cycle now, MeState::Ring& r, const MeqEntry& header) {
    r.header = header.dword;
    r.location = header.location;
    r.info = header_type(header.dword) == 0 ? &spec_.packets->type0()
                                            : spec_.packets->find(header_opcode(header.dword));
    r.have = 0;
    r.left = header_body_dwords(header.dword);
    r.began = now;
    r.phase = MePhase::Collect;
}

void MeUnit::finish(Cycle now, MeState::Ring& r) {
    r.phase = MePhase::Header;
    ++state_.packets[static_cast<size_t>(r.info->packet_class)];
    state_.times.add(r.location.ring, r.header, now - r.began);
    if (r.info->packet_class == PacketClass::Dispatch)
        engine_.flow = ++state_.dispatches;
    const uint64_t before = state_.draws;
    state_.draws = de_.contexts.draws;
    if (state_.draws != before)
        engine_.flow = draw_flow(state_.draws);
    if (log_ != nullptr)
        log_packet_end(now, r, before);
    if (observers_.trace != nullptr)
        trace_packet(now, r, before);
}

// What it started is on its way from the next cycle on.
void MeUnit::log_packet_end(Cycle now, const MeState::Ring& r, uint64_t draws_before) {
    const WorkLog::Start start{now + 1, r.info->name};
    log_->me.ended(r.location.ring, r.began, start.at, start.packet);
    if (r.info->packet_class == PacketClass::Dispatch)
        log_->dispatches[state_.dispatches] = start;
    for (uint64_t draw = draws_before; draw < state_.draws; ++draw)
        log_->draws[draw + 1] = start;
}

void MeUnit::check_event(const EventDone& done) const {
    if (done.ring >= spec_.rings)
        throw MachineStop(StopKind::Protocol, path_.empty() ? "cp.me" : path_,
                          "event done for ring " + std::to_string(done.ring));
}

void MeUnit::event_passed(Cycle now, const EventDone& done, const PendingEvent& event) {
    if (to_perf_events && spec_.registers->events.counts(done.event_type))
        to_perf_events->send(now, done.event_type);
    if (done.event_type == spec_.registers->events.streamout_flush && to_streamout)
        to_streamout->send(now, {});
    if (event.purpose == EventPurpose::ContextDone) {
        de_.contexts.done(event.buffer);
        if (observers_.trace != nullptr)
            trace_context(event.buffer, now);
    }
    if (event.purpose == EventPurpose::Eop)
        to_eop_trigger->push(now, {done.ring, done.cs_invocations, done.ps_invocations});
    if (event.purpose == EventPurpose::IncrementDe) {
        const bool left = de_.rings[done.ring].incremented(event.buffer);
        to_ce->push(now, DeMessage{done.ring, DeKind::IncrementDone, event.buffer,
                                   static_cast<uint8_t>(left ? 1 : 0)});
    }
}

void MeUnit::log_start(Cycle now, const MeState::Ring& r) const {
    if (!logs_registers(*r.info))
        log_packet(observers_, path_, now, spec_, r.location, r.header, r.body.data(), r.have);
}

// The register write that a packet has just executed.
void MeUnit::log_write(Cycle now, const MeState::Ring& r) const {
    if (log_ != nullptr)
        log_->me.wrote(now);
    if (logs_registers(*r.info) && logs_packets(observers_))
        log_register(observers_, path_, now, spec_, r.op.program, r.op.op);
}

// ---- timeline -----------------------------------------------------------------------------------

void MeUnit::trace_packet(Cycle end, const MeState::Ring& r, uint64_t draws_before) const {
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
    // fence after.
    const uint64_t flow = dispatch ? state_.dispatches : draws ? draw_flow(draws_before + 1) : 0;
    observers_.trace->slice(track_[r.location.ring], r.began, end, r.info->name, flow, detail);
}

void MeUnit::trace_context(unsigned context, Cycle end) const {
    observers_.trace->slice(context_track_[context], state_.context_since[context], end, "context");
}

void MeUnit::finish_trace(Cycle now) const {
    for (const MeState::Ring& r : state_.rings)
        if (r.phase != MePhase::Header)
            trace_packet(now, r, state_.draws);
    for (unsigned i = 0; i < kContexts; ++i)
        if (de_.contexts.in_pipe[i] ||
            (i == de_.contexts.current && de_.contexts.drawn && !de_.contexts.closed))
            trace_context(i, now);
}

// ---- control, reports, statistics ---------------------------------------------------------------

bool MeUnit::working() const {
    if (state_.current >= 0)
        return true;
    for (const MeState::Ring& r : state_.rings)
        if (r.phase != MePhase::Header || !OpEngine::idle(r.op))
            return true;
    return false;
}

bool MeUnit::idle() const {
    for (unsigned i = 0; i < spec_.rings; ++i)
        if (runnable(i) || !OpEngine::idle(state_.rings[i].op))
            return false;
    return event_done.empty() && ce_grant.empty() && gds_stored.empty();
}

std::string MeUnit::wait_of(unsigned ring) const {
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

std::string MeUnit::waiting_for() const {
    std::string text;
    for (unsigned i = 0; i < spec_.rings; ++i) {
        const MeState::Ring& r = state_.rings[i];
        if (r.phase == MePhase::Header && meq[i].empty() && OpEngine::idle(r.op))
            continue;
        begin_ring(text, i);
        if (state_.halted)
            text += "ME is halted";
        else
            text += "ME waits for " + wait_of(i) +
                    (r.phase == MePhase::Execute ? " at " + to_string(r.location) : "");
    }
    return text;
}

void MeUnit::report(unsigned ring, RingReport& report) const {
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

void MeUnit::register_stats(StatsRegistry& stats, const std::string& path) const {
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

void MeUnit::observe(const Observers& observers, const std::string& path) {
    observers_ = observers;
    path_ = path;
    for (unsigned i = 0; i < spec_.rings; ++i)
        track_[i] = observers.track(path + "." + ring_name(i));
    for (unsigned i = 1; i < kContexts; ++i)
        context_track_[i] = observers.track(path + ".context" + std::to_string(i));
}

}  // namespace archipelago::cp
