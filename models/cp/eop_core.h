// SPDX-License-Identifier: Apache-2.0
// End-of-pipe unit: holds EVENT_WRITE_EOP, EVENT_WRITE_EOS, sample events of EVENT_WRITE and
// signals of MEM_SEMAPHORE until their event has passed all earlier work of the ring, then does the
// cache action, the writes through L2 (a semaphore's by SEM) and the interrupt. "Radeon Southern
// Islands Acceleration" 2.8.3 to 2.8.6.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "models/common/memory_message.h"
#include "models/common/stats.h"
#include "models/common/trace_sink.h"
#include "models/common/unit.h"
#include "models/common/wire.h"
#include "models/cp/cp_message.h"
#include "models/cp/cp_spec.h"
#include "models/cp/gds_access.h"
#include "models/cp/ring_report.h"
#include "models/cp/work_log.h"

namespace archipelago::cp {

class EopCore : public Unit {
  public:
    explicit EopCore(const Spec& spec);

    Channel<EopCommand> command;  // from ME
    Channel<EopTrigger> trigger;  // from ME: the event of the ring's next command is done
    // Counters of the graphics ring's sample events; see SampleCounts.
    Channel<SampleCounts> samples;
    // Those of ZPASS_DONE, in the order of these events.
    Channel<SampleCounts> depth_counts;
    Channel<MemResponse> memory_response;
    Channel<CacheActionDone> cache_done;
    Channel<GdsStored> gds_stored;
    Wire<bool> busy;

    OutputChannel<MemRequest> to_l2{this};
    OutputChannel<CacheAction> to_coherency{this};
    OutputChannel<GdsStore> to_gds_store{this};
    OutputEvent<EopNotice> to_registers{this};

    // While it is high no command with an interrupt completes.
    void watch_interrupt_hold(const Wire<bool>& hold) {
        interrupt_hold_ = &hold;
        hold.listen(this);
    }
    // Someone sends `samples`; without it the counters are 0.
    void expect_samples() { samples_come_ = true; }
    // The same for `depth_counts`.
    void expect_depth_counts() { depth_counts_come_ = true; }
    // Without it, DATA_SEL 4 stops the machine.
    void use_perfcounter(const PerfCounterSource* source) { perfcounter_ = source; }

    bool tick(Cycle now) override;
    bool idle() const override;
    void reset() override;
    void archive(Archive& a) override;
    std::string waiting_for() const override;
    // Adds the ring's commands.
    void report(unsigned ring, RingReport& report) const;
    void register_stats(StatsRegistry& stats, const std::string& path) const;
    void observe(const Observers& observers, const std::string& path);
    // Adds each command to `log`, which outlives it, from now on.
    void keep(std::vector<WorkLog::Span>& log) { log_ = &log; }
    void finish_trace(Cycle now) const;

  private:
    struct Entry {
        EopCommand command;
        Cycle accepted = 0;
        uint64_t order = 0;  // 0 until triggered
        uint64_t cs_invocations = 0, ps_invocations = 0;
    };
    enum class Phase : uint8_t { Choose, Cache, CacheWait, Data, Write, WriteWait, GdsWait };
    // A write that is not acknowledged.
    struct Flight {
        Location location;
        uint64_t address = 0;
        uint8_t event_type = 0;
        bool awaited = false;
    };
    static constexpr unsigned kFlights = 16;
    struct State {
        std::vector<Entry> entries;                    // in order of arrival
        std::vector<std::deque<EopTrigger>> triggers;  // by ring
        uint64_t next_order = 0;
        Phase phase = Phase::Choose;
        Entry serving;
        bool serving_valid = false;
        Cycle chosen = 0;  // timeline
        EopImage image;
        unsigned written = 0;  // values of it
        unsigned awaited = 0;  // acknowledgements that the command waits for
        unsigned flights = 0;
        uint32_t in_flight = 0;                 // places taken
        std::array<Flight, kFlights> flight{};  // by place
        uint64_t uid = 0;
        // counters
        uint64_t commands = 0;
        uint64_t writes = 0;
        uint64_t interrupts = 0;
        uint64_t cache_actions = 0;
        uint64_t wait_cycles = 0;
    };
    bool serve(Cycle now);
    bool store_gds(Cycle now);
    // Where the counters of the event that is served come from; null: it has none, or they are 0.
    Channel<SampleCounts>* counters();
    void make_image(Cycle now);
    void write(Cycle now);
    void take(const MemResponse& response);
    bool complete(Cycle now);
    void trace_entry(const Entry& entry, Cycle end) const;
    void trace_serving(Cycle end) const;
    bool held(Cycle now) const;

    const Spec spec_;
    State state_;
    const Wire<bool>* interrupt_hold_ = nullptr;
    const PerfCounterSource* perfcounter_ = nullptr;
    bool samples_come_ = false, depth_counts_come_ = false;
    std::vector<WorkLog::Span>* log_ = nullptr;
    Observers observers_;
    TrackId track_ = 0;
    TrackId serving_track_ = 0;
};

}  // namespace archipelago::cp
