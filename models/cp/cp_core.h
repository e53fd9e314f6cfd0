// SPDX-License-Identifier: Apache-2.0
// The command processor of "Radeon Southern Islands Acceleration" chapter 2 in cycle mode: fetch,
// PFP, MEQ, ME, constant engine, end-of-pipe unit, DMA, coherency unit and registers, each a
// clocked unit, and the channels between them.
//
//   registers -> fetch -> ROQ -> PFP -> MEQ -> ME -> register bus, memory hub, L2, DMA, end of pipe
//
// Outside: connect the outputs, deliver into the inputs, add the units to a clock.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "models/common/packet_places.h"
#include "models/common/stats.h"
#include "models/common/trace_sink.h"
#include "models/common/unit.h"
#include "models/cp/ce_fetch_core.h"
#include "models/cp/ce_unit.h"
#include "models/cp/coherency_core.h"
#include "models/cp/cp_spec.h"
#include "models/cp/dma_core.h"
#include "models/cp/eop_core.h"
#include "models/cp/gds_store_core.h"
#include "models/cp/me_unit.h"
#include "models/cp/pfp_unit.h"
#include "models/cp/register_core.h"
#include "models/cp/work_log.h"
#include "models/front/port_mux.h"
#include "models/front/ring_fetch_core.h"
#include "pins/cp_me_pins.h"
#include "pins/cp_pfp_parser_pins.h"

namespace archipelago::cp {

// Blocks on pins in the place of CP's units, which they outlive; null: the model.
struct PinBlocks {
    rtl::PinBlock<rtl::CpCePins>* ce = nullptr;
    rtl::PinBlock<rtl::CpPfpParserPins>* pfp = nullptr;
    rtl::PinBlock<rtl::CpMePins>* me = nullptr;
};

class CpCore : public Control, public PacketPlaces {
  public:
    // Throws std::invalid_argument naming what is wrong with the spec.
    explicit CpCore(const Spec& spec, const PinBlocks& on_pins = {});

    // ---- inputs: deliver here -------------------------------------------------------------------
    Channel<RegRequest>& register_request() { return registers_.request; }   // own registers
    Channel<RegResponse>& register_bus_response() { return bus_.response; }  // for ME and PFP
    Channel<MemResponse>& hub_response() { return hub_.response; }
    Channel<MemResponse>& l2_response() { return l2_.responses[front::kL2Port]; }
    Channel<MemResponse>& semaphore_response() { return l2_.responses[front::kSemaphorePort]; }
    Channel<EventDone>& event_done() { return me_.event_done; }
    Channel<CacheActionDone>& cache_done() { return coherency_.done; }
    Channel<GdsResponse>& gds_response() { return gds_.response; }
    // Who counts for sample events delivers here, and CP waits for it; see SampleCounts. Not
    // called: the counters are 0.
    Channel<SampleCounts>& expect_samples() {
        eop_.expect_samples();
        return eop_.samples;
    }
    // The same for ZPASS_DONE.
    Channel<SampleCounts>& expect_depth_counts() {
        eop_.expect_depth_counts();
        return eop_.depth_counts;
    }
    // For DATA_SEL 4 of EVENT_WRITE_EOP; outlives this.
    void use_perfcounter(const PerfCounterSource& source) { eop_.use_perfcounter(&source); }

    // ---- outputs --------------------------------------------------------------------------------
    OutputChannel<RegResponse>& to_register_response() { return registers_.to_response; }
    OutputChannel<RegRequest>& to_register_bus() { return bus_.to_outside; }  // of ME, PFP and CE
    OutputChannel<MemRequest>& to_hub() { return hub_.to_outside; }
    OutputChannel<MemRequest>& to_l2() { return l2_.to_outsides[front::kL2Port]; }
    OutputChannel<MemRequest>& to_semaphores() { return l2_.to_outsides[front::kSemaphorePort]; }
    OutputChannel<CacheAction>& to_caches() { return coherency_.to_caches; }
    OutputEvent<Interrupt>& to_interrupt() { return registers_.to_interrupt; }
    OutputEvent<uint8_t>& to_perf_events() { return me_.to_perf_events; }
    // Without it, packets that need the global data share stop by name.
    void connect_gds(Channel<GdsRequest>& out);
    // No end-of-pipe interrupt comes while `hold` is high.
    void watch_interrupt_hold(const Wire<bool>& hold) { eop_.watch_interrupt_hold(hold); }

    // The units to tick, in no particular order.
    std::vector<Clocked*> units() { return {units_.begin(), units_.end()}; }
    void add_to(Scheduler& scheduler);

    // Levels for GRBM_STATUS.CP_BUSY (any of them) and CP_COHERENCY_BUSY.
    std::vector<const Wire<bool>*> busy_wires() const;
    // What works on packets and what these start; not the registers.
    std::vector<const Control*> engines() const;
    const Wire<bool>* coherency_busy_wire() const { return &coherency_.busy; }

    // See RegisterCore::announce().
    void announce(Cycle now) { registers_.announce(now); }
    // What the constant engine holds, which it does in both modes.
    void archive_constants(Archive& a) { a(ce_fetch_, ce_); }

    // ---- Control --------------------------------------------------------------------------------
    void reset() override;
    void archive(Archive& a) override;
    bool idle() const override;
    // The constant engine has executed all its buffers.
    bool constants_idle() const { return ce_fetch_.idle() && ce_.idle(); }
    void set_run_state(RunState run) override;
    std::string waiting_for() const override;
    CpReport report() const;
    // What PFP and ME spent on the packets of each kind.
    std::vector<PacketUse> packet_uses() const;
    // What its units were at since keep_log(); null: they kept nothing.
    void keep_log();
    const WorkLog* log() const { return log_.get(); }
    // What its streams hardly meant, a line for each kind.
    std::vector<std::string> warnings() const;
    // Address spaces there was work of, a bit each: those of buffers and of rings.
    uint16_t vmids() const;

    // PacketPlaces
    std::string place(uint16_t number) const override { return de_.places.text(number); }

    // What the functional processor works on.
    RegisterFile& register_file() { return registers_.file(); }
    DeState& de_state() { return de_; }

    void register_stats(StatsRegistry& stats, const std::string& path) const;
    void observe(const Observers& observers, const std::string& path);
    void finish_trace(Cycle now) const;
    const Spec& spec() const { return spec_; }

  private:
    void connect_commands();
    void connect_memory();
    void connect_gds_store();
    void connect_status();
    enum BusClient : unsigned { kBusPfp, kBusMe, kBusCe, kBusClients };
    enum HubClient : unsigned {
        kHubFetch,
        kHubPfp,
        kHubMe,
        kHubDma,
        kHubRegisters,
        kHubCe,
        kHubCeData,
        kHubClients
    };
    enum L2Client : unsigned { kL2Me, kL2Eop, kL2Ce, kL2Gds, kL2CeData, kL2Clients };
    enum GdsClient : unsigned { kGdsMe, kGdsDma, kGdsStore, kGdsClients };

    const Spec spec_;
    DeState de_;
    front::PortMux<RegRequest, RegResponse> bus_;
    RegisterCore registers_;
    front::RingFetchCore fetch_;
    const std::unique_ptr<PfpUnit> pfp_unit_;
    PfpUnit& pfp_;
    const std::unique_ptr<MeUnit> me_unit_;
    MeUnit& me_;
    EopCore eop_;
    DmaCore dma_;
    CoherencyCore coherency_;
    CeFetchCore ce_fetch_;
    CeUnit ce_;
    GdsStoreCore gds_store_;
    front::PortMux<MemRequest, MemResponse> hub_;
    front::PortMux<MemRequest, MemResponse, 2> l2_;  // and semaphores
    front::PortMux<GdsRequest, GdsResponse> gds_;
    const std::vector<Unit*> units_;
    std::unique_ptr<WorkLog> log_;
};

}  // namespace archipelago::cp
