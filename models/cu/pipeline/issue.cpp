// SPDX-License-Identifier: Apache-2.0
// Issue: the SIMD whose turn it is starts up to Spec::issue_width instructions, each of another
// class and another wave, the oldest wave of the highest priority first. issue_arbiter.h
// selects them.
#include <fmt/core.h>

#include <algorithm>

#include "models/common/error.h"
#include "models/common/text.h"
#include "models/cu/isa/special.h"
#include "models/cu/pipeline/cu_core.h"
#include "models/cu/pipeline/issue_arbiter.h"
#include "models/cu/pipeline/wave_stop.h"

namespace archipelago::cu {

// The inputs of arbitrate(), read straight from the state.
struct CuCore::IssueView {
    const CuCore& cu;
    const Simd& simd;
    const std::array<Wave, kMaxSlots>& waves;
    Cycle now;

    static uint64_t until(Cycle at, Cycle now) { return at > now ? at - now : 0; }
    const Decoded& next(unsigned slot) const { return *waves[slot].next; }

    uint16_t ready() const { return simd.ready & static_cast<uint16_t>(~simd.vmem_blocked); }
    unsigned order(unsigned i) const { return simd.order[i]; }
    unsigned width() const { return cu.spec_.issue_width; }
    unsigned turn() const { return cu.spec_.simds; }
    isa::Class cls(unsigned slot) const { return static_cast<isa::Class>(simd.cls[slot]); }
    [[gnu::always_inline]] uint64_t wait(unsigned slot) const {
        const uint64_t running = until(simd.ready_at[slot], now);
        // Rare enough to look again at every turn.
        if (running == 0 && simd.cls[slot] == static_cast<unsigned>(isa::Class::Internal) &&
            next(slot).action == Action::InvalidateInst && cu.to_inst_action &&
            !cu.to_inst_action->can_push(now))
            return turn();
        return running;
    }
    // What needs a unit that is not attached counts on nothing: it stops the machine.
    bool needs_vm(unsigned slot) const { return cls(slot) == isa::Class::Vmem; }
    bool needs_exp(unsigned slot) const {
        switch (cls(slot)) {
            case isa::Class::Vmem:
                return true;
            case isa::Class::Gds:
                return static_cast<bool>(cu.to_gds);
            case isa::Class::Export:
                return static_cast<bool>(cu.to_export);
            default:
                return false;
        }
    }
    bool needs_lgkm(unsigned slot) const {
        switch (cls(slot)) {
            case isa::Class::Smem:
            case isa::Class::Message:
                return true;
            case isa::Class::Lds:
                return next(slot).action != Action::Interpolate;
            case isa::Class::Gds:
                return static_cast<bool>(cu.to_gds);
            default:
                return false;
        }
    }
    bool drains(unsigned slot) const { return next(slot).drains && waves[slot].regs.trap_en; }
    // Of its class, but for messages.
    unsigned unit(unsigned slot) const {
        if (cls(slot) != isa::Class::Message)
            return static_cast<unsigned>(cls(slot));
        if (next(slot).action != Action::Message)
            return kNoUnit;
        ShaderMessage message;
        if (isa::shader_message(next(slot).inst, waves[slot].regs, message) != nullptr ||
            message.kind == ShaderMessage::Kind::None)
            return kNoUnit;
        return message.kind == ShaderMessage::Kind::Interrupt
                   ? static_cast<unsigned>(isa::Class::Message)
                   : kGraphicsUnit;
    }
    // Cycles until a unit takes an instruction.
    uint64_t unit_wait(unsigned unit) const {
        const State& s = cu.state_;
        // A channel that is full is rare enough to look again at every turn.
        const auto path = [&](const auto& out, bool busy) -> uint64_t {
            return out && (busy || !out->can_push(now)) ? turn() : 0;
        };
        // One port has the messages of both links: it has room when both have.
        const auto message_port = [&] {
            return std::max(path(cu.to_interrupts, false), path(cu.to_graphics, false));
        };
        if (unit == kGraphicsUnit)
            return message_port();
        switch (static_cast<isa::Class>(unit)) {
            case isa::Class::Valu:
                return until(simd.valu_free, now);
            // The queues have a bound for each SIMD, not one for all: else those whose turn comes
            // when a place gets free would always win.
            case isa::Class::Smem:
                return s.smem_free == 0 || simd.smem_waiting >= cu.spec_.smem_queue ? kNoRetry : 0;
            case isa::Class::Vmem:
                return s.vmem_free == 0 || simd.ta_waiting >= cu.spec_.vmem_queue ? kNoRetry : 0;
            case isa::Class::Lds:
                return until(simd.lds_ends[simd.lds_next], now);
            case isa::Class::Gds:
                return path(cu.to_gds, s.export_free > now || s.gds_free == 0);
            case isa::Class::Export:
                return path(cu.to_export, s.export_free > now);
            case isa::Class::Message:
                return message_port();
            default:
                return 0;
        }
    }
    bool reads_scalars(unsigned slot) const {
        return cls(slot) == isa::Class::Salu || cls(slot) == isa::Class::Branch;
    }
    [[gnu::always_inline]] IssueCheck check(unsigned slot) const {
        switch (const isa::Class c = cls(slot); c) {
            case isa::Class::Valu:
                return unit_check(until(simd.valu_free, now));
            case isa::Class::Salu:
            case isa::Class::Branch: {
                const Wave& wave = waves[slot];
                if (wave.hazard_until <= now)
                    return {};
                const Decoded& d = next(slot);
                if ((d.sgprs[0] & wave.hazard_sgprs[0]) == 0 &&
                    (d.sgprs[1] & wave.hazard_sgprs[1]) == 0)
                    return {};
                return {IssueReason::Hazard, wave.hazard_until - now};
            }
            case isa::Class::Vmem:
                if (waves[slot].vm_count >= cu.spec_.vm_max)
                    return {IssueReason::HoldVm, kNoRetry};
                if (waves[slot].exp_count >= cu.spec_.exp_max)
                    return {IssueReason::HoldExp, kNoRetry};
                return unit_check(unit_wait(static_cast<unsigned>(c)));
            case isa::Class::Smem:
            case isa::Class::Lds:
                if (waves[slot].lgkm_count >= cu.spec_.lgkm_max && needs_lgkm(slot))
                    return {IssueReason::HoldLgkm, kNoRetry};
                return unit_check(unit_wait(static_cast<unsigned>(c)));
            case isa::Class::Gds:
            case isa::Class::Export:
            case isa::Class::Message:
                if (needs_lgkm(slot) && waves[slot].lgkm_count >= cu.spec_.lgkm_max)
                    return {IssueReason::HoldLgkm, kNoRetry};
                if (needs_exp(slot) && waves[slot].exp_count >= cu.spec_.exp_max)
                    return {IssueReason::HoldExp, kNoRetry};
                return unit_check(unit_wait(unit(slot)));
            case isa::Class::Internal: {
                if (!drains(slot))
                    return {};
                const Wave& wave = waves[slot];
                const IssueReason held =
                    wait_reason({wave.vm_count, wave.exp_count, wave.lgkm_count}, {});
                return {held != IssueReason::None ? held : IssueReason::Granted, kNoRetry};
            }
            default:
                return {};
        }
    }
};

bool CuCore::issue(unsigned simd_index, Cycle now) {
    Simd& simd = state_.simds[simd_index];
    simd.try_issue = kNever;
    if (simd.ready == 0)
        return false;
    const IssueView view{*this, simd, state_.waves[simd_index], now};
    // Waves that found the vector memory queue full are left out of the arbitration until it has
    // room, unless the others use up the issue width.
    if (simd.vmem_blocked != 0) {
        if (view.unit_wait(static_cast<unsigned>(isa::Class::Vmem)) == 0)
            simd.vmem_blocked = 0;
        else
            state_.vmem_blocked |= static_cast<uint8_t>(1u << simd_index);
        if (view.ready() == 0)
            return false;
    }
    IssueDecision decision = units_.issue(view, [&] { return issue_query(view); });
    if (simd.vmem_blocked != 0 && decision.width_used) {
        simd.vmem_blocked = 0;
        decision = arbitrate(view);
    }
    if (decision.retry != kNoRetry)
        try_issue_from(simd_index, now + decision.retry);
    if (decision.full != 0) {
        const auto full = [&](isa::Class cls) {
            return (decision.full >> static_cast<unsigned>(cls) & 1) != 0;
        };
        const auto bit = static_cast<uint8_t>(1u << simd_index);
        state_.smem_blocked |= full(isa::Class::Smem) ? bit : 0;
        state_.vmem_blocked |= full(isa::Class::Vmem) ? bit : 0;
    }
    for (unsigned i = 0; i < decision.due_count; ++i) {
        const unsigned slot = decision.due[i];
        const IssueReason reason = decision.reason[slot];
        if (reason == IssueReason::Granted)
            issue_one(simd_index, slot, now);
        else if (reason == IssueReason::Arbitration)
            simd.blocked[slot] = WaveReason::Arbitration;
        else
            refuse(simd_index, slot, now, reason);
    }
    if (decision.granted == 0)
        return false;
    ++state_.counters.issue_cycles;
    return true;
}

// The same as pins carry it.
rtl::CuIssuePins::Query CuCore::issue_query(const IssueView& view) const {
    // Times are saturated below the code of "until an event".
    const auto time = [](uint64_t cycles) {
        return cycles == kNoRetry ? rtl::CuIssuePins::kNoTime
                                  : static_cast<uint16_t>(
                                        std::min<uint64_t>(cycles, rtl::CuIssuePins::kNoTime - 1u));
    };
    const auto byte = [](unsigned x) { return static_cast<uint8_t>(std::min(x, 255u)); };
    rtl::CuIssuePins::Query q;
    q.width = static_cast<uint8_t>(std::min(view.width(), 15u));
    q.turn = static_cast<uint8_t>(view.turn());
    q.slots = view.simd.ready_slots();
    q.max_vm = byte(spec_.vm_max);
    q.max_exp = byte(spec_.exp_max);
    q.max_lgkm = byte(spec_.lgkm_max);

    for (unsigned slot = 0; slot < kMaxSlots; ++slot) {
        const Wave& wave = view.waves[slot];
        const auto bit = static_cast<uint16_t>(1u << slot);
        q.order[slot] = view.simd.order[slot];
        q.vm[slot] = wave.vm_count;
        q.exp[slot] = wave.exp_count;
        q.lgkm[slot] = wave.lgkm_count;
        if (wave.status == WaveStatus::Waiting && wave.next->action == Action::Wait) {
            q.waiting |= bit;
            q.limit_vm[slot] = wave.next->wait_vm;
            q.limit_exp[slot] = wave.next->wait_exp;
            q.limit_lgkm[slot] = wave.next->wait_lgkm;
        }
        if ((q.slots & bit) == 0)
            continue;
        q.cls[slot] = view.simd.cls[slot];
        q.unit[slot] = static_cast<uint8_t>(view.unit(slot));
        q.unit_wait[q.unit[slot]] = time(view.unit_wait(q.unit[slot]));
        q.wait[slot] = time(view.wait(slot));
        q.drains |= view.drains(slot) ? bit : 0;
        q.needs_vm |= view.needs_vm(slot) ? bit : 0;
        q.needs_exp |= view.needs_exp(slot) ? bit : 0;
        q.needs_lgkm |= view.needs_lgkm(slot) ? bit : 0;
        q.hazard_wait[slot] = time(IssueView::until(wave.hazard_until, view.now));
        for (unsigned k = 0; k < 2; ++k) {
            q.reads[2 * slot + k] = view.reads_scalars(slot) ? wave.next->sgprs[k] : 0;
            q.pending[2 * slot + k] = wave.hazard_sgprs[k];
        }
    }
    return q;
}

// The wave's instruction stays where it is.
void CuCore::refuse(unsigned simd_index, unsigned slot, Cycle now, IssueReason why) {
    Simd& simd = state_.simds[simd_index];
    WaveReason& blocked = simd.blocked[slot];
    switch (why) {
        case IssueReason::UnitLater:
        case IssueReason::UnitFull:
            switch (static_cast<isa::Class>(simd.cls[slot])) {
                case isa::Class::Smem:
                    blocked = WaveReason::SmemFull;
                    break;
                case isa::Class::Vmem:
                    blocked = WaveReason::VmemFull;
                    if (!units_.shows_all_ready())
                        simd.vmem_blocked |= static_cast<uint16_t>(1u << simd.place[slot]);
                    break;
                case isa::Class::Lds:
                    blocked = WaveReason::LdsFull;
                    break;
                case isa::Class::Gds:
                case isa::Class::Export:
                case isa::Class::Message:
                    blocked = WaveReason::ExportFull;
                    break;
                default:
                    blocked = WaveReason::ValuBusy;
                    break;
            }
            break;
        case IssueReason::Hazard:
            blocked = WaveReason::Dependency;
            break;
        case IssueReason::HoldVm:
            hold(simd_index, slot, now, WaveReason::WaitVm);
            break;
        case IssueReason::HoldExp:
            hold(simd_index, slot, now, WaveReason::WaitExp);
            break;
        case IssueReason::HoldLgkm:
            hold(simd_index, slot, now, WaveReason::WaitLgkm);
            break;
        case IssueReason::None:
        case IssueReason::Granted:
        case IssueReason::NotDue:
        case IssueReason::Arbitration:
            break;
    }
}

// The wave's next instruction, which it can execute. Inline: once per instruction.
[[gnu::always_inline]] inline void CuCore::execute(unsigned simd, unsigned slot, Cycle now) {
    const Decoded& d = *state_.waves[simd][slot].next;
    switch (d.action) {
        case Action::Valu:
        case Action::LdsDirect:
        case Action::Scalar:
        case Action::Branch:
            issue_alu(simd, slot, now);
            break;
        case Action::ScalarMem:
            issue_scalar_mem(simd, slot, now);
            break;
        case Action::VectorMem:
            issue_vector_mem(simd, slot, now);
            break;
        case Action::Lds:
            issue_lds(simd, slot, now);
            break;
        case Action::Interpolate:
            issue_interpolation(simd, slot, now);
            break;
        case Action::Gds:
            issue_gds(simd, slot, now);
            break;
        case Action::Export:
            issue_export(simd, slot, now);
            break;
        case Action::Message:
            issue_message(simd, slot, now);
            break;
        case Action::Control:
            issue_control(simd, slot, now);
            break;
        case Action::Illegal:
        case Action::Unimplemented:
            stop_unexecutable(simd, slot, d);
        default:
            issue_internal(simd, slot, now);
            break;
    }
}

// The wave moves on.
void CuCore::issue_one(unsigned simd, unsigned slot, Cycle now) {
    const Wave& wave = state_.waves[simd][slot];
    const Decoded& d = *wave.next;
    if ((state_.simds[simd].stops >> slot & 1) != 0)
        stop_unexecutable(simd, slot, d);
    if (wave.executed >= instruction_limit_)
        stop_endless(place(simd, slot, wave.regs.pc, nullptr), wave.executed);
    if (retire_ != nullptr)
        issue_recorded(simd, slot, now);
    else
        execute(simd, slot, now);
}

void CuCore::issue_recorded(unsigned simd, unsigned slot, Cycle now) {
    Wave& wave = state_.waves[simd][slot];
    const Decoded& d = *wave.next;
    const uint64_t smem = state_.smem_free;
    const uint64_t vmem = state_.vmem_free;
    const uint64_t gds = state_.gds_free;
    retire_->begin(retire_number(simd, slot), d, wave.regs, wave.regs.pc, now, state_.lds.data());
    execute(simd, slot, now);
    RetireRecorder::Operation outstanding = RetireRecorder::kNow;
    if (d.action == Action::ScalarMem) {
        const auto index = static_cast<unsigned>(__builtin_ctzll(smem & ~state_.smem_free));
        outstanding = RetireRecorder::scalar_operation(index);
    } else if (d.action == Action::VectorMem) {
        const auto index = static_cast<unsigned>(__builtin_ctzll(vmem & ~state_.vmem_free));
        const isa::VectorMemOp& op = state_.vmem_ops[index].op;
        retire_->sends(op);
        if (op.kind == isa::VectorMemOp::Kind::Load || op.returns)
            outstanding = RetireRecorder::vector_operation(index);
    } else if (d.action == Action::Gds) {
        const auto index = static_cast<unsigned>(__builtin_ctzll(gds & ~state_.gds_free));
        outstanding = RetireRecorder::gds_operation(index);
    }
    retire_->issued(wave.regs, outstanding);
}

unsigned CuCore::issue_cycles(const Decoded& d) const {
    switch (d.action) {
        case Action::Valu:
        case Action::LdsDirect:
            return spec_.rate_cycles[static_cast<unsigned>(d.inst.rate)];
        case Action::Scalar:
        case Action::Control:
            return d.inst.rate == isa::Rate::ScalarLong ? spec_.salu_long_cycles
                                                        : spec_.salu_cycles;
        case Action::Branch:
            return spec_.branch_not_taken_cycles;
        case Action::Lds:
            return spec_.lds_issue_factor * lds_cycles(d);
        case Action::VectorMem:
            switch (d.vmem_cost) {
                case VmemCost::Load:
                    return spec_.load_issue_cycles;
                case VmemCost::WideLoad:
                    return spec_.load_wide_issue_cycles;
                case VmemCost::Store:
                    return spec_.store_issue_cycles;
                case VmemCost::Atomic:
                    return spec_.atomic_issue_cycles;
                case VmemCost::CompareSwap:
                    return spec_.cmpswap_issue_cycles;
            }
            break;
        case Action::Gds:
        case Action::Export:
            return spec_.export_issue_cycles;
        default:
            break;
    }
    return spec_.internal_cycles;
}

// Accounts for the instruction and its wave's time; the program counter moves to the next one.
void CuCore::proceed(unsigned simd_index, unsigned slot, Cycle now, unsigned cycles) {
    Wave& wave = state_.waves[simd_index][slot];
    Simd& simd = state_.simds[simd_index];
    const Decoded& d = *wave.next;
    Cycle& ready_at = simd.ready_at[slot];
    WaveWork& work = work_of(wave);
    account_run(wave, work, ready_at);
    account(wave, work, now, simd.blocked[slot]);
    wave.running = issue_reason(d.inst.cls);
    wave.after_long_pair = d.dwords == 2 && cycles >= kFetchDwords / 2 * spec_.simds;
    ready_at = now + cycles;
    ++state_.counters.work.instructions[static_cast<unsigned>(d.inst.cls)];
    ++work.instructions[static_cast<unsigned>(d.inst.cls)];
    if (ledger_->profiling()) {
        wave.issued_pc = wave.regs.pc;
        PcWork& instruction = ledger_->at({wave.launch.pc, wave.regs.pc});
        instruction.decoded = &d;
        ++instruction.issues;
    }
    if (observers_.log != nullptr && observers_.log->enabled(LogCategory::Isa))
        log_instruction(simd_index, slot, now, d);
    ++wave.executed;
    wave.regs.pc += 4u * d.dwords;
}

void CuCore::issue_alu(unsigned simd_index, unsigned slot, Cycle now) {
    Wave& wave = state_.waves[simd_index][slot];
    Simd& simd = state_.simds[simd_index];
    const Decoded& d = *wave.next;
    const uint64_t from = wave.regs.pc;
    if (d.action == Action::Valu || d.action == Action::LdsDirect) {
        const unsigned cycles = issue_cycles(d);
        proceed(simd_index, slot, now, cycles);
        const unsigned lanes = active_lanes(wave.regs);
        state_.counters.work.valu_lanes += lanes;
        WaveWork& work = work_of(wave);
        work.valu_lanes += lanes;
        work.flops[d.f64 ? 1 : 0] += uint64_t{d.flops} * lanes;
        state_.counters.valu_busy_cycles += cycles;
        if (d.action == Action::LdsDirect)
            isa::execute_lds_direct(d.inst, wave.regs, state_.lds.data(), spec_.lds_bytes);
        else
            units_.vector(d.inst, wave.regs);
        simd.valu_free = now + cycles;
        if ((d.sgprs[0] | d.sgprs[1]) != 0) {
            const unsigned stall =
                d.compares ? spec_.compare_to_salu_stall : spec_.valu_to_salu_stall;
            if (stall != 0) {
                const bool pending = wave.hazard_until > now;
                wave.hazard_sgprs[0] = d.sgprs[0] | (pending ? wave.hazard_sgprs[0] : 0);
                wave.hazard_sgprs[1] = d.sgprs[1] | (pending ? wave.hazard_sgprs[1] : 0);
                wave.hazard_until = now + cycles + stall;
            }
        }
        change_status(wave, d, now, now + cycles);
        advance(simd_index, slot, from);
        prepare(simd_index, slot);
        return;
    }
    const bool branch = d.action == Action::Branch;
    proceed(simd_index, slot, now, issue_cycles(d));
    const uint64_t next = wave.regs.pc;
    units_.scalar(d.inst, wave.regs);
    change_status(wave, d, now, simd.ready_at[slot]);
    if (branch)
        finish_branch(simd_index, slot, now, from, next);
    else
        advance(simd_index, slot, from);
    prepare(simd_index, slot);
}

void CuCore::finish_branch(unsigned simd_index, unsigned slot, Cycle now, uint64_t from,
                           uint64_t next) {
    Wave& wave = state_.waves[simd_index][slot];
    Simd& simd = state_.simds[simd_index];
    const uint64_t target = wave.regs.pc;
    if (target != next || isa::takes_branch(wave.next->inst, wave.regs)) {
        if (target % 4 != 0)
            stop(StopKind::BadInput, simd_index, slot, from, wave.next,
                 "jump to an address that is not a multiple of 4");
        state_.counters.work.branches_taken += target != next ? 1 : 0;
        Cycle& ready_at = simd.ready_at[slot];
        ready_at = now + spec_.branch_taken_cycles;
        delay(wave, ready_at, ready_at + jump_penalty(simd_index, slot, from),
              WaveReason::FetchLate);
        jump(simd_index, slot);
        return;
    }
    const auto dword = static_cast<unsigned>(from / 4 % kFetchDwords);
    if (simd.waves == 1 && dword > spec_.fetch_free_dwords)
        delay(
            wave, simd.ready_at[slot],
            simd.ready_at[slot] + spec_.fetch_not_taken_penalty * (dword - spec_.fetch_free_dwords),
            WaveReason::FetchLate);
    advance(simd_index, slot, from);
}

// Issues an instruction at which the wave stays until something wakes it.
[[gnu::always_inline]] inline void CuCore::stay(unsigned simd, unsigned slot, Cycle now,
                                                WaveStatus status) {
    Wave& wave = state_.waves[simd][slot];
    const uint64_t from = wave.regs.pc;
    proceed(simd, slot, now, spec_.internal_cycles);
    wave.regs.pc = from;
    wave.status = status;
    state_.simds[simd].clear_ready(slot);
}

// False: the wave is the last of its group, and goes on.
[[gnu::always_inline]] inline bool CuCore::wait_at_barrier(unsigned simd, unsigned slot,
                                                           Cycle now) {
    ++state_.counters.work.barriers;
    Group& group = state_.groups[state_.waves[simd][slot].launch.group_slot];
    if (group.waves <= 1) {
        proceed(simd, slot, now, spec_.internal_cycles);
        return false;
    }
    stay(simd, slot, now, WaveStatus::AtBarrier);
    ++group.arrived;
    check_barrier(group, now);
    return true;
}

void CuCore::invalidate_instructions(unsigned simd, unsigned slot, Cycle now) {
    const Wave& wave = state_.waves[simd][slot];
    if (!to_inst_action)
        stop(StopKind::Unimplemented, simd, slot, wave.regs.pc, wave.next,
             "no instruction cache is attached that could be invalidated");
    CacheAction action;
    action.invalidate_inst = true;
    to_inst_action->push(now, action);
    proceed(simd, slot, now, spec_.internal_cycles);
    jump(simd, slot);
    prepare(simd, slot);
}

void CuCore::issue_internal(unsigned simd_index, unsigned slot, Cycle now) {
    Wave& wave = state_.waves[simd_index][slot];
    Simd& simd = state_.simds[simd_index];
    const Decoded& d = *wave.next;
    const uint64_t from = wave.regs.pc;
    const auto k = static_cast<uint32_t>(d.inst.simm16);
    switch (d.action) {
        case Action::Nop:
            proceed(simd_index, slot, now, spec_.nop_cycles * ((k & 7) + 1));
            break;
        case Action::Sleep:
            proceed(simd_index, slot, now,
                    std::max(spec_.internal_cycles, spec_.sleep_unit_cycles * (k & 7)));
            wave.running = WaveReason::Sleep;
            break;
        case Action::Mark: {
            proceed(simd_index, slot, now, spec_.internal_cycles);
            const uint64_t level = count_mark(d.inst, state_.counters.work);
            if (observers_.trace != nullptr)
                trace_mark(simd_index, slot, d.inst, level, now);
            break;
        }
        case Action::SetPriority:
            proceed(simd_index, slot, now, spec_.internal_cycles);
            wave.regs.priority = k & 3;
            sort_waves(simd, simd_index);
            break;
        case Action::Wait:  // until the counters are low enough
            stay(simd_index, slot, now, WaveStatus::Waiting);
            return counter_changed(simd_index, slot, now);
        case Action::Barrier:
            if (wait_at_barrier(simd_index, slot, now))
                return;
            break;
        case Action::End:
            stay(simd_index, slot, now, WaveStatus::Ending);
            simd.wants_fetch &= static_cast<uint16_t>(~(1u << slot));
            return counter_changed(simd_index, slot, now);
        case Action::InvalidateInst:
            return invalidate_instructions(simd_index, slot, now);
        default:
            proceed(simd_index, slot, now, spec_.internal_cycles);
            break;
    }
    advance(simd_index, slot, from);
    prepare(simd_index, slot);
}

// The wave waits until one of its counters goes down.
void CuCore::hold(unsigned simd_index, unsigned slot, Cycle now, WaveReason why) {
    Wave& wave = state_.waves[simd_index][slot];
    Simd& simd = state_.simds[simd_index];
    account_run(wave, work_of(wave), simd.ready_at[slot]);
    account(wave, now, simd.blocked[slot]);
    wave.running = WaveReason::IssueInternal;
    wave.status = WaveStatus::Waiting;
    wave.waits_for = why;
    simd.clear_ready(slot);
}

void CuCore::stop_unexecutable(unsigned simd, unsigned slot, const Decoded& d) const {
    const Wave& wave = state_.waves[simd][slot];
    const uint64_t pc = wave.regs.pc;
    try {
        stop_for(d, wave.regs, place(simd, slot, pc, &d));
    } catch (const MachineStop& stop) {
        throw WaveStop(stop, {simd, slot, pc, words_of(d)});
    }
}

void CuCore::log_instruction(unsigned simd, unsigned slot, Cycle now, const Decoded& d) const {
    const uint64_t pc = state_.waves[simd][slot].regs.pc;
    observers_.log->line(
        LogCategory::Isa, now, identity_.name,
        fmt::format("simd{} slot{} ", simd, slot) + hex(pc) + ": " + isa::disassemble(d.inst, pc));
}

}  // namespace archipelago::cu
