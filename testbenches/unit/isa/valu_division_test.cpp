// SPDX-License-Identifier: Apache-2.0
// The division sequences compilers emit: the opcodes of each step together give the correctly
// rounded quotient. What a step by itself gives is in reference/.
#include "testbenches/unit/isa/valu_harness.h"

namespace archipelago::isa::valu_test::valu_division_test {
namespace {

// Registers of the sequences; 64-bit values use pairs.
constexpr unsigned kN = 0, kD = 2, kDs = 4, kNs = 6, kR = 8, kT = 12, kQ = 14, kE = 16, kOne = 18;
unsigned v(unsigned reg) {
    return kVgprFirst + reg;
}
void op3(Wave& wave, Op op, unsigned dst, unsigned a, unsigned b, unsigned c, unsigned neg = 0,
         unsigned sdst = kVccLo) {
    Inst i = make(op);
    i.vdst = static_cast<uint16_t>(dst);
    i.src[0] = static_cast<uint16_t>(v(a));
    i.src[1] = static_cast<uint16_t>(v(b));
    i.src[2] = static_cast<uint16_t>(v(c));
    i.neg = static_cast<uint8_t>(neg);
    i.sdst = static_cast<uint16_t>(sdst);
    execute(i, wave.w);
}
// n / d as LLVM expands it; the last div_scale sets VCC.
template <class T>
T divide(Wave& wave, const T& n, const T& d, const T& one) {
    constexpr bool wide = sizeof(one[0]) == 8;
    const Op scale = wide ? Op::V_DIV_SCALE_F64 : Op::V_DIV_SCALE_F32;
    const Op fma = wide ? Op::V_FMA_F64 : Op::V_FMA_F32;
    wave.set(kN, n);
    wave.set(kD, d);
    wave.set(kOne, one);
    op3(wave, scale, kDs, kD, kD, kN, 0, 20);
    op3(wave, scale, kNs, kN, kD, kN);
    op3(wave, wide ? Op::V_RCP_F64 : Op::V_RCP_F32, kR, kDs, kDs, kDs);
    op3(wave, fma, kT, kDs, kR, kOne, 1);
    op3(wave, fma, kR, kT, kR, kR);
    if (wide) {
        op3(wave, fma, kT, kDs, kR, kOne, 1);
        op3(wave, fma, kR, kT, kR, kR);
    }
    const Op mul = wide ? Op::V_MUL_F64 : Op::V_MUL_F32;
    op3(wave, mul, kQ, kNs, kR, kNs);
    if (!wide) {
        op3(wave, fma, kE, kDs, kQ, kNs, 1);
        op3(wave, fma, kQ, kE, kR, kQ);
    }
    op3(wave, fma, kE, kDs, kQ, kNs, 1);
    op3(wave, wide ? Op::V_DIV_FMAS_F64 : Op::V_DIV_FMAS_F32, kQ, kE, kR, kQ);
    op3(wave, wide ? Op::V_DIV_FIXUP_F64 : Op::V_DIV_FIXUP_F32, kQ, kQ, kD, kN);
    if constexpr (wide) {
        return wave.get64(kQ);
    } else {
        return wave.get(kQ);
    }
}
TEST(ValuDivision, SequenceGivesTheCorrectlyRoundedQuotientF32) {
    Lanes one;
    one.fill(bits(1.0f));
    std::mt19937 random(11);
    std::vector<uint32_t> edges = edge_floats();
    for (unsigned round = 0; round < 20000; ++round) {
        Wave wave;
        Lanes n, d;
        for (unsigned l = 0; l < kLanes; ++l) {
            n[l] = round % 4 == 0 ? edges[random() % edges.size()] : uint32_t(random());
            d[l] = round % 8 == 0 ? edges[random() % edges.size()] : uint32_t(random());
        }
        const Lanes q = divide(wave, n, d, one);
        for (unsigned l = 0; l < kLanes; ++l) {
            const volatile float a = as_float(n[l]), b = as_float(d[l]);
            const uint32_t expected = bits(float(a / b));
            if (nan32(expected)) {
                ASSERT_TRUE(nan32(q[l])) << hex(n[l]) << " / " << hex(d[l]);
            } else {
                ASSERT_EQ(hex(q[l]), hex(expected)) << hex(n[l]) << " / " << hex(d[l]);
            }
        }
    }
}
TEST(ValuDivision, SequenceGivesTheCorrectlyRoundedQuotientF64) {
    Lanes64 one;
    one.fill(bits(1.0));
    std::mt19937_64 random(12);
    const std::vector<uint64_t> edges = edge_doubles();
    for (unsigned round = 0; round < 5000; ++round) {
        Wave wave;
        Lanes64 n, d;
        for (unsigned l = 0; l < kLanes; ++l) {
            n[l] = round % 4 == 0 ? edges[random() % edges.size()] : random();
            d[l] = round % 8 == 0 ? edges[random() % edges.size()] : random();
        }
        const Lanes64 q = divide(wave, n, d, one);
        for (unsigned l = 0; l < kLanes; ++l) {
            const volatile double a = as_double(n[l]), b = as_double(d[l]);
            const uint64_t expected = bits(double(a / b));
            if (nan64(expected)) {
                ASSERT_TRUE(nan64(q[l])) << hex(n[l]) << " / " << hex(d[l]);
            } else {
                ASSERT_EQ(hex(q[l]), hex(expected)) << hex(n[l]) << " / " << hex(d[l]);
            }
        }
    }
}
TEST(ValuDivision, ScaleFlagsOnlyActiveLanesAndWritesTheNamedPair) {
    Wave wave;
    Lanes n, d;
    n.fill(bits(0x1p100f));
    d.fill(bits(0x1p-10f));
    wave.set(kN, n);
    wave.set(kD, d);
    wave.w.set_exec(0x00000000ffff0000);
    wave.w.set_s64(20, ~0ull);
    op3(wave, Op::V_DIV_SCALE_F32, kDs, kD, kD, kN, 0, 20);
    EXPECT_EQ(wave.w.s64(20), 0x00000000ffff0000u);
    EXPECT_EQ(wave.get(kDs)[16], bits(0x1p54f));
    EXPECT_EQ(wave.get(kDs)[0], 0u);
}

}  // namespace
}  // namespace archipelago::isa::valu_test::valu_division_test
