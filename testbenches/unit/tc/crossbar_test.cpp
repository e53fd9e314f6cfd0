// SPDX-License-Identifier: Apache-2.0
#include "tlm/crossbar_core.h"

#include <gtest/gtest.h>

#include <memory>

#include "models/common/error.h"
#include "models/mc/address_map.h"
#include "testbenches/unit/mc/memory_parts.h"

namespace archipelago::crossbar::crossbar_test {
namespace {

using test::MemClient;
using test::read_of;
using test::Store;
using test::write_of;

unsigned by_line(const void*, uint64_t line) {
    return static_cast<unsigned>(line / 64 % 4);
}
constexpr Route kByLine{&by_line};

CrossbarSpec spec_of(unsigned width = 64) {
    CrossbarSpec s;
    s.sources = 5;
    s.destinations = 4;
    s.request_bytes = width;
    s.response_bytes = width;
    return s;
}

struct Bench {
    explicit Bench(const CrossbarSpec& spec, unsigned latency = 1,
                   const AddressSpaces* spaces = nullptr)
        : xbar(spec, {&by_line, nullptr, spaces}) {
        image.map(0, 1 << 20);
        scheduler.add(xbar);
        for (unsigned i = 0; i < spec.sources; ++i) {
            clients.push_back(std::make_unique<MemClient>(xbar.request_in(i)));
            xbar.response_out[i].connect(clients.back()->answers_in);
            scheduler.add(*clients.back());
        }
        for (unsigned i = 0; i < spec.destinations; ++i) {
            stores.push_back(std::make_unique<Store>(image, latency));
            xbar.request_out[i].connect(stores.back()->requests);
            stores.back()->connect(xbar.response_in(i));
            scheduler.add(*stores.back());
        }
    }
    void run(Cycle limit = 1'000'000) { scheduler.run(limit); }

    MemoryImage image;
    CrossbarCore xbar;
    std::vector<std::unique_ptr<MemClient>> clients;
    std::vector<std::unique_ptr<Store>> stores;
    Scheduler scheduler;
};

TEST(Crossbar, AnUnloadedMessageTakesTheChannelsAlone) {
    Bench b(spec_of());
    b.clients[2]->send(read_of(3 * 64, 8), 10);
    b.run();
    ASSERT_EQ(b.stores[3]->served.size(), 1u);
    EXPECT_EQ(b.stores[3]->served[0].at, 12u);
    EXPECT_EQ(b.stores[3]->served[0].request.port, 2u);
    ASSERT_EQ(b.clients[2]->answers.size(), 1u);
    EXPECT_EQ(b.clients[2]->answers[0].at, 14u);
    EXPECT_EQ(b.clients[2]->answers[0].response.tag, 8u);
}

MemRequest of_space(MemRequest request, uint8_t vmid) {
    request.vmid = vmid;
    return request;
}

TEST(Crossbar, ARequestGoesWhereItsAddressSpaceLeadsInTheSameTime) {
    RangeMap spaces;
    spaces.map(1, {0x4000, 0x4fff, 0x9000});
    spaces.map(2, {0x4000, 0x4fff, 0xa000});
    Bench b(spec_of(), 1, &spaces);
    b.clients[2]->send(of_space(read_of(0x4000 + 3 * 64, 8), 1), 10);
    b.clients[3]->send(of_space(write_of(0x4000 + 2 * 64, {1}), 2), 10);
    b.clients[4]->send(read_of(0x4000 + 64), 10);
    b.run();
    ASSERT_EQ(b.stores[3]->served.size(), 1u);
    EXPECT_EQ(b.stores[3]->served[0].at, 12u);
    EXPECT_EQ(b.stores[3]->served[0].request.line, 0x9000u + 3 * 64);
    ASSERT_EQ(b.clients[2]->answers.size(), 1u);
    EXPECT_EQ(b.clients[2]->answers[0].at, 14u);
    ASSERT_EQ(b.stores[2]->served.size(), 1u);
    EXPECT_EQ(b.stores[2]->served[0].request.line, 0xa000u + 2 * 64);
    ASSERT_EQ(b.stores[1]->served.size(), 1u);
    EXPECT_EQ(b.stores[1]->served[0].request.line, 0x4000u + 64) << "VMID 0 has no space";
    EXPECT_EQ(b.xbar.refused().count, 0u);
}

TEST(Crossbar, ARequestThatIsNotMappedIsAnsweredAndGoesNowhere) {
    RangeMap spaces;
    spaces.map(1, {0x4000, 0x4fff, 0x9000});
    Bench b(spec_of(), 1, &spaces);
    for (unsigned n = 0; n < 20; ++n)
        for (unsigned i = 0; i < 5; ++i)
            b.clients[i]->send(of_space(read_of(n % 2 == 0 ? 0x4000 : 0x5000, n), 1), 0);
    b.run();
    EXPECT_EQ(b.stores[0]->served.size(), 50u);
    EXPECT_EQ(b.xbar.refused().count, 50u);
    for (const auto& client : b.clients) {
        ASSERT_EQ(client->answers.size(), 20u);
        for (const auto& answer : client->answers) {
            const MemResponse& r = answer.response;
            const bool refused = r.tag % 2 != 0;
            EXPECT_EQ(r.status, refused ? MemStatus::Unmapped : MemStatus::Ok);
            EXPECT_EQ(r.line == 0x5000u, refused) << r.line;
        }
    }
    EXPECT_TRUE(b.xbar.idle());
}

TEST(Crossbar, DifferentDestinationsDoNotDisturbEachOther) {
    Bench b(spec_of());
    for (unsigned n = 0; n < 100; ++n)
        for (unsigned i = 0; i < 4; ++i)
            b.clients[i]->send(read_of(i * 64), 0);
    b.run();
    for (unsigned i = 0; i < 4; ++i) {
        ASSERT_EQ(b.stores[i]->served.size(), 100u);
        EXPECT_EQ(b.stores[i]->served[99].at - b.stores[i]->served[0].at, 99u);
    }
    EXPECT_EQ(b.xbar.state().request.outputs[0].conflicts, 0u);
}

TEST(Crossbar, OneDestinationServesItsSourcesInTurn) {
    Bench b(spec_of());
    for (unsigned n = 0; n < 60; ++n)
        for (unsigned i = 0; i < 5; ++i)
            b.clients[i]->send(read_of(64), 0);
    b.run();
    const auto& served = b.stores[1]->served;
    ASSERT_EQ(served.size(), 300u);
    EXPECT_EQ(served.back().at - served.front().at, 299u);
    for (size_t i = 5; i < served.size(); ++i)
        EXPECT_EQ(served[i].request.port, served[i - 5].request.port);
    EXPECT_GT(b.xbar.state().request.outputs[1].conflicts, 200u);
}

TEST(Crossbar, DataOccupiesALinkForItsCycles) {
    for (const unsigned width : {16u, 32u, 64u}) {
        Bench b(spec_of(width));
        for (unsigned n = 0; n < 50; ++n)
            b.clients[0]->send(write_of(64, {1}), 0);
        for (unsigned n = 0; n < 50; ++n)
            b.clients[1]->send(read_of(128), 0);
        b.run();
        // Writes carry data on the way there, reads on the way back.
        EXPECT_EQ(b.stores[1]->served[49].at - b.stores[1]->served[0].at, 49u * 64 / width);
        EXPECT_EQ(b.clients[1]->answers[49].at - b.clients[1]->answers[0].at, 49u * 64 / width);
        EXPECT_EQ(b.xbar.state().request.outputs[1].busy_cycles, 50u * 64 / width);
        EXPECT_EQ(b.xbar.state().request.outputs[2].busy_cycles, 50u);
    }
}

TEST(Crossbar, ASourceSendsOneMessageAtATime) {
    Bench b(spec_of(16));
    for (unsigned n = 0; n < 40; ++n)
        b.clients[0]->send(write_of(n % 4 * 64, {1}), 0);
    b.run();
    Cycle first = kNever;
    Cycle last = 0;
    for (const auto& store : b.stores) {
        first = std::min(first, store->served.front().at);
        last = std::max(last, store->served.back().at);
    }
    EXPECT_EQ(last - first, 39u * 4);
}

TEST(Crossbar, ADestinationReceivesOneMessageAtATime) {
    Bench b(spec_of(16));
    for (unsigned n = 0; n < 10; ++n)
        for (unsigned i = 0; i < 4; ++i)
            b.clients[i]->send(write_of(64, {1}), 0);
    b.run();
    const auto& served = b.stores[1]->served;
    ASSERT_EQ(served.size(), 40u);
    EXPECT_EQ(served.back().at - served.front().at, 39u * 4);
}

TEST(Crossbar, ABusyDestinationHoldsASourceBackOnlyWhenItsQueueIsFull) {
    const auto last_of_the_others = [](unsigned depth) {
        CrossbarSpec spec = spec_of(16);
        spec.queue_depth = depth;
        Bench b(spec);
        for (unsigned n = 0; n < 50; ++n)
            for (unsigned i = 1; i < 5; ++i)
                b.clients[i]->send(write_of(64, {1}), 0);
        for (unsigned n = 0; n < 3; ++n)
            b.clients[0]->send(write_of(64, {1}), 0);
        for (unsigned n = 0; n < 10; ++n)
            b.clients[0]->send(read_of(128), 0);
        b.run();
        EXPECT_EQ(b.stores[1]->served.size(), 203u);
        EXPECT_EQ(b.stores[2]->served.size(), 10u);
        return b.stores[2]->served.back().at;
    };
    // Three writes of four cycles and ten reads pass by themselves, or the third write and the
    // reads wait until the second has left in its turn: after a round of five writes.
    EXPECT_LE(last_of_the_others(3), 26u);
    EXPECT_GE(last_of_the_others(1), 5 * 4 + 10 + 4u);
}

TEST(Crossbar, IdleItIsNeverTicked) {
    Bench b(spec_of());
    b.clients[0]->send(read_of(0), 0);
    b.run();
    const uint64_t ticks = b.scheduler.ticks();
    b.run(1'000'000'000);
    EXPECT_EQ(b.scheduler.ticks(), ticks);
    EXPECT_TRUE(b.xbar.idle());
    EXPECT_LE(ticks, 12u);
}

TEST(Crossbar, RandomStallsAndTickOrderLoseNothingAndKeepOrder) {
    const auto run = [](uint64_t shuffle) {
        CrossbarSpec spec = spec_of(32);
        spec.queue_depth = 3;
        Bench b(spec, 5);
        if (shuffle != 0)
            b.scheduler.shuffle(shuffle);
        test::Random random(7);
        for (unsigned i = 0; i < 5; ++i) {
            b.xbar.request_in(i).random_stall(i + 1, 25);
            b.clients[i]->answers_in.random_stall(i + 10, 25);
            for (uint32_t n = 0; n < 400; ++n) {
                const uint64_t line = random.below(64) * 64;
                b.clients[i]->send(random.below(2) == 0 ? read_of(line, n)
                                                        : write_of(line, {1}, n));
            }
        }
        for (unsigned i = 0; i < 4; ++i) {
            b.stores[i]->requests.random_stall(i + 20, 25);
            b.xbar.response_in(i).random_stall(i + 30, 25);
        }
        b.run();
        EXPECT_TRUE(b.xbar.idle()) << b.xbar.waiting_for();
        std::vector<Cycle> cycles;
        for (const auto& client : b.clients) {
            EXPECT_EQ(client->answers.size(), 400u);
            std::vector<uint32_t> last(4, 0);
            std::vector<bool> seen(400);
            for (const auto& a : client->answers) {
                cycles.push_back(a.at);
                EXPECT_FALSE(seen[a.response.tag]);
                seen[a.response.tag] = true;
                uint32_t& before = last[a.response.line / 64 % 4];
                EXPECT_GE(a.response.tag, before) << "order between one source and one destination";
                before = a.response.tag;
            }
        }
        return cycles;
    };
    const auto plain = run(0);
    for (uint64_t shuffle = 1; shuffle <= 4; ++shuffle)
        EXPECT_EQ(run(shuffle), plain);
}

TEST(Crossbar, TheChannelMapServesAsRoute) {
    mc::ChannelMapSpec map_spec;
    map_spec.kind = mc::ChannelMapKind::Tahiti;
    map_spec.channels = 12;
    const mc::ChannelMap map(map_spec);
    const Route route{&mc::ChannelMap::route, &map};
    for (uint64_t a = 0; a < 1 << 16; a += 64)
        EXPECT_EQ(route.destination(route.context, a), map.channel(a));
}

TEST(Crossbar, PausedItForwardsNoRequestButReturnsResponses) {
    Bench b(spec_of(), 50);
    b.clients[0]->send(read_of(0, 1), 0);
    b.run(10);
    b.xbar.pause();
    b.clients[0]->send(read_of(0, 2));
    b.run();
    ASSERT_EQ(b.clients[0]->answers.size(), 1u);
    EXPECT_EQ(b.xbar.waiting_for(), "paused");
    b.xbar.resume();
    b.run();
    EXPECT_EQ(b.clients[0]->answers.size(), 2u);
}

unsigned nowhere(const void*, uint64_t) {
    return 99;
}

TEST(Crossbar, ARouteToNowhereAndBadParametersStop) {
    CrossbarCore xbar(spec_of(), Route{&nowhere, nullptr});
    xbar.request_in(0).push(0, read_of(0));
    EXPECT_THROW(xbar.tick(1), MachineStop);
    CrossbarSpec s = spec_of();
    s.sources = 65;
    EXPECT_THROW(CrossbarCore(s, kByLine), MachineStop);
    s = spec_of();
    s.request_bytes = 0;
    EXPECT_THROW(CrossbarCore(s, kByLine), MachineStop);
    s = spec_of();
    s.queue_depth = 0;
    EXPECT_THROW(CrossbarCore(s, kByLine), MachineStop);
    EXPECT_THROW(CrossbarCore(spec_of(), Route{}), MachineStop);
}

}  // namespace
}  // namespace archipelago::crossbar::crossbar_test
