// SPDX-License-Identifier: Apache-2.0
#include "models/mc/mc_core.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>

#include "models/common/error.h"
#include "testbenches/unit/mc/memory_parts.h"

namespace archipelago::mc {
namespace {

using test::MemClient;
using test::Random;
using test::read_of;
using test::Store;
using test::write_of;

// Values in the order of magnitude of GDDR5 at 1375 MHz; all different, so that a test notices
// when one stands in for another.
DramTiming gddr5() {
    DramTiming t;
    t.burst = 4;
    t.ccd_long = 6;
    t.cl = 18;
    t.wl = 7;
    t.rcd_read = 17;
    t.rcd_write = 13;
    t.rp = 16;
    t.ras = 39;
    t.rc = 55;
    t.rrd = 8;
    t.faw = 0;
    t.rtp = 3;
    t.wr = 19;
    t.wtr = 9;
    t.rtw = 2;
    t.refi = 0;
    t.rfc = 90;
    return t;
}

McSpec spec_of(const DramTiming& t = gddr5()) {
    McSpec s;
    s.timing = t;
    s.store_entries = 32;
    return s;
}

constexpr uint64_t kMapped = 16 << 20;

// Byte address of a bank's row and column block in a machine of one channel.
uint64_t at(unsigned bank, uint64_t row, unsigned offset = 0) {
    return row * 16 * 2048 + bank * 256 + offset;
}

struct Bench {
    explicit Bench(const McSpec& spec = spec_of())
        : mc(spec, ChannelMap{}), l2(mc.from_l2), hub(mc.from_hub), store(image) {
        image.map(0, kMapped);
        mc.to_l2.connect(l2.answers_in);
        mc.to_hub.connect(hub.answers_in);
        mc.to_store.connect(store.requests);
        store.connect(mc.from_store);
        scheduler.add(mc);
        scheduler.add(l2);
        scheduler.add(hub);
        scheduler.add(store);
    }
    void run(Cycle limit = 10'000'000) { scheduler.run(limit); }
    // Cycle in which the store took the n-th access: one after the data crossed the pins.
    Cycle served(size_t n) const { return store.served.at(n).at; }

    MemoryImage image;
    McCore mc;
    MemClient l2, hub;
    Store store;
    Scheduler scheduler;
};

// A request sent in cycle s is accepted in s + 1, its first command given in the same cycle; the
// store sees it one cycle after the end of its data.
constexpr Cycle kAccept = 1;
constexpr Cycle kToStore = 1;

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

// The n-th line of row 0 in turns of two banks of different groups, as a stream has them.
uint64_t streamed(unsigned n, unsigned bank = 0) {
    return at(bank + n % 2, 0, 64 * (n / 2 % 4)) + uint64_t{4096} * (n / 8);
}

// How many accesses the store saw before the first in the other direction, and when it saw that.
struct Turn {
    size_t before = 0;
    Cycle at = 0;
};
Turn turn_of(const Store& store, size_t from, MemCommand leaving) {
    size_t n = from;
    while (store.served.at(n).request.command == leaving)
        ++n;
    return {n - from, store.served[n].at};
}

// Row hits of the direction that leaves fill the time in which the other one's row is opened, up to
// the last that does not delay it.
TEST(McCore, ReadHitsFillTheTimeInWhichARowOpensForWrites) {
    const DramTiming t = gddr5();
    McSpec s = spec_of(t);
    s.write_high = 4;
    s.write_low = 0;
    Bench b(s);
    for (const uint64_t line : {at(3, 5), streamed(0), streamed(1)})
        b.l2.send(read_of(line), 0);
    for (unsigned i = 2; i < 24; ++i)
        b.l2.send(read_of(streamed(i)), 1000);
    for (unsigned i = 0; i < 4; ++i)
        b.hub.send(write_of(at(3, 7, 64 * i), {1}), 1010);
    b.run();
    const Cycle first = 1000 + kAccept;  // column command of the reads
    const Cycle turned = 1010 + 3 + kAccept;
    const Cycle column = turned + t.rp + t.rcd_write;
    const Turn turn = turn_of(b.store, 3, MemCommand::Read);
    EXPECT_EQ(turn.at, column + t.wl + t.burst + kToStore);
    EXPECT_EQ(turn.before, (column - (t.cl + t.burst + t.rtw - t.wl) - first) / t.burst + 1);
    EXPECT_GT(turn.before, (turned - first) / t.burst + 1);
}

TEST(McCore, WriteHitsFillTheTimeInWhichARowOpensForReads) {
    DramTiming t = gddr5();
    t.rcd_read = 40;  // a read in a closed bank waits until the writes are enough for a drain
    McSpec s = spec_of(t);
    s.write_high = 12;
    s.write_low = 7;
    Bench b(s);
    for (const uint64_t line : {at(3, 5), streamed(0), streamed(1)})
        b.l2.send(read_of(line), 0);
    b.l2.send(read_of(at(3, 7)), 990);
    for (unsigned i = 0; i < 20; ++i)
        b.hub.send(write_of(streamed(i), {1}), 990);
    b.run();
    const Cycle first = 990 + kAccept + s.write_high - 1;
    const unsigned drained = 20 - s.write_low;
    const Cycle turned = first + (drained - 1) * t.burst + 1;
    const Cycle column = turned + t.rcd_read;
    const Turn turn = turn_of(b.store, 3, MemCommand::Write);
    EXPECT_EQ(turn.at, column + t.cl + t.burst + kToStore);
    EXPECT_EQ(turn.before, (column - (t.wl + t.burst + t.wtr) - first) / t.burst + 1);
    EXPECT_GT(turn.before, drained);
}

TEST(McCore, WritesThatNoMarkBeganEndAtTheLowMark) {
    McSpec s = spec_of();
    s.write_high = 20;
    s.write_low = 7;
    Bench b(s);
    for (const uint64_t line : {at(3, 5), streamed(0), streamed(1)})
        b.l2.send(read_of(line), 0);
    for (unsigned i = 0; i < 20; ++i)  // no read waits
        b.hub.send(write_of(streamed(i), {1}), 1000);
    b.l2.send(read_of(at(3, 7)), 1010);
    b.run();
    EXPECT_EQ(turn_of(b.store, 3, MemCommand::Write).before, 20 - s.write_low);
}

TEST(McCore, HitsLeaveTheRowCommandsOfATurnTheirCycles) {
    DramTiming t = gddr5();
    t.burst = 1;  // hits could have a command in every cycle
    t.ccd_long = 1;
    McSpec s = spec_of(t);
    s.write_high = 1;
    s.write_low = 0;
    Bench b(s);
    b.l2.send(read_of(at(3, 5)), 0);
    b.l2.send(read_of(streamed(0)), 0);
    b.l2.send(read_of(streamed(1)), 0);
    for (unsigned i = 2; i < 60; ++i)
        b.l2.send(read_of(streamed(i)), 1000);
    b.hub.send(write_of(at(3, 7), {1}), 1010);
    b.run();
    EXPECT_EQ(turn_of(b.store, 3, MemCommand::Read).at,
              1010 + kAccept + t.rp + t.rcd_write + t.wl + t.burst + kToStore);
}

TEST(McCore, NoHitIsServedInTheBankThatTurnsTheBus) {
    DramTiming t = gddr5();
    t.rtp = 12;  // a read may be given sooner than its bank may be closed
    McSpec s = spec_of(t);
    s.write_high = 1;
    s.write_low = 0;
    Bench b(s);
    b.l2.send(read_of(at(0, 0)), 0);
    for (unsigned i = 1; i < 4; ++i)
        b.l2.send(read_of(at(0, 0, 64 * i)), 1000);
    b.hub.send(write_of(at(0, 7), {1}), 1002);
    b.run();
    const Cycle read = 1000 + kAccept;
    EXPECT_EQ(b.served(2), read + t.rtp + t.rp + t.rcd_write + t.wl + t.burst + kToStore);
    EXPECT_EQ(b.store.served[2].request.command, MemCommand::Write);
}

TEST(McCore, NoHitIsServedBeforeAStarvingAccess) {
    DramTiming t = gddr5();
    t.rcd_read = 90;  // time enough for many writes
    t.rcd_write = 10;
    McSpec s = spec_of(t);
    s.write_high = 1;
    s.write_low = 0;
    s.starvation_cycles = 40;
    Bench b(s);
    b.l2.send(read_of(at(0, 0)), 0);
    for (unsigned i = 0; i < 24; ++i)  // bank 0 and none besides
        b.hub.send(write_of(at(0, 0, 64 * (i % 4)) + uint64_t{4096} * (i / 4), {1}), 1000);
    b.l2.send(read_of(at(0, 7)), 1001);
    b.l2.send(read_of(at(5, 7)), 1002);  // its bank is closed and opens sooner
    b.run();
    const Cycle starves = 1001 + kAccept + s.starvation_cycles;
    const Turn turn = turn_of(b.store, 1, MemCommand::Write);
    EXPECT_EQ(turn.at, starves + t.rcd_read + t.cl + t.burst + kToStore);
    const Cycle last_write = 1000 + kAccept + (turn.before - 1) * t.ccd_long;
    EXPECT_LT(last_write, starves);
    EXPECT_GE(last_write + t.ccd_long, starves);
    const Cycle closed = last_write + t.wl + t.burst + t.wr;
    EXPECT_EQ(b.served(turn.before + 2), closed + t.rp + t.rcd_read + t.cl + t.burst + kToStore);
}

TEST(McCore, WriteDataOfL2HoldsItsLinkAndNotTheHubs) {
    const DramTiming t = gddr5();
    McSpec s = spec_of(t);
    s.l2_write_cycles = 30;  // longer than the devices take for any of these
    Bench b(s);
    b.hub.send(read_of(0), 0);  // opens the row
    for (unsigned i = 1; i <= 3; ++i)
        b.l2.send(write_of(at(0, 0, 64 * i), {1}), 1000);
    b.l2.send(read_of(at(0, 0, 256 - 64)), 1000);
    for (unsigned i = 1; i <= 3; ++i)
        b.hub.send(write_of(at(0, 0, 64 * i), {2}), 2000);
    b.run();
    EXPECT_EQ(b.served(2) - b.served(1), s.l2_write_cycles);
    EXPECT_EQ(b.served(3) - b.served(2), s.l2_write_cycles);
    EXPECT_EQ(b.served(4) - b.served(3), s.l2_write_cycles + t.cl - t.wl);
    EXPECT_EQ(b.served(6) - b.served(5), t.ccd_long);
    EXPECT_EQ(b.served(7) - b.served(6), t.ccd_long);
    EXPECT_EQ(b.mc.state().count.write_data_cycles, 3 * s.l2_write_cycles);
}

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
    // Reads all the time; three writes stay behind all of them, a fourth starts the drain.
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
    // It makes the write urgent instead of waiting for a drain behind all reads.
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

TEST(McCore, ARequestThatComesWhileAnotherWaitsStartsAtOnce) {
    DramTiming t = gddr5();
    t.rrd = 2;
    Bench b(spec_of(t));
    b.l2.send(read_of(at(0, 0)), 0);
    b.l2.send(read_of(at(1, 0)), 6);
    b.run();
    EXPECT_EQ(b.served(1) - b.served(0), 6u);
}

TEST(McCore, L2AndHubGetTheirOwnAnswersWithTagAndPortUnchanged) {
    Bench b;
    MemRequest r = read_of(at(1, 1), 77);
    r.port = 5;
    r.uid = 123;
    b.l2.send(r);
    MemRequest w = write_of(at(2, 1), {1}, 78);
    w.port = 6;
    b.hub.send(w);
    b.run();
    ASSERT_EQ(b.l2.answers.size(), 1u);
    ASSERT_EQ(b.hub.answers.size(), 1u);
    EXPECT_EQ(b.l2.answers[0].response.tag, 77u);
    EXPECT_EQ(b.l2.answers[0].response.port, 5u);
    EXPECT_EQ(b.l2.answers[0].response.uid, 123u);
    EXPECT_EQ(b.hub.answers[0].response.tag, 78u);
    EXPECT_EQ(b.hub.answers[0].response.port, 6u);
    EXPECT_EQ(b.mc.state().count.hub_requests, 1u);
}

TEST(McCore, AnUnmappedLineComesBackAsSuch) {
    Bench b;
    b.l2.send(read_of(kMapped));
    b.run();
    ASSERT_EQ(b.l2.answers.size(), 1u);
    EXPECT_EQ(b.l2.answers[0].response.status, MemStatus::Unmapped);
    EXPECT_EQ(b.mc.state().count.failed_accesses, 1u);
}

TEST(McCore, AnAtomicStopsTheMachine) {
    Bench b;
    b.hub.send(test::atomic_of(0, AtomicOp::Add, 1));
    EXPECT_THROW(b.run(), MachineStop);
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

double streaming_efficiency(const McSpec& s, bool writes_too) {
    Bench b(s);
    constexpr uint32_t kLines = 20000;
    for (uint32_t i = 0; i < kLines; ++i) {
        if (writes_too && i % 2 == 1)
            b.l2.send(write_of(8 * 1024 * 1024 + i / 2 * 64, {1}, i));
        else
            b.l2.send(read_of(uint64_t{writes_too ? i / 2 : i} * 64, i));
    }
    b.run();
    EXPECT_EQ(b.l2.answers.size(), kLines);
    const Cycle cycles = b.l2.answers.back().at - b.l2.answers.front().at;
    return static_cast<double>(kLines) * s.timing.burst / static_cast<double>(cycles);
}

TEST(McCore, StreamingReadsReachEightySevenPercentOfPeak) {
    DramTiming t = gddr5();
    t.refi = 2612;  // 1.9 us at 1375 MHz
    const double efficiency = streaming_efficiency(spec_of(t), false);
    EXPECT_GE(efficiency, 0.87);
    EXPECT_LE(efficiency, 1.0);
}

TEST(McCore, AStreamThatIsReadAndWrittenKeepsAboutTwoThirdsOfPeak) {
    DramTiming t = gddr5();
    t.refi = 2612;
    const double efficiency = streaming_efficiency(spec_of(t), true);
    EXPECT_GE(efficiency, 0.60);
    EXPECT_LE(efficiency, 0.95);
}

struct RandomRun {
    std::vector<Cycle> answers;
    Cycle end = 0;
};

// Both clients read and write a few lines of their own; every read must see the client's last
// write to the line, whatever the scheduler did in between.
RandomRun random_run(uint64_t seed, unsigned stall_percent, uint64_t shuffle) {
    DramTiming t = gddr5();
    t.refi = 700;
    t.rfc = 60;
    McSpec s = spec_of(t);
    s.read_entries = 8;
    s.write_entries = 8;
    s.write_high = 6;
    s.write_low = 2;
    s.lookahead = 5;
    s.starvation_cycles = 300;
    s.store_entries = 4;
    Bench b(s);
    if (shuffle != 0)
        b.scheduler.shuffle(shuffle);
    if (stall_percent != 0) {
        b.mc.from_l2.random_stall(seed + 1, stall_percent);
        b.mc.from_hub.random_stall(seed + 2, stall_percent);
        b.mc.from_store.random_stall(seed + 3, stall_percent);
        b.store.requests.random_stall(seed + 4, stall_percent);
        b.l2.answers_in.random_stall(seed + 5, stall_percent);
        b.hub.answers_in.random_stall(seed + 6, stall_percent);
    }
    Random random(seed);
    std::vector<uint8_t> expected(1000, 0);
    std::vector<MemRequest> sent[2];
    for (unsigned n = 0; n < 2000; ++n) {
        const unsigned who = static_cast<unsigned>(random.below(2));
        // 24 lines spread over banks and rows; odd ones belong to the hub.
        const uint64_t which = random.below(12) * 2 + who;
        const uint64_t line = at(which % 3, which / 6, 0) + 64 * (which % 4);
        const auto tag = static_cast<uint32_t>(sent[who].size());
        MemRequest r = read_of(line, tag);
        if (random.below(2) == 0)
            r = write_of(line + random.below(64), {static_cast<uint8_t>(random.next())}, tag);
        (who == 0 ? b.l2 : b.hub).send(r, n * 2);
        sent[who].push_back(r);
    }
    b.run();
    EXPECT_TRUE(b.mc.idle()) << b.mc.waiting_for();
    RandomRun result;
    for (unsigned who = 0; who < 2; ++who) {
        const MemClient& client = who == 0 ? b.l2 : b.hub;
        EXPECT_EQ(client.answers.size(), sent[who].size());
        std::map<uint32_t, const MemResponse*> by_tag;
        for (const auto& a : client.answers) {
            by_tag[a.response.tag] = &a.response;
            result.answers.push_back(a.at);
        }
        std::map<uint64_t, Line> lines;
        for (uint32_t i = 0; i < sent[who].size(); ++i) {
            const MemRequest& r = sent[who][i];
            Line& line = lines.try_emplace(r.line, Line{}).first->second;
            if (r.command == MemCommand::Write) {
                for (unsigned k = 0; k < 64; ++k)
                    if ((r.byte_mask >> k & 1) != 0)
                        line[k] = r.data[k];
            } else {
                EXPECT_EQ(by_tag.at(i)->data, line) << "read " << i << " of client " << who;
            }
        }
    }
    result.end = b.scheduler.now();
    return result;
}

TEST(McCore, RandomTrafficKeepsEveryLineInOrder) {
    for (uint64_t seed = 1; seed <= 8; ++seed)
        random_run(seed, 0, 0);
}

TEST(McCore, RandomStallsLeaveTheDataIntact) {
    for (uint64_t seed = 1; seed <= 8; ++seed)
        random_run(seed, 30, seed);
}

TEST(McCore, TheOrderOfTicksDoesNotMatter) {
    const RandomRun plain = random_run(3, 10, 0);
    for (uint64_t shuffle = 1; shuffle <= 5; ++shuffle) {
        const RandomRun other = random_run(3, 10, shuffle);
        EXPECT_EQ(other.answers, plain.answers);
        EXPECT_EQ(other.end, plain.end);
    }
}

TEST(McCore, ExtraTicksChangeNothing) {
    const auto run = [](bool every_cycle) {
        DramTiming t = gddr5();
        t.refi = 500;
        McSpec s = spec_of(t);
        s.starvation_cycles = 60;
        Bench b(s);
        Random random(9);
        for (uint32_t i = 0; i < 300; ++i)
            b.l2.send(random.below(3) == 0 ? write_of(random.below(64) * 1024 * 8, {1}, i)
                                           : read_of(random.below(64) * 1024 * 8, i),
                      i * 20);
        if (every_cycle) {
            for (Cycle c = 0; c < 12000; ++c) {
                b.mc.wake_at(c + 1);
                b.scheduler.step(c);
            }
        }
        b.run();
        std::vector<Cycle> times;
        for (const auto& a : b.l2.answers)
            times.push_back(a.at);
        const McCounters& c = b.mc.state().count;
        times.push_back(c.refreshes);
        times.push_back(c.l2_blocked_cycles);
        times.push_back(c.write_drains);
        return times;
    };
    EXPECT_EQ(run(false), run(true));
}

// The scheduler looks at the queues when it expects to find a command. One that is made to forget
// what it expects looks in every cycle, as one behind pins does: with the same commands in the same
// cycles.
TEST(McCore, QuietTimesHideNoCommand) {
    enum Look { kWhenDue, kForgets, kOnPins };
    const auto run = [](uint64_t seed, Look look) {
        Random random(seed);
        DramTiming t = gddr5();
        t.refi = 400 + static_cast<unsigned>(random.below(600));
        t.rp = 2 + static_cast<unsigned>(random.below(50));
        t.rcd_read = 2 + static_cast<unsigned>(random.below(50));
        t.rcd_write = 2 + static_cast<unsigned>(random.below(50));
        McSpec s = spec_of(t);
        s.read_entries = 4 + static_cast<unsigned>(random.below(28));
        s.write_entries = 4 + static_cast<unsigned>(random.below(28));
        s.write_high = 3 + static_cast<unsigned>(random.below(s.write_entries - 3));
        s.write_low = static_cast<unsigned>(random.below(s.write_high));
        s.lookahead = 1 + static_cast<unsigned>(random.below(40));
        s.starvation_cycles = 40 + static_cast<unsigned>(random.below(400));
        s.store_entries = 2 + static_cast<unsigned>(random.below(14));
        s.l2_write_cycles = 1 + static_cast<unsigned>(random.below(12));
        McScheduleCore block;
        Bench b(s);
        if (look == kOnPins)
            b.mc.use_pins(block);
        const uint64_t pace = 1 + random.below(12);
        const uint64_t writes = random.below(11);  // tenths
        const uint64_t for_hub = random.below(11);
        for (uint32_t i = 0; i < 600;) {
            // Some lines of one row, as streams have them.
            const uint64_t row = random.below(4);
            const uint64_t bank = random.below(16);
            const bool write = random.below(10) < writes;
            for (uint64_t run = 1 + random.below(12); run != 0; --run, ++i) {
                const uint64_t line = at(bank, row, 64 * random.below(8));
                (random.below(10) < for_hub ? b.hub : b.l2)
                    .send(write ? write_of(line, {1}, i) : read_of(line, i), i * pace);
            }
        }
        auto& state = const_cast<McState&>(b.mc.state());
        auto& waiting = const_cast<ScheduleState&>(b.mc.waiting());
        std::vector<uint64_t> seen;
        for (Cycle c = 0; c < 60000; ++c) {
            if (look == kForgets) {
                waiting.skip_until = 0;
                state.l2_blocked = false;
                b.mc.wake_at(c);
            }
            b.scheduler.step(c);
        }
        EXPECT_TRUE(b.mc.idle());
        for (const MemClient* client : {&b.l2, &b.hub})
            for (const auto& a : client->answers)
                seen.insert(seen.end(), {a.response.tag, a.at});
        const McCounters& c = state.count;
        seen.insert(seen.end(), {c.activates, c.precharges, c.refreshes, c.turnarounds,
                                 c.write_drains, c.starved, c.queue_cycles, c.l2_blocked_cycles,
                                 c.hub_blocked_cycles, c.order_waits});
        return seen;
    };
    for (uint64_t seed = 1; seed <= 250; ++seed) {
        const std::vector<uint64_t> seen = run(seed, kWhenDue);
        ASSERT_EQ(seen, run(seed, kForgets)) << "seed " << seed;
        if (seed <= 60) {
            ASSERT_EQ(seen, run(seed, kOnPins)) << "seed " << seed;
        }
    }
}

TEST(McCore, PausedItTakesNothingAndResumedItGoesOn) {
    Bench b;
    b.mc.pause();
    b.l2.send(read_of(0));
    b.run(1000);
    EXPECT_TRUE(b.l2.answers.empty());
    EXPECT_EQ(b.mc.waiting_for(), "paused");
    EXPECT_FALSE(b.mc.idle());
    b.mc.resume();
    b.run();
    EXPECT_EQ(b.l2.answers.size(), 1u);
    EXPECT_TRUE(b.mc.idle());
    EXPECT_EQ(b.mc.waiting_for(), "");
}

TEST(McCore, ResetForgetsQueuesAndCounters) {
    Bench b;
    b.l2.send(read_of(0));
    b.run(20);
    b.mc.reset();
    EXPECT_TRUE(b.mc.idle());
    EXPECT_EQ(b.mc.state().count.activates, 0u);
}

// Each of the oldest accesses has its bits in the masks, and no other bit is set.
void expect_masks(const ScheduleState& state, const WaitQueue& queue) {
    uint64_t eligible = 0;
    uint64_t hits = 0;
    std::array<uint64_t, WaitQueue::kMostBanks> of_bank{};
    for (size_t i = 0; i < std::min(queue.size(), WaitQueue::kWindow); ++i) {
        const ScheduleState::Entry& entry = state.entries[queue[i]];
        const ScheduleState::Bank& bank = state.banks[entry.bank];
        const uint64_t bit = uint64_t{1} << i;
        of_bank[entry.bank] |= bit;
        eligible |= entry.after == ScheduleState::kNone ? bit : 0;
        hits |= bank.open && bank.row == entry.row ? bit : 0;
    }
    EXPECT_EQ(queue.eligible, eligible);
    EXPECT_EQ(queue.hits, hits);
    EXPECT_EQ(queue.of_bank, of_bank);
}

TEST(McCore, TheMasksOfTheWindowSayWhatTheEntriesSay) {
    DramTiming t = gddr5();
    t.refi = 700;
    McSpec s = spec_of(t);
    s.read_entries = 128;
    s.write_entries = 96;
    s.write_high = 90;
    s.lookahead = 64;
    Bench b(s);
    Random random(7);
    for (uint32_t i = 0; i < 2000; ++i) {
        const uint64_t line = at(random.below(16), random.below(3), 64 * random.below(2));
        MemRequest request = random.below(2) == 0 ? read_of(line, i) : write_of(line, {1}, i);
        b.l2.send(request, i);
    }
    size_t most_reads = 0;
    size_t most_writes = 0;
    bool ordered = false;
    for (Cycle now = 0; !HasFailure() && b.l2.answers.size() < 2000 && now < 100000; ++now) {
        b.scheduler.step(now);
        const ScheduleState& state = b.mc.waiting();
        expect_masks(state, state.reads);
        expect_masks(state, state.writes);
        most_reads = std::max(most_reads, state.reads.size());
        most_writes = std::max(most_writes, state.writes.size());
        ordered |= state.behind != 0;
    }
    EXPECT_EQ(b.l2.answers.size(), 2000u);
    EXPECT_GT(std::max(most_reads, most_writes), WaitQueue::kWindow);
    EXPECT_TRUE(ordered);
    EXPECT_GT(b.mc.state().count.refreshes, 0u);
    for (const uint16_t lines : b.mc.waiting().waiting_lines)
        EXPECT_EQ(lines, 0u);
}

TEST(McCore, ImpossibleParametersAreRefused) {
    const auto refused = [](auto change) {
        McSpec s = spec_of();
        change(s);
        EXPECT_THROW(McCore(s, ChannelMap{}), MachineStop);
    };
    refused([](McSpec& s) { s.timing.burst = 0; });
    refused([](McSpec& s) { s.timing.ccd_long = 3; });
    refused([](McSpec& s) { s.timing.rc = 5; });
    refused([](McSpec& s) { s.timing.refi = 100; });
    refused([](McSpec& s) { s.read_entries = 0; });
    refused([](McSpec& s) { s.write_high = 33; });
    refused([](McSpec& s) { s.write_low = s.write_high; });
    refused([](McSpec& s) { s.l2_write_cycles = 0; });
    refused([](McSpec& s) { s.lookahead = 0; });
    refused([](McSpec& s) { s.lookahead = 65; });
    refused([](McSpec& s) { s.geometry.banks = 5; });
}

TEST(McCore, CountersAreRegisteredWithUnitAndMeaning) {
    Bench b;
    StatsRegistry registry;
    b.mc.register_stats(registry, "mc0");
    EXPECT_EQ(registry.counters().size(), 21u);
    for (const Counter& c : registry.counters()) {
        EXPECT_EQ(c.unit_path, "mc0");
        EXPECT_FALSE(c.unit.empty());
        EXPECT_FALSE(c.meaning.empty());
    }
}

}  // namespace
}  // namespace archipelago::mc
