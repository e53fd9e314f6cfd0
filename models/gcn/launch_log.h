// SPDX-License-Identifier: Apache-2.0
// When SPI was told to start each dispatch and draw: for the gaps between dispatches. Kept with
// --profile alone.
#pragma once

#include <cstdint>
#include <map>

#include "models/common/clocked.h"

namespace archipelago::gcn {

struct LaunchLog {
    struct Arrival {
        Cycle at = 0;
        uint8_t ring = 0;
    };
    std::map<uint32_t, Arrival> dispatches, draws;  // by number
};

}  // namespace archipelago::gcn
