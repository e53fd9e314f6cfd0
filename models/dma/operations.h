// SPDX-License-Identifier: Apache-2.0
// The operations that programs of packets emit most, put into `op`; true, for a program to return.
#pragma once

#include <algorithm>
#include <utility>

#include "models/dma/packet_program.h"

namespace archipelago::dma {

inline bool write_register(MicroOp& op, uint32_t offset, uint32_t value) {
    op.offset = offset;
    op.value = value;
    return issue(op, OpKind::RegWrite);
}
inline bool read_register(MicroOp& op, uint32_t offset) {
    op.offset = offset;
    return issue(op, OpKind::RegRead);
}
inline bool read_memory(MicroOp& op, uint64_t address, uint8_t dwords = 1) {
    op.address = address;
    op.dwords = dwords;
    return issue(op, OpKind::MemRead);
}
inline bool write_memory(MicroOp& op, uint64_t address, uint64_t value, uint8_t dwords = 1) {
    op.address = address;
    op.dwords = dwords;
    op.data[0] = static_cast<uint32_t>(value);
    op.data[1] = static_cast<uint32_t>(value >> 32);
    return issue(op, OpKind::MemWrite);
}
inline bool delay(MicroOp& op, uint32_t cycles) {
    op.cycles = cycles;
    return issue(op, OpKind::Delay);
}
// result.data <- the next dwords of the packet.
inline bool take(MicroOp& op, uint8_t dwords) {
    op.stream = true;
    op.dwords = dwords;
    return issue(op, OpKind::Take);
}
// Dwords of one line that the rest of `count` dwords from `address` on begin with.
inline uint8_t dwords_in_line(uint64_t address, uint64_t count) {
    return static_cast<uint8_t>(std::min((kLineBytes - address % kLineBytes) / 4, count));
}

}  // namespace archipelago::dma
