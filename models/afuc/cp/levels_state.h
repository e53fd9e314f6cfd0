// SPDX-License-Identifier: Apache-2.0
// How far an engine has read the levels of its $data.
#pragma once

#include <array>
#include <cstdint>

#include "models/afuc/engine/levels.h"

namespace archipelago::afuc {

// How far the levels have been read. The ring never ends; after the words of a buffer comes the
// header of a packet of the hardware's, whose handler goes back to the level below.
struct LevelsState {
    struct Level {
        uint64_t base = 0;    // bytes
        uint32_t dwords = 0;  // of the buffer
        uint32_t taken = 0;   // of them
        bool ends = false;    // its last header has not been taken
        uint32_t left() const { return dwords - taken; }
    };
    std::array<Level, kMaxLevels> level;  // [0] counts words of the ring in `taken`
};

}  // namespace archipelago::afuc
