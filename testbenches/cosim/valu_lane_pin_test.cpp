// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <cstring>
#include <random>

#include "models/cu/isa/opcodes.h"
#include "models/cu/lane/lane_unit.h"
#include "models/cu/lane/valu_lane_core.h"
#include "testbenches/cosim/on_pins.h"

namespace archipelago::rtl {
namespace {

constexpr unsigned kAddI32 = 256 + 37, kMulF32 = 256 + 8, kMovB32 = 384 + 1;

class ValuLanePinsTest : public OnPins<ValuLanePins> {
  protected:
    static uint32_t bits(float x) {
        uint32_t r;
        std::memcpy(&r, &x, 4);
        return r;
    }
    // One operation through an empty pipeline.
    ValuLanePins::Out result(unsigned op, uint32_t a, uint32_t b) {
        in_.in.op = static_cast<uint16_t>(op);
        in_.in.a = a;
        in_.in.b = b;
        in_.in_valid = 1;
        in_.out_ready = 1;
        step();
        in_.in_valid = 0;
        while (step().out_valid == 0) {
        }
        return out_;
    }
};

TEST_P(ValuLanePinsTest, ResultComesSixCyclesBehindItsOperands) {
    in_.in.op = kMovB32;
    in_.in.a = 7;
    in_.in_valid = 1;
    in_.out_ready = 1;
    EXPECT_EQ(step().in_ready, 1);
    in_.in_valid = 0;
    for (unsigned cycle = 1; cycle < 6; ++cycle)
        EXPECT_EQ(step().out_valid, 0) << cycle;
    EXPECT_EQ(step().out_valid, 1);
    EXPECT_EQ(out_.out_result, 7u);
    EXPECT_EQ(step().out_valid, 0);
}

TEST_P(ValuLanePinsTest, TakesAnOperationInEveryCycleAndKeepsTheirOrder) {
    in_.out_ready = 1;
    in_.in_valid = 1;
    in_.in.op = kMovB32;
    for (uint32_t n = 0; n < 30; ++n) {
        in_.in.a = n;
        EXPECT_EQ(step().in_ready, 1);
        if (n >= 6) {
            EXPECT_EQ(out_.out_result, n - 6);
        }
    }
}

TEST_P(ValuLanePinsTest, FullPipelineRefusesAndHoldsItsResult) {
    in_.in.op = kMovB32;
    in_.in_valid = 1;
    unsigned taken = 0;
    for (uint32_t n = 0; n < 20; ++n) {
        in_.in.a = 100 + taken;
        taken += step().in_ready;
    }
    EXPECT_EQ(taken, 6u);
    EXPECT_EQ(out_.out_result, 100u);
    in_.in_valid = 0;
    in_.out_ready = 1;
    for (uint32_t n = 0; n < 6; ++n)
        EXPECT_EQ(step().out_result, 100 + n);
    EXPECT_EQ(step().out_valid, 0);
}

TEST_P(ValuLanePinsTest, ResetDropsWhatIsInFlight) {
    in_.in.op = kMovB32;
    in_.in_valid = 1;
    for (int i = 0; i < 4; ++i)
        step();
    in_.in_valid = 0;
    in_.rst = 1;
    step();
    in_.rst = 0;
    for (int i = 0; i < 10; ++i)
        EXPECT_EQ(step().out_valid, 0);
}

TEST_P(ValuLanePinsTest, ResultsAreThoseOfTheInstruction) {
    EXPECT_EQ(result(kAddI32, 0xffffffff, 2).out_result, 1u);
    EXPECT_EQ(out_.out_flag, 1);
    in_.in.round = 0;
    in_.in.denorm = 3;
    EXPECT_EQ(result(kMulF32, bits(1.5f), bits(-2.0f)).out_result, bits(-3.0f));
    // 2^-126 * 0.5 is a denormal: kept, or flushed by MODE.
    EXPECT_EQ(result(kMulF32, 0x00800000, bits(0.5f)).out_result, 0x00400000u);
    in_.in.denorm = 0;
    EXPECT_EQ(result(kMulF32, 0x00800000, bits(0.5f)).out_result, 0u);
    // 1/3 and a bit, up and down.
    in_.in.round = 1;
    EXPECT_EQ(result(kMulF32, 0x3eaaaaab, 0x3f800001).out_result, 0x3eaaaaadu);
    in_.in.round = 2;
    EXPECT_EQ(result(kMulF32, 0x3eaaaaab, 0x3f800001).out_result, 0x3eaaaaacu);
    EXPECT_EQ(result(511, 1, 2).out_illegal, 1);
}

INSTANTIATE_TEST_SUITE_P(On, ValuLanePinsTest,
                         testing::ValuesIn(core_and_rtl<ValuLanePins, cu::ValuLaneCore>()), kName);

class LaneUnitTest : public OnPins<ValuLanePins> {};

// Every opcode of the lane in its 32-bit and VOP3 forms, on random registers and lane masks.
TEST_P(LaneUnitTest, WavesEndInTheStateTheirInstructionsGiveThem) {
    struct Storage {
        alignas(64) isa::VReg v[8];
    };
    std::mt19937 random(7);
    const auto word = [&] { return static_cast<uint32_t>(random()); };
    cu::LaneUnit unit(*block_);
    unsigned executed = 0;
    for (unsigned round = 0; round < 3; ++round) {
        for (unsigned number = 0; number < isa::kOpCount; ++number) {
            const auto op = static_cast<isa::Op>(number);
            if (cu::valu_lane_opcode(op) < 0)
                continue;
            const isa::OpInfo& info = isa::op_info(op);
            Storage plain;
            Storage swapped;
            for (isa::VReg& reg : plain.v)
                for (uint32_t& lane : reg)
                    lane = word() % 4 == 0 ? word() % 3 : word();
            std::memcpy(&swapped, &plain, sizeof plain);
            isa::WaveState a;
            a.v = plain.v;
            a.num_vgprs = 8;
            a.num_sgprs = 104;
            for (uint32_t& s : a.s)
                s = word();
            a.set_exec(word() % 4 == 0 ? 0 : (uint64_t{word()} << 32 | word()));
            a.mode =
                isa::Mode::from_float_mode(static_cast<uint8_t>(word()), word() % 2, word() % 2);
            isa::WaveState b = a;
            b.v = swapped.v;
            isa::Inst inst;
            inst.op = op;
            const bool vop3 =
                info.format == isa::Format::Vop3 || (!info.has(isa::kOpNoVop3) && round != 0);
            inst.format = vop3 ? isa::Format::Vop3 : info.format;
            inst.num_src = info.num_src;
            inst.literal = word();
            for (unsigned k = 0; k < 3; ++k) {
                static constexpr uint16_t kSources[] = {1, 128, 193, 242, isa::kLiteral};
                inst.src[k] = word() % 2 == 0 ? kSources[word() % 5]
                                              : static_cast<uint16_t>(isa::kVgprFirst + word() % 8);
            }
            if (info.has(isa::kOpMaskIn))
                inst.src[2] = 20;
            inst.vdst = static_cast<uint16_t>(word() % 8);
            inst.sdst = isa::kVccLo;
            if (vop3) {
                inst.sdst = 30;
                inst.neg = word() & 7;
                inst.abs = word() & 7;
                inst.omod = word() & 3;
                inst.clamp = word() % 2 == 0;
            }
            isa::find_valu(op)(inst, a);
            ASSERT_TRUE(unit.execute(inst, b)) << info.name;
            ASSERT_EQ(std::memcmp(&plain, &swapped, sizeof plain), 0) << info.name;
            ASSERT_EQ(std::memcmp(a.s, b.s, sizeof a.s), 0) << info.name;
            ++executed;
        }
    }
    EXPECT_GT(executed, 3u * 160);
    isa::Inst other;
    other.op = isa::Op::V_RCP_F32;
    isa::WaveState wave;
    EXPECT_FALSE(unit.execute(other, wave));
}

INSTANTIATE_TEST_SUITE_P(On, LaneUnitTest,
                         testing::ValuesIn(core_and_rtl<ValuLanePins, cu::ValuLaneCore>()), kName);

}  // namespace
}  // namespace archipelago::rtl
