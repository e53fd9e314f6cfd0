// SPDX-License-Identifier: Apache-2.0
#include "models/report/gap_totals.h"

#include <gtest/gtest.h>

namespace archipelago::report {
namespace {

using asic::GapReason;

uint64_t of(const GapCycles& reasons, GapReason reason) {
    return reasons[static_cast<size_t>(reason)];
}

// Two kernels: 0x100 three times, 0x200 once; cycles 5 to 101 count.
asic::Attribution run() {
    asic::Attribution a;
    for (const uint64_t program : {0x100, 0x100, 0x200, 0x100}) {
        a.dispatches.emplace_back();
        a.dispatches.back().record.program = program;
    }
    a.gaps = {{0, 0, 10, "", GapReason::Host},
              {0, 10, 14, "DISPATCH_DIRECT", GapReason::Launch},
              {1, 20, 26, "SET_SH_REG", GapReason::Packet},
              {1, 26, 30, "DISPATCH_DIRECT", GapReason::Launch},
              {3, 40, 50, "SET_SH_REG", GapReason::Packet},
              {4, 90, 105, "", GapReason::Fence}};
    return a;
}

TEST(GapTotals, AddUpByKernelWithTheLeastAndTheMost) {
    const GapTotals totals = gap_totals(run(), 5, 97, nullptr);
    EXPECT_EQ(totals.before_first, 9u);
    EXPECT_EQ(totals.after_last, 12u);
    ASSERT_EQ(totals.kernels.size(), 2u);
    EXPECT_EQ(totals.kernels[0].name, "0x100");
    EXPECT_EQ(totals.kernels[0].dispatches, 2u);  // but for the first of the run
    EXPECT_EQ(totals.kernels[0].cycles, 20u);
    EXPECT_EQ(totals.kernels[0].least, 10u);
    EXPECT_EQ(totals.kernels[0].most, 10u);
    EXPECT_EQ(of(totals.kernels[0].reasons, GapReason::Packet), 16u);
    EXPECT_EQ(totals.kernels[1].cycles, 0u);  // it began before the one before it had ended
}

TEST(GapTotals, AddUpByReasonAndByPacketWithoutTheHostsPreparation) {
    const GapTotals totals = gap_totals(run(), 5, 97, nullptr);
    EXPECT_EQ(of(totals.reasons, GapReason::Host), 5u);
    EXPECT_EQ(of(totals.reasons, GapReason::Launch), 8u);
    ASSERT_EQ(totals.packets.size(), 4u);
    EXPECT_EQ(totals.packets[0].packet, "SET_SH_REG");
    EXPECT_EQ(totals.packets[0].cycles, 16u);
    EXPECT_EQ(totals.packets[1].reason, GapReason::Fence);
}

TEST(GapTotals, AreNoneWithoutGaps) {
    EXPECT_TRUE(gap_totals({}, 0, 100, nullptr).kernels.empty());
}

}  // namespace
}  // namespace archipelago::report
