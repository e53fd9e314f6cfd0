// SPDX-License-Identifier: Apache-2.0
// What the parts of a chip's builder share.
#pragma once

#include <string>

#include "models/asic/chip_options.h"
#include "models/asic/gcn/chip_config.h"
#include "models/asic/netlist.h"
#include "tlm/clock_domain.h"

namespace archipelago::gcn {

struct Build {
    const ChipConfig& config;
    const asic::ChipOptions& options;
    asic::Netlist& net;
    tlm_shell::ClockDomain& engine;
    tlm_shell::ClockDomain& memory_clock;
};

inline std::string indexed(const char* name, unsigned index) {
    return name + std::to_string(index);
}

}  // namespace archipelago::gcn
