// SPDX-License-Identifier: Apache-2.0
// The rings of a Radeon command processor by number: what logs, reports and workloads call them.
#pragma once

namespace archipelago {

constexpr const char* kRingNames[] = {"gfx", "compute0", "compute1"};

constexpr const char* ring_name(unsigned ring) {
    return ring < sizeof kRingNames / sizeof *kRingNames ? kRingNames[ring] : "?";
}

}  // namespace archipelago
