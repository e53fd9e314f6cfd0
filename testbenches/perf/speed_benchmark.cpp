// SPDX-License-Identifier: Apache-2.0
// How fast the simulator is: wave-instructions per second of whole runs, and as a ratio to a
// 64-lane multiply-add on plain arrays measured in the same run on the same host, which is what a
// reader can compare. One simulation per process: every iteration runs the command and takes its
// own count of seconds, loading left out.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "testbenches/support/scratch.h"

namespace {

// Nanoseconds of a 64-lane float multiply-add; the best of several, as a host at rest would do.
double host_fma_ns() {
    static const double ns = [] {
        alignas(64) std::array<float, 64> a{};
        alignas(64) std::array<float, 64> b{};
        alignas(64) std::array<float, 64> c{};
        for (size_t i = 0; i < 64; ++i) {
            a[i] = 0.5F + static_cast<float>(i) * 0.001F;
            b[i] = 0.25F;
        }
        double best = 1e9;
        for (int round = 0; round < 20; ++round) {
            constexpr int kTimes = 200000;
            const auto start = std::chrono::steady_clock::now();
            for (int n = 0; n < kTimes; ++n) {
                for (size_t i = 0; i < 64; ++i)
                    c[i] = a[i] * b[i] + c[i] * 0.5F;
                benchmark::DoNotOptimize(c);
            }
            const std::chrono::duration<double, std::nano> t =
                std::chrono::steady_clock::now() - start;
            best = std::min(best, t.count() / kTimes);
        }
        return best;
    }();
    return ns;
}

void run_workload(benchmark::State& state, const std::string& workload, const std::string& flags) {
    const archipelago::test::Scratch scratch;
    const std::string stats = (scratch.path() / "stats.json").string();
    const std::string command = std::string(ARCHIPELAGO_COMMAND) + " run --quiet " + flags +
                                " --stats " + stats + " " + ARCHIPELAGO_SOURCE_DIR +
                                "/testbenches/workloads/" + workload + ".yaml";
    double instructions = 0;
    double cycles = 0;
    double seconds = 0;
    for (auto _ : state) {  // NOLINT(clang-analyzer-deadcode.DeadStores): the idiom of benchmark
        if (std::system(command.c_str()) != 0) {
            state.SkipWithError(("failed: " + command).c_str());
            return;
        }
        std::ifstream in(stats);
        const nlohmann::json json = nlohmann::json::parse(in);
        const double t = json.at("host_seconds").get<double>();
        state.SetIterationTime(t);
        instructions += json.at("wave_instructions").get<double>();
        cycles += json.at("cycles").get<double>();
        seconds += t;
    }
    state.counters["wave_instructions"] =
        benchmark::Counter(instructions / seconds, benchmark::Counter::kDefaults);
    if (cycles != 0)
        state.counters["cycles"] = benchmark::Counter(cycles / seconds);
    state.counters["host_fma64_each"] =
        benchmark::Counter(seconds * 1e9 / instructions / host_fma_ns());
}

void functional(benchmark::State& state, const char* workload) {
    run_workload(state, workload, "--mode functional");
}
void cycle(benchmark::State& state, const char* workload) {
    run_workload(state, workload, "--mode cycle");
}
void cycle_traced(benchmark::State& state, const char* workload) {
    run_workload(state, workload, "--mode cycle --trace /dev/null");
}

#define ARCHIPELAGO_SPEED(function, workload)        \
    BENCHMARK_CAPTURE(function, workload, #workload) \
        ->UseManualTime()                            \
        ->Unit(benchmark::kMillisecond)              \
        ->Iterations(3)
ARCHIPELAGO_SPEED(functional, matmul_large);
ARCHIPELAGO_SPEED(functional, mandelbrot);
ARCHIPELAGO_SPEED(functional, reduction);
ARCHIPELAGO_SPEED(cycle, matmul_large);
ARCHIPELAGO_SPEED(cycle, mandelbrot);
ARCHIPELAGO_SPEED(cycle, reduction);
ARCHIPELAGO_SPEED(cycle_traced, matmul_large);

}  // namespace

BENCHMARK_MAIN();
