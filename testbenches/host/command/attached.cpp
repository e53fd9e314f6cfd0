// SPDX-License-Identifier: Apache-2.0
#include "testbenches/host/command/attached.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <sstream>
#include <stdexcept>

#include "models/afuc/cp/cp_spec.h"
#include "models/common/files.h"
#include "models/config/suggest.h"
#include "models/cu/pipeline/cu_spec.h"
#include "rtl-bridge/adapters/shared_module.h"
#include "rtl-bridge/compare/pin_tables.h"
#include "rtl-bridge/pins/place_module.h"
#include "testbenches/host/command/waveform_file.h"

namespace archipelago::host {
namespace {

// The Verilog of a user's own in the place of twins.
std::vector<report::Place> places_of(const RunArguments& a) {
    std::vector<report::Place> list;
    for (const std::string& text : a.rtl) {
        const RtlChoice choice = rtl_choice(text);
        if (choice.file.empty() || choice.file == rtl::kModelPlace)
            continue;
        const rtl::PlaceModule& place = rtl::find_cosim_bench(choice.block)->place(choice.file);
        list.push_back({choice.block, choice.file, place.contract, place.top, choice.instance});
    }
    return list;
}

bool has_place(const asic::Asic& chip, rtl::BlockSwap& swap) {
    asic::ChipOptions alone;
    swap.attach(alone);
    return chip.options().substitutes.have_places_for(alone.substitutes);
}

// Names of blocks of the chip that have twins; none where the twins are not built.
std::vector<std::string> blocks_with_twins(const asic::Asic& chip) {
    std::vector<std::string> names;
    for (const rtl::PinTable* table : rtl::pin_tables()) {
        try {
            if (has_place(chip, *rtl::make_block_swap(std::string(table->block), {})))
                names.emplace_back(table->block);
        } catch (const std::invalid_argument&) {
            continue;  // it has no twin, or none is built
        }
    }
    return names;
}

// Commands of the command line, then those of the file or the terminal.
DebugInput debug_input(const RunArguments& a) {
    DebugInput input;
    for (const std::string& command : a.debug_commands)
        input.add(std::make_unique<std::istringstream>(command), "--debug-command", false);
    if (a.debug == "-" && isatty(STDIN_FILENO) != 0) {
        input.add_terminal(std::cin);
    } else if (a.debug == "-") {
        const std::string text(std::istreambuf_iterator<char>(std::cin), {});
        input.add(std::make_unique<std::istringstream>(text), "<stdin>", true);
    } else if (!a.debug.empty()) {
        input.add(std::make_unique<std::istringstream>(read_file(a.debug)), a.debug, true);
    }
    return input;
}

RetireFilter retire_filter(const RunArguments& a) {
    RetireFilter filter{a.retire_units, a.retire_waves, a.retire_kernels, {}};
    for (const std::string& range : a.retire_pcs)
        filter.pcs.push_back(parse_pc_range(range));
    return filter;
}

}  // namespace

void Attached::check_swaps(const RunArguments& a, const asic::Asic& chip) const {
    for (size_t i = 0; i < swaps.size(); ++i) {
        if (!has_place(chip, *swaps[i])) {
            const std::vector<std::string> others = blocks_with_twins(chip);
            throw std::invalid_argument(fmt::format(
                "--rtl {}: {} has no such block{}", a.rtl[i], chip.description().identity().name,
                others.empty()
                    ? ""
                    : "; of its blocks these have twins: " + config::join_names(others)));
        }
        if (!swaps[i]->placed())
            throw std::invalid_argument("--rtl " + a.rtl[i] + ": the chip has no such instance");
    }
}

void Attached::check_chip(const RunArguments& a, const asic::Asic& chip) const {
    check_swaps(a, chip);
    if (trace)
        trace->check_units();
}

void Attached::flush(bool stopped) const {
    std::exception_ptr first;
    const auto complete = [&](const auto& file, auto finish) {
        try {
            if (file)
                finish(*file);
        } catch (...) {
            first = first ? first : std::current_exception();
        }
    };
    complete(trace, [this](TimelineFile& file) { file.finish(machine->chip().cycles()); });
    complete(log, [](TextLog& file) { file.flush(); });
    if (!stopped)
        complete(retire, [](RetireFile& file) { file.complete(); });
    if (first)
        std::rethrow_exception(first);
}

std::unique_ptr<rtl::BlockSwap> make_swap(const RunArguments& a, const std::string& text,
                                          asic::ChipOptions& chip) {
    const RtlChoice choice = rtl_choice(text);
    if (std::count_if(a.rtl.begin(), a.rtl.end(), [&](const std::string& other) {
            return rtl_choice(other).block == choice.block;
        }) != 1)
        throw std::invalid_argument("--rtl " + choice.block + ": given more than once");
    std::unique_ptr<rtl::BlockSwap> swap;
    try {
        swap = rtl::make_block_swap(choice.block, {a.seed, 0, choice.file});
        if (choice.instance)
            swap->only(*choice.instance);
    } catch (const std::invalid_argument& error) {
        throw std::invalid_argument("--rtl " + choice.block + ": " + error.what());
    }
    swap->attach(chip);
    if (a.waveform != nullptr)
        swap->open_waveform(a.waveform->open());
    return swap;
}

void Attached::debug(const RunArguments& a, const asic::ChipDescription& description,
                     asic::ChipOptions& chip) {
    const auto* const cp = description.spec<afuc::CpSpec>();
    if (cp == nullptr)
        throw std::invalid_argument("--debug: " + description.identity().name +
                                    " has no engines with microcode");
    debugger = std::make_unique<Debugger>(
        debug_input(a), std::cout,
        DebugMachine{description.spec<regs::RegisterDatabase>(), cp,
                     [this]() -> MemoryImage& { return machine->memory(); }});
    chip.substitutes.use<afuc::DebugHook>(*debugger);
}

void Attached::open_log(const RunArguments& a) {
    bool with_values = false;
    const uint32_t categories = parse_log_categories(a.log, &with_values);
    log = a.log_file.empty() ? std::make_unique<TextLog>(std::cout, categories)
                             : std::make_unique<TextLog>(a.log_file, categories);
    if (with_values)
        values = std::make_unique<RetireLog>(
            [this](Cycle at, std::string_view unit, std::string_view text) {
                log->add(at, unit, text);
            });
}

std::vector<std::string> files_of_verilog(const std::string& file) {
    if (file.empty())
        return {};
    std::vector<std::string> files = {file};
    std::filesystem::path library = file;
    if (library.extension() == ".yaml" || library.extension() == ".yml")
        files.push_back(library.replace_extension(".so").string());
    try {
        const adapters::SharedModule shared(library.string());
        const auto* module = shared.find<const rtl::PlaceModule*>(rtl::kPlaceModuleSymbol);
        if (module == nullptr || module->version != rtl::kPlaceModuleVersion)
            return files;
        std::istringstream lines(module->sources);
        for (std::string line; std::getline(lines, line);)
            files.push_back(line.substr(17));  // after the hash
    } catch (const std::exception&) {
        return files;  // that it does not load, the run says
    }
    return files;
}

std::vector<std::pair<const char*, const std::vector<std::string>*>> retire_choices(
    const RunArguments& a) {
    return {{"--retire-cu", &a.retire_units},
            {"--retire-wave", &a.retire_waves},
            {"--retire-kernel", &a.retire_kernels},
            {"--retire-pc", &a.retire_pcs}};
}

// What is asked for of the instructions of waves.
void Attached::open_retire(const RunArguments& a, const asic::ChipDescription& description,
                           bool waves, asic::ChipOptions& chip) {
    const asic::Identity& id = description.identity();
    if ((!a.retire.empty() || values) && description.spec<cu::CuSpec>() == nullptr)
        throw std::invalid_argument((values ? "--log isa=values: " : "--retire: ") + id.name +
                                    " has no GCN compute units");
    if (!a.retire_units.empty() && chip.mode == asic::Mode::Functional)
        throw std::invalid_argument("--retire-cu: functional mode has one compute unit for all");
    if (!a.retire.empty()) {
        retire = std::make_unique<RetireFile>(a.retire, retire_filter(a));
        retire->writer().header(id.name, a.mode);
        chip.retire = &retire->writer();
    }
    if (retire && values) {
        tee = std::make_unique<RetireTee>(retire->writer(), *values);
        chip.retire = tee.get();
    } else if (values) {
        chip.retire = values.get();
    }
    if (waves) {
        probe = std::make_unique<WaveProbe>(chip.retire);
        chip.retire = probe.get();
    }
}

Attached::Attached(const RunArguments& a, const asic::ChipDescription& description, bool waves,
                   asic::ChipOptions& chip) {
    for (const std::string& block : a.rtl)
        swaps.push_back(make_swap(a, block, chip));
    places = places_of(a);
    if (!a.trace.empty())
        trace = std::make_unique<TimelineFile>(a, description.identity().clock_period_fs);
    if (!a.log.empty())
        open_log(a);
    chip.trace = trace ? &trace->sink() : nullptr;
    chip.log = log.get();
    open_retire(a, description, waves, chip);
    if (!a.debug.empty() || !a.debug_commands.empty())
        debug(a, description, chip);
}

}  // namespace archipelago::host
