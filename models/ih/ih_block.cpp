// SPDX-License-Identifier: Apache-2.0
#include "models/ih/ih_block.h"

#include <string>

#include "models/config/block_reader.h"

namespace archipelago::ih {

using config::kAtLeastOne;
using config::range;

void IhBlock::read(config::Reader& root, IhSpec& spec) {
    config::Reader r = root.map("interrupts");
    spec.latency =
        r.timing("latency", kAtLeastOne, "from the sender of an interrupt to the handler");
    spec.registers = read_channel(r, "registers", "writes and reads from GRBM");
    spec.memory_return = read_channel(r, "memory_return", "acknowledgements of its writes");
    spec.timer_unit =
        r.timing("timer_unit", kAtLeastOne, "cycles of a step of the write-back timer");
    spec.fifo = r.required("fifo", range(2u, 65536u), "interrupts queued for the ring");
    spec.high_water =
        r.required("high_water", range(1u, 65535u), "queued interrupts from which senders stall");
    if (r.ok() && spec.high_water >= spec.fifo)
        r.conflict("high_water is " + std::to_string(spec.high_water) +
                   ", expected less than fifo, " + std::to_string(spec.fifo));
}

}  // namespace archipelago::ih
