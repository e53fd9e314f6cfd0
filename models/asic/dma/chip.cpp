// SPDX-License-Identifier: Apache-2.0
#include "models/asic/dma/chip.h"

#include "models/asic/dma/functional.h"
#include "models/asic/host_interrupts.h"
#include "models/asic/memory_channels.h"
#include "models/asic/netlist.h"
#include "models/asic/place_trace.h"
#include "models/asic/sampler.h"
#include "models/asic/soft_reset.h"
#include "models/dma/dma_core.h"
#include "models/srbm/srbm_core.h"

namespace archipelago::dma_chip {
namespace {

using asic::Mode;
using tlm_shell::RegisterCodec;

const asic::Netlist::Names kOrder = {"srbm", "dma", "sem", "hub", "mc"};
// SRBM_SOFT_RESET: bits of the engines (Linux radeon nid.h).
constexpr uint32_t kSoftReset[] = {1u << 20, 1u << 6};

}  // namespace

struct Chip::Parts {
    Parts(const ChipConfig& c, const asic::ChipOptions& o, tlm_shell::RunControl& run,
          const std::function<void(const Interrupt&)>& raise)
        : config(c),
          options(o),
          net(o),
          engine("engine", c.identity.clock_period_fs, run),
          memory_clock("memory_clock", c.memory_period_fs, run),
          map(c.channel_map),
          srbm(c.srbm),
          sem(c.sem),
          interrupts(1, raise),
          soft_reset("soft_reset", engine, srbm.soft_reset) {
        if (o.shuffle_seed != 0) {
            engine.scheduler().shuffle(o.shuffle_seed);
            memory_clock.scheduler().shuffle(o.shuffle_seed * 31 + 7);
        }
        for (const dma::Spec& spec : c.async_dma.engines)
            engines.push_back(std::make_unique<dma::DmaCore>(spec, asic::dma_units(o.substitutes)));
        add_blocks();
    }
    void add_blocks();
    void link_engine(unsigned i);
    std::vector<asic::HubClient> hub_clients();

    const ChipConfig& config;
    const asic::ChipOptions& options;
    asic::Netlist net;
    tlm_shell::ClockDomain engine;
    tlm_shell::ClockDomain memory_clock;
    mc::ChannelMap map;
    srbm::SrbmCore srbm;
    std::vector<std::unique_ptr<dma::DmaCore>> engines;
    sem::SemCore sem;
    asic::HostInterrupts interrupts;
    asic::SoftReset soft_reset;
    tlm_shell::RegisterTargetPort* host = nullptr;
    StatsRegistry registry;
    std::unique_ptr<asic::Sampler> sampler;         // cycle mode
    std::unique_ptr<asic::PlaceTrace> places;       // cycle mode, with a timeline
    std::unique_ptr<asic::MemoryChannels> memory;   // cycle mode
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
    net.add(engine, interrupts, "interrupts");
    net.add(engine, soft_reset, "soft_reset");
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
    dma.to_interrupt().connect(interrupts.in);
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
    return clients;
}

Chip::Chip(const sc_core::sc_module_name& name, const asic::ChipDescription& description,
           const ChipConfig& config, const asic::ChipOptions& options)
    : Asic(name, description, options),
      parts_(std::make_unique<Parts>(config, this->options(), control(),
                                     [this](const Interrupt& i) { raise(i); })) {
    Parts& p = *parts_;
    registers.bind(p.host->socket);
    if (options.mode == Mode::Cycle) {
        p.memory = std::make_unique<asic::MemoryChannels>(
            asic::MemoryBuild{config, p.options, p.net, p.engine, p.memory_clock}, p.map, control(),
            p.hub_clients());
        for (unsigned i = 0; i < config.channel_map.channels; ++i)
            p.memory->add();
        p.memory->finish(memory);
        p.net.observe(kOrder);
    } else {
        p.functional = std::make_unique<FunctionalMachine>(p.srbm, p.engines, memory);
        FunctionalMachine& machine = *p.functional;
        p.host->set_direct(&machine);
        machine.on_error = [this](std::exception_ptr e) { control().fail(std::move(e)); };
        machine.on_interrupt([this](const Interrupt& i) { raise(i); });
        const Observers observers{options.trace, options.log, p.engine.period_fs()};
        machine.observe(observers);
        p.srbm.observe(observers, "srbm");
    }
    p.net.register_stats(p.registry, kOrder);
    if (!p.memory)
        return;
    p.sampler =
        std::make_unique<asic::Sampler>(p.registry, p.engine.scheduler(), options.series_interval);
    if (options.trace != nullptr)
        p.places = std::make_unique<asic::PlaceTrace>(
            p.net.transactions(), *options.trace,
            std::initializer_list<tlm_shell::ClockDomain*>{&p.engine, &p.memory_clock});
}

Chip::~Chip() = default;

uint64_t Chip::cycles() const {
    return options().mode == Mode::Cycle ? parts_->engine.now() : 0;
}

bool Chip::idle() const {
    return parts_->net.idle();
}

void Chip::archive(Archive& a) {
    Parts& p = *parts_;
    const char* const kWithoutTime = "functional machine";
    if (p.functional) {
        p.net.archive(a);
        a.block(kWithoutTime, [&] { p.functional->archive(a); });
        return;
    }
    const bool fast_forwarded = !a.saving() && a.has(kWithoutTime);
    p.net.archive(a, fast_forwarded);
    if (p.places && !a.saving())
        p.places->restored(control().time());
    if (fast_forwarded) {
        for (const auto& dma : p.engines)
            dma->announce(p.engine.now());
        p.engine.scheduler().wake_all();
        return;
    }
    a.block("memory arbiter", [&] { p.memory->archive(a); });
    a.block("engine clock", [&] { p.engine.archive(a); });
    a.block("memory clock", [&] { p.memory_clock.archive(a); });
    if (p.sampler)
        a.block("attribution", [&] { p.sampler->archive(a); });
}

asic::HangReport Chip::hang_report() const {
    asic::HangReport report;
    if (!parts_->functional)
        report.units = parts_->net.waiting();
    else if (const std::string waits = parts_->functional->waiting_for(); !waits.empty())
        report.units.emplace_back("async_dma", waits);
    return report;
}

uint64_t Chip::progress() const {
    return parts_->functional ? parts_->functional->packets() : parts_->net.progress();
}

const StatsRegistry& Chip::stats() const {
    return parts_->registry;
}

std::optional<asic::Attribution> Chip::attribution() const {
    const Parts& p = *parts_;
    if (!p.sampler)
        return {};
    asic::Attribution a;
    a.period_fs = p.engine.period_fs();
    a.memory = p.net.transactions().times(control().time());
    a.series_interval = options().series_interval;
    a.series = p.sampler->series(p.engine.now());
    return a;
}

void Chip::finish_trace() {
    if (parts_->places)
        parts_->places->finish(control().time());
}

uint64_t Chip::steps() const {
    return parts_->engine.scheduler().steps();
}

uint64_t Chip::ticks() const {
    return parts_->engine.scheduler().ticks();
}

}  // namespace archipelago::dma_chip
