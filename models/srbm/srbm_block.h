// SPDX-License-Identifier: Apache-2.0
// What a chip needs to have the register bus of the system.
#pragma once

#include "models/srbm/srbm_core.h"

namespace archipelago::config {
class Reader;
}

namespace archipelago::srbm {

struct SrbmBlock {
    static void read(config::Reader& root, Spec& spec);
};

}  // namespace archipelago::srbm
