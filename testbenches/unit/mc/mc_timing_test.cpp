// SPDX-License-Identifier: Apache-2.0
// Times of the device: commands of one bank and of several, the bus, refresh.
#include <gtest/gtest.h>

#include <algorithm>

#include "testbenches/unit/mc/mc_bench.h"

namespace archipelago::mc {
namespace {

TEST(McCore, ReadOfAClosedBankTakesActivateColumnAndBurst) {
    Bench b;
    b.l2.send(read_of(0), 10);
    const DramTiming t = gddr5();
    const Cycle end = 10 + kAccept + t.rcd_read + t.cl + t.burst + kToStore;
    b.run(end - 1);
    EXPECT_TRUE(b.store.served.empty());
    b.run();
    EXPECT_EQ(b.served(0), end);
    ASSERT_EQ(b.l2.answers.size(), 1u);
    EXPECT_EQ(b.mc.state().count.row_misses, 1u);
}

TEST(McCore, WriteOfAClosedBankTakesItsOwnLatencies) {
    Bench b;
    b.l2.send(write_of(0, {1}), 10);
    const DramTiming t = gddr5();
    b.run();
    EXPECT_EQ(b.served(0), 10 + kAccept + t.rcd_write + t.wl + t.burst + kToStore);
}

TEST(McCore, ReadOfAnOpenRowNeedsNoActivate) {
    Bench b;
    b.l2.send(read_of(at(3, 5)), 0);
    b.l2.send(read_of(at(3, 5, 128)), 500);
    b.run();
    const DramTiming t = gddr5();
    EXPECT_EQ(b.served(1), 500 + kAccept + t.cl + t.burst + kToStore);
    EXPECT_EQ(b.mc.state().count.row_hits, 1u);
    EXPECT_EQ(b.mc.state().count.activates, 1u);
}

TEST(McCore, AnotherRowOfTheBankIsClosedFirst) {
    Bench b;
    b.l2.send(read_of(at(3, 5)), 0);
    b.l2.send(read_of(at(3, 6)), 500);
    b.run();
    const DramTiming t = gddr5();
    EXPECT_EQ(b.served(1), 500 + kAccept + t.rp + t.rcd_read + t.cl + t.burst + kToStore);
    EXPECT_EQ(b.mc.state().count.row_conflicts, 1u);
    EXPECT_EQ(b.mc.state().count.precharges, 1u);
}

TEST(McCore, ARowStaysOpenForRasAndItsBankRestsForRc) {
    DramTiming t = gddr5();
    t.ras = 60;
    t.rc = 90;  // longer than ras + rp
    Bench b(spec_of(t));
    b.l2.send(read_of(at(3, 5)), 0);
    b.l2.send(read_of(at(3, 6)), 1);
    b.run();
    EXPECT_EQ(b.served(1), kAccept + t.rc + t.rcd_read + t.cl + t.burst + kToStore);
    t.rc = 61;
    Bench c(spec_of(t));
    c.l2.send(read_of(at(3, 5)), 0);
    c.l2.send(read_of(at(3, 6)), 1);
    c.run();
    EXPECT_EQ(c.served(1), kAccept + t.ras + t.rp + t.rcd_read + t.cl + t.burst + kToStore);
}

TEST(McCore, AReadIsClosedAfterRtpAtTheEarliest) {
    DramTiming t = gddr5();
    t.rtp = 50;
    Bench b(spec_of(t));
    b.l2.send(read_of(at(3, 5)), 0);
    b.l2.send(read_of(at(3, 6)), 1);
    b.run();
    EXPECT_EQ(b.served(1),
              kAccept + t.rcd_read + t.rtp + t.rp + t.rcd_read + t.cl + t.burst + kToStore);
}

TEST(McCore, AWriteIsRecoveredBeforeItsRowCloses) {
    DramTiming t = gddr5();
    Bench b(spec_of(t));
    b.l2.send(write_of(at(3, 5), {1}), 0);
    b.l2.send(write_of(at(3, 6), {1}), 1);
    b.run();
    EXPECT_EQ(b.served(1), kAccept + t.rcd_write + t.wl + t.burst + t.wr + t.rp + t.rcd_write +
                               t.wl + t.burst + kToStore);
}

TEST(McCore, ActivatesOfTwoBanksAreRrdApart) {
    DramTiming t = gddr5();
    t.rrd = 11;
    Bench b(spec_of(t));
    b.l2.send(read_of(at(0, 0)), 0);
    b.l2.send(read_of(at(1, 0)), 1);
    b.run();
    EXPECT_EQ(b.served(1) - b.served(0), t.rrd);
}

TEST(McCore, FourActivatesFitInTheFawWindow) {
    DramTiming t = gddr5();
    t.faw = 70;
    Bench b(spec_of(t));
    for (unsigned bank = 0; bank < 5; ++bank)
        b.l2.send(read_of(at(bank, 0)), 0);
    b.run();
    EXPECT_EQ(b.served(3) - b.served(0), 3 * t.rrd);
    EXPECT_EQ(b.served(4) - b.served(0), t.faw);
}

TEST(McCore, HitsInDifferentGroupsFillTheBusAndInOneGroupWait) {
    const DramTiming t = gddr5();
    Bench b;
    for (const unsigned bank : {0u, 1u, 4u})
        b.l2.send(read_of(at(bank, 0)), 0);
    b.l2.send(read_of(at(0, 0, 64)), 1000);
    b.l2.send(read_of(at(1, 0, 64)), 1000);
    b.l2.send(read_of(at(0, 0, 128)), 2000);
    b.l2.send(read_of(at(4, 0, 128)), 2000);
    b.run();
    EXPECT_EQ(b.served(4) - b.served(3), t.burst);
    EXPECT_EQ(b.served(6) - b.served(5), t.ccd_long);
}

TEST(McCore, AReadAfterAWriteWaitsForTheTurnaround) {
    const DramTiming t = gddr5();
    Bench b;
    b.l2.send(write_of(at(0, 0), {1}), 0);
    b.l2.send(write_of(at(0, 0, 64), {1}), 1000);
    b.l2.send(read_of(at(0, 0, 128)), 1001);
    b.run();
    EXPECT_EQ(b.served(2) - b.served(1), t.wtr + t.cl + t.burst);
    EXPECT_EQ(b.mc.state().count.turnarounds, 2u);  // to writes at the start, then to reads
}

TEST(McCore, AWriteAfterAReadLeavesTheBusIdleForRtw) {
    const DramTiming t = gddr5();
    Bench b;
    b.l2.send(read_of(at(0, 0)), 0);
    b.l2.send(read_of(at(0, 0, 64)), 1000);
    b.l2.send(write_of(at(0, 0, 128), {1}), 1001);
    b.run();
    EXPECT_EQ(b.served(2) - b.served(1), t.rtw + t.burst);
}

TEST(McCore, RefreshClosesAllBanksAndBlocksForRfc) {
    DramTiming t = gddr5();
    t.refi = 1000;
    McSpec s = spec_of(t);
    Bench b(s);
    // A read every cycle or so keeps the channel busy across the refresh at cycle 1000.
    for (uint32_t i = 0; i < 400; ++i)
        b.l2.send(read_of(at(i % 16, 0, 64 * (i / 16 % 4)), i), 0);
    b.run();
    Cycle gap = 0;
    for (size_t i = 1; i < b.store.served.size(); ++i)
        gap = std::max(gap, b.served(i) - b.served(i - 1));
    EXPECT_GE(gap, t.rp + t.rfc + t.rcd_read);
    EXPECT_LE(gap, t.ras + t.rp + t.rfc + t.rcd_read + 2);
    EXPECT_EQ(b.mc.state().count.refreshes, 1u);
    EXPECT_GE(b.mc.state().count.activates, 32u);
}

TEST(McCore, RefreshesOfIdleTimeAreMadeUpForWithoutWaking) {
    DramTiming t = gddr5();
    t.refi = 1000;
    Bench b(spec_of(t));
    b.l2.send(read_of(at(3, 5)), 0);
    b.l2.send(read_of(at(3, 5, 64)), 50'500);
    b.run(50'000);
    const uint64_t ticks = b.scheduler.ticks();
    EXPECT_LT(ticks, 100u);
    b.run();
    EXPECT_EQ(b.mc.state().count.refreshes, 50u);
    // The row was closed by a refresh, and that at 50 000 is over.
    EXPECT_EQ(b.served(1), 50'500 + kAccept + t.rcd_read + t.cl + t.burst + kToStore);
    EXPECT_EQ(b.mc.state().count.row_hits, 0u);
}

TEST(McCore, ARequestDuringAnIdleRefreshWaitsForItsEnd) {
    DramTiming t = gddr5();
    t.refi = 1000;
    Bench b(spec_of(t));
    b.l2.send(read_of(at(3, 5)), 2020);
    b.run();
    EXPECT_EQ(b.served(0), 2000 + t.rfc + t.rcd_read + t.cl + t.burst + kToStore);
}

}  // namespace
}  // namespace archipelago::mc
