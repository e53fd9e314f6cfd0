// SPDX-License-Identifier: Apache-2.0
// Chips of which the async DMA engines are modelled, with their memory and the system register bus:
// R6xx, R7xx, Evergreen, Northern Islands, CIK.
#pragma once

#include <memory>
#include <string>

#include "models/asic/async_dma.h"
#include "models/asic/board_memory.h"
#include "models/asic/identity.h"
#include "models/common/register_info.h"
#include "models/config/diagnostics.h"
#include "models/config/node.h"
#include "models/config/records.h"
#include "models/ih/ih_spec.h"
#include "models/mc/surface/tile_mode.h"
#include "models/sem/sem_core.h"
#include "models/srbm/srbm_spec.h"

namespace archipelago::asic {
class ChipDescription;
}

namespace archipelago::dma_chip {

// SRBM_SOFT_RESET: bits of the engines (Linux radeon nid.h).
constexpr uint32_t kSoftReset[] = {1u << 20, 1u << 6};
constexpr uint32_t kSoftResetIh = 1u << 10;  // and of the interrupt handler (r600d.h to cikd.h)

struct ChipConfig : asic::BoardMemory {
    asic::Identity identity;  // its clock is the engine clock
    surface::Generation surfaces = surface::Generation::Evergreen;
    uint32_t tiling = 0;                            // GB_TILING_CONFIG, GB_ADDR_CONFIG after reset
    surface::ChipTiling::Modes tile_modes{};        // CIK: GB_TILE_MODE0..31 after reset
    surface::ChipTiling::MacroModes macro_modes{};  // CIK: GB_MACROTILE_MODE0..15 after reset
    srbm::Spec srbm;
    asic::AsyncDma async_dma;
    sem::SemSpec sem;
    ih::IhSpec ih;
    asic::LinkSpec link_host;      // host <-> SRBM
    asic::LinkSpec link_register;  // SRBM <-> engines, interrupt handler
};

// The registers by name of a generation of chips.
const regs::RegisterDatabase& registers_of(const std::string& generation);

ChipConfig read_chip(const config::Node& tree, config::Diagnostics& diagnostics,
                     config::Records& records);

// The entry of these generations in asic::families(). Specs: ChipConfig, asic::AsyncDma,
// regs::RegisterDatabase of chips with engines,
// surface::ChipTiling, mc::ChannelMapSpec, mc::DramGeometry.
std::unique_ptr<asic::ChipDescription> read_description(config::Node tree,
                                                        config::Diagnostics& diagnostics);

}  // namespace archipelago::dma_chip
