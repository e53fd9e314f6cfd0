// SPDX-License-Identifier: Apache-2.0
// Where the cycles of a run went, as JSON (STATISTICS.md, "Where cycles go").
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "models/asic/attribution.h"
#include "models/common/programs.h"

namespace archipelago::report {

// {key, value} of the statistics: attribution, and of a chip with compute units ceilings and
// kernels; pcs and series when they were asked for (`profile`; a series interval). The run is
// `cycles` long, from the chip's cycle `start` on. `programs` may be null.
std::vector<std::pair<std::string, nlohmann::ordered_json>> attribution_json(
    const asic::Attribution& attribution, uint64_t start, uint64_t cycles, const Programs* programs,
    bool profile);

}  // namespace archipelago::report
