// SPDX-License-Identifier: Apache-2.0
// An arbiter that passes requests on ahead of their grants: whatever its clients and the block
// behind it see is what they see when every request waits for its turn.
#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "models/cp/port_mux.h"
#include "testbenches/unit/tlm/link_bench.h"
#include "tlm/port.h"

namespace archipelago::tlm_shell {
namespace {

constexpr unsigned kClients = 3;
using Mux = cp::PortMux<RegRequest, RegResponse, kClients>;

// How a client asks: in `percent` % of the cycles it looks at, up to `burst` requests in one.
struct Manner {
    uint64_t seed;
    unsigned percent;
    unsigned burst;
    unsigned reads;  // of 100 requests
    bool sleeps;     // when it can do nothing, and relies on being woken
};

struct Client : Clocked {
    Manner manner;
    Log log;
    unsigned left;
    unsigned sent = 0;
    Cycle next = 0;
    Channel<RegRequest>* out = nullptr;
    Channel<RegResponse> in{{4, 1}};
    Client(const Manner& m, unsigned count) : manner(m), left(count) { in.set_consumer(this); }
    bool tick(Cycle now) override {
        while (in.can_pop(now)) {
            const RegResponse r = in.pop(now);
            log.add(now, "answer", r.tag, r.value);
        }
        if (left == 0)
            return false;
        const bool acts =
            manner.sleeps ? now >= next : draw(manner.seed, now) % 100 < manner.percent;
        const unsigned room = out->space(now);
        if (!manner.sleeps)
            log.add(now, "room", room);
        const unsigned count =
            acts ? 1 + static_cast<unsigned>(draw(manner.seed + 2, now) % manner.burst) : 0;
        const unsigned before = sent;
        for (unsigned i = 0; i < count && left != 0 && out->can_push(now); ++i, ++sent, --left) {
            RegRequest r;
            r.tag = sent;
            r.offset = 4 * sent;
            r.write = draw(manner.seed + 1, sent) % 100 >= manner.reads;
            r.value = r.write ? sent : 0;
            out->push(now, r);
            log.add(now, "send", sent);
        }
        if (sent != before)
            next = now + 1 + draw(manner.seed, now) % 4;
        if (!manner.sleeps)
            wake_at(now + 1);
        else if (sent != before)
            wake_at(next);
        return false;
    }
};

struct Block : Clocked {
    uint64_t seed;
    unsigned percent;
    Log log;
    Channel<RegRequest> in{{4, 1}};
    Channel<RegResponse>* out = nullptr;
    std::deque<RegResponse> waiting;
    Block(uint64_t s, unsigned p) : seed(s), percent(p) { in.set_consumer(this); }
    bool tick(Cycle now) override {
        const bool acts = draw(seed, now) % 100 < percent;
        if (acts && waiting.size() < 3 && in.can_pop(now)) {
            const RegRequest r = in.pop(now);
            log.add(now, r.write ? "write" : "read", r.offset, r.write ? r.tag : r.value);
            if (!r.write) {
                RegResponse a;
                a.tag = r.tag;
                a.value = r.offset + 1;
                waiting.push_back(a);
            }
        }
        if (!waiting.empty() && out->can_push(now)) {
            out->push(now, waiting.front());
            waiting.pop_front();
        }
        if (percent != 100 || !waiting.empty())
            wake_at(now + 1);
        return false;
    }
};

struct System {
    std::vector<std::unique_ptr<Client>> clients;
    Mux mux;
    Block block;
    RegisterInitiator initiator;
    RegisterTargetPort target;
    unsigned ahead = 0;
    System(const std::string& name, ClockDomain& clock, PayloadPool& pool, unsigned capacity,
           unsigned depth, const std::vector<Manner>& manners, unsigned of_block, bool direct)
        : mux({capacity, 1}, {4, 1}, "mux"),
          block(manners[0].seed + 50, of_block),
          initiator((name + "_out").c_str(), clock, pool, depth, 2),
          target((name + "_in").c_str(), clock, depth, 2) {
        for (unsigned i = 0; i < kClients; ++i) {
            clients.push_back(std::make_unique<Client>(manners[i], 400));
            clients[i]->out = &mux.request[i];
            mux.request[i].set_producer(clients[i].get());
            mux.connect_client(i, &clients[i]->in);
        }
        mux.connect_out(&initiator.requests);
        initiator.connect(mux.response);
        target.connect(block.in);
        block.out = &target.responses;
        target.responses.set_producer(&block);
        initiator.socket.bind(target.socket);
        if (direct) {
            initiator.allow_direct_link();
            initiator.on_direct_link = [this](AheadSink<RegRequest>& sink) {
                mux.go_ahead(sink);
                ++ahead;
            };
        }
        // Clients on both sides of the arbiter: requests come before its tick and behind it.
        clock.add(*clients[0]);
        clock.add(mux);
        clock.add(*clients[1]);
        clock.add(block);
        clock.add(*clients[2]);
        for (auto& client : clients)
            client->wake_at(0);
        block.wake_at(0);
    }
};

class AheadOfTheGrant : public ::testing::TestWithParam<uint64_t> {};

TEST_P(AheadOfTheGrant, NobodySeesADifference) {
    RunControl control;
    PayloadPool pool;
    ClockDomain clock("clock", 1000, control);
    if (GetParam() != 0)
        clock.scheduler().shuffle(GetParam());
    std::vector<std::unique_ptr<System>> systems;
    for (const unsigned capacity : {1u, 2u, 8u})
        for (const unsigned depth : {1u, 2u, 8u})
            for (const unsigned of_block : {100u, 40u})
                for (const unsigned rate : {5u, 25u, 90u})
                    for (const unsigned reads : {0u, 30u})
                        for (const unsigned burst : {1u, 3u})
                            for (const bool direct : {true, false}) {
                                const uint64_t seed = 10 * (systems.size() / 2);
                                systems.push_back(std::make_unique<System>(
                                    "s" + std::to_string(systems.size()), clock, pool, capacity,
                                    depth,
                                    std::vector<Manner>{{seed, rate, burst, reads, false},
                                                        {seed + 3, rate, burst, reads, true},
                                                        {seed + 6, 25, 1, 50, false}},
                                    of_block, direct));
                            }
    sc_core::sc_start(sc_core::sc_time::from_value(12000 * 1000));
    ASSERT_FALSE(control.error());
    for (size_t i = 0; i < systems.size(); i += 2) {
        SCOPED_TRACE("system " + std::to_string(i));
        EXPECT_EQ(systems[i]->ahead, 1u);
        EXPECT_EQ(systems[i + 1]->ahead, 0u);
        ASSERT_EQ(systems[i]->block.log.lines, systems[i + 1]->block.log.lines);
        for (unsigned c = 0; c < kClients; ++c) {
            EXPECT_EQ(systems[i + 1]->clients[c]->left, 0u);
            ASSERT_EQ(systems[i]->clients[c]->log.lines, systems[i + 1]->clients[c]->log.lines)
                << "client " << c;
        }
        EXPECT_TRUE(systems[i]->mux.idle());
    }
}
INSTANTIATE_TEST_SUITE_P(All, AheadOfTheGrant, ::testing::Values(0, 7, 1234567));

}  // namespace
}  // namespace archipelago::tlm_shell
