// SPDX-License-Identifier: Apache-2.0
// Transcendental functions against the host's long double library, and their special values.
#include "testbenches/unit/isa/valu_harness.h"

namespace archipelago::isa::valu_test::valu_trans_test {
namespace {

using In1 = std::array<uint32_t, 1>;

constexpr uint32_t kDefaultNan = 0xffc00000, kInf = 0x7f800000, kMax = 0x7f7fffff;
constexpr uint32_t kMinus = 0x80000000;
constexpr long double kTwoPi = 6.283185307179586476925286766559005768L;

uint32_t run1(Op op, uint32_t x, const Mode& mode = Mode{}) {
    Wave wave;
    wave.w.mode = mode;
    Lanes a;
    a.fill(x);
    wave.set(kSrc0, a);
    execute(make(op), wave.w);
    return wave.get(kDst)[17];
}

// Every 997th float of a range: result must be the reference rounded to nearest, give or take one
// ulp in the rare case that the reference itself lies at a tie.
void compare(Op op, uint32_t first, uint32_t last, long double (*ref)(long double)) {
    Wave wave;
    unsigned off_by_one = 0;
    uint64_t tested = 0;
    for (uint64_t base = first; base <= last; base += 997 * kLanes) {
        Lanes a;
        for (unsigned l = 0; l < kLanes; ++l) {
            a[l] = static_cast<uint32_t>(std::min<uint64_t>(base + 997 * l, last));
        }
        wave.set(kSrc0, a);
        execute(make(op), wave.w);
        const Lanes out = wave.get(kDst);
        for (unsigned l = 0; l < kLanes; ++l) {
            const uint32_t expected = flush_denormal(bits(static_cast<float>(ref(as_float(a[l])))));
            const int64_t distance = int64_t(out[l]) - int64_t(expected);
            ASSERT_LE(std::abs(distance), 1) << op_info(op).name << " " << hex(a[l]) << " gives "
                                             << hex(out[l]) << ", expected " << hex(expected);
            off_by_one += distance != 0;
            ++tested;
        }
    }
    EXPECT_LE(off_by_one, tested / 100000) << op_info(op).name;
}

TEST(ValuTrans, ExpIsCorrectlyRoundedOverItsRange) {
    const auto ref = [](long double x) { return std::exp2(x); };
    compare(Op::V_EXP_F32, bits(0x1p-40f), bits(128.5f), ref);
    compare(Op::V_EXP_F32, bits(-0x1p-40f), bits(-151.0f), ref);
}
TEST(ValuTrans, LogIsCorrectlyRoundedOverItsRange) {
    compare(Op::V_LOG_F32, 0x00800000, kMax, [](long double x) { return std::log2(x); });
    const auto near_one = [](long double x) { return std::log2(x); };
    compare(Op::V_LOG_F32, 0x3f7f0000, 0x3f810000, near_one);
    EXPECT_EQ(run1(Op::V_LOG_F32, bits(1.0f)), 0u);
}
TEST(ValuTrans, SinAndCosTakeTurnsWithinTheirRange) {
    // Exact reduction first: the long double library would lose bits multiplying by 2 pi.
    const auto cosine = [](long double x) {
        // Around the zeros at odd quarters, use the sine of the distance to them.
        const long double r = std::fabs(x - std::nearbyint(x));
        return r > 0.125L && r < 0.375L ? std::sin((0.25L - r) * kTwoPi) : std::cos(r * kTwoPi);
    };
    const auto sine = [](long double x) {
        const long double r = x - std::nearbyint(x);
        const long double half = r < 0 ? -0.5L : 0.5L;
        return std::fabs(r) > 0.375L ? std::sin((half - r) * kTwoPi) : std::sin(r * kTwoPi);
    };
    for (const uint32_t sign : {0u, kMinus}) {
        compare(Op::V_SIN_F32, sign | bits(0x1p-60f), sign | bits(256.0f), sine);
        compare(Op::V_COS_F32, sign | bits(0x1p-60f), sign | bits(256.0f), cosine);
    }
    EXPECT_EQ(run1(Op::V_SIN_F32, bits(0.25f)), bits(1.0f));
    EXPECT_EQ(run1(Op::V_SIN_F32, bits(-0.75f)), bits(1.0f));
    EXPECT_EQ(run1(Op::V_COS_F32, bits(0.5f)), bits(-1.0f));
    EXPECT_EQ(run1(Op::V_SIN_F32, kMinus), kMinus);
    EXPECT_EQ(run1(Op::V_COS_F32, kMinus), bits(1.0f));
}
TEST(ValuTrans, SinAndCosOutOfRangeAndOfInfinity) {
    for (const uint32_t x : {bits(256.25f), bits(-1e9f), kMax, bits(-0x1.000002p8f)}) {
        EXPECT_EQ(run1(Op::V_SIN_F32, x), 0u) << hex(x);
        EXPECT_EQ(run1(Op::V_COS_F32, x), bits(1.0f)) << hex(x);
    }
    EXPECT_EQ(run1(Op::V_SIN_F32, kInf), kDefaultNan);
    EXPECT_EQ(run1(Op::V_COS_F32, kMinus | kInf), kDefaultNan);
}
TEST(ValuTrans, ReciprocalsAndRootsAreCorrectlyRounded) {
    for (const uint32_t sign : {0u, kMinus}) {
        compare(Op::V_RCP_F32, sign | 0x00800000, sign | kMax, [](long double x) { return 1 / x; });
    }
    compare(Op::V_RSQ_F32, 0x00800000, kMax, [](long double x) { return 1 / std::sqrt(x); });
    compare(Op::V_SQRT_F32, 0x00800000, kMax, [](long double x) { return std::sqrt(x); });
}

struct Special {
    Op op;
    uint32_t in, out;
};
TEST(ValuTrans, SpecialValues) {
    const Special table[] = {
        {Op::V_EXP_F32, 0, bits(1.0f)},
        {Op::V_EXP_F32, kMinus, bits(1.0f)},
        {Op::V_EXP_F32, kInf, kInf},
        {Op::V_EXP_F32, kMinus | kInf, 0},
        {Op::V_EXP_F32, bits(1000.0f), kInf},
        {Op::V_EXP_F32, bits(-1000.0f), 0},
        {Op::V_EXP_F32, bits(-126.0f), 0x00800000},
        {Op::V_EXP_F32, bits(-127.0f), 0},  // would be a denormal
        {Op::V_EXP_F32, bits(10.0f), bits(1024.0f)},
        {Op::V_LOG_F32, 0, kMinus | kInf},
        {Op::V_LOG_F32, kMinus, kMinus | kInf},
        {Op::V_LOG_F32, 1, kMinus | kInf},  // denormals count as zero
        {Op::V_LOG_F32, 0x80000001, kMinus | kInf},
        {Op::V_LOG_F32, bits(-1.0f), kDefaultNan},
        {Op::V_LOG_F32, kMinus | kInf, kDefaultNan},
        {Op::V_LOG_F32, kInf, kInf},
        {Op::V_LOG_CLAMP_F32, 0, kMinus | kMax},
        {Op::V_LOG_CLAMP_F32, kInf, kInf},
        {Op::V_RCP_F32, 0, kInf},
        {Op::V_RCP_F32, kMinus, kMinus | kInf},
        {Op::V_RCP_F32, 1, kInf},
        {Op::V_RCP_F32, kInf, 0},
        {Op::V_RCP_F32, kMinus | kInf, kMinus},
        {Op::V_RCP_F32, kMax, 0},  // would be a denormal
        {Op::V_RCP_IFLAG_F32, 0, kInf},
        {Op::V_RCP_IFLAG_F32, bits(-4.0f), bits(-0.25f)},
        {Op::V_RCP_CLAMP_F32, 0, kMax},
        {Op::V_RCP_CLAMP_F32, kMinus, kMinus | kMax},
        {Op::V_RCP_LEGACY_F32, 0, 0},
        {Op::V_RCP_LEGACY_F32, kMinus, kMinus},
        {Op::V_RCP_LEGACY_F32, bits(2.0f), bits(0.5f)},
        {Op::V_RSQ_F32, 0, kInf},
        {Op::V_RSQ_F32, kMinus, kMinus | kInf},
        {Op::V_RSQ_F32, bits(-4.0f), kDefaultNan},
        {Op::V_RSQ_F32, kInf, 0},
        {Op::V_RSQ_CLAMP_F32, 0, kMax},
        {Op::V_RSQ_LEGACY_F32, 0, 0},
        {Op::V_RSQ_LEGACY_F32, bits(16.0f), bits(0.25f)},
        {Op::V_SQRT_F32, kMinus, kMinus},
        {Op::V_SQRT_F32, bits(-1.0f), kDefaultNan},
        {Op::V_SQRT_F32, kInf, kInf},
        {Op::V_SQRT_F32, 3, 0},
    };
    for (const Special& t : table) {
        // Neither rounding nor the denormal bits of MODE matter.
        for (const unsigned n : {0u, 5u, 10u, 15u}) {
            EXPECT_EQ(hex(run1(t.op, t.in, mode_of(n & 3, n >> 2))), hex(t.out))
                << op_info(t.op).name << " " << hex(t.in) << " mode " << n;
        }
    }
}
TEST(ValuTrans, NanPassesThroughQuieted) {
    for (const Op op :
         {Op::V_EXP_F32, Op::V_LOG_F32, Op::V_LOG_CLAMP_F32, Op::V_SIN_F32, Op::V_COS_F32,
          Op::V_RCP_F32, Op::V_RCP_CLAMP_F32, Op::V_RCP_LEGACY_F32, Op::V_RSQ_F32,
          Op::V_RSQ_CLAMP_F32, Op::V_RSQ_LEGACY_F32, Op::V_SQRT_F32, Op::V_RCP_IFLAG_F32}) {
        for (const uint32_t x : {0x7fc00000u, 0xffc12345u, 0x7f800001u, 0xff812345u}) {
            EXPECT_EQ(hex(run1(op, x)), hex(x | 0x400000)) << op_info(op).name;
        }
    }
}

}  // namespace
}  // namespace archipelago::isa::valu_test::valu_trans_test
