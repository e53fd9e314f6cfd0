// SPDX-License-Identifier: Apache-2.0
// How the engine of PFP, ME or the constant engine's fetch carries out the operations of a program.
#include <algorithm>
#include <cstring>

#include "models/common/error.h"
#include "models/common/vgt_event.h"
#include "models/cp/op_engine.h"
#include "models/cp/register_write.h"
#include "registers/si_names.h"

namespace archipelago::cp {

namespace {

constexpr uint32_t kEventTypeMask = 0x3F;

uint64_t byte_mask(uint64_t address, unsigned bytes) {
    const uint64_t ones = bytes >= 64 ? ~uint64_t{0} : (uint64_t{1} << bytes) - 1;
    return ones << (address % kLineBytes);
}

OpStep blocked(StallReason& reason, StallReason why) {
    reason = why;
    return OpStep::Blocked;
}
OpStep waiting(StallReason& reason, StallReason why) {
    reason = why;
    return OpStep::Waiting;
}
// post_event() has failed: too many are on their way, or the bus is busy.
OpStep no_event(StallReason reason) {
    return reason == StallReason::Event ? OpStep::Waiting : OpStep::Blocked;
}

}  // namespace

MemRequest OpEngine::memory_request(const OpState& s, uint64_t address, unsigned bytes) const {
    MemRequest request;
    request.line = line_of(address);
    request.byte_mask = byte_mask(address, bytes);
    request.client = engine_ == ProgramEngine::Ce ? Client::CpCe : Client::CpMe;
    request.vmid = s.program.location().vmid;
    request.source = s.program.location().ring;
    request.tag = s.program.location().ring;
    return request;
}

bool OpEngine::post_event(Cycle now, OpState& s, uint8_t type, EventPurpose purpose,
                          StallReason& reason, uint8_t buffer) {
    OpState& list = purpose == EventPurpose::ContextDone ? *gfx : s;
    if (list.events_count == list.events.size()) {
        reason = StallReason::Event;
        return false;
    }
    if (!ports.reg->can_push(now)) {
        reason = StallReason::RegBus;
        return false;
    }
    RegRequest request;
    request.offset = regs::si::VGT_EVENT_INITIATOR;
    request.value = type;
    request.write = true;
    request.source = kRegFromCp;
    request.ring = purpose == EventPurpose::ContextDone ? 0 : s.program.location().ring;
    request.context = s.program.de().contexts.current;
    request.tag = request.ring;
    ports.reg->push(now, request);
    list.events[(list.events_head + list.events_count) % list.events.size()] = {type, purpose,
                                                                                buffer};
    ++list.events_count;
    ++counters.events;
    ++counters.reg_writes;
    return true;
}

bool OpEngine::close_context(Cycle now, OpState& s, StallReason& reason) {
    Contexts& contexts = s.program.de().contexts;
    if (!post_event(now, s, vgt_event::kContextDone, EventPurpose::ContextDone, reason,
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
            const bool copies = s.op.offset != kGfxCopyState && contexts.next() != from;
            if (copies && !ports.reg->can_push(now)) {
                reason = StallReason::RegBus;
                return OpStep::Blocked;
            }
            contexts.take();
            ++counters.context_rolls;
            if (!copies)
                break;
            RegRequest copy;
            copy.offset = kGfxCopyState;
            copy.value = from;
            copy.write = true;
            copy.source = kRegFromCp;
            copy.ring = copy.tag = s.program.location().ring;
            copy.context = contexts.current;
            ports.reg->push(now, copy);
            ++counters.reg_writes;
            return OpStep::Advanced;
        }
    }
    return OpStep::Finished;
}

// A poll has failed. What polls for too long is told once, when it polls in vain again: a
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
    const Location& location = s.program.location();
    if (s.op.limit == PollLimit::Semaphore)
        throw MachineStop(StopKind::Hang, to_string(location),
                          std::string("packet ") + s.program.info().name +
                              " waits for longer than CP_SEM_WAIT_TIMER (" + std::to_string(limit) +
                              " clocks)");
    if (ports.timeout != nullptr)
        ports.timeout->send(now, {location.ring, location.vmid});
}

// The register write `s.op`, which nothing stands in the way of.
void OpEngine::send_write(Cycle now, OpState& s) {
    const Location& location = s.program.location();
    Contexts& contexts = s.program.de().contexts;
    ports.reg->emplace(now, [&](RegRequest& to) {
        to = {};
        to.offset = s.op.offset;
        to.value = s.op.value;
        to.write = true;
        to.source = kRegFromCp;
        to.ring = location.ring;
        to.context = contexts.target(s.op.offset);
        to.vmid = location.vmid;
        to.tag = location.ring;
    });
    contexts.wrote(s.op.offset, s.op.value);
    s.program.result.value = s.op.value;
    ++counters.reg_writes;
}

OpStep OpEngine::issue(Cycle now, OpState& s, StallReason& reason) {
    const OpStep did = carry_out(now, s, reason);
    if (did != OpStep::Finished)
        return did;
    s.has_op = s.no_context = false;
    return OpStep::Advanced;
}

OpStep OpEngine::carry_out(Cycle now, OpState& s, StallReason& reason) {
    const MicroOp& op = s.op;
    switch (op.kind) {
        case OpKind::RegWrite:
            return write_register(now, s, reason);
        case OpKind::RegRead:
            return read_register(now, s, reason);
        case OpKind::MemRead:
            return read_memory(now, s, reason);
        case OpKind::MemWrite:
            return write_memory(now, s, reason);
        case OpKind::Atomic:
            return send_atomic(now, s, reason);
        case OpKind::Delay:
            return delay(now, s);
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
        case OpKind::WaitGds:
        case OpKind::WaitGdsStore:
        case OpKind::RingError:
            return issue_gds(now, s, reason);
        case OpKind::WaitWrites:
            if (s.writes_in_flight != 0)
                s.wait = StallReason::MemWrite;
            break;
        case OpKind::WaitDma:
            if ((op.wait ? s.dma_in_flight : s.dma_unwritten) != 0)
                s.wait = StallReason::Dma;
            break;
        case OpKind::CachePoll:
            s.program.result.value = s.cache_done ? 1 : 0;
            break;
        case OpKind::SyncPfp:
            ports.sync->send(now, {s.program.location().ring});
            break;
        case OpKind::Clock:
            s.program.result.value = now * spec_.gpu_clock_mul / spec_.gpu_clock_div;
            break;
        case OpKind::Take:
            break;
    }
    return OpStep::Finished;
}

OpStep OpEngine::write_register(Cycle now, OpState& s, StallReason& reason) {
    const MicroOp& op = s.op;
    const RegisterWriteKind kind = register_write_kind(s.program, spec_.user_registers, op.offset);
    if (kind == RegisterWriteKind::Privileged) {
        ports.privilege->send(now,
                              {s.program.location(), s.program.info().name, op.offset, op.value});
        s.program.result.value = op.value;
        return OpStep::Finished;
    }
    if (gfx != nullptr) {
        const OpStep rolled = roll(now, s, reason);
        if (rolled != OpStep::Finished)
            return rolled;
    }
    if (kind == RegisterWriteKind::Event) {
        const auto type = static_cast<uint8_t>(op.value & kEventTypeMask);
        s.program.check_event_write(type);
        if (!post_event(now, s, type, EventPurpose::Discard, reason))
            return no_event(reason);
        s.program.result.value = op.value;
        return OpStep::Finished;
    }
    if (!ports.reg->can_push(now))
        return blocked(reason, StallReason::RegBus);
    send_write(now, s);
    return OpStep::Finished;
}

OpStep OpEngine::read_register(Cycle now, OpState& s, StallReason& reason) {
    if (!ports.reg->can_push(now))
        return blocked(reason, StallReason::RegBus);
    RegRequest request;
    request.offset = s.op.offset;
    request.source = kRegFromCp;
    request.ring = s.program.location().ring;
    request.context = s.program.de().contexts.current;
    request.tag = s.program.location().ring;
    ports.reg->push(now, request);
    s.reg_data = false;
    s.wait = StallReason::RegRead;
    ++counters.reg_reads;
    return OpStep::Finished;
}

// A line a cycle, at most two.
OpStep OpEngine::read_memory(Cycle now, OpState& s, StallReason& reason) {
    const MicroOp& op = s.op;
    Channel<MemRequest>* port = op.path == MemPath::L2 ? ports.l2 : ports.hub;
    if (!port->can_push(now))
        return blocked(reason, StallReason::MemPort);
    const uint64_t end = op.address + 4 * op.dwords;
    const uint64_t from = s.reads_issued == 0 ? op.address : line_of(end - 1);
    const uint64_t to = std::min(end, line_of(from) + kLineBytes);
    MemRequest request = memory_request(s, from, static_cast<unsigned>(to - from));
    request.uid = next_id();
    port->push(now, request);
    ++counters.mem_reads;
    if (s.reads_issued++ == 0)
        s.reads_missing = 0;
    ++s.reads_missing;
    if (to != end)
        return OpStep::Advanced;  // the second line follows
    s.wait = StallReason::MemData;
    return OpStep::Finished;
}

OpStep OpEngine::write_memory(Cycle now, OpState& s, StallReason& reason) {
    const MicroOp& op = s.op;
    Channel<MemRequest>* port = op.path == MemPath::L2 ? ports.l2 : ports.hub;
    if (!port->can_push(now))
        return blocked(reason, StallReason::MemPort);
    MemRequest request = memory_request(s, op.address, 4 * op.dwords);
    request.command = MemCommand::Write;
    if (op.kernel)
        request.vmid = 0;
    request.uid = next_id();
    const unsigned place = write_sequence_++ % kPlaces;
    write_place_[place] = s.program.location();
    request.tag |= kTagWrite | place << kTagPlaceShift;
    for (unsigned i = 0; i < op.dwords; ++i) {
        const uint32_t dword = swap_dword(op.data[i], op.swap);
        std::memcpy(&request.data[op.address % kLineBytes + 4 * i], &dword, 4);
    }
    port->push(now, request);
    ++s.writes_in_flight;
    ++counters.mem_writes;
    counters.mem_bytes_written += 4u * op.dwords;
    return OpStep::Finished;
}

OpStep OpEngine::send_atomic(Cycle now, OpState& s, StallReason& reason) {
    const MicroOp& op = s.op;
    if (!ports.l2->can_push(now))
        return blocked(reason, StallReason::MemPort);
    const unsigned bytes = 4u * op.dwords;
    MemRequest request = memory_request(s, op.address, bytes);
    request.command = MemCommand::Atomic;
    request.atomic = op.atomic;
    request.atomic_bytes = static_cast<uint8_t>(bytes);
    request.compare = op.compare;
    request.uid = next_id();
    std::memcpy(&request.data[op.address % kLineBytes], &op.operand, bytes);
    ports.l2->push(now, request);
    s.reads_missing = 1;
    s.wait = StallReason::MemData;
    ++counters.atomics;
    return OpStep::Finished;
}

OpStep OpEngine::delay(Cycle now, OpState& s) {
    s.ready_at = now + s.op.cycles;
    s.wait = StallReason::Poll;
    owner_.wake_at(s.ready_at);
    ++counters.polls;
    check_limit(now, s);
    return OpStep::Finished;
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
    EopCommand& eop = s.op.eop;
    if (eop.gds_dwords != 0 && !gds_quiet(s))
        return waiting(reason, StallReason::Gds);
    if (!ports.eop->can_push(now))
        return waiting(reason, StallReason::Eop);
    if (!post_event(now, s, eop.event_type, EventPurpose::Eop, reason))
        return no_event(reason);
    eop.flow = flow;
    ports.eop->push(now, eop);
    s.gds_stores += eop.gds_dwords != 0 ? 1 : 0;
    return OpStep::Finished;
}

OpStep OpEngine::send_dma(Cycle now, OpState& s, StallReason& reason) {
    DmaCommand& dma = s.op.dma;
    if ((dma.from_gds || dma.to_gds) && !gds_quiet(s))
        return waiting(reason, StallReason::Gds);
    if (!ports.dma->can_push(now))
        return waiting(reason, StallReason::Dma);
    dma.pfp = engine_ == ProgramEngine::Pfp;
    ports.dma->push(now, dma);
    ++s.dma_in_flight;
    ++s.dma_unwritten;
    return OpStep::Finished;
}

OpStep OpEngine::send_to_ce(Cycle now, OpState& s, StallReason& reason) {
    const MicroOp& op = s.op;
    if (!ports.ce->can_push(now))
        return waiting(reason, StallReason::Ce);
    if (op.kind == OpKind::DeIncrement &&
        !post_event(now, s, op.event_type, EventPurpose::IncrementDe, reason, op.ce.buffer))
        return no_event(reason);
    ports.ce->push(now, op.ce);
    if (op.kind == OpKind::CeWait) {
        s.ce_grant = 0;
        s.wait = StallReason::Ce;
    }
    return OpStep::Finished;
}

OpStep OpEngine::start_cache_action(Cycle now, OpState& s, StallReason& reason) {
    if (!ports.coherency->can_push(now))
        return waiting(reason, StallReason::Cache);
    s.op.action.tag = s.program.location().ring;
    ports.coherency->push(now, s.op.action);
    s.cache_done = false;
    ++counters.cache_actions;
    return OpStep::Finished;
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
