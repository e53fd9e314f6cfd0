// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "models/common/error.h"
#include "models/spi/dispatch_pins.h"
#include "testbenches/cosim/on_pins.h"

namespace archipelago::rtl::spi_dispatch_pin_test {
namespace {

using testing::ElementsAre;
using Pins = SpiDispatchPins;

enum : uint8_t { kNothing, kScratch, kRoom };

class SpiDispatchPinsTest : public OnPins<SpiDispatchPins> {
  protected:
    void SetUp() override {
        OnPins::SetUp();
        in_.query_ready = in_.walk_ready = in_.se0_ready = in_.se1_ready = 1;
        // 2 x 1 x 1 groups of 100 x 1 x 1 threads
        d().number = 7;
        d().end_x = 2;
        d().end_y = d().end_z = 1;
        d().size_x = d().last_x = 100;
        d().size_y = d().size_z = d().last_y = d().last_z = 1;
        d().ids = 1;
        d().vgprs = d().sgprs = 1;
        d().enabled = ~uint64_t{0};
    }
    Pins::Dispatch& d() { return in_.dispatch; }

    // Whether the walk that comes has a next group, and the cycles it took.
    bool walked() {
        cycles_ = 0;
        while (step().walk_valid == 0 && cycles_ < 2000)
            ++cycles_;
        EXPECT_EQ(out_.walk_valid, 1);
        return out_.walk_ended == 0;
    }
    bool start(uint8_t ring = 0) {
        d().ring = ring;
        in_.dispatch_valid = 1;
        EXPECT_EQ(step().dispatch_ready, 1);
        in_.dispatch_valid = 0;
        return walked();
    }
    uint8_t ask(uint8_t ring = 0) {
        in_.turn_valid = 1;
        in_.turn_ring = ring;
        EXPECT_EQ(step().turn_ready, 1);
        in_.turn_valid = 0;
        EXPECT_EQ(step().query_valid, 0);
        EXPECT_EQ(step().query_valid, 1) << "in the second cycle behind the turn";
        return out_.query.needs;
    }
    void grant(uint8_t engine = 0, uint8_t placed = 1) {
        in_.grant_valid = 1;
        in_.grant.placed = placed;
        in_.grant.engine = engine;
        EXPECT_EQ(step().grant_ready, 1);
        in_.grant_valid = 0;
    }
    // Places the next group on an engine whose stage is empty; whether another is there.
    bool place(uint8_t engine = 0, uint8_t ring = 0) {
        EXPECT_EQ(ask(ring), kRoom);
        grant(engine);
        return walked();
    }
    // Waves leave engine 0 from the next cycle on; this is what the next issue cycle is.
    const Pins::Launch& beat() {
        unsigned waited = 0;
        while (step().se0_valid == 0 && waited < 100)
            ++waited;
        EXPECT_EQ(out_.se0_valid, 1);
        return out_.se0;
    }
    // Holds back what engine 0 launches.
    void hold() { in_.se0_ready = 0; }
    void let_go() { in_.se0_ready = 1; }
    const Pins::Launch& wave() {
        let_go();
        beat();
        const Pins::Launch first = out_.se0;
        for (unsigned n = 1; n < Pins::kBeats; ++n)
            EXPECT_EQ(beat().beat, n);
        wave_ = first;
        return wave_;
    }
    bool free(uint8_t ring, uint16_t slot) {
        in_.freed_valid = 1;
        in_.freed_ring = ring;
        in_.freed_slot = slot;
        EXPECT_EQ(step().freed_ready, 1);
        in_.freed_valid = 0;
        return out_.freed_known != 0;
    }

    unsigned cycles_ = 0;
    Pins::Launch wave_;
};

TEST_P(SpiDispatchPinsTest, GroupsThatAreNotChosenTakeACycleEach) {
    d().end_x = 30;
    d().ranges = 2;
    d().range_first = {4, 20};
    d().range_last = {5, 20};
    EXPECT_TRUE(start());
    EXPECT_EQ(cycles_, 1u + 4);
    EXPECT_TRUE(place());
    EXPECT_EQ(beat().group, 4u);
    EXPECT_TRUE(place(1));
    EXPECT_EQ(cycles_, 1u + 14);
    EXPECT_FALSE(place());
    EXPECT_EQ(cycles_, 1u + 9);
    d().others = 1;
    d().ranges = 1;
    EXPECT_TRUE(start());
    EXPECT_TRUE(place());
    d().range_first = {0};
    d().range_last = {29};
    EXPECT_FALSE(start(1)) << "there are no others";
    EXPECT_EQ(cycles_, 1u + 30);
}

TEST_P(SpiDispatchPinsTest, AQuerySaysWhatTheGroupNeedsAndRefusalsAreAskedAgain) {
    d().vgprs = 17;
    d().sgprs = 3;
    d().lds = 256;
    d().most_waves = 640;
    d().most_groups = 5;
    d().enabled = 0x1234;
    start(2);
    for (unsigned n = 0; n < 2; ++n) {
        ASSERT_EQ(ask(2), kRoom);
        EXPECT_EQ(out_.query.number, 7u);
        EXPECT_EQ(out_.query.waves, 2);
        EXPECT_EQ(out_.query.vgprs, 17);
        EXPECT_EQ(out_.query.sgprs, 3);
        EXPECT_EQ(out_.query.lds, 256);
        EXPECT_EQ(out_.query.most_waves, 640);
        EXPECT_EQ(out_.query.most_groups, 5);
        EXPECT_EQ(out_.query.enabled, 0x1234u);
        grant(0, 0);
        EXPECT_EQ(step().turn_ready, 1);
        EXPECT_EQ(out_.se0_valid, 0);
    }
}

TEST_P(SpiDispatchPinsTest, WavesLeaveForWhatWasGrantedInFourBeats) {
    d().vmid = 9;
    d().priority = 2;
    d().pc = 0xABCDEF012300;
    d().float_mode = 0xF0;
    d().trap = 1;
    d().tba = 0x123400;
    d().ids = 3;
    d().size_x = d().last_x = 5;
    d().size_y = d().last_y = 4;
    d().size_z = d().last_z = 4;
    start();
    in_.grant.array = 1;
    in_.grant.cu = 11;
    in_.grant.group = 33;
    in_.grant.lds = 77;
    in_.grant.simd = {1, 2};
    in_.grant.slot = {3, 9};
    in_.grant.vgpr = {4, 40};
    in_.grant.sgpr = {5, 50};
    hold();
    ask();
    grant();
    for (unsigned n = 0; n < 3; ++n)
        EXPECT_EQ(beat().beat, 0) << "until it is taken";
    EXPECT_EQ(out_.se0.array, 1);
    EXPECT_EQ(out_.se0.cu, 11);
    EXPECT_EQ(out_.se0.pc, 0xABCDEF012300u);
    EXPECT_EQ(out_.se0.tba, 0x123400u);
    EXPECT_EQ(out_.se0.vmid, 9);
    EXPECT_EQ(out_.se0.float_mode, 0xF0);
    EXPECT_EQ(out_.se0.group_slot, 33);
    EXPECT_EQ(out_.se0.lds_first, 77);
    wave();
    EXPECT_EQ(wave_.simd, 1);
    EXPECT_THAT(wave_.id_x, ElementsAre(0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0));
    EXPECT_THAT(wave_.id_y, ElementsAre(0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 3));
    wave();
    EXPECT_EQ(wave_.wave, 1);
    EXPECT_EQ(wave_.simd, 2);
    EXPECT_EQ(wave_.slot, 9);
    EXPECT_EQ(wave_.vgpr, 40);
    EXPECT_EQ(wave_.sgpr, 50);
    EXPECT_EQ(wave_.exec, 0xFFFFu);
    EXPECT_EQ(wave_.id_x[0], 4) << "thread 64";
    EXPECT_EQ(wave_.id_y[0], 0);
    EXPECT_EQ(wave_.id_z[0], 3);
    EXPECT_EQ(step().se0_valid, 0);
}

TEST_P(SpiDispatchPinsTest, AGroupWaitsForTheLowestScratchSlotsOfItsRing) {
    d().end_x = 9;
    d().scratch = 1;
    d().scratch_waves = 5;
    start();
    start(3);
    EXPECT_TRUE(place());
    EXPECT_TRUE(place(1));
    EXPECT_EQ(ask(), kScratch) << "one is free, it has two waves";
    EXPECT_EQ(out_.query.waves, 2);
    EXPECT_EQ(ask(3), kRoom) << "slots of its own";
    grant(0, 0);
    EXPECT_FALSE(free(0, 4));
    EXPECT_TRUE(free(0, 1));
    EXPECT_FALSE(free(0, 1));
    ASSERT_EQ(ask(), kRoom);
    // What comes back with the grant is for this group.
    in_.freed_valid = 1;
    in_.freed_slot = 0;
    hold();
    grant();
    in_.freed_valid = 0;
    EXPECT_EQ(out_.freed_known, 1);
    walked();
    EXPECT_EQ(wave().scratch_slot, 0);
    EXPECT_EQ(wave().scratch_slot, 1);
}

TEST_P(SpiDispatchPinsTest, NoSlotComesBackFromATurnToItsQuery) {
    start();
    in_.query_ready = 0;
    in_.freed_valid = in_.turn_valid = 1;
    EXPECT_EQ(step().freed_ready, 1);
    for (unsigned n = 0; n < 3; ++n)
        EXPECT_EQ(step().freed_ready, 0);
    in_.query_ready = 1;
    EXPECT_EQ(step().freed_ready, 0);
    EXPECT_EQ(step().freed_ready, 1);
}

TEST_P(SpiDispatchPinsTest, AGrantWaitsUntilItsEngineHasLaunchedAndTheOtherDoesNot) {
    d().end_x = 3;
    start();
    hold();
    place();
    EXPECT_EQ(ask(), kRoom);
    in_.grant_valid = 1;
    in_.grant.engine = 0;
    for (unsigned n = 0; n < 5; ++n)
        EXPECT_EQ(step().grant_ready, 0);
    in_.grant.engine = 1;
    EXPECT_EQ(step().grant_ready, 1);
    in_.grant_valid = 0;
    EXPECT_TRUE(walked());
    EXPECT_EQ(ask(), kRoom);
    let_go();
    in_.grant_valid = 1;
    in_.grant.engine = 0;
    for (unsigned n = 0; n < 2 * Pins::kBeats; ++n)
        EXPECT_EQ(step().grant_ready, 0);
    EXPECT_EQ(step().grant_ready, 1) << "behind the last beat";
}

TEST_P(SpiDispatchPinsTest, ADispatchWaitsForItsRingAndTurnsGoOn) {
    start();
    in_.dispatch_valid = 1;
    EXPECT_EQ(step().dispatch_ready, 0);
    EXPECT_EQ(ask(), kRoom);
    grant(0, 0);
    d().ring = 1;
    in_.turn_valid = 1;
    EXPECT_EQ(step().dispatch_ready, 1);
    EXPECT_EQ(out_.turn_ready, 0) << "one after the other";
}

TEST_P(SpiDispatchPinsTest, AResetLeavesNothingBehind) {
    d().scratch = 1;
    d().scratch_waves = 50;
    start();
    place();
    in_.rst = 1;
    step();
    in_.rst = 0;
    EXPECT_EQ(step().se0_valid, 0);
    EXPECT_FALSE(free(0, 0));
    EXPECT_EQ(ask(), kNothing);
}

INSTANTIATE_TEST_SUITE_P(On, SpiDispatchPinsTest,
                         testing::ValuesIn(core_and_rtl<SpiDispatchPins, spi::SpiDispatchCore>()),
                         kName);

// ---- what SPI refuses

class SpiDispatchUnitTest : public OnPins<SpiDispatchPins> {
  protected:
    static spi::Dispatch dispatch() {
        spi::Dispatch d;
        d.number = 1;
        d.end = {3, 1, 1};
        d.group_size = d.last_size = {64, 1, 1};
        d.vgprs = 4;
        d.sgprs = 8;
        return d;
    }
};

TEST_P(SpiDispatchUnitTest, MoreRangesOfChosenGroupsThanThePinsHaveAreRefusedByName) {
    spi::PinDispatchUnit unit(*block_);
    unit.reset({});
    spi::Dispatch d = dispatch();
    for (uint32_t n = 0; n < 8; ++n)
        d.chosen.ranges.push_back({3 * n, 3 * n + 1});
    EXPECT_TRUE(unit.start(d));
    d.chosen.ranges.push_back({90, 90});
    d.ring = 1;
    EXPECT_THROW(unit.start(d), MachineStop);
}

TEST_P(SpiDispatchUnitTest, SpecsBeyondThePinsAreRefusedByTheirKey) {
    spi::PinDispatchUnit unit(*block_);
    spi::SpiSpec spec;
    spec.cu.max_group_threads = 2048;
    EXPECT_THROW(unit.reset(spec), std::invalid_argument);
    spec = {};
    spec.cu.vgpr_granule = 1;
    EXPECT_THROW(unit.reset(spec), std::invalid_argument);
}

INSTANTIATE_TEST_SUITE_P(On, SpiDispatchUnitTest,
                         testing::ValuesIn(core_and_rtl<SpiDispatchPins, spi::SpiDispatchCore>()),
                         kName);

// ---- a dispatcher that does what was not granted

class Crooked : public PinBlock<SpiDispatchPins> {
  public:
    std::function<void(SpiDispatchPins::Out&)> bend;
    void step(const In& in, Out& out) override {
        core_.step(in, out);
        bend(out);
    }

  private:
    spi::SpiDispatchCore core_;
};

TEST(SpiDispatchUnit, WavesThatWereNotGrantedStopTheMachine) {
    using Bend = std::function<void(SpiDispatchPins::Out&)>;
    const Bend bends[] = {
        [](auto& out) { out.se0.slot ^= 1; },      [](auto& out) { out.se0.cu ^= 1; },
        [](auto& out) { out.se0.wave += 1; },      [](auto& out) { out.se0.id_x[5] ^= 2; },
        [](auto& out) { out.se0.lds_first += 1; }, [](auto&) {}};
    for (const Bend& bend : bends) {
        Crooked block;
        block.bend = bend;
        spi::PinDispatchUnit unit(block);
        unit.reset({});
        spi::Dispatch d;
        d.end = {1, 1, 1};
        d.group_size = d.last_size = {64, 1, 1};
        ASSERT_TRUE(unit.start(d));
        spi::AllocatorQuery query;
        ASSERT_EQ(unit.ask(0, query), spi::GroupNeeds::Room);
        spi::AllocatorGrant grant;
        grant.placed = true;
        EXPECT_FALSE(unit.answer(0, grant));
        if (&bend == std::end(bends) - 1)
            EXPECT_EQ(unit.front(0).launch.exec, ~uint64_t{0});
        else
            EXPECT_THROW(unit.front(0), MachineStop);
    }
}

}  // namespace
}  // namespace archipelago::rtl::spi_dispatch_pin_test
