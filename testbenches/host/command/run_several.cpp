// SPDX-License-Identifier: Apache-2.0
// `run A.yaml B.yaml`: several workloads on one machine, one after the other. A workload that stops
// ends; the machine is reset as a kernel driver does it, and the next one runs.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "models/common/error.h"
#include "testbenches/host/command/large_pages.h"
#include "testbenches/host/command/run_parts.h"
#include "testbenches/host/command/stop_signals.h"
#include "testbenches/host/command/summary.h"
#include "testbenches/host/command/waveform_file.h"
#include "testbenches/host/gpu_driver.h"
#include "testbenches/host/stopped_by_user.h"

namespace archipelago::host {
namespace {

// One of the workloads.
struct Part {
    std::string file;
    Job job;
    // By its file as given, unless it has a name of its own.
    std::string name() const {
        const std::string& name = job.workload.name;
        return name == std::filesystem::path(file).filename() ? file : name;
    }
    std::unique_ptr<Runner> runner;
    RunOutcome outcome;
    Totals done;
    size_t first_dispatch = 0;  // of it
    std::string stopped;        // why; empty: it has run to its end
    bool broken = false;        // the model is: nothing runs after it
    int status = kDone;
};

// Options that belong to one workload alone.
void refuse_options(const RunArguments& a) {
    const std::pair<const char*, bool> given[] = {
        {"--code", !a.code.empty()},
        {"--debug", !a.debug.empty() || !a.debug_commands.empty()},
        {"--checkpoint-at", !a.checkpoint_at.empty()},
        {"--checkpoint", !a.checkpoint.empty()},
        {"--restore", !a.restore.empty()},
        {"--fast-forward", !a.fast_forward.empty()},
        {"--groups", !a.groups.empty()},
        {"--caches", !a.caches.empty()},
    };
    for (const auto& [option, is_given] : given)
        if (is_given)
            throw std::invalid_argument(
                fmt::format("{}: goes with one workload, got {}", option, 1 + a.further.size()));
}

std::vector<Part> load_parts(const RunArguments& a) {
    std::vector<std::string> files = {a.workload};
    files.insert(files.end(), a.further.begin(), a.further.end());
    std::vector<Part> parts;
    for (const std::string& file : files) {
        RunArguments one = a;
        one.workload = file;
        Part part;
        part.file = file;
        part.job = load_run(one);
        const asic::Identity& id = part.job.chip->identity();
        const asic::Identity& first = parts.empty() ? id : parts.front().job.chip->identity();
        if (id.name != first.name || id.hash != first.hash)
            throw std::invalid_argument(fmt::format(
                "{}: runs on {}, {} on {}: workloads of one run need one chip (--asic names it)",
                file, id.name, parts.front().file, first.name));
        parts.push_back(std::move(part));
    }
    std::vector<const Job*> jobs;
    jobs.reserve(parts.size());
    for (const Part& part : parts)
        jobs.push_back(&part.job);
    check_files(a, jobs);
    return parts;
}

// The machine between two workloads: at rest, reset when the one before has stopped. Why it cannot
// run another; nothing: it can.
std::optional<std::string> make_ready(Machine& machine, GpuDriver& driver, bool stopped) {
    try {
        machine.run([&] {
            machine.restart_limit();
            if (stopped)
                driver.reset();
            else
                machine.settle();
        });
        return {};
    } catch (const std::exception& error) {
        return stopped ? error.what() : make_ready(machine, driver, true);
    }
}

class Session {
  public:
    explicit Session(const RunArguments& a)
        : a_(a),
          parts_(load_parts(a)),
          options_(options()),
          attached_(a, *parts_.front().job.chip, has_waves(), options_.chip),
          machine_("bench", *parts_.front().job.chip, options_),
          driver_(machine_) {
        attached_.check_chip(a, machine_.chip());
        attached_.machine = &machine_;
        if (a.waveform != nullptr && machine_.verilog() != nullptr)
            machine_.verilog()->blocks()[0]->module().open_waveform(a.waveform->open());
        for (Part& part : parts_) {
            part.runner = std::make_unique<Runner>(part.job.workload, machine_, driver_);
            if (attached_.probe)
                part.runner->watch_waves(*attached_.probe);
        }
        if (attached_.trace)
            attached_.trace->use_kernels([this] { return kernels(); });
        if (attached_.retire)
            attached_.retire->writer().name_kernels(
                [this](uint64_t pc) { return kernels().name(pc); });
    }

    int run() {
        const StopSignals signals;
        std::optional<std::string> lost;  // why the machine runs no more
        for (size_t i = 0; i < parts_.size(); ++i) {
            Part& part = parts_[i];
            if (lost)
                skip(part, *lost);
            else
                run(part);
            if (!lost && i + 1 < parts_.size())
                lost = part.broken ? part.stopped
                                   : make_ready(machine_, driver_, !part.stopped.empty());
        }
        machine_.clear_progress();
        if (attached_.trace)
            machine_.chip().finish_trace();
        attached_.flush(!parts_.back().stopped.empty());
        report();
        return std::max_element(parts_.begin(), parts_.end(),
                                [](const Part& x, const Part& y) { return x.status < y.status; })
            ->status;
    }

  private:
    MachineOptions options() const {
        MachineOptions options = machine_options(a_);
        options.recovers = true;
        if (std::any_of(parts_.begin(), parts_.end(), [](const Part& part) {
                return part.job.workload.address_spaces.has_value();
            }))
            options.chip.address_spaces = &spaces_;
        return options;
    }
    bool has_waves() const {
        return std::any_of(parts_.begin(), parts_.end(),
                           [](const Part& part) { return !part.job.workload.waves.empty(); });
    }
    LoadedKernels kernels() const {
        LoadedKernels all;
        for (const Part& part : parts_)
            all.add(part.runner->kernels());
        return all;
    }
    void run(Part& part);
    static void skip(Part& part, const std::string& why);
    void print(const Part& part);
    void report();

    const RunArguments& a_;
    std::vector<Part> parts_;
    RangeMap spaces_;  // of the part that runs
    MachineOptions options_;
    Attached attached_;
    Machine machine_;
    GpuDriver driver_;
};

void Session::run(Part& part) {
    spaces_ = part.job.workload.address_spaces.value_or(RangeMap());
    const StatsRegistry counters = machine_.stats();
    const Totals before = totals(machine_.chip(), counters);
    const uint64_t start = machine_.chip().cycles();
    if (const auto attribution = machine_.chip().attribution())
        part.first_dispatch = attribution->dispatches.size();
    std::string report;  // of a stop
    const auto stop = [&](int status, const std::exception& error) {
        part.status = status;
        part.stopped = error.what();
        part.stopped.erase(part.stopped.find_last_not_of('\n') + 1);
        part.outcome = part.runner->outcome();
        part.outcome.cycles = machine_.chip().cycles() - start;
    };
    try {
        part.outcome = part.runner->run();
        part.status = part.outcome.failures.empty() ? kDone : kExpectationFailed;
    } catch (const MachineStop& error) {
        stop(kMachineStopped, error);
        part.broken = error.kind() == StopKind::Internal;
        report = fmt::format("archipelago: {}: the machine stopped ({}): {}\n", part.file,
                             to_string(error.kind()), part.stopped);
    } catch (const StoppedByUser& error) {
        stop(kStoppedByUser, error);
        part.broken = true;
        report = fmt::format("archipelago: {}: {}\n", part.file, part.stopped);
    } catch (const std::exception& error) {
        stop(kBadUsage, error);
        report = part.stopped + '\n';
    }
    machine_.clear_progress();
    part.done = totals(machine_.chip(), counters);
    part.done -= before;
    print_failures(part.outcome);
    if (!a_.quiet)
        print(part);
    std::fflush(stdout);
    std::fputs(report.c_str(), stderr);
}

void Session::skip(Part& part, const std::string& why) {
    part.status = StopSignals::wanted() ? kStoppedByUser : kMachineStopped;
    part.stopped = "not run: " + why;
    fmt::print(stderr, "archipelago: {}: {}\n", part.file, part.stopped);
}

void Session::print(const Part& part) {
    if (part.stopped.empty())
        print_summary(
            machine_.chip(), part.outcome,
            {part.name(), part.done.work, with_values(machine_.stats(), part.done.counters),
             part.runner->kernels(), part.first_dispatch});
    if (part.stopped.empty() || part.outcome.expectations != 0)
        print_checks(part.outcome);
}

// Of the whole: all cycles of the machine, and the sum of what the workloads did: a reset clears
// counters.
void Session::report() {
    const StatsRegistry names = machine_.stats();
    Totals sum;
    RunOutcome whole;
    whole.cycles = machine_.chip().cycles();
    for (const Part& part : parts_) {
        sum += part.done;
        whole.host_seconds += part.outcome.host_seconds;
        whole.expectations += part.outcome.expectations;
        whole.failures.insert(whole.failures.end(), part.outcome.failures.begin(),
                              part.outcome.failures.end());
    }
    const StatsRegistry counters = with_values(names, sum.counters);
    if (!a_.stats.empty()) {
        const LoadedKernels programs = kernels();
        report::RunNotes notes = run_notes(a_, "", attached_.places, machine_, counters, programs);
        notes.host_seconds = whole.host_seconds;
        notes.work = &sum.work;
        std::vector<StatsRegistry> of_parts;
        of_parts.reserve(parts_.size());
        for (const Part& part : parts_) {
            of_parts.push_back(with_values(names, part.done.counters));
            notes.parts.push_back({part.name(), part.stopped, part.outcome.cycles,
                                   part.outcome.host_seconds, &part.done.work, &of_parts.back()});
        }
        report::write_statistics(a_.stats, machine_.chip(), notes);
    }
    if (a_.quiet)
        return;
    print_summary(
        machine_.chip(), whole,
        {fmt::format("all {} workloads", parts_.size()), sum.work, counters, kernels(), 0});
    print_warnings(machine_.chip());
    const auto stopped = std::find_if(parts_.begin(), parts_.end(),
                                      [](const Part& part) { return !part.stopped.empty(); });
    const bool none = whole.expectations == 0 && stopped != parts_.end();
    print_checks(whole, none ? stopped->stopped : std::string());
    print_files(a_, machine_, attached_, sum.work.instructions);
}

}  // namespace

int run_several(const RunArguments& a) {
    prefer_large_pages();
    refuse_options(a);
    return Session(a).run();
}

}  // namespace archipelago::host
