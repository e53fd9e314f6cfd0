// SPDX-License-Identifier: Apache-2.0
// Vector memory: address unit (TA), requests to the L1, return path (TD).
#include <algorithm>

#include "models/common/address_spaces.h"
#include "models/common/error.h"
#include "models/common/text.h"
#include "models/common/transaction_id.h"
#include "models/cu/pipeline/cu_core.h"
#include "models/cu/pipeline/image_memory.h"
#include "models/cu/pipeline/line_request.h"

namespace archipelago::cu {
namespace {

using isa::VectorMemOp;

}  // namespace

void CuCore::issue_vector_mem(unsigned simd_index, unsigned slot, Cycle now) {
    Wave& wave = state_.waves[simd_index][slot];
    const Decoded& d = *wave.next;
    const uint64_t from = wave.regs.pc;
    const auto index = static_cast<uint8_t>(__builtin_ctzll(state_.vmem_free));
    VmemOp& v = state_.vmem_ops[index];
    if (d.inst.format == isa::Format::Mimg)
        describe_image(v, wave, d, simd_index, slot);
    else
        units_.vector_mem(d.inst, wave.regs, v.op);
    if (v.op.unsupported != nullptr)
        stop(StopKind::Unimplemented, simd_index, slot, from, &d, v.op.unsupported);
    state_.vmem_free &= state_.vmem_free - 1;

    v.counts_exp = false;
    switch (v.op.kind) {
        case VectorMemOp::Kind::Load:
            // Bytes that no request brings read 0.
            if (v.op.bytes < 4 || !v.op.contiguous)
                std::fill_n(&v.op.data[0][0], ((v.op.bytes + 3u) / 4) * isa::kLanes, 0u);
            break;
        case VectorMemOp::Kind::Store:
        case VectorMemOp::Kind::Atomic:
            v.counts_exp = true;
            break;
        case VectorMemOp::Kind::CacheInvalidate:
            v.op.lanes = 0;
            break;
    }
    v.accesses.clear();
    v.next_access = 0;
    v.responses = 0;
    v.sent = false;
    v.l1_action = false;
    v.simd = static_cast<uint8_t>(simd_index);
    v.slot = static_cast<uint8_t>(slot);
    v.vmid = wave.launch.vmid;
    v.pc = from;
    v.decoded = &d;
    v.issued = now;
    v.uid = transaction_id(TransactionUnit::Cu,
                           uint64_t{identity_.source} << 40 | (++state_.next_uid & 0xFFFFFFFFFF));
    wave.vmem[(wave.vmem_head + wave.vmem_unreturned++) % wave.vmem.size()] = index;
    ++wave.vm_count;
    wave.exp_count = static_cast<uint8_t>(wave.exp_count + (v.counts_exp ? 1 : 0));
    ++state_.simds[simd_index].ta_waiting;
    state_.ta_queue.push({now + spec_.ta_latency, v.simd, v.slot, index});
    if (!state_.ta_active)
        state_.ta_due = next_address();
    state_.counters.work.vmem_lanes += static_cast<unsigned>(__builtin_popcountll(v.op.lanes));
    proceed(simd_index, slot, now, issue_cycles(d));
    advance(simd_index, slot, from);
    prepare(simd_index, slot);
}

// When the address unit, which has none, takes its next instruction.
Cycle CuCore::next_address() const {
    return state_.ta_queue.empty() ? kNever : std::max(state_.ta_queue.front().at, state_.ta_free);
}

// Takes the next instruction and finds its line requests, and when each may leave.
void CuCore::begin_addresses(Cycle now) {
    state_.ta_op = state_.ta_queue.front().op;
    --state_.simds[state_.ta_queue.front().simd].ta_waiting;
    state_.ta_queue.pop();
    state_.ta_active = true;
    state_.ta_start = now;
    unblock(state_.vmem_blocked, now);
    VmemOp& v = state_.vmem_ops[state_.ta_op];
    const bool image = v.decoded->inst.format == isa::Format::Mimg;
    const CoalesceRates rates{
        spec_.ta_load_quad_cycles,
        spec_.ta_load_quarter_cycles,
        image ? 4 * spec_.ta_image_quad_cycles : spec_.ta_store_quarter_cycles,
        spec_.ta_atomic_quad_cycles,
        spec_.ta_load_pair_cycles,
        spec_.ta_load_scattered_cycles,
        spec_.ta_load_scattered_triple_cycles,
        spec_.linear_lines};
    bool aligned = true;
    unsigned cycles = 1;
    if (v.op.image)
        cycles =
            coalesce_image(state_.image_ops[v.image], v.op.lanes,
                           {spec_.ta_image_quad_cycles, spec_.ta_load_pair_cycles}, v.accesses);
    else if (v.op.kind != VectorMemOp::Kind::CacheInvalidate)
        cycles = units_.coalesce(v.op, rates, v.accesses, aligned);
    if (!aligned) {
        const auto lane = static_cast<unsigned>(__builtin_ctzll(v.accesses.back().lanes));
        stop(StopKind::Fault, v.simd, v.slot, v.pc, v.decoded,
             "atomic on misaligned address " + hex(v.op.addr[0][lane]) + ", lane " +
                 std::to_string(lane));
    }
    v.responses = static_cast<uint32_t>(v.accesses.size());
    state_.ta_end = now + cycles;
}

// All requests of the instruction have left.
void CuCore::end_addresses(VmemOp& v, Cycle now) {
    v.sent = true;
    state_.ta_active = false;
    state_.ta_free = std::max(state_.ta_end, now + 1);
    state_.ta_due = next_address();
    state_.counters.ta_busy_cycles += state_.ta_free - state_.ta_start;
    if (v.counts_exp) {
        // The store data have been read.
        --state_.waves[v.simd][v.slot].exp_count;
        counter_changed(v.simd, v.slot, now);
    }
    responses_changed(state_.ta_op);
}

// One instruction at a time; its requests leave as its groups of lanes are coalesced. Only
// from State::ta_due on.
bool CuCore::address_unit(Cycle now) {
    bool moved = false;
    if (!state_.ta_active) {
        begin_addresses(now);
        moved = true;
    }
    VmemOp& v = state_.vmem_ops[state_.ta_op];
    if (v.op.kind == VectorMemOp::Kind::CacheInvalidate && to_l1_action && !v.l1_action) {
        if (!to_l1_action->can_push(now))
            return moved;
        CacheAction action;
        action.invalidate_l1 = true;
        action.tag = state_.ta_op;
        to_l1_action->push(now, action);
        v.l1_action = true;
        moved = true;
    }
    unsigned budget = spec_.ta_requests_per_cycle;
    while (v.next_access < v.accesses.size() &&
           state_.ta_start + v.accesses[v.next_access].cycle <= now) {
        if (budget == 0)
            break;
        if (!to_memory->can_push(now)) {
            if (state_.ta_stalled_since == kNever)
                state_.ta_stalled_since = now;
            break;
        }
        if (state_.ta_stalled_since != kNever) {
            state_.counters.ta_stall_cycles += now - state_.ta_stalled_since;
            state_.ta_stalled_since = kNever;
        }
        send_access(v, state_.ta_op, now);
        --budget;
        moved = true;
    }
    if (v.next_access < v.accesses.size()) {
        state_.ta_due = state_.ta_start + v.accesses[v.next_access].cycle;
    } else {
        end_addresses(v, now);
        moved = true;
    }
    return moved;
}

void CuCore::send_access(VmemOp& v, uint8_t index, Cycle now) {
    const uint32_t number = v.next_access++;
    const LineAccess& access = v.accesses[number];
    to_memory->emplace(now, [&](MemRequest& request) {
        copy_payload(request, MemRequest{});
        describe_access(access, v.op, v.op.image ? &state_.image_ops[v.image] : nullptr, request);
        request.vmid = v.vmid;
        request.source = identity_.source;
        request.tag = uint32_t{index} << 16 | number;
        request.uid = v.uid;
        switch (v.op.kind) {
            case VectorMemOp::Kind::Store:
                ++state_.counters.vmem_store_requests;
                break;
            case VectorMemOp::Kind::Atomic:
                ++state_.counters.vmem_atomic_requests;
                break;
            default:
                ++state_.counters.vmem_load_requests;
                break;
        }
    });
    ++state_.counters.vmem_requests;
}

bool CuCore::take_memory(Cycle now) {
    bool moved = false;
    if (l1_action_done_in.can_pop(now)) {
        const uint32_t index = l1_action_done_in.pop(now).tag;
        moved = true;
        if (index >= state_.vmem_ops.size() || !state_.vmem_ops[index].l1_action)
            throw MachineStop(StopKind::Protocol, identity_.name,
                              "unsolicited report of an L1 invalidation");
        state_.vmem_ops[index].l1_action = false;
        responses_changed(static_cast<uint8_t>(index));
    }
    for (unsigned n = 0; n < spec_.td_responses_per_cycle && mem_in.can_pop(now); ++n) {
        const MemResponse& response = mem_in.front();
        moved = true;
        const uint32_t index = response.tag >> 16;
        const uint32_t number = response.tag & 0xFFFF;
        if (index >= state_.vmem_ops.size() || (state_.vmem_free >> index & 1) != 0 ||
            number >= state_.vmem_ops[index].next_access ||
            state_.vmem_ops[index].accesses[number].lanes == 0)
            throw MachineStop(StopKind::Protocol, identity_.name, "unsolicited L1 response");
        VmemOp& v = state_.vmem_ops[index];
        LineAccess& access = v.accesses[number];
        if (response.status == MemStatus::Unmapped && v.op.tfe)
            vector_mem_failed(v.op, access.lanes);
        else if (response.status != MemStatus::Ok)
            memory_fault(v, access, response);
        if (v.op.image)
            scatter_image(access, response.data, state_.image_ops[v.image]);
        else if (v.op.kind == VectorMemOp::Kind::Load)
            scatter_load(access, response.data, v.op);
        else if (v.op.kind == VectorMemOp::Kind::Atomic && v.op.returns)
            scatter_atomic(access, response.data, v.op);
        access.lanes = 0;
        --v.responses;
        responses_changed(static_cast<uint8_t>(index));
        mem_in.drop(now);
    }
    return moved;
}

void CuCore::memory_fault(const VmemOp& v, const LineAccess& access,
                          const MemResponse& response) const {
    const auto lane = static_cast<unsigned>(__builtin_ctzll(access.lanes));
    uint64_t address = access.line;
    bool found = false;
    const auto first_byte = [&](unsigned, unsigned, unsigned at, unsigned) {
        if (!found)
            address = access.line + at;
        found = true;
    };
    if (v.op.image)
        visit_texels(state_.image_ops[v.image], lane, access.line, first_byte);
    else
        visit_bytes(v.op, lane, access.line, first_byte);
    const char* what = v.op.kind == VectorMemOp::Kind::Load    ? "read of"
                       : v.op.kind == VectorMemOp::Kind::Store ? "write to"
                                                               : "atomic on";
    const char* which = response.status == MemStatus::Unmapped ? " unmapped address "
                                                               : " address that memory refuses, ";
    stop_access(v.simd, v.slot, v.pc, *v.decoded,
                std::string(what) + which + hex(address) + of_space(v.vmid) + ", lane " +
                    std::to_string(lane),
                access_fault(state_.waves[v.simd][v.slot].launch, v.pc, address, v.vmid, lane));
}

// Instructions of a wave return in the order they issued.
void CuCore::responses_changed(uint8_t index) {
    Wave& wave = state_.waves[state_.vmem_ops[index].simd][state_.vmem_ops[index].slot];
    while (wave.vmem_unreturned != 0) {
        const uint8_t head = wave.vmem[wave.vmem_head];
        const VmemOp& v = state_.vmem_ops[head];
        if (!v.sent || v.responses != 0 || v.l1_action)
            return;
        state_.work |= kReturnPath;
        state_.td_queue.push(head);
        wave.vmem_head = static_cast<uint8_t>((wave.vmem_head + 1) % wave.vmem.size());
        --wave.vmem_unreturned;
    }
}

bool CuCore::return_path(Cycle now) {
    bool moved = false;
    while (!state_.td_queue.empty() && state_.td_free <= now) {
        const uint8_t index = state_.td_queue.front();
        state_.td_queue.pop();
        const VmemOp& v = state_.vmem_ops[index];
        unsigned cycles = 0;
        if (v.op.returns || v.op.kind == VectorMemOp::Kind::Load) {
            const auto lanes =
                static_cast<unsigned>(__builtin_popcountll(v.op.lanes | v.op.zero_lanes));
            const unsigned bytes = lanes * 4 * v.op.dwords;
            cycles = (bytes + spec_.td_bytes_per_cycle - 1) / spec_.td_bytes_per_cycle;
            if (v.op.image)
                cycles = std::max(
                    cycles, image_return_cycles(state_.image_ops[v.image], v.op.lanes, spec_));
        }
        state_.td_free = now + cycles;
        state_.counters.td_busy_cycles += cycles;
        state_.td_done.push({state_.td_free + spec_.td_latency, v.simd, v.slot, index});
        completes(state_.td_free + spec_.td_latency);
        moved = true;
    }
    if (state_.td_queue.empty())
        state_.work &= static_cast<uint8_t>(~kReturnPath);
    return moved;
}

void CuCore::finish_vector_mem(const Completion& done, Cycle now) {
    VmemOp& v = state_.vmem_ops[done.op];
    Wave& wave = state_.waves[v.simd][v.slot];
    if (v.op.image) {
        finish_image(v, wave.regs);
    } else if (v.op.to_lds) {
        units_.load_to_lds(v.op, wave.regs, state_.lds.data());
    } else if (v.op.kind == VectorMemOp::Kind::Load ||
               (v.op.kind == VectorMemOp::Kind::Atomic && v.op.returns)) {
        units_.complete_load(v.op, wave.regs);
    }
    if (retire_ != nullptr)
        retire_->loaded(retire_number(v.simd, v.slot), RetireRecorder::vector_operation(done.op),
                        v.op, v.op.image ? &state_.image_ops[v.image] : nullptr, wave.regs);
    state_.counters.vmem_latency_cycles += now - v.issued;
    state_.vmem_free |= uint64_t{1} << done.op;
    --wave.vm_count;
    unblock(state_.vmem_blocked, now);
    counter_changed(v.simd, v.slot, now);
}

}  // namespace archipelago::cu
