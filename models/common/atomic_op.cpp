// SPDX-License-Identifier: Apache-2.0
#include "models/common/atomic_op.h"

#include <cmath>
#include <cstring>

namespace archipelago {
namespace {

template <class To, class From>
To bits_as(From from) {
    static_assert(sizeof(To) == sizeof(From));
    To to;
    std::memcpy(&to, &from, sizeof to);
    return to;
}

// U unsigned, S signed, F floating-point of one width.
template <class U, class S, class F>
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
            return bits_as<F>(old) == bits_as<F>(cmp) ? src : old;
        case AtomicOp::FMin:
            return bits_as<F>(src) < bits_as<F>(old) ? src : old;
        case AtomicOp::FMax:
            return bits_as<F>(src) > bits_as<F>(old) ? src : old;
        case AtomicOp::None:
            break;
    }
    return old;
}

}  // namespace

uint32_t atomic32(AtomicOp op, uint32_t old, uint32_t src, uint32_t cmp) {
    return apply<uint32_t, int32_t, float>(op, old, src, cmp);
}

uint64_t atomic64(AtomicOp op, uint64_t old, uint64_t src, uint64_t cmp) {
    return apply<uint64_t, int64_t, double>(op, old, src, cmp);
}

}  // namespace archipelago
