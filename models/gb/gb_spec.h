// SPDX-License-Identifier: Apache-2.0
// Parameters of the GB block: values of the tiling registers after reset, and its links.
#pragma once

#include <array>
#include <cstdint>

#include "models/common/channel.h"

namespace archipelago::gb {

struct GbSpec {
    static constexpr unsigned kModes = 32;
    uint32_t gb_addr_config = 0;
    std::array<uint32_t, kModes> tile_modes{};  // GB_TILE_MODE0..31
    ChannelSpec registers{4, 1};                // from GRBM
    unsigned broadcast = 1;                     // cycles from here to the texture units
};

}  // namespace archipelago::gb
