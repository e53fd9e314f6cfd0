// SPDX-License-Identifier: Apache-2.0
#include "models/asic/attribution.h"

#include <numeric>

namespace archipelago::asic {
namespace {

CacheCounts counted(const CacheCounts& before, const CacheCounts& after) {
    return {asic::counted(before.reads, after.reads), asic::counted(before.hits, after.hits),
            asic::counted(before.merged, after.merged), asic::counted(before.writes, after.writes),
            asic::counted(before.bytes, after.bytes)};
}

uint64_t sum(const std::vector<uint64_t>& values) {
    return std::accumulate(values.begin(), values.end(), uint64_t{0});
}

}  // namespace

MemoryCounts counted(const Sample& before, const Sample& after) {
    return {counted(before.l1, after.l1), counted(before.l2, after.l2),
            counted(sum(before.dram_read), sum(after.dram_read)),
            counted(sum(before.dram_written), sum(after.dram_written))};
}

}  // namespace archipelago::asic
