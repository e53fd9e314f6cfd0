// SPDX-License-Identifier: Apache-2.0
// One TLM-2.0 socket to several targets by address. Adds no time. Keeps the base protocol's rule of
// one response at a time towards the initiator.
#pragma once

#include <deque>
#include <memory>
#include <systemc>
#include <tlm>
#include <unordered_map>
#include <vector>

namespace archipelago::adapters {

class AddressSplitter : public sc_core::sc_module, public tlm::tlm_fw_transport_if<> {
  public:
    tlm::tlm_target_socket<> in{"in"};

    // Output 0 gets what no range of the others holds.
    AddressSplitter(const sc_core::sc_module_name& name, unsigned outputs);
    tlm::tlm_initiator_socket<>& out(unsigned i) { return outputs_[i]->socket; }
    // Bytes [first, last] go to output `i`.
    void set_range(unsigned i, uint64_t first, uint64_t last);

    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& gp, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override;
    void b_transport(tlm::tlm_generic_payload& gp, sc_core::sc_time& delay) override;
    unsigned transport_dbg(tlm::tlm_generic_payload& gp) override;
    bool get_direct_mem_ptr(tlm::tlm_generic_payload& gp, tlm::tlm_dmi& dmi) override;

  private:
    struct Output : tlm::tlm_bw_transport_if<> {
        Output(AddressSplitter& s, unsigned i, const char* name);
        tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& gp, tlm::tlm_phase& phase,
                                           sc_core::sc_time& delay) override;
        void invalidate_direct_mem_ptr(sc_dt::uint64 first, sc_dt::uint64 last) override;
        AddressSplitter& splitter;
        unsigned index;
        uint64_t first = 1, last = 0;
        tlm::tlm_initiator_socket<> socket;
    };
    unsigned route(uint64_t address) const;
    void answer_next();

    std::vector<std::unique_ptr<Output>> outputs_;
    std::unordered_map<const tlm::tlm_generic_payload*, unsigned> open_;  // never iterated
    tlm::tlm_generic_payload* responding_ = nullptr;  // BEGIN_RESP sent, END_RESP not seen
    std::deque<tlm::tlm_generic_payload*> queue_;     // responses that wait for it
    sc_core::sc_event next_{"next"};
};

}  // namespace archipelago::adapters
