// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

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

class CuValuPinsTest : public OnPins<CuValuPins> {
  protected:
    void SetUp() override {
        OnPins::SetUp();
        in_.in.exec = kAll;
        in_.in.vgprs = 256;
    }
    void put(Op op) { in_.in.op = static_cast<uint16_t>(cu::vop3_number(op)); }
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

TEST_P(CuValuPinsTest, OpcodesOfOtherUnitsAreNotKnownAndWriteNothing) {
    in_.in.src0 = in_.in.src1 = isa::kVgprFirst;
    in_.in.v0.fill(1);
    in_.in.v1.fill(2);
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
        in_.in.src0 = in_.in.src1 = in_.in.src2 = isa::kVgprFirst;
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
