// SPDX-License-Identifier: Apache-2.0
// What a chip needs to have the performance monitor at its register bus.
#pragma once

#include "models/perf/perf_core.h"

namespace archipelago::config {
class Reader;
}

namespace archipelago::perf {

struct PerfBlock {
    using Spec = PerfSpec;
    using Core = PerfCore;
    static constexpr const char* kName = "perf";
    static constexpr const char* kStatsAfter = "";

    static void read(config::Reader& root, PerfSpec& spec);
};

}  // namespace archipelago::perf
