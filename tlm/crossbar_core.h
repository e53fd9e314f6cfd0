// SPDX-License-Identifier: Apache-2.0
// Crossbar between memory clients and memory channels, with modelled width and arbitration:
// L1 caches to L2 channels, and hub clients to memory controllers. No SystemC here.
#pragma once

#include <string>
#include <vector>

#include "models/common/memory_message.h"
#include "models/common/stats.h"
#include "models/common/trace_sink.h"
#include "models/common/unit.h"
#include "tlm/crossbar_state.h"

namespace archipelago::crossbar {

// Two networks. Requests go from their source to the destination the route gives for their line;
// responses go back to the source named by MemResponse::port, which the crossbar had put into
// MemRequest::port: a destination returns it unchanged. Every input and every output is a link
// that carries one message at a time: one that has data (writes, atomics; reads and atomics on the
// way back) for as many cycles as 64 bytes need, others for one. Between each input and each output
// is a queue of `queue_depth` messages, so that an input whose output is busy goes on with its
// messages for others until a queue is full. Outputs choose among the queues in turn. Messages
// between one input and one output keep their order.
//
// A request of a VMID that Route::spaces translates leaves with its address in memory. One that is
// not mapped goes no further: it is answered with MemStatus::Unmapped in the cycle in which it
// would have been taken, through the first destination's queue. Translation takes no time.
class CrossbarCore final : public Unit {
  public:
    // Throws MachineStop(BadInput) when a field of the Spec is out of range or there is no route.
    CrossbarCore(const CrossbarSpec& spec, const Route& route, const std::string& name = "xbar");

    Channel<MemRequest>& request_in(unsigned source) { return request_in_[source]; }
    Channel<MemResponse>& response_in(unsigned destination) { return response_in_[destination]; }
    std::vector<OutputChannel<MemRequest>> request_out;    // by destination
    std::vector<OutputChannel<MemResponse>> response_out;  // by source

    bool tick(Cycle now) override;

    void reset() override;
    void archive(Archive& a) override;
    bool idle() const override;
    std::string waiting_for() const override;

    void register_stats(StatsRegistry& registry, const std::string& path) const;
    // One timeline row per destination and per source: a slice while its link carries data.
    void observe(const Observers& observers, const std::string& path);

    const CrossbarState& state() const { return state_; }
    // Requests that were answered because they are not mapped.
    const CycleTap& refused() const { return state_.refused; }
    const CrossbarSpec& spec() const { return spec_; }

  private:
    // Inputs that are not empty, and from which cycle their first message can be taken: the
    // channels themselves are many, and most of what is on its way in them is not due.
    struct Filled {
        explicit Filled(unsigned inputs) : from(inputs, kNever) {}
        uint64_t inputs = 0;
        std::vector<Cycle> from;
        static constexpr size_t kFields = 2;
        bool due(Cycle at) const;
    };

    bool due(Cycle at) const;
    template <class Message, class Traits>
    bool move(Cycle now, Network<Message>& net, const Filled& filled,
              std::vector<Channel<Message>>& in, const std::vector<OutputChannel<Message>>& out,
              const Traits& traits);
    template <class Message, class Traits>
    bool take(Cycle now, Network<Message>& net, const Filled& filled,
              std::vector<Channel<Message>>& in, unsigned outputs, const Traits& traits);
    template <class Message, class Traits>
    bool send(Cycle now, Network<Message>& net, const std::vector<OutputChannel<Message>>& out,
              const Traits& traits);
    bool refuse(Cycle now, unsigned input);

    const CrossbarSpec spec_;
    const Route route_;
    const std::string name_;
    const unsigned request_cycles_;  // of a line on a link
    const unsigned response_cycles_;
    CrossbarState state_;
    Filled requests_filled_;
    Filled responses_filled_;
    std::vector<Channel<MemRequest>> request_in_;
    std::vector<Channel<MemResponse>> response_in_;
    TraceSink* trace_ = nullptr;
    std::vector<TrackId> request_tracks_;
    std::vector<TrackId> response_tracks_;
};

}  // namespace archipelago::crossbar
