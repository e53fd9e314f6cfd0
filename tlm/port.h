// SPDX-License-Identifier: Apache-2.0
// The thin shells between a core's channels and TLM-2.0 sockets (base protocol, approximately
// timed). A crossing costs the port's channel (1 cycle) plus the annotated link latency.
// Contract: tlm/README.md.
#pragma once

#include <algorithm>
#include <cstring>
#include <deque>
#include <memory>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

#include "models/common/channel.h"
#include "models/common/error.h"
#include "tlm/clock_domain.h"
#include "tlm/codec.h"
#include "tlm/direct_link.h"
#include "tlm/transaction_text.h"

namespace archipelago::tlm_shell {

// Direct, untimed access downstream of a target port: transport_dbg and b_transport in functional
// mode.
class DirectAccess {
  public:
    virtual ~DirectAccess() = default;
    virtual unsigned debug(tlm::tlm_generic_payload& gp) = 0;
    // Functional mode: carries the access out at once and returns true.
    virtual bool transport(tlm::tlm_generic_payload&) { return false; }
};

// Time from now until `time`; zero when it has passed.
inline sc_core::sc_time until(const sc_core::sc_time& time, const ClockDomain& clock) {
    return beyond(time, clock.control().time_stamp());
}

template <class Codec>
class TargetPort;

// Core -> socket. The core pushes into `requests`; responses arrive in the core's own channel.
template <class Codec>
class InitiatorPort : public sc_core::sc_module, public Clocked, public tlm::tlm_bw_transport_if<> {
  public:
    using Request = typename Codec::Request;
    using Response = typename Codec::Response;

    tlm::tlm_initiator_socket<> socket{"socket"};
    Channel<Request> requests;

    // `link_cycles`: latency of the crossing annotated on each request, at least 1.
    // `synchroniser`: further cycles of this clock before a response that comes from another one
    // is seen.
    InitiatorPort(const sc_core::sc_module_name& name, ClockDomain& clock, PayloadPool& pool,
                  unsigned depth, unsigned link_cycles, unsigned synchroniser = 0)
        : sc_core::sc_module(name),
          requests({depth, 1}, this->name()),
          clock_(clock),
          pool_(pool),
          link_(clock.cycles(link_cycles)),
          link_cycles_(link_cycles),
          synchroniser_(synchroniser) {
        socket.bind(*this);
        requests.set_consumer(this);
        clock.add(*this);
    }
    // When the socket is bound to that of a TargetPort, messages need not become transactions on
    // their way (direct_link.h); only the host time of the run changes. Not when the target
    // block shows to others whether its request channel is empty: a message is in there sooner.
    void allow_direct_link() { allow_direct_ = true; }
    bool linked_directly() const { return direct_ != nullptr; }
    // For a core that does not need `port` back, whose targets all repeat tag, command, line and
    // uid of a request in the answer, as the cores of this project do: a direct link then remembers
    // no requests. Memory only.
    void knows_answers_by_tag() { by_tag_ = true; }
    // For a target that completes every transaction at once and without delay: where it grants
    // direct memory access without latencies, uses that, in the cycles in which transactions would
    // take place. Memory only.
    void use_direct_memory() { use_dmi_ = true; }
    void connect(Channel<Response>& responses) {
        responses_ = &responses;
        responses.set_producer(this);
    }

    bool tick(Cycle now) override {
        bool progress = false;
        if (!held_.empty() && responses_->can_push(now)) {
            const Held held = held_.front();
            held_.pop_front();
            deliver(*held.payload, now, std::max(now + 1, held.ready));
            if (held.needs_end)
                end_response(*held.payload, until(held.begin, clock_));
            else
                --completed_held_;
            held.payload->gp.release();
            progress = true;
        }
        // What other ticks of this cycle did must not show before the next: request_free_ is later
        // than the END_REQ that set it, and completed_held_ changes in this tick only.
        if (pending_ == nullptr && completed_held_ == 0 && requests.can_pop(now)) {
            if (now < request_free_) {
                wake_at(request_free_);
                return progress;
            }
            if constexpr (Codec::kDirectMemory) {
                if (use_dmi_ && held_.empty() && access_directly(now))
                    return !requests.empty();
            }
            Payload& p = pool_.acquire();
            Codec::to_payload(requests.front(), p);
            requests.drop(now);
            ++in_flight_;
            tlm::tlm_phase phase = tlm::BEGIN_REQ;
            sc_core::sc_time delay = link_;
            pending_ = &p;
            const tlm::tlm_sync_enum status = socket->nb_transport_fw(p.gp, phase, delay);
            if (status == tlm::TLM_COMPLETED) {
                pending_ = nullptr;
                if (!take(p, delay, false))
                    p.gp.release();
            } else if (status == tlm::TLM_UPDATED) {
                on_phase(p, phase, delay);
            }
            progress = true;
        }
        // With nothing left to pass on there is nothing to do before the next message wakes us.
        return progress && !(requests.empty() && held_.empty());
    }

    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& gp, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override {
        Payload& p = *static_cast<Payload::Owned&>(gp).owner;
        if (phase == tlm::END_REQ && pending_ == &p) {
            end_request(delay);
            return tlm::TLM_ACCEPTED;
        }
        if (phase == tlm::BEGIN_RESP) {
            if (pending_ == &p)  // BEGIN_RESP implies END_REQ
                end_request(delay);
            if (take(p, delay, true))
                return tlm::TLM_ACCEPTED;
            p.gp.release();
            return tlm::TLM_COMPLETED;
        }
        throw MachineStop(StopKind::Protocol, name(),
                          std::string(phase.get_name()) +
                              " is no phase that may come now from the target: " + in_words(gp));
    }
    void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {
        dmi_first_ = 1;
        dmi_last_ = 0;
    }

    bool idle() const { return in_flight_ == 0 && requests.empty(); }
    // As Control::archive(). The responses' channel belongs to the downstream core.
    void archive(Archive& a) {
        a.at_rest(in_flight_ == 0 && held_.empty(), "requests are on their way");
        a(requests, request_free_);
        if (direct_ != nullptr)
            direct_->archive(a);
    }
    uint64_t in_flight() const { return in_flight_; }

  protected:
    void end_of_elaboration() override;

  private:
    // The target answered in the call itself.
    void on_phase(Payload& p, const tlm::tlm_phase& phase, const sc_core::sc_time& delay) {
        if (phase == tlm::END_REQ) {
            end_request(delay);
        } else if (phase == tlm::BEGIN_RESP) {
            end_request(delay);
            if (!take(p, delay, true)) {
                end_response(p, delay);
                p.gp.release();
            }
        } else {
            throw MachineStop(StopKind::Protocol, name(),
                              "TLM_UPDATED with " + std::string(phase.get_name()) +
                                  ", expected END_REQ or BEGIN_RESP: " + in_words(p.gp));
        }
    }
    // Passes a response on, or holds it until the core has room (true). The protocol allows one
    // open response; targets that complete at once are held back by not sending them more.
    bool take(Payload& p, const sc_core::sc_time& delay, bool needs_end) {
        if (Codec::posted(p)) {
            --in_flight_;
            return false;
        }
        const Cycle now = clock_.now();
        if (held_.empty() && responses_->can_push(now)) {
            deliver(p, now, clock_.edge_after(delay) + synchroniser_);
            return false;
        }
        held_.push_back({&p, needs_end, clock_.control().time_stamp() + delay,
                         clock_.edge_after(delay) + synchroniser_});
        if (!needs_end)
            ++completed_held_;
        wake_at(now + 1);
        return true;
    }
    // END_REQ takes effect after `delay`; the next BEGIN_REQ does `link_` after it was sent.
    void end_request(const sc_core::sc_time& delay) {
        pending_ = nullptr;
        request_free_ = clock_.edge_after(beyond(delay, link_));
        if (!requests.empty())  // else the tick that finds one wakes
            wake_at(request_free_);
    }
    void end_response(Payload& p, sc_core::sc_time delay) {
        tlm::tlm_phase phase = tlm::END_RESP;
        socket->nb_transport_fw(p.gp, phase, delay);
    }
    // Serves the next request by DMI; false when it needs a transaction.
    bool access_directly(Cycle now) {
        const Request& r = requests.front();
        if (r.line < dmi_first_ || r.line + (kLineBytes - 1) > dmi_last_) {
            if (!find_direct_memory(r.line))
                return false;
        }
        if (r.command == MemCommand::Atomic || !responses_->can_push(now))
            return false;
        uint8_t* const host = dmi_ + (r.line - dmi_first_);
        Response answer;
        answer.tag = r.tag;
        answer.port = r.port;
        answer.command = r.command;
        answer.line = r.line;
        answer.uid = r.uid;
        if (r.command == MemCommand::Read) {
            // Sequential reads continue after this line, by this port or another.
            constexpr size_t kAhead = 16 * kLineBytes;
            if (r.line + kAhead <= dmi_last_)
                __builtin_prefetch(host + kAhead);
            std::memcpy(answer.data.data(), host, kLineBytes);
        } else {
            merge_bytes(host, r.data.data(), r.byte_mask);
        }
        requests.drop(now);
        responses_->push_at(
            now, clock_.edge_after(link_) + synchroniser_ + responses_->spec().latency - 1, answer);
        return true;
    }
    bool find_direct_memory(uint64_t line) {
        tlm::tlm_generic_payload gp;
        gp.set_command(tlm::TLM_READ_COMMAND);
        gp.set_address(line);
        tlm::tlm_dmi dmi;
        if (!socket->get_direct_mem_ptr(gp, dmi) || !dmi.is_read_write_allowed() ||
            dmi.get_read_latency() != sc_core::SC_ZERO_TIME ||
            dmi.get_write_latency() != sc_core::SC_ZERO_TIME || dmi.get_dmi_ptr() == nullptr ||
            dmi.get_start_address() > line || dmi.get_end_address() < line + (kLineBytes - 1))
            return false;
        dmi_ = dmi.get_dmi_ptr();
        dmi_first_ = dmi.get_start_address();
        dmi_last_ = dmi.get_end_address();
        return true;
    }
    void deliver(const Payload& p, Cycle now, Cycle ready) {
        Response r;
        Codec::to_response(p, r);
        // The channel's own latency lies downstream of the crossing, which counts as its first
        // cycle.
        responses_->push_at(now, ready + responses_->spec().latency - 1, std::move(r));
        --in_flight_;
    }

    ClockDomain& clock_;
    PayloadPool& pool_;
    sc_core::sc_time link_;
    unsigned link_cycles_;
    unsigned synchroniser_;
    bool allow_direct_ = false;
    bool by_tag_ = false;
    std::unique_ptr<DirectConnection> direct_;
    bool use_dmi_ = false;
    uint8_t* dmi_ = nullptr;
    uint64_t dmi_first_ = 1;  // nothing
    uint64_t dmi_last_ = 0;
    Channel<Response>* responses_ = nullptr;
    struct Held {
        Payload* payload;
        bool needs_end;
        sc_core::sc_time begin;  // when BEGIN_RESP takes effect: END_RESP must not come before
        Cycle ready;             // first cycle the core could see it without waiting
    };
    std::deque<Held> held_;
    unsigned completed_held_ = 0;
    Cycle request_free_ = 0;
    Payload* pending_ = nullptr;  // BEGIN_REQ sent, END_REQ not seen
    uint64_t in_flight_ = 0;
};

// Socket -> core. The core owns its request channel; it answers into `responses`.
template <class Codec>
class TargetPort : public sc_core::sc_module, public Clocked, public tlm::tlm_fw_transport_if<> {
  public:
    using Request = typename Codec::Request;
    using Response = typename Codec::Response;

    tlm::tlm_target_socket<> socket{"socket"};
    Channel<Response> responses;

    TargetPort(const sc_core::sc_module_name& name, ClockDomain& clock, unsigned depth,
               unsigned link_cycles, unsigned synchroniser = 0)
        : sc_core::sc_module(name),
          responses({depth, 1}, this->name()),
          clock_(clock),
          link_(clock.cycles(link_cycles)),
          link_cycles_(link_cycles),
          synchroniser_(synchroniser) {
        socket.bind(*this);
        responses.set_consumer(this);
        clock.add(*this);
    }
    // Its side of a direct link; its channels are never watched and never refuse.
    LinkSide<Request, Response> direct_side() {
        return {*requests_, responses, clock_, link_cycles_, synchroniser_};
    }
    bool may_link_directly() const {
        return direct_ == nullptr && requests_ != nullptr && requests_->plain() &&
               responses.plain();
    }
    void connect(Channel<Request>& requests) {
        requests_ = &requests;
        requests.set_producer(this);
    }
    void set_direct(DirectAccess* direct) { direct_ = direct; }
    // The initiator is another party's: it knows the kernel's time, not the machine's.
    void faces_another() { faces_another_ = true; }
    // As Control::archive(). The requests' channel belongs to the downstream core.
    void archive(Archive& a) {
        a.at_rest(waiting_.empty() && posted_.empty() && answering_ == nullptr &&
                      free_slots_.size() == slots_.size(),
                  "accesses are on their way");
        uint64_t slots = slots_.size();
        a(responses, answer_free_, slots, free_slots_);
        slots_.resize(free_slots_.size());
    }

    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& gp, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override {
        if (phase == tlm::BEGIN_REQ) {
            if (direct_ != nullptr && direct_->transport(gp))
                return tlm::TLM_COMPLETED;
            Request r;
            const tlm::tlm_response_status shape = Codec::from_payload(gp, r);
            if (shape != tlm::TLM_OK_RESPONSE) {
                gp.set_response_status(shape);
                return tlm::TLM_COMPLETED;
            }
            if (!gp.has_mm())
                return refuse(gp, "nb_transport_fw with a payload without memory manager");
            const Cycle now = clock_.now();
            if (waiting_.empty() && requests_->can_push(now)) {
                const bool posted = Codec::posted(r);
                accept({&gp}, r, now, clock_.edge_after(delay) + synchroniser_);
                if (posted)
                    return tlm::TLM_COMPLETED;
                gp.acquire();
                phase = tlm::END_REQ;
                return tlm::TLM_UPDATED;
            }
            if (std::any_of(waiting_.begin(), waiting_.end(),
                            [](const Waiting& w) { return w.access.call == nullptr; }))
                return refuse(gp, "BEGIN_REQ before END_REQ of the request before");
            gp.acquire();
            waiting_.push_back({{&gp},
                                clock_.control().time_stamp() + delay,
                                clock_.edge_after(delay) + synchroniser_});
            return tlm::TLM_ACCEPTED;
        }
        if (phase == tlm::END_RESP) {
            if (answering_ != &gp) {
                stop("END_RESP without BEGIN_RESP", gp);
                return tlm::TLM_COMPLETED;
            }
            answering_ = nullptr;
            answer_free_ = clock_.edge_after(beyond(delay, link_));
            gp.release();
            if (!responses.empty() || !posted_.empty())  // else the tick that finds one wakes
                wake_at(answer_free_);
            return tlm::TLM_COMPLETED;
        }
        return refuse(gp, std::string(phase.get_name()) + " is no phase of the forward path");
    }

    bool tick(Cycle now) override {
        bool progress = false;
        while (!waiting_.empty() && requests_->can_push(now)) {
            const Waiting first = waiting_.front();
            waiting_.pop_front();
            accept_late(first, now);
            progress = true;
        }
        if (answering_ == nullptr && now < answer_free_) {
            if (!responses.empty() || !posted_.empty())
                wake_at(answer_free_);
            return progress;
        }
        if (answering_ == nullptr && !posted_.empty()) {
            tlm::tlm_generic_payload& gp = *posted_.front();
            posted_.pop_front();
            begin_response(gp);
            progress = true;
        }
        if (answering_ == nullptr && now >= answer_free_ && responses.can_pop(now)) {
            const Response& r = responses.front();
            if (r.tag >= slots_.size() || (slots_[r.tag].gp == nullptr && !slots_[r.tag].ended))
                throw MachineStop(
                    StopKind::Protocol, name(),
                    "a response with tag " + std::to_string(r.tag) + " that no request carries");
            const Access access = slots_[r.tag];
            slots_[r.tag] = {};
            free_slots_.push_back(r.tag);
            if (!access.ended)
                Codec::from_response(r, *access.gp);
            responses.drop(now);
            if (access.call != nullptr)
                complete(*access.call, link_);
            else if (!access.ended)
                begin_response(*access.gp);
            progress = true;
        }
        // With nothing left to pass on there is nothing to do before the next message wakes us.
        return progress && (!waiting_.empty() || !posted_.empty() || !responses.empty());
    }

    // For loosely timed initiators in cycle mode (a processor model): waits for the real answer.
    // Any number of threads may be in here, beside transactions of nb_transport; requests that find
    // no room enter the core in the order in which they came.
    void b_transport(tlm::tlm_generic_payload& gp, sc_core::sc_time& delay) override {
        if (direct_ != nullptr && direct_->transport(gp))
            return;
        sc_core::wait(delay);
        delay = sc_core::SC_ZERO_TIME;
        Request r;
        const tlm::tlm_response_status shape = Codec::from_payload(gp, r);
        if (shape != tlm::TLM_OK_RESPONSE) {
            gp.set_response_status(shape);
            return;
        }
        BlockingCall call;
        const Cycle now = clock_.now();
        if (waiting_.empty() && requests_->can_push(now)) {
            const bool posted = Codec::posted(r);
            accept({&gp, &call}, r, now, now + 1);
            if (posted)
                return;
        } else {
            waiting_.push_back({{&gp, &call}, sc_core::SC_ZERO_TIME, now + 1});
        }
        // done_ wakes the threads of all calls, and of several notifications only the first comes.
        while (!call.completed)
            sc_core::wait(done_);
        if (call.end > sc_core::sc_time_stamp())
            sc_core::wait(call.end - sc_core::sc_time_stamp());
    }
    unsigned transport_dbg(tlm::tlm_generic_payload& gp) override {
        return direct_ != nullptr ? direct_->debug(gp) : 0;
    }
    bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi&) override { return false; }

    // Every b_transport() that waits returns with an error; what the core still answers to one is
    // dropped.
    void end_calls() {
        const auto end = [this](const Access& access) {
            access.gp->set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
            complete(*access.call, sc_core::SC_ZERO_TIME);
        };
        std::deque<Waiting> others;
        for (const Waiting& waiting : waiting_)
            if (waiting.access.call != nullptr)
                end(waiting.access);
            else
                others.push_back(waiting);
        waiting_.swap(others);
        for (Access& slot : slots_)
            if (slot.call != nullptr) {
                end(slot);
                slot = {nullptr, nullptr, /*ended=*/true};
            }
    }

  private:
    // A b_transport() that has not returned: on the stack of its thread.
    struct BlockingCall {
        bool completed = false;
        sc_core::sc_time end;  // when it returns
    };
    struct Access {
        tlm::tlm_generic_payload* gp = nullptr;
        BlockingCall* call = nullptr;  // null: nb_transport
        bool ended = false;            // by end_calls(), before its answer
    };
    // A request for which the core had no room.
    struct Waiting {
        Access access;
        sc_core::sc_time begin;  // when its BEGIN_REQ takes effect
        Cycle ready;             // first cycle the core could see it
    };

    // A breach of the protocol by who calls. It may be of another party, whose process it must not
    // end.
    void stop(const std::string& breach, const tlm::tlm_generic_payload& gp) {
        clock_.control().fail(std::make_exception_ptr(
            MachineStop(StopKind::Protocol, name(), breach + ": " + in_words(gp))));
    }
    tlm::tlm_sync_enum refuse(tlm::tlm_generic_payload& gp, const std::string& breach) {
        stop(breach, gp);
        gp.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
        return tlm::TLM_COMPLETED;
    }
    void complete(BlockingCall& call, const sc_core::sc_time& delay) {
        call.completed = true;
        call.end = clock_.control().time_stamp() + delay;
        clock_.control().notify(done_, delay);
    }
    void accept_late(const Waiting& waiting, Cycle now) {
        tlm::tlm_generic_payload& gp = *waiting.access.gp;
        Request r;
        Codec::from_payload(gp, r);
        const bool posted = Codec::posted(r);
        accept(waiting.access, r, now, std::max(now + 1, waiting.ready));
        if (waiting.access.call != nullptr) {
            if (posted)
                complete(*waiting.access.call, sc_core::SC_ZERO_TIME);
            return;
        }
        if (posted)
            posted_.push_back(&gp);
        call(gp, tlm::END_REQ, until(waiting.begin, clock_));
    }
    void begin_response(tlm::tlm_generic_payload& gp) {
        answering_ = &gp;
        if (call(gp, tlm::BEGIN_RESP, link_)) {
            answering_ = nullptr;
            gp.release();
        }
    }
    // A phase that takes effect `delay` from now; true when the answer ends the transaction.
    bool call(tlm::tlm_generic_payload& gp, tlm::tlm_phase phase, sc_core::sc_time delay) {
        if (faces_another_)
            delay += clock_.control().lead();
        const tlm::tlm_sync_enum status = socket->nb_transport_bw(gp, phase, delay);
        if (faces_another_)
            clock_.control().called_another();
        return status == tlm::TLM_COMPLETED ||
               (status == tlm::TLM_UPDATED && phase == tlm::END_RESP);
    }
    void accept(const Access& access, Request& r, Cycle now, Cycle ready) {
        // The channel's own latency lies downstream of the crossing, which counts as its first
        // cycle.
        ready += requests_->spec().latency - 1;
        if (Codec::posted(r)) {
            access.gp->set_response_status(tlm::TLM_OK_RESPONSE);
            requests_->push_at(now, ready, std::move(r));
            return;
        }
        uint32_t slot = 0;
        if (free_slots_.empty()) {
            slot = static_cast<uint32_t>(slots_.size());
            slots_.push_back(access);
        } else {
            slot = free_slots_.back();
            free_slots_.pop_back();
            slots_[slot] = access;
        }
        Codec::set_tag(r, slot);
        requests_->push_at(now, ready, std::move(r));
    }

    ClockDomain& clock_;
    sc_core::sc_time link_;
    unsigned link_cycles_;
    unsigned synchroniser_;
    Channel<Request>* requests_ = nullptr;
    DirectAccess* direct_ = nullptr;
    bool faces_another_ = false;
    std::deque<Waiting> waiting_;                   // in the order of their arrival
    std::deque<tlm::tlm_generic_payload*> posted_;  // accepted late, to be answered
    tlm::tlm_generic_payload* answering_ = nullptr;
    Cycle answer_free_ = 0;   // first cycle in which the next response may start
    sc_core::sc_event done_;  // some blocking call has completed
    std::vector<Access> slots_;
    std::vector<uint32_t> free_slots_;
};

template <class Codec>
void InitiatorPort<Codec>::end_of_elaboration() {
    auto* peer = dynamic_cast<TargetPort<Codec>*>(socket.get_interface());
    if (!allow_direct_ || peer == nullptr || responses_ == nullptr || !peer->may_link_directly() ||
        !requests.plain() || !responses_->plain())
        return;
    const LinkSide<Request, Response> side{requests, *responses_, clock_, link_cycles_,
                                           synchroniser_};
    if (by_tag_)
        direct_ = std::make_unique<DirectPair<Request, Response, OpenNothing>>(
            side, peer->direct_side(), peer->name());
    else
        direct_ = std::make_unique<DirectPair<Request, Response, typename Codec::Open>>(
            side, peer->direct_side(), peer->name());
}

using MemoryInitiator = InitiatorPort<MemoryCodec>;
using MemoryTarget = TargetPort<MemoryCodec>;
using RegisterInitiator = InitiatorPort<RegisterCodec>;
using RegisterTargetPort = TargetPort<RegisterCodec>;

}  // namespace archipelago::tlm_shell
