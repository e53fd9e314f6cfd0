// SPDX-License-Identifier: Apache-2.0
// When instructions issue. Expected cycles are computed from the Spec.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "testbenches/unit/cu/cu_bench.h"
#include "testbenches/unit/cu/issue_log.h"
#include "testbenches/unit/cu/programs.h"

namespace archipelago::cu::test {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

class CuTiming : public ::testing::Test {
  protected:
    void make(Latencies latency = {}) {
        bench = std::make_unique<CuBench>(spec, latency);
        bench->core.observe({&trace, &log, 1}, "cu3");
    }
    void run(const std::vector<uint32_t>& program, unsigned waves = 1) {
        if (bench == nullptr)
            make();
        bench->load(program);
        for (unsigned i = 0; i < waves; ++i)
            bench->launch(make_launch(waves, i));
        bench->run();
        ASSERT_EQ(bench->spi.ended.size(), waves);
    }
    // In slot 0. A second, sleeping wave on the SIMD hides the cost of fetching two-dword
    // instructions.
    void run_beside_a_sleeper(const std::vector<uint32_t>& program) {
        make();
        bench->load(program);
        bench->load({0xbf8e0007, 0xbf8e0007, 0xbf8e0007, 0xbf810000}, kCode + 0x800);
        WaveLaunch sleeper = make_launch(1, 0, 1);
        sleeper.slot = 1;
        sleeper.pc = kCode + 0x800;
        bench->launch(sleeper);
        bench->launch(make_launch(), 8);
        bench->run();
        ASSERT_EQ(bench->spi.ended.size(), 2u);
    }
    const Counters& counters() const { return bench->core.state().counters; }
    Cycle turn_at_or_after(Cycle at, unsigned simd = 0) const {
        while (at % spec.simds != simd)
            ++at;
        return at;
    }
    CuSpec spec;
    IssueLog log;
    SliceTrace trace;
    std::unique_ptr<CuBench> bench;
};

TEST_F(CuTiming, DependentVectorInstructionsIssueEveryFourCycles) {
    run(kValuChain);
    EXPECT_EQ(log.gaps().size(), 16u);
    EXPECT_THAT(log.gaps(), Each(4u));
}

TEST_F(CuTiming, TranscendentalsTakeSixteenCycles) {
    run(kTransChain);
    auto gaps = log.gaps();
    EXPECT_EQ(gaps.size(), 8u);
    EXPECT_THAT(gaps, Each(16u));
}

TEST_F(CuTiming, RatesComeFromTheSpec) {
    spec.rate_cycles[static_cast<unsigned>(isa::Rate::Trans)] = 64;
    run(kTransChain);
    EXPECT_THAT(log.gaps(), Each(64u));
}

TEST_F(CuTiming, OneWavePerSimdReachesTheFullVectorRate) {
    run(kValuChain, 4);
    for (unsigned simd = 0; simd < 4; ++simd)
        EXPECT_THAT(log.gaps(simd), Each(4u));
    EXPECT_EQ(counters().valu_busy_cycles, 4u * 16 * 4);
}

TEST_F(CuTiming, TwoWavesShareTheVectorUnitOfTheirSimd) {
    bench = nullptr;
    make();
    bench->load(kValuChain);
    WaveLaunch a = make_launch();
    WaveLaunch b = make_launch(1, 0, 1);
    b.slot = 1;
    bench->launch(a);
    bench->launch(b);
    bench->run();
    std::vector<Cycle> all;
    for (const auto& e : log.entries)
        if (e.text.rfind("v_add", 0) == 0)
            all.push_back(e.at);
    ASSERT_EQ(all.size(), 32u);
    for (size_t i = 1; i < all.size(); ++i)
        EXPECT_EQ(all[i] - all[i - 1], 4u);
    EXPECT_GT(counters().wave_cycles[static_cast<unsigned>(WaveTime::ValuBusy)] +
                  counters().wave_cycles[static_cast<unsigned>(WaveTime::Arbitration)],
              0u);
}

TEST_F(CuTiming, ScalarAndVectorInstructionsOfTwoWavesIssueTogether) {
    make();
    bench->load(kValuChain);
    bench->load(kLoop, kCode + 0x800);
    WaveLaunch b = make_launch(1, 0, 1);
    b.slot = 1;
    b.pc = kCode + 0x800;
    b.sgpr_init[4] = 10;
    bench->launch(make_launch());
    bench->launch(b);
    bench->run();
    bool together = false;
    for (size_t i = 1; i < log.entries.size(); ++i)
        together |= log.entries[i].at == log.entries[i - 1].at;
    EXPECT_TRUE(together);
}

TEST_F(CuTiming, AnIssueWidthOfOneLetsOnlyOneWaveOfASimdIssuePerTurn) {
    spec.issue_width = 1;
    make();
    bench->load(kValuChain);
    bench->load(kLoop, kCode + 0x800);
    WaveLaunch b = make_launch(1, 0, 1);
    b.slot = 1;
    b.pc = kCode + 0x800;
    b.sgpr_init[4] = 10;
    bench->launch(make_launch());
    bench->launch(b);
    bench->run();
    for (size_t i = 1; i < log.entries.size(); ++i)
        if (log.entries[i].at == log.entries[i - 1].at) {
            EXPECT_TRUE(log.entries[i].text == "s_endpgm" || log.entries[i - 1].text == "s_endpgm");
        }
}

TEST_F(CuTiming, ATakenBranchCostsSixteenCyclesAndOneNotTakenFour) {
    make();
    bench->load(kLoop);
    WaveLaunch l = make_launch();
    l.sgpr_init[4] = 3;
    bench->launch(l);
    bench->run();
    // s_cmp, and four more until the branch tests what it wrote.
    EXPECT_THAT(log.gaps(), ElementsAre(4, 8, 16, 4, 8, 16, 4, 8, 4));
    EXPECT_EQ(counters().work.branches_taken, 2u);
}

TEST_F(CuTiming, ABranchToTheNextInstructionIsTaken) {
    run({0xbf820000,    // s_branch 0
         0xbf860000,    // s_cbranch_vccz 0
         0xbf810000});  // s_endpgm
    EXPECT_THAT(log.gaps(), ElementsAre(16, 16));
    EXPECT_EQ(counters().work.branches_taken, 0u) << "the program counter moves on as ever";
}

TEST_F(CuTiming, AForwardJumpLateIntoABlockPaysWhenTheWaveIsAlone) {
    constexpr uint32_t kNop = 0xbf800000;
    for (uint32_t dword = 1; dword < 8; ++dword) {
        SCOPED_TRACE(dword);
        bench = nullptr;
        log.entries.clear();
        std::vector<uint32_t> program(16, kNop);
        program[0] = 0xbf820007 + dword;  // s_branch, to dword of the next block
        program.resize(8 + dword + 1, kNop);
        program.push_back(0xbf810000);  // s_endpgm
        run(program);
        EXPECT_EQ(log.gaps()[0], 16u + (dword > 4 ? 4 * (dword - 4) : 0));
        bench = nullptr;
        log.entries.clear();
        run_beside_a_sleeper(program);
        EXPECT_EQ(log.gaps()[0], 16u);
    }
}

TEST_F(CuTiming, ATakenBranchWaitsForASlowInstructionCache) {
    make({30, 10, 20});
    bench->load(kLoop);
    WaveLaunch l = make_launch();
    l.sgpr_init[4] = 2;
    bench->launch(l);
    bench->run();
    const auto gaps = log.gaps();
    // Request and response links, and the cache itself.
    const Cycle round_trip = 1 + 30 + spec.fetch_in.latency;
    EXPECT_EQ(gaps[2], turn_at_or_after(round_trip));
    EXPECT_GT(counters().wave_cycles[static_cast<unsigned>(WaveTime::Fetch)], 0u);
}

// AMD's worked example (gcn.ifelse.div of testbenches/timing/truth.yaml): a divergent if/else takes
// 36 cycles, and four more for the branch on EXECZ right after the change of EXEC. The code starts
// at dword 5 of a fetch block, where its branches pay nothing for fetching.
TEST_F(CuTiming, ADivergentIfElseTakesFortyCycles) {
    const uint64_t start = kCode + 20;
    make();
    bench->load(kIfElse, start);
    WaveLaunch l = make_launch();
    l.pc = start;
    bench->launch(l);
    bench->run();
    const auto at = log.cycles();
    ASSERT_EQ(at.size(), 10u);
    EXPECT_EQ(at.back() - at.front(), 36u + spec.branch_status_stall);
}

TEST_F(CuTiming, ABranchRightBehindWhatItTestsWaitsFourCyclesMore) {
    run(kBranchStatus);
    // The last branch is at dword 6 of its block.
    EXPECT_THAT(log.gaps(), ElementsAre(8, 4, 8, 4, 4, 4, 4 + 3 * 4));
}

TEST_F(CuTiming, SaveexecAndSetregTakeEightCycles) {
    run(kLongScalar);
    EXPECT_THAT(log.gaps(), ElementsAre(8, 8, 8));
}

TEST_F(CuTiming, AScalarReadOfACarryWaitsSixteenCycles) {
    run(kCarryToScalar);
    EXPECT_EQ(log.gaps()[0], 4u + 16);
}

TEST_F(CuTiming, AScalarReadOfAComparisonDoesNotWait) {
    run(kCompareToScalar);
    EXPECT_EQ(log.gaps()[0], 4u);
}

TEST_F(CuTiming, AScalarReadOfAComparisonWaitsWhenTheSpecSaysSo) {
    spec.compare_to_salu_stall = 8;
    run(kCompareToScalar);
    EXPECT_EQ(log.gaps()[0], 4u + 8);
}

TEST_F(CuTiming, AScalarReadOfSomethingElseDoesNotWaitForTheCarry) {
    run(kCarryToOther);
    EXPECT_EQ(log.gaps()[0], 4u);
}

TEST_F(CuTiming, TwoDwordInstructionsLateInTheirBlockPayWhenTheWaveIsAlone) {
    run(kTwoDwordChain);
    EXPECT_THAT(log.gaps(), ElementsAre(4, 8, 8, 4));
}

// Truth table gcn.ifetch_2dw_long: of n cycles, more than four, the last n / 4 dwords are free.
TEST_F(CuTiming, LongTwoDwordInstructionsPayNothingLateInTheirBlock) {
    struct Row {
        std::vector<uint32_t> words;
        unsigned cycles;
    };
    const Row rows[] = {
        {{0xd2c80002, 0x00020502}, 8},                       // v_add_f64 v[2:3], v[2:3], v[2:3]
        {{0xd2980002, 0x040a0502}, 16},                      // v_fma_f64 v[2:3], v[2:3], ...
        {{0xd2d20001, 0x00020301}, 16},                      // v_mul_lo_u32 v1, v1, v1
        {{0xe0301000, 0x80000201}, spec.load_issue_cycles},  // buffer_load_dword v2, v1, ...
        {{0xe0381000, 0x80000201}, spec.load_wide_issue_cycles},  // buffer_load_dwordx4
        {{0xe0701000, 0x80000201}, spec.store_issue_cycles},      // buffer_store_dword
        {{0xd8d80000, 0x02000001}, 4},                            // ds_read_b32 v2, v1
        {{0xd9d80000, 0x02000001}, 8},                            // ds_read_b64 v[2:3], v1
    };
    for (const Row& row : rows) {
        for (unsigned dword = 1; dword < 8; ++dword) {
            SCOPED_TRACE(testing::Message() << std::hex << row.words[0] << " at " << dword);
            bench = nullptr;
            log.entries.clear();
            std::vector<uint32_t> program = {0x7e020280};  // v_mov_b32 v1, 0
            program.resize(dword, 0x7e0a0280);             // v_mov_b32 v5, 0
            program.insert(program.end(), row.words.begin(), row.words.end());
            program.push_back(0xbf810000);  // s_endpgm
            run(program);
            const bool free = dword < 3 || (row.cycles > 4 && dword >= 8 - row.cycles / 4);
            const std::vector<Cycle> gaps = log.gaps();
            EXPECT_EQ(gaps[dword - 1], 4u + (free ? 0 : 4));
            EXPECT_EQ(gaps[dword], row.cycles);
        }
    }
}

TEST_F(CuTiming, TwoDwordInstructionsBehindALongOnePayNothingInTheMiddleOfTheirBlock) {
    for (unsigned dword = 0; dword < 5; ++dword) {
        SCOPED_TRACE(dword);
        bench = nullptr;
        log.entries.clear();
        std::vector<uint32_t> program(dword, 0x7e0a0280);                     // v_mov_b32 v5, 0
        program.insert(program.end(), {0xd2d20001, 0x00020301,                // v_mul_lo_u32
                                       0x060202ff, 0x3f900000, 0xbf810000});  // v_add_f32; s_endpgm
        run(program);
        const unsigned wait = dword == 3 ? 4 : 0;  // of the first: at dword 3
        EXPECT_EQ(log.cycles()[dword], log.cycles()[0] + 4 * dword + wait);
        EXPECT_EQ(log.gaps()[dword], 16u + (dword + 2 > 4 ? 4 : 0));
    }
}

TEST_F(CuTiming, TwoDwordInstructionsPayNothingBesideAnotherWave) {
    spec.rate_cycles[static_cast<unsigned>(isa::Rate::Full)] = 4;
    make();
    bench->load(kTwoDwordChain);
    bench->load({0xbf8e0007, 0xbf8e0007, 0xbf810000}, kCode + 0x800);  // s_sleep 7, twice
    WaveLaunch b = make_launch(1, 0, 1);
    b.slot = 1;
    b.pc = kCode + 0x800;
    bench->launch(b);
    bench->launch(make_launch(), 8);
    bench->run();
    EXPECT_THAT(log.gaps(0, 0), Each(4u));
}

TEST_F(CuTiming, WaitStatesAndSleepTakeTheirTime) {
    run(kSetPriority);
    EXPECT_THAT(log.gaps(), ElementsAre(4, 8 * 4, 2 * 64));
    // Until s_endpgm, that is the time of s_sleep.
    EXPECT_EQ(counters().wave_cycles[static_cast<unsigned>(WaveTime::Sleep)], 2u * 64);
}

TEST_F(CuTiming, TheHigherPriorityIssuesFirst) {
    make();
    bench->load(kValuChain);
    WaveLaunch low = make_launch();
    WaveLaunch high = make_launch(1, 0, 1);
    high.slot = 1;
    high.priority = 2;
    bench->launch(low);
    bench->launch(high);
    bench->run();
    // The older, low one gets a few turns while the other is fetched; then it has to wait.
    EXPECT_LT(log.cycles(0, 1).back(), log.cycles(0, 0).back());
    EXPECT_THAT(log.gaps(0, 1), Each(4u));
}

TEST_F(CuTiming, AnUnloadedLoadTakesTheSumOfItsStages) {
    run(kLoadAddStore);
    const auto at = log.cycles();
    const Cycle load = at[1];
    const Cycle last_request = load + spec.ta_latency + 3 * spec.ta_load_quarter_cycles;
    const Cycle last_response = last_request + 1 + 20 + spec.mem_in.latency;
    const Cycle counted = last_response + 256 / spec.td_bytes_per_cycle + spec.td_latency;
    EXPECT_EQ(at[3], turn_at_or_after(counted));
    EXPECT_EQ(bench->l1.seen_at[0], load + spec.ta_latency + 1);
}

TEST_F(CuTiming, MemoryInstructionsHoldTheirWaveForTheirIssueCost) {
    run(kLoadTwo);
    EXPECT_EQ(log.gaps()[1], spec.load_issue_cycles + spec.fetch_two_dword_penalty);
    log.entries.clear();
    bench = nullptr;
    run(kBytes);
    EXPECT_EQ(log.gaps().at(7), spec.store_issue_cycles);
}

// Truth table gcn.mubuf.issue: the way to the address unit delays no stream of loads.
TEST_F(CuTiming, AStreamOfLoadsIssuesEveryEightCycles) {
    spec.ta_latency = 16;
    std::vector<uint32_t> program = {0x34020082, 0xbf800000};  // v_lshlrev_b32 v1, 2, v0; s_nop 0
    for (unsigned i = 0; i < 12; ++i)  // buffer_load_dword v2, v1, s[0:3], 0 offen
        program.insert(program.end(), {0xe0301000, 0x80000201});
    program.push_back(0xbf810000);  // s_endpgm
    run_beside_a_sleeper(program);
    const std::vector<Cycle> gaps = log.gaps();
    ASSERT_EQ(gaps.size(), 14u);
    EXPECT_THAT(std::vector<Cycle>(gaps.begin() + 2, gaps.end()), Each(8u));
}

TEST_F(CuTiming, WaitingForOneOfTwoLoadsEndsBeforeTheSecondReturns) {
    make({2, 10, 200});
    run(kLoadTwo);
    const auto at = log.cycles();
    EXPECT_LT(at[4], at[6]);  // the add after vmcnt(1), the add after vmcnt(0)
    EXPECT_GE(at[6] - at[4], 4u);
}

// Truth table gcn.lds.*: eight conflict-free reads of one dword take two cycles each in the unit,
// four of the wave.
TEST_F(CuTiming, ConflictFreeReadsIssueEveryFourCycles) {
    make();
    bench->load(kLdsStride);
    WaveLaunch l = make_launch();
    l.sgpr_init[4] = 4;
    bench->launch(l);
    bench->run();
    const auto at = log.cycles();
    // Reads start at dword 3 of a block, two dwords each: some pay for the fetch as well.
    for (size_t i = 3; i < 10; ++i)
        EXPECT_EQ((at[i] - at[i - 1]) % 4, 0u);
    EXPECT_EQ(counters().lds_busy_cycles, 8u * 2);
    EXPECT_EQ(counters().lds_conflict_cycles, 0u);
    EXPECT_EQ(counters().lds_bank_cycles, 8u * 2);
}

TEST_F(CuTiming, HalfTheBanksTakeTwiceTheCycles) {
    spec.lds_banks = 16;
    make();
    bench->load(kLdsStride);
    WaveLaunch l = make_launch();
    l.sgpr_init[4] = 4;
    bench->launch(l);
    bench->run();
    EXPECT_EQ(counters().lds_busy_cycles, 8u * 4);
    EXPECT_EQ(counters().lds_conflict_cycles, 0u);
}

// Issue cycles of a wave and cycles in the unit, each instruction without conflicts:
// gcn.lds.ds_read_b32, ds_read_b64, ds_write_b32, ds_add_u32, ds_read2_b32, ds_read2_b64,
// ds_add_u64, ds_wrxchg2_rtn_b32 of testbenches/timing/truth.yaml.
TEST_F(CuTiming, DsInstructionsTakeTheirMeasuredCycles) {
    struct Row {
        const char* name;
        uint32_t words[2];
        unsigned issue, service;
    };
    const Row rows[] = {
        {"ds_read_b32 v4, v1", {0xd8d80000, 0x04000001}, 4, 2},
        {"ds_read_b64 v[4:5], v1", {0xd9d80000, 0x04000001}, 8, 4},
        {"ds_write_b32 v1, v4", {0xd8340000, 0x00000401}, 8, 4},
        {"ds_add_u32 v1, v4", {0xd8000000, 0x00000401}, 8, 4},
        {"ds_read2_b32 v[4:5], v1 offset1:1", {0xd8dc0100, 0x04000001}, 8, 4},
        {"ds_read2_b64 v[4:7], v1 offset1:1", {0xd9dc0100, 0x04000001}, 16, 8},
        {"ds_add_u64 v1, v[4:5]", {0xd9000000, 0x00000401}, 12, 6},
        {"ds_wrxchg2_rtn_b32 v[4:5], v1, v6, v7", {0xd8b80000, 0x04070601}, 12, 6},
    };
    for (const Row& row : rows) {
        SCOPED_TRACE(row.name);
        bench = nullptr;
        log.entries.clear();
        std::vector<uint32_t> program = {0xbefc03c1, 0xbf800000};  // s_mov_b32 m0, -1; s_nop 0
        for (unsigned i = 0; i < 6; ++i)
            program.insert(program.end(), row.words, row.words + 2);
        program.push_back(0xbf8c0000);  // s_waitcnt 0
        program.push_back(0xbf810000);
        run_beside_a_sleeper(program);
        const auto at = log.cycles(0, 0);
        ASSERT_EQ(at.size(), 10u);
        EXPECT_EQ(log.entries[3].text.substr(0, 8), std::string(row.name).substr(0, 8));
        for (size_t i = 3; i < 8; ++i)
            EXPECT_EQ(at[i] - at[i - 1], row.issue);
        EXPECT_EQ(counters().lds_busy_cycles, 6u * row.service);
    }
}

TEST_F(CuTiming, AllLanesInOneBankTakeSixtyFourCycles) {
    make();
    bench->load(kLdsStride);
    WaveLaunch l = make_launch();
    l.sgpr_init[4] = 128;
    l.lds_base = 0;
    l.lds_bytes = 16384;
    bench->launch(l);
    bench->run();
    const auto at = log.cycles();
    EXPECT_EQ(counters().lds_busy_cycles, 8u * 64);
    EXPECT_EQ(counters().lds_conflict_cycles, 8u * 62);
    // s_endpgm issues once the last read has been served.
    const Cycle first = at[2];
    EXPECT_EQ(at.back(), turn_at_or_after(first + 8 * 64 + spec.lds_latency));
    EXPECT_GT(counters().wave_cycles[static_cast<unsigned>(WaveTime::LdsFull)], 0u);
}

TEST_F(CuTiming, ScalarTimeReadsDifferByTheCyclesBetween) {
    run(kTimed64);
    const auto at = log.cycles();
    // s_memtime, s_waitcnt, s_nop, s_memtime: each value is read a fixed time after its issue.
    const Cycle between = at[3] - at[0];
    EXPECT_EQ(at[3] - at[1], turn_at_or_after(spec.memtime_cycles) - 4 + 4);
    EXPECT_EQ(between, 4 + at[3] - at[1]);
}

TEST_F(CuTiming, ABarrierEndsAFixedTimeAfterTheLastArrival) {
    make();
    bench->load(kUnevenBarrier);
    for (unsigned i = 0; i < 2; ++i) {
        WaveLaunch l = make_launch(2, i);
        l.sgpr_init[5] = i;
        bench->launch(l);
    }
    bench->run();
    Cycle last_arrival = 0;
    std::vector<Cycle> after;
    for (const auto& e : log.entries) {
        if (e.text == "s_barrier")
            last_arrival = std::max(last_arrival, e.at);
        if (e.text.rfind("s_memtime", 0) == 0)
            after.push_back(e.at);
    }
    ASSERT_EQ(after.size(), 2u);
    for (unsigned simd = 0; simd < 2; ++simd)
        EXPECT_EQ(log.cycles(simd)[log.cycles(simd).size() - 6],
                  turn_at_or_after(last_arrival + spec.barrier_cycles, simd));
    EXPECT_GT(counters().wave_cycles[static_cast<unsigned>(WaveTime::Barrier)], 100u);
}

TEST_F(CuTiming, EveryCycleOfAWavesLifeIsCountedOnce) {
    for (const auto* program : {&kReduce, &kLoadAddStore, &kBytes, &kScalarLoads, &kSetPriority,
                                &kValuChain, &kAtomicSame, &kLdsStride}) {
        bench = nullptr;
        trace = SliceTrace{};
        make();
        bench->load(*program);
        for (unsigned i = 0; i < 4; ++i) {
            WaveLaunch l = make_launch(4, i);
            l.sgpr_init[4] = program == &kScalarLoads ? kData : 0;
            l.sgpr_init[6] = 0x8000;
            bench->launch(l, i * 7);
        }
        bench->run();
        Cycle counted = 0;
        for (const uint64_t cycles : counters().wave_cycles)
            counted += cycles;
        EXPECT_EQ(trace.slices.size(), 4u);
        EXPECT_EQ(counted, trace.total);
    }
}

TEST_F(CuTiming, TheTimelineNamesTheWaves) {
    run(kValuChain, 2);
    EXPECT_THAT(trace.slices, UnorderedElementsAre("cu3.simd0.slot0: group 0 w 0",
                                                   "cu3.simd1.slot0: group 0 w 1"));
}

TEST_F(CuTiming, TheUnitIsBusyFromTheFirstLaunchToTheLastEnd) {
    run(kValuChain);
    EXPECT_EQ(counters().busy_cycles, trace.total);
    EXPECT_EQ(counters().issue_cycles, 17u);
}

}  // namespace
}  // namespace archipelago::cu::test
