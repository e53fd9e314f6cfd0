// SPDX-License-Identifier: Apache-2.0
// Render targets and depth buffers as the registers of the newest context describe them, decoded by
// the colour and depth blocks.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "models/asic/description.h"
#include "testbenches/host/image/picture_spec.h"

namespace archipelago::host {

// The value of a register; none where the chip does not show it.
using InspectRegister = std::function<std::optional<uint32_t>(uint32_t offset)>;

// Whether the chip has the blocks whose registers describe surfaces.
bool has_render_targets(const asic::ChipDescription& chip);

// Throws ImageError, which names the register.
PictureSurface bound_surface(const BoundSurface& bound, const asic::ChipDescription& chip,
                             const InspectRegister& inspect);

}  // namespace archipelago::host
