// SPDX-License-Identifier: Apache-2.0
#include "tlm/port.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <random>

#include "models/common/memory_image.h"
#include "testbenches/unit/tlm/sender.h"
#include "tlm/memory_arbiter.h"
#include "tlm/memory_target.h"
#include "tlm/protocol_checker.h"

namespace archipelago::tlm_shell::port_test {
namespace {

// A memory core: answers each request `latency` cycles later, in order.
struct MemoryCore : Clocked {
    Channel<MemRequest> in{{2, 1}};
    Channel<MemResponse>* out = nullptr;
    std::map<uint64_t, Line> lines;
    MemoryCore() { in.set_consumer(this); }
    bool tick(Cycle now) override {
        if (!in.can_pop(now) || !out->can_push(now))
            return false;
        const MemRequest r = in.pop(now);
        MemResponse a;
        a.tag = r.tag;
        a.command = r.command;
        if (r.command == MemCommand::Write)
            lines[r.line] = r.data;
        else
            a.data = lines[r.line];
        out->push(now, a);
        return true;
    }
};

struct Bench {
    RunControl control;
    PayloadPool pool;
    ClockDomain a, b;
    Sender sender;
    MemoryCore memory;
    MemoryInitiator initiator;
    MemoryTarget target;
    ProtocolChecker checker{"checker"};
    Bench(uint64_t period_a, uint64_t period_b, unsigned count, unsigned link)
        : a("a", period_a, control),
          b("b", period_b, control),
          sender(count),
          initiator("initiator", a, pool, 2, link),
          target("target", b, 2, link) {
        sender.out = &initiator.requests;
        initiator.requests.set_producer(&sender);
        initiator.connect(sender.in);
        target.connect(memory.in);
        memory.out = &target.responses;
        target.responses.set_producer(&memory);
        a.add(sender);
        b.add(memory);
        initiator.socket.bind(checker.in);
        checker.out.bind(target.socket);
        sender.wake_at(0);
    }
};

TEST(Port, AnUnloadedReadTakesTheSumOfItsLatencies) {
    for (const unsigned link : {3u}) {
        Bench t(1000, 1000, 1, link);
        sc_core::sc_start();
        ASSERT_FALSE(t.control.error());
        ASSERT_TRUE(t.sender.done());
        // There: channel 1 + link. Core: 1 cycle in its output channel. Back: link.
        EXPECT_EQ(t.sender.first_answer - t.sender.first_sent, 1 + link + 1 + link);
    }
}

TEST(Port, StreamsOneTransactionACycle) {
    Bench t(1000, 1000, 500, 1);
    sc_core::sc_start();
    ASSERT_TRUE(t.sender.done());
    EXPECT_EQ(t.checker.transactions(), 1000u);
    // 500 writes back to back, then 500 reads back to back.
    EXPECT_LE(t.sender.last_answer - t.sender.first_sent, 1000u + 20);
    EXPECT_EQ(t.pool.in_use(), 0u);
    EXPECT_LE(t.pool.allocated(), 16u);
}

Cycle run_with(uint64_t period_b, unsigned stall, uint64_t shuffle) {
    Bench t(1081081, period_b, 300, 2);
    if (stall != 0) {
        t.initiator.requests.random_stall(1, stall);
        t.memory.in.random_stall(2, stall);
        t.target.responses.random_stall(3, stall);
        t.sender.in.random_stall(4, stall);
    }
    if (shuffle != 0) {
        t.a.scheduler().shuffle(shuffle);
        t.b.scheduler().shuffle(shuffle + 1);
    }
    sc_core::sc_start();
    EXPECT_FALSE(t.control.error());
    EXPECT_TRUE(t.sender.done());
    EXPECT_EQ(t.checker.outstanding(), 0u);
    EXPECT_EQ(t.pool.in_use(), 0u);
    return t.sender.last_answer;
}

class PortMix : public ::testing::TestWithParam<std::tuple<int, int>> {};
TEST_P(PortMix, KeepsDataAndProtocolAcrossClocksAndStalls) {
    const auto [period, stall] = GetParam();
    EXPECT_GT(run_with(static_cast<uint64_t>(period), static_cast<unsigned>(stall), 0), 600u);
}
INSTANTIATE_TEST_SUITE_P(All, PortMix,
                         ::testing::Combine(::testing::Values(1081081, 727273, 3000000),
                                            ::testing::Values(0, 30, 60)));

// Separate processes (one per test) give the two orders; the numbers are pinned to each other.
TEST(Port, TickOrderCannotBeSeenThroughSockets) {
    Bench t(1000, 1000, 200, 1);
    Bench u(1000, 1000, 200, 1);
    t.memory.in.random_stall(2, 40);
    u.memory.in.random_stall(2, 40);
    u.a.scheduler().shuffle(99);
    u.b.scheduler().shuffle(7);
    sc_core::sc_start();
    EXPECT_TRUE(t.sender.done() && u.sender.done());
    EXPECT_EQ(t.sender.last_answer, u.sender.last_answer);
}

TEST(Port, AMemoryTargetServesPartialWritesAndRefusesUnmapped) {
    struct Driver : Clocked {
        Channel<MemRequest>* out = nullptr;
        Channel<MemResponse> in{{8, 1}};
        std::vector<MemRequest> todo;
        std::vector<MemResponse> got;
        bool tick(Cycle now) override {
            bool progress = false;
            while (in.can_pop(now)) {
                got.push_back(in.pop(now));
                progress = true;
            }
            if (!todo.empty() && out->can_push(now)) {
                out->push(now, todo.front());
                todo.erase(todo.begin());
                progress = true;
            }
            return progress;
        }
    } driver;
    RunControl control;
    PayloadPool pool;
    ClockDomain clock("clock", 1000, control);
    MemoryImage image;
    image.map(0x1000, 0x1000);
    MemoryInitiator port("port", clock, pool, 2, 1);
    MemoryTargetModule memory("memory", image);
    ProtocolChecker checker("checker");
    MemoryArbiter arbiter("arbiter", 1);
    port.socket.bind(arbiter.input(0));
    arbiter.out.bind(checker.in);
    checker.out.bind(memory.socket);
    driver.out = &port.requests;
    driver.in.set_consumer(&driver);
    port.requests.set_producer(&driver);
    port.connect(driver.in);
    clock.add(driver);
    MemRequest w;
    w.command = MemCommand::Write;
    w.line = 0x1040;
    w.byte_mask = 0b1011;  // with a hole: byte enables
    w.data.fill(0xaa);
    driver.todo.push_back(w);
    w.byte_mask = 0xff00;  // contiguous: a shorter access
    w.data.fill(0xbb);
    driver.todo.push_back(w);
    MemRequest r;
    r.line = 0x1040;
    r.byte_mask = ~uint64_t{0};
    driver.todo.push_back(r);
    r.line = 0x2000;
    driver.todo.push_back(r);
    driver.wake_at(0);
    sc_core::sc_start();
    ASSERT_FALSE(control.error());
    ASSERT_EQ(driver.got.size(), 4u);
    const Line& d = driver.got[2].data;
    EXPECT_EQ(d[0], 0xaa);
    EXPECT_EQ(d[1], 0xaa);
    EXPECT_EQ(d[2], 0x00);
    EXPECT_EQ(d[3], 0xaa);
    EXPECT_EQ(d[7], 0x00);
    EXPECT_EQ(d[8], 0xbb);
    EXPECT_EQ(d[15], 0xbb);
    EXPECT_EQ(d[16], 0x00);
    EXPECT_EQ(driver.got[3].status, MemStatus::Unmapped);
}

// Another party's approximately timed memory: accepts now, ends the request later, answers in its
// own time, one at a time.
struct SlowMemory : sc_core::sc_module, tlm::tlm_fw_transport_if<> {
    tlm::tlm_target_socket<> socket{"socket"};
    MemoryImage& image;
    std::deque<tlm::tlm_generic_payload*> queue;
    sc_core::sc_event work;
    bool busy = false;
    SlowMemory(const sc_core::sc_module_name& n, MemoryImage& m) : sc_module(n), image(m) {
        socket.bind(*this);
        SC_HAS_PROCESS(SlowMemory);
        SC_THREAD(run);
    }
    void run() {
        for (;;) {
            while (queue.empty())
                wait(work);
            tlm::tlm_generic_payload& gp = *queue.front();
            queue.pop_front();
            wait(sc_core::sc_time(3700, sc_core::SC_PS));
            tlm::tlm_phase phase = tlm::END_REQ;
            sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
            socket->nb_transport_bw(gp, phase, delay);
            wait(sc_core::sc_time(2100, sc_core::SC_PS));
            const bool ok =
                gp.is_read()
                    ? image.read(gp.get_address(), gp.get_data_ptr(), gp.get_data_length())
                    : image.write(gp.get_address(), gp.get_data_ptr(), gp.get_data_length());
            gp.set_response_status(ok ? tlm::TLM_OK_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE);
            phase = tlm::BEGIN_RESP;
            delay = sc_core::SC_ZERO_TIME;
            ended = false;
            if (socket->nb_transport_bw(gp, phase, delay) == tlm::TLM_ACCEPTED)
                while (!ended)
                    wait(end);
            gp.release();
        }
    }
    bool ended = false;
    sc_core::sc_event end;
    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& gp, tlm::tlm_phase& phase,
                                       sc_core::sc_time&) override {
        if (phase == tlm::BEGIN_REQ) {
            gp.acquire();
            queue.push_back(&gp);
            work.notify(sc_core::SC_ZERO_TIME);
            return tlm::TLM_ACCEPTED;
        }
        ended = true;
        end.notify(sc_core::SC_ZERO_TIME);
        return tlm::TLM_COMPLETED;
    }
    void b_transport(tlm::tlm_generic_payload&, sc_core::sc_time&) override {}
    unsigned transport_dbg(tlm::tlm_generic_payload&) override { return 0; }
    bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi&) override { return false; }
};

TEST(Port, ThroughAMemoryArbiterSeveralPortsShareAThirdPartyMemory) {
    RunControl control;
    PayloadPool pool;
    ClockDomain clock("clock", 1000, control);
    MemoryImage image;
    image.map(0, 1 << 22);
    SlowMemory memory("memory", image);
    ProtocolChecker checker("checker");
    MemoryArbiter arbiter("arbiter", 3);
    std::vector<std::unique_ptr<Sender>> senders;
    std::vector<std::unique_ptr<MemoryInitiator>> ports;
    for (unsigned i = 0; i < 3; ++i) {
        senders.push_back(std::make_unique<Sender>(40));
        ports.push_back(std::make_unique<MemoryInitiator>(("port" + std::to_string(i)).c_str(),
                                                          clock, pool, 2, 1));
        Sender& s = *senders.back();
        s.base = i;
        s.out = &ports[i]->requests;
        s.in.random_stall(i + 1, 50);
        ports[i]->requests.set_producer(&s);
        ports[i]->connect(s.in);
        ports[i]->socket.bind(arbiter.input(i));
        clock.add(s);
        s.wake_at(i);
    }
    arbiter.out.bind(checker.in);
    checker.out.bind(memory.socket);
    sc_core::sc_start();
    ASSERT_FALSE(control.error());
    for (auto& s : senders)
        EXPECT_TRUE(s->done());
    EXPECT_EQ(checker.transactions(), 240u);
    EXPECT_EQ(checker.outstanding(), 0u);
}

TEST(Port, RegisterWritesArePostedAndReadsComeBackWithTheirTag) {
    struct Regs : Clocked {
        Channel<RegRequest> in{{2, 1}};
        Channel<RegResponse>* out = nullptr;
        uint32_t value = 0;
        uint8_t se = 0;
        bool tick(Cycle now) override {
            if (!in.can_pop(now) || !out->can_push(now))
                return false;
            const RegRequest r = in.pop(now);
            if (r.write) {  // posted: no answer
                value = r.value;
                se = r.se;
                return true;
            }
            RegResponse a;
            a.tag = r.tag;
            a.value = value;
            a.status = r.offset == 0x8010 ? RegStatus::Ok : RegStatus::Unknown;
            out->push(now, a);
            return true;
        }
    } regs;
    struct Host : Clocked {
        Channel<RegRequest>* out = nullptr;
        Channel<RegResponse> in{{2, 1}};
        std::vector<RegResponse> got;
        unsigned sent = 0;
        bool tick(Cycle now) override {
            bool progress = false;
            while (in.can_pop(now)) {
                got.push_back(in.pop(now));
                progress = true;
            }
            if (sent < 3 && out->can_push(now)) {
                RegRequest r;
                r.offset = sent == 2 ? 0x9999 & ~3u : 0x8010;
                r.write = sent == 0;
                r.value = 0xcafe;
                r.se = 1;
                r.tag = 70 + sent++;
                out->push(now, r);
                progress = true;
            }
            return progress;
        }
    } host;
    RunControl control;
    PayloadPool pool;
    ClockDomain clock("clock", 1000, control);
    RegisterInitiator initiator("initiator", clock, pool, 2, 1);
    RegisterTargetPort target("target", clock, 2, 1);
    ProtocolChecker checker("checker");
    initiator.socket.bind(checker.in);
    checker.out.bind(target.socket);
    host.out = &initiator.requests;
    host.in.set_consumer(&host);
    initiator.requests.set_producer(&host);
    initiator.connect(host.in);
    target.connect(regs.in);
    regs.in.set_consumer(&regs);
    regs.out = &target.responses;
    clock.add(host);
    clock.add(regs);
    host.wake_at(0);
    sc_core::sc_start();
    ASSERT_EQ(host.got.size(), 2u);
    EXPECT_EQ(regs.se, 1);
    EXPECT_EQ(host.got[0].value, 0xcafeu);
    EXPECT_EQ(host.got[0].tag, 71u);
    EXPECT_EQ(host.got[1].status, RegStatus::Unknown);
}

}  // namespace
}  // namespace archipelago::tlm_shell::port_test
