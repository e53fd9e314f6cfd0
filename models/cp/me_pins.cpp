// SPDX-License-Identifier: Apache-2.0
#include "models/cp/me_pins.h"

#include <algorithm>
#include <stdexcept>

#include "models/common/archive.h"
#include "models/common/error.h"
#include "models/common/pins/twin_limits.h"
#include "models/cp/me_ports.h"
#include "models/cp/register_write.h"

namespace archipelago::cp {

using namespace me_ports;

MePins::Config me_config_pins(const Spec& spec) {
    MePins::Config c;
    c.packet_cycles = static_cast<uint16_t>(
        rtl::in_range<MePins>(1, 0xffff, "cp.me_packet_cycles", spec.me_packet_cycles));
    c.events = static_cast<uint8_t>(
        rtl::in_range<MePins>(1, 32, "cp.events_in_flight", spec.events_in_flight));
    c.context_done = spec.registers->events.context_done;
    c.event_initiator = spec.registers->event_initiator;
    c.copy_state = spec.registers->copy_state;
    c.draw_initiator = spec.registers->draw_initiator;
    return c;
}

void load_packet_table(rtl::PinBlock<MePins>& block, const Spec& spec) {
    MePins::In in;
    MePins::Out ignored;
    in.rst = 1;
    in.cfg = me_config_pins(spec);
    in.table_valid = 1;
    for (unsigned index = 0; index < MePins::kPackets; ++index) {
        const PacketInfo* info = index == MePins::kTypeZero
                                     ? &spec.packets->type0()
                                     : spec.packets->find(static_cast<uint8_t>(index));
        in.table_index = static_cast<uint16_t>(index);
        in.table_fixed = info != nullptr ? info->fixed : uint8_t{0};
        block.step(in, ignored);
    }
}

// ---- in a chip ----------------------------------------------------------------------------------

MeOnPins::MeOnPins(rtl::PinBlock<Pins>& block, const Spec& spec, DeState& de)
    : MeUnit(spec, de), block_(block) {
    if (spec_.rings != kMeRings)
        throw std::invalid_argument("cp: the micro engine behind the pins has 3 rings");
    if (spec_.microcode != nullptr)
        throw std::invalid_argument("cp.microcode: the micro engine behind the pins runs none");
    rtl::in_range<MePins>(1, 1, "cp.dwords_per_cycle", spec_.dwords_per_cycle);
    config_ = me_config_pins(spec);
    MeOnPins::reset();
    load_packet_table(block_, spec);
}

void MeOnPins::archive(Archive& a) {
    Unit::archive(a);
    a.at_rest(false, "it is a Verilog twin");
}

void MeOnPins::reset() {
    MeUnit::reset();
    in_ = {};
    in_.rst = 1;
    in_.cfg = config_;
    for (unsigned i = 0; i < rtl::kResetCycles; ++i)
        block_.step(in_, out_);
    contexts_ = {1, 0, 0, 0, 0};
}

bool MeOnPins::tick(Cycle now) {
    in_ = {};
    bool progress = drive_levels(now);
    progress |= drive_answers(now);
    pins::DriveInputs pass{now, in_, out_};
    each_queue(pass, *this);
    each_output(pass, *this);
    run_block(now);
    if (out_.stop_valid != 0)
        engine_.stop_at_semaphore(state_.rings[out_.stop_ring % kMeRings].op);
    sample(now);
    note_stall(now, static_cast<StallReason>(out_.rest != 0 ? 0 : out_.stall));
    if (out_.rest != 0)
        note_stall(now + 1, static_cast<StallReason>(out_.stall));
    set_busy(now, out_.busy != 0 || !idle());
    if (out_.rest != 0)
        return false;
    return progress || out_.moved != 0;
}

// What the registers say, and what has changed the render contexts besides ME.
bool MeOnPins::drive_levels(Cycle now) {
    bool any = false;
    in_.now = now;
    in_.cfg = config_;
    in_.run = level(run_ != RunState::Paused);
    for (; halt.ready(now); any = true) {
        state_.halted = halt.take().me;
        in_.halt_valid = 1;
        in_.halt_level = level(state_.halted);
    }
    for (; limits.ready(now); any = true) {
        engine_.limits = limits.take();
        in_.limit_valid = 1;
        map_limits(pins::ToPins{}, engine_.limits, in_);
    }
    in_.ctx = context_pins(de_.contexts);
    in_.ctx_valid = level(!same(in_.ctx, contexts_));
    return any;
}

// False: there is none.
bool MeOnPins::drive_answers(Cycle now) {
    if (inputs_ == 0)
        return false;
    for (Channel<MemResponse>* from : {&hub_response, &l2_response})
        if (from->can_pop(now))
            engine_.check(from->front());
    pins::DriveInputs pass{now, in_, out_};
    each_answer(pass, *this);
    if (in_.pipe_valid != 0)
        check_event(event_done.front());
    return pass.any;
}

// The programs of the rings stand outside: while one is asked for its next operation the cycle does
// not take place. An event that leaves the pipe counts before they run.
void MeOnPins::run_block(Cycle now) {
    // The block is not shown answers to writes, which are posted.
    posted_ = in_.read_valid != 0 && register_response.front().write;
    if (posted_)
        in_.read_valid = 0;
    bool passed = false;
    for (;;) {
        block_.step(in_, out_);
        if (out_.pipe_ready != 0 && !passed) {
            passed = true;
            const EventDone done = event_done.front();
            engine_.take(done, state_.rings[done.ring].op);
            event_passed(
                now, done,
                {done.event_type, static_cast<EventPurpose>(out_.pipe_purpose), out_.pipe_buffer});
        }
        if (out_.ask_valid == 0)
            return;
        ask_program(now);
    }
}

void MeOnPins::ask_program(Cycle now) {
    const unsigned ring = out_.ask_ring % kMeRings;
    MeState::Ring& r = state_.rings[ring];
    OpState& s = r.op;
    if (out_.ask_start != 0) {
        log_start(now, r);
        engine_.start(s, *r.info, r.header, r.body.data(), r.location, de_);
    } else {
        OpResult& result = s.program.result;
        result.value =
            s.op.kind == OpKind::Clock ? engine_.gpu_clock(out_.ask_value) : out_.ask_value;
        result.data = out_.ask_data;
        const StallReason waited = s.wait;
        if (waited == StallReason::RegRead || waited == StallReason::MemData ||
            waited == StallReason::GdsData)
            s.last_read = result.value;
    }
    const bool more = OpEngine::next(s);
    if (more)
        check_operation(s);
    put_operation(ring, more);
}

// As the model does when it first tries the operation. That of a register whose value streams in
// is checked with its dword.
void MeOnPins::check_operation(const OpState& s) const {
    const MicroOp& op = s.op;
    if (op.kind == OpKind::RegWrite && !op.stream)
        check_register_write(s.program, spec_, op.offset, op.value);
    const bool gds = op.kind == OpKind::GdsRead || op.kind == OpKind::GdsWrite ||
                     op.kind == OpKind::GdsAtomic || uses_gds(op);
    if (gds)
        engine_.require_gds(s);
}

void MeOnPins::put_operation(unsigned ring, bool more) {
    const OpState& s = state_.rings[ring].op;
    MePins::Operations& to = in_.op;
    to.valid[ring] = 1;
    to.end[ring] = level(!more);
    to.preamble[ring] = level(de_.contexts.preamble);
    if (!more)
        return;
    map_operation(pins::ToPins{}, s.op, to, ring);
    if (s.op.kind != OpKind::RegWrite)
        return;
    to.privileged[ring] = level(privileged_write(s.program, spec_.user_registers, s.op.offset));
    to.of_context[ring] = level(spec_.registers->of_context(s.op.offset));
}

// What of a message the pins do not carry.
struct MeOnPins::Rest {
    explicit Rest(MeOnPins& unit)
        : me(unit), acting(unit.state_.rings[unit.out_.act_ring % kMeRings].op) {}
    MeOnPins& me;
    const OpState& acting;

    void operator()(MemRequest& r) const {
        const OpState& s = me.state_.rings[me.out_.mem_tag % 4 % kMeRings].op;
        r = me.engine_.ring_request(s);
        if (me.out_.mem_command != static_cast<uint8_t>(MemCommand::Atomic))
            return;
        r.atomic = s.op.atomic;
        r.atomic_bytes = static_cast<uint8_t>(4 * s.op.dwords);
        r.compare = s.op.compare;
    }
    void operator()(RegRequest& r) const {
        r.source = kRegFromCp;
        r.place = me.place_of_write_;
    }
    void operator()(CacheAction& action) const { action = acting.op.action; }
    void operator()(DmaCommand& dma) const { dma = acting.op.dma; }
    void operator()(EopCommand& eop) const { eop = acting.op.eop; }
    void operator()(GdsRequest& r) const { r = me.engine_.gds_request(acting); }
    template <class T>
    void operator()(T&) const {}  // an answer
};

// What ME has done in this cycle, to channels, counters and logs.
void MeOnPins::sample(Cycle now) {
    count_answers();
    for (unsigned ring = 0; ring < kMeRings; ++ring)
        if (out_.meq_ready[ring] != 0)
            follow_dword(now, ring);
    follow_contexts();
    if (out_.hub_valid != 0 || out_.l2_valid != 0)
        engine_.note_memory(static_cast<MemCommand>(out_.mem_command), out_.mem_tag,
                            state_.rings[out_.mem_tag % 4 % kMeRings].op);
    if (out_.bus_valid != 0)
        follow_register();
    follow_commands();
    pins::SampleOutputs pass{now, in_, out_, Rest(*this)};
    each_answer(pass, *this);
    each_queue(pass, *this);
    each_output(pass, *this);
    if (posted_)
        register_response.drop(now);
    if (out_.ce_valid != 0)
        to_ce->push(now, state_.rings[out_.act_ring % kMeRings].op.op.ce);
    if (out_.act_valid != 0)
        follow_act(now);
    if (out_.act_valid != 0 || out_.bus_valid != 0)
        note_context(now);
    follow_rings(now);
    contexts_ = context_pins(de_.contexts);
}

void MeOnPins::count_answers() {
    if (in_.hub.valid != 0)
        engine_.take_write(hub_response.front());
    if (in_.l2.valid != 0)
        engine_.take_write(l2_response.front());
    if (in_.gds_valid != 0)
        engine_.end_gds(in_.gds_tag);
    if (in_.dma_valid != 0)
        engine_.take(dma_done.front());
    if (in_.stored_valid != 0)
        engine_.take(gds_stored.front());
}

void MeOnPins::follow_dword(Cycle now, unsigned ring) {
    MeState::Ring& r = state_.rings[ring];
    const MeqEntry& entry = meq[ring].front();
    ++state_.dwords;
    switch (static_cast<Dword>(out_.take_kind)) {
        case Dword::Header:
            begin_packet(now, r, entry);
            return;
        case Dword::Collected:
            if (r.have < r.body.size())
                r.body[r.have++] = entry.dword;
            break;
        case Dword::Operand:
            OpEngine::give(r.op, entry.dword);
            if (r.op.op.kind == OpKind::RegWrite)
                check_register_write(r.op.program, spec_, r.op.op.offset, r.op.op.value);
            break;
        case Dword::PassedOver:
            break;
    }
    --r.left;
}

// The render contexts that the pins show are the drawing engine's.
void MeOnPins::follow_contexts() {
    Contexts& contexts = de_.contexts;
    if (contexts.closed && out_.ctx_closed == 0) {
        engine_.take_context(contexts);
    } else if (!contexts.closed && out_.ctx_closed != 0) {
        contexts.close();
    }
}

void MeOnPins::follow_register() {
    OpState& s = state_.rings[out_.bus_ring % kMeRings].op;
    const bool write = out_.bus_write != 0;
    place_of_write_ = 0;
    if (write && out_.bus_offset == spec_.registers->event_initiator)
        engine_.note_event(s, static_cast<uint8_t>(out_.bus_value), EventPurpose::Discard);
    else if (out_.act_valid == 0 || out_.act_kind > static_cast<uint8_t>(OpKind::RegRead))
        ++engine_.counters.reg_writes;  // the copy of a render context
    else if (write)
        place_of_write_ = engine_.note_write(s, out_.bus_offset, out_.bus_value);
    else
        engine_.note_read(s, out_.bus_offset);
}

// Commands to other units.
void MeOnPins::follow_commands() {
    OpState& s = state_.rings[out_.act_ring % kMeRings].op;
    if (out_.cache_valid != 0)
        engine_.note_cache_action(s);
    if (out_.dma_valid != 0)
        engine_.note_dma(s);
    if (out_.eop_valid != 0)
        engine_.note_eop(s);
    if (out_.gds_valid != 0)
        engine_.note_gds(s);
}

void MeOnPins::follow_act(Cycle now) {
    MeState::Ring& r = state_.rings[out_.act_ring % kMeRings];
    const MicroOp& op = r.op.op;
    r.op.has_op = false;
    switch (static_cast<OpKind>(out_.act_kind)) {
        case OpKind::RegWrite:
            if (out_.event_privilege != 0)
                to_privilege->send(now, privilege_fault(r.op.program, op.offset, op.value));
            log_write(now, r);
            break;
        case OpKind::Delay:
            engine_.delay(now, r.op);
            if (out_.event_timeout != 0)
                engine_.report_timeout(now, r.op);
            break;
        case OpKind::SyncPfp:
        case OpKind::RingError:
            engine_.send_strobe(now, r.op);
            break;
        default:
            break;
    }
}

void MeOnPins::follow_rings(Cycle now) {
    for (unsigned i = 0; i < kMeRings; ++i) {
        MeState::Ring& r = state_.rings[i];
        const auto phase = static_cast<MePhase>(out_.phase[i]);
        if (phase == MePhase::Microcode && r.phase != phase)
            wake_at(now + spec_.me_packet_cycles);
        r.op.wait = static_cast<StallReason>(out_.wait[i]);
        r.op.no_context = out_.no_context[i] != 0;
        if (out_.done_valid != 0 && out_.done_ring == i)
            finish(now, r);
        r.phase = phase;
    }
}

}  // namespace archipelago::cp
