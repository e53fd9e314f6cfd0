// SPDX-License-Identifier: Apache-2.0
// Colours of a batch into one target, and the modes that rewrite whole tiles of it.
#pragma once

#include "models/cb/colour_state.h"
#include "models/cb/tile_metadata.h"

namespace archipelago::cb {

// The slice of the target that the batch's layer is; false: outside of the view, so nothing of it
// is drawn.
bool find_slice(const Target& target, const raster::QuadBatch& batch, uint32_t& slice);
// Throws MachineStop when a pixel of `lanes` lies outside of the surface.
void check_inside(const Target& target, const raster::QuadBatch& batch, uint64_t lanes);

// Samples of a target that a coverage mask of `raster_samples` covers. With fewer of those each
// stands for several samples of the target, with more of them several for each.
uint16_t covered_samples(uint16_t coverage, unsigned raster_samples, unsigned target_samples);

// The functions below return how many times a fragment of a quad was written.

// NORMAL.
unsigned write_pixels(const ColourState& state, const Target& target,
                      const raster::ShadedBatch& batch, const TargetMemory& memory);
// ELIMINATE_FAST_CLEAR, DECOMPRESS, FMASK_DECOMPRESS: each tile that the batch touches.
unsigned rewrite_tiles(Mode mode, const Target& target, const raster::QuadBatch& batch,
                       const TargetMemory& memory);
// RESOLVE: `to` becomes the mean of the samples of `from`.
unsigned resolve_pixels(const ColourState& state, const Target& from, const Target& to,
                        const raster::QuadBatch& batch, const TargetMemory& memory);

}  // namespace archipelago::cb
