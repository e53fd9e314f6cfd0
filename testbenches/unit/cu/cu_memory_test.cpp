// SPDX-License-Identifier: Apache-2.0
// What loads, stores, atomics, LDS and scalar memory do in cycle mode.
#include <gtest/gtest.h>

#include <memory>
#include <set>

#include "testbenches/unit/cu/cu_bench.h"
#include "testbenches/unit/cu/programs.h"

namespace archipelago::cu::test {
namespace {

class CuMemory : public ::testing::Test {
  protected:
    CuMemory() {
        for (unsigned i = 0; i < 4096; ++i)
            bench.set_word(4 * i, i * 2654435761u);
    }
    void run(const std::vector<uint32_t>& program) {
        bench.load(program);
        bench.launch(make_launch());
        bench.run();
        ASSERT_EQ(bench.spi.ended.size(), 1u);
        EXPECT_TRUE(bench.core.idle());
    }
    const Counters& counters() const { return bench.core.state().counters; }
    static uint32_t initial(unsigned index) { return index * 2654435761u; }
    CuBench bench;
};

TEST_F(CuMemory, AWaveOfConsecutiveDwordsTakesFourRequestsEachWay) {
    run(kLoadAddStore);
    for (unsigned i = 0; i < 64; ++i)
        EXPECT_EQ(bench.word(1024 + 4 * i), initial(i) + 5);
    EXPECT_EQ(counters().vmem_load_requests, 4u);
    EXPECT_EQ(counters().vmem_store_requests, 4u);
    EXPECT_EQ(counters().work.vmem_lanes, 128u);
    for (const MemRequest& r : bench.l1.seen) {
        EXPECT_EQ(r.byte_mask, ~uint64_t{0});
        EXPECT_EQ(r.source, 7);
        EXPECT_EQ(r.client, Client::Vector);
        EXPECT_EQ(r.line % 64, 0u);
    }
}

TEST_F(CuMemory, AStrideOfALineTakesSixtyFourRequests) {
    run(kLoadStride64);
    EXPECT_EQ(counters().vmem_requests, 64u);
    EXPECT_EQ(bench.l1.seen.size(), 64u);
}

TEST_F(CuMemory, AUniformLoadTakesOneRequest) {
    run(kLoadUniform);
    EXPECT_EQ(counters().vmem_requests, 1u);
    EXPECT_EQ(bench.l1.seen[0].byte_mask, 0xFu);
}

TEST_F(CuMemory, WideAccessesMayCrossLines) {
    run(kLoadWide);
    for (unsigned i = 0; i < 256; ++i)
        EXPECT_EQ(bench.word(2048 + 4 * i), initial(5 + i));
    EXPECT_EQ(counters().vmem_load_requests, 17u);
}

TEST_F(CuMemory, BytesAndShortsAreExtended) {
    run(kBytes);
    const auto byte = [](unsigned i) { return initial(i / 4) >> (i % 4 * 8) & 0xFF; };
    for (unsigned i = 0; i < 64; ++i) {
        uint8_t b = 0;
        uint16_t h = 0;
        bench.memory.read(kData + 1024 + i, &b, 1);
        bench.memory.read(kData + 2048 + 2 * i, &h, 2);
        EXPECT_EQ(b, byte(i));
        EXPECT_EQ(h, static_cast<uint16_t>(static_cast<int8_t>(byte(i))));
        EXPECT_EQ(bench.word(3072 + 4 * i),
                  static_cast<uint32_t>(static_cast<int16_t>(byte(2 * i) | byte(2 * i + 1) << 8)));
    }
}

TEST_F(CuMemory, AtomicsOnOneLocationSeeEachOtherInLaneOrder) {
    bench.set_word(0, 1000);
    run(kAtomicSame);
    EXPECT_EQ(bench.word(0), 1064u);
    for (unsigned i = 0; i < 64; ++i)
        EXPECT_EQ(bench.word(1024 + 4 * i), 1000 + i);
    EXPECT_EQ(counters().vmem_atomic_requests, 64u);
}

TEST_F(CuMemory, AtomicsOnSeveralLocationsOfALineShareRequests) {
    for (unsigned i = 0; i < 16; ++i)
        bench.set_word(4 * i, 50);
    run(kAtomicSpread);
    for (unsigned i = 0; i < 16; ++i)
        EXPECT_EQ(bench.word(4 * i), std::max(50u, i + 48));
    EXPECT_LE(counters().vmem_atomic_requests, 16u);
    for (const MemRequest& r : bench.l1.seen)
        EXPECT_FALSE(r.returns);
}

TEST_F(CuMemory, CompareAndSwapComparesEachLaneByItself) {
    for (unsigned i = 0; i < 4; ++i)
        bench.set_word(4 * i, i);
    run(kAtomicCompare);
    for (unsigned i = 0; i < 4; ++i) {
        EXPECT_EQ(bench.word(4 * i), i + 100);
        EXPECT_EQ(bench.word(1024 + 4 * i), i);
        EXPECT_EQ(bench.word(1024 + 4 * (i + 4)), i + 100);
    }
}

TEST_F(CuMemory, SixtyFourBitAtomicsCarry) {
    for (unsigned i = 0; i < 32; ++i) {
        bench.set_word(8 * i, i);
        bench.set_word(8 * i + 4, 0);
    }
    run(kAtomicWide);
    for (unsigned i = 0; i < 32; ++i) {
        const uint64_t step = 0x1FFFFFFFFull;
        const uint64_t end = bench.word(8 * i) | uint64_t{bench.word(8 * i + 4)} << 32;
        EXPECT_EQ(end, i + 2 * step);
        const unsigned at = 1024 + 16 * i;
        EXPECT_EQ(bench.word(at) | uint64_t{bench.word(at + 4)} << 32, i);
        EXPECT_EQ(bench.word(at + 8) | uint64_t{bench.word(at + 12)} << 32, i + step);
    }
}

TEST_F(CuMemory, DivergentLanesTakeBothSides) {
    run(kDivergence);
    for (unsigned i = 0; i < 64; ++i)
        EXPECT_EQ(bench.word(4 * i), i < 32 ? 1u : 2u);
    EXPECT_EQ(counters().work.valu_lanes, 64u * 2 + 32 + 32 + 64);
}

TEST_F(CuMemory, WavesExchangeDataThroughLdsAcrossABarrier) {
    bench.load(kExchange);
    for (unsigned i = 0; i < 4; ++i)
        bench.launch(make_launch(4, i), i * 50);
    bench.run();
    ASSERT_EQ(bench.spi.ended.size(), 4u);
    for (unsigned i = 0; i < 256; ++i)
        EXPECT_EQ(bench.word(4 * i), 3 * (i ^ 64));
    EXPECT_EQ(counters().work.barriers, 4u);
}

TEST_F(CuMemory, GroupsHaveTheirOwnBarriersAndLds) {
    bench.load(kExchange);
    for (unsigned group = 0; group < 3; ++group)
        for (unsigned i = 0; i < 4; ++i) {
            WaveLaunch l = make_launch(4, i, group);
            set_descriptor(l, kData + 1024 * group, 1024);
            bench.launch(l, group * 3 + i * 40);
        }
    bench.run();
    ASSERT_EQ(bench.spi.ended.size(), 12u);
    for (unsigned i = 0; i < 3 * 256; ++i)
        EXPECT_EQ(bench.word(4 * i), 3 * (i % 256 ^ 64));
}

TEST_F(CuMemory, ABarrierDoesNotWaitForWavesThatHaveEnded) {
    // The first wave ends at once, the others meet.
    const std::vector<uint32_t> early = {0xbf810000};
    bench.load(kUnevenBarrier);
    bench.load(early, kCode + 0x800);
    for (unsigned i = 0; i < 3; ++i) {
        WaveLaunch l = make_launch(3, i);
        l.sgpr_init[5] = i;
        if (i == 2)
            l.pc = kCode + 0x800;
        bench.launch(l);
    }
    bench.run();
    EXPECT_EQ(bench.spi.ended.size(), 3u);
}

TEST_F(CuMemory, ScalarLoadsOfAllWidthsArrive) {
    bench.load(kScalarLoads);
    WaveLaunch l = make_launch();
    l.sgpr_init[4] = kData;
    bench.launch(l);
    bench.run();
    const uint32_t sum =
        initial(0) + initial(1) + initial(2) + initial(3) + initial(6) + initial(8) + initial(15);
    for (unsigned i = 0; i < 64; ++i)
        EXPECT_EQ(bench.word(1024 + 4 * i), sum + i);
    EXPECT_EQ(bench.scalar.invalidations, 1u);
    EXPECT_EQ(counters().smem_requests, 5u);
}

TEST_F(CuMemory, ScalarBufferLoadsBeyondTheBufferReadZeroWithoutARequest) {
    bench.load(kScalarLoads);
    WaveLaunch l = make_launch();
    l.sgpr_init[4] = kData;
    set_descriptor(l, kData, 9 * 4);  // one dword of the eight is inside; stores fall outside
    bench.launch(l);
    bench.run();
    ASSERT_EQ(bench.spi.ended.size(), 1u);
    EXPECT_EQ(bench.word(1024), initial(256));
}

TEST_F(CuMemory, TheL1InvalidationCountsAsOneAccess) {
    run(kInvalidate);
    EXPECT_EQ(bench.l1.invalidations, 1u);
    EXPECT_EQ(counters().vmem_requests, 0u);
}

TEST_F(CuMemory, RequestsOfOneInstructionShareATransactionId) {
    run(kLoadAddStore);
    std::set<uint64_t> ids;
    for (const MemRequest& r : bench.l1.seen)
        ids.insert(r.uid);
    EXPECT_EQ(ids.size(), 2u);
}

TEST_F(CuMemory, AWaveEndsOnlyWhenItsStoresAreAcknowledged) {
    CuBench slow({}, {2, 10, 500});
    slow.load(kDivergence);
    slow.launch(make_launch());
    slow.run();
    ASSERT_EQ(slow.spi.ended_at.size(), 1u);
    EXPECT_GT(slow.spi.ended_at[0], slow.l1.seen_at.back() + 500);
    EXPECT_GT(slow.core.state().counters.wave_cycles[static_cast<unsigned>(WaveTime::Drain)], 400u);
}

TEST_F(CuMemory, ManyGroupsReduceToTheRightSums) {
    bench.load(kReduce);
    uint32_t expected = 0;
    for (unsigned group = 0; group < 4; ++group) {
        for (unsigned i = 0; i < 4; ++i) {
            WaveLaunch l = make_launch(4, i, group);
            l.sgpr_init[4] = group;
            l.sgpr_init[6] = 0x8000;
            bench.launch(l);
        }
        for (unsigned i = 0; i < 256; ++i)
            expected += initial(256 * group + i);
    }
    bench.run();
    ASSERT_EQ(bench.spi.ended.size(), 16u);
    EXPECT_EQ(bench.word(0x8000), expected);
}

}  // namespace
}  // namespace archipelago::cu::test
