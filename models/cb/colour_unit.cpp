// SPDX-License-Identifier: Apache-2.0
#include "models/cb/colour_unit.h"

#include "models/cb/target_write.h"

namespace archipelago::cb {

void ColourUnit::write(const ColourState& state, const raster::ShadedBatch& batch,
                       const TargetMemory& memory) {
    if (batch.quads.killed || state.mode == Mode::Disable)
        return;
    if (state.mode == Mode::Resolve)
        return resolve_pixels(state, state.target[0], state.target[1], batch.quads, memory);
    for (const Target& target : state.target) {
        if (!target.bound)
            continue;
        if (state.mode == Mode::Normal)
            write_pixels(state, target, batch, memory);
        else
            rewrite_tiles(state.mode, target, batch.quads, memory);
    }
}

}  // namespace archipelago::cb
