// SPDX-License-Identifier: Apache-2.0
#include "models/asic/ctm/chip.h"

#include <array>
#include <functional>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "models/asic/ctm/command_fork.h"
#include "models/asic/ctm/functional.h"
#include "models/asic/host_interrupts.h"
#include "models/asic/memory_channels.h"
#include "models/asic/netlist.h"
#include "models/asic/sampler.h"
#include "models/common/error.h"
#include "models/ctm/co/co_core.h"
#include "models/ctm/dpp/dpp_core.h"
#include "models/ctm/mc/mc_core.h"
#include "models/ctm/pe/pe_core.h"

namespace archipelago::ctm {
namespace {

using asic::Mode;
using tlm_shell::RegisterCodec;

const asic::Netlist::Names kOrder = {"ctm", "hub", "mc"};

constexpr const char* kInstructionTypes[] = {"alu", "out", "fc", "tex"};

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
          pe(c.pe, "ctm.pe", o.substitutes.find<rtl::PinBlock<rtl::CtmPePins>>()),
          co(c.co, "ctm.co"),
          controller(c.controller, {o.substitutes.find<AddressFactory>()}, "ctm.mc"),
          fork(c.controller.commands, c.pe.strobe_latency, c.controller.arrays),
          interrupts(c.pe.strobe_latency, raise) {
        if (o.shuffle_seed != 0) {
            engine.scheduler().shuffle(o.shuffle_seed);
            memory_clock.scheduler().shuffle(o.shuffle_seed * 31 + 7);
        }
        const auto decode_cache = std::make_shared<dpp::DecodeCache>();
        for (unsigned i = 0; i < c.controller.arrays; ++i) {
            arrays.push_back(
                std::make_unique<dpp::DppCore>(c.dpp, "ctm.dpp" + std::to_string(i), decode_cache));
            arrays.back()->set_instruction_limit(o.wave_limit());
            arrays.back()->set_alu(o.substitutes.find<isa::AluUnit>());
        }
        add_blocks();
        link_commands();
        for (unsigned i = 0; i < arrays.size(); ++i)
            link_array(i);
    }
    void add_blocks();
    void link_commands();
    void link_array(unsigned i);
    void add_memory(tlm_shell::RunControl& run, tlm::tlm_initiator_socket<>& socket);
    void hand_over();
    template <class Message>
    void connect(OutputChannel<Message>& from, Channel<Message>& to) {
        from.connect(net.channel(to));
    }

    const ChipConfig& config;
    const asic::ChipOptions& options;
    asic::Netlist net;
    tlm_shell::ClockDomain engine;
    tlm_shell::ClockDomain memory_clock;
    mc::ChannelMap map;
    PeCore pe;
    CoCore co;
    McCore controller;
    CommandFork fork;
    std::vector<std::unique_ptr<dpp::DppCore>> arrays;
    asic::HostInterrupts interrupts;
    tlm_shell::RegisterTargetPort* host = nullptr;
    StatsRegistry registry;
    std::unique_ptr<asic::Sampler> sampler;         // cycle mode
    std::unique_ptr<asic::MemoryChannels> memory;   // cycle mode
    std::unique_ptr<FunctionalMachine> functional;  // functional mode
};

void Chip::Parts::add_blocks() {
    net.add(engine, pe, "ctm.pe", {"commands", "threads"});
    host = &net.target<RegisterCodec>("host", {engine, pe.registers, pe.to_registers},
                                      config.link_host);
    net.add(engine, fork, "ctm.commands");
    net.add(engine, co, "ctm.co", {"tests"});
    net.add(engine, controller, "ctm.mc", {"*requests"});
    for (const auto& array : arrays)
        net.add(engine, *array, array->name(), {"*_instructions"});
    net.add(engine, interrupts, "interrupts");
    pe.to_interrupt.connect(interrupts.in);
}

void Chip::Parts::link_commands() {
    connect(pe.to_memory_controller, fork.commands);
    connect(fork.to_controller, controller.commands);
    controller.to_command_done.connect(fork.controller_done);
    fork.to_done.connect(pe.memory_controller_done);
    connect(pe.to_conditional_operation, co.commands);
    co.to_commands_done.connect(pe.conditional_operation_done);
    connect(pe.to_condition, co.from_pe);
    connect(co.to_pe, pe.condition);
    connect(pe.to_memory, controller.pe_requests);
    connect(controller.to_pe, pe.memory_response);
    const unsigned port = controller.conditional_port();
    connect(co.to_memory, controller.elements[port]);
    connect(controller.to_elements[port], co.from_memory);
}

void Chip::Parts::link_array(unsigned i) {
    dpp::DppCore& array = *arrays[i];
    connect(fork.to_array[i], array.commands);
    array.to_command_done.connect(fork.array_done[i]);
    connect(pe.to_array[i], array.launch_in);
    connect(array.to_done, pe.done[i]);
    connect(array.to_condition, co.from_array[i]);
    connect(co.to_array[i], array.condition_in);
    const unsigned inputs = controller.input_port(i), outputs = controller.output_port(i);
    connect(array.to_texture, controller.elements[inputs]);
    connect(controller.to_elements[inputs], array.texture_in);
    connect(array.to_output, controller.elements[outputs]);
    connect(controller.to_elements[outputs], array.output_in);
    for (unsigned kind = 0; kind < dpp::kWordsKinds; ++kind) {
        const unsigned port = McCore::words_port(i, dpp::kWordsClient[kind]);
        connect(array.to_words[kind], controller.words[port]);
        connect(controller.to_words[port], array.words_in[kind]);
    }
}

// Local memory behind the hub; the host's behind a link whose rate the controller keeps.
void Chip::Parts::add_memory(tlm_shell::RunControl& run, tlm::tlm_initiator_socket<>& socket) {
    std::vector<asic::HubClient> clients;
    for (unsigned i = 0; i < config.controller.local_ports; ++i)
        clients.push_back({"ctm_mc_hub_" + std::to_string(i),
                           {engine, controller.from_local[i], controller.to_local[i]}});
    memory = std::make_unique<asic::MemoryChannels>(
        asic::MemoryBuild{config, options, net, engine, memory_clock}, map, run, clients,
        /*others=*/1);
    for (unsigned i = 0; i < config.channel_map.channels; ++i)
        memory->add();
    auto& system = net.initiator<tlm_shell::MemoryCodec>(
        "system", {engine, controller.from_system, controller.to_system}, config.link_store);
    system.socket.bind(memory->other(0));
    memory->finish(socket);
}

// What the machine without time holds, to the units that a chip in time goes on with.
void Chip::Parts::hand_over() {
    pe.take_over(functional->processor(), functional->counted());
    co.take_over(functional->condition());
    controller.take_over(functional->controller());
    for (const auto& array : arrays)
        array->take_over(functional->array().extents());
}

Chip::Chip(const sc_core::sc_module_name& name, const asic::ChipDescription& description,
           const ChipConfig& config, const asic::ChipOptions& options)
    : Asic(name, description, options),
      parts_(std::make_unique<Parts>(config, this->options(), control(),
                                     [this](const Interrupt& i) { raise(i); })) {
    Parts& p = *parts_;
    registers.bind(p.host->socket);
    if (options.mode == Mode::Cycle) {
        p.add_memory(control(), memory);
        p.net.observe(kOrder);
    } else {
        p.functional = std::make_unique<FunctionalMachine>(config, options.wave_limit(),
                                                           p.pe.register_file(), memory);
        FunctionalMachine& machine = *p.functional;
        p.host->set_direct(&machine);
        machine.on_error = [this](std::exception_ptr e) { control().fail(std::move(e)); };
        machine.on_consumed = [this](uint32_t buffer) {
            raise({kInterruptConsumed, 0, 0, buffer});
        };
        machine.observe({options.trace, options.log, p.engine.period_fs()});
    }
    p.net.register_stats(p.registry, kOrder);
    if (p.memory)
        p.sampler = std::make_unique<asic::Sampler>(p.registry, p.engine.scheduler(),
                                                    options.series_interval);
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
            p.hand_over();
        p.net.archive(a);
        a.block(kWithoutTime, [&] { p.functional->archive(a); });
        return;
    }
    const bool fast_forwarded = !a.saving() && a.has(kWithoutTime);
    p.net.archive(a, fast_forwarded);
    if (fast_forwarded) {
        p.engine.scheduler().wake_all();
        return;
    }
    a.block("memory arbiter", [&] { p.memory->archive(a); });
    a.block("engine clock", [&] { p.engine.archive(a); });
    a.block("memory clock", [&] { p.memory_clock.archive(a); });
    a.block("attribution", [&] { p.sampler->archive(a); });
}

asic::HangReport Chip::hang_report() const {
    asic::HangReport report;
    if (!parts_->functional)
        report.units = parts_->net.waiting();
    return report;
}

uint64_t Chip::progress() const {
    return parts_->functional ? parts_->functional->commands() : parts_->net.progress();
}

asic::WorkDone Chip::work() const {
    asic::WorkDone done;
    std::array<uint64_t, std::size(kInstructionTypes)> by_type{};
    const auto add = [&](uint64_t threads, const auto& instructions) {
        done.waves += threads;
        for (size_t type = 0; type < by_type.size(); ++type)
            by_type[type] += instructions[type];
    };
    if (parts_->functional)
        add(parts_->functional->work().threads, parts_->functional->work().instructions);
    for (const auto& array : parts_->arrays)
        add(array->state().counters.threads, array->state().counters.instructions);
    for (size_t type = 0; type < by_type.size(); ++type) {
        done.instructions += by_type[type];
        done.by_class.emplace_back(kInstructionTypes[type], by_type[type]);
    }
    return done;
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

uint64_t Chip::steps() const {
    return parts_->engine.scheduler().steps();
}

uint64_t Chip::ticks() const {
    return parts_->engine.scheduler().ticks();
}

}  // namespace archipelago::ctm
