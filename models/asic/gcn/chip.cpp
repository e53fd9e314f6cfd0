// SPDX-License-Identifier: Apache-2.0
#include "models/asic/gcn/chip.h"

#include "models/asic/gcn/attribute.h"
#include "models/asic/gcn/compute.h"
#include "models/asic/gcn/front_end.h"
#include "models/asic/gcn/functional_chip.h"
#include "models/asic/gcn/memory.h"
#include "models/asic/gcn/report_waves.h"
#include "models/asic/gcn/warm_caches.h"
#include "models/asic/netlist.h"
#include "models/asic/place_trace.h"
#include "models/asic/sampler.h"

namespace archipelago::gcn {
namespace {

using asic::Mode;

// Orders in which timelines and statistics show the blocks (Netlist::observe).
const asic::Netlist::Names kTraceOrder = {"srbm", "grbm", "cp",  "dma",    "ih",     "spi",
                                          "vgt",  "se",   "sqc", "tcc|mc", "fabric", "hub"};
const asic::Netlist::Names kStatsOrder = {"srbm",      "grbm", "cp",  "dma", "spi",          "vgt",
                                          "assembler", "gb",   "ih",  "se",  "sqc",          "gds",
                                          "fabric",    "tcc",  "hub", "mc",  "cache_actions"};

}  // namespace

struct Chip::Parts {
    Parts(const ChipConfig& c, const asic::ChipOptions& o, tlm_shell::RunControl& run,
          std::function<void(const Interrupt&)> raise)
        : config(c),
          options(o),
          net(o),
          engine("engine", c.identity.clock_period_fs, run),
          memory_clock("memory_clock", c.memory_period_fs, run),
          map(c.channel_map),
          front(build(), std::move(raise)) {
        if (o.shuffle_seed != 0) {
            engine.scheduler().shuffle(o.shuffle_seed);
            memory_clock.scheduler().shuffle(o.shuffle_seed * 31 + 7);
        }
    }
    Build build() { return {config, options, net, engine, memory_clock}; }

    const ChipConfig& config;
    const asic::ChipOptions& options;
    asic::Netlist net;
    tlm_shell::ClockDomain engine;
    tlm_shell::ClockDomain memory_clock;
    mc::ChannelMap map;
    FrontEnd front;
    StatsRegistry registry;
    // Cycle mode.
    std::unique_ptr<Compute> compute;
    std::unique_ptr<Memory> memory;
    std::unique_ptr<asic::Sampler> sampler;
    std::unique_ptr<asic::PlaceTrace> places;  // with a timeline
    // Functional mode.
    std::unique_ptr<FunctionalChip> functional;
};

Chip::Chip(const sc_core::sc_module_name& name, const asic::ChipDescription& description,
           const ChipConfig& config, const asic::ChipOptions& options)
    : Asic(name, description, options),
      parts_(std::make_unique<Parts>(config, this->options(), control(),
                                     [this](const Interrupt& i) { raise(i); })) {
    Parts& p = *parts_;
    registers.bind(p.front.host->socket);
    if (options.mode == Mode::Cycle) {
        p.compute = std::make_unique<Compute>(p.build(), p.map, p.front);
        p.memory =
            std::make_unique<Memory>(p.build(), p.map, control(), memory, p.front, *p.compute);
        p.net.observe(kTraceOrder);
    } else {
        p.functional = std::make_unique<FunctionalChip>(p.build(), p.front, memory, control());
    }
    p.net.register_stats(p.registry, kStatsOrder);
    p.front.perf.connect_counters(p.registry);
    if (options.mode == Mode::Cycle) {
        p.sampler = std::make_unique<asic::Sampler>(p.registry, p.engine.scheduler(),
                                                    options.series_interval);
        p.sampler->watch(*p.compute->ledger);
        if (options.trace != nullptr)
            p.places = std::make_unique<asic::PlaceTrace>(
                p.net.transactions(), *options.trace,
                std::initializer_list<tlm_shell::ClockDomain*>{&p.engine, &p.memory_clock});
    }
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
    const char* const kConstants = "constant engine of the functional machine";
    if (p.functional) {
        p.net.archive(a);
        a.block(kWithoutTime, [&] { p.functional->machine.archive(a); });
        a.block(kConstants, [&] { p.functional->machine.archive_constants(a); });
        p.functional->machine.archive_caches(a);
        return;
    }
    // Blocks that wait for nothing but their registers hold the same in both modes.
    const bool fast_forwarded = !a.saving() && a.has(kWithoutTime);
    p.net.archive(a, fast_forwarded);
    if (p.places && !a.saving())
        p.places->restored(control().time());
    if (fast_forwarded) {
        a.block(kConstants, [&] { p.front.cp.archive_constants(a); });
        if (a.has(kWarmCaches))
            archive_lines(a, p.compute->tcps, p.compute->sqc_inst, p.compute->sqc_data,
                          p.memory->tccs);
        p.front.cp.announce(p.engine.now());
        for (const auto& dma : p.front.async_dma)
            dma->announce(p.engine.now());
        for (const auto& cu : p.compute->cus)
            cu->take_tiling(p.front.gb.tiling());
        p.engine.scheduler().wake_all();
        return;
    }
    a.block("memory arbiter", [&] { p.memory->channels.archive(a); });
    a.block("engine clock", [&] { p.engine.archive(a); });
    a.block("memory clock", [&] { p.memory_clock.archive(a); });
    a.block("attribution", [&] {
        p.compute->ledger->archive(a);
        p.sampler->archive(a);
    });
}

void Chip::choose_groups(const GroupSelection& groups) {
    parts_->front.spi.choose_groups(groups);
}

bool Chip::background_idle() const {
    return parts_->functional ? parts_->functional->machine.constants_idle()
                              : parts_->front.cp.constants_idle();
}

asic::HangReport Chip::hang_report() const {
    asic::HangReport report;
    const Parts& p = *parts_;
    if (p.functional) {
        report.cp = p.functional->machine.report();
        const std::string waits = p.functional->machine.waiting_for();
        if (!waits.empty())
            report.units.emplace_back("cp", waits);
        const std::string dma = p.functional->machine.dma_waiting_for();
        if (!dma.empty())
            report.units.emplace_back("async_dma", dma);
        return report;
    }
    report.cp = p.front.cp.report();
    report.units = p.net.waiting();
    for (unsigned i = 0; i < p.config.cus(); ++i)
        report_waves(p.config.cu_name(i), *p.compute->cus[i], report);
    return report;
}

std::vector<std::string> Chip::warnings() const {
    return parts_->functional ? parts_->functional->machine.warnings()
                              : parts_->front.cp.warnings();
}

uint64_t Chip::progress() const {
    return parts_->functional ? parts_->functional->machine.packets() : parts_->net.progress();
}

asic::WorkDone Chip::work() const {
    cu::WorkCounters sum;
    const auto take = [&](const cu::WorkCounters& w) {
        sum.waves += w.waves;
        for (unsigned i = 0; i < cu::kClasses; ++i)
            sum.instructions[i] += w.instructions[i];
    };
    if (parts_->functional)
        take(parts_->functional->machine.stats().work);
    else
        for (const auto& cu : parts_->compute->cus)
            take(cu->state().counters.work);
    asic::WorkDone done;
    done.waves = sum.waves;
    for (unsigned i = 0; i < cu::kClasses; ++i) {
        done.instructions += sum.instructions[i];
        done.by_class.emplace_back(cu::class_name(static_cast<isa::Class>(i)), sum.instructions[i]);
    }
    return done;
}

const StatsRegistry& Chip::stats() const {
    return parts_->registry;
}

std::optional<asic::Attribution> Chip::attribution() const {
    const Parts& p = *parts_;
    if (!p.compute)
        return {};
    const Cycle now = p.engine.now();
    asic::Attribution a;
    a.period_fs = p.engine.period_fs();
    a.memory = p.net.transactions().times(control().time());
    a.series_interval = options().series_interval;
    a.series = p.sampler->series(now);
    a.ceilings = ceilings(p.config);
    attribute_waves(*p.compute, *p.sampler, now, a);
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

}  // namespace archipelago::gcn
