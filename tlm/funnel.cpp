// SPDX-License-Identifier: Apache-2.0
#include "tlm/funnel.h"

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
    if (phase != tlm::BEGIN_REQ)
        return funnel.out->nb_transport_fw(gp, phase, delay);
    owner(gp).route = static_cast<uint16_t>(index);
    if (funnel.pending_ != nullptr) {
        funnel.queue_.push_back(&gp);
        return tlm::TLM_ACCEPTED;
    }
    funnel.pending_ = &gp;
    const tlm::tlm_sync_enum status = funnel.out->nb_transport_fw(gp, phase, delay);
    if (status != tlm::TLM_ACCEPTED)
        funnel.pending_ = nullptr;  // END_REQ or more came with the return
    return status;
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

// Sends the requests that waited, until one of them has to wait itself.
void Funnel::request_ended() {
    pending_ = nullptr;
    while (pending_ == nullptr && !queue_.empty()) {
        tlm::tlm_generic_payload& gp = *queue_.front();
        queue_.pop_front();
        pending_ = &gp;
        tlm::tlm_phase phase = tlm::BEGIN_REQ;
        sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
        const tlm::tlm_sync_enum status = out->nb_transport_fw(gp, phase, delay);
        if (status == tlm::TLM_ACCEPTED)
            return;
        pending_ = nullptr;
        auto& back = inputs_[owner(gp).route]->socket;
        if (status == tlm::TLM_COMPLETED)
            phase = tlm::BEGIN_RESP;
        const tlm::tlm_sync_enum answer = back->nb_transport_bw(gp, phase, delay);
        if (status == tlm::TLM_UPDATED && phase == tlm::BEGIN_RESP &&
            answer == tlm::TLM_COMPLETED) {
            phase = tlm::END_RESP;
            out->nb_transport_fw(gp, phase, delay);
        }
    }
}

tlm::tlm_sync_enum Funnel::nb_transport_bw(tlm::tlm_generic_payload& gp, tlm::tlm_phase& phase,
                                           sc_core::sc_time& delay) {
    const bool ends_request =
        pending_ == &gp && (phase == tlm::END_REQ || phase == tlm::BEGIN_RESP);
    const tlm::tlm_sync_enum status =
        inputs_[owner(gp).route]->socket->nb_transport_bw(gp, phase, delay);
    if (ends_request)
        request_ended();
    return status;
}

void Funnel::invalidate_direct_mem_ptr(sc_dt::uint64 first, sc_dt::uint64 last) {
    for (auto& in : inputs_)
        in->socket->invalidate_direct_mem_ptr(first, last);
}

}  // namespace archipelago::tlm_shell
