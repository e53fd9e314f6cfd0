// SPDX-License-Identifier: Apache-2.0
// How fast the host simulates a compute unit: wave instructions per second in both modes.
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <numeric>

#include "models/cu/isa/lane_exec.h"
#include "testbenches/unit/cu/cu_bench.h"
#include "testbenches/unit/cu/matmul_bench.h"

namespace archipelago::cu::test {
namespace {

uint64_t total(const WorkCounters& work) {
    return std::accumulate(work.instructions.begin(), work.instructions.end(), uint64_t{0});
}

void report(const char* what, uint64_t instructions, double seconds, uint64_t cycles) {
    std::printf("%-24s %10llu instructions %8.3f s %8.2f M/s %7.1f ns each", what,
                static_cast<unsigned long long>(instructions), seconds,
                static_cast<double>(instructions) / seconds / 1e6,
                seconds / static_cast<double>(instructions) * 1e9);
    if (cycles != 0)
        std::printf(" %9llu cycles", static_cast<unsigned long long>(cycles));
    std::printf("\n");
}

template <class Run>
double seconds_of(Run&& run) {
    const std::clock_t start = std::clock();  // processor time: other processes do not count
    run();
    return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

void functional_matmul(unsigned repeat) {
    MemoryImage memory;
    const Matmul matmul(memory);
    ImageMemory view(memory);
    FunctionalCu cu({}, view);
    FunctionalStats stats;
    const double seconds = seconds_of([&] {
        for (unsigned r = 0; r < repeat; ++r) {
            cu.new_dispatch();
            for (unsigned group = 0; group < Matmul::kGroups; ++group) {
                WaveLaunch waves[Matmul::kWaves];
                for (unsigned i = 0; i < Matmul::kWaves; ++i)
                    waves[i] = matmul.launch(group, i);
                cu.run_group(waves, Matmul::kWaves, stats);
            }
        }
    });
    if (!matmul.right(0) || !matmul.right(Matmul::kGroups - 1)) {
        std::printf("wrong product\n");
        std::exit(1);
    }
    report("functional matmul", total(stats.work), seconds, 0);
}

void cycle_matmul(unsigned groups, unsigned repeat) {
    uint64_t instructions = 0;
    Cycle cycles = 0;
    double seconds = 0;
    for (unsigned r = 0; r < repeat; ++r) {
        CuBench bench;
        const Matmul matmul(bench.memory);
        for (unsigned group = 0; group < groups; ++group)
            for (unsigned i = 0; i < Matmul::kWaves; ++i) {
                WaveLaunch l = matmul.launch(group, i);
                l.simd = static_cast<uint8_t>(i);
                l.slot = static_cast<uint8_t>(group);
                l.group_slot = static_cast<uint8_t>(group);
                l.vgpr_base = static_cast<uint16_t>(24 * group);
                l.sgpr_base = static_cast<uint16_t>(24 * group);
                l.lds_base = 2048 * group;
                bench.launch(l);
            }
        seconds += seconds_of([&] { cycles += bench.run(100000000); });
        instructions += total(bench.core.state().counters.work);
        for (unsigned group = 0; group < groups; ++group)
            if (!matmul.right(group)) {
                std::printf("wrong product\n");
                std::exit(1);
            }
    }
    report("cycle matmul", instructions, seconds, cycles);
}

void cycle_valu(unsigned waves_per_simd) {
    CuBench bench;
    // A loop of 14 vector instructions around v_mac_f32 v1, v2, v3.
    std::vector<uint32_t> program = {0xbe8403ff, 20000};  // s_mov_b32 s4, 20000
    for (unsigned i = 0; i < 14; ++i)
        program.push_back(0x3e020702);
    program.push_back(0x80848104);  // s_sub_u32 s4, s4, 1
    program.push_back(0xbf078004);  // s_cmp_lg_u32 s4, 0
    program.push_back(0xbf85ffef);  // s_cbranch_scc1 -17
    program.push_back(0xbf810000);
    bench.load(program);
    for (unsigned w = 0; w < 4 * waves_per_simd; ++w) {
        WaveLaunch l = make_launch(1, w % 4, w / 4);
        l.simd = static_cast<uint8_t>(w % 4);
        l.slot = static_cast<uint8_t>(w / 4);
        l.group_slot = static_cast<uint8_t>(w);
        l.vgpr_base = static_cast<uint16_t>(24 * (w / 4));
        l.sgpr_base = static_cast<uint16_t>(48 * (w / 4));
        bench.launch(l);
    }
    Cycle end = 0;
    const double seconds = seconds_of([&] { end = bench.run(100000000); });
    report("cycle valu loop", total(bench.core.state().counters.work), seconds, end);
}

}  // namespace
}  // namespace archipelago::cu::test

int main(int argc, char** argv) {
    using namespace archipelago::cu::test;
    const unsigned repeat = argc > 1 ? static_cast<unsigned>(std::atoi(argv[1])) : 10;
    std::printf("lanes: %s\n", archipelago::isa::lane_backend());
    functional_matmul(repeat);
    cycle_valu(1);
    cycle_valu(4);
    cycle_matmul(1, repeat);
    cycle_matmul(8, repeat);
    return 0;
}
