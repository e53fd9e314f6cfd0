// SPDX-License-Identifier: Apache-2.0
// What a chip needs to have the FIFO between CP and the register bus.
#pragma once

#include "models/grbm/command_fifo_core.h"

namespace archipelago::config {
class Reader;
}

namespace archipelago::grbm {

struct CommandFifoBlock {
    using Spec = CommandFifoSpec;
    using Core = CommandFifoCore;
    static constexpr const char* kName = "command_fifo";
    static constexpr const char* kStatsAfter = "grbm";  // the block before it in statistics

    static void read(config::Reader& root, CommandFifoSpec& spec);
};

}  // namespace archipelago::grbm
