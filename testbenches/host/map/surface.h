// SPDX-License-Identifier: Apache-2.0
// Surface files: the surfaces of `archipelago map`.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "models/config/diagnostics.h"
#include "models/config/node.h"
#include "models/ctm/mc/address.h"
#include "models/ctm/mc/address_spec.h"

namespace archipelago::host {

// A chip that has the CTM memory controller.
struct CtmChip {
    std::string name;
    ctm::AddressSpec address;
};
// By name or file of its description. Nothing for a chip without that block; throws
// std::runtime_error or std::invalid_argument for one that cannot be read.
using FindCtmChip = std::function<std::optional<CtmChip>(const std::string& name)>;

struct SurfaceFile {
    CtmChip chip;
    ctm::Surface
        surface;  // of a format with so many bytes, of one channel where there is such a one
    unsigned log2_bytes = 0;
    bool superfine = false;
};

// Reads `{asic, tiling, bytes, pitch, offset}`. Faults go to `diagnostics`; warnings too, for what
// the hardware takes otherwise than it is written.
SurfaceFile read_surface(const config::Node& tree, const FindCtmChip& find,
                         config::Diagnostics& diagnostics);

}  // namespace archipelago::host
