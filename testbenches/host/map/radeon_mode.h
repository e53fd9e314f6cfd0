// SPDX-License-Identifier: Apache-2.0
// How a surface file says how its surface is tiled.
#pragma once

#include "models/config/reader.h"
#include "models/mc/surface/tile_mode.h"

namespace archipelago::host {

// Reads the keys of a tile mode that chips of this generation have, and reports those they have
// not. `tiling`: the chip's, of which `tile_index` or GB_TILING_CONFIG, GB_ADDR_CONFIG take parts.
surface::TileMode read_tile_mode(config::Reader& r, const surface::ChipTiling& tiling,
                                 unsigned bits, unsigned samples);

// The pipe configuration alone, of `pipe_config` or of the chip's mode `tile_index`; one of them is
// required.
surface::PipeConfig read_pipe_config(config::Reader& r, const surface::ChipTiling& tiling);

}  // namespace archipelago::host
