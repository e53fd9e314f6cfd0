// SPDX-License-Identifier: Apache-2.0
// The global data share: what requests do, and when they are answered.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "models/gcn/si/front_end.h"
#include "models/gds/gds_core.h"
#include "models/gds/gds_execute.h"
#include "testbenches/unit/gds/map.h"

namespace archipelago::gds {
namespace {

using ::testing::HasSubstr;

class Execute : public ::testing::Test {
  protected:
    Execute() { contents.memory.resize(1024); }
    // Answers of one request.
    std::vector<GdsResponse> run(const GdsRequest& request) {
        std::vector<GdsResponse> done;
        execute(map(), contents, request, done);
        return done;
    }
    uint64_t word(unsigned at, unsigned bytes = 4) const {
        uint64_t value = 0;
        std::memcpy(&value, &contents.memory[at], bytes);
        return value;
    }
    static GdsRequest access(GdsCommand command, unsigned bytes = 4, uint64_t lanes = 1) {
        GdsRequest r;
        r.command = command;
        r.bytes = static_cast<uint8_t>(bytes);
        r.lanes = {lanes, lanes};
        return r;
    }
    static GdsRequest sync(GdsCommand command, unsigned resource, unsigned value, uint32_t tag) {
        GdsRequest r;
        r.command = command;
        r.resource = static_cast<uint8_t>(resource);
        r.value = value;
        r.tag = tag;
        return r;
    }
    Contents contents;
};

TEST_F(Execute, ReadsAndWritesOfEveryWidth) {
    for (const unsigned bytes : {1u, 2u, 4u, 8u}) {
        GdsRequest w = access(GdsCommand::Write, bytes, 3);
        w.address[0] = {16, 32};
        w.data[0] = {0x89abcdef, 0x11223344};
        w.data[1] = {0x01234567, 0x55667788};
        ASSERT_EQ(run(w).size(), 1u);
        const uint64_t mask = bytes == 8 ? ~uint64_t{0} : (uint64_t{1} << 8 * bytes) - 1;
        EXPECT_EQ(word(16, bytes), 0x0123456789abcdefu & mask);
        EXPECT_EQ(word(32, bytes), 0x5566778811223344u & mask);
        GdsRequest r = access(GdsCommand::Read, bytes, 3);
        r.address[0] = w.address[0];
        const GdsResponse plain = run(r).at(0);
        EXPECT_EQ(plain.data[0][0], static_cast<uint32_t>(0x89abcdef & mask));
        EXPECT_EQ(plain.data[1][0], bytes == 8 ? 0x01234567u : 0u);
        r.sign_extend = true;
        EXPECT_EQ(run(r).at(0).data[0][0], bytes == 1   ? 0xffffffefu
                                           : bytes == 2 ? 0xffffcdefu
                                                        : 0x89abcdefu);
    }
}

TEST_F(Execute, AtomicsActInTheOrderOfLanes) {
    GdsRequest a = access(GdsCommand::Atomic, 4, ~uint64_t{0});
    a.atomic = AtomicOp::Add;
    a.data[0].fill(3);
    const GdsResponse old = run(a).at(0);
    for (unsigned l = 0; l < 64; ++l)
        EXPECT_EQ(old.data[0][l], 3 * l);
    EXPECT_EQ(word(0), 192u);
    // The first operand is compared with, the second written.
    GdsRequest c = access(GdsCommand::Atomic, 8, 3);
    c.atomic = AtomicOp::CmpSwap;
    c.data[0] = {192, 5};
    c.data[2] = {7, 9};
    c.data[3] = {1, 1};
    run(c);
    EXPECT_EQ(word(0, 8), 0x100000007u);
}

TEST_F(Execute, MaskOrExchangeAndCopies) {
    GdsRequest w = access(GdsCommand::Write);
    w.data[0][0] = 0xff00;
    run(w);
    GdsRequest m = access(GdsCommand::MaskOr);
    m.data[0][0] = 0x0f00;
    m.data[1][0] = 0x0001;
    EXPECT_EQ(run(m).at(0).data[0][0], 0xff00u);
    EXPECT_EQ(word(0), 0xf001u);
    GdsRequest x = access(GdsCommand::Exchange);
    x.elements = 2;
    x.address[1][0] = 4;
    x.data[0][0] = 11;
    x.data[1][0] = 22;
    const GdsResponse old = run(x).at(0);
    EXPECT_EQ(old.data[0][0], 0xf001u);
    EXPECT_EQ(old.data[1][0], 0u);
    GdsRequest f = access(GdsCommand::FromMemory);
    f.atomic = AtomicOp::Add;
    f.address[0][0] = 4;
    run(f);
    EXPECT_EQ(word(4), 33u);
    f.atomic = AtomicOp::None;
    run(f);
    EXPECT_EQ(word(4), 11u);
    f.lanes[1] = 0;  // the source is out of range
    run(f);
    EXPECT_EQ(word(4), 0u);
}

TEST_F(Execute, ReachingBeyondThePartitionReadsZeroAndWritesNothing) {
    contents.partitions[5] = {256, 64, 8, 4};
    GdsRequest w = access(GdsCommand::Write, 4, 3);
    w.vmid = 5;
    w.address[0] = {60, 64};
    w.data[0] = {1, 2};
    run(w);
    EXPECT_EQ(word(316), 1u);
    EXPECT_EQ(word(320), 0u);
    GdsRequest r = access(GdsCommand::Read, 8, 1);
    r.address[0][0] = 1020;
    EXPECT_EQ(run(r).at(0).data[0][0], 0u);
    GdsRequest a = access(GdsCommand::Append);
    a.vmid = 5;
    a.address[0][0] = 62;
    a.value = 5;
    EXPECT_EQ(run(a).at(0).data[0][0], 0u);
    EXPECT_EQ(word(316), 1u);
}

TEST_F(Execute, AppendAndConsumeGiveEveryLaneTheOldCounter) {
    GdsRequest a = access(GdsCommand::Append);
    a.value = 64;
    run(a);
    const GdsResponse second = run(a).at(0);
    EXPECT_EQ(second.data[0][0], 64u);
    EXPECT_EQ(second.data[0][63], 64u);
    a.command = GdsCommand::Consume;
    a.value = 10;
    EXPECT_EQ(run(a).at(0).data[0][7], 128u);
    EXPECT_EQ(word(0), 118u);
}

GdsRequest ordered(unsigned wave, unsigned counter, bool release, bool done) {
    GdsRequest r;
    r.command = GdsCommand::OrderedCount;
    r.order = static_cast<uint16_t>(wave);
    r.counter = static_cast<uint8_t>(counter);
    r.release = release;
    r.done = done;
    r.value = 1 + wave;
    r.lanes = {1, 0};
    r.address[0][0] = 4 * counter;
    r.tag = wave;
    return r;
}

TEST_F(Execute, OrderedCountsWaitForTheirTurn) {
    EXPECT_EQ(run(ordered(2, 0, true, false)).size(), 0u);
    EXPECT_EQ(run(ordered(1, 0, true, false)).size(), 0u);
    EXPECT_THAT(waiting(contents), HasSubstr("ordered wave 2 at counter 0, due is wave 0"));
    const auto all = run(ordered(0, 0, true, false));
    ASSERT_EQ(all.size(), 3u);
    EXPECT_EQ(all[0].tag, 0u);
    EXPECT_EQ(all[1].tag, 1u);
    EXPECT_EQ(all[2].tag, 2u);
    EXPECT_EQ(all[2].data[0][0], 3u);
    EXPECT_EQ(word(0), 6u);
    // Without a release the wave may come again, and the others wait.
    EXPECT_EQ(run(ordered(0, 1, false, false)).size(), 1u);
    EXPECT_EQ(run(ordered(1, 1, true, false)).size(), 0u);
    // `done` lets the next pass regardless of where this wave was due.
    EXPECT_EQ(run(ordered(0, 2, false, true)).size(), 2u);
}

TEST_F(Execute, ABarrierReleasesEveryoneWhenTheCountIsReached) {
    run(sync(GdsCommand::SyncInit, 3, 2, 0));
    EXPECT_EQ(run(sync(GdsCommand::SynchronisePass, 3, 1, 1)).size(), 0u);
    EXPECT_EQ(run(sync(GdsCommand::SynchronisePass, 3, 1, 2)).size(), 0u);
    EXPECT_THAT(waiting(contents), HasSubstr("2 at barrier 3 (counter 0)"));
    EXPECT_EQ(run(sync(GdsCommand::SynchronisePass, 3, 1, 3)).size(), 3u);
    // The last one's count is that of the next pass.
    EXPECT_EQ(run(sync(GdsCommand::SynchronisePass, 3, 1, 4)).size(), 0u);
    EXPECT_EQ(run(sync(GdsCommand::SynchronisePass, 3, 1, 5)).size(), 2u);
    EXPECT_EQ(waiting(contents), "");
}

TEST_F(Execute, SemaphoresCount) {
    EXPECT_EQ(run(sync(GdsCommand::SemaphoreUp, 1, 1, 0)).size(), 1u);
    EXPECT_EQ(run(sync(GdsCommand::SemaphoreDown, 1, 0, 1)).size(), 1u);
    EXPECT_EQ(run(sync(GdsCommand::SemaphoreDown, 1, 0, 2)).size(), 0u);
    EXPECT_EQ(run(sync(GdsCommand::SemaphoreDown, 1, 0, 3)).size(), 0u);
    const auto released = run(sync(GdsCommand::SemaphoreUp, 1, 5, 4));
    ASSERT_EQ(released.size(), 3u);
    EXPECT_EQ(released[0].tag, 2u);
    EXPECT_EQ(contents.resources[1].counter, 3u);
}

TEST_F(Execute, ResourcesBelongToPartitions) {
    contents.partitions[5] = {0, 1024, 8, 4};
    GdsRequest up = sync(GdsCommand::SemaphoreUp, 2, 1, 0);
    up.vmid = 5;
    run(up);
    EXPECT_EQ(contents.resources[10].counter, 1u);
    up.resource = 9;  // beyond its four: the last
    run(up);
    EXPECT_EQ(contents.resources[11].counter, 1u);
}

// ---- time ---------------------------------------------------------------------------------------

class Timed : public ::testing::Test {
  protected:
    static GdsSpec spec() {
        GdsSpec s = gcn::si::gds_spec();
        s.units = 2;
        s.request_in = {8, 1};
        s.lanes_per_cycle = 4;
        s.request_cycles = 4;
        s.latency = 10;
        return s;
    }
    struct Unit : Clocked {
        Unit() : in({8, 1}) { in.set_consumer(this); }
        bool tick(Cycle now) override {
            bool moved = false;
            while (in.can_pop(now)) {
                tags.push_back(in.pop(now).tag);
                at.push_back(now);
                moved = true;
            }
            return moved;
        }
        Channel<GdsResponse> in;
        std::vector<uint32_t> tags;
        std::vector<Cycle> at;
    };
    Timed() : core(spec()) {
        scheduler.add(core);
        for (unsigned i = 0; i < 2; ++i) {
            scheduler.add(unit[i]);
            core.to_unit[i].connect(unit[i].in);
        }
    }
    void push(unsigned from, uint64_t lanes, uint32_t tag) {
        GdsRequest r;
        r.lanes = {lanes, 0};
        r.tag = tag;
        core.from_unit(from).push(0, r);
    }
    GdsCore core;
    Unit unit[2];
    Scheduler scheduler;
};

TEST_F(Timed, ARequestTakesItsLanesAndTheLatency) {
    push(0, ~uint64_t{0}, 7);  // visible in cycle 1, sixteen cycles of work, ten on the way
    scheduler.run(1000);
    ASSERT_EQ(unit[0].at.size(), 1u);
    EXPECT_EQ(unit[0].at[0], 1u + 16 + 10 + 1);
    EXPECT_EQ(core.state().counters.busy_cycles, 16u);
    EXPECT_TRUE(core.idle());
}

TEST_F(Timed, SmallRequestsTakeTheLeastTimeAndUnitsTakeTurns) {
    for (uint32_t i = 0; i < 3; ++i) {
        push(0, 1, i);
        push(1, 1, 10 + i);
    }
    scheduler.run(1000);
    EXPECT_EQ(unit[0].at, (std::vector<Cycle>{1 + 4 + 11, 1 + 12 + 11, 1 + 20 + 11}));
    EXPECT_EQ(unit[1].at, (std::vector<Cycle>{1 + 8 + 11, 1 + 16 + 11, 1 + 24 + 11}));
    EXPECT_EQ(unit[1].tags, (std::vector<uint32_t>{10, 11, 12}));
}

TEST_F(Timed, WhoWaitsIsNamedAndReleasedByAnother) {
    GdsRequest down;
    down.command = GdsCommand::SemaphoreDown;
    down.tag = 1;
    core.from_unit(0).push(0, down);
    scheduler.run(1000);
    EXPECT_FALSE(core.idle());
    EXPECT_THAT(core.waiting_for(), HasSubstr("1 at semaphore 0 (counter 0)"));
    GdsRequest up;
    up.command = GdsCommand::SemaphoreUp;
    up.value = 1;
    up.tag = 2;
    core.from_unit(1).push(1000, up);
    scheduler.run(2000);
    EXPECT_EQ(unit[0].tags, std::vector<uint32_t>{1});
    EXPECT_EQ(unit[1].tags, std::vector<uint32_t>{2});
    EXPECT_TRUE(core.idle());
    EXPECT_EQ(core.state().counters.waited, 1u);
    EXPECT_EQ(core.waiting_for(), "");
}

TEST(GdsSpec, FieldsOutOfRangeAreNamed) {
    GdsSpec s = gcn::si::gds_spec();
    s.latency = 0;
    try {
        s.validate();
        FAIL();
    } catch (const std::invalid_argument& e) {
        EXPECT_STREQ(e.what(), "gds.latency: 0 not in 1..1048576");
    }
}

}  // namespace
}  // namespace archipelago::gds
