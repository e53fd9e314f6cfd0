// SPDX-License-Identifier: Apache-2.0
#include "models/asic/ctm/chip.h"

#include <array>
#include <functional>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/asic/ctm/command_fork.h"
#include "models/asic/ctm/functional.h"
#include "models/asic/host_interrupts.h"
#include "models/common/error.h"
#include "models/ctm/co/co_core.h"
#include "models/ctm/dpp/dpp_core.h"
#include "models/ctm/mc/mc_core.h"
#include "models/ctm/pe/pe_core.h"
#include "models/ctm/pe/registers.h"

namespace archipelago::ctm {
namespace {

using tlm_shell::RegisterCodec;

const asic::Netlist::Names kOrder = {"ctm", "hub", "mc"};

constexpr const char* kInstructionTypes[] = {"alu", "out", "fc", "tex"};

}  // namespace

struct Chip::Parts {
    Parts(const ChipConfig& c, const asic::MemoryBuild& b,
          const std::function<void(const Interrupt&)>& raise)
        : config(c),
          net(b.net),
          engine(b.engine),
          pe(c.pe, "ctm.pe", b.options.substitutes.find<rtl::PinBlock<rtl::CtmPePins>>()),
          co(c.co, "ctm.co"),
          controller(c.controller, {b.options.substitutes.find<AddressFactory>()}, "ctm.mc"),
          fork(c.controller.commands, c.pe.strobe_latency, c.controller.arrays),
          interrupts(c.pe.strobe_latency, raise) {
        const auto decode_cache = std::make_shared<dpp::DecodeCache>();
        for (unsigned i = 0; i < c.controller.arrays; ++i) {
            arrays.push_back(
                std::make_unique<dpp::DppCore>(c.dpp, "ctm.dpp" + std::to_string(i), decode_cache));
            arrays.back()->set_instruction_limit(b.options.wave_limit());
            arrays.back()->set_alu(b.options.substitutes.find<isa::AluUnit>());
        }
        add_blocks();
        link_commands();
        for (unsigned i = 0; i < arrays.size(); ++i)
            link_array(i);
    }
    void add_blocks();
    void link_commands();
    void link_array(unsigned i);
    std::optional<uint32_t> inspect(const RegRequest& r) {
        uint32_t value = 0;
        return pe.inspect_register(r, value) ? std::optional(value) : std::nullopt;
    }
    std::vector<asic::HubClient> hub_clients();
    void link_system(asic::MemoryChannels& memory);
    template <class Message>
    void connect(OutputChannel<Message>& from, Channel<Message>& to) {
        from.connect(net.channel(to));
    }

    const ChipConfig& config;
    asic::Netlist& net;
    tlm_shell::ClockDomain& engine;
    PeCore pe;
    CoCore co;
    McCore controller;
    CommandFork fork;
    std::vector<std::unique_ptr<dpp::DppCore>> arrays;
    asic::HostInterrupts interrupts;
    tlm_shell::RegisterTargetPort* host = nullptr;
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

// Local memory is downstream of the hub.
std::vector<asic::HubClient> Chip::Parts::hub_clients() {
    std::vector<asic::HubClient> clients;
    for (unsigned i = 0; i < config.controller.local_ports; ++i)
        clients.push_back({"ctm_mc_hub_" + std::to_string(i),
                           {engine, controller.from_local[i], controller.to_local[i]}});
    return clients;
}

// The host's memory is downstream of a link whose rate the controller keeps.
void Chip::Parts::link_system(asic::MemoryChannels& memory) {
    auto& system = net.initiator<tlm_shell::MemoryCodec>(
        "system", {engine, controller.from_system, controller.to_system}, config.link_store);
    system.socket.bind(memory.other(0));
}

Chip::Chip(const sc_core::sc_module_name& name, const asic::ChipDescription& description,
           const ChipConfig& config, const asic::ChipOptions& options)
    : ClockedChip(name, description, config.identity, config, options),
      parts_(std::make_unique<Parts>(config, build(), [this](const Interrupt& i) { raise(i); })) {
    Parts& p = *parts_;
    registers.bind(p.host->socket);
    reset_all_by({kSoftReset, kSoftResetBits, config.link_host.latency}, *p.host, p.pe,
                 {&p.pe.registers, p.pe.to_registers.get()});
    if (has_time()) {
        p.link_system(add_memory(p.hub_clients(), /*others=*/1));
        // Verilog keeps its registers to itself.
        if (options.substitutes.find<rtl::PinBlock<rtl::CtmPePins>>() == nullptr)
            allow_inspection([&p](const RegRequest& r) { return p.inspect(r); }, *p.host);
    } else {
        p.functional = std::make_unique<FunctionalMachine>(config, options.wave_limit(),
                                                           p.pe.register_file(), memory);
        FunctionalMachine& machine = *p.functional;
        run_without_time(machine, *p.host);
        machine.on_consumed = [this](uint32_t buffer) {
            raise({kInterruptConsumed, 0, 0, buffer});
        };
        machine.observe({options.trace, options.log, p.engine.period_fs()});
    }
    complete(kOrder, kOrder);
}

Chip::~Chip() = default;

// What the machine in functional mode holds, to the units that a chip in cycle mode goes on with.
void Chip::copy_state_to_blocks() {
    Parts& p = *parts_;
    p.pe.take_over(p.functional->processor(), p.functional->counted());
    p.co.take_over(p.functional->condition());
    p.controller.take_over(p.functional->controller());
    for (const auto& array : p.arrays)
        array->take_over(p.functional->array().extents());
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

}  // namespace archipelago::ctm
