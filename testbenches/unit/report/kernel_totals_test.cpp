// SPDX-License-Identifier: Apache-2.0
#include "models/report/kernel_totals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

namespace archipelago::report {
namespace {

using testing::ElementsAre;
using testing::Pointwise;
using testing::StrEq;

class Names : public Programs {
  public:
    std::string name(uint64_t program) const override { return program == 0x100 ? "saxpy" : ""; }
    std::optional<SourceLine> source(uint64_t, uint64_t) const override { return {}; }
};

// Two compute units of a chip of 1 GHz that does 10 bytes a cycle at each level, and on which 4
// SIMDs issue.
asic::Attribution chip() {
    asic::Attribution a;
    a.period_fs = 1'000'000;
    a.compute_units = 2;
    a.ceilings.valu_cycles = 4e9;
    a.ceilings.lds_bytes = a.ceilings.l1_bytes = a.ceilings.l2_bytes = a.ceilings.dram_bytes = 1e10;
    return a;
}

asic::DispatchProfile dispatch(uint64_t program, Cycle start, Cycle end, uint64_t waves = 2) {
    asic::DispatchProfile d;
    d.record.program = program;
    d.record.start = start;
    d.record.end = end;
    d.record.work.waves = waves;
    d.record.work.life = waves * (end - start);
    d.most_waves = 1;
    d.limits = {"VGPRs"};
    return d;
}

void charge(asic::DispatchProfile& d, cu::WaveReason reason, uint64_t cycles) {
    d.record.work.cycles[cu::index_of(reason)] += cycles;
}

TEST(KernelTotals, AddUpTheDispatchesOfAKernelAndTheLongestComesFirst) {
    asic::Attribution a = chip();
    a.dispatches = {dispatch(0x200, 0, 50), dispatch(0x100, 60, 160), dispatch(0x100, 200, 240)};
    const Names names;
    const std::vector<KernelTotal> totals = kernel_totals(a, &names);
    ASSERT_EQ(totals.size(), 2u);
    EXPECT_EQ(totals[0].name, "saxpy");
    EXPECT_EQ(totals[0].stage, "cs");
    EXPECT_EQ(totals[0].dispatches, 2u);
    EXPECT_EQ(totals[0].cycles, 140u);
    EXPECT_EQ(totals[0].least, 40u);
    EXPECT_EQ(totals[0].most, 100u);
    EXPECT_EQ(totals[0].work.waves, 4u);
    EXPECT_DOUBLE_EQ(totals[0].waves_per_cu, 1.0);
    EXPECT_THAT(totals[0].limits, ElementsAre("VGPRs"));
    EXPECT_EQ(totals[1].name, "0x200");
}

TEST(KernelTotals, BeginWithTheDispatchThatIsAskedFor) {
    asic::Attribution a = chip();
    a.dispatches = {dispatch(0x200, 0, 50), dispatch(0x100, 60, 160)};
    EXPECT_EQ(kernel_totals(a, nullptr, 1).size(), 1u);
    EXPECT_EQ(kernel_cycles(a, 1), 100u);
    EXPECT_EQ(kernel_cycles(a), 150u);
}

TEST(KernelTotals, DivideWhatWavesDidByCyclesInWhichSomeDispatchRan) {
    asic::Attribution a = chip();
    a.dispatches = {dispatch(0x100, 0, 100), dispatch(0x100, 20, 60), dispatch(0x100, 90, 130)};
    charge(a.dispatches[0], cu::WaveReason::IssueValu, 260);
    const KernelTotal total = kernel_totals(a, nullptr).at(0);
    EXPECT_EQ(total.cycles, 180u);
    EXPECT_EQ(total.busy, 130u);
    EXPECT_DOUBLE_EQ(total.of_peak[static_cast<size_t>(Peak::Alu)], 0.5);
    EXPECT_DOUBLE_EQ(total.waves_per_cu, 2.0 * 180 / (130 * 2));
}

TEST(KernelTotals, CountCyclesWithSeveralDispatchesOnce) {
    asic::Attribution a = chip();
    a.dispatches = {dispatch(0x100, 0, 100), dispatch(0x200, 20, 60), dispatch(0x300, 90, 130)};
    EXPECT_EQ(kernel_cycles(a), 130u);
}

TEST(KernelTotals, AreBoundByTheResourceNearestItsPeak) {
    asic::Attribution a = chip();
    a.dispatches = {dispatch(0x100, 0, 100)};
    asic::DispatchProfile& d = a.dispatches[0];
    d.before.dram_read = {100, 0};
    d.after.dram_read = {500, 300};  // 700 bytes of 1000
    d.before.dram_written = d.after.dram_written = {0, 0};
    d.after.l2.bytes = 650;
    charge(d, cu::WaveReason::IssueValu, 80);  // of 400
    charge(d, cu::WaveReason::WaitVm, 120);
    const KernelTotal k = kernel_totals(a, nullptr)[0];
    EXPECT_THAT(k.of_peak, Pointwise(testing::DoubleEq(), {0.2, 0.0, 0.0, 0.65, 0.7}));
    EXPECT_TRUE(k.near_peak);
    EXPECT_THAT(k.bound_by, StrEq("DRAM"));
    EXPECT_DOUBLE_EQ(k.share, 0.7);
}

TEST(KernelTotals, AreBoundByWhatWavesSpendMostCyclesOnWhenNothingIsNearItsPeak) {
    asic::Attribution a = chip();
    a.dispatches = {dispatch(0x100, 0, 100)};
    asic::DispatchProfile& d = a.dispatches[0];
    charge(d, cu::WaveReason::IssueValu, 90);
    charge(d, cu::WaveReason::WaitVm, 60);
    charge(d, cu::WaveReason::Drain, 50);  // of stores: memory, too
    const KernelTotal k = kernel_totals(a, nullptr)[0];
    EXPECT_FALSE(k.near_peak);
    EXPECT_THAT(k.bound_by, StrEq("waits for memory"));
    EXPECT_DOUBLE_EQ(k.share, 110.0 / 200);
}

TEST(KernelTotals, SayThatADispatchHasTooFewWavesForAllUnits) {
    asic::Attribution a = chip();
    a.dispatches = {dispatch(0x100, 0, 100, 1)};
    EXPECT_THAT(kernel_totals(a, nullptr)[0].limits, ElementsAre("dispatch"));
}

TEST(KernelTotals, OfADispatchThatHasJustBegunHaveNoShares) {
    asic::Attribution a = chip();
    a.dispatches = {dispatch(0x100, 70, 70)};
    const KernelTotal k = kernel_totals(a, nullptr)[0];
    EXPECT_EQ(k.cycles, 0u);
    EXPECT_EQ(k.share, 0);
}

TEST(KernelTotals, CountFromZeroWhenCountersWereResetMeanwhile) {
    asic::Attribution a = chip();
    a.dispatches = {dispatch(0x100, 0, 100)};
    a.dispatches[0].before.l1.bytes = 5000;
    a.dispatches[0].after.l1.bytes = 300;
    EXPECT_EQ(kernel_totals(a, nullptr)[0].l1.bytes, 300u);
}

}  // namespace
}  // namespace archipelago::report
