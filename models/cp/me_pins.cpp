// SPDX-License-Identifier: Apache-2.0
#include "models/cp/me_pins.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "models/common/error.h"
#include "models/common/pins/twin_limits.h"
#include "models/cp/pm4/packet_log.h"
#include "models/cp/register_write.h"

namespace archipelago::cp {

namespace {

using MePins = rtl::CpMePins;
constexpr unsigned kMeRings = MePins::kRings, kMeWords = MePins::kWords;
static_assert(kContexts == MePins::kContexts);

uint8_t level(bool value) {
    return value ? 1 : 0;
}
template <class T>
bool moves(const Channel<T>& channel, uint8_t ready) {
    return ready != 0 && !channel.empty();
}
// Full unless the pins say that there is room.
template <class T>
void set_room(Channel<T>& channel, Cycle now, unsigned room) {
    channel.clear();
    for (unsigned i = room; i < channel.spec().capacity; ++i)
        channel.push_at(0, now, T{});
}

MePins::Contexts context_pins(const Contexts& contexts) {
    MePins::Contexts pins;
    pins.current = contexts.current;
    pins.drawn = level(contexts.drawn);
    pins.closed = level(contexts.closed);
    pins.preamble = level(contexts.preamble);
    for (unsigned i = 0; i < kContexts; ++i)
        pins.in_pipe |= static_cast<uint8_t>(level(contexts.in_pipe[i]) << i);
    return pins;
}
bool same(const MePins::Contexts& a, const MePins::Contexts& b) {
    return a.current == b.current && a.drawn == b.drawn && a.closed == b.closed &&
           a.preamble == b.preamble && a.in_pipe == b.in_pipe;
}

// Another unit uses the GDS for the operation.
bool uses_gds(const MicroOp& op) {
    return (op.kind == OpKind::Eop && op.eop.gds_dwords != 0) ||
           (op.kind == OpKind::Dma && (op.dma.from_gds || op.dma.to_gds));
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

// ---- the model at its pins ----------------------------------------------------------------------

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

void MePinCore::make_core() {
    core_ = std::make_unique<MeCore>(spec_, programs_);
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
    core_->report_to(events_);
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
    fill_operation(*in, ring, op);
    return true;
}

void MePinCore::fill_operation(const In& in, unsigned ring, MicroOp& op) {
    const MePins::Operations& from = in.op;
    op.kind = static_cast<OpKind>(from.kind[ring]);
    op.path = from.path[ring] != 0 ? MemPath::L2 : MemPath::Hub;
    op.stream = from.stream[ring] != 0;
    op.kernel = from.kernel[ring] != 0;
    op.wait = from.wait[ring] != 0;
    op.dwords = from.dwords[ring];
    op.swap = from.swap[ring];
    op.event_type = op.eop.event_type = from.event_type[ring];
    op.limit = static_cast<PollLimit>(from.limit[ring]);
    op.ce.buffer = from.buffer[ring];
    op.eop.gds_dwords = from.gds[ring];
    op.dma.from_gds = from.gds[ring] != 0;
    op.offset = from.offset[ring];
    op.value = from.value[ring];
    op.cycles = from.cycles[ring];
    op.operand = from.operand[ring];
    op.address = from.address[ring];
    std::copy_n(from.data.begin() + ring * kMeWords, kMeWords, op.data.begin());
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
    events_ = {};
    programs_.in = &in;
    programs_.taken = {};
    offer(in.now, in);
    core_->set_run_state(in.run != 0 ? RunState::Running : RunState::Paused);
    try {
        core_->tick_or_stay(in.now);
        collect(in, out);
    } catch (const NotThere&) {
        out.ask_valid = 1;
        out.ask_ring = static_cast<uint8_t>(programs_.asked);
        out.ask_start = level(programs_.start);
        out.ask_value = programs_.result.value;
        out.ask_data = programs_.result.data;
        collect_events(out);
    } catch (const MachineStop&) {
        stopped_ = true;
        stopped_ring_ = events_.turn;
        out.stop_valid = 1;
        out.stop_ring = stopped_ring_;
    }
}

// Puts the values of the pins into the channels, as what can be taken in this cycle.
void MePinCore::offer(Cycle now, const In& in) {
    if (in.ctx_valid != 0) {
        Contexts& c = programs_.contexts;
        c.current = in.ctx.current;
        c.drawn = in.ctx.drawn != 0;
        c.closed = in.ctx.closed != 0;
        c.preamble = in.ctx.preamble != 0;
        for (unsigned i = 0; i < kContexts; ++i)
            c.in_pipe[i] = (in.ctx.in_pipe >> i & 1) != 0;
    }
    core_->halt.clear();
    if (in.halt_valid != 0)
        core_->halt.send(now - 1, {false, in.halt_level != 0});
    core_->limits.clear();
    if (in.limit_valid != 0)
        core_->limits.send(now - 1, {in.limit_wait_reg_mem, in.limit_semaphore});
    for (unsigned r = 0; r < kMeRings; ++r) {
        core_->meq[r].clear();
        if (in.meq_valid[r] == 0)
            continue;
        MeqEntry entry;
        entry.dword = in.meq_dword[r];
        entry.location.ring = static_cast<uint8_t>(r);
        entry.location.vmid = in.meq_vmid[r];
        core_->meq[r].push_at(0, now, entry);
    }
    offer_answers(now, in);
    offer_rooms(now, in);
}

void MePinCore::offer_memory(Cycle now, const MePins::Answer& answer, Channel<MemResponse>& to) {
    to.clear();
    if (answer.valid == 0)
        return;
    MemResponse response;
    response.tag = answer.tag;
    response.line = answer.line * kLineBytes;
    std::memcpy(response.data.data(), answer.data.data(), kLineBytes);
    to.push_at(0, now, response);
}

void MePinCore::offer_answers(Cycle now, const In& in) {
    offer_memory(now, in.hub, core_->hub_response);
    offer_memory(now, in.l2, core_->l2_response);
    const auto offer_one = [now](auto& channel, uint8_t valid, auto message) {
        channel.clear();
        if (valid != 0)
            channel.push_at(0, now, message);
    };
    RegResponse read;
    read.tag = in.read_ring;
    read.value = in.read_value;
    offer_one(core_->register_response, in.read_valid, read);
    offer_one(core_->cache_done, in.cache_valid, CacheActionDone{in.cache_ring});
    offer_one(core_->dma_done, in.dma_valid,
              DmaDone{in.dma_ring, in.dma_written != 0, in.dma_done != 0});
    offer_one(core_->ce_grant, in.grant_valid,
              CeGrant{in.grant_ring, DeKind::WaitCounter, in.grant_buffer});
    offer_one(core_->gds_stored, in.stored_valid, GdsStored{in.stored_ring});
    core_->gds_response.clear();
    if (in.gds_valid != 0) {
        GdsResponse response;
        response.tag = in.gds_tag;
        for (unsigned i = 0; i < 4; ++i) {
            response.data[i][0] = in.gds_column[i];
            response.data[0][i] = in.gds_row[i];
        }
        core_->gds_response.push_at(0, now, response);
    }
    const OpState& of = core_->state().rings[in.pipe_ring % kMeRings].op;
    const uint8_t type = of.events_count != 0 ? of.events[of.events_head].type : uint8_t{0};
    offer_one(core_->event_done, in.pipe_valid, EventDone{in.pipe_ring, type, 0});
}

void MePinCore::offer_rooms(Cycle now, const In& in) {
    set_room(hub_, now, in.hub_ready);
    set_room(l2_, now, in.l2_ready);
    set_room(bus_, now, in.bus_ready);
    set_room(cache_, now, in.cache_ready);
    set_room(dma_, now, in.dma_ready);
    set_room(eop_, now, in.eop_ready);
    set_room(trigger_, now, in.trigger_ready);
    set_room(gds_, now, in.gds_ready);
    set_room(ce_, now, std::min<unsigned>(in.ce_room, 2));
    privilege_.clear();
    timeout_.clear();
    sync_.clear();
    ring_error_.clear();
}

void MePinCore::collect(const In& in, Out& out) {
    for (unsigned r = 0; r < kMeRings; ++r)
        out.op_ready[r] = level(programs_.taken[r]);
    if (events_.took) {
        out.meq_ready[events_.ring] = 1;
        out.take_kind = static_cast<uint8_t>(events_.dword);
    }
    if (events_.acted) {
        out.act_valid = 1;
        out.act_ring = events_.acted_in;
        out.act_kind = static_cast<uint8_t>(events_.act);
    }
    out.done_valid = level(events_.finished);
    out.done_ring = events_.finished_in;
    collect_memory(in, out);
    collect_bus(in, out);
    out.cache_valid = level(moves(cache_, in.cache_ready));
    out.dma_valid = level(moves(dma_, in.dma_ready));
    out.eop_valid = level(moves(eop_, in.eop_ready));
    out.gds_valid = level(moves(gds_, in.gds_ready));
    if (out.gds_valid != 0)
        out.gds_tag = static_cast<uint8_t>(gds_.front().tag);
    // That of an event comes first.
    const size_t messages = ce_.size() - (2 - std::min<size_t>(in.ce_room, 2));
    const bool of_event = events_.passed && events_.event.purpose == EventPurpose::IncrementDe;
    out.ce_valid = level(messages > (of_event ? 1u : 0u));
    out.event_privilege = level(!privilege_.empty());
    out.event_timeout = level(!timeout_.empty());
    collect_events(out);
    collect_state(out);
}

void MePinCore::collect_memory(const In& in, Out& out) const {
    out.hub_valid = level(moves(hub_, in.hub_ready));
    out.l2_valid = level(moves(l2_, in.l2_ready));
    if (out.hub_valid == 0 && out.l2_valid == 0)
        return;
    const MemRequest& request = out.hub_valid != 0 ? hub_.front() : l2_.front();
    out.mem_command = static_cast<uint8_t>(request.command);
    out.mem_vmid = request.vmid;
    out.mem_tag = static_cast<uint16_t>(request.tag);
    out.mem_line = request.line / kLineBytes;
    out.mem_mask = request.byte_mask;
    if (request.command != MemCommand::Read)
        std::memcpy(out.mem_data.data(), request.data.data(), kLineBytes);
}

void MePinCore::collect_bus(const In& in, Out& out) const {
    if (!moves(bus_, in.bus_ready))
        return;
    const RegRequest& request = bus_.front();
    out.bus_valid = 1;
    out.bus_write = level(request.write);
    out.bus_ring = request.ring;
    out.bus_context = request.context;
    out.bus_vmid = request.vmid;
    out.bus_offset = request.offset;
    out.bus_value = request.value;
}

void MePinCore::collect_events(Out& out) const {
    if (!events_.passed)
        return;
    out.pipe_ready = 1;
    out.pipe_purpose = static_cast<uint8_t>(events_.event.purpose);
    out.pipe_buffer = events_.event.buffer;
}

void MePinCore::collect_state(Out& out) const {
    const MePins::Contexts contexts = context_pins(programs_.contexts);
    out.ctx_current = contexts.current;
    out.ctx_drawn = contexts.drawn;
    out.ctx_closed = contexts.closed;
    out.ctx_in_pipe = contexts.in_pipe;
    out.stall = static_cast<uint8_t>(events_.stall);
    out.moved = level(events_.moved);
    out.rest = level(events_.rest);
    out.busy = level(core_->working());
    for (unsigned r = 0; r < kMeRings; ++r) {
        const MeState::Ring& ring = core_->state().rings[r];
        out.phase[r] = static_cast<uint8_t>(ring.phase);
        out.wait[r] = static_cast<uint8_t>(ring.op.wait);
        out.no_context[r] = level(ring.op.no_context);
    }
}

// ---- a chip's core behind its pins --------------------------------------------------------------

void PinMe::reset() {
    MePins::In in;
    in.rst = 1;
    in.cfg = config_;
    MePins::Out ignored;
    for (unsigned i = 0; i < rtl::kResetCycles; ++i)
        block_.step(in, ignored);
    contexts = {1, 0, 0, 0, 0};
}

void PinMe::set_up(const Spec& spec) {
    config_ = me_config_pins(spec);
    reset();
    load_packet_table(block_, spec);
}

void MeCore::use_pins(PinMe& pins) {
    if (spec_.rings != kMeRings)
        throw std::invalid_argument("cp: the micro engine behind the pins has 3 rings");
    if (spec_.microcode != nullptr)
        throw std::invalid_argument("cp.microcode: the micro engine behind the pins runs none");
    pins_ = &pins;
    pins.set_up(spec_);
}

// What the registers say, and what has changed the render contexts besides ME.
bool MeCore::put_levels(Cycle now, PinIn& in) {
    bool any = false;
    in.now = now;
    in.cfg = pins_->config();
    in.run = level(run_ != RunState::Paused);
    for (; halt.ready(now); any = true) {
        state_.halted = halt.take().me;
        in.halt_valid = 1;
        in.halt_level = level(state_.halted);
    }
    for (; limits.ready(now); any = true) {
        engine_.limits = limits.take();
        in.limit_valid = 1;
        in.limit_wait_reg_mem = engine_.limits.wait_reg_mem;
        in.limit_semaphore = engine_.limits.semaphore;
    }
    in.ctx = context_pins(de_.contexts);
    in.ctx_valid = level(!same(in.ctx, pins_->contexts));
    return any;
}

bool MeCore::put_memory(Cycle now, Channel<MemResponse>& from, MePins::Answer& to) {
    if (!from.can_pop(now))
        return false;
    const MemResponse& response = from.front();
    engine_.check(response);
    to.valid = 1;
    to.tag = static_cast<uint8_t>(response.tag & 0x7f);
    to.line = response.line / kLineBytes;
    std::memcpy(to.data.data(), response.data.data(), kLineBytes);
    return true;
}

// Puts the first of each channel on the pins; false: there is none.
bool MeCore::put_answers(Cycle now, PinIn& in) {
    bool any = put_memory(now, hub_response, in.hub);
    any |= put_memory(now, l2_response, in.l2);
    const auto first = [&](auto& channel, uint8_t& valid, const auto& put) {
        if (!channel.can_pop(now))
            return;
        any = true;
        valid = 1;
        put(channel.front());
    };
    first(register_response, in.read_valid, [&](const RegResponse& r) {
        in.read_valid = level(!r.write);  // writes are posted
        in.read_ring = static_cast<uint8_t>(r.tag);
        in.read_value = r.value;
    });
    first(cache_done, in.cache_valid,
          [&](const CacheActionDone& done) { in.cache_ring = static_cast<uint8_t>(done.tag); });
    first(gds_response, in.gds_valid, [&](const GdsResponse& r) {
        in.gds_tag = static_cast<uint8_t>(r.tag);
        for (unsigned i = 0; i < 4; ++i) {
            in.gds_row[i] = r.data[0][i];
            in.gds_column[i] = r.data[i][0];
        }
    });
    first(dma_done, in.dma_valid, [&](const DmaDone& done) {
        in.dma_ring = done.ring;
        in.dma_written = level(done.written);
        in.dma_done = level(done.done);
    });
    first(ce_grant, in.grant_valid, [&](const CeGrant& grant) {
        in.grant_ring = grant.ring;
        in.grant_buffer = grant.buffer;
    });
    first(gds_stored, in.stored_valid,
          [&](const GdsStored& stored) { in.stored_ring = stored.ring; });
    first(event_done, in.pipe_valid, [&](const EventDone& done) { in.pipe_ring = done.ring; });
    if (in.pipe_valid != 0 && in.pipe_ring >= kMeRings)
        stop_at_event(in.pipe_ring);
    return any;
}

// Puts the first dword of each ring on the pins, and what there is room for behind ME.
void MeCore::put_queues(Cycle now, PinIn& in) const {
    for (unsigned r = 0; r < kMeRings; ++r) {
        if (!meq[r].can_pop(now))
            continue;
        in.meq_valid[r] = 1;
        in.meq_dword[r] = meq[r].front().dword;
        in.meq_vmid[r] = meq[r].front().location.vmid;
    }
    const auto room = [now](const auto& to) { return level(to && to->can_push(now)); };
    in.hub_ready = room(to_hub);
    in.l2_ready = room(to_l2);
    in.bus_ready = room(to_bus);
    in.cache_ready = room(to_coherency);
    in.dma_ready = room(to_dma);
    in.eop_ready = room(to_eop);
    in.trigger_ready = room(to_eop_trigger);
    in.gds_ready = room(to_gds);
    in.ce_room = static_cast<uint8_t>(to_ce ? std::min(to_ce->space(now), 2u) : 0u);
}

bool MeCore::tick_pins(Cycle now) {
    MePins::In in;
    MePins::Out out;
    bool progress = put_levels(now, in);
    if (inputs_ != 0)
        progress |= put_answers(now, in);
    put_queues(now, in);
    ask_programs(now, in, out);
    if (out.stop_valid != 0)
        engine_.stop_at_semaphore(state_.rings[out.stop_ring % kMeRings].op);
    drop_answers(now, in, out);
    follow(now, out);
    state_.stalls.note(now, static_cast<StallReason>(out.rest != 0 ? 0 : out.stall));
    if (out.rest != 0)
        state_.stalls.note(now + 1, static_cast<StallReason>(out.stall));
    set_busy(now, out.busy != 0 || !idle());
    if (out.rest != 0)
        return false;
    return progress || out.moved != 0;
}

// The programs of the rings stand outside: while one is asked for its next operation the cycle does
// not take place. An event that leaves the pipe counts before they run.
void MeCore::ask_programs(Cycle now, PinIn& in, PinOut& out) {
    bool passed = false;
    for (;;) {
        pins_->step(in, out);
        if (out.pipe_ready != 0 && !passed) {
            passed = true;
            const EventDone done = event_done.front();
            OpState& s = state_.rings[done.ring].op;
            engine_.take(done, s);
            event_passed(
                now, done,
                {done.event_type, static_cast<EventPurpose>(out.pipe_purpose), out.pipe_buffer});
        }
        if (out.ask_valid == 0)
            return;
        ask_program(now, in, out);
    }
}

void MeCore::ask_program(Cycle now, PinIn& in, const PinOut& out) {
    const unsigned ring = out.ask_ring % kMeRings;
    MeState::Ring& r = state_.rings[ring];
    OpState& s = r.op;
    if (out.ask_start != 0) {
        if (!logs_registers(*r.info))
            log_packet(observers_, path_, now, spec_, r.location, r.header, r.body.data(), r.have);
        engine_.start(s, *r.info, r.header, r.body.data(), r.location, de_);
    } else {
        OpResult& result = s.program.result;
        result.value = s.op.kind == OpKind::Clock
                           ? out.ask_value * spec_.gpu_clock_mul / spec_.gpu_clock_div
                           : out.ask_value;
        result.data = out.ask_data;
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
    put_operation(ring, more, in);
}

// As the model does when it first tries the operation. That of a register whose value streams in
// is checked with its dword.
void MeCore::check_operation(const OpState& s) const {
    const MicroOp& op = s.op;
    if (op.kind == OpKind::RegWrite && !op.stream)
        check_write(s);
    const bool gds = op.kind == OpKind::GdsRead || op.kind == OpKind::GdsWrite ||
                     op.kind == OpKind::GdsAtomic || uses_gds(op);
    if (gds && !to_gds)
        no_gds(s.program.location());
}

void MeCore::check_write(const OpState& s) const {
    if (register_write_kind(s.program, spec_.user_registers, s.op.offset) ==
        RegisterWriteKind::Event)
        s.program.check_event_write(spec_.registers->events.type_of(s.op.value));
}

void MeCore::put_operation(unsigned ring, bool more, PinIn& in) const {
    const OpState& s = state_.rings[ring].op;
    const MicroOp& op = s.op;
    MePins::Operations& to = in.op;
    to.valid[ring] = 1;
    to.end[ring] = level(!more);
    to.preamble[ring] = level(de_.contexts.preamble);
    if (!more)
        return;
    to.kind[ring] = static_cast<uint8_t>(op.kind);
    to.path[ring] = level(op.path == MemPath::L2);
    to.stream[ring] = level(op.stream);
    to.kernel[ring] = level(op.kernel);
    to.wait[ring] = level(op.wait);
    to.dwords[ring] = op.dwords;
    to.swap[ring] = op.swap;
    to.event_type[ring] = op.kind == OpKind::Eop ? op.eop.event_type : op.event_type;
    to.limit[ring] = static_cast<uint8_t>(op.limit);
    to.buffer[ring] = op.ce.buffer;
    to.gds[ring] = level(uses_gds(op));
    to.offset[ring] = op.offset;
    to.value[ring] = op.value;
    to.cycles[ring] = op.cycles;
    to.operand[ring] = op.operand;
    to.address[ring] = op.address;
    std::copy(op.data.begin(), op.data.end(), to.data.begin() + ring * kMeWords);
    if (op.kind != OpKind::RegWrite)
        return;
    to.privileged[ring] = level(privileged_write(s.program, spec_.user_registers, op.offset));
    to.of_context[ring] = level(spec_.registers->of_context(op.offset));
}

// What was on the pins has been taken; what of it is counted here, too.
void MeCore::drop_answers(Cycle now, const PinIn& in, const PinOut& out) {
    for (Channel<MemResponse>* from : {&hub_response, &l2_response}) {
        if ((from == &hub_response ? in.hub : in.l2).valid == 0)
            continue;
        const uint32_t tag = from->front().tag;
        if (OpEngine::writes(tag))
            --state_.rings[tag % 4].op.writes_in_flight;
        from->drop(now);
    }
    const auto drop = [now](auto& channel, uint8_t valid) {
        if (valid != 0)
            channel.drop(now);
    };
    drop(register_response, level(register_response.can_pop(now)));
    drop(cache_done, in.cache_valid);
    if (in.gds_valid != 0)
        --state_.rings[in.gds_tag % 4].op.gds_in_flight;
    drop(gds_response, in.gds_valid);
    if (in.dma_valid != 0)
        engine_.take(dma_done.front());
    drop(dma_done, in.dma_valid);
    drop(ce_grant, in.grant_valid);
    drop(gds_stored, in.stored_valid);
    drop(event_done, out.pipe_ready);
}

// What ME has done in this cycle, to the channels, counters and logs.
void MeCore::follow(Cycle now, const PinOut& out) {
    for (unsigned r = 0; r < kMeRings; ++r)
        if (out.meq_ready[r] != 0)
            follow_dword(now, r, out);
    follow_contexts(out);
    if (out.hub_valid != 0 || out.l2_valid != 0)
        send_memory(now, out);
    if (out.bus_valid != 0)
        send_register(now, out);
    send_operation(now, out);
    if (out.act_valid != 0)
        follow_act(now, out);
    if (out.act_valid != 0 || out.bus_valid != 0)
        note_context(now);
    follow_rings(now, out);
    pins_->contexts = context_pins(de_.contexts);
}

void MeCore::follow_dword(Cycle now, unsigned ring, const PinOut& out) {
    MeState::Ring& r = state_.rings[ring];
    const MeqEntry& entry = meq[ring].front();
    meq[ring].pop_no_wake(now);
    ++state_.dwords;
    switch (static_cast<MeEvents::Dword>(out.take_kind)) {
        case MeEvents::Dword::Header:
            begin_packet(now, r, entry);
            return;
        case MeEvents::Dword::Collected:
            if (r.have < r.body.size())
                r.body[r.have++] = entry.dword;
            break;
        case MeEvents::Dword::Operand:
            OpEngine::give(r.op, entry.dword);
            if (r.op.op.kind == OpKind::RegWrite)
                check_write(r.op);
            break;
        case MeEvents::Dword::PassedOver:
            break;
    }
    --r.left;
}

// The render contexts that the pins show are the drawing engine's.
void MeCore::follow_contexts(const PinOut& out) {
    Contexts& contexts = de_.contexts;
    if (contexts.closed && out.ctx_closed == 0) {
        contexts.take();
        ++engine_.pipe_counters.context_rolls;
    } else if (!contexts.closed && out.ctx_closed != 0) {
        contexts.close();
    }
}

void MeCore::send_memory(Cycle now, const PinOut& out) {
    OpState& s = state_.rings[out.mem_tag % 4 % kMeRings].op;
    MemRequest request = engine_.ring_request(s);
    request.command = static_cast<MemCommand>(out.mem_command);
    request.vmid = out.mem_vmid;
    request.tag = out.mem_tag;
    request.line = out.mem_line * kLineBytes;
    request.byte_mask = out.mem_mask;
    std::memcpy(request.data.data(), out.mem_data.data(), kLineBytes);
    switch (request.command) {
        case MemCommand::Read:
            ++engine_.counters.mem_reads;
            break;
        case MemCommand::Write:
            engine_.note_write(request.tag, s);
            ++s.writes_in_flight;
            ++engine_.counters.mem_writes;
            engine_.counters.mem_bytes_written += 4u * s.op.dwords;
            break;
        case MemCommand::Atomic:
            request.atomic = s.op.atomic;
            request.atomic_bytes = static_cast<uint8_t>(4 * s.op.dwords);
            request.compare = s.op.compare;
            ++engine_.counters.atomics;
            break;
    }
    (out.hub_valid != 0 ? to_hub : to_l2)->push(now, request);
}

void MeCore::send_register(Cycle now, const PinOut& out) {
    const unsigned ring = out.bus_ring % kMeRings;
    RegRequest request;
    request.offset = out.bus_offset;
    request.value = out.bus_value;
    request.write = out.bus_write != 0;
    request.source = kRegFromCp;
    request.ring = out.bus_ring;
    request.tag = out.bus_ring;
    request.context = out.bus_context;
    request.vmid = out.bus_vmid;
    OpState& s = state_.rings[ring].op;
    const bool event = request.write && request.offset == spec_.registers->event_initiator;
    const bool own =
        out.act_valid != 0 && !event && out.act_kind <= static_cast<uint8_t>(OpKind::RegRead);
    if (event) {
        const size_t last = (s.events_head + s.events_count++) % s.events.size();
        s.events[last] = {static_cast<uint8_t>(out.bus_value), EventPurpose::Discard, 0};
        ++engine_.pipe_counters.events;
    }
    if (own) {
        check_known(s.program, spec_.known_registers, request.write ? "writes" : "reads",
                    request.offset);
        if (request.write)
            request.place = s.program.place_of_work(request.offset);
    }
    to_bus->push(now, request);
    ++(request.write ? engine_.counters.reg_writes : engine_.counters.reg_reads);
    if (own && request.write)
        de_.contexts.wrote(request.offset, request.value);
}

// What goes out as the program has made it up.
void MeCore::send_operation(Cycle now, const PinOut& out) {
    OpState& s = state_.rings[out.act_ring % kMeRings].op;
    if (out.cache_valid != 0) {
        s.op.action.tag = out.act_ring;
        to_coherency->push(now, s.op.action);
        ++engine_.pipe_counters.cache_actions;
    }
    if (out.dma_valid != 0) {
        s.op.dma.pfp = false;
        to_dma->push(now, s.op.dma);
        ++s.dma_in_flight;
        ++s.dma_unwritten;
    }
    if (out.eop_valid != 0) {
        s.op.eop.flow = engine_.flow;
        to_eop->push(now, s.op.eop);
    }
    if (out.ce_valid != 0)
        to_ce->push(now, s.op.ce);
    if (out.gds_valid != 0) {
        GdsRequest request = engine_.gds_request(s);
        request.tag = out.gds_tag;
        to_gds->push(now, request);
        ++s.gds_in_flight;
        ++engine_.pipe_counters.gds_requests;
    }
}

void MeCore::follow_act(Cycle now, const PinOut& out) {
    MeState::Ring& r = state_.rings[out.act_ring % kMeRings];
    const MicroOp& op = r.op.op;
    const Location& location = r.location;
    r.op.has_op = false;
    switch (static_cast<OpKind>(out.act_kind)) {
        case OpKind::RegWrite:
            if (out.event_privilege != 0)
                to_privilege->send(now, {location, r.info->name, op.offset, op.value});
            if (logs_registers(*r.info) && logs_packets(observers_))
                log_register(observers_, path_, now, spec_, r.op.program, op);
            break;
        case OpKind::Delay:
            ++engine_.counters.polls;
            wake_at(now + op.cycles);
            if (out.event_timeout != 0 && to_timeout)
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

void MeCore::follow_rings(Cycle now, const PinOut& out) {
    for (unsigned i = 0; i < kMeRings; ++i) {
        MeState::Ring& r = state_.rings[i];
        const auto phase = static_cast<MePhase>(out.phase[i]);
        if (phase == MePhase::Microcode && r.phase != phase)
            wake_at(now + spec_.me_packet_cycles);
        r.op.wait = static_cast<StallReason>(out.wait[i]);
        r.op.no_context = out.no_context[i] != 0;
        if (out.done_valid != 0 && out.done_ring == i)
            finish(now, r);
        r.phase = phase;
    }
}

}  // namespace archipelago::cp
