// SPDX-License-Identifier: Apache-2.0
// The command processor in cycle mode: registers, engines and their fetch, each a clocked unit, and
// the channels between them. Document "Adreno Five Microcode".
//
//   host -> registers -> fetch -> ROQ -> engine -> registers
//                          \-> memory hub <-/
//
// Outside: connect the outputs, deliver into the inputs, add the units to a clock.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/afuc/cp/cp_spec.h"
#include "models/afuc/cp/engine_core.h"
#include "models/afuc/cp/register_core.h"
#include "models/afuc/cp/shared_control.h"
#include "models/afuc/cp/units.h"
#include "models/common/control.h"
#include "models/common/stats.h"
#include "models/common/trace_sink.h"
#include "models/common/unit.h"
#include "models/front/port_mux.h"
#include "models/front/ring_fetch_core.h"

namespace archipelago::afuc {

class CpCore : public Control {
  public:
    // The spec must outlive this. `units`: what takes the place of its engines.
    explicit CpCore(const CpSpec& spec, const Units& units = {});

    Channel<RegRequest>& register_request() { return registers_.host; }
    Channel<MemResponse>& hub_response() { return hub_.response; }
    OutputChannel<RegResponse>& to_register_response() { return registers_.to_host; }
    OutputChannel<MemRequest>& to_hub() { return hub_.to_outside; }
    OutputEvent<Interrupt>& to_interrupt() { return registers_.to_interrupt; }

    GpuRegisters& gpu_registers() { return registers_.file(); }
    // What a read of the host would give; nothing after the last register.
    std::optional<uint32_t> inspect(uint32_t index) {
        return index < kGpuRegisters ? std::optional(registers_.inspect(index)) : std::nullopt;
    }
    const std::vector<std::unique_ptr<EngineCore>>& engines() const { return engines_; }
    uint64_t instructions() const;
    std::vector<Clocked*> units();

    // The engines go on where others in functional mode have stopped, and so do performance
    // counters, whose clock stands at `then`.
    void take_over(const std::vector<const Processor*>& engines, const SharedControl& shared,
                   const PerfCounters& perf, Cycle then);
    void announce(Cycle now);
    void reset() override;
    void archive(Archive& a) override;
    bool idle() const override;
    void set_run_state(RunState run) override;
    std::string waiting_for() const override;
    void register_stats(StatsRegistry& stats, const std::string& path) const;
    void observe(const Observers& observers, const std::string& path);
    void finish_trace(Cycle now) const;
    void debug(DebugHook& hook);
    void profile();
    // Of an engine, see EngineCore.
    void set_instruction_limit(uint64_t limit);

  private:
    void add_fetch(EngineCore& engine, unsigned number);
    template <class Visit>
    void each(const Visit& visit) const;

    const CpSpec& spec_;
    SharedControl shared_;
    RegisterCore registers_;
    std::vector<std::unique_ptr<EngineCore>> engines_;
    std::vector<std::unique_ptr<front::RingFetchCore>> fetches_;
    front::PortMux<MemRequest, MemResponse> hub_;
};

}  // namespace archipelago::afuc
