// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "models/common/error.h"
#include "models/cu/isa/opcodes.h"
#include "models/cu/lane/cu_valu_core.h"
#include "models/cu/lane/lane_unit.h"
#include "models/cu/lane/valu_lane_core.h"
#include "models/cu/lane/wave_operands.h"
#include "models/cu/lane/wave_unit.h"
#include "rtl-bridge/compare/random.h"
#include "testbenches/cosim/on_pins.h"

namespace archipelago::rtl::cu_valu_test {
namespace {

using isa::Op;
using testing::Each;

constexpr unsigned kLanes = CuValuPins::kLanes;
constexpr uint64_t kAll = ~uint64_t{0};
constexpr uint16_t kRow = isa::kVgprFirst;
constexpr uint32_t kOne = 0x3f800000, kTwo = 0x40000000, kThree = 0x40400000, kFour = 0x40800000;

CuValuPins::Row numbered(uint32_t first) {
    CuValuPins::Row row;
    for (unsigned l = 0; l < kLanes; ++l)
        row[l] = first + l;
    return row;
}

CuValuPins::Row all(uint32_t value) {
    CuValuPins::Row row;
    row.fill(value);
    return row;
}

class CuValuPinsTest : public OnPins<CuValuPins> {
  protected:
    void SetUp() override {
        OnPins::SetUp();
        in_.in.exec = kAll;
        in_.in.vgprs = 256;
    }
    void put(Op op) { in_.in.op = static_cast<uint16_t>(cu::vop3_number(op)); }
    // Source 0 and 1 are vector registers.
    void rows(const CuValuPins::Row& v0, const CuValuPins::Row& v1 = {}) {
        in_.in.src0 = in_.in.src1 = kRow;
        in_.in.v0 = v0;
        in_.in.v1 = v1;
    }
    const CuValuPins::Result& run(Op op) {
        put(op);
        in_.in_valid = 1;
        in_.out_ready = 1;
        step();
        in_.in_valid = 0;
        step();
        EXPECT_EQ(out_.out_valid, 1);
        return out_.out;
    }
    // The destination's new contents.
    const CuValuPins::Row& row(Op op) {
        EXPECT_EQ(run(op).row_write, 1);
        return out_.out.row;
    }
    uint64_t mask(Op op) {
        EXPECT_EQ(run(op).mask_write, 1);
        return out_.out.mask;
    }
    uint32_t scalar(Op op) {
        EXPECT_EQ(run(op).scalar_write, 1);
        EXPECT_EQ(out_.out.row_write, 0);
        return out_.out.scalar;
    }
};

TEST_P(CuValuPinsTest, ResultComesOneCycleBehindItsInstruction) {
    put(Op::V_MOV_B32);
    in_.in.s0 = 7;
    in_.in_valid = 1;
    in_.out_ready = 1;
    EXPECT_EQ(step().in_ready, 1);
    EXPECT_EQ(out_.out_valid, 0);
    in_.in_valid = 0;
    EXPECT_EQ(step().out_valid, 1);
    EXPECT_THAT(out_.out.row, Each(7u));
    EXPECT_EQ(step().out_valid, 0);
    EXPECT_THAT(out_.out.row, Each(0u));
}

TEST_P(CuValuPinsTest, ResultStaysUntilItIsTakenAndThenTheNextFollows) {
    put(Op::V_MOV_B32);
    in_.in.s0 = 1;
    in_.in_valid = 1;
    in_.out_ready = 0;
    step();
    in_.in.s0 = 2;
    for (unsigned n = 0; n < 3; ++n) {
        EXPECT_EQ(step().in_ready, 0);
        EXPECT_THAT(out_.out.row, Each(1u));
    }
    in_.out_ready = 1;
    EXPECT_EQ(step().in_ready, 1);
    EXPECT_THAT(out_.out.row, Each(1u));
    in_.in_valid = 0;
    step();
    EXPECT_THAT(out_.out.row, Each(2u));
}

TEST_P(CuValuPinsTest, ResetForgetsAResult) {
    put(Op::V_MOV_B32);
    in_.in_valid = 1;
    step();
    in_.in_valid = 0;
    in_.rst = 1;
    step();
    in_.rst = 0;
    EXPECT_EQ(step().out_valid, 0);
    EXPECT_EQ(out_.in_ready, 1);
}

TEST_P(CuValuPinsTest, SourcesAreRegistersOfEachLaneOrOneValueForAll) {
    rows(numbered(100), numbered(1));
    EXPECT_EQ(row(Op::V_ADD_I32)[63], 163u + 64);
    in_.in.src1 = isa::kM0;
    in_.in.s1 = 5;
    EXPECT_EQ(row(Op::V_ADD_I32)[63], 168u);
    in_.in.src0 = isa::kLiteral;
    in_.in.s0 = 30;
    EXPECT_THAT(row(Op::V_ADD_I32), Each(35u));
    in_.in.src2 = kRow;
    in_.in.v2 = numbered(1000);
    EXPECT_EQ(row(Op::V_MAD_U32_U24)[3], 30u * 5 + 1003);
}

TEST_P(CuValuPinsTest, InactiveLanesKeepTheirRegister) {
    in_.in.exec = 0x8000000000000005;
    in_.in.old = numbered(50);
    in_.in.s0 = 9;
    CuValuPins::Row expected = numbered(50);
    expected[0] = expected[2] = expected[63] = 9;
    EXPECT_EQ(row(Op::V_MOV_B32), expected);
    in_.in.exec = 0;
    EXPECT_EQ(row(Op::V_MOV_B32), numbered(50));
}

TEST_P(CuValuPinsTest, CompareGivesABitForEachActiveLane) {
    rows(numbered(0), all(32));
    EXPECT_EQ(mask(Op::V_CMP_LT_U32), 0xffffffffu);
    EXPECT_EQ(out_.out.row_write, 0);
    EXPECT_EQ(out_.out.exec_write, 0);
    in_.in.exec = 0xf0f;
    EXPECT_EQ(mask(Op::V_CMP_LT_U32), 0xf0fu);
    EXPECT_EQ(mask(Op::V_CMP_TRU_F32), 0xf0fu);
    in_.in.exec = 0;
    EXPECT_EQ(mask(Op::V_CMP_LT_U32), 0u);
}

TEST_P(CuValuPinsTest, EveryCompareOfFloatsAndIntegersHasAFormThatWritesExec) {
    rows(all(kOne), all(kOne));
    in_.in.exec = 0xff;
    for (const Op op :
         {Op::V_CMPX_EQ_F32, Op::V_CMPSX_EQ_F32, Op::V_CMPX_EQ_I32, Op::V_CMPX_EQ_U32}) {
        EXPECT_EQ(mask(op), 0xffu);
        EXPECT_EQ(out_.out.exec_write, 1);
    }
    for (const Op op : {Op::V_CMP_EQ_F32, Op::V_CMPS_EQ_F32, Op::V_CMP_EQ_I32, Op::V_CMP_EQ_U32,
                        Op::V_CMP_CLASS_F32}) {
        run(op);
        EXPECT_EQ(out_.out.exec_write, 0);
    }
}

TEST_P(CuValuPinsTest, CarriesComeAndGoByLane) {
    rows(all(0xffffffff), all(0));
    in_.in.mask = 0x5;
    const CuValuPins::Row& sum = row(Op::V_ADDC_U32);
    EXPECT_EQ(sum[0], 0u);
    EXPECT_EQ(sum[1], 0xffffffffu);
    EXPECT_EQ(sum[2], 0u);
    EXPECT_EQ(out_.out.mask, 0x5u);
    EXPECT_EQ(out_.out.mask_write, 1);
    // Without carry-in: the mask that is there does not count.
    EXPECT_EQ(mask(Op::V_ADD_I32), 0u);
    in_.in.exec = 2;
    EXPECT_EQ(mask(Op::V_SUBREV_I32), 2u);
}

TEST_P(CuValuPinsTest, CndmaskChoosesByTheMaskAndTakesSourceModifiers) {
    rows(all(kOne), all(kTwo));
    in_.in.mask = 1;
    in_.in.neg = 2;
    const CuValuPins::Row& chosen = row(Op::V_CNDMASK_B32);
    EXPECT_EQ(chosen[0], kTwo | 0x80000000u);
    EXPECT_EQ(chosen[1], kOne);
    EXPECT_EQ(out_.out.mask_write, 0);
}

TEST_P(CuValuPinsTest, MultiplyAddsTakeTheirAddendFromDestinationLiteralOrSource) {
    rows(all(kTwo), all(kTwo));
    in_.in.src2 = kRow;
    in_.in.v2 = all(kTwo);
    in_.in.old = all(kOne);
    in_.in.literal = kThree;
    EXPECT_THAT(row(Op::V_MAC_F32), Each(0x40a00000u));    // 2 * 2 + 1
    EXPECT_THAT(row(Op::V_MADAK_F32), Each(0x40e00000u));  // 2 * 2 + 3
    EXPECT_THAT(row(Op::V_MADMK_F32), Each(0x41000000u));  // 2 * 3 + 2
    EXPECT_THAT(row(Op::V_MAD_F32), Each(0x40c00000u));    // 2 * 2 + 2
}

TEST_P(CuValuPinsTest, OutputModifiersApplyToFloats) {
    rows(all(kOne), all(kOne));
    in_.in.omod = 1;
    EXPECT_THAT(row(Op::V_ADD_F32), Each(kFour));
    in_.in.clamp = 1;
    EXPECT_THAT(row(Op::V_ADD_F32), Each(kOne));
    in_.in.neg = 3;
    EXPECT_THAT(row(Op::V_ADD_F32), Each(0u));
    in_.in.neg = 0;
    EXPECT_THAT(row(Op::V_AND_B32), Each(kOne));
}

TEST_P(CuValuPinsTest, ReadlaneReadsAnInactiveLaneToo) {
    rows(numbered(0x100));
    in_.in.src1 = 3;
    in_.in.s1 = 64 + 17;
    in_.in.exec = 0;
    EXPECT_EQ(scalar(Op::V_READLANE_B32), 0x111u);
}

TEST_P(CuValuPinsTest, ReadfirstlaneReadsLaneZeroWhereNoneIsActive) {
    rows(numbered(0x100));
    for (unsigned l = 0; l < kLanes; ++l) {
        in_.in.exec = kAll << l;
        EXPECT_EQ(scalar(Op::V_READFIRSTLANE_B32), 0x100u + l);
    }
    in_.in.exec = 0;
    EXPECT_EQ(scalar(Op::V_READFIRSTLANE_B32), 0x100u);
}

TEST_P(CuValuPinsTest, WritelaneWritesOneLaneActiveOrNot) {
    in_.in.s0 = 77;
    in_.in.s1 = 40;
    in_.in.old = numbered(0);
    in_.in.exec = 1;
    CuValuPins::Row expected = numbered(0);
    expected[40] = 77;
    EXPECT_EQ(row(Op::V_WRITELANE_B32), expected);
}

TEST_P(CuValuPinsTest, MbcntCountsTheLanesBelowInItsHalf) {
    in_.in.s0 = 0xffffffff;
    in_.in.s1 = 100;
    const CuValuPins::Row low = row(Op::V_MBCNT_LO_U32_B32);
    const CuValuPins::Row high = row(Op::V_MBCNT_HI_U32_B32);
    for (unsigned l = 0; l < kLanes; ++l) {
        EXPECT_EQ(low[l], 100 + std::min(l, 32u)) << l;
        EXPECT_EQ(high[l], 100 + (l < 32 ? 0 : l - 32)) << l;
    }
}

TEST_P(CuValuPinsTest, RelativeMovesAddM0ToTheNumbersOfRegisters) {
    rows(numbered(5));
    in_.in.src0 = kRow + 10;
    in_.in.vdst = 20;
    in_.in.m0 = 30;
    in_.in.vgprs = 64;
    EXPECT_EQ(row(Op::V_MOVRELS_B32), numbered(5));
    EXPECT_EQ(out_.out.source, 40u);
    EXPECT_EQ(out_.out.vdst, 20u);
    row(Op::V_MOVRELD_B32);
    EXPECT_EQ(out_.out.source, 10u);
    EXPECT_EQ(out_.out.vdst, 50u);
    row(Op::V_MOVRELSD_B32);
    EXPECT_EQ(out_.out.source, 40u);
    EXPECT_EQ(out_.out.vdst, 50u);
    row(Op::V_MOV_B32);
    EXPECT_EQ(out_.out.source, 10u);
    EXPECT_EQ(out_.out.vdst, 20u);
}

TEST_P(CuValuPinsTest, BeyondTheWaveARelativeSourceIsV0AndADestinationIsNotWritten) {
    rows(numbered(5));
    in_.in.src0 = kRow + 10;
    in_.in.vdst = 10;
    in_.in.vgprs = 64;
    in_.in.m0 = 53;
    EXPECT_EQ(run(Op::V_MOVRELSD_B32).source, 63u);
    EXPECT_EQ(out_.out.row_write, 1);
    for (const uint32_t m0 : {54u, 0xfffffff5u, 0xffffff00u}) {
        in_.in.m0 = m0;
        EXPECT_EQ(run(Op::V_MOVRELSD_B32).source, 0u) << m0;
        EXPECT_EQ(out_.out.row_write, 0) << m0;
    }
    in_.in.m0 = 0xffffffff;  // one below
    EXPECT_EQ(run(Op::V_MOVRELSD_B32).source, 9u);
    EXPECT_EQ(out_.out.vdst, 9u);
}

TEST_P(CuValuPinsTest, WhatChangesNothingWritesNothing) {
    rows(numbered(1), numbered(2));
    for (const Op op : {Op::V_NOP, Op::V_CLREXCP}) {
        const CuValuPins::Result& r = run(op);
        EXPECT_EQ(r.known, 1);
        EXPECT_EQ(r.row_write + r.mask_write + r.scalar_write + r.exec_write, 0);
    }
}

TEST_P(CuValuPinsTest, OpcodesOfOtherUnitsAreNotKnownAndWriteNothing) {
    rows(numbered(1), numbered(2));
    in_.in_valid = in_.out_ready = 1;
    unsigned others = 0;
    for (unsigned n = 0; n < CuValuPins::kOpcodes; ++n) {
        in_.in.op = static_cast<uint16_t>(n);
        step();
        step();
        const bool known = cu::cu_valu_op(n) != Op::Illegal;
        EXPECT_EQ(out_.out.known, known ? 1 : 0) << n;
        if (known)
            continue;
        ++others;
        const CuValuPins::Result& r = out_.out;
        EXPECT_EQ(r.row_write + r.mask_write + r.scalar_write + r.exec_write + r.source, 0) << n;
    }
    EXPECT_GT(others, 100u);
    EXPECT_EQ(cu::cu_valu_op(static_cast<unsigned>(cu::vop3_number(Op::V_FMA_F32))), Op::Illegal);
    EXPECT_EQ(cu::cu_valu_op(static_cast<unsigned>(cu::vop3_number(Op::V_RCP_F32))), Op::Illegal);
}

TEST_P(CuValuPinsTest, EveryLaneDoesWhatOneByItselfDoes) {
    cu::ValuLaneCore lane;
    Random random(3);
    for (const uint16_t n : cu::valu_lane_opcodes()) {
        rows({}, {});
        in_.in.src2 = kRow;
        for (unsigned l = 0; l < kLanes; ++l) {
            in_.in.v0[l] = random.word();
            in_.in.v1[l] = random.word();
            in_.in.v2[l] = random.word();
        }
        in_.in.old = in_.in.v2;
        in_.in.mask = random.bits();
        in_.in.neg = static_cast<uint8_t>(random.below(8));
        in_.in.denorm = static_cast<uint8_t>(random.below(4));
        const CuValuPins::Result& r = run(cu::cu_valu_op(n));
        for (unsigned l = 0; l < kLanes; ++l) {
            ValuLanePins::Operation o;
            o.op = n;
            o.a = in_.in.v0[l];
            o.b = in_.in.v1[l];
            o.c = in_.in.v2[l];
            o.carry = in_.in.mask >> l & 1;
            o.neg = in_.in.neg;
            o.denorm = in_.in.denorm;
            const auto alone = lane.evaluate(o);
            EXPECT_EQ(r.row[l], r.row_write != 0 ? alone.value : 0) << n << " lane " << l;
            EXPECT_EQ(r.mask >> l & 1, alone.flag ? 1u : 0u) << n << " lane " << l;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(On, CuValuPinsTest,
                         testing::ValuesIn(core_and_rtl<CuValuPins, cu::CuValuCore>()), kName);

// A wave with its vector registers.
struct Wave {
    static constexpr unsigned kVgprs = 24;
    struct alignas(64) Register {
        isa::VReg lanes;
    };
    std::vector<Register> registers = std::vector<Register>(kVgprs);
    isa::WaveState state;

    isa::WaveState& attached() {
        state.v = &registers[0].lanes;
        return state;
    }
};

class WaveUnitTest : public OnPins<CuValuPins> {
  protected:
    // Words of an instruction in its own encoding or VOP3, its fields random.
    isa::Inst instruction(const isa::OpInfo& info) {
        static constexpr uint32_t kScalars[] = {2, 4, 20, 106, 126, 124, 128, 193, 242, 253, 255};
        const auto vgpr = [&] { return random_.below(Wave::kVgprs); };
        const auto source = [&] {
            return random_.one_in(2) ? isa::kVgprFirst + vgpr() : random_.pick(kScalars);
        };
        const uint32_t s0 = source();
        uint32_t words[2] = {0, random_.word()};
        if (info.format == isa::Format::Vop3 || random_.one_in(2)) {
            const uint32_t destination =
                info.format == isa::Format::Vopc ? 2 * random_.below(52) : vgpr();
            const uint32_t upper = info.has(isa::kOpMaskOut) && info.format != isa::Format::Vopc
                                       ? 2 * random_.below(52)  // SDST
                                       : random_.below(16);
            words[0] = 0xd0000000 | static_cast<uint32_t>(cu::vop3_number(op_of(info))) << 17 |
                       upper << 8 | destination;
            const uint32_t third = info.has(isa::kOpMaskIn) ? 2 * random_.below(52) : source();
            words[1] = random_.below(32) << 27 | third << 18 | source() << 9 | s0;
        } else if (info.format == isa::Format::Vop2) {
            words[0] = uint32_t{info.number} << 25 | vgpr() << 17 |
                       (info.has(isa::kOpLaneSel) ? random_.pick(kScalars) : vgpr()) << 9 | s0;
        } else if (info.format == isa::Format::Vop1) {
            words[0] = 0x7e000000 | vgpr() << 17 | uint32_t{info.number} << 9 | s0;
        } else {
            words[0] = 0x7c000000 | uint32_t{info.number} << 17 | vgpr() << 9 | s0;
        }
        return isa::decode(words, 2);
    }
    Wave wave() {
        Wave w;
        for (Wave::Register& r : w.registers)
            for (uint32_t& lane : r.lanes)
                lane = random_.word();
        for (uint32_t& s : w.state.s)
            s = random_.word();
        w.state.s[isa::kM0] = random_.below(30);
        if (random_.one_in(4))
            w.state.set_exec(random_.one_in(2) ? 0 : kAll);
        w.state.num_vgprs = Wave::kVgprs;
        w.state.num_sgprs = 104;
        w.state.mode = isa::Mode::from_float_mode(static_cast<uint8_t>(random_.word()),
                                                  random_.one_in(2), random_.one_in(2));
        return w;
    }

  private:
    static Op op_of(const isa::OpInfo& info) {
        return isa::op_from_number(info.format, info.number);
    }
    Random random_{5};
};

// Every instruction of the vector ALU, on random registers.
TEST_P(WaveUnitTest, WavesEndInTheStateTheirInstructionsGiveThem) {
    cu::PinWaveValuUnit unit(*block_);
    unsigned own = 0;
    for (unsigned number = 0; number < isa::kOpCount; ++number) {
        const isa::OpInfo& info = isa::op_info(static_cast<Op>(number));
        if (cu::vop3_number(static_cast<Op>(number)) < 0)
            continue;
        SCOPED_TRACE(info.name);
        unsigned executed = 0;
        for (unsigned round = 0; round < 60; ++round) {
            const isa::Inst inst = instruction(info);
            if (inst.op != static_cast<Op>(number) || inst.src[0] == isa::kLdsDirect)
                continue;
            Wave after = wave();
            Wave expected = after;
            if (!unit.execute(inst, after.attached()))
                break;
            inst.exec(inst, expected.attached());
            ++executed;
            ASSERT_EQ(std::memcmp(after.state.s, expected.state.s, sizeof after.state.s), 0);
            ASSERT_EQ(std::memcmp(after.registers.data(), expected.registers.data(),
                                  Wave::kVgprs * sizeof(Wave::Register)),
                      0);
        }
        const auto opcode = static_cast<unsigned>(cu::vop3_number(static_cast<Op>(number)));
        EXPECT_EQ(executed >= 5, cu::cu_valu_op(opcode) != Op::Illegal) << executed;
        own += executed >= 5 ? 1 : 0;
    }
    EXPECT_EQ(own, cu::cu_valu_opcodes().size());
}

TEST_P(WaveUnitTest, BesideALaneEachTakesEveryOtherInstruction) {
    cu::PinWaveValuUnit unit(*block_);
    cu::ValuLaneCore lane;
    cu::LaneUnit lanes(lane);
    cu::ValuUnits both;
    EXPECT_TRUE(both.empty());
    both.use(&lanes);
    both.use(&unit);
    EXPECT_FALSE(both.empty());
    isa::Inst add;
    add.op = Op::V_ADD_I32;
    add.format = isa::Format::Vop2;
    add.num_src = 2;
    add.src[0] = add.src[1] = isa::kVgprFirst;
    Wave w = wave();
    w.state.set_exec(0xff);
    for (unsigned n = 0; n < 10; ++n) {
        const uint32_t before = w.registers[0].lanes[3];
        EXPECT_TRUE(both.execute(add, w.attached()));
        EXPECT_EQ(w.registers[0].lanes[3], 2 * before);
    }
    EXPECT_EQ(lanes.operations(), 5u * 8);
    // What a lane does not have goes to the other in any case.
    isa::Inst nop;
    nop.op = Op::V_NOP;
    nop.format = isa::Format::Vop1;
    EXPECT_TRUE(both.execute(nop, w.attached()));
    EXPECT_TRUE(both.execute(nop, w.attached()));
    EXPECT_EQ(lanes.operations(), 5u * 8);
}

// A user's Verilog may say anything; registers of other waves are not written.
TEST(WaveUnit, StopsTheMachineWhereARegisterBeyondTheWaveIsWritten) {
    class Beyond : public PinBlock<CuValuPins> {
      public:
        void step(const In&, Out& out) override {
            out = {};
            out.in_ready = out.out_valid = 1;
            out.out.known = known;
            out.out.row_write = 1;
            out.out.vdst = Wave::kVgprs;
        }
        uint8_t known = 1;
    };
    Beyond alu;
    cu::PinWaveValuUnit unit(alu);
    isa::Inst move;
    move.op = Op::V_MOV_B32;
    move.format = isa::Format::Vop1;
    move.num_src = 1;
    Wave w;
    w.state.num_vgprs = Wave::kVgprs;
    EXPECT_THROW(unit.execute(move, w.attached()), MachineStop);
    alu.known = 0;
    EXPECT_THROW(unit.execute(move, w.attached()), MachineStop);
}

INSTANTIATE_TEST_SUITE_P(On, WaveUnitTest,
                         testing::ValuesIn(core_and_rtl<CuValuPins, cu::CuValuCore>()), kName);

}  // namespace
}  // namespace archipelago::rtl::cu_valu_test
