// SPDX-License-Identifier: Apache-2.0
// Carries out the micro-operations of packet programs in time. PFP and ME each have one, with the
// ports they own; what belongs to a ring is in OpState, so that rings can take turns.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "models/common/channel.h"
#include "models/common/compute_message.h"
#include "models/common/memory_message.h"
#include "models/common/transaction_id.h"
#include "models/cp/cp_message.h"
#include "models/cp/cp_spec.h"
#include "models/cp/gds_access.h"
#include "models/cp/pm4/packet_program.h"

namespace archipelago::cp {

// Why a ring's packet does not move.
enum class StallReason : uint8_t {
    None,       // it moves, or there is nothing to do
    Queue,      // no dword to take
    QueueFull,  // the unit behind the engine takes no more packets
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

// Unset ports stay null; a program that needs one does not run on that engine.
struct OpPorts {
    Channel<RegRequest>* reg = nullptr;
    Channel<MemRequest>* hub = nullptr;
    Channel<MemRequest>* l2 = nullptr;
    Channel<CacheAction>* coherency = nullptr;
    Channel<DmaCommand>* dma = nullptr;
    Channel<EopCommand>* eop = nullptr;
    EventLink<SyncReached>* sync = nullptr;
    EventLink<PollTimeout>* timeout = nullptr;
    Channel<DeMessage>* ce = nullptr;
    Channel<GdsRequest>* gds = nullptr;
    EventLink<RingError>* error = nullptr;
    EventLink<PrivilegeFault>* privilege = nullptr;
};

enum class EventPurpose : uint8_t { Discard, Wait, Eop, IncrementDe, ContextDone };
struct PendingEvent {
    uint8_t type = 0;
    EventPurpose purpose = EventPurpose::Discard;
    uint8_t buffer = 0;  // IncrementDe; ContextDone: the context
};

struct OpState {
    PacketProgram program;
    MicroOp op;
    bool has_op = false;
    uint8_t stream_have = 0;
    StallReason wait = StallReason::None;
    Cycle ready_at = 0;
    uint8_t reads_issued = 0;
    uint8_t reads_missing = 0;
    uint32_t writes_in_flight = 0;
    uint32_t dma_in_flight = 0;
    uint32_t dma_unwritten = 0;
    uint32_t gds_in_flight = 0;
    uint32_t gds_stores = 0;  // EVENT_WRITE_EOS whose GDS data are not all in memory
    bool gds_data = false;
    bool reg_data = false;
    bool cache_done = false;
    bool event_done = false;
    bool no_context = false;  // waits for a render context
    bool polling = false;     // a poll of the packet has failed
    bool overdue = false;     // and for longer than the registers allow
    Cycle polling_since = 0;  // first failure
    uint8_t ce_grant = 0;     // 1 + buffer
    uint64_t last_read = 0;   // for the hang report
    // Events on their way, oldest first; ring buffer of Spec::events_in_flight.
    std::vector<PendingEvent> events;
    uint32_t events_head = 0;
    uint32_t events_count = 0;
};

enum class OpStep : uint8_t { Advanced, NeedDword, Blocked, Waiting, Finished };

struct OpCounters {
    uint64_t reg_writes = 0;
    uint64_t reg_reads = 0;
    uint64_t mem_reads = 0;
    uint64_t mem_writes = 0;
    uint64_t mem_bytes_written = 0;
    uint64_t atomics = 0;
    uint64_t polls = 0;
    uint64_t events = 0;
    uint64_t cache_actions = 0;
    uint64_t context_rolls = 0;
    uint64_t gds_requests = 0;
};

class OpEngine {
  public:
    OpEngine(const Spec& spec, ProgramEngine engine, Clocked& owner);
    OpPorts ports;
    OpCounters counters;
    OpState* gfx = nullptr;  // ring 0's: the pipe ends contexts in its order. Null: no contexts
    PollLimits limits;       // CP_WAIT_REG_MEM_TIMEOUT and CP_SEM_WAIT_TIMER
    uint64_t flow = 0;       // timeline: what end-of-pipe commands are labelled with

    void start(OpState& s, const PacketInfo& info, uint32_t header, const uint32_t* body,
               const Location& location, DeState& de);
    // Does at most one operation. `reason` says why not, when it does none.
    OpStep step(Cycle now, OpState& s, StallReason& reason);
    // A dword for a streamed operation, after NeedDword.
    static void give(OpState& s, uint32_t dword);

    using States = std::array<OpState*, kRings>;
    // Responses; `states` are those of all rings. Throw MachineStop for faults.
    void take(const MemResponse& response, const States& states);
    void take(const RegResponse& response, const States& states);
    void take(const GdsResponse& response, const States& states);
    static void take(const CacheActionDone& done, const States& states) {
        states[done.tag]->cache_done = true;
    }
    static void take(const DmaDone& done, const States& states) {
        states[done.ring]->dma_unwritten -= done.written ? 1 : 0;
        states[done.ring]->dma_in_flight -= done.done ? 1 : 0;
    }
    // What has come in a channel, if anything.
    template <class Response>
    bool take_from(Channel<Response>& channel, Cycle now, const States& states) {
        if (!channel.can_pop(now))
            return false;
        take(channel.pop(now), states);
        return true;
    }
    // The oldest event of the ring is done; says what it was for.
    static EventPurpose take(const EventDone& done, OpState& s, unsigned capacity);

    void clear(OpState& s) const;
    static bool idle(const OpState& s);
    // "WAIT_REG_MEM memory 0x1000 >= 0x1 (last 0x0)".
    static std::string waiting_for(const OpState& s);

  private:
    // Tags of memory requests: ring in bits 1:0, write in bit 2, place of the writer above.
    static constexpr uint32_t kTagWrite = 4;
    static constexpr unsigned kTagPlaceShift = 3;

    OpStep issue(Cycle now, OpState& s, StallReason& reason);
    // The operation `s.op`, in op_engine_issue.cpp. Advanced: there is more of it to do; Finished:
    // it is sent, and `s.wait` says what it waits for.
    OpStep carry_out(Cycle now, OpState& s, StallReason& reason);
    OpStep write_register(Cycle now, OpState& s, StallReason& reason);
    OpStep read_register(Cycle now, OpState& s, StallReason& reason);
    OpStep read_memory(Cycle now, OpState& s, StallReason& reason);
    OpStep write_memory(Cycle now, OpState& s, StallReason& reason);
    OpStep send_atomic(Cycle now, OpState& s, StallReason& reason);
    OpStep delay(Cycle now, OpState& s);
    OpStep send_event(Cycle now, OpState& s, StallReason& reason);
    OpStep send_end_of_pipe(Cycle now, OpState& s, StallReason& reason);
    OpStep send_dma(Cycle now, OpState& s, StallReason& reason);
    OpStep send_to_ce(Cycle now, OpState& s, StallReason& reason);
    OpStep start_cache_action(Cycle now, OpState& s, StallReason& reason);
    OpStep wait_for_contexts(Cycle now, OpState& s, StallReason& reason);
    void send_write(Cycle now, OpState& s);
    bool gds_quiet(const OpState& s) const;
    OpStep issue_gds(Cycle now, OpState& s, StallReason& reason);
    bool post_event(Cycle now, OpState& s, uint8_t type, EventPurpose purpose, StallReason& reason,
                    uint8_t buffer = 0);
    // Brings a register write into the right context; Finished when it may be written.
    OpStep roll(Cycle now, OpState& s, StallReason& reason);
    bool close_context(Cycle now, OpState& s, StallReason& reason);
    void check_limit(Cycle now, OpState& s);
    MemRequest memory_request(const OpState& s, uint64_t address, unsigned bytes) const;

    static constexpr unsigned kPlaces = 256;
    const Spec& spec_;
    ProgramEngine engine_;
    Clocked& owner_;
    uint64_t next_id() { return transaction_id(unit_, ++transactions_); }
    const TransactionUnit unit_;
    uint64_t transactions_ = 0;
    uint32_t write_sequence_ = 0;
    std::array<Location, kPlaces> write_place_{};  // who posted a write, for faults
};

// Of a read, or of an atomic.
void gds_result(const GdsResponse& response, bool atom, OpResult& result);

}  // namespace archipelago::cp
