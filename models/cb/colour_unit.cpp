// SPDX-License-Identifier: Apache-2.0
#include "models/cb/colour_unit.h"

#include "models/cb/target_write.h"

namespace archipelago::cb {

QuadAccesses ColourUnit::write(const ColourState& state, const raster::ShadedBatch& batch,
                               const TargetMemory& memory) {
    QuadAccesses accesses{};
    if (batch.quads.killed || state.mode == Mode::Disable)
        return accesses;
    if (state.mode == Mode::Resolve) {
        accesses[1] = resolve_pixels(state, state.target[0], state.target[1], batch.quads, memory);
        return accesses;
    }
    for (const Target& target : state.target)
        if (target.bound)
            accesses[target.index] = state.mode == Mode::Normal
                                         ? write_pixels(state, target, batch, memory)
                                         : rewrite_tiles(state.mode, target, batch.quads, memory);
    return accesses;
}

}  // namespace archipelago::cb
