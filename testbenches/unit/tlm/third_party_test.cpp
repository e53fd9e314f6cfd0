// SPDX-License-Identifier: Apache-2.0
// Memories of other parties after the chip's arbiter: every way of the base protocol to answer,
// with annotated delays, and memories that only block.
#include <gtest/gtest.h>
#include <tlm_utils/simple_target_socket.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <random>

#include "models/common/memory_image.h"
#include "testbenches/unit/tlm/sender.h"
#include "tlm/memory_arbiter.h"
#include "tlm/memory_target.h"
#include "tlm/port.h"
#include "tlm/protocol_checker.h"

namespace archipelago::tlm_shell::third_party_test {
namespace {

using sc_core::sc_time;

sc_time ps(unsigned n) {
    return sc_time(n, sc_core::SC_PS);
}

enum Way : unsigned {
    kUpdatedEndReq = 1,     // END_REQ with the return, in the future
    kUpdatedBeginResp = 2,  // the response with the return, in the future
    kCompleted = 4,         // all at once
    kEndReqLater = 8,       // END_REQ by a call, in the future
    kNoEndReq = 16,         // BEGIN_RESP says it all
    kAll = 31,
};

void serve(MemoryImage& image, tlm::tlm_generic_payload& gp) {
    const bool ok = gp.is_read()
                        ? image.read(gp.get_address(), gp.get_data_ptr(), gp.get_data_length())
                        : image.write(gp.get_address(), gp.get_data_ptr(), gp.get_data_length());
    gp.set_response_status(ok ? tlm::TLM_OK_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE);
}

// Answers each request in one of the ways allowed, and minds the times at which phases take effect.
struct PickyMemory : sc_core::sc_module, tlm::tlm_fw_transport_if<> {
    tlm::tlm_target_socket<> socket{"socket"};
    MemoryImage& image;
    unsigned ways;
    std::mt19937 random{7};
    std::deque<std::pair<tlm::tlm_generic_payload*, Way>> queue;
    sc_core::sc_event work, end;
    tlm::tlm_generic_payload* responding = nullptr;
    sc_time request_free;    // when the last END_REQ takes effect
    sc_time response_began;  // when the last BEGIN_RESP takes effect
    unsigned used[32] = {};
    unsigned completed = 0, ended = 0;  // responses by a call: by TLM_COMPLETED, by END_RESP
    bool calling = false, called_inside = false;

    PickyMemory(const sc_core::sc_module_name& n, MemoryImage& m, unsigned w)
        : sc_module(n), image(m), ways(w) {
        socket.bind(*this);
        SC_HAS_PROCESS(PickyMemory);
        SC_THREAD(run);
    }
    Way draw() {
        for (;;) {
            const unsigned way = 1u << random() % 5;
            if ((ways & way) == 0)
                continue;
            ++used[way];
            return static_cast<Way>(way);
        }
    }
    void respond(tlm::tlm_generic_payload& gp) {
        while (responding != nullptr)
            wait(end);
        serve(image, gp);
        tlm::tlm_phase phase = tlm::BEGIN_RESP;
        sc_time delay = ps(random() % 4000);
        responding = &gp;
        response_began = sc_core::sc_time_stamp() + delay;
        const tlm::tlm_sync_enum status = call(gp, phase, delay);
        if (status == tlm::TLM_COMPLETED ||
            (status == tlm::TLM_UPDATED && phase == tlm::END_RESP)) {
            responding = nullptr;
            ++completed;
        }
        gp.release();
    }
    tlm::tlm_sync_enum call(tlm::tlm_generic_payload& gp, tlm::tlm_phase& phase, sc_time& delay) {
        calling = true;
        const tlm::tlm_sync_enum status = socket->nb_transport_bw(gp, phase, delay);
        calling = false;
        return status;
    }
    void run() {
        for (;;) {
            while (queue.empty())
                wait(work);
            const auto [gp, way] = queue.front();
            queue.pop_front();
            wait(ps(500 + random() % 3000));
            if (way == kEndReqLater) {
                tlm::tlm_phase phase = tlm::END_REQ;
                sc_time delay = ps(random() % 5000);
                delay = std::max(delay, request_free > sc_core::sc_time_stamp()
                                            ? request_free - sc_core::sc_time_stamp()
                                            : sc_core::SC_ZERO_TIME);
                request_free = sc_core::sc_time_stamp() + delay;
                call(*gp, phase, delay);
                wait(request_free - sc_core::sc_time_stamp());
                wait(ps(300));
            } else if (way == kNoEndReq) {
                request_free = sc_core::sc_time_stamp();
            }
            respond(*gp);
        }
    }
    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& gp, tlm::tlm_phase& phase,
                                       sc_time& delay) override {
        const sc_time at = sc_core::sc_time_stamp() + delay;
        called_inside = called_inside || calling;
        if (phase == tlm::END_RESP) {
            ++ended;
            EXPECT_EQ(responding, &gp) << "END_RESP without a response";
            EXPECT_GE(at, response_began) << "END_RESP before BEGIN_RESP";
            responding = nullptr;
            end.notify(sc_core::SC_ZERO_TIME);
            return tlm::TLM_COMPLETED;
        }
        EXPECT_GE(at, request_free) << "BEGIN_REQ before END_REQ of the request before";
        const Way way = draw();
        if (way == kCompleted) {
            serve(image, gp);
            delay += ps(random() % 6000);
            return tlm::TLM_COMPLETED;
        }
        if (way == kUpdatedBeginResp && responding == nullptr) {
            serve(image, gp);
            delay += ps(random() % 6000);
            request_free = response_began = sc_core::sc_time_stamp() + delay;
            responding = &gp;
            phase = tlm::BEGIN_RESP;
            return tlm::TLM_UPDATED;
        }
        gp.acquire();
        work.notify(sc_core::SC_ZERO_TIME);
        if (way != kUpdatedEndReq) {
            queue.emplace_back(&gp, way == kNoEndReq ? kNoEndReq : kEndReqLater);
            return tlm::TLM_ACCEPTED;
        }
        queue.emplace_back(&gp, kUpdatedEndReq);
        delay += ps(random() % 6000);
        request_free = sc_core::sc_time_stamp() + delay;
        phase = tlm::END_REQ;
        return tlm::TLM_UPDATED;
    }
    void b_transport(tlm::tlm_generic_payload&, sc_time&) override {}
    unsigned transport_dbg(tlm::tlm_generic_payload&) override { return 0; }
    bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi&) override { return false; }
};

// Looks at phases alone, as some DRAM simulators do: a clock to accept a request, a response at a
// time, and the next one after END_RESP, regardless of what its calls return. Stops taking requests
// after `most`.
struct PhasesOnly : sc_core::sc_module, tlm::tlm_fw_transport_if<> {
    tlm::tlm_target_socket<> socket{"socket"};
    MemoryImage& image;
    unsigned most = ~0u, taken = 0, ends = 0;
    std::deque<tlm::tlm_generic_payload*> arrived, accepted;
    sc_core::sc_event work, response, end;

    PhasesOnly(const sc_core::sc_module_name& n, MemoryImage& m) : sc_module(n), image(m) {
        socket.bind(*this);
        SC_HAS_PROCESS(PhasesOnly);
        SC_THREAD(take);
        SC_THREAD(answer);
    }
    void call(tlm::tlm_generic_payload& gp, tlm::tlm_phase phase) {
        sc_time delay;
        socket->nb_transport_bw(gp, phase, delay);
    }
    void take() {
        for (; taken < most; ++taken) {
            while (arrived.empty())
                wait(work);
            wait(ps(1500));
            tlm::tlm_generic_payload& gp = *arrived.front();
            arrived.pop_front();
            accepted.push_back(&gp);
            response.notify(ps(9000));
            call(gp, tlm::END_REQ);
        }
    }
    void answer() {
        for (;;) {
            while (accepted.empty())
                wait(response);
            wait(ps(2000));
            tlm::tlm_generic_payload& gp = *accepted.front();
            accepted.pop_front();
            serve(image, gp);
            call(gp, tlm::BEGIN_RESP);
            wait(end);
            gp.release();
        }
    }
    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& gp, tlm::tlm_phase& phase,
                                       sc_time& delay) override {
        if (phase == tlm::BEGIN_REQ) {
            gp.acquire();
            arrived.push_back(&gp);
            work.notify(delay);
        } else {
            ++ends;
            end.notify(delay);
        }
        return tlm::TLM_ACCEPTED;
    }
    void b_transport(tlm::tlm_generic_payload&, sc_time&) override {}
    unsigned transport_dbg(tlm::tlm_generic_payload&) override { return 0; }
    bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi&) override { return false; }
};

// Three ports with back-pressure over one arbiter.
struct Platform {
    RunControl control;
    PayloadPool pool;
    ClockDomain clock{"clock", 1000000, control};
    MemoryImage image;
    ProtocolChecker checker{"checker"};
    MemoryArbiter arbiter;
    std::vector<std::unique_ptr<Sender>> senders;
    std::vector<std::unique_ptr<MemoryInitiator>> ports;
    std::vector<std::unique_ptr<ProtocolChecker>> in_checkers;
    explicit Platform(MemoryPhases phases = MemoryPhases::Four, bool decoupled = false)
        : arbiter("arbiter", 3, ArbiterPayloads::Pool, decoupled ? &control : nullptr, phases) {
        if (decoupled)
            control.decouple();
        image.map(0, 1 << 22);
        for (unsigned i = 0; i < 3; ++i) {
            senders.push_back(std::make_unique<Sender>(60));
            ports.push_back(std::make_unique<MemoryInitiator>(("port" + std::to_string(i)).c_str(),
                                                              clock, pool, 2, 1 + i));
            Sender& s = *senders.back();
            s.base = i;
            s.out = &ports[i]->requests;
            s.in.random_stall(i + 1, 60);
            ports[i]->requests.set_producer(&s);
            ports[i]->connect(s.in);
            in_checkers.push_back(
                std::make_unique<ProtocolChecker>(("in_checker" + std::to_string(i)).c_str()));
            ports[i]->socket.bind(in_checkers[i]->in);
            in_checkers[i]->out.bind(arbiter.input(i));
            clock.add(s);
            s.wake_at(i);
        }
        arbiter.out.bind(checker.in);
    }
    void run_and_check() {
        sc_core::sc_start();
        if (control.error()) {
            try {
                std::rethrow_exception(control.error());
            } catch (const std::exception& e) {
                FAIL() << e.what();
            }
        }
        for (auto& s : senders)
            EXPECT_TRUE(s->done()) << s->answered;
        EXPECT_EQ(checker.transactions(), 360u);
        EXPECT_EQ(checker.outstanding(), 0u);
        for (const auto& in : in_checkers) {
            EXPECT_EQ(in->transactions(), 120u);
            EXPECT_EQ(in->outstanding(), 0u);
        }
        EXPECT_EQ(pool.in_use(), 0u);
    }
};

class ThirdParty : public ::testing::TestWithParam<std::tuple<MemoryPhases, unsigned>> {};
TEST_P(ThirdParty, EveryWayToAnswerKeepsDataTimesAndProtocol) {
    const auto [phases, ways] = GetParam();
    Platform p(phases);
    PickyMemory memory("memory", p.image, ways);
    p.checker.out.bind(memory.socket);
    p.run_and_check();
    for (unsigned way = 1; way < kAll; way *= 2)
        EXPECT_EQ(memory.used[way] != 0, (ways & way) != 0);
    EXPECT_EQ(p.arbiter.waiting_for(p.pool), "");
    // Responses by a call: early ends where the port has room, END_RESP where it has none.
    const bool responds = (ways & (kUpdatedEndReq | kEndReqLater | kNoEndReq)) != 0;
    EXPECT_EQ(memory.ended != 0, ways != kCompleted);
    if (phases == MemoryPhases::Four) {
        EXPECT_EQ(memory.completed, 0u);
        EXPECT_FALSE(memory.called_inside);
    } else if (responds) {
        EXPECT_GT(memory.completed, 0u);
    }
}
INSTANTIATE_TEST_SUITE_P(
    Ways, ThirdParty,
    ::testing::Combine(::testing::Values(MemoryPhases::Four, MemoryPhases::Early),
                       ::testing::Values<unsigned>(kUpdatedEndReq, kUpdatedBeginResp, kCompleted,
                                                   kEndReqLater, kNoEndReq,
                                                   kCompleted | kEndReqLater,
                                                   kUpdatedBeginResp | kNoEndReq,
                                                   kUpdatedBeginResp | kCompleted, kAll)));

TEST(FourPhases, AMemoryThatLooksAtPhasesAloneIsServed) {
    Platform p;
    PhasesOnly memory("memory", p.image);
    p.checker.out.bind(memory.socket);
    p.run_and_check();
    EXPECT_EQ(memory.ends, 360u);
}

TEST(FourPhases, EarlyEndsAreWhatSuchAMemoryWaitsForAndTheReportSaysSo) {
    Platform p(MemoryPhases::Early);
    PhasesOnly memory("memory", p.image);
    p.checker.out.bind(memory.socket);
    sc_core::sc_start();
    ASSERT_FALSE(p.control.error());
    EXPECT_FALSE(p.senders[0]->done());
    const std::string report = p.arbiter.waiting_for(p.pool);
    EXPECT_NE(report.find("END_REQ of a write of 64 bytes at 0x"), std::string::npos) << report;
    EXPECT_NE(report.find("): a memory that waits for END_RESP needs MemoryPhases::Four"),
              std::string::npos)
        << report;
}

TEST(FourPhases, OpenTransactionsAreReportedWithTheirLastPhaseTheOldestFirst) {
    Platform p;
    PhasesOnly memory("memory", p.image);
    memory.most = 0;
    p.checker.out.bind(memory.socket);
    sc_core::sc_start();
    ASSERT_FALSE(p.control.error());
    // One is sent; each of the other ports has one that waits for it.
    EXPECT_EQ(
        p.arbiter.waiting_for(p.pool),
        "3 open transactions, by their last phase: BEGIN_REQ of a write of 64 bytes at 0x0, "
        "waiting to send a write of 64 bytes at 0xfa00, waiting to send a write of 64 bytes at "
        "0x1f400");
    const std::string all = p.arbiter.waiting_for(p.pool);
    EXPECT_EQ(p.arbiter.waiting_for(p.pool, OpenSince::After), "");
    p.arbiter.watch();
    EXPECT_EQ(p.arbiter.waiting_for(p.pool), all);
    EXPECT_EQ(p.arbiter.waiting_for(p.pool, OpenSince::After), "");
}

// What does not sleep as long as something is open: clocks that run ahead never stop for it.
struct Restless : Clocked {
    const Platform& platform;
    explicit Restless(const Platform& p) : platform(p) {}
    bool tick(Cycle) override {
        return std::any_of(platform.senders.begin(), platform.senders.end(),
                           [](const auto& s) { return !s->done(); });
    }
};

class Decoupled : public ::testing::TestWithParam<MemoryPhases> {};
TEST_P(Decoupled, AMemoryThatTakesTimeIsWaitedFor) {
    Platform p(GetParam(), true);
    Restless restless(p);
    p.clock.add(restless);
    restless.wake_at(0);
    PickyMemory memory("memory", p.image, kAll);
    p.checker.out.bind(memory.socket);
    p.run_and_check();
    // A response comes some 10 ns after its request, not when the clocks have gone as far ahead as
    // they may.
    EXPECT_LT(p.clock.now(), 360 * 20u);
    EXPECT_EQ(p.control.lead(), sc_core::SC_ZERO_TIME);
}
INSTANTIATE_TEST_SUITE_P(Phases, Decoupled,
                         ::testing::Values(MemoryPhases::Four, MemoryPhases::Early));

TEST(BlockingMemory, OneThatOnlyBlocksServesThroughTheAdapterOfItsSocket) {
    struct Blocking : sc_core::sc_module {
        tlm_utils::simple_target_socket<Blocking> socket{"socket"};
        MemoryImage& image;
        Blocking(const sc_core::sc_module_name& n, MemoryImage& m) : sc_module(n), image(m) {
            socket.register_b_transport(this, &Blocking::transport);
        }
        void transport(tlm::tlm_generic_payload& gp, sc_time& delay) {
            serve(image, gp);
            delay += ps(2500);
        }
    };
    Platform p;
    Blocking memory("memory", p.image);
    p.checker.out.bind(memory.socket);
    p.run_and_check();
}

struct Extra : tlm::tlm_extension<Extra> {
    static inline int alive = 0;
    Extra() { ++alive; }
    ~Extra() override { --alive; }
    tlm_extension_base* clone() const override { return new Extra; }
    void copy_from(const tlm_extension_base&) override {}
};

TEST(Payload, ExtensionsOfOthersEndWithTheTransaction) {
    PayloadPool pool;
    Payload& p = pool.acquire();
    p.gp.set_auto_extension(new Extra);
    EXPECT_EQ(Extra::alive, 1);
    p.gp.release();
    EXPECT_EQ(Extra::alive, 0);
    Payload& again = pool.acquire();
    EXPECT_EQ(again.gp.get_extension<Extra>(), nullptr);
    EXPECT_EQ(again.gp.get_extension<Extension>(), &again.ext);
    again.gp.release();
}

// A payload as a processor of another party would send it.
struct Access : tlm::tlm_generic_payload {
    unsigned char data[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    unsigned char enable[2] = {TLM_BYTE_ENABLED, TLM_BYTE_DISABLED};
    Access(tlm::tlm_command command, uint64_t address, unsigned length) {
        set_command(command);
        set_address(address);
        set_data_ptr(data);
        set_data_length(length);
        set_streaming_width(length);
    }
};

TEST(MemoryTarget, HonoursByteEnablesBothWaysAndRefusesBadOnes) {
    MemoryImage image;
    image.map(0, 4096);
    MemoryTargetModule memory("memory", image);
    sc_time delay;
    Access write(tlm::TLM_WRITE_COMMAND, 16, 4);
    write.set_byte_enable_ptr(write.enable);
    write.set_byte_enable_length(2);
    memory.b_transport(write, delay);
    EXPECT_EQ(write.get_response_status(), tlm::TLM_OK_RESPONSE);
    uint8_t got[4];
    image.read(16, got, 4);
    EXPECT_EQ(got[0], 1);
    EXPECT_EQ(got[1], 0);
    EXPECT_EQ(got[2], 3);
    Access read(tlm::TLM_READ_COMMAND, 16, 4);
    read.data[0] = read.data[1] = 0xee;
    read.set_byte_enable_ptr(read.enable);
    read.set_byte_enable_length(2);
    memory.b_transport(read, delay);
    EXPECT_EQ(read.data[0], 1);
    EXPECT_EQ(read.data[1], 0xee) << "a byte that was not enabled was written";
    read.set_byte_enable_length(0);
    memory.b_transport(read, delay);
    EXPECT_EQ(read.get_response_status(), tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
    Access ignore(tlm::TLM_IGNORE_COMMAND, 16, 4);
    EXPECT_EQ(memory.transport_dbg(ignore), 0u);
    EXPECT_EQ(ignore.data[0], 1);
}

TEST(Codec, APayloadOfTheWrongShapeGetsTheErrorThatNamesWhatIsWrong) {
    RegRequest reg;
    MemRequest mem;
    const auto reg_status = [&](Access& a) { return RegisterCodec::from_payload(a, reg); };
    const auto mem_status = [&](Access& a) { return MemoryCodec::from_payload(a, mem); };
    Access good(tlm::TLM_READ_COMMAND, 64, 4);
    EXPECT_EQ(reg_status(good), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(mem_status(good), tlm::TLM_OK_RESPONSE);
    Access misaligned(tlm::TLM_READ_COMMAND, 66, 4);
    EXPECT_EQ(reg_status(misaligned), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    Access wide(tlm::TLM_WRITE_COMMAND, 60, 8);
    EXPECT_EQ(reg_status(wide), tlm::TLM_BURST_ERROR_RESPONSE);
    EXPECT_EQ(mem_status(wide), tlm::TLM_BURST_ERROR_RESPONSE) << "crosses a line";
    Access ignore(tlm::TLM_IGNORE_COMMAND, 64, 4);
    EXPECT_EQ(reg_status(ignore), tlm::TLM_COMMAND_ERROR_RESPONSE);
    EXPECT_EQ(mem_status(ignore), tlm::TLM_COMMAND_ERROR_RESPONSE);
    good.set_byte_enable_ptr(good.enable);
    good.set_byte_enable_length(0);
    EXPECT_EQ(reg_status(good), tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
    EXPECT_EQ(mem_status(good), tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
    good.set_byte_enable_ptr(nullptr);
    good.set_data_ptr(nullptr);
    EXPECT_EQ(reg_status(good), tlm::TLM_GENERIC_ERROR_RESPONSE);
    EXPECT_EQ(mem_status(good), tlm::TLM_GENERIC_ERROR_RESPONSE);
}

}  // namespace
}  // namespace archipelago::tlm_shell::third_party_test
