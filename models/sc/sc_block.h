// SPDX-License-Identifier: Apache-2.0
// The scan converters' part of a chip's description.
#pragma once

#include "models/sc/sc_core.h"

namespace archipelago::config {
class Reader;
}

namespace archipelago::sc {

struct ScBlock {
    // Rates, sizes and delays, which all scan converters of a chip have in common.
    static void read(config::Reader& root, ScSpec& spec);
};

}  // namespace archipelago::sc
