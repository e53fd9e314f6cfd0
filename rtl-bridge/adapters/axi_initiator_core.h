// SPDX-License-Identifier: Apache-2.0
// Byte-range requests to the pins of an AXI4 or AXI4-Lite target: the initiator (manager) side of
// the bus. No SystemC. IHI 0022.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "rtl-bridge/adapters/axi_burst.h"
#include "rtl-bridge/adapters/axi_spec.h"
#include "rtl-bridge/adapters/bus_request.h"

namespace archipelago::adapters {

// A clocked machine: pins() is what it drives in this cycle; edge() is the clock edge that ends
// the cycle, given what the target drove in it, and changes pins() for the next one.
//
// A request becomes one or more bursts: INCR of whole bus words from an unaligned start where need
// be, split at 4 KiB and at the longest burst; a request within one aligned power of two of bytes
// is one narrow transfer; `streaming` becomes FIXED, `wrap` WRAP. Requests go out in order; one
// that overlaps an earlier one still on the bus waits for it, unless both read: AXI orders neither
// reads with writes nor different IDs (A5.3).
class AxiInitiatorCore {
  public:
    // Throws std::invalid_argument with AxiSpec::problem().
    explicit AxiInitiatorCore(const AxiSpec& spec, std::string name = "axi");

    bool can_push() const { return waiting_.size() < spec_.queue; }
    void push(BusRequest request);
    bool has_response() const { return !responses_.empty(); }
    BusResponse pop();

    const AxiInitiatorPins& pins() const { return pins_; }
    // Throws MachineStop(Protocol) for a response to nothing.
    void edge(const AxiTargetPins& target, bool in_reset = false);

    // Nothing accepted that has not been answered on the pins and fetched.
    bool idle() const;
    std::string waiting_for() const;

    // Finished bursts, for tests and counters.
    uint64_t read_bursts() const { return read_bursts_; }
    uint64_t write_bursts() const { return write_bursts_; }
    uint64_t timeouts() const { return timeouts_; }

  private:
    struct Transaction {
        BusRequest request;
        BusResponse response;
        uint64_t pushed = 0;  // cycle
        unsigned open = 0;    // bursts not answered
        bool answered = false;
        uint32_t id = 0;
    };
    struct Burst {
        std::shared_ptr<Transaction> of;
        AxiBurstShape shape;
        uint32_t offset = 0;   // FIXED: of its first transfer in the request
        uint32_t width = 0;    // FIXED: bytes of a transfer that belong to the request
        uint32_t of_beat = 0;  // transfers done
    };

    void take(const AxiTargetPins& target);
    void take_write_response(const AxiResponsePins& b);
    void take_read_data(const AxiReadPins& r);
    void start_waiting();
    bool held_back(const BusRequest& request) const;
    void plan(const std::shared_ptr<Transaction>& t);
    void plan_range(const std::shared_ptr<Transaction>& t, uint64_t address, uint32_t length,
                    uint32_t offset);
    bool whole_words(const Burst& burst) const;
    void drive();
    AxiAddressPins address_pins(const Burst& burst) const;
    AxiWritePins write_pins(const Burst& burst, unsigned beat) const;
    // Where byte `i` of a transfer lies in the request, or ~0 when it lies outside.
    uint32_t byte_of(const Burst& burst, unsigned n, const AxiBeat& beat, unsigned i) const;
    void finish(Burst& burst, AxiResp resp);
    void answer(Transaction& t);
    void expire();
    void reset();

    AxiSpec spec_;
    std::string name_;
    AxiInitiatorPins pins_;
    AdapterRandom random_;
    std::deque<std::shared_ptr<Transaction>> waiting_;
    std::vector<std::shared_ptr<Transaction>> active_;
    std::vector<Burst> planned_;
    std::deque<Burst> ar_, aw_, w_;
    // Bursts that wait for their response, oldest first per ID (A5.3: one ID is in order).
    std::map<uint32_t, std::deque<Burst>> reading_, writing_;
    std::deque<BusResponse> responses_;
    uint64_t cycle_ = 0;
    uint32_t next_id_ = 0;
    uint64_t read_bursts_ = 0, write_bursts_ = 0, timeouts_ = 0;
};

}  // namespace archipelago::adapters
