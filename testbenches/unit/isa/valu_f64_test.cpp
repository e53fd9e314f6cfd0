// SPDX-License-Identifier: Apache-2.0
// Double precision arithmetic, the division sequences compilers emit, argument reduction.
#include "testbenches/unit/isa/valu_harness.h"

namespace archipelago::isa::valu_test::valu_f64_test {
namespace {

using In1 = std::array<uint64_t, 1>;
using In2 = std::array<uint64_t, 2>;
using In3 = std::array<uint64_t, 3>;

constexpr uint64_t kQuiet = 1ull << 51;
constexpr uint64_t kSign = 1ull << 63;
constexpr uint64_t kInf = 0x7ff0000000000000;
constexpr uint64_t kDefaultNan = 0xfff8000000000000;

struct Ref {
    unsigned round;
    bool flush_in, flush_out;
};
Ref ref_of(const Mode& m) {
    return {m.fp_round_64, (m.fp_denorm_64 & 1) == 0, (m.fp_denorm_64 & 2) == 0};
}
uint64_t in(uint64_t x, const Ref& r) {
    return r.flush_in ? flush_denormal(x) : x;
}
std::vector<Mode> all_modes() {
    std::vector<Mode> modes;
    for (unsigned n = 0; n < 16; ++n) {
        modes.push_back(mode64_of(n & 3, n >> 2));
    }
    return modes;
}

// f of NaN-free operands; `scaled` is the same 2^256 larger, to see what flushes.
template <size_t N, class F, class G>
uint64_t reference(std::array<uint64_t, N> x, const Ref& r, F f, G scaled) {
    for (const uint64_t v : x) {
        if (nan64(v)) {
            return v | kQuiet;
        }
    }
    std::array<volatile double, N> v;
    for (size_t n = 0; n < N; ++n) {
        v[n] = as_double(in(x[n], r));
    }
    const HostRounding rounding(r.round);
    const volatile double result = f(v);
    const uint64_t out = bits(static_cast<double>(result));
    if (nan64(out)) {
        return kDefaultNan;
    }
    if (r.flush_out) {
        const volatile double large = scaled(v);
        const bool tiny = std::isfinite(large) && std::fabs(large) < 0x1p-766;
        return tiny || (out & ~kSign) < 0x0010000000000000 ? out & kSign : out;
    }
    return out;
}
uint64_t ref_add(uint64_t a, uint64_t b, const Ref& r) {
    return reference<2>(
        {a, b}, r, [](const auto& v) { return v[0] + v[1]; }, [](const auto&) { return 1.0; });
}
uint64_t ref_mul(uint64_t a, uint64_t b, const Ref& r) {
    const auto scaled = [](const auto& v) {
        const bool first = std::fabs(v[0]) < std::fabs(v[1]);
        const volatile double small = (first ? v[0] : v[1]) * 0x1p256;
        return small * (first ? v[1] : v[0]);
    };
    return reference<2>(
        {a, b}, r, [](const auto& v) { return v[0] * v[1]; }, scaled);
}
uint64_t ref_fma(uint64_t a, uint64_t b, uint64_t c, const Ref& r) {
    const auto f = [](const auto& v) { return std::fma(double(v[0]), double(v[1]), double(v[2])); };
    const auto scaled = [](const auto& v) {
        if (std::fabs(v[2]) > 0x1p-700) {
            return 1.0;
        }
        const bool first = std::fabs(v[0]) < std::fabs(v[1]);
        const double small = (first ? v[0] : v[1]) * 0x1p256;
        return std::fma(small, double(first ? v[1] : v[0]), v[2] * 0x1p256);
    };
    return reference<3>({a, b, c}, r, f, scaled);
}

TEST(ValuF64, AddMulFmaRoundAndFlushAsModeSays) {
    const auto values = with_random(edge_doubles(), 40);
    for (const Mode& mode : all_modes()) {
        const Ref r = ref_of(mode);
        for_all<uint64_t, uint64_t, 2>(make(Op::V_ADD_F64), mode, values,
                                       [&](const In2& x) { return ref_add(x[0], x[1], r); });
        for_all<uint64_t, uint64_t, 2>(make(Op::V_MUL_F64), mode, values,
                                       [&](const In2& x) { return ref_mul(x[0], x[1], r); });
        for_all<uint64_t, uint64_t, 3>(make(Op::V_FMA_F64), mode, edge_doubles(),
                                       [&](const In3& x) { return ref_fma(x[0], x[1], x[2], r); });
    }
}
TEST(ValuF64, MinAndMaxPreferNumbersAndOrderZeros) {
    for (const bool ieee : {true, false}) {
        Mode mode;
        mode.ieee = ieee;
        mode.fp_denorm_64 = 0;
        const auto ref = [ieee](uint64_t a, uint64_t b, bool max) {
            for (const uint64_t x : {a, b}) {
                if (ieee && nan64(x) && (x & kQuiet) == 0) {
                    return x | kQuiet;
                }
            }
            if (nan64(a)) {
                return b;
            }
            if (nan64(b)) {
                return a;
            }
            const double x = as_double(a), y = as_double(b);
            const bool a_less = x == y ? (a >> 63) > (b >> 63) : x < y;
            return a == b ? a : a_less != max ? a : b;
        };
        const auto values = with_random(edge_doubles(), 30);
        for_all<uint64_t, uint64_t, 2>(make(Op::V_MIN_F64), mode, values,
                                       [&](const In2& x) { return ref(x[0], x[1], false); });
        for_all<uint64_t, uint64_t, 2>(make(Op::V_MAX_F64), mode, values,
                                       [&](const In2& x) { return ref(x[0], x[1], true); });
    }
}
TEST(ValuF64, FractAndFrexpHandleEveryExponent) {
    auto values = with_random(edge_doubles(), 1000);
    for (uint64_t e = 0; e < 2048; e += 3) {
        values.push_back(e << 52 | 0x000a5a5a5a5a5a5a);
        values.push_back(kSign | e << 52 | 0x000f000000000001);
    }
    for (const unsigned denorm : {0u, 3u}) {
        for (const unsigned round : {0u, 1u, 2u, 3u}) {
            const Mode mode = mode64_of(round, denorm);
            const Ref r = ref_of(mode);
            for_all<uint64_t, uint64_t, 1>(make(Op::V_FRACT_F64), mode, values, [&](const In1& x) {
                const uint64_t v = in(x[0], r);
                if ((v & kInf) == kInf) {
                    return v | kInf | kQuiet;
                }
                const volatile double a = as_double(v), b = std::floor(as_double(v));
                const HostRounding rounding(round);
                const volatile double f = a - b;
                const uint64_t out = bits(std::fabs(double(f)));
                return f > as_double(0x3fefffffffffffff) ? uint64_t{0x3fefffffffffffff}
                       : r.flush_out                     ? flush_denormal(out)
                                                         : out;
            });
            for_all<uint64_t, uint32_t, 1>(make(Op::V_FREXP_EXP_I32_F64), mode, values,
                                           [&](const In1& x) {
                                               int e = -1;
                                               if (std::isfinite(as_double(x[0]))) {
                                                   std::frexp(as_double(in(x[0], r)), &e);
                                               }
                                               return static_cast<uint32_t>(e);
                                           });
            for_all<uint64_t, uint64_t, 1>(
                make(Op::V_FREXP_MANT_F64), mode, values, [&](const In1& x) {
                    int e;
                    return nan64(x[0])               ? x[0] | kQuiet
                           : (x[0] & ~kSign) == kInf ? kDefaultNan
                                                     : bits(std::frexp(as_double(in(x[0], r)), &e));
                });
        }
    }
}
TEST(ValuF64, LdexpRoundsOnceIntoTheDenormalRange) {
    std::mt19937_64 random(3);
    for (const Mode& mode : all_modes()) {
        const Ref r = ref_of(mode);
        for (int n = -2300; n <= 2300; n += 23) {
            Wave wave;
            wave.w.mode = mode;
            Lanes64 a;
            Lanes e;
            for (uint64_t& x : a) {
                x = random();
            }
            e.fill(static_cast<uint32_t>(n));
            wave.set(kSrc0, a);
            wave.set(kSrc1, e);
            execute(make(Op::V_LDEXP_F64), wave.w);
            for (unsigned l = 0; l < kLanes; ++l) {
                const uint64_t v = in(a[l], r);
                uint64_t expected = v | kQuiet;
                if (!nan64(v)) {
                    const HostRounding rounding(r.round);
                    const volatile double d = as_double(v);
                    expected = bits(std::ldexp(double(d), n));
                    const double large = std::ldexp(double(d), n + 256);
                    if (r.flush_out && (std::fabs(large) < 0x1p-766 || (expected & kInf) == 0)) {
                        expected &= kSign;
                    }
                }
                ASSERT_EQ(hex(wave.get64(kDst)[l]), hex(expected)) << hex(a[l]) << " 2^" << n;
            }
        }
    }
}
TEST(ValuF64, ModifiersActOnTheWholeNumber) {
    const auto values = edge_doubles();
    for (unsigned n = 0; n < 128; ++n) {
        Mode mode = mode64_of(0, n & 3);
        mode.ieee = n >> 2 & 1;
        mode.dx10_clamp = n >> 3 & 1;
        Inst i = make(Op::V_MUL_F64);
        i.clamp = n >> 4 & 1;
        i.omod = static_cast<uint8_t>(n >> 5 & 3);
        i.neg = static_cast<uint8_t>(n % 3);
        i.abs = static_cast<uint8_t>(n % 4);
        const Ref r = ref_of(mode);
        for_all<uint64_t, uint64_t, 2>(i, mode, values, [&](const In2& x) {
            uint64_t v[2];
            for (unsigned k = 0; k < 2; ++k) {
                v[k] = i.abs >> k & 1 ? x[k] & ~kSign : x[k];
                v[k] ^= i.neg >> k & 1 ? kSign : 0;
            }
            uint64_t y = ref_mul(v[0], v[1], r);
            if (i.omod != 0 && r.flush_out && !mode.ieee) {
                const double factor[4] = {1, 2, 4, 0.5};
                y = ref_mul(y, bits(factor[i.omod]), r);
                y = y == kSign ? 0 : y;
            }
            if (i.clamp) {
                if (nan64(y)) {
                    return mode.dx10_clamp ? 0 : y;
                }
                const double d = as_double(y);
                return d > 1.0 ? bits(1.0) : d > 0.0 ? y : 0;
            }
            return y;
        });
    }
}
TEST(ValuF64, ReciprocalAndRootSeedsAreAccurateAndClampWhenAsked) {
    const auto values = with_random(edge_doubles(), 2000);
    const Mode mode;
    const auto clamped = [](uint64_t y) {
        return (y & ~kSign) == kInf ? (y & kSign) | (kInf - 1) : y;
    };
    const auto value = [](uint64_t x, double y) {
        return nan64(x) ? x | kQuiet : std::isnan(y) ? kDefaultNan : bits(y);
    };
    const auto rcp = [&](uint64_t x) { return value(x, 1.0 / as_double(x)); };
    const auto rsq = [&](uint64_t x) { return value(x, 1.0 / std::sqrt(as_double(x))); };
    const auto run = [&](Op op, auto f) {
        for_all<uint64_t, uint64_t, 1>(make(op), mode, values,
                                       [&](const In1& x) { return f(x[0]); });
    };
    run(Op::V_RCP_F64, rcp);
    run(Op::V_RCP_CLAMP_F64, [&](uint64_t x) { return clamped(rcp(x)); });
    run(Op::V_RSQ_F64, rsq);
    run(Op::V_RSQ_CLAMP_F64, [&](uint64_t x) { return clamped(rsq(x)); });
    run(Op::V_SQRT_F64, [&](uint64_t x) { return value(x, std::sqrt(as_double(x))); });
}

// ---- division
// ------------------------------------------------------------------------------------ Registers of
// the sequences; 64-bit values use pairs.
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

// ---- argument reduction -------------------------------------------------------------------------
TEST(ValuTrigPreop, SegmentsSpellTwoOverPi) {
    // The first 212 bits of the fraction of 2 / pi.
    const std::string digits = "a2f9836e4e441529fc2757d1f534ddc0db6295993c439041fe516";
    std::string binary;
    for (const char c : digits) {
        const int value = c <= '9' ? c - '0' : c - 'a' + 10;
        for (int bit = 3; bit >= 0; --bit) {
            binary += value >> bit & 1 ? '1' : '0';
        }
    }
    for (unsigned segment = 0; segment < 4; ++segment) {
        double expected = 0;
        for (unsigned bit = 0; bit < 53; ++bit) {
            if (binary[53 * segment + bit] == '1') {
                expected += std::ldexp(1.0, -int(53 * segment + bit) - 1);
            }
        }
        Wave wave;
        Lanes64 x;
        x.fill(bits(1.0));
        Lanes n;
        n.fill(segment);
        wave.set(kSrc0, x);
        wave.set(kSrc1, n);
        execute(make(Op::V_TRIG_PREOP_F64), wave.w);
        EXPECT_EQ(hex(wave.get64(kDst)[5]), hex(bits(expected))) << "segment " << segment;
    }
}
TEST(ValuTrigPreop, LargeArgumentsSkipTheBitsThatOnlyAddWholeTurns) {
    Wave wave;
    Lanes64 x;
    Lanes n;
    n.fill(0);
    for (unsigned l = 0; l < kLanes; ++l) {
        x[l] = uint64_t(1077 + l) << 52;  // skips l bits
    }
    wave.set(kSrc0, x);
    wave.set(kSrc1, n);
    execute(make(Op::V_TRIG_PREOP_F64), wave.w);
    const uint64_t head[2] = {0xa2f9836e4e441529, 0xfc2757d1f534ddc0};
    for (unsigned l = 0; l < kLanes; ++l) {
        const uint64_t window = l == 0 ? head[0] : head[0] << l | head[1] >> (64 - l);
        const double expected = std::ldexp(double(window >> 11), -53 - int(l));
        EXPECT_EQ(hex(wave.get64(kDst)[l]), hex(bits(expected))) << "skip " << l;
    }
}

}  // namespace
}  // namespace archipelago::isa::valu_test::valu_f64_test
