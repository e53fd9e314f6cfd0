// SPDX-License-Identifier: Apache-2.0
// Sits on a connection and stops the simulation at the first breach of the TLM-2.0 base protocol
// (IEEE 1666-2011, 15.2), of the rules of the generic payload (14.7) or of direct memory access
// (11.3). Passes everything on unchanged and takes no time.
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

    // `control`: of the chip that a breach stops, where the other end is of another party, whose
    // process must not end with it; null: the breach is thrown at who calls. With one, addresses
    // may change on their way, and times are the kernel's.
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
    bool get_direct_mem_ptr(tlm::tlm_generic_payload& gp, tlm::tlm_dmi& dmi) override;
    void invalidate_direct_mem_ptr(sc_dt::uint64 first, sc_dt::uint64 last) override;

    uint64_t transactions() const { return transactions_; }
    size_t outstanding() const { return open_.size(); }

  private:
    enum class Step : unsigned char { Requested, RequestEnded, Responding };
    // What nobody may change while a transaction is open.
    struct Shape {
        explicit Shape(const tlm::tlm_generic_payload& gp);
        tlm::tlm_command command;
        uint64_t address;
        const unsigned char* data;
        const unsigned char* byte_enables;
        unsigned length, byte_enable_length, streaming_width;
    };
    struct Transaction {
        Step step;
        Shape shape;
        sc_core::sc_time time;              // when the last phase takes effect
        tlm::tlm_response_status answer{};  // from BEGIN_RESP on
    };
    // Both describe the transaction in the message, the second one with its response status.
    void require(bool condition, const char* rule, const tlm::tlm_generic_payload& gp) const;
    void require_answer(bool condition, const char* rule, const tlm::tlm_generic_payload& gp) const;
    // Calls check(); true: no breach, or there is no chip that could be stopped by it.
    template <class Check>
    bool holds(const Check& check) const;
    tlm::tlm_sync_enum forward(tlm::tlm_generic_payload& gp, tlm::tlm_phase& phase,
                               sc_core::sc_time& delay);
    void check_forward(const tlm::tlm_generic_payload& gp, tlm::tlm_sync_enum status,
                       const tlm::tlm_phase& phase, const tlm::tlm_phase& sent,
                       const sc_core::sc_time& delay, const sc_core::sc_time& before);
    void check_direct(const tlm::tlm_generic_payload& gp, uint64_t address,
                      const tlm::tlm_dmi& dmi) const;
    tlm::tlm_sync_enum backward(tlm::tlm_generic_payload& gp, tlm::tlm_phase& phase,
                                sc_core::sc_time& delay);
    void begin(const tlm::tlm_generic_payload& gp, const sc_core::sc_time& delay);
    void advance(const tlm::tlm_generic_payload& gp, const tlm::tlm_phase& phase, bool backward,
                 const sc_core::sc_time& delay);
    void in_time(Transaction& t, const sc_core::sc_time& delay,
                 const tlm::tlm_generic_payload& gp) const;
    void close(const tlm::tlm_generic_payload& gp);
    void unchanged(const Shape& shape, const tlm::tlm_generic_payload& gp) const;

    RunControl* const control_;
    std::unordered_map<const tlm::tlm_generic_payload*, Transaction> open_;  // never iterated
    const tlm::tlm_generic_payload* request_ = nullptr;   // between BEGIN_REQ and END_REQ
    const tlm::tlm_generic_payload* response_ = nullptr;  // between BEGIN_RESP and END_RESP
    uint64_t transactions_ = 0;
};

}  // namespace archipelago::tlm_shell
