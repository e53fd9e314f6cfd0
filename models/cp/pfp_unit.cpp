// SPDX-License-Identifier: Apache-2.0
#include "models/cp/pfp_unit.h"

#include "models/common/error.h"
#include "models/cp/pm4/packet_log.h"

namespace archipelago::cp {

namespace {

const char* missing_dwords(const PfpState::Ring& r) {
    return r.stream.at_write_pointer() ? kBeyondWritePointer : "dwords of the command stream";
}
const char* name_of(const PfpState::Ring& r) {
    return r.info != nullptr ? r.info->name : "type-2";
}
template <class T>
bool full(const OutputChannel<T>& queue) {
    return queue->size() == queue->spec().capacity;
}

}  // namespace

PfpUnit::PfpUnit(const Spec& spec, DeState* de)
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
      own_de_(spec.de_state()),
      de_(de != nullptr ? *de : own_de_),
      track_(spec.rings) {
    for (unsigned i = 0; i < spec.rings * spec.levels; ++i)
        roq.emplace_back(ChannelSpec{spec.roq_lines(i % spec.levels), spec.roq_latency},
                         "cp.roq" + std::to_string(i));
    for (auto& queue : roq)
        add_input(queue);
    add_inputs_with_bits(inputs_, update, halt, sync, memory_response, register_response,
                         cache_done, dma_done, limits);
}

void PfpUnit::reset() {
    state_ = {};
    state_.rings.resize(spec_.rings);
    state_.times.kinds.resize(spec_.rings * PacketTimes::kKinds);
    engine_.reset();
    for (PfpState::Ring& r : state_.rings) {
        r.stream.levels.resize(spec_.levels);
        engine_.add_ring(r.op);
    }
    own_de_ = spec_.de_state();
    clear_inputs();
    busy.reset();
    run_ = RunState::Running;
}

void PfpUnit::set_up(const RingUpdate& u) {
    front::StreamReader& stream = state_.rings[u.ring].stream;
    stream.follow(u.config, u.write_pointer);
    if (u.reset)
        stream.levels[0].position = u.read_pointer;
    if (log_ != nullptr && scheduler() != nullptr)
        log_->submissions.push_back(scheduler()->now());
    note_runnable(u.ring);
}

void PfpUnit::ring_moved(unsigned ring, const front::StreamLevel& top) const {
    throw PacketStop(StopKind::BadInput, std::string("ring ") + ring_name(ring),
                     {static_cast<uint8_t>(ring), 0, 0, top.position, 0}, ParseFault::RingMoved,
                     rewritten_unread(top));
}

bool PfpUnit::error_reported(Cycle now, const PacketStop& stop) {
    const uint32_t bits = spec_.registers->error_status(stop.fault());
    const unsigned ring = stop.location().ring;
    if (!to_parse_error || bits == 0 || ((*interrupt_control_)[ring].get(now) & bits) == 0)
        return false;
    to_parse_error->send(now, {static_cast<uint8_t>(ring), stop.location().vmid, bits});
    state_.error = stop.what();
    return true;
}

void PfpUnit::take_responses(Cycle now, bool& progress) {
    progress |= engine_.take_from(memory_response, now);
    progress |= engine_.take_from(register_response, now);
    progress |= engine_.take_from(cache_done, now);
    progress |= engine_.take_from(dma_done, now);
    while (limits.ready(now)) {
        engine_.limits = limits.take();
        progress = true;
    }
}

// ---- packets ------------------------------------------------------------------------------------

void PfpUnit::begin_packet(Cycle now, PfpState::Ring& r, uint32_t header) {
    r.header = header;
    r.began = now;
    r.have = r.forwarded = 0;
    r.programmed = false;
}

void PfpUnit::know_packet(PfpState::Ring& r, const PacketInfo* info) {
    r.info = info;
    if (info != nullptr)
        ++state_.packets[static_cast<size_t>(info->packet_class)];
    else
        ++state_.type2;
}

void PfpUnit::begin_program(Cycle now, unsigned ring, Route route, uint32_t have) {
    PfpState::Ring& r = state_.rings[ring];
    log_packet_of(now, r, have);
    r.programmed = true;
    r.route = route;
    if (route == Route::Pfp)
        start_program(ring);
}

void PfpUnit::end_packet(Cycle now, unsigned ring, uint32_t position) {
    if (state_.rings[ring].location.level == 0)
        to_read_pointer->send(now, {static_cast<uint8_t>(ring), position});
    const PfpState::Ring& r = state_.rings[ring];
    state_.times.add(ring, r.header, now + 1 - r.began);
    if (log_ != nullptr)
        log_->pfp.ended(ring, r.began, now + 1, name_of(r));
    if (observers_.trace != nullptr)
        trace_packet(now + 1, ring);
}

void PfpUnit::enter_buffer(unsigned ring, uint8_t level, const IndirectBuffer& buffer) {
    PfpState::Ring& r = state_.rings[ring];
    note_vmid(de_.warnings, r.location, r.info->name, buffer.vmid);
    r.stream.call(level, buffer.base, buffer.dwords, buffer.vmid, buffer.swap);
    ++state_.indirect_buffers;
}

void PfpUnit::count_constant_buffer(const PfpState::Ring& r, uint8_t vmid) {
    note_vmid(de_.warnings, r.location, r.info->name, vmid);
    ++state_.constant_buffers;
}

// The `place`-th dword of a packet goes to ME.
void PfpUnit::note_forwarded(unsigned ring, uint32_t place, uint32_t dword) {
    PfpState::Ring& r = state_.rings[ring];
    if (place == 0 || place > r.info->fixed)
        return;
    r.body[place - 1] = dword;
    if (place == r.info->fixed && r.info->note != nullptr)
        r.info->note(*r.info, r.body.data(), de_);
}

void PfpUnit::walk(unsigned ring, uint32_t dword) {
    PfpState::Ring& r = state_.rings[ring];
    if (r.walk.active())
        r.walk.take(dword, *spec_.packets, *r.info, r.location);
}

void PfpUnit::start_program(unsigned ring) {
    PfpState::Ring& r = state_.rings[ring];
    engine_.start(r.op, *r.info, r.header, r.body.data(), r.location, de_);
}

OpStep PfpUnit::step_program(Cycle now, unsigned ring, StallReason& reason, uint32_t& skip) {
    PfpState::Ring& r = state_.rings[ring];
    const OpStep did = engine_.step(now, r.op, reason);
    if (did == OpStep::Finished) {
        skip = r.op.program.skip();
        r.walk.begin(skip);
    }
    return did;
}

void PfpUnit::give_program(unsigned ring, uint32_t dword) {
    OpEngine::give(state_.rings[ring].op, dword);
}

// ---- logs, timeline -----------------------------------------------------------------------------

void PfpUnit::log_packet_of(Cycle now, const PfpState::Ring& r, uint32_t have) const {
    log_packet(observers_, path_, now, spec_, r.location, r.header, r.body.data(), have);
}

// ME traces the packets that go to it.
void PfpUnit::trace_packet(Cycle end, unsigned ring) const {
    const PfpState::Ring& r = state_.rings[ring];
    std::string detail = to_string(r.location);
    if (r.programmed) {
        detail = packet_detail(spec_, r.location, r.header, r.body.data(), r.info->fixed);
        if (r.info->is(kPolls))
            detail += "; read " + std::to_string(r.op.last_read);
    }
    observers_.trace->slice(track_[ring], r.began, end, name_of(r), 0, detail);
}

void PfpUnit::finish_trace(Cycle now) const {
    for (unsigned i = 0; i < spec_.rings; ++i)
        if (state_.rings[i].phase != PfpPhase::Header)
            trace_packet(now, i);
}

// ---- control, reports, statistics ---------------------------------------------------------------

bool PfpUnit::idle() const {
    if (run_ != RunState::Draining && !update.empty())
        return false;
    for (unsigned i = 0; i < spec_.rings; ++i) {
        if (runnable(i) || !OpEngine::idle(state_.rings[i].op))
            return false;
    }
    return true;
}

std::string PfpUnit::wait_of(unsigned ring) const {
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

std::string PfpUnit::waiting_for() const {
    std::string text;
    for (unsigned i = 0; i < spec_.rings; ++i) {
        const PfpState::Ring& r = state_.rings[i];
        if (!runnable(i))
            continue;
        begin_ring(text, i);
        text += "PFP ";
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

void PfpUnit::report(unsigned ring, RingReport& report) const {
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

void PfpUnit::register_stats(StatsRegistry& stats, const std::string& path) const {
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

void PfpUnit::observe(const Observers& observers, const std::string& path) {
    observers_ = observers;
    path_ = path;
    for (unsigned i = 0; i < spec_.rings; ++i)
        track_[i] = observers.track(path + "." + ring_name(i));
}

}  // namespace archipelago::cp
