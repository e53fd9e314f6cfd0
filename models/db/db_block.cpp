// SPDX-License-Identifier: Apache-2.0
#include "models/db/db_block.h"

#include "models/config/block_reader.h"

namespace archipelago::db {

using config::kAtLeastOne;
using config::range;

void DbBlock::read(config::Reader& root, DbSpec& spec) {
    config::Reader r = root.map("db");
    const auto cache = [&](const char* name, raster::PixelCacheSpec& of) {
        config::Reader c = r.map(name);
        of.lines = c.required("lines", range(1u, 65536u), "of 64 bytes");
        of.in_flight = c.required("in_flight", range(1u, 1024u), "requests not yet answered");
    };
    spec.z_samples_per_cycle =
        r.required("z_samples_per_cycle", range(1u, 1024u), "samples tested per cycle");
    spec.quads_per_cycle =
        r.required("quads_per_cycle", range(1u, 16u), "quads passed on per cycle");
    spec.lookahead =
        r.required("lookahead", range(1u, 64u), "batches whose lines are fetched early");
    cache("data", spec.data);
    cache("htile", spec.htile);
    spec.early_latency = r.timing("early_latency", kAtLeastOne, "from a batch's tests to SPI");
    spec.late_latency =
        r.timing("late_latency", kAtLeastOne, "from a batch's tests to the colour block");
    spec.register_latency =
        r.timing("register_latency", kAtLeastOne, "of register writes from GRBM");
    spec.early = read_channel(r, "early", "from the scan converter");
    spec.late = read_channel(r, "late", "from SPI");
    spec.memory = read_channel(r, "memory", "answers of memory");
    spec.flushes = read_channel(r, "flushes", "SURFACE_SYNC");
    if (r.ok())
        for (const std::string& problem : spec.problems())
            r.conflict(problem);
}

}  // namespace archipelago::db
