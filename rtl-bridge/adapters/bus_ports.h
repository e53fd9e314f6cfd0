// SPDX-License-Identifier: Apache-2.0
// The TLM-2.0 ends of the adapters: a target socket whose transactions become BusRequests, and an
// initiator socket that sends BusRequests. Base protocol, approximately timed; b_transport on the
// target socket waits for the real answer.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

#include "rtl-bridge/adapters/bus_request.h"
#include "tlm/clock_domain.h"
#include "tlm/payload.h"

namespace archipelago::adapters {

// Carried by a payload, changes how the AXI initiator adapter sends it; ignorable.
struct AxiExtension : tlm::tlm_extension<AxiExtension> {
    uint32_t id = kAnyId;
    AxiAttributes attributes;
    // A WRAP burst from this address, when the transaction is of the whole range it wraps in.
    bool wrap = false;
    uint64_t wrap_start = 0;
    bool exclusive_ok = false;  // set by the adapter with the response
    tlm_extension_base* clone() const override { return new AxiExtension(*this); }
    void copy_from(const tlm_extension_base& other) override {
        *this = static_cast<const AxiExtension&>(other);
    }
};

tlm::tlm_response_status to_tlm(BusStatus status);

// Back door to what lies downstream of a target: whether it could copy `bytes` at `address`.
struct BackDoor {
    std::function<bool(uint64_t address, uint8_t* to, size_t bytes)> read;
    std::function<bool(uint64_t address, const uint8_t* from, size_t bytes)> write;
};

class BusTargetPort : public sc_core::sc_module, public tlm::tlm_fw_transport_if<> {
  public:
    tlm::tlm_target_socket<> socket{"socket"};

    // `depth`: transactions accepted and not taken. Addresses of requests are those of the
    // transactions less `base`.
    BusTargetPort(const sc_core::sc_module_name& name, tlm_shell::ClockDomain& clock,
                  unsigned depth, uint64_t base = 0);

    // transport_dbg; without it nothing is copied and 0 returned.
    void set_back_door(BackDoor door) { door_ = std::move(door); }
    // Called with the cycle in which a transaction can be taken.
    std::function<void(Cycle)> on_work;

    // ---- for the adapter, once per cycle
    bool has_request(Cycle now) const {
        return !arriving_.empty() && arriving_.front().ready <= now;
    }
    BusRequest take(Cycle now);
    void respond(BusResponse response);
    // Starts what the protocol held back: END_REQ and the next response.
    void tick(Cycle now);
    // Nothing accepted that has not been answered.
    bool idle() const { return arriving_.empty() && waiting_ == nullptr && open_ == 0; }

    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& gp, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override;
    void b_transport(tlm::tlm_generic_payload& gp, sc_core::sc_time& delay) override;
    unsigned transport_dbg(tlm::tlm_generic_payload& gp) override;
    bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi&) override { return false; }

  private:
    struct Arriving {
        tlm::tlm_generic_payload* gp;
        Cycle ready;
        sc_core::sc_event* done;  // of a b_transport
    };
    struct Slot {
        tlm::tlm_generic_payload* gp = nullptr;
        sc_core::sc_event* done = nullptr;
    };
    static tlm::tlm_response_status shape_of(const tlm::tlm_generic_payload& gp);
    void accept(tlm::tlm_generic_payload& gp, const sc_core::sc_time& delay,
                sc_core::sc_event* done);
    void begin_response();

    tlm_shell::ClockDomain& clock_;
    unsigned depth_;
    uint64_t base_;
    BackDoor door_;
    std::deque<Arriving> arriving_;
    tlm::tlm_generic_payload* waiting_ = nullptr;  // BEGIN_REQ seen, no room yet
    sc_core::sc_time waiting_begin_;
    sc_core::sc_event room_;
    std::vector<Slot> slots_;
    std::vector<uint64_t> free_;
    uint64_t open_ = 0;
    std::deque<tlm::tlm_generic_payload*> answers_;
    tlm::tlm_generic_payload* answering_ = nullptr;
};

class BusInitiatorPort : public sc_core::sc_module, public tlm::tlm_bw_transport_if<> {
  public:
    tlm::tlm_initiator_socket<> socket{"socket"};

    // No payload crosses a multiple of `line_bytes`; 0: one payload per request. Addresses on the
    // socket are those of the requests plus `base`.
    explicit BusInitiatorPort(const sc_core::sc_module_name& name, unsigned line_bytes = 0,
                              uint64_t base = 0);
    // Called when there is something to do in the next cycle.
    std::function<void()> on_work;

    void submit(BusRequest request);
    bool has_response() const { return !responses_.empty(); }
    BusResponse pop();
    void tick();
    bool idle() const { return to_send_.empty() && open_.empty() && responses_.empty(); }
    // Forgets what has not been sent and answers nothing that has: reset.
    void forget();

    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& gp, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override;
    void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}

  private:
    struct Open {
        BusRequest request;
        BusResponse response;
        unsigned pieces = 0;  // not answered
        bool forgotten = false;
    };
    struct Piece {
        uint64_t key;  // in open_
        uint64_t address;
        uint32_t offset, length;
        std::vector<uint8_t> data, enable;
    };
    void cut(uint64_t key, const BusRequest& r, uint64_t address, uint32_t offset, uint32_t length);
    void send();
    void finish(tlm_shell::Payload& p);
    void finish_piece(uint64_t key);

    unsigned line_bytes_;
    uint64_t base_;
    tlm_shell::PayloadPool pool_;
    std::map<uint64_t, Open> open_;
    std::deque<Piece> to_send_;
    std::map<const tlm_shell::Payload*, Piece> on_the_way_;
    std::deque<BusResponse> responses_;
    tlm_shell::Payload* pending_ = nullptr;  // BEGIN_REQ sent, END_REQ not seen
    sc_core::sc_time free_at_;               // when the END_REQ before takes effect
    struct Held {
        tlm_shell::Payload* payload;
        sc_core::sc_time begin;
    };
    std::deque<Held> responding_;  // BEGIN_RESP to be ended in the next tick
    uint64_t next_key_ = 0;
};

}  // namespace archipelago::adapters
