// SPDX-License-Identifier: Apache-2.0
#include "models/asic/adreno/chip.h"

#include "models/afuc/cp/cp_core.h"
#include "models/afuc/isa/names.h"
#include "models/asic/adreno/functional.h"
#include "models/asic/host_interrupts.h"

namespace archipelago::adreno {
namespace {

using tlm_shell::RegisterCodec;

const asic::Netlist::Names kOrder = {"cp", "hub", "mc"};

// Instructions of an engine while no word of the ring is taken; seconds, and more than the buffers
// of a frame need.
constexpr uint64_t kInstructionLimit = uint64_t{1} << 26;

}  // namespace

struct Chip::Parts {
    Parts(const ChipConfig& c, const asic::MemoryBuild& b,
          const std::function<void(const Interrupt&)>& raise)
        : config(c),
          net(b.net),
          engine(b.engine),
          cp(c.cp, {b.options.substitutes.find<afuc::EngineFactory>()}),
          interrupts(c.cp.strobe_latency, raise) {
        net.add(engine, cp, "cp", {"words", "actions"});
        host = &net.target<RegisterCodec>(
            "host", {engine, cp.register_request(), cp.to_register_response()}, config.link_host);
        net.add(engine, interrupts, "interrupts");
        cp.to_interrupt().connect(interrupts.in);
    }

    void add_profile(asic::Attribution& to) const;

    const ChipConfig& config;
    asic::Netlist& net;
    tlm_shell::ClockDomain& engine;
    afuc::CpCore cp;
    asic::HostInterrupts interrupts;
    tlm_shell::RegisterTargetPort* host = nullptr;
    std::unique_ptr<FunctionalMachine> functional;  // functional mode
};

// Of each engine: what took cycles, by packet and by instruction.
void Chip::Parts::add_profile(asic::Attribution& to) const {
    const afuc::Generation& generation = *config.cp.generation;
    for (const auto& engine : cp.engines()) {
        const afuc::EngineProfile& p = engine->profiled();
        const std::string& path = engine->spec().engine.path;
        const std::vector<afuc::EngineProfile::Packet> packets = p.all_packets();
        for (unsigned i = 0; i < packets.size(); ++i)
            if (packets[i].count != 0)
                to.packets.push_back(
                    {path,
                     i == 0 ? "before the first packet" : afuc::packet_name(generation.names, i),
                     packets[i].count, packets[i].cycles, packets[i].most});
        for (uint32_t pc = 0; pc < p.lines.size(); ++pc)
            if (p.lines[pc].issues != 0)
                to.microcode.push_back({path, pc, engine->source_of(pc), engine->instruction(pc),
                                        p.lines[pc].issues, p.lines[pc].cycles});
    }
}

Chip::Chip(const sc_core::sc_module_name& name, const asic::ChipDescription& description,
           const ChipConfig& config, const asic::ChipOptions& options)
    : ClockedChip(name, description, config.identity, config, options),
      parts_(std::make_unique<Parts>(config, build(), [this](const Interrupt& i) { raise(i); })) {
    Parts& p = *parts_;
    const uint64_t limit =
        options.instruction_limit != 0 ? options.instruction_limit : kInstructionLimit;
    registers.bind(p.host->socket);
    const uint32_t reset_index = p.cp.gpu_registers().map().index_of(afuc::CpRegister::SoftReset);
    reset_all_by({4 * reset_index, afuc::kSoftResetBit, config.link_host.latency}, *p.host, p.cp,
                 {&p.cp.register_request(), p.cp.to_register_response().get()});
    auto* const debugger = options.substitutes.find<afuc::DebugHook>();
    if (has_time()) {
        if (debugger != nullptr)
            p.cp.debug(*debugger);
        if (options.profile)
            p.cp.profile();
        p.cp.set_instruction_limit(limit);
        allow_inspection([&p](const RegRequest& r) { return p.cp.inspect(r.offset / 4); }, *p.host);
        add_memory({{"cp_hub", {p.engine, p.cp.hub_response(), p.cp.to_hub()}}});
    } else {
        p.functional =
            std::make_unique<FunctionalMachine>(config.cp, p.cp.gpu_registers(), limit, memory);
        FunctionalMachine& machine = *p.functional;
        run_without_time(machine, *p.host);
        p.net.count("cp", [&machine](StatsRegistry& stats) { machine.cp().register_stats(stats); });
        machine.on_interrupt = [this](uint32_t bit) {
            raise({static_cast<uint8_t>(bit), 0, 0, 0});
        };
        if (debugger != nullptr)
            machine.cp().debug(*debugger);
        // Without time there is no timeline.
        machine.cp().observe({nullptr, options.log, p.engine.period_fs()});
    }
    complete(kOrder, kOrder);
    trace_places();
}

Chip::~Chip() = default;

void Chip::copy_state_to_blocks() {
    parts_->functional->cp().copy_state_to(parts_->cp);
}

void Chip::take_over(Archive&) {
    parts_->cp.announce(parts_->engine.now());
}

void Chip::attribute(asic::Attribution& a) const {
    if (options().profile)
        parts_->add_profile(a);
}

asic::WorkDone Chip::work() const {
    const uint64_t done =
        parts_->functional ? parts_->functional->cp().issues() : parts_->cp.instructions();
    asic::WorkDone work;
    work.instructions = done;
    work.by_class.emplace_back("micro", done);
    return work;
}

}  // namespace archipelago::adreno
