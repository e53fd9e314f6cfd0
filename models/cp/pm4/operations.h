// SPDX-License-Identifier: Apache-2.0
// The operations that programs of packets emit most, put into `op`; true, for a program to return.
#pragma once

#include <algorithm>

#include "models/cp/pm4/packet_program.h"

namespace archipelago::cp {

inline bool issue(MicroOp& op, OpKind kind) {
    op.kind = kind;
    return true;
}

inline bool write_register(MicroOp& op, uint32_t offset, uint32_t value) {
    op.offset = offset;
    op.value = value;
    return issue(op, OpKind::RegWrite);
}
// With the next dword of the packet.
inline bool stream_register(MicroOp& op, uint32_t offset) {
    op.stream = true;
    op.offset = offset;
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
inline bool write_dword(MicroOp& op, uint64_t address, uint32_t value) {
    op.address = address;
    op.data[0] = value;
    return issue(op, OpKind::MemWrite);
}
// Dwords of one line that the rest of `p.count` dwords from `address` on begin with.
inline uint8_t dwords_in_line(uint64_t address, uint64_t count) {
    return static_cast<uint8_t>(std::min((kLineBytes - address % kLineBytes) / 4, count));
}
// The next dwords of the packet to memory from p.address on, p.count in all, up to the end of a
// line; `one_address`: each to the same. False: no more.
inline bool stream_memory(ProgramState& p, MicroOp& op, bool one_address = false) {
    if (p.index == p.count)
        return false;
    op.stream = true;
    op.address = p.address + (one_address ? 0 : 4 * uint64_t{p.index});
    op.dwords = one_address ? uint8_t{1} : dwords_in_line(op.address, p.count - p.index);
    p.index += op.dwords;
    return issue(op, OpKind::MemWrite);
}

// result.data <- the next dwords of the packet.
inline bool take(MicroOp& op, uint8_t dwords = 1) {
    op.stream = true;
    op.dwords = dwords;
    return issue(op, OpKind::Take);
}
inline bool delay(MicroOp& op, uint32_t cycles) {
    op.cycles = cycles;
    return issue(op, OpKind::Delay);
}

}  // namespace archipelago::cp
