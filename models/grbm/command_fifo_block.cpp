// SPDX-License-Identifier: Apache-2.0
#include "models/grbm/command_fifo_block.h"

#include "models/config/block_reader.h"

namespace archipelago::grbm {

void CommandFifoBlock::read(config::Reader& root, CommandFifoSpec& spec) {
    config::Reader r = root.map("command_fifo");
    spec.requests = read_channel(r, "requests", "requests of CP to the register bus");
    spec.reaction = r.timing("reaction", config::kAtLeastOne,
                             "from a write's departure until the unit that it starts is busy");
}

}  // namespace archipelago::grbm
