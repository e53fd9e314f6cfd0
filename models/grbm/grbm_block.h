// SPDX-License-Identifier: Apache-2.0
// What a chip needs to have the register bus of the graphics pipe.
#pragma once

#include "models/grbm/grbm_core.h"

namespace archipelago::config {
class Reader;
}

namespace archipelago::grbm {

struct GrbmBlock {
    static void read(config::Reader& root, Spec& spec);
};

}  // namespace archipelago::grbm
