// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <stdexcept>

#include "models/common/error.h"
#include "models/report/statistics.h"
#include "pins/tc_l1_pins.h"
#include "pins/tc_l2_bank_pins.h"
#include "testbenches/host/checkpoint.h"
#include "testbenches/host/command/attached.h"
#include "testbenches/host/command/command.h"
#include "testbenches/host/command/job.h"
#include "testbenches/host/command/large_pages.h"
#include "testbenches/host/command/run_folder.h"
#include "testbenches/host/command/run_parts.h"
#include "testbenches/host/command/stop_signals.h"
#include "testbenches/host/command/summary.h"
#include "testbenches/host/command/waveform_file.h"
#include "testbenches/host/output_files.h"
#include "testbenches/host/runner.h"
#include "testbenches/host/stopped_by_user.h"
#include "testbenches/support/child_process.h"
#include "testbenches/support/scratch.h"

namespace archipelago::host {

report::RunNotes run_notes(const RunArguments& a, const std::string& workload,
                           const std::vector<report::Place>& places, Machine& machine,
                           const StatsRegistry& counters, const LoadedKernels& kernels) {
    report::RunNotes notes;
    notes.workload = workload;
    notes.rtl = a.rtl;
    if (machine.verilog() != nullptr)
        for (const auto& block : machine.verilog()->blocks())
            notes.verilog.push_back(block->module().name());
    notes.places = places;
    notes.programs = &kernels;
    notes.counters = &counters;
    return notes;
}

namespace {

// The statistics of a machine that stopped: what it had done, why it stopped and which units wait.
void write_stopped(const RunArguments& a, const std::string& workload,
                   const std::vector<report::Place>& places, Machine& machine,
                   const LoadedKernels& kernels, const std::exception_ptr& reason) {
    const StatsRegistry counters = machine.stats();
    report::RunNotes notes = run_notes(a, workload, places, machine, counters, kernels);
    try {
        std::rethrow_exception(reason);
    } catch (const MachineStop& stop) {
        notes.stopped = stop.what();
    } catch (const StoppedByUser& stop) {
        notes.stopped = stop.what();
    } catch (const DebuggerQuit& quit) {
        notes.stopped = quit.what();
    } catch (...) {
        return;  // the machine did not stop, something around it failed
    }
    report::write_statistics(a.stats, machine.chip(), notes);
}

void write_finished(const RunArguments& a, const std::string& workload,
                    const std::vector<report::Place>& places, Machine& machine,
                    const LoadedKernels& kernels, const RunOutcome& outcome) {
    const StatsRegistry counters = machine.stats();
    report::RunNotes notes = run_notes(a, workload, places, machine, counters, kernels);
    notes.cycles = outcome.cycles;
    notes.start = outcome.start;
    notes.host_seconds = outcome.host_seconds;
    report::write_statistics(a.stats, machine.chip(), notes);
}

// Refuses what looks into micro engines where their Verilog twins stand, which show their pins
// only.
void check_engines_are_seen(const RunArguments& a) {
    const bool stand = std::any_of(a.rtl.begin(), a.rtl.end(), [](const std::string& text) {
        return rtl_choice(text).block == "afuc_engine";
    });
    const bool debugged = !a.debug.empty() || !a.debug_commands.empty();
    bool values = false;
    const bool logged =
        !a.log.empty() &&
        (parse_log_categories(a.log, &values) >> static_cast<unsigned>(LogCategory::Isa) & 1) != 0;
    if (stand && (debugged || logged))
        throw std::invalid_argument(std::string(debugged ? "--debug" : "--log isa") +
                                    ": --rtl afuc_engine shows no instructions, only the pins of "
                                    "its engines; without it the model's do");
}

}  // namespace

void check_files(const RunArguments& a, const std::vector<const Job*>& jobs) {
    const std::vector<OptionFile> written = {
        {"--stats", a.stats},   {"--trace", a.trace},       {"--fst", a.fst},
        {"--retire", a.retire}, {"--log-file", a.log_file}, {"--checkpoint", a.checkpoint}};
    std::vector<std::string> inputs = a.code, dumps;
    inputs.insert(inputs.end(), {a.debug, a.restore});
    for (const Job* job : jobs) {
        const std::vector<std::string>& outputs = job->workload.outputs;
        dumps.insert(dumps.end(), outputs.begin(), outputs.end());
    }
    // What a source includes takes a run of the compiler to know.
    if (dumps.empty() && std::none_of(written.begin(), written.end(), [](const OptionFile& file) {
            return is_plain_output(file.path);
        }))
        return check_outputs(written, {});
    inputs.insert(inputs.end(), a.verilog.begin(), a.verilog.end());
    for (const std::string& text : a.rtl) {
        const std::vector<std::string> files = files_of_verilog(rtl_choice(text).file);
        inputs.insert(inputs.end(), files.begin(), files.end());
    }
    for (const Job* job : jobs) {
        const std::vector<std::string> files = files_read(*job);
        inputs.insert(inputs.end(), files.begin(), files.end());
        check_dumps(job->workload.outputs, files);
    }
    check_outputs(written, inputs, dumps);
}

namespace {

std::string names_of(const std::vector<KernelCode>& codes) {
    std::string names;
    for (const KernelCode& code : codes)
        names += (names.empty() ? "" : ", ") + code.file;
    return names;
}

// --code: files that stand for those of the workload, in order.
void replace_files(const RunArguments& a, Workload& workload) {
    const std::vector<KernelCode> codes = codes_of(workload);
    if (a.code.size() != codes.size())
        throw std::invalid_argument(
            fmt::format("--code: {} given, the kernels of {} are made from {} (in this order: {})",
                        a.code.size(), a.workload, codes.size(), names_of(codes)));
    for (KernelSpec* kernel : workload.kernels()) {
        const auto own = std::find_if(codes.begin(), codes.end(), [&](const KernelCode& code) {
            return code.file == kernel->code && code.build == kernel->build;
        });
        const std::string& file = a.code[static_cast<size_t>(own - codes.begin())];
        if (source_kind(file) != source_kind(kernel->code))
            kernel->build.clear();
        kernel->code = file;
    }
}

// --code and --options. The options come after the workload's own, so that they win.
void replace_code(const RunArguments& a, Workload& workload) {
    if (a.code.empty() && a.options.empty())
        return;
    const char* option = a.code.empty() ? "--options" : "--code";
    if (workload.kernels().empty())
        throw std::invalid_argument(fmt::format("{}: {} has no kernel", option, a.workload));
    if (!a.code.empty())
        replace_files(a, workload);
    for (KernelSpec* kernel : workload.kernels()) {
        const BuildOptions added =
            read_build_options("--options", source_kind(kernel->code), a.options, a.options_folder);
        kernel->build.insert(kernel->build.end(), added.begin(), added.end());
    }
}

}  // namespace

Job load_run(const RunArguments& a) {
    if (!a.fst.empty() && a.rtl.size() + a.verilog.size() != 1)
        throw std::invalid_argument(
            "--fst: waveforms are those of one Verilog twin, name it by "
            "one --rtl or one --verilog");
    for (const std::string& file : a.verilog)
        if (std::count(a.verilog.begin(), a.verilog.end(), file) != 1)
            throw std::invalid_argument("--verilog " + file + ": given more than once");
    if (!a.rtl.empty() && a.mode != "cycle")
        throw std::invalid_argument("--rtl: the Verilog twins stand in a chip in cycle mode only");
    if ((a.profile || a.series != 0) && (a.stats.empty() || a.mode != "cycle"))
        throw std::invalid_argument(std::string(a.profile ? "--profile" : "--series") +
                                    ": what it adds is part of the statistics of a run in cycle "
                                    "mode, give it with --stats");
    if (a.mode == "functional" && (!a.trace.empty() || a.stall_percent != 0))
        throw std::invalid_argument(
            (a.trace.empty() ? "--random-stall" : "--trace") +
            std::string(": functional mode counts no cycles, run in cycle mode"));
    check_engines_are_seen(a);
    Job job = load_job(a.workload, a.asic, a.set);
    replace_code(a, job.workload);
    check_files(a, {&job});
    return job;
}

namespace {

ProgressForm progress_form(const RunArguments& a) {
    if (a.no_progress)
        return ProgressForm::None;
    if (isatty(STDERR_FILENO) != 0 && (!a.quiet || a.progress))
        return ProgressForm::Line;
    return a.progress ? ProgressForm::Lines : ProgressForm::None;
}

}  // namespace

MachineOptions machine_options(const RunArguments& a) {
    MachineOptions options;
    options.chip.mode = a.mode == "functional" ? asic::Mode::Functional : asic::Mode::Cycle;
    options.chip.warm_caches = a.caches == "warm";
    options.chip.shuffle_seed = a.seed;
    options.chip.check_protocol = a.check_protocol;
    options.chip.profile = a.profile;
    options.chip.series_interval = a.series;
    options.chip.stall_percent = a.stall_percent;
    options.chip.stall_seed = a.seed + 1;
    options.verilog = a.verilog;
    options.verilog_seed = a.seed + 1;
    options.max_cycles = a.max_cycles;
    options.chip.instruction_limit = a.max_instructions;
    // What can run away in functional mode: the instructions of a wave, the waves, the reads of CP.
    if (options.chip.mode == asic::Mode::Functional && a.max_cycles != 0) {
        options.chip.work_limit = a.max_cycles;
        if (a.max_instructions == 0)
            options.chip.instruction_limit = a.max_cycles;
    }
    options.progress = progress_form(a);
    options.stop_wanted = StopSignals::wanted;
    options.show_printed = !a.quiet;
    return options;
}

namespace {

CheckpointPlan checkpoint_plan(const RunArguments& a, const Workload& workload) {
    CheckpointPlan plan;
    if (!a.groups.empty()) {  // the part in functional mode
        plan.groups = parse_groups(a.groups);
        plan.at = Point{Point::Where::Kernel, 0};
        plan.option = "--groups " + a.groups;
    } else if (a.checkpoint_at.empty() != a.checkpoint.empty()) {
        throw std::invalid_argument("--checkpoint: --checkpoint-at says where, and needs a file");
    }
    if (!a.checkpoint_at.empty()) {
        plan.option = (a.ends_there ? "--fast-forward " : "--checkpoint-at ") + a.checkpoint_at;
        plan.at = parse_point("--checkpoint-at", a.checkpoint_at, workload);
    }
    plan.file = a.checkpoint;
    plan.ends = a.ends_there;
    plan.restored = a.restore;
    plan.warm = a.caches == "warm";
    plan.version = ARCHIPELAGO_VERSION;
    return plan;
}

}  // namespace

void print_failures(const RunOutcome& outcome) {
    for (const std::string& failure : outcome.failures)
        fmt::print(stderr, "{}\n", failure);
}

void print_checks(const RunOutcome& outcome, const std::string& stopped) {
    if (!stopped.empty())
        fmt::print("  checks        none: {}\n", stopped);
    else if (outcome.expectations == 0)
        fmt::print("  checks        none: the workload expects nothing\n");
    else
        fmt::print("  checks        {} of {} passed\n",
                   outcome.expectations - outcome.failures.size(), outcome.expectations);
}

namespace {

struct Finished {
    RunOutcome outcome;
    LoadedKernels kernels;
    std::string stopped;  // by the user; empty: the workload has run to its end
};

// Runs the workload; what stops the machine is written into the statistics and thrown.
Finished run_workload(const RunArguments& a, const Workload& workload, Machine& machine,
                      const Attached& attached) {
    Runner runner(workload, machine);
    runner.plan(checkpoint_plan(a, workload));
    if (attached.probe)
        runner.watch_waves(*attached.probe);
    if (attached.retire)
        attached.retire->writer().name_kernels(
            [&runner](uint64_t pc) { return runner.kernels().name(pc); });
    if (attached.trace)
        attached.trace->use_kernels([&runner] { return runner.kernels(); });
    RunOutcome outcome;
    std::exception_ptr stopped;
    std::string by_user;
    try {
        const StopSignals signals;
        outcome = runner.run();
    } catch (const StoppedByUser& stop) {
        stopped = std::current_exception();
        by_user = stop.what();
    } catch (...) {
        stopped = std::current_exception();
    }
    machine.clear_progress();
    if (attached.trace)
        machine.chip().finish_trace();
    attached.flush(stopped != nullptr);
    if (stopped && !a.stats.empty())
        write_stopped(a, workload.name, attached.places, machine, runner.kernels(), stopped);
    if (!by_user.empty())
        return {runner.outcome(), runner.kernels(), by_user};
    if (stopped) {
        print_failures(runner.outcome());
        if (!a.quiet && runner.outcome().expectations != 0)
            print_checks(runner.outcome());
        std::rethrow_exception(stopped);
    }
    if (!a.stats.empty())
        write_finished(a, workload.name, attached.places, machine, runner.kernels(), outcome);
    return {outcome, runner.kernels(), {}};
}

// How much of what was executed is in the trace. A restored machine counts what was before it, too.
void print_retired(const RunArguments& a, uint64_t executed, uint64_t records) {
    fmt::print("  retire trace  {}, {} instructions{}\n", a.retire, records,
               a.restore.empty() ? fmt::format(" of {}", executed) : "");
    if (records != 0 || executed == 0)
        return;
    std::string given;
    for (const auto& [option, values] : retire_choices(a))
        for (const std::string& value : *values)
            given += fmt::format("{}{} {}", given.empty() ? "" : ", ", option, value);
    fmt::print("  warning       retire trace: no instruction matches {}\n", given);
}

}  // namespace

void print_files(const RunArguments& a, Machine& machine, const Attached& attached,
                 uint64_t executed) {
    if (!a.stats.empty())
        fmt::print("  statistics    {}\n", a.stats);
    for (size_t i = 0; i < attached.swaps.size(); ++i)
        fmt::print("  Verilog       {}, {} cycles of its clock\n", a.rtl[i],
                   attached.swaps[i]->cycles());
    if (machine.verilog() != nullptr)
        for (const auto& block : machine.verilog()->blocks())
            fmt::print("  Verilog       {}, {} cycles of its clock; {}\n", block->module().name(),
                       block->module().cycles(), block->traffic());
    if (!a.fst.empty())
        fmt::print("  waveform      {}\n", a.fst);
    if (!a.retire.empty())
        print_retired(a, executed, attached.retire->writer().records());
    if (!a.trace.empty())
        fmt::print("  timeline      {} (open in https://ui.perfetto.dev{})\n", a.trace,
                   attached.trace->note());
}

namespace {

// Verilog has no state that could be saved, which is known before the run.
void check_savable(const RunArguments& a, asic::Asic& chip) {
    if (a.checkpoint_at.empty() || a.rtl.empty())
        return;
    Archive trial;
    try {
        chip.archive(trial);
    } catch (const MachineStop& stop) {
        throw std::invalid_argument(
            std::string("--checkpoint-at: the state of Verilog cannot be saved: ") + stop.what());
    }
}

int run_one(const RunArguments& a) {
    prefer_large_pages();
    const Job job = load_run(a);
    MachineOptions options = machine_options(a);
    options.chip.address_spaces = job.workload.spaces();
    Attached attached(a, *job.chip, !job.workload.waves.empty(), options.chip);
    Machine machine("bench", *job.chip, options);
    attached.check_chip(a, machine.chip());
    check_savable(a, machine.chip());
    attached.machine = &machine;
    if (a.waveform != nullptr && machine.verilog() != nullptr)
        machine.verilog()->blocks()[0]->module().open_waveform(a.waveform->open());
    Finished finished;
    try {
        finished = run_workload(a, job.workload, machine, attached);
    } catch (const DebuggerQuit&) {
        return kDone;
    }
    const RunOutcome& outcome = finished.outcome;
    print_failures(outcome);
    if (!a.quiet) {
        print_summary(machine.chip(), outcome, finished.kernels);
        print_checks(outcome, finished.stopped);
        print_files(a, machine, attached, machine.chip().work().instructions);
    }
    if (!finished.stopped.empty())
        throw StoppedByUser(finished.stopped);
    return outcome.failures.empty() ? kDone : kExpectationFailed;
}

// Runs in a process of its own: SystemC keeps one simulation in each. Its exit status.
int run_apart(const RunArguments& a) {
    const ChildResult child =
        run_in_child([&](const ChildPipe&) { return guarded([&] { return run_one(a); }); });
    return WIFEXITED(child.status) ? WEXITSTATUS(child.status) : static_cast<int>(kMachineStopped);
}

// What is wrong with a run that begins in functional mode.
void check_fast_forward(const RunArguments& a) {
    if (a.mode != "cycle")
        throw std::invalid_argument((a.fast_forward.empty() ? "--groups" : "--fast-forward") +
                                    std::string(": the rest runs in cycle mode"));
    for (const std::string& text : a.rtl) {
        const std::string block = rtl_choice(text).block;
        if (a.caches == "warm" &&
            (block == rtl::TcL1Pins::kName || block == rtl::TcL2BankPins::kName))
            throw std::invalid_argument("--caches warm: " + block +
                                        " is Verilog, which takes no lines from functional mode");
    }
    const Job job = load_run(a);
    Point point{Point::Where::Kernel, 0};
    if (!a.fast_forward.empty())
        point = parse_point("--fast-forward", a.fast_forward, job.workload);
    if (a.groups.empty())
        return;
    parse_groups(a.groups);
    const uint64_t dispatches = dispatches_of(job.workload);
    if (dispatches == 0)
        throw std::invalid_argument("--groups: " + a.workload + " has no kernel");
    if (point.where != Point::Where::Kernel || point.number >= dispatches)
        throw std::invalid_argument("--groups: no dispatch of the kernel comes after " +
                                    a.fast_forward);
}

// Up to the point in functional mode, then in cycle mode from there.
int run_fast_forward(const RunArguments& a) {
    check_fast_forward(a);
    const Scratch scratch;
    const std::string checkpoint = scratch.path() / "checkpoint";
    RunArguments before;
    before.workload = a.workload;
    before.code = a.code;
    before.asic = a.asic;
    before.set = a.set;
    before.mode = "functional";
    before.max_instructions = a.max_instructions;
    before.quiet = true;
    before.progress = progress_form(a) != ProgressForm::None;
    before.no_progress = !before.progress;
    before.checkpoint_at = a.fast_forward;
    before.caches = a.caches;
    before.groups = a.groups;
    before.checkpoint = checkpoint;
    before.ends_there = true;
    int status = kDone;
    {
        const StopSignals signals;  // the part ends in order, and the command with it
        status = run_apart(before);
    }
    if (status != kDone && status != kExpectationFailed)
        return status;
    RunArguments behind = a;
    behind.fast_forward.clear();
    behind.caches.clear();
    behind.groups.clear();
    behind.restore = checkpoint;
    return run_one(behind);
}

}  // namespace

void check_blocks(const RunArguments& a) {
    std::vector<std::unique_ptr<rtl::BlockSwap>> swaps;  // as long as what they stand in
    asic::ChipOptions chip;
    for (const std::string& block : a.rtl)
        swaps.push_back(make_swap(a, block, chip));
}

Job check_run(const RunArguments& a) {
    Job job = load_run(a);
    check_blocks(a);
    return job;
}

namespace {

// A run into a folder writes a timeline by itself.
void check_trace_options(const RunArguments& a) {
    const std::pair<const char*, bool> given[] = {{"--trace-window", !a.trace_window.empty()},
                                                  {"--trace-units", !a.trace_units.empty()},
                                                  {"--trace-limit", !a.trace_limit.empty()}};
    for (const auto& [option, is_given] : given)
        if (is_given && a.trace.empty() && a.out.empty())
            throw std::invalid_argument(std::string(option) + " requires --trace, or --out");
}

}  // namespace

int run_command(const RunArguments& a) {
    check_trace_options(a);
    if (!a.out.empty())
        return run_into_folder(a, run_command);
    if (a.force)
        throw std::invalid_argument("--force: goes with --out");
    const bool fast_forwards = !a.fast_forward.empty() || !a.groups.empty();
    if (!a.caches.empty() && !fast_forwards && (a.mode != "functional" || a.checkpoint.empty()))
        throw std::invalid_argument(
            "--caches: goes with --fast-forward, --groups, or a checkpoint of functional mode");
    const auto run = [fast_forwards](const RunArguments& arguments) {
        if (!arguments.further.empty())
            return run_several(arguments);
        return fast_forwards ? run_fast_forward(arguments) : run_one(arguments);
    };
    if (a.fst.empty())
        return run(a);
    WaveformFile waveform(a.fst);
    RunArguments with = a;
    with.waveform = &waveform;
    return waveform.complete_after([&] { return run(with); });
}

}  // namespace archipelago::host
