// SPDX-License-Identifier: Apache-2.0
// Chips of which the command processor of an Adreno is modelled, with its memory.
#pragma once

#include <memory>

#include "models/afuc/cp/cp_spec.h"
#include "models/asic/board_memory.h"
#include "models/asic/identity.h"
#include "models/common/register_info.h"
#include "models/config/diagnostics.h"
#include "models/config/node.h"
#include "models/config/records.h"

namespace archipelago::asic {
class ChipDescription;
}

namespace archipelago::adreno {

struct ChipConfig : asic::BoardMemory {
    asic::Identity identity;  // its clock is the GPU's
    afuc::CpSpec cp;
    asic::LinkSpec link_host;  // host <-> registers
};

// The registers by name of a generation of chips.
const regs::RegisterDatabase& registers_of(const std::string& generation);

ChipConfig read_chip(const config::Node& tree, config::Diagnostics& diagnostics,
                     config::Records& records);

// The entry of these generations in asic::families(). Specs: ChipConfig, afuc::CpSpec,
// regs::RegisterDatabase, asic::BoardMemory, mc::ChannelMapSpec, mc::DramGeometry.
std::unique_ptr<asic::ChipDescription> read_description(config::Node tree,
                                                        config::Diagnostics& diagnostics);

}  // namespace archipelago::adreno
