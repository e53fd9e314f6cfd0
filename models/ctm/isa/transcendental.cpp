// SPDX-License-Identifier: Apache-2.0
#include "models/ctm/isa/transcendental.h"

#include <array>

#include "models/ctm/isa/transcendental_tables.h"

namespace archipelago::ctm::isa {
namespace {

constexpr uint32_t kNan = 0x7fffffff, kInfinity = 0x7f800000, kSign = 0x80000000;

// A finite number that is not 0: (-1)^negative * mantissa * 2^(exponent - 23), with
// 2^23 <= mantissa < 2^24.
struct Number {
    bool negative;
    uint32_t mantissa;
    int exponent;
};

Number unpack(uint32_t bits) {
    return {(bits & kSign) != 0, (bits & 0x7fffff) | 0x800000,
            static_cast<int>(bits >> 23 & 0xff) - 127};
}

// magnitude * 2^exponent, rounded to nearest even; 0 is positive. Below the normal numbers it is
// zero of the sign, above them infinity.
uint32_t pack(bool negative, uint64_t magnitude, int exponent) {
    if (magnitude == 0) {
        return 0;
    }
    const uint32_t sign = negative ? kSign : 0;
    const int excess = 40 - __builtin_clzll(magnitude);  // bits above 24
    if (excess > 0) {
        const uint64_t half = uint64_t{1} << (excess - 1);
        const uint64_t odd = magnitude >> excess & 1;
        magnitude = (magnitude + half - 1 + odd) >> excess;
    } else {
        magnitude <<= -excess;
    }
    exponent += excess;
    if (magnitude == 0x1000000) {  // rounded up to the next power of two
        magnitude >>= 1;
        ++exponent;
    }
    const int biased = exponent + 23 + 127;
    if (biased >= 255) {
        return sign | kInfinity;
    }
    return biased <= 0 ? sign
                       : sign | static_cast<uint32_t>(biased) << 23 |
                             (static_cast<uint32_t>(magnitude) & 0x7fffff);
}

// A segment at `d` of 2^kStepBits of its width; in units of 2^-kValueBits.
int64_t interpolate(const tables::Segment& s, int64_t d) {
    const int64_t square = (d * d) >> tables::kStepBits;
    const int64_t half = int64_t{1} << (tables::kStepBits - 1);
    return s.c0 + ((s.c1 * d + s.c2 * square + half) >> tables::kStepBits);
}

uint32_t reciprocal(Number x) {
    // 256 segments of 1 <= m < 2.
    const uint32_t fraction = x.mantissa & 0x7fffff;
    const int64_t r = interpolate(tables::kReciprocal[fraction >> 15],
                                  int64_t{fraction & 0x7fff} << (tables::kStepBits - 15));
    return pack(x.negative, static_cast<uint64_t>(r), -x.exponent - tables::kValueBits);
}

uint32_t reciprocal_root(Number x) {
    if (x.negative) {
        return kNan;
    }
    // 128 segments of 1 <= m < 2, then 128 of 2 <= m < 4.
    const uint32_t odd = static_cast<uint32_t>(x.exponent) & 1;
    const uint32_t fraction = x.mantissa & 0x7fffff;
    const int64_t r = interpolate(tables::kReciprocalRoot[odd << 7 | fraction >> 16],
                                  int64_t{fraction & 0xffff} << (tables::kStepBits - 16));
    const int halved = (x.exponent - static_cast<int>(odd)) / 2;
    return pack(false, static_cast<uint64_t>(r), -halved - tables::kValueBits);
}

// |x| * 2^bits, the half rounded up. Exact multiples of 2^40 are 0: callers keep fewer bits.
uint64_t fixed(Number x, int bits) {
    const int shift = x.exponent - 23 + bits;
    if (shift >= 40 || shift < -24) {
        return 0;
    }
    return shift >= 0 ? uint64_t{x.mantissa} << shift
                      : (x.mantissa + (uint64_t{1} << (-shift - 1))) >> -shift;
}

constexpr int kExponentialBits = 26;  // of the fraction

uint32_t exponential(Number x) {
    if (x.exponent >= 8) {
        return x.negative ? 0 : kInfinity;
    }
    const auto magnitude = static_cast<int64_t>(fixed(x, kExponentialBits));
    const int64_t value = x.negative ? -magnitude : magnitude;
    const int64_t whole = value >> kExponentialBits;
    const auto fraction = static_cast<uint32_t>(value & ((1 << kExponentialBits) - 1));
    // 128 segments of 0 <= fraction < 1.
    const int64_t r = interpolate(tables::kExponential[fraction >> tables::kStepBits],
                                  fraction & ((1u << tables::kStepBits) - 1));
    return pack(false, static_cast<uint64_t>(r), static_cast<int>(whole) - tables::kValueBits);
}

uint32_t logarithm(Number x) {
    if (x.negative) {
        return kNan;
    }
    // x = 2^e * (1 + t), -1/4 <= t < 1/2, t in units of 2^-24; log2(x) = e + t * g(t).
    const bool upper = x.mantissa >= 0xc00000;
    const int64_t e = upper ? x.exponent + 1 : x.exponent;
    const int64_t t = (upper ? int64_t{x.mantissa} : 2 * int64_t{x.mantissa}) - (1 << 24);
    // 96 segments of 2^17 units each.
    const auto place = static_cast<uint32_t>(t + (1 << 22));
    const int64_t g = interpolate(tables::kLogarithm[place >> 17],
                                  int64_t{place & 0x1ffff} << (tables::kStepBits - 17));
    constexpr int kBits = 24 + tables::kValueBits;
    const int64_t sum = e * (int64_t{1} << kBits) + t * g;
    return pack(sum < 0, static_cast<uint64_t>(sum < 0 ? -sum : sum), -kBits);
}

constexpr int kTurnBits = 28;

// A turn is 2^28; a quadrant has 128 segments.
uint32_t sine(Number x, bool cosine) {
    constexpr uint32_t kQuadrant = 1u << (kTurnBits - 2);
    const auto turn = static_cast<uint32_t>(fixed(x, kTurnBits)) + (cosine ? kQuadrant : 0);
    const uint32_t quadrant = turn >> (kTurnBits - 2) & 3;
    uint32_t place = turn & (kQuadrant - 1);
    if ((quadrant & 1) != 0) {
        place = kQuadrant - place;
    }
    const int64_t r = place == kQuadrant ? int64_t{1} << tables::kValueBits
                                         : interpolate(tables::kSine[place >> tables::kStepBits],
                                                       place & ((1u << tables::kStepBits) - 1));
    const bool negative = (quadrant >= 2) != (x.negative && !cosine);
    return pack(negative, static_cast<uint64_t>(r), -tables::kValueBits);
}

uint32_t of_zero(AlphaOp operation, uint32_t sign) {
    switch (operation) {
        case AlphaOp::Ex2:
        case AlphaOp::Cos:
            return 0x3f800000;
        case AlphaOp::Ln2:
            return kSign | kInfinity;
        case AlphaOp::Sin:
            return 0;
        default:
            return sign | kInfinity;
    }
}

uint32_t of_infinity(AlphaOp operation, uint32_t sign) {
    switch (operation) {
        case AlphaOp::Ex2:
            return sign != 0 ? 0 : kInfinity;
        case AlphaOp::Ln2:
            return sign != 0 ? kNan : kInfinity;
        case AlphaOp::Rcp:
            return sign;
        case AlphaOp::Rsq:
            return sign != 0 ? kNan : 0;
        default:
            return kNan;
    }
}

}  // namespace

uint32_t transcendental(AlphaOp operation, uint32_t bits) {
    const uint32_t sign = bits & kSign, exponent = bits & kInfinity;
    if (exponent == 0) {
        return of_zero(operation, sign);
    }
    if (exponent == kInfinity) {
        return (bits & 0x7fffff) != 0 ? kNan : of_infinity(operation, sign);
    }
    const Number x = unpack(bits);
    switch (operation) {
        case AlphaOp::Ex2:
            return exponential(x);
        case AlphaOp::Ln2:
            return logarithm(x);
        case AlphaOp::Rcp:
            return reciprocal(x);
        case AlphaOp::Rsq:
            return reciprocal_root(x);
        case AlphaOp::Sin:
            return sine(x, false);
        default:
            return sine(x, true);
    }
}

}  // namespace archipelago::ctm::isa
