// SPDX-License-Identifier: Apache-2.0
// Sources: CLRX GcnInstrsVop*.md (GCN 1.0, partly measured), AMD's GCN3 and RDNA guides for the
// formulas, LLVM's AMDGPU back end for what SI's f32 mad and min/max do with denormals. Where all
// of them leave bits open, the choice in models/cu/isa/valu.md is followed and marked "choice".
#include "testbenches/unit/isa/reference/valu_ops.h"

#include <cstdlib>

namespace archipelago::isa::reference {
namespace {

#include "testbenches/unit/isa/reference/two_over_pi.inc"

// ---- floating point --------------------------------------------------------------------------

struct Fp {
    Fmt f;
    unsigned rounding;
    bool in, out;  // denormals allowed
};
Fp fp32(const Lane& l) {
    return {kF32, l.mode.fp_round_32, (l.mode.fp_denorm_32 & 1) != 0,
            (l.mode.fp_denorm_32 & 2) != 0};
}
Fp fp64(const Lane& l) {
    return {kF64, l.mode.fp_round_64, (l.mode.fp_denorm_64 & 1) != 0,
            (l.mode.fp_denorm_64 & 2) != 0};
}
Fp mad32(const Lane& l) {  // v_mad, v_mac: never denormals
    return {kF32, l.mode.fp_round_32, false, false};
}

uint64_t quiet(Fmt f, uint64_t x) {
    return x | f.quiet_bit();
}

uint64_t add(Fp p, uint64_t a, uint64_t b) {
    if (is_nan(p.f, a) || is_nan(p.f, b)) {
        return quiet(p.f, is_nan(p.f, a) ? a : b);  // choice: the first
    }
    const Real x = unpack(p.f, flush(p.f, a, p.in)), y = unpack(p.f, flush(p.f, b, p.in));
    if (x.infinite && y.infinite && x.negative != y.negative) {
        return p.f.default_nan();
    }
    return pack(p.f, sum(x, y, p.rounding), p.rounding, !p.out);
}
// to be subtracted; a NaN keeps its sign
uint64_t minus(Fp p, uint64_t x) {
    return is_nan(p.f, x) ? x : x ^ p.f.sign();
}
uint64_t mul(Fp p, uint64_t a, uint64_t b) {
    if (is_nan(p.f, a) || is_nan(p.f, b)) {
        return quiet(p.f, is_nan(p.f, a) ? a : b);
    }
    const Real x = unpack(p.f, flush(p.f, a, p.in)), y = unpack(p.f, flush(p.f, b, p.in));
    if ((x.infinite && y.zero()) || (x.zero() && y.infinite)) {
        return p.f.default_nan();
    }
    return pack(p.f, multiply(x, y), p.rounding, !p.out);
}
// One rounding of (a * b + c) * 2^scale.
uint64_t fma(Fp p, uint64_t a, uint64_t b, uint64_t c, int scale = 0) {
    for (const uint64_t x : {a, b, c}) {
        if (is_nan(p.f, x)) {
            return quiet(p.f, x);
        }
    }
    const Real x = unpack(p.f, flush(p.f, a, p.in)), y = unpack(p.f, flush(p.f, b, p.in)),
               z = unpack(p.f, flush(p.f, c, p.in));
    if ((x.infinite && y.zero()) || (x.zero() && y.infinite)) {
        return p.f.default_nan();
    }
    const Real product = multiply(x, y);
    if (product.infinite && z.infinite && product.negative != z.negative) {
        return p.f.default_nan();
    }
    return pack(p.f, scaled(sum(product, z, p.rounding), scale), p.rounding, !p.out);
}
// Two roundings.
uint64_t mad(Fp p, uint64_t a, uint64_t b, uint64_t c) {
    return add(p, mul(p, a, b), c);
}
bool zero_or_flushed(Fp p, uint64_t x) {
    return is_zero(p.f, flush(p.f, x, p.in));
}
uint64_t mul_legacy(Fp p, uint64_t a, uint64_t b) {
    return zero_or_flushed(p, a) || zero_or_flushed(p, b) ? 0 : mul(p, a, b);
}
uint64_t mad_legacy(Fp p, uint64_t a, uint64_t b, uint64_t c) {
    return add(p, mul_legacy(p, a, b), c);
}

// AMD's formula: a signaling NaN counts with IEEE only, otherwise a NaN loses, -0 < +0.
uint64_t minimum(Fmt f, const Lane& l, uint64_t a, uint64_t b, bool want_max) {
    if (l.mode.ieee && (is_signaling(f, a) || is_signaling(f, b))) {
        return quiet(f, is_signaling(f, a) ? a : b);
    }
    if (is_nan(f, a)) {
        return b;
    }
    if (is_nan(f, b)) {
        return a;
    }
    const int order = compare(f, a, b);
    if (order == 0) {  // only zeros differ
        return is_negative(f, a) != want_max ? a : b;
    }
    return (order < 0) != want_max ? a : b;
}
uint64_t min_f(Fmt f, const Lane& l, uint64_t a, uint64_t b) {
    return minimum(f, l, a, b, false);
}
uint64_t max_f(Fmt f, const Lane& l, uint64_t a, uint64_t b) {
    return minimum(f, l, a, b, true);
}
uint64_t min3_f(const Lane& l, uint64_t a, uint64_t b, uint64_t c) {
    return min_f(kF32, l, min_f(kF32, l, a, b), c);
}
uint64_t max3_f(const Lane& l, uint64_t a, uint64_t b, uint64_t c) {
    return max_f(kF32, l, max_f(kF32, l, a, b), c);
}
uint64_t med3_f(const Lane& l, uint64_t a, uint64_t b, uint64_t c) {
    if (is_nan(kF32, a) || is_nan(kF32, b) || is_nan(kF32, c)) {
        return min3_f(l, a, b, c);
    }
    const uint64_t top = max3_f(l, a, b, c);
    if (top == a) {
        return max_f(kF32, l, b, c);
    }
    return top == b ? max_f(kF32, l, a, c) : max_f(kF32, l, a, b);
}

uint64_t round_to_int(Fp p, uint64_t a, unsigned rounding) {
    return is_nan(p.f, a) ? quiet(p.f, a) : to_integral(p.f, flush(p.f, a, p.in), rounding);
}
uint64_t fract(Fp p, uint64_t a) {
    if (is_nan(p.f, a)) {
        return quiet(p.f, a);
    }
    if (is_inf(p.f, a)) {
        return a | p.f.quiet_bit();  // CLRX: with the sign of the source
    }
    a = flush(p.f, a, p.in);
    const uint64_t whole = to_integral(p.f, a, kDown);
    const uint64_t r = pack(p.f, sum(unpack(p.f, a), unpack(p.f, whole ^ p.f.sign()), kNearestEven),
                            p.rounding, !p.out);
    return r >= p.f.one() ? p.f.one() - 1 : r;
}
uint64_t ldexp(Fp p, uint64_t a, uint64_t n) {
    if (is_nan(p.f, a)) {
        return quiet(p.f, a);
    }
    int32_t by = static_cast<int32_t>(n);
    by = by > 5000 ? 5000 : by < -5000 ? -5000 : by;
    return pack(p.f, scaled(unpack(p.f, flush(p.f, a, p.in)), by), p.rounding, !p.out);
}
uint64_t frexp_exp(Fp p, uint64_t a) {
    if (is_nan(p.f, a) || is_inf(p.f, a)) {
        return 0xffffffff;  // CLRX, GCN 1.0
    }
    const Real r = unpack(p.f, flush(p.f, a, p.in));
    return r.sig == 0 ? 0 : static_cast<uint32_t>(r.exp + top_bit(r.sig) + 1);
}
uint64_t frexp_mant(Fp p, uint64_t a) {
    if (is_nan(p.f, a)) {
        return quiet(p.f, a);
    }
    if (is_inf(p.f, a)) {
        return p.f.default_nan();  // CLRX, GCN 1.0
    }
    Real r = unpack(p.f, flush(p.f, a, p.in));
    r.exp = -1 - top_bit(r.sig);
    return pack(p.f, r, kNearestEven, false);
}

// Conversion between formats; NaN keeps sign and the leading payload bits, quieted.
uint64_t convert(Fmt from, Fmt to, uint64_t x, unsigned rounding, bool flush_tiny) {
    if (is_nan(from, x)) {
        uint64_t payload = x & ((uint64_t{1} << from.mant_bits) - 1);
        const int down = from.mant_bits - to.mant_bits;
        payload = down > 0 ? payload >> down : payload << -down;
        return (is_negative(from, x) ? to.sign() : 0) | to.inf() | to.quiet_bit() | payload;
    }
    return pack(to, unpack(from, x), rounding, flush_tiny);
}
uint64_t f16_of(const Lane& l, uint64_t a, unsigned rounding) {
    return convert(kF32, kF16, flush(kF32, a, fp32(l).in), rounding, false);
}

constexpr int64_t kI32Min = INT32_MIN, kI32Max = INT32_MAX, kU32Max = UINT32_MAX;

uint64_t to_i32(Fmt f, uint64_t a, unsigned rounding) {
    return static_cast<uint32_t>(to_integer(f, a, rounding, kI32Min, kI32Max));
}
uint64_t to_u32(Fmt f, uint64_t a) {
    return static_cast<uint32_t>(to_integer(f, a, kTowardZero, 0, kU32Max));
}
// floor(a + add_half/2) with NaN the extreme of its sign (CLRX)
uint64_t flr_i32(const Lane& l, uint64_t a, bool add_half) {
    if (is_nan(kF32, a)) {
        return is_negative(kF32, a) ? 0x80000000u : 0x7fffffffu;
    }
    a = flush(kF32, a, fp32(l).in);
    if (add_half) {
        const Real r = unpack(kF32, a);
        if (r.sig != 0 && !r.infinite && r.exp + top_bit(r.sig) < 30) {
            Real half;
            half.sig = 1;
            half.exp = -1;
            const Real s = sum(r, half, kNearestEven);  // exact: the sticky bit keeps floor right
            int64_t n = static_cast<int64_t>(round_magnitude(s, 0, kDown));
            return static_cast<uint32_t>(s.negative ? -n : n);
        }
    }
    return to_i32(kF32, a, kDown);
}
uint64_t u8_of(const Lane& l, uint64_t a) {
    return static_cast<uint64_t>(
        to_integer(kF32, flush(kF32, a, fp32(l).in), l.mode.fp_round_32, 0, 255));
}
uint64_t put_u8(uint64_t into, uint64_t selector, uint64_t value) {
    const unsigned shift = static_cast<unsigned>(selector & 3) * 8;
    return (into & ~(uint64_t{0xff} << shift) & 0xffffffff) | value << shift;
}
// The exact product with `unit`, to nearest even, in [low, unit].
uint64_t norm(const Lane& l, uint64_t a, int64_t unit, int64_t low) {
    if (is_nan(kF32, a)) {
        return 0;
    }
    const Real x = unpack(kF32, flush(kF32, a, fp32(l).in));
    int64_t n = 0;
    if (x.infinite || (x.sig != 0 && x.exp + top_bit(x.sig) > 2)) {
        n = x.negative ? low : unit;
    } else {
        n = static_cast<int64_t>(round_magnitude(multiply(x, from_integer(unit)), 0, kNearestEven));
        n = x.negative ? -n : n;
        n = n < low ? low : n > unit ? unit : n;
    }
    return static_cast<uint16_t>(n);
}

// ---- division --------------------------------------------------------------------------------

bool quotient_denormal(Fmt f, uint64_t num, uint64_t den) {
    // |num / den| < 2^min_exp, both finite and not zero
    const Real n = unpack(f, num), d = unpack(f, den);
    // compare n.sig * 2^n.exp with d.sig * 2^(d.exp + min_exp), leading bits first
    const int en = n.exp + top_bit(n.sig), ed = d.exp + top_bit(d.sig) + f.min_exp();
    if (en != ed) {
        return en < ed;
    }
    return n.sig << (60 - top_bit(n.sig)) < d.sig << (60 - top_bit(d.sig));
}
uint64_t scale_by(Fp p, uint64_t x, int n) {
    return is_nan(p.f, x) ? quiet(p.f, x)
                          : pack(p.f, scaled(unpack(p.f, x), n), p.rounding, !p.out);
}
// AMD's formula. a is the denominator b or the numerator c.
uint64_t div_scale(Fp p, Lane& l, uint64_t a, uint64_t b, uint64_t c) {
    const Fmt f = p.f;
    const int scale = f.mant_bits == 23 ? 64 : 128, near_max = f.mant_bits == 23 ? 96 : 768;
    const int tiny_numerator = f.mant_bits == 23 ? 23 : 53;
    for (uint64_t* x : {&a, &b, &c}) {  // choice: MODE decides
        *x = flush(f, *x, p.in);
    }
    const bool is_den = a == b;
    l.mask_out = false;
    if (is_zero(f, b) || is_zero(f, c)) {
        return f.default_nan();
    }
    if (exponent_field(f, c) - exponent_field(f, b) >= near_max) {
        l.mask_out = true;
        return is_den ? scale_by(p, a, scale) : a;
    }
    if (is_denormal(f, b)) {
        return scale_by(p, a, scale);
    }
    const bool finite = !is_nan(f, b) && !is_inf(f, b) && !is_nan(f, c) && !is_inf(f, c);
    const bool small_rcp = finite && quotient_denormal(f, f.one(), b);
    const bool small_quotient = finite && quotient_denormal(f, c, b);
    if (small_rcp && small_quotient) {
        // AMD's text scales up here as well, but a denominator with a denormal reciprocal would
        // overflow; only down is undone by div_fmas. See valu.md.
        l.mask_out = true;
        return is_den ? scale_by(p, a, -scale) : a;
    }
    if (small_rcp) {
        return scale_by(p, a, -scale);
    }
    if (small_quotient) {
        l.mask_out = true;
        return a == c ? scale_by(p, a, scale) : a;
    }
    if (exponent_field(f, c) <= tiny_numerator) {
        return scale_by(p, a, scale);
    }
    return a;
}
// Denormal sources count, output may be flushed.
uint64_t div_fmas(Fp p, const Lane& l, uint64_t a, uint64_t b, uint64_t c) {
    p.in = true;
    int scale = p.f.mant_bits == 23 ? 64 : 128;
    if (exponent_field(p.f, c) <= p.f.bias()) {
        scale = -scale;
    }
    return fma(p, a, b, c, l.mask_in ? scale : 0);
}
uint64_t div_fixup(Fp p, uint64_t a, uint64_t b, uint64_t c) {
    const Fmt f = p.f;
    const uint64_t sign = (b ^ c) & f.sign();
    for (uint64_t* x : {&a, &b, &c}) {  // choice: MODE decides
        *x = flush(f, *x, p.in);
    }
    if (is_nan(f, c) || is_nan(f, b)) {
        return quiet(f, is_nan(f, c) ? c : b);
    }
    if ((is_zero(f, b) && is_zero(f, c)) || (is_inf(f, b) && is_inf(f, c))) {
        return f.default_nan();
    }
    if (is_zero(f, b) || is_inf(f, c)) {
        return sign | f.inf();
    }
    if (is_inf(f, b) || is_zero(f, c)) {
        return sign;
    }
    const int limit = f.mant_bits == 23 ? -150 : -1075;
    if (exponent_field(f, c) - exponent_field(f, b) < limit) {
        Real tiny;
        tiny.negative = sign != 0;
        tiny.sig = 1;
        tiny.exp = f.min_exp() - f.mant_bits - 2;
        return pack(f, tiny, p.rounding, !p.out);
    }
    if (is_nan(f, a)) {  // CLRX: what the steps before could not form
        return sign | f.inf();
    }
    return sign | (a & ~f.sign());
}

uint64_t trig_preop(uint64_t a, uint64_t segment) {
    const int e = exponent_field(kF64, a);
    int shift = static_cast<int>(segment & 31) * 53;
    if (e > 1077) {
        shift += e - 1077;
    }
    Real r;
    for (int n = 0; n < 53; ++n) {
        const auto bit = static_cast<unsigned>(shift + n);
        const unsigned value = bit < 1201 ? kTwoOverPi[bit / 32] >> (31 - bit % 32) & 1 : 0;
        r.sig = r.sig << 1 | value;
    }
    r.exp = -53 - shift + (e >= 1968 ? 128 : 0);
    return pack(kF64, r, kTowardZero, false);
}

// ---- cube, lighting, classes -----------------------------------------------------------------

// Choice: sources as for any arithmetic, flushed by MODE and with quiet NaNs.
uint64_t arith_source(const Lane& l, uint64_t x) {
    return is_nan(kF32, x) ? quiet(kF32, x) : flush(kF32, x, fp32(l).in);
}
int cube_axis(uint64_t x, uint64_t y, uint64_t z) {
    const auto ge = [](uint64_t p, uint64_t q) {
        const int order = compare(kF32, p & 0x7fffffff, q & 0x7fffffff);
        return order == 0 || order == 1;
    };
    return ge(z, x) && ge(z, y) ? 2 : ge(y, x) ? 1 : 0;
}
bool below_zero(uint64_t x) {
    return compare(kF32, x, 0) == -1;
}
uint64_t negated(uint64_t x) {
    return x ^ 0x80000000;
}
uint64_t cube_id(uint64_t x, uint64_t y, uint64_t z) {
    const int axis = cube_axis(x, y, z);
    const uint64_t major = axis == 2 ? z : axis == 1 ? y : x;
    return pack(kF32, from_integer(2 * axis + (below_zero(major) ? 1 : 0)), 0, false);
}
uint64_t cube_sc(uint64_t x, uint64_t y, uint64_t z) {
    switch (cube_axis(x, y, z)) {
        case 2:
            return below_zero(z) ? negated(x) : x;
        case 1:
            return x;
        default:
            return below_zero(x) ? z : negated(z);
    }
}
uint64_t cube_tc(uint64_t x, uint64_t y, uint64_t z) {
    return cube_axis(x, y, z) == 1 ? (below_zero(y) ? negated(z) : z) : negated(y);
}
uint64_t cube_ma(const Lane& l, uint64_t x, uint64_t y, uint64_t z) {
    const int axis = cube_axis(x, y, z);
    return mul(fp32(l), axis == 2 ? z : axis == 1 ? y : x, 0x40000000);
}
uint64_t cube(const Lane& l, unsigned what, uint64_t x, uint64_t y, uint64_t z) {
    x = arith_source(l, x);
    y = arith_source(l, y);
    z = arith_source(l, z);
    switch (what) {
        case 0:
            return cube_id(x, y, z);
        case 1:
            return flush(kF32, cube_sc(x, y, z), fp32(l).out);
        case 2:
            return flush(kF32, cube_tc(x, y, z), fp32(l).out);
        default:
            return cube_ma(l, x, y, z);
    }
}
uint64_t mullit(const Lane& l, uint64_t a, uint64_t b, uint64_t c) {
    c = arith_source(l, c);
    const bool guard = b == 0xff7fffff || b == 0xff800000 || is_nan(kF32, b) || is_nan(kF32, c) ||
                       compare(kF32, c, 0) <= 0;
    return guard ? 0xff7fffff : mul_legacy(fp32(l), a, b);
}
unsigned class_bit(Fmt f, uint64_t x) {
    if (is_nan(f, x)) {
        return is_signaling(f, x) ? 0 : 1;
    }
    const bool negative = is_negative(f, x);
    if (is_inf(f, x)) {
        return negative ? 2 : 9;
    }
    if (is_zero(f, x)) {
        return negative ? 5 : 6;
    }
    if (is_denormal(f, x)) {
        return negative ? 4 : 7;
    }
    return negative ? 3 : 8;
}
uint64_t legacy_choice(uint64_t a, uint64_t b, bool take_a) {
    return take_a ? a : b;
}

// ---- integers --------------------------------------------------------------------------------

int32_t s32(uint64_t x) {
    return static_cast<int32_t>(x);
}
int64_t s24(uint64_t x) {
    const int64_t low = static_cast<int64_t>(x & 0xffffff);
    return low >= 0x800000 ? low - 0x1000000 : low;
}
uint64_t u24(uint64_t x) {
    return x & 0xffffff;
}
unsigned byte(uint64_t x, unsigned n) {
    return static_cast<unsigned>(x >> (8 * n) & 0xff);
}
uint64_t sad8(uint64_t a, uint64_t b, bool skip_zero) {
    uint64_t r = 0;
    for (unsigned n = 0; n < 4; ++n) {
        const int d = static_cast<int>(byte(a, n)) - static_cast<int>(byte(b, n));
        r += skip_zero && byte(b, n) == 0 ? 0 : static_cast<uint64_t>(std::abs(d));
    }
    return r;
}
uint64_t quad_sad(uint64_t a, uint64_t b, uint64_t c, bool skip_zero) {
    uint64_t r = 0;
    for (unsigned n = 0; n < 4; ++n) {
        const uint64_t s = sad8(a >> (8 * n) & 0xffffffff, b, skip_zero) + (c >> (16 * n) & 0xffff);
        r |= (s & 0xffff) << (16 * n);
    }
    return r;
}
uint64_t difference(uint64_t a, uint64_t b) {
    return a > b ? a - b : b - a;
}
uint64_t lerp8(uint64_t a, uint64_t b, uint64_t c) {
    uint64_t r = 0;
    for (unsigned n = 0; n < 4; ++n) {
        r |= uint64_t{(byte(a, n) + byte(b, n) + (byte(c, n) & 1)) >> 1} << (8 * n);
    }
    return r;
}
unsigned ones(uint64_t x) {
    unsigned n = 0;
    for (; x != 0; x &= x - 1) {
        ++n;
    }
    return n;
}
uint64_t reversed32(uint64_t x) {
    uint64_t r = 0;
    for (unsigned n = 0; n < 32; ++n) {
        r |= (x >> n & 1) << (31 - n);
    }
    return r;
}
uint64_t highest(uint64_t x) {  // counted from the top
    return x == 0 ? 0xffffffff : static_cast<uint64_t>(31 - top_bit(x));
}
uint64_t lowest(uint64_t x) {
    return x == 0 ? 0xffffffff : static_cast<uint64_t>(top_bit(x & (~x + 1)));
}
uint64_t bfe(uint64_t a, uint64_t b, uint64_t c, bool is_signed) {
    const unsigned shift = b & 31, width = c & 31;
    uint64_t r = 0;
    for (unsigned n = 0; n < width; ++n) {
        const unsigned at = shift + n;
        const uint64_t bit = at < 32 ? a >> at & 1 : is_signed ? a >> 31 & 1 : 0;
        r |= bit << n;
    }
    if (is_signed && width != 0 && (r >> (width - 1) & 1) != 0) {
        r |= ~uint64_t{0} << width;
    }
    return r & 0xffffffff;
}
uint64_t lanes_below(const Lane& l, bool high) {  // mask of lower lanes, one half
    const uint64_t below = (uint64_t{1} << l.index) - 1;
    return high ? below >> 32 : below & 0xffffffff;
}
uint64_t med3_i(int64_t a, int64_t b, int64_t c) {
    const int64_t low = a < b ? a : b, high = a < b ? b : a;
    return static_cast<uint64_t>(c < low ? low : c > high ? high : c);
}
template <class T>
T least(T a, T b) {
    return a < b ? a : b;
}
template <class T>
T most(T a, T b) {
    return a < b ? b : a;
}
uint64_t add_carry(Lane& l, uint64_t a, uint64_t b, bool carry) {
    const uint64_t r = a + b + (carry ? 1 : 0);
    l.mask_out = r >> 32 != 0;
    return r;
}
uint64_t sub_borrow(Lane& l, uint64_t a, uint64_t b, bool borrow) {
    l.mask_out = a < b + (borrow ? 1 : 0);
    return a - b - (borrow ? 1 : 0);
}
uint64_t sat16(int64_t x, int64_t low, int64_t high) {
    return static_cast<uint16_t>(x < low ? low : x > high ? high : x);
}

#define ROW(name, types, mask, expression)                                        \
    {                                                                             \
        name, types, mask,                                                        \
            [](Lane& l, [[maybe_unused]] uint64_t a, [[maybe_unused]] uint64_t b, \
               [[maybe_unused]] uint64_t c) -> uint64_t {                         \
                static_cast<void>(l);                                             \
                return expression;                                                \
            },                                                                    \
            0, false                                                              \
    }

const std::vector<ValuOp> kTable = {
    // moves and bits
    ROW("v_mov_b32", "u=u", "", a),
    ROW("v_mov_fed_b32", "u=u", "", a),
    ROW("v_not_b32", "u=u", "", ~a),
    ROW("v_bfrev_b32", "u=u", "", reversed32(a)),
    ROW("v_ffbh_u32", "u=u", "", highest(a)),
    ROW("v_ffbl_b32", "u=u", "", lowest(a)),
    ROW("v_ffbh_i32", "u=u", "", highest(s32(a) < 0 ? ~a & 0xffffffff : a)),
    ROW("v_cndmask_b32", "u=bb", "i", l.mask_in ? b : a),
    ROW("v_and_b32", "u=uu", "", a& b),
    ROW("v_or_b32", "u=uu", "", a | b),
    ROW("v_xor_b32", "u=uu", "", a ^ b),
    ROW("v_bfm_b32", "u=uu", "", ((uint64_t{1} << (a & 31)) - 1) << (b & 31)),
    ROW("v_bcnt_u32_b32", "u=uu", "", ones(a) + b),
    ROW("v_mbcnt_lo_u32_b32", "u=uu", "", ones(a& lanes_below(l, false)) + b),
    ROW("v_mbcnt_hi_u32_b32", "u=uu", "", ones(a& lanes_below(l, true)) + b),
    ROW("v_bfe_u32", "u=uuu", "", bfe(a, b, c, false)),
    ROW("v_bfe_i32", "u=uuu", "", bfe(a, b, c, true)),
    ROW("v_bfi_b32", "u=uuu", "", (a & b) | (~a & c)),
    ROW("v_alignbit_b32", "u=uuu", "", (a << 32 | b) >> (c & 31)),
    ROW("v_alignbyte_b32", "u=uuu", "", (a << 32 | b) >> 8 * (c & 3)),
    // shifts
    ROW("v_lshr_b32", "u=uu", "", a >> (b & 31)),
    ROW("v_lshrrev_b32", "u=uu", "", b >> (a & 31)),
    ROW("v_ashr_i32", "u=uu", "", static_cast<uint64_t>(s32(a) >> (b & 31))),
    ROW("v_ashrrev_i32", "u=uu", "", static_cast<uint64_t>(s32(b) >> (a & 31))),
    ROW("v_lshl_b32", "u=uu", "", a << (b & 31)),
    ROW("v_lshlrev_b32", "u=uu", "", b << (a & 31)),
    ROW("v_lshl_b64", "U=Uu", "", a << (b & 63)),
    ROW("v_lshr_b64", "U=Uu", "", a >> (b & 63)),
    ROW("v_ashr_i64", "U=Iu", "", static_cast<uint64_t>(static_cast<int64_t>(a) >> (b & 63))),
    // integer arithmetic
    ROW("v_add_i32", "u=uu", "o", add_carry(l, a, b, false)),
    ROW("v_sub_i32", "u=uu", "o", sub_borrow(l, a, b, false)),
    ROW("v_subrev_i32", "u=uu", "o", sub_borrow(l, b, a, false)),
    ROW("v_addc_u32", "u=uu", "io", add_carry(l, a, b, l.mask_in)),
    ROW("v_subb_u32", "u=uu", "io", sub_borrow(l, a, b, l.mask_in)),
    ROW("v_subbrev_u32", "u=uu", "io", sub_borrow(l, b, a, l.mask_in)),
    ROW("v_min_i32", "u=uu", "", static_cast<uint64_t>(least(s32(a), s32(b)))),
    ROW("v_max_i32", "u=uu", "", static_cast<uint64_t>(most(s32(a), s32(b)))),
    ROW("v_min_u32", "u=uu", "", least(a, b)),
    ROW("v_max_u32", "u=uu", "", most(a, b)),
    ROW("v_min3_i32", "u=uuu", "", static_cast<uint64_t>(least(least(s32(a), s32(b)), s32(c)))),
    ROW("v_max3_i32", "u=uuu", "", static_cast<uint64_t>(most(most(s32(a), s32(b)), s32(c)))),
    ROW("v_med3_i32", "u=uuu", "", med3_i(s32(a), s32(b), s32(c))),
    ROW("v_min3_u32", "u=uuu", "", least(least(a, b), c)),
    ROW("v_max3_u32", "u=uuu", "", most(most(a, b), c)),
    ROW("v_med3_u32", "u=uuu", "",
        med3_i(static_cast<int64_t>(a), static_cast<int64_t>(b), static_cast<int64_t>(c))),
    ROW("v_mul_i32_i24", "u=uu", "", static_cast<uint64_t>(s24(a) * s24(b))),
    ROW("v_mul_hi_i32_i24", "u=uu", "", static_cast<uint64_t>((s24(a) * s24(b)) >> 32)),
    ROW("v_mul_u32_u24", "u=uu", "", u24(a) * u24(b)),
    ROW("v_mul_hi_u32_u24", "u=uu", "", (u24(a) * u24(b)) >> 32),
    ROW("v_mad_i32_i24", "u=uuu", "", static_cast<uint64_t>(s24(a) * s24(b)) + c),
    ROW("v_mad_u32_u24", "u=uuu", "", u24(a) * u24(b) + c),
    ROW("v_mul_lo_u32", "u=uu", "", a* b),
    ROW("v_mul_lo_i32", "u=uu", "", a* b),
    ROW("v_mul_hi_u32", "u=uu", "", (a * b) >> 32),
    ROW("v_mul_hi_i32", "u=uu", "", static_cast<uint64_t>((int64_t{s32(a)} * s32(b)) >> 32)),
    ROW("v_sad_u8", "u=uuu", "", sad8(a, b, false) + c),
    ROW("v_sad_hi_u8", "u=uuu", "", (sad8(a, b, false) << 16) + c),
    ROW("v_sad_u16", "u=uuu", "",
        difference(a & 0xffff, b & 0xffff) + difference(a >> 16, b >> 16) + c),
    ROW("v_sad_u32", "u=uuu", "", difference(a, b) + c),
    ROW("v_msad_u8", "u=uuu", "", sad8(a, b, true) + c),
    ROW("v_qsad_u8", "U=UuU", "", quad_sad(a, b, c, false)),
    ROW("v_mqsad_pk_u16_u8", "U=UuU", "", quad_sad(a, b, c, true)),
    ROW("v_lerp_u8", "u=uuu", "", lerp8(a, b, c)),
    ROW("v_cvt_pk_u16_u32", "u=uu", "",
        sat16(static_cast<int64_t>(a), 0, 65535) | sat16(static_cast<int64_t>(b), 0, 65535) << 16),
    ROW("v_cvt_pk_i16_i32", "u=uu", "",
        sat16(s32(a), -32768, 32767) | sat16(s32(b), -32768, 32767) << 16),
    // f32
    ROW("v_add_f32", "f=ff", "", add(fp32(l), a, b)),
    ROW("v_sub_f32", "f=ff", "", add(fp32(l), a, minus(fp32(l), b))),
    ROW("v_subrev_f32", "f=ff", "", add(fp32(l), minus(fp32(l), a), b)),
    ROW("v_mul_f32", "f=ff", "", mul(fp32(l), a, b)),
    ROW("v_mul_legacy_f32", "f=ff", "", mul_legacy(fp32(l), a, b)),
    ROW("v_mac_f32", "f=ff", "", mad(mad32(l), a, b, l.old_dst)),
    ROW("v_mac_legacy_f32", "f=ff", "", mad_legacy(mad32(l), a, b, l.old_dst)),
    ROW("v_madmk_f32", "f=ff", "", mad(mad32(l), a, l.constant, b)),
    ROW("v_madak_f32", "f=ff", "", mad(mad32(l), a, b, l.constant)),
    ROW("v_mad_f32", "f=fff", "", mad(mad32(l), a, b, c)),
    ROW("v_mad_legacy_f32", "f=fff", "", mad_legacy(mad32(l), a, b, c)),
    ROW("v_fma_f32", "f=fff", "", fma(fp32(l), a, b, c)),
    ROW("v_mullit_f32", "f=fff", "", mullit(l, a, b, c)),
    ROW("v_min_f32", "f=ff", "", min_f(kF32, l, a, b)),
    ROW("v_max_f32", "f=ff", "", max_f(kF32, l, a, b)),
    ROW("v_min_legacy_f32", "f=ff", "", legacy_choice(a, b, compare(kF32, a, b) == -1)),
    ROW("v_max_legacy_f32", "f=ff", "",
        legacy_choice(a, b, compare(kF32, a, b) == 0 || compare(kF32, a, b) == 1)),
    ROW("v_min3_f32", "f=fff", "", min3_f(l, a, b, c)),
    ROW("v_max3_f32", "f=fff", "", max3_f(l, a, b, c)),
    ROW("v_med3_f32", "f=fff", "", med3_f(l, a, b, c)),
    ROW("v_fract_f32", "f=f", "", fract(fp32(l), a)),
    ROW("v_trunc_f32", "f=f", "", round_to_int(fp32(l), a, kTowardZero)),
    ROW("v_ceil_f32", "f=f", "", round_to_int(fp32(l), a, kUp)),
    ROW("v_floor_f32", "f=f", "", round_to_int(fp32(l), a, kDown)),
    ROW("v_rndne_f32", "f=f", "", round_to_int(fp32(l), a, kNearestEven)),
    ROW("v_ldexp_f32", "f=fu", "", ldexp(fp32(l), a, b)),
    ROW("v_frexp_exp_i32_f32", "u=f", "", frexp_exp(fp32(l), a)),
    ROW("v_frexp_mant_f32", "f=f", "", frexp_mant(fp32(l), a)),
    ROW("v_cubeid_f32", "f=fff", "", cube(l, 0, a, b, c)),
    ROW("v_cubesc_f32", "f=fff", "", cube(l, 1, a, b, c)),
    ROW("v_cubetc_f32", "f=fff", "", cube(l, 2, a, b, c)),
    ROW("v_cubema_f32", "f=fff", "", cube(l, 3, a, b, c)),
    ROW("v_div_scale_f32", "f=fff", "o", div_scale(fp32(l), l, a, b, c)),
    ROW("v_div_fmas_f32", "f=fff", "v", div_fmas(fp32(l), l, a, b, c)),
    ROW("v_div_fixup_f32", "f=fff", "", div_fixup(fp32(l), a, b, c)),
    // f64
    ROW("v_add_f64", "F=FF", "", add(fp64(l), a, b)),
    ROW("v_mul_f64", "F=FF", "", mul(fp64(l), a, b)),
    ROW("v_fma_f64", "F=FFF", "", fma(fp64(l), a, b, c)),
    ROW("v_min_f64", "F=FF", "", min_f(kF64, l, a, b)),
    ROW("v_max_f64", "F=FF", "", max_f(kF64, l, a, b)),
    ROW("v_ldexp_f64", "F=Fu", "", ldexp(fp64(l), a, b)),
    ROW("v_fract_f64", "F=F", "", fract(fp64(l), a)),
    ROW("v_frexp_exp_i32_f64", "u=F", "", frexp_exp(fp64(l), a)),
    ROW("v_frexp_mant_f64", "F=F", "", frexp_mant(fp64(l), a)),
    ROW("v_div_scale_f64", "F=FFF", "o", div_scale(fp64(l), l, a, b, c)),
    ROW("v_div_fmas_f64", "F=FFF", "v", div_fmas(fp64(l), l, a, b, c)),
    ROW("v_div_fixup_f64", "F=FFF", "", div_fixup(fp64(l), a, b, c)),
    ROW("v_trig_preop_f64", "F=Fu", "", trig_preop(a, b)),
    // conversions
    ROW("v_cvt_i32_f32", "u=f", "", to_i32(kF32, a, kTowardZero)),
    ROW("v_cvt_u32_f32", "u=f", "", to_u32(kF32, a)),
    ROW("v_cvt_i32_f64", "u=F", "", to_i32(kF64, a, kTowardZero)),
    ROW("v_cvt_u32_f64", "u=F", "", to_u32(kF64, a)),
    ROW("v_cvt_rpi_i32_f32", "u=f", "", flr_i32(l, a, true)),
    ROW("v_cvt_flr_i32_f32", "u=f", "", flr_i32(l, a, false)),
    ROW("v_cvt_f32_i32", "f=u", "", pack(kF32, from_integer(s32(a)), l.mode.fp_round_32, false)),
    ROW("v_cvt_f32_u32", "f=u", "",
        pack(kF32, from_integer(static_cast<int64_t>(a)), l.mode.fp_round_32, false)),
    ROW("v_cvt_f64_i32", "F=u", "", pack(kF64, from_integer(s32(a)), kNearestEven, false)),
    ROW("v_cvt_f64_u32", "F=u", "",
        pack(kF64, from_integer(static_cast<int64_t>(a)), kNearestEven, false)),
    ROW("v_cvt_f32_ubyte0", "f=u", "", pack(kF32, from_integer(byte(a, 0)), 0, false)),
    ROW("v_cvt_f32_ubyte1", "f=u", "", pack(kF32, from_integer(byte(a, 1)), 0, false)),
    ROW("v_cvt_f32_ubyte2", "f=u", "", pack(kF32, from_integer(byte(a, 2)), 0, false)),
    ROW("v_cvt_f32_ubyte3", "f=u", "", pack(kF32, from_integer(byte(a, 3)), 0, false)),
    ROW("v_cvt_off_f32_i4", "f=u", "",
        pack(kF32, scaled(from_integer(static_cast<int64_t>((a & 15) ^ 8) - 8), -4), 0, false)),
    ROW("v_cvt_f16_f32", "h=f", "", f16_of(l, a, l.mode.fp_round_32)),
    ROW("v_cvt_f32_f16", "f=h", "", convert(kF16, kF32, a, kNearestEven, false)),
    ROW("v_cvt_f32_f64", "f=F", "",
        convert(kF64, kF32, flush(kF64, a, fp64(l).in), l.mode.fp_round_32, !fp32(l).out)),
    ROW("v_cvt_f64_f32", "F=f", "",
        convert(kF32, kF64, flush(kF32, a, fp32(l).in), kNearestEven, false)),
    ROW("v_cvt_pkaccum_u8_f32", "u=fu", "", put_u8(l.old_dst, b, u8_of(l, a))),
    ROW("v_cvt_pk_u8_f32", "u=fuu", "", put_u8(c, b, u8_of(l, a))),
    ROW("v_cvt_pknorm_i16_f32", "u=ff", "",
        norm(l, a, 32767, -32767) | norm(l, b, 32767, -32767) << 16),
    ROW("v_cvt_pknorm_u16_f32", "u=ff", "", norm(l, a, 65535, 0) | norm(l, b, 65535, 0) << 16),
    ROW("v_cvt_pkrtz_f16_f32", "u=ff", "",
        f16_of(l, a, kTowardZero) | f16_of(l, b, kTowardZero) << 16),
    // classes
    ROW("v_cmp_class_f32", "m=fu", "o", ((l.mask_out = (b >> class_bit(kF32, a) & 1) != 0), 0)),
    ROW("v_cmp_class_f64", "m=Fu", "o", ((l.mask_out = (b >> class_bit(kF64, a) & 1) != 0), 0)),
};
#undef ROW

// ---- compares --------------------------------------------------------------------------------

struct Condition {
    const char* name;
    unsigned set;  // bit 0 less, 1 equal, 2 greater, 3 unordered
};
const Condition kFloatConditions[16] = {
    {"f", 0},    {"lt", 1},   {"eq", 2},   {"le", 3},   {"gt", 4},   {"lg", 5},
    {"ge", 6},   {"o", 7},    {"u", 8},    {"nge", 9},  {"nlg", 10}, {"ngt", 11},
    {"nle", 12}, {"neq", 13}, {"nlt", 14}, {"tru", 15},
};
const Condition kIntegerConditions[8] = {
    {"f", 0}, {"lt", 1}, {"eq", 2}, {"le", 3}, {"gt", 4}, {"ne", 5}, {"ge", 6}, {"t", 7},
};

template <class T>
uint64_t relation(uint64_t a, uint64_t b) {
    const T x = static_cast<T>(a), y = static_cast<T>(b);
    return x < y ? 1 : x == y ? 2 : 4;
}
uint64_t relation_f(Fp p, uint64_t a, uint64_t b) {
    switch (compare(p.f, flush(p.f, a, p.in), flush(p.f, b, p.in))) {
        case -1:
            return 1;
        case 0:
            return 2;
        case 1:
            return 4;
        default:
            return 8;
    }
}

std::vector<ValuOp> build() {
    std::vector<ValuOp> ops = kTable;
    const auto add_compare = [&](const std::string& prefix, const Condition& c, const char* type,
                                 const char* types, auto fn) {
        ValuOp op;
        op.name = prefix + c.name + "_" + type;
        op.types = types;
        op.mask = "o";
        op.compare = c.set | 0x10;
        op.fn = fn;
        op.writes_exec = prefix.find('x') != std::string::npos;
        ops.push_back(op);
    };
    for (const char* prefix : {"v_cmp_", "v_cmpx_", "v_cmps_", "v_cmpsx_"}) {
        for (const Condition& c : kFloatConditions) {
            add_compare(prefix, c, "f32", "m=ff", [](Lane& l, uint64_t a, uint64_t b, uint64_t) {
                return relation_f(fp32(l), a, b);
            });
            add_compare(prefix, c, "f64", "m=FF", [](Lane& l, uint64_t a, uint64_t b, uint64_t) {
                return relation_f(fp64(l), a, b);
            });
        }
    }
    for (const char* prefix : {"v_cmp_", "v_cmpx_"}) {
        for (const Condition& c : kIntegerConditions) {
            add_compare(prefix, c, "i32", "m=uu", [](Lane&, uint64_t a, uint64_t b, uint64_t) {
                return relation<int32_t>(a, b);
            });
            add_compare(prefix, c, "u32", "m=uu", [](Lane&, uint64_t a, uint64_t b, uint64_t) {
                return relation<uint32_t>(a, b);
            });
            add_compare(prefix, c, "i64", "m=II", [](Lane&, uint64_t a, uint64_t b, uint64_t) {
                return relation<int64_t>(a, b);
            });
            add_compare(prefix, c, "u64", "m=UU", [](Lane&, uint64_t a, uint64_t b, uint64_t) {
                return relation<uint64_t>(a, b);
            });
        }
    }
    const size_t classes = kTable.size();
    for (size_t n = classes - 2; n < classes; ++n) {
        ValuOp op = kTable[n];
        op.name.insert(5, "x");
        op.writes_exec = true;
        ops.push_back(op);
    }
    return ops;
}

// omod: only with output denormals flushed and IEEE off; a zero result is +0.
uint64_t apply_omod(Fp p, const Lane& l, uint64_t x, unsigned omod) {
    if (omod == 0 || p.out || l.mode.ieee) {
        return x;
    }
    if (is_nan(p.f, x)) {
        return quiet(p.f, x);
    }
    x = flush(p.f, x, p.in);  // choice: as v_mul by 2, 4 or 0.5 would do it
    const int by = omod == 3 ? -1 : static_cast<int>(omod);
    const uint64_t r = pack(p.f, scaled(unpack(p.f, x), by), p.rounding, true);
    return is_zero(p.f, r) ? 0 : r;
}
uint64_t apply_clamp(Fmt f, const Lane& l, uint64_t x) {
    if (is_nan(f, x)) {
        return l.mode.dx10_clamp ? 0 : x;
    }
    if (is_negative(f, x)) {
        return 0;
    }
    return compare(f, x, f.one()) > 0 ? f.one() : x;
}

}  // namespace

const std::vector<ValuOp>& valu_ops() {
    static const std::vector<ValuOp> ops = build();
    return ops;
}

uint64_t evaluate(const ValuOp& op, Lane& l, const uint64_t (&src)[3], unsigned omod, bool clamp) {
    const uint64_t r = op.fn(l, src[0], src[1], src[2]);
    switch (op.dst()) {
        case 'm':
            if (op.compare != 0) {
                l.mask_out = (op.compare & r & 0xf) != 0;
            }
            return 0;
        case 'f':
        case 'a': {
            const uint64_t x = apply_omod(fp32(l), l, r & 0xffffffff, omod);
            return clamp ? apply_clamp(kF32, l, x) : x;
        }
        case 'F':
        case 'A': {
            const uint64_t x = apply_omod(fp64(l), l, r, omod);
            return clamp ? apply_clamp(kF64, l, x) : x;
        }
        case 'h':
            return clamp ? apply_clamp(kF16, l, r & 0xffff) : r & 0xffff;
        case 'U':
            return r;
        default:
            return r & 0xffffffff;
    }
}

}  // namespace archipelago::isa::reference
