// SPDX-License-Identifier: Apache-2.0
// How many waves of a dispatch one compute unit holds, by the rules of wave_allocator.h.
#pragma once

#include <string>
#include <vector>

#include "models/spi/spi_spec.h"

namespace archipelago::spi {

// What a work-group asks for, as its program states it: before granules round it up.
struct GroupDemand {
    unsigned waves = 1;
    unsigned vgprs = 0, sgprs = 0;  // of each wave; VGPRs per lane
    unsigned lds_bytes = 0;         // of the group
};

struct Occupancy {
    unsigned waves = 0;  // resident at most; 0: no group has room
    // What there is no more of: one of "wave slots", "VGPRs", "SGPRs", "LDS" and "barriers", or
    // those that allow equally few waves.
    std::vector<std::string> limits;
};

Occupancy occupancy(const SpiSpec& spec, const GroupDemand& group);

}  // namespace archipelago::spi
