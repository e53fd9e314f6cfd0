// SPDX-License-Identifier: Apache-2.0
#include "models/srbm/srbm_block.h"

#include "models/config/block_reader.h"

namespace archipelago::srbm {

using config::range;

void SrbmBlock::read(config::Reader& root, Spec& spec) {
    config::Reader r = root.map("srbm");
    spec.requests_per_cycle =
        r.required("requests_per_cycle", range(1u, 16u), "requests accepted per cycle");
    spec.reads_in_flight =
        r.required("reads_in_flight", range(1u, 64u), "reads of each source in flight");
    spec.request =
        read_channel(r, "request", "requests of a DMA engine, or of the host when it waits");
    spec.response = read_channel(r, "response", "answers of GRBM and of each DMA engine");
}

}  // namespace archipelago::srbm
