// SPDX-License-Identifier: Apache-2.0
// Every cycle of a wave is charged to one reason, one dispatch and one instruction.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstdlib>
#include <cstring>
#include <numeric>

#include "models/cu/isa/assemble.h"
#include "models/cu/pipeline/cu_peak.h"
#include "testbenches/unit/cu/cu_bench.h"
#include "testbenches/unit/cu/issue_log.h"
#include "testbenches/unit/cu/programs.h"
#include "testbenches/unit/cu/structured_program.h"

namespace archipelago::cu::test {
namespace {

uint64_t sum(const std::array<uint64_t, kWaveReasons>& cycles) {
    return std::accumulate(cycles.begin(), cycles.end(), uint64_t{0});
}

// A group of each of some dispatches.
struct Dispatches {
    explicit Dispatches(const std::vector<uint32_t>& program, unsigned waves = 4,
                        unsigned dispatches = 2, bool profile = true) {
        ledger = std::make_shared<WaveLedger>();
        if (profile)
            ledger->profile();
        bench.core.use_ledger(ledger);
        bench.load(program);
        for (unsigned d = 0; d < dispatches; ++d)
            for (unsigned i = 0; i < waves; ++i) {
                WaveLaunch l = make_launch(waves, i, d);
                l.dispatch = d + 1;
                l.sgpr_init[4] = 12;
                bench.launch(l, 50 * d + 7 * i);
            }
    }
    uint64_t of(WaveReason why) const {
        uint64_t cycles = 0;
        for (const DispatchRecord& r : ledger->records())
            cycles += r.work.cycles[index_of(why)];
        return cycles;
    }
    const Counters& counters() const { return bench.core.state().counters; }

    std::shared_ptr<WaveLedger> ledger;
    CuBench bench;
};

// As far as `now`, ended or not: what the ledger has and what is still in the unit.
testing::AssertionResult exact(const Dispatches& run, Cycle now) {
    std::vector<WaveWork> parts;
    for (const DispatchRecord& r : run.ledger->records())
        parts.push_back(r.work);
    for (const OpenDispatch& open : run.bench.core.resident_work(now))
        parts.push_back(open.work);
    WaveWork all;
    for (const WaveWork& work : parts) {
        if (sum(work.cycles) != work.life)
            return testing::AssertionFailure() << "in cycle " << now << " reasons of "
                                               << sum(work.cycles) << " cycles, life " << work.life;
        all.add(work);
    }
    if (all.instructions != run.counters().work.instructions ||
        all.valu_lanes != run.counters().work.valu_lanes)
        return testing::AssertionFailure() << "in cycle " << now << " instructions are missing";
    return testing::AssertionSuccess();
}

class Attribution : public testing::Test {
  protected:
    // The same inputs in every run, unless the environment asks for others.
    static void SetUpTestSuite() { setenv("RC_PARAMS", "seed=22 max_success=60", 0); }
};

TEST_F(Attribution, TheReasonsOfRandomProgramsSumToTheLivesOfTheirWavesWheneverTheyAreRead) {
    EXPECT_TRUE(rc::check([] {
        const StructuredProgram program(*rc::gen::inRange<uint64_t>(1, 100000));
        const unsigned waves = *rc::gen::inRange(1u, 5u);
        const unsigned dispatches = *rc::gen::inRange(1u, 4u);
        Dispatches run(program.words(), waves, dispatches);
        const auto steps =
            *rc::gen::container<std::vector<unsigned>>(3, rc::gen::inRange(1u, 3000u));
        for (const unsigned cycles : steps) {
            run.bench.scheduler.run(run.bench.scheduler.now() + cycles);
            RC_ASSERT(exact(run, run.bench.scheduler.now()));
        }
        run.bench.run();
        RC_ASSERT(exact(run, run.bench.scheduler.now()));
        // The unit's own counters are the same in less detail, and the instructions' in more.
        std::array<uint64_t, kWaveTimes> times{};
        for (const DispatchRecord& r : run.ledger->records())
            for (size_t i = 0; i < kWaveReasons; ++i)
                times[static_cast<size_t>(time_of(static_cast<WaveReason>(i)))] += r.work.cycles[i];
        RC_ASSERT(times == run.counters().wave_cycles);
        std::array<uint64_t, kWaveReasons> of_instructions{};
        uint64_t issues = 0;
        for (const auto& [key, work] : run.ledger->pcs()) {
            issues += work.issues;
            for (size_t i = 0; i < kWaveReasons; ++i)
                of_instructions[i] += work.cycles[i];
        }
        for (size_t i = 0; i < kWaveReasons; ++i)
            RC_ASSERT(of_instructions[i] == run.of(static_cast<WaveReason>(i)));
        const auto& issued = run.counters().work.instructions;
        RC_ASSERT(issues == std::accumulate(issued.begin(), issued.end(), uint64_t{0}));
    }));
}

TEST_F(Attribution, TheSumsHoldInEveryCycleOfABarrier) {
    Dispatches run(kReduce);
    for (Cycle now = 0; run.counters().waves_ended < 8; ++now) {
        run.bench.scheduler.run(now);
        ASSERT_TRUE(exact(run, now));
    }
    EXPECT_GT(run.counters().work.barriers, 0u);
}

TEST_F(Attribution, AWaveLivesFromItsLaunchToItsEndWhateverItIsChargedWith) {
    for (const auto* program : {&kReduce, &kLoadAddStore, &kValuChain, &kAtomicSame, &kLdsStride}) {
        Dispatches run(*program, 3, 2, false);
        const Cycle last = run.bench.run();
        ASSERT_EQ(run.ledger->records().size(), 2u);
        for (const DispatchRecord& r : run.ledger->records()) {
            EXPECT_EQ(r.work.waves, 3u);
            EXPECT_EQ(r.program, kCode);
            EXPECT_EQ(r.units, 0u);
            EXPECT_LE(r.end, last);
            // No wave is alive outside of the dispatch, and one is always.
            EXPECT_LE(r.work.life, 3 * (r.end - r.start));
            EXPECT_GE(r.work.life, r.end - r.start);
        }
    }
}

std::vector<uint32_t> assembled(const std::string& text) {
    const isa::Assembly made = isa::assemble(text);
    EXPECT_TRUE(made.errors.empty());
    std::vector<uint32_t> words(made.bytes.size() / 4);
    std::memcpy(words.data(), made.bytes.data(), made.bytes.size());
    return words;
}

TEST_F(Attribution, ABranchThatWaitsForItsConditionIsChargedWithADependency) {
    Dispatches run(assembled("s_cmp_eq_u32 s0, s0\ns_cbranch_scc0 0\ns_endpgm\n"), 1, 1);
    run.bench.run();
    EXPECT_EQ(run.of(WaveReason::Dependency), run.bench.core.spec().branch_status_stall);
    // The same instructions apart from the condition wait for nothing.
    Dispatches free(assembled("s_cmp_eq_u32 s0, s0\ns_cbranch_execnz 0\ns_endpgm\n"), 1, 1);
    free.bench.run();
    EXPECT_EQ(free.of(WaveReason::Dependency), 0u);
}

TEST_F(Attribution, AScalarInstructionThatReadsWhatAVectorOneWroteIsChargedWithADependency) {
    Dispatches run(assembled("v_readfirstlane_b32 s5, v0\ns_mov_b32 s6, s5\ns_endpgm\n"), 1, 1);
    run.bench.run();
    EXPECT_EQ(run.of(WaveReason::Dependency), run.bench.core.spec().valu_to_salu_stall);
}

TEST_F(Attribution, WhatBankConflictsAddToAWaitIsTheirs) {
    const auto waits = [](const char* shift) {
        Dispatches run(assembled("s_mov_b32 m0, -1\n"
                                 "v_lshlrev_b32_e32 v1, " +
                                 std::string(shift) +
                                 ", v0\n"
                                 "ds_read_b32 v2, v1\n"
                                 "s_waitcnt lgkmcnt(0)\n"
                                 "s_endpgm\n"),
                       1, 1);
        run.bench.run();
        return std::make_pair(run.of(WaveReason::WaitLgkm), run.of(WaveReason::LdsConflict));
    };
    const auto none = waits("2");  // a bank each, twice
    const auto eight = waits("5");
    EXPECT_EQ(none.second, 0u);
    EXPECT_EQ(eight.first, none.first);
    EXPECT_EQ(eight.second, 14u);  // 16 cycles where two do
}

TEST_F(Attribution, FloatingPointOperationsAreCountedByActiveLane) {
    Dispatches run(assembled("v_add_f32_e32 v1, v0, v0\n"
                             "v_mac_f32_e32 v1, v0, v0\n"
                             "v_max_f32_e32 v1, v0, v0\n"
                             "v_rcp_f32_e32 v1, v0\n"
                             "s_mov_b64 exec, 15\n"
                             "v_mul_f64 v[2:3], v[2:3], v[2:3]\n"
                             "v_fma_f64 v[2:3], v[2:3], v[2:3], v[2:3]\n"
                             "s_endpgm\n"),
                   1, 1);
    run.bench.run();
    const WaveWork& work = run.ledger->records().front().work;
    EXPECT_EQ(work.flops[0], 64u + 128u);
    EXPECT_EQ(work.flops[1], 4u + 8u);
}

// What eight waves on every SIMD reach with the instruction, again and again, in a cycle.
struct Rates {
    double f32 = 0, f64 = 0, lds = 0;
};
Rates rates_of(const CuSpec& spec, const std::string& instruction) {
    std::string text = "s_mov_b32 m0, -1\nv_mov_b32_e32 v1, 0\ns_movk_i32 s20, 10\nloop:\n";
    for (unsigned i = 0; i < 40; ++i)
        text += instruction + "\n";
    text += "s_sub_u32 s20, s20, 1\ns_cmp_lg_u32 s20, 0\ns_cbranch_scc1 loop\ns_endpgm\n";
    CuBench bench(spec);
    const auto ledger = std::make_shared<WaveLedger>();
    bench.core.use_ledger(ledger);
    bench.load(assembled(text));
    for (unsigned group = 0; group < 4; ++group)
        for (unsigned i = 0; i < 8; ++i)
            bench.launch(make_launch(8, i, group), 0);
    bench.run();
    Rates rates;
    for (const DispatchRecord& r : ledger->records()) {
        const auto cycles = static_cast<double>(r.end - r.start);
        rates.f32 += static_cast<double>(r.work.flops[0]) / cycles;
        rates.f64 += static_cast<double>(r.work.flops[1]) / cycles;
        rates.lds += static_cast<double>(r.work.lds_bytes) / cycles;
    }
    return rates;
}

TEST_F(Attribution, NothingIsFasterThanThePeakOfTheUnitAndSomethingIsAlmostAsFast) {
    const char* const kInstructions[] = {
        "v_add_f32_e32 v2, v2, v2",
        "v_mac_f32_e32 v2, v2, v2",
        "v_fma_f32 v2, v2, v2, v2",
        "v_add_f64 v[2:3], v[2:3], v[2:3]",
        "v_mul_f64 v[2:3], v[2:3], v[2:3]",
        "v_fma_f64 v[2:3], v[2:3], v[2:3], v[2:3]",
        "ds_read_b32 v2, v1",
        "ds_read2_b64 v[2:5], v1 offset1:1",
        "ds_write_b32 v1, v2",
        "ds_append v2",
        "ds_read_b32 v2, v1 offset:65535",
    };
    const auto rate = [](isa::Rate r) { return static_cast<size_t>(r); };
    std::vector<CuSpec> specs(6);
    specs[1].rate_cycles[rate(isa::Rate::F64Add)] = 4;
    specs[2].rate_cycles[rate(isa::Rate::Full)] = 1;
    specs[3].rate_cycles[rate(isa::Rate::Full)] = 5;
    specs[3].rate_cycles[rate(isa::Rate::Fma32)] = 9;
    specs[4].lds_bank_cycles = 0;
    specs[5].lds_bank_cycles = 3;
    specs[5].lds_operand_cycles = 1;
    for (const CuSpec& spec : specs) {
        const CuPeak peak = peak_of(spec);
        Rates most;
        for (const char* instruction : kInstructions) {
            const Rates rates = rates_of(spec, instruction);
            EXPECT_LE(rates.f32, peak.f32_flops) << instruction;
            EXPECT_LE(rates.f64, peak.f64_flops) << instruction;
            EXPECT_LE(rates.lds, peak.lds_bytes) << instruction;
            most = {std::max(most.f32, rates.f32), std::max(most.f64, rates.f64),
                    std::max(most.lds, rates.lds)};
        }
        EXPECT_GE(most.f32, 0.9 * peak.f32_flops);
        EXPECT_GE(most.f64, 0.9 * peak.f64_flops);
        EXPECT_GE(most.lds, 0.9 * peak.lds_bytes);
    }
    EXPECT_EQ(peak_of(CuSpec()).f32_flops, 128);
    EXPECT_EQ(peak_of(CuSpec()).f64_flops, 32);
    EXPECT_EQ(peak_of(CuSpec()).lds_bytes, 128);
}

TEST_F(Attribution, AWaveAloneWaitsForTheTurnOfItsSimdOnly) {
    const auto arbitration = [](unsigned simds) {
        CuSpec spec;
        spec.simds = simds;
        CuBench bench(spec);
        bench.load(
            assembled("s_mov_b32 m0, -1\nv_mov_b32_e32 v1, 0\nds_read_b32 v2, v1\n"
                      "s_waitcnt lgkmcnt(0)\nv_add_f32_e32 v2, v2, v2\ns_endpgm\n"));
        bench.launch(make_launch());
        bench.run();
        return bench.core.state().counters.wave_cycles[static_cast<size_t>(WaveTime::Arbitration)];
    };
    EXPECT_EQ(arbitration(1), 0u);
    EXPECT_GT(arbitration(4), 0u);
    EXPECT_THAT(kWaveReasonRows[index_of(WaveReason::Arbitration)].meaning,
                testing::HasSubstr("its SIMD's issue slot"));
}

TEST_F(Attribution, AWaitIsChargedToTheInstructionThatWaits) {
    Dispatches run(assembled("buffer_load_dword v1, v0, s[0:3], 0 offen\n"
                             "s_nop 0\n"
                             "s_waitcnt vmcnt(0)\n"
                             "s_endpgm\n"),
                   1, 1);
    run.bench.run();
    const auto& pcs = run.ledger->pcs();
    const PcWork& load = pcs.at({kCode, kCode});
    const PcWork& wait = pcs.at({kCode, kCode + 12});
    EXPECT_EQ(load.issues, 1u);
    EXPECT_EQ(load.cycles[index_of(WaveReason::IssueVmem)],
              run.bench.core.spec().load_issue_cycles);
    EXPECT_EQ(wait.cycles[index_of(WaveReason::WaitVm)], run.of(WaveReason::WaitVm));
    EXPECT_GT(run.of(WaveReason::WaitVm), 0u);
}

TEST_F(Attribution, TheTimelineShowsWhateverAWaveDoesButExecute) {
    for (const auto* program : {&kReduce, &kLoadAddStore, &kValuChain}) {
        SliceTrace trace;
        Dispatches run(*program, 4, 2, false);
        run.bench.core.observe({&trace, nullptr, 1}, "cu3");
        run.bench.run();
        Cycle executing = run.of(WaveReason::Sleep);
        for (unsigned i = 0; i < kClasses; ++i)
            executing += run.of(static_cast<WaveReason>(i));
        EXPECT_EQ(trace.waits, trace.total - executing);
    }
}

}  // namespace
}  // namespace archipelago::cu::test
