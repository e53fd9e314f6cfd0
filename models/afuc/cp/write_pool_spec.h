// SPDX-License-Identifier: Apache-2.0
// The memory pool of register writes: a shared pool in which each cluster of the pipeline has a
// queue of the writes that it has not taken yet. From a6xx on.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/afuc/isa/generation.h"

namespace archipelago::afuc {

inline constexpr unsigned kMaxClusters = 8;
inline constexpr unsigned kChunksOfBlock = 8;
inline constexpr unsigned kWritesOfChunk = 2;  // a chunk has 128 bits

struct RegisterRange {
    uint32_t first = 0, last = 0;  // indices of GPU registers, both included
};

struct ClusterSpec {
    std::string name;
    unsigned chunk = 1;  // cycles from one chunk that it takes to the next
    std::vector<RegisterRange> registers;
};

struct WritePoolSpec {
    unsigned blocks = 0;                // 0: the generation has no pool
    std::vector<ClusterSpec> clusters;  // in the order of their queues
};

// Names of the clusters, in the order of their queues; a5xx has none.
inline std::vector<const char*> clusters_of(Names names) {
    if (names == Names::A5xx)
        return {};
    if (names == Names::A6xx)
        return {"fe", "sp_vs", "pc_vs", "gras", "sp_ps", "ps"};
    return {"fe", "sp_vs", "pc_vs", "gras", "sp_ps", "vpc_ps", "ps"};
}

}  // namespace archipelago::afuc
