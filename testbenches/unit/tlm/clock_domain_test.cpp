// SPDX-License-Identifier: Apache-2.0
#include "tlm/clock_domain.h"

#include <gtest/gtest.h>

#include <tlm>
#include <vector>

#include "models/common/channel.h"
#include "models/common/error.h"

namespace archipelago::tlm_shell::clock_domain_test {
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

// A block that pushes without asking for room.
TEST(ClockDomain, ABlockThatOverfillsAChannelStopsTheMachineByName) {
    struct Doctored : Clocked {
        Channel<int> out{{2, 1}, "doctored.out"};
        bool tick(Cycle now) override {
            out.push(now, 1);
            return true;
        }
    };
    RunControl control;
    ClockDomain clock("clock", 1000, control);
    Doctored d;
    clock.add(d);
    d.wake_at(100);
    sc_core::sc_start();
    ASSERT_TRUE(control.error());
    try {
        std::rethrow_exception(control.error());
    } catch (const MachineStop& stop) {
        EXPECT_EQ(stop.kind(), StopKind::Internal);
        EXPECT_STREQ(stop.what(),
                     "doctored.out: pushed into while full in cycle 102: a mistake of the model");
    }
}

TEST(ClockDomain, EdgeAfterIsNeverTheCurrentOne) {
    RunControl control;
    ClockDomain clock("clock", 1000, control);
    EXPECT_EQ(clock.edge_after(sc_core::SC_ZERO_TIME), 1u);
    EXPECT_EQ(clock.edge_after(sc_core::sc_time::from_value(999)), 1u);
    EXPECT_EQ(clock.edge_after(sc_core::sc_time::from_value(1001)), 2u);
}

// The behaviour of a machine must not depend on how its clocks are stepped.
TEST(ClockDomain, RunningAheadTicksTheSameCyclesAndStopsForOthers) {
    RunControl control;
    control.decouple();
    ClockDomain fast("fast", 1000, control);
    ClockDomain slow("slow", 2500, control);
    struct Watcher : sc_core::sc_module {
        explicit Watcher(const sc_core::sc_module_name& name) : sc_core::sc_module(name) {
            SC_HAS_PROCESS(Watcher);
            SC_METHOD(look);
            sensitive << event;
            dont_initialize();
        }
        void look() {
            at.push_back(sc_core::sc_time_stamp().value());
            ticks_by_then.push_back(recorder->ticks.size());
        }
        sc_core::sc_event event;
        Recorder* recorder = nullptr;
        std::vector<uint64_t> at;
        std::vector<size_t> ticks_by_then;
    } watcher("watcher");
    // Tells the outside something in its cycle 40.
    struct Telling : Recorder {
        RunControl* control = nullptr;
        ClockDomain* clock = nullptr;
        sc_core::sc_event* event = nullptr;
        std::vector<uint64_t> times;
        bool tick(Cycle now) override {
            times.push_back(clock->now());
            if (now == 40)
                control->notify(*event, sc_core::sc_time::from_value(300));
            return Recorder::tick(now);
        }
    } a;
    Recorder b;
    fast.add(a);
    slow.add(b);
    watcher.recorder = &a;
    a.control = &control;
    a.clock = &fast;
    a.event = &watcher.event;
    a.busy_until = 99;
    b.busy_until = 20;
    a.wake_at(1);
    b.wake_at(1);
    watcher.event.notify(sc_core::sc_time::from_value(10'500));
    sc_core::sc_start();
    ASSERT_EQ(a.ticks.size(), 99u);
    for (size_t i = 0; i < a.ticks.size(); ++i) {
        EXPECT_EQ(a.ticks[i], i + 1);
        EXPECT_EQ(a.times[i], i + 1);  // the clock's time is that of the edge
    }
    EXPECT_EQ(b.ticks.size(), 20u);
    EXPECT_EQ(watcher.at, (std::vector<uint64_t>{10'500, 40'300}));
    // Nothing later than the event has happened when it comes.
    EXPECT_EQ(watcher.ticks_by_then, (std::vector<size_t>{10, 40}));
    // The kernel has seen a few edges only.
    EXPECT_LT(sc_core::sc_delta_count(), 20u);
}

TEST(ClockDomain, AnEventInTheCycleOfAnEdgeComesBetweenTheEdges) {
    RunControl control;
    control.decouple();
    ClockDomain clock("clock", 1000, control);
    Recorder r;
    clock.add(r);
    r.busy_until = 50;
    r.wake_at(1);
    struct Waker : sc_core::sc_module {
        explicit Waker(const sc_core::sc_module_name& name) : sc_core::sc_module(name) {
            SC_HAS_PROCESS(Waker);
            SC_THREAD(run);
        }
        void run() {
            wait(sc_core::sc_time::from_value(20'000));
            ticks = recorder->ticks.size();
            now = clock->now();
            wait(sc_core::sc_time::from_value(100'000));
            recorder->wake_at(0);  // a sleeping clock resumes at the time of its wake-up
        }
        Recorder* recorder = nullptr;
        ClockDomain* clock = nullptr;
        size_t ticks = 0;
        Cycle now = 0;
    } waker("waker");
    waker.recorder = &r;
    waker.clock = &clock;
    sc_core::sc_start();
    EXPECT_EQ(waker.now, 20u);
    EXPECT_GE(waker.ticks, 19u);
    EXPECT_LE(waker.ticks, 20u);
    ASSERT_EQ(r.ticks.size(), 51u);
    EXPECT_EQ(r.ticks.back(), 120u);
}

TEST(ClockDomain, AClockThatHasTheTimeToItselfGivesWayToOneThatItWakes) {
    RunControl control;
    control.decouple();
    ClockDomain fast("fast", 1000, control);
    ClockDomain slow("slow", 2500, control);
    struct Woken : Clocked {
        const Recorder* other = nullptr;
        std::vector<std::pair<Cycle, size_t>> ticks;  // with those the other had by then
        bool tick(Cycle now) override {
            ticks.emplace_back(now, other->ticks.size());
            return false;
        }
    } woken;
    struct Waking : Recorder {
        Clocked* other = nullptr;
        bool tick(Cycle now) override {
            if (now == 11)
                other->wake_at(0);
            if (now == 18)
                other->wake_at(9);
            return Recorder::tick(now);
        }
    } waking;
    fast.add(waking);
    slow.add(woken);
    woken.other = &waking;
    waking.other = &woken;
    waking.busy_until = 40;
    waking.wake_at(1);
    sc_core::sc_start();
    // Its edges 5 and 9 are at 12.5 and 22.5 cycles of the other.
    EXPECT_EQ(woken.ticks, (std::vector<std::pair<Cycle, size_t>>{{5, 12}, {9, 22}}));
    EXPECT_EQ(waking.ticks.size(), 40u);
}

// A machine that is never idle: sc_start() returns, and the machine is ahead by a quantum.
void expect_ahead_by(uint64_t quantum) {
    RunControl control;
    control.decouple();
    ClockDomain clock("clock", 1'000'000, control);
    Recorder restless;
    clock.add(restless);
    restless.busy_until = kNever;
    restless.wake_at(1);
    const uint64_t run = 3 * quantum / 2;
    sc_core::sc_start(sc_core::sc_time::from_value(run));
    EXPECT_EQ(sc_core::sc_time_stamp().value(), run);
    EXPECT_GT(control.time(), run);
    EXPECT_LE(control.time(), run + quantum);
    EXPECT_EQ(restless.ticks.size(), control.time() / clock.period_fs());
    EXPECT_EQ(control.lead().value(), control.time() - run);
}

TEST(ClockDomain, IsAheadByAMillisecondAtMost) {
    expect_ahead_by(RunControl::kQuantum);
}

TEST(ClockDomain, IsAheadByTheGlobalQuantumAtMost) {
    tlm::tlm_global_quantum::instance().set(sc_core::sc_time(20, sc_core::SC_US));
    expect_ahead_by(20'000'000'000);
}

TEST(ClockDomain, AStopWhileAheadKeepsTheTimeOfTheStop) {
    struct Failing : Clocked {
        bool tick(Cycle now) override {
            if (now == 77)
                throw MachineStop(StopKind::Fault, "cu0", "boom");
            return true;
        }
    };
    RunControl control;
    control.decouple();
    ClockDomain clock("clock", 1000, control);
    Failing f;
    clock.add(f);
    f.wake_at(1);
    sc_core::sc_start();
    ASSERT_TRUE(control.error());
    EXPECT_EQ(clock.now(), 77u);
}

}  // namespace
}  // namespace archipelago::tlm_shell::clock_domain_test
