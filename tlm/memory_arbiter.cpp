// SPDX-License-Identifier: Apache-2.0
#include "tlm/memory_arbiter.h"

#include <algorithm>
#include <string>

#include "models/common/error.h"
#include "tlm/transaction_text.h"

namespace archipelago::tlm_shell {
namespace {

bool ended(tlm::tlm_sync_enum status, const tlm::tlm_phase& phase) {
    return status == tlm::TLM_COMPLETED || (status == tlm::TLM_UPDATED && phase == tlm::END_RESP);
}

}  // namespace

MemoryArbiter::Input::Input(MemoryArbiter& f, unsigned i, const char* name)
    : arbiter(f), index(i), socket(name) {
    socket.bind(*this);
}

MemoryArbiter::MemoryArbiter(const sc_core::sc_module_name& name, unsigned inputs,
                             ArbiterPayloads payloads, RunControl* control, MemoryPhases phases)
    : sc_core::sc_module(name), payloads_(payloads), control_(control), phases_(phases) {
    SC_HAS_PROCESS(MemoryArbiter);
    SC_METHOD(answer_waiting);
    dont_initialize();
    sensitive << next_;
    SC_METHOD(call_memory);
    dont_initialize();
    sensitive << calls_;
    out.bind(*this);
    for (unsigned i = 0; i < inputs; ++i)
        inputs_.push_back(std::make_unique<Input>(*this, i, ("in" + std::to_string(i)).c_str()));
}

ArbiterRecord& MemoryArbiter::open(tlm::tlm_generic_payload& gp, unsigned input) {
    ArbiterRecord& at = payloads_ == ArbiterPayloads::Pool
                            ? static_cast<Payload::Owned&>(gp).owner->arbiter
                            : open_[&gp];
    at = {static_cast<uint16_t>(input), false, LastPhase::Waiting, requests_++};
    return at;
}

ArbiterRecord& MemoryArbiter::place(tlm::tlm_generic_payload& gp) {
    return payloads_ == ArbiterPayloads::Pool ? static_cast<Payload::Owned&>(gp).owner->arbiter
                                              : open_.at(&gp);
}

void MemoryArbiter::close(tlm::tlm_generic_payload& gp) {
    if (payloads_ == ArbiterPayloads::Any)
        open_.erase(&gp);
    else
        place(gp).phase = LastPhase::None;
}

tlm::tlm_sync_enum MemoryArbiter::Input::nb_transport_fw(tlm::tlm_generic_payload& gp,
                                                         tlm::tlm_phase& phase,
                                                         sc_core::sc_time& delay) {
    MemoryArbiter& m = arbiter;
    if (phase != tlm::BEGIN_REQ) {
        const bool completed = m.place(gp).completed;
        m.close(gp);
        responding = nullptr;
        if (!queue.empty())
            m.notify(m.next_, delay);
        return completed ? tlm::TLM_COMPLETED : m.call_target(gp, phase, delay);
    }
    m.open(gp, index);
    const sc_core::sc_time begin = m.now() + delay;
    if (m.pending_ != nullptr || !m.queue_.empty()) {
        m.queue_.emplace_back(&gp, begin);
        return tlm::TLM_ACCEPTED;
    }
    const tlm::tlm_sync_enum status = m.send(gp, phase, begin, delay);
    if (status == tlm::TLM_COMPLETED)
        m.close(gp);
    if (status == tlm::TLM_UPDATED && phase == tlm::BEGIN_RESP) {
        m.place(gp).phase = LastPhase::BeginResp;
        if (responding != nullptr || !queue.empty()) {  // one response at a time
            queue.emplace_back(&gp, m.now() + delay);
            phase = tlm::END_REQ;
        } else {
            responding = &gp;
        }
    }
    return status;
}

bool MemoryArbiter::respond(tlm::tlm_generic_payload& gp, sc_core::sc_time& delay) {
    Input& input = *inputs_[place(gp).input];
    if (input.responding != nullptr || !input.queue.empty()) {
        input.queue.emplace_back(&gp, now() + delay);
        return false;
    }
    input.responding = &gp;
    place(gp).phase = LastPhase::BeginResp;
    tlm::tlm_phase phase = tlm::BEGIN_RESP;
    if (!ended(input.socket->nb_transport_bw(gp, phase, delay), phase))
        return false;
    input.responding = nullptr;
    close(gp);
    return true;
}

void MemoryArbiter::answer_waiting() {
    for (auto& input : inputs_)
        while (input->responding == nullptr && !input->queue.empty()) {
            const auto [payload, begin] = input->queue.front();
            tlm::tlm_generic_payload& gp = *payload;
            input->queue.pop_front();
            const bool completed = place(gp).completed;
            // respond() must not find it waiting after others.
            std::deque<Timed> others;
            others.swap(input->queue);
            gp.acquire();  // the initiator may release it before its target does
            const sc_core::sc_time now = this->now();
            sc_core::sc_time delay = begin > now ? begin - now : sc_core::SC_ZERO_TIME;
            if (respond(gp, delay) && !completed) {
                tlm::tlm_phase phase = tlm::END_RESP;
                call_target(gp, phase, delay);
            }
            gp.release();
            others.insert(others.end(), input->queue.begin(), input->queue.end());
            input->queue.swap(others);
        }
}

tlm::tlm_sync_enum MemoryArbiter::call_target(tlm::tlm_generic_payload& gp, tlm::tlm_phase& phase,
                                              sc_core::sc_time& delay) {
    if (control_ == nullptr)
        return out->nb_transport_fw(gp, phase, delay);
    const bool begins = phase == tlm::BEGIN_REQ;
    const sc_core::sc_time lead = control_->lead();
    const sc_core::sc_time annotated = delay + lead;
    delay = annotated;
    const tlm::tlm_sync_enum status = out->nb_transport_fw(gp, phase, delay);
    if (begins && (status != tlm::TLM_COMPLETED || delay != annotated))
        control_->couple();
    if (begins && (status == tlm::TLM_COMPLETED || phase == tlm::BEGIN_RESP))
        note_status(gp);
    control_->called_another();
    delay = beyond(delay, lead);
    return status;
}

void MemoryArbiter::note_status(const tlm::tlm_generic_payload& gp) {
    const tlm::tlm_response_status status = gp.get_response_status();
    if (status != tlm::TLM_OK_RESPONSE && status != tlm::TLM_ADDRESS_ERROR_RESPONSE)
        control_->suspect("the memory has answered " + gp.get_response_string() + " to a " +
                          in_words(gp));
}

tlm::tlm_sync_enum MemoryArbiter::send(tlm::tlm_generic_payload& gp, tlm::tlm_phase& phase,
                                       sc_core::sc_time begin, sc_core::sc_time& delay) {
    const sc_core::sc_time now = this->now();
    begin = std::max({begin, free_at_, now});
    delay = begin - now;
    pending_ = &gp;
    place(gp).phase = LastPhase::BeginReq;
    const tlm::tlm_sync_enum status = call_target(gp, phase, delay);
    if (status == tlm::TLM_ACCEPTED)
        return status;
    place(gp).phase = LastPhase::EndReq;
    pending_ = nullptr;
    if (status == tlm::TLM_UPDATED)
        free_at_ = now + delay;
    return status;
}

void MemoryArbiter::send_waiting() {
    while (pending_ == nullptr && !queue_.empty()) {
        const auto [payload, begin] = queue_.front();
        tlm::tlm_generic_payload& gp = *payload;
        queue_.pop_front();
        gp.acquire();  // the initiator may release it before the last phase has been sent
        tlm::tlm_phase phase = tlm::BEGIN_REQ;
        sc_core::sc_time delay;
        const tlm::tlm_sync_enum status = send(gp, phase, begin, delay);
        if (status != tlm::TLM_ACCEPTED) {
            // The initiator waits (TLM_ACCEPTED): a completion by the target is its response.
            const bool completed = status == tlm::TLM_COMPLETED;
            place(gp).completed = completed;
            if (completed || phase == tlm::BEGIN_RESP) {
                if (respond(gp, delay) && !completed) {
                    phase = tlm::END_RESP;
                    call_target(gp, phase, delay);
                }
            } else {
                inputs_[place(gp).input]->socket->nb_transport_bw(gp, phase, delay);
            }
        }
        gp.release();
    }
}

// Nothing of the chip sits between it and a memory of other parties, whose calls end here.
tlm::tlm_sync_enum MemoryArbiter::nb_transport_bw(tlm::tlm_generic_payload& gp,
                                                  tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    if (control_ == nullptr)
        return backward(gp, phase, delay);
    const sc_core::sc_time lead = control_->lead();
    delay = beyond(delay, lead);
    try {
        refuse_breach(gp, phase);
        if (phase == tlm::BEGIN_RESP)
            note_status(gp);
        const tlm::tlm_sync_enum status = backward(gp, phase, delay);
        delay += lead;
        return status;
    } catch (const MachineStop&) {
        control_->fail(std::current_exception());
        return tlm::TLM_ACCEPTED;
    }
}

void MemoryArbiter::refuse_breach(const tlm::tlm_generic_payload& gp,
                                  const tlm::tlm_phase& phase) const {
    const auto require = [&](bool condition, const char* rule) {
        if (!condition)
            throw MachineStop(
                StopKind::Protocol, name(),
                std::string(phase.get_name()) + " from the memory: " + rule + ": " + in_words(gp));
    };
    require(phase == tlm::END_REQ || phase == tlm::BEGIN_RESP,
            "a phase not allowed on the backward path");
    if (payloads_ != ArbiterPayloads::Pool)
        return;
    const auto* ours = dynamic_cast<const Payload::Owned*>(&gp);
    require(ours != nullptr, "a payload that is not the chip's");
    const LastPhase last = ours->owner->arbiter.phase;
    require(last != LastPhase::None && last != LastPhase::Waiting,
            "a payload that has no open transaction");
    require(last != LastPhase::BeginResp, "the response has begun before");
    require(phase != tlm::END_REQ || last == LastPhase::BeginReq, "the request has ended before");
}

tlm::tlm_sync_enum MemoryArbiter::backward(tlm::tlm_generic_payload& gp, tlm::tlm_phase& phase,
                                           sc_core::sc_time& delay) {
    const bool ends_request = pending_ == &gp;
    if (ends_request)
        free_at_ = now() + delay;
    gp.acquire();
    tlm::tlm_sync_enum status = tlm::TLM_ACCEPTED;
    if (phase == tlm::BEGIN_RESP) {
        place(gp).phase = LastPhase::BeginResp;
        if (respond(gp, delay))
            status = end(gp, delay);
    } else {
        place(gp).phase = LastPhase::EndReq;
        status = inputs_[place(gp).input]->socket->nb_transport_bw(gp, phase, delay);
    }
    gp.release();
    if (ends_request) {
        pending_ = nullptr;
        if (phases_ == MemoryPhases::Early)
            send_waiting();
        else if (!queue_.empty())
            notify(calls_, sc_core::SC_ZERO_TIME);
    }
    return status;
}

tlm::tlm_sync_enum MemoryArbiter::end(tlm::tlm_generic_payload& gp, const sc_core::sc_time& delay) {
    if (phases_ == MemoryPhases::Early) {
        ++early_ends_;
        return tlm::TLM_COMPLETED;
    }
    gp.acquire();
    ending_.emplace_back(&gp, now() + delay);
    notify(calls_, sc_core::SC_ZERO_TIME);
    return tlm::TLM_ACCEPTED;
}

void MemoryArbiter::call_memory() {
    while (!ending_.empty()) {
        const auto [gp, end] = ending_.front();
        ending_.pop_front();
        tlm::tlm_phase phase = tlm::END_RESP;
        const sc_core::sc_time now = this->now();
        sc_core::sc_time delay = end > now ? end - now : sc_core::SC_ZERO_TIME;
        call_target(*gp, phase, delay);
        gp->release();
    }
    send_waiting();
}

std::string MemoryArbiter::waiting_for(const PayloadPool& pool, OpenSince since) const {
    static constexpr const char* kPhases[] = {"", "waiting to send", "BEGIN_REQ of", "END_REQ of",
                                              "BEGIN_RESP of"};
    constexpr size_t kListed = 8;
    std::vector<const Payload*> open;
    pool.each_in_use([&](const Payload& p) {
        const bool before = p.arbiter.number < watched_;
        if (p.arbiter.phase != LastPhase::None && before == (since == OpenSince::Before))
            open.push_back(&p);
    });
    if (open.empty())
        return {};
    std::sort(open.begin(), open.end(), [](const Payload* a, const Payload* b) {
        return a->arbiter.number < b->arbiter.number;
    });
    std::string text = std::to_string(open.size()) + " open transactions, by their last phase:";
    for (size_t i = 0; i < open.size() && i < kListed; ++i) {
        const Payload& p = *open[i];
        text += std::string(i == 0 ? " " : ", ") + kPhases[static_cast<unsigned>(p.arbiter.phase)] +
                " a " + in_words(p.gp);
    }
    if (open.size() > kListed)
        text += " and " + std::to_string(open.size() - kListed) + " more";
    if (early_ends_ != 0)
        text += "; BEGIN_RESP was answered by TLM_COMPLETED (" + std::to_string(early_ends_) +
                "): a memory that waits for END_RESP needs MemoryPhases::Four";
    return text;
}

void MemoryArbiter::invalidate_direct_mem_ptr(sc_dt::uint64 first, sc_dt::uint64 last) {
    if (on_invalidate)
        on_invalidate(first, last);
    for (auto& in : inputs_)
        in->socket->invalidate_direct_mem_ptr(first, last);
}

}  // namespace archipelago::tlm_shell
