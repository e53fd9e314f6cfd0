// SPDX-License-Identifier: Apache-2.0
// Micro engine: takes packets from the micro engine queues and carries out their programs. The
// three rings share it: they take turns at packets, and a ring that waits gives its turn away.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "models/common/arbiter.h"
#include "models/common/channel.h"
#include "models/common/clocked.h"
#include "models/common/compute_message.h"
#include "models/common/control.h"
#include "models/common/stall_cycles.h"
#include "models/common/stats.h"
#include "models/common/trace_sink.h"
#include "models/common/wire.h"
#include "models/cp/ce_message.h"
#include "models/cp/cp_message.h"
#include "models/cp/cp_spec.h"
#include "models/cp/op_engine.h"
#include "models/cp/ring_report.h"
#include "models/cp/ring_turns.h"

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
        OpState op;
    };
    std::array<Ring, kRings> rings;
    int current = -1;
    bool halted = false;
    std::array<Cycle, kContexts> context_since{};  // timeline: taken
    uint64_t rolls = 0;                            // seen, as is `context`
    uint8_t context = 1;
    uint64_t draws = 0;  // of packets the timeline has
    // counters
    std::array<uint64_t, static_cast<size_t>(PacketClass::kCount)> packets{};
    uint64_t dwords = 0;
    uint64_t dispatches = 0;
    StallCycles<StallReason> stalls;
};

class MeCore : public Clocked {
  public:
    // `de` is ME's alone while the clock runs.
    MeCore(const Spec& spec, DeState& de);

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

    void connect_hub(Channel<MemRequest>* out);
    void connect_l2(Channel<MemRequest>* out);
    void connect_registers(Channel<RegRequest>* out);
    void connect_coherency(Channel<CacheAction>* out);
    void connect_dma(Channel<DmaCommand>* out);
    void connect_eop(Channel<EopCommand>* out, Channel<EopTrigger>* trigger);
    void connect_ce(Channel<DeMessage>* out);
    void connect_gds(Channel<GdsRequest>* out);
    void connect_error(EventLink<RingError>* out) { engine_.ports.error = out; }
    void connect_privilege(EventLink<PrivilegeFault>* out) { engine_.ports.privilege = out; }
    // PERFCOUNTER events that have left the pipe, for the performance monitor.
    void connect_perf_events(EventLink<uint8_t>* out) { perf_events_ = out; }
    void connect_sync(EventLink<SyncReached>* out) { engine_.ports.sync = out; }
    void connect_timeout(EventLink<PollTimeout>* out) { engine_.ports.timeout = out; }
    void connect_streamout(EventLink<StreamoutFlushed>* out) { streamout_ = out; }

    // Paused: starts nothing. Draining: takes no new work from outside.
    void set_run_state(RunState run) {
        run_ = run;
        wake_at(0);
    }
    bool tick(Cycle now) override;
    bool idle() const;
    void reset();
    std::string waiting_for() const;
    // Fills in what ME knows of the ring.
    void report(unsigned ring, RingReport& report) const;
    void register_stats(StatsRegistry& stats, const std::string& path) const;
    void observe(const Observers& observers, const std::string& path);

  private:
    RingOutcome run(Cycle now, unsigned ring, StallReason& reason);
    bool runnable(unsigned ring) const {
        return state_.rings[ring].phase != MePhase::Header || !meq[ring].empty();
    }
    uint64_t candidates() const;
    bool take_responses(Cycle now);
    void finish(Cycle now, MeState::Ring& r);
    void trace_packet(Cycle now, const MeState::Ring& r);
    void note_context(Cycle now) {
        if (engine_.counters.context_rolls == state_.rolls &&
            de_.contexts.current == state_.context)
            return;
        state_.rolls = engine_.counters.context_rolls;
        state_.context = de_.contexts.current;
        state_.context_since[state_.context] = now;
    }
    void set_busy(Cycle now, bool level) {
        if (busy.latest() != level)
            busy.set(now, level);
    }

    const Spec spec_;
    RunState run_ = RunState::Running;
    DeState& de_;
    MeState state_;
    RoundRobin turn_{kRings};
    uint64_t inputs_ = 0;  // a bit per input other than the micro engine queues that is not empty
    OpEngine engine_;
    Channel<EopTrigger>* trigger_ = nullptr;
    EventLink<StreamoutFlushed>* streamout_ = nullptr;
    EventLink<uint8_t>* perf_events_ = nullptr;
    Observers observers_;
    std::string path_;
    std::array<TrackId, kRings> track_{};
    std::array<TrackId, kContexts> context_track_{};
};

}  // namespace archipelago::cp
