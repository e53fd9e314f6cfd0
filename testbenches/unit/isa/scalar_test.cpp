// SPDX-License-Identifier: Apache-2.0
// Scalar ALU: operand codes, and what the table says of SCC and EXEC. What each opcode gives is in
// reference/.
#include <gtest/gtest.h>

#include "testbenches/unit/isa/machine.h"

namespace archipelago::isa::scalar_test {
namespace {

using test::Machine;

constexpr uint64_t kMin32 = 0x80000000u, kOnes32 = 0xffffffffu, kOnes64 = ~0ull;

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
