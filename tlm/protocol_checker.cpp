// SPDX-License-Identifier: Apache-2.0
#include "tlm/protocol_checker.h"

#include <string>

#include "tlm/transaction_text.h"

namespace archipelago::tlm_shell {

void ProtocolChecker::require(bool condition, const char* rule,
                              const tlm::tlm_generic_payload& gp) const {
    if (!condition)
        throw MachineStop(StopKind::Protocol, name(), std::string(rule) + ": " + in_words(gp));
}

void ProtocolChecker::begin(const tlm::tlm_generic_payload& gp) {
    require(gp.get_ref_count() > 0 && gp.has_mm(),
            "a payload without memory manager in nb_transport", gp);
    require(request_ == nullptr, "BEGIN_REQ before END_REQ of the request before", gp);
    require(open_.count(&gp) == 0, "BEGIN_REQ with a payload still in use", gp);
    require(gp.get_response_status() == tlm::TLM_INCOMPLETE_RESPONSE,
            "BEGIN_REQ with a response status other than incomplete", gp);
    require(gp.get_data_length() > 0 && gp.get_data_ptr() != nullptr, "a request without data", gp);
    require(gp.get_streaming_width() > 0, "streaming width 0", gp);
    require(gp.get_byte_enable_ptr() == nullptr || gp.get_byte_enable_length() > 0,
            "byte enables of length 0", gp);
    require(!gp.is_dmi_allowed(), "BEGIN_REQ with the DMI hint set", gp);
    open_[&gp] = {Step::Requested, gp.get_command(), gp.get_address(), gp.get_data_length()};
    request_ = &gp;
    ++transactions_;
}

void ProtocolChecker::unchanged(const tlm::tlm_generic_payload& gp) const {
    const Transaction& t = open_.at(&gp);
    require(t.command == gp.get_command(), "the command changed during the transaction", gp);
    require(t.length == gp.get_data_length(), "the data length changed during the transaction", gp);
    // A bus of another party may translate it, and need not restore it on the way back.
    require(control_ != nullptr || t.address == gp.get_address(),
            "the address changed during the transaction", gp);
}

void ProtocolChecker::advance(const tlm::tlm_generic_payload& gp, const tlm::tlm_phase& phase,
                              bool backward) {
    const auto it = open_.find(&gp);
    require(it != open_.end(), "a phase for a payload that has no open transaction", gp);
    Transaction& t = it->second;
    unchanged(gp);
    if (phase == tlm::END_REQ) {
        require(backward && t.step == Step::Requested && request_ == &gp, "END_REQ out of order",
                gp);
        t.step = Step::RequestEnded;
        request_ = nullptr;
    } else if (phase == tlm::BEGIN_RESP) {
        require(backward && t.step != Step::Responding, "BEGIN_RESP out of order", gp);
        require(response_ == nullptr, "BEGIN_RESP before END_RESP of the response before", gp);
        require(gp.get_response_status() != tlm::TLM_INCOMPLETE_RESPONSE,
                "BEGIN_RESP with an incomplete response", gp);
        if (request_ == &gp)
            request_ = nullptr;
        t.step = Step::Responding;
        response_ = &gp;
    } else if (phase == tlm::END_RESP) {
        require(!backward && t.step == Step::Responding && response_ == &gp,
                "END_RESP out of order", gp);
        close(gp);
    } else {
        require(false, "a phase the base protocol does not have", gp);
    }
}

void ProtocolChecker::close(const tlm::tlm_generic_payload& gp) {
    if (request_ == &gp)
        request_ = nullptr;
    if (response_ == &gp)
        response_ = nullptr;
    open_.erase(&gp);
}

tlm::tlm_sync_enum ProtocolChecker::nb_transport_fw(tlm::tlm_generic_payload& gp,
                                                    tlm::tlm_phase& phase,
                                                    sc_core::sc_time& delay) {
    const bool is_begin = phase == tlm::BEGIN_REQ;
    const bool is_end = phase == tlm::END_RESP;
    require(is_begin || is_end, "phase not allowed on the forward path");
    if (is_begin)
        begin(gp);
    else
        advance(gp, phase, false);
    const sc_core::sc_time before = delay;
    const tlm::tlm_sync_enum status = out->nb_transport_fw(gp, phase, delay);
    require(delay >= before, "the callee decreased the delay");
    if (is_end)
        return status;
    if (status == tlm::TLM_UPDATED) {
        advance(gp, phase, true);
    } else if (status == tlm::TLM_COMPLETED) {
        unchanged(gp);
        require(gp.get_response_status() != tlm::TLM_INCOMPLETE_RESPONSE,
                "TLM_COMPLETED with an incomplete response");
        close(gp);
    }
    return status;
}

tlm::tlm_sync_enum ProtocolChecker::nb_transport_bw(tlm::tlm_generic_payload& gp,
                                                    tlm::tlm_phase& phase,
                                                    sc_core::sc_time& delay) {
    if (control_ == nullptr)
        return backward(gp, phase, delay);
    try {
        return backward(gp, phase, delay);
    } catch (const MachineStop&) {
        control_->fail(std::current_exception());
        return tlm::TLM_ACCEPTED;
    }
}

tlm::tlm_sync_enum ProtocolChecker::backward(tlm::tlm_generic_payload& gp, tlm::tlm_phase& phase,
                                             sc_core::sc_time& delay) {
    advance(gp, phase, true);
    const bool responding = phase == tlm::BEGIN_RESP;
    const sc_core::sc_time before = delay;
    // The initiator may release the payload before the call returns.
    const tlm::tlm_generic_payload* key = &gp;
    gp.acquire();
    const tlm::tlm_sync_enum status = in->nb_transport_bw(gp, phase, delay);
    require(delay >= before, "the callee decreased the delay");
    if (responding && open_.count(key) != 0 &&
        (status == tlm::TLM_COMPLETED || (status == tlm::TLM_UPDATED && phase == tlm::END_RESP)))
        close(gp);
    gp.release();
    return status;
}

void ProtocolChecker::b_transport(tlm::tlm_generic_payload& gp, sc_core::sc_time& delay) {
    require(gp.get_response_status() == tlm::TLM_INCOMPLETE_RESPONSE,
            "b_transport with a response status other than incomplete");
    ++transactions_;
    out->b_transport(gp, delay);
    require(gp.get_response_status() != tlm::TLM_INCOMPLETE_RESPONSE,
            "b_transport returned an incomplete response");
}

}  // namespace archipelago::tlm_shell
