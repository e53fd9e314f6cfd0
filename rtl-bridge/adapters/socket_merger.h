// SPDX-License-Identifier: Apache-2.0
// Several TLM-2.0 initiators onto one target, keeping the base protocol's rules of one request
// and one response at a time. Adds no time. As tlm_shell::Funnel, but for payloads of anybody: it
// leaves no mark in them, so that it may stand behind another.
#pragma once

#include <deque>
#include <memory>
#include <systemc>
#include <tlm>
#include <unordered_map>
#include <vector>

namespace archipelago::adapters {

class SocketMerger : public sc_core::sc_module, public tlm::tlm_bw_transport_if<> {
  public:
    tlm::tlm_initiator_socket<> out{"out"};

    SocketMerger(const sc_core::sc_module_name& name, unsigned inputs);
    tlm::tlm_target_socket<>& in(unsigned i) { return inputs_[i]->socket; }

    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& gp, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override;
    void invalidate_direct_mem_ptr(sc_dt::uint64 first, sc_dt::uint64 last) override;

  private:
    struct Input : tlm::tlm_fw_transport_if<> {
        Input(SocketMerger& m, unsigned i, const char* name);
        tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& gp, tlm::tlm_phase& phase,
                                           sc_core::sc_time& delay) override;
        void b_transport(tlm::tlm_generic_payload& gp, sc_core::sc_time& delay) override {
            merger.out->b_transport(gp, delay);
        }
        unsigned transport_dbg(tlm::tlm_generic_payload& gp) override {
            return merger.out->transport_dbg(gp);
        }
        bool get_direct_mem_ptr(tlm::tlm_generic_payload& gp, tlm::tlm_dmi& dmi) override {
            return merger.out->get_direct_mem_ptr(gp, dmi);
        }
        SocketMerger& merger;
        unsigned index;
        tlm::tlm_generic_payload* responding = nullptr;  // BEGIN_RESP sent, END_RESP not seen
        std::deque<tlm::tlm_generic_payload*> queue;     // responses that wait for it
        tlm::tlm_target_socket<> socket;
    };
    struct Open {
        unsigned input;
        bool completed;  // the target knows no response phases of it
    };
    tlm::tlm_sync_enum send(tlm::tlm_generic_payload& gp, tlm::tlm_phase& phase,
                            sc_core::sc_time begin, sc_core::sc_time& delay);
    void send_waiting();
    // BEGIN_RESP to the initiator, or later when it has one open; true when it took it at once.
    bool respond(tlm::tlm_generic_payload& gp, sc_core::sc_time& delay);
    void answer_waiting();

    std::vector<std::unique_ptr<Input>> inputs_;
    std::unordered_map<const tlm::tlm_generic_payload*, Open> open_;  // never iterated
    tlm::tlm_generic_payload* pending_ = nullptr;
    std::deque<std::pair<tlm::tlm_generic_payload*, sc_core::sc_time>> queue_;
    sc_core::sc_event next_{"next"};
    sc_core::sc_time free_at_;  // when the END_REQ of the request before takes effect
};

}  // namespace archipelago::adapters
