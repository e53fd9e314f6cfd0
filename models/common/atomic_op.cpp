// SPDX-License-Identifier: Apache-2.0
#include "models/common/atomic_op.h"

namespace archipelago {
namespace {

// Floating-point comparison on bits: the floating-point environment of the host (which the vector
// ALU sets for its own ends) must not reach memory. Denormals compare by value.
template <class U>
constexpr U kSign = U{1} << (8 * sizeof(U) - 1);
template <class U>
constexpr U kInfinity = sizeof(U) == 4 ? U{0x7F800000} : U{0x7FF} << (sizeof(U) == 8 ? 52 : 0);

template <class U>
bool is_nan(U value) {
    return (value & ~kSign<U>) > kInfinity<U>;
}
template <class U>
bool float_equal(U a, U b) {
    return !is_nan(a) && !is_nan(b) && (a == b || ((a | b) & ~kSign<U>) == 0);
}
template <class U>
bool float_less(U a, U b) {
    if (is_nan(a) || is_nan(b) || float_equal(a, b))
        return false;
    // Sign and magnitude to an unsigned order.
    const U x = (a & kSign<U>) != 0 ? ~a : a | kSign<U>;
    const U y = (b & kSign<U>) != 0 ? ~b : b | kSign<U>;
    return x < y;
}

// U unsigned, S signed, of one width.
template <class U, class S>
U apply(AtomicOp op, U old, U src, U cmp) {
    switch (op) {
        case AtomicOp::Swap:
            return src;
        case AtomicOp::CmpSwap:
            return old == cmp ? src : old;
        case AtomicOp::Add:
            return old + src;
        case AtomicOp::Sub:
            return old - src;
        case AtomicOp::RSub:
            return src - old;
        case AtomicOp::SMin:
            return static_cast<S>(src) < static_cast<S>(old) ? src : old;
        case AtomicOp::UMin:
            return src < old ? src : old;
        case AtomicOp::SMax:
            return static_cast<S>(src) > static_cast<S>(old) ? src : old;
        case AtomicOp::UMax:
            return src > old ? src : old;
        case AtomicOp::And:
            return old & src;
        case AtomicOp::Or:
            return old | src;
        case AtomicOp::Xor:
            return old ^ src;
        case AtomicOp::Inc:  // wraps to 0 after src
            return old >= src ? 0 : old + 1;
        case AtomicOp::Dec:  // wraps to src below 0 and from above src
            return old == 0 || old > src ? src : old - 1;
        case AtomicOp::FCmpSwap:
            return float_equal(old, cmp) ? src : old;
        case AtomicOp::FMin:
            return float_less(src, old) ? src : old;
        case AtomicOp::FMax:
            return float_less(old, src) ? src : old;
        case AtomicOp::None:
            break;
    }
    return old;
}

}  // namespace

uint32_t atomic32(AtomicOp op, uint32_t old, uint32_t src, uint32_t cmp) {
    return apply<uint32_t, int32_t>(op, old, src, cmp);
}

uint64_t atomic64(AtomicOp op, uint64_t old, uint64_t src, uint64_t cmp) {
    return apply<uint64_t, int64_t>(op, old, src, cmp);
}

}  // namespace archipelago
