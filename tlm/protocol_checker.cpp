// SPDX-License-Identifier: Apache-2.0
#include "tlm/protocol_checker.h"

#include <string>

#include "tlm/transaction_text.h"

namespace archipelago::tlm_shell {

ProtocolChecker::Shape::Shape(const tlm::tlm_generic_payload& gp)
    : command(gp.get_command()),
      address(gp.get_address()),
      data(gp.get_data_ptr()),
      byte_enables(gp.get_byte_enable_ptr()),
      length(gp.get_data_length()),
      byte_enable_length(gp.get_byte_enable_length()),
      streaming_width(gp.get_streaming_width()) {}

void ProtocolChecker::require(bool condition, const char* rule,
                              const tlm::tlm_generic_payload& gp) const {
    if (!condition)
        throw MachineStop(StopKind::Protocol, name(), std::string(rule) + ": " + in_words(gp));
}

void ProtocolChecker::require_answer(bool condition, const char* rule,
                                     const tlm::tlm_generic_payload& gp) const {
    if (!condition)
        throw MachineStop(StopKind::Protocol, name(),
                          std::string(rule) + ": " + answer_in_words(gp));
}

template <class Check>
bool ProtocolChecker::holds(const Check& check) const {
    if (control_ == nullptr) {
        check();
        return true;
    }
    try {
        check();
        return true;
    } catch (const MachineStop&) {
        control_->fail(std::current_exception());
        return false;
    }
}

void ProtocolChecker::begin(const tlm::tlm_generic_payload& gp, const sc_core::sc_time& delay) {
    require(gp.get_ref_count() > 0 && gp.has_mm(),
            "a payload without memory manager in nb_transport", gp);
    require(request_ == nullptr, "BEGIN_REQ before END_REQ of the request before", gp);
    require(open_.count(&gp) == 0, "BEGIN_REQ with a payload still in use", gp);
    require_answer(gp.get_response_status() == tlm::TLM_INCOMPLETE_RESPONSE,
                   "BEGIN_REQ with a response status other than incomplete", gp);
    require(gp.get_data_length() > 0 && gp.get_data_ptr() != nullptr, "a request without data", gp);
    require(gp.get_streaming_width() > 0, "streaming width 0", gp);
    require(gp.get_byte_enable_ptr() == nullptr || gp.get_byte_enable_length() > 0,
            "byte enables of length 0", gp);
    require(!gp.is_dmi_allowed(), "BEGIN_REQ with the DMI hint set", gp);
    open_.insert_or_assign(
        &gp, Transaction{Step::Requested, Shape(gp), sc_core::sc_time_stamp() + delay});
    request_ = &gp;
    ++transactions_;
}

void ProtocolChecker::unchanged(const Shape& shape, const tlm::tlm_generic_payload& gp) const {
    const Shape now(gp);
    require(shape.command == now.command, "the command changed during the transaction", gp);
    require(shape.length == now.length, "the data length changed during the transaction", gp);
    require(shape.data == now.data, "the data pointer changed during the transaction", gp);
    require(shape.byte_enables == now.byte_enables &&
                shape.byte_enable_length == now.byte_enable_length,
            "the byte enables changed during the transaction", gp);
    require(shape.streaming_width == now.streaming_width,
            "the streaming width changed during the transaction", gp);
    // A bus of another party may translate it, and need not restore it on the way back.
    require(control_ != nullptr || shape.address == now.address,
            "the address changed during the transaction", gp);
}

// The phases of a transaction take effect one after the other. Inside of a chip, whose clocks may
// run ahead of the kernel, delays count from the time of the chip.
void ProtocolChecker::in_time(Transaction& t, const sc_core::sc_time& delay,
                              const tlm::tlm_generic_payload& gp) const {
    const sc_core::sc_time at = sc_core::sc_time_stamp() + delay;
    require(control_ == nullptr || at >= t.time,
            "a phase takes effect before the one that it follows", gp);
    t.time = at;
}

void ProtocolChecker::advance(const tlm::tlm_generic_payload& gp, const tlm::tlm_phase& phase,
                              bool backward, const sc_core::sc_time& delay) {
    const auto it = open_.find(&gp);
    require(it != open_.end(), "a phase for a payload that has no open transaction", gp);
    Transaction& t = it->second;
    unchanged(t.shape, gp);
    if (phase == tlm::END_REQ) {
        require(backward && t.step == Step::Requested && request_ == &gp, "END_REQ out of order",
                gp);
        t.step = Step::RequestEnded;
        request_ = nullptr;
    } else if (phase == tlm::BEGIN_RESP) {
        require(backward && t.step != Step::Responding, "BEGIN_RESP out of order", gp);
        require(response_ == nullptr, "BEGIN_RESP before END_RESP of the response before", gp);
        require_answer(gp.get_response_status() != tlm::TLM_INCOMPLETE_RESPONSE,
                       "BEGIN_RESP with an incomplete response", gp);
        if (request_ == &gp)
            request_ = nullptr;
        t.step = Step::Responding;
        t.answer = gp.get_response_status();
        response_ = &gp;
    } else if (phase == tlm::END_RESP) {
        require(!backward && t.step == Step::Responding && response_ == &gp,
                "END_RESP out of order", gp);
        require_answer(t.answer == gp.get_response_status(),
                       "the response status changed after BEGIN_RESP", gp);
        close(gp);
        return;
    } else {
        require(false, "a phase the base protocol does not have", gp);
    }
    in_time(t, delay, gp);
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
    tlm::tlm_sync_enum status = tlm::TLM_COMPLETED;
    if (!holds([&] { status = forward(gp, phase, delay); }) && open_.count(&gp) != 0) {
        // The machine has stopped: whatever the callee has left, the caller is to keep nothing.
        close(gp);
        gp.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
    }
    return status;
}

tlm::tlm_sync_enum ProtocolChecker::forward(tlm::tlm_generic_payload& gp, tlm::tlm_phase& phase,
                                            sc_core::sc_time& delay) {
    const tlm::tlm_phase sent = phase;
    require(sent == tlm::BEGIN_REQ || sent == tlm::END_RESP,
            "phase not allowed on the forward path", gp);
    if (sent == tlm::BEGIN_REQ)
        begin(gp, delay);
    else
        advance(gp, sent, false, delay);
    const sc_core::sc_time before = delay;
    const tlm::tlm_sync_enum status = out->nb_transport_fw(gp, phase, delay);
    check_forward(gp, status, phase, sent, delay, before);
    return status;
}

// What the callee has returned.
void ProtocolChecker::check_forward(const tlm::tlm_generic_payload& gp, tlm::tlm_sync_enum status,
                                    const tlm::tlm_phase& phase, const tlm::tlm_phase& sent,
                                    const sc_core::sc_time& delay, const sc_core::sc_time& before) {
    require(delay >= before, "the callee decreased the delay", gp);
    require(status != tlm::TLM_ACCEPTED || phase == sent,
            "TLM_ACCEPTED with a phase that the callee has changed", gp);
    if (sent == tlm::END_RESP) {
        require(status != tlm::TLM_UPDATED, "TLM_UPDATED after END_RESP", gp);
        return;
    }
    if (status == tlm::TLM_UPDATED) {
        advance(gp, phase, true, delay);
    } else if (status == tlm::TLM_COMPLETED && open_.count(&gp) != 0) {
        unchanged(open_.at(&gp).shape, gp);
        require_answer(gp.get_response_status() != tlm::TLM_INCOMPLETE_RESPONSE,
                       "TLM_COMPLETED with an incomplete response", gp);
        close(gp);
    }
}

tlm::tlm_sync_enum ProtocolChecker::nb_transport_bw(tlm::tlm_generic_payload& gp,
                                                    tlm::tlm_phase& phase,
                                                    sc_core::sc_time& delay) {
    tlm::tlm_sync_enum status = tlm::TLM_ACCEPTED;
    holds([&] { status = backward(gp, phase, delay); });
    return status;
}

tlm::tlm_sync_enum ProtocolChecker::backward(tlm::tlm_generic_payload& gp, tlm::tlm_phase& phase,
                                             sc_core::sc_time& delay) {
    advance(gp, phase, true, delay);
    const bool responding = phase == tlm::BEGIN_RESP;
    const tlm::tlm_phase sent = phase;
    const sc_core::sc_time before = delay;
    // The initiator may release the payload before the call returns.
    const tlm::tlm_generic_payload* key = &gp;
    gp.acquire();
    const tlm::tlm_sync_enum status = in->nb_transport_bw(gp, phase, delay);
    require(delay >= before, "the callee decreased the delay", gp);
    require(status != tlm::TLM_ACCEPTED || phase == sent,
            "TLM_ACCEPTED with a phase that the callee has changed", gp);
    require(status != tlm::TLM_UPDATED || (responding && phase == tlm::END_RESP),
            "TLM_UPDATED with a phase other than END_RESP after BEGIN_RESP", gp);
    require(status != tlm::TLM_COMPLETED || responding, "TLM_COMPLETED after END_REQ", gp);
    if (responding && open_.count(key) != 0 && status != tlm::TLM_ACCEPTED)
        close(gp);
    gp.release();
    return status;
}

void ProtocolChecker::b_transport(tlm::tlm_generic_payload& gp, sc_core::sc_time& delay) {
    const bool fine = holds([&] {
        require_answer(gp.get_response_status() == tlm::TLM_INCOMPLETE_RESPONSE,
                       "b_transport with a response status other than incomplete", gp);
        const Shape shape(gp);
        ++transactions_;
        out->b_transport(gp, delay);
        unchanged(shape, gp);
        require_answer(gp.get_response_status() != tlm::TLM_INCOMPLETE_RESPONSE,
                       "b_transport returned an incomplete response", gp);
    });
    if (!fine)
        gp.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
}

bool ProtocolChecker::get_direct_mem_ptr(tlm::tlm_generic_payload& gp, tlm::tlm_dmi& dmi) {
    const uint64_t address = gp.get_address();
    if (!out->get_direct_mem_ptr(gp, dmi))
        return false;
    return holds([&] { check_direct(gp, address, dmi); });
}

// A bus that translates addresses does so with those of the region.
void ProtocolChecker::check_direct(const tlm::tlm_generic_payload& gp, uint64_t address,
                                   const tlm::tlm_dmi& dmi) const {
    require(dmi.get_dmi_ptr() != nullptr, "direct memory access granted without a pointer", gp);
    require(dmi.get_start_address() <= dmi.get_end_address(),
            "direct memory access granted to a region that ends before it starts", gp);
    require(dmi.get_start_address() <= address && address <= dmi.get_end_address(),
            "direct memory access granted to a region without the address", gp);
    require(!gp.is_read() || dmi.is_read_allowed(), "direct memory access granted, but not to read",
            gp);
    require(!gp.is_write() || dmi.is_write_allowed(),
            "direct memory access granted, but not to write", gp);
}

void ProtocolChecker::invalidate_direct_mem_ptr(sc_dt::uint64 first, sc_dt::uint64 last) {
    const bool fine = holds([&] {
        if (first > last)
            throw MachineStop(StopKind::Protocol, name(),
                              "direct memory access taken back from " + hex(first) + " to " +
                                  hex(last) + ", which ends before it starts");
    });
    if (fine)
        in->invalidate_direct_mem_ptr(first, last);
}

}  // namespace archipelago::tlm_shell
