// SPDX-License-Identifier: Apache-2.0
// A TLM-2.0 initiator and a memory that use the base protocol in every way it allows, at random.
#pragma once

#include <gtest/gtest.h>
#include <tlm_utils/peq_with_get.h>

#include <memory>
#include <systemc>
#include <tlm>
#include <vector>

#include "rtl-bridge/adapters/bus_request.h"

namespace archipelago::adapters {

using sc_core::sc_time;
constexpr uint64_t kPeriod = 1000;
constexpr uint64_t kBytes = 1 << 16;

// Payloads of any size with buffers of their own.
struct Request : tlm::tlm_mm_interface {
    tlm::tlm_generic_payload gp{this};
    std::vector<unsigned char> data, enable;
    std::vector<unsigned char> expected;  // reads
    unsigned number = 0;
    bool answered = false;
    void free(tlm::tlm_generic_payload*) override {}
};

// Sends requests as fast as the protocol allows, in order; takes responses at once or later.
class Sender : public sc_core::sc_module, public tlm::tlm_bw_transport_if<> {
  public:
    tlm::tlm_initiator_socket<> socket{"socket"};
    std::vector<std::unique_ptr<Request>> requests;
    unsigned answered = 0;
    unsigned max_open = 0;
    explicit Sender(const sc_core::sc_module_name& name) : sc_core::sc_module(name), random_(3) {
        SC_HAS_PROCESS(Sender);
        SC_THREAD(run);
        SC_THREAD(end_responses);
        socket.bind(*this);
    }
    Request& add() {
        requests.push_back(std::make_unique<Request>());
        requests.back()->number = static_cast<unsigned>(requests.size());
        return *requests.back();
    }

  private:
    void run() {
        unsigned sent = 0;
        for (auto& r : requests) {
            r->gp.acquire();
            tlm::tlm_phase phase = tlm::BEGIN_REQ;
            sc_time delay = sc_time::from_value(random_.below(3) * kPeriod / 2);
            waiting_ = r.get();
            max_open = std::max(max_open, ++sent - answered);
            const tlm::tlm_sync_enum status = socket->nb_transport_fw(r->gp, phase, delay);
            if (status == tlm::TLM_COMPLETED) {
                done(*r);
                r->gp.release();
            } else if (status == tlm::TLM_ACCEPTED) {
                while (waiting_ != nullptr)
                    wait(request_ended_);
            }
            waiting_ = nullptr;
            if (random_.below(8) == 0)
                wait(sc_time::from_value(random_.below(60) * kPeriod));
        }
    }
    void end_responses() {
        for (;;) {
            wait(late_.get_event());
            while (auto* gp = late_.get_next_transaction()) {
                tlm::tlm_phase phase = tlm::END_RESP;
                sc_time delay;
                done(*find(gp));
                socket->nb_transport_fw(*gp, phase, delay);
                gp->release();
            }
        }
    }
    Request* find(const tlm::tlm_generic_payload* gp) {
        for (auto& r : requests)
            if (&r->gp == gp)
                return r.get();
        return nullptr;
    }
    void done(Request& r) {
        ASSERT_FALSE(r.answered) << "answered twice";
        r.answered = true;
        ++answered;
    }
    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& gp, tlm::tlm_phase& phase,
                                       sc_time& delay) override {
        if (waiting_ != nullptr && &waiting_->gp == &gp) {
            waiting_ = nullptr;
            request_ended_.notify(delay);
        }
        if (phase == tlm::BEGIN_RESP) {
            if (random_.below(2) == 0) {
                done(*find(&gp));
                gp.release();
                return tlm::TLM_COMPLETED;
            }
            late_.notify(gp, sc_time::from_value(random_.below(10) * kPeriod));
        }
        return tlm::TLM_ACCEPTED;
    }
    void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}

    AdapterRandom random_;
    Request* waiting_ = nullptr;
    sc_core::sc_event request_ended_;
    tlm_utils::peq_with_get<tlm::tlm_generic_payload> late_{"late"};
};

// A memory with every manner of answering the base protocol has, at random; `silent` answers
// nothing.
class MoodyMemory : public sc_core::sc_module, public tlm::tlm_fw_transport_if<> {
  public:
    tlm::tlm_target_socket<> socket{"socket"};
    std::vector<uint8_t> bytes = std::vector<uint8_t>(kBytes);
    uint64_t error_from = ~uint64_t{0};
    bool silent = false;
    explicit MoodyMemory(const sc_core::sc_module_name& name)
        : sc_core::sc_module(name), random_(11) {
        SC_HAS_PROCESS(MoodyMemory);
        SC_THREAD(answer);
        SC_THREAD(end_requests);
        socket.bind(*this);
    }

  private:
    void access(tlm::tlm_generic_payload& gp) {
        const uint64_t at = gp.get_address();
        if (at + gp.get_data_length() > bytes.size()) {
            gp.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
            return;
        }
        if (at >= error_from) {
            gp.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
            return;
        }
        const unsigned char* enable = gp.get_byte_enable_ptr();
        for (unsigned i = 0; i < gp.get_data_length(); ++i) {
            if (enable != nullptr && enable[i % gp.get_byte_enable_length()] != TLM_BYTE_ENABLED)
                continue;
            uint8_t& byte = bytes[at + i];
            (gp.is_read() ? gp.get_data_ptr()[i] : byte) =
                gp.is_read() ? byte : gp.get_data_ptr()[i];
        }
        gp.set_response_status(tlm::TLM_OK_RESPONSE);
    }
    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& gp, tlm::tlm_phase& phase,
                                       sc_time& delay) override {
        if (phase == tlm::END_RESP) {
            taken_.notify(delay);
            return tlm::TLM_COMPLETED;
        }
        if (silent)
            return gp.acquire(), phase = tlm::END_REQ, tlm::TLM_UPDATED;
        access(gp);  // requests keep their order at the memory
        const unsigned mood = random_.below(4);
        if (mood == 0)
            return tlm::TLM_COMPLETED;
        gp.acquire();
        if (mood == 1) {
            responses_.notify(gp, later());  // END_REQ by BEGIN_RESP
            return tlm::TLM_ACCEPTED;
        }
        if (mood == 2) {
            ends_.notify(gp, sc_time::from_value((1 + random_.below(5)) * kPeriod / 2));
            return tlm::TLM_ACCEPTED;
        }
        responses_.notify(gp, later());
        phase = tlm::END_REQ;
        return tlm::TLM_UPDATED;
    }
    sc_time later() { return sc_time::from_value((1 + random_.below(40)) * kPeriod); }
    void end_requests() {
        for (;;) {
            wait(ends_.get_event());
            while (auto* gp = ends_.get_next_transaction()) {
                tlm::tlm_phase phase = tlm::END_REQ;
                sc_time delay;
                socket->nb_transport_bw(*gp, phase, delay);
                responses_.notify(*gp, later());
            }
        }
    }
    void answer() {
        for (;;) {
            wait(responses_.get_event());
            while (auto* gp = responses_.get_next_transaction()) {
                tlm::tlm_phase phase = tlm::BEGIN_RESP;
                sc_time delay;
                if (socket->nb_transport_bw(*gp, phase, delay) == tlm::TLM_ACCEPTED)
                    wait(taken_);
                gp->release();
            }
        }
    }
    void b_transport(tlm::tlm_generic_payload& gp, sc_time&) override { access(gp); }
    unsigned transport_dbg(tlm::tlm_generic_payload&) override { return 0; }
    bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi&) override { return false; }

    AdapterRandom random_;
    tlm_utils::peq_with_get<tlm::tlm_generic_payload> responses_{"responses"}, ends_{"ends"};
    sc_core::sc_event taken_;
};

// Any request a generic payload can be, with the data a reference gives.
inline void fill(Sender& sender, AdapterRandom& random, unsigned count, uint64_t limit,
                 std::vector<uint8_t>* reference) {
    for (unsigned n = 0; n < count; ++n) {
        Request& r = sender.add();
        const bool write = random.below(2) == 0;
        const unsigned length = 1 + random.below(random.below(6) == 0 ? 3000 : 130);
        const uint64_t at = random.below(static_cast<unsigned>(limit - length));
        unsigned width = length;
        if (random.below(10) == 0)
            width = 1 + random.below(length);
        r.data.resize(length);
        for (auto& byte : r.data)
            byte = static_cast<unsigned char>(random.next());
        if (random.below(3) == 0) {
            r.enable.resize(1 + random.below(length));
            for (auto& e : r.enable)
                e = random.below(2) == 0 ? TLM_BYTE_ENABLED : TLM_BYTE_DISABLED;
        }
        tlm::tlm_generic_payload& gp = r.gp;
        gp.set_command(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
        gp.set_address(at);
        gp.set_data_ptr(r.data.data());
        gp.set_data_length(length);
        gp.set_streaming_width(width);
        gp.set_byte_enable_ptr(r.enable.empty() ? nullptr : r.enable.data());
        gp.set_byte_enable_length(static_cast<unsigned>(r.enable.size()));
        if (reference == nullptr)
            continue;
        r.expected = r.data;
        for (unsigned i = 0; i < length; ++i) {
            if (!r.enable.empty() && r.enable[i % r.enable.size()] != TLM_BYTE_ENABLED)
                continue;
            uint8_t& byte = (*reference)[at + i % width];
            if (write)
                byte = r.data[i];
            else
                r.expected[i] = byte;
        }
    }
}

}  // namespace archipelago::adapters
