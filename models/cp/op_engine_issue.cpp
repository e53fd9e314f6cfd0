// SPDX-License-Identifier: Apache-2.0
// How the engine of PFP, ME or the constant engine's fetch carries out the operations of a program.
#include "models/common/error.h"
#include "models/cp/op_engine.h"
#include "models/cp/register_write.h"

namespace archipelago::cp {

namespace {

// post_event() has failed: too many are on their way, or the bus is busy.
OpStep no_event(StallReason reason) {
    return reason == StallReason::Event ? OpStep::Waiting : OpStep::Blocked;
}

}  // namespace

RegRequest OpEngine::register_request(const OpState& s) const {
    RegRequest request = front::OpEngine<OpState>::register_request(s);
    request.context = s.program.de().contexts.current;
    return request;
}

bool OpEngine::post_event(Cycle now, OpState& s, uint8_t type, EventPurpose purpose,
                          StallReason& reason, uint8_t buffer) {
    OpState& list = purpose == EventPurpose::ContextDone ? ring(0) : s;
    if (list.events_count == list.events.size()) {
        reason = StallReason::Event;
        return false;
    }
    if (!to_bus->can_push(now)) {
        reason = StallReason::RegBus;
        return false;
    }
    RegRequest request;
    request.offset = spec_.registers->event_initiator;
    request.value = type;
    request.write = true;
    request.source = kRegFromCp;
    request.ring = purpose == EventPurpose::ContextDone ? 0 : s.program.location().ring;
    request.context = s.program.de().contexts.current;
    request.tag = request.ring;
    to_bus->push(now, request);
    note_event(list, type, purpose, buffer);
    return true;
}

void OpEngine::note_event(OpState& list, uint8_t type, EventPurpose purpose, uint8_t buffer) {
    list.events[(list.events_head + list.events_count) % list.events.size()] = {type, purpose,
                                                                                buffer};
    ++list.events_count;
    ++pipe_counters.events;
    ++counters.reg_writes;
}

uint16_t OpEngine::note_write(OpState& s, uint32_t offset, uint32_t value) {
    ++counters.reg_writes;
    return note_register_write(s.program, spec_.known_registers, offset, value);
}

void OpEngine::note_read(OpState& s, uint32_t offset) {
    check_known(s.program, spec_.known_registers, "reads", offset);
    ++counters.reg_reads;
}

void OpEngine::take_context(Contexts& contexts) {
    contexts.take();
    ++pipe_counters.context_rolls;
}

bool OpEngine::close_context(Cycle now, OpState& s, StallReason& reason) {
    Contexts& contexts = s.program.de().contexts;
    if (!post_event(now, s, spec_.registers->events.context_done, EventPurpose::ContextDone, reason,
                    contexts.current))
        return false;
    contexts.close();
    return true;
}

OpStep OpEngine::roll(Cycle now, OpState& s, StallReason& reason) {
    Contexts& contexts = s.program.de().contexts;
    switch (contexts.step(s.op.offset)) {
        case RollStep::None:
            break;
        case RollStep::Close:
            if (!close_context(now, s, reason))
                return no_event(reason);
            return OpStep::Advanced;
        case RollStep::Wait:
            reason = StallReason::Context;
            s.no_context = true;
            return OpStep::Waiting;
        case RollStep::Take: {
            const uint8_t from = contexts.current;
            // A write that copies a context itself makes the new one.
            const bool copies =
                s.op.offset != spec_.registers->copy_state && contexts.next() != from;
            if (copies && !to_bus->can_push(now)) {
                reason = StallReason::RegBus;
                return OpStep::Blocked;
            }
            take_context(contexts);
            if (!copies)
                break;
            RegRequest copy;
            copy.offset = spec_.registers->copy_state;
            copy.value = from;
            copy.write = true;
            copy.source = kRegFromCp;
            copy.ring = copy.tag = s.program.location().ring;
            copy.context = contexts.current;
            to_bus->push(now, copy);
            ++counters.reg_writes;
            return OpStep::Advanced;
        }
    }
    return OpStep::Finished;
}

// A poll has failed. A poll that is overdue reports once, at its next failure: a
// WAIT_REG_MEM by an interrupt, and it goes on; a semaphore that does not come stops the machine.
void OpEngine::check_limit(Cycle now, OpState& s) {
    if (!s.polling) {
        s.polling = true;
        s.polling_since = now;
    }
    const uint32_t limit = s.op.limit == PollLimit::WaitRegMem  ? limits.wait_reg_mem
                           : s.op.limit == PollLimit::Semaphore ? limits.semaphore
                                                                : 0;
    if (limit == 0 || s.overdue || now - s.polling_since < limit)
        return;
    s.overdue = true;
    if (s.op.limit == PollLimit::Semaphore)
        stop_at_semaphore(s);
    report_timeout(now, s);
}

void OpEngine::report_timeout(Cycle now, const OpState& s) {
    const Location& location = s.program.location();
    if (to_timeout)
        to_timeout->send(now, {location.ring, location.vmid});
}

void OpEngine::stop_at_semaphore(const OpState& s) const {
    throw MachineStop(StopKind::Hang, to_string(s.program.location()),
                      std::string("packet ") + s.program.info().name +
                          " waits for longer than CP_SEM_WAIT_TIMER (" +
                          std::to_string(limits.semaphore) + " clocks)");
}

// Sends the register write `s.op`, after all checks.
void OpEngine::send_write(Cycle now, OpState& s) {
    const Location& location = s.program.location();
    const uint8_t context = s.program.de().contexts.target(s.op.offset);
    const uint16_t place = note_write(s, s.op.offset, s.op.value);
    to_bus->emplace(now, [&](RegRequest& to) {
        to = {};
        to.offset = s.op.offset;
        to.value = s.op.value;
        to.write = true;
        to.source = kRegFromCp;
        to.ring = location.ring;
        to.context = context;
        to.vmid = location.vmid;
        to.tag = location.ring;
        to.place = place;
    });
}

OpStep OpEngine::carry_out(Cycle now, OpState& s, StallReason& reason) {
    const OpStep did = carry_out_own(now, s, reason);
    if (did == OpStep::Finished)
        s.no_context = false;
    return did;
}

OpStep OpEngine::carry_out_own(Cycle now, OpState& s, StallReason& reason) {
    const MicroOp& op = s.op;
    switch (op.kind) {
        case OpKind::RegWrite:
            return write_register(now, s, reason);
        case OpKind::RegRead: {
            const OpStep did = read_register(now, s, reason);
            if (did == OpStep::Finished)
                check_known(s.program, spec_.known_registers, "reads", op.offset);
            return did;
        }
        case OpKind::Delay:
            delay(now, s);
            check_limit(now, s);
            return OpStep::Finished;
        case OpKind::Event:
            return send_event(now, s, reason);
        case OpKind::Eop:
            return send_end_of_pipe(now, s, reason);
        case OpKind::Dma:
            return send_dma(now, s, reason);
        case OpKind::CeWait:
        case OpKind::CeTell:
        case OpKind::DeIncrement:
            return send_to_ce(now, s, reason);
        case OpKind::CacheStart:
            return start_cache_action(now, s, reason);
        case OpKind::ContextsIdle:
            return wait_for_contexts(now, s, reason);
        case OpKind::GdsRead:
        case OpKind::GdsWrite:
        case OpKind::GdsAtomic:
            return send_gds(now, s, reason);
        case OpKind::WaitGds:
            if (s.gds_in_flight != 0)
                s.wait = StallReason::Gds;
            break;
        case OpKind::WaitGdsStore:
            if (s.gds_stores != 0)
                s.wait = StallReason::GdsStore;
            break;
        case OpKind::RingError:
        case OpKind::SyncPfp:
            send_strobe(now, s);
            break;
        case OpKind::WaitDma:
            if ((op.wait ? s.dma_in_flight : s.dma_unwritten) != 0)
                s.wait = StallReason::Dma;
            break;
        case OpKind::CachePoll:
            s.program.result.value = s.cache_done ? 1 : 0;
            break;
        case OpKind::Clock:
            s.program.result.value = gpu_clock(now);
            break;
        default:
            return front::OpEngine<OpState>::carry_out(now, s, reason);
    }
    return OpStep::Finished;
}

void OpEngine::send_strobe(Cycle now, const OpState& s) {
    const Location& location = s.program.location();
    if (s.op.kind == OpKind::SyncPfp)
        to_sync->send(now, {location.ring});
    else
        to_ring_error->send(now, {location.ring, location.vmid, s.op.value});
}

OpStep OpEngine::write_register(Cycle now, OpState& s, StallReason& reason) {
    struct Steps {
        OpEngine& engine;
        Cycle now;
        OpState& s;
        StallReason& reason;
        void report(const PrivilegeFault& fault) const { engine.to_privilege->send(now, fault); }
        OpStep roll(uint32_t) const {
            return engine.engine_ == ProgramEngine::Me ? engine.roll(now, s, reason)
                                                       : OpStep::Finished;
        }
        OpStep post_event(uint8_t type) const {
            return engine.post_event(now, s, type, EventPurpose::Discard, reason)
                       ? OpStep::Finished
                       : no_event(reason);
        }
        OpStep send(uint32_t, uint32_t) const {
            if (!engine.to_bus->can_push(now))
                return blocked(reason, StallReason::RegBus);
            engine.send_write(now, s);
            return OpStep::Finished;
        }
    };
    const OpStep did = write_packet_register(s.program, spec_, s.op.offset, s.op.value,
                                             Steps{*this, now, s, reason});
    if (did == OpStep::Finished)
        s.program.result.value = s.op.value;
    return did;
}

OpStep OpEngine::send_event(Cycle now, OpState& s, StallReason& reason) {
    const EventPurpose purpose = s.op.wait ? EventPurpose::Wait : EventPurpose::Discard;
    if (!post_event(now, s, s.op.event_type, purpose, reason))
        return no_event(reason);
    if (s.op.wait) {
        s.event_done = false;
        s.wait = StallReason::Event;
    }
    return OpStep::Finished;
}

OpStep OpEngine::send_end_of_pipe(Cycle now, OpState& s, StallReason& reason) {
    const EopCommand& eop = s.op.eop;
    if (eop.gds_dwords != 0 && !gds_idle(s))
        return waiting(reason, StallReason::Gds);
    if (!to_eop->can_push(now))
        return waiting(reason, StallReason::Eop);
    if (!post_event(now, s, eop.event_type, EventPurpose::Eop, reason))
        return no_event(reason);
    note_eop(s);
    to_eop->push(now, eop);
    return OpStep::Finished;
}

void OpEngine::note_eop(OpState& s) {
    s.op.eop.flow = flow;
    s.gds_stores += s.op.eop.gds_dwords != 0 ? 1 : 0;
}

OpStep OpEngine::send_dma(Cycle now, OpState& s, StallReason& reason) {
    const DmaCommand& dma = s.op.dma;
    if ((dma.from_gds || dma.to_gds) && !gds_idle(s))
        return waiting(reason, StallReason::Gds);
    if (!to_dma->can_push(now))
        return waiting(reason, StallReason::Dma);
    note_dma(s);
    to_dma->push(now, dma);
    return OpStep::Finished;
}

void OpEngine::note_dma(OpState& s) {
    s.op.dma.pfp = engine_ == ProgramEngine::Pfp;
    ++s.dma_in_flight;
    ++s.dma_unwritten;
}

OpStep OpEngine::send_to_ce(Cycle now, OpState& s, StallReason& reason) {
    const MicroOp& op = s.op;
    if (!to_ce->can_push(now))
        return waiting(reason, StallReason::Ce);
    if (op.kind == OpKind::DeIncrement &&
        !post_event(now, s, op.event_type, EventPurpose::IncrementDe, reason, op.ce.buffer))
        return no_event(reason);
    to_ce->push(now, op.ce);
    if (op.kind == OpKind::CeWait) {
        s.ce_grant = 0;
        s.wait = StallReason::Ce;
    }
    return OpStep::Finished;
}

OpStep OpEngine::start_cache_action(Cycle now, OpState& s, StallReason& reason) {
    if (!to_coherency->can_push(now))
        return waiting(reason, StallReason::Cache);
    note_cache_action(s);
    to_coherency->push(now, s.op.action);
    return OpStep::Finished;
}

void OpEngine::note_cache_action(OpState& s) {
    s.op.action.tag = s.program.location().ring;
    s.cache_done = false;
    ++pipe_counters.cache_actions;
}

OpStep OpEngine::wait_for_contexts(Cycle now, OpState& s, StallReason& reason) {
    const Contexts& contexts = s.program.de().contexts;
    if (contexts.drawn && !contexts.closed) {
        if (!close_context(now, s, reason))
            return no_event(reason);
        return OpStep::Advanced;
    }
    if (contexts.in_flight() == 0)
        return OpStep::Finished;
    s.no_context = true;
    return waiting(reason, StallReason::Context);
}

}  // namespace archipelago::cp
