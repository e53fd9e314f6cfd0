// SPDX-License-Identifier: Apache-2.0
#include "models/cp/op_engine.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstring>

#include "models/common/error.h"
#include "registers/si_names.h"

namespace archipelago::cp {

namespace {

// Tags: ring in bits 1:0, write in bit 2, place of the writer above.
constexpr uint32_t kTagWrite = 4;
constexpr unsigned kTagPlaceShift = 3;

std::string hex(uint64_t value) {
    char text[24];
    std::snprintf(text, sizeof text, "0x%" PRIx64, value);
    return text;
}

uint64_t byte_mask(uint64_t address, unsigned bytes) {
    const uint64_t ones = bytes >= 64 ? ~uint64_t{0} : (uint64_t{1} << bytes) - 1;
    return ones << (address % kLineBytes);
}

}  // namespace

const char* to_string(StallReason reason) {
    static const char* const kNames[] = {
        "work",      "queue",   "queue_full", "reg_bus",  "reg_read", "mem_port", "mem_data",
        "mem_write", "event",   "cache",      "dma",      "eop",      "poll",     "microcode",
        "ce",        "context", "gds",        "gds_data", "gds_store"};
    return kNames[static_cast<size_t>(reason)];
}

OpEngine::OpEngine(const Spec& spec, ProgramEngine engine, Clocked& owner)
    : spec_(spec),
      engine_(engine),
      owner_(owner),
      unit_(engine == ProgramEngine::Pfp  ? TransactionUnit::CpPfp
            : engine == ProgramEngine::Ce ? TransactionUnit::CpCeData
                                          : TransactionUnit::CpMe) {}

void OpEngine::clear(OpState& s) const {
    s = {};
    s.events.resize(spec_.events_in_flight);
}

bool OpEngine::idle(const OpState& s) {
    return !s.has_op && s.wait == StallReason::None && s.writes_in_flight == 0 &&
           s.dma_in_flight == 0 && s.gds_in_flight == 0 && s.events_count == 0;
}

void OpEngine::start(OpState& s, const PacketInfo& info, uint32_t header, const uint32_t* body,
                     const Location& location, DeState& de) {
    s.program.start(info, header, body, location, engine_, spec_.poll, de);
    s.has_op = false;
    s.wait = StallReason::None;
    s.last_read = 0;
    s.polling = s.overdue = false;
}

void OpEngine::give(OpState& s, uint32_t dword) {
    if (s.op.kind == OpKind::RegWrite)
        s.op.value = dword;
    else if (s.op.kind == OpKind::Take)
        s.program.result.data[s.stream_have] = dword;
    else
        s.op.data[s.stream_have] = dword;
    ++s.stream_have;
}

OpStep OpEngine::step(Cycle now, OpState& s, StallReason& reason) {
    if (s.wait != StallReason::None) {
        bool over = false;
        switch (s.wait) {
            case StallReason::RegRead:
                over = s.reg_data;
                break;
            case StallReason::MemData:
                over = s.reads_missing == 0;
                break;
            case StallReason::MemWrite:
                over = s.writes_in_flight == 0;
                break;
            case StallReason::Event:
                over = s.event_done;
                break;
            case StallReason::Ce:
                over = s.ce_grant != 0;
                break;
            case StallReason::Dma:
                over = (s.op.wait ? s.dma_in_flight : s.dma_unwritten) == 0;
                break;
            case StallReason::Gds:
                over = s.gds_in_flight == 0;
                break;
            case StallReason::GdsData:
                over = s.gds_data;
                break;
            case StallReason::GdsStore:
                over = s.gds_stores == 0;
                break;
            default:
                over = now >= s.ready_at;
                break;
        }
        if (!over) {
            reason = s.wait;
            return OpStep::Waiting;
        }
        if (s.wait == StallReason::MemData)
            s.program.result.value = s.program.result.data[0] | uint64_t{s.program.result.data[1]}
                                                                    << 32;
        if (s.wait == StallReason::Ce)
            s.program.result.value = s.ce_grant;
        if (s.wait == StallReason::MemData || s.wait == StallReason::RegRead ||
            s.wait == StallReason::GdsData)
            s.last_read = s.program.result.value;
        s.wait = StallReason::None;
    }
    if (!s.has_op) {
        if (!s.program.next(s.op))
            return OpStep::Finished;
        s.has_op = true;
        s.stream_have = 0;
        s.reads_issued = 0;
    }
    if (s.op.stream && s.stream_have < s.op.dwords) {
        reason = StallReason::Queue;
        return OpStep::NeedDword;
    }
    return issue(now, s, reason);
}

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
    if (!post_event(now, s, kContextDoneEvent, EventPurpose::ContextDone, reason, contexts.current))
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
                return reason == StallReason::Event ? OpStep::Waiting : OpStep::Blocked;
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

void OpEngine::send_register(Cycle now, uint8_t ring, uint8_t vmid, uint32_t offset, uint32_t value,
                             Contexts& contexts) {
    ports.reg->emplace(now, [&](RegRequest& to) {
        to = {};
        to.offset = offset;
        to.value = value;
        to.write = true;
        to.source = kRegFromCp;
        to.ring = ring;
        to.context = contexts.target(offset);
        to.vmid = vmid;
        to.tag = ring;
    });
    contexts.wrote(offset, value);
    ++counters.reg_writes;
}

// The register write `s.op`, which nothing stands in the way of.
void OpEngine::send_write(Cycle now, OpState& s) {
    const Location& location = s.program.location();
    send_register(now, location.ring, location.vmid, s.op.offset, s.op.value,
                  s.program.de().contexts);
    s.program.result.value = s.op.value;
}

bool OpEngine::write_now(Cycle now, uint8_t ring, uint32_t offset, uint32_t value,
                         Contexts& contexts) {
    if (!ports.reg->can_push(now))
        return false;
    send_register(now, ring, 0, offset, value, contexts);
    return true;
}

// The next write of a run when it asks for no privilege, context or event, and the bus takes it.
bool OpEngine::write_plain(Cycle now, OpState& s, uint32_t dword) {
    const Contexts& contexts = s.program.de().contexts;
    if (s.program.location().vmid != 0 || contexts.drawn || contexts.closed ||
        !ports.reg->can_push(now))
        return false;
    const uint32_t offset = s.has_op ? s.op.offset : s.program.run_offset();
    if (offset == regs::si::VGT_EVENT_INITIATOR || !s.program.plain_write(offset))
        return false;
    if (!s.has_op)
        s.program.next(s.op);
    s.op.value = dword;
    s.stream_have = 1;
    s.reads_issued = 0;
    send_write(now, s);
    s.has_op = s.no_context = false;
    return true;
}

OpStep OpEngine::issue(Cycle now, OpState& s, StallReason& reason) {
    MicroOp& op = s.op;
    const Location& location = s.program.location();
    switch (op.kind) {
        case OpKind::RegWrite: {
            if (location.vmid != 0 && !spec_.user_registers.allows(op.offset) &&
                s.program.names_registers()) {
                ports.privilege->send(now, {location, s.program.info().name, op.offset, op.value});
                s.program.result.value = op.value;
                break;
            }
            s.program.check_register_write(op.offset);
            if (gfx != nullptr) {
                const OpStep rolled = roll(now, s, reason);
                if (rolled != OpStep::Finished)
                    return rolled;
            }
            if (op.offset == regs::si::VGT_EVENT_INITIATOR) {
                refuse_sample(location, s.program.info(), op.value & 0x3F);
                if (!post_event(now, s, op.value & 0x3F, EventPurpose::Discard, reason))
                    return reason == StallReason::Event ? OpStep::Waiting : OpStep::Blocked;
                s.program.result.value = op.value;
                break;
            }
            if (!ports.reg->can_push(now)) {
                reason = StallReason::RegBus;
                return OpStep::Blocked;
            }
            send_write(now, s);
            break;
        }
        case OpKind::RegRead: {
            if (!ports.reg->can_push(now)) {
                reason = StallReason::RegBus;
                return OpStep::Blocked;
            }
            RegRequest request;
            request.offset = op.offset;
            request.source = kRegFromCp;
            request.ring = location.ring;
            request.context = s.program.de().contexts.current;
            request.tag = location.ring;
            ports.reg->push(now, request);
            s.reg_data = false;
            s.wait = StallReason::RegRead;
            ++counters.reg_reads;
            break;
        }
        case OpKind::MemRead: {
            Channel<MemRequest>* port = op.path == MemPath::L2 ? ports.l2 : ports.hub;
            if (!port->can_push(now)) {
                reason = StallReason::MemPort;
                return OpStep::Blocked;
            }
            // At most two lines.
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
            break;
        }
        case OpKind::MemWrite: {
            Channel<MemRequest>* port = op.path == MemPath::L2 ? ports.l2 : ports.hub;
            if (!port->can_push(now)) {
                reason = StallReason::MemPort;
                return OpStep::Blocked;
            }
            MemRequest request = memory_request(s, op.address, 4 * op.dwords);
            request.command = MemCommand::Write;
            if (op.kernel)
                request.vmid = 0;
            request.uid = next_id();
            const unsigned place = write_sequence_++ % kPlaces;
            write_place_[place] = location;
            request.tag |= kTagWrite | place << kTagPlaceShift;
            for (unsigned i = 0; i < op.dwords; ++i) {
                const uint32_t dword = swap_dword(op.data[i], op.swap);
                std::memcpy(&request.data[op.address % kLineBytes + 4 * i], &dword, 4);
            }
            port->push(now, request);
            ++s.writes_in_flight;
            ++counters.mem_writes;
            counters.mem_bytes_written += 4u * op.dwords;
            break;
        }
        case OpKind::Take:
            break;
        case OpKind::Atomic: {
            if (!ports.l2->can_push(now)) {
                reason = StallReason::MemPort;
                return OpStep::Blocked;
            }
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
            break;
        }
        case OpKind::WaitWrites:
            if (s.writes_in_flight != 0)
                s.wait = StallReason::MemWrite;
            break;
        case OpKind::WaitDma:
            if ((op.wait ? s.dma_in_flight : s.dma_unwritten) != 0)
                s.wait = StallReason::Dma;
            break;
        case OpKind::Delay:
            s.ready_at = now + op.cycles;
            s.wait = StallReason::Poll;
            owner_.wake_at(s.ready_at);
            ++counters.polls;
            check_limit(now, s);
            break;
        case OpKind::Event:
            if (!post_event(now, s, op.event_type,
                            op.wait ? EventPurpose::Wait : EventPurpose::Discard, reason))
                return reason == StallReason::Event ? OpStep::Waiting : OpStep::Blocked;
            if (op.wait) {
                s.event_done = false;
                s.wait = StallReason::Event;
            }
            break;
        case OpKind::Eop:
            if (op.eop.gds_dwords != 0 && !gds_quiet(s)) {
                reason = StallReason::Gds;
                return OpStep::Waiting;
            }
            if (!ports.eop->can_push(now)) {
                reason = StallReason::Eop;
                return OpStep::Waiting;
            }
            if (!post_event(now, s, op.eop.event_type, EventPurpose::Eop, reason))
                return reason == StallReason::Event ? OpStep::Waiting : OpStep::Blocked;
            op.eop.flow = flow;
            ports.eop->push(now, op.eop);
            s.gds_stores += op.eop.gds_dwords != 0 ? 1 : 0;
            break;
        case OpKind::CacheStart:
            if (!ports.coherency->can_push(now)) {
                reason = StallReason::Cache;
                return OpStep::Waiting;
            }
            op.action.tag = location.ring;
            ports.coherency->push(now, op.action);
            s.cache_done = false;
            ++counters.cache_actions;
            break;
        case OpKind::CachePoll:
            s.program.result.value = s.cache_done ? 1 : 0;
            break;
        case OpKind::Dma:
            if ((op.dma.from_gds || op.dma.to_gds) && !gds_quiet(s)) {
                reason = StallReason::Gds;
                return OpStep::Waiting;
            }
            if (!ports.dma->can_push(now)) {
                reason = StallReason::Dma;
                return OpStep::Waiting;
            }
            op.dma.pfp = engine_ == ProgramEngine::Pfp;
            ports.dma->push(now, op.dma);
            ++s.dma_in_flight;
            ++s.dma_unwritten;
            break;
        case OpKind::CeWait:
        case OpKind::CeTell:
            if (!ports.ce->can_push(now)) {
                reason = StallReason::Ce;
                return OpStep::Waiting;
            }
            ports.ce->push(now, op.ce);
            if (op.kind == OpKind::CeWait) {
                s.ce_grant = 0;
                s.wait = StallReason::Ce;
            }
            break;
        case OpKind::ContextsIdle: {
            const Contexts& contexts = s.program.de().contexts;
            if (contexts.drawn && !contexts.closed) {
                if (!close_context(now, s, reason))
                    return reason == StallReason::Event ? OpStep::Waiting : OpStep::Blocked;
                return OpStep::Advanced;
            }
            if (contexts.in_flight() != 0) {
                reason = StallReason::Context;
                s.no_context = true;
                return OpStep::Waiting;
            }
            break;
        }
        case OpKind::DeIncrement:
            if (!ports.ce->can_push(now)) {
                reason = StallReason::Ce;
                return OpStep::Waiting;
            }
            if (!post_event(now, s, op.event_type, EventPurpose::IncrementDe, reason, op.ce.buffer))
                return reason == StallReason::Event ? OpStep::Waiting : OpStep::Blocked;
            ports.ce->push(now, op.ce);
            break;
        case OpKind::GdsRead:
        case OpKind::GdsWrite:
        case OpKind::GdsAtomic:
        case OpKind::WaitGds:
        case OpKind::WaitGdsStore:
        case OpKind::RingError:
            return issue_gds(now, s, reason);
        case OpKind::SyncPfp:
            ports.sync->send(now, {location.ring});
            break;
        case OpKind::Clock:
            s.program.result.value = now * spec_.gpu_clock_mul / spec_.gpu_clock_div;
            break;
    }
    s.has_op = s.no_context = false;
    return OpStep::Advanced;
}

void OpEngine::take(const MemResponse& response, const States& states) {
    OpState& s = *states[response.tag & 3];
    const bool write = (response.tag & kTagWrite) != 0;
    if (response.status != MemStatus::Ok) {
        const Location& place = write ? write_place_[response.tag >> kTagPlaceShift & (kPlaces - 1)]
                                      : s.program.location();
        const uint64_t address =
            write || line_of(s.op.address) != response.line ? response.line : s.op.address;
        throw MachineStop(StopKind::Fault, to_string(place),
                          std::string(write ? "write to " : "read of ") +
                              (response.status == MemStatus::Unmapped ? "unmapped" : "faulty") +
                              " address " + hex(address));
    }
    if (write) {
        --s.writes_in_flight;
        return;
    }
    for (unsigned i = 0; i < s.op.dwords; ++i) {
        const uint64_t address = s.op.address + 4 * i;
        if (line_of(address) != response.line)
            continue;
        uint32_t dword = 0;
        std::memcpy(&dword, &response.data[address % kLineBytes], 4);
        s.program.result.data[i] = swap_dword(dword, s.op.swap);
    }
    if (s.op.dwords == 1)
        s.program.result.data[1] = 0;
    --s.reads_missing;
}

void OpEngine::take(const RegResponse& response, const States& states) {
    if (response.write)
        return;  // writes are posted
    OpState& s = *states[response.tag & 3];
    s.program.result.value = response.value;
    s.reg_data = true;
}

EventPurpose OpEngine::take(const EventDone& done, OpState& s, unsigned capacity) {
    if (s.events_count == 0)
        return EventPurpose::Discard;  // the host wrote the event initiator itself
    const PendingEvent event = s.events[s.events_head];
    if (event.type != done.event_type)
        throw MachineStop(StopKind::Protocol, std::string("ring ") + ring_name(done.ring),
                          "the pipe completed " + event_name(done.event_type) + " while " +
                              event_name(event.type) + " is the oldest on its way");
    s.events_head = (s.events_head + 1) % capacity;
    --s.events_count;
    if (event.purpose == EventPurpose::Wait)
        s.event_done = true;
    return event.purpose;
}

std::string OpEngine::waiting_for(const OpState& s) {
    std::string text = describe_wait(s.program, static_cast<uint32_t>(s.last_read));
    const PacketId id = s.program.info().id;
    // Those that poll say what for.
    if (s.wait != StallReason::None && id != PacketId::WaitRegMem && id != PacketId::MemSemaphore)
        text += std::string(": ") + to_string(s.wait);
    else if (s.no_context)
        text += std::string(": ") + to_string(StallReason::Context);
    return text;
}

}  // namespace archipelago::cp
