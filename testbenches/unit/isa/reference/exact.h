// SPDX-License-Identifier: Apache-2.0
// Floating point on integers: every operation is computed exactly (or with a sticky lowest bit) and
// rounded once. Slow and plain on purpose; shares nothing with the implementation it judges.
#pragma once

#include <cstdint>

namespace archipelago::isa::reference {

__extension__ using U128 = unsigned __int128;

// An IEEE binary format: value = 1.m * 2^e, e in [min_exp, bias].
struct Fmt {
    int exp_bits, mant_bits;
    int bias() const { return (1 << (exp_bits - 1)) - 1; }
    int min_exp() const { return 1 - bias(); }
    uint64_t sign() const { return uint64_t{1} << (exp_bits + mant_bits); }
    uint64_t inf() const { return ((uint64_t{1} << exp_bits) - 1) << mant_bits; }
    uint64_t max_finite() const { return inf() - 1; }
    uint64_t quiet_bit() const { return uint64_t{1} << (mant_bits - 1); }
    // what an invalid operation gives
    uint64_t default_nan() const { return sign() | inf() | quiet_bit(); }
    uint64_t one() const { return static_cast<uint64_t>(bias()) << mant_bits; }
};
constexpr Fmt kF16{5, 10}, kF32{8, 23}, kF64{11, 52};

// Rounding as in the MODE register.
enum Rounding : unsigned { kNearestEven, kUp, kDown, kTowardZero };

inline bool is_nan(Fmt f, uint64_t x) {
    return (x & ~f.sign()) > f.inf();
}
inline bool is_signaling(Fmt f, uint64_t x) {
    return is_nan(f, x) && (x & f.quiet_bit()) == 0;
}
inline bool is_inf(Fmt f, uint64_t x) {
    return (x & ~f.sign()) == f.inf();
}
inline bool is_zero(Fmt f, uint64_t x) {
    return (x & ~f.sign()) == 0;
}
inline bool is_denormal(Fmt f, uint64_t x) {
    return !is_zero(f, x) && (x & f.inf()) == 0;
}
inline bool is_negative(Fmt f, uint64_t x) {
    return (x & f.sign()) != 0;
}
inline int exponent_field(Fmt f, uint64_t x) {
    return static_cast<int>((x & f.inf()) >> f.mant_bits);
}
inline uint64_t flush(Fmt f, uint64_t x, bool keep) {
    return is_denormal(f, x) && !keep ? x & f.sign() : x;
}

// (-1)^negative * sig * 2^exp; infinite and zero are what they say.
struct Real {
    bool negative = false;
    bool infinite = false;
    U128 sig = 0;
    int exp = 0;
    bool zero() const { return !infinite && sig == 0; }
};

inline int top_bit(U128 x) {  // -1 for 0
    const uint64_t high = static_cast<uint64_t>(x >> 64), low = static_cast<uint64_t>(x);
    return high != 0 ? 127 - __builtin_clzll(high) : low != 0 ? 63 - __builtin_clzll(low) : -1;
}

inline Real unpack(Fmt f, uint64_t x) {  // not for NaN
    Real r;
    r.negative = is_negative(f, x);
    const int field = exponent_field(f, x);
    const uint64_t mant = x & ((uint64_t{1} << f.mant_bits) - 1);
    if (is_inf(f, x)) {
        r.infinite = true;
    } else if (field == 0) {
        r.sig = mant;
        r.exp = f.min_exp() - f.mant_bits;
    } else {
        r.sig = mant | uint64_t{1} << f.mant_bits;
        r.exp = field - f.bias() - f.mant_bits;
    }
    return r;
}

// |x| as a multiple of 2^lsb, rounded.
inline U128 round_magnitude(const Real& x, int lsb, unsigned rounding) {
    const int drop = lsb - x.exp;
    if (drop <= 0) {
        return x.sig << -drop;  // callers never ask for more than 128 bits here
    }
    U128 kept = 0;
    bool half = false, rest = false;
    if (drop > 127) {
        rest = x.sig != 0;
    } else {
        kept = x.sig >> drop;
        half = (x.sig >> (drop - 1) & 1) != 0;
        rest = (x.sig & ((U128{1} << (drop - 1)) - 1)) != 0;
    }
    bool up = false;
    switch (rounding) {
        case kNearestEven:
            up = half && (rest || (kept & 1) != 0);
            break;
        case kUp:
            up = !x.negative && (half || rest);
            break;
        case kDown:
            up = x.negative && (half || rest);
            break;
        default:
            break;
    }
    return kept + (up ? 1 : 0);
}

// Rounds to the format. With `flush_tiny`, a result that is below the smallest normal after
// rounding to the format's precision with an unbounded exponent becomes a zero of its sign.
inline uint64_t pack(Fmt f, const Real& x, unsigned rounding, bool flush_tiny) {
    const uint64_t sign = x.negative ? f.sign() : 0;
    if (x.infinite) {
        return sign | f.inf();
    }
    if (x.sig == 0) {
        return sign;
    }
    int e = x.exp + top_bit(x.sig);
    U128 m = round_magnitude(x, e - f.mant_bits, rounding);
    if (m >> (f.mant_bits + 1) != 0) {
        m >>= 1;
        ++e;
    }
    if (e < f.min_exp()) {
        if (flush_tiny) {
            return sign;
        }
        // a carry out of the mantissa gives the smallest normal by itself
        return sign |
               static_cast<uint64_t>(round_magnitude(x, f.min_exp() - f.mant_bits, rounding));
    }
    if (e > f.bias()) {
        const bool to_inf = rounding == kNearestEven || (rounding == kUp && !x.negative) ||
                            (rounding == kDown && x.negative);
        return sign | (to_inf ? f.inf() : f.max_finite());
    }
    const uint64_t mant = static_cast<uint64_t>(m) & ((uint64_t{1} << f.mant_bits) - 1);
    return sign | static_cast<uint64_t>(e + f.bias()) << f.mant_bits | mant;
}

inline Real multiply(const Real& a, const Real& b) {  // not 0 * inf
    Real r;
    r.negative = a.negative != b.negative;
    r.infinite = a.infinite || b.infinite;
    if (!r.infinite) {
        r.sig = a.sig * b.sig;  // at most 53 + 53 bits
        r.exp = a.exp + b.exp;
    }
    return r;
}

// Exact but for a sticky lowest bit far below any rounding position. Not inf - inf.
inline Real sum(Real a, Real b, unsigned rounding) {
    if (a.infinite || b.infinite) {
        return a.infinite ? a : b;
    }
    if (a.zero() && b.zero()) {
        a.negative = a.negative == b.negative ? a.negative : rounding == kDown;
        return a;
    }
    if (a.zero() || b.zero()) {
        return a.zero() ? b : a;
    }
    // leading bits to bit 124: at least 18 zeros below a 106-bit product
    for (Real* x : {&a, &b}) {
        const int up = 124 - top_bit(x->sig);
        x->sig <<= up;
        x->exp -= up;
    }
    if (a.exp < b.exp || (a.exp == b.exp && a.sig < b.sig)) {
        const Real t = a;
        a = b;
        b = t;
    }
    const int down = a.exp - b.exp;
    bool lost = false;
    if (down > 124) {
        lost = true;
        b.sig = 0;
    } else {
        lost = (b.sig & ((U128{1} << down) - 1)) != 0;
        b.sig >>= down;
    }
    Real r = a;
    if (a.negative == b.negative) {
        r.sig = a.sig + b.sig;
        r.sig |= lost ? 1 : 0;
    } else {
        r.sig = a.sig - b.sig;
        if (lost) {  // the true value lies just below: one less, with a sticky bit
            r.sig -= 1;
            r.sig |= 1;
        }
        if (r.sig == 0) {
            r.negative = rounding == kDown;
        }
    }
    return r;
}

// x * 2^n without rounding.
inline Real scaled(Real x, int n) {
    x.exp += n;
    return x;
}

// Integral value of x; `rounding` as usual. The sign stays, also of a zero result.
inline uint64_t to_integral(Fmt f, uint64_t x, unsigned rounding) {
    if (is_inf(f, x) || is_zero(f, x)) {
        return x;
    }
    Real r = unpack(f, x);
    if (r.exp >= 0) {
        return x;
    }
    r.sig = round_magnitude(r, 0, rounding);
    r.exp = 0;
    return pack(f, r, kNearestEven, false);
}

// Saturating conversion to an integer of [low, high]; NaN gives 0.
inline int64_t to_integer(Fmt f, uint64_t x, unsigned rounding, int64_t low, int64_t high) {
    if (is_nan(f, x)) {
        return 0;
    }
    const Real r = unpack(f, x);
    const bool huge = r.infinite || (r.sig != 0 && r.exp + top_bit(r.sig) >= 62);
    if (huge) {
        return r.negative ? low : high;
    }
    int64_t n = static_cast<int64_t>(round_magnitude(r, 0, rounding));
    n = r.negative ? -n : n;
    return n < low ? low : n > high ? high : n;
}

inline Real from_integer(int64_t n) {
    Real r;
    r.negative = n < 0;
    r.sig = n < 0 ? static_cast<uint64_t>(-n) : static_cast<uint64_t>(n);
    return r;
}

// -1 less, 0 equal, 1 greater, 2 unordered.
inline int compare(Fmt f, uint64_t a, uint64_t b) {
    if (is_nan(f, a) || is_nan(f, b)) {
        return 2;
    }
    if (is_zero(f, a) && is_zero(f, b)) {
        return 0;
    }
    const auto key = [&](uint64_t x) {
        const int64_t magnitude = static_cast<int64_t>(x & ~f.sign());
        return is_negative(f, x) ? -magnitude : magnitude;
    };
    return key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0;
}

}  // namespace archipelago::isa::reference
