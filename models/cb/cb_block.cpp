// SPDX-License-Identifier: Apache-2.0
#include "models/cb/cb_block.h"

#include "models/config/block_reader.h"

namespace archipelago::cb {
namespace {

using config::kAtLeastOne;
using config::range;

QuadCycles read_cycles(config::Reader& table, const char* key, const char* pixels) {
    config::Reader r = table.map(key);
    QuadCycles cycles;
    cycles.write = r.timing("write", kAtLeastOne, std::string("of a quad of ") + pixels);
    cycles.blend = r.timing("blend", kAtLeastOne,
                            std::string("of a quad of ") + pixels + " whose destination is read");
    return cycles;
}

raster::PixelCacheSpec read_cache(config::Reader& block, const char* key) {
    config::Reader r = block.map(key);
    raster::PixelCacheSpec cache;
    cache.lines = r.required("lines", range(32u, 65536u), "lines of 64 bytes");
    cache.in_flight =
        r.required("in_flight", range(1u, 4096u), "accesses to memory without an answer");
    return cache;
}

}  // namespace

void CbBlock::read(config::Reader& root, CbSpec& spec) {
    config::Reader r = root.map("cb");
    config::Reader cycles = r.map("quad_cycles");
    spec.up_to_4_bytes = read_cycles(cycles, "up_to_4_bytes", "pixels of 4 bytes or fewer");
    spec.of_8_bytes = read_cycles(cycles, "of_8_bytes", "pixels of 8 bytes");
    spec.of_16_bytes = read_cycles(cycles, "of_16_bytes", "pixels of 16 bytes");
    spec.latency = r.timing("latency", kAtLeastOne, "from pixels in the cache to their results");
    spec.lookahead = r.required("lookahead", range(1u, 64u),
                                "batches whose lines are fetched before their turn");
    spec.data = read_cache(r, "data");
    spec.metadata = read_cache(r, "metadata");
    spec.register_latency =
        r.timing("register_latency", kAtLeastOne, "of register writes from GRBM");
    spec.batches = read_channel(r, "batches", "from the depth block");
    spec.memory = read_channel(r, "memory", "answers of memory");
    spec.flushes = read_channel(r, "flushes", "actions of SURFACE_SYNC");
    if (r.ok())
        for (const std::string& problem : spec.problems())
            r.conflict(problem);
}

}  // namespace archipelago::cb
