// SPDX-License-Identifier: Apache-2.0
// What a chip needs to have a global data share.
#pragma once

#include "models/gds/gds_core.h"

namespace archipelago::config {
class Reader;
}

namespace archipelago::gds {

struct GdsBlock {
    static constexpr const char* kKey = "gds";  // of a chip description

    static void read(config::Reader& root, GdsSpec& spec);
};

}  // namespace archipelago::gds
