// SPDX-License-Identifier: Apache-2.0
#include "models/afuc/cp/write_pool.h"

#include "models/common/stall_cycles.h"

namespace archipelago::afuc {
namespace {

// Where the window shows what; source: the crash decoder of Mesa. Pools of up to kSmallPool blocks
// have it at half the distance.
constexpr uint32_t kSmallPool = 0x40;
constexpr uint32_t kLinks = 0x1000, kQueues = 0x1800, kSizes = 0x2000;
constexpr uint32_t kQueueSizes = 0x18;  // after kSizes, in chunks
// Arrays after kQueues, of a word for each queue.
enum Array : uint8_t { kWriter = 1, kWriterBlock = 3, kReader = 5, kReaderBlock = 7, kBlocks = 8 };

// 128 bits: two valid bits, two values, two registers of 18 bits.
uint32_t chunk_word(const WritePoolState::Chunk& c, uint32_t word) {
    const uint32_t valid = (1u << c.writes) - 1;
    switch (word) {
        case 0:
            return valid | c.value[0] << 2;
        case 1:
            return c.value[0] >> 30 | c.value[1] << 2;
        case 2:
            return c.value[1] >> 30 | c.index[0] << 2 | c.index[1] << 20;
        default:
            return c.index[1] >> 12;
    }
}

}  // namespace

ClusterMap::ClusterMap(const std::vector<ClusterSpec>& clusters) {
    for (size_t cluster = 0; cluster < clusters.size(); ++cluster)
        for (const RegisterRange& range : clusters[cluster].registers) {
            if (range.last >= clusters_.size())
                clusters_.resize(range.last + 1);
            for (uint32_t index = range.first; index <= range.last; ++index)
                clusters_[index] |= static_cast<uint8_t>(1u << cluster);
        }
}

WritePool::WritePool(const WritePoolSpec& spec, const ClusterMap& map, const std::string& path)
    : spec_(spec), map_(map), path_(path + ".pool") {
    reset();
}

void WritePool::reset() {
    state_ = {};
    state_.chunks.resize(size_t{spec_.blocks} * kChunksOfBlock);
    state_.next.resize(spec_.blocks);
    for (uint32_t block = 0; block < spec_.blocks; ++block)
        state_.next[block] = block + 1;
}

// ---- writer ------------------------------------------------------------------------------------

bool WritePool::has_room(uint8_t clusters, uint32_t limit) const {
    uint32_t blocks = 0;
    for (uint32_t left = clusters; left != 0; left &= left - 1)
        blocks += needs_block(state_.queues[static_cast<unsigned>(__builtin_ctz(left))]) ? 1 : 0;
    return blocks == 0 || state_.used + blocks <= std::min(limit, spec_.blocks);
}

bool WritePool::put(Cycle now, uint8_t clusters, uint32_t index, uint32_t value, uint32_t limit) {
    if (!has_room(clusters, limit)) {
        refuse(now, clusters);
        return false;
    }
    if (full())
        accept(now, clusters);
    for (uint32_t left = clusters; left != 0; left &= left - 1)
        append(now, static_cast<unsigned>(__builtin_ctz(left)), index, value);
    return true;
}

inline void WritePool::append(Cycle now, unsigned cluster, uint32_t index, uint32_t value) {
    Queue& q = state_.queues[cluster];
    ++q.writes;
    if (q.open) {
        Chunk& chunk = at({q.writer.block, q.writer.chunk - 1});
        chunk.index[1] = index;
        chunk.value[1] = value;
        chunk.writes = 2;
        q.open = false;
        return;
    }
    if (q.chunks == 0)
        begin(now, cluster);
    if (q.writer.chunk == kChunksOfBlock)
        add_block(now, q);
    Chunk& chunk = at(q.writer);
    chunk.index[0] = index;
    chunk.value[0] = value;
    chunk.writes = 1;
    q.open = true;
    ++q.writer.chunk;
    ++q.chunks;
    ++state_.chunks_written;
}

void WritePool::add_block(Cycle now, Queue& q) {
    const uint32_t block = state_.free;
    state_.free = state_.next[block];
    if (q.blocks == 0)
        q.reader = {block, 0};
    else
        state_.next[q.writer.block] = block;
    q.writer = {block, 0};
    ++q.blocks;
    count_blocks(now, 1);
}

void WritePool::refuse(Cycle now, uint8_t clusters) {
    note_stall(true, now, state_.full_since, state_.full);
    for (unsigned i = 0; i < spec_.clusters.size(); ++i)
        if ((clusters >> i & 1) != 0 && needs_block(state_.queues[i]))
            note_stall(true, now, state_.queues[i].full_since, state_.queues[i].full);
}

void WritePool::accept(Cycle now, uint8_t clusters) {
    if (trace_ != nullptr)
        trace_->slice(full_track_, state_.full_since, now, "full");
    note_stall(false, now, state_.full_since, state_.full);
    for (unsigned i = 0; i < spec_.clusters.size(); ++i)
        if ((clusters >> i & 1) != 0)
            note_stall(false, now, state_.queues[i].full_since, state_.queues[i].full);
}

// A queue that was empty: what is written can be taken from the next cycle on.
void WritePool::begin(Cycle now, unsigned cluster) {
    Queue& q = state_.queues[cluster];
    q.ready = std::max(q.ready, now + 1);
    note_stall(false, now, q.empty_since, q.empty);
    if (state_.waiting == 0)
        note_stall(false, now, state_.empty_since, state_.empty);
    state_.waiting |= 1u << cluster;
    if (trace_ != nullptr)
        began_[cluster] = now;
}

// ---- readers -----------------------------------------------------------------------------------

void WritePool::advance(Cycle now, unsigned cluster) {
    Queue& q = state_.queues[cluster];
    q.ready = now + spec_.clusters[cluster].chunk;
    ++q.reader.chunk;
    if (--q.chunks == 0)
        end(now, cluster);
    else if (q.reader.chunk == kChunksOfBlock)
        free_block(now, q);
}

// The block in which an empty queue would go on is given back, so that none is kept from others.
void WritePool::end(Cycle now, unsigned cluster) {
    Queue& q = state_.queues[cluster];
    free_block(now, q);
    q.reader = q.writer = {};
    q.open = false;
    state_.waiting &= ~(1u << cluster);
    note_stall(true, now, q.empty_since, q.empty);
    if (state_.waiting == 0)
        note_stall(true, now, state_.empty_since, state_.empty);
    if (trace_ != nullptr)
        trace_->slice(tracks_[cluster], began_[cluster], now, "writes");
}

void WritePool::free_block(Cycle now, Queue& q) {
    const uint32_t block = q.reader.block;
    q.reader = {state_.next[block], 0};
    state_.next[block] = state_.free;
    state_.free = block;
    --q.blocks;
    count_blocks(now, -1);
}

void WritePool::count_blocks(Cycle now, int by) {
    state_.block_cycles += state_.used * (now - state_.used_since);
    state_.used_since = now;
    state_.used += static_cast<uint32_t>(by);
    state_.most_blocks = std::max<uint64_t>(state_.most_blocks, state_.used);
}

Cycle WritePool::due() const {
    Cycle first = kNever;
    for (uint32_t left = state_.waiting; left != 0; left &= left - 1)
        first = std::min(first, state_.queues[static_cast<unsigned>(__builtin_ctz(left))].ready);
    return first;
}

// ---- what others see ---------------------------------------------------------------------------

// Both blocks of a reader and of a writer are the one at hand; of a full one the next block that is
// free stands for the one that the writer will take.
uint32_t WritePool::queue_word(unsigned array, unsigned queue) const {
    const Queue& q = state_.queues[queue];
    const bool ends = q.blocks != 0 && q.writer.chunk == kChunksOfBlock;
    const Place writer = q.blocks == 0 ? Place{0, 0} : ends ? Place{state_.free, 0} : q.writer;
    const Place reader = q.blocks == 0 ? Place{0, 0} : q.reader;
    switch (array) {
        case kWriter:
            return writer.block << 3 | writer.chunk;
        case kWriterBlock:
            return writer.block;
        case kReader:
            return reader.block << 3 | reader.chunk;
        case kReaderBlock:
            return reader.block;
        case kBlocks:
            return q.blocks;
        default:
            return 0;
    }
}

uint32_t WritePool::window(uint32_t address, uint32_t limit) const {
    const uint32_t half = spec_.blocks <= kSmallPool ? 2 : 1;
    const uint32_t links = kLinks / half, queues = kQueues / half, sizes = kSizes / half;
    if (address < state_.chunks.size() * 4)
        return chunk_word(state_.chunks[address / 4], address % 4);
    if (address >= links && address - links < state_.next.size()) {
        const uint32_t block = address - links;
        for (const Queue& q : state_.queues)
            if (q.blocks != 0 && q.writer.block == block)
                return state_.free;
        return state_.next[block];
    }
    if (address >= queues && address < sizes)
        return queue_word((address - queues) / kMaxClusters, (address - queues) % kMaxClusters);
    if (address == sizes)
        return limit;
    const uint32_t first = sizes + kQueueSizes;
    return address >= first && address - first < kMaxClusters
               ? state_.queues[address - first].chunks
               : 0;
}

std::string WritePool::waiting_for() const {
    std::string text;
    for (size_t i = 0; i < spec_.clusters.size(); ++i)
        if (state_.queues[i].chunks != 0)
            text += (text.empty() ? "" : ", ") + spec_.clusters[i].name + " " +
                    std::to_string(state_.queues[i].chunks) + " chunks";
    if (text.empty() && !full())
        return "";
    return path_ + ": " + (full() ? "full: " : "") + text;
}

void WritePool::register_stats(StatsRegistry& stats) const {
    const UnitStats add(stats, path_);
    add("chunks", "chunks", "of 128 bits written", &state_.chunks_written);
    add("blocks_most", "blocks", "in use at once", &state_.most_blocks);
    add("block_cycles", "blocks x cycles", "in use; by cycles: on average", &state_.block_cycles);
    add("empty", "cycles", "no queue has a write (PERF_CP_MEMORY_POOL_EMPTY)", &state_.empty);
    add("full", "cycles", "a write waits for a block", &state_.full);
    for (size_t i = 0; i < spec_.clusters.size(); ++i) {
        const UnitStats of(stats, path_ + "." + spec_.clusters[i].name);
        const Queue& q = state_.queues[i];
        of("writes", "registers", "written through its queue", &q.writes);
        of("empty", "cycles", "its queue has none (PERF_CP_CLUSTERn_EMPTY)", &q.empty);
        of("full", "cycles", "one of its writes waits for a block (PERF_CP_CLUSTERn_FULL)",
           &q.full);
    }
}

void WritePool::observe(const Observers& observers) {
    trace_ = observers.trace;
    if (trace_ == nullptr)
        return;
    full_track_ = observers.track(path_);
    tracks_.clear();
    for (const ClusterSpec& cluster : spec_.clusters)
        tracks_.push_back(observers.track(path_ + "." + cluster.name));
    began_.assign(tracks_.size(), 0);
}

void WritePool::finish_trace(Cycle now) const {
    if (trace_ == nullptr)
        return;
    if (full())
        trace_->slice(full_track_, state_.full_since, now, "full");
    for (unsigned i = 0; i < tracks_.size(); ++i)
        if ((state_.waiting >> i & 1) != 0)
            trace_->slice(tracks_[i], began_[i], now, "writes");
}

}  // namespace archipelago::afuc
