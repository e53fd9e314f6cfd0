// SPDX-License-Identifier: Apache-2.0
#include "models/asic/gcn/chip.h"

#include <algorithm>

#include "models/asic/gcn/attribute.h"
#include "models/asic/gcn/attribute_gaps.h"
#include "models/asic/gcn/compute.h"
#include "models/asic/gcn/front_end.h"
#include "models/asic/gcn/functional_chip.h"
#include "models/asic/gcn/memory.h"
#include "models/asic/gcn/raster.h"
#include "models/asic/gcn/report_waves.h"
#include "models/asic/gcn/warm_caches.h"
#include "models/config/suggest.h"

namespace archipelago::gcn {
namespace {

constexpr const char* kConstants = "constant engine of the functional machine";

// Orders in which timelines and statistics show the blocks (Netlist::observe).
const asic::Netlist::Names kTraceOrder = {"srbm", "grbm",   "cp",     "dma", "sem",   "ih",
                                          "spi",  "vgt",    "pa",     "sc",  "db|cb", "se",
                                          "sqc",  "tcc|mc", "fabric", "hub"};
asic::Netlist::Names stats_order() {
    asic::Netlist::Names order = {"srbm", "grbm",   "cp",  "dma", "sem", "spi",          "vgt",
                                  "pa",   "sc",     "db",  "cb",  "ih",  "se",           "sqc",
                                  "gds",  "fabric", "tcc", "hub", "mc",  "cache_actions"};
    RegisterBlocks::each([&](auto row) {
        using Block = BlockOf<decltype(row)>;
        const auto before = std::find(order.begin(), order.end(), Block::kStatsAfter);
        if (before != order.end())
            order.insert(before + 1, Block::kName);
    });
    return order;
}

}  // namespace

struct Chip::Parts {
    Parts(const Build& b, std::function<void(const Interrupt&)> raise)
        : config(b.config), engine(b.engine), front(b, std::move(raise)) {}

    const ChipConfig& config;
    const tlm_shell::ClockDomain& engine;
    FrontEnd front;
    // Cycle mode.
    std::unique_ptr<Compute> compute;
    std::unique_ptr<Raster> raster;
    std::unique_ptr<Memory> memory;
    // Functional mode.
    std::unique_ptr<FunctionalChip> functional;

    std::vector<std::string> silent_units() const {
        std::vector<std::string> names;
        for (unsigned i = 0; compute && i < config.cus(); ++i)
            if (compute->cus[i]->silent())
                names.push_back(config.cu_name(i));
        return names;
    }
};

Chip::Chip(const sc_core::sc_module_name& name, const asic::ChipDescription& description,
           const ChipConfig& config, const asic::ChipOptions& options)
    : ClockedChip(name, description, config.identity, config, options) {
    const asic::MemoryBuild common = ClockedChip::build();
    const Build build{config, common.options, common.net, common.engine, common.memory_clock};
    parts_ = std::make_unique<Parts>(build, [this](const Interrupt& i) { raise(i); });
    Parts& p = *parts_;
    registers.bind(p.front.host->socket);
    if (has_time()) {
        p.compute = std::make_unique<Compute>(build, map(), p.front);
        p.raster = std::make_unique<Raster>(build, p.front, *p.compute);
        p.memory = std::make_unique<Memory>(build, map(), control(), memory, p.front, *p.compute,
                                            *p.raster);
        use_memory(p.memory->channels);
        reset_by(p.front.soft_reset);
        reset_by(p.front.system_soft_reset);
        // Verilog keeps its registers to itself.
        if (!p.front.grbm_on_pins)
            allow_inspection([&p](const RegRequest& r) { return p.front.srbm.inspect(r); },
                             *p.front.host);
    } else {
        p.functional = std::make_unique<FunctionalChip>(build, p.front, memory);
        run_without_time(p.functional->machine, *p.front.host);
    }
    complete(kTraceOrder, stats_order(), p.front.cp.engines());
    p.front.perf().connect_counters(stats());
    if (p.compute)
        sampler().watch(*p.compute->ledger);
    trace_places();
}

Chip::~Chip() = default;

void Chip::archive_functional(Archive& a) {
    a.block(kConstants, [&] { parts_->functional->machine.archive_constants(a); });
    parts_->functional->machine.archive_caches(a);
}

void Chip::take_over(Archive& a) {
    Parts& p = *parts_;
    a.block(kConstants, [&] { p.front.cp.archive_constants(a); });
    if (a.has(kWarmCaches))
        archive_lines(a, p.compute->tcps, p.compute->sqc_inst, p.compute->sqc_data, p.memory->tccs);
    p.front.cp.announce(p.engine.now());
    for (const auto& dma : p.front.async_dma)
        dma->announce(p.engine.now());
    p.raster->continue_with_registers(p.front);
    for (const auto& cu : p.compute->cus)
        cu->take_tiling(p.front.block<gb::GbBlock>().tiling());
}

void Chip::archive_attribution(Archive& a) {
    parts_->compute->ledger->archive(a);
}

void Chip::choose_groups(const GroupSelection& groups) {
    parts_->front.spi.choose_groups(groups);
}

bool Chip::background_idle() const {
    if (parts_->functional)
        return parts_->functional->machine.constants_idle();
    const auto& cus = parts_->compute->cus;
    const auto& engines = parts_->front.async_dma;
    return parts_->front.cp.constants_idle() &&
           std::all_of(engines.begin(), engines.end(),
                       [](const auto& dma) { return dma->mirrored(); }) &&
           std::none_of(cus.begin(), cus.end(), [](const auto& cu) { return cu->owes_records(); });
}

asic::HangReport Chip::hang_report() const {
    asic::HangReport report = ClockedChip::hang_report();
    const Parts& p = *parts_;
    if (p.functional)
        return report;
    report.cp = p.front.cp.report();
    for (unsigned i = 0; i < p.config.cus(); ++i)
        report_waves(p.config.cu_name(i), *p.compute->cus[i], report);
    return report;
}

std::vector<std::string> Chip::warnings() const {
    std::vector<std::string> lines =
        parts_->functional ? parts_->functional->machine.warnings() : parts_->front.cp.warnings();
    const auto add = [&](const std::vector<std::string>& more) {
        lines.insert(lines.end(), more.begin(), more.end());
    };
    add(parts_->front.untranslated(this->options().address_spaces));
    if (parts_->functional)
        return lines;
    const std::vector<std::string> silent = parts_->silent_units();
    if (!silent.empty())
        lines.push_back(config::join_names(silent, 8) + ": " +
                        (silent.size() == 1 ? "its" : "their") +
                        " Verilog does not say what retires: instructions are neither counted nor "
                        "in a retire trace");
    return lines;
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
            take(cu->work());
    asic::WorkDone done;
    done.silent = parts_->silent_units();
    done.waves = sum.waves;
    for (unsigned i = 0; i < cu::kClasses; ++i) {
        done.instructions += sum.instructions[i];
        done.by_class.emplace_back(cu::class_name(static_cast<isa::Class>(i)), sum.instructions[i]);
    }
    return done;
}

void Chip::attribute(asic::Attribution& a) const {
    a.ceilings = ceilings(parts_->config);
    attribute_waves(*parts_->compute, parts_->config.spi, sampler(), parts_->engine.now(), a);
    attribute_packets(parts_->front.cp, cycles(), a);
    if (const cp::WorkLog* log = parts_->front.cp.log())
        attribute_gaps(*log, parts_->front.launches, parts_->engine.now(), a);
}

}  // namespace archipelago::gcn
