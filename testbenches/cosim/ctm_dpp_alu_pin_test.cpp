// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <random>

#include "models/common/error.h"
#include "models/ctm/isa/alu_lane_core.h"
#include "models/ctm/isa/alu_lane_unit.h"
#include "models/ctm/isa/fields.h"
#include "testbenches/cosim/on_pins.h"

namespace archipelago::rtl {
namespace {

namespace dpp_isa = ctm::isa;
using dpp_isa::Field;

uint32_t float_bits(float x) {
    uint32_t r;
    std::memcpy(&r, &x, sizeof r);
    return r;
}

class CtmDppAluPinsTest : public OnPins<CtmDppAluPins> {
  protected:
    // MAD of sources 0, 1 and 2 as they stand, written to the registers.
    CtmDppAluPinsTest() {
        for (unsigned which = 0; which < 3; ++which) {
            constexpr Field kRgb[] = {Field::RgbSelA, Field::RgbSelB, Field::RgbSelC};
            constexpr Field kAlpha[] = {Field::AlphaSelA, Field::AlphaSelB, Field::AlphaSelC};
            put(kRgb[which], which);
            for (unsigned c = 0; c < 3; ++c)
                put(static_cast<Field>(static_cast<unsigned>(kRgb[which]) + 1 + c), c);
            put(kAlpha[which], which);
            put(static_cast<Field>(static_cast<unsigned>(kAlpha[which]) + 1), 3);
        }
        put(Field::RgbWmask, 7);
        put(Field::AlphaWmask, 1);
        in_.in.active = 1;
        in_.out_ready = 1;
    }
    void put(Field field, unsigned value) { dpp_isa::set(in_.in.words, field, value); }
    void sources(unsigned which, float r, float g, float b, float a) {
        in_.in.source[4 * which] = float_bits(r);
        in_.in.source[4 * which + 1] = float_bits(g);
        in_.in.source[4 * which + 2] = float_bits(b);
        in_.in.source[4 * which + 3] = float_bits(a);
    }
    // The instruction through an empty pipeline.
    const CtmDppAluPins::Out& result() {
        in_.in_valid = 1;
        step();
        in_.in_valid = 0;
        while (step().out_valid == 0) {
        }
        return out_;
    }
    static std::array<uint32_t, 4> numbers(float r, float g, float b, float a) {
        return {float_bits(r), float_bits(g), float_bits(b), float_bits(a)};
    }
};

TEST_P(CtmDppAluPinsTest, ResultComesEightCyclesBehindItsOperands) {
    sources(0, 1, 2, 3, 4);
    sources(1, 10, 10, 10, 10);
    sources(2, 1, 1, 1, 1);
    in_.in_valid = 1;
    EXPECT_EQ(step().in_ready, 1);
    in_.in_valid = 0;
    for (unsigned cycle = 1; cycle < CtmDppAluPins::kStages; ++cycle)
        EXPECT_EQ(step().out_valid, 0) << cycle;
    EXPECT_EQ(step().out_valid, 1);
    EXPECT_EQ(out_.out_result, numbers(11, 21, 31, 41));
    EXPECT_EQ(out_.out_register, 15);
    EXPECT_EQ(step().out_valid, 0);
    EXPECT_EQ(out_.out_result[0], 0u);
}

TEST_P(CtmDppAluPinsTest, TakesAnInstructionInEveryCycleAndKeepsTheirOrder) {
    sources(1, 1, 1, 1, 1);
    in_.in_valid = 1;
    for (unsigned n = 0; n < 30; ++n) {
        sources(0, static_cast<float>(n), 0, 0, 0);
        EXPECT_EQ(step().in_ready, 1);
        if (n >= CtmDppAluPins::kStages) {
            EXPECT_EQ(out_.out_result[0],
                      float_bits(static_cast<float>(n - CtmDppAluPins::kStages)));
        }
    }
}

TEST_P(CtmDppAluPinsTest, FullPipelineRefusesAndHoldsItsResult) {
    sources(1, 1, 1, 1, 1);
    in_.in_valid = 1;
    in_.out_ready = 0;
    unsigned taken = 0;
    for (unsigned n = 0; n < 20; ++n) {
        sources(0, static_cast<float>(100 + taken), 0, 0, 0);
        taken += step().in_ready;
    }
    EXPECT_EQ(taken, CtmDppAluPins::kStages);
    EXPECT_EQ(out_.out_result[0], float_bits(100));
    in_.in_valid = 0;
    in_.out_ready = 1;
    for (unsigned n = 0; n < CtmDppAluPins::kStages; ++n)
        EXPECT_EQ(step().out_result[0], float_bits(static_cast<float>(100 + n)));
    EXPECT_EQ(step().out_valid, 0);
}

TEST_P(CtmDppAluPinsTest, ResetDropsWhatIsInFlight) {
    in_.in_valid = 1;
    for (int i = 0; i < 6; ++i)
        step();
    in_.in_valid = 0;
    in_.rst = 1;
    step();
    in_.rst = 0;
    for (int i = 0; i < 12; ++i)
        EXPECT_EQ(step().out_valid, 0);
}

TEST_P(CtmDppAluPinsTest, ReservedEncodingsAreIllegalAndWriteNothing) {
    put(Field::RgbOp, 6);
    EXPECT_EQ(result().out_illegal, 1);
    EXPECT_EQ(out_.out_register, 0);
    put(Field::RgbOp, 10);  // SOP without a function
    EXPECT_EQ(result().out_illegal, 1);
    put(Field::RgbOp, 0);
    EXPECT_EQ(result().out_illegal, 0);
    put(Field::BlueSwizC, 7);
    EXPECT_EQ(result().out_illegal, 1);
    put(Field::BlueSwizC, 2);
    put(Field::Type, 3);
    EXPECT_EQ(result().out_illegal, 1);
}

INSTANTIATE_TEST_SUITE_P(On, CtmDppAluPinsTest,
                         testing::ValuesIn(core_and_rtl<CtmDppAluPins, dpp_isa::AluLaneCore>()),
                         kName);

class AluLaneUnitTest : public OnPins<CtmDppAluPins> {};

// Random legal instructions on random threads: registers and constants of any address, aL added or
// not, predicates, lanes that are off, outputs cached and not.
TEST_P(AluLaneUnitTest, ThreadsEndInTheStateTheirInstructionsGiveThem) {
    std::mt19937 random(7);
    const auto word = [&] { return static_cast<uint32_t>(random()); };
    const auto number = [&] {
        const uint32_t bits = word() % 4 == 0 ? word() : 0x3c000000 + word() % 0x8000000;
        float value;
        std::memcpy(&value, &bits, sizeof value);
        return value;
    };
    dpp_isa::AluLaneUnit unit(*block_);
    unsigned executed = 0, uncached = 0, refused = 0;
    while (executed < 600) {
        dpp_isa::Words words;
        for (uint32_t& w : words)
            w = word();
        dpp_isa::set(words, Field::Type, word() % 2);
        for (const Field address : {Field::RgbAddr0, Field::RgbAddr1, Field::RgbAddr2,
                                    Field::AlphaAddr0, Field::AlphaAddr1, Field::AlphaAddr2})
            if (word() % 2 == 0)
                dpp_isa::set(words, address, word() % 8);
        dpp_isa::Instruction instruction = dpp_isa::decode(words);
        if (!instruction.error.empty())
            continue;
        dpp_isa::Thread plain;
        plain.quads = 1 + word() % dpp_isa::kMaxQuads;
        plain.covered = (uint64_t{word()} << 32 | word()) & ((uint64_t{1} << plain.lanes()) - 1);
        plain.active = word() % 4 == 0 ? (uint64_t{1} << plain.lanes()) - 1
                                       : (uint64_t{word()} << 32 | word()) &
                                             ((uint64_t{1} << plain.lanes()) - 1);
        plain.al = static_cast<int16_t>(word() % 40);
        plain.temporaries.resize(128);
        for (dpp_isa::Register& r : plain.temporaries)
            for (dpp_isa::LaneFloats& channel : r)
                for (float& lane : channel.lane)
                    lane = number();
        for (dpp_isa::LaneMask& predicate : plain.predicate)
            predicate = (uint64_t{word()} << 32 | word()) & ((uint64_t{1} << plain.lanes()) - 1);
        dpp_isa::ConstantValues constants;
        for (auto& constant : constants.floats)
            for (float& channel : constant)
                channel = number();
        dpp_isa::ProgramMode mode;
        mode.uncached_outputs = word() % 3 == 0;
        dpp_isa::Thread swapped = plain;
        dpp_isa::Effects effects, swapped_effects;
        std::string why, swapped_why;
        try {
            dpp_isa::execute(instruction, mode, constants, plain, effects);
        } catch (const MachineStop& stop) {
            why = stop.what();
        }
        try {
            unit.execute(instruction, mode, constants, swapped, swapped_effects);
        } catch (const MachineStop& stop) {
            swapped_why = stop.what();
        }
        ++executed;
        ASSERT_EQ(why, swapped_why);
        if (!why.empty()) {
            ++refused;
            continue;
        }
        uncached += effects.uncached.empty() ? 0 : 1;
        for (size_t r = 0; r < plain.temporaries.size(); ++r)
            for (unsigned c = 0; c < dpp_isa::kChannels; ++c)
                ASSERT_EQ(std::memcmp(plain.temporaries[r][c].lane.data(),
                                      swapped.temporaries[r][c].lane.data(),
                                      plain.lanes() * sizeof(float)),
                          0)
                    << "r" << r << " channel " << c << " of instruction " << executed;
        for (unsigned t = 0; t < dpp_isa::kOutputTargets; ++t)
            for (unsigned c = 0; c < dpp_isa::kChannels; ++c)
                for (unsigned l = 0; l < plain.lanes(); ++l)
                    ASSERT_EQ(float_bits(plain.output[t][c].lane[l]),
                              float_bits(swapped.output[t][c].lane[l]));
        ASSERT_EQ(plain.output_written, swapped.output_written);
        ASSERT_EQ(plain.predicate, swapped.predicate);
        ASSERT_EQ(plain.alu_result, swapped.alu_result);
        ASSERT_EQ(plain.conditional, swapped.conditional);
        ASSERT_EQ(plain.pc, swapped.pc);
        ASSERT_EQ(plain.ended, swapped.ended);
        ASSERT_EQ(effects.acquires_semaphore, swapped_effects.acquires_semaphore);
        ASSERT_EQ(effects.uncached.size(), swapped_effects.uncached.size());
        for (size_t i = 0; i < effects.uncached.size(); ++i) {
            ASSERT_EQ(effects.uncached[i].lane, swapped_effects.uncached[i].lane);
            ASSERT_EQ(effects.uncached[i].index.x, swapped_effects.uncached[i].index.x);
            ASSERT_EQ(effects.uncached[i].index.y, swapped_effects.uncached[i].index.y);
            ASSERT_EQ(effects.uncached[i].value, swapped_effects.uncached[i].value);
        }
    }
    EXPECT_GT(uncached, 2u);
    EXPECT_GT(refused, 20u);
    EXPECT_LT(refused, executed / 2);
}

TEST_P(AluLaneUnitTest, AnAluThatIsStuckIsFound) {
    class Stuck : public PinBlock<CtmDppAluPins> {
        void step(const In&, Out& out) override { out = {}; }
    } stuck;
    dpp_isa::AluLaneUnit unit(stuck);
    dpp_isa::Words words{};
    const dpp_isa::Instruction instruction = dpp_isa::decode(words);
    dpp_isa::Thread thread;
    thread.quads = 1;
    thread.active = 1;
    dpp_isa::Effects effects;
    EXPECT_THROW(unit.execute(instruction, {}, {}, thread, effects), MachineStop);
}

INSTANTIATE_TEST_SUITE_P(On, AluLaneUnitTest,
                         testing::ValuesIn(core_and_rtl<CtmDppAluPins, dpp_isa::AluLaneCore>()),
                         kName);

}  // namespace
}  // namespace archipelago::rtl
