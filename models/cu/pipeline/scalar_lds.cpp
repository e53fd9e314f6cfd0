// SPDX-License-Identifier: Apache-2.0
// Scalar memory and the local data share.
#include <algorithm>

#include "models/common/address_spaces.h"
#include "models/common/error.h"
#include "models/common/text.h"
#include "models/cu/pipeline/cu_core.h"

namespace archipelago::cu {

// ---- scalar memory ------------------------------------------------------------------------------

void CuCore::issue_scalar_mem(unsigned simd_index, unsigned slot, Cycle now) {
    Wave& wave = state_.waves[simd_index][slot];
    const Decoded& d = *wave.next;
    const uint64_t from = wave.regs.pc;
    const auto index = static_cast<uint8_t>(__builtin_ctzll(state_.smem_free));
    SmemOp& op = state_.smem_ops[index];
    op.op = isa::scalar_mem(d.inst, wave.regs);
    op.simd = static_cast<uint8_t>(simd_index);
    op.slot = static_cast<uint8_t>(slot);
    op.vmid = wave.launch.vmid;
    op.pc = from;
    op.decoded = &d;
    op.sent = false;
    state_.smem_free &= state_.smem_free - 1;

    unsigned cycles = spec_.smem_other_issue_cycles;
    const bool load = op.op.kind == isa::ScalarMemOp::Kind::Load ||
                      op.op.kind == isa::ScalarMemOp::Kind::BufferLoad;
    if (load) {
        const auto size = static_cast<unsigned>(__builtin_ctz(op.op.dwords | 16u));
        cycles = spec_.smem_issue_cycles[size];
    }
    // The clock, and loads with no dword in range, need no memory.
    if (op.op.kind == isa::ScalarMemOp::Kind::Time || (load && op.op.valid == 0)) {
        state_.memtimes.push({now + spec_.memtime_cycles, op.simd, op.slot, index});
        completes(now + spec_.memtime_cycles);
    } else {
        state_.work |= kScalarQueue;
        state_.smem_queue.push(index);
        ++state_.simds[simd_index].smem_waiting;
    }
    ++wave.lgkm_count;
    proceed(simd_index, slot, now, cycles);
    advance(simd_index, slot, from);
    prepare(simd_index, slot);
}

bool CuCore::send_scalar(Cycle now) {
    if (!to_scalar->can_push(now))
        return false;
    const uint8_t index = state_.smem_queue.front();
    state_.smem_queue.pop();
    --state_.simds[state_.smem_ops[index].simd].smem_waiting;
    SmemOp& op = state_.smem_ops[index];
    op.sent = true;
    ScalarRequest request;
    request.invalidate = op.op.kind == isa::ScalarMemOp::Kind::CacheInvalidate;
    request.address = op.op.addr;
    request.dwords = request.invalidate ? 1 : op.op.valid;
    request.vmid = op.vmid;
    request.wave = static_cast<uint16_t>(op.simd * 16 + op.slot);
    request.cu = identity_.cache_port;
    request.tag = index;
    to_scalar->push(now, request);
    ++state_.counters.smem_requests;
    if (state_.smem_queue.empty())
        state_.work &= static_cast<uint8_t>(~kScalarQueue);
    unblock(state_.smem_blocked, now);
    return true;
}

bool CuCore::take_scalar(Cycle now) {
    if (!scalar_in.can_pop(now))
        return false;
    const ScalarResponse response = scalar_in.pop(now);
    const uint32_t index = response.tag;
    if (index >= spec_.smem_outstanding || (state_.smem_free >> index & 1) != 0 ||
        !state_.smem_ops[index].sent)
        throw MachineStop(StopKind::Protocol, identity_.name, "unsolicited scalar cache response");
    const SmemOp& op = state_.smem_ops[index];
    if (response.fault)
        stop_access(
            op.simd, op.slot, op.pc, *op.decoded,
            "scalar read of unmapped address " + hex(response.fault_address) + of_space(op.vmid),
            access_fault(state_.waves[op.simd][op.slot].launch, op.pc, response.fault_address,
                         op.vmid, std::nullopt));
    finish_scalar(static_cast<uint8_t>(index), response.data.data(), now);
    return true;
}

void CuCore::finish_scalar(uint8_t index, const uint32_t* data, Cycle now) {
    const SmemOp op = state_.smem_ops[index];
    Wave& wave = state_.waves[op.simd][op.slot];
    if (op.op.kind != isa::ScalarMemOp::Kind::CacheInvalidate)
        isa::scalar_mem_complete(op.op, wave.regs, data);
    if (retire_ != nullptr)
        retire_->loaded(retire_number(op.simd, op.slot), RetireRecorder::scalar_operation(index),
                        op.op, wave.regs);
    state_.smem_free |= uint64_t{1} << index;
    --wave.lgkm_count;
    unblock(state_.smem_blocked, now);
    counter_changed(op.simd, op.slot, now);
}

// ---- local data share ---------------------------------------------------------------------------

// The unit serves instructions in the order they issue, so their effect on memory is that of
// executing them here, where the operands are read; only the counter says when. A program that
// reads the destination before it has waited sees the new value.
void CuCore::issue_lds(unsigned simd_index, unsigned slot, Cycle now) {
    Wave& wave = state_.waves[simd_index][slot];
    const Decoded& d = *wave.next;
    const uint64_t from = wave.regs.pc;
    unsigned banks = 0;
    if (!units_.lds(d.inst, wave.regs, state_.lds.data(), banks))
        stop(StopKind::Protocol, simd_index, slot, from, &d,
             "the local data share does not know the instruction");
    const unsigned actual = banks * spec_.lds_bank_cycles;
    const unsigned service = std::max({d.lds_operands * spec_.lds_operand_cycles, actual, 1u});
    occupy_lds(simd_index, now, service);
    const unsigned conflicts = actual > lds_cycles(d) ? actual - lds_cycles(d) : 0;
    state_.lds_done.push({state_.lds_free + spec_.lds_latency, static_cast<uint8_t>(simd_index),
                          static_cast<uint8_t>(slot), 0, static_cast<uint16_t>(conflicts)});
    completes(state_.lds_free + spec_.lds_latency);
    state_.counters.lds_bank_cycles += banks;
    state_.counters.lds_conflict_cycles += conflicts;
    // Lanes out of range take no part, and those that append or consume share one element: no more
    // than the banks serve in their passes.
    work_of(wave).lds_bytes +=
        std::min(4u * d.lds_dwords * active_lanes(wave.regs), 4u * spec_.lds_banks * banks);
    ++wave.lgkm_count;
    proceed(simd_index, slot, now, issue_cycles(d));
    advance(simd_index, slot, from);
    prepare(simd_index, slot);
}

// The unit works on what issues now for `cycles`, after what it has; returns the first of them.
Cycle CuCore::occupy_lds(unsigned simd_index, Cycle now, unsigned cycles) {
    Simd& simd = state_.simds[simd_index];
    const Cycle start = std::max(now, state_.lds_free);
    state_.lds_free = start + cycles;
    simd.lds_ends[simd.lds_next] = state_.lds_free;
    simd.lds_next = static_cast<uint8_t>((simd.lds_next + 1u) % spec_.lds_queue);
    state_.counters.lds_busy_cycles += cycles;
    return start;
}

// Everything that was given its cycle when it started.
bool CuCore::finish_timed(Cycle now) {
    bool moved = false;
    while (!state_.lds_done.empty() && state_.lds_done.front().at <= now) {
        const Completion done = state_.lds_done.front();
        state_.lds_done.pop();
        --state_.waves[done.simd][done.slot].lgkm_count;
        counter_changed(done.simd, done.slot, now, done.conflicts);
        moved = true;
    }
    while (!state_.memtimes.empty() && state_.memtimes.front().at <= now) {
        const Completion done = state_.memtimes.front();
        state_.memtimes.pop();
        uint32_t data[16] = {};
        if (state_.smem_ops[done.op].op.kind == isa::ScalarMemOp::Kind::Time) {
            data[0] = static_cast<uint32_t>(now);
            data[1] = static_cast<uint32_t>(now >> 32);
        }
        finish_scalar(done.op, data, now);
        moved = true;
    }
    while (!state_.td_done.empty() && state_.td_done.front().at <= now) {
        const Completion done = state_.td_done.front();
        state_.td_done.pop();
        finish_vector_mem(done, now);
        moved = true;
    }
    state_.completion_due = kNever;
    for (const Fifo<Completion>* queue : {&state_.lds_done, &state_.memtimes, &state_.td_done})
        if (!queue->empty())
            completes(queue->front().at);
    return moved;
}

}  // namespace archipelago::cu
