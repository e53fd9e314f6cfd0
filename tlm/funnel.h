// SPDX-License-Identifier: Apache-2.0
// Many of the chip's initiator ports onto one TLM-2.0 socket, keeping the base protocol's rule of
// one request at a time. Adds no time: it is wiring, not a bus (the crossbar is the bus).
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <systemc>
#include <tlm>
#include <utility>
#include <vector>

#include "tlm/payload.h"

namespace archipelago::tlm_shell {

class Funnel : public sc_core::sc_module, public tlm::tlm_bw_transport_if<> {
  public:
    // Bound to by the owner (hierarchically) or to a target.
    tlm::tlm_initiator_socket<> out{"out"};

    Funnel(const sc_core::sc_module_name& name, unsigned inputs);
    // Called when the target takes back direct memory access, besides telling the inputs.
    std::function<void(uint64_t first, uint64_t last)> on_invalidate;
    tlm::tlm_target_socket<>& input(unsigned i) { return inputs_[i]->socket; }

    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& gp, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override;
    void invalidate_direct_mem_ptr(sc_dt::uint64 first, sc_dt::uint64 last) override;

  private:
    struct Input : tlm::tlm_fw_transport_if<> {
        Input(Funnel& funnel, unsigned index, const char* name);
        tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& gp, tlm::tlm_phase& phase,
                                           sc_core::sc_time& delay) override;
        void b_transport(tlm::tlm_generic_payload& gp, sc_core::sc_time& delay) override;
        unsigned transport_dbg(tlm::tlm_generic_payload& gp) override;
        bool get_direct_mem_ptr(tlm::tlm_generic_payload& gp, tlm::tlm_dmi& dmi) override;
        Funnel& funnel;
        unsigned index;
        tlm::tlm_target_socket<> socket;
    };
    tlm::tlm_sync_enum send(tlm::tlm_generic_payload& gp, tlm::tlm_phase& phase,
                            sc_core::sc_time begin, sc_core::sc_time& delay);
    void request_ended();

    std::vector<std::unique_ptr<Input>> inputs_;
    tlm::tlm_generic_payload* pending_ = nullptr;
    // Requests that wait, with the time their BEGIN_REQ takes effect.
    std::deque<std::pair<tlm::tlm_generic_payload*, sc_core::sc_time>> queue_;
    sc_core::sc_time free_at_;  // when the END_REQ of the request before takes effect
};

}  // namespace archipelago::tlm_shell
