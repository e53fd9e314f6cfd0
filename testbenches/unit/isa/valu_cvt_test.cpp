// SPDX-License-Identifier: Apache-2.0
// Conversions between number formats.
#include "testbenches/unit/isa/valu_harness.h"

#include <algorithm>

namespace archipelago::isa::valu_test::valu_cvt_test {
namespace {

using In1 = std::array<uint32_t, 1>;
using In2 = std::array<uint32_t, 2>;
using In3 = std::array<uint32_t, 3>;
using Wide1 = std::array<uint64_t, 1>;

double clamped(double x, double low, double high) {
    return x < low ? low : x > high ? high : x;
}
uint32_t to_i32(double x) {
    return std::isnan(x) ? 0
                         : static_cast<uint32_t>(static_cast<int64_t>(
                               clamped(std::trunc(x), -2147483648.0, 2147483647.0)));
}
uint32_t to_u32(double x) {
    return std::isnan(x) ? 0
                         : static_cast<uint32_t>(
                               static_cast<int64_t>(clamped(std::trunc(x), 0, 4294967295.0)));
}
template <class F>
void unary(Op op, F ref, const Mode& mode = Mode{}) {
    for_all<uint32_t, uint32_t, 1>(make(op), mode, with_random(edge_floats(), 3000),
                                   [&](const In1& x) { return ref(x[0]); });
}
template <class F>
void unary_int(Op op, F ref, const Mode& mode = Mode{}) {
    for_all<uint32_t, uint32_t, 1>(make(op), mode, with_random(edge_integers(), 3000),
                                   [&](const In1& x) { return ref(x[0]); });
}

TEST(ValuConvert, FloatToIntegerTruncatesAndSaturates) {
    unary(Op::V_CVT_I32_F32, [](uint32_t x) { return to_i32(as_float(x)); });
    unary(Op::V_CVT_U32_F32, [](uint32_t x) { return to_u32(as_float(x)); });
    const auto values = with_random(edge_doubles(), 2000);
    for_all<uint64_t, uint32_t, 1>(make(Op::V_CVT_I32_F64), Mode{}, values,
                                   [](const Wide1& x) { return to_i32(as_double(x[0])); });
    for_all<uint64_t, uint32_t, 1>(make(Op::V_CVT_U32_F64), Mode{}, values,
                                   [](const Wide1& x) { return to_u32(as_double(x[0])); });
}
TEST(ValuConvert, FloorAndRoundPlusHalfSaturateNanByItsSign) {
    for (const unsigned round : {0u, 1u, 2u, 3u}) {
        const Mode mode = mode_of(round, 3);
        const auto limit = [](uint32_t x, double v) {
            return nan32(x) ? (x >> 31 ? 0x80000000u : 0x7fffffffu) : to_i32(v);
        };
        unary(
            Op::V_CVT_FLR_I32_F32,
            [&](uint32_t x) { return limit(x, std::floor(double(as_float(x)))); }, mode);
        unary(
            Op::V_CVT_RPI_I32_F32,
            [&](uint32_t x) {
                // Exact in double for every value whose fraction matters; tiny negative numbers
                // round to the half itself, whose floor is the same.
                return limit(x, std::floor(double(as_float(x)) + 0.5));
            },
            mode);
    }
    // With denormals flushed the floor of a negative denormal is 0.
    Wave wave;
    wave.w.mode = mode_of(0, 0);
    Lanes a;
    a.fill(0x80000001);
    wave.set(kSrc0, a);
    execute(make(Op::V_CVT_FLR_I32_F32), wave.w);
    EXPECT_EQ(wave.get(kDst)[0], 0u);
}
TEST(ValuConvert, IntegerToFloatRoundsByMode) {
    for (const unsigned round : {0u, 1u, 2u, 3u}) {
        const Mode mode = mode_of(round, 0);
        const auto rounded = [round](double exact) {
            const HostRounding rounding(round);
            const volatile double d = exact;
            const volatile float f = static_cast<float>(d);
            return bits(float(f));
        };
        unary_int(
            Op::V_CVT_F32_I32, [&](uint32_t x) { return rounded(double(int32_t(x))); }, mode);
        unary_int(
            Op::V_CVT_F32_U32, [&](uint32_t x) { return rounded(double(x)); }, mode);
    }
    for (unsigned n = 0; n < 4; ++n) {
        const Op ops[4] = {Op::V_CVT_F32_UBYTE0, Op::V_CVT_F32_UBYTE1, Op::V_CVT_F32_UBYTE2,
                           Op::V_CVT_F32_UBYTE3};
        unary_int(ops[n], [n](uint32_t x) { return bits(float(x >> (8 * n) & 0xff)); });
    }
    unary_int(Op::V_CVT_OFF_F32_I4, [](uint32_t x) {
        const int value = int(x & 15) - (x & 8 ? 16 : 0);
        return bits(float(value) / 16);
    });
}
TEST(ValuConvert, IntegerToDoubleIsExactInEveryMode) {
    for (const unsigned round : {0u, 1u, 2u, 3u}) {
        const Mode mode = mode64_of(round, 3);
        const auto values = with_random(edge_integers(), 500);
        for_all<uint32_t, uint64_t, 1>(make(Op::V_CVT_F64_I32), mode, values,
                                       [](const In1& x) { return bits(double(int32_t(x[0]))); });
        for_all<uint32_t, uint64_t, 1>(make(Op::V_CVT_F64_U32), mode, values,
                                       [](const In1& x) { return bits(double(x[0])); });
    }
}
TEST(ValuConvert, BetweenSingleAndDouble) {
    for (unsigned n = 0; n < 64; ++n) {
        Mode mode = mode_of(n & 3, n >> 2 & 3);
        mode.fp_denorm_64 = n >> 4 & 3;
        mode.fp_round_64 = 1;
        const bool flush32_in = (mode.fp_denorm_32 & 1) == 0;
        const bool flush32_out = (mode.fp_denorm_32 & 2) == 0;
        const bool flush64_in = (mode.fp_denorm_64 & 1) == 0;
        auto values = with_random(edge_doubles(), 200);
        for (uint64_t e = 0x36000000; e < 0x48000000; e += 0x123457) {  // around the f32 range
            values.push_back(e << 32 | 0x9abcdef0);
        }
        for_all<uint64_t, uint32_t, 1>(make(Op::V_CVT_F32_F64), mode, values, [&](const Wide1& x) {
            if (nan64(x[0])) {
                return uint32_t(x[0] >> 32 & 0x80000000) | 0x7fc00000 |
                       (uint32_t(x[0] >> 29) & 0x7fffff);
            }
            const HostRounding rounding(mode.fp_round_32);
            const volatile double d = as_double(flush64_in ? flush_denormal(x[0]) : x[0]);
            const volatile float f = static_cast<float>(d);
            const volatile float large = static_cast<float>(d * 0x1p64);
            const uint32_t out = bits(float(f));
            const bool tiny = std::fabs(large) < 0x1p-62f;
            return flush32_out && (tiny || (out & 0x7f800000) == 0) ? out & 0x80000000 : out;
        });
        for_all<uint32_t, uint64_t, 1>(
            make(Op::V_CVT_F64_F32), mode, with_random(edge_floats(), 200), [&](const In1& x) {
                const uint32_t v = flush32_in ? flush_denormal(x[0]) : x[0];
                if (nan32(v)) {
                    return uint64_t(v & 0x80000000) << 32 | 0x7ff8000000000000 |
                           uint64_t(v & 0x7fffff) << 29;
                }
                return bits(double(as_float(v)));
            });
    }
}

// ---- f16 ----------------------------------------------------------------------------------------
double half_value(uint32_t h) {
    const int e = int(h >> 10 & 31);
    const double m = e == 0 ? double(h & 0x3ff) : double((h & 0x3ff) | 0x400);
    return (h & 0x8000 ? -1.0 : 1.0) * std::ldexp(m, (e == 0 ? 1 : e) - 25);
}
// By search: the neighbours of |x| among the 31744 finite halves, then the rounding rule.
uint32_t ref_half(uint32_t x, unsigned round) {
    const uint32_t sign = x >> 16 & 0x8000;
    if (nan32(x)) {
        return sign | 0x7e00 | (x >> 13 & 0x3ff);
    }
    const double v = std::fabs(double(as_float(x)));
    if (std::isinf(v)) {
        return sign | 0x7c00;
    }
    uint32_t low = 0, high = 0x7c00;  // 0x7c00 stands for 65536 here
    while (high - low > 1) {
        const uint32_t mid = (low + high) / 2;
        (half_value(mid) <= v ? low : high) = mid;
    }
    const double a = half_value(low), b = half_value(high);
    bool up = false;
    switch (round) {
        case 0:
            up = v - a > b - v || (v - a == b - v && (low & 1));
            break;
        case 1:
            up = v != a && !sign;
            break;
        case 2:
            up = v != a && sign;
            break;
        default:
            break;
    }
    return sign | (up ? high : low);
}
std::vector<uint32_t> half_range_floats() {
    auto values = with_random(edge_floats(), 500);
    for (uint32_t e = 0x32000000; e < 0x48800000; e += 0x3f77) {
        values.push_back(e);
        values.push_back(e | 0x80000000);
    }
    for (uint32_t h = 0; h < 0x7c00; h += 3) {  // ties
        values.push_back(bits(float((half_value(h) + half_value(h + 1)) / 2)));
    }
    values.push_back(bits(65519.996f));
    values.push_back(bits(65520.0f));
    values.push_back(bits(-65504.0f));
    return values;
}
TEST(ValuConvert, SingleToHalfRoundsByModeAndKeepsDenormals) {
    const auto values = half_range_floats();
    for (const unsigned round : {0u, 1u, 2u, 3u}) {
        for_all<uint32_t, uint32_t, 1>(make(Op::V_CVT_F16_F32), mode_of(round, 3), values,
                                       [&](const In1& x) { return ref_half(x[0], round); });
    }
}
TEST(ValuConvert, SingleToHalfClampsToZeroToOne) {
    Inst i = make_vop3(Op::V_CVT_F16_F32);
    i.clamp = true;
    for (const bool dx10 : {false, true}) {
        Mode mode;
        mode.dx10_clamp = dx10;
        for_all<uint32_t, uint32_t, 1>(i, mode, edge_floats(), [&](const In1& x) {
            if (nan32(x[0])) {
                return dx10 ? 0 : ref_half(x[0], 0);
            }
            return ref_half(bits(float(clamped(as_float(x[0]), 0, 1))) & 0x7fffffff, 0);
        });
    }
}
TEST(ValuConvert, PackedHalvesRoundTowardZero) {
    const auto values = half_range_floats();
    for (size_t n = 0; n + kLanes < values.size(); n += kLanes) {
        Wave wave;
        Lanes a, b;
        std::copy_n(values.begin() + long(n), kLanes, a.begin());
        std::reverse_copy(a.begin(), a.end(), b.begin());
        wave.set(kSrc0, a);
        wave.set(kSrc1, b);
        execute(make(Op::V_CVT_PKRTZ_F16_F32), wave.w);
        for (unsigned l = 0; l < kLanes; ++l) {
            ASSERT_EQ(hex(wave.get(kDst)[l]), hex(ref_half(a[l], 3) | ref_half(b[l], 3) << 16))
                << hex(a[l]) << " " << hex(b[l]);
        }
    }
}
TEST(ValuConvert, EveryHalfConvertsExactly) {
    for (const unsigned denorm : {0u, 3u}) {
        for (unsigned modifier = 0; modifier < 4; ++modifier) {
            Inst i = make_vop3(Op::V_CVT_F32_F16);
            i.neg = modifier & 1;
            i.abs = modifier >> 1;
            std::vector<uint32_t> values;
            for (uint32_t h = 0; h < 0x10000; h += modifier == 0 ? 1 : 37) {
                values.push_back(h | 0xabcd0000);  // the high half does not matter
            }
            for_all<uint32_t, uint32_t, 1>(i, mode_of(3, denorm), values, [&](const In1& x) {
                uint32_t h = x[0] & 0xffff;
                h = i.abs ? h & 0x7fff : h;
                h = i.neg ? h ^ 0x8000 : h;
                const uint32_t sign = (h & 0x8000) << 16;
                if ((h & 0x7c00) == 0x7c00) {
                    const uint32_t fraction = h & 0x3ff;
                    return sign | 0x7f800000 | fraction << 13 | (fraction ? 0x400000u : 0u);
                }
                return bits(float(half_value(h)));
            });
        }
    }
}

// ---- packing ------------------------------------------------------------------------------------
uint32_t ref_norm(uint32_t x, double low, double scale) {
    if (nan32(x)) {
        return 0;
    }
    const double v = clamped(as_float(x), low, 1) * scale;
    return uint32_t(int32_t(std::nearbyint(v))) & 0xffff;
}
TEST(ValuConvert, NormalizedPackingRoundsToNearestEvenAndClamps) {
    auto values = edge_floats();
    for (int n = -40; n <= 40; ++n) {
        values.push_back(bits(float(n) / 32));
        values.push_back(bits((float(n) + 0.5f) / 65535));
        values.push_back(bits((float(n) + 0.5f) / 32767));
    }
    for (const unsigned mode : {0u, 3u}) {
        for_all<uint32_t, uint32_t, 2>(
            make(Op::V_CVT_PKNORM_I16_F32), mode_of(mode, mode), values, [](const In2& x) {
                return ref_norm(x[0], -1, 32767) | ref_norm(x[1], -1, 32767) << 16;
            });
        for_all<uint32_t, uint32_t, 2>(
            make(Op::V_CVT_PKNORM_U16_F32), mode_of(mode, mode), values,
            [](const In2& x) { return ref_norm(x[0], 0, 65535) | ref_norm(x[1], 0, 65535) << 16; });
    }
}
uint32_t ref_byte(uint32_t a, uint32_t b, uint32_t c, unsigned round) {
    uint32_t value = 0;
    if (!nan32(a)) {
        const HostRounding rounding(round);
        const volatile double x = clamped(as_float(a), 0, 255);
        value = static_cast<uint32_t>(std::nearbyint(double(x)));
    }
    const unsigned shift = 8 * (b & 3);
    return (c & ~(0xffu << shift)) | value << shift;
}
TEST(ValuConvert, ByteIsInsertedRoundedByMode) {
    auto values = edge_floats();
    for (int n = -3; n < 10; ++n) {
        values.push_back(bits(float(n) * 0.5f));
        values.push_back(bits(250.0f + float(n) * 0.5f));
    }
    for (const unsigned round : {0u, 1u, 2u, 3u}) {
        const Mode mode = mode_of(round, 3);
        for (uint32_t position = 0; position < 6; ++position) {
            Wave wave;
            wave.w.mode = mode;
            for (size_t n = 0; n + kLanes <= values.size(); n += 8) {
                Lanes a, b, c;
                std::copy_n(values.begin() + long(n), kLanes, a.begin());
                b.fill(position | 0xfffffff0);
                c.fill(0x12345678);
                wave.set(kSrc0, a);
                wave.set(kSrc1, b);
                wave.set(kSrc2, c);
                wave.set(kDst, c);
                execute(make(Op::V_CVT_PKACCUM_U8_F32), wave.w);
                const Lanes accumulated = wave.get(kDst);
                execute(make(Op::V_CVT_PK_U8_F32), wave.w);
                for (unsigned l = 0; l < kLanes; ++l) {
                    const uint32_t expected = ref_byte(a[l], b[l], c[l], round);
                    ASSERT_EQ(hex(wave.get(kDst)[l]), hex(expected)) << hex(a[l]);
                    ASSERT_EQ(hex(accumulated[l]), hex(expected)) << hex(a[l]);
                }
            }
        }
    }
}

}  // namespace
}  // namespace archipelago::isa::valu_test::valu_cvt_test
