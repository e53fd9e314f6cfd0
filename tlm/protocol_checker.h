// SPDX-License-Identifier: Apache-2.0
// Sits on a connection and stops the simulation at the first breach of the TLM-2.0 base protocol
// (IEEE 1666-2011, 15.2). Passes everything on unchanged and takes no time.
#pragma once

#include <systemc>
#include <tlm>
#include <unordered_map>

#include "models/common/error.h"
#include "tlm/clock_domain.h"

namespace archipelago::tlm_shell {

class ProtocolChecker : public sc_core::sc_module,
                        public tlm::tlm_fw_transport_if<>,
                        public tlm::tlm_bw_transport_if<> {
  public:
    tlm::tlm_target_socket<> in{"in"};
    tlm::tlm_initiator_socket<> out{"out"};

    // `control`: of the chip that a breach on the backward path stops; null: the breach is thrown
    // at who calls, as one on the forward path is. With one, addresses may change on their way.
    explicit ProtocolChecker(const sc_core::sc_module_name& name, RunControl* control = nullptr)
        : sc_core::sc_module(name), control_(control) {
        in.bind(*this);
        out.bind(*this);
    }

    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& gp, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override;
    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& gp, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override;
    void b_transport(tlm::tlm_generic_payload& gp, sc_core::sc_time& delay) override;
    unsigned transport_dbg(tlm::tlm_generic_payload& gp) override { return out->transport_dbg(gp); }
    bool get_direct_mem_ptr(tlm::tlm_generic_payload& gp, tlm::tlm_dmi& dmi) override {
        return out->get_direct_mem_ptr(gp, dmi);
    }
    void invalidate_direct_mem_ptr(sc_dt::uint64 first, sc_dt::uint64 last) override {
        in->invalidate_direct_mem_ptr(first, last);
    }

    uint64_t transactions() const { return transactions_; }
    size_t outstanding() const { return open_.size(); }

  private:
    enum class Step : unsigned char { Requested, RequestEnded, Responding };
    struct Transaction {
        Step step;
        tlm::tlm_command command;
        uint64_t address;
        unsigned length;
    };
    void require(bool condition, const char* rule) const {
        if (!condition)
            throw MachineStop(StopKind::Protocol, name(), rule);
    }
    // The same, about a transaction, which the message describes.
    void require(bool condition, const char* rule, const tlm::tlm_generic_payload& gp) const;
    tlm::tlm_sync_enum backward(tlm::tlm_generic_payload& gp, tlm::tlm_phase& phase,
                                sc_core::sc_time& delay);
    void begin(const tlm::tlm_generic_payload& gp);
    void advance(const tlm::tlm_generic_payload& gp, const tlm::tlm_phase& phase, bool backward);
    void close(const tlm::tlm_generic_payload& gp);
    void unchanged(const tlm::tlm_generic_payload& gp) const;

    RunControl* const control_;
    std::unordered_map<const tlm::tlm_generic_payload*, Transaction> open_;  // never iterated
    const tlm::tlm_generic_payload* request_ = nullptr;   // between BEGIN_REQ and END_REQ
    const tlm::tlm_generic_payload* response_ = nullptr;  // between BEGIN_RESP and END_RESP
    uint64_t transactions_ = 0;
};

}  // namespace archipelago::tlm_shell
