// SPDX-License-Identifier: Apache-2.0
// The prefetch parser as its surroundings see it: channels, packets of the rings, programs,
// counters, logs and control. PfpCore is the model; PfpOnPins (pfp_pins.h) has a block on pins, its
// Verilog twin.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "models/common/stall_cycles.h"
#include "models/common/stats.h"
#include "models/common/trace_sink.h"
#include "models/common/unit.h"
#include "models/common/wire.h"
#include "models/cp/ce_message.h"
#include "models/cp/cp_message.h"
#include "models/cp/cp_spec.h"
#include "models/cp/op_engine.h"
#include "models/cp/packet_pace.h"
#include "models/cp/packet_times.h"
#include "models/cp/pm4/packet_stop.h"
#include "models/cp/ring_report.h"
#include "models/cp/work_log.h"
#include "models/front/stream_reader.h"

namespace archipelago::cp {

enum class PfpPhase : uint8_t { Header, Routing, Microcode, Forward, Skip, Execute, SyncMe };

struct PfpState {
    struct Ring {
        front::StreamReader stream;
        PfpPhase phase = PfpPhase::Header;
        const PacketInfo* info = nullptr;
        uint32_t header = 0;
        Location location;
        std::array<uint32_t, kMaxFixedDwords> body{};
        uint32_t have = 0;       // body dwords in `body`
        uint32_t forwarded = 0;  // packet dwords given to ME, the header among them
        uint32_t left = 0;       // body dwords not yet taken from the queue
        Route route = Route::Skip;
        bool plain = false;  // to ME, and PFP reads none of its dwords
        bool synced = false;
        bool programmed = false;  // the packet's program has started
        bool skip_predicated = false;
        SkipWalk walk;  // over what the last program left out
        Cycle ready_at = 0;
        Cycle began = 0;
        PaceState pace;
        OpState op;
    };
    std::vector<Ring> rings;
    uint64_t runnable = 0;  // rings, a bit each
    int current = -1;
    Cycle free_at = 0;          // its microcode is at the end of a packet until then
    Cycle waits_from = kNever;  // `current` gives its turn away in this cycle
    bool halted = false;
    std::string error;  // the packet it halted on, and why; empty: none
    // counters
    std::array<uint64_t, static_cast<size_t>(PacketClass::kCount)> packets{};
    uint64_t dwords = 0;
    uint64_t type2 = 0;
    uint64_t indirect_buffers = 0;
    uint64_t constant_buffers = 0;
    uint64_t syncs = 0;
    StallCycles<StallReason> stalls;  // the reason may be that of the next cycle
    PacketTimes times;
};

class PfpUnit : public Unit {
  public:
    // `de`: of the drawing engine, of which the parser keeps predication and the device; null: its
    // own.
    explicit PfpUnit(const Spec& spec, DeState* de = nullptr);

    std::vector<Channel<RoqLine>> roq;  // from fetch, by stream
    EventLink<RingUpdate> update;       // from the registers
    EventLink<HaltChange> halt;
    EventLink<SyncReached> sync;  // from ME
    Channel<MemResponse> memory_response;
    Channel<RegResponse> register_response;
    Channel<CacheActionDone> cache_done;
    Channel<DmaDone> dma_done;
    EventLink<PollLimits> limits;  // from the registers
    Wire<bool> busy;

  protected:
    OpEngine engine_;

  public:
    OutputChannel<FetchCommand> to_fetch{this};
    OutputEvent<RoqCredit> to_credit{this};
    std::vector<OutputChannel<MeqEntry>> to_meq;     // by ring
    std::vector<OutputChannel<CeCommand>> to_ce;     // by ring
    OutputEvent<ReadPointer> to_read_pointer{this};  // to the registers
    OutputEvent<RingError> to_parse_error{this};
    OutputChannel<MemRequest>& to_hub = engine_.to_hub;
    OutputChannel<RegRequest>& to_bus = engine_.to_bus;
    OutputChannel<CacheAction>& to_coherency = engine_.to_coherency;
    OutputChannel<DmaCommand>& to_dma = engine_.to_dma;
    OutputEvent<PrivilegeFault>& to_privilege = engine_.to_privilege;
    OutputEvent<PollTimeout>& to_timeout = engine_.to_timeout;

    // Errors of packets whose interrupt CP_INT_CNTL_RINGn, `control`, enables go to to_parse_error,
    // and PFP halts; without the interrupt they stop the machine.
    void watch_interrupt_control(const std::vector<Wire<uint32_t>>& control) {
        interrupt_control_ = &control;
    }
    // Type-3 packets of the ring with the PREDICATE bit are skipped from now on, or no longer;
    // besides, the ring's SET_PREDICATION decides.
    void skip_predicated(unsigned ring, bool skip) { state_.rings[ring].skip_predicated = skip; }

    const PfpState& state() const { return state_; }
    bool idle() const override;
    void reset() override;
    std::string waiting_for() const override;
    // Fills in what PFP knows of the ring, unless ME has a packet of it.
    void report(unsigned ring, RingReport& report) const;
    void register_stats(StatsRegistry& stats, const std::string& path) const;
    void observe(const Observers& observers, const std::string& path);
    // Keeps `log`, which outlives it, from now on.
    void keep(WorkLog& log) { log_ = &log; }
    void finish_trace(Cycle now) const;

  protected:
    void note_stall(Cycle now, StallReason reason) {
        cp::note_stall(state_.stalls, now, reason, log_ != nullptr ? &log_->pfp : nullptr);
    }
    // Whether the ring has something to do.
    bool runnable(unsigned ring) const {
        const PfpState::Ring& r = state_.rings[ring];
        return r.phase != PfpPhase::Header || !r.stream.in_ring() ||
               (r.stream.ring.enabled && !r.stream.top().at_end());
    }
    void note_runnable(unsigned ring) {
        const uint64_t bit = uint64_t{1} << ring;
        state_.runnable = runnable(ring) ? state_.runnable | bit : state_.runnable & ~bit;
    }
    void set_up(const RingUpdate& u);
    [[noreturn]] void ring_moved(unsigned ring, const front::StreamLevel& top) const;
    // CP's error interrupt for this error: PFP halts. False: the error has no interrupt.
    bool error_reported(Cycle now, const PacketStop& stop);
    // What the programs wait for.
    void take_responses(Cycle now, bool& progress);
    // A header has been taken; then `info` is known, null for a type-2 filler.
    static void begin_packet(Cycle now, PfpState::Ring& r, uint32_t header);
    void know_packet(PfpState::Ring& r, const PacketInfo* info);
    // The packet is PFP's own, and `have` dwords of its body are here.
    void begin_program(Cycle now, unsigned ring, Route route, uint32_t have);
    // The packet ends at dword `position` of its buffer.
    void end_packet(Cycle now, unsigned ring, uint32_t position);
    void enter_buffer(unsigned ring, uint8_t level, const IndirectBuffer& buffer);
    void count_constant_buffer(const PfpState::Ring& r, uint8_t vmid);
    void note_forwarded(unsigned ring, uint32_t place, uint32_t dword);
    void walk(unsigned ring, uint32_t dword);
    void log_packet_of(Cycle now, const PfpState::Ring& r, uint32_t have) const;
    bool predicate_skips(unsigned ring) const {
        return state_.rings[ring].skip_predicated || de_.rings[ring].predication.skip;
    }
    void set_busy(Cycle now, bool level) {
        if (busy.latest() != level)
            busy.set(now, level);
    }
    // Programs of PFP's own packets.
    virtual void start_program(unsigned ring);
    // As OpEngine::step(); a program that is finished may have `skip` dwords after those it has
    // taken skipped.
    virtual OpStep step_program(Cycle now, unsigned ring, StallReason& reason, uint32_t& skip);
    virtual void give_program(unsigned ring, uint32_t dword);

    const Spec spec_;
    PfpState state_;
    uint64_t inputs_ = 0;  // a bit per input other than the reorder queue that is not empty
    DeState own_de_;
    DeState& de_;
    Observers observers_;
    WorkLog* log_ = nullptr;

  private:
    // The condition that the ring waits for while no error and no PFP_HALT holds it.
    std::string wait_of(unsigned ring) const;
    void trace_packet(Cycle end, unsigned ring) const;

    const std::vector<Wire<uint32_t>>* interrupt_control_ = nullptr;
    std::string path_;
    std::vector<TrackId> track_;
};

}  // namespace archipelago::cp
