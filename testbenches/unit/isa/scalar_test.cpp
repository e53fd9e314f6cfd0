// SPDX-License-Identifier: Apache-2.0
// Scalar ALU: every opcode with edge values.
#include <gtest/gtest.h>

#include "testbenches/unit/isa/machine.h"

namespace archipelago::isa::scalar_test {
namespace {

using test::Machine;

constexpr int kKeep = -1;  // SCC must stay as it was; both values are tried

// Fields in reading order: inputs, then results.
struct Case {  // NOLINT(clang-analyzer-optin.performance.Padding)
    Op op;
    uint64_t a, b;
    int scc_in;  // kKeep: not an input
    uint64_t d;
    int scc_out;  // 0, 1 or kKeep
};

// Runs a two- or one-source opcode with operands in s[8:9] and s[12:13], result in s[4:5].
void check(const Case& c) {
    const OpInfo& info = op_info(c.op);
    SCOPED_TRACE(testing::Message()
                 << info.name << std::hex << " a=" << c.a << " b=" << c.b << " scc=" << c.scc_in);
    for (int scc = 0; scc < 2; ++scc) {
        if (c.scc_in != kKeep && c.scc_in != scc) {
            continue;
        }
        Machine m;
        m.w.set_s64(8, c.a);
        m.w.set_s64(12, c.b);
        m.w.set_s64(4, 0x1111111122222222ull);
        m.w.scc = scc != 0;
        const Inst inst = info.format == Format::Sop2   ? test::sop2(c.op, 4, 8, 12)
                          : info.format == Format::Sop1 ? test::sop1(c.op, 4, 8)
                                                        : test::sopc(c.op, 8, 12);
        ASSERT_NE(inst.exec, nullptr);
        m.run(inst);
        if (info.dst_dwords == 2) {
            EXPECT_EQ(m.w.s64(4), c.d);
        } else if (info.dst_dwords == 1) {
            EXPECT_EQ(m.w.s[4], c.d);
            EXPECT_EQ(m.w.s[5], 0x11111111u) << "a 32-bit result must not touch the next register";
        }
        EXPECT_EQ(m.w.scc, c.scc_out == kKeep ? scc != 0 : c.scc_out != 0);
    }
}

constexpr uint64_t kMin32 = 0x80000000u, kMax32 = 0x7fffffffu, kOnes32 = 0xffffffffu;
constexpr uint64_t kMin64 = 1ull << 63, kOnes64 = ~0ull;

TEST(Scalar, AddAndSubtractSetCarryOrOverflow) {
    const Case cases[] = {
        {Op::S_ADD_U32, 1, 2, kKeep, 3, 0},
        {Op::S_ADD_U32, kOnes32, 1, kKeep, 0, 1},
        {Op::S_ADD_U32, kMax32, 1, kKeep, kMin32, 0},
        {Op::S_SUB_U32, 2, 1, kKeep, 1, 0},
        {Op::S_SUB_U32, 1, 2, kKeep, kOnes32, 1},
        {Op::S_SUB_U32, 5, 5, kKeep, 0, 0},
        {Op::S_ADD_I32, kMax32, 1, kKeep, kMin32, 1},
        {Op::S_ADD_I32, kMin32, kOnes32, kKeep, kMax32, 1},
        {Op::S_ADD_I32, kOnes32, 1, kKeep, 0, 0},
        {Op::S_SUB_I32, kMin32, 1, kKeep, kMax32, 1},
        {Op::S_SUB_I32, 0, kMin32, kKeep, kMin32, 1},
        {Op::S_SUB_I32, 3, 5, kKeep, kOnes32 - 1, 0},
        {Op::S_ADDC_U32, kOnes32, 0, 1, 0, 1},
        {Op::S_ADDC_U32, kOnes32, kOnes32, 1, kOnes32, 1},
        {Op::S_ADDC_U32, 1, 2, 0, 3, 0},
        {Op::S_SUBB_U32, 0, 0, 1, kOnes32, 1},
        {Op::S_SUBB_U32, 5, 4, 1, 0, 0},
        {Op::S_SUBB_U32, 0, kOnes32, 1, 0, 1},
        {Op::S_MUL_I32, kOnes32, 7, kKeep, 0xfffffff9u, kKeep},
        {Op::S_MUL_I32, 0x10000, 0x10000, kKeep, 0, kKeep},
        {Op::S_ABSDIFF_I32, 3, 10, kKeep, 7, 1},
        {Op::S_ABSDIFF_I32, kOnes32, 1, kKeep, 2, 1},
        {Op::S_ABSDIFF_I32, 9, 9, kKeep, 0, 0},
        {Op::S_ABSDIFF_I32, 0x80000000u, 0, kKeep, 0x80000000u, 1},
        {Op::S_ABSDIFF_I32, 0x80000000u, 1, kKeep, 0x7fffffff, 1},
        {Op::S_ABSDIFF_I32, 0x80000000u, 0xfffffffeu, kKeep, 0x7ffffffe, 1},
        {Op::S_ABS_I32, kMin32, 0, kKeep, kMin32, 1},
        {Op::S_ABS_I32, kOnes32, 0, kKeep, 1, 1},
        {Op::S_ABS_I32, 0, 0, kKeep, 0, 0},
    };
    for (const Case& c : cases) {
        check(c);
    }
}

TEST(Scalar, MinimumAndMaximumTellWhichSourceWon) {
    const Case cases[] = {
        {Op::S_MIN_I32, kOnes32, 1, kKeep, kOnes32, 1},
        {Op::S_MIN_I32, 1, kOnes32, kKeep, kOnes32, 0},
        {Op::S_MIN_U32, kOnes32, 1, kKeep, 1, 0},
        {Op::S_MIN_U32, 1, kOnes32, kKeep, 1, 1},
        {Op::S_MAX_I32, kOnes32, 1, kKeep, 1, 0},
        {Op::S_MAX_I32, 1, kMin32, kKeep, 1, 1},
        {Op::S_MAX_U32, kOnes32, 1, kKeep, kOnes32, 1},
        {Op::S_MAX_U32, 1, kOnes32, kKeep, kOnes32, 0},
        {Op::S_MIN_I32, 4, 4, kKeep, 4, 0},
        {Op::S_MAX_U32, 4, 4, kKeep, 4, 0},
    };
    for (const Case& c : cases) {
        check(c);
    }
}

TEST(Scalar, LogicSetsSccWhenTheResultIsNotZero) {
    const uint64_t a = 0xf0f0f0f0aaaaaaaaull, b = 0xff00ff00ccccccccull;
    const auto low = [](uint64_t x) { return x & kOnes32; };
    const Case cases[] = {
        {Op::S_AND_B32, a, b, kKeep, low(a & b), 1},
        {Op::S_AND_B64, a, b, kKeep, a & b, 1},
        {Op::S_AND_B32, 0x5, 0xa, kKeep, 0, 0},
        {Op::S_AND_B64, kMin64, kMin64, kKeep, kMin64, 1},
        {Op::S_OR_B32, a, b, kKeep, low(a | b), 1},
        {Op::S_OR_B64, 0, 0, kKeep, 0, 0},
        {Op::S_XOR_B32, a, a, kKeep, 0, 0},
        {Op::S_XOR_B64, a, b, kKeep, a ^ b, 1},
        {Op::S_ANDN2_B32, a, b, kKeep, low(a & ~b), 1},
        {Op::S_ANDN2_B64, a, kOnes64, kKeep, 0, 0},
        {Op::S_ORN2_B32, a, b, kKeep, low(a | ~b), 1},
        {Op::S_ORN2_B64, 0, kOnes64, kKeep, 0, 0},
        {Op::S_NAND_B32, kOnes32, kOnes32, kKeep, 0, 0},
        {Op::S_NAND_B64, a, b, kKeep, ~(a & b), 1},
        {Op::S_NOR_B32, a, b, kKeep, low(~(a | b)), 1},
        {Op::S_NOR_B64, kOnes64, 0, kKeep, 0, 0},
        {Op::S_XNOR_B32, a, b, kKeep, low(~(a ^ b)), 1},
        {Op::S_XNOR_B64, a, ~a, kKeep, 0, 0},
        {Op::S_NOT_B32, kOnes32, 0, kKeep, 0, 0},
        {Op::S_NOT_B64, a, 0, kKeep, ~a, 1},
        {Op::S_MOV_B32, a, 0, kKeep, low(a), kKeep},
        {Op::S_MOV_B64, a, 0, kKeep, a, kKeep},
        {Op::S_CMOV_B32, 7, 0, 1, 7, 1},
        {Op::S_CMOV_B32, 7, 0, 0, 0x22222222, 0},
        {Op::S_CMOV_B64, a, 0, 1, a, 1},
        {Op::S_CMOV_B64, a, 0, 0, 0x1111111122222222ull, 0},
        {Op::S_CSELECT_B32, 1, 2, 1, 1, 1},
        {Op::S_CSELECT_B32, 1, 2, 0, 2, 0},
        {Op::S_CSELECT_B64, a, b, 1, a, 1},
        {Op::S_CSELECT_B64, a, b, 0, b, 0},
    };
    for (const Case& c : cases) {
        check(c);
    }
}

TEST(Scalar, ShiftsUseTheLowBitsOfTheAmount) {
    const Case cases[] = {
        {Op::S_LSHL_B32, 1, 31, kKeep, kMin32, 1},
        {Op::S_LSHL_B32, 1, 32, kKeep, 1, 1},
        {Op::S_LSHL_B32, 2, 31, kKeep, 0, 0},
        {Op::S_LSHL_B64, 1, 63, kKeep, kMin64, 1},
        {Op::S_LSHL_B64, 3, 64, kKeep, 3, 1},
        {Op::S_LSHR_B32, kMin32, 31, kKeep, 1, 1},
        {Op::S_LSHR_B32, 1, 1, kKeep, 0, 0},
        {Op::S_LSHR_B64, kMin64, 63, kKeep, 1, 1},
        {Op::S_ASHR_I32, kMin32, 31, kKeep, kOnes32, 1},
        {Op::S_ASHR_I32, kMax32, 31, kKeep, 0, 0},
        {Op::S_ASHR_I64, kMin64, 63, kKeep, kOnes64, 1},
        {Op::S_BFM_B32, 4, 8, kKeep, 0xf00, kKeep},
        {Op::S_BFM_B32, 32, 0, kKeep, 0, kKeep},
        {Op::S_BFM_B64, 40, 20, kKeep, ((1ull << 40) - 1) << 20, kKeep},
    };
    for (const Case& c : cases) {
        check(c);
    }
}

TEST(Scalar, BitFieldExtractCutsAtTheTop) {
    const auto field = [](unsigned offset, unsigned width) {
        return static_cast<uint64_t>(width << 16 | offset);
    };
    const Case cases[] = {
        {Op::S_BFE_U32, 0x12345678, field(8, 8), kKeep, 0x56, 1},
        {Op::S_BFE_U32, kOnes32, field(0, 32), kKeep, kOnes32, 1},
        {Op::S_BFE_U32, kOnes32, field(28, 16), kKeep, 0xf, 1},
        {Op::S_BFE_U32, kOnes32, field(5, 0), kKeep, 0, 0},
        {Op::S_BFE_U32, kOnes32, field(0, 127), kKeep, kOnes32, 1},
        {Op::S_BFE_I32, 0x80, field(4, 4), kKeep, 0xfffffff8u, 1},
        {Op::S_BFE_I32, 0x70, field(4, 4), kKeep, 7, 1},
        {Op::S_BFE_I32, kMin32, field(31, 8), kKeep, kOnes32, 1},
        {Op::S_BFE_I32, kMin32, field(3, 0), kKeep, 0, 0},
        {Op::S_BFE_U64, 0x123456789abcdef0ull, field(36, 12), kKeep, 0x567, 1},
        {Op::S_BFE_U64, kOnes64, field(0, 64), kKeep, kOnes64, 1},
        {Op::S_BFE_I64, 0x8000000000ull, field(36, 4), kKeep, 0xfffffffffffffff8ull, 1},
        {Op::S_BFE_I64, kMin64, field(63, 20), kKeep, kOnes64, 1},
    };
    for (const Case& c : cases) {
        check(c);
    }
}

TEST(Scalar, BitCountsAndSearches) {
    const Case cases[] = {
        {Op::S_BREV_B32, 1, 0, kKeep, kMin32, kKeep},
        {Op::S_BREV_B64, 6, 0, kKeep, 0x6000000000000000ull, kKeep},
        {Op::S_BCNT0_I32_B32, kOnes32, 0, kKeep, 0, 0},
        {Op::S_BCNT0_I32_B64, 0, 0, kKeep, 64, 1},
        {Op::S_BCNT1_I32_B32, 0x80000001u, 0, kKeep, 2, 1},
        {Op::S_BCNT1_I32_B64, 0, 0, kKeep, 0, 0},
        {Op::S_FF0_I32_B32, 0x0f, 0, kKeep, 4, kKeep},
        {Op::S_FF0_I32_B32, kOnes32, 0, kKeep, kOnes32, kKeep},
        {Op::S_FF0_I32_B64, kOnes32, 0, kKeep, 32, kKeep},
        {Op::S_FF1_I32_B32, 0x10, 0, kKeep, 4, kKeep},
        {Op::S_FF1_I32_B32, 0, 0, kKeep, kOnes32, kKeep},
        {Op::S_FF1_I32_B64, kMin64, 0, kKeep, 63, kKeep},
        {Op::S_FLBIT_I32_B32, 1, 0, kKeep, 31, kKeep},
        {Op::S_FLBIT_I32_B32, 0, 0, kKeep, kOnes32, kKeep},
        {Op::S_FLBIT_I32_B64, 1, 0, kKeep, 63, kKeep},
        {Op::S_FLBIT_I32, 0xffff0000u, 0, kKeep, 16, kKeep},
        {Op::S_FLBIT_I32, kOnes32, 0, kKeep, kOnes32, kKeep},
        {Op::S_FLBIT_I32, 0, 0, kKeep, kOnes32, kKeep},
        {Op::S_FLBIT_I32_I64, 0xffffffff00000000ull, 0, kKeep, 32, kKeep},
        {Op::S_SEXT_I32_I8, 0x180, 0, kKeep, 0xffffff80u, kKeep},
        {Op::S_SEXT_I32_I16, 0x17fff, 0, kKeep, 0x7fff, kKeep},
        {Op::S_WQM_B32, 0x00010080, 0, kKeep, 0x000f00f0, 1},
        {Op::S_WQM_B64, kMin64, 0, kKeep, 0xf000000000000000ull, 1},
        {Op::S_WQM_B64, 0, 0, kKeep, 0, 0},
        {Op::S_QUADMASK_B32, 0x80000010u, 0, kKeep, 0x82, 1},
        {Op::S_QUADMASK_B64, kMin64 | 1, 0, kKeep, 0x8001, 1},
        {Op::S_QUADMASK_B32, 0, 0, kKeep, 0, 0},
        {Op::S_BITSET0_B32, 33, 0, kKeep, 0x22222220, kKeep},
        {Op::S_BITSET1_B32, 0, 0, kKeep, 0x22222223, kKeep},
        {Op::S_BITSET0_B64, 32, 0, kKeep, 0x1111111022222222ull, kKeep},
        {Op::S_BITSET1_B64, 63, 0, kKeep, 0x9111111122222222ull, kKeep},
    };
    for (const Case& c : cases) {
        check(c);
    }
}

TEST(Scalar, CompareSetsScc) {
    const Case cases[] = {
        {Op::S_CMP_EQ_I32, 5, 5, kKeep, 0, 1},        {Op::S_CMP_LG_I32, 5, 5, kKeep, 0, 0},
        {Op::S_CMP_GT_I32, 1, kOnes32, kKeep, 0, 1},  {Op::S_CMP_GT_I32, 5, 5, kKeep, 0, 0},
        {Op::S_CMP_GE_I32, 5, 5, kKeep, 0, 1},        {Op::S_CMP_LT_I32, kMin32, 0, kKeep, 0, 1},
        {Op::S_CMP_LE_I32, 1, kOnes32, kKeep, 0, 0},  {Op::S_CMP_EQ_U32, 1, 2, kKeep, 0, 0},
        {Op::S_CMP_LG_U32, 1, 2, kKeep, 0, 1},        {Op::S_CMP_GT_U32, 1, kOnes32, kKeep, 0, 0},
        {Op::S_CMP_GE_U32, kMin32, 0, kKeep, 0, 1},   {Op::S_CMP_LT_U32, kMin32, 0, kKeep, 0, 0},
        {Op::S_CMP_LE_U32, 1, kOnes32, kKeep, 0, 1},  {Op::S_BITCMP0_B32, 4, 2, kKeep, 0, 0},
        {Op::S_BITCMP1_B32, 4, 34, kKeep, 0, 1},      {Op::S_BITCMP0_B64, kMin64, 63, kKeep, 0, 0},
        {Op::S_BITCMP1_B64, kMin64, 63, kKeep, 0, 1},
    };
    for (const Case& c : cases) {
        check(c);
    }
}

TEST(Scalar, ImmediateFormsSignOrZeroExtend) {
    struct K {  // NOLINT(clang-analyzer-optin.performance.Padding)
        Op op;
        uint32_t d, k;
        bool scc_in;
        uint32_t result;
        bool scc_out;
    };
    const K cases[] = {
        {Op::S_MOVK_I32, 0, 0x8000, true, 0xffff8000u, true},
        {Op::S_CMOVK_I32, 5, 7, false, 5, false},
        {Op::S_CMOVK_I32, 5, 0xffff, true, 0xffffffffu, true},
        {Op::S_ADDK_I32, 0x7fffffff, 1, false, 0x80000000u, true},
        {Op::S_ADDK_I32, 5, 0xffff, true, 4, false},
        {Op::S_MULK_I32, 3, 0xfffe, true, 0xfffffffau, true},
        {Op::S_CMPK_EQ_I32, 0xffff8000u, 0x8000, false, 0xffff8000u, true},
        {Op::S_CMPK_LG_I32, 0xffff8000u, 0x8000, true, 0xffff8000u, false},
        {Op::S_CMPK_GT_I32, 0, 0xffff, false, 0, true},
        {Op::S_CMPK_GE_I32, 0xffffffffu, 0xffff, false, 0xffffffffu, true},
        {Op::S_CMPK_LT_I32, 0x80000000u, 0, false, 0x80000000u, true},
        {Op::S_CMPK_LE_I32, 1, 0xffff, true, 1, false},
        {Op::S_CMPK_EQ_U32, 0x8000, 0x8000, false, 0x8000, true},
        {Op::S_CMPK_LG_U32, 0xffff8000u, 0x8000, false, 0xffff8000u, true},
        {Op::S_CMPK_GT_U32, 0xffffffffu, 0xffff, false, 0xffffffffu, true},
        {Op::S_CMPK_GE_U32, 0xfffe, 0xffff, true, 0xfffe, false},
        {Op::S_CMPK_LT_U32, 1, 0xffff, false, 1, true},
        {Op::S_CMPK_LE_U32, 0xffff, 0xffff, false, 0xffff, true},
    };
    for (const K& c : cases) {
        SCOPED_TRACE(op_info(c.op).name);
        Machine m;
        m.w.s[3] = c.d;
        m.w.scc = c.scc_in;
        m.run(test::sopk(c.op, 3, c.k));
        EXPECT_EQ(m.w.s[3], c.result);
        EXPECT_EQ(m.w.scc, c.scc_out);
    }
}

TEST(Scalar, SaveExecKeepsTheOldMaskAndTestsTheNewOne) {
    const uint64_t source = 0xff00ff00ff00ff00ull, exec = 0x00000000ffffffffull;
    struct S {
        Op op;
        uint64_t next;
    };
    const S cases[] = {
        {Op::S_AND_SAVEEXEC_B64, source & exec},    {Op::S_OR_SAVEEXEC_B64, source | exec},
        {Op::S_XOR_SAVEEXEC_B64, source ^ exec},    {Op::S_ANDN2_SAVEEXEC_B64, source & ~exec},
        {Op::S_ORN2_SAVEEXEC_B64, source | ~exec},  {Op::S_NAND_SAVEEXEC_B64, ~(source & exec)},
        {Op::S_NOR_SAVEEXEC_B64, ~(source | exec)}, {Op::S_XNOR_SAVEEXEC_B64, ~(source ^ exec)},
    };
    for (const S& c : cases) {
        SCOPED_TRACE(op_info(c.op).name);
        Machine m;
        m.w.set_exec(exec);
        m.w.set_s64(6, source);
        m.run(test::sop1(c.op, 6, 6));  // destination and source may be the same pair
        EXPECT_EQ(m.w.s64(6), exec);
        EXPECT_EQ(m.w.exec(), c.next);
        EXPECT_EQ(m.w.scc, c.next != 0);
    }
    Machine m;
    m.w.set_exec(1);
    m.run(test::sop1(Op::S_AND_SAVEEXEC_B64, 2, kConstZero));
    EXPECT_FALSE(m.w.scc);
    EXPECT_EQ(m.w.exec(), 0u);
}

TEST(Scalar, OperandCodesReadRegistersConstantsAndFlags) {
    Machine m;
    m.w.set_vcc(0);
    m.w.s[kM0] = 77;
    m.w.s[kTtmpFirst + 3] = 88;
    m.w.scc = true;
    const Inst lit = test::sop1(Op::S_MOV_B32, 0, kLiteral, 0xdeadbeef);
    EXPECT_EQ(lit.dwords, 2);
    const auto value = [&](unsigned code) { return read_scalar(lit, m.w, code); };
    EXPECT_EQ(value(kM0), 77u);
    EXPECT_EQ(value(kTtmpFirst + 3), 88u);
    EXPECT_EQ(value(kConstZero), 0u);
    EXPECT_EQ(value(kIntPosFirst), 1u);
    EXPECT_EQ(value(kIntPosLast), 64u);
    EXPECT_EQ(value(kIntNegFirst), 0xffffffffu);
    EXPECT_EQ(value(kIntNegLast), 0xfffffff0u);
    const uint32_t floats[] = {0x3f000000, 0xbf000000, 0x3f800000, 0xbf800000,
                               0x40000000, 0xc0000000, 0x40800000, 0xc0800000};
    const uint64_t doubles[] = {0x3fe0000000000000ull, 0xbfe0000000000000ull, 0x3ff0000000000000ull,
                                0xbff0000000000000ull, 0x4000000000000000ull, 0xc000000000000000ull,
                                0x4010000000000000ull, 0xc010000000000000ull};
    for (unsigned i = 0; i < 8; ++i) {
        EXPECT_EQ(value(kFloatFirst + i), floats[i]);
        EXPECT_EQ(read_scalar64(lit, m.w, kFloatFirst + i), doubles[i]);
    }
    EXPECT_EQ(value(kVccz), 1u);
    EXPECT_EQ(value(kExecz), 0u);
    EXPECT_EQ(value(kScc), 1u);
    EXPECT_EQ(value(kLiteral), 0xdeadbeefu);
    EXPECT_EQ(read_scalar64(lit, m.w, kIntNegFirst), kOnes64);
    EXPECT_EQ(read_scalar64(lit, m.w, kLiteral), 0xdeadbeefull);
    m.w.set_s64(10, 0x123456789abcdef0ull);
    EXPECT_EQ(read_scalar64(lit, m.w, 10), 0x123456789abcdef0ull);
    EXPECT_EQ(read_scalar64(lit, m.w, kExecLo), kOnes64);
}

TEST(Scalar, RelativeMovesIndexSgprsByM0AndStayInTheAllocation) {
    Machine m;
    m.w.num_sgprs = 32;
    for (unsigned i = 0; i < 32; ++i) {
        m.w.s[i] = 100 + i;
    }
    m.w.s[kM0] = 5;
    m.run(test::sop1(Op::S_MOVRELS_B32, 40, 6));
    EXPECT_EQ(m.w.s[40], 111u);
    m.w.s[kM0] = 4;
    m.run(test::sop1(Op::S_MOVRELS_B64, 40, 6));
    EXPECT_EQ(m.w.s[40], 110u);
    EXPECT_EQ(m.w.s[41], 111u);
    m.run(test::sop1(Op::S_MOVRELD_B32, 7, kIntPosLast));
    EXPECT_EQ(m.w.s[11], 64u);
    m.run(test::sop1(Op::S_MOVRELD_B64, 8, kIntNegFirst));
    EXPECT_EQ(m.w.s[12], 0xffffffffu);
    EXPECT_EQ(m.w.s[13], 0xffffffffu);
    // Out of the allocation: reads s0, writes nothing.
    m.w.s[kM0] = 26;
    m.run(test::sop1(Op::S_MOVRELS_B32, 41, 6));
    EXPECT_EQ(m.w.s[41], 100u);
    const uint32_t before = m.w.s[33];
    m.run(test::sop1(Op::S_MOVRELD_B32, 7, kIntPosLast));
    EXPECT_EQ(m.w.s[33], before);
    m.w.s[kM0] = 0xffffffffu;
    m.run(test::sop1(Op::S_MOVRELD_B32, 7, kIntPosLast));
    EXPECT_EQ(m.w.s[6], 106u);
}

// The pipeline lets branches wait for what the table says is written.
TEST(Scalar, TheTableSaysWhatChangesSccAndExec) {
    for (unsigned n = 0; n < kOpCount; ++n) {
        const auto op = static_cast<Op>(n);
        const OpInfo& info = op_info(op);
        if (info.cls != Class::Salu)
            continue;
        SCOPED_TRACE(info.name);
        const Inst inst = info.format == Format::Sop2   ? test::sop2(op, 4, 8, 12)
                          : info.format == Format::Sop1 ? test::sop1(op, 4, 8)
                          : info.format == Format::Sopc ? test::sopc(op, 8, 12)
                                                        : test::sopk(op, 4, 3);
        if (inst.exec == nullptr)
            continue;
        bool scc = false, exec = false;
        for (const uint64_t a : {uint64_t{0}, uint64_t{3}, kMin32, kOnes32, kOnes64}) {
            for (const uint64_t b : {uint64_t{0}, uint64_t{3}, uint64_t{0x10001}, kOnes64}) {
                for (const bool before : {false, true}) {
                    Machine m;
                    m.w.set_s64(4, a);
                    m.w.set_s64(8, a);
                    m.w.set_s64(12, b);
                    m.w.set_exec(0xff00ff00ff00ff00u);
                    m.w.scc = before;
                    m.run(inst);
                    scc |= m.w.scc != before;
                    exec |= m.w.exec() != 0xff00ff00ff00ff00u;
                }
            }
        }
        EXPECT_EQ(scc, info.has(kOpSccOut));
        EXPECT_EQ(exec, info.has(kOpExecOut));
    }
}

}  // namespace
}  // namespace archipelago::isa::scalar_test
