// SPDX-License-Identifier: Apache-2.0
// Random programs: the array leaves in memory what the instructions do in functional mode, whatever
// stalls, and in any order of its neighbours' are ticked.
#include <gtest/gtest.h>

#include "testbenches/unit/ctm/dpp_bench.h"

namespace archipelago::ctm::dpp::test {
namespace {

struct Case {
    Contents contents;
    std::vector<ThreadLaunch> launches;
};

Case make_case(uint64_t seed) {
    std::mt19937_64 random(seed);
    const auto below = [&](unsigned limit) { return static_cast<unsigned>(random() % limit); };
    Case c;
    const bool uncached = below(4) == 0;
    c.contents.program = RandomProgram(seed * 977, uncached).make();
    for (auto& constant : c.contents.floats)
        for (float& channel : constant)
            channel = static_cast<float>(below(64)) * 0.125f - 4.0f;
    for (uint32_t& integer : c.contents.integers)  // iterations, start of aL, step
        integer = below(4) | below(3) << 8 | 1u << 16;
    const bool conditional = below(2) == 0;
    const unsigned threads = 1 + below(12);
    for (unsigned i = 0; i < threads; ++i) {
        ThreadLaunch l = make_launch(i, 1 + below(isa::kMaxQuads));
        l.covered &= random() | random();
        l.conditional = below(2) == 0 ? 0x3f800000 : 0x41200000;
        l.conditional_output = conditional;
        l.mode.uncached_outputs = uncached;
        l.mode.full_flow_control = true;
        l.temporaries = isa::kTemporaries;  // relative addresses
        c.launches.push_back(l);
    }
    return c;
}

// Sizes at which everything is full at times.
Spec tight(uint64_t seed) {
    Spec spec;
    if (seed % 3 == 0)
        return spec;
    spec.threads = 1 + seed % 5;
    spec.registers = isa::kTemporaries * static_cast<unsigned>(1 + seed % 4);
    spec.instruction_buffer = 1 + seed % 3;
    spec.lookup_queue = 1 + seed % 2;
    spec.lookups = 1 + seed % 4;
    spec.output_threads = 1 + seed % 2;
    spec.launch_in = spec.words_in = spec.texture_in = spec.output_in = spec.condition_in = {1, 1};
    return spec;
}

void expect_equal(const Written& got, const Written& expected, uint64_t seed) {
    EXPECT_EQ(got.outputs == expected.outputs, true) << "outputs of seed " << seed;
    EXPECT_EQ(got.uncached, expected.uncached) << "seed " << seed;
    EXPECT_EQ(got.tested, expected.tested) << "seed " << seed;
}

TEST(DppRandom, ProgramsLeaveWhatTheyLeaveWithoutTime) {
    size_t outputs = 0;
    size_t uncached = 0;
    size_t tested = 0;
    for (uint64_t seed = 1; seed <= 300; ++seed) {
        const Case c = make_case(seed);
        Bench bench(tight(seed));
        bench.contents = c.contents;
        for (const ThreadLaunch& l : c.launches)
            bench.launch(l);
        bench.run();
        ASSERT_EQ(bench.pe.ended.size(), c.launches.size()) << bench.core.waiting_for();
        EXPECT_TRUE(bench.core.idle()) << bench.core.waiting_for();
        const Written expected = run_plainly(c.contents, c.launches);
        expect_equal(bench.written, expected, seed);
        outputs += expected.outputs.size();
        uncached += expected.uncached.size();
        tested += expected.tested.size();
    }
    EXPECT_GT(outputs, 10000u);
    EXPECT_GT(uncached, 1000u);
    EXPECT_GT(tested, 1000u);
}

TEST(DppRandom, RandomStallsAndTheOrderOfTicksChangeNothingInMemory) {
    for (uint64_t seed = 1001; seed <= 1060; ++seed) {
        const Case c = make_case(seed);
        Bench bench(tight(seed));
        bench.scheduler.shuffle(seed * 7919);
        bench.stall(seed, 30);
        bench.contents = c.contents;
        for (const ThreadLaunch& l : c.launches)
            bench.launch(l);
        bench.run();
        ASSERT_EQ(bench.pe.ended.size(), c.launches.size()) << bench.core.waiting_for();
        EXPECT_TRUE(bench.core.idle());
        expect_equal(bench.written, run_plainly(c.contents, c.launches), seed);
    }
}

// Every cycle of a thread has one reason.
TEST(DppRandom, TheTimesOfThreadsAddUpToTheirLives) {
    for (uint64_t seed = 2001; seed <= 2030; ++seed) {
        const Case c = make_case(seed);
        Bench bench(tight(seed));
        bench.contents = c.contents;
        for (const ThreadLaunch& l : c.launches)
            bench.launch(l);
        bench.run();
        uint64_t sum = 0;
        for (const uint64_t cycles : bench.core.state().counters.thread_cycles)
            sum += cycles;
        EXPECT_EQ(sum, bench.core.state().counters.thread_life) << "seed " << seed;
    }
}

TEST(DppRandom, TheOrderOfTicksChangesNoCycle) {
    for (uint64_t seed = 3001; seed <= 3020; ++seed) {
        const Case c = make_case(seed);
        std::vector<std::pair<uint32_t, Cycle>> ended;
        for (uint64_t shuffle = 0; shuffle < 3; ++shuffle) {
            Bench bench(tight(seed));
            if (shuffle != 0)
                bench.scheduler.shuffle(shuffle * 7919);
            bench.contents = c.contents;
            for (const ThreadLaunch& l : c.launches)
                bench.launch(l);
            bench.run();
            if (shuffle == 0)
                ended = bench.pe.ended;
            EXPECT_EQ(bench.pe.ended, ended) << "seed " << seed;
        }
    }
}

TEST(DppRandom, TickingEveryCycleChangesNoCycle) {
    for (uint64_t seed = 4001; seed <= 4020; ++seed) {
        const Case c = make_case(seed);
        Bench lazy(tight(seed));
        Bench eager(tight(seed));
        for (Bench* bench : {&lazy, &eager}) {
            bench->contents = c.contents;
            for (const ThreadLaunch& l : c.launches)
                bench->launch(l);
        }
        lazy.run();
        for (Cycle now = 0; now < 200000 && eager.pe.ended.size() < c.launches.size(); ++now) {
            eager.core.wake_at(now);
            eager.scheduler.step(now);
        }
        EXPECT_EQ(eager.pe.ended, lazy.pe.ended) << "seed " << seed;
        EXPECT_EQ(eager.core.state().counters.thread_cycles,
                  lazy.core.state().counters.thread_cycles)
            << "seed " << seed;
    }
}

}  // namespace
}  // namespace archipelago::ctm::dpp::test
