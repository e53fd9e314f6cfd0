// SPDX-License-Identifier: Apache-2.0
// Prefetch parser: takes dwords from the reorder queue, parses packets, keeps what is its own and
// hands the rest to ME through the micro engine queue. The rings take turns at packets; a ring that
// waits gives its turn away. "Radeon Southern Islands Acceleration" 2.1 to 2.9.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/common/arbiter.h"
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
#include "models/cp/pm4/packet_stop.h"
#include "models/cp/ring_report.h"
#include "models/front/ring_turns.h"
#include "models/front/stream_reader.h"
#include "pins/cp_pfp_parser_pins.h"

namespace archipelago::cp {

using front::RingOutcome;

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
};

// Executes packets on the prefetch parser in the place of its own engine.
class PfpPrograms {
  public:
    virtual ~PfpPrograms() = default;
    virtual void start(unsigned ring, const PacketInfo& info, uint32_t header, const uint32_t* body,
                       const Location& location) = 0;
    // As OpEngine::step; a program that is finished may have `skip` dwords behind those it has
    // taken skipped.
    virtual OpStep step(Cycle now, unsigned ring, StallReason& reason, uint32_t& skip) = 0;
    virtual void give(unsigned ring, uint32_t dword) = 0;
};

// What the parser does in a cycle, told as it does it; see PfpCore::report_to().
struct PfpEvents {
    enum class Dword : uint8_t {
        None,
        Header,
        First,
        Other
    };  // First: for the route, or a program
    struct Error {
        ParseFault fault = ParseFault::None;
        Location location;
        uint32_t header = 0;
        uint32_t left = 0;  // dwords of the packet or behind it; of RingMoved the write pointer
        std::vector<uint32_t> body;
    };
    Dword took = Dword::None;
    uint8_t ring = 0;  // it was taken from
    uint32_t dword = 0;
    Location packet;  // it belongs to
    uint64_t skipped = 0,
             begun = 0;     // packets that are passed over, or executed: rings, a bit each
    bool synced = false;    // PFP_SYNC_ME went to ME
    bool finished = false;  // a packet, of `finished_in`
    Location finished_in;
    // At the end of the cycle.
    StallReason stall = StallReason::None;
    uint64_t runnable = 0;  // rings, a bit each
    std::vector<PfpPhase> phases;
    Error error;  // it stops with
};

class PinPfp;

class PfpCore : public Unit {
  public:
    // `de`: of the drawing engine, of which the parser keeps predication and the device; null: its
    // own.
    explicit PfpCore(const Spec& spec, DeState* de = nullptr);

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

  private:
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
    void use_programs(PfpPrograms& programs) { programs_ = &programs; }
    // Every tick adds what it does to `events`, which must outlive this.
    void report_to(PfpEvents& events) { events_ = &events; }
    // From now on `pins` parses and holds the parser's state; channels, programs, counters and logs
    // stay here. Throws std::invalid_argument when the block behind the pins is not made for this
    // spec.
    void use_pins(PinPfp& pins);
    // Type-3 packets of the ring with the PREDICATE bit are skipped from now on, or no longer;
    // besides, the ring's SET_PREDICATION decides.
    void skip_predicated(unsigned ring, bool skip) { state_.rings[ring].skip_predicated = skip; }

    // Paused: starts nothing. Draining: takes no new work from outside.
    bool tick(Cycle now) override;
    // A cycle whose clock edge does not come: what tick() would do comes out, and the parser's
    // state stays.
    void tick_held(Cycle now);
    bool idle() const override;
    void reset() override;
    void archive(Archive& a) override;
    std::string waiting_for() const override;
    // Fills in what PFP knows of the ring, unless ME has a packet of it.
    void report(unsigned ring, RingReport& report) const;
    void register_stats(StatsRegistry& stats, const std::string& path) const;
    void observe(const Observers& observers, const std::string& path);
    void finish_trace(Cycle now) const;

  private:
    bool run_cycle(Cycle now);
    RingOutcome run_until_error(Cycle now, unsigned ring, StallReason& reason);
    RingOutcome run(Cycle now, unsigned ring, StallReason& reason);
    // The functions of a turn return nothing to go on with the next phase.
    using Turn = front::RingTurn<StallReason>;
    std::optional<RingOutcome> run_phase(Turn& t);
    std::optional<RingOutcome> run_header(Turn& t);
    std::optional<RingOutcome> run_routing(Turn& t);
    std::optional<RingOutcome> run_skip(Turn& t);
    std::optional<RingOutcome> run_execute(Turn& t);
    RingOutcome call_buffer(Turn& t);
    RingOutcome call_constant_buffer(Turn& t);
    void enter_buffer(Cycle now, unsigned ring, uint8_t level, const IndirectBuffer& buffer);
    bool take(Turn& t, uint32_t& dword);
    bool take_in_beat(Turn& t, uint32_t& dword);
    RingOutcome forward_in_beats(Cycle now, unsigned ring, StallReason& reason);
    bool ending_packet(Cycle now, front::RingCycle<StallReason>& cycle);
    bool collect(Turn& t, uint32_t count);
    bool runnable(unsigned ring) const {
        const PfpState::Ring& r = state_.rings[ring];
        return r.phase != PfpPhase::Header || !r.stream.in_ring() ||
               (r.stream.ring.enabled && !r.stream.top().at_end());
    }
    // Whether the ring has something to do may have changed.
    void note_runnable(unsigned ring) {
        const uint64_t bit = uint64_t{1} << ring;
        state_.runnable = runnable(ring) ? state_.runnable | bit : state_.runnable & ~bit;
    }
    bool take_inputs(Cycle now);
    bool take_dword(Cycle now, unsigned ring, uint32_t& dword);
    RingOutcome forward(Cycle now, unsigned ring, StallReason& reason);
    // The condition that the ring waits for while no error and no PFP_HALT holds it.
    std::string wait_of(unsigned ring) const;
    void apply(const RingUpdate& u);
    void set_up(const RingUpdate& u);
    bool error_reported(Cycle now, const PacketStop& stop);
    [[noreturn]] void ring_moved(unsigned ring, const front::StreamLevel& top) const;
    void parse_header(Cycle now, unsigned ring, uint32_t header);
    void decide(Cycle now, PfpState::Ring& r);
    void finish(Cycle now, unsigned ring);
    void trace_packet(Cycle end, unsigned ring) const;
    void set_busy(Cycle now, bool level) {
        if (busy.latest() != level)
            busy.set(now, level);
    }
    void command_ce(Cycle now, unsigned ring);
    void start_program(unsigned ring);
    OpStep step_program(Cycle now, unsigned ring, StallReason& reason, uint32_t& skip);
    void give_program(unsigned ring, uint32_t dword);
    void skip_on(unsigned ring, uint32_t dwords);
    void walk(unsigned ring, uint32_t dword);
    void note_forwarded(unsigned ring, uint32_t place, uint32_t dword);
    bool predicate_skips(unsigned ring) const {
        return state_.rings[ring].skip_predicated || de_.rings[ring].predication.skip;
    }
    void take_responses(Cycle now, bool& progress);
    // ---- to events_, when there are any
    void tell_taken(unsigned ring, uint32_t dword, PfpEvents::Dword kind) {
        if (events_ != nullptr)
            add_taken(ring, dword, kind);
    }
    void add_taken(unsigned ring, uint32_t dword, PfpEvents::Dword kind);
    void add_error(const PacketStop& stop);
    void add_outcome(Cycle now);
    // ---- behind pins (pfp_pins.cpp)
    bool tick_pins(Cycle now);
    void run_programs(Cycle now, rtl::CpPfpParserPins::In& in);
    bool put_events(Cycle now, rtl::CpPfpParserPins::In& in);
    void put_queues(Cycle now, rtl::CpPfpParserPins::In& in) const;
    void follow(Cycle now, const rtl::CpPfpParserPins::Out& out);
    void follow_dword(Cycle now, const rtl::CpPfpParserPins::Out& out);
    void follow_packet(Cycle now, unsigned ring, const rtl::CpPfpParserPins::Out& out);
    bool forward_dwords(Cycle now, const rtl::CpPfpParserPins::Out& out);
    [[noreturn]] void stop_at(const rtl::CpPfpParserPins::Out& out);

    const Spec spec_;
    PfpState state_;
    RoundRobin turn_;
    uint64_t inputs_ = 0;  // a bit per input other than the reorder queue that is not empty
    DeState own_de_;
    DeState& de_;
    const std::vector<Wire<uint32_t>>* interrupt_control_ = nullptr;
    PacketPace pace_;
    PfpPrograms* programs_ = nullptr;
    PinPfp* pins_ = nullptr;
    PfpEvents* events_ = nullptr;
    Observers observers_;
    std::string path_;
    std::vector<TrackId> track_;
};

}  // namespace archipelago::cp
