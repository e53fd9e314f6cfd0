// SPDX-License-Identifier: Apache-2.0
// What the memory pool of register writes holds: blocks of chunks in linked lists.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/afuc/cp/write_pool_spec.h"
#include "models/common/clocked.h"

namespace archipelago::afuc {

struct WritePoolState {
    struct Chunk {
        std::array<uint32_t, kWritesOfChunk> index{}, value{};
        uint32_t writes = 0;
    };
    // The place of a chunk; chunk kChunksOfBlock: behind the last chunk of its block.
    struct Place {
        uint32_t block = 0, chunk = kChunksOfBlock;
    };
    struct Queue {
        Place reader, writer;  // the next chunk to be taken, and to be written
        uint32_t chunks = 0, blocks = 0;
        bool open = false;  // its last chunk has room for one more write
        Cycle ready = 0;    // first cycle in which its cluster may take the next chunk
        // counters
        uint64_t writes = 0, empty = 0, full = 0;
        Cycle empty_since = 0, full_since = kNever;
    };
    std::array<Queue, kMaxClusters> queues;
    std::vector<Chunk> chunks;
    std::vector<uint32_t> next;  // of each block: the block after it, in a queue or the free list
    uint32_t free = 0;           // first block of the free list
    uint32_t used = 0;           // blocks in all queues
    uint32_t waiting = 0;        // bit n: queue n has chunks
    // counters
    uint64_t chunks_written = 0, most_blocks = 0, block_cycles = 0, empty = 0, full = 0;
    Cycle used_since = 0, empty_since = 0, full_since = kNever;
};

}  // namespace archipelago::afuc
