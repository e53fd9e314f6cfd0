// SPDX-License-Identifier: Apache-2.0
// Performance monitor: the counters of GRBM, IA, VGT, SPI and the TC blocks after their documented
// registers, counted by what the model counts anyway. CP_PERFMON_CNTL and the PERFCOUNTER events
// let them run.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "models/common/memory_message.h"
#include "models/common/perf_counter.h"
#include "models/common/stats.h"
#include "models/common/unit.h"
#include "models/common/wire.h"
#include "models/perf/perf_table.h"

namespace archipelago::perf {

struct PerfSpec {
    RegisterMap map;  // of the chip's family

    ChannelSpec registers{4, 1};  // register bus -> performance monitor
    unsigned events = 1;          // cycles from CP to here
};

class PerfCore : public Unit, public RegisterTarget {
  public:
    explicit PerfCore(const PerfSpec& spec);

    Channel<RegRequest> registers;
    EventLink<uint8_t> events;  // PERFCOUNTER events that have left the pipe
    OutputChannel<RegResponse> to_registers{this};

    // What events count. The model's counters by their names, once all are registered; wires that
    // are high while something is busy: several for one event are high when any is.
    void connect_counters(const StatsRegistry& registry);
    void add_busy(Block block, uint16_t event, const Wire<bool>* wire);

    bool tick(Cycle now) override;

    // ---- functional mode: the clock is `clock()` of the machine, if anything -------------------
    void use_clock(std::function<uint64_t()> clock) { clock_ = std::move(clock); }
    void take_event(Cycle now, uint8_t type);

    // CP_PERFCOUNTER_HI/LO, which have no public offset on Southern Islands: the cycles counted
    // while CP_PERFMON_CNTL says so, what event 0 of CP_PERFCOUNTER_SELECT counts.
    uint64_t cp_count(Cycle now) const { return cp_.value(clock_ ? clock_() : now); }

    // RegisterTarget
    bool write_register(const RegRequest& request) override;
    bool read_register(const RegRequest& request, uint32_t& value) override;

    // ---- Control -------------------------------------------------------------------------------
    void reset() override;
    void archive(Archive& a) override;
    bool idle() const override;
    std::string waiting_for() const override;

  private:
    using Key = std::pair<Block, uint16_t>;
    struct Counter {
        PerfCounter counter;
        uint32_t select = 0;
        const std::vector<const Wire<bool>*>* busy = nullptr;  // of the event selected
        uint64_t latched = 0;
    };
    // GRBM's counters ignore the events of the pipe.
    static bool windowed(Block block) { return block > Block::GrbmSe1; }
    void select(unsigned index, const RegRequest& request);
    // What a select register's event counts in a copy, and the wires of it; null: none.
    const PerfEvent* event_of(unsigned index, uint32_t select, unsigned copy) const;
    const std::vector<const Wire<bool>*>* busy_of(unsigned index, uint32_t select) const;
    void find_watched();
    void control(uint32_t value);
    void update();
    bool watches_wires() const;
    // Calls `what` with every copy of a counter, by RegisterMap::counters.
    template <class What>
    void each_counter(const What& what) {
        for (std::vector<Counter>& copies : counters_)
            for (Counter& counter : copies)
                what(counter);
    }

    const PerfSpec spec_;
    const RegisterMap& m_ = spec_.map;
    Cycle now_ = 0;
    std::map<Key, std::vector<PerfEvent>> counted_;  // by copy
    std::map<Key, std::vector<const Wire<bool>*>> busy_;
    std::vector<std::vector<Counter>> counters_;  // by RegisterMap::counters and copy
    std::vector<Counter*> watched_;               // that count wires
    PerfEvent cycles_{true, {}};
    PerfCounter cp_;
    uint32_t control_ = 0;  // CP_PERFMON_CNTL
    bool window_ = true;
    bool latched_ = false;
    std::function<uint64_t()> clock_;
};

}  // namespace archipelago::perf
