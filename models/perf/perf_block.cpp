// SPDX-License-Identifier: Apache-2.0
#include "models/perf/perf_block.h"

#include "models/config/block_reader.h"

namespace archipelago::perf {

void PerfBlock::read(config::Reader& root, PerfSpec& spec) {
    config::Reader r = root.map("performance");
    spec.registers = read_channel(r, "registers", "writes and reads from GRBM");
    spec.events =
        r.timing("events", config::kAtLeastOne, "latency of start, stop and sample events from CP");
}

}  // namespace archipelago::perf
