// SPDX-License-Identifier: Apache-2.0
#include "tlm/direct_link.h"

#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "testbenches/unit/tlm/link_bench.h"
#include "tlm/port.h"
#include "tlm/protocol_checker.h"

namespace archipelago::tlm_shell::direct_link_test {
namespace {

// How both ends behave. A patient one acts in every cycle in which it draws to; else it sleeps and
// relies on being woken.
struct Manner {
    uint64_t seed = 1;
    unsigned percent = 100;  // cycles in which it pushes and pops
    bool patient = false;
    unsigned burst = 1;  // pops per cycle
    bool acts(Cycle now) const { return draw(seed, now) % 100 < percent; }
};

struct Client : Clocked {
    Manner manner;
    Log log;
    unsigned left;
    unsigned sent = 0;
    Channel<MemRequest>* out = nullptr;
    Channel<MemResponse> in;
    Client(const Manner& m, unsigned count, ChannelSpec spec) : manner(m), left(count), in(spec) {
        in.set_consumer(this);
    }
    bool tick(Cycle now) override {
        bool progress = false;
        const bool acts = !manner.patient || manner.acts(now);
        for (unsigned n = 0; acts && n < manner.burst && in.can_pop(now); ++n) {
            const MemResponse r = in.pop(now);
            log.add(now, "answer", r.tag, r.command == MemCommand::Write ? 0 : r.data[0]);
            EXPECT_EQ(r.port, r.tag % 7);
            EXPECT_EQ(r.uid, r.tag * 3u);
            progress = true;
        }
        const unsigned room = left != 0 ? out->space(now) : 0;
        if (manner.patient && left != 0)
            log.add(now, "room", room);
        if (acts && room != 0) {
            MemRequest r;
            r.tag = sent;
            r.port = static_cast<uint16_t>(sent % 7);
            r.uid = sent * 3u;
            r.line = draw(manner.seed, sent) % 64 * kLineBytes;
            r.command = draw(manner.seed + 1, sent) % 3 == 0 ? MemCommand::Write : MemCommand::Read;
            r.byte_mask = ~uint64_t{0};
            r.data[0] = static_cast<uint8_t>(sent);
            out->push(now, r);
            log.add(now, "send", sent);
            ++sent;
            --left;
            progress = true;
        }
        if (manner.patient)
            wake_at(now + 1);
        return progress;
    }
};

// Answers in order, or the younger of two first.
struct Server : Clocked {
    Manner manner;
    Log log;
    bool swaps;
    bool repeats = false;  // answers carry what their requests did
    Channel<MemRequest> in;
    Channel<MemResponse>* out = nullptr;
    std::deque<MemResponse> waiting;
    uint8_t lines[64] = {};
    Server(const Manner& m, bool swap, ChannelSpec spec) : manner(m), swaps(swap), in(spec) {
        in.set_consumer(this);
    }
    bool tick(Cycle now) override {
        bool progress = false;
        const bool acts = !manner.patient || manner.acts(now);
        for (unsigned n = 0; acts && n < manner.burst && waiting.size() < 4 && in.can_pop(now);
             ++n) {
            const MemRequest r = in.pop(now);
            log.add(now, "request", r.line, static_cast<uint64_t>(r.command));
            MemResponse a;
            a.tag = r.tag;
            a.port = repeats ? r.port : uint16_t{99};
            a.command = r.command;
            if (repeats) {
                a.line = r.line;
                a.uid = r.uid;
            }
            uint8_t& byte = lines[r.line / kLineBytes];
            if (r.command == MemCommand::Write)
                byte = r.data[0];
            else
                a.data[0] = byte;
            waiting.push_back(a);
            progress = true;
        }
        if (manner.patient && !waiting.empty())
            log.add(now, "room", out->space(now));
        if (acts && !waiting.empty() && out->can_push(now)) {
            const size_t at = swaps && waiting.size() > 1 ? 1 : 0;
            out->push(now, waiting[at]);
            waiting.erase(waiting.begin() + static_cast<std::ptrdiff_t>(at));
            progress = true;
        }
        if (manner.patient)
            wake_at(now + 1);
        return progress;
    }
};

struct Shape {
    unsigned depth, capacity, latency, link, synchroniser;
};

enum class Way : uint8_t { Protocol, Remembered, Repeated };

// A client, a port, a port, a server, with a direct link that remembers requests, one that leaves
// that to the server, or none.
struct System {
    Client client;
    Server server;
    MemoryInitiator initiator;
    MemoryTarget target;
    System(const std::string& name, ClockDomain& a, ClockDomain& b, PayloadPool& pool, Shape s,
           const Manner& of_client, const Manner& of_server, unsigned count, Way way)
        : client(of_client, count, {s.capacity, s.latency}),
          server(of_server, of_server.seed % 2 == 0, {s.capacity, s.latency}),
          initiator((name + "_out").c_str(), a, pool, s.depth, s.link, s.synchroniser),
          target((name + "_in").c_str(), b, s.depth, s.link, s.synchroniser) {
        client.out = &initiator.requests;
        initiator.requests.set_producer(&client);
        initiator.connect(client.in);
        target.connect(server.in);
        server.out = &target.responses;
        target.responses.set_producer(&server);
        initiator.socket.bind(target.socket);
        if (way != Way::Protocol)
            initiator.allow_direct_link();
        if (way == Way::Repeated) {
            initiator.knows_answers_by_tag();
            server.repeats = true;
        }
        a.add(client);
        b.add(server);
        client.wake_at(0);
        server.wake_at(0);
    }
};

void expect_equal(const Log& with, const Log& without) {
    ASSERT_EQ(with.lines.size(), without.lines.size());
    for (size_t i = 0; i < with.lines.size(); ++i)
        ASSERT_EQ(with.lines[i], without.lines[i]) << "entry " << i;
}

class DirectLinks : public ::testing::TestWithParam<std::tuple<int, int, bool>> {};

// Everything either side can see: which places are free in which cycle, what arrives when.
TEST_P(DirectLinks, TakeTheCyclesOfTheProtocol) {
    const auto [period_a, period_b, shuffled] = GetParam();
    RunControl control;
    PayloadPool pool;
    ClockDomain a("a", static_cast<uint64_t>(period_a), control);
    ClockDomain b("b", static_cast<uint64_t>(period_b), control);
    ClockDomain& second = period_a == period_b ? a : b;
    if (shuffled) {
        a.scheduler().shuffle(5);
        b.scheduler().shuffle(6);
    }
    const Shape shapes[] = {{2, 2, 1, 1, 0}, {1, 1, 1, 1, 0}, {4, 2, 3, 2, 0},
                            {2, 8, 2, 5, 0}, {8, 1, 1, 3, 2}, {3, 5, 4, 1, 2}};
    const std::pair<unsigned, unsigned> rates[] = {{100, 100}, {90, 30}, {30, 90}, {50, 50}};
    std::vector<std::unique_ptr<System>> systems;
    for (const Shape& shape : shapes)
        for (const auto& [ours, theirs] : rates)
            for (const bool patient : {true, false})
                for (const Way way : {Way::Protocol, Way::Remembered, Way::Repeated}) {
                    const uint64_t seed = systems.size() / 3;
                    const unsigned burst = seed % 3 == 0 ? 2 : 1;
                    systems.push_back(std::make_unique<System>(
                        "s" + std::to_string(systems.size()), a, second, pool, shape,
                        Manner{seed + 10, ours, patient, burst},
                        // A patient partner makes the channels of a sleeper full and empty.
                        Manner{seed + 77, theirs, patient || seed % 4 < 2, burst}, 300, way));
                }
    sc_core::sc_start(
        sc_core::sc_time::from_value(3000 * static_cast<uint64_t>(std::max(period_a, period_b))));
    ASSERT_FALSE(control.error());
    for (size_t i = 0; i < systems.size(); i += 3) {
        EXPECT_FALSE(systems[i]->initiator.linked_directly());
        EXPECT_EQ(systems[i]->client.left, 0u);
        for (const size_t direct : {i + 1, i + 2}) {
            SCOPED_TRACE("system " + std::to_string(direct));
            EXPECT_TRUE(systems[direct]->initiator.linked_directly());
            expect_equal(systems[direct]->client.log, systems[i]->client.log);
            expect_equal(systems[direct]->server.log, systems[i]->server.log);
        }
    }
}
INSTANTIATE_TEST_SUITE_P(
    All, DirectLinks,
    ::testing::Values(std::tuple{1000, 1000, false}, std::tuple{1000, 1000, true},
                      std::tuple{1081081, 727273, false}, std::tuple{1081081, 727273, true},
                      std::tuple{727273, 1081081, false}, std::tuple{1000, 3000, false},
                      std::tuple{3000, 1000, true}, std::tuple{1000, 7321, false},
                      std::tuple{7321, 1000, false}));

TEST(DirectLink, IsNotMadeWithACheckerOrRandomStalls) {
    RunControl control;
    PayloadPool pool;
    ClockDomain clock("clock", 1000, control);
    const Shape shape{2, 2, 1, 1, 0};
    System plain("plain", clock, clock, pool, shape, {}, {}, 10, Way::Remembered);
    System stalled("stalled", clock, clock, pool, shape, {}, {}, 10, Way::Remembered);
    stalled.server.in.random_stall(3, 20);
    Client client({}, 10, {2, 1});
    Server server({}, false, {2, 1});
    MemoryInitiator initiator("initiator", clock, pool, 2, 1);
    MemoryTarget target("target", clock, 2, 1);
    ProtocolChecker checker("checker");
    client.out = &initiator.requests;
    initiator.requests.set_producer(&client);
    initiator.connect(client.in);
    target.connect(server.in);
    server.out = &target.responses;
    target.responses.set_producer(&server);
    initiator.socket.bind(checker.in);
    checker.out.bind(target.socket);
    initiator.allow_direct_link();
    clock.add(client);
    clock.add(server);
    client.wake_at(0);
    sc_core::sc_start();
    ASSERT_FALSE(control.error());
    EXPECT_TRUE(plain.initiator.linked_directly());
    EXPECT_FALSE(stalled.initiator.linked_directly());
    EXPECT_FALSE(initiator.linked_directly());
    EXPECT_EQ(checker.transactions(), 10u);
    EXPECT_EQ(plain.client.left + stalled.client.left + client.left, 0u);
}

TEST(DirectLink, RefusesAnUnsolicitedAnswer) {
    RunControl control;
    PayloadPool pool;
    ClockDomain clock("clock", 1000, control);
    System t("t", clock, clock, pool, {2, 2, 1, 1, 0}, {}, {}, 0, Way::Remembered);
    MemResponse wrong;
    wrong.tag = 5;
    t.server.waiting.push_back(wrong);
    sc_core::sc_start();
    ASSERT_TRUE(control.error());
    try {
        std::rethrow_exception(control.error());
    } catch (const MachineStop& stop) {
        EXPECT_EQ(stop.kind(), StopKind::Protocol);
        EXPECT_NE(std::string(stop.what()).find("tag 5 that no request carries"),
                  std::string::npos);
    }
}

// The receiver forgets what is in its channel and on the way to it; what comes later is served.
TEST(DirectLink, APushIntoAFullOneStopsWithItsNameAndTheCycle) {
    RunControl control;
    PayloadPool pool;
    ClockDomain clock("clock", 1000, control);
    System t("t", clock, clock, pool, {2, 2, 1, 1, 0}, {}, {}, 0, Way::Remembered);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    EXPECT_EQ(t.client.out->space(1), 2u);
    try {
        for (unsigned i = 0; i < 3; ++i)
            t.client.out->push(1, MemRequest{});
        FAIL() << "took more than it holds";
    } catch (const MachineStop& stop) {
        EXPECT_EQ(stop.kind(), StopKind::Internal);
        EXPECT_NE(std::string(stop.what()).find("pushed into while full in cycle 1"),
                  std::string::npos)
            << stop.what();
    }
}

TEST(DirectLink, StartsAfreshWhenItsChannelIsCleared) {
    RunControl control;
    PayloadPool pool;
    ClockDomain clock("clock", 1000, control);
    System t("t", clock, clock, pool, {2, 1, 1, 1, 0}, {1, 100, false, 1}, {3, 0, true, 1}, 20,
             Way::Remembered);
    sc_core::sc_start(sc_core::sc_time::from_value(20000));
    EXPECT_EQ(t.client.sent, 4u);  // the channel, the place before it, the port's channel
    t.server.in.clear();
    EXPECT_TRUE(t.server.in.empty());
    t.server.manner.percent = 100;
    sc_core::sc_start(sc_core::sc_time::from_value(100000));
    ASSERT_FALSE(control.error());
    EXPECT_EQ(t.client.left, 0u);
    size_t answers = 0;
    for (const std::string& line : t.client.log.lines)
        answers += line.find("answer") != std::string::npos ? 1 : 0;
    EXPECT_EQ(answers, 16u);
}

}  // namespace
}  // namespace archipelago::tlm_shell::direct_link_test
