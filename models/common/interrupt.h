// SPDX-License-Identifier: Apache-2.0
// Interrupts, as the blocks that raise them pass them to the host.
#pragma once

#include <cstdint>

namespace archipelago {

// CP -> host: an interrupt as the IH ring's entry names it. A family has its source ids (those of
// GCN: models/gcn/interrupt_source.h).
struct Interrupt {
    uint8_t source_id = 0;
    uint8_t ring = 0;
    uint8_t vmid = 0;
    uint32_t data = 0;
};

}  // namespace archipelago
