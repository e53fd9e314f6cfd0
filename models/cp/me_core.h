// SPDX-License-Identifier: Apache-2.0
// Micro engine: takes packets from the micro engine queues and carries out their programs. The
// rings share it: they take turns at packets, and a ring that waits gives its turn away.
// "Radeon Southern Islands Acceleration" 2.1, 2.2, 2.4, 2.8.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/common/arbiter.h"
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
#include "models/cp/ring_report.h"
#include "models/front/ring_turns.h"
#include "pins/cp_me_pins.h"

namespace archipelago::cp {

using front::RingOutcome;

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
};

// What ME does in a cycle, told as it does it; see MeCore::report_to().
struct MeEvents {
    enum class Dword : uint8_t { Header, Collected, Operand, PassedOver };
    bool took = false;  // a dword of the micro engine queue of `ring`
    Dword dword = Dword::Header;
    uint8_t ring = 0;
    bool passed = false;  // an event has left the pipe
    PendingEvent event;
    bool acted = false;  // an operation has been carried out, of `acted_in`
    uint8_t acted_in = 0;
    OpKind act = OpKind::RegWrite;
    bool finished = false;  // a packet, of `finished_in`
    uint8_t finished_in = 0;
    uint8_t turn = 0;  // the last ring that had one
    // At the end of the cycle.
    StallReason stall = StallReason::None;
    bool moved = false;
    bool rest = false;  // it has moved, and will not in the next cycle
};

class PinMe;

class MeCore : public Unit {
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

  private:
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

    // Every tick adds what it does to `events`, which must outlive this.
    void report_to(MeEvents& events) { events_ = &events; }
    // From now on `pins` has the turns of the rings, their phases and operations, what is under way
    // and the render contexts; channels, programs, counters and logs stay here. Throws
    // std::invalid_argument when the block behind the pins is not made for this spec.
    void use_pins(PinMe& pins);

    // Paused: starts nothing. Draining: takes no new work from outside.
    bool tick(Cycle now) override;
    // As tick(); what it throws leaves ME and its contexts as they were.
    bool tick_or_stay(Cycle now);
    // A packet is at work, or what one has begun.
    bool working() const;
    const MeState& state() const { return state_; }
    bool idle() const override;
    void reset() override;
    void archive(Archive& a) override;
    std::string waiting_for() const override;
    // Fills in what ME knows of the ring.
    void report(unsigned ring, RingReport& report) const;
    void register_stats(StatsRegistry& stats, const std::string& path) const;
    void observe(const Observers& observers, const std::string& path);
    void finish_trace(Cycle now) const;

  private:
    // The condition that the ring waits for while ME is not halted.
    std::string wait_of(unsigned ring) const;
    RingOutcome run(Cycle now, unsigned ring, StallReason& reason);
    // The functions of a turn return nothing to go on with the next phase.
    using Turn = front::RingTurn<StallReason>;
    std::optional<RingOutcome> run_phase(Turn& t);
    void take_header(Turn& t);
    void begin_packet(Cycle now, MeState::Ring& r, const MeqEntry& header);
    std::optional<RingOutcome> run_collect(Turn& t);
    std::optional<RingOutcome> run_execute(Turn& t);
    bool take(Turn& t, uint32_t& dword);
    bool take_in_beat(Turn& t, uint32_t& dword);
    bool ending_packet(Cycle now, front::RingCycle<StallReason>& cycle);
    bool runnable(unsigned ring) const {
        return state_.rings[ring].phase != MePhase::Header || !meq[ring].empty();
    }
    uint64_t candidates() const;
    bool take_responses(Cycle now);
    bool take_event(Cycle now);
    [[noreturn]] void stop_at_event(unsigned ring) const;
    void event_passed(Cycle now, const EventDone& done, const PendingEvent& event);
    void finish(Cycle now, MeState::Ring& r);
    void trace_packet(Cycle end, const MeState::Ring& r, uint64_t draws_before) const;
    void show_context(unsigned context, Cycle end) const;
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

    // ---- to events_
    void tell_taken(unsigned ring);
    void tell_end(StallReason stall, bool moved = false, bool rest = false) {
        if (events_ == nullptr)
            return;
        events_->stall = stall;
        events_->moved = moved;
        events_->rest = rest;
    }
    // ---- behind pins (me_pins.cpp)
    using PinIn = rtl::CpMePins::In;
    using PinOut = rtl::CpMePins::Out;
    bool tick_pins(Cycle now);
    bool put_levels(Cycle now, PinIn& in);
    bool put_answers(Cycle now, PinIn& in);
    bool put_memory(Cycle now, Channel<MemResponse>& from, rtl::CpMePins::Answer& to);
    void put_queues(Cycle now, PinIn& in) const;
    void ask_programs(Cycle now, PinIn& in, PinOut& out);
    void ask_program(Cycle now, PinIn& in, const PinOut& out);
    void check_operation(const OpState& s) const;
    void check_write(const OpState& s) const;
    void put_operation(unsigned ring, bool more, PinIn& in) const;
    void drop_answers(Cycle now, const PinIn& in, const PinOut& out);
    void follow(Cycle now, const PinOut& out);
    void follow_dword(Cycle now, unsigned ring, const PinOut& out);
    void follow_contexts(const PinOut& out);
    void send_memory(Cycle now, const PinOut& out);
    void send_register(Cycle now, const PinOut& out);
    void send_operation(Cycle now, const PinOut& out);
    void follow_act(Cycle now, const PinOut& out);
    void follow_rings(Cycle now, const PinOut& out);

    const Spec spec_;
    DeState& de_;
    MeState state_;
    RoundRobin turn_;
    PacketPace pace_;
    MeEvents* events_ = nullptr;
    PinMe* pins_ = nullptr;
    uint64_t inputs_ = 0;  // a bit per input other than the micro engine queues that is not empty
    Observers observers_;
    std::string path_;
    std::vector<TrackId> track_;
    std::array<TrackId, kContexts> context_track_{};
};

}  // namespace archipelago::cp
