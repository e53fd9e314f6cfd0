// SPDX-License-Identifier: Apache-2.0
// Other parties that break the base protocol at the chip's sockets: the chip stops by its own
// error, which names place, rule and transaction; nothing is thrown into their processes.
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "models/common/memory_image.h"
#include "testbenches/unit/tlm/sender.h"
#include "tlm/memory_arbiter.h"
#include "tlm/port.h"
#include "tlm/protocol_checker.h"

namespace archipelago::tlm_shell::breach_test {
namespace {

using sc_core::sc_time;

std::string message(const RunControl& control) {
    if (!control.error())
        return "no error";
    try {
        std::rethrow_exception(control.error());
    } catch (const MachineStop& stop) {
        EXPECT_EQ(stop.kind(), StopKind::Protocol);
        return stop.what();
    }
}

struct Manager : tlm::tlm_mm_interface {
    void free(tlm::tlm_generic_payload* gp) override { gp->reset(); }
};

// Accepts one request and answers it by calls of a test.
struct Breaching : sc_core::sc_module, tlm::tlm_fw_transport_if<> {
    tlm::tlm_target_socket<> socket{"socket"};
    std::function<void(Breaching&, tlm::tlm_generic_payload&)> answers;
    tlm::tlm_generic_payload* asked = nullptr;
    sc_core::sc_event work{"work"};
    bool returned = false;  // from all calls

    explicit Breaching(const sc_core::sc_module_name& n) : sc_module(n) {
        socket.bind(*this);
        SC_HAS_PROCESS(Breaching);
        SC_THREAD(run);
    }
    void call(tlm::tlm_generic_payload& gp, tlm::tlm_phase phase) {
        sc_time delay;
        socket->nb_transport_bw(gp, phase, delay);
    }
    void run() {
        wait(work);
        asked->set_response_status(tlm::TLM_OK_RESPONSE);
        answers(*this, *asked);
        returned = true;
    }
    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& gp, tlm::tlm_phase& phase,
                                       sc_time&) override {
        if (phase == tlm::BEGIN_REQ && asked == nullptr) {
            gp.acquire();
            asked = &gp;
            work.notify(sc_time(1, sc_core::SC_NS));
        }
        return tlm::TLM_ACCEPTED;
    }
    void b_transport(tlm::tlm_generic_payload&, sc_time&) override {}
    unsigned transport_dbg(tlm::tlm_generic_payload&) override { return 0; }
    bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi&) override { return false; }
};

// A port downstream of an arbiter, whose socket is that of a chip; perhaps checked.
struct Chip {
    RunControl control;
    PayloadPool pool;
    ClockDomain clock{"clock", 1000000, control};
    Sender sender{1};
    MemoryInitiator port{"port", clock, pool, 2, 1};
    MemoryArbiter arbiter{"arbiter", 1, ArbiterPayloads::Pool, &control, MemoryPhases::Four};
    std::optional<ProtocolChecker> checker;
    Breaching memory{"memory"};

    explicit Chip(bool checked) {
        sender.out = &port.requests;
        port.requests.set_producer(&sender);
        port.connect(sender.in);
        port.socket.bind(arbiter.input(0));
        clock.add(sender);
        sender.wake_at(0);
        if (checked) {
            checker.emplace("checker", &control);
            arbiter.out.bind(checker->in);
            checker->out.bind(memory.socket);
        } else {
            arbiter.out.bind(memory.socket);
        }
    }
};

struct Breach {
    const char* name;
    std::function<void(Breaching&, tlm::tlm_generic_payload&)> answers;
    const char* said;          // by the chip's own check
    const char* said_checked;  // by a protocol checker
};
void PrintTo(const Breach& breach, std::ostream* out) {
    *out << breach.name;
}

const Breach kBreaches[] = {
    {"EndRespFromTheMemory", [](auto& m, auto& gp) { m.call(gp, tlm::END_RESP); },
     "arbiter: END_RESP from the memory: a phase not allowed on the backward path: write of 64 "
     "bytes at 0x0",
     "checker: END_RESP out of order: write of 64 bytes at 0x0"},
    {"EndReqTwice",
     [](auto& m, auto& gp) {
         m.call(gp, tlm::END_REQ);
         m.call(gp, tlm::END_REQ);
     },
     "arbiter: END_REQ from the memory: the request has ended before: write of 64 bytes at 0x0",
     "checker: END_REQ out of order: write of 64 bytes at 0x0"},
    {"BeginRespTwice",
     [](auto& m, auto& gp) {
         m.call(gp, tlm::BEGIN_RESP);
         m.call(gp, tlm::BEGIN_RESP);
     },
     "arbiter: BEGIN_RESP from the memory: ", "checker: BEGIN_RESP out of order: "},
    {"APayloadOfTheMemory",
     [](auto& m, auto& gp) {
         static Manager manager;
         tlm::tlm_generic_payload other(&manager);
         other.set_address(gp.get_address());
         m.call(other, tlm::BEGIN_RESP);
     },
     "arbiter: BEGIN_RESP from the memory: a payload that is not the chip's: ",
     "checker: a phase for a payload that has no open transaction: "},
    {"APayloadWithoutManager",
     [](auto& m, auto&) {
         tlm::tlm_generic_payload other;
         m.call(other, tlm::BEGIN_RESP);
     },
     "arbiter: BEGIN_RESP from the memory: a payload that is not the chip's: ",
     "checker: a phase for a payload that has no open transaction: "},
};

class MemoryBreach : public ::testing::TestWithParam<std::tuple<Breach, bool>> {};
TEST_P(MemoryBreach, StopsTheChipByItsOwnError) {
    const auto& [breach, checked] = GetParam();
    Chip chip(checked);
    chip.memory.answers = breach.answers;
    EXPECT_NO_THROW(sc_core::sc_start());
    EXPECT_TRUE(chip.memory.returned);
    const std::string said = message(chip.control);
    EXPECT_EQ(said.rfind(checked ? breach.said_checked : breach.said, 0), 0u) << said;
}
INSTANTIATE_TEST_SUITE_P(All, MemoryBreach,
                         ::testing::Combine(::testing::ValuesIn(kBreaches), ::testing::Bool()),
                         [](const auto& info) {
                             return std::string(std::get<0>(info.param).name) +
                                    (std::get<1>(info.param) ? "_checked" : "");
                         });

// What the memory has answered before an error stands in the message of the error.
class MemoryStatus : public ::testing::TestWithParam<tlm::tlm_response_status> {};
TEST_P(MemoryStatus, ThatIsAnErrorIsInTheMessageOfTheStop) {
    Chip chip(true);
    chip.memory.answers = [&](auto& m, auto& gp) {
        gp.set_response_status(GetParam());
        m.call(gp, tlm::BEGIN_RESP);
        chip.control.fail(
            std::make_exception_ptr(MachineStop(StopKind::Protocol, "a unit", "refused")));
    };
    sc_core::sc_start();
    tlm::tlm_generic_payload words;
    words.set_response_status(GetParam());
    const bool tells =
        GetParam() != tlm::TLM_OK_RESPONSE && GetParam() != tlm::TLM_ADDRESS_ERROR_RESPONSE;
    EXPECT_EQ(message(chip.control),
              std::string("a unit: refused") +
                  (tells ? "; the memory has answered " + words.get_response_string() +
                               " to a write of 64 bytes at 0x0"
                         : ""));
}
INSTANTIATE_TEST_SUITE_P(All, MemoryStatus,
                         ::testing::Values(tlm::TLM_OK_RESPONSE, tlm::TLM_GENERIC_ERROR_RESPONSE,
                                           tlm::TLM_ADDRESS_ERROR_RESPONSE,
                                           tlm::TLM_COMMAND_ERROR_RESPONSE,
                                           tlm::TLM_BURST_ERROR_RESPONSE,
                                           tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE));

// What a register socket is to an initiator of another party.
struct Registers : Clocked {
    Channel<RegRequest> in{{2, 1}};
    Channel<RegResponse>* out = nullptr;
    Registers() { in.set_consumer(this); }
    bool tick(Cycle) override { return false; }  // never answers
};

struct Initiator : sc_core::sc_module, tlm::tlm_bw_transport_if<> {
    tlm::tlm_initiator_socket<> socket{"socket"};
    Manager manager;
    std::vector<std::unique_ptr<tlm::tlm_generic_payload>> payloads;
    std::function<void(Initiator&)> calls;
    uint8_t data[4] = {};
    bool returned = false;

    explicit Initiator(const sc_core::sc_module_name& n) : sc_module(n) {
        socket.bind(*this);
        SC_HAS_PROCESS(Initiator);
        SC_THREAD(run);
    }
    tlm::tlm_generic_payload& read(bool managed) {
        payloads.push_back(std::make_unique<tlm::tlm_generic_payload>());
        tlm::tlm_generic_payload& gp = *payloads.back();
        if (managed) {
            gp.set_mm(&manager);
            gp.acquire();
        }
        gp.set_command(tlm::TLM_READ_COMMAND);
        gp.set_address(0x10);
        gp.set_data_ptr(data);
        gp.set_data_length(4);
        gp.set_streaming_width(4);
        return gp;
    }
    tlm::tlm_sync_enum call(tlm::tlm_generic_payload& gp, tlm::tlm_phase phase) {
        sc_time delay;
        return socket->nb_transport_fw(gp, phase, delay);
    }
    void run() {
        calls(*this);
        returned = true;
    }
    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase&,
                                       sc_time&) override {
        return tlm::TLM_ACCEPTED;
    }
    void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
};

struct RegisterBreach : ::testing::Test {
    RunControl control;
    ClockDomain clock{"clock", 1000000, control};
    Registers registers;
    RegisterTargetPort port{"port", clock, 2, 1};
    Initiator initiator{"initiator"};

    RegisterBreach() {
        port.connect(registers.in);
        registers.out = &port.responses;
        clock.add(registers);
        initiator.socket.bind(port.socket);
    }
    std::string said(std::function<void(Initiator&)> calls) {
        initiator.calls = std::move(calls);
        EXPECT_NO_THROW(sc_core::sc_start(sc_time(1, sc_core::SC_US)));
        EXPECT_TRUE(initiator.returned);
        return message(control);
    }
};

TEST_F(RegisterBreach, APayloadWithoutManagerIsRefused) {
    EXPECT_EQ(said([](Initiator& i) {
                  tlm::tlm_generic_payload& gp = i.read(false);
                  EXPECT_EQ(i.call(gp, tlm::BEGIN_REQ), tlm::TLM_COMPLETED);
                  EXPECT_TRUE(gp.is_response_error());
              }),
              "port: nb_transport_fw with a payload without memory manager: read of 4 bytes at "
              "0x10");
}

TEST_F(RegisterBreach, APhaseOfTheOtherPathIsRefusedByItsName) {
    EXPECT_EQ(said([](Initiator& i) { i.call(i.read(true), tlm::END_REQ); }),
              "port: END_REQ is no phase of the forward path: read of 4 bytes at 0x10");
}

TEST_F(RegisterBreach, AnEndRespWithoutAResponseIsRefused) {
    EXPECT_EQ(said([](Initiator& i) { i.call(i.read(true), tlm::END_RESP); }),
              "port: END_RESP without BEGIN_RESP: read of 4 bytes at 0x10");
}

TEST_F(RegisterBreach, ARequestBeforeTheEndOfTheOneBeforeIsRefused) {
    EXPECT_EQ(said([](Initiator& i) {
                  for (unsigned n = 0; n < 4; ++n)  // two find room, one waits
                      i.call(i.read(true), tlm::BEGIN_REQ);
              }),
              "port: BEGIN_REQ before END_REQ of the request before: read of 4 bytes at 0x10");
}

}  // namespace
}  // namespace archipelago::tlm_shell::breach_test
