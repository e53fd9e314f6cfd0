// SPDX-License-Identifier: Apache-2.0
#include "models/asic/ctm/command_fork.h"

#include <algorithm>

#include "models/common/archive.h"

namespace archipelago::ctm {

CommandFork::CommandFork(const ChannelSpec& spec, unsigned strobe_latency, unsigned arrays)
    : commands(spec, "ctm.commands"), controller_done(strobe_latency) {
    add_inputs(commands, controller_done);
    for (unsigned i = 0; i < arrays; ++i) {
        add_input(array_done.emplace_back(strobe_latency));
        to_array.emplace_back(this);
    }
}

bool CommandFork::take_done(Cycle now) {
    bool moved = false;
    const auto take = [&](EventLink<UnitCommandDone>& link) {
        if (!link.ready(now))
            return;
        link.take();
        moved = true;
        if (--open_ == 0)
            to_done->send(now, {opcode_});
    };
    take(controller_done);
    for (EventLink<UnitCommandDone>& link : array_done)
        take(link);
    return moved;
}

// The PE sends one command at a time; another waits for the end of this one.
bool CommandFork::pass(Cycle now) {
    if (run_ == RunState::Paused || open_ != 0 || !commands.can_pop(now) ||
        !to_controller->can_push(now))
        return false;
    const bool of_input = commands.front().opcode == static_cast<uint8_t>(Command::SetInpFmt);
    if (of_input &&
        !std::all_of(to_array.begin(), to_array.end(), [&](auto& to) { return to->can_push(now); }))
        return false;
    const UnitCommand command = commands.pop(now);
    opcode_ = command.opcode;
    to_controller->push(now, command);
    open_ = 1;
    if (of_input)
        for (auto& to : to_array) {
            to->push(now, command);
            ++open_;
        }
    return true;
}

bool CommandFork::tick(Cycle now) {
    const bool done = take_done(now);
    const bool passed = pass(now);
    return done || passed;
}

void CommandFork::reset() {
    Unit::reset();
    open_ = 0;
    opcode_ = 0;
}

void CommandFork::archive(Archive& a) {
    Unit::archive(a);
    a(open_, opcode_);
}

std::string CommandFork::waiting_for() const {
    return idle() ? "" : std::to_string(open_) + " units to have carried a command out";
}

}  // namespace archipelago::ctm
