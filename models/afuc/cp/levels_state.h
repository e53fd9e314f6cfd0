// SPDX-License-Identifier: Apache-2.0
// How far an engine has read the levels of its $data.
#pragma once

#include <array>
#include <cstdint>

#include "models/afuc/engine/levels.h"
#include "models/front/stream_reader.h"

namespace archipelago::afuc {

// How far the levels have been read. The ring never ends; after the words of a buffer comes the
// header of a packet of the hardware's, whose handler goes back to the level below.
struct LevelsState {
    struct Level : front::StreamLevel {
        bool ends = false;  // its last header has not been taken

        template <class Archive>
        void archive(Archive& a) {
            a(base, end, position, ends);
        }
    };
    std::array<Level, kMaxLevels> level;  // [0]: the ring, whose end is in its settings
};

}  // namespace archipelago::afuc
