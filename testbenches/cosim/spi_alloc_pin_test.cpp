// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "models/common/error.h"
#include "models/spi/spi_alloc_core.h"
#include "testbenches/cosim/on_pins.h"

namespace archipelago::rtl {
namespace {

using testing::ElementsAre;

class SpiAllocPinsTest : public OnPins<SpiAllocPins> {
  protected:
    // Anew, with so many compute units in one array.
    void shape(uint8_t cus) {
        in_.cfg.engines = in_.cfg.arrays = 1;
        in_.cfg.cus = cus;
        reset();
    }
    void reset() {
        in_.rst = 1;
        step();
        in_.rst = 0;
    }
    SpiAllocPins::Query& q() { return in_.query; }
    void ask_for(uint8_t waves, uint8_t vgprs = 1, uint8_t sgprs = 1, uint16_t lds = 0) {
        q() = {};
        q().waves = waves;
        q().vgprs = vgprs;
        q().sgprs = sgprs;
        q().lds = lds;
        q().enabled = ~uint64_t{0};
    }
    // The decision on the query, and the cycles it took.
    unsigned decide() {
        in_.query_valid = 1;
        in_.grant_ready = 1;
        EXPECT_EQ(step().query_ready, 1);
        in_.query_valid = 0;
        unsigned cycles = 0;
        while (step().grant_valid == 0 && cycles < 2000)
            ++cycles;
        return cycles;
    }
    bool placed() {
        decide();
        return out_.grant_placed != 0;
    }
    const SpiAllocPins::Out& free(uint8_t simd, uint8_t slot, uint8_t cu = 0) {
        in_.free_valid = 1;
        in_.free = {};
        in_.free.cu = cu;
        in_.free.simd = simd;
        in_.free.slot = slot;
        step();
        in_.free_valid = 0;
        return out_;
    }
};

TEST_P(SpiAllocPinsTest, GroupsGoToEnginesArraysAndUnitsInTurn) {
    ask_for(1);
    for (const unsigned at : {0x00u, 0x20u, 0x10u, 0x30u, 0x01u, 0x21u, 0x11u, 0x31u, 0x02u}) {
        ASSERT_TRUE(placed());
        EXPECT_EQ(out_.grant_engine << 5 | out_.grant_array << 4 | out_.grant_cu,
                  static_cast<int>(at));
    }
}

TEST_P(SpiAllocPinsTest, DecisionTakesACycleForEachUnitAndWaveLookedAt) {
    ask_for(5);
    EXPECT_EQ(decide(), 6u);
    q().enabled = 0;
    EXPECT_EQ(decide(), 32u);
    q().launching = 3;
    EXPECT_EQ(decide(), 4u);
    // It begins with the second engine, and in the first one with the second array.
    q().launching = 2;
    q().enabled = uint64_t{1} << 2 | uint64_t{1} << (16 + 2);
    EXPECT_EQ(decide(), 2u + 3 + 5);
    EXPECT_EQ(out_.grant_array, 1);
    EXPECT_EQ(out_.grant_cu, 2);
}

TEST_P(SpiAllocPinsTest, WavesOfAGroupGoOverTheSimdsWithRunsOfTheirOwn) {
    shape(1);
    ask_for(6, 20, 8, 16);
    ASSERT_TRUE(placed());
    EXPECT_THAT(out_.grant_simd, ElementsAre(0, 1, 2, 3, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0));
    EXPECT_THAT(out_.grant_slot, ElementsAre(0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0));
    EXPECT_THAT(out_.grant_vgpr, ElementsAre(0, 0, 0, 0, 20, 20, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0));
    EXPECT_THAT(out_.grant_sgpr, ElementsAre(0, 0, 0, 0, 8, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0));
    EXPECT_EQ(out_.grant_lds, 0);
    ASSERT_TRUE(placed());
    EXPECT_EQ(out_.grant_simd[0], 2) << "from the one after the last used";
    EXPECT_EQ(out_.grant_lds, 16);
    EXPECT_EQ(out_.grant_group, 1);
    // Each SIMD has four granules left.
    ask_for(1, 5);
    EXPECT_FALSE(placed());
    ask_for(4, 4);
    EXPECT_TRUE(placed());
}

TEST_P(SpiAllocPinsTest, ExactFitIsPlacedAndOneGranuleMoreIsNot) {
    const SpiAllocPins::Query fits[] = {{4, 64, 1, 0, 0, 0, ~uint64_t{0}, 0},
                                        {4, 1, 64, 0, 0, 0, ~uint64_t{0}, 0},
                                        {1, 1, 1, 256, 0, 0, ~uint64_t{0}, 0}};
    for (const SpiAllocPins::Query& fit : fits) {
        shape(1);
        q() = fit;
        q().vgprs += fit.vgprs == 64;
        q().sgprs += fit.sgprs == 64;
        q().lds += fit.lds == 256;
        EXPECT_FALSE(placed());
        q() = fit;
        EXPECT_TRUE(placed());
        EXPECT_FALSE(placed()) << "full";
        ask_for(1, fit.vgprs == 64, fit.sgprs == 64, fit.lds == 256);
        EXPECT_FALSE(placed()) << "not one granule left";
    }
}

TEST_P(SpiAllocPinsTest, HoleOfAnEndedWaveIsFilledFromBelow) {
    shape(1);
    in_.cfg.simds = 1;
    reset();
    for (const uint8_t vgprs : {10, 20, 30}) {
        ask_for(1, vgprs);
        ASSERT_TRUE(placed());
    }
    EXPECT_EQ(free(0, 0).free_known, 1);
    EXPECT_EQ(out_.free_last, 1);
    ask_for(1, 11);
    EXPECT_FALSE(placed()) << "14 are free, 10 and 4 in a row";
    ask_for(1, 4);
    ASSERT_TRUE(placed());
    EXPECT_EQ(out_.grant_vgpr[0], 0);
    EXPECT_EQ(out_.grant_slot[0], 0);
    EXPECT_EQ(out_.grant_group, 0);
}

TEST_P(SpiAllocPinsTest, LdsAndBarrierAreHeldToTheLastWave) {
    shape(1);
    in_.cfg.barriers = 1;
    reset();
    ask_for(2, 1, 1, 200);
    ASSERT_TRUE(placed());
    EXPECT_EQ(free(0, 0).free_last, 0);
    ask_for(1, 1, 1, 57);
    EXPECT_FALSE(placed());
    ask_for(2);
    EXPECT_FALSE(placed()) << "no barrier";
    EXPECT_EQ(free(1, 0).free_last, 1);
    EXPECT_TRUE(placed());
}

TEST_P(SpiAllocPinsTest, LimitsOfWavesAndGroupsHold) {
    shape(2);
    ask_for(3);
    q().most_waves = 8;
    EXPECT_TRUE(placed());
    EXPECT_TRUE(placed());
    EXPECT_FALSE(placed()) << "nine waves in the array";
    q().most_waves = 0;
    q().most_groups = 1;
    EXPECT_FALSE(placed());
    q().most_groups = 2;
    EXPECT_TRUE(placed());
}

TEST_P(SpiAllocPinsTest, WaveThatDoesNotRunIsNotFreed) {
    EXPECT_EQ(free(0, 0).free_known, 0);
    ask_for(1);
    ASSERT_TRUE(placed());
    EXPECT_EQ(free(0, 1).free_known, 0);
    EXPECT_EQ(free(0, 0).free_known, 1);
    EXPECT_EQ(free(0, 0).free_known, 0);
}

TEST_P(SpiAllocPinsTest, QueryOfNoWavesOrTooManyIsRefusedAtOnce) {
    ask_for(0);
    EXPECT_EQ(decide(), 0u);
    EXPECT_EQ(out_.grant_placed, 0);
    ask_for(17);
    EXPECT_EQ(decide(), 0u);
    EXPECT_EQ(out_.grant_placed, 0);
    ask_for(16);
    EXPECT_TRUE(placed());
}

TEST_P(SpiAllocPinsTest, WavesAreFreedWhileAGrantWaitsButNotInBetween) {
    ask_for(4);
    ASSERT_TRUE(placed());
    in_.query_valid = 1;
    in_.grant_ready = 0;
    step();
    in_.query_valid = 0;
    EXPECT_EQ(free(0, 0).free_ready, 0);
    EXPECT_EQ(out_.free_known, 0);
    while (step().grant_valid == 0) {
    }
    EXPECT_EQ(free(0, 0).free_ready, 1);
    EXPECT_EQ(out_.free_known, 1);
    EXPECT_EQ(step().grant_placed, 1) << "it still waits";
    EXPECT_EQ(out_.query_ready, 0);
}

INSTANTIATE_TEST_SUITE_P(On, SpiAllocPinsTest,
                         testing::ValuesIn(core_and_rtl<SpiAllocPins, spi::SpiAllocCore>()), kName);

class SpiAllocUnitTest : public OnPins<SpiAllocPins> {};

// SPI uses a unit by the interface of its own allocator.
TEST_P(SpiAllocUnitTest, BehindPinsDecidesAsTheAllocator) {
    spi::AllocatorShape shape;
    shape.cu_per_sh = 3;
    spi::WaveAllocator allocator(shape);
    spi::AllocatorState state;
    allocator.reset(state);
    spi::PinAllocatorUnit unit(*block_);
    unit.reset(shape);
    spi::AllocatorGrant want;
    spi::AllocatorGrant got;
    spi::AllocatorQuery query;
    query.vgprs = 10;
    query.sgprs = 5;
    query.lds = 31;
    query.enabled = {~0u, ~0u};
    unsigned refused = 0;
    for (unsigned n = 0; n < 300; ++n) {
        query.waves = 1 + n * 7 % 5;
        allocator.allocate(state, query, want);
        unit.allocate(query, got);
        ASSERT_EQ(got.placed, want.placed) << n;
        if (!want.placed) {
            ++refused;
            continue;
        }
        ASSERT_EQ(got.cu, want.cu);
        ASSERT_EQ(got.lds, want.lds);
        ASSERT_EQ(got.attempts, want.attempts);
        for (unsigned w = 0; w < query.waves; ++w)
            ASSERT_EQ(got.waves[w].vgpr, want.waves[w].vgpr);
        const spi::AllocatorGrant::Wave& at = want.waves[0];
        ASSERT_EQ(unit.free(want.cu, at.simd, at.slot).last,
                  allocator.free(state, want.cu, at.simd, at.slot).last);
    }
    EXPECT_GT(refused, 50u);
    EXPECT_FALSE(unit.free(99, 0, 0).known);
    shape.cu_per_sh = 17;
    EXPECT_THROW(unit.reset(shape), std::invalid_argument);
    query.waves = 17;
    EXPECT_THROW(unit.allocate(query, got), MachineStop);
}

INSTANTIATE_TEST_SUITE_P(On, SpiAllocUnitTest,
                         testing::ValuesIn(core_and_rtl<SpiAllocPins, spi::SpiAllocCore>()), kName);

}  // namespace
}  // namespace archipelago::rtl
