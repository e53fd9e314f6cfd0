// SPDX-License-Identifier: Apache-2.0
// What a chip needs to have colour blocks.
#pragma once

#include "models/cb/cb_core.h"

namespace archipelago::config {
class Reader;
}

namespace archipelago::cb {

struct CbBlock {
    // Rates, sizes and delays, which all colour blocks of a chip have in common.
    static void read(config::Reader& root, CbSpec& spec);
};

}  // namespace archipelago::cb
