// SPDX-License-Identifier: Apache-2.0
// Memory atomics of Southern Islands, shared by L2, LDS and the instruction set.
#pragma once

#include <cstdint>

namespace archipelago {

enum class AtomicOp : uint8_t {
    Swap,
    CmpSwap,
    Add,
    Sub,
    RSub,
    SMin,
    UMin,
    SMax,
    UMax,
    And,
    Or,
    Xor,
    Inc,
    Dec,
    FCmpSwap,
    FMin,
    FMax,
    None,
};

// Whether the operation has a second operand, which the old value is compared with.
constexpr bool compares(AtomicOp op) {
    return op == AtomicOp::CmpSwap || op == AtomicOp::FCmpSwap;
}

// The new value of the location. `cmp` is the compare operand of (F)CmpSwap.
uint32_t atomic32(AtomicOp op, uint32_t old, uint32_t src, uint32_t cmp);
uint64_t atomic64(AtomicOp op, uint64_t old, uint64_t src, uint64_t cmp);

}  // namespace archipelago
