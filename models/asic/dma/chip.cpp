// SPDX-License-Identifier: Apache-2.0
#include "models/asic/dma/chip.h"

#include <algorithm>

#include "models/asic/dma/functional.h"
#include "models/asic/interrupt_out.h"
#include "models/asic/soft_reset.h"
#include "models/dma/dma_core.h"
#include "models/srbm/srbm_core.h"

namespace archipelago::dma_chip {
namespace {

using tlm_shell::RegisterCodec;

const asic::Netlist::Names kOrder = {"srbm", "dma", "sem", "ih", "hub", "mc"};

}  // namespace

struct Chip::Parts {
    Parts(const ChipConfig& c, const asic::MemoryBuild& b,
          const std::function<void(const Interrupt&)>& raise)
        : config(c),
          net(b.net),
          engine(b.engine),
          srbm(c.srbm),
          sem(c.sem),
          ih(c.ih),
          interrupts(raise),
          soft_reset("soft_reset", engine, srbm.soft_reset) {
        for (const dma::Spec& spec : c.async_dma.engines)
            engines.push_back(
                std::make_unique<dma::DmaCore>(spec, asic::dma_units(b.options.substitutes)));
        add_blocks();
    }
    void add_blocks();
    void link_engine(unsigned i);
    void link_interrupts();
    std::vector<asic::HubClient> hub_clients();

    const ChipConfig& config;
    asic::Netlist& net;
    tlm_shell::ClockDomain& engine;
    srbm::SrbmCore srbm;
    std::vector<std::unique_ptr<dma::DmaCore>> engines;
    sem::SemCore sem;
    ih::IhCore ih;
    asic::InterruptOut interrupts;
    asic::SoftReset soft_reset;
    tlm_shell::RegisterTargetPort* host = nullptr;
    std::unique_ptr<FunctionalMachine> functional;  // functional mode
};

void Chip::Parts::add_blocks() {
    net.add(engine, srbm, "srbm");
    host = &net.target<RegisterCodec>(
        "srbm_host", {engine, srbm.request[srbm::kHost], srbm.to_source[srbm::kHost]},
        config.link_host);
    for (unsigned i = 0; i < engines.size(); ++i)
        link_engine(i);
    net.add(engine, sem, "sem");
    link_interrupts();
    net.add(engine, soft_reset, "soft_reset");
}

void Chip::Parts::link_interrupts() {
    net.add(engine, ih, "ih");
    srbm.attach(srbm::kIh, &ih);
    net.link<RegisterCodec>("srbm_to_ih",
                            {engine, srbm.response[srbm::kIh], srbm.to_port[srbm::kIh]},
                            {engine, ih.registers, ih.to_registers}, config.link_register);
    ih.connect_line(interrupts);
    soft_reset.add(kSoftResetIh, ih, {&ih.registers, ih.to_registers.get()});
}

void Chip::Parts::link_engine(unsigned i) {
    dma::DmaCore& dma = *engines[i];
    const std::string name = dma.spec().name();
    net.add(engine, dma, name, {"packets", "bytes_written", "dwords"});
    const unsigned port = srbm::kDma0 + i;
    const unsigned source = srbm::kDma0Engine + i;
    srbm.attach(port, &dma.registers());
    net.link<RegisterCodec>("srbm_to_" + name, {engine, srbm.response[port], srbm.to_port[port]},
                            {engine, dma.register_request(), dma.to_register_response()},
                            config.link_register);
    net.link<RegisterCodec>(
        name + "_bus", {engine, dma.register_bus_response(), dma.to_register_bus()},
        {engine, srbm.request[source], srbm.to_source[source]}, config.link_register);
    dma.to_semaphores().connect(net.channel(sem.request[i]));
    sem.to_client[i].connect(net.channel(dma.semaphore_response()));
    dma.to_interrupt().connect(ih.from_dma[i]);
    soft_reset.add(kSoftReset[i], dma, dma.units(),
                   {&dma.register_request(), dma.to_register_response().get()});
}

std::vector<asic::HubClient> Chip::Parts::hub_clients() {
    std::vector<asic::HubClient> clients;
    for (const auto& dma : engines)
        clients.push_back({dma->spec().name() + "_hub",
                           {engine, dma->hub_response(), dma->to_hub()},
                           dma->spec().hub_in});
    clients.push_back({"sem_hub", {engine, sem.from_memory, sem.to_memory}});
    clients.push_back({"ih_hub", {engine, ih.from_memory, ih.to_memory}});
    return clients;
}

Chip::Chip(const sc_core::sc_module_name& name, const asic::ChipDescription& description,
           const ChipConfig& config, const asic::ChipOptions& options)
    : ClockedChip(name, description, config.identity, config, options),
      parts_(std::make_unique<Parts>(config, build(), [this](const Interrupt& i) { raise(i); })) {
    Parts& p = *parts_;
    registers.bind(p.host->socket);
    if (has_time()) {
        add_memory(p.hub_clients());
        reset_by(p.soft_reset);
        allow_inspection([&p](const RegRequest& r) { return p.srbm.inspect(r); }, *p.host);
    } else {
        p.functional = std::make_unique<FunctionalMachine>(p.srbm, p.engines, p.ih, memory,
                                                           options.address_spaces);
        FunctionalMachine& machine = *p.functional;
        run_without_time(machine, *p.host);
        const Observers observers{options.trace, options.log, p.engine.period_fs()};
        machine.observe(observers);
        p.srbm.observe(observers, "srbm");
    }
    complete(kOrder, kOrder);
    trace_places();
}

Chip::~Chip() = default;

bool Chip::background_idle() const {
    return std::all_of(parts_->engines.begin(), parts_->engines.end(),
                       [](const auto& dma) { return dma->mirrored(); });
}

void Chip::take_over(Archive&) {
    for (const auto& dma : parts_->engines)
        dma->announce(parts_->engine.now());
}

}  // namespace archipelago::dma_chip
