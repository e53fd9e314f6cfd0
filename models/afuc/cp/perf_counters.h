// SPDX-License-Identifier: Apache-2.0
// The performance counters of the command processor: CP_PERFCTR_CP_SEL[n] names what
// RBBM_PERFCTR_CP[n] counts while bit 0 of RBBM_PERFCTR_CNTL is set; on a7xx BV has its own,
// CP_BV_PERFCTR_CP_SEL and RBBM_PERFCTR2_CP. RBBM_PERFCTR_LOAD_CMD0 puts RBBM_PERFCTR_LOAD_VALUE
// into the counters whose bits it has. Registers and numbers of events: Mesa's register files
// (a5xx_, a6xx_, a7xx_cp_perfcounter_select); what an event counts is taken from its name.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "models/afuc/cp/cp_spec.h"
#include "models/afuc/cp/gpu_registers.h"
#include "models/common/archive.h"
#include "models/common/clocked.h"
#include "models/common/perf_counter.h"
#include "models/common/stats.h"

namespace archipelago::afuc {

class PerfCounters {
  public:
    explicit PerfCounters(const CpSpec& spec);
    PerfCounters(const PerfCounters&) = delete;
    PerfCounters& operator=(const PerfCounters&) = delete;

    // What events count: the model's counters by their paths, and cycles in which engine `number`
    // had nothing to do (null: not known). What is not there counts nothing.
    void connect(const StatsRegistry& stats,
                 const std::function<uint64_t(unsigned number, Cycle now)>& idle);

    // `reg` of the counters has been written, `offset` indices after its first. Stops, at `where`,
    // when an event is selected that the model does not count.
    void written(Cycle now, CpRegister reg, uint32_t offset, const GpuRegisters& file,
                 const std::string& where);
    // What PerfCount and BvPerfCount show: the lower and the upper half of a counter.
    uint32_t value_of(Cycle now, CpRegister reg, uint32_t offset) const;

    // Goes on where another, whose cycle is `then`, has stopped.
    void take_over(const PerfCounters& other, Cycle then, Cycle now, const GpuRegisters& file);
    void reset();
    // After that of the registers, which have what is selected.
    void archive(Archive& a, const GpuRegisters& file);

  private:
    // Counters with select registers of their own.
    struct Group {
        CpRegister select;
        std::vector<PerfCounter> counters{};
        std::map<uint32_t, PerfEvent> events{};  // by number
        const PerfEvent* event_of(uint32_t number) const {
            const auto found = events.find(number);
            return found != events.end() ? &found->second : nullptr;
        }
        // What counter `n` is to count; null: nothing.
        const PerfEvent* selected(uint32_t n, const GpuRegisters& file) const {
            return event_of(file.stored(file.map().index_of(select) + n));
        }
    };
    void count(Cycle now, bool on);
    void load(Cycle now, uint32_t counters, uint64_t value);

    const CpSpec& spec_;
    Group main_{CpRegister::PerfSelect}, bv_{CpRegister::BvPerfSelect};
};

}  // namespace archipelago::afuc
