// SPDX-License-Identifier: Apache-2.0
// Parameters of the register port of the raster back end.
#pragma once

#include <cstdint>

#include "models/common/channel.h"
#include "models/common/context_registers.h"
#include "models/common/register_info.h"

namespace archipelago::raster {

struct RasterSpec {
    // Facts of the chip's family.
    ContextWindow context;
    uint32_t copy_state = regs::kNoOffset;  // the register whose write copies a set

    ChannelSpec registers{4, 1};  // from GRBM
    unsigned broadcast = 1;       // cycles from here to PA, SC, DB and CB
};

}  // namespace archipelago::raster
