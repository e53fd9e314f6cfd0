// SPDX-License-Identifier: Apache-2.0
#include "models/gds/gds_block.h"

#include "models/config/block_reader.h"

namespace archipelago::gds {

using config::kAtLeastOne;
using config::range;

void GdsBlock::read(config::Reader& root, GdsSpec& spec) {
    config::Reader r = root.map("gds");
    spec.bytes = read_bytes(r, "size", range(8u, 1u << 20), "global data share");
    spec.lanes_per_cycle =
        r.required("lanes_per_cycle", range(1u, 64u), "elements accessed per cycle");
    spec.banks = r.required("banks", range(1u, 64u), "banks, each a dword wide");
    spec.request_cycles = r.timing("request_cycles", kAtLeastOne, "minimum cycles per instruction");
    spec.latency = r.timing("latency", kAtLeastOne, "end of the work to the answer's departure");
    spec.request_in = read_channel(r, "request_in", "requests from each compute unit and CP");
    spec.registers = read_channel(r, "registers", "writes and reads from GRBM");
}

}  // namespace archipelago::gds
