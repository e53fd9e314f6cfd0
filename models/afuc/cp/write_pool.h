// SPDX-License-Identifier: Apache-2.0
// The memory pool of register writes of one engine: a queue for each cluster of the pipeline, which
// takes a chunk of two writes at its own pace. Writes of one cluster stay in order, those of
// several do not.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "models/afuc/cp/write_pool_spec.h"
#include "models/afuc/cp/write_pool_state.h"
#include "models/common/archive.h"
#include "models/common/stats.h"
#include "models/common/trace_sink.h"

namespace archipelago::afuc {

// The clusters that registers belong to.
class ClusterMap {
  public:
    explicit ClusterMap(const std::vector<ClusterSpec>& clusters);
    // A bit for each in the order of their queues; 0: its writes pass the pool.
    uint8_t of(uint32_t index) const { return index < clusters_.size() ? clusters_[index] : 0; }
    // Of a register that several have the first one's copy is what reads see.
    bool is_first(uint32_t index, unsigned cluster) const {
        const uint32_t before = (1u << cluster) - 1;
        return (of(index) & before) == 0;
    }

  private:
    std::vector<uint8_t> clusters_;  // by index
};

class WritePool {
  public:
    // `path`: of its engine. All must outlive the pool.
    WritePool(const WritePoolSpec& spec, const ClusterMap& map, const std::string& path);

    bool empty() const { return state_.waiting == 0; }
    // One of these clusters has not taken all its writes.
    bool holds(uint8_t clusters) const { return (state_.waiting & clusters) != 0; }
    // The last write was refused.
    bool full() const { return state_.full_since != kNever; }
    // The write goes to the queues of all these clusters. False: the pool, of which `limit` blocks
    // are in use, is full, and nothing has been written.
    bool put(Cycle now, uint8_t clusters, uint32_t index, uint32_t value, uint32_t limit);
    // Clusters take chunks that were written in cycles before: take(index, value), by the cluster
    // that shows the register. Returns whether one did. Before put() of the same cycle.
    template <class Take>
    bool drain(Cycle now, const Take& take);
    // The cycle of the next drain(); kNever: there is nothing.
    Cycle due() const;

    // What CP_MEM_POOL_DBG_DATA shows at an address.
    uint32_t window(uint32_t address, uint32_t limit) const;
    std::string waiting_for() const;
    const WritePoolState& state() const { return state_; }

    void reset();
    void archive(Archive& a) { a(state_); }
    void register_stats(StatsRegistry& stats) const;
    void observe(const Observers& observers);
    void finish_trace(Cycle now) const;

  private:
    using Queue = WritePoolState::Queue;
    using Chunk = WritePoolState::Chunk;
    using Place = WritePoolState::Place;

    Chunk& at(const Place& p) { return state_.chunks[p.block * kChunksOfBlock + p.chunk]; }
    static bool needs_block(const Queue& q) { return q.writer.chunk == kChunksOfBlock && !q.open; }
    bool has_room(uint8_t clusters, uint32_t limit) const;
    void append(Cycle now, unsigned cluster, uint32_t index, uint32_t value);
    void add_block(Cycle now, Queue& q);
    void free_block(Cycle now, Queue& q);
    void count_blocks(Cycle now, int by);
    void refuse(Cycle now, uint8_t clusters);
    void accept(Cycle now, uint8_t clusters);
    void begin(Cycle now, unsigned cluster);
    void end(Cycle now, unsigned cluster);
    void advance(Cycle now, unsigned cluster);
    uint32_t queue_word(unsigned array, unsigned queue) const;

    const WritePoolSpec& spec_;
    const ClusterMap& map_;
    const std::string path_;
    WritePoolState state_;
    TraceSink* trace_ = nullptr;
    TrackId full_track_ = 0;
    std::vector<TrackId> tracks_;  // of the queues
    std::vector<Cycle> began_;     // since when they have had chunks
};

template <class Take>
bool WritePool::drain(Cycle now, const Take& take) {
    bool moved = false;
    for (uint32_t left = state_.waiting; left != 0; left &= left - 1) {
        const auto cluster = static_cast<unsigned>(__builtin_ctz(left));
        Queue& q = state_.queues[cluster];
        if (q.ready > now)
            continue;
        const Chunk& chunk = at(q.reader);
        for (uint32_t i = 0; i < chunk.writes; ++i)
            if (map_.is_first(chunk.index[i], cluster))
                take(chunk.index[i], chunk.value[i]);
        advance(now, cluster);
        moved = true;
    }
    return moved;
}

}  // namespace archipelago::afuc
