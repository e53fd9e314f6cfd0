// SPDX-License-Identifier: Apache-2.0
// The operations that programs of async DMA packets emit most. Each function fills in `op` and
// returns true, which the program returns in turn.
#pragma once

#include "models/dma/packet_program.h"
#include "models/front/operations.h"

namespace archipelago::dma {

using front::delay;
using front::dwords_in_line;
using front::issue;
using front::read_memory;
using front::read_register;
using front::take;
using front::write_register;

// The low `dwords`, 1 or 2, of `value`.
inline bool write_memory(MicroOp& op, uint64_t address, uint64_t value, uint8_t dwords = 1) {
    op.address = address;
    op.dwords = dwords;
    op.data[0] = static_cast<uint32_t>(value);
    op.data[1] = static_cast<uint32_t>(value >> 32);
    return issue(op, OpKind::MemWrite);
}
}  // namespace archipelago::dma
