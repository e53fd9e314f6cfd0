// SPDX-License-Identifier: Apache-2.0
// FUNCTION of packets that poll, the same for command processors and async DMA engines: how what is
// read compares with a reference, both unsigned.
#pragma once

#include <cstdint>

namespace archipelago::front {

constexpr uint32_t kReservedFunction = 7;

constexpr bool poll_holds(uint32_t function, uint32_t value, uint32_t reference) {
    switch (function) {
        case 0:
            return true;
        case 1:
            return value < reference;
        case 2:
            return value <= reference;
        case 3:
            return value == reference;
        case 4:
            return value != reference;
        case 5:
            return value >= reference;
        default:
            return value > reference;
    }
}

// For messages.
constexpr const char* poll_sign(uint32_t function) {
    constexpr const char* kSigns[] = {"always", "<", "<=", "==", "!=", ">=", ">", "?"};
    return kSigns[function & 7];
}

}  // namespace archipelago::front
