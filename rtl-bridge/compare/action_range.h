// SPDX-License-Identifier: Apache-2.0
// Cache actions that both caches' benches offer.
#pragma once

#include <cstdint>

#include "rtl-bridge/compare/random.h"

namespace archipelago::rtl {

// Chooses what an action covers: nothing, bytes of one line, the addresses between two lines
// (around the end of all when the last is below the first), a few, or all. Base and size are bytes.
template <class Action>
void choose_range(Random& random, uint64_t first, uint64_t last, Action& a) {
    switch (random.below(6)) {
        case 0:
            a.base = first;
            a.size = 0;
            break;
        case 1:
            a.base = first + random.below(64);
            a.size = 1 + random.below(64);
            break;
        case 2:
            a.base = first + random.below(64);
            a.size = last - a.base + (random.one_in(2) ? 0 : random.below(64));
            break;
        case 3:
            a.base = first - random.below(130);
            a.size = random.below(200);
            break;
        default:
            a.base = random.bits();
            a.size = ~uint64_t{0};
            break;
    }
}

}  // namespace archipelago::rtl
