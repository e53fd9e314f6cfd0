// SPDX-License-Identifier: Apache-2.0
// One memory controller channel, in the clock domain of the memory. Row size and burst: si_gpu_init
// of the Linux driver.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "models/common/stats.h"
#include "models/common/trace_sink.h"
#include "models/common/unit.h"
#include "models/mc/mc_schedule_pins.h"
#include "models/mc/mc_state.h"
#include "models/mc/schedule_core.h"

namespace archipelago::mc {

// Accepts line reads and writes from its L2 channel and from the hub (clients without L2: CP,
// async DMA, IH, VGT's indices), schedules them on the banks, and sends each to the store, which
// holds the bytes, when its data burst ends; the store's response returns to the port of the
// request.
//
// Behind a write, L2's link is busy with its data for l2_write_cycles. Which request goes next:
// schedule_core.h.
class McCore final : public Unit {
  public:
    // Throws MachineStop(BadInput) when a field of the Spec is out of range.
    McCore(const McSpec& spec, const ChannelMap& map, const std::string& name = "mc");

    Channel<MemRequest> from_l2;
    Channel<MemRequest> from_hub;
    Channel<MemResponse> from_store;
    OutputChannel<MemResponse> to_l2{this};
    OutputChannel<MemResponse> to_hub{this};
    OutputChannel<MemRequest> to_store{this};

    // From now on the block behind `pins` schedules, which must outlive this. Throws
    // std::invalid_argument when it is not made for this Spec.
    void use_pins(rtl::PinBlock<rtl::McSchedulePins>& pins) {
        pins_ = std::make_unique<PinSchedule>(pins, spec_);
    }

    // Throws MachineStop(Protocol) for an atomic: those are executed in L2.
    bool tick(Cycle now) override;

    void reset() override;
    void archive(Archive& a) override;
    bool idle() const override;
    std::string waiting_for() const override;

    void register_stats(StatsRegistry& registry, const std::string& path) const;
    // Timeline rows: the data bus, and per bank the time a row is open.
    void observe(const Observers& observers, const std::string& path);
    void finish_trace(Cycle now) const;

    // Column commands.
    const CycleTap& commands() const { return commands_; }
    const McState& state() const { return state_; }
    const ScheduleState& waiting() const { return schedule_.state(); }
    const McSpec& spec() const { return spec_; }

  private:
    bool due(Cycle at) const;
    bool take_store_answer(Cycle now);
    bool send_to_store(Cycle now);
    bool l2_request(Cycle at) const {
        return state_.from_l2 <= at && state_.l2_link_free <= at && !state_.l2_blocked;
    }
    bool has_request(Cycle at) const { return l2_request(at) || state_.from_hub <= at; }
    class Ports;  // what requests come from
    Channel<MemRequest>& from(Port port) { return port == Port::L2 ? from_l2 : from_hub; }
    bool accept(Cycle now);
    ScheduleRequest head(Port port, uint16_t id);
    ScheduleRequest take(Cycle now, Port port);
    void refuse(Cycle now, Port port);
    void carry_write_data(Cycle now);

    bool schedule(Cycle now);
    bool run_pins(Cycle now);
    void offer_to_pins(const Ports& ports);
    void start_data(Cycle now, uint16_t index, bool write);

    const McSpec spec_;
    const ChannelMap map_;
    const DramMap dram_;
    const std::string name_;
    McState state_;
    ScheduleCore schedule_{spec_, spec_.entries(), *this, state_.count};
    std::unique_ptr<PinSchedule> pins_;
    CycleTap commands_;
    TraceSink* trace_ = nullptr;
    LogSink* log_ = nullptr;  // of requests
    TrackId bus_track_ = 0;
};

}  // namespace archipelago::mc
