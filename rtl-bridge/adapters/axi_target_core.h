// SPDX-License-Identifier: Apache-2.0
// The pins of an AXI4 or AXI4-Lite initiator to byte-range requests: the target (subordinate) side
// of the bus. No SystemC. IHI 0022.
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

// A clocked machine as AxiInitiatorCore: pins() is driven in this cycle, edge() ends it.
//
// Every burst becomes one request: INCR the bytes from its start on, WRAP the whole range it wraps
// in, FIXED a request with `streaming`. Strobes become byte enables. Requests may be completed in
// any order; responses leave in order per ID and in any order between IDs, read data of different
// IDs alternating when AxiSpec::interleave allows (A5.3). Addresses and data of writes may come in
// either order (A3.3.1). Exclusive accesses are served as normal ones and answered OKAY, as a
// target without exclusive monitor does (A7.2.5). Bursts that AXI forbids are answered SLVERR.
class AxiTargetCore {
  public:
    // Throws std::invalid_argument with AxiSpec::problem().
    explicit AxiTargetCore(const AxiSpec& spec, std::string name = "axi");

    bool has_request() const { return !requests_.empty(); }
    BusRequest pop();
    // `response.tag` as the request's. A response to a request that reset or time-out ended is
    // dropped.
    void complete(const BusResponse& response);

    const AxiTargetPins& pins() const { return pins_; }
    void edge(const AxiInitiatorPins& initiator, bool in_reset = false);

    bool idle() const;
    std::string waiting_for() const;

    uint64_t read_bursts() const { return read_bursts_; }
    uint64_t write_bursts() const { return write_bursts_; }
    uint64_t timeouts() const { return timeouts_; }

  private:
    struct Burst {
        uint64_t tag = 0;
        uint64_t since = 0;  // cycle it was passed on
        AxiAddressPins address;
        AxiBurstShape shape;
        BusRequest request;
        bool refused = false;  // AXI forbids it: never passed on
        bool passed = false;
        bool done = false;
        BusStatus status = BusStatus::Ok;
        std::vector<uint8_t> data;  // read
        unsigned beat = 0;          // next one to take or send
    };
    using BurstPtr = std::shared_ptr<Burst>;
    using ById = std::map<uint32_t, std::deque<BurstPtr>>;

    void take(const AxiInitiatorPins& initiator);
    BurstPtr accept(AxiAddressPins address, bool write);
    void collect_write_data();
    void pass_on(const BurstPtr& burst);
    uint32_t offset_of(const Burst& burst, const AxiBeat& beat, unsigned n) const;
    void drive();
    void drive_read();
    void drive_write_response();
    // One of the IDs whose oldest burst is done, at random; null when there is none.
    std::deque<BurstPtr>* choose(ById& by_id);
    void expire();

    AxiSpec spec_;
    std::string name_;
    AxiTargetPins pins_;
    AdapterRandom random_;
    std::deque<BusRequest> requests_;
    std::map<uint64_t, BurstPtr> open_;  // passed on, by tag
    ById reading_, writing_;             // accepted, oldest first per ID
    unsigned reads_ = 0, writes_ = 0;
    std::deque<BurstPtr> collecting_;  // writes whose data is not complete
    std::deque<AxiWritePins> write_data_;
    uint32_t current_read_ = 0;   // ID whose burst is being sent
    bool in_read_burst_ = false;  // without interleaving: go on with it
    uint64_t next_tag_ = 0;
    uint64_t cycle_ = 0;
    uint64_t read_bursts_ = 0, write_bursts_ = 0, timeouts_ = 0;
};

}  // namespace archipelago::adapters
