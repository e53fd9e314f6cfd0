// SPDX-License-Identifier: Apache-2.0
#include "models/dma/op_engine.h"

namespace archipelago::dma {

using front::OpStep;

namespace {

front::OpSpec op_spec(const Spec& spec) {
    return {spec.names(), Client::Dma,
            spec.instance == 0 ? TransactionUnit::Dma0 : TransactionUnit::Dma1, spec.source()};
}

}  // namespace

const char* to_string(Stall stall) {
    static const char* const kNames[] = {"none",      "queue",          "reg_bus",   "reg_read",
                                         "mem_port",  "mem_data",       "mem_write", "poll",
                                         "microcode", "transfer_queue", "transfer"};
    static_assert(sizeof kNames / sizeof *kNames == static_cast<size_t>(Stall::kCount));
    return kNames[static_cast<size_t>(stall)];
}

OpEngine::OpEngine(const Spec& spec, Clocked& owner)
    : front::OpEngine<OpState>(op_spec(spec), owner),
      to_transfer(&owner),
      to_interrupt(&owner),
      spec_(spec) {}

RegRequest OpEngine::register_request(const OpState& s) const {
    RegRequest request = front::OpEngine<OpState>::register_request(s);
    request.byte_enable = s.op.byte_enable;
    return request;
}

OpStep OpEngine::carry_out(Cycle now, OpState& s, Stall& reason) {
    switch (s.op.kind) {
        case OpKind::RegWrite:
            return send_register_write(now, s, reason);
        case OpKind::Transfer:
            return send_transfer(now, s, reason);
        case OpKind::WaitTransfer:
            if (s.transfers != 0)
                s.wait = Stall::Transfer;
            return OpStep::Finished;
        case OpKind::Clock:
            s.program.result.value = now + (s.op.counter == Counter::Local ? s.clock_offset : 0);
            return OpStep::Finished;
        case OpKind::SetClock:
            s.clock_offset = s.op.operand - now;
            return OpStep::Finished;
        case OpKind::Trap:
            interrupt(now, s, 0);
            return OpStep::Finished;
        case OpKind::Call:
            calls.call = true;
            calls.buffer = s.op.buffer;
            return OpStep::Finished;
        case OpKind::Skip:
            calls.skip = s.op.value;
            return OpStep::Finished;
        case OpKind::SemaphoreRetry:
            return retry_semaphore(now, s);
        default:
            return front::OpEngine<OpState>::carry_out(now, s, reason);
    }
}

bool OpEngine::wait_over(Cycle now, OpState& s) {
    if (s.wait == Stall::Transfer)
        return s.transfers == 0;
    if (s.wait == Stall::RegBus)
        return s.own_writes == 0;
    return front::OpEngine<OpState>::wait_over(now, s);
}

// Writes are posted, but the next packet finds the engine's own registers as this one leaves them.
// A write of no bytes ends on the bus.
OpStep OpEngine::send_register_write(Cycle now, OpState& s, Stall& reason) {
    const OpStep step = front::OpEngine<OpState>::carry_out(now, s, reason);
    if (step == OpStep::Finished && s.op.byte_enable != 0 && s.program.owns(s.op.offset)) {
        ++s.own_writes;
        s.wait = Stall::RegBus;
    }
    return step;
}

OpStep OpEngine::send_transfer(Cycle now, OpState& s, Stall& reason) {
    if (!to_transfer->can_push(now))
        return blocked(reason, Stall::TransferQueue);
    to_transfer->push(now, s.program.transfer());
    ++s.transfers;
    return OpStep::Finished;
}

// A pause, and an interrupt once the semaphore has not come for as long as its timer says.
OpStep OpEngine::retry_semaphore(Cycle now, OpState& s) {
    const uint64_t limit = uint64_t{spec_.timer_unit} * s.program.control().semaphore_wait;
    if (s.semaphore_since == 0)
        s.semaphore_since = now;
    else if (limit != 0 && now - s.semaphore_since >= limit && !s.semaphore_told) {
        s.semaphore_told = true;
        if (semaphore_interrupt)
            interrupt(now, s, 1);
    }
    s.op.cycles = spec_.semaphore_retry;
    return delay(now, s);
}

void OpEngine::interrupt(Cycle now, const OpState& s, uint32_t data) {
    if (!to_interrupt)
        return;
    Interrupt i;
    i.source_id = spec_.trap_source;
    i.vmid = s.program.location().vmid;
    i.ring = spec_.interrupt_ring();
    i.data = data;
    to_interrupt->send(now, i);
}

}  // namespace archipelago::dma
