// SPDX-License-Identifier: Apache-2.0
// The scheduler of a memory controller channel on pins: ScheduleCore with its requests and commands
// on pins, and McOnPins, a channel of a chip with a block on such pins in the scheduler's place.
// The Verilog twin is rtl-bridge/rtl/mc_schedule.
#pragma once

#include <optional>
#include <string>

#include "models/common/clocked.h"
#include "models/mc/mc_unit.h"
#include "pins/mc_schedule_pins.h"

namespace archipelago::mc {

// The Spec as the pins have it, and back. What is the channel's own is not the scheduler's.
// Throws std::invalid_argument naming the key of what the pins have no room for.
rtl::McSchedulePins::Config config_to_pins(const McSpec& spec);
McSpec spec_from_pins(const rtl::McSchedulePins::Config& config);

class McScheduleCore : public rtl::PinBlock<rtl::McSchedulePins> {
  public:
    void step(const In& in, Out& out) override;

  private:
    struct Asleep : Clocked {
        bool tick(Cycle) override { return false; }
    };
    class Ports;

    Asleep unit_;        // every step is a tick
    McCounters events_;  // of this cycle
    std::optional<ScheduleCore> core_;
};

// A channel of a chip whose scheduler is a block on pins.
class McOnPins final : public McUnit {
  public:
    // Resets the block, which must outlive this. Throws std::invalid_argument when it is not made
    // for this Spec.
    McOnPins(rtl::PinBlock<rtl::McSchedulePins>& block, const McSpec& spec, const ChannelMap& map,
             const std::string& name = "mc");

    bool tick(Cycle now) override;
    void reset() override;
    void archive(Archive& a) override;
    bool idle() const override { return McUnit::idle() && holds_nothing(); }
    void observe(const Observers& observers, const std::string& path) override;

  private:
    Waiting waiting_requests() const override { return {out_.reads, out_.writes}; }
    bool holds_nothing() const { return out_.reads == 0 && out_.writes == 0; }
    bool schedule(Cycle now);
    void offer(const Ports& ports);
    bool take_accepted(Ports& ports);

    rtl::PinBlock<rtl::McSchedulePins>& block_;
    rtl::McSchedulePins::In in_;
    rtl::McSchedulePins::Out out_;
};

// Gives the channels of a chip the blocks on pins.
class ScheduleFactory {
  public:
    virtual ~ScheduleFactory() = default;
    // The block and this outlive the chip.
    virtual rtl::PinBlock<rtl::McSchedulePins>& block(unsigned channel) = 0;
};

}  // namespace archipelago::mc
