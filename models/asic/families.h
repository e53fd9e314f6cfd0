// SPDX-License-Identifier: Apache-2.0
// The families of chips, and chips by name.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "models/asic/description.h"
#include "models/common/register_info.h"
#include "models/config/diagnostics.h"
#include "models/config/node.h"

namespace archipelago::cp {
struct Pm4Language;
}

namespace archipelago::asic {

// Chips that one builder makes.
struct Family {
    // What `generation:` reads in a description of this family.
    const char* generation;
    // Fills the Specs from a resolved tree; faults go to the diagnostics, and what is returned then
    // must not be built. Never null.
    std::unique_ptr<ChipDescription> (*read)(config::Node tree, config::Diagnostics& diagnostics);
    // Packets and registers of a family with a PM4 command processor.
    cp::Pm4Language (*packets)() = nullptr;
    // Of a family with async DMA engines: the generation of their packets, and the registers by
    // name where `packets` does not have them.
    const char* async_dma = nullptr;
    const regs::RegisterDatabase& (*registers)(const std::string& generation) = nullptr;
};
using Families = std::vector<Family>;

// Every family of this version: families.cpp.
const Families& families();

// Where the chip descriptions are; set by the installed CMake package.
#ifndef ARCHIPELAGO_PACKAGED_CONFIGS
#define ARCHIPELAGO_PACKAGED_CONFIGS ""
#endif

// Folder of the chip descriptions: the environment variable ARCHIPELAGO_CONFIGS, or whichever
// exists first of `packaged`, the share folder beside the running program's bin folder, the source
// tree the library was built from, the share folder it was configured to be installed in.
std::string config_folder(const std::string& packaged = ARCHIPELAGO_PACKAGED_CONFIGS);

// Names of the chips in the description folder, sorted.
std::vector<std::string> chip_names(const std::string& folder = config_folder());

// A resolved tree to the description of its family. Faults go to the diagnostics: what is returned
// then must not be built.
std::unique_ptr<ChipDescription> read_description(config::Node tree,
                                                  config::Diagnostics& diagnostics,
                                                  const Families& known = families());

// No chip has this name.
struct UnknownChip : std::invalid_argument {
    using std::invalid_argument::invalid_argument;
};

// Finds a chip by name among the descriptions in `folder`, or takes a path to a YAML file; applies
// `--set` overrides in order. Throws config::ConfigError with every fault found, and
// UnknownChip for a name that is not there. `warnings`: gets a line for each of what is
// taken, but hardly meant; may be null.
std::unique_ptr<ChipDescription> load_chip(const std::string& name_or_file,
                                           const std::vector<std::string>& overrides,
                                           const std::string& folder = config_folder(),
                                           const Families& known = families(),
                                           std::string* warnings = nullptr);

}  // namespace archipelago::asic
