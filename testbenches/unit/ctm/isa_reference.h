// SPDX-License-Identifier: Apache-2.0
// ALU and OUT instructions once more, slow and straight from the words: a lane and a channel at a
// time, arithmetic on integers. Knows neither the decoder nor the table of fields.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "models/ctm/isa/transcendental.h"

namespace archipelago::ctm::isa::test {

// ---- binary32 on integers: nearest even, denormals are zero, one NaN

namespace soft {

constexpr uint32_t kQuiet = 0x7fffffff;

inline bool nan(uint32_t x) {
    return (x & 0x7fffffff) > 0x7f800000;
}
inline bool infinite(uint32_t x) {
    return (x & 0x7fffffff) == 0x7f800000;
}
inline bool zero(uint32_t x) {
    return (x & 0x7f800000) == 0;
}

// value * 2^power, where the last bit may stand for a remainder below it.
inline uint32_t rounded(bool negative, uint64_t value, int power) {
    const uint32_t sign = negative ? 0x80000000 : 0;
    if (value == 0) {
        return sign;
    }
    bool below = false, half = false;
    while (value >= 1u << 24) {
        below = below || half;
        half = (value & 1) != 0;
        value >>= 1;
        ++power;
    }
    while (value < 1u << 23) {
        value <<= 1;
        --power;
    }
    if (half && (below || (value & 1) != 0)) {
        ++value;
    }
    if (value == 1u << 24) {
        value >>= 1;
        ++power;
    }
    const int exponent = power + 150;
    if (exponent < 1) {
        return sign;
    }
    return exponent > 254 ? sign | 0x7f800000
                          : sign | (uint32_t(exponent) << 23) | (uint32_t(value) & 0x7fffff);
}
inline int64_t mantissa(uint32_t x) {
    return zero(x) ? 0 : int64_t((x & 0x7fffff) | 0x800000);
}
inline int power(uint32_t x) {
    return int(x >> 23 & 255) - 150;
}

inline uint32_t multiply(uint32_t a, uint32_t b) {
    const bool negative = ((a ^ b) >> 31) != 0;
    if (nan(a) || nan(b) || (infinite(a) && zero(b)) || (infinite(b) && zero(a))) {
        return kQuiet;
    }
    if (infinite(a) || infinite(b)) {
        return (negative ? 0x80000000 : 0) | 0x7f800000;
    }
    return rounded(negative, static_cast<uint64_t>(mantissa(a) * mantissa(b)), power(a) + power(b));
}

inline uint32_t add(uint32_t a, uint32_t b) {
    if (nan(a) || nan(b) || (infinite(a) && infinite(b) && a != b)) {
        return kQuiet;
    }
    if (infinite(a) || infinite(b)) {
        return infinite(a) ? a : b;
    }
    if (zero(a) && zero(b)) {
        return (a & b) & 0x80000000;
    }
    if (zero(a) || zero(b)) {
        return zero(a) ? b : a;
    }
    if (power(a) < power(b)) {
        std::swap(a, b);
    }
    constexpr int kGuard = 36;
    const int apart = power(a) - power(b);
    int64_t big = mantissa(a) << kGuard;
    const int64_t wide = mantissa(b) << kGuard;
    int64_t small = apart > 60 ? 1 : wide >> apart;
    if (apart <= 60 && (small << apart) != wide) {
        small |= 1;
    }
    big = (a >> 31) != 0 ? -big : big;
    const int64_t sum = big + ((b >> 31) != 0 ? -small : small);
    return sum == 0
               ? 0
               : rounded(sum < 0, static_cast<uint64_t>(sum < 0 ? -sum : sum), power(a) - kGuard);
}

// -1, 0, 1; 2 when there is no order.
inline int order(uint32_t a, uint32_t b) {
    if (nan(a) || nan(b)) {
        return 2;
    }
    const auto key = [](uint32_t x) {
        const auto magnitude = int64_t(zero(x) ? 0 : x & 0x7fffffff);
        return (x >> 31) != 0 ? -magnitude : magnitude;
    };
    return key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0;
}

inline uint32_t fraction(uint32_t x) {
    if (nan(x) || infinite(x)) {
        return kQuiet;
    }
    if (zero(x)) {
        return 0;
    }
    float value;
    std::memcpy(&value, &x, 4);
    const float whole = std::floor(value);
    uint32_t bits;
    std::memcpy(&bits, &whole, 4);
    return add(x, bits ^ 0x80000000);
}

}  // namespace soft

// ---- a quad and an instruction

struct QuadState {
    using Channels = std::array<uint32_t, 4>;
    std::array<std::array<Channels, 128>, 4> reg{};  // lane, register, channel
    std::array<std::array<bool, 4>, 4> predicate{};  // lane, channel
    std::array<bool, 4> alu_result{}, active{};
    std::array<uint32_t, 4> conditional{};
    std::array<std::array<Channels, 4>, 4> output{};              // lane, target
    std::array<std::array<std::array<bool, 4>, 4>, 4> written{};  // lane, target, channel
    int al = 0;
};

class ReferenceMath {
  public:
    ReferenceMath(const std::array<uint32_t, 6>& w, const std::array<QuadState::Channels, 256>& k)
        : w_(w), constants_(k) {}
    void run(QuadState& q) const;

  private:
    uint32_t cut(int word, int high, int low) const {
        return uint32_t(uint64_t{w_[word]} >> low) & uint32_t((uint64_t{2} << (high - low)) - 1);
    }
    // Source `n` (3: presubtracted) of a lane, channel by channel.
    uint32_t source(const QuadState& q, int lane, int n, int channel) const {
        const int word = channel == 3 ? 2 : 1;
        if (n == 3) {
            const uint32_t s0 = source(q, lane, 0, channel), minus = s0 ^ 0x80000000;
            const uint32_t one = 0x3f800000;
            switch (cut(word, 31, 30)) {
                case 0:
                    return soft::add(one, soft::multiply(minus, 0x40000000));
                case 1:
                    return soft::add(source(q, lane, 1, channel), minus);
                case 2:
                    return soft::add(source(q, lane, 1, channel), s0);
                default:
                    return soft::add(one, minus);
            }
        }
        const int at = 10 * n;
        const int address = int(cut(word, at + 7, at));
        const int moved = address + (cut(word, at + 9, at + 9) != 0 ? q.al : 0);
        if (cut(word, at + 8, at + 8) != 0) {
            return constants_[moved][channel];
        }
        if (address < 128) {
            return q.reg[lane][moved][channel];
        }
        const int e = address >> 3 & 15, m = address & 7;
        const float value = e == 0 ? std::ldexp(float(m), -9) : std::ldexp(float(8 + m), e - 10);
        uint32_t bits;
        std::memcpy(&bits, &value, 4);
        return bits;
    }
    static uint32_t modified(uint32_t x, uint32_t modifier) {
        x = (modifier & 2) != 0 ? x & 0x7fffffff : x;
        return (modifier & 1) != 0 ? x ^ 0x80000000 : x;
    }
    struct Place {
        int word, select, swizzle, modifier;
    };
    // Operand 0 to 2 of a channel.
    static Place place(int operand, int channel) {
        if (channel == 3) {
            constexpr Place kAlpha[] = {{4, 12, 14, 17}, {4, 19, 21, 24}, {5, 25, 27, 30}};
            return kAlpha[operand];
        }
        constexpr Place kRgb[] = {{3, 0, 2, 11}, {3, 13, 15, 24}, {5, 12, 14, 23}};
        Place p = kRgb[operand];
        p.swizzle += 3 * channel;
        return p;
    }
    uint32_t operand(const QuadState& q, int lane, int which, int channel) const {
        const Place p = place(which, channel);
        const int swizzle = int(cut(p.word, p.swizzle + 2, p.swizzle));
        constexpr uint32_t kNumbers[] = {0, 0x3f000000, 0x3f800000};
        const int n = int(cut(p.word, p.select + 1, p.select));
        return modified(swizzle < 4 ? source(q, lane, n, swizzle) : kNumbers[swizzle - 4],
                        cut(p.word, p.modifier + 1, p.modifier));
    }
    uint32_t corner(const QuadState& q, int lane, int which, int channel) const {
        const Place p = place(which, channel);
        return modified(source(q, lane, 0, channel), cut(p.word, p.modifier + 1, p.modifier));
    }
    uint32_t dot(const QuadState& q, int lane) const {
        const auto product = [&](int c) {
            return soft::multiply(operand(q, lane, 0, c), operand(q, lane, 1, c));
        };
        const uint32_t two = soft::add(product(0), product(1));
        if (cut(5, 3, 0) == 3) {
            return soft::add(two, operand(q, lane, 2, 2));
        }
        const uint32_t three = soft::add(two, product(2));
        return cut(5, 3, 0) == 2 ? soft::add(three, product(3)) : three;
    }
    uint32_t raw(const QuadState& q, int lane, int channel) const;
    uint32_t result(const QuadState& q, int lane, int channel) const;
    bool enabled(const QuadState& q, int lane, int channel) const;
    static bool holds(uint32_t x, uint32_t comparison) {
        const int o = soft::order(x, 0);
        switch (comparison) {
            case 0:
                return o == 0;
            case 1:
                return o == -1;
            case 2:
                return o == 0 || o == 1;
            default:
                return o != 0;
        }
    }

    const std::array<uint32_t, 6>& w_;
    const std::array<QuadState::Channels, 256>& constants_;
};

inline uint32_t ReferenceMath::raw(const QuadState& q, int lane, int channel) const {
    const auto alpha_op = cut(4, 3, 0), rgb_op = cut(5, 3, 0);
    const auto in = [&](int which) { return operand(q, lane, which, channel); };
    const auto special = [&] {
        return transcendental(static_cast<AlphaOp>(alpha_op), operand(q, lane, 0, 3));
    };
    const auto quad = [&](int other) {
        return soft::add(soft::multiply(corner(q, 0, 0, channel), in(1)),
                         corner(q, other, 2, channel));
    };
    // Both units' numbers as RGB has them.
    constexpr int kOfAlpha[] = {0, 1, 4, 5, -1, 7, 8, 9, 10, 10, 10, 10, 10, 10, 11, 12};
    switch (channel == 3 ? kOfAlpha[alpha_op] : int(rgb_op)) {
        case 0:
            return soft::add(soft::multiply(in(0), in(1)), in(2));
        case 1:
        case 2:
        case 3:
            return dot(q, lane);
        case 4:
            return soft::order(in(0), in(1)) == -1 ? in(0) : in(1);
        case 5: {
            const int o = soft::order(in(0), in(1));
            const bool zeros = soft::zero(in(0)) && soft::zero(in(1));
            return (o == 0 || o == 1) && !zeros ? in(0) : in(1);
        }
        case 7:
            return soft::order(in(2), 0x3f000000) == 1 ? in(0) : in(1);
        case 8:
            return soft::order(in(2), 0) == 0 || soft::order(in(2), 0) == 1 ? in(0) : in(1);
        case 9:
            return soft::fraction(in(0));
        case 10:
            return special();
        case 11:
            return quad(1);
        default:
            return quad(2);
    }
}

inline uint32_t ReferenceMath::result(const QuadState& q, int lane, int channel) const {
    const uint32_t x = raw(q, lane, channel);
    const uint32_t modifier = cut(channel == 3 ? 4 : 3, 28, 26);
    if (modifier == 7) {
        return x;
    }
    constexpr uint32_t kFactor[] = {0x3f800000, 0x40000000, 0x40800000, 0x41000000,
                                    0x3f000000, 0x3e800000, 0x3e000000};
    const uint32_t scaled = soft::multiply(x, kFactor[modifier]);
    if (cut(0, channel == 3 ? 20 : 19, channel == 3 ? 20 : 19) == 0) {
        return scaled;
    }
    if (soft::order(scaled, 0) != 1) {
        return 0;
    }
    return soft::order(scaled, 0x3f800000) == 1 ? 0x3f800000 : scaled;
}

inline bool ReferenceMath::enabled(const QuadState& q, int lane, int channel) const {
    const bool alpha = channel == 3;
    const uint32_t select = alpha ? cut(0, 27, 25) : cut(0, 5, 3);
    const bool inverted = (alpha ? cut(0, 22, 22) : cut(0, 6, 6)) != 0;
    bool passes = true;
    if (select != 0) {
        passes = q.predicate[lane][select == 1 ? channel : int(select) - 2] != inverted;
    }
    return passes && (q.active[lane] || cut(0, 7, 7) != 0);
}

inline void ReferenceMath::run(QuadState& q) const {
    const QuadState before = q;
    const bool out = cut(0, 1, 0) == 1;
    for (int lane = 0; lane < 4; ++lane) {
        for (int c = 0; c < 4; ++c) {
            if (!enabled(before, lane, c)) {
                continue;
            }
            const uint32_t x = result(before, lane, c);
            const int half = c == 3 ? 4 : 5, flags = c == 3 ? 4 : 3;
            const auto target = cut(flags, 30, 29);
            if (cut(0, 11 + c, 11 + c) != 0) {
                const int d = int(cut(half, 10, 4)) + (cut(half, 11, 11) != 0 ? q.al : 0);
                q.reg[lane][d][c] = x;
            }
            if (out && cut(0, 15 + c, 15 + c) != 0) {
                q.output[lane][target][c] = x;
                q.written[lane][target][c] = true;
            }
            if (!out && cut(0, 28 + c, 28 + c) != 0) {
                q.predicate[lane][c] = holds(x, target);
            }
            if (cut(3, 31, 31) != 0 && c == (cut(0, 21, 21) != 0 ? 3 : 0)) {
                q.alu_result[lane] = holds(x, cut(0, 24, 23));
            }
            if (out && c == 3 && cut(4, 31, 31) != 0) {
                q.conditional[lane] = x;
            }
        }
    }
}

}  // namespace archipelago::ctm::isa::test
