// SPDX-License-Identifier: Apache-2.0
// Parameters of the GB block: values of the tiling registers after reset, and its links.
#pragma once

#include <array>
#include <cstdint>

#include "models/common/channel.h"
#include "models/common/named_register.h"

namespace archipelago::gb {

struct RegisterMap {
    const regs::RegisterDatabase* database = nullptr;  // of the chip's family
    regs::NamedRegister GB_ADDR_CONFIG{database, "GB_ADDR_CONFIG"};
    regs::NamedRegister GB_TILE_MODE0{database, "GB_TILE_MODE0"};  // 31 more follow
    regs::NamedRegister TA_CS_BC_BASE_ADDR{database, "TA_CS_BC_BASE_ADDR"};
};

struct GbSpec {
    static constexpr unsigned kModes = 32;
    RegisterMap map;  // of the chip's family

    uint32_t gb_addr_config = 0;
    std::array<uint32_t, kModes> tile_modes{};  // GB_TILE_MODE0..31
    ChannelSpec registers{4, 1};                // from GRBM
    unsigned broadcast = 1;                     // cycles from here to the texture units
};

}  // namespace archipelago::gb
