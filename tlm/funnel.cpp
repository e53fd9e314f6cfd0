// SPDX-License-Identifier: Apache-2.0
#include "tlm/funnel.h"

#include <algorithm>
#include <string>

namespace archipelago::tlm_shell {
namespace {

Payload& owner(tlm::tlm_generic_payload& gp) {
    return *static_cast<Payload::Owned&>(gp).owner;
}

}  // namespace

Funnel::Input::Input(Funnel& f, unsigned i, const char* name) : funnel(f), index(i), socket(name) {
    socket.bind(*this);
}

Funnel::Funnel(const sc_core::sc_module_name& name, unsigned inputs) : sc_core::sc_module(name) {
    out.bind(*this);
    for (unsigned i = 0; i < inputs; ++i)
        inputs_.push_back(std::make_unique<Input>(*this, i, ("in" + std::to_string(i)).c_str()));
}

tlm::tlm_sync_enum Funnel::Input::nb_transport_fw(tlm::tlm_generic_payload& gp,
                                                  tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    Payload& payload = owner(gp);
    if (phase != tlm::BEGIN_REQ) {
        if (payload.completed) {  // the target knows no response phases of this one
            payload.completed = false;
            return tlm::TLM_COMPLETED;
        }
        return funnel.out->nb_transport_fw(gp, phase, delay);
    }
    payload.route = static_cast<uint16_t>(index);
    const sc_core::sc_time begin = sc_core::sc_time_stamp() + delay;
    if (funnel.pending_ != nullptr) {
        funnel.queue_.emplace_back(&gp, begin);
        return tlm::TLM_ACCEPTED;
    }
    return funnel.send(gp, phase, begin, delay);
}

void Funnel::Input::b_transport(tlm::tlm_generic_payload& gp, sc_core::sc_time& delay) {
    funnel.out->b_transport(gp, delay);
}
unsigned Funnel::Input::transport_dbg(tlm::tlm_generic_payload& gp) {
    return funnel.out->transport_dbg(gp);
}
bool Funnel::Input::get_direct_mem_ptr(tlm::tlm_generic_payload& gp, tlm::tlm_dmi& dmi) {
    return funnel.out->get_direct_mem_ptr(gp, dmi);
}

// A BEGIN_REQ takes effect no sooner than its sender said, and not before the END_REQ of the one
// before.
tlm::tlm_sync_enum Funnel::send(tlm::tlm_generic_payload& gp, tlm::tlm_phase& phase,
                                sc_core::sc_time begin, sc_core::sc_time& delay) {
    const sc_core::sc_time& now = sc_core::sc_time_stamp();
    begin = std::max({begin, free_at_, now});
    delay = begin - now;
    pending_ = &gp;
    const tlm::tlm_sync_enum status = out->nb_transport_fw(gp, phase, delay);
    if (status == tlm::TLM_ACCEPTED)
        return status;
    pending_ = nullptr;  // END_REQ or more came with the return
    if (status == tlm::TLM_UPDATED)
        free_at_ = now + delay;
    return status;
}

// Sends the requests that waited, until one of them has to wait itself.
void Funnel::request_ended() {
    pending_ = nullptr;
    while (pending_ == nullptr && !queue_.empty()) {
        const auto [payload, begin] = queue_.front();
        tlm::tlm_generic_payload& gp = *payload;
        queue_.pop_front();
        gp.acquire();  // the initiator may let go of it before the last phase has been sent
        tlm::tlm_phase phase = tlm::BEGIN_REQ;
        sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
        const tlm::tlm_sync_enum status = send(gp, phase, begin, delay);
        if (status != tlm::TLM_ACCEPTED) {
            auto& back = inputs_[owner(gp).route]->socket;
            // The initiator was told to wait: what the target completed is a response to it.
            owner(gp).completed = status == tlm::TLM_COMPLETED;
            if (status == tlm::TLM_COMPLETED)
                phase = tlm::BEGIN_RESP;
            const bool responds = phase == tlm::BEGIN_RESP;
            const tlm::tlm_sync_enum answer = back->nb_transport_bw(gp, phase, delay);
            if (responds && answer != tlm::TLM_ACCEPTED) {
                if (!owner(gp).completed) {
                    phase = tlm::END_RESP;
                    out->nb_transport_fw(gp, phase, delay);
                }
                owner(gp).completed = false;
            }
        }
        gp.release();
    }
}

tlm::tlm_sync_enum Funnel::nb_transport_bw(tlm::tlm_generic_payload& gp, tlm::tlm_phase& phase,
                                           sc_core::sc_time& delay) {
    const bool ends_request =
        pending_ == &gp && (phase == tlm::END_REQ || phase == tlm::BEGIN_RESP);
    if (ends_request)
        free_at_ = sc_core::sc_time_stamp() + delay;
    const tlm::tlm_sync_enum status =
        inputs_[owner(gp).route]->socket->nb_transport_bw(gp, phase, delay);
    if (ends_request)
        request_ended();
    return status;
}

void Funnel::invalidate_direct_mem_ptr(sc_dt::uint64 first, sc_dt::uint64 last) {
    if (on_invalidate)
        on_invalidate(first, last);
    for (auto& in : inputs_)
        in->socket->invalidate_direct_mem_ptr(first, last);
}

}  // namespace archipelago::tlm_shell
