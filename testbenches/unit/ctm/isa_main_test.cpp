// SPDX-License-Identifier: Apache-2.0
// The instruction set by example: one short program for each thing it can do.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "models/common/error.h"
#include "testbenches/unit/ctm/isa_program.h"

namespace archipelago::ctm::isa::test {
namespace {

Thread with_registers(std::initializer_list<std::array<float, 4>> values) {
    Thread t = thread_of(2, static_cast<unsigned>(values.size()) + 1);
    unsigned r = 0;
    for (const auto& v : values) {
        for (unsigned c = 0; c < 4; ++c) {
            t.temporaries[r][c].lane.fill(v[c]);
        }
        ++r;
    }
    return t;
}
std::array<float, 4> lane_of(const Register& r, unsigned lane) {
    return {r[0].lane[lane], r[1].lane[lane], r[2].lane[lane], r[3].lane[lane]};
}
void execute_one(const Words& words, Thread& thread, const Surroundings& s = {}) {
    Effects effects;
    step(words, s, thread, effects);
}
std::string stop_of(const std::function<void()>& act) {
    try {
        act();
    } catch (const MachineStop& stop) {
        EXPECT_EQ(stop.kind(), StopKind::BadInput);
        return stop.what();
    }
    return "no stop";
}
using Four = std::array<float, 4>;

TEST(CtmIsa, AThreadStartsWithItsIndicesAndZeros) {
    Thread t = thread_of(3, 2);
    EXPECT_EQ(lane_of(t.temporaries[0], 0), (Four{0, 0, 0, 0}));
    EXPECT_EQ(lane_of(t.temporaries[0], 7), (Four{3, 1, 0, 0}));
    EXPECT_EQ(lane_of(t.temporaries[1], 7), (Four{0, 0, 0, 0}));
    EXPECT_EQ(t.active, 0xfffu);
}

TEST(CtmIsa, MadOfRegistersInAllChannels) {
    Thread t = with_registers({{1, 2, 3, 4}, {5, 6, 7, 8}, {0.5F, 0.25F, 0, -1}});
    const Words w = math(Type::Alu, RgbOp::Mad, AlphaOp::Mad);
    execute_one(to_register(registers(w, 0, 1, 2), 3), t);
    EXPECT_EQ(lane_of(t.temporaries[3], 5), (Four{5.5F, 12.25F, 21, 31}));
    EXPECT_EQ(t.pc, 1);
}

TEST(CtmIsa, AResultIsWrittenAfterItsOperandsAreRead) {
    Thread t = with_registers({{1, 2, 3, 4}, {1, 1, 1, 1}});
    Words w = registers(math(Type::Alu, RgbOp::Mad, AlphaOp::Mad), 0, 1, 1);
    w = with(w, {{Field::RedSwizA, 3},
                 {Field::GreenSwizA, 0},
                 {Field::BlueSwizA, 1},
                 {Field::AlphaSwizA, 2}});
    execute_one(to_register(w, 0), t);
    EXPECT_EQ(lane_of(t.temporaries[0], 0), (Four{5, 2, 3, 4}));
}

TEST(CtmIsa, SwizzleTakesAlphaFromTheAlphaAddressAndColoursFromTheRgbAddress) {
    Thread t = with_registers({{1, 2, 3, 4}, {5, 6, 7, 8}});
    Words w = math(Type::Alu, RgbOp::Max, AlphaOp::Max);
    w = with(w, {{Field::RgbAddr0, 0},
                 {Field::AlphaAddr0, 1},
                 {Field::RgbSelB, 0},
                 {Field::AlphaSelB, 0},
                 {Field::RedSwizA, 3},
                 {Field::RedSwizB, 3},
                 {Field::GreenSwizA, 4},
                 {Field::GreenSwizB, 5},
                 {Field::BlueSwizA, 6},
                 {Field::BlueSwizB, 4},
                 {Field::AlphaSwizA, 1},
                 {Field::AlphaSwizB, 1}});
    execute_one(to_register(w, 2), t);
    EXPECT_EQ(lane_of(t.temporaries[2], 1), (Four{8, 0.5F, 1, 2}));
}

TEST(CtmIsa, ConstantsInlineNumbersAndRelativeAddresses) {
    Thread t = with_registers({{1, 2, 3, 4}});
    t.al = 3;
    Surroundings s;
    s.floats = [](unsigned i) { return Four{float(i), float(i) + 0.25F, float(i) + 0.5F, 9}; };
    Words w = with(math(Type::Alu, RgbOp::Mad, AlphaOp::Mad), {{Field::RgbAddr0, 200},
                                                               {Field::RgbAddr0Const, 1},
                                                               {Field::RgbAddr0Rel, 1},
                                                               {Field::AlphaAddr0, 200},
                                                               {Field::AlphaAddr0Const, 1},
                                                               {Field::RgbAddr1, 0x80 | 0x40},
                                                               {Field::AlphaAddr1, 0x80 | 0x38},
                                                               {Field::RgbAddr2, 1},
                                                               {Field::AlphaAddr2, 1}});
    execute_one(to_register(w, 1), t, s);
    EXPECT_EQ(lane_of(t.temporaries[1], 2), (Four{406, 406.5F, 407, 9}));
}

TEST(CtmIsa, PresubtractInputAndOutputModifiersAndClamp) {
    Thread t = with_registers({{1, 2, 3, 4}, {5, 6, 7, 8}});
    Words w = registers(math(Type::Alu, RgbOp::Mad, AlphaOp::Mad), 0, 1, 0);
    w = with(w, {{Field::RgbSelA, 3},
                 {Field::RgbSrcpOp, 1},
                 {Field::AlphaSelA, 3},
                 {Field::AlphaSrcpOp, 0},
                 {Field::RgbModA, 1},
                 {Field::RgbOmod, 5},
                 {Field::AlphaModB, 1},
                 {Field::AlphaOmod, 3},
                 {Field::AlphaClamp, 1}});
    execute_one(to_register(w, 2), t);
    // RGB: -(src1 - src0) * src1 + src0, by 4; alpha: (1 - 2 * 4) * -8 + 4 by 8, clamped.
    EXPECT_EQ(lane_of(t.temporaries[2], 0), (Four{-19 / 4.0F, -22 / 4.0F, -25 / 4.0F, 1}));
}

TEST(CtmIsa, DotProductsAreTheSameForAllChannelsAndAlphaTakesThem) {
    Thread t = with_registers({{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}});
    const auto dot = [&](RgbOp op) {
        execute_one(to_register(registers(math(Type::Alu, op, AlphaOp::Dp), 0, 1, 2), 3), t);
        return lane_of(t.temporaries[3], 3);
    };
    EXPECT_EQ(dot(RgbOp::Dp3), (Four{38, 38, 38, 38}));
    EXPECT_EQ(dot(RgbOp::Dp4), (Four{70, 70, 70, 70}));
    EXPECT_EQ(dot(RgbOp::D2a), (Four{28, 28, 28, 28}));
}

TEST(CtmIsa, QuadOperationsReadTheTopLeftLaneAndItsNeighbour) {
    Thread t = thread_of(2, 2);
    for (unsigned l = 0; l < 8; ++l) {
        t.temporaries[0][0].lane[l] = float(l * l);
    }
    Words w = registers(math(Type::Alu, RgbOp::Mdh, AlphaOp::Mad), 0, 0, 0);
    w = with(w, {{Field::RgbModA, 1}, {Field::RedSwizB, 6}});
    execute_one(to_register(w, 1, 1), t);
    EXPECT_EQ(t.temporaries[1][0].lane[2], 1);  // 1 - 0
    EXPECT_EQ(t.temporaries[1][0].lane[7], 9);  // 25 - 16
    execute_one(to_register(with(w, {{Field::RgbOp, number(RgbOp::Mdv)}}), 1, 1), t);
    EXPECT_EQ(t.temporaries[1][0].lane[1], 4);   // 4 - 0
    EXPECT_EQ(t.temporaries[1][0].lane[4], 20);  // 36 - 16
}

TEST(CtmIsa, TranscendentalsReachRgbBySop) {
    Thread t = with_registers({{1, 2, 3, 4}});
    const auto of = [&](AlphaOp op) {
        Words w = registers(math(Type::Alu, RgbOp::Sop, op), 0, 0, 0);
        execute_one(to_register(w, 1), t);
        EXPECT_EQ(t.temporaries[1][0].lane[0], t.temporaries[1][3].lane[0]);
        return t.temporaries[1][1].lane[0];
    };
    EXPECT_EQ(of(AlphaOp::Ex2), 16);
    EXPECT_EQ(of(AlphaOp::Ln2), 2);
    EXPECT_EQ(of(AlphaOp::Rcp), 0.25F);
    EXPECT_EQ(of(AlphaOp::Rsq), 0.5F);
    EXPECT_EQ(of(AlphaOp::Sin), 0);
    EXPECT_EQ(of(AlphaOp::Cos), 1);
}

TEST(CtmIsa, OutputsKeepTheLastValueOfEachChannelAndTarget) {
    Thread t = with_registers({{1, 2, 3, 4}, {5, 6, 7, 8}});
    const std::vector<Words> program{out(0, 2, false),
                                     with(out(1, 2, false, 0b1010), {{Field::AlphaTarget, 1}}),
                                     out(0, 0, true, 0)};
    Effects effects;
    ASSERT_TRUE(run(program, {}, t, effects));
    EXPECT_EQ(lane_of(t.output[2], 0), (Four{1, 6, 3, 4}));
    EXPECT_EQ(t.output[1][3].lane[0], 8);
    EXPECT_EQ(t.output_written[2][3], 0xffu);
    EXPECT_EQ(t.output_written[1][3], 0xffu);
    EXPECT_EQ(t.output_written[1][0], 0u);
    EXPECT_EQ(t.output_written[0][0], 0u);
}

TEST(CtmIsa, LookupsReadTheElementOfTheirCoordinatesAndSwizzleBothWays) {
    Thread t = thread_of(2);
    Surroundings s;
    s.texel = [](unsigned input, Point at) {
        return Four{float(input), float(at.x), float(at.y), 1};
    };
    // S = g, T = r; texel c1, c2, c0 to R, G, B.
    const Words w = words_of(Type::Texture, {{Field::TexInst, 1},
                                             {Field::TexId, 5},
                                             {Field::TexUnscaled, 1},
                                             {Field::TexSrcSSwiz, 1},
                                             {Field::TexSrcTSwiz, 0},
                                             {Field::TexDstAddr, 3},
                                             {Field::TexDstRSwiz, 1},
                                             {Field::TexDstGSwiz, 2},
                                             {Field::TexDstBSwiz, 0},
                                             {Field::RgbWmask, 7}});
    execute_one(w, t, s);
    EXPECT_EQ(lane_of(t.temporaries[3], 6), (Four{1, 2, 5, 0}));
    EXPECT_EQ(t.pc, 1);
}

TEST(CtmIsa, TexkillTakesOutLanesWithANegativeComponent) {
    Thread t = thread_of(1);
    t.temporaries[0][2].lane[1] = -1;
    t.temporaries[0][3].lane[2] = -0.0F;
    const Words w = words_of(Type::Texture, {{Field::TexInst, 2},
                                             {Field::TexSrcSSwiz, 2},
                                             {Field::TexSrcTSwiz, 3},
                                             {Field::TexSrcRSwiz, 3},
                                             {Field::TexSrcQSwiz, 3}});
    execute_one(w, t);
    EXPECT_EQ(writing_lanes(t), 0b1101u);
}

TEST(CtmIsa, UncachedOutputsGoWhereGreenAndBlueSay) {
    Thread t = thread_of(1);
    t.temporaries[0][1].lane = {3, 4, 5, 6};
    t.temporaries[0][2].lane = {7, 8, 9, 10};
    t.covered = 0b0111;
    Effects effects;
    Surroundings s;
    s.mode.uncached_outputs = true;
    step(out(0, 3, false), s, t, effects);
    ASSERT_EQ(effects.uncached.size(), 3u);
    EXPECT_EQ(effects.uncached[2].lane, 2);
    EXPECT_EQ(effects.uncached[2].index.x, 5);
    EXPECT_EQ(effects.uncached[2].index.y, 9);
    EXPECT_EQ(effects.uncached[1].value, bits_of(1));
    EXPECT_TRUE(effects.acquires_semaphore);
    step(out(0, 0, false), s, t, effects);
    EXPECT_EQ(effects.uncached[2].index.x, 3);
    EXPECT_FALSE(effects.acquires_semaphore);
}

// ---- flow control

constexpr uint32_t kIfFalse = 0x0f, kIfTrue = 0xf0, kAlways = 0xff;

Words flow(FlowOp op, uint32_t function, bool any, uint32_t target,
           std::initializer_list<Setting> more = {}) {
    return with(words_of(Type::FlowControl, {{Field::FcOp, number(op)},
                                             {Field::FcJumpFunc, function},
                                             {Field::FcJumpAny, any},
                                             {Field::FcJumpAddr, target}}),
                more);
}
// The ALU result is whether r0.r < limit; limits are inline numbers.
Words less(uint32_t inline_limit) {
    Words w = with(math(Type::Alu, RgbOp::Mad, AlphaOp::Mad),
                   {{Field::RgbAddr0, 0},
                    {Field::RgbAddr2, 0x80 | inline_limit},
                    {Field::RedSwizB, 6},
                    {Field::RgbModC, 1},
                    {Field::AluWmask, 1},
                    {Field::AluResultOp, number(Compare::Lt)}});
    return w;
}
// r1.r += 2^k, an inline number.
Words add(uint32_t inline_number) {
    Words w =
        with(math(Type::Alu, RgbOp::Mad, AlphaOp::Mad),
             {{Field::RgbAddr0, 1}, {Field::RgbAddr2, 0x80 | inline_number}, {Field::RedSwizB, 6}});
    return to_register(w, 1, 1);
}
constexpr uint32_t kOne = 7 << 3, kTwo = 8 << 3, kThree = (8 << 3) + 4, kFour = 9 << 3,
                   kEight = 10 << 3;
const Setting kIncrement0{Field::FcBOp0, 2}, kIncrement1{Field::FcBOp1, 2},
    kDecrement0{Field::FcBOp0, 1}, kDecrement1{Field::FcBOp1, 1}, kPop1{Field::FcBPopCnt, 1};

std::vector<float> run_to_r1(const std::vector<Words>& program, unsigned quads = 2,
                             uint8_t iterations = 0) {
    Thread t = thread_of(quads, 2);
    Surroundings s;
    s.integer = [=](unsigned) { return std::array<uint8_t, 3>{iterations, 0, 1}; };
    s.boolean = [](unsigned i) { return i == 1; };
    Effects effects;
    EXPECT_TRUE(run(program, s, t, effects));
    const auto& lanes = t.temporaries[1][0].lane;
    return {lanes.begin(), lanes.begin() + t.lanes()};
}

TEST(CtmFlow, IfElseEndif) {
    // r0.r of two quads: 0 1 0 1, 2 3 2 3.
    const auto branches = [](uint32_t limit) {
        return std::vector<Words>{
            less(limit), flow(FlowOp::Jump, kIfFalse, false, 4, {kIncrement0, kIncrement1}),
            add(kOne),   flow(FlowOp::Jump, 0, false, 5, {{Field::FcBElse, 1}, kDecrement1, kPop1}),
            add(kFour),  flow(FlowOp::Jump, 0, true, 6, {kDecrement0, kPop1}),
            add(kEight), out(1, 0, true)};
    };
    // ENDIF is 5; a jump of ELSE has popped already, so it goes to 6.
    auto program = branches(kThree);
    set(program[3], Field::FcJumpAddr, 6);
    EXPECT_EQ(run_to_r1(program), (std::vector<float>{9, 9, 9, 9, 9, 12, 9, 12}));
    program[0] = less(kFour);
    EXPECT_EQ(run_to_r1(program), std::vector<float>(8, 9));
    program[0] = with(less(kFour), {{Field::AluResultOp, number(Compare::Ge)}});
    EXPECT_EQ(run_to_r1(program), std::vector<float>(8, 12));
}

TEST(CtmFlow, LoopsCountAndStepTheirVariable) {
    Thread t = thread_of(1, 2);
    Surroundings s;
    s.integer = [](unsigned i) {
        return i == 3 ? std::array<uint8_t, 3>{4, 10, 0xfe} : std::array<uint8_t, 3>{0, 0, 0};
    };
    std::vector<unsigned> read;
    s.floats = [&](unsigned i) {
        read.push_back(i);
        return Four{float(i), 0, 0, 0};
    };
    Words sum = with(math(Type::Alu, RgbOp::Mad, AlphaOp::Mad), {{Field::RgbAddr0, 20},
                                                                 {Field::RgbAddr0Const, 1},
                                                                 {Field::RgbAddr0Rel, 1},
                                                                 {Field::RedSwizB, 6},
                                                                 {Field::RgbAddr2, 1}});
    const std::vector<Words> program{
        flow(FlowOp::Loop, 0, false, 3, {{Field::FcIntAddr, 3}}),
        to_register(sum, 1, 1),
        flow(FlowOp::EndLoop, kAlways, true, 1, {{Field::FcIntAddr, 3}}),
        flow(FlowOp::Rep, 0, false, 6),
        add(kOne),
        flow(FlowOp::EndRep, kAlways, true, 4),
        out(1, 0, true)};
    Effects effects;
    ASSERT_TRUE(run(program, s, t, effects));
    EXPECT_EQ(read, (std::vector<unsigned>{30, 28, 26, 24}));
    EXPECT_EQ(t.temporaries[1][0].lane[3], 108);
    EXPECT_EQ(t.al, 0);
    EXPECT_TRUE(t.loop_stack.empty());
}

TEST(CtmFlow, BreakAndContinueWithinABranch) {
    // Lanes count their iterations; those with r0.r < 2 leave in their first, those below 3 leave
    // out the rest of each.
    const std::vector<Words> program{
        flow(FlowOp::Rep, 0, false, 10),
        add(kOne),
        less(kTwo),
        flow(FlowOp::Jump, kIfFalse, false, 6, {kIncrement0}),
        flow(FlowOp::BreakRep, kAlways, false, 10, {kDecrement1, kPop1}),
        flow(FlowOp::Jump, 0, true, 6, {kDecrement0, kPop1}),
        less(kThree),
        flow(FlowOp::Continue, kIfTrue, false, 9),
        add(kEight),
        flow(FlowOp::EndRep, kAlways, true, 1),
        out(1, 0, true)};
    EXPECT_EQ(run_to_r1(program, 2, 3), (std::vector<float>{1, 1, 1, 1, 3, 27, 3, 27}));
}

TEST(CtmFlow, CallAndReturn) {
    const std::vector<Words> program{flow(FlowOp::Jump, kAlways, true, 4, {{Field::FcAOp, 2}}),
                                     add(kOne),
                                     flow(FlowOp::Jump, kAlways, true, 4, {{Field::FcAOp, 2}}),
                                     out(1, 0, true),
                                     add(kFour),
                                     flow(FlowOp::Jump, kAlways, false, 0, {{Field::FcAOp, 1}})};
    EXPECT_EQ(run_to_r1(program), std::vector<float>(8, 9));
}

TEST(CtmFlow, BooleansAndPredicatesDecide) {
    const std::vector<Words> program{
        flow(FlowOp::Jump, 0xaa, false, 2, {{Field::FcBoolAddr, 1}}),
        add(kFour),
        flow(FlowOp::Jump, 0xaa, false, 4, {{Field::FcBoolAddr, 2}}),
        add(kOne),
        with(less(kTwo), {{Field::StatWe, 1}, {Field::RgbTarget, number(Compare::Lt)}}),
        flow(FlowOp::Jump, 0xcc, false, 7, {{Field::RgbPredSel, 2}, kIncrement0}),
        add(kEight),
        flow(FlowOp::Jump, 0, true, 0, {kDecrement0, kPop1}),
        with(add(kTwo), {{Field::RgbPredSel, 2}, {Field::RgbPredInv, 1}}),
        out(1, 0, true)};
    EXPECT_EQ(run_to_r1(program), (std::vector<float>{1, 1, 1, 1, 11, 11, 11, 11}));
}

TEST(CtmFlow, StacksStopWhenTheyOverflowOrUnderflow) {
    const auto stop = [](const Words& w, Thread& t) {
        Surroundings s;
        s.integer = [](unsigned) { return std::array<uint8_t, 3>{9, 0, 1}; };
        Effects effects;
        return stop_of([&] {
            for (int i = 0; i < 100; ++i) {
                step(w, s, t, effects);
            }
        });
    };
    Thread t = thread_of(1);
    EXPECT_EQ(stop(flow(FlowOp::Jump, kAlways, false, 0, {{Field::FcAOp, 1}}), t),
              "thread at (0, 0), pc 0, FC: underflow of the address stack");
    EXPECT_EQ(stop(flow(FlowOp::Jump, kAlways, false, 7, {{Field::FcAOp, 2}}), t),
              "thread at (0, 0), pc 7, FC: overflow of the address stack: it holds 4");
    t = thread_of(1);
    EXPECT_EQ(stop(flow(FlowOp::EndLoop, kAlways, true, 0), t),
              "thread at (0, 0), pc 0, FC: underflow of the loop stack");
    EXPECT_EQ(stop(flow(FlowOp::BreakRep, kAlways, true, 0), t),
              "thread at (0, 0), pc 0, FC: underflow of the loop stack");
    EXPECT_EQ(stop(flow(FlowOp::Loop, 0, false, 0), t),
              "thread at (0, 0), pc 4, FC: overflow of the loop stack: it holds 4");
}

}  // namespace
}  // namespace archipelago::ctm::isa::test
