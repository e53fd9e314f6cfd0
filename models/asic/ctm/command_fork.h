// SPDX-License-Identifier: Apache-2.0
// A command of the PE to all that keep something of it: the memory controller, and the arrays,
// which need the sizes of inputs. It is done when all say so.
#pragma once

#include <deque>
#include <string>

#include "models/common/unit.h"
#include "models/ctm/messages.h"

namespace archipelago::ctm {

class CommandFork final : public Unit {
  public:
    CommandFork(const ChannelSpec& commands, unsigned strobe_latency, unsigned arrays);

    Channel<UnitCommand> commands;
    EventLink<UnitCommandDone> controller_done;
    std::deque<EventLink<UnitCommandDone>> array_done;

    OutputChannel<UnitCommand> to_controller{this};
    std::deque<OutputChannel<UnitCommand>> to_array;
    OutputEvent<UnitCommandDone> to_done{this};

    bool tick(Cycle now) override;
    void reset() override;
    void archive(Archive& a) override;
    bool idle() const override { return inputs_empty() && open_ == 0; }
    std::string waiting_for() const override;

  private:
    bool take_done(Cycle now);
    bool pass(Cycle now);

    unsigned open_ = 0;  // answers awaited for the command under way
    uint8_t opcode_ = 0;
};

}  // namespace archipelago::ctm
