// SPDX-License-Identifier: Apache-2.0
// A memory controller channel as its surroundings see it, in the clock domain of the memory: its
// ports, what waits at them and for the store, counters and control. Which request goes next is
// McCore's (mc_core.h) or, on pins, McOnPins' (mc_schedule_pins.h). Row size and burst:
// si_gpu_init of the Linux driver.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "models/common/stats.h"
#include "models/common/trace_sink.h"
#include "models/common/unit.h"
#include "models/mc/address_map.h"
#include "models/mc/mc_state.h"
#include "models/mc/schedule_core.h"

namespace archipelago::mc {

// Accepts line reads and writes from its L2 channel and from the hub (clients without L2: CP,
// async DMA, IH, VGT's indices), has them scheduled on the banks, and sends each to the store,
// which holds the bytes, when its data burst ends; the store's response returns to the port of the
// request.
//
// After a write, L2's link is busy with its data for l2_write_cycles.
class McUnit : public Unit {
  public:
    // Throws MachineStop(BadInput) when a field of the Spec is out of range.
    McUnit(const McSpec& spec, const ChannelMap& map, const std::string& name);

    Channel<MemRequest> from_l2;
    Channel<MemRequest> from_hub;
    Channel<MemResponse> from_store;
    OutputChannel<MemResponse> to_l2{this};
    OutputChannel<MemResponse> to_hub{this};
    OutputChannel<MemRequest> to_store{this};

    void reset() override;
    bool idle() const override;
    std::string waiting_for() const override;

    void register_stats(StatsRegistry& registry, const std::string& path) const;
    // Timeline rows: the data bus, and per bank the time a row is open.
    virtual void observe(const Observers& observers, const std::string& path);
    virtual void finish_trace(Cycle) const {}

    // Column commands.
    const CycleTap& commands() const { return commands_; }
    const McState& state() const { return state_; }
    const McSpec& spec() const { return spec_; }

  protected:
    // Requests that wait to be scheduled.
    struct Waiting {
        size_t reads = 0, writes = 0;
    };
    virtual Waiting waiting_requests() const = 0;

    // Whether requests, answers or data may move in cycle `at`, after progress in the cycle before.
    bool ports_due(Cycle at) const {
        return has_request(at) || state_.from_store <= at || state_.data_moved <= at;
    }
    bool l2_request(Cycle at) const {
        return state_.from_l2 <= at && state_.l2_link_free <= at && !state_.l2_blocked;
    }
    bool has_request(Cycle at) const { return l2_request(at) || state_.from_hub <= at; }
    // An answer of the store has left: its access has room for another.
    bool take_store_answer(Cycle now);
    bool send_to_store(Cycle now);

    // The requests of a cycle, as ScheduleCore::accept() has them.
    class Ports {
      public:
        Ports(McUnit& mc, Cycle now)
            : mc_(mc),
              now_(now),
              offered_{mc.l2_request(now) && mc.from_l2.can_pop(now), mc.from_hub.can_pop(now)} {}
        bool any() const { return offered_[0] || offered_[1]; }
        bool offered(Port port) const { return offered_[static_cast<size_t>(port)]; }
        // Throws MachineStop(Protocol) for an atomic: those are executed in L2.
        bool is_write(Port port) const;
        ScheduleRequest take(Port port) { return mc_.take(now_, port); }
        void refuse(Port port) { mc_.refuse(now_, port); }

      private:
        McUnit& mc_;
        const Cycle now_;
        const std::array<bool, 2> offered_;
    };
    ScheduleRequest head(Port port, uint16_t id);
    // The column command of a request has been given.
    void start_data(Cycle now, uint16_t index, bool write);
    void trace_burst(const MemRequest& request, Cycle begin, Cycle end) const;

    const McSpec spec_;
    McState state_;
    CycleTap commands_;
    TraceSink* trace_ = nullptr;

  private:
    Channel<MemRequest>& from(Port port) { return port == Port::L2 ? from_l2 : from_hub; }
    ScheduleRequest take(Cycle now, Port port);
    void refuse(Cycle now, Port port);
    void carry_write_data(Cycle now);

    const ChannelMap map_;
    const DramMap dram_;
    const std::string name_;
    LogSink* log_ = nullptr;  // of requests
    TrackId bus_track_ = 0;
};

}  // namespace archipelago::mc
