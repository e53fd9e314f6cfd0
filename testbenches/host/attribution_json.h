// SPDX-License-Identifier: Apache-2.0
// Where the cycles of a run went, as JSON (STATISTICS.md, "Where cycles go").
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "models/asic/attribution.h"
#include "testbenches/host/code_object/line_table.h"

namespace archipelago::host {

// A kernel the host has loaded.
struct LoadedKernel {
    std::string name;
    uint64_t base = 0;  // where the image lies
    LineTable lines;
};
using LoadedKernels = std::map<uint64_t, LoadedKernel>;  // by the address of its first instruction

// {key, value} of the statistics: attribution, and of a chip with compute units ceilings and
// kernels; pcs and series when they were asked for (`profile`; a series interval). `cycles`: of the
// run.
std::vector<std::pair<std::string, nlohmann::ordered_json>> attribution_json(
    const asic::Attribution& attribution, uint64_t cycles, const LoadedKernels& kernels,
    bool profile);

}  // namespace archipelago::host
