// SPDX-License-Identifier: Apache-2.0
// Parameters of the FIFO between CP and the graphics register bus, for families in which a write of
// WAIT_UNTIL waits in it: R6xx to Northern Islands.
#pragma once

#include <string>
#include <vector>

#include "models/common/channel.h"
#include "models/common/named_register.h"

namespace archipelago::grbm {

// A field of WAIT_UNTIL, and the units that are all idle when its wait ends.
struct IdleWait {
    std::string field;
    std::vector<std::string> units;  // names of CommandFifoCore::add_busy()
};

struct CommandFifoSpec {
    // ---- facts of the chip's family
    const regs::RegisterDatabase* database = nullptr;
    std::vector<IdleWait> waits;
    std::vector<std::string> operands;  // fields that start no wait of their own

    // ---- the chip's
    ChannelSpec requests{16, 1};  // entries, and cycles from CP to the bus
    // Cycles from the departure of a write until the level of the unit that it starts is high, at
    // most. A wait lasts that long when all units are idle.
    unsigned reaction = 1;

    regs::NamedRegister wait_until() const { return {database, "WAIT_UNTIL"}; }
    // What is wrong, one sentence each.
    std::vector<std::string> problems() const;
};

}  // namespace archipelago::grbm
