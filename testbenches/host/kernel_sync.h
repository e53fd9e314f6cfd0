// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace archipelago::host {

// What is invalidated in front of a dispatch (SURFACE_SYNC).
enum class KernelSync : uint8_t {
    All,         // L1, scalar and instruction caches; L2, written back first
    FirstLevel,  // L1 and scalar caches: what a barrier between dependent dispatches needs
    None,        // nothing: for dispatches that do not read what those before them wrote
};

}  // namespace archipelago::host
