// SPDX-License-Identifier: Apache-2.0
// All mutable data of SPI's dispatcher: values and indices.
#pragma once

#include <cstdint>
#include <vector>

#include "models/gcn/compute_message.h"
#include "models/spi/dispatch.h"

namespace archipelago::spi {

// A wave on its way to its compute unit.
struct DispatchedWave {
    WaveLaunch launch;
    uint32_t scratch_slot = 0;  // 0 without scratch
};

struct DispatchState {
    struct Ring {
        Dispatch dispatch;                   // that is walked
        GroupWalk walk;                      // done: none is
        std::vector<uint64_t> scratch_used;  // bitmap of scratch slots
        unsigned scratch_taken = 0;
    };
    // Waves of a group, one shader engine.
    struct Launching {
        unsigned next = 0;
        std::vector<DispatchedWave> waves;
    };
    std::vector<Ring> rings;
    std::vector<Launching> engines;
    OrderedNumbers ordered;
};

}  // namespace archipelago::spi
