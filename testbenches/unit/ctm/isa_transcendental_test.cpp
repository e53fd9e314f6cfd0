// SPDX-License-Identifier: Apache-2.0
// The transcendental unit against the host's double precision: how far off it is, what is exact,
// and its special values.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "models/ctm/isa/transcendental.h"
#include "testbenches/unit/ctm/isa_program.h"

namespace archipelago::ctm::isa::test {
namespace {

float of(AlphaOp op, float x) {
    return float_of(transcendental(op, bits_of(x)));
}
constexpr double kTurn = 6.283185307179586476925;

double exact(AlphaOp op, double x) {
    switch (op) {
        case AlphaOp::Ex2:
            return std::exp2(x);
        case AlphaOp::Ln2:
            return std::log2(x);
        case AlphaOp::Rcp:
            return 1 / x;
        case AlphaOp::Rsq:
            return 1 / std::sqrt(x);
        case AlphaOp::Sin:
            return std::sin(kTurn * std::remainder(x, 1.0));
        default:
            return std::cos(kTurn * std::remainder(x, 1.0));
    }
}

// The distance in units of the last place of the exact value; 0 has to be met.
double ulps(float got, double want) {
    if (want == 0)
        return got == 0 ? 0 : std::numeric_limits<double>::infinity();
    const double unit = std::ldexp(1.0, std::ilogb(want) - 23);
    return std::abs(double(got) - want) / unit;
}

// Each power of two's mantissas in even steps, and random ones.
template <class Visit>
void numbers(int first, int last, Visit visit) {
    std::mt19937 engine(5);
    for (int e = first; e <= last; ++e) {
        for (uint32_t m = 0; m < 3000; ++m) {
            const uint32_t fraction = m < 1500 ? m * 5591 : uint32_t(engine()) & 0x7fffff;
            visit(float_of(uint32_t(e + 127) << 23 | fraction));
        }
    }
}

TEST(CtmTranscendental, RelativeErrors) {
    struct Limit {
        AlphaOp op;
        int first, last;
        bool negative;
        double most;  // ulps
    };
    const Limit limits[] = {{AlphaOp::Rcp, -125, 125, true, 0.6},
                            {AlphaOp::Rsq, -126, 127, false, 0.65},
                            {AlphaOp::Ex2, -30, 6, true, 0.65},
                            {AlphaOp::Ln2, -126, 127, false, 0.7}};
    for (const Limit& l : limits) {
        double worst = 0;
        numbers(l.first, l.last, [&](float x) {
            worst = std::max(worst, ulps(of(l.op, x), exact(l.op, x)));
            if (l.negative && x <= 64) {
                worst = std::max(worst, ulps(of(l.op, -x), exact(l.op, -x)));
            }
        });
        EXPECT_LE(worst, l.most) << number(l.op);
        EXPECT_GT(worst, 0.4) << "nothing was compared";
        RecordProperty("ulps_" + std::to_string(number(l.op)), std::to_string(worst));
    }
}

TEST(CtmTranscendental, LogarithmsAreAsCloseNextToOne) {
    double worst = 0;
    for (int k = -40000; k < 40000; ++k) {
        const float x = k < 0 ? 1 + float(k) / 16777216 : 1 + float(k) / 8388608;
        if (x != 1) {
            worst = std::max(worst, ulps(of(AlphaOp::Ln2, x), exact(AlphaOp::Ln2, x)));
        }
    }
    EXPECT_LE(worst, 1.0);
}

TEST(CtmTranscendental, SinesAndCosinesByDistance) {
    for (const AlphaOp op : {AlphaOp::Sin, AlphaOp::Cos}) {
        double worst = 0;
        numbers(-32, 22, [&](float x) {
            for (const float signed_x : {x, -x}) {
                worst = std::max(worst, std::abs(double(of(op, signed_x)) - exact(op, signed_x)));
            }
        });
        EXPECT_LE(worst, std::ldexp(1.0, -24)) << number(op);
        RecordProperty("distance_" + std::to_string(number(op)), std::to_string(std::log2(worst)));
        EXPECT_GT(worst, std::ldexp(1.0, -27)) << "nothing was compared";
    }
}

TEST(CtmTranscendental, PowersOfTwoAndQuartersOfATurnAreExact) {
    for (int e = -125; e <= 125; ++e) {
        const float x = std::ldexp(1.0F, e);
        EXPECT_EQ(of(AlphaOp::Rcp, x), 1 / x);
        EXPECT_EQ(of(AlphaOp::Ln2, x), float(e));
        EXPECT_EQ(of(AlphaOp::Ex2, float(e)), x);
        if (e % 2 == 0) {
            EXPECT_EQ(of(AlphaOp::Rsq, x), std::ldexp(1.0F, -e / 2));
        }
    }
    for (int quarter = -9; quarter <= 9; ++quarter) {
        const float x = float(quarter) / 4;
        EXPECT_EQ(of(AlphaOp::Sin, x), float(std::round(exact(AlphaOp::Sin, x)))) << quarter;
        EXPECT_EQ(of(AlphaOp::Cos, x), float(std::round(exact(AlphaOp::Cos, x)))) << quarter;
    }
}

TEST(CtmTranscendental, GrowsWhereItsFunctionGrows) {
    for (const AlphaOp op : {AlphaOp::Ex2, AlphaOp::Ln2, AlphaOp::Rcp, AlphaOp::Rsq}) {
        const bool falls = op == AlphaOp::Rcp || op == AlphaOp::Rsq;
        for (uint32_t start = 0x3f800000; start < 0x40800000; start += 0x8000) {
            // Around the ends of segments.
            const uint32_t from = start - 8;
            float last = float_of(transcendental(op, from));
            for (uint32_t bits = from + 1; bits < start + 8; ++bits) {
                const float next = float_of(transcendental(op, bits));
                ASSERT_TRUE(falls ? next <= last : next >= last) << std::hex << bits;
                last = next;
            }
        }
    }
}

struct Special {
    AlphaOp op;
    uint32_t in, out;
};
constexpr uint32_t kInf = 0x7f800000, kMinusInf = 0xff800000, kNan = 0x7fffffff, kUnit = 0x3f800000,
                   kMinusZero = 0x80000000, kDenormal = 0x007fffff, kMinusDenormal = 0x807fffff;

TEST(CtmTranscendental, SpecialValues) {
    const Special specials[] = {{AlphaOp::Ex2, 0, kUnit},
                                {AlphaOp::Ex2, kMinusZero, kUnit},
                                {AlphaOp::Ex2, kInf, kInf},
                                {AlphaOp::Ex2, kMinusInf, 0},
                                {AlphaOp::Ex2, 0x43000000, kInf},        // 128
                                {AlphaOp::Ex2, 0xc2fc0000, 0x00800000},  // -126
                                {AlphaOp::Ex2, 0xc2fe0000, 0},           // -127: denormal
                                {AlphaOp::Ex2, 0x7f7fffff, kInf},
                                {AlphaOp::Ex2, 0xff7fffff, 0},
                                {AlphaOp::Ex2, kDenormal, kUnit},
                                {AlphaOp::Ln2, 0, kMinusInf},
                                {AlphaOp::Ln2, kMinusZero, kMinusInf},
                                {AlphaOp::Ln2, kDenormal, kMinusInf},
                                {AlphaOp::Ln2, kInf, kInf},
                                {AlphaOp::Ln2, kMinusInf, kNan},
                                {AlphaOp::Ln2, 0xbf800000, kNan},
                                {AlphaOp::Ln2, kUnit, 0},
                                {AlphaOp::Rcp, 0, kInf},
                                {AlphaOp::Rcp, kMinusZero, kMinusInf},
                                {AlphaOp::Rcp, kDenormal, kInf},
                                {AlphaOp::Rcp, kMinusDenormal, kMinusInf},
                                {AlphaOp::Rcp, kInf, 0},
                                {AlphaOp::Rcp, kMinusInf, kMinusZero},
                                {AlphaOp::Rcp, 0x7e800000, 0x00800000},  // 2^126
                                {AlphaOp::Rcp, 0x7e800001, 0},
                                {AlphaOp::Rcp, 0xff7fffff, kMinusZero},
                                {AlphaOp::Rcp, 0x00800000, 0x7e800000},
                                {AlphaOp::Rsq, 0, kInf},
                                {AlphaOp::Rsq, kMinusZero, kMinusInf},
                                {AlphaOp::Rsq, kInf, 0},
                                {AlphaOp::Rsq, kMinusInf, kNan},
                                {AlphaOp::Rsq, 0xbf800000, kNan},
                                {AlphaOp::Rsq, kMinusDenormal, kMinusInf},
                                {AlphaOp::Sin, 0, 0},
                                {AlphaOp::Sin, kMinusZero, 0},
                                {AlphaOp::Sin, kInf, kNan},
                                {AlphaOp::Sin, kMinusInf, kNan},
                                {AlphaOp::Sin, 0x7f7fffff, 0},
                                {AlphaOp::Cos, kInf, kNan},
                                {AlphaOp::Cos, 0x7f7fffff, kUnit},
                                {AlphaOp::Cos, kMinusDenormal, kUnit}};
    for (const Special& s : specials) {
        EXPECT_EQ(transcendental(s.op, s.in), s.out) << number(s.op) << ' ' << std::hex << s.in;
    }
    for (uint32_t op = number(AlphaOp::Ex2); op <= number(AlphaOp::Cos); ++op) {
        EXPECT_EQ(transcendental(AlphaOp(op), 0x7fc00000), kNan);
        EXPECT_EQ(transcendental(AlphaOp(op), 0xff800001), kNan);
    }
}

// A few values, so that a change of tables or rounding does not go unnoticed: twins copy them.
TEST(CtmTranscendental, BitsStayAsTheyAre) {
    uint32_t sum = 0;
    for (uint32_t op = number(AlphaOp::Ex2); op <= number(AlphaOp::Cos); ++op) {
        std::mt19937 engine(op);
        for (int n = 0; n < 20000; ++n) {
            sum = (sum << 5 | sum >> 27) + transcendental(AlphaOp(op), uint32_t(engine()));
        }
    }
    EXPECT_EQ(sum, 2831664922u);
}

}  // namespace
}  // namespace archipelago::ctm::isa::test
