// SPDX-License-Identifier: Apache-2.0
// Issue: the SIMD whose turn it is starts up to Spec::issue_width instructions, each of another
// class and another wave, the oldest wave of the highest priority first.
#include <algorithm>
#include <cstdio>

#include "models/common/error.h"
#include "models/cu/isa/special.h"
#include "models/cu/pipeline/cu_core.h"

namespace archipelago::cu {

bool CuCore::issue(unsigned simd_index, Cycle now) {
    Simd& simd = state_.simds[simd_index];
    simd.try_issue = kNever;
    uint16_t left = simd.ready;
    if (left == 0)
        return false;
    constexpr auto kInternal = static_cast<unsigned>(isa::Class::Internal);
    constexpr auto kValu = static_cast<unsigned>(isa::Class::Valu);
    // Instructions may end waves or change priorities: walk over a copy of the order.
    const auto order = simd.order;
    unsigned taken = 0;
    unsigned issued = 0;
    bool any = false;
    for (unsigned i = 0; left != 0; ++i) {
        const unsigned slot = order[i];
        const auto bit = static_cast<uint16_t>(1u << slot);
        if ((left & bit) == 0)
            continue;
        left &= static_cast<uint16_t>(~bit);
        const Cycle ready_at = simd.ready_at[slot];
        if (ready_at > now) {
            try_issue_from(simd_index, ready_at);
            continue;
        }
        const unsigned cls = simd.cls[slot];
        if ((taken >> cls & 1) != 0 || (cls != kInternal && issued == spec_.issue_width)) {
            simd.blocked[slot] = WaveTime::Arbitration;
            try_issue_from(simd_index, now + spec_.simds);
            continue;
        }
        if ((simd.stops & bit) != 0)
            stop_unexecutable(simd_index, slot, *state_.waves[simd_index][slot].next);
        if (cls == kValu && simd.valu_free > now) {
            simd.blocked[slot] = WaveTime::ValuBusy;
            try_issue_from(simd_index, simd.valu_free);
            continue;
        }
        Cycle later = kNever;
        const Verdict verdict = issue_one(simd_index, slot, now, later);
        if (verdict == Verdict::Issued) {
            any = true;
            taken |= 1u << cls;
            issued += cls != kInternal ? 1 : 0;
        } else if (verdict == Verdict::Later) {
            try_issue_from(simd_index, later);
        }
    }
    if (any)
        ++state_.counters.issue_cycles;
    return any;
}

// Issued: the wave has moved on. Later: not before `later`. Blocked: something has to happen first.
CuCore::Verdict CuCore::issue_one(unsigned simd, unsigned slot, Cycle now, Cycle& later) {
    const Wave& wave = state_.waves[simd][slot];
    const Decoded& d = *wave.next;
    switch (d.action) {
        case Action::Valu:
        case Action::LdsDirect:
        case Action::Scalar:
        case Action::Branch:
            return issue_alu(simd, slot, now, later);
        case Action::ScalarMem:
            return issue_scalar_mem(simd, slot, now);
        case Action::VectorMem:
            return issue_vector_mem(simd, slot, now);
        case Action::Lds:
            return issue_lds(simd, slot, now, later);
        case Action::Interpolate:
        case Action::Gds:
        case Action::Export:
        case Action::Message:
        case Action::Control:
            return issue_special(simd, slot, now, later);
        case Action::Illegal:
        case Action::Unimplemented:
            stop_unexecutable(simd, slot, d);
        default:
            return issue_internal(simd, slot, now);
    }
}

// Accounts for the instruction and its wave's time; the program counter moves to the next one.
void CuCore::proceed(unsigned simd_index, unsigned slot, Cycle now, unsigned cycles) {
    Wave& wave = state_.waves[simd_index][slot];
    Simd& simd = state_.simds[simd_index];
    const Decoded& d = *wave.next;
    Cycle& ready_at = simd.ready_at[slot];
    account(wave, ready_at, wave.slept ? WaveTime::Sleep : WaveTime::Issue);
    account(wave, now, simd.blocked[slot]);
    wave.slept = false;
    ready_at = now + cycles;
    ++state_.counters.work.instructions[static_cast<unsigned>(d.inst.cls)];
    if (observers_.log != nullptr && observers_.log->enabled(LogCategory::Isa))
        log_instruction(simd_index, slot, now, d);
    wave.regs.pc += 4u * d.dwords;
}

CuCore::Verdict CuCore::issue_alu(unsigned simd_index, unsigned slot, Cycle now, Cycle& later) {
    Wave& wave = state_.waves[simd_index][slot];
    Simd& simd = state_.simds[simd_index];
    const Decoded& d = *wave.next;
    const uint64_t from = wave.regs.pc;
    if (d.action == Action::Valu || d.action == Action::LdsDirect) {
        const unsigned cycles = spec_.rate_cycles[static_cast<unsigned>(d.inst.rate)];
        proceed(simd_index, slot, now, cycles);
        state_.counters.work.valu_lanes +=
            static_cast<unsigned>(__builtin_popcountll(wave.regs.exec()));
        state_.counters.valu_busy_cycles += cycles;
        if (d.action == Action::LdsDirect)
            isa::execute_lds_direct(d.inst, wave.regs, state_.lds.data(), spec_.lds_bytes);
        else if (valu_ == nullptr || !valu_->execute(d.inst, wave.regs))
            d.inst.exec(d.inst, wave.regs);
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
        advance(simd_index, slot, from);
        prepare(simd_index, slot);
        return Verdict::Issued;
    }
    if (wave.hazard_until > now &&
        ((d.sgprs[0] & wave.hazard_sgprs[0]) != 0 || (d.sgprs[1] & wave.hazard_sgprs[1]) != 0)) {
        simd.blocked[slot] = WaveTime::Issue;
        later = wave.hazard_until;
        return Verdict::Later;
    }
    const bool branch = d.action == Action::Branch;
    proceed(simd_index, slot, now, branch ? spec_.branch_not_taken_cycles : spec_.salu_cycles);
    const uint64_t next = wave.regs.pc;
    d.inst.exec(d.inst, wave.regs);
    if (branch && wave.regs.pc != next) {
        if (wave.regs.pc % 4 != 0)
            stop(StopKind::BadInput, simd_index, slot, from, &d,
                 "jump to an address that is not a multiple of 4");
        ++state_.counters.work.branches_taken;
        simd.ready_at[slot] = now + spec_.branch_taken_cycles;
        jump(simd_index, slot);
    } else {
        const auto dword = static_cast<unsigned>(from / 4 % kFetchDwords);
        if (branch && simd.waves == 1 && dword > spec_.fetch_free_dwords)
            simd.ready_at[slot] +=
                spec_.fetch_not_taken_penalty * (dword - spec_.fetch_free_dwords);
        advance(simd_index, slot, from);
    }
    prepare(simd_index, slot);
    return Verdict::Issued;
}

CuCore::Verdict CuCore::issue_internal(unsigned simd_index, unsigned slot, Cycle now) {
    Wave& wave = state_.waves[simd_index][slot];
    Simd& simd = state_.simds[simd_index];
    const Decoded& d = *wave.next;
    const uint64_t from = wave.regs.pc;
    const auto k = static_cast<uint32_t>(d.inst.simm16);
    const auto clear_ready = [&] { simd.ready &= static_cast<uint16_t>(~(1u << slot)); };
    switch (d.action) {
        case Action::Nop:
            proceed(simd_index, slot, now, spec_.nop_cycles * ((k & 7) + 1));
            break;
        case Action::Sleep:
            proceed(simd_index, slot, now,
                    std::max(spec_.internal_cycles, spec_.sleep_unit_cycles * (k & 7)));
            wave.slept = true;
            break;
        case Action::SetPriority:
            proceed(simd_index, slot, now, spec_.internal_cycles);
            wave.regs.priority = k & 3;
            sort_waves(simd, simd_index);
            break;
        case Action::Wait:
            // The program counter stays here until the counters are low enough.
            proceed(simd_index, slot, now, spec_.internal_cycles);
            wave.regs.pc = from;
            wave.status = WaveStatus::Waiting;
            clear_ready();
            counter_changed(simd_index, slot, now);
            return Verdict::Issued;
        case Action::Barrier: {
            proceed(simd_index, slot, now, spec_.internal_cycles);
            ++state_.counters.work.barriers;
            Group& group = state_.groups[wave.launch.group_slot];
            if (group.waves <= 1)
                break;
            wave.regs.pc = from;
            wave.status = WaveStatus::AtBarrier;
            clear_ready();
            ++group.arrived;
            check_barrier(group, now);
            return Verdict::Issued;
        }
        case Action::End:
            proceed(simd_index, slot, now, spec_.internal_cycles);
            wave.regs.pc = from;
            wave.status = WaveStatus::Ending;
            clear_ready();
            simd.wants_fetch &= static_cast<uint16_t>(~(1u << slot));
            counter_changed(simd_index, slot, now);
            return Verdict::Issued;
        case Action::InvalidateInst: {
            if (inst_action_out_ == nullptr)
                stop(StopKind::Unimplemented, simd_index, slot, from, &d,
                     "no instruction cache is attached that could be invalidated");
            if (!inst_action_out_->can_push(now)) {
                // Rare enough to look again at every turn.
                try_issue_from(simd_index, now + spec_.simds);
                return Verdict::Blocked;
            }
            CacheAction action;
            action.invalidate_inst = true;
            inst_action_out_->push(now, action);
            proceed(simd_index, slot, now, spec_.internal_cycles);
            jump(simd_index, slot);
            prepare(simd_index, slot);
            return Verdict::Issued;
        }
        default:
            proceed(simd_index, slot, now, spec_.internal_cycles);
            break;
    }
    advance(simd_index, slot, from);
    prepare(simd_index, slot);
    return Verdict::Issued;
}

// The wave waits until one of its counters goes down.
CuCore::Verdict CuCore::hold(unsigned simd_index, unsigned slot, Cycle now, WaveTime why) {
    Wave& wave = state_.waves[simd_index][slot];
    Simd& simd = state_.simds[simd_index];
    account(wave, simd.ready_at[slot], wave.slept ? WaveTime::Sleep : WaveTime::Issue);
    account(wave, now, simd.blocked[slot]);
    wave.slept = false;
    wave.status = WaveStatus::Waiting;
    wave.waits_for = why;
    simd.ready &= static_cast<uint16_t>(~(1u << slot));
    return Verdict::Blocked;
}

void CuCore::stop_unexecutable(unsigned simd, unsigned slot, const Decoded& d) const {
    const Wave& wave = state_.waves[simd][slot];
    const uint64_t pc = wave.regs.pc;
    stop_for(d, wave.regs, place(simd, slot, pc, &d));
}

void CuCore::log_instruction(unsigned simd, unsigned slot, Cycle now, const Decoded& d) const {
    const uint64_t pc = state_.waves[simd][slot].regs.pc;
    char head[64];
    std::snprintf(head, sizeof head, "simd%u slot%u 0x%llx: ", simd, slot,
                  static_cast<unsigned long long>(pc));
    observers_.log->line(LogCategory::Isa, now, identity_.name,
                         head + isa::disassemble(d.inst, pc));
}

}  // namespace archipelago::cu
