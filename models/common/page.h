// SPDX-License-Identifier: Apache-2.0
// Address spaces of GPUs are mapped in pages: an address is mapped when its whole page is.
#pragma once

#include <cstdint>

namespace archipelago {

// Linux radeon: RADEON_GPU_PAGE_SIZE.
constexpr uint64_t kPageBytes = 4096;

}  // namespace archipelago
