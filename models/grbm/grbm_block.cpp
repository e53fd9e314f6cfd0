// SPDX-License-Identifier: Apache-2.0
#include "models/grbm/grbm_block.h"

#include "models/config/block_reader.h"

namespace archipelago::grbm {

using config::range;

void GrbmBlock::read(config::Reader& root, Spec& spec) {
    config::Reader r = root.map("grbm");
    spec.requests_per_cycle =
        r.required("requests_per_cycle", range(1u, 16u), "requests accepted per cycle");
    spec.reads_in_flight =
        r.required("reads_in_flight", range(1u, 255u), "reads of both sources in flight");
    spec.request = read_channel(r, "request", "requests of the host and of CP");
    spec.response = read_channel(r, "response", "answers of each block");
}

}  // namespace archipelago::grbm
