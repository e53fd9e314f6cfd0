// SPDX-License-Identifier: Apache-2.0
#include "tlm/clock_domain.h"

#include <gtest/gtest.h>

#include <vector>

#include "models/common/error.h"

namespace archipelago::tlm_shell {
namespace {

struct Recorder : Clocked {
    std::vector<Cycle> ticks;
    Cycle busy_until = 0;
    Clocked* other = nullptr;
    bool tick(Cycle now) override {
        ticks.push_back(now);
        if (other != nullptr)
            other->wake_at(0);
        return now < busy_until;
    }
};

TEST(ClockDomain, TicksOnWholePeriodsAndSkipsWhenAllSleep) {
    RunControl control;
    ClockDomain clock("clock", 1081081, control);
    Recorder r;
    clock.add(r);
    r.busy_until = 12;
    r.wake_at(10);
    r.wake_at(1'000'000);
    sc_core::sc_start();
    EXPECT_EQ(r.ticks, (std::vector<Cycle>{10, 11, 12, 1'000'000}));
    EXPECT_EQ(sc_core::sc_time_stamp().value(), 1'000'000ull * 1081081);
    EXPECT_EQ(clock.scheduler().steps(), 4u);
}

TEST(ClockDomain, AnIdleClockCostsNothing) {
    RunControl control;
    ClockDomain clock("clock", 1000, control);
    Recorder r;
    clock.add(r);
    sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_SEC));
    EXPECT_TRUE(r.ticks.empty());
    EXPECT_EQ(clock.scheduler().steps(), 0u);
}

TEST(ClockDomain, AWakeFromAnotherClockReachesTheNextEdge) {
    RunControl control;
    ClockDomain fast("fast", 1000, control);
    ClockDomain slow("slow", 2500, control);
    Recorder a;
    Recorder b;
    fast.add(a);
    slow.add(b);
    a.other = &b;  // wakes b "as soon as possible"
    b.wake_at(100);
    a.wake_at(7);  // 7 ns: slow's next edge is 7.5 ns, its cycle 3
    sc_core::sc_start();
    ASSERT_FALSE(b.ticks.empty());
    EXPECT_LE(b.ticks.front(), 3u);
    EXPECT_EQ(b.ticks.back(), 100u);
}

TEST(ClockDomain, AStopThrownByACoreReachesTheHostWithItsKind) {
    struct Failing : Clocked {
        bool tick(Cycle) override { throw MachineStop(StopKind::Fault, "cu0", "boom"); }
    };
    RunControl control;
    ClockDomain clock("clock", 1000, control);
    Failing f;
    clock.add(f);
    f.wake_at(3);
    sc_core::sc_start();
    ASSERT_TRUE(control.error());
    try {
        std::rethrow_exception(control.error());
    } catch (const MachineStop& stop) {
        EXPECT_EQ(stop.kind(), StopKind::Fault);
        EXPECT_STREQ(stop.what(), "cu0: boom");
    }
}

TEST(ClockDomain, EdgeAfterIsNeverTheCurrentOne) {
    RunControl control;
    ClockDomain clock("clock", 1000, control);
    EXPECT_EQ(clock.edge_after(sc_core::SC_ZERO_TIME), 1u);
    EXPECT_EQ(clock.edge_after(sc_core::sc_time::from_value(999)), 1u);
    EXPECT_EQ(clock.edge_after(sc_core::sc_time::from_value(1001)), 2u);
}

}  // namespace
}  // namespace archipelago::tlm_shell
