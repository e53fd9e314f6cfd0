// SPDX-License-Identifier: Apache-2.0
// The Control contract, determinism, and behaviour under random stalls.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "testbenches/unit/cu/cu_bench.h"
#include "testbenches/unit/cu/issue_log.h"
#include "testbenches/unit/cu/programs.h"

namespace archipelago::cu::test {
namespace {

using ::testing::HasSubstr;

void load_reduction(CuBench& bench) {
    for (unsigned i = 0; i < 1024; ++i)
        bench.set_word(4 * i, i * 40503u);
    bench.load(kReduce);
    for (unsigned group = 0; group < 4; ++group)
        for (unsigned i = 0; i < 4; ++i) {
            WaveLaunch l = make_launch(4, i, group);
            l.sgpr_init[4] = group;
            l.sgpr_init[6] = 0x8000;
            bench.launch(l, group * 11);
        }
}

uint32_t reduction_result() {
    uint32_t sum = 0;
    for (unsigned i = 0; i < 1024; ++i)
        sum += i * 40503u;
    return sum;
}

TEST(CuControl, TheOrderOfTicksChangesNoCycle) {
    std::vector<Cycle> ends;
    std::vector<uint64_t> counters;
    for (uint64_t seed = 0; seed < 8; ++seed) {
        CuBench bench;
        if (seed != 0)
            bench.scheduler.shuffle(seed * 7919);
        load_reduction(bench);
        bench.run();
        std::vector<uint64_t> values(bench.core.state().counters.wave_cycles.begin(),
                                     bench.core.state().counters.wave_cycles.end());
        EXPECT_EQ(bench.word(0x8000), reduction_result());
        if (seed == 0) {
            ends = bench.spi.ended_at;
            counters = values;
        }
        EXPECT_EQ(bench.spi.ended_at, ends);
        EXPECT_EQ(values, counters);
    }
}

TEST(CuControl, TickingEveryCycleChangesNoCycle) {
    CuBench lazy;
    load_reduction(lazy);
    lazy.run();
    CuBench eager;
    load_reduction(eager);
    for (Cycle now = 0; now < 100000 && eager.spi.ended.size() < 16; ++now) {
        eager.core.wake_at(now);
        eager.scheduler.step(now);
    }
    EXPECT_EQ(eager.spi.ended_at, lazy.spi.ended_at);
}

TEST(CuControl, RandomStallsLeaveDataIntact) {
    for (uint64_t seed = 1; seed <= 6; ++seed) {
        CuBench bench;
        bench.core.launch_in.random_stall(seed, 40);
        bench.core.fetch_in.random_stall(seed + 10, 40);
        bench.core.scalar_in.random_stall(seed + 20, 40);
        bench.core.mem_in.random_stall(seed + 30, 40);
        bench.inst.in.random_stall(seed + 40, 40);
        bench.l1.in.random_stall(seed + 50, 40);
        bench.spi.done.random_stall(seed + 60, 40);
        load_reduction(bench);
        bench.run();
        EXPECT_EQ(bench.spi.ended.size(), 16u);
        EXPECT_EQ(bench.word(0x8000), reduction_result());
        EXPECT_TRUE(bench.core.idle());
    }
}

TEST(CuControl, ATinyMachineGivesTheSameResults) {
    CuSpec spec;
    spec.issue_width = 1;
    spec.vmem_queue = 1;
    spec.vmem_outstanding = 1;
    spec.smem_queue = 1;
    spec.smem_outstanding = 1;
    spec.vm_max = 1;
    spec.lgkm_max = 1;
    spec.exp_max = 1;
    spec.lds_queue = 1;
    spec.ta_requests_per_cycle = 1;
    spec.td_responses_per_cycle = 1;
    spec.mem_in = {1, 1};
    spec.fetch_in = {1, 1};
    spec.launch_in = {1, 1};
    CuBench bench(spec);
    load_reduction(bench);
    bench.run();
    EXPECT_EQ(bench.spi.ended.size(), 16u);
    EXPECT_EQ(bench.word(0x8000), reduction_result());
    const auto& time = bench.core.state().counters.wave_cycles;
    EXPECT_GT(time[static_cast<unsigned>(WaveTime::VmemFull)], 0u);
}

TEST(CuControl, OneSimdGivesTheSameResults) {
    for (unsigned simds : {1u, 3u}) {
        CuSpec spec;
        spec.simds = simds;
        spec.wave_slots = 16;
        spec.vgprs = 256;
        CuBench bench(spec);
        for (unsigned i = 0; i < 1024; ++i)
            bench.set_word(4 * i, i * 40503u);
        bench.load(kReduce);
        for (unsigned group = 0; group < 2; ++group)
            for (unsigned i = 0; i < 4; ++i) {
                WaveLaunch l = make_launch(4, i, group);
                const unsigned n = group * 4 + i;
                l.simd = static_cast<uint8_t>(n % simds);
                l.slot = static_cast<uint8_t>(n / simds);
                l.vgpr_base = static_cast<uint16_t>(24 * l.slot);
                l.sgpr_base = 0;
                l.sgpr_init[4] = group;
                l.sgpr_init[6] = 0x8000;
                bench.launch(l);
            }
        bench.run();
        uint32_t sum = 0;
        for (unsigned i = 0; i < 512; ++i)
            sum += i * 40503u;
        EXPECT_EQ(bench.word(0x8000), sum);
    }
}

TEST(CuControl, ATickWithNothingToDoChangesNothing) {
    CuBench bench;
    load_reduction(bench);
    bench.run();
    const uint64_t issue_cycles = bench.core.state().counters.issue_cycles;
    for (Cycle now = bench.scheduler.now() + 1; now < bench.scheduler.now() + 100; ++now)
        EXPECT_FALSE(bench.core.tick(now));
    EXPECT_EQ(bench.core.state().counters.issue_cycles, issue_cycles);
    EXPECT_EQ(bench.core.waiting_for(), "");
}

TEST(CuControl, AWaitingUnitSleeps) {
    CuBench bench({}, {2, 10, 5000});
    bench.load(kLoadAddStore);
    bench.launch(make_launch());
    bench.run();
    EXPECT_EQ(bench.spi.ended.size(), 1u);
    EXPECT_LT(bench.scheduler.ticks(), 200u);
}

TEST(CuControl, PausedItStartsNothingAndGoesOnAfterwards) {
    CuBench bench;
    load_reduction(bench);
    bench.scheduler.run(60);
    bench.core.pause();
    bench.scheduler.run(3000);
    const uint64_t before = bench.core.state().counters.issue_cycles;
    bench.scheduler.run(6000);
    EXPECT_EQ(bench.core.state().counters.issue_cycles, before);
    EXPECT_FALSE(bench.core.idle());
    bench.core.resume();
    bench.run();
    EXPECT_EQ(bench.spi.ended.size(), 16u);
    EXPECT_EQ(bench.word(0x8000), reduction_result());
}

TEST(CuControl, DrainingItFinishesItsWavesAndTakesNoNewOnes) {
    CuBench bench;
    bench.load(kValuChain);
    bench.launch(make_launch());
    bench.scheduler.run(20);
    bench.core.drain();
    WaveLaunch second = make_launch(1, 0, 1);
    second.slot = 1;
    bench.launch(second, 21);
    bench.run();
    EXPECT_EQ(bench.spi.ended.size(), 1u);
    EXPECT_TRUE(bench.core.idle());
    bench.core.resume();
    EXPECT_FALSE(bench.core.idle());
    bench.run();
    EXPECT_EQ(bench.spi.ended.size(), 2u);
}

TEST(CuControl, ResetForgetsEverything) {
    CuBench bench;
    load_reduction(bench);
    bench.scheduler.run(100);
    EXPECT_FALSE(bench.core.idle());
    bench.core.reset();
    EXPECT_TRUE(bench.core.idle());
    EXPECT_EQ(bench.core.state().counters.work.waves, 0u);
    EXPECT_EQ(bench.core.wave(0, 0), nullptr);
}

// What a reset left in the instruction cache arrives at a unit without waves.
TEST(CuControl, DropsInstructionsForWavesOfBeforeTheReset) {
    CuBench bench;
    bench.core.fetch_in.push(bench.scheduler.now(), FetchResponse{});
    bench.scheduler.run(10);
    EXPECT_EQ(bench.core.state().counters.fetches_dropped, 1u);
}

TEST(CuControl, InstructionsNobodyAskedForStopTheMachine) {
    CuSpec spec;
    spec.fetch_blocks = 4;
    for (const uint64_t address : {kCode + 4, kCode + 4 * kFetchBytes, kCode - 4 * kFetchBytes}) {
        CuBench bench(spec, {100, 100, 100});
        bench.load(kExchange);
        bench.launch(make_launch(1, 0));
        bench.scheduler.run(20);
        ASSERT_EQ(bench.core.state().fetches_in_flight, 4u);
        FetchResponse response;
        response.address = address;
        response.generation = bench.core.state().waves[0][0].generation;
        bench.core.fetch_in.push(bench.scheduler.now(), response);
        try {
            bench.scheduler.run(30);
            ADD_FAILURE() << "not stopped at " << address - kCode;
        } catch (const MachineStop& stop) {
            EXPECT_EQ(stop.kind(), StopKind::Protocol);
            EXPECT_THAT(stop.what(), HasSubstr("unsolicited instruction fetch response"));
        }
    }
}

TEST(CuControl, AWaveAtABarrierSaysForWhomItWaits) {
    CuBench bench;
    bench.load(kExchange);
    bench.launch(make_launch(2, 0));
    bench.run();
    EXPECT_THAT(bench.core.waiting_for(), HasSubstr("waits at a barrier, 1 of 2 waves"));
    EXPECT_THAT(bench.core.waiting_for(), HasSubstr("simd0 slot0 cs1."));
    EXPECT_FALSE(bench.core.idle());
}

TEST(CuControl, EveryCounterIsDeclaredOnceWithUnitAndMeaning) {
    CuBench bench;
    StatsRegistry registry;
    bench.core.register_stats(registry, "se0.sh1.cu3");
    std::set<std::string> names;
    for (const Counter& c : registry.counters()) {
        EXPECT_TRUE(names.insert(c.name).second) << c.name;
        EXPECT_FALSE(c.unit.empty());
        EXPECT_FALSE(c.meaning.empty());
        EXPECT_EQ(*c.value, 0u);
    }
    EXPECT_GT(names.size(), 40u);
}

TEST(CuControl, CodeChangedBetweenWavesIsExecuted) {
    // Decoded instructions are remembered by their words, so a stale one cannot be used.
    CuBench bench;
    bench.load({0xbe840381, 0xbf810000});  // s_mov_b32 s4, 1
    bench.launch(make_launch());
    bench.run();
    EXPECT_EQ(bench.core.state().waves[0][0].regs.s[4], 1u);
    bench.load({0xbe840385, 0xbf810000});  // s_mov_b32 s4, 5
    bench.launch(make_launch(), bench.scheduler.now() + 1);
    bench.run();
    EXPECT_EQ(bench.core.state().waves[0][0].regs.s[4], 5u);
}

}  // namespace
}  // namespace archipelago::cu::test
