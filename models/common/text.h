// SPDX-License-Identifier: Apache-2.0
// Short texts of places and errors.
#pragma once

#include <fmt/core.h>

#include <cstdint>
#include <string>

namespace archipelago {

// "0x1f"
inline std::string hex(uint64_t value) {
    return fmt::format("0x{:x}", value);
}

}  // namespace archipelago
