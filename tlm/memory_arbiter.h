// SPDX-License-Identifier: Apache-2.0
// Several TLM-2.0 initiators onto one target, keeping the base protocol's rules of one request and
// one response at a time on every socket. Adds no time: it is wiring, not a bus (the crossbar is
// the bus).
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <systemc>
#include <tlm>
#include <unordered_map>
#include <utility>
#include <vector>

#include "models/common/archive.h"
#include "tlm/clock_domain.h"
#include "tlm/memory_phases.h"
#include "tlm/payload.h"

namespace archipelago::tlm_shell {

// Where the payloads come from: Pool: the chip's own, which have a place for what the arbiter must
// remember (so there may be one arbiter on a payload's way); Any: from anybody.
enum class ArbiterPayloads : uint8_t { Pool, Any };

// Open transactions that began before the last call of watch() (all, without a call), or after it.
enum class OpenSince : uint8_t { Before, After };

class MemoryArbiter : public sc_core::sc_module, public tlm::tlm_bw_transport_if<> {
  public:
    // The owner binds its own socket to it (hierarchically), or binds it to a target.
    tlm::tlm_initiator_socket<> out{"out"};

    // `control`: of the clocks whose ports are bound to the inputs, for the time; null: the time is
    // the kernel's.
    MemoryArbiter(const sc_core::sc_module_name& name, unsigned inputs,
                  ArbiterPayloads payloads = ArbiterPayloads::Pool, RunControl* control = nullptr,
                  MemoryPhases phases = MemoryPhases::Early);
    // Called when the target takes back direct memory access, besides telling the inputs.
    std::function<void(uint64_t first, uint64_t last)> on_invalidate;
    tlm::tlm_target_socket<>& input(unsigned i) { return inputs_[i]->socket; }
    // As Control::archive(): at rest it holds nothing.
    void archive(Archive& a) const {
        a.at_rest(pending_ == nullptr && queue_.empty() && open_.empty() && ending_.empty(),
                  "transactions are on their way");
    }
    // From now on transactions are distinguished by OpenSince.
    void watch() { watched_ = requests_; }
    // Text of the open transactions of a pool, the oldest first, each with its last phase; empty
    // when there is none.
    std::string waiting_for(const PayloadPool& pool, OpenSince since = OpenSince::Before) const;

    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& gp, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override;
    void invalidate_direct_mem_ptr(sc_dt::uint64 first, sc_dt::uint64 last) override;

  private:
    // A transaction and when its next phase takes effect.
    using Timed = std::pair<tlm::tlm_generic_payload*, sc_core::sc_time>;
    struct Input : tlm::tlm_fw_transport_if<> {
        Input(MemoryArbiter& f, unsigned i, const char* name);
        tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& gp, tlm::tlm_phase& phase,
                                           sc_core::sc_time& delay) override;
        void b_transport(tlm::tlm_generic_payload& gp, sc_core::sc_time& delay) override {
            arbiter.out->b_transport(gp, delay);
        }
        unsigned transport_dbg(tlm::tlm_generic_payload& gp) override {
            return arbiter.out->transport_dbg(gp);
        }
        bool get_direct_mem_ptr(tlm::tlm_generic_payload& gp, tlm::tlm_dmi& dmi) override {
            return arbiter.out->get_direct_mem_ptr(gp, dmi);
        }
        MemoryArbiter& arbiter;
        unsigned index;
        tlm::tlm_generic_payload* responding = nullptr;  // BEGIN_RESP sent, END_RESP not seen
        std::deque<Timed> queue;                         // responses that wait for it
        tlm::tlm_target_socket<> socket;
    };

    tlm::tlm_sync_enum backward(tlm::tlm_generic_payload& gp, tlm::tlm_phase& phase,
                                sc_core::sc_time& delay);
    // Throws MachineStop when the target must not send the phase.
    void refuse_breach(const tlm::tlm_generic_payload& gp, const tlm::tlm_phase& phase) const;
    ArbiterRecord& open(tlm::tlm_generic_payload& gp, unsigned input);
    ArbiterRecord& place(tlm::tlm_generic_payload& gp);
    void close(tlm::tlm_generic_payload& gp);
    tlm::tlm_sync_enum send(tlm::tlm_generic_payload& gp, tlm::tlm_phase& phase,
                            sc_core::sc_time begin, sc_core::sc_time& delay);
    // nb_transport_fw() of the target. One that answers later, or after a delay of its own, keeps
    // the clocks from running ahead from then on.
    tlm::tlm_sync_enum call_target(tlm::tlm_generic_payload& gp, tlm::tlm_phase& phase,
                                   sc_core::sc_time& delay);
    // A response that is no success, and whose status says more than that nothing is mapped.
    void note_status(const tlm::tlm_generic_payload& gp);
    void send_waiting();
    // The initiator has taken a response at once, which takes effect after `delay`.
    tlm::tlm_sync_enum end(tlm::tlm_generic_payload& gp, const sc_core::sc_time& delay);
    void call_memory();  // MemoryPhases::Four: what must not be called from inside its calls
    // BEGIN_RESP to the initiator, or later when it has one open; true when it took it at once.
    bool respond(tlm::tlm_generic_payload& gp, sc_core::sc_time& delay);
    void answer_waiting();
    sc_core::sc_time now() const {
        return control_ != nullptr ? control_->time_stamp() : sc_core::sc_time_stamp();
    }
    void notify(sc_core::sc_event& event, const sc_core::sc_time& delay) const {
        if (control_ != nullptr)
            control_->notify(event, delay);
        else
            event.notify(delay);
    }

    const ArbiterPayloads payloads_;
    RunControl* const control_;
    const MemoryPhases phases_;
    std::vector<std::unique_ptr<Input>> inputs_;
    std::unordered_map<const tlm::tlm_generic_payload*, ArbiterRecord>
        open_;  // Any; never iterated
    tlm::tlm_generic_payload* pending_ = nullptr;
    std::deque<Timed> queue_;  // requests that wait
    sc_core::sc_event next_{"next"};
    std::deque<Timed> ending_;  // responses taken whose END_RESP is to be sent
    sc_core::sc_event calls_{"calls"};
    uint64_t requests_ = 0;
    uint64_t watched_ = UINT64_MAX;  // `requests_` at watch()
    uint64_t early_ends_ = 0;        // responses answered by TLM_COMPLETED
    sc_core::sc_time free_at_;       // when the END_REQ of the request before takes effect
};

}  // namespace archipelago::tlm_shell
