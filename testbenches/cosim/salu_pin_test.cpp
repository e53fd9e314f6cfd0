// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "models/cu/isa/opcodes.h"
#include "models/cu/pipeline/salu_core.h"
#include "testbenches/cosim/on_pins.h"

namespace archipelago::rtl {
namespace {

constexpr unsigned kSaluStages = 3;

class SaluPinsTest : public OnPins<SaluPins> {
  protected:
    void put(isa::Op op) {
        const isa::OpInfo& info = isa::op_info(op);
        in_.in.enc = info.format == isa::Format::Sop2   ? SaluPins::kSop2
                     : info.format == isa::Format::Sopk ? SaluPins::kSopk
                     : info.format == isa::Format::Sop1 ? SaluPins::kSop1
                     : info.format == isa::Format::Sopc ? SaluPins::kSopc
                                                        : SaluPins::kSopp;
        in_.in.op = static_cast<uint8_t>(info.number);
    }
    // The result of an instruction through an empty pipeline.
    const SaluPins::Result& run() {
        in_.in_valid = 1;
        in_.out_ready = 1;
        step();
        in_.in_valid = 0;
        while (step().out_valid == 0) {
        }
        return out_.out;
    }
    const SaluPins::Result& run(isa::Op op, uint64_t s0 = 0, uint64_t s1 = 0) {
        put(op);
        in_.in.s0 = s0;
        in_.in.s1 = s1;
        return run();
    }
};

TEST_P(SaluPinsTest, ResultComesThreeCyclesBehindItsOperands) {
    put(isa::Op::S_MOV_B32);
    in_.in.s0 = 7;
    in_.in_valid = 1;
    in_.out_ready = 1;
    EXPECT_EQ(step().in_ready, 1);
    in_.in_valid = 0;
    for (unsigned cycle = 1; cycle < kSaluStages; ++cycle)
        EXPECT_EQ(step().out_valid, 0) << cycle;
    EXPECT_EQ(step().out_valid, 1);
    EXPECT_EQ(out_.out.data, 7u);
    EXPECT_EQ(out_.out.wide, 0);
    EXPECT_EQ(step().out_valid, 0);
}

TEST_P(SaluPinsTest, TakesAnInstructionInEveryCycleAndKeepsTheirOrder) {
    put(isa::Op::S_MOV_B64);
    in_.out_ready = 1;
    in_.in_valid = 1;
    for (uint64_t n = 0; n < 30; ++n) {
        in_.in.s0 = n << 33;
        EXPECT_EQ(step().in_ready, 1);
        if (n >= kSaluStages) {
            EXPECT_EQ(out_.out.data, (n - kSaluStages) << 33);
            EXPECT_EQ(out_.out.wide, 1);
            EXPECT_EQ(out_.out.write, 1);
        }
    }
}

TEST_P(SaluPinsTest, FullPipelineRefusesAndHoldsItsResult) {
    put(isa::Op::S_MOV_B32);
    in_.in_valid = 1;
    unsigned taken = 0;
    for (unsigned n = 0; n < 20; ++n) {
        in_.in.s0 = 100 + taken;
        taken += step().in_ready;
    }
    EXPECT_EQ(taken, kSaluStages);
    in_.in_valid = 0;
    in_.out_ready = 1;
    for (unsigned n = 0; n < kSaluStages; ++n)
        EXPECT_EQ(step().out.data, 100 + n);
    EXPECT_EQ(step().out_valid, 0);
}

TEST_P(SaluPinsTest, ResetDropsWhatIsInFlight) {
    put(isa::Op::S_MOV_B32);
    in_.in_valid = 1;
    step();
    step();
    in_.in_valid = 0;
    in_.rst = 1;
    step();
    in_.rst = 0;
    for (int i = 0; i < 10; ++i)
        EXPECT_EQ(step().out_valid, 0);
}

TEST_P(SaluPinsTest, ForkGoesOnWithTheSmallerPartAndJoinReturnsToTheOther) {
    in_.in.pc = 0x100;
    in_.in.exec = 0x0f;
    in_.in.csp = 7;
    EXPECT_EQ(run(isa::Op::S_CBRANCH_G_FORK, 0x01, 0x800).jump, 1);
    EXPECT_EQ(out_.out.exec, 0x01u);
    EXPECT_EQ(out_.out.push, 1);
    EXPECT_EQ(out_.out.mask, 0x0eu);
    EXPECT_EQ(out_.out.entry, 0x100u);
    EXPECT_EQ(out_.out.csp, 0);
    EXPECT_EQ(run(isa::Op::S_CBRANCH_G_FORK, 0x07, 0x800).jump, 0);
    EXPECT_EQ(out_.out.exec, 0x08u);
    EXPECT_EQ(out_.out.entry, 0x800u);
    // Halves: the lanes that branch go on.
    EXPECT_EQ(run(isa::Op::S_CBRANCH_G_FORK, 0x03, 0x800).exec, 0x03u);
    EXPECT_EQ(run(isa::Op::S_CBRANCH_G_FORK, 0xff, 0x800).push, 0);
    EXPECT_EQ(out_.out.jump, 1);
    EXPECT_EQ(run(isa::Op::S_CBRANCH_G_FORK, 0xf0, 0x800).jump, 0);
    in_.in.mask = 0x0e;
    in_.in.entry = 0x100;
    in_.in.pc = 0x900;
    in_.in.csp = 1;
    EXPECT_EQ(run(isa::Op::S_CBRANCH_JOIN, 0).pc, 0x100u);
    EXPECT_EQ(out_.out.exec, 0x0eu);
    EXPECT_EQ(out_.out.csp, 0);
    EXPECT_EQ(run(isa::Op::S_CBRANCH_JOIN, 1).jump, 0);
    EXPECT_EQ(out_.out.exec_write, 0);
}

TEST_P(SaluPinsTest, RefusesOpcodesOfOtherUnits) {
    for (const isa::Op op : {isa::Op::S_WAITCNT, isa::Op::S_ENDPGM, isa::Op::S_SETHALT}) {
        put(op);
        EXPECT_EQ(run().illegal, 1);
    }
    in_.in.enc = 5;
    EXPECT_EQ(run().illegal, 1);
    EXPECT_EQ(run(isa::Op::S_NOP).illegal, 1);
    EXPECT_EQ(run(isa::Op::S_BRANCH).illegal, 0);
}

INSTANTIATE_TEST_SUITE_P(On, SaluPinsTest,
                         testing::ValuesIn(core_and_rtl<SaluPins, cu::SaluCore>()), kName);

class SaluUnitTest : public OnPins<SaluPins> {
  protected:
    uint32_t word() { return static_cast<uint32_t>(random_()); }
    // Words of an instruction, its fields random.
    isa::Inst instruction(const isa::OpInfo& info) {
        static constexpr uint32_t kSources[] = {2, 4, 20, 106, 126, 124, 128, 193, 242, 253, 255};
        static constexpr uint32_t kDestinations[] = {2, 8, 22, 100, 106, 112, 126};
        const uint32_t s0 = kSources[word() % std::size(kSources)];
        const uint32_t s1 = kSources[word() % std::size(kSources)];
        const uint32_t sdst = kDestinations[word() % std::size(kDestinations)];
        uint32_t words[2] = {0, word()};
        switch (info.format) {
            case isa::Format::Sop2:
                words[0] = 0x80000000 | info.number << 23 | sdst << 16 | s1 << 8 | s0;
                break;
            case isa::Format::Sopk:
                words[0] = 0xb0000000 | info.number << 23 | sdst << 16 | field();
                break;
            case isa::Format::Sop1:
                words[0] = 0xbe800000 | sdst << 16 | info.number << 8 | s0;
                break;
            case isa::Format::Sopc:
                words[0] = 0xbf000000 | info.number << 16 | s1 << 8 | s0;
                break;
            default:
                words[0] = 0xbf800000 | info.number << 16 | (word() & 0xffff);
                break;
        }
        return isa::decode(words, 2);
    }
    // A constant; often the first hardware registers.
    uint32_t field() { return word() % 2 == 0 ? word() & 0xffff : (word() & 0xffc0) | word() % 16; }

    isa::WaveState wave() {
        isa::WaveState w;
        for (uint32_t& s : w.s)
            s = word() % 4 == 0 ? word() % 3 : word();
        w.s[isa::kM0] = word() % 2 == 0 ? word() % 100 : word();
        if (word() % 2 == 0)
            w.s[2] = w.csp;
        w.pc = word() & 0xfffffffc;
        w.num_sgprs = static_cast<uint16_t>(word() % 2 == 0 ? 104 : 8 * (1 + word() % 12));
        w.scc = word() % 2 != 0;
        w.csp = word() % 8;
        w.vskip = word() % 2 != 0;
        w.privileged = word() % 2 != 0;
        w.trapsts = word();
        w.hw_id = word();
        w.ib_sts = word();
        w.vgpr_base = 40;
        w.num_vgprs = 24;
        w.lds_size = 1000;
        return w;
    }

  private:
    std::mt19937 random_{7};
};

void expect_same(const isa::WaveState& a, const isa::WaveState& b) {
    EXPECT_EQ(std::memcmp(a.s, b.s, sizeof a.s), 0);
    EXPECT_EQ(a.pc, b.pc);
    EXPECT_EQ(a.scc, b.scc);
    EXPECT_EQ(a.csp, b.csp);
    EXPECT_EQ(a.vskip, b.vskip);
    EXPECT_EQ(a.privileged, b.privileged);
    EXPECT_EQ(a.mode.float_mode(), b.mode.float_mode());
    EXPECT_EQ(a.mode.excp_en, b.mode.excp_en);
    EXPECT_EQ(a.mode.others, b.mode.others);
    EXPECT_EQ(a.mode.dx10_clamp, b.mode.dx10_clamp);
    EXPECT_EQ(a.mode.ieee, b.mode.ieee);
    EXPECT_EQ(a.trapsts, b.trapsts);
    EXPECT_EQ(a.priority, b.priority);
    EXPECT_EQ(a.halt, b.halt);
}

// Every instruction of the scalar ALU, on random registers.
TEST_P(SaluUnitTest, WavesEndInTheStateTheirInstructionsGiveThem) {
    cu::PinSaluUnit unit(*block_);
    for (unsigned number = 0; number < isa::kOpCount; ++number) {
        const isa::OpInfo& info = isa::op_info(static_cast<isa::Op>(number));
        if (info.format > isa::Format::Sopp)
            continue;
        SCOPED_TRACE(info.name);
        unsigned executed = 0;
        for (unsigned round = 0; round < 60; ++round) {
            const isa::Inst inst = instruction(info);
            isa::WaveState before = wave();
            isa::WaveState expected = before;
            if (inst.format == isa::Format::Illegal || inst.exec == nullptr) {
                EXPECT_FALSE(unit.execute(inst, before));
                continue;
            }
            inst.exec(inst, expected);
            ASSERT_TRUE(unit.execute(inst, before));
            expect_same(before, expected);
            if (HasFailure())
                return;
            ++executed;
        }
        const bool own = info.cls == isa::Class::Salu || info.cls == isa::Class::Branch;
        EXPECT_EQ(executed >= 5, own) << executed;
    }
}

INSTANTIATE_TEST_SUITE_P(On, SaluUnitTest,
                         testing::ValuesIn(core_and_rtl<SaluPins, cu::SaluCore>()), kName);

}  // namespace
}  // namespace archipelago::rtl
