// SPDX-License-Identifier: Apache-2.0
// Branches, calls, the SGPR branch stack and hardware registers.
#include <gtest/gtest.h>

#include "testbenches/unit/isa/machine.h"

namespace archipelago::isa::scalar_control_test {
namespace {

using test::Machine;

constexpr uint64_t kPc = 0x123400;

uint32_t hwreg(uint32_t id, uint32_t offset, uint32_t width) {
    return id | offset << 6 | (width - 1) << 11;
}

TEST(Branch, TargetIsRelativeToTheNextInstruction) {
    Machine m;
    m.w.pc = kPc;
    m.run(test::sopp(Op::S_BRANCH, 3));
    EXPECT_EQ(m.w.pc, kPc + 4 + 12);
    m.w.pc = kPc;
    m.run(test::sopp(Op::S_BRANCH, 0xffff));
    EXPECT_EQ(m.w.pc, kPc);
    m.w.pc = kPc;
    m.run(test::sopp(Op::S_BRANCH, 0x8000));
    EXPECT_EQ(m.w.pc, kPc + 4 - 0x20000);
}

TEST(Branch, ConditionsFollowSccVccAndExec) {
    struct C {  // NOLINT(clang-analyzer-optin.performance.Padding)
        Op op;
        bool scc;
        uint64_t vcc, exec;
        bool taken;
    };
    const C cases[] = {
        {Op::S_CBRANCH_SCC0, false, 0, 1, true},
        {Op::S_CBRANCH_SCC0, true, 0, 1, false},
        {Op::S_CBRANCH_SCC1, false, 0, 1, false},
        {Op::S_CBRANCH_SCC1, true, 0, 1, true},
        {Op::S_CBRANCH_VCCZ, false, 0, 1, true},
        {Op::S_CBRANCH_VCCZ, false, 1ull << 40, 1, false},
        {Op::S_CBRANCH_VCCNZ, false, 0, 1, false},
        {Op::S_CBRANCH_VCCNZ, false, 1ull << 40, 1, true},
        {Op::S_CBRANCH_EXECZ, false, 1, 0, true},
        {Op::S_CBRANCH_EXECZ, false, 0, 1ull << 63, false},
        {Op::S_CBRANCH_EXECNZ, false, 1, 0, false},
        {Op::S_CBRANCH_EXECNZ, false, 0, 2, true},
    };
    for (const C& c : cases) {
        Machine m;
        m.w.pc = kPc;
        m.w.scc = c.scc;
        m.w.set_vcc(c.vcc);
        m.w.set_exec(c.exec);
        m.run(test::sopp(c.op, 16));
        EXPECT_EQ(m.w.pc, kPc + 4 + (c.taken ? 64 : 0)) << op_info(c.op).name;
    }
}

TEST(Branch, CallAndReturn) {
    Machine m;
    m.w.pc = kPc;
    m.run(test::sop1(Op::S_GETPC_B64, 2, 0));
    EXPECT_EQ(m.w.s64(2), kPc + 4);
    m.w.set_s64(4, 0x5550000);
    m.run(test::sop1(Op::S_SWAPPC_B64, 30, 4));
    EXPECT_EQ(m.w.pc, 0x5550000u);
    EXPECT_EQ(m.w.s64(30), kPc + 8);
    m.run(test::sop1(Op::S_SETPC_B64, 0, 30));
    EXPECT_EQ(m.w.pc, kPc + 8);
    // The same pair as target and link register.
    m.w.set_s64(4, 0x6660000);
    m.run(test::sop1(Op::S_SWAPPC_B64, 4, 4));
    EXPECT_EQ(m.w.pc, 0x6660000u);
    EXPECT_EQ(m.w.s64(4), kPc + 12);
    m.w.privileged = true;
    m.run(test::sop1(Op::S_RFE_B64, 0, 4));
    EXPECT_EQ(m.w.pc, kPc + 12);
    EXPECT_FALSE(m.w.privileged);
}

TEST(BranchStack, NestsAndGivesEveryPathItsLanes) {
    Machine m;
    m.w.set_exec(~0ull);
    for (unsigned depth = 0; depth < 6; ++depth) {
        m.w.set_s64(40, m.w.exec() & (m.w.exec() >> (32 >> depth)));
        m.w.pc = 0x1000 * (depth + 1);
        m.run(test::sopk(Op::S_CBRANCH_I_FORK, 40, 100));
        EXPECT_EQ(m.w.csp, depth + 1);
    }
    uint64_t seen = m.w.exec();
    for (unsigned depth = 6; depth > 0; --depth) {
        m.run(test::sop1(Op::S_CBRANCH_JOIN, 0, kConstZero));
        EXPECT_EQ(m.w.csp, depth - 1);
        EXPECT_EQ(seen & m.w.exec(), 0u) << "no lane runs a path twice";
        seen |= m.w.exec();
    }
    EXPECT_EQ(seen, ~0ull);
}

TEST(HardwareRegisters, ModeReadsAndWritesByField) {
    Machine m;
    m.w.mode = Mode::from_float_mode(0xc0, true, false);
    m.run(test::sopk(Op::S_GETREG_B32, 2, hwreg(1, 0, 32)));
    EXPECT_EQ(m.w.s[2], 0x1c0u);
    m.run(test::sopk(Op::S_GETREG_B32, 2, hwreg(1, 4, 4)));
    EXPECT_EQ(m.w.s[2], 0xcu);
    m.w.s[3] = 0xfffffff5u;
    m.run(test::sopk(Op::S_SETREG_B32, 3, hwreg(1, 0, 4)));
    EXPECT_EQ(m.w.mode.fp_round_32, 1);
    EXPECT_EQ(m.w.mode.fp_round_64, 1);
    EXPECT_EQ(m.w.mode.fp_denorm_32, 0);
    EXPECT_EQ(m.w.mode.fp_denorm_64, 3);
    EXPECT_TRUE(m.w.mode.dx10_clamp);
    EXPECT_FALSE(m.w.mode.ieee);
    m.w.pc = kPc;
    const Inst imm = test::sopk(Op::S_SETREG_IMM32_B32, 0, hwreg(1, 4, 6), 0x2f);
    EXPECT_EQ(imm.dwords, 2);
    m.run(imm);
    EXPECT_EQ(m.w.pc, kPc + 8);
    EXPECT_EQ(m.w.mode.fp_denorm_32, 3);
    EXPECT_EQ(m.w.mode.fp_denorm_64, 3);
    EXPECT_FALSE(m.w.mode.dx10_clamp);
    EXPECT_TRUE(m.w.mode.ieee);
    m.w.s[3] = 5;
    m.run(test::sopk(Op::S_SETREG_B32, 3, hwreg(1, 29, 3)));
    EXPECT_EQ(m.w.csp, 5);
    m.w.s[3] = 0x7f;
    m.run(test::sopk(Op::S_SETREG_B32, 3, hwreg(1, 12, 7)));
    EXPECT_EQ(m.w.mode.excp_en, 0x7f);
}

TEST(HardwareRegisters, StatusShowsFlagsAndIsWritableInPrivilegedModeOnly) {
    Machine m;
    m.w.scc = true;
    m.w.priority = 2;
    m.w.set_vcc(0);
    m.run(test::sopk(Op::S_GETREG_B32, 2, hwreg(2, 0, 32)));
    EXPECT_EQ(m.w.s[2], 1u | 2u << 3 | 1u << 10 | 1u << 16);
    m.w.s[3] = 0;
    m.run(test::sopk(Op::S_SETREG_B32, 3, hwreg(2, 0, 32)));
    EXPECT_TRUE(m.w.scc);
    m.w.privileged = true;
    m.run(test::sopk(Op::S_SETREG_B32, 3, hwreg(2, 0, 32)));
    EXPECT_FALSE(m.w.scc);
    EXPECT_EQ(m.w.priority, 0);
}

TEST(HardwareRegisters, AllocationsAndIdentity) {
    Machine m;
    m.w.hw_id = 0x12345678;
    m.w.trapsts = 0x41;
    m.w.ib_sts = 0x123;
    m.w.num_vgprs = 24;
    m.w.num_sgprs = 40;
    m.w.lds_base = 0x1000;
    m.w.lds_size = 0x800;
    m.w.pc = 0x1234567890ull;
    const auto get = [&m](uint32_t id) {
        m.run(test::sopk(Op::S_GETREG_B32, 2, hwreg(id, 0, 32)));
        return m.w.s[2];
    };
    EXPECT_EQ(get(8), 0x34567894u);
    EXPECT_EQ(get(9), 0x12u);
    EXPECT_EQ(get(10), test::sopk(Op::S_GETREG_B32, 2, hwreg(10, 0, 32)).words[0]);
    EXPECT_EQ(get(4), 0x12345678u);
    EXPECT_EQ(get(3), 0x41u);
    EXPECT_EQ(get(7), 0x123u);
    EXPECT_EQ(get(5), 5u << 8 | 4u << 24);
    EXPECT_EQ(get(6), 0x10u | 8u << 12);
    EXPECT_EQ(get(63), 0u);
    m.w.s[3] = 0xffffffff;
    m.run(test::sopk(Op::S_SETREG_B32, 3, hwreg(4, 0, 32)));
    EXPECT_EQ(m.w.hw_id, 0x12345678u) << "HW_ID is read-only";
    m.run(test::sopk(Op::S_SETREG_B32, 3, hwreg(3, 0, 8)));
    EXPECT_EQ(m.w.trapsts, 0xffu);
}

}  // namespace
}  // namespace archipelago::isa::scalar_control_test
