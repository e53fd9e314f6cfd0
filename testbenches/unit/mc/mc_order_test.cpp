// SPDX-License-Identifier: Apache-2.0
// Which access goes first: row hits, starving ones, reads, those of one line.
#include <gtest/gtest.h>

#include <algorithm>

#include "testbenches/unit/mc/mc_bench.h"

namespace archipelago::mc {
namespace {

TEST(McCore, RowHitsGoBeforeAnOlderConflict) {
    Bench b;
    b.l2.send(read_of(at(3, 5)), 0);
    b.l2.send(read_of(at(3, 6), 1), 500);
    b.l2.send(read_of(at(3, 5, 64), 2), 500);
    b.run();
    ASSERT_EQ(b.l2.answers.size(), 3u);
    EXPECT_EQ(b.l2.answers[1].response.tag, 1u) << "nothing else was there when it was served";
    Bench c;
    c.l2.send(read_of(at(3, 5), 0), 0);
    c.l2.send(read_of(at(3, 6), 1), 5);  // waits for tRAS of the first
    c.l2.send(read_of(at(3, 5, 64), 2), 6);
    c.run();
    ASSERT_EQ(c.l2.answers.size(), 3u);
    EXPECT_EQ(c.l2.answers[1].response.tag, 2u);
    EXPECT_EQ(c.l2.answers[2].response.tag, 1u);
}

TEST(McCore, AStarvedConflictGoesBeforeNewRowHits) {
    McSpec s = spec_of();
    s.starvation_cycles = 200;
    Bench b(s);
    b.l2.send(read_of(at(3, 5), 0), 0);
    b.l2.send(read_of(at(3, 6), 1), 5);
    for (uint32_t i = 0; i < 400; ++i)  // keeps row 5 busy for 2400 cycles
        b.l2.send(read_of(at(3, 5, 64 * (i % 4)), 2 + i), 6);
    b.run();
    Cycle conflict = 0;
    Cycle last = 0;
    for (const auto& a : b.l2.answers) {
        if (a.response.tag == 1)
            conflict = a.at;
        last = std::max(last, a.at);
    }
    EXPECT_GT(conflict, 200u);
    EXPECT_LT(conflict, 200u + 200u);
    EXPECT_GT(last, 2000u);
    EXPECT_GE(b.mc.state().count.starved, 1u);
}

TEST(McCore, WritesWaitForReadsUntilTheHighMark) {
    McSpec s = spec_of();
    s.write_high = 4;
    s.write_low = 1;
    s.starvation_cycles = 100000;
    // Reads all the time; three writes stay after all of them, a fourth starts the drain.
    for (const unsigned writes : {3u, 4u}) {
        Bench b(s);
        for (uint32_t i = 0; i < 100; ++i)
            b.l2.send(read_of(at(i % 16, 0, 64 * (i / 16 % 4)), i), 0);
        for (uint32_t i = 0; i < writes; ++i)
            b.hub.send(write_of(at(i, 7), {9}, i), 20);
        b.run();
        ASSERT_EQ(b.l2.answers.size(), 100u);
        ASSERT_EQ(b.hub.answers.size(), writes);
        if (writes == 3)
            EXPECT_GT(b.hub.answers[0].at, b.l2.answers[99].at);
        else
            EXPECT_LT(b.hub.answers[0].at, b.l2.answers[99].at);
    }
}

TEST(McCore, AReadSeesTheOlderWriteOfItsLine) {
    McSpec s = spec_of();
    s.starvation_cycles = 100000;
    Bench b(s);
    for (uint32_t i = 0; i < 50; ++i)
        b.l2.send(read_of(at(i % 16, 0, 64 * (i / 16 % 4)), i), 0);
    b.l2.send(write_of(at(0, 3, 5), {0xAB}, 100), 0);
    b.l2.send(read_of(at(0, 3), 101), 0);
    for (uint32_t i = 0; i < 50; ++i)
        b.l2.send(read_of(at(i % 16, 0, 64 * (i / 16 % 4)), 200 + i), 0);
    b.run();
    unsigned seen = 0;
    for (const auto& a : b.l2.answers)
        if (a.response.tag == 101 && a.response.data[5] == 0xAB)
            ++seen;
    EXPECT_EQ(seen, 1u);
    EXPECT_EQ(b.mc.state().count.order_waits, 1u);
    // It makes the write urgent instead of waiting for a drain after all reads.
    EXPECT_LT(b.l2.answers.back().at - b.l2.answers.front().at, 2000u);
    for (size_t i = b.l2.answers.size() - 10; i < b.l2.answers.size(); ++i)
        EXPECT_NE(b.l2.answers[i].response.tag, 101u);
}

TEST(McCore, AWriteBehindAReadOfItsLineDoesNotHoldTheReadUp) {
    McSpec s = spec_of();
    s.write_high = 1;  // the write is urgent at once
    s.write_low = 0;
    Bench b(s);
    b.l2.send(read_of(at(0, 0)), 0);
    b.hub.send(write_of(at(0, 0), {1}), 0);
    b.run();
    const DramTiming t = gddr5();
    EXPECT_EQ(b.served(0), kAccept + t.rcd_read + t.cl + t.burst + kToStore);
    EXPECT_EQ(b.served(1) - b.served(0), t.rtw + t.burst);
}

}  // namespace
}  // namespace archipelago::mc
