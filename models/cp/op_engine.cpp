// SPDX-License-Identifier: Apache-2.0
#include "models/cp/op_engine.h"

#include "models/common/error.h"

namespace archipelago::cp {

const char* to_string(StallReason reason) {
    static const char* const kNames[] = {
        "work",      "queue",   "queue_full", "reg_bus",  "reg_read", "mem_port", "mem_data",
        "mem_write", "event",   "cache",      "dma",      "eop",      "poll",     "microcode",
        "ce",        "context", "gds",        "gds_data", "gds_store"};
    return kNames[static_cast<size_t>(reason)];
}

namespace {
front::OpSpec op_spec(ProgramEngine engine) {
    front::OpSpec spec;
    spec.names = ring_names();
    spec.client = engine == ProgramEngine::Ce ? Client::CpCe : Client::CpMe;
    spec.unit = engine == ProgramEngine::Pfp  ? TransactionUnit::CpPfp
                : engine == ProgramEngine::Ce ? TransactionUnit::CpCeData
                                              : TransactionUnit::CpMe;
    return spec;
}
}  // namespace

OpEngine::OpEngine(const Spec& spec, ProgramEngine engine, Clocked& owner)
    : front::OpEngine<OpState>(op_spec(engine), owner),
      to_coherency(&owner),
      to_dma(&owner),
      to_eop(&owner),
      to_ce(&owner),
      to_gds(&owner),
      to_sync(&owner),
      to_timeout(&owner),
      to_ring_error(&owner),
      to_privilege(&owner),
      spec_(spec),
      engine_(engine) {}

void OpEngine::reset() {
    front::OpEngine<OpState>::reset();
    pipe_counters = {};
    limits = {};
}

void OpEngine::add_ring(OpState& s) {
    s.events.resize(spec_.events_in_flight);
    front::OpEngine<OpState>::add_ring(s);
}

bool OpEngine::idle(const OpState& s) {
    return front::OpEngine<OpState>::idle(s) && s.dma_in_flight == 0 && s.gds_in_flight == 0 &&
           s.events_count == 0;
}

void OpEngine::start(OpState& s, const PacketInfo& info, uint32_t header, const uint32_t* body,
                     const Location& location, DeState& de) {
    s.program.start(info, header, body, location, engine_, spec_.poll, de);
    s.has_op = false;
    s.wait = StallReason::None;
    s.last_read = 0;
    s.polling = s.overdue = false;
}

bool OpEngine::wait_over(Cycle now, OpState& s) {
    switch (s.wait) {
        case StallReason::Event:
            return s.event_done;
        case StallReason::Ce:
            s.program.result.value = s.ce_grant;
            return s.ce_grant != 0;
        case StallReason::Dma:
            return (s.op.wait ? s.dma_in_flight : s.dma_unwritten) == 0;
        case StallReason::Gds:
            return s.gds_in_flight == 0;
        case StallReason::GdsData:
            s.last_read = s.program.result.value;
            return s.gds_data;
        case StallReason::GdsStore:
            return s.gds_stores == 0;
        default:
            return front::OpEngine<OpState>::wait_over(now, s);
    }
}

EventPurpose OpEngine::take(const EventDone& done, OpState& s) const {
    if (s.events_count == 0)
        return EventPurpose::Discard;  // the host wrote the event initiator itself
    const PendingEvent event = s.events[s.events_head];
    const PipeEvents& events = spec_.registers->events;
    if (event.type != done.event_type)
        throw MachineStop(StopKind::Protocol, std::string("ring ") + ring_name(done.ring),
                          "the pipe completed " + events.name(done.event_type) + " while " +
                              events.name(event.type) + " is the oldest on its way");
    s.events_head = (s.events_head + 1) % static_cast<uint32_t>(s.events.size());
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
