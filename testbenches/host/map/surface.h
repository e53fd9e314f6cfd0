// SPDX-License-Identifier: Apache-2.0
// Surface files: the surfaces of `archipelago map`.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "models/config/diagnostics.h"
#include "models/config/node.h"
#include "models/ctm/mc/address_spec.h"
#include "models/mc/address_map.h"
#include "testbenches/host/map/ctm_surface.h"
#include "testbenches/host/map/metadata.h"
#include "testbenches/host/map/radeon_surface.h"

namespace archipelago::host {

// What of a chip surfaces need.
struct SurfaceChip {
    std::string name;
    std::optional<ctm::AddressSpec> ctm;
    std::optional<surface::ChipTiling> tiling;  // after reset
    mc::ChannelMapSpec channels;
    mc::DramGeometry dram;  // of a channel
};
// By name or file of its description. Throws std::runtime_error or std::invalid_argument for one
// that cannot be read.
using FindChip = std::function<SurfaceChip(const std::string& name)>;

struct SurfaceFile {
    SurfaceChip chip;
    // One of them.
    std::optional<CtmSurface> ctm;
    std::optional<RadeonSurface> radeon;
    std::optional<MetadataMap> metadata;
};

// Reads `asic` and the keys of that chip's surfaces. Faults and warnings go to `diagnostics`.
SurfaceFile read_surface(const config::Node& tree, const FindChip& find,
                         config::Diagnostics& diagnostics);

}  // namespace archipelago::host
