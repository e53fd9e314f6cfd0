// SPDX-License-Identifier: Apache-2.0
#include "models/ctm/mc/mc_spec.h"

namespace archipelago::ctm {
namespace {

void check_cache(const CacheSpec& c, CacheId id, std::vector<std::string>& found) {
    const std::string name = std::string("cache ") + to_string(id);
    const unsigned sets = c.geometry.sets;
    if (sets == 0 || (sets & (sets - 1)) != 0)
        found.push_back(name + " has " + std::to_string(sets) + " sets, expected a power of two");
    if (c.geometry.ways == 0 || c.geometry.ways > 64)
        found.push_back(name + " has " + std::to_string(c.geometry.ways) +
                        " ways, expected 1 to 64");
    if (c.geometry.bytes() < CacheSpec::kMinBytes)
        found.push_back(name + " has " + std::to_string(c.geometry.bytes()) +
                        " bytes, expected at least " + std::to_string(CacheSpec::kMinBytes));
    if (c.lookups == 0 || c.hit_latency == 0 || c.fill_latency == 0 || c.fetches == 0 ||
        c.writes == 0)
        found.push_back(name + " has a size or latency of 0");
    if (c.queue < CacheSpec::least_queue(id))
        found.push_back(name + " has a queue of " + std::to_string(c.queue) +
                        ", expected at least " + std::to_string(CacheSpec::least_queue(id)));
}

}  // namespace

std::vector<std::string> McSpec::problems() const {
    std::vector<std::string> found;
    if (arrays == 0 || arrays > kMaxArrays)
        found.push_back("arrays is " + std::to_string(arrays) + ", expected 1 to " +
                        std::to_string(kMaxArrays));
    if (local_ports == 0 || local_ports > kMaxLocalPorts || (local_ports & (local_ports - 1)) != 0)
        found.push_back("local_ports is " + std::to_string(local_ports) +
                        ", expected a power of two up to " + std::to_string(kMaxLocalPorts));
    if (requests == 0 || lines_per_quad == 0 || return_bytes == 0)
        found.emplace_back("requests, lines_per_quad and return_bytes are at least 1");
    if (system.size != 0 && system.bytes_per_cycle == 0)
        found.emplace_back("system.bytes_per_cycle is at least 1");
    for (unsigned i = 0; i < kCaches; ++i)
        check_cache(caches[i], static_cast<CacheId>(i), found);
    return found;
}

}  // namespace archipelago::ctm
