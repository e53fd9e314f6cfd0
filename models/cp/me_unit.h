// SPDX-License-Identifier: Apache-2.0
// The micro engine as its surroundings see it: channels, packets of the rings, render contexts,
// counters, logs and control. MeCore is the model; MeOnPins (me_pins.h) has a block on pins, its
// Verilog twin.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "models/common/pipe_message.h"
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
#include "models/cp/ring_report.h"
#include "models/cp/work_log.h"

namespace archipelago::cp {

enum class MePhase : uint8_t { Header, Collect, Microcode, Execute, Drop };

struct MeState {
    struct Ring {
        MePhase phase = MePhase::Header;
        const PacketInfo* info = nullptr;
        uint32_t header = 0;
        Location location;
        std::array<uint32_t, kMaxFixedDwords> body{};
        uint32_t have = 0;
        uint32_t left = 0;  // body dwords still in the queue
        Cycle ready_at = 0;
        Cycle began = 0;
        PaceState pace;
        OpState op;
    };
    std::vector<Ring> rings;
    int current = -1;
    Cycle free_at = 0;  // its microcode is at the end of a packet until then
    bool halted = false;
    std::array<Cycle, kContexts> context_since{};  // timeline: taken
    uint64_t rolls = 0;                            // seen, as is `context`
    uint8_t context = 1;
    uint64_t draws = 0;  // of the packets that are done
    // counters
    std::array<uint64_t, static_cast<size_t>(PacketClass::kCount)> packets{};
    uint64_t dwords = 0;
    uint64_t dispatches = 0;
    StallCycles<StallReason> stalls;
    PacketTimes times;
};

class MeUnit : public Unit {
  public:
    // `de` is ME's alone while the clock runs.
    MeUnit(const Spec& spec, DeState& de);

    std::vector<Channel<MeqEntry>> meq;  // one per ring, from PFP
    EventLink<HaltChange> halt;
    EventLink<PollLimits> limits;
    Channel<MemResponse> hub_response;
    Channel<MemResponse> l2_response;
    Channel<RegResponse> register_response;
    Channel<CacheActionDone> cache_done;
    Channel<DmaDone> dma_done;
    Channel<EventDone> event_done;
    Channel<CeGrant> ce_grant;
    Channel<GdsResponse> gds_response;
    Channel<GdsStored> gds_stored;
    Wire<bool> busy;

  protected:
    OpEngine engine_;

  public:
    OutputChannel<MemRequest>& to_hub = engine_.to_hub;
    OutputChannel<MemRequest>& to_l2 = engine_.to_l2;
    OutputChannel<RegRequest>& to_bus = engine_.to_bus;
    OutputChannel<CacheAction>& to_coherency = engine_.to_coherency;
    OutputChannel<DmaCommand>& to_dma = engine_.to_dma;
    OutputChannel<EopCommand>& to_eop = engine_.to_eop;
    OutputChannel<EopTrigger> to_eop_trigger{this};
    OutputChannel<DeMessage>& to_ce = engine_.to_ce;
    OutputChannel<GdsRequest>& to_gds = engine_.to_gds;
    OutputEvent<SyncReached>& to_sync = engine_.to_sync;
    OutputEvent<RingError>& to_ring_error = engine_.to_ring_error;
    OutputEvent<PrivilegeFault>& to_privilege = engine_.to_privilege;
    OutputEvent<PollTimeout>& to_timeout = engine_.to_timeout;
    OutputEvent<StreamoutFlushed> to_streamout{this};  // optional
    // PERFCOUNTER events that have left the pipe, for the performance monitor; optional.
    OutputEvent<uint8_t> to_perf_events{this};

    // A packet is at work, or what one has begun.
    bool working() const;
    const MeState& state() const { return state_; }
    bool idle() const override;
    void reset() override;
    std::string waiting_for() const override;
    // Fills in what ME knows of the ring.
    void report(unsigned ring, RingReport& report) const;
    void register_stats(StatsRegistry& stats, const std::string& path) const;
    void observe(const Observers& observers, const std::string& path);
    // Keeps `log`, which outlives it, from now on.
    void keep(WorkLog& log) { log_ = &log; }
    void finish_trace(Cycle now) const;

  protected:
    void note_stall(Cycle now, StallReason reason) {
        cp::note_stall(state_.stalls, now, reason, log_ != nullptr ? &log_->me : nullptr);
    }
    void begin_packet(Cycle now, MeState::Ring& r, const MeqEntry& header);
    void finish(Cycle now, MeState::Ring& r);
    bool runnable(unsigned ring) const {
        return state_.rings[ring].phase != MePhase::Header || !meq[ring].empty();
    }
    // Throws MachineStop(Protocol) for an event of a ring that does not exist.
    void check_event(const EventDone& done) const;
    // Passes an event that has left the pipe to what waits for it, which has room.
    void event_passed(Cycle now, const EventDone& done, const PendingEvent& event);
    void note_context(Cycle now) {
        if (engine_.pipe_counters.context_rolls == state_.rolls &&
            de_.contexts.current == state_.context)
            return;
        state_.rolls = engine_.pipe_counters.context_rolls;
        state_.context = de_.contexts.current;
        state_.context_since[state_.context] = now;
    }
    void set_busy(Cycle now, bool level) {
        if (busy.latest() != level)
            busy.set(now, level);
    }
    void log_start(Cycle now, const MeState::Ring& r) const;
    void log_write(Cycle now, const MeState::Ring& r) const;

    const Spec spec_;
    DeState& de_;
    MeState state_;
    uint64_t inputs_ = 0;  // a bit per input other than the micro engine queues that is not empty

  private:
    // The condition that the ring waits for while ME is not halted.
    std::string wait_of(unsigned ring) const;
    void trace_packet(Cycle end, const MeState::Ring& r, uint64_t draws_before) const;
    void log_packet_end(Cycle now, const MeState::Ring& r, uint64_t draws_before);
    void trace_context(unsigned context, Cycle end) const;

    Observers observers_;
    std::string path_;
    std::vector<TrackId> track_;
    std::array<TrackId, kContexts> context_track_{};
    WorkLog* log_ = nullptr;
};

}  // namespace archipelago::cp
