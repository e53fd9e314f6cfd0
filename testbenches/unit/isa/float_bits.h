// SPDX-License-Identifier: Apache-2.0
// Single precision numbers and their encodings.
#pragma once

#include <cstdint>
#include <cstring>

namespace archipelago::isa::test {

inline float as_float(uint32_t x) {
    float f;
    std::memcpy(&f, &x, sizeof f);
    return f;
}
inline uint32_t bits(float f) {
    uint32_t x;
    std::memcpy(&x, &f, sizeof x);
    return x;
}

}  // namespace archipelago::isa::test
