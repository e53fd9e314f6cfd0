// SPDX-License-Identifier: Apache-2.0
#include "models/mc/surface/surface.h"

namespace archipelago::surface {

void byte_addresses(const SurfaceLevel& s, const LaneCoordinates& at, uint64_t exec,
                    uint64_t (&to)[64]) {
    // Any coordinates are safe, so all lanes are computed; the array of its own lets the compiler
    // keep the level's constants in registers. Mostly all lanes address one slice.
    uint64_t all[64];
    uint32_t differ = 0;
    for (unsigned lane = 0; lane < 64; ++lane)
        differ |= (at.slice[lane] ^ at.slice[0]) | (at.sample[lane] ^ at.sample[0]);
    if (differ == 0) {
        const SlicePart part = slice_part(s, at.slice[0], at.sample[0]);
        for (unsigned lane = 0; lane < 64; ++lane)
            all[lane] = byte_address(s, at.x[lane], at.y[lane], part);
    } else {
        for (unsigned lane = 0; lane < 64; ++lane)
            all[lane] = byte_address(s, at.x[lane], at.y[lane],
                                     slice_part(s, at.slice[lane], at.sample[lane]));
    }
    for (unsigned lane = 0; lane < 64; ++lane)
        to[lane] = (exec >> lane & 1) != 0 ? all[lane] : to[lane];
}

}  // namespace archipelago::surface
