// SPDX-License-Identifier: Apache-2.0
// `archipelago cosim`: a block against its Verilog twin, cycle by cycle.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <stdexcept>

#include "models/asic/asic.h"
#include "models/config/suggest.h"
#include "rtl-bridge/compare/cosim.h"
#include "testbenches/host/command/attached.h"
#include "testbenches/host/command/command.h"
#include "testbenches/host/command/job.h"
#include "testbenches/host/command/waveform_file.h"
#include "testbenches/host/output_files.h"
#include "testbenches/host/runner.h"
#include "testbenches/host/wave_probe.h"

namespace archipelago::host {
namespace {

constexpr size_t kShownBins = 10;

const rtl::CosimBench& find_bench(const std::string& block) {
    if (const rtl::CosimBench* bench = rtl::find_cosim_bench(block))
        return *bench;
    std::vector<std::string> names;
    for (const rtl::CosimBench* bench : rtl::cosim_benches())
        names.emplace_back(bench->block());
    throw std::invalid_argument(
        fmt::format("cosim: no block with pins is called {}, "
                    "expected one of: {}{}",
                    block, config::join_names(names), config::did_you_mean(block, names)));
}

// Runs the workload in cycle mode and records what passes the block's ports.
std::unique_ptr<rtl::Recording> record(const rtl::CosimBench& bench, const CosimArguments& a,
                                       const Job& job) {
    const auto& [workload, chip] = job;
    std::unique_ptr<rtl::Recording> recording = bench.make_recording(a.cycles);
    MachineOptions options;
    options.chip.address_spaces = workload.spaces();
    recording->attach(options.chip);
    WaveProbe probe(nullptr);
    if (!workload.waves.empty())
        options.chip.retire = &probe;
    Machine machine("bench", *chip, options);
    Runner runner(workload, machine);
    runner.watch_waves(probe);
    runner.run();
    return recording;
}

// A workload is not meant to reach everything: what it does not is counted, not listed.
void print_coverage(const rtl::Coverage& coverage, bool list_missing) {
    for (const rtl::Coverage::Group& group : coverage.groups()) {
        size_t reached = 0;
        uint64_t least = ~uint64_t{0};
        for (const rtl::Coverage::Bin& bin : group.bins) {
            reached += bin.count != 0 ? 1 : 0;
            least = std::min(least, bin.count);
        }
        fmt::print("  coverage      {}: {} of {} reached", group.name, reached, group.bins.size());
        if (reached == group.bins.size()) {
            fmt::print(", each at least {} times\n", least);
            continue;
        }
        size_t shown = 0;
        for (const rtl::Coverage::Bin& bin : group.bins)
            if (list_missing && bin.count == 0 && shown++ < kShownBins)
                fmt::print("{}{}", shown == 1 ? ", not: " : ", ", bin.name);
        fmt::print("{}\n", shown > kShownBins ? ", ..." : "");
    }
}

// Of a random stimulus: bits that it has never changed.
void print_still(const std::vector<std::string>& still) {
    if (!still.empty())
        fmt::print("  inputs        {} with bits that never changed: {}\n", still.size(),
                   fmt::join(still, ", "));
}

void print_compared(const CosimArguments& a, const rtl::CosimResult& result) {
    if (result.elastic)
        fmt::print("  compared      {} transactions in {} cycles of stimulus, seed {}\n",
                   result.transactions, result.cycles, a.seed);
    else
        fmt::print("  compared      {} cycles, seed {}\n", result.cycles, a.seed);
}

// The user's Verilog, when one is named.
std::string place_of(const CosimArguments& a) {
    if (a.rtl.empty() && a.against != "model")
        throw std::invalid_argument("--against twin: with what of your own? give it by --rtl");
    const RtlChoice choice = rtl_choice(a.rtl);
    if (!a.rtl.empty() && (choice.block != a.block || choice.file.empty() || choice.instance))
        throw std::invalid_argument("--rtl " + a.rtl + ": expected " + a.block + "=FILE");
    return choice.file;
}

}  // namespace

int cosim_command(const CosimArguments& a) {
    const rtl::CosimBench& bench = find_bench(a.block);
    std::unique_ptr<rtl::Recording> recording;
    rtl::CosimOptions options;
    options.cycles = a.cycles;
    options.seed = a.seed;
    options.place = place_of(a);
    options.against_twin = a.against == "twin";
    std::vector<std::string> inputs = files_of_verilog(options.place);
    check_outputs({{"--fst", a.fst}}, inputs);
    if (!a.workload.empty()) {
        const Job job = load_job(a.workload, a.asic, {});
        const std::vector<std::string> files = files_read(job);
        inputs.insert(inputs.end(), files.begin(), files.end());
        check_dumps(job.workload.outputs, files);
        check_outputs({{"--fst", a.fst}}, inputs, job.workload.outputs);
        recording = record(bench, a, job);
        if (recording->size() == 0) {
            fmt::print(stderr, "{}: nothing passes the ports of {} in this workload\n", a.workload,
                       a.block);
            return kExpectationFailed;
        }
        options.recording = recording.get();
    }
    options.toggles = recording == nullptr;
    const bool show_progress = isatty(STDERR_FILENO) != 0;
    if (show_progress)
        options.progress = [&](uint64_t cycle) {
            fmt::print(stderr, "\r{}: cycle {} of {}", a.block, cycle, a.cycles);
        };
    WaveformFile waveform(a.fst);
    if (!a.fst.empty())
        options.waveform = waveform.open();
    const rtl::CosimResult result = bench.run(options);
    waveform.complete();
    if (show_progress)
        std::fputs("\r\033[K", stderr);

    if (options.place.empty())
        fmt::print("{} against its Verilog ({})\n", bench.block(), bench.description());
    else
        fmt::print("{} of {} against the {} ({})\n", bench.block(), options.place, a.against,
                   bench.description());
    if (recording)
        fmt::print("  recorded      {} of {} transactions of {}\n", recording->size(),
                   recording->passed(), a.workload);
    print_compared(a, result);
    print_coverage(result.coverage, recording == nullptr);
    print_still(result.still);
    if (!a.fst.empty())
        fmt::print("  waveform      {}\n", a.fst);
    if (result.difference) {
        std::fflush(stdout);
        fmt::print(stderr, "{}: {} and Verilog differ in {}", a.block, a.against,
                   result.difference->text());
        return kExpectationFailed;
    }
    fmt::print("  differences   none\n");
    return kDone;
}

}  // namespace archipelago::host
