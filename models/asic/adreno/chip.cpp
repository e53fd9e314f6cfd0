// SPDX-License-Identifier: Apache-2.0
#include "models/asic/adreno/chip.h"

#include "models/afuc/cp/cp_core.h"
#include "models/afuc/isa/names.h"
#include "models/afuc/isa/text.h"
#include "models/asic/adreno/functional.h"
#include "models/asic/host_interrupts.h"
#include "models/asic/memory_channels.h"
#include "models/asic/netlist.h"
#include "models/asic/place_trace.h"
#include "models/asic/sampler.h"

namespace archipelago::adreno {
namespace {

using asic::Mode;
using tlm_shell::RegisterCodec;

const asic::Netlist::Names kOrder = {"cp", "hub", "mc"};

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
          cp(c.cp, {o.substitutes.find<afuc::EngineFactory>()}),
          interrupts(c.cp.strobe_latency, raise) {
        if (o.shuffle_seed != 0) {
            engine.scheduler().shuffle(o.shuffle_seed);
            memory_clock.scheduler().shuffle(o.shuffle_seed * 31 + 7);
        }
        net.add(engine, cp, "cp", {"words", "actions"});
        host = &net.target<RegisterCodec>(
            "host", {engine, cp.register_request(), cp.to_register_response()}, config.link_host);
        net.add(engine, interrupts, "interrupts");
        cp.to_interrupt().connect(interrupts.in);
    }
    void add_memory(tlm_shell::RunControl& run, tlm::tlm_initiator_socket<>& socket) {
        memory = std::make_unique<asic::MemoryChannels>(
            asic::MemoryBuild{config, options, net, engine, memory_clock}, map, run,
            std::vector<asic::HubClient>{{"cp_hub", {engine, cp.hub_response(), cp.to_hub()}}});
        for (unsigned i = 0; i < config.channel_map.channels; ++i)
            memory->add();
        memory->finish(socket);
    }

    void add_profile(asic::Attribution& to) const;

    const ChipConfig& config;
    const asic::ChipOptions& options;
    asic::Netlist net;
    tlm_shell::ClockDomain engine;
    tlm_shell::ClockDomain memory_clock;
    mc::ChannelMap map;
    afuc::CpCore cp;
    asic::HostInterrupts interrupts;
    tlm_shell::RegisterTargetPort* host = nullptr;
    StatsRegistry registry;
    std::unique_ptr<asic::Sampler> sampler;         // cycle mode
    std::unique_ptr<asic::PlaceTrace> places;       // cycle mode, with a timeline
    std::unique_ptr<asic::MemoryChannels> memory;   // cycle mode
    std::unique_ptr<FunctionalMachine> functional;  // functional mode
};

// Of each engine: what took cycles, by packet and by instruction.
void Chip::Parts::add_profile(asic::Attribution& to) const {
    const afuc::Generation& generation = *config.cp.generation;
    for (const auto& engine : cp.engines()) {
        const afuc::EngineProfile& p = engine->profiled();
        const std::string& path = engine->spec().engine.path;
        for (unsigned i = 0; i < p.packets.size(); ++i)
            if (p.packets[i].count != 0)
                to.packets.push_back(
                    {path,
                     i == 0 ? "before the first packet" : afuc::packet_name(generation.names, i),
                     p.packets[i].count, p.packets[i].cycles, p.packets[i].most});
        for (uint32_t pc = 0; pc < p.lines.size(); ++pc)
            if (p.lines[pc].beats != 0)
                to.microcode.push_back(
                    {path, pc, engine->source_of(pc),
                     engine->engine() != nullptr
                         ? afuc::instruction_text(generation, engine->engine()->word_at(pc), pc)
                         : std::string(),
                     p.lines[pc].beats, p.lines[pc].cycles});
    }
}

Chip::Chip(const sc_core::sc_module_name& name, const asic::ChipDescription& description,
           const ChipConfig& config, const asic::ChipOptions& options)
    : Asic(name, description, options),
      parts_(std::make_unique<Parts>(config, this->options(), control(),
                                     [this](const Interrupt& i) { raise(i); })) {
    Parts& p = *parts_;
    registers.bind(p.host->socket);
    auto* const debugger = options.substitutes.find<afuc::DebugHook>();
    if (options.mode == Mode::Cycle) {
        if (debugger != nullptr)
            p.cp.debug(*debugger);
        if (options.profile)
            p.cp.profile();
        p.add_memory(control(), memory);
        p.net.observe(kOrder);
    } else {
        p.functional = std::make_unique<FunctionalMachine>(config.cp, p.cp.gpu_registers(),
                                                           options.wave_limit(), memory);
        FunctionalMachine& machine = *p.functional;
        p.host->set_direct(&machine);
        machine.on_error = [this](std::exception_ptr e) { control().fail(std::move(e)); };
        machine.on_interrupt = [this](uint32_t bit) {
            raise({static_cast<uint8_t>(bit), 0, 0, 0});
        };
        if (debugger != nullptr)
            machine.cp().debug(*debugger);
        // Without time there is no timeline.
        machine.cp().observe({nullptr, options.log, p.engine.period_fs()});
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
        if (a.saving())
            p.functional->cp().hand_over(p.cp);
        p.net.archive(a);
        a.block(kWithoutTime, [&] { p.functional->cp().archive(a); });
        return;
    }
    const bool fast_forwarded = !a.saving() && a.has(kWithoutTime);
    p.net.archive(a, fast_forwarded);
    if (p.places && !a.saving())
        p.places->restored(control().time());
    if (fast_forwarded) {
        p.cp.announce(p.engine.now());
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
    else if (const std::string waits = parts_->functional->cp().waiting_for(); !waits.empty())
        report.units.emplace_back("cp", waits);
    return report;
}

uint64_t Chip::progress() const {
    return parts_->functional ? parts_->functional->cp().activity() : parts_->net.progress();
}

asic::WorkDone Chip::work() const {
    const uint64_t done =
        parts_->functional ? parts_->functional->cp().instructions() : parts_->cp.instructions();
    asic::WorkDone work;
    work.instructions = done;
    work.by_class.emplace_back("micro", done);
    return work;
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
    if (options().profile)
        p.add_profile(a);
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

}  // namespace archipelago::adreno
