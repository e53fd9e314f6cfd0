// SPDX-License-Identifier: Apache-2.0
// Parameters of the register port of the raster back end.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "models/common/channel.h"
#include "models/common/context_registers.h"
#include "models/common/register_info.h"

namespace archipelago::raster {

struct RasterSpec {
    // Facts of the chip's family.
    ContextWindow context;
    uint32_t copy_state = regs::kNoOffset;  // the register whose write copies a set

    unsigned shader_engines = 1;
    // What a register is in every context until a program writes it: as the kernel driver leaves
    // it.
    std::vector<std::pair<uint32_t, uint32_t>> presets;  // offset, value
    ChannelSpec registers{4, 1};                         // from GRBM
};

}  // namespace archipelago::raster
