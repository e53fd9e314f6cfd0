// SPDX-License-Identifier: Apache-2.0
// Register requests over a direct link, with posted writes among the reads: regardless of what
// either side sees is what it sees with transactions.
#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "testbenches/unit/tlm/link_bench.h"
#include "tlm/direct_link.h"
#include "tlm/port.h"

namespace archipelago::tlm_shell::register_link_test {
namespace {

// In which cycles an end acts. An end that polls is awake in all of them; else it sleeps and relies
// on being woken.
struct Manner {
    uint64_t seed;
    unsigned percent;
    bool watches;
    bool acts(Cycle now) const { return !watches || draw(seed, now) % 100 < percent; }
};

struct Master : Clocked {
    Manner manner;
    Log log;
    unsigned left;
    unsigned reads;  // of 100 requests
    unsigned sent = 0;
    Channel<RegRequest>* out = nullptr;
    Channel<RegResponse> in;
    Master(const Manner& m, unsigned count, unsigned reads_of_100, ChannelSpec spec)
        : manner(m), left(count), reads(reads_of_100), in(spec) {
        in.set_consumer(this);
    }
    uint32_t offset_of(unsigned request) const {
        return 4 * static_cast<uint32_t>(draw(manner.seed, request) % 64);
    }
    bool tick(Cycle now) override {
        bool progress = false;
        const bool acts = manner.acts(now);
        if (acts && in.can_pop(now)) {
            const RegResponse r = in.pop(now);
            log.add(now, "answer", r.tag, r.value);
            EXPECT_EQ(r.port, r.tag % 5);
            EXPECT_FALSE(r.write);
            EXPECT_EQ(r.status, offset_of(r.tag) % 12 == 0 ? RegStatus::Unknown : RegStatus::Ok);
            progress = true;
        }
        const unsigned room = left != 0 ? out->space(now) : 0;
        if (manner.watches && left != 0)
            log.add(now, "room", room);
        if (acts && room != 0) {
            RegRequest r;
            r.tag = sent;
            r.port = static_cast<uint16_t>(sent % 5);
            r.offset = offset_of(sent);
            r.write = draw(manner.seed + 1, sent) % 100 >= reads;
            r.value = r.write ? sent : 0;
            out->push(now, r);
            log.add(now, "send", sent);
            ++sent;
            --left;
            progress = true;
        }
        if (manner.watches)
            wake_at(now + 1);
        return progress;
    }
};

// The younger of two reads is answered first.
struct Block : Clocked {
    Manner manner;
    Log log;
    Channel<RegRequest> in;
    Channel<RegResponse>* out = nullptr;
    std::deque<RegResponse> waiting;
    uint32_t values[64] = {};
    Block(const Manner& m, ChannelSpec spec) : manner(m), in(spec) { in.set_consumer(this); }
    bool tick(Cycle now) override {
        bool progress = false;
        const bool acts = manner.acts(now);
        if (acts && waiting.size() < 3 && in.can_pop(now)) {
            const RegRequest r = in.pop(now);
            log.add(now, r.write ? "write" : "read", r.offset, r.value);
            uint32_t& value = values[r.offset / 4];
            if (r.write) {
                EXPECT_EQ(r.tag, r.value);
                value = r.value;
            } else {
                RegResponse a;
                a.tag = r.tag;
                a.port = 99;
                a.value = value;
                a.status = r.offset % 12 == 0 ? RegStatus::Unknown : RegStatus::Ok;
                waiting.push_back(a);
            }
            progress = true;
        }
        if (manner.watches && !waiting.empty())
            log.add(now, "room", out->space(now));
        if (acts && !waiting.empty() && out->can_push(now)) {
            const size_t at = waiting.size() > 1 ? 1 : 0;
            out->push(now, waiting[at]);
            waiting.erase(waiting.begin() + static_cast<std::ptrdiff_t>(at));
            progress = true;
        }
        if (manner.watches)
            wake_at(now + 1);
        return progress;
    }
};

struct Shape {
    unsigned depth, capacity, latency, link;
};

struct System {
    Master master;
    Block block;
    RegisterInitiator initiator;
    RegisterTargetPort target;
    System(const std::string& name, ClockDomain& clock, PayloadPool& pool, Shape s,
           const Manner& of_master, const Manner& of_block, unsigned count, unsigned reads,
           bool direct)
        : master(of_master, count, reads, {s.capacity, s.latency}),
          block(of_block, {s.capacity, s.latency}),
          initiator((name + "_out").c_str(), clock, pool, s.depth, s.link),
          target((name + "_in").c_str(), clock, s.depth, s.link) {
        master.out = &initiator.requests;
        initiator.requests.set_producer(&master);
        initiator.connect(master.in);
        target.connect(block.in);
        block.out = &target.responses;
        target.responses.set_producer(&block);
        initiator.socket.bind(target.socket);
        if (direct)
            initiator.allow_direct_link();
        clock.add(master);
        clock.add(block);
        master.wake_at(0);
        block.wake_at(0);
    }
};

void expect_equal(const Log& with, const Log& without) {
    ASSERT_EQ(with.lines.size(), without.lines.size());
    for (size_t i = 0; i < with.lines.size(); ++i)
        ASSERT_EQ(with.lines[i], without.lines[i]) << "entry " << i;
}

class RegisterLinks : public ::testing::TestWithParam<bool> {};

TEST_P(RegisterLinks, TakeTheCyclesOfTheProtocol) {
    RunControl control;
    PayloadPool pool;
    ClockDomain clock("clock", 1000, control);
    if (GetParam())
        clock.scheduler().shuffle(7);
    const Shape shapes[] = {{2, 2, 1, 1}, {1, 1, 1, 1}, {4, 2, 3, 2}, {4, 8, 2, 1}, {8, 1, 1, 3}};
    const std::pair<unsigned, unsigned> rates[] = {{100, 100}, {90, 30}, {30, 90}, {50, 50}};
    std::vector<std::unique_ptr<System>> systems;
    for (const Shape& shape : shapes)
        for (const auto& [ours, theirs] : rates)
            for (const unsigned reads : {0u, 20u, 100u})
                for (const bool watches : {true, false})
                    for (const bool direct : {true, false}) {
                        const uint64_t seed = systems.size() / 2;
                        systems.push_back(std::make_unique<System>(
                            "s" + std::to_string(systems.size()), clock, pool, shape,
                            Manner{seed + 10, ours, watches},
                            // A watching block makes the channels of a sleeper full and empty.
                            Manner{seed + 77, theirs, watches || seed % 4 < 2}, 300, reads,
                            direct));
                    }
    sc_core::sc_start(sc_core::sc_time::from_value(4000 * 1000));
    ASSERT_FALSE(control.error());
    for (size_t i = 0; i < systems.size(); i += 2) {
        SCOPED_TRACE("system " + std::to_string(i));
        EXPECT_TRUE(systems[i]->initiator.linked_directly());
        EXPECT_FALSE(systems[i + 1]->initiator.linked_directly());
        EXPECT_EQ(systems[i + 1]->master.left, 0u);
        expect_equal(systems[i]->master.log, systems[i + 1]->master.log);
        expect_equal(systems[i]->block.log, systems[i + 1]->block.log);
    }
}
INSTANTIATE_TEST_SUITE_P(All, RegisterLinks, ::testing::Values(false, true));

TEST(RegisterLink, RefusesAnUnsolicitedAnswer) {
    RunControl control;
    PayloadPool pool;
    ClockDomain clock("clock", 1000, control);
    System t("t", clock, pool, {2, 2, 1, 1}, {1, 100, false}, {2, 100, false}, 0, 0, true);
    RegResponse wrong;
    wrong.tag = 5;
    t.block.waiting.push_back(wrong);
    sc_core::sc_start();
    ASSERT_TRUE(control.error());
    EXPECT_THROW(std::rethrow_exception(control.error()), MachineStop);
}

}  // namespace
}  // namespace archipelago::tlm_shell::register_link_test
