// SPDX-License-Identifier: Apache-2.0
// The micro engine's model at its pins.
#include <algorithm>

#include "models/common/error.h"
#include "models/cp/me_core.h"
#include "models/cp/me_pins.h"
#include "models/cp/me_ports.h"

namespace archipelago::cp {

using namespace me_ports;

namespace {

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
    const size_t messages =
        ce_.size() - (kMaxCeMessages - std::min<size_t>(in.ce_room, kMaxCeMessages));
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
