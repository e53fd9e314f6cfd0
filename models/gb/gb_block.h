// SPDX-License-Identifier: Apache-2.0
// What a chip needs to have GB at its register bus.
#pragma once

#include "models/gb/gb_core.h"

namespace archipelago::config {
class Reader;
}

namespace archipelago::gb {

struct GbBlock {
    using Spec = GbSpec;
    using Core = GbCore;
    static constexpr const char* kName = "gb";
    static constexpr const char* kStatsAfter = "cb";  // the block before it in statistics

    static void read(config::Reader& root, GbSpec& spec);
};

}  // namespace archipelago::gb
