// SPDX-License-Identifier: Apache-2.0
// The operations that CP's packets have besides those of every engine (models/front/op_engine.h),
// in cycle mode: events, end of pipe, DMA, cache actions, constant engine, GDS, render contexts.
// PFP, ME and the constant engine's fetch each have one, with the outputs they own.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/common/channel.h"
#include "models/common/memory_message.h"
#include "models/common/pipe_message.h"
#include "models/cp/cp_message.h"
#include "models/cp/cp_spec.h"
#include "models/cp/gds_access.h"
#include "models/cp/pm4/packet_program.h"
#include "models/front/op_engine.h"

namespace archipelago::cp {

// Why a ring's packet does not move.
enum class StallReason : uint8_t {
    None,       // it moves, or there is nothing to do
    Queue,      // no dword to take
    QueueFull,  // the unit after the engine takes no more packets
    RegBus,     // register bus busy
    RegRead,    // register data outstanding
    MemPort,    // memory port busy
    MemData,    // memory data outstanding
    MemWrite,   // write acknowledgements outstanding
    Event,      // event outstanding, or too many of them
    Cache,      // coherency unit busy
    Dma,        // DMA engine
    Eop,        // end-of-pipe unit full
    Poll,       // between two polls
    Microcode,
    Ce,        // constant engine
    Context,   // all render contexts in the pipe
    Gds,       // GDS busy, or posted operations outstanding
    GdsData,   // GDS data outstanding
    GdsStore,  // GDS data on their way to memory
    kCount,
};
const char* to_string(StallReason reason);

enum class EventPurpose : uint8_t { Discard, Wait, Eop, IncrementDe, ContextDone };
struct PendingEvent {
    uint8_t type = 0;
    EventPurpose purpose = EventPurpose::Discard;
    uint8_t buffer = 0;  // IncrementDe; ContextDone: the context
};

struct OpState : front::OpState<PacketProgram, MicroOp, StallReason> {
    uint32_t dma_in_flight = 0;
    uint32_t dma_unwritten = 0;
    uint32_t gds_in_flight = 0;
    uint32_t gds_stores = 0;  // EVENT_WRITE_EOS whose GDS data are not all in memory
    bool gds_data = false;
    bool cache_done = false;
    bool event_done = false;
    bool no_context = false;  // waits for a render context
    bool polling = false;     // a poll of the packet has failed
    bool overdue = false;     // and for longer than the registers allow
    Cycle polling_since = 0;  // first failure
    uint8_t ce_grant = 0;     // 1 + buffer
    // Events on their way, oldest first; ring buffer of Spec::events_in_flight.
    std::vector<PendingEvent> events;
    uint32_t events_head = 0;
    uint32_t events_count = 0;
    template <class Archive>
    void archive(Archive& a) {
        a.at_rest(dma_in_flight == 0 && gds_in_flight == 0 && gds_stores == 0 && events_count == 0,
                  "what packets have begun has not ended");
        front::OpState<PacketProgram, MicroOp, StallReason>::archive(a);
        a(dma_unwritten, gds_data, cache_done, event_done, no_context, polling, overdue,
          polling_since, ce_grant, events, events_head);
    }
};

using front::OpStep;

class OpEngine : public front::OpEngine<OpState> {
  public:
    OpEngine(const Spec& spec, ProgramEngine engine, Clocked& owner);

    OutputChannel<CacheAction> to_coherency;
    OutputChannel<DmaCommand> to_dma;
    OutputChannel<EopCommand> to_eop;
    OutputChannel<DeMessage> to_ce;
    OutputChannel<GdsRequest> to_gds;  // not connected: the machine has none
    OutputEvent<SyncReached> to_sync;
    OutputEvent<PollTimeout> to_timeout;
    OutputEvent<RingError> to_ring_error;
    OutputEvent<PrivilegeFault> to_privilege;
    // Of what only CP does.
    struct PipeCounters {
        uint64_t events = 0;
        uint64_t cache_actions = 0;
        uint64_t context_rolls = 0;
        uint64_t gds_requests = 0;
    } pipe_counters;
    PollLimits limits;  // CP_WAIT_REG_MEM_TIMEOUT and CP_SEM_WAIT_TIMER
    uint64_t flow = 0;  // timeline: what end-of-pipe commands are labelled with

    void reset();
    void add_ring(OpState& s);
    void start(OpState& s, const PacketInfo& info, uint32_t header, const uint32_t* body,
               const Location& location, DeState& de);
    template <class Archive>
    void archive(Archive& a) {
        front::OpEngine<OpState>::archive(a);
        a(pipe_counters, limits, flow);
    }

    // The rules of single operations. An engine on pins sends what they say, and calls these too.
    //
    // A message leaves: its effect on state, counters and warnings, and the fields of a command
    // that the engine fills in. The write's RegRequest::place is returned.
    uint16_t note_write(OpState& s, uint32_t offset, uint32_t value);
    void note_read(OpState& s, uint32_t offset);
    void note_event(OpState& list, uint8_t type, EventPurpose purpose, uint8_t buffer = 0);
    void note_eop(OpState& s);
    void note_dma(OpState& s);
    void note_cache_action(OpState& s);
    void note_gds(OpState& s);
    using front::OpEngine<OpState>::note_memory;
    using front::OpEngine<OpState>::ring_request;
    GdsRequest gds_request(const OpState& s);
    // An answer has come. Of a GDS request the ring is returned.
    using front::OpEngine<OpState>::check;
    using front::OpEngine<OpState>::take_write;
    OpState& end_gds(uint32_t tag);
    // Effects besides messages of channels: the next render context; a poll that has failed and its
    // overdue report; what PFP_SYNC_ME and a packet's error report.
    void take_context(Contexts& contexts);
    using front::OpEngine<OpState>::delay;
    void report_timeout(Cycle now, const OpState& s);
    void send_strobe(Cycle now, const OpState& s);
    uint64_t gpu_clock(uint64_t cycles) const {
        return cycles * spec_.gpu_clock_mul / spec_.gpu_clock_div;
    }
    // Throws MachineStop when the machine has no GDS, when a semaphore has not come early enough.
    void require_gds(const OpState& s) const;
    [[noreturn]] void stop_at_semaphore(const OpState& s) const;

    using front::OpEngine<OpState>::take;
    void take(const GdsResponse& response);
    void take(const CacheActionDone& done) { ring(done.tag).cache_done = true; }
    void take(const DmaDone& done) {
        ring(done.ring).dma_unwritten -= done.written ? 1 : 0;
        ring(done.ring).dma_in_flight -= done.done ? 1 : 0;
    }
    void take(const CeGrant& grant) {
        ring(grant.ring).ce_grant = static_cast<uint8_t>(1 + grant.buffer);
    }
    void take(const GdsStored& stored) { --ring(stored.ring).gds_stores; }
    // What has come in a channel, if anything.
    template <class Response>
    bool take_from(Channel<Response>& channel, Cycle now) {
        if (!channel.can_pop(now))
            return false;
        take(channel.pop(now));
        return true;
    }
    // The oldest event of the ring is done; says what it was for.
    EventPurpose take(const EventDone& done, OpState& s) const;

    static bool idle(const OpState& s);
    // "WAIT_REG_MEM memory 0x1000 >= 0x1 (last 0x0)".
    static std::string waiting_for(const OpState& s);

  private:
    OpStep carry_out(Cycle now, OpState& s, StallReason& reason) override;
    bool wait_over(Cycle now, OpState& s) override;
    RegRequest register_request(const OpState& s) const override;

    OpStep carry_out_own(Cycle now, OpState& s, StallReason& reason);
    OpStep write_register(Cycle now, OpState& s, StallReason& reason);
    OpStep send_event(Cycle now, OpState& s, StallReason& reason);
    OpStep send_end_of_pipe(Cycle now, OpState& s, StallReason& reason);
    OpStep send_dma(Cycle now, OpState& s, StallReason& reason);
    OpStep send_to_ce(Cycle now, OpState& s, StallReason& reason);
    OpStep start_cache_action(Cycle now, OpState& s, StallReason& reason);
    OpStep wait_for_contexts(Cycle now, OpState& s, StallReason& reason);
    void send_write(Cycle now, OpState& s);
    bool gds_idle(const OpState& s) const;
    OpStep send_gds(Cycle now, OpState& s, StallReason& reason);
    bool post_event(Cycle now, OpState& s, uint8_t type, EventPurpose purpose, StallReason& reason,
                    uint8_t buffer = 0);
    // Brings a register write into the right context; Finished when it may be written.
    OpStep roll(Cycle now, OpState& s, StallReason& reason);
    bool close_context(Cycle now, OpState& s, StallReason& reason);
    void check_limit(Cycle now, OpState& s);

    const Spec& spec_;
    const ProgramEngine engine_;
};

// Of a read, or of an atomic.
void gds_result(const GdsResponse& response, bool atom, OpResult& result);

}  // namespace archipelago::cp
