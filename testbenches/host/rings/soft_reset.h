// SPDX-License-Identifier: Apache-2.0
// A soft reset, as kernel drivers do it.
#pragma once

#include <cstdint>

#include "testbenches/host/machine.h"

namespace archipelago::host {

// Sets bits of a reset register, and clears them. Both are held for longer than a memory access
// takes, whose answer would be taken as new after the reset; Linux waits 50 us.
inline void soft_reset(Machine& machine, uint32_t reg, uint32_t bits) {
    constexpr uint64_t kCycles = 50'000;
    for (const uint32_t value : {bits, 0u}) {
        machine.write_register(reg, value);
        machine.read_register(reg);  // the write has arrived
        machine.wait_at_most(kCycles, [] { return false; });
    }
}

}  // namespace archipelago::host
