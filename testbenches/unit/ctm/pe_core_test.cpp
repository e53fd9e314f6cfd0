// SPDX-License-Identifier: Apache-2.0
// The PE in cycle mode: what waits for what, and how fast it goes.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "testbenches/unit/ctm/pe_bench.h"

namespace archipelago::ctm::pe_bench {
namespace {

using Words = std::vector<uint32_t>;
constexpr uint32_t kStart = 0xC0000800, kIdle = 0xC0000900, kDomain = 0xC0030700;

// So many threads of a quad each.
Words domain(unsigned quads) {
    return {kDomain, 0, 0, 2 * quads - 1, 1};
}
Words operator+(Words a, const Words& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}
PeSpec one_quad_threads() {
    PeSpec spec;
    spec.walk.order = WalkOrder::Rows;
    spec.walk.quads = 1;
    return spec;
}

TEST(CtmPeCore, CommandHasItsEffectItsCyclesAfterTheLastDword) {
    std::map<unsigned, Cycle> at;
    for (const unsigned cycles : {0u, 1u, 4u, 63u}) {
        PeSpec spec;
        spec.command_cycles = cycles;
        CycleBench b(spec);
        submit(b, kBuffers, {0xC0001900, 1});
        b.run();
        ASSERT_EQ(b.memory.taken.size(), 1u);
        at[cycles] = b.memory.taken[0].first;
    }
    EXPECT_EQ(at[1], at[0] + 1);
    EXPECT_EQ(at[4], at[0] + 4);
    EXPECT_EQ(at[63], at[0] + 63);
}

TEST(CtmPeCore, ReadsADwordACycle) {
    PeSpec spec;
    spec.command_cycles = 0;
    CycleBench b(spec);
    b.memory.command_cycles = 0;
    Words words;
    for (uint32_t i = 0; i < 64; ++i)
        words = words + Words{0xC0001900, i};
    submit(b, kBuffers, words);
    b.run();
    ASSERT_EQ(b.memory.taken.size(), 64u);
    // Two dwords and the effect.
    EXPECT_EQ(b.memory.taken[63].first - b.memory.taken[0].first, 63u * 3u);
}

TEST(CtmPeCore, WaitForIdleEndsWithTheLastThread) {
    CycleBench b(one_quad_threads());
    for (const auto& array : b.arrays)
        array->cycles = 500;
    submit(b, kBuffers, domain(1) + Words{kStart, 0, kIdle, 0, 0xC0001900, 7});
    b.run();
    ASSERT_EQ(b.memory.taken.size(), 1u);
    const Cycle launched = b.arrays[0]->taken.at(0).first;
    EXPECT_GT(b.memory.taken[0].first, launched + 500);
    EXPECT_LT(b.memory.taken[0].first, launched + 520);
    EXPECT_GT(b.pe.state().counters.stall_programs, 400u);
}

TEST(CtmPeCore, PipelinedCommandOfAnotherUnitWaitsForThreadsAlreadyStarted) {
    for (const uint32_t header : {0xC0001900u, 0xC0001600u, 0xC0001700u}) {
        CycleBench b(one_quad_threads());
        for (const auto& array : b.arrays)
            array->cycles = 500;
        submit(b, kBuffers, domain(40) + Words{kStart, 0, header, 7});
        b.run();
        ASSERT_EQ(b.memory.taken.size(), 1u);
        for (const auto& array : b.arrays)
            for (const auto& [at, thread] : array->taken)
                EXPECT_LT(at + 500, b.memory.taken[0].first);
        EXPECT_EQ(b.pe.state().counters.threads, 40u);
    }
}

TEST(CtmPeCore, StartsRunTogetherWithTheirOwnDomainAndValue) {
    CycleBench b(one_quad_threads());
    for (const auto& array : b.arrays)
        array->cycles = 1000;
    submit(b, kBuffers,
           domain(2) + Words{0xC0000600, 11, kStart, 0, 0xC0000600, 22, kStart, 0, 0xC0000600, 33});
    b.run();
    std::set<uint32_t> programs;
    Cycle first = kNever, last = 0;
    for (const auto& array : b.arrays)
        for (const auto& [at, thread] : array->taken) {
            EXPECT_EQ(thread.conditional, 11 * thread.program);
            programs.insert(thread.program);
            first = std::min(first, at);
            last = std::max(last, at);
        }
    EXPECT_EQ(programs, (std::set<uint32_t>{1, 2}));
    EXPECT_LT(last - first, 100u);
}

TEST(CtmPeCore, StartsThatTestValuesRunOneAfterTheOther) {
    for (const uint32_t location : {0u, 1u}) {
        CycleBench b(one_quad_threads());
        for (const auto& array : b.arrays)
            array->cycles = 1000;
        // Greater than what is there: both pass.
        submit(b, kBuffers,
               domain(2) + Words{0xC0020D00, 0, 2u << 24, 0, 0xC0001B00, 5, 0xC0001C00, location,
                                 0xC0000600, 11, kStart, 0, 0xC0000600, 22, kStart, 0});
        b.run();
        Cycle last = 0, next = kNever;
        for (const auto& array : b.arrays)
            for (const auto& [at, thread] : array->taken) {
                last = thread.program == 1 ? std::max(last, at) : last;
                next = thread.program == 2 ? std::min(next, at) : next;
            }
        EXPECT_GT(last, 0u) << location;
        EXPECT_GT(next, last + 1000) << location;
        EXPECT_NE(next, kNever) << location;
    }
}

TEST(CtmPeCore, StartWaitsUntilCommandsBeforeItHaveTheirEffect) {
    CycleBench b(one_quad_threads());
    b.memory.command_cycles = 300;
    submit(b, kBuffers, domain(1) + Words{0xC0001600, 0, kStart, 0});
    b.run();
    EXPECT_GE(b.arrays[0]->taken.at(0).first, b.memory.taken.at(0).first + 300);
    EXPECT_LT(b.arrays[0]->taken.at(0).first, b.memory.taken.at(0).first + 320);
    EXPECT_GT(b.pe.state().counters.stall_units, 200u);
}

TEST(CtmPeCore, ThreadsGoToArraysInTurnOrToTheFirstFree) {
    PeSpec spec = one_quad_threads();
    for (const Distribution d : {Distribution::RoundRobin, Distribution::FirstFree}) {
        spec.distribution = d;
        CycleBench b(spec);
        for (const auto& array : b.arrays)
            array->cycles = 10'000;
        submit(b, kBuffers, domain(8) + Words{kStart, 0});
        b.run(5000);
        // An array holds three threads and has two more in its channel.
        const std::vector<size_t> expected = d == Distribution::RoundRobin
                                                 ? std::vector<size_t>{2, 2, 2, 2}
                                                 : std::vector<size_t>{3, 3, 0, 0};
        for (unsigned i = 0; i < 4; ++i)
            EXPECT_EQ(b.arrays[i]->taken.size(), expected[i]) << i;
    }
}

TEST(CtmPeCore, WalksItsQuadsACycle) {
    for (const unsigned rate : {1u, 4u}) {
        PeSpec spec;
        spec.arrays = 1;
        spec.quads_per_cycle = rate;
        CycleBench b(spec);
        b.arrays[0]->cycles = 0;
        submit(b, kBuffers, Words{kDomain, 0, 0, 127, 127, kStart, 0});
        b.run();
        const auto& taken = b.arrays[0]->taken;
        ASSERT_EQ(taken.size(), (64u * 64u + 11) / 12);
        const Cycle cycles = taken[300].first - taken[0].first;
        EXPECT_EQ(cycles, 300u * 12u / rate) << rate;
    }
}

TEST(CtmPeCore, CountersHaveTheClocksBetweenStartAndRead) {
    CycleBench b(one_quad_threads());
    b.arrays[0]->cycles = 100;
    submit(b, kBuffers,
           domain(1) +
               Words{0xC0010200, 1, 0, 0xC0000300, 0, kStart, 0, kIdle, 0, 0xC0010500, 0x2000, 0});
    b.run();
    uint32_t clocks[2] = {};
    b.outcome.image.read(0x2000, clocks, 8);
    // Launch, a cycle to the array, its 100, a cycle back.
    EXPECT_EQ(clocks[1], 102u);
    EXPECT_GT(clocks[0], 110u);
    EXPECT_LT(clocks[0], 170u);
    EXPECT_EQ(b.outcome.stop, "");
    EXPECT_EQ(b.outcome.consumed, (std::vector<uint32_t>{1}));
}

TEST(CtmPeCore, StatusAndConsumedFollowTheBuffer) {
    CycleBench b(one_quad_threads());
    b.arrays[0]->cycles = 300;
    EXPECT_EQ(b.read(kStatus), 0u);
    submit(b, kBuffers, domain(1) + Words{kStart, 0});
    EXPECT_EQ(b.read(kStatus), kStatusPeBusy);
    for (unsigned i = 0; i < 150; ++i)
        b.step();
    EXPECT_EQ(b.read(kStatus), kStatusPeBusy | kStatusDppBusy);
    EXPECT_EQ(b.read(kCbConsumed), 0u);
    EXPECT_FALSE(b.pe.idle());
    b.run();
    EXPECT_EQ(b.read(kStatus), 0u);
    EXPECT_EQ(b.read(kCbConsumed), 1u);
    EXPECT_TRUE(b.pe.idle());
    EXPECT_EQ(b.pe.waiting_for(), "");
    // The host has seen it idle.
    submit(b, kBuffers, {0xC0010A00, 0x800, 0});
    b.run();
    EXPECT_EQ(b.outcome.stop, "");
}

TEST(CtmPeCore, HostThatSeesItBusyKnowsNothingOfItsEnd) {
    for (const uint32_t offset : {kStatus, kCbConsumed}) {
        CycleBench b(one_quad_threads());
        submit(b, kBuffers, domain(1) + Words{kStart, 0});
        b.read(offset);
        submit(b, kBuffers + 0x100, {0xC0010A00, 0x800, 0});
        b.run();
        EXPECT_EQ(b.outcome.stop.rfind("command buffer 2 at 0x1100, dword 0, set_inst_fmt: "
                                       "undefined",
                                       0),
                  0u)
            << b.outcome.stop;
    }
}

TEST(CtmPeCore, HangNamesTheCommandAndWhatItWaitsFor) {
    CycleBench b(one_quad_threads());
    b.arrays[0]->cycles = 1'000'000;
    submit(b, kBuffers, domain(1) + Words{kStart, 0, kIdle, 0});
    b.run(3000);
    EXPECT_EQ(b.pe.waiting_for(),
              "ctm.pe: command buffer 1 at 0x1000, dword 7, wait_for_idle waits for programs, 1 "
              "threads at work, 0 buffers waiting");
}

// What stands in for a Verilog twin: random before reset, stepped by the PE alone.
class OtherSequencer final : public rtl::PinBlock<rtl::CtmPePins> {
  public:
    void step(const In& in, Out& out) override {
        if (in.rst != 0)
            reset = true;
        EXPECT_TRUE(reset);
        core_.step(in, out);
        ++steps;
    }
    bool reset = false;
    uint64_t steps = 0;

  private:
    SequencerCore core_;
};

TEST(CtmPeCore, AnotherSequencerBehindThePinsChangesNoCycle) {
    const Words words =
        domain(9) + Words{0xC0001600, 0, kStart, 0, 0xC0001700, 0, kIdle, 0, 0xC0010A00, 0, 0};
    CycleBench own(one_quad_threads());
    submit(own, kBuffers, words);
    own.run();
    OtherSequencer sequencer;
    CycleBench other(one_quad_threads(), {}, &sequencer);
    submit(other, kBuffers, words);
    other.run();
    EXPECT_EQ(other.now(), own.now());
    EXPECT_EQ(other.outcome.log, own.outcome.log);
    EXPECT_GT(sequencer.steps, words.size());
}

TEST(CtmPeCore, NothingTicksWhileAThreadRuns) {
    CycleBench b(one_quad_threads());
    b.arrays[0]->cycles = 100'000;
    submit(b, kBuffers, domain(1) + Words{kStart, 0, kIdle, 0});
    b.run();
    EXPECT_GT(b.now(), 100'000u);
    EXPECT_LT(b.scheduler.ticks(), 1000u);
}

TEST(CtmPeCore, SpecOutOfRangeIsRefused) {
    PeSpec spec;
    spec.command_cycles = 64;
    EXPECT_THROW(PeCore{spec}, std::invalid_argument);
    spec = {};
    spec.arrays = 0;
    EXPECT_THROW(PeCore{spec}, std::invalid_argument);
    CoSpec co;
    co.in_flight = 0;
    EXPECT_THROW(CoCore{co}, std::invalid_argument);
}

}  // namespace
}  // namespace archipelago::ctm::pe_bench
