// SPDX-License-Identifier: Apache-2.0
// The ids of threads within their work-group, which a compute wave finds in v0 to v2: x fastest.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace archipelago {

// Ids of one thread, to be advanced to the next thread; after the last thread of the group z goes
// on counting.
struct LocalIds {
    std::array<uint32_t, 3> size, id;

    // `group`: threads of each dimension, 0 counts as 1.
    LocalIds(uint32_t thread, const std::array<uint16_t, 3>& group)
        : size{std::max<uint32_t>(group[0], 1), std::max<uint32_t>(group[1], 1),
               std::max<uint32_t>(group[2], 1)},
          id{thread % size[0], thread / size[0] % size[1], thread / size[0] / size[1]} {}
    void next() {
        if (++id[0] < size[0])
            return;
        id[0] = 0;
        if (++id[1] < size[1])
            return;
        id[1] = 0;
        ++id[2];
    }
};

}  // namespace archipelago
