// SPDX-License-Identifier: Apache-2.0
#include "models/cp/op_engine.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstring>

#include "models/common/error.h"
#include "models/common/vgt_event.h"
#include "registers/si_names.h"

namespace archipelago::cp {

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
    // Those that poll say what for.
    if (s.wait != StallReason::None && !s.program.info().is(kPolls))
        text += std::string(": ") + to_string(s.wait);
    else if (s.no_context)
        text += std::string(": ") + to_string(StallReason::Context);
    return text;
}

}  // namespace archipelago::cp
