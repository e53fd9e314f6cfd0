// SPDX-License-Identifier: Apache-2.0
// The operations that programs of any engine's packets emit most (micro_op.h says what they do).
// Each function fills in `op` and returns true, which the program returns in turn. An engine's own
// operations.h adds the operations that only this engine has.
#pragma once

#include <algorithm>
#include <cstdint>

#include "models/common/memory_message.h"
#include "models/front/micro_op.h"

namespace archipelago::front {

template <class Op>
bool issue(Op& op, typename Op::Kind kind) {
    op.kind = kind;
    return true;
}
template <class Op>
bool write_register(Op& op, uint32_t offset, uint32_t value) {
    op.offset = offset;
    op.value = value;
    return issue(op, Op::Kind::RegWrite);
}
template <class Op>
bool read_register(Op& op, uint32_t offset) {
    op.offset = offset;
    return issue(op, Op::Kind::RegRead);
}
template <class Op>
bool read_memory(Op& op, uint64_t address, uint8_t dwords = 1) {
    op.address = address;
    op.dwords = dwords;
    return issue(op, Op::Kind::MemRead);
}
template <class Op>
bool delay(Op& op, uint32_t cycles) {
    op.cycles = cycles;
    return issue(op, Op::Kind::Delay);
}
// result.data <- the next dwords of the packet.
template <class Op>
bool take(Op& op, uint8_t dwords = 1) {
    op.stream = true;
    op.dwords = dwords;
    return issue(op, Op::Kind::Take);
}
// Dwords of one line that the rest of `count` dwords from `address` on begin with.
inline uint8_t dwords_in_line(uint64_t address, uint64_t count) {
    return static_cast<uint8_t>(std::min((kLineBytes - address % kLineBytes) / 4, count));
}

}  // namespace archipelago::front
