// SPDX-License-Identifier: Apache-2.0
// The global data share, exports, messages, interpolation, halting and traps.

#include "models/cu/isa/special.h"
#include "models/common/error.h"
#include "models/common/transaction_id.h"
#include "models/cu/pipeline/cu_core.h"

namespace archipelago::cu {

// Reads parameters as the unit's other reads do, but the result needs no counter: the wave's next
// instruction waits for it.
void CuCore::issue_interpolation(unsigned simd_index, unsigned slot, Cycle now) {
    Wave& wave = state_.waves[simd_index][slot];
    const Decoded& d = *wave.next;
    const uint64_t from = wave.regs.pc;
    const Cycle start = occupy_lds(simd_index, now, spec_.interpolate_cycles);
    proceed(simd_index, slot, now, static_cast<unsigned>(start - now) + spec_.interpolate_cycles);
    isa::execute_interpolation(d.inst, wave.regs, state_.lds.data(), spec_.lds_bytes);
    advance(simd_index, slot, from);
    prepare(simd_index, slot);
}

void CuCore::issue_export(unsigned simd_index, unsigned slot, Cycle now) {
    Wave& wave = state_.waves[simd_index][slot];
    const Decoded& d = *wave.next;
    const uint64_t from = wave.regs.pc;
    if (!to_export)
        stop(StopKind::Unimplemented, simd_index, slot, from, &d,
             "export needs the graphics export units");
    ExportMessage message;
    isa::export_message(d.inst, wave.regs, message);
    message.wave = wave_identity(wave.launch, wave.regs, identity_.source, from);
    to_export->push(now, message);
    ++wave.exports;
    read_operands(simd_index, slot, now);
    proceed(simd_index, slot, now, spec_.export_issue_cycles);
    advance(simd_index, slot, from);
    prepare(simd_index, slot);
}

// Exports and GDS instructions share the path out of the registers; expcnt falls when they have
// been read.
void CuCore::read_operands(unsigned simd, unsigned slot, Cycle now) {
    state_.export_free = now + spec_.export_cycles;
    ++state_.waves[simd][slot].exp_count;
    state_.work |= kSpecial;
    state_.export_done.push(
        {state_.export_free, static_cast<uint8_t>(simd), static_cast<uint8_t>(slot), 0});
}

void CuCore::issue_gds(unsigned simd_index, unsigned slot, Cycle now) {
    Wave& wave = state_.waves[simd_index][slot];
    const Decoded& d = *wave.next;
    const uint64_t from = wave.regs.pc;
    if (!to_gds)
        stop(StopKind::Unimplemented, simd_index, slot, from, &d,
             "no global data share is attached");
    const auto index = static_cast<uint8_t>(__builtin_ctzll(state_.gds_free));
    state_.gds_free &= state_.gds_free - 1;
    GdsOp& op = state_.gds_ops[index];
    op.simd = static_cast<uint8_t>(simd_index);
    op.slot = static_cast<uint8_t>(slot);
    op.lanes = wave.regs.exec();
    op.decoded = &d;
    GdsRequest request;
    isa::gds_request(d.inst, wave.regs, request);
    request.vmid = wave.launch.vmid;
    request.source = identity_.source;
    request.tag = index;
    request.uid = transaction_id(
        TransactionUnit::Cu, uint64_t{identity_.source} << 40 | (++state_.next_uid & 0xFFFFFFFFFF));
    to_gds->push(now, request);
    if (retire_ != nullptr)
        retire_->sends(request);
    ++wave.lgkm_count;
    read_operands(simd_index, slot, now);
    proceed(simd_index, slot, now, spec_.export_issue_cycles);
    advance(simd_index, slot, from);
    prepare(simd_index, slot);
}

bool CuCore::take_gds(Cycle now) {
    if (!gds_in.can_pop(now))
        return false;
    const GdsResponse response = gds_in.pop(now);
    if (response.tag >= state_.gds_ops.size() || (state_.gds_free >> response.tag & 1) != 0)
        throw MachineStop(StopKind::Protocol, identity_.name,
                          "unsolicited response of the global data share");
    const GdsOp op = state_.gds_ops[response.tag];
    state_.gds_free |= uint64_t{1} << response.tag;
    Wave& wave = state_.waves[op.simd][op.slot];
    isa::gds_complete(op.decoded->inst, op.lanes, response, wave.regs);
    if (retire_ != nullptr)
        retire_->loaded(retire_number(op.simd, op.slot),
                        RetireRecorder::gds_operation(response.tag), wave.regs);
    --wave.lgkm_count;
    counter_changed(op.simd, op.slot, now);
    return true;
}

void CuCore::issue_message(unsigned simd_index, unsigned slot, Cycle now) {
    Wave& wave = state_.waves[simd_index][slot];
    const Decoded& d = *wave.next;
    const uint64_t from = wave.regs.pc;
    ShaderMessage message;
    if (const char* wrong = isa::shader_message(d.inst, wave.regs, message))
        stop(StopKind::BadInput, simd_index, slot, from, &d, wrong);
    if (message.kind != ShaderMessage::Kind::None) {
        const bool interrupt = message.kind == ShaderMessage::Kind::Interrupt;
        const OutputChannel<ShaderMessage>& out = interrupt ? to_interrupts : to_graphics;
        if (!out)
            stop(StopKind::Unimplemented, simd_index, slot, from, &d,
                 interrupt ? "no interrupt handler is connected"
                           : "the message needs a graphics unit");
        message.wave = wave_identity(wave.launch, wave.regs, identity_.source, from);
        out->push(now, message);
        ++wave.lgkm_count;
        state_.work |= kSpecial;
        state_.message_done.push({now + spec_.message_cycles, static_cast<uint8_t>(simd_index),
                                  static_cast<uint8_t>(slot), 0});
    }
    proceed(simd_index, slot, now, spec_.internal_cycles);
    advance(simd_index, slot, from);
    if (d.halts)
        wave.regs.halt = true;
    stop_if_halted(simd_index, slot, now);
}

void CuCore::issue_control(unsigned simd_index, unsigned slot, Cycle now) {
    Wave& wave = state_.waves[simd_index][slot];
    const Decoded& d = *wave.next;
    const uint64_t from = wave.regs.pc;
    wave.regs.ib_sts = wave.vm_count | wave.exp_count << 4 | wave.lgkm_count << 8;
    const uint8_t priority = wave.regs.priority;
    proceed(simd_index, slot, now, issue_cycles(d));
    const uint64_t next = wave.regs.pc;
    units_.control(d.inst, wave.regs);
    if (wave.regs.priority != priority)
        sort_waves(state_.simds[simd_index], simd_index);
    if (wave.regs.pc != next) {
        if (wave.regs.pc % 4 != 0)
            stop(StopKind::BadInput, simd_index, slot, from, &d,
                 "jump to an address that is not a multiple of 4");
        state_.simds[simd_index].ready_at[slot] = now + spec_.branch_taken_cycles;
        jump(simd_index, slot);
    } else {
        advance(simd_index, slot, from);
    }
    stop_if_halted(simd_index, slot, now);
}

// After an instruction that may have halted or killed the wave. Neither happens while it is
// privileged.
void CuCore::stop_if_halted(unsigned simd_index, unsigned slot, Cycle now) {
    Wave& wave = state_.waves[simd_index][slot];
    Simd& simd = state_.simds[simd_index];
    if (wave.regs.killed && !wave.regs.privileged) {
        wave.status = WaveStatus::Ending;
        simd.clear_ready(slot);
        simd.wants_fetch &= static_cast<uint16_t>(~(1u << slot));
        counter_changed(simd_index, slot, now);
    } else if (wave.regs.halt && !wave.regs.privileged) {
        wave.status = WaveStatus::Halted;
        simd.clear_ready(slot);
    } else {
        prepare(simd_index, slot);
    }
}

bool CuCore::resume_halted(unsigned simd, unsigned slot, Cycle now) {
    if (simd >= state_.waves.size() || slot >= spec_.wave_slots ||
        state_.waves[simd][slot].status != WaveStatus::Halted)
        return false;
    state_.waves[simd][slot].regs.halt = false;
    end_wait(simd, slot, now, WaveReason::Halted);
    prepare(simd, slot);
    wake_at(now + 1);
    return true;
}

bool CuCore::finish_special(Cycle now) {
    bool moved = false;
    const auto finish = [&](auto& queue, auto Wave::*count) {
        for (; !queue.empty() && queue.front().at <= now; moved = true) {
            const Completion done = queue.front();
            queue.pop();
            --(state_.waves[done.simd][done.slot].*count);
            counter_changed(done.simd, done.slot, now);
        }
    };
    finish(state_.export_done, &Wave::exp_count);
    finish(state_.message_done, &Wave::lgkm_count);
    if (state_.export_done.empty() && state_.message_done.empty())
        state_.work &= static_cast<uint8_t>(~kSpecial);
    return moved;
}

}  // namespace archipelago::cu
