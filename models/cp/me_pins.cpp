// SPDX-License-Identifier: Apache-2.0
#include "models/cp/me_pins.h"

#include <algorithm>
#include <stdexcept>

#include "models/common/archive.h"
#include "models/common/error.h"
#include "models/common/pins/pin_ports.h"
#include "models/common/pins/twin_limits.h"
#include "models/cp/register_write.h"

namespace archipelago::cp {

namespace {

using MePins = rtl::CpMePins;
constexpr unsigned kMeRings = MePins::kRings, kMeWords = MePins::kWords;
constexpr unsigned kMostForCe = 2;  // messages to the constant engine a cycle
static_assert(kContexts == MePins::kContexts);

// What a dword of the micro engine queue is to its packet.
enum class Dword : uint8_t { Header, Collected, Operand, PassedOver };

uint8_t level(bool value) {
    return value ? 1 : 0;
}

// ---- messages and ports -------------------------------------------------------------------------

using InLines = pins::InUnits<kLineBytes>;

template <class M, class C, class P>
void map_contexts(M m, C& c, P& p) {
    m(c.current, p.current);
    m(c.drawn, p.drawn);
    m(c.closed, p.closed);
    m(c.preamble, p.preamble);
    m.bits(p.in_pipe, c.in_pipe);
}
MePins::Contexts context_pins(const Contexts& contexts) {
    MePins::Contexts pins;
    map_contexts(pins::ToPins{}, contexts, pins);
    return pins;
}
bool same(const MePins::Contexts& a, const MePins::Contexts& b) {
    return a.current == b.current && a.drawn == b.drawn && a.closed == b.closed &&
           a.preamble == b.preamble && a.in_pipe == b.in_pipe;
}

template <class M, class L, class In>
void map_limits(M m, L& limits, In& in) {
    m(limits.wait_reg_mem, in.limit_wait_reg_mem);
    m(limits.semaphore, in.limit_semaphore);
}

// Another unit uses the GDS for the operation.
bool uses_gds(const MicroOp& op) {
    return (op.kind == OpKind::Eop && op.eop.gds_dwords != 0) ||
           (op.kind == OpKind::Dma && (op.dma.from_gds || op.dma.to_gds));
}
struct UsesGds {
    static void to_pin(uint8_t& pin, const MicroOp& op) { pin = level(uses_gds(op)); }
    static void from_pin(MicroOp& op, uint8_t pin) {
        op.eop.gds_dwords = pin;
        op.dma.from_gds = pin != 0;
    }
};

// An operation of a ring's program. Contents of EOP, DMA and GDS commands, cache actions and
// messages to the constant engine are not on the pins.
template <class M, class Op, class P>
void map_operation(M m, Op& op, P& p, unsigned ring) {
    m(op.kind, p.kind[ring]);
    m.as(pins::OneOf<MemPath::L2, MemPath::Hub>{}, op.path, p.path[ring]);
    m(op.stream, p.stream[ring]);
    m(op.kernel, p.kernel[ring]);
    m(op.wait, p.wait[ring]);
    m(op.dwords, p.dwords[ring]);
    m(op.swap, p.swap[ring]);
    m(op.event_type, p.event_type[ring]);
    m(op.limit, p.limit[ring]);
    m(op.ce.buffer, p.buffer[ring]);
    if (op.kind == OpKind::Eop)
        m(op.eop.event_type, p.event_type[ring]);
    m.as(UsesGds{}, op, p.gds[ring]);
    m(op.offset, p.offset[ring]);
    m(op.value, p.value[ring]);
    m(op.cycles, p.cycles[ring]);
    m(op.operand, p.operand[ring]);
    m(op.address, p.address[ring]);
    m.part(op.data, p.data, ring * kMeWords);
}

template <class M, class Response, class P>
void map_memory_answer(M m, Response& r, P& p) {
    m.as(pins::LowBits<7>{}, r.tag, p.tag);
    m.as(InLines{}, r.line, p.line);
    m(r.data, p.data);
}
template <class M, class Response, class In>
void map_gds_answer(M m, Response& r, In& in) {
    m(r.tag, in.gds_tag);
    for (unsigned i = 0; i < 4; ++i) {
        m(r.data[i][0], in.gds_column[i]);
        m(r.data[0][i], in.gds_row[i]);
    }
}
template <class M, class Request, class Out>
void map_memory(M m, Request& r, Out& out) {
    m(r.command, out.mem_command);
    m(r.vmid, out.mem_vmid);
    m(r.tag, out.mem_tag);
    m.as(InLines{}, r.line, out.mem_line);
    m(r.byte_mask, out.mem_mask);
    m.when(r.command != MemCommand::Read, r.data, out.mem_data);
}
template <class M, class Request, class Out>
void map_register(M m, Request& r, Out& out) {
    m(r.offset, out.bus_offset);
    m(r.value, out.bus_value);
    m(r.write, out.bus_write);
    m(r.ring, out.bus_ring);
    m(r.context, out.bus_context);
    m(r.vmid, out.bus_vmid);
    m.implied(r.tag, out.bus_ring);
}

// The oldest event of the ring in the pipe.
uint8_t oldest_event(const MeState& state, unsigned ring) {
    const OpState& op = state.rings[ring % kMeRings].op;
    return op.events_count != 0 ? op.events[op.events_head].type : uint8_t{0};
}

template <class Pass>
void each_answer(Pass& pass, MeUnit& me) {
    auto& in = pass.in;
    pass.taken_input(me.hub_response, in.hub.valid,
                     [&](auto m, auto& r) { map_memory_answer(m, r, in.hub); });
    pass.taken_input(me.l2_response, in.l2.valid,
                     [&](auto m, auto& r) { map_memory_answer(m, r, in.l2); });
    pass.taken_input(me.register_response, in.read_valid, [&](auto m, auto& r) {
        m(r.tag, in.read_ring);
        m(r.value, in.read_value);
    });
    pass.taken_input(me.cache_done, in.cache_valid,
                     [&](auto m, auto& done) { m(done.tag, in.cache_ring); });
    pass.taken_input(me.gds_response, in.gds_valid,
                     [&](auto m, auto& r) { map_gds_answer(m, r, in); });
    pass.taken_input(me.dma_done, in.dma_valid, [&](auto m, auto& done) {
        m(done.ring, in.dma_ring);
        m(done.written, in.dma_written);
        m(done.done, in.dma_done);
    });
    pass.taken_input(me.ce_grant, in.grant_valid, [&](auto m, auto& grant) {
        m(grant.ring, in.grant_ring);
        m(grant.buffer, in.grant_buffer);
    });
    pass.taken_input(me.gds_stored, in.stored_valid,
                     [&](auto m, auto& stored) { m(stored.ring, in.stored_ring); });
    pass.input(me.event_done, in.pipe_valid, pass.out.pipe_ready, [&](auto m, auto& done) {
        m(done.ring, in.pipe_ring);
        m.implied(done.event_type, oldest_event(me.state(), in.pipe_ring));
    });
}

template <class Pass>
void each_queue(Pass& pass, MeUnit& me) {
    for (unsigned ring = 0; ring < kMeRings; ++ring)
        pass.input_no_wake(me.meq[ring], pass.in.meq_valid[ring], pass.out.meq_ready[ring],
                           [&](auto m, auto& entry) {
                               m(entry.dword, pass.in.meq_dword[ring]);
                               m.implied(entry.location.ring, ring);
                               m(entry.location.vmid, pass.in.meq_vmid[ring]);
                           });
}

template <class Pass>
void each_output(Pass& pass, MeUnit& me) {
    auto& in = pass.in;
    auto& out = pass.out;
    const auto nothing = [](auto, auto&) {};  // but that there is one
    const auto memory = [&](auto m, auto& r) { map_memory(m, r, out); };
    pass.output(me.to_hub, in.hub_ready, out.hub_valid, memory);
    pass.output(me.to_l2, in.l2_ready, out.l2_valid, memory);
    pass.output(me.to_bus, in.bus_ready, out.bus_valid,
                [&](auto m, auto& r) { map_register(m, r, out); });
    pass.output(me.to_coherency, in.cache_ready, out.cache_valid, nothing);
    pass.output(me.to_dma, in.dma_ready, out.dma_valid, nothing);
    pass.output(me.to_eop, in.eop_ready, out.eop_valid, nothing);
    pass.output(me.to_gds, in.gds_ready, out.gds_valid,
                [&](auto m, auto& r) { m(r.tag, out.gds_tag); });
    pass.room(me.to_eop_trigger, in.trigger_ready, 1);
    pass.room(me.to_ce, in.ce_room, kMostForCe);
}

std::vector<PacketInfo> rows_with(const PacketTable& table,
                                  bool (*run)(ProgramState& p, MicroOp& op)) {
    std::vector<PacketInfo> rows(table.begin(), table.end());
    for (PacketInfo& row : rows)
        row.run = run;
    return rows;
}
PacketInfo row_with(PacketInfo row, bool (*run)(ProgramState& p, MicroOp& op), uint16_t flags) {
    row.name = "of the pins";
    row.run = run;
    row.flags = flags;
    return row;
}

}  // namespace

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
    state_.stalls.note(now, static_cast<StallReason>(out_.rest != 0 ? 0 : out_.stall));
    if (out_.rest != 0)
        state_.stalls.note(now + 1, static_cast<StallReason>(out_.stall));
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
        result.value = s.op.kind == OpKind::Clock
                           ? out_.ask_value * spec_.gpu_clock_mul / spec_.gpu_clock_div
                           : out_.ask_value;
        result.data = out_.ask_data;
        const StallReason waited = s.wait;
        if (waited == StallReason::RegRead || waited == StallReason::MemData ||
            waited == StallReason::GdsData)
            s.last_read = result.value;
    }
    const bool more = s.program.next(s.op);
    s.has_op = more;
    s.stream_have = 0;
    if (more)
        check_operation(s);
    put_operation(ring, more);
}

// As the model does when it first tries the operation. That of a register whose value streams in
// is checked with its dword.
void MeOnPins::check_operation(const OpState& s) const {
    const MicroOp& op = s.op;
    if (op.kind == OpKind::RegWrite && !op.stream)
        check_write(s);
    const bool gds = op.kind == OpKind::GdsRead || op.kind == OpKind::GdsWrite ||
                     op.kind == OpKind::GdsAtomic || uses_gds(op);
    if (gds && !to_gds)
        no_gds(s.program.location());
}

void MeOnPins::check_write(const OpState& s) const {
    if (register_write_kind(s.program, spec_.user_registers, s.op.offset) ==
        RegisterWriteKind::Event)
        s.program.check_event_write(spec_.registers->events.type_of(s.op.value));
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
        count_memory();
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
        count_write(hub_response.front().tag);
    if (in_.l2.valid != 0)
        count_write(l2_response.front().tag);
    if (in_.gds_valid != 0)
        --state_.rings[in_.gds_tag % 4].op.gds_in_flight;
    if (in_.dma_valid != 0)
        engine_.take(dma_done.front());
}

void MeOnPins::count_write(uint32_t tag) {
    if (OpEngine::writes(tag))
        --state_.rings[tag % 4].op.writes_in_flight;
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
                check_write(r.op);
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
        contexts.take();
        ++engine_.pipe_counters.context_rolls;
    } else if (!contexts.closed && out_.ctx_closed != 0) {
        contexts.close();
    }
}

void MeOnPins::count_memory() {
    OpState& s = state_.rings[out_.mem_tag % 4 % kMeRings].op;
    switch (static_cast<MemCommand>(out_.mem_command)) {
        case MemCommand::Read:
            ++engine_.counters.mem_reads;
            break;
        case MemCommand::Write:
            engine_.note_write(out_.mem_tag, s);
            ++s.writes_in_flight;
            ++engine_.counters.mem_writes;
            engine_.counters.mem_bytes_written += 4u * s.op.dwords;
            break;
        case MemCommand::Atomic:
            ++engine_.counters.atomics;
            break;
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
    if (out_.cache_valid != 0) {
        s.op.action.tag = out_.act_ring;
        ++engine_.pipe_counters.cache_actions;
    }
    if (out_.dma_valid != 0) {
        s.op.dma.pfp = false;
        ++s.dma_in_flight;
        ++s.dma_unwritten;
    }
    if (out_.eop_valid != 0)
        s.op.eop.flow = engine_.flow;
    if (out_.gds_valid != 0) {
        ++s.gds_in_flight;
        ++engine_.pipe_counters.gds_requests;
    }
}

void MeOnPins::follow_act(Cycle now) {
    MeState::Ring& r = state_.rings[out_.act_ring % kMeRings];
    const MicroOp& op = r.op.op;
    const Location& location = r.location;
    r.op.has_op = false;
    switch (static_cast<OpKind>(out_.act_kind)) {
        case OpKind::RegWrite:
            if (out_.event_privilege != 0)
                to_privilege->send(now, {location, r.info->name, op.offset, op.value});
            log_write(now, r);
            break;
        case OpKind::Delay:
            ++engine_.counters.polls;
            wake_at(now + op.cycles);
            if (out_.event_timeout != 0 && to_timeout)
                to_timeout->send(now, {location.ring, location.vmid});
            break;
        case OpKind::SyncPfp:
            to_sync->send(now, {location.ring});
            break;
        case OpKind::RingError:
            to_ring_error->send(now, {location.ring, location.vmid, op.value});
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

// ---- the model at its pins ----------------------------------------------------------------------

// The model, whose cycle may turn out not to take place.
class MePinCore::Core final : public MeCore {
  public:
    using MeCore::MeCore;
    struct Kept {
        MeState state;
        RoundRobin turn;
        PollLimits limits;
    };
    Kept keep() const { return {state_, turn_, engine_.limits}; }
    void restore(const Kept& kept) {
        state_ = kept.state;
        turn_ = kept.turn;
        engine_.limits = kept.limits;
    }
};

const PacketInfo MePinCore::kOwn = row_with({}, run_row, kOwnRegisters | kCopiesContexts);
const PacketInfo MePinCore::kUsers = row_with({}, run_row, kCopiesContexts);

MePinCore::MePinCore(const Spec& spec)
    : rows_("pins", rows_with(*spec.packets, run_row),
            row_with(spec.packets->type0(), run_row, kCopiesContexts)),
      spec_(spec),
      programs_(*spec.registers, kMeRings, false) {
    spec_.packets = &rows_;
    // A user's packet may write this one, which no chip has.
    spec_.user_registers.allow(0x3fffc, 0x3fffc);
    make_core();
}

MePinCore::~MePinCore() = default;

void MePinCore::make_core() {
    core_ = std::make_unique<Core>(spec_, programs_);
    core_->to_hub.connect(hub_);
    core_->to_l2.connect(l2_);
    core_->to_bus.connect(bus_);
    core_->to_coherency.connect(cache_);
    core_->to_dma.connect(dma_);
    core_->to_eop.connect(eop_);
    core_->to_eop_trigger.connect(trigger_);
    core_->to_ce.connect(ce_);
    core_->to_gds.connect(gds_);
    core_->to_sync.connect(sync_);
    core_->to_ring_error.connect(ring_error_);
    core_->to_privilege.connect(privilege_);
    core_->to_timeout.connect(timeout_);
}

bool MePinCore::run_row(ProgramState& p, MicroOp& op) {
    return static_cast<Programs*>(p.de)->next(p, op);
}

// The next operation of a ring is on its pins.
bool MePinCore::Programs::next(ProgramState& p, MicroOp& op) {
    const unsigned ring = p.location.ring;
    if (in->op.valid[ring] == 0) {
        asked = ring;
        start = p.step == 0;
        result = p.result;
        throw NotThere{};
    }
    ++p.step;
    taken[ring] = true;
    p.info = in->op.privileged[ring] != 0 ? &kUsers : &kOwn;
    contexts.preamble = in->op.preamble[ring] != 0;
    if (in->op.end[ring] != 0)
        return false;
    map_operation(pins::FromPins{}, op, in->op, ring);
    return true;
}

void MePinCore::step(const In& in, Out& out) {
    out = {};
    if (in.rst != 0) {
        if (in.cfg.packet_cycles != spec_.me_packet_cycles ||
            in.cfg.events != spec_.events_in_flight) {
            spec_.me_packet_cycles = in.cfg.packet_cycles;
            spec_.events_in_flight = in.cfg.events;
            make_core();
        }
        core_->reset();
        programs_.contexts = Contexts(*spec_.registers);
        programs_.contexts.max = in.cfg.max_context;
        stopped_ = false;
        return;
    }
    if (stopped_) {
        out.stop_valid = 1;
        out.stop_ring = stopped_ring_;
        return;
    }
    programs_.in = &in;
    programs_.taken = {};
    apply(in, out);
    run(in, out);
}

// A tick; a program without its operation on the pins leaves everything as it was.
void MePinCore::run(const In& in, Out& out) {
    const Core::Kept before = core_->keep();
    const Contexts contexts = programs_.contexts;
    try {
        core_->tick(in.now);
        present(in, before.state, out);
    } catch (const NotThere&) {
        present_event(in, before.state, out);
        core_->restore(before);
        programs_.contexts = contexts;
        out.ask_valid = 1;
        out.ask_ring = static_cast<uint8_t>(programs_.asked);
        out.ask_start = level(programs_.start);
        out.ask_value = programs_.result.value;
        out.ask_data = programs_.result.data;
    } catch (const MachineStop&) {
        stopped_ = true;
        stopped_ring_ = 0;
        for (uint8_t ring = 0; ring < kMeRings; ++ring)
            if (core_->state().rings[ring].op.overdue && !before.state.rings[ring].op.overdue)
                stopped_ring_ = ring;
        out.stop_valid = 1;
        out.stop_ring = stopped_ring_;
    }
}

// Puts the values of the pins into the channels, as what can be taken in this cycle.
void MePinCore::apply(const In& in, const Out& out) {
    const Cycle now = in.now;
    if (in.ctx_valid != 0)
        map_contexts(pins::FromPins{}, programs_.contexts, in.ctx);
    core_->halt.clear();
    if (in.halt_valid != 0)
        core_->halt.send(now - 1, {false, in.halt_level != 0});
    core_->limits.clear();
    if (in.limit_valid != 0) {
        PollLimits limits;
        map_limits(pins::FromPins{}, limits, in);
        core_->limits.send(now - 1, limits);
    }
    const pins::ApplyInputs pass{now, in, out};
    each_answer(pass, *core_);
    each_queue(pass, *core_);
    each_output(pass, *core_);
    privilege_.clear();
    timeout_.clear();
    sync_.clear();
    ring_error_.clear();
    core_->set_run_state(in.run != 0 ? RunState::Running : RunState::Paused);
}

// What the cycle has done follows from the state before and after it.
void MePinCore::present(const In& in, const MeState& before, Out& out) {
    const pins::PresentOutputs pass{in.now, in, out};
    each_answer(pass, *core_);
    each_queue(pass, *core_);
    each_output(pass, *core_);
    present_event(in, before, out);
    // That of an event comes first.
    const size_t messages = ce_.size() - (kMostForCe - std::min<size_t>(in.ce_room, kMostForCe));
    const bool of_event =
        out.pipe_ready != 0 && out.pipe_purpose == static_cast<uint8_t>(EventPurpose::IncrementDe);
    out.ce_valid = level(messages > (of_event ? 1u : 0u));
    out.event_privilege = level(!privilege_.empty());
    out.event_timeout = level(!timeout_.empty());
    bool may_move = false;
    for (unsigned ring = 0; ring < kMeRings; ++ring) {
        may_move |= before.rings[ring].phase != MePhase::Header || in.meq_valid[ring] != 0;
        present_ring(in, ring, before.rings[ring], out);
    }
    const MePins::Contexts contexts = context_pins(programs_.contexts);
    out.ctx_current = contexts.current;
    out.ctx_drawn = contexts.drawn;
    out.ctx_closed = contexts.closed;
    out.ctx_in_pipe = contexts.in_pipe;
    const MeState& after = core_->state();
    out.stall = static_cast<uint8_t>(after.stalls.reason());
    out.rest = level(after.stalls.since() > in.now);
    may_move &= in.run != 0 && !after.halted;
    out.moved = level(out.rest != 0 || (may_move && after.stalls.reason() == StallReason::None));
    out.busy = level(core_->working());
}

// An event that has left the pipe.
void MePinCore::present_event(const In& in, const MeState& before, Out& out) const {
    out.pipe_ready = level(in.pipe_valid != 0 && core_->event_done.empty());
    if (out.pipe_ready == 0)
        return;
    const OpState& op = before.rings[in.pipe_ring].op;
    const PendingEvent event = op.events_count != 0 ? op.events[op.events_head] : PendingEvent{};
    out.pipe_purpose = static_cast<uint8_t>(event.purpose);
    out.pipe_buffer = event.buffer;
}

void MePinCore::present_ring(const In& in, unsigned ring, const MeState::Ring& before,
                             Out& out) const {
    const MeState::Ring& after = core_->state().rings[ring];
    const bool taken = programs_.taken[ring];
    out.op_ready[ring] = level(taken);
    if (out.meq_ready[ring] != 0) {
        const Dword kind = before.phase == MePhase::Header    ? Dword::Header
                           : before.phase == MePhase::Collect ? Dword::Collected
                           : after.phase == MePhase::Execute  ? Dword::Operand
                                                              : Dword::PassedOver;
        out.take_kind = static_cast<uint8_t>(kind);
    }
    const bool had_operation = before.op.has_op || (taken && in.op.end[ring] == 0);
    if (had_operation && !after.op.has_op) {
        out.act_valid = 1;
        out.act_ring = static_cast<uint8_t>(ring);
        out.act_kind = static_cast<uint8_t>(after.op.op.kind);
    }
    if (before.phase != MePhase::Header && after.phase == MePhase::Header) {
        out.done_valid = 1;
        out.done_ring = static_cast<uint8_t>(ring);
    }
    out.phase[ring] = static_cast<uint8_t>(after.phase);
    out.wait[ring] = static_cast<uint8_t>(after.op.wait);
    out.no_context[ring] = level(after.op.no_context);
}

}  // namespace archipelago::cp
