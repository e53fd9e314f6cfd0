// SPDX-License-Identifier: Apache-2.0
// Ports, control, parameters and counters of a memory controller channel.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "models/common/error.h"
#include "testbenches/unit/mc/mc_bench.h"

namespace archipelago::mc {
namespace {

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
    std::array<uint64_t, WaitQueue::kMaxBanks> of_bank{};
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
        const ScheduleState& state = b.waiting();
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
    for (const uint16_t lines : b.waiting().waiting_lines)
        EXPECT_EQ(lines, 0u);
}

TEST(McCore, EveryAccessIsServedWithTheLeastTimeBetweenRefreshes) {
    Random random(4);
    for (unsigned n = 0; n < 60; ++n) {
        DramTiming t = gddr5();
        for (unsigned* time : {&t.rcd_read, &t.rcd_write, &t.rp, &t.rrd, &t.faw, &t.rtp, &t.wr})
            *time = 1 + static_cast<unsigned>(random.below(random.below(3) == 0 ? 900 : 40));
        t.ras = 1 + static_cast<unsigned>(random.below(300));
        t.rc = t.ras + static_cast<unsigned>(random.below(300));
        t.refi = static_cast<unsigned>(t.least_refi());
        Bench b(spec_of(t));
        for (uint32_t i = 0; i < 40; ++i) {
            const uint64_t line = random.below(64) * 1024 * 8;
            b.l2.send(random.below(2) == 0 ? write_of(line, {1}, i) : read_of(line, i), i * 10);
        }
        b.run();
        ASSERT_EQ(b.l2.answers.size(), 40u) << "refi " << t.refi;
        --t.refi;
        EXPECT_THROW(McCore(spec_of(t), ChannelMap{}), MachineStop) << "refi " << t.refi;
    }
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
