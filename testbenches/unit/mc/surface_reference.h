// SPDX-License-Identifier: Apache-2.0
// The address equations of SI and CIK written down one by one, slowly: what the fast form of
// models/mc/surface must equal.
#pragma once

#include <cstdint>

#include "models/mc/surface/surface.h"

namespace archipelago::surface {

// Byte address of an element of a valid layout; SI and CIK only.
uint64_t reference_address(const LevelLayout& l, const AddressConfig& c, uint32_t x, uint32_t y,
                           uint32_t slice, uint32_t sample);

}  // namespace archipelago::surface
