// SPDX-License-Identifier: Apache-2.0
// One call makes a block a part of a chip: ticked, controlled, counted, traced, reported.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/asic/netlist.h"

namespace archipelago::asic::netlist_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

struct Block : Clocked, Control {
    explicit Block(std::vector<std::string>* traced = nullptr) : observed(traced) {}
    bool tick(Cycle) override {
        ++ticks;
        return false;
    }
    void reset() override { ticks = 0; }
    void archive(Archive& a) override {
        a.at_rest(idle(), waits);
        a(done, slow, polls);
    }
    bool idle() const override { return waits.empty(); }
    void set_run_state(RunState) override {}
    std::string waiting_for() const override { return waits; }
    void register_stats(StatsRegistry& stats, const std::string& path) const {
        stats.add(path, "work_done", "things", "done", &done);
        stats.add(path, "slow_done", "things", "done slowly", &slow);
        stats.add(path, "polls", "polls", "in vain", &polls);
    }
    void observe(const Observers& observers, const std::string& path) const {
        observed->push_back(path + "@" + std::to_string(observers.period_fs));
    }
    std::vector<std::string>* observed;
    std::string waits;
    uint64_t ticks = 0, done = 1, slow = 20, polls = 300;
};

// Several units under one name; nothing to control.
struct Group {
    std::vector<Clocked*> units() { return {&a, &b}; }
    void archive(Archive& archive) { archive(a.done, b.done); }
    Block a, b;
};

struct Bench {
    explicit Bench(Mode mode = Mode::Cycle) {
        options.mode = mode;
        net.add(clock, b, "b0");
        net.add(clock, c, "c0", {"*_done"});
        net.add(clock, a, "a0", {"polls"});
        net.add(clock, group, "group");
    }
    ChipOptions options;
    tlm_shell::RunControl control;
    tlm_shell::ClockDomain clock{"clock", 1000, control};
    std::vector<std::string> traced;
    Block a{&traced}, b{&traced}, c{&traced};
    Group group;
    Netlist net{options};
};

TEST(Netlist, TicksWhatIsAddedInCycleModeOnly) {
    Bench cycle;
    for (Block* block : {&cycle.a, &cycle.group.a, &cycle.group.b})
        block->wake_at(1);
    cycle.clock.scheduler().run(10);
    EXPECT_EQ(cycle.a.ticks, 1u);
    EXPECT_EQ(cycle.group.a.ticks + cycle.group.b.ticks, 2u);
    Bench functional(Mode::Functional);
    EXPECT_EQ(functional.a.scheduler(), nullptr);
}

TEST(Netlist, ArchivesEveryBlockUnderItsName) {
    Bench bench, back;
    bench.a.done = 5;
    bench.group.b.done = 6;
    Archive written;
    bench.net.archive(written);
    Archive read(written.bytes(), "file");
    EXPECT_THAT(read.unvisited(), ElementsAre("a0", "b0", "c0", "group"));
    back.net.archive(read);
    EXPECT_EQ(back.a.done, 5u);
    EXPECT_EQ(back.group.b.done, 6u);
    EXPECT_THAT(read.unvisited(), ElementsAre());
    bench.c.waits = "answers";
    Archive refused;
    EXPECT_THROW(bench.net.archive(refused), MachineStop);
}

TEST(Netlist, BlocksThatAnArchiveLacksStayAsTheyAreWhereThatIsAllowed) {
    Bench bench;
    bench.a.done = 5;
    Archive written;
    written.block("b0", [&] { bench.b.archive(written); });
    Archive refused(written.bytes(), "file"), read(written.bytes(), "file");
    EXPECT_THROW(bench.net.archive(refused), ArchiveError);
    bench.b.done = 7;
    bench.net.archive(read, true);
    EXPECT_EQ(bench.a.done, 5u);
    EXPECT_EQ(bench.b.done, 1u);
}

TEST(Netlist, GoesThroughBlocksInTheGivenOrderAndThenAsAdded) {
    Bench bench;
    bench.net.observe({"a|z"});
    EXPECT_THAT(bench.traced, ElementsAre("a0@1000", "b0@1000", "c0@1000"));
    StatsRegistry stats;
    bench.net.register_stats(stats, {"c", "b"});
    std::vector<std::string> units;
    for (const Counter& counter : stats.counters())
        if (counter.name == "polls")
            units.push_back(counter.unit_path);
    EXPECT_THAT(units, ElementsAre("c0", "b0", "a0"));
}

TEST(Netlist, CountsAsProgressWhatTheBlocksNamed) {
    Bench bench;
    StatsRegistry stats;
    bench.net.register_stats(stats, {});
    EXPECT_EQ(bench.net.progress(), 1u + 20u + 300u);
    bench.b.done = 1000;
    EXPECT_EQ(bench.net.progress(), 321u);
    bench.c.slow = 21;
    EXPECT_EQ(bench.net.progress(), 322u);
}

TEST(Netlist, ReportsWhoWaitsInTheOrderAdded) {
    Bench bench;
    EXPECT_TRUE(bench.net.idle());
    bench.a.waits = "memory";
    bench.b.waits = "a queue";
    EXPECT_FALSE(bench.net.idle());
    Netlist::Reasons moving;
    EXPECT_THAT(bench.net.waiting(moving),
                ElementsAre(Pair("b0", "a queue"), Pair("a0", "memory")));
    EXPECT_THAT(moving, IsEmpty());
}

// a0 polls, which is its own progress, and b0 carries the polls out.
TEST(Netlist, TellsWhoMovesForOthersFromWhoWaits) {
    Bench bench;
    StatsRegistry stats;
    bench.net.register_stats(stats, {});
    bench.a.waits = "memory";
    bench.b.waits = "a queue";
    bench.c.waits = "b0";
    bench.net.watch();
    Netlist::Reasons moving;
    EXPECT_EQ(bench.net.waiting(moving).size(), 3u);
    EXPECT_THAT(moving, IsEmpty());
    for (Block* block : {&bench.a, &bench.b, &bench.c})
        ++block->polls;
    EXPECT_THAT(bench.net.waiting(moving), ElementsAre(Pair("c0", "b0"), Pair("a0", "memory")));
    EXPECT_THAT(moving, ElementsAre(Pair("b0", "a queue")));
    moving.clear();
    bench.net.watch();
    EXPECT_EQ(bench.net.waiting(moving).size(), 3u);
    EXPECT_THAT(moving, IsEmpty());
}

TEST(Netlist, ChannelsRefuseAtRandomInTheTestModeAlone) {
    for (const unsigned percent : {0u, 50u}) {
        ChipOptions options;
        options.stall_percent = percent;
        Netlist net(options);
        Channel<int> channel({1, 1}, "channel");
        net.channel(channel);
        unsigned refused = 0;
        for (Cycle now = 0; now < 200; ++now)
            refused += channel.can_push(now) ? 0 : 1;
        EXPECT_EQ(refused > 0, percent > 0) << percent;
    }
}

}  // namespace
}  // namespace archipelago::asic::netlist_test
