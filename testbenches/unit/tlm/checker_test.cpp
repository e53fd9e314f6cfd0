// SPDX-License-Identifier: Apache-2.0
// The protocol checker must catch what it claims to: each test breaks one rule.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <string>
#include <utility>

#include "tlm/payload.h"
#include "tlm/protocol_checker.h"

namespace archipelago::tlm_shell::checker_test {
namespace {

struct Ends : sc_core::sc_module, tlm::tlm_fw_transport_if<>, tlm::tlm_bw_transport_if<> {
    tlm::tlm_initiator_socket<> initiator{"initiator"};
    tlm::tlm_target_socket<> target{"target"};
    RunControl control;
    ProtocolChecker checker;
    PayloadPool pool;
    tlm::tlm_sync_enum answer = tlm::TLM_ACCEPTED;
    tlm::tlm_response_status status = tlm::TLM_OK_RESPONSE;
    sc_core::sc_time subtract;
    // What the callee does to the arguments of each call.
    std::function<void(tlm::tlm_generic_payload&, tlm::tlm_phase&)> alter =
        [](tlm::tlm_generic_payload&, tlm::tlm_phase&) {};
    tlm::tlm_sync_enum answer_back = tlm::TLM_ACCEPTED;
    tlm::tlm_dmi grant;
    explicit Ends(const sc_core::sc_module_name& n, bool of_another_party = false)
        : sc_core::sc_module(n), checker("checker", of_another_party ? &control : nullptr) {
        initiator.bind(*this);
        target.bind(*this);
        initiator.bind(checker.in);
        checker.out.bind(target);
    }
    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& gp, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override {
        delay -= subtract;
        if (answer == tlm::TLM_COMPLETED)
            gp.set_response_status(status);
        alter(gp, phase);
        return answer;
    }
    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& gp, tlm::tlm_phase& phase,
                                       sc_core::sc_time&) override {
        alter(gp, phase);
        return answer_back;
    }
    void b_transport(tlm::tlm_generic_payload& gp, sc_core::sc_time&) override {
        tlm::tlm_phase none;
        gp.set_response_status(status);
        alter(gp, none);
    }
    unsigned transport_dbg(tlm::tlm_generic_payload&) override { return 0; }
    bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi& dmi) override {
        dmi = grant;
        return true;
    }
    void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}

    Payload& fresh() {
        Payload& p = pool.acquire();
        p.gp.set_command(tlm::TLM_READ_COMMAND);
        p.gp.set_data_length(4);
        p.gp.set_streaming_width(4);
        return p;
    }
    tlm::tlm_sync_enum forward(Payload& p, tlm::tlm_phase phase, double ns = 1) {
        sc_core::sc_time delay(ns, sc_core::SC_NS);
        return initiator->nb_transport_fw(p.gp, phase, delay);
    }
    tlm::tlm_sync_enum backward(Payload& p, tlm::tlm_phase phase, double ns = 1) {
        sc_core::sc_time delay(ns, sc_core::SC_NS);
        return target->nb_transport_bw(p.gp, phase, delay);
    }
    // Up to its BEGIN_RESP.
    Payload& answered() {
        Payload& p = fresh();
        forward(p, tlm::BEGIN_REQ);
        backward(p, tlm::END_REQ);
        p.gp.set_response_status(tlm::TLM_OK_RESPONSE);
        backward(p, tlm::BEGIN_RESP);
        return p;
    }
    // Of the chip, which has stopped.
    std::string error() const {
        try {
            if (control.error())
                std::rethrow_exception(control.error());
        } catch (const MachineStop& stop) {
            return stop.what();
        }
        return "none";
    }
};

TEST(ProtocolChecker, AcceptsAFourPhaseTransaction) {
    Ends e("ends");
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    Payload& p = e.fresh();
    e.forward(p, tlm::BEGIN_REQ);
    e.backward(p, tlm::END_REQ);
    p.gp.set_response_status(tlm::TLM_OK_RESPONSE);
    e.backward(p, tlm::BEGIN_RESP);
    e.answer = tlm::TLM_COMPLETED;
    e.forward(p, tlm::END_RESP);
    EXPECT_EQ(e.checker.outstanding(), 0u);
}

TEST(ProtocolChecker, CatchesTwoRequestsAtOnce) {
    Ends e("ends");
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    e.forward(e.fresh(), tlm::BEGIN_REQ);
    EXPECT_THROW(e.forward(e.fresh(), tlm::BEGIN_REQ), MachineStop);
}

TEST(ProtocolChecker, DescribesTheTransaction) {
    Ends e("ends");
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    Payload& p = e.fresh();
    p.gp.set_address(0x1240);
    e.forward(p, tlm::BEGIN_REQ);
    e.backward(p, tlm::END_REQ);
    try {
        e.backward(p, tlm::END_REQ);
        FAIL() << "accepted";
    } catch (const MachineStop& stop) {
        EXPECT_NE(std::string(stop.what()).find("END_REQ out of order: read of 4 bytes at 0x1240"),
                  std::string::npos)
            << stop.what();
    }
}

// IEEE 1666-2011, 14.8: an interconnect may overwrite the address.
TEST(ProtocolChecker, TakesTranslatedAddressesFromAnotherPartyAlone) {
    Ends other("other", true), own("own");
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    for (Ends* e : {&other, &own}) {
        Payload& p = e->fresh();
        p.gp.set_address(0x1240);
        e->forward(p, tlm::BEGIN_REQ);
        p.gp.set_address(0x901240);
        if (e == &own) {
            EXPECT_THROW(e->backward(p, tlm::END_REQ), MachineStop);
            continue;
        }
        e->backward(p, tlm::END_REQ);
        p.gp.set_response_status(tlm::TLM_OK_RESPONSE);
        e->backward(p, tlm::BEGIN_RESP);
        e->answer = tlm::TLM_COMPLETED;
        e->forward(p, tlm::END_RESP);
        EXPECT_EQ(e->checker.outstanding(), 0u);
        EXPECT_FALSE(e->control.error());
    }
}

TEST(ProtocolChecker, CatchesTwoResponsesAtOnce) {
    Ends e("ends");
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    Payload& p = e.fresh();
    Payload& q = e.fresh();
    e.forward(p, tlm::BEGIN_REQ);
    e.backward(p, tlm::END_REQ);
    e.forward(q, tlm::BEGIN_REQ);
    e.backward(q, tlm::END_REQ);
    p.gp.set_response_status(tlm::TLM_OK_RESPONSE);
    q.gp.set_response_status(tlm::TLM_OK_RESPONSE);
    e.backward(p, tlm::BEGIN_RESP);
    EXPECT_THROW(e.backward(q, tlm::BEGIN_RESP), MachineStop);
}

TEST(ProtocolChecker, CatchesAResponseWithoutStatusAndOneWithoutRequest) {
    Ends e("ends");
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    Payload& p = e.fresh();
    e.forward(p, tlm::BEGIN_REQ);
    EXPECT_THROW(e.backward(p, tlm::BEGIN_RESP), MachineStop);
    EXPECT_THROW(e.backward(e.fresh(), tlm::END_REQ), MachineStop);
}

TEST(ProtocolChecker, CatchesAChangedPayload) {
    Ends e("ends");
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    Payload& p = e.fresh();
    e.forward(p, tlm::BEGIN_REQ);
    p.gp.set_data_length(8);
    EXPECT_THROW(e.backward(p, tlm::END_REQ), MachineStop);
}

TEST(ProtocolChecker, CatchesADecreasedDelay) {
    Ends e("ends");
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    e.subtract = sc_core::sc_time(1, sc_core::SC_PS);
    EXPECT_THROW(e.forward(e.fresh(), tlm::BEGIN_REQ), MachineStop);
}

TEST(ProtocolChecker, CatchesAnIncompleteCompletion) {
    Ends e("ends");
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    e.answer = tlm::TLM_COMPLETED;
    e.status = tlm::TLM_INCOMPLETE_RESPONSE;
    EXPECT_THROW(e.forward(e.fresh(), tlm::BEGIN_REQ), MachineStop);
}

// ---- 14.7: what nobody may change ---------------------------------------------------------------

unsigned char other_bytes[64];

const std::pair<const char*, void (*)(tlm::tlm_generic_payload&)> kChanges[] = {
    {"command", [](auto& gp) { gp.set_command(tlm::TLM_WRITE_COMMAND); }},
    {"address", [](auto& gp) { gp.set_address(0x40); }},
    {"data pointer", [](auto& gp) { gp.set_data_ptr(other_bytes); }},
    {"data length", [](auto& gp) { gp.set_data_length(2); }},
    {"byte enables", [](auto& gp) { gp.set_byte_enable_ptr(other_bytes); }},
    {"byte enables", [](auto& gp) { gp.set_byte_enable_length(4); }},
    {"streaming width", [](auto& gp) { gp.set_streaming_width(2); }},
};

// In each call of a transaction, and in b_transport().
TEST(ProtocolChecker, CatchesEveryChangeOfAnOpenTransaction) {
    std::deque<Ends> ends;
    for (const auto& change : kChanges)
        ends.emplace_back(("ends" + std::to_string(&change - kChanges)).c_str());
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    const auto breach = [&](const std::string& what, const std::function<void()>& call) {
        try {
            call();
            ADD_FAILURE() << what << ": accepted";
        } catch (const MachineStop& stop) {
            EXPECT_THAT(stop.what(), ::testing::HasSubstr("the " + what + " changed"));
        }
    };
    for (size_t i = 0; i < ends.size(); ++i) {
        Ends& e = ends[i];
        const auto [what, change] = kChanges[i];
        Payload& answered = e.answered();
        change(answered.gp);
        breach(what, [&] { e.forward(answered, tlm::END_RESP); });
        e.alter = [change = change](auto& gp, auto&) { change(gp); };
        Payload& p = e.fresh();
        breach(what, [&] {
            sc_core::sc_time delay;
            e.initiator->b_transport(p.gp, delay);
        });
    }
}

TEST(ProtocolChecker, CatchesAResponseStatusThatChangesAfterTheResponseHasBegun) {
    Ends e("ends");
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    Payload& p = e.answered();
    p.gp.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
    try {
        e.forward(p, tlm::END_RESP);
        FAIL() << "accepted";
    } catch (const MachineStop& stop) {
        EXPECT_THAT(stop.what(),
                    ::testing::HasSubstr("the response status changed after BEGIN_RESP: "
                                         "read of 4 bytes at 0x0, "
                                         "TLM_BURST_ERROR_RESPONSE"));
    }
}

// ---- 15.2: what a call may return ---------------------------------------------------------------

TEST(ProtocolChecker, CatchesReturnValuesThatAPhaseDoesNotHave) {
    Ends e("ends");
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    Payload& p = e.answered();
    e.answer = tlm::TLM_UPDATED;
    EXPECT_THROW(e.forward(p, tlm::END_RESP), MachineStop);
    e.answer = tlm::TLM_ACCEPTED;
    for (const auto status : {tlm::TLM_UPDATED, tlm::TLM_COMPLETED}) {
        Payload& q = e.fresh();
        e.forward(q, tlm::BEGIN_REQ);
        e.answer_back = status;
        EXPECT_THROW(e.backward(q, tlm::END_REQ), MachineStop);
        e.answer_back = tlm::TLM_ACCEPTED;
    }
    e.alter = [](auto&, tlm::tlm_phase& phase) { phase = tlm::END_REQ; };
    EXPECT_THROW(e.forward(e.fresh(), tlm::BEGIN_REQ), MachineStop);
}

// ---- other parties: the chip stops, and nothing is thrown ---------------------------------------

TEST(ProtocolChecker, AnotherPartyAtEitherEndStopsTheChipAlone) {
    Ends e("ends", true);
    sc_core::sc_event halted("halted");
    e.control.halt_on_error(halted);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    e.answer = tlm::TLM_COMPLETED;
    e.status = tlm::TLM_INCOMPLETE_RESPONSE;
    Payload& p = e.fresh();
    EXPECT_EQ(e.forward(p, tlm::BEGIN_REQ), tlm::TLM_COMPLETED);
    EXPECT_TRUE(p.gp.get_response_status() == tlm::TLM_GENERIC_ERROR_RESPONSE);
    EXPECT_THAT(e.error(),
                ::testing::EndsWith("TLM_COMPLETED with an incomplete response: read of 4 "
                                    "bytes at 0x0, TLM_INCOMPLETE_RESPONSE"));
    EXPECT_EQ(e.checker.outstanding(), 0u);
    e.control.resume();
    Payload& q = e.fresh();
    sc_core::sc_time delay;
    e.initiator->b_transport(q.gp, delay);
    EXPECT_THAT(e.error(), ::testing::HasSubstr("b_transport returned an incomplete response"));
    EXPECT_TRUE(q.gp.is_response_error());
}

TEST(ProtocolChecker, APhaseThatTakesEffectBeforeTheLastOneStopsTheChip) {
    Ends e("ends", true);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    Payload& p = e.fresh();
    e.forward(p, tlm::BEGIN_REQ, 5);
    e.backward(p, tlm::END_REQ, 4);
    EXPECT_THAT(e.error(), ::testing::HasSubstr("takes effect before the one that it follows"));
}

// ---- 11.3: direct memory access -----------------------------------------------------------------

TEST(ProtocolChecker, CatchesGrantsThatAreNone) {
    Ends e("ends");
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    const auto granted = [&](unsigned char* bytes, uint64_t first, uint64_t last, bool to_read) {
        e.grant.init();
        e.grant.set_dmi_ptr(bytes);
        e.grant.set_start_address(first);
        e.grant.set_end_address(last);
        e.grant.set_granted_access(to_read ? tlm::tlm_dmi::DMI_ACCESS_READ
                                           : tlm::tlm_dmi::DMI_ACCESS_WRITE);
        Payload& p = e.fresh();
        p.gp.set_address(0x100);
        tlm::tlm_dmi dmi;
        return e.initiator->get_direct_mem_ptr(p.gp, dmi);
    };
    EXPECT_TRUE(granted(other_bytes, 0x100, 0x13F, true));
    EXPECT_THROW(granted(nullptr, 0x100, 0x13F, true), MachineStop);
    EXPECT_THROW(granted(other_bytes, 0x13F, 0x100, true), MachineStop);
    EXPECT_THROW(granted(other_bytes, 0x140, 0x17F, true), MachineStop);
    EXPECT_THROW(granted(other_bytes, 0x100, 0x13F, false), MachineStop);
    EXPECT_THROW(e.target->invalidate_direct_mem_ptr(0x13F, 0x100), MachineStop);
}

}  // namespace
}  // namespace archipelago::tlm_shell::checker_test
