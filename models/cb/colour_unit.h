// SPDX-License-Identifier: Apache-2.0
// The colour block (CB) without time: shaded quads of one render back end into its render targets.
// R6xx/R7xx document 2.1.5.
#pragma once

#include <cstdint>

#include "models/cb/colour_state.h"
#include "models/cb/tile_metadata.h"
#include "models/raster/pixel_memory.h"
#include "models/raster/quad_batch.h"

namespace archipelago::cb {

// How many times a batch has written a fragment of a quad, by target. A resolve counts each sample
// that it has read for target 1.
using QuadAccesses = std::array<unsigned, kTargets>;

class ColourUnit {
  public:
    // One batch, whose coverage is final, in the order of the primitives. Throws MachineStop, which
    // names the draw or the target, for state that no target can have.
    QuadAccesses write(const ColourState& state, const raster::ShadedBatch& batch,
                       raster::PixelMemory& memory) {
        return write(state, batch, {memory, memory});
    }
    QuadAccesses write(const ColourState& state, const raster::ShadedBatch& batch,
                       const TargetMemory& memory);
};

}  // namespace archipelago::cb
