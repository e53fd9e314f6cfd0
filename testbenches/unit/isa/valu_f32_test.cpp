// SPDX-License-Identifier: Apache-2.0
// Single precision arithmetic in every rounding and denormal mode, with every modifier.
#include "testbenches/unit/isa/valu_harness.h"

#include <functional>

namespace archipelago::isa::valu_test::valu_f32_test {
namespace {

using In1 = std::array<uint32_t, 1>;
using In2 = std::array<uint32_t, 2>;
using In3 = std::array<uint32_t, 3>;

constexpr uint32_t kDefaultNan = 0xffc00000;
constexpr uint32_t kMax = 0x7f7fffff;

struct Ref {
    unsigned round;
    bool flush_in, flush_out;
};
Ref ref_of(const Mode& m) {
    return {m.fp_round_32, (m.fp_denorm_32 & 1) == 0, (m.fp_denorm_32 & 2) == 0};
}
// The mode of instructions that never keep denormals.
Ref flushing(const Mode& m) {
    return {m.fp_round_32, true, true};
}

uint32_t in(uint32_t x, const Ref& r) {
    return r.flush_in ? flush_denormal(x) : x;
}

// f of NaN-free operands under the host's rounding; NaN operands give the first one quieted.
// `scaled` repeats the computation 2^64 larger, to see results that only rounding to a denormal
// lifts to the smallest normal number.
template <size_t N, class F, class G>
uint32_t reference(std::array<uint32_t, N> x, const Ref& r, F f, G scaled) {
    for (uint32_t& v : x) {
        v = in(v, r);
        if (nan32(v)) {
            return v | 0x400000;
        }
    }
    std::array<volatile float, N> v;
    for (size_t n = 0; n < N; ++n) {
        v[n] = as_float(x[n]);
    }
    const HostRounding rounding(r.round);
    const volatile float result = f(v);
    const uint32_t out = bits(static_cast<float>(result));
    if (nan32(out)) {
        return kDefaultNan;
    }
    if (r.flush_out) {
        const volatile float large = scaled(v);
        const bool tiny = std::isfinite(large) && std::fabs(large) < 0x1p-62f;
        return tiny || (out & 0x7fffffff) < 0x00800000 ? out & 0x80000000 : out;
    }
    return out;
}
uint32_t ref_add(uint32_t a, uint32_t b, const Ref& r) {
    const auto f = [](const auto& v) { return v[0] + v[1]; };
    return reference<2>({a, b}, r, f, [](const auto&) { return 1.0f; });  // tiny sums are exact
}
uint32_t ref_sub(uint32_t a, uint32_t b, const Ref& r) {
    const auto f = [](const auto& v) { return v[0] - v[1]; };
    return reference<2>({a, b}, r, f, [](const auto&) { return 1.0f; });
}
uint32_t ref_mul(uint32_t a, uint32_t b, const Ref& r) {
    const auto f = [](const auto& v) { return v[0] * v[1]; };
    const auto scaled = [](const auto& v) {
        // Scale the smaller factor: the larger one could overflow.
        const bool first = std::fabs(v[0]) < std::fabs(v[1]);
        const volatile float a = first ? v[0] * 0x1p64f : v[1] * 0x1p64f;
        const volatile float b = first ? v[1] : v[0];
        return a * b;
    };
    return reference<2>({a, b}, r, f, scaled);
}
uint32_t ref_mul_legacy(uint32_t a, uint32_t b, const Ref& r) {
    if ((in(a, r) & 0x7fffffff) == 0 || (in(b, r) & 0x7fffffff) == 0) {
        return 0;
    }
    return ref_mul(a, b, r);
}
uint32_t first_nan(std::initializer_list<uint32_t> x) {
    for (const uint32_t v : x) {
        if (nan32(v)) {
            return v | 0x400000;
        }
    }
    return 0;
}
uint32_t ref_mad(uint32_t a, uint32_t b, uint32_t c, const Ref& r) {
    return ref_add(ref_mul(a, b, r), c, r);
}
uint32_t ref_mad_legacy(uint32_t a, uint32_t b, uint32_t c, const Ref& r) {
    return ref_add(ref_mul_legacy(a, b, r), c, r);
}
uint32_t ref_fma(uint32_t a, uint32_t b, uint32_t c, const Ref& r) {
    if (const uint32_t nan = first_nan({a, b, c})) {
        return nan;
    }
    const auto f = [](const auto& v) { return std::fma(float(v[0]), float(v[1]), float(v[2])); };
    const auto scaled = [](const auto& v) {
        if (std::fabs(v[2]) > 0x1p-60f) {
            return 1.0f;  // cannot be tiny unless exact
        }
        const bool first = std::fabs(v[0]) < std::fabs(v[1]);
        const float a = (first ? v[0] : v[1]) * 0x1p64f;
        return std::fma(a, float(first ? v[1] : v[0]), v[2] * 0x1p64f);
    };
    return reference<3>({a, b, c}, r, f, scaled);
}

template <size_t N>
void check(Op op, unsigned random, const std::vector<Mode>& modes,
           const std::function<uint32_t(const std::array<uint32_t, N>&, const Mode&)>& ref) {
    for (const Mode& mode : modes) {
        for_all<uint32_t, uint32_t, N>(make(op), mode, with_random(edge_floats(), random),
                                       [&](const auto& x) { return ref(x, mode); });
    }
}
std::vector<Mode> all_modes() {
    std::vector<Mode> modes;
    for (unsigned n = 0; n < 16; ++n) {
        modes.push_back(mode_of(n & 3, n >> 2));
    }
    return modes;
}

TEST(ValuF32, AddSubMulRoundAndFlushAsModeSays) {
    check<2>(Op::V_ADD_F32, 60, all_modes(),
             [](const In2& x, const Mode& m) { return ref_add(x[0], x[1], ref_of(m)); });
    check<2>(Op::V_SUB_F32, 60, all_modes(),
             [](const In2& x, const Mode& m) { return ref_sub(x[0], x[1], ref_of(m)); });
    check<2>(Op::V_SUBREV_F32, 60, all_modes(), [](const In2& x, const Mode& m) {
        return nan32(x[0]) ? x[0] | 0x400000 : ref_sub(x[1], x[0], ref_of(m));
    });
    check<2>(Op::V_MUL_F32, 60, all_modes(),
             [](const In2& x, const Mode& m) { return ref_mul(x[0], x[1], ref_of(m)); });
    check<2>(Op::V_MUL_LEGACY_F32, 60, all_modes(),
             [](const In2& x, const Mode& m) { return ref_mul_legacy(x[0], x[1], ref_of(m)); });
}
TEST(ValuF32, ProductsNearTheSmallestNormalFlushByTheirUnboundedRounding) {
    std::vector<uint32_t> values;
    for (uint32_t n = 0; n < 24; ++n) {
        values.push_back(0x1fffffff - n);  // just below 2^-63
        values.push_back(0x20000000 + n);
    }
    for (const Mode& mode : all_modes()) {
        for_all<uint32_t, uint32_t, 2>(make(Op::V_MUL_F32), mode, values, [&](const In2& x) {
            return ref_mul(x[0], x[1], ref_of(mode));
        });
    }
}
TEST(ValuF32, MadRoundsTwiceAndAlwaysFlushesDenormals) {
    check<3>(Op::V_MAD_F32, 0, all_modes(),
             [](const In3& x, const Mode& m) { return ref_mad(x[0], x[1], x[2], flushing(m)); });
    check<3>(
        Op::V_MAD_LEGACY_F32, 0, {mode_of(0, 3), mode_of(2, 0)},
        [](const In3& x, const Mode& m) { return ref_mad_legacy(x[0], x[1], x[2], flushing(m)); });
}
TEST(ValuF32, MacAddsToTheDestination) {
    for (const Op op : {Op::V_MAC_F32, Op::V_MAC_LEGACY_F32}) {
        const auto values = with_random(edge_floats(), 14);  // 64 addends
        for (const uint32_t a : edge_floats()) {
            for (const uint32_t b : edge_floats()) {
                Wave wave;
                Lanes x, y, d;
                x.fill(a);
                y.fill(b);
                std::copy(values.begin(), values.begin() + kLanes, d.begin());
                wave.set(kSrc0, x);
                wave.set(kSrc1, y);
                wave.set(kDst, d);
                execute(make(op), wave.w);
                const Ref r = flushing(wave.w.mode);
                for (unsigned l = 0; l < kLanes; ++l) {
                    ASSERT_EQ(hex(wave.get(kDst)[l]),
                              hex(op == Op::V_MAC_F32 ? ref_mad(a, b, d[l], r)
                                                      : ref_mad_legacy(a, b, d[l], r)))
                        << hex(a) << " " << hex(b) << " " << hex(d[l]);
                }
            }
        }
    }
}
TEST(ValuF32, MadmkAndMadakTakeTheLiteralWhereverItIsListed) {
    const Lanes a = [] {
        Lanes x;
        x.fill(bits(3.0f));
        return x;
    }();
    Lanes b;
    b.fill(bits(5.0f));
    for (const bool listed_as_source : {false, true}) {
        Wave wave;
        wave.set(kSrc0, a);
        wave.set(kSrc1, b);
        Inst mk = make(Op::V_MADMK_F32);
        mk.literal = bits(7.0f);
        Inst ak = make(Op::V_MADAK_F32);
        ak.literal = bits(7.0f);
        if (listed_as_source) {
            mk.src[1] = kLiteral;
            mk.src[2] = kVgprFirst + kSrc1;
            ak.src[2] = kLiteral;
        }
        execute(mk, wave.w);
        EXPECT_EQ(wave.get(kDst)[63], bits(26.0f));
        execute(ak, wave.w);
        EXPECT_EQ(wave.get(kDst)[63], bits(22.0f));
    }
}
TEST(ValuF32, FmaRoundsOnce) {
    check<3>(Op::V_FMA_F32, 0, all_modes(),
             [](const In3& x, const Mode& m) { return ref_fma(x[0], x[1], x[2], ref_of(m)); });
    // (1 + 2^-23)^2 - (1 + 2^-22) is 2^-46, which two roundings would lose.
    Wave wave;
    Lanes x, c;
    x.fill(0x3f800001);
    c.fill(bits(-(1.0f + 0x1p-22f)));
    wave.set(kSrc0, x);
    wave.set(kSrc1, x);
    wave.set(kSrc2, c);
    execute(make(Op::V_FMA_F32), wave.w);
    EXPECT_EQ(wave.get(kDst)[0], bits(0x1p-46f));
    execute(make(Op::V_MAD_F32), wave.w);
    EXPECT_EQ(wave.get(kDst)[0], 0u);
}

// ---- selection ----------------------------------------------------------------------------------
bool less(uint32_t a, uint32_t b) {  // -0 below +0
    if (as_float(a) == as_float(b)) {
        return (a >> 31) > (b >> 31);
    }
    return as_float(a) < as_float(b);
}
bool signaling(uint32_t x) {
    return nan32(x) && (x & 0x400000) == 0;
}
uint32_t ref_min(uint32_t a, uint32_t b, bool ieee, bool want_max) {
    if (ieee && signaling(a)) {
        return a | 0x400000;
    }
    if (ieee && signaling(b)) {
        return b | 0x400000;
    }
    if (nan32(a)) {
        return b;
    }
    if (nan32(b)) {
        return a;
    }
    return less(a, b) != want_max ? a : b;
}
TEST(ValuF32, MinAndMaxPreferNumbersOrderZerosAndKeepDenormals) {
    for (const bool ieee : {true, false}) {
        for (const unsigned denorm : {0u, 3u}) {
            const Mode mode = mode_of(0, denorm, ieee);
            const auto values = with_random(edge_floats(), 20);
            for (const bool max : {false, true}) {
                for_all<uint32_t, uint32_t, 2>(make(max ? Op::V_MAX_F32 : Op::V_MIN_F32), mode,
                                               values, [&](const In2& x) {
                                                   if (!nan32(x[0]) && x[0] == x[1]) {
                                                       return x[0];
                                                   }
                                                   return ref_min(x[0], x[1], ieee, max);
                                               });
                for_all<uint32_t, uint32_t, 3>(make(max ? Op::V_MAX3_F32 : Op::V_MIN3_F32), mode,
                                               edge_floats(), [&](const In3& x) {
                                                   const uint32_t y =
                                                       ref_min(x[0], x[1], ieee, max);
                                                   return ref_min(y, x[2], ieee, max);
                                               });
            }
            for_all<uint32_t, uint32_t, 3>(
                make(Op::V_MED3_F32), mode, edge_floats(), [&](const In3& x) {
                    if (nan32(x[0]) || nan32(x[1]) || nan32(x[2])) {
                        return ref_min(ref_min(x[0], x[1], ieee, false), x[2], ieee, false);
                    }
                    const uint32_t most =
                        ref_min(ref_min(x[0], x[1], ieee, true), x[2], ieee, true);
                    if (most == x[0]) {
                        return ref_min(x[1], x[2], ieee, true);
                    }
                    return most == x[1] ? ref_min(x[0], x[2], ieee, true)
                                        : ref_min(x[0], x[1], ieee, true);
                });
        }
    }
}
TEST(ValuF32, LegacyMinAndMaxPickTheSecondSourceForNan) {
    for (const unsigned denorm : {0u, 3u}) {
        const Mode mode = mode_of(0, denorm);
        for_all<uint32_t, uint32_t, 2>(
            make(Op::V_MIN_LEGACY_F32), mode, edge_floats(),
            [](const In2& x) { return as_float(x[0]) < as_float(x[1]) ? x[0] : x[1]; });
        for_all<uint32_t, uint32_t, 2>(
            make(Op::V_MAX_LEGACY_F32), mode, edge_floats(),
            [](const In2& x) { return as_float(x[0]) >= as_float(x[1]) ? x[0] : x[1]; });
    }
}

// ---- rounding to integers, exponents ------------------------------------------------------------
TEST(ValuF32, RoundingToIntegersDoesNotDependOnTheRoundingMode) {
    const auto values = with_random(edge_floats(), 3000);
    for (const Mode& mode : all_modes()) {
        const Ref r = ref_of(mode);
        const auto unary = [&](Op op, float (*f)(float)) {
            for_all<uint32_t, uint32_t, 1>(make(op), mode, values, [&](const In1& x) {
                const uint32_t v = in(x[0], r);
                return nan32(v) ? v | 0x400000 : bits(f(as_float(v)));
            });
        };
        unary(Op::V_TRUNC_F32, [](float x) { return std::trunc(x); });
        unary(Op::V_FLOOR_F32, [](float x) { return std::floor(x); });
        unary(Op::V_CEIL_F32, [](float x) { return std::ceil(x); });
        unary(Op::V_RNDNE_F32, [](float x) { return std::nearbyint(x); });
    }
}
TEST(ValuF32, FractStaysBelowOneAndTurnsInfinityIntoNanOfItsSign) {
    const auto values = with_random(edge_floats(), 2000);
    for (const Mode& mode : all_modes()) {
        const Ref r = ref_of(mode);
        for_all<uint32_t, uint32_t, 1>(make(Op::V_FRACT_F32), mode, values, [&](const In1& x) {
            const uint32_t v = in(x[0], r);
            if ((v & 0x7f800000) == 0x7f800000) {
                return v | 0x7fc00000;
            }
            const volatile float a = as_float(v), b = std::floor(as_float(v));
            const HostRounding rounding(r.round);
            const volatile float f = a - b;
            const uint32_t out = bits(std::fabs(float(f)));
            return f > as_float(0x3f7fffff) ? 0x3f7fffffu : r.flush_out ? flush_denormal(out) : out;
        });
    }
}
TEST(ValuF32, FrexpSplitsNumbersAndMarksInfinityAndNan) {
    const auto values = with_random(edge_floats(), 2000);
    for (const unsigned denorm : {0u, 1u}) {
        const Mode mode = mode_of(0, denorm);
        const Ref r = ref_of(mode);
        for_all<uint32_t, uint32_t, 1>(make(Op::V_FREXP_EXP_I32_F32), mode, values,
                                       [&](const In1& x) {
                                           const float v = as_float(in(x[0], r));
                                           int e = -1;
                                           if (std::isfinite(v)) {
                                               std::frexp(v, &e);
                                           }
                                           return static_cast<uint32_t>(e);
                                       });
        for_all<uint32_t, uint32_t, 1>(make(Op::V_FREXP_MANT_F32), mode, values, [&](const In1& x) {
            const uint32_t v = in(x[0], r);
            int e;
            return nan32(v)                         ? v | 0x400000
                   : (v & 0x7fffffff) == 0x7f800000 ? kDefaultNan
                                                    : bits(std::frexp(as_float(v), &e));
        });
    }
}
TEST(ValuF32, LdexpRoundsOnceIntoTheDenormalRange) {
    std::vector<uint32_t> exponents;
    for (int n = -300; n <= 300; n += 7) {
        exponents.push_back(static_cast<uint32_t>(n));
    }
    for (const int n : {-150, -149, -126, -1, 0, 1, 127, 128, 2147483647, -2147483647 - 1}) {
        exponents.push_back(static_cast<uint32_t>(n));
    }
    for (const Mode& mode : all_modes()) {
        const Ref r = ref_of(mode);
        for (const uint32_t n : exponents) {
            Wave wave;
            wave.w.mode = mode;
            const auto values = with_random(edge_floats(), 14);
            Lanes a, e;
            std::copy(values.begin(), values.begin() + kLanes, a.begin());
            e.fill(n);
            wave.set(kSrc0, a);
            wave.set(kSrc1, e);
            execute(make(Op::V_LDEXP_F32), wave.w);
            for (unsigned l = 0; l < kLanes; ++l) {
                const uint32_t v = in(a[l], r);
                uint32_t expected = v | 0x400000;
                if (!nan32(v)) {
                    const int clamped = std::max(-600, std::min(600, int(n)));
                    const double exact = std::ldexp(double(as_float(v)), clamped);
                    const HostRounding rounding(r.round);
                    const volatile double d = exact;
                    const volatile float f = static_cast<float>(d);
                    const volatile float large = static_cast<float>(d * 0x1p64);
                    expected = bits(float(f));
                    const bool tiny = std::fabs(large) < 0x1p-62f;
                    if (r.flush_out && (tiny || (expected & 0x7f800000) == 0)) {
                        expected &= 0x80000000;
                    }
                }
                ASSERT_EQ(hex(wave.get(kDst)[l]), hex(expected))
                    << hex(a[l]) << " * 2^" << int(n) << " round " << r.round << " flush "
                    << r.flush_in << r.flush_out;
            }
        }
    }
}

// ---- cube map, lighting -------------------------------------------------------------------------
struct Cube {
    float id, s, t, major;
};
Cube ref_cube(float x, float y, float z) {
    const float ax = std::fabs(x), ay = std::fabs(y), az = std::fabs(z);
    if (az >= ax && az >= ay) {
        return {z < 0 ? 5.0f : 4.0f, z < 0 ? -x : x, -y, 2 * z};
    }
    if (ay >= ax) {
        return {y < 0 ? 3.0f : 2.0f, x, y < 0 ? -z : z, 2 * y};
    }
    return {x < 0 ? 1.0f : 0.0f, x < 0 ? z : -z, -y, 2 * x};
}
TEST(ValuF32, CubeInstructionsFindTheMajorAxis) {
    std::vector<uint32_t> values;
    for (const float f : {0.0f, -0.0f, 1.0f, -1.0f, 0.5f, -0.5f, 3.0f, -3.0f, 1e10f, -7.25f}) {
        values.push_back(bits(f));
    }
    const auto run = [&](Op op, float Cube::*member) {
        for_all<uint32_t, uint32_t, 3>(make(op), Mode{}, values, [&](const In3& x) {
            return bits(ref_cube(as_float(x[0]), as_float(x[1]), as_float(x[2])).*member);
        });
    };
    run(Op::V_CUBEID_F32, &Cube::id);
    run(Op::V_CUBESC_F32, &Cube::s);
    run(Op::V_CUBETC_F32, &Cube::t);
    run(Op::V_CUBEMA_F32, &Cube::major);
}
TEST(ValuF32, MullitGivesTheLowestNumberWhenUnlit) {
    const Mode mode = mode_of(0, 3);
    for_all<uint32_t, uint32_t, 3>(make(Op::V_MULLIT_F32), mode, edge_floats(), [&](const In3& x) {
        const float b = as_float(x[1]), c = as_float(x[2]);
        if (!(c > 0.0f) || !(b > as_float(0xff000000 | (kMax & 0x7fffff) | 0x7f000000))) {
            return 0xff7fffffu;
        }
        return ref_mul_legacy(x[0], x[1], ref_of(mode));
    });
}

// ---- modifiers ----------------------------------------------------------------------------------
uint32_t modified(uint32_t x, bool abs, bool neg) {
    x = abs ? x & 0x7fffffff : x;
    return neg ? x ^ 0x80000000 : x;
}
TEST(ValuF32, NegAndAbsApplyToEachSourceSeparately) {
    for (unsigned neg = 0; neg < 8; ++neg) {
        for (unsigned abs = 0; abs < 8; ++abs) {
            Inst i = make(Op::V_FMA_F32);
            i.neg = static_cast<uint8_t>(neg);
            i.abs = static_cast<uint8_t>(abs);
            const Mode mode;
            std::vector<uint32_t> values = {0x3f800000, 0xc0400000, 0x80000000, 0x7f800000,
                                            0xffc00001, 0x00000003, 0x42280000};
            for_all<uint32_t, uint32_t, 3>(i, mode, values, [&](const In3& x) {
                uint32_t v[3];
                for (unsigned n = 0; n < 3; ++n) {
                    v[n] = modified(x[n], abs >> n & 1, neg >> n & 1);
                }
                return ref_fma(v[0], v[1], v[2], ref_of(mode));
            });
        }
    }
}
uint32_t ref_output(uint32_t x, unsigned omod, bool clamp, const Mode& m) {
    const Ref r = ref_of(m);
    if (omod != 0 && r.flush_out && !m.ieee) {
        const float factor[4] = {1, 2, 4, 0.5f};
        x = ref_mul(x, bits(factor[omod]), r);
        x = x == 0x80000000 ? 0 : x;
    }
    if (clamp) {
        if (nan32(x)) {
            return m.dx10_clamp ? 0 : x;
        }
        const float f = as_float(x);
        return f > 1.0f ? bits(1.0f) : f > 0.0f ? x : 0;
    }
    return x;
}
TEST(ValuF32, OmodNeedsFlushedOutputsAndNoIeeeAndComesBeforeClamp) {
    for (unsigned n = 0; n < 256; ++n) {
        Mode mode = mode_of(n & 3, n >> 2 & 3, n >> 4 & 1);
        mode.dx10_clamp = n >> 5 & 1;
        Inst i = make_vop3(Op::V_ADD_F32);
        i.clamp = n >> 6 & 1;
        i.omod = static_cast<uint8_t>(n >> 7 & 1 ? 3 : 1 + (n & 1));
        for_all<uint32_t, uint32_t, 2>(i, mode, edge_floats(), [&](const In2& x) {
            return ref_output(ref_add(x[0], x[1], ref_of(mode)), i.omod, i.clamp, mode);
        });
        i.omod = 0;
        for_all<uint32_t, uint32_t, 2>(i, mode, edge_floats(), [&](const In2& x) {
            return ref_output(ref_add(x[0], x[1], ref_of(mode)), 0, i.clamp, mode);
        });
    }
}

}  // namespace
}  // namespace archipelago::isa::valu_test::valu_f32_test
