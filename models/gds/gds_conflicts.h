// SPDX-License-Identifier: Apache-2.0
// How long a request occupies the banks of the global data share.
#pragma once

#include "models/common/gds_message.h"
#include "models/gds/gds_spec.h"

namespace archipelago::gds {

struct Occupancy {
    unsigned accesses = 0;           // elements
    unsigned cycles = 0;             // at least request_cycles
    unsigned bank_conflicts = 0;     // cycles that different dwords of one bank cost
    unsigned address_conflicts = 0;  // cycles that changes of one dword cost
};

// Elements go lanes_per_cycle at a time, first elements before second ones, in the order of lanes.
// A bank gives or takes one dword per cycle; lanes that read one dword share it, lanes that change
// one do not.
Occupancy occupancy(const GdsSpec& spec, const GdsRequest& request);

}  // namespace archipelago::gds
