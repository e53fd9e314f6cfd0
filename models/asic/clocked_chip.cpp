// SPDX-License-Identifier: Apache-2.0
#include "models/asic/clocked_chip.h"

#include <algorithm>
#include <utility>

#include "models/asic/chip_record.h"

namespace archipelago::asic {
namespace {

constexpr const char* kWithoutTime = "functional machine";

}  // namespace

ClockedChip::ClockedChip(const sc_core::sc_module_name& name, const ChipDescription& description,
                         const Identity& identity, const BoardMemory& board,
                         const ChipOptions& options)
    : Asic(name, description, options),
      board_(board),
      net_(this->options(), identity.clock_period_fs),
      engine_("engine", identity.clock_period_fs, control()),
      memory_clock_("memory_clock", board.memory_period_fs, control()),
      map_(board.channel_map) {
    if (options.shuffle_seed != 0) {
        engine_.scheduler().shuffle(options.shuffle_seed);
        memory_clock_.scheduler().shuffle(options.shuffle_seed * 31 + 7);
    }
}

ClockedChip::~ClockedChip() = default;

void ClockedChip::reset_all_by(const ResetRegisterSpec& spec, tlm_shell::RegisterTargetPort& host,
                               const Control& front, RegisterPort registers) {
    reset_register_ = std::make_unique<ResetRegister>(spec, engine_);
    soft_reset_ = std::make_unique<SoftReset>("soft_reset", engine_, reset_register_->level());
    net_.each_block([&](Control& block, const std::vector<Clocked*>& units) {
        soft_reset_->add(spec.bits, block, units, &block == &front ? registers : RegisterPort());
    });
    net_.add(engine_, *soft_reset_, "soft_reset");
    net_.add(engine_, *reset_register_, "reset_register");
    reset_by(*soft_reset_);
    host.set_direct(reset_register_.get());
}

void ClockedChip::run_without_time(FunctionalMachine& machine,
                                   tlm_shell::RegisterTargetPort& host) {
    functional_ = &machine;
    if (reset_register_)
        reset_register_->forward_to(machine);
    else
        host.set_direct(&machine);
    machine.on_error = [this](std::exception_ptr e) { control().fail(std::move(e)); };
}

void ClockedChip::allow_inspection(Inspect inspect, tlm_shell::RegisterTargetPort& host) {
    register_inspector_ = std::make_unique<RegisterInspector>(std::move(inspect));
    if (reset_register_)
        reset_register_->forward_to(*register_inspector_);
    else
        host.set_direct(register_inspector_.get());
}

MemoryChannels& ClockedChip::add_memory(const std::vector<HubClient>& clients, unsigned others) {
    memory_channels_ = std::make_unique<MemoryChannels>(build(), map_, control(), clients, others);
    for (unsigned i = 0; i < board_.channel_map.channels; ++i)
        memory_channels_->add();
    memory_channels_->finish(memory);
    use_memory(*memory_channels_);
    return *memory_channels_;
}

void ClockedChip::complete(const Netlist::Names& trace_order, const Netlist::Names& stats_order,
                           std::vector<const Control*> engines) {
    if (has_time() && options().trace != nullptr)
        overview_ = std::make_unique<OverviewTrace>(*options().trace, engine_.period_fs());
    if (has_time())
        net_.observe(trace_order);
    net_.register_stats(registry_, stats_order);
    if (overview_)
        overview_->watch(registry_, std::move(engines), engine_.scheduler());
    if (has_time())
        sampler_ =
            std::make_unique<Sampler>(registry_, engine_.scheduler(), options().series_interval);
}

void ClockedChip::trace_places() {
    if (has_time() && options().trace != nullptr)
        places_ = std::make_unique<PlaceTrace>(
            net_.transactions(), *options().trace,
            std::initializer_list<tlm_shell::ClockDomain*>{&engine_, &memory_clock_});
}

uint64_t ClockedChip::cycles() const {
    return has_time() ? engine_.now() : 0;
}

void ClockedChip::archive(Archive& a) {
    // Ports of the chip agree on links at the end of elaboration.
    if (!a.saving() && !sc_core::sc_start_of_simulation_invoked())
        throw ArchiveError(std::string(name()) +
                           ": a checkpoint is read before the simulation has begun; call "
                           "sc_start(SC_ZERO_TIME) first");
    archive_chip(a, description(), std::string(name()) + ": ");
    if (functional_ != nullptr) {
        if (a.saving())
            copy_state_to_blocks();
        else if (!a.has(kWithoutTime))
            throw ArchiveError(std::string(name()) +
                               ": the checkpoint was written in cycle mode; a chip in functional "
                               "mode has no caches to take over");
        net_.archive(a);
        a.block(kWithoutTime, [&] { functional_->archive(a); });
        archive_functional(a);
        return;
    }
    // Blocks that wait for nothing but their registers hold the same in both modes.
    const bool fast_forwarded = !a.saving() && a.has(kWithoutTime);
    net_.archive(a, fast_forwarded);
    if (places_ && !a.saving())
        places_->restored(control().time());
    if (overview_ && !a.saving())
        overview_->restored(engine_.now());
    if (fast_forwarded) {
        take_over(a);
        engine_.scheduler().wake_all();
        return;
    }
    a.block("memory arbiter", [&] { channels_->archive(a); });
    a.block("engine clock", [&] {
        a.at_rest(!raises(), "an interrupt is in flight to the host");
        a.at_rest(control().lead() == sc_core::SC_ZERO_TIME,
                  "it is ahead of the simulation, which has to come to " +
                      control().time_stamp().to_string() + " first");
        engine_.archive(a);
    });
    a.block("memory clock", [&] { memory_clock_.archive(a); });
    a.block("attribution", [&] {
        archive_attribution(a);
        sampler_->archive(a);
    });
}

bool ClockedChip::hold_in_reset() {
    if (functional_ != nullptr)
        return functional_->reset();
    for (SoftReset* reset : resets_)
        reset->hold();
    return !resets_.empty();
}

void ClockedChip::watch() {
    if (!has_time())
        return;
    watched_since_ = cycles();
    net_.watch();
    if (channels_ != nullptr)
        channels_->watch();
}

HangReport ClockedChip::hang_report() const {
    HangReport report;
    if (functional_ != nullptr) {
        functional_->report(report);
        return report;
    }
    // First: what a memory keeps is what most other units wait for.
    report.watched_since = watched_since_;
    if (channels_ != nullptr) {
        if (std::string open = channels_->waiting_for(tlm_shell::OpenSince::Before); !open.empty())
            report.units.emplace_back("memory socket", std::move(open));
        if (std::string open = channels_->waiting_for(tlm_shell::OpenSince::After); !open.empty())
            report.moving.emplace_back("memory socket", std::move(open));
    }
    for (auto& unit : net_.waiting(report.moving))
        report.units.push_back(std::move(unit));
    return report;
}

uint64_t ClockedChip::cycles_of_every_clock(uint64_t count) const {
    const uint64_t engine = engine_.period_fs();
    const uint64_t ratio = (memory_clock_.period_fs() + engine - 1) / engine;
    return count * std::max<uint64_t>(ratio, 1);
}

uint64_t ClockedChip::progress() const {
    return functional_ != nullptr ? functional_->progress() : net_.progress();
}

std::optional<Attribution> ClockedChip::attribution() const {
    if (!sampler_)
        return {};
    Attribution a;
    a.period_fs = engine_.period_fs();
    a.memory = net_.transactions().times(control().time());
    a.series_interval = options().series_interval;
    a.series = sampler_->series(engine_.now());
    attribute(a);
    return a;
}

void ClockedChip::finish_trace() {
    if (!has_time() || options().trace == nullptr)
        return;
    options().trace->end_of_run();
    net_.finish_trace();
    if (overview_)
        overview_->finish(engine_.now());
    if (places_)
        places_->finish(control().time());
}

}  // namespace archipelago::asic
