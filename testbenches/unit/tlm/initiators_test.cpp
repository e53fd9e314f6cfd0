// SPDX-License-Identifier: Apache-2.0
// A target port whose socket several initiators share: threads in b_transport beside transactions
// of nb_transport.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "testbenches/support/register_initiators.h"
#include "tlm/memory_arbiter.h"
#include "tlm/protocol_checker.h"

namespace archipelago::tlm_shell::initiators_test {
namespace {

using test::BlockingInitiator;
using test::PipelinedInitiator;
using test::RegisterTraffic;

constexpr uint64_t kPeriod = 1'000'000;
constexpr unsigned kOwn = 4;  // registers of each initiator

uint32_t offset_of(unsigned initiator, unsigned n) {
    return 0x1000 * (initiator + 1) + 4 * n;
}

// Registers that answer in order, and what they saw: every access once, in the order of each
// initiator.
struct Registers : Clocked {
    Channel<RegRequest> in;
    Channel<RegResponse>* out = nullptr;
    std::map<uint32_t, uint32_t> values;
    struct Seen {
        unsigned reads = 0, writes = 0;
        uint32_t last = 0;  // value written
    };
    std::vector<Seen> seen;
    std::vector<unsigned> order;  // initiator of each access
    Registers(unsigned initiators, unsigned latency) : in({2, latency}), seen(initiators) {
        in.set_consumer(this);
    }
    bool tick(Cycle now) override {
        if (!in.can_pop(now) || !out->can_push(now))
            return false;
        const RegRequest r = in.pop(now);
        const unsigned who = r.offset / 0x1000 - 1;
        order.push_back(who);
        Seen& s = seen.at(who);
        if (r.write) {  // posted: no answer
            if (s.writes++ != 0) {
                EXPECT_EQ(r.value, s.last + 1) << "a write lost, repeated or overtaken";
            }
            s.last = values[r.offset] = r.value;
            return true;
        }
        ++s.reads;
        RegResponse a;
        a.tag = r.tag;
        a.value = values[r.offset];
        out->push(now, a);
        return true;
    }
};

struct Options {
    unsigned threads = 3;
    unsigned accesses = 200;
    unsigned percent_writes = 40;
    unsigned latency = 12;
    unsigned link = 4;
    unsigned stall = 0;
    uint64_t shuffle = 0;
    bool pauses = true;
    bool pipelined = true;  // a master of nb_transport beside them
};

struct Bench {
    Options options;
    RunControl control;
    PayloadPool pool;
    ClockDomain a, b;
    Registers registers;
    RegisterTargetPort target;
    ProtocolChecker checker;
    MemoryArbiter arbiter;
    std::vector<std::unique_ptr<BlockingInitiator>> threads;
    std::unique_ptr<PipelinedInitiator> master;

    Bench(const std::string& name, const Options& o)
        : options(o),
          a((name + "_a").c_str(), kPeriod + 81'081, control),
          b((name + "_b").c_str(), kPeriod, control),
          registers(o.threads + 1, o.latency),
          target((name + "_target").c_str(), b, 2, o.link),
          checker((name + "_checker").c_str()),
          arbiter((name + "_arbiter").c_str(), o.threads + 1, ArbiterPayloads::Any) {
        target.connect(registers.in);
        registers.out = &target.responses;
        target.responses.set_producer(&registers);
        b.add(registers);
        arbiter.out.bind(checker.in);
        checker.out.bind(target.socket);
        for (unsigned i = 0; i < o.threads; ++i) {
            threads.push_back(std::make_unique<BlockingInitiator>(
                (name + "_thread" + std::to_string(i)).c_str(), traffic(i),
                sc_core::sc_time::from_value(o.pauses ? 20 * kPeriod : 0)));
            threads.back()->socket.bind(arbiter.input(i));
        }
        RegisterTraffic of_master = traffic(o.threads);
        if (!o.pipelined)
            of_master = RegisterTraffic(0, {0}, 0, 0);
        master = std::make_unique<PipelinedInitiator>((name + "_master").c_str(), a, pool,
                                                      std::move(of_master));
        master->port.socket.bind(arbiter.input(o.threads));
        if (o.stall != 0) {
            registers.in.random_stall(1, o.stall);
            target.responses.random_stall(2, o.stall);
            master->random_stall(3, o.stall);
        }
        if (o.shuffle != 0) {
            a.scheduler().shuffle(o.shuffle);
            b.scheduler().shuffle(o.shuffle + 1);
        }
    }
    RegisterTraffic traffic(unsigned i) const {
        std::vector<uint32_t> own;
        for (unsigned n = 0; n < kOwn; ++n)
            own.push_back(offset_of(i, n));
        return {i + 1, own, options.accesses, options.percent_writes};
    }
    void check() const {
        EXPECT_FALSE(control.error());
        EXPECT_EQ(checker.outstanding(), 0u);
        EXPECT_EQ(pool.in_use(), 0u);
        for (unsigned i = 0; i < options.threads; ++i) {
            EXPECT_TRUE(threads[i]->finished) << "thread " << i << " is never answered";
            EXPECT_EQ(threads[i]->reads + threads[i]->writes, options.accesses);
            EXPECT_EQ(registers.seen[i].reads, threads[i]->reads);
            EXPECT_EQ(registers.seen[i].writes, threads[i]->writes);
        }
        EXPECT_TRUE(master->finished());
        EXPECT_EQ(registers.seen[options.threads].reads, master->reads);
        EXPECT_EQ(registers.seen[options.threads].writes, master->writes);
    }
};

class InitiatorMix : public ::testing::TestWithParam<std::tuple<int, int, int>> {};
TEST_P(InitiatorMix, EveryAccessIsCarriedOutOnceAndAnsweredToWhoMadeIt) {
    Options o;
    o.threads = static_cast<unsigned>(std::get<0>(GetParam()));
    o.stall = static_cast<unsigned>(std::get<1>(GetParam()));
    o.percent_writes = static_cast<unsigned>(std::get<2>(GetParam()));
    Bench bench("bench", o);
    sc_core::sc_start();
    bench.check();
}
INSTANTIATE_TEST_SUITE_P(All, InitiatorMix,
                         ::testing::Combine(::testing::Values(1, 2, 5),
                                            ::testing::Values(0, 30, 60),
                                            ::testing::Values(0, 40, 90)));

// A core with little room, masters that never pause.
TEST(Initiators, TwoReadersDoNotDisturbEachOther) {
    Options o;
    o.threads = 2;
    o.percent_writes = 0;
    o.pauses = o.pipelined = false;
    Bench bench("bench", o);
    sc_core::sc_start();
    bench.check();
}

// None waits while another is served over and over.
TEST(Initiators, WaitingInitiatorsAreServedInTurn) {
    Options o;
    o.threads = 3;
    o.percent_writes = 100;
    o.latency = 1;
    o.pauses = false;
    Bench bench("bench", o);
    bench.registers.in.random_stall(7, 50);  // full most of the time
    sc_core::sc_start();
    bench.check();
    const std::vector<unsigned>& order = bench.registers.order;
    std::vector<unsigned> left(o.threads + 1, o.accesses);
    std::vector<size_t> last(o.threads + 1, 0);
    size_t longest = 0;
    for (size_t i = 0; i < order.size(); ++i) {
        const unsigned who = order[i];
        longest = std::max(longest, i - last[who]);
        last[who] = i;
        if (--left[who] == 0)
            break;  // from here on fewer compete
    }
    // Two places in the core and one of each initiator before the port.
    EXPECT_LE(longest, 2u * (o.threads + 1) + 2);
}

TEST(Initiators, TheOrderOfServiceDoesNotDependOnTheOrderOfTicks) {
    Options o;
    o.stall = 40;
    Bench first("first", o);
    o.shuffle = 17;
    Bench second("second", o);
    sc_core::sc_start();
    first.check();
    second.check();
    EXPECT_EQ(first.registers.order, second.registers.order);
}

}  // namespace
}  // namespace archipelago::tlm_shell::initiators_test
