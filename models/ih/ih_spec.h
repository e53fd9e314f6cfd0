// SPDX-License-Identifier: Apache-2.0
// Parameters of the interrupt handler.
#pragma once

#include "models/common/channel.h"
#include "models/ih/register_map.h"

namespace archipelago::ih {

struct IhSpec {
    RegisterMap map;  // of the chip's family

    unsigned latency = 1;             // cycles from the sender of an interrupt to here
    ChannelSpec registers{4, 1};      // register bus -> interrupt handler
    ChannelSpec memory_return{4, 1};  // acknowledgements of what it wrote
    // Interrupts that wait for the ring; from `high_water` on the senders are held back.
    unsigned fifo = 256;
    unsigned high_water = 128;
    // Cycles of one step of WPTR_WRITEBACK_TIMER, which counts in powers of two.
    unsigned timer_unit = 1;
};

}  // namespace archipelago::ih
