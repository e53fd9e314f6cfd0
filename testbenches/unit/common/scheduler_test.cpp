// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "models/common/clocked.h"

namespace archipelago::scheduler_test {
namespace {

struct Recorder : Clocked {
    std::vector<Cycle> ticks;
    Cycle busy_until = 0;
    bool tick(Cycle now) override {
        ticks.push_back(now);
        return now < busy_until;
    }
};

TEST(Scheduler, SleepsUntilWokenAndNeverTicksWithoutReason) {
    Scheduler s;
    Recorder r;
    s.add(r);
    EXPECT_EQ(s.next_wake(), kNever);
    r.wake_at(5);
    EXPECT_EQ(s.next_wake(), 5u);
    s.run(100);
    EXPECT_EQ(r.ticks, (std::vector<Cycle>{5}));
    EXPECT_EQ(s.next_wake(), kNever);
}

TEST(Scheduler, ProgressGivesATickInEveryFollowingCycle) {
    Scheduler s;
    Recorder r;
    s.add(r);
    r.busy_until = 8;
    r.wake_at(5);
    s.run(100);
    EXPECT_EQ(r.ticks, (std::vector<Cycle>{5, 6, 7, 8}));
}

TEST(Scheduler, WakesBeyondTheWheelArriveExactly) {
    Scheduler s;
    Recorder r;
    s.add(r);
    const std::vector<Cycle> asked = {3, 255, 256, 257, 1000, 123456};
    for (const Cycle at : asked)
        r.wake_at(at);
    s.run(kNever - 1);
    EXPECT_EQ(r.ticks, asked);
}

TEST(Scheduler, ALaterFarWakeIsNotSwallowedByAnEarlierOne) {
    Scheduler s;
    Recorder r;
    s.add(r);
    r.wake_at(1000);
    r.wake_at(2000);
    s.run(kNever - 1);
    EXPECT_EQ(r.ticks, (std::vector<Cycle>{1000, 2000}));
}

TEST(Scheduler, ManyMembersAllWakeInTheirCycle) {
    Scheduler s;
    std::vector<Recorder> members(200);
    for (auto& m : members)
        s.add(m);
    for (size_t i = 0; i < members.size(); ++i)
        members[i].wake_at(1 + i % 7);
    s.run(1000);
    for (size_t i = 0; i < members.size(); ++i)
        EXPECT_EQ(members[i].ticks, (std::vector<Cycle>{1 + i % 7})) << i;
    EXPECT_EQ(s.steps(), 7u);
}

TEST(Scheduler, ThousandsOfMembersTickInTheirCyclesAlone) {
    // More than have a bit of their own in what a cycle keeps of the words that are due.
    constexpr unsigned kMembers = 64 * 66 + 5;
    Scheduler s;
    std::vector<std::unique_ptr<Recorder>> members;
    for (unsigned i = 0; i < kMembers; ++i) {
        members.push_back(std::make_unique<Recorder>());
        s.add(*members.back());
    }
    const auto first = [](unsigned i) { return Cycle{1} + (i * 2654435761u >> 20) % 700; };
    for (unsigned i = 0; i < kMembers; ++i) {
        members[i]->busy_until = first(i) + i % 3;
        members[i]->wake_at(first(i));
    }
    s.run(5000);
    uint64_t ticks = 0;
    for (unsigned i = 0; i < kMembers; ++i) {
        std::vector<Cycle> want;
        for (Cycle at = first(i); at <= first(i) + i % 3; ++at)
            want.push_back(at);
        ASSERT_EQ(members[i]->ticks, want) << i;
        ticks += want.size();
    }
    EXPECT_EQ(s.ticks(), ticks);
}

TEST(Scheduler, ShuffleChangesTheOrderButNotTheSetOfTicks) {
    struct Ordered : Clocked {
        std::vector<int>* log = nullptr;
        int id = 0;
        bool tick(Cycle) override {
            log->push_back(id);
            return false;
        }
    };
    const auto order_with = [](uint64_t seed) {
        Scheduler s;
        std::vector<int> log;
        std::vector<Ordered> members(50);
        for (int i = 0; i < 50; ++i) {
            members[static_cast<size_t>(i)].log = &log;
            members[static_cast<size_t>(i)].id = i;
            s.add(members[static_cast<size_t>(i)]);
        }
        if (seed != 0)
            s.shuffle(seed);
        for (auto& m : members)
            m.wake_at(4);
        s.run(10);
        return log;
    };
    auto plain = order_with(0);
    auto shuffled = order_with(7);
    EXPECT_NE(plain, shuffled);
    std::sort(shuffled.begin(), shuffled.end());
    EXPECT_EQ(plain, shuffled);
}

TEST(Scheduler, AnObserverIsCalledBeforeTheFirstTickFromItsCycleOnAndCausesNone) {
    Scheduler s;
    Recorder r;
    s.add(r);
    struct Observer {
        const Recorder& recorder;
        std::vector<std::pair<Cycle, size_t>> calls;  // and how many ticks there had been
    } observer{r, {}};
    s.call_before(
        4,
        [](void* self, Cycle now) {
            auto& o = *static_cast<Observer*>(self);
            o.calls.emplace_back(now, o.recorder.ticks.size());
            return now + 10;
        },
        &observer);
    EXPECT_EQ(s.next_wake(), kNever);
    for (const Cycle at : {2, 5, 6, 14, 15, 300, 304, 305})
        r.wake_at(at);
    s.run(302);
    s.call_before(303, &observer);  // sooner than it has asked for
    s.run(1000);
    EXPECT_EQ(r.ticks, (std::vector<Cycle>{2, 5, 6, 14, 15, 300, 304, 305}));
    EXPECT_EQ(observer.calls,
              (std::vector<std::pair<Cycle, size_t>>{{5, 1}, {15, 4}, {300, 5}, {304, 6}}));
}

TEST(Scheduler, EachObserverIsCalledFromItsOwnCycleOn) {
    Scheduler s;
    Recorder r;
    s.add(r);
    struct Observer {
        Cycle pause;
        std::vector<Cycle> calls;
    } often{1, {}}, seldom{10, {}};
    const auto call = [](void* self, Cycle now) {
        auto& o = *static_cast<Observer*>(self);
        o.calls.push_back(now);
        return now + o.pause;
    };
    s.call_before(6, call, &seldom);
    s.call_before(2, call, &often);
    for (const Cycle at : {1, 3, 7, 8, 20})
        r.wake_at(at);
    s.run(7);
    s.call_before(8, &seldom);  // does not call the other sooner or later
    s.run(100);
    EXPECT_EQ(often.calls, (std::vector<Cycle>{3, 7, 8, 20}));
    EXPECT_EQ(seldom.calls, (std::vector<Cycle>{7, 8, 20}));
}

TEST(Scheduler, AnnouncesAWakeEarlierThanTheOneItPromised) {
    Scheduler s;
    Recorder r;
    s.add(r);
    std::vector<Cycle> announced;
    s.on_earlier_wake([](void* c, Cycle at) { static_cast<std::vector<Cycle>*>(c)->push_back(at); },
                      &announced);
    r.wake_at(50);
    r.wake_at(60);
    r.wake_at(20);
    EXPECT_EQ(announced, (std::vector<Cycle>{50, 20}));
}

struct OtherRecorder : Recorder {};

TEST(Scheduler, WakesScheduledBeforeTheFirstStepReachMembersOfEveryType) {
    Scheduler s;
    std::vector<std::unique_ptr<Recorder>> members;
    for (unsigned i = 0; i < 200; ++i) {
        if (i % 3 == 0)
            members.push_back(std::make_unique<OtherRecorder>());
        else
            members.push_back(std::make_unique<Recorder>());
        s.add(*members.back());
    }
    for (unsigned i = 0; i < 200; ++i) {
        members[i]->wake_at(i);
        members[i]->wake_at(1000 + i);  // beyond the wheel
    }
    s.run(kNever - 1);
    for (unsigned i = 0; i < 200; ++i)
        EXPECT_EQ(members[i]->ticks, (std::vector<Cycle>{i, 1000 + i})) << i;
}

TEST(Scheduler, MembersOfOneTypeAreTickedOneAfterTheOther) {
    struct Logger : Clocked {
        std::vector<char>* log = nullptr;
    };
    struct A : Logger {
        bool tick(Cycle) override {
            log->push_back('a');
            return false;
        }
    };
    struct B : Logger {
        bool tick(Cycle) override {
            log->push_back('b');
            return false;
        }
    };
    std::vector<char> log;
    A a[2];
    B b[2];
    Scheduler s;
    for (unsigned i = 0; i < 2; ++i) {
        for (Logger* member : {static_cast<Logger*>(&a[i]), static_cast<Logger*>(&b[i])}) {
            member->log = &log;
            s.add(*member);
            member->wake_at(7);
        }
    }
    s.run(10);
    EXPECT_EQ(log, (std::vector<char>{'a', 'a', 'b', 'b'}));
}

}  // namespace
}  // namespace archipelago::scheduler_test
