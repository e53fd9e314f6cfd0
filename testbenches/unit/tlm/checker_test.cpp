// SPDX-License-Identifier: Apache-2.0
// The protocol checker must catch what it claims to: each test breaks one rule.
#include <gtest/gtest.h>

#include <string>

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
    explicit Ends(const sc_core::sc_module_name& n, bool of_another_party = false)
        : sc_core::sc_module(n), checker("checker", of_another_party ? &control : nullptr) {
        initiator.bind(*this);
        target.bind(*this);
        initiator.bind(checker.in);
        checker.out.bind(target);
    }
    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& gp, tlm::tlm_phase&,
                                       sc_core::sc_time& delay) override {
        delay -= subtract;
        if (answer == tlm::TLM_COMPLETED)
            gp.set_response_status(status);
        return answer;
    }
    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase&,
                                       sc_core::sc_time&) override {
        return tlm::TLM_ACCEPTED;
    }
    void b_transport(tlm::tlm_generic_payload&, sc_core::sc_time&) override {}
    unsigned transport_dbg(tlm::tlm_generic_payload&) override { return 0; }
    bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi&) override { return false; }
    void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}

    Payload& fresh() {
        Payload& p = pool.acquire();
        p.gp.set_command(tlm::TLM_READ_COMMAND);
        p.gp.set_data_length(4);
        p.gp.set_streaming_width(4);
        return p;
    }
    tlm::tlm_sync_enum forward(Payload& p, tlm::tlm_phase phase) {
        sc_core::sc_time delay(1, sc_core::SC_NS);
        return initiator->nb_transport_fw(p.gp, phase, delay);
    }
    tlm::tlm_sync_enum backward(Payload& p, tlm::tlm_phase phase) {
        sc_core::sc_time delay(1, sc_core::SC_NS);
        return target->nb_transport_bw(p.gp, phase, delay);
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

}  // namespace
}  // namespace archipelago::tlm_shell::checker_test
