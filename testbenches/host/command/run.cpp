// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <memory>
#include <stdexcept>

#include "models/asic/asic.h"
#include "models/common/error.h"
#include "rtl-bridge/compare/cosim.h"
#include "testbenches/host/command/command.h"
#include "testbenches/host/command/job.h"
#include "testbenches/host/perfetto_sink.h"
#include "testbenches/host/runner.h"
#include "testbenches/host/stats_json.h"
#include "testbenches/host/text_log.h"

namespace archipelago::host {
namespace {

bool ends_with(const std::string& text, const std::string& end) {
    return text.size() >= end.size() &&
           text.compare(text.size() - end.size(), end.size(), end) == 0;
}

// Sum of a counter over all units whose path ends in `suffix`, or starts with `prefix`.
uint64_t sum(const StatsRegistry& stats, const std::string& prefix, const std::string& suffix,
             const std::string& name) {
    uint64_t n = 0;
    for (const Counter& c : stats.counters())
        if (c.name == name && c.unit_path.rfind(prefix, 0) == 0 && ends_with(c.unit_path, suffix))
            n += *c.value;
    return n;
}

std::string rate(uint64_t part, uint64_t whole) {
    if (whole == 0)
        return "no accesses";
    return fmt::format("{:.1f} % of {}",
                       100.0 * static_cast<double>(part) / static_cast<double>(whole), whole);
}

void print_summary(const asic::Asic& chip, const RunOutcome& outcome, double sim_seconds) {
    const asic::WorkDone work = chip.work();
    const asic::Identity& id = chip.description().identity();
    const StatsRegistry& s = chip.stats();
    const double host_seconds = outcome.host_seconds;
    const bool cycle = chip.options().mode == asic::Mode::Cycle;
    fmt::print("{} {}, configuration {}\n", id.name, cycle ? "cycle" : "functional", id.hash);
    if (cycle)
        fmt::print("  cycles        {} ({:.3f} us at {:g} MHz)\n", outcome.cycles,
                   sim_seconds * 1e6, static_cast<double>(id.clock_hz) / 1e6);
    fmt::print("  waves         {}\n", work.waves);
    fmt::print("  instructions  {}", work.instructions);
    const char* separator = " (";
    for (const auto& [name, count] : work.by_class)
        if (count != 0) {
            fmt::print("{}{} {}", separator, name, count);
            separator = ", ";
        }
    fmt::print("{}\n", work.instructions != 0 ? ")" : "");
    if (cycle && outcome.cycles != 0) {
        const double ipc =
            static_cast<double>(work.instructions) / static_cast<double>(outcome.cycles);
        fmt::print("  IPC           {:.3f} chip, {:.4f} per CU\n", ipc, ipc / id.compute_units);
        const auto l1 = [&](const char* n) { return sum(s, "se", ".l1", n); };
        const auto l2 = [&](const char* n) { return sum(s, "tcc", "", n); };
        const uint64_t l1_reads = l1("reads") - l1("glc_reads");
        fmt::print("  L1 read hits  {}\n", rate(l1("read_hits"), l1_reads));
        fmt::print("  L2 read hits  {}\n", rate(l2("read_hits"), l2("reads")));
        const auto mc = [&](const char* n) { return sum(s, "mc", "", n); };
        fmt::print("  DRAM          {} B read, {} B written, row hits {}\n", mc("bytes_read"),
                   mc("bytes_written"), rate(mc("row_hits"), mc("reads") + mc("writes")));
    }
    fmt::print(
        "  host          {:.3f} s, {:.0f} instructions/s{}\n", host_seconds,
        static_cast<double>(work.instructions) / host_seconds,
        cycle ? fmt::format(", {:.0f} cycles/s", static_cast<double>(outcome.cycles) / host_seconds)
              : std::string());
}

// The statistics of a machine that stopped: what it had done, why it stopped and who waits.
void write_stopped(const RunArguments& a, Machine& machine, const std::exception_ptr& reason) {
    asic::Asic& chip = machine.chip();
    const asic::Identity& id = chip.description().identity();
    RunInfo info;
    info.cycles = chip.cycles();
    info.sim_seconds =
        static_cast<double>(info.cycles) * static_cast<double>(id.clock_period_fs) * 1e-15;
    info.asic = id.name;
    info.mode = a.mode;
    info.config_hash = id.hash;
    const asic::WorkDone work = chip.work();
    info.wave_instructions = work.instructions;
    info.instructions = work.by_class;
    try {
        std::rethrow_exception(reason);
    } catch (const MachineStop& stop) {
        info.extra.emplace_back("stopped", stop.what());
    } catch (...) {
        return;  // the machine did not stop, something around it failed
    }
    info.extra.emplace_back("hang", hang_json(chip.hang_report()));
    write_stats(a.stats, stats_json(chip.stats(), info));
}

}  // namespace

int run_command(const RunArguments& a) {
    if (!a.fst.empty() && a.rtl.size() + a.verilog.size() != 1)
        throw std::invalid_argument(
            "--fst: waveforms are those of one Verilog twin, name it by "
            "one --rtl or one --verilog");
    if (!a.rtl.empty() && a.mode != "cycle")
        throw std::invalid_argument("--rtl: the Verilog twins stand in a chip in cycle mode only");
    auto [workload, chip] = load_job(a.workload, a.asic, a.set);
    if (!a.code.empty()) {
        if (!workload.kernel)
            throw std::invalid_argument("--code: " + a.workload + " has no kernel");
        workload.kernel->code = a.code;
    }

    MachineOptions options;
    options.chip.mode = a.mode == "functional" ? asic::Mode::Functional : asic::Mode::Cycle;
    options.chip.shuffle_seed = a.seed;
    options.chip.check_protocol = a.check_protocol;
    options.chip.stall_percent = a.stall_percent;
    options.chip.stall_seed = a.seed + 1;
    std::vector<std::unique_ptr<rtl::BlockSwap>> swaps;
    for (const std::string& block : a.rtl) {
        if (std::count(a.rtl.begin(), a.rtl.end(), block) != 1)
            throw std::invalid_argument("--rtl " + block + ": given more than once");
        try {
            swaps.push_back(rtl::make_block_swap(block, {a.seed, 0}));
        } catch (const std::invalid_argument& error) {
            throw std::invalid_argument("--rtl " + block + ": " + error.what());
        }
        swaps.back()->attach(options.chip);
        if (const char* why = swaps.back()->absent())
            fmt::print(stderr, "--rtl {}: {}\n", block, why);
        if (!a.fst.empty())
            swaps.back()->open_waveform(a.fst);
    }
    options.verilog = a.verilog;
    options.verilog_seed = a.seed + 1;
    options.max_cycles = a.max_cycles;
    // Without time, the instructions of a wave are what can run away.
    if (options.chip.mode == asic::Mode::Functional && a.max_cycles != 0)
        options.chip.instruction_limit = a.max_cycles;
    options.show_progress = !a.quiet && isatty(STDERR_FILENO) != 0;
    std::unique_ptr<PerfettoSink> trace;
    if (!a.trace.empty()) {
        trace = std::make_unique<PerfettoSink>(a.trace);
        options.chip.trace = trace.get();
    }
    std::unique_ptr<TextLog> log;
    if (!a.log.empty()) {
        const uint32_t categories = parse_log_categories(a.log);
        log = a.log_file.empty() ? std::make_unique<TextLog>(std::cout, categories)
                                 : std::make_unique<TextLog>(a.log_file, categories);
        options.chip.log = log.get();
    }

    const asic::Identity& id = chip->identity();
    Machine machine("bench", *chip, options);
    if (!a.fst.empty() && machine.verilog() != nullptr)
        machine.verilog()->blocks()[0]->module().open_waveform(a.fst);
    Runner runner(workload, machine);
    RunOutcome outcome;
    std::exception_ptr stopped;
    try {
        outcome = runner.run();
    } catch (...) {
        stopped = std::current_exception();
    }
    if (options.show_progress)
        std::fputs("\r\033[K", stderr);
    if (trace)
        trace->finish();
    if (log)
        log->flush();
    if (stopped) {
        if (!a.stats.empty())
            write_stopped(a, machine, stopped);
        std::rethrow_exception(stopped);
    }

    const double sim_seconds =
        static_cast<double>(outcome.cycles) * static_cast<double>(id.clock_period_fs) * 1e-15;
    if (!a.stats.empty()) {
        RunInfo info;
        info.cycles = outcome.cycles;
        info.sim_seconds = sim_seconds;
        info.host_seconds = outcome.host_seconds;
        info.asic = id.name;
        info.mode = a.mode;
        info.config_hash = id.hash;
        const asic::WorkDone work = machine.chip().work();
        info.wave_instructions = work.instructions;
        info.instructions = work.by_class;
        info.extra.emplace_back("timing_guesses", chip->records().timings.guess_count());
        write_stats(a.stats, stats_json(machine.chip().stats(), info));
    }
    for (const std::string& failure : outcome.failures)
        fmt::print(stderr, "{}\n", failure);
    if (!a.quiet) {
        print_summary(machine.chip(), outcome, sim_seconds);
        fmt::print("  expectations  {} of {} met\n", outcome.expectations - outcome.failures.size(),
                   outcome.expectations);
        if (!a.stats.empty())
            fmt::print("  statistics    {}\n", a.stats);
        for (size_t i = 0; i < swaps.size(); ++i)
            fmt::print("  Verilog       {}, {} cycles of its clock\n", a.rtl[i],
                       swaps[i]->cycles());
        if (machine.verilog() != nullptr)
            for (const auto& block : machine.verilog()->blocks())
                fmt::print("  Verilog       {}, {} cycles of its clock; {}\n",
                           block->module().name(), block->module().cycles(), block->traffic());
        if (!a.fst.empty())
            fmt::print("  waveform      {}\n", a.fst);
        if (!a.trace.empty())
            fmt::print("  timeline      {} (open in https://ui.perfetto.dev)\n", a.trace);
    }
    return outcome.failures.empty() ? kDone : kExpectationFailed;
}

}  // namespace archipelago::host
