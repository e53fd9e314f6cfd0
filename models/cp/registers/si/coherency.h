// SPDX-License-Identifier: Apache-2.0
// Cache actions of CP_COHER_CNTL and SURFACE_SYNC.
// "Radeon Southern Islands Acceleration" 2.8.10.
#pragma once

#include <cstdint>

#include "models/common/memory_message.h"

namespace archipelago::cp {

// DEST_BASE_0..3_ENA, CB0..7_DEST_BASE_ENA and DB_DEST_BASE_ENA of CP_COHER_CNTL.
constexpr uint32_t kDestinationEnables = 0x00287FC3;

// The cache action of a CP_COHER_CNTL value; false when it selects no cache that is modelled
// (colour and depth caches do not exist yet). `size` and `base` in units of 256 bytes.
bool coherency_action(uint32_t control, uint32_t size, uint32_t base, CacheAction& action);

}  // namespace archipelago::cp
