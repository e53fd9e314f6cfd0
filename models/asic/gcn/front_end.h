// SPDX-License-Identifier: Apache-2.0
// The blocks after the register bus: command processor, draw and dispatch front ends, tiling,
// interrupts, performance counters, global data share. Both modes have them.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>

#include "models/asic/gcn/build.h"
#include "models/asic/gcn/register_blocks.h"
#include "models/asic/interrupt_out.h"
#include "models/asic/soft_reset.h"
#include "models/common/interrupt.h"
#include "models/cp/cp_core.h"
#include "models/dma/dma_core.h"
#include "models/gcn/launch_log.h"
#include "models/gds/gds_core.h"
#include "models/grbm/grbm_core.h"
#include "models/grbm/grbm_pins.h"
#include "models/pa/pa_core.h"
#include "models/sem/sem_core.h"
#include "models/spi/spi_core.h"
#include "models/srbm/srbm_core.h"
#include "models/vgt/vgt_core.h"

namespace archipelago::gcn {

// CP_PERFCOUNTER_HI/LO for CP's end-of-pipe events.
class CpCount : public cp::PerfCounterSource {
  public:
    CpCount(const perf::PerfCore& perf, const tlm_shell::ClockDomain& clock)
        : perf_(perf), clock_(clock) {}
    uint64_t cp_perfcounter() const override { return perf_.cp_count(clock_.now()); }

  private:
    const perf::PerfCore& perf_;
    const tlm_shell::ClockDomain& clock_;
};

// Where interrupts go on a chip without an interrupt handler: it stops.
class NoInterruptHandler : public Clocked {
  public:
    explicit NoInterruptHandler(unsigned latency);
    EventLink<Interrupt> in;
    std::array<EventLink<Interrupt>, 2> from_dma;
    EventLink<ReadError> read_errors;         // of GRBM
    EventLink<ReadError> system_read_errors;  // of SRBM
    bool tick(Cycle now) override;
    void archive(Archive& a) { a(in, from_dma, read_errors, system_read_errors); }
    [[noreturn]] static void stop(const Interrupt& interrupt);
    [[noreturn]] static void stop(const ReadError& error);
};

// GRBM in functional mode, as SRBM reaches it: for requests of the host.
class GrbmForHost : public RegisterTarget {
  public:
    explicit GrbmForHost(grbm::GrbmCore& grbm) : grbm_(grbm) {}
    bool write_register(const RegRequest& request) override {
        grbm_.write(of_host(request));
        return true;
    }
    bool read_register(const RegRequest& request, uint32_t& value) override {
        return found(grbm_.find(of_host(request)), value);
    }
    bool inspect_register(const RegRequest& request, uint32_t& value) override {
        return found(grbm_.inspect(of_host(request)), value);
    }
    bool reports_unknown() const override { return true; }

  private:
    static RegRequest of_host(RegRequest request) {
        request.source = kRegFromHost;
        return request;
    }
    static bool found(std::optional<uint32_t> register_value, uint32_t& value) {
        value = register_value.value_or(0);
        return register_value.has_value();
    }
    grbm::GrbmCore& grbm_;
};

// SRBM in functional mode, as GRBM reaches it: for requests of CP.
class SrbmForCp : public RegisterTarget {
  public:
    explicit SrbmForCp(srbm::SrbmCore& srbm) : srbm_(srbm) {}
    bool write_register(const RegRequest& request) override {
        srbm_.write(request);
        return true;
    }
    bool read_register(const RegRequest& request, uint32_t& value) override {
        value = srbm_.read(request);
        return true;  // SRBM reports the registers it does not have
    }
    bool inspect_register(const RegRequest& request, uint32_t& value) override {
        const std::optional<uint32_t> found = srbm_.inspect(request);
        value = found.value_or(0);
        return found.has_value();
    }

  private:
    srbm::SrbmCore& srbm_;
};

struct FrontEnd {
    // `raise` takes the interrupts.
    FrontEnd(const Build& build, std::function<void(const Interrupt&)> raise);

    srbm::SrbmCore srbm;
    grbm::GrbmCore grbm_model;                       // and all accesses in functional mode
    std::unique_ptr<grbm::GrbmOnPins> grbm_on_pins;  // in its place; null: there is no twin
    grbm::GrbmUnit& grbm;                            // the one of them that is linked
    GrbmForHost grbm_for_host;
    SrbmForCp srbm_for_cp;
    cp::CpCore cp;
    spi::SpiCore spi;
    vgt::VgtCore vgt;
    pa::PaCore pa;
    RegisterBlocks::Cores register_blocks;
    asic::InterruptOut interrupts;
    std::unique_ptr<ih::IhCore> ih;  // optional
    NoInterruptHandler no_ih;        // in its place
    CpCount cp_count;
    // Optional; added to the netlist after the compute units, which it serves.
    std::unique_ptr<gds::GdsCore> gds;
    std::vector<std::unique_ptr<dma::DmaCore>> async_dma;
    sem::SemCore sem;
    LaunchLog launches;                             // with --profile
    asic::SoftReset soft_reset;                     // of blocks here and after
    asic::SoftReset system_soft_reset;              // of those at SRBM
    tlm_shell::RegisterTargetPort* host = nullptr;  // the register buses, from outside

    // One of the RegisterBlocks.
    template <class Block>
    typename Block::Core& block() {
        return std::get<typename Block::Core>(register_blocks);
    }
    perf::PerfCore& perf() { return block<perf::PerfBlock>(); }

    // A line for each address space whose page table is enabled and whose work ran all the same on
    // addresses as they are.
    std::vector<std::string> untranslated(const AddressSpaces* spaces) const;

    EventLink<Interrupt>& interrupt_from_dma(unsigned i) {
        return ih ? ih->from_dma[i] : no_ih.from_dma[i];
    }
    EventLink<Interrupt>& interrupt_in() { return ih ? ih->in : no_ih.in; }

  private:
    void add_blocks(const Build& build);
    void link_host(const Build& build);
    void link_async_dma(const Build& build, unsigned i);
    void link_semaphores(const Build& build);
    void link_registers(const Build& build);
    void link_streams(const Build& build);
    void connect_soft_reset();
    // GRBM -> a block; `target` takes the same accesses in functional mode.
    tlm_shell::RegisterInitiator& to_block(const Build& build, unsigned port,
                                           const std::string& name, RegisterTarget& target,
                                           const asic::Netlist::To<tlm_shell::RegisterCodec>& end);
    template <class Block>
    tlm_shell::RegisterInitiator& to_block(const Build& build, unsigned port,
                                           const std::string& name, Block& block) {
        return to_block(build, port, name, block,
                        {build.engine, block.registers, block.to_registers});
    }
};

// What GRBM_STATUS and its fellows show, and the performance counters count, of levels the blocks
// drive.
void connect_status(const ChipConfig& config, FrontEnd& front);

}  // namespace archipelago::gcn
