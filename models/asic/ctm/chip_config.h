// SPDX-License-Identifier: Apache-2.0
// Chips as ATI's CTM shows them (R5xx): of these the memory controller's address translation.
#pragma once

#include <memory>

#include "models/asic/identity.h"
#include "models/config/diagnostics.h"
#include "models/config/node.h"
#include "models/config/records.h"
#include "models/ctm/mc/address_spec.h"

namespace archipelago::asic {
class ChipDescription;
}

namespace archipelago::ctm {

struct ChipConfig {
    asic::Identity identity;
    AddressSpec address;
};

// Reads the Specs from a resolved tree; faults, parts that are not modelled among them, go to
// `diagnostics`.
ChipConfig read_chip(const config::Node& tree, config::Diagnostics& diagnostics,
                     config::Records& records);

// The family's entry in asic::families(). Specs: AddressSpec.
std::unique_ptr<asic::ChipDescription> read_description(config::Node tree,
                                                        config::Diagnostics& diagnostics);

}  // namespace archipelago::ctm
