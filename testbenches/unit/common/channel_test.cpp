// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "models/common/channel.h"
#include "models/common/error.h"
#include "models/common/memory_message.h"
#include "models/common/wire.h"

namespace archipelago::channel_test {
namespace {

TEST(Channel, WhatIsPushedIsBlockedOneCycleBeforeItsLatencyAndThereAtIt) {
    for (const unsigned latency : {1u, 2u, 7u}) {
        Channel<int> c({4, latency});
        c.push(10, 42);
        EXPECT_FALSE(c.can_pop(10 + latency - 1)) << latency;
        ASSERT_TRUE(c.can_pop(10 + latency)) << latency;
        EXPECT_EQ(c.pop(10 + latency), 42);
    }
}

TEST(Channel, CapacityCountsWhatIsInFlight) {
    Channel<int> c({2, 5});
    EXPECT_EQ(c.space(0), 2u);
    c.push(0, 1);
    c.push(0, 2);
    EXPECT_FALSE(c.can_push(0));
    EXPECT_FALSE(c.can_push(4));
}

std::string internal_stop(const std::function<void()>& f) {
    try {
        f();
    } catch (const MachineStop& stop) {
        EXPECT_EQ(stop.kind(), StopKind::Internal) << stop.what();
        return stop.what();
    }
    return "";
}

TEST(Channel, APushIntoAFullOneStopsWithItsNameAndTheCycle) {
    Channel<int> c({1, 5}, "unit.to_unit");
    c.push(7, 1);
    const std::string text =
        "unit.to_unit: pushed into while full in cycle 9: a mistake of the model";
    EXPECT_EQ(internal_stop([&] { c.push(9, 2); }), text);
    EXPECT_EQ(internal_stop([&] { c.push_at(9, 10, 2); }), text);
    EXPECT_EQ(internal_stop([&] { c.emplace(9, [](int& value) { value = 2; }); }), text);
    EXPECT_EQ(c.size(), 1u);
}

TEST(Channel, OneWithoutCapacityOrLatencyIsRefused) {
    EXPECT_NE(internal_stop([] { Channel<int> c({0, 1}, "none"); }), "");
    EXPECT_NE(internal_stop([] { Channel<int> c({1, 0}, "none"); }), "");
    EXPECT_NE(internal_stop([] { EventLink<int> link(0); }), "");
}

TEST(Channel, APoppedPlaceIsFreeInTheNextCycleOnly) {
    Channel<int> c({1, 1});
    c.push(0, 1);
    EXPECT_EQ(c.pop(1), 1);
    EXPECT_FALSE(c.can_push(1));
    EXPECT_TRUE(c.can_push(2));
}

// Producer and consumer that move as much as they can, logging what arrives when.
struct Producer : Clocked {
    Channel<int>* out = nullptr;
    int next = 0, end = 0;
    bool tick(Cycle now) override {
        if (next == end || !out->can_push(now))
            return false;
        out->push(now, next++);
        return true;
    }
};
struct Consumer : Clocked {
    Channel<int>* in = nullptr;
    unsigned every = 1;  // accepts one item in `every` cycles
    Cycle ready = 0;
    std::vector<std::pair<Cycle, int>> got;
    bool tick(Cycle now) override {
        if (!in->can_pop(now))
            return false;
        if (now < ready) {
            wake_at(ready);
            return false;
        }
        got.emplace_back(now, in->pop(now));
        ready = now + every;
        return true;
    }
};

std::vector<std::pair<Cycle, int>> stream(ChannelSpec spec, unsigned every, uint64_t shuffle,
                                          unsigned stall) {
    Scheduler s;
    Channel<int> c(spec);
    Producer p;
    Consumer q;
    p.out = q.in = &c;
    p.end = 200;
    q.every = every;
    s.add(p);
    s.add(q);
    c.set_producer(&p);
    c.set_consumer(&q);
    if (shuffle != 0)
        s.shuffle(shuffle);
    if (stall != 0)
        c.random_stall(99, stall);
    p.wake_at(0);
    s.run(100000);
    EXPECT_TRUE(c.empty());
    return q.got;
}

TEST(Channel, StreamsOneItemACycleWhenDeepEnough) {
    const auto got = stream({4, 2}, 1, 0, 0);
    ASSERT_EQ(got.size(), 200u);
    EXPECT_EQ(got.back().first - got.front().first, 199u);
}

TEST(Channel, TickOrderCannotBeSeen) {
    for (const ChannelSpec spec : {ChannelSpec{1, 1}, ChannelSpec{2, 1}, ChannelSpec{3, 5}})
        for (const unsigned every : {1u, 3u})
            for (const unsigned stall : {0u, 40u}) {
                const auto plain = stream(spec, every, 0, stall);
                ASSERT_EQ(plain.size(), 200u);
                for (uint64_t seed = 1; seed < 6; ++seed)
                    EXPECT_EQ(plain, stream(spec, every, seed * 77, stall));
            }
}

TEST(Channel, RandomStallsDelayButNeverLoseOrReorder) {
    const auto got = stream({2, 1}, 1, 0, 50);
    ASSERT_EQ(got.size(), 200u);
    for (int i = 0; i < 200; ++i)
        EXPECT_EQ(got[static_cast<size_t>(i)].second, i);
    EXPECT_GT(got.back().first, 300u);
}

TEST(Channel, AProbeSeesBothEnds) {
    struct Probe : ChannelProbe<int> {
        std::vector<std::pair<char, Cycle>> log;
        void pushed(Cycle now, const int&) override { log.emplace_back('+', now); }
        void popped(Cycle now, const int&) override { log.emplace_back('-', now); }
    } probe;
    Channel<int> c({2, 3});
    c.set_probe(&probe);
    c.push(1, 5);
    c.pop(4);
    EXPECT_EQ(probe.log, (std::vector<std::pair<char, Cycle>>{{'+', 1}, {'-', 4}}));
}

TEST(Channel, ItsBitSaysWhetherItIsEmpty) {
    uint64_t inputs = 0;
    Consumer consumer;
    Channel<int> c({4, 3});
    c.set_consumer(&consumer, inputs, 5);
    c.push(0, 1);
    c.push(0, 2);
    EXPECT_EQ(inputs, uint64_t{1} << 5);  // in flight counts
    c.pop(3);
    EXPECT_EQ(inputs, uint64_t{1} << 5);
    c.drop(3);
    EXPECT_EQ(inputs, 0u);
    c.push(4, 3);
    c.clear();
    EXPECT_EQ(inputs, 0u);
    EXPECT_EQ(c.pushes(), 3u);
}

// All of it but what its command does not carry, regardless of what lay in its place before.
TEST(Channel, MemoryMessagesArriveAsTheyAreSent) {
    Channel<MemRequest> requests({2, 1});
    Channel<MemResponse> responses({2, 1});
    std::mt19937_64 random(7);
    const auto line = [&] {
        Line data;
        for (uint8_t& byte : data)
            byte = static_cast<uint8_t>(random());
        return data;
    };
    const MemCommand commands[] = {MemCommand::Read, MemCommand::Write, MemCommand::Atomic};
    for (Cycle now = 1; now < 200; ++now) {
        MemRequest r;
        r.line = random();
        r.byte_mask = random();
        r.command = commands[random() % 3];
        r.atomic = AtomicOp::Add;
        r.atomic_bytes = 8;
        r.client = Client::Vector;
        r.vmid = static_cast<uint8_t>(random());
        r.glc = random() % 2 != 0;
        r.slc = random() % 2 != 0;
        r.write_through = random() % 2 != 0;
        r.returns = random() % 2 != 0;
        r.source = static_cast<uint16_t>(random());
        r.port = static_cast<uint16_t>(random());
        r.tag = static_cast<uint32_t>(random());
        r.uid = random();
        r.data = line();
        r.compare = random();
        requests.push(2 * now, r);
        const MemRequest got = requests.pop(2 * now + 1);
        const auto head = [](const MemRequest& m) {
            return std::tie(m.line, m.byte_mask, m.command, m.atomic, m.atomic_bytes, m.client,
                            m.vmid, m.glc, m.slc, m.write_through, m.returns, m.source, m.port,
                            m.tag, m.uid);
        };
        EXPECT_EQ(head(got), head(r));
        if (r.command != MemCommand::Read) {
            EXPECT_EQ(got.data, r.data);
            EXPECT_EQ(got.compare, r.compare);
        }
        MemResponse a;
        a.tag = r.tag;
        a.port = r.port;
        a.status = random() % 2 != 0 ? MemStatus::Unmapped : MemStatus::Ok;
        a.command = r.command;
        a.line = r.line;
        a.uid = r.uid;
        a.data = r.data;
        responses.push(2 * now, a);
        const MemResponse answer = responses.pop(2 * now + 1);
        EXPECT_EQ(std::tie(answer.tag, answer.port, answer.status, answer.command, answer.line,
                           answer.uid),
                  std::tie(a.tag, a.port, a.status, a.command, a.line, a.uid));
        if (a.command != MemCommand::Write) {
            EXPECT_EQ(answer.data, a.data);
        }
    }
}

TEST(EventLink, ItsBitSaysWhetherItIsEmpty) {
    uint64_t inputs = 0;
    Consumer consumer;
    EventLink<int> link(2);
    link.set_consumer(&consumer, inputs, 63);
    link.send(0, 1);
    link.send(0, 2);
    link.take();
    EXPECT_EQ(inputs, uint64_t{1} << 63);
    link.take();
    EXPECT_EQ(inputs, 0u);
    link.send(0, 3);
    link.clear();
    EXPECT_EQ(inputs, 0u);
}

TEST(EventLink, DeliversEveryStrobeInOrderAfterItsLatency) {
    EventLink<int> link(3);
    for (int i = 0; i < 100; ++i)
        link.send(10, i);
    EXPECT_FALSE(link.ready(12));
    for (int i = 0; i < 100; ++i) {
        ASSERT_TRUE(link.ready(13));
        EXPECT_EQ(link.take(), i);
    }
    EXPECT_TRUE(link.empty());
}

TEST(EventLink, AStreamThatNeverRunsEmptyDoesNotGrow) {
    EventLink<int> link(2);
    link.send(0, 0);
    for (Cycle now = 1; now < 10000; ++now) {
        link.send(now, static_cast<int>(now));
        if (now >= 2) {
            ASSERT_TRUE(link.ready(now));
            ASSERT_EQ(link.take(), static_cast<int>(now) - 2);
        }
    }
    EXPECT_LT(link.stored(), 1000u);
}

TEST(Channel, ClearingAFullChannelWakesTheProducerThatWaitsForRoom) {
    struct Sleeper : Clocked {
        Channel<int>* out = nullptr;
        unsigned pushed = 0;
        bool tick(Cycle now) override {
            if (!out->can_push(now))
                return false;
            out->push(now, 1);
            ++pushed;
            return true;
        }
    } sleeper;
    Scheduler s;
    Channel<int> c({2, 1});
    s.add(sleeper);
    sleeper.out = &c;
    c.set_producer(&sleeper);
    sleeper.wake_at(0);
    s.run(100);
    EXPECT_EQ(sleeper.pushed, 2u);
    c.clear();
    s.run(200);
    EXPECT_EQ(sleeper.pushed, 4u);
}

TEST(Channel, TransactionsAreCountedWhenTheyPassBothEnds) {
    Channel<MemRequest> c({4, 3});
    c.push(10, MemRequest{});
    c.push_at(11, 20, MemRequest{});
    c.emplace(12, [](MemRequest& r) { r = MemRequest{}; });
    c.pop(13);
    c.drop(20);
    EXPECT_EQ(c.pushed().count, 3u);
    EXPECT_EQ(c.pushed().sum, 10u + 11 + 12);
    EXPECT_EQ(c.popped().count, 2u);
    EXPECT_EQ(c.popped().sum, 13u + 20);
    c.pop_no_wake(20);  // all have come out: the difference is how long they were in there
    EXPECT_EQ(c.popped().sum - c.pushed().sum, 3u + 9 + 8);
    Channel<int> others({1, 1});
    others.push(5, 1);
    EXPECT_EQ(others.pushed().count, 0u);
}

TEST(Wire, IsSeenOneCycleAfterItWasSet) {
    Wire<bool> w(false);
    w.set(5, true);
    EXPECT_FALSE(w.get(5));
    EXPECT_TRUE(w.get(6));
    w.set(6, false);
    EXPECT_TRUE(w.get(6));
    w.set(6, true);
    EXPECT_TRUE(w.get(6));
    EXPECT_TRUE(w.get(7));
    w.reset();
    EXPECT_FALSE(w.get(7));
    EXPECT_FALSE(w.get(8));
}

}  // namespace
}  // namespace archipelago::channel_test
