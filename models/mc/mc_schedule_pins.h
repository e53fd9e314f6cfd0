// SPDX-License-Identifier: Apache-2.0
// The scheduler of a memory controller channel pin by pin: ScheduleCore with its requests and
// commands on pins; and how a channel of a chip drives whatever block stands behind such pins.
// The Verilog twin is rtl-bridge/rtl/mc_schedule.
#pragma once

#include <optional>
#include <string>

#include "models/common/clocked.h"
#include "models/mc/schedule_core.h"
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

// The block behind pins that a channel asks in place of its own scheduler.
class PinSchedule {
  public:
    // Resets the block, which must outlive this.
    PinSchedule(rtl::PinBlock<rtl::McSchedulePins>& block, const McSpec& spec);
    void reset();
    // What comes in the next cycle.
    void offer(Port port, const ScheduleRequest& request);
    void release() { in_.done_valid = 1; }
    // Whether a cycle changes anything.
    bool has_work() const { return in_.done_valid != 0 || offers() || !empty(); }
    bool offers() const { return in_.l2_valid != 0 || in_.hub_valid != 0; }
    void run(Cycle now, bool paused, McCounters& count, DramCommand& command);
    // What it did in it.
    bool accepted(Port port) const {
        return (port == Port::L2 ? out_.l2_ready : out_.hub_ready) != 0;
    }
    bool empty() const { return out_.reads == 0 && out_.writes == 0; }
    unsigned reads() const { return out_.reads; }
    unsigned writes() const { return out_.writes; }

  private:
    rtl::PinBlock<rtl::McSchedulePins>& block_;
    rtl::McSchedulePins::In in_;
    rtl::McSchedulePins::Out out_;
};

// Gives the channels of a chip the blocks behind pins.
class ScheduleFactory {
  public:
    virtual ~ScheduleFactory() = default;
    // The block and this outlive the chip.
    virtual rtl::PinBlock<rtl::McSchedulePins>& block(unsigned channel) = 0;
};

}  // namespace archipelago::mc
