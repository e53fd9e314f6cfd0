// SPDX-License-Identifier: Apache-2.0
// Runs one group of waves in cycle mode and in functional mode and compares what they leave.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "rtl-bridge/compare/random.h"
#include "testbenches/unit/cu/cu_bench.h"

namespace archipelago::cu::test {

using Random = archipelago::Random<XorShift<16>>;

inline void expect_same_work(const WorkCounters& a, const WorkCounters& b) {
    EXPECT_EQ(a.waves, b.waves);
    EXPECT_EQ(a.instructions, b.instructions);
    EXPECT_EQ(a.valu_lanes, b.valu_lanes);
    EXPECT_EQ(a.vmem_lanes, b.vmem_lanes);
    EXPECT_EQ(a.branches_taken, b.branches_taken);
    EXPECT_EQ(a.barriers, b.barriers);
    EXPECT_EQ(a.perf_levels, b.perf_levels);
    EXPECT_EQ(a.perf_level_changes, b.perf_level_changes);
    EXPECT_EQ(a.trace_words, b.trace_words);
}

// Runs the waves of one group in both modes and compares.
inline void compare(const std::vector<uint32_t>& program, const std::vector<WaveLaunch>& waves) {
    CuBench cycle;
    CuBench functional;
    for (CuBench* bench : {&cycle, &functional}) {
        for (unsigned i = 0; i < kDataBytes / 4; ++i)
            bench->set_word(4 * i, (i * 2654435761u) ^ (i >> 3));
        bench->load(program);
    }
    for (const WaveLaunch& l : waves)
        cycle.launch(l);
    cycle.run(20000000);
    ASSERT_EQ(cycle.spi.ended.size(), waves.size()) << cycle.core.waiting_for();

    ImageMemory memory(functional.memory);
    FunctionalCu cu({}, memory, CuBench::identity());
    FunctionalStats stats;
    cu.run_group(waves.data(), static_cast<unsigned>(waves.size()), stats);

    expect_same_work(cycle.core.state().counters.work, stats.work);
    const std::vector<uint8_t> a = cycle.data();
    const std::vector<uint8_t> b = functional.data();
    for (unsigned i = 0; i < kDataBytes; ++i)
        ASSERT_EQ(a[i], b[i]) << "byte " << i;
    for (unsigned i = 0; i < waves.size(); ++i) {
        const isa::WaveState& x = cycle.core.state().waves[waves[i].simd][waves[i].slot].regs;
        const isa::WaveState& y = *cu.wave(i);
        EXPECT_EQ(x.pc, y.pc);
        EXPECT_EQ(x.scc, y.scc);
        EXPECT_EQ(x.mode.float_mode(), y.mode.float_mode());
        for (unsigned s = 0; s < 128; ++s)
            ASSERT_EQ(x.s[s], y.s[s]) << "scalar register " << s;
        for (unsigned v = 0; v < waves[i].vgpr_count; ++v)
            for (unsigned lane = 0; lane < 64; ++lane)
                ASSERT_EQ(x.v[v][lane], y.v[v][lane]) << "v" << v << " lane " << lane;
    }
}

inline std::vector<WaveLaunch> group_of(unsigned count) {
    std::vector<WaveLaunch> waves;
    for (unsigned i = 0; i < count; ++i) {
        WaveLaunch l = make_launch(count, i);
        l.sgpr_init[6] = 0x8000;
        waves.push_back(l);
    }
    return waves;
}

}  // namespace archipelago::cu::test
