// SPDX-License-Identifier: Apache-2.0
// A chip as ATI's CTM shows it (R5xx), from its YAML: the parts that are modelled. DESIGN
// section 6.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "models/asic/chip_config.h"
#include "models/config/diagnostics.h"
#include "models/config/node.h"
#include "models/config/records.h"
#include "models/ctm/mc/address_spec.h"

namespace archipelago::asic {

// What `generation:` reads in these descriptions.
constexpr const char* kCtmGeneration = "r5xx";

struct CtmConfig {
    std::string name;
    std::string generation;
    std::string product;
    std::string hash;  // of the resolved tree, 16 hexadecimal digits
    ctm::AddressSpec address;
};

struct LoadedCtm {
    CtmConfig config;
    config::Node tree;  // resolved: inherited and overridden
    config::Records records;
};

// Reads the Specs from a resolved tree; faults, parts that are not modelled among them, go to
// `diagnostics`.
CtmConfig read_ctm(const config::Node& tree, config::Diagnostics& diagnostics,
                   config::Records& records);

// As load_chip(), for descriptions of either kind.
std::variant<LoadedChip, LoadedCtm> load_any(const std::string& name_or_file,
                                             const std::vector<std::string>& overrides,
                                             const std::string& folder = config_folder());

}  // namespace archipelago::asic
