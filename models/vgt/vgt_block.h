// SPDX-License-Identifier: Apache-2.0
// What a chip needs to have VGT.
#pragma once

#include "models/vgt/vgt_core.h"

namespace archipelago::config {
class Reader;
}

namespace archipelago::vgt {

struct VgtBlock {
    static void read(config::Reader& root, VgtSpec& spec);
};

}  // namespace archipelago::vgt
