// SPDX-License-Identifier: Apache-2.0
// How many waves of a dispatch one compute unit holds, by the rules of wave_allocator.h.
#pragma once

#include <string>
#include <vector>

#include "models/gcn/compute_message.h"
#include "models/spi/spi_spec.h"

namespace archipelago::spi {

struct Occupancy {
    unsigned waves = 0;  // resident at most; 0: no group has room
    // What there is no more of: one of "wave slots", "VGPRs", "SGPRs", "LDS" and "barriers", or
    // those that allow equally few waves.
    std::vector<std::string> limits;
};

// `group` before granules round it up, or after.
Occupancy occupancy(const SpiSpec& spec, const GroupSize& group);

}  // namespace archipelago::spi
