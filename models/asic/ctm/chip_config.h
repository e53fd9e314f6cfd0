// SPDX-License-Identifier: Apache-2.0
// Chips as ATI's CTM Guide shows them (R5xx): processor execution unit, conditional operation unit,
// memory controller and the arrays of the DPP, with their memory.
#pragma once

#include <memory>

#include "models/asic/board_memory.h"
#include "models/asic/identity.h"
#include "models/config/diagnostics.h"
#include "models/config/node.h"
#include "models/config/records.h"
#include "models/ctm/co/co_spec.h"
#include "models/ctm/dpp/dpp_spec.h"
#include "models/ctm/mc/mc_spec.h"
#include "models/ctm/pe/pe_spec.h"

namespace archipelago::asic {
class ChipDescription;
}

namespace archipelago::ctm {

// Interrupt::source_id: a command buffer has been consumed.
constexpr uint8_t kInterruptConsumed = 1;

struct ChipConfig : asic::BoardMemory {
    asic::Identity identity;  // its clock is the engine clock
    PeSpec pe;
    CoSpec co;
    McSpec controller;
    dpp::Spec dpp;             // of each array
    asic::LinkSpec link_host;  // host <-> PE
};

// Reads the Specs from a resolved tree; faults go to `diagnostics`.
ChipConfig read_chip(const config::Node& tree, config::Diagnostics& diagnostics,
                     config::Records& records);

// The family's entry in asic::families(). Specs: ChipConfig, McSpec, asic::BoardMemory,
// AddressSpec, mc::ChannelMapSpec, mc::DramGeometry.
std::unique_ptr<asic::ChipDescription> read_description(config::Node tree,
                                                        config::Diagnostics& diagnostics);

}  // namespace archipelago::ctm
