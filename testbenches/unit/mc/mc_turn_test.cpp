// SPDX-License-Identifier: Apache-2.0
// What is served while the bus turns from reads to writes and back.
#include <gtest/gtest.h>

#include "testbenches/unit/mc/mc_bench.h"

namespace archipelago::mc {
namespace {

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

}  // namespace
}  // namespace archipelago::mc
