// SPDX-License-Identifier: Apache-2.0
// `surface:` of workloads: a surface in memory by its description, or one that the chip's registers
// describe.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "models/config/reader.h"
#include "models/mc/surface/tile_mode.h"
#include "testbenches/host/image/surface_picture.h"

namespace archipelago::host {

// By its registers of the newest context: CB_COLOR0 to CB_COLOR7, or the depth block's buffers.
struct BoundSurface {
    enum class Kind : uint8_t { Colour, Depth, Stencil };
    Kind kind = Kind::Colour;
    unsigned index = 0;  // of a colour target
    std::string name;    // "cb0", as workloads have it
};

struct PictureSpec {
    std::variant<PictureSurface, BoundSurface> what;
    PictureChoice choice;
};

// What of a chip surfaces need.
struct SurfaceFacts {
    const surface::ChipTiling* tiling = nullptr;  // null: it has no surfaces
    bool render_targets = false;
};

// Faults go to the diagnostics of the value; then there is none.
std::optional<PictureSpec> read_picture_spec(const config::Value& value, const SurfaceFacts& chip);

}  // namespace archipelago::host
