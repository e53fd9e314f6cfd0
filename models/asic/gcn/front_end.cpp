// SPDX-License-Identifier: Apache-2.0
#include "models/asic/gcn/front_end.h"

#include "models/asic/gcn/soft_reset_bits.h"
#include "models/common/error.h"
#include "models/common/pins/twin_limits.h"
#include "registers/si_names.h"

namespace archipelago::gcn {
namespace {

using tlm_shell::RegisterCodec;

// A twin that is a block, or routes to it, stands in a chip that has the block.
void check_twins(const Build& build) {
    const asic::Substitutes& substitutes = build.options.substitutes;
    const bool ce = substitutes.find<rtl::PinBlock<rtl::CpCePins>>() != nullptr;
    const bool grbm = substitutes.find<rtl::PinBlock<rtl::GrbmPins>>() != nullptr;
    for (const OptionalBlock& block : kOptionalBlocks) {
        const std::string key = std::string("blocks.") + block.key;
        if (build.config.blocks.*block.there)
            continue;
        if (ce && block.there == &OptionalBlocks::ce)
            rtl::refuse<rtl::CpCePins>(key, "false", "true");
        if (grbm && block.port != grbm::kStore)
            rtl::refuse<rtl::GrbmPins>(key, "false", "true");
    }
}

std::unique_ptr<grbm::GrbmOnPins> make_grbm_on_pins(const Build& build) {
    check_twins(build);
    auto* const block = build.options.substitutes.find<rtl::PinBlock<rtl::GrbmPins>>();
    return block != nullptr
               ? std::make_unique<grbm::GrbmOnPins>(*block, build.config.grbm, si::grbm_spec())
               : nullptr;
}

}  // namespace

NoInterruptHandler::NoInterruptHandler(unsigned latency)
    : in(latency),
      from_dma{EventLink<Interrupt>(latency), EventLink<Interrupt>(latency)},
      read_errors(latency),
      system_read_errors(latency) {
    for (EventLink<Interrupt>* interrupts : {&in, &from_dma[0], &from_dma[1]})
        interrupts->set_consumer(this);
    read_errors.set_consumer(this);
    system_read_errors.set_consumer(this);
}

bool NoInterruptHandler::tick(Cycle now) {
    for (EventLink<Interrupt>* interrupts : {&in, &from_dma[0], &from_dma[1]})
        if (interrupts->ready(now))
            stop(interrupts->take());
    for (EventLink<ReadError>* errors : {&read_errors, &system_read_errors})
        if (errors->ready(now))
            stop(errors->take());
    return false;
}

void NoInterruptHandler::stop(const Interrupt& interrupt) {
    throw MachineStop(StopKind::Unimplemented, "ih",
                      "interrupt of source " + std::to_string(interrupt.source_id) +
                          ": this chip has no interrupt handler");
}

void NoInterruptHandler::stop(const ReadError&) {
    throw MachineStop(StopKind::Unimplemented, "ih",
                      "read error of the register bus: this chip has no interrupt handler");
}

FrontEnd::FrontEnd(const Build& build, std::function<void(const Interrupt&)> raise)
    : srbm(build.config.srbm),
      grbm_model(build.config.grbm),
      grbm_on_pins(make_grbm_on_pins(build)),
      grbm(grbm_on_pins ? static_cast<grbm::GrbmUnit&>(*grbm_on_pins) : grbm_model),
      grbm_for_host(grbm_model),
      srbm_for_cp(srbm),
      cp(build.config.cp, {build.options.substitutes.find<rtl::PinBlock<rtl::CpCePins>>(),
                           build.options.substitutes.find<rtl::PinBlock<rtl::CpPfpParserPins>>(),
                           build.options.substitutes.find<rtl::PinBlock<rtl::CpMePins>>()}),
      spi(build.config.spi),
      vgt(build.config.vgt, build.options.substitutes.find<rtl::PinBlock<rtl::VgtIndexDmaPins>>()),
      pa(build.config.pa),
      register_blocks(RegisterBlocks::build(build.config.register_blocks)),
      interrupts(std::move(raise)),
      ih(build.config.blocks.ih ? std::make_unique<ih::IhCore>(build.config.ih) : nullptr),
      no_ih(build.config.cp.strobe_latency),
      cp_count(perf(), build.engine),
      gds(build.config.blocks.gds ? std::make_unique<gds::GdsCore>(build.config.gds) : nullptr),
      sem(build.config.sem),
      soft_reset("soft_reset", build.engine, grbm.soft_reset),
      system_soft_reset("system_soft_reset", build.engine, srbm.soft_reset) {
    for (const dma::Spec& spec : build.config.async_dma.engines)
        async_dma.push_back(
            std::make_unique<dma::DmaCore>(spec, asic::dma_units(build.options.substitutes)));
    if (build.options.profile) {
        cp.keep_log();
        spi.keep(launches);
    }
    add_blocks(build);
    link_host(build);
    for (unsigned i = 0; i < async_dma.size(); ++i)
        link_async_dma(build, i);
    link_semaphores(build);
    link_registers(build);
    link_streams(build);
    connect_soft_reset();
    connect_status(build.config, *this);
}

void FrontEnd::add_blocks(const Build& build) {
    asic::Netlist& net = build.net;
    net.add(build.engine, srbm, "srbm");
    net.add(build.engine, grbm, "grbm");
    net.add(build.engine, cp, "cp", {"dwords", "bytes"});  // polls that fail move nothing
    net.add(build.engine, spi, "spi", {"waves_done", "register_writes"});
    net.add(build.engine, vgt, "vgt", {"indices", "primitives_out", "register_writes"});
    net.add(build.engine, vgt.index_dma(), "vgt.index_dma");
    net.add(build.engine, pa, "pa");
    RegisterBlocks::each([&](auto row) {
        using Block = BlockOf<decltype(row)>;
        net.add(build.engine, block<Block>(), Block::kName);
    });
    if (ih)
        net.add(build.engine, *ih, "ih");
    else
        net.add(build.engine, no_ih, "ih");
    for (const auto& dma : async_dma)
        net.add(build.engine, *dma, dma->spec().name(), {"packets", "bytes_written", "dwords"});
    net.add(build.engine, sem, "sem");
    net.add(build.engine, soft_reset, "soft_reset");
    net.add(build.engine, system_soft_reset, "system_soft_reset");
}

tlm_shell::RegisterInitiator& FrontEnd::to_block(const Build& build, unsigned port,
                                                 const std::string& name, RegisterTarget& target,
                                                 const asic::Netlist::To<RegisterCodec>& end) {
    grbm_model.attach(port, &target);
    return build.net.link<RegisterCodec>(name,
                                         {build.engine, grbm.response[port], grbm.to_port[port]},
                                         end, build.config.link_register);
}

// Host -> SRBM -> GRBM.
void FrontEnd::link_host(const Build& build) {
    host = &build.net.target<RegisterCodec>(
        "srbm_host", {build.engine, srbm.request[srbm::kHost], srbm.to_source[srbm::kHost]},
        build.config.link_host);
    srbm.attach(srbm::kGrbm, &grbm_for_host);
    srbm.to_port[srbm::kGrbm].connect(grbm.request[kRegFromHost]);
    grbm.to_source[kRegFromHost].connect(srbm.response[srbm::kGrbm]);
}

// SRBM <-> an async DMA engine.
void FrontEnd::link_async_dma(const Build& build, unsigned i) {
    dma::DmaCore& dma = *async_dma[i];
    const asic::LinkSpec& spec = build.config.link_register;
    const std::string name = dma.spec().name();
    const unsigned port = srbm::kDma0 + i;
    const unsigned source = srbm::kDma0Engine + i;
    srbm.attach(port, &dma.registers());
    build.net.link<RegisterCodec>(
        "srbm_to_" + name, {build.engine, srbm.response[port], srbm.to_port[port]},
        {build.engine, dma.register_request(), dma.to_register_response()}, spec);
    build.net.link<RegisterCodec>(
        name + "_bus", {build.engine, dma.register_bus_response(), dma.to_register_bus()},
        {build.engine, srbm.request[source], srbm.to_source[source]}, spec);
    dma.to_interrupt().connect(interrupt_from_dma(i));
    srbm.add_busy(regs::si::SRBM_STATUS2, SystemResetBits::dma_busy(i), &dma.busy_wire());
}

// CP, async DMA engines <-> SEM.
void FrontEnd::link_semaphores(const Build& build) {
    asic::Netlist& net = build.net;
    cp.to_semaphores().connect(net.channel(sem.request[0]));
    sem.to_client[0].connect(net.channel(cp.semaphore_response()));
    for (unsigned i = 0; i < async_dma.size(); ++i) {
        async_dma[i]->to_semaphores().connect(net.channel(sem.request[1 + i]));
        sem.to_client[1 + i].connect(net.channel(async_dma[i]->semaphore_response()));
    }
    srbm.add_busy(regs::si::SRBM_STATUS, SystemResetBits::kSemBusy, &sem.busy);
}

// SRBM, CP -> GRBM -> blocks.
void FrontEnd::link_registers(const Build& build) {
    const asic::LinkSpec& spec = build.config.link_register;
    auto& bus = build.net.link<RegisterCodec>(
        "cp_bus", {build.engine, cp.register_bus_response(), cp.to_register_bus()},
        {build.engine, grbm.request[kRegFromCp], grbm.to_source[kRegFromCp]}, spec);
    bus.allow_direct_link();

    to_block(build, si::bus::kCp, "grbm_to_cp", cp.register_file(),
             {build.engine, cp.register_request(), cp.to_register_response()});
    // Status registers of the blocks below, but for these two, show whether a request is on its
    // way.
    to_block(build, si::bus::kSpi, "grbm_to_spi", spi).allow_direct_link();
    to_block(build, si::bus::kVgt, "grbm_to_vgt", vgt).allow_direct_link();
    RegisterBlocks::each([&](auto row) {
        using Block = BlockOf<decltype(row)>;
        to_block(build, decltype(row)::kPort, std::string("grbm_to_") + Block::kName,
                 block<Block>());
    });
    if (ih)
        to_block(build, si::bus::kIh, "grbm_to_ih", *ih);
    to_block(build, si::bus::kSrbm, "grbm_to_srbm", srbm_for_cp,
             {build.engine, srbm.request[srbm::kCp], srbm.to_source[srbm::kCp]});
    if (gds)
        to_block(build, si::bus::kGds, "grbm_to_gds", *gds);
    if (grbm_on_pins)
        grbm_on_pins->require_ports();
}

// VGT -> SPI, primitive assembler; events and interrupts.
void FrontEnd::link_streams(const Build& build) {
    asic::Netlist& net = build.net;
    spi.to_events.connect(cp.event_done());
    vgt.to_spi.connect(net.channel(spi.from_vgt()));
    spi.to_stage_done.connect(vgt.stage_done);
    vgt.to_primitives.connect(net.channel(pa.primitives));
    vgt.to_samples.connect(net.channel(pa.samples));
    pa.to_samples.connect(cp.expect_samples());
    spi.to_vertices.connect(net.channel(pa.vertices));
    pa.to_free.connect(net.channel(spi.from_assembler()));
    if (auto* allocator = build.options.substitutes.find<spi::AllocatorUnit>())
        spi.use_allocator(allocator);
    if (auto* dispatcher = build.options.substitutes.find<spi::DispatchUnit>())
        spi.use_dispatcher(dispatcher);
    if (ih)
        ih->connect_line(interrupts);
    cp.to_interrupt().connect(interrupt_in());
    if (ih)
        cp.watch_interrupt_hold(ih->hold_end_of_pipe);
    grbm.to_read_errors.connect(ih ? ih->read_errors : no_ih.read_errors);
    srbm.to_read_errors.connect(ih ? ih->system_read_errors : no_ih.system_read_errors);
    cp.to_perf_events().connect(perf().events);
    cp.use_perfcounter(cp_count);
    spi.name_packets(cp);
    vgt.name_packets(cp);
}

std::vector<std::string> FrontEnd::untranslated(const AddressSpaces* spaces) const {
    std::vector<std::string> lines;
    if (!srbm.state().translates)
        return lines;
    unsigned vmids = cp.vmids();
    for (const auto& dma : async_dma)
        vmids |= dma->register_file().vmids();
    for (unsigned vmid = 1; vmid < cp::kVmids; ++vmid)
        if ((vmids >> vmid & 1) != 0 &&
            (spaces == nullptr || !spaces->translates(static_cast<uint8_t>(vmid))))
            lines.push_back("addresses of VMID " + std::to_string(vmid) +
                            " were not translated, though VM_CONTEXT1_CNTL enables its page table: "
                            "page tables are not modelled");
    return lines;
}

void FrontEnd::connect_soft_reset() {
    const auto hold = [](asic::SoftReset& reset, uint32_t bits, auto& block) {
        reset.add(bits, block, {&block.registers, block.to_registers.get()});
    };
    soft_reset.add(SoftResetBits::kCp, cp, cp.units(),
                   {&cp.register_request(), cp.to_register_response().get()});
    hold(soft_reset, SoftResetBits::kSpi, spi);
    hold(soft_reset, SoftResetBits::kVgt, vgt);
    soft_reset.add(SoftResetBits::kVgt, vgt.index_dma());
    soft_reset.add(SoftResetBits::kAssembler, pa);
    for (unsigned i = 0; i < async_dma.size(); ++i) {
        dma::DmaCore& dma = *async_dma[i];
        system_soft_reset.add(SystemResetBits::dma(i), dma, dma.units(),
                              {&dma.register_request(), dma.to_register_response().get()});
    }
    system_soft_reset.add(SystemResetBits::kSem, sem);
    if (gds)
        hold(soft_reset, SoftResetBits::kGds, *gds);
    if (ih)
        hold(system_soft_reset, SystemResetBits::kIh, *ih);
}

}  // namespace archipelago::gcn
