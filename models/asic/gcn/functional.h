// SPDX-License-Identifier: Apache-2.0
// The chip in functional mode: register writes take effect at once, packets and dispatches run to
// their end within the write that starts them. Same packet programs, dispatch walk and instruction
// semantics as in cycle mode.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <tlm>
#include <vector>

#include "models/asic/chip_options.h"
#include "models/asic/functional_dma.h"
#include "models/asic/functional_machine.h"
#include "models/asic/gcn/chip_config.h"
#include "models/asic/gcn/functional_graphics.h"
#include "models/asic/gcn/functional_raster.h"
#include "models/asic/gcn/warm_caches.h"
#include "models/cp/cp_core.h"
#include "models/cp/cp_functional.h"
#include "models/cu/functional/functional_cu.h"
#include "models/gds/gds_core.h"
#include "models/gds/gds_execute.h"
#include "models/grbm/grbm_core.h"
#include "models/spi/spi_core.h"
#include "models/srbm/srbm_core.h"
#include "models/vgt/vgt_core.h"

namespace archipelago::gcn {

class FunctionalMachine : public cp::CpBackend, public asic::FunctionalMachine, public MessageSink {
  public:
    FunctionalMachine(const ChipConfig& config, const asic::ChipOptions& options,
                      srbm::SrbmCore& srbm, grbm::GrbmCore& grbm, cp::CpCore& cp, spi::SpiCore& spi,
                      vgt::VgtCore& vgt, const raster::RasterCore& raster, gds::GdsCore* gds,
                      const std::vector<std::unique_ptr<dma::DmaCore>>& async_dma,
                      tlm::tlm_initiator_socket<>& socket);

    std::function<void(const Interrupt&)> on_interrupt;
    std::function<void(uint8_t type)> on_perf_event;     // an event that reaches the counters
    std::function<void()> on_idle;                       // an access has run all packets
    std::function<void(uint32_t bits)> on_reset;         // of GRBM_SOFT_RESET: reset their blocks
    std::function<void(uint32_t bits)> on_system_reset;  // of SRBM_SOFT_RESET: the same

    // CpBackend
    uint32_t reg_read(const RegRequest& request) override;
    void reg_write(const RegRequest& request) override;
    bool reg_store(const RegRequest& request, const uint32_t* values, uint32_t count) override;
    bool mem_read(uint64_t address, void* to, size_t bytes, uint8_t vmid) override;
    bool mem_write(uint64_t address, const void* from, size_t bytes, uint8_t vmid) override;
    const uint8_t* mem_view(uint64_t address, size_t& bytes, uint8_t vmid) override;
    void event(uint8_t ring, uint8_t type) override;
    void cache_action(const CacheAction& action) override;
    void interrupt(const Interrupt& interrupt) override;
    uint64_t gpu_clock() override;
    GdsPort* gds_port() override { return gds_.get(); }
    SampleCounts samples(uint8_t event_type) override;

    // MessageSink: interrupts of shaders, and messages of geometry shaders to VGT.
    void take(const ShaderMessage& message) override;

    void set_tiling(const surface::TilingRegisters& tiling) {
        cu_.set_tiling(tiling);
        raster_.set_tiling(tiling);
    }
    void write_tiling(const surface::TilingWrite& write) {
        cu_.write_tiling(write);
        raster_.write_tiling(write);
    }

    const cu::FunctionalStats& stats() const { return stats_; }
    void archive(Archive& a) override;
    // With ChipOptions::warm_caches: the caches, as their own block of a checkpoint. Reading throws
    // ArchiveError when the checkpoint has no such block.
    void archive_caches(Archive& a);
    void archive_constants(Archive& a) { functional_.archive_constants(a); }
    const spi::ExportCounters& exports() const { return graphics_.exports().counters; }
    // Packets of all rings.
    uint64_t progress() const override { return functional_.packets() + dma_.packets(); }
    void observe_dma(const Observers& observers) { dma_.observe(observers); }
    bool constants_idle() const { return functional_.constants_idle(); }
    void use_perfcounter(const cp::PerfCounterSource& source) {
        functional_.use_perfcounter(source);
    }
    void report(asic::HangReport& report) const override;
    bool reset() override;
    std::vector<std::string> warnings() const { return functional_.warnings(); }

  private:
    std::optional<uint32_t> access(const RegRequest& request) override;
    std::optional<uint32_t> inspect(const RegRequest& request) override {
        return srbm_.inspect(request);
    }
    void forget_memory(uint64_t first, uint64_t last) override {
        memory().forget(first, last);
        cu_.drop_host_pointers();
        raster_.drop_host_pointers();
    }
    // Reset of the blocks whose bits of the SOFT_RESET registers are set.
    void hold_in_reset();
    void reset_system_blocks(uint32_t bits);  // of SRBM_SOFT_RESET
    void reset_blocks(uint32_t bits);         // of GRBM_SOFT_RESET
    // Packets of all rings, until each is empty or waits.
    void run_rings();
    // Stops the machine when an access makes CP read without end.
    void count_read(uint64_t address);
    [[noreturn]] void stop_endless(uint64_t address) const;
    void run_dispatches();
    void run_draws();
    void run_work();  // dispatches, then draws
    // Stops the machine when an access runs more waves than a run can execute.
    void count_waves(uint64_t waves, const std::string& where);
    void run_dispatch(const spi::Dispatch& dispatch);
    void run_graphics(const VgtMessage& message);

    const ChipConfig& config_;
    srbm::SrbmCore& srbm_;
    grbm::GrbmCore& grbm_;
    spi::SpiCore& spi_;
    vgt::VgtCore& vgt_;
    asic::FunctionalDma dma_;
    cp::CpFunctional functional_;
    cu::FunctionalCu cu_;
    std::unique_ptr<gds::FunctionalGds> gds_;  // null on a chip without one
    cu::FunctionalStats stats_;
    std::unique_ptr<WarmCaches> caches_;  // null without ChipOptions::warm_caches
    FunctionalGraphics graphics_;
    FunctionalRaster raster_;
    vgt::FunctionalPorts vgt_ports_;
    SampleCounts sample_;             // of the last sample event
    uint32_t soft_reset_ = 0;         // GRBM_SOFT_RESET at the last hold_in_reset()
    uint32_t system_soft_reset_ = 0;  // SRBM_SOFT_RESET, the same
    std::vector<WaveLaunch> waves_;
    uint64_t waves_run_ = 0;  // since the register access that is being executed
    uint64_t reads_ = 0;      // of CP since the register access that is being executed
    uint64_t work_limit_ = 0;
};

}  // namespace archipelago::gcn
