// SPDX-License-Identifier: Apache-2.0
// When SPI was told to start each dispatch and draw: for the gaps between dispatches. Kept with
// --profile alone.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "models/common/clocked.h"

namespace archipelago::gcn {

struct LaunchLog {
    struct Arrival {
        Cycle at = 0;
        uint8_t ring = 0;
    };
    std::map<uint32_t, Arrival> dispatches, draws;  // by number
    // Cycles from `begin` to `end` (exclusive) in which SPI took no register write, because it held
    // as many dispatches or draws as it can.
    struct Span {
        Cycle begin = 0, end = 0;
    };
    std::vector<Span> full;
};

}  // namespace archipelago::gcn
