// SPDX-License-Identifier: Apache-2.0
#include "rtl-bridge/adapters/socket_merger.h"

#include <algorithm>
#include <string>

namespace archipelago::adapters {
namespace {

bool ended(tlm::tlm_sync_enum status, const tlm::tlm_phase& phase) {
    return status == tlm::TLM_COMPLETED || (status == tlm::TLM_UPDATED && phase == tlm::END_RESP);
}

}  // namespace

SocketMerger::Input::Input(SocketMerger& m, unsigned i, const char* name)
    : merger(m), index(i), socket(name) {
    socket.bind(*this);
}

SocketMerger::SocketMerger(const sc_core::sc_module_name& name, unsigned inputs)
    : sc_core::sc_module(name) {
    SC_HAS_PROCESS(SocketMerger);
    SC_METHOD(answer_waiting);
    dont_initialize();
    sensitive << next_;
    out.bind(*this);
    for (unsigned i = 0; i < inputs; ++i)
        inputs_.push_back(std::make_unique<Input>(*this, i, ("in" + std::to_string(i)).c_str()));
}

tlm::tlm_sync_enum SocketMerger::Input::nb_transport_fw(tlm::tlm_generic_payload& gp,
                                                        tlm::tlm_phase& phase,
                                                        sc_core::sc_time& delay) {
    SocketMerger& m = merger;
    if (phase != tlm::BEGIN_REQ) {
        const bool completed = m.open_.at(&gp).completed;
        m.open_.erase(&gp);
        responding = nullptr;
        if (!queue.empty())
            m.next_.notify(delay);
        return completed ? tlm::TLM_COMPLETED : m.out->nb_transport_fw(gp, phase, delay);
    }
    m.open_[&gp] = {index, false};
    const sc_core::sc_time begin = sc_core::sc_time_stamp() + delay;
    if (m.pending_ != nullptr || !m.queue_.empty()) {
        m.queue_.emplace_back(&gp, begin);
        return tlm::TLM_ACCEPTED;
    }
    const tlm::tlm_sync_enum status = m.send(gp, phase, begin, delay);
    if (status == tlm::TLM_COMPLETED)
        m.open_.erase(&gp);
    else if (status == tlm::TLM_UPDATED && phase == tlm::BEGIN_RESP)
        responding = &gp;
    return status;
}

bool SocketMerger::respond(tlm::tlm_generic_payload& gp, sc_core::sc_time& delay) {
    Input& input = *inputs_[open_.at(&gp).input];
    if (input.responding != nullptr || !input.queue.empty()) {
        input.queue.push_back(&gp);
        return false;
    }
    input.responding = &gp;
    tlm::tlm_phase phase = tlm::BEGIN_RESP;
    if (!ended(input.socket->nb_transport_bw(gp, phase, delay), phase))
        return false;
    input.responding = nullptr;
    open_.erase(&gp);
    return true;
}

void SocketMerger::answer_waiting() {
    for (auto& input : inputs_)
        while (input->responding == nullptr && !input->queue.empty()) {
            tlm::tlm_generic_payload& gp = *input->queue.front();
            input->queue.pop_front();
            const bool completed = open_.at(&gp).completed;
            // respond() must not find it waiting behind others.
            std::deque<tlm::tlm_generic_payload*> others;
            others.swap(input->queue);
            gp.acquire();  // the initiator may let go of it before its target does
            sc_core::sc_time delay;
            if (respond(gp, delay) && !completed) {
                tlm::tlm_phase phase = tlm::END_RESP;
                out->nb_transport_fw(gp, phase, delay);
            }
            gp.release();
            others.insert(others.end(), input->queue.begin(), input->queue.end());
            input->queue.swap(others);
        }
}

tlm::tlm_sync_enum SocketMerger::send(tlm::tlm_generic_payload& gp, tlm::tlm_phase& phase,
                                      sc_core::sc_time begin, sc_core::sc_time& delay) {
    const sc_core::sc_time now = sc_core::sc_time_stamp();
    begin = std::max({begin, free_at_, now});
    delay = begin - now;
    pending_ = &gp;
    const tlm::tlm_sync_enum status = out->nb_transport_fw(gp, phase, delay);
    if (status == tlm::TLM_ACCEPTED)
        return status;
    pending_ = nullptr;
    if (status == tlm::TLM_UPDATED)
        free_at_ = now + delay;
    return status;
}

void SocketMerger::send_waiting() {
    while (pending_ == nullptr && !queue_.empty()) {
        const auto [payload, begin] = queue_.front();
        tlm::tlm_generic_payload& gp = *payload;
        queue_.pop_front();
        gp.acquire();  // the initiator may let go of it before the last phase has been sent
        tlm::tlm_phase phase = tlm::BEGIN_REQ;
        sc_core::sc_time delay;
        const tlm::tlm_sync_enum status = send(gp, phase, begin, delay);
        if (status != tlm::TLM_ACCEPTED) {
            // The initiator was told to wait: what the target completed is a response to it.
            const bool completed = status == tlm::TLM_COMPLETED;
            open_[&gp].completed = completed;
            if (completed || phase == tlm::BEGIN_RESP) {
                if (respond(gp, delay) && !completed) {
                    phase = tlm::END_RESP;
                    out->nb_transport_fw(gp, phase, delay);
                }
            } else {
                inputs_[open_[&gp].input]->socket->nb_transport_bw(gp, phase, delay);
            }
        }
        gp.release();
    }
}

tlm::tlm_sync_enum SocketMerger::nb_transport_bw(tlm::tlm_generic_payload& gp,
                                                 tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    const bool ends_request = pending_ == &gp;
    if (ends_request)
        free_at_ = sc_core::sc_time_stamp() + delay;
    gp.acquire();
    tlm::tlm_sync_enum status = tlm::TLM_ACCEPTED;
    if (phase == tlm::BEGIN_RESP)
        status = respond(gp, delay) ? tlm::TLM_COMPLETED : tlm::TLM_ACCEPTED;
    else
        status = inputs_[open_.at(&gp).input]->socket->nb_transport_bw(gp, phase, delay);
    gp.release();
    if (ends_request) {
        pending_ = nullptr;
        send_waiting();
    }
    return status;
}

void SocketMerger::invalidate_direct_mem_ptr(sc_dt::uint64 first, sc_dt::uint64 last) {
    for (auto& in : inputs_)
        in->socket->invalidate_direct_mem_ptr(first, last);
}

}  // namespace archipelago::adapters
