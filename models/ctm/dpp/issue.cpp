// SPDX-License-Identifier: Apache-2.0
// Which thread issues when, on the ALU and the flow control unit.
#include <fmt/core.h>

#include <algorithm>

#include "models/ctm/dpp/dpp_core.h"
#include "models/ctm/isa/text.h"

namespace archipelago::ctm::dpp {

ThreadTime DppCore::busy_unit(const Decoded& d) {
    switch (d.inst.type) {
        case isa::Type::FlowControl:
            return ThreadTime::FlowBusy;
        case isa::Type::Texture:
            return ThreadTime::LookupQueue;
        default:
            return ThreadTime::AluBusy;
    }
}

// Finds out what the thread's next instruction waits for, or when it is ready. Called after each
// instruction and when what the thread waited for has come.
void DppCore::prepare(unsigned slot, Cycle now) {
    Slot& t = state_.slots[slot];
    t.phase = Phase::Blocked;
    const Decoded* d = next_instruction(t);
    ThreadTime why = ThreadTime::Fetch;
    if (d == nullptr || blocked(slot, *d, why)) {
        account(t, now, why);
        return;
    }
    account(t, now, busy_unit(*d));
    if (d->inst.waits_for_alu || d->inst.type == isa::Type::Alu || d->inst.type == isa::Type::Out)
        t.ready_at = std::max(t.ready_at, t.alu_done);
    if (t.ready_at > now) {
        t.phase = Phase::Timed;
        state_.timed.push(t.ready_at, slot);
    } else {
        make_ready(slot, *d);
    }
}

bool DppCore::blocked(unsigned slot, const Decoded& d, ThreadTime& why) {
    Slot& t = state_.slots[slot];
    why = ThreadTime::Constant;
    if (!constants_there(slot, d))
        return true;
    const bool uncached = d.inst.type == isa::Type::Out && t.mode.uncached_outputs;
    why = ThreadTime::Semaphore;
    if ((d.inst.waits_for_semaphore || (uncached && d.acquires)) &&
        (t.lookups_landed < t.semaphore || t.holds_for_writes))
        return true;
    why = ThreadTime::Lookup;
    if (d.touched.meets(t.pending))
        return true;
    why = ThreadTime::OutputQueue;
    return d.inst.type == isa::Type::Out && (t.sending || !takes_output(slot));
}

// The first OUT of a program takes the space for what the thread will write.
bool DppCore::takes_output(unsigned slot) {
    Slot& t = state_.slots[slot];
    if (t.has_output)
        return true;
    if (state_.output_space == 0) {
        state_.no_output.push(t.sequence, slot);
        return false;
    }
    --state_.output_space;
    t.has_output = true;
    return true;
}

void DppCore::make_ready(unsigned slot, const Decoded& d) {
    Slot& t = state_.slots[slot];
    t.phase = Phase::Ready;
    switch (d.inst.type) {
        case isa::Type::FlowControl:
            return state_.ready_flow.push(t.sequence, slot);
        case isa::Type::Texture:
            return state_.ready_lookup.push(t.sequence, slot);
        default:
            return state_.ready_alu.push(t.sequence, slot);
    }
}

void DppCore::wake_timed(Cycle now) {
    while (!state_.timed.empty() && state_.timed.top().first <= now) {
        const unsigned slot = state_.timed.pop();
        const Slot& t = state_.slots[slot];
        if (t.phase == Phase::Timed)
            make_ready(slot, *next_instruction(t));
        else if (t.phase == Phase::Drain)  // else it has gone on already
            finish(slot, now);
    }
}

// The oldest thread that is ready goes first: one to each unit.
bool DppCore::issue(Cycle now) {
    State& s = state_;
    bool moved = false;
    if (!s.ready_alu.empty() && s.alu_free <= now) {
        issue_alu(s.ready_alu.pop(), now);
        moved = true;
    }
    if (!s.ready_flow.empty() && s.flow_free <= now) {
        issue_flow(s.ready_flow.pop(), now);
        moved = true;
    }
    if (!s.ready_lookup.empty() && !s.free_lookups.empty() &&
        s.lookups_unsent < spec_.lookup_queue) {
        issue_lookup(s.ready_lookup.pop(), now);
        moved = true;
    }
    return moved;
}

const Decoded& DppCore::begin(unsigned slot, Cycle now) {
    Slot& t = state_.slots[slot];
    const Decoded& d = *next_instruction(t);
    account(t, now, ThreadTime::Fetch);
    ++state_.counters.instructions[static_cast<unsigned>(d.inst.type)];
    check({instruction_limit_, t.temporaries}, d.inst, state_.regs[slot], ++t.executed);
    if (observers_.log != nullptr && observers_.log->enabled(LogCategory::Isa))
        log_instruction(slot, d, now);
    return d;
}

void DppCore::execute(unsigned slot, const Decoded& d) {
    const Slot& t = state_.slots[slot];
    const bool math = d.inst.type == isa::Type::Alu || d.inst.type == isa::Type::Out;
    if (alu_ != nullptr && math)
        alu_->execute(d.inst, t.mode, t.values, state_.regs[slot], effects_);
    else
        isa::execute(d.inst, t.mode, t.values, state_.regs[slot], effects_);
}

void DppCore::issue_alu(unsigned slot, Cycle now) {
    Slot& t = state_.slots[slot];
    const Decoded& d = begin(slot, now);
    const isa::Thread& regs = state_.regs[slot];
    state_.counters.alu_lanes +=
        static_cast<unsigned>(__builtin_popcountll(regs.active & regs.covered));
    execute(slot, d);
    const unsigned cycles = spec_.alu_cycles() + (d.inst.nop ? spec_.nop_cycles : 0);
    state_.alu_free = now + cycles;
    state_.counters.alu_busy_cycles += cycles;
    t.ready_at = now + cycles;
    t.alu_done = now + std::max(cycles, spec_.alu_latency + (d.inst.nop ? spec_.nop_cycles : 0));
    if (d.inst.type == isa::Type::Out && t.mode.uncached_outputs)
        write_uncached(slot, d);
    proceed(slot, now);
}

void DppCore::issue_flow(unsigned slot, Cycle now) {
    const Decoded& d = begin(slot, now);
    execute(slot, d);
    state_.flow_free = now + spec_.flow_cycles;
    state_.counters.flow_busy_cycles += spec_.flow_cycles;
    state_.slots[slot].ready_at = now + std::max(spec_.flow_cycles, spec_.flow_latency);
    proceed(slot, now);
}

void DppCore::proceed(unsigned slot, Cycle now) {
    if (state_.regs[slot].ended)
        return finish(slot, now);
    advance(slot);
    prepare(slot, now);
}

void DppCore::log_instruction(unsigned slot, const Decoded& d, Cycle now) const {
    const isa::Thread& regs = state_.regs[slot];
    observers_.log->line(
        LogCategory::Isa, now, name_,
        fmt::format("slot {} ({}, {}) {}: ", slot, regs.origin[0].x, regs.origin[0].y, regs.pc) +
            isa::disassemble(d.inst.words));
}

}  // namespace archipelago::ctm::dpp
