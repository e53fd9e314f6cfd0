// SPDX-License-Identifier: Apache-2.0
// The memory pool of register writes alone: order, pace of the clusters, blocks, what its window
// shows.
#include "models/afuc/cp/write_pool.h"

#include <gtest/gtest.h>

#include <deque>
#include <random>

namespace archipelago::afuc::test {
namespace {

constexpr uint32_t kAll = 128;  // CP_MEM_POOL_SIZE

struct Written {
    uint32_t index = 0, value = 0;
    bool operator==(const Written& o) const { return index == o.index && value == o.value; }
};

// Cluster n has the registers 0x100 * (n + 1) to 0x100 * (n + 1) + 0xff; all have 0x900.
WritePoolSpec pool_spec(unsigned blocks, const std::vector<unsigned>& chunks) {
    WritePoolSpec s;
    s.blocks = blocks;
    for (uint32_t i = 0; i < chunks.size(); ++i)
        s.clusters.push_back({"c" + std::to_string(i),
                              chunks[i],
                              {{0x100 * (i + 1), 0x100 * (i + 1) + 0xFF}, {0x900, 0x900}}});
    return s;
}

struct Bench {
    explicit Bench(const WritePoolSpec& s) : spec(s), map(spec.clusters), pool(spec, map, "cp") {}
    bool put(Cycle now, uint32_t index, uint32_t value, uint32_t limit = kAll) {
        return pool.put(now, map.of(index), index, value, limit);
    }
    std::vector<Written> drain(Cycle now) {
        std::vector<Written> taken;
        pool.drain(now, [&](uint32_t index, uint32_t value) { taken.push_back({index, value}); });
        return taken;
    }
    const WritePoolSpec spec;
    const ClusterMap map;
    WritePool pool;
};

TEST(AfucWritePool, RegistersBelongToTheClustersThatNameThem) {
    const Bench b(pool_spec(8, {1, 1, 1}));
    EXPECT_EQ(b.map.of(0x0FF), 0u);
    EXPECT_EQ(b.map.of(0x100), 1u);
    EXPECT_EQ(b.map.of(0x1FF), 1u);
    EXPECT_EQ(b.map.of(0x300), 4u);
    EXPECT_EQ(b.map.of(0x400), 0u);
    EXPECT_EQ(b.map.of(0x900), 7u);
    EXPECT_EQ(b.map.of(0x901), 0u);
    EXPECT_EQ(b.map.of(0x3FFFF), 0u);
}

// Two writes share a chunk, which leaves in the cycle after its first write and not before; the
// next one follows as many cycles later as the cluster takes for one.
TEST(AfucWritePool, AClusterTakesAChunkAtItsPace) {
    Bench b(pool_spec(8, {3}));
    for (uint32_t i = 0; i < 4; ++i)
        ASSERT_TRUE(b.put(10, 0x100 + i, i));
    EXPECT_EQ(b.pool.due(), 11u);
    EXPECT_TRUE(b.drain(10).empty());
    EXPECT_EQ(b.drain(11), (std::vector<Written>{{0x100, 0}, {0x101, 1}}));
    EXPECT_EQ(b.pool.due(), 14u);
    EXPECT_TRUE(b.drain(13).empty());
    EXPECT_EQ(b.drain(14), (std::vector<Written>{{0x102, 2}, {0x103, 3}}));
    EXPECT_TRUE(b.pool.empty());
    EXPECT_EQ(b.pool.due(), kNever);
    // The pace holds across the gap.
    ASSERT_TRUE(b.put(15, 0x100, 9));
    EXPECT_EQ(b.pool.due(), 17u);
}

TEST(AfucWritePool, AChunkWithOneWriteTakesTheQueuesNext) {
    Bench b(pool_spec(8, {1, 1}));
    ASSERT_TRUE(b.put(1, 0x100, 1));
    ASSERT_TRUE(b.put(1, 0x200, 2));
    ASSERT_TRUE(b.put(1, 0x101, 3));
    EXPECT_EQ(b.pool.state().chunks_written, 2u);
    EXPECT_EQ(b.drain(2), (std::vector<Written>{{0x100, 1}, {0x101, 3}, {0x200, 2}}));
}

TEST(AfucWritePool, ASlowClusterLetsOthersRunAhead) {
    Bench b(pool_spec(16, {1000, 1}));
    std::vector<Written> taken;
    for (uint32_t i = 0; i < 40; ++i) {
        ASSERT_TRUE(b.put(i, 0x100 + i, i));
        ASSERT_TRUE(b.put(i, 0x200 + i, i));
        for (const Written& w : b.drain(i + 1))
            taken.push_back(w);
    }
    EXPECT_EQ(taken.size(), 41u);  // one chunk of the slow one with its first write
    EXPECT_EQ(taken.back(), (Written{0x227, 39}));
    EXPECT_TRUE(b.pool.holds(1));
    EXPECT_FALSE(b.pool.holds(2));
}

// The copy of the first cluster is what reads see.
TEST(AfucWritePool, ARegisterOfSeveralClustersGoesToEach) {
    Bench b(pool_spec(8, {5, 1, 1}));
    ASSERT_TRUE(b.put(1, 0x100, 7));
    ASSERT_TRUE(b.put(1, 0x101, 7));
    ASSERT_TRUE(b.put(1, 0x900, 8));
    for (unsigned i = 0; i < 3; ++i)
        EXPECT_TRUE(b.pool.holds(static_cast<uint8_t>(1u << i)));
    EXPECT_EQ(b.drain(2), (std::vector<Written>{{0x100, 7}, {0x101, 7}}));
    EXPECT_FALSE(b.pool.holds(6));
    EXPECT_EQ(b.drain(7), (std::vector<Written>{{0x900, 8}}));
}

TEST(AfucWritePool, AFullPoolRefusesUntilABlockIsFree) {
    Bench b(pool_spec(8, {4, 4}));
    constexpr uint32_t kWrites = 8 * kChunksOfBlock * kWritesOfChunk;
    for (uint32_t i = 0; i < kWrites - 16; ++i)
        ASSERT_TRUE(b.put(0, 0x100 + i, i)) << i;
    ASSERT_TRUE(b.put(0, 0x200, 1));
    EXPECT_EQ(b.pool.state().used, 8u);
    EXPECT_TRUE(b.put(0, 0x201, 0)) << "the other's block has room";
    EXPECT_FALSE(b.pool.full());
    EXPECT_FALSE(b.put(1, 0x100, 0));
    EXPECT_TRUE(b.pool.full());
    EXPECT_EQ(b.drain(1).size(), 4u);  // the other's queue is empty then
    EXPECT_EQ(b.pool.state().used, 7u);
    for (uint32_t i = 0; i < 16; ++i)
        EXPECT_TRUE(b.put(4, 0x100 + i, 0));
    EXPECT_FALSE(b.pool.full());
    EXPECT_FALSE(b.put(4, 0x100, 0));
    // A block of the first is free when its eighth chunk has been taken.
    for (Cycle now = 5; now < 29; ++now)
        b.drain(now);
    EXPECT_FALSE(b.put(28, 0x100, 0));
    b.drain(29);
    EXPECT_TRUE(b.put(29, 0x100, 0));
    EXPECT_EQ(b.pool.state().full, 3u + 25u);
    EXPECT_EQ(b.pool.state().queues[0].full, 3u + 25u);
    EXPECT_EQ(b.pool.state().queues[1].full, 0u);
    EXPECT_EQ(b.pool.state().most_blocks, 8u);
}

TEST(AfucWritePool, NoMoreBlocksAreUsedThanTheRegisterSays) {
    Bench b(pool_spec(8, {1, 1}));
    EXPECT_FALSE(b.put(0, 0x100, 0, 0));
    EXPECT_TRUE(b.put(0, 0x100, 0, 1));
    EXPECT_FALSE(b.put(0, 0x200, 0, 1));
    EXPECT_FALSE(b.put(0, 0x900, 0, 1));
    EXPECT_TRUE(b.put(0, 0x900, 0, 2));
}

// ---- what the window shows, read as a crash decoder does ---------------------------------------

std::vector<Written> decode(const WritePool& pool, unsigned queue, uint32_t blocks) {
    const uint32_t half = blocks <= 0x40 ? 2 : 1;
    const auto word = [&](uint32_t at) { return pool.window(at, kAll); };
    const auto state = [&](uint32_t array) { return word(0x1800 / half + 8 * array + queue); };
    std::vector<Written> found;
    uint32_t chunk = state(5) & 7, block = chunk > 3 ? state(5) >> 3 : state(7);
    const uint32_t last_chunk = state(1) & 7;
    const uint32_t last_block = last_chunk > 3 ? state(1) >> 3 : state(3);
    uint32_t chunks = 0;
    for (; block != last_block || chunk != last_chunk; ++chunks) {
        const uint32_t at = block * 32 + chunk * 4;
        const uint64_t low = word(at) | uint64_t{word(at + 1)} << 32;
        const uint64_t high = word(at + 2) | uint64_t{word(at + 3)} << 32;
        if ((low & 1) != 0)
            found.push_back(
                {static_cast<uint32_t>(high >> 2 & 0x3FFFF), static_cast<uint32_t>(low >> 2)});
        if ((low & 2) != 0)
            found.push_back({static_cast<uint32_t>(high >> 20 & 0x3FFFF),
                             static_cast<uint32_t>(low >> 34 | (high & 3) << 30)});
        if (++chunk == 8) {
            chunk = 0;
            block = word(0x1000 / half + block);
        }
        if (block >= blocks) {
            ADD_FAILURE() << "block " << block;
            return found;
        }
    }
    EXPECT_EQ(word(0x2000 / half + 0x18 + queue), chunks);
    return found;
}

// Regardless of what is written and taken: each queue gives what it got, in order, no block is
// lost, and the window shows what is there.
void compare(unsigned blocks, uint64_t seed) {
    SCOPED_TRACE(std::to_string(blocks) + " blocks, seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    const auto below = [&](uint32_t n) { return static_cast<uint32_t>(random() % n); };
    Bench b(pool_spec(blocks, {1 + below(4), 1 + below(40), 1, 1 + below(9), 2, 1 + below(200)}));
    std::array<std::deque<Written>, kMaxClusters> expected;
    for (Cycle now = 1; now < 600; ++now) {
        for (const Written& w : b.drain(now)) {
            const auto cluster = static_cast<unsigned>(__builtin_ctz(b.map.of(w.index)));
            // Copies of the register of all that others have taken are not shown.
            while (!expected[cluster].empty() && !(expected[cluster].front() == w))
                expected[cluster].pop_front();
            ASSERT_FALSE(expected[cluster].empty());
            expected[cluster].pop_front();
        }
        for (uint32_t n = below(4); n != 0; --n) {
            const uint32_t index = below(9) == 0 ? 0x900 : 0x100 * (1 + below(6)) + below(256);
            const auto value = static_cast<uint32_t>(random());
            if (b.put(now, index, value))
                for (uint32_t left = b.map.of(index); left != 0; left &= left - 1)
                    expected[static_cast<unsigned>(__builtin_ctz(left))].push_back({index, value});
        }
        uint32_t used = 0;
        for (unsigned i = 0; i < 6; ++i) {
            used += b.pool.state().queues[i].blocks;
            if (b.pool.state().used == blocks)
                continue;  // a full pool has no block to stand for the next
            const std::vector<Written> shown = decode(b.pool, i, blocks);
            const std::deque<Written>& all = expected[i];
            ASSERT_LE(shown.size(), all.size());
            ASSERT_TRUE(std::equal(shown.rbegin(), shown.rend(), all.rbegin()));
            // Of the first cluster nothing is hidden.
            ASSERT_TRUE(i != 0 || shown.size() == all.size());
        }
        ASSERT_EQ(used, b.pool.state().used);
    }
    EXPECT_EQ(b.pool.window(0x2000 / (blocks <= 0x40 ? 2 : 1), kAll), kAll);
}

TEST(AfucWritePool, RandomWritesComeOutInOrderAndTheWindowShowsThem) {
    for (uint64_t seed = 1; seed <= 20 && !testing::Test::HasFailure(); ++seed) {
        compare(8, seed);
        compare(128, seed);
    }
}

}  // namespace
}  // namespace archipelago::afuc::test
