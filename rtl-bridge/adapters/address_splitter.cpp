// SPDX-License-Identifier: Apache-2.0
#include "rtl-bridge/adapters/address_splitter.h"

#include <string>

namespace archipelago::adapters {

AddressSplitter::Output::Output(AddressSplitter& s, unsigned i, const char* name)
    : splitter(s), index(i), socket(name) {
    socket.bind(*this);
}

AddressSplitter::AddressSplitter(const sc_core::sc_module_name& name, unsigned outputs)
    : sc_core::sc_module(name) {
    SC_HAS_PROCESS(AddressSplitter);
    SC_METHOD(answer_next);
    sensitive << next_;
    dont_initialize();
    in.bind(*this);
    for (unsigned i = 0; i < outputs; ++i)
        outputs_.push_back(std::make_unique<Output>(*this, i, ("out" + std::to_string(i)).c_str()));
}

void AddressSplitter::set_range(unsigned i, uint64_t first, uint64_t last) {
    outputs_[i]->first = first;
    outputs_[i]->last = last;
}

unsigned AddressSplitter::route(uint64_t address) const {
    for (const auto& o : outputs_)
        if (address >= o->first && address <= o->last)
            return o->index;
    return 0;
}

tlm::tlm_sync_enum AddressSplitter::nb_transport_fw(tlm::tlm_generic_payload& gp,
                                                    tlm::tlm_phase& phase,
                                                    sc_core::sc_time& delay) {
    if (phase == tlm::BEGIN_REQ) {
        const unsigned to = route(gp.get_address());
        open_[&gp] = to;
        const tlm::tlm_sync_enum status = outputs_[to]->socket->nb_transport_fw(gp, phase, delay);
        if (status == tlm::TLM_COMPLETED)
            open_.erase(&gp);
        else if (status == tlm::TLM_UPDATED && phase == tlm::BEGIN_RESP)
            responding_ = &gp;
        return status;
    }
    const auto it = open_.find(&gp);
    const unsigned to = it->second;
    if (phase == tlm::END_RESP) {
        open_.erase(it);
        responding_ = nullptr;
        if (!queue_.empty())
            next_.notify(delay);
    }
    return outputs_[to]->socket->nb_transport_fw(gp, phase, delay);
}

tlm::tlm_sync_enum AddressSplitter::Output::nb_transport_bw(tlm::tlm_generic_payload& gp,
                                                            tlm::tlm_phase& phase,
                                                            sc_core::sc_time& delay) {
    AddressSplitter& s = splitter;
    if (phase != tlm::BEGIN_RESP)
        return s.in->nb_transport_bw(gp, phase, delay);
    if (s.responding_ != nullptr || !s.queue_.empty()) {
        s.queue_.push_back(&gp);
        return tlm::TLM_ACCEPTED;
    }
    s.responding_ = &gp;
    const tlm::tlm_sync_enum status = s.in->nb_transport_bw(gp, phase, delay);
    if (status == tlm::TLM_COMPLETED || (status == tlm::TLM_UPDATED && phase == tlm::END_RESP)) {
        s.responding_ = nullptr;
        s.open_.erase(&gp);
    }
    return status;
}

void AddressSplitter::answer_next() {
    while (responding_ == nullptr && !queue_.empty()) {
        tlm::tlm_generic_payload& gp = *queue_.front();
        queue_.pop_front();
        const unsigned from = open_.at(&gp);
        tlm::tlm_phase phase = tlm::BEGIN_RESP;
        sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
        responding_ = &gp;
        gp.acquire();  // the initiator may release it before its target does
        const tlm::tlm_sync_enum status = in->nb_transport_bw(gp, phase, delay);
        if (status == tlm::TLM_COMPLETED ||
            (status == tlm::TLM_UPDATED && phase == tlm::END_RESP)) {
            responding_ = nullptr;
            open_.erase(&gp);
            phase = tlm::END_RESP;
            outputs_[from]->socket->nb_transport_fw(gp, phase, delay);
        }
        gp.release();
    }
}

void AddressSplitter::Output::invalidate_direct_mem_ptr(sc_dt::uint64 from, sc_dt::uint64 to) {
    splitter.in->invalidate_direct_mem_ptr(from, to);
}

void AddressSplitter::b_transport(tlm::tlm_generic_payload& gp, sc_core::sc_time& delay) {
    outputs_[route(gp.get_address())]->socket->b_transport(gp, delay);
}

unsigned AddressSplitter::transport_dbg(tlm::tlm_generic_payload& gp) {
    return outputs_[route(gp.get_address())]->socket->transport_dbg(gp);
}

bool AddressSplitter::get_direct_mem_ptr(tlm::tlm_generic_payload& gp, tlm::tlm_dmi& dmi) {
    const unsigned to = route(gp.get_address());
    const bool granted = outputs_[to]->socket->get_direct_mem_ptr(gp, dmi);
    // What output 0 gives must not cover what lies elsewhere, nor a refusal more than it may.
    for (const auto& o : outputs_) {
        if (o->index == to || o->first > o->last)
            continue;
        if (o->first > gp.get_address() && o->first <= dmi.get_end_address())
            dmi.set_end_address(o->first - 1);
        if (o->last < gp.get_address() && o->last >= dmi.get_start_address()) {
            if (granted && dmi.get_dmi_ptr() != nullptr)
                dmi.set_dmi_ptr(dmi.get_dmi_ptr() + (o->last + 1 - dmi.get_start_address()));
            dmi.set_start_address(o->last + 1);
        }
    }
    return granted;
}

}  // namespace archipelago::adapters
