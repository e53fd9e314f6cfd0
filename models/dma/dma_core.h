// SPDX-License-Identifier: Apache-2.0
// An async DMA engine in cycle mode: fetch, parser and registers, copy engine, each a clocked unit,
// and the channels between them.
//
//   registers -> fetch -> ROQ -> parser -> copy engine -> memory hub
//                                  |-> SRBM, semaphores, interrupts
//
// Outside: connect the outputs, deliver into the inputs, add the units to a clock.
#pragma once

#include <string>
#include <vector>

#include "models/common/stats.h"
#include "models/common/trace_sink.h"
#include "models/common/unit.h"
#include "models/dma/dma_spec.h"
#include "models/dma/engine_core.h"
#include "models/dma/transfer_core.h"
#include "models/front/port_mux.h"
#include "models/front/ring_fetch_core.h"

namespace archipelago::dma {

class DmaCore : public Control {
  public:
    // Throws std::invalid_argument naming what is wrong with the spec, or what of it does not fit
    // the units, which must outlive this.
    explicit DmaCore(const Spec& spec, const Units& units = {});

    // ---- inputs: deliver here -------------------------------------------------------------------
    Channel<RegRequest>& register_request() { return engine_.registers; }  // own registers
    Channel<RegResponse>& register_bus_response() { return engine_.register_response; }
    Channel<MemResponse>& hub_response() { return hub_.response; }
    Channel<MemResponse>& semaphore_response() { return engine_.semaphore_response; }

    // ---- outputs --------------------------------------------------------------------------------
    OutputChannel<RegResponse>& to_register_response() { return engine_.to_registers; }
    OutputChannel<RegRequest>& to_register_bus() { return engine_.to_bus; }
    OutputChannel<MemRequest>& to_hub() { return hub_.to_outside; }
    OutputChannel<MemRequest>& to_semaphores() { return engine_.to_semaphore; }
    OutputEvent<Interrupt>& to_interrupt() { return engine_.to_interrupt; }

    RegisterTarget& registers() { return engine_; }
    RegisterFile& register_file() { return engine_.file(); }
    const Wire<bool>& busy_wire() const { return engine_.busy; }
    const Spec& spec() const { return spec_; }

    // The units to tick, in no particular order.
    std::vector<Clocked*> units() { return {units_.begin(), units_.end()}; }

    // ---- Control --------------------------------------------------------------------------------
    void reset() override;
    // The registers were set in functional mode up to here: the engine takes up its ring again.
    void announce(Cycle now) { engine_.announce(now); }
    void archive(Archive& a) override;
    bool idle() const override;
    // See EngineCore::mirrored().
    bool mirrored() const { return engine_.mirrored(); }
    void set_run_state(RunState run) override;
    std::string waiting_for() const override;

    void register_stats(StatsRegistry& stats, const std::string& path) const;
    void observe(const Observers& observers, const std::string& path);
    void finish_trace(Cycle now) const;

  private:
    enum HubClient : unsigned { kFetch, kEngine, kMirror, kCopy, kClients };

    const Spec spec_;
    front::RingFetchCore fetch_;
    EngineCore engine_;
    TransferCore copy_;
    front::PortMux<MemRequest, MemResponse> hub_;
    const std::vector<Unit*> units_;
};

}  // namespace archipelago::dma
