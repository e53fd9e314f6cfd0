// SPDX-License-Identifier: Apache-2.0
// What works out addresses of surfaces in place of byte_address(): the Verilog twin.
#pragma once

#include <cstdint>

#include "models/mc/surface/surface.h"

namespace archipelago::surface {

class AddressUnit {
  public:
    virtual ~AddressUnit() = default;
    // Throws std::invalid_argument when it knows no surfaces of these chips, which `key` of a
    // description says to be `value`.
    virtual void check(Generation generation, const char* key, const char* value) const = 0;
    // What byte_address() of these is.
    virtual uint64_t address(const SurfaceLevel& level, uint32_t x, uint32_t y, uint32_t slice) = 0;
};

}  // namespace archipelago::surface
