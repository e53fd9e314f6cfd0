// SPDX-License-Identifier: Apache-2.0
// Single precision numbers and integers for stimuli, in which the interesting cases are frequent.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "rtl-bridge/compare/random.h"

namespace archipelago::rtl {

enum NumberClass : unsigned { kNan, kInfinity, kDenormal, kZero, kNormal, kNumberClasses };
constexpr const char* kClassNames[] = {"NaN", "infinity", "denormal", "zero", "normal"};

inline NumberClass class_of(uint32_t x) {
    const uint32_t m = x & 0x7fffffff;
    return m > 0x7f800000    ? kNan
           : m == 0x7f800000 ? kInfinity
           : m == 0          ? kZero
           : m < 0x00800000  ? kDenormal
                             : kNormal;
}

class Numbers {
  public:
    explicit Numbers(Random& random) : random_(random) {}

    uint32_t of_class(unsigned number_class) {
        const uint32_t sign = random_.word() & 0x80000000;
        switch (number_class) {
            case kNan:
                return sign | 0x7f800000 | std::max(fraction(), 1u);
            case kInfinity:
                return sign | 0x7f800000;
            case kDenormal:
                return sign | std::max(fraction(), 1u);
            case kZero:
                return sign;
            default:
                return sign | (1 + random_.below(254)) << 23 | fraction();
        }
    }
    uint32_t integer() {
        static constexpr uint32_t kEdges[] = {0,          1,          2,          0x1f,
                                              0x20,       0x3f,       0xff,       0x7fffff,
                                              0x800000,   0xffffff,   0x7fffffff, 0x80000000,
                                              0x80000001, 0xfffffffe, 0xffffffff, 0xff800000};
        switch (random_.below(5)) {
            case 0:
                return random_.pick(kEdges);
            case 1:
                return random_.below(64);
            case 2:
                return 1u << random_.below(32);
            case 3:  // bytes, each often 0 or equal to others
                return (random_.below(3) * 0x7f) << 24 | random_.below(3) << 16 |
                       (random_.below(2) * 0xff) << 8 | random_.below(256);
            default:
                return random_.word();
        }
    }
    // Sources that meet: exponents close to each other, results at the ends of the range.
    void related(uint32_t& a, uint32_t& b, uint32_t& c) {
        a = of_class(kNormal);
        b = of_class(kNormal);
        c = of_class(kNormal);
        const auto with_exponent = [&](uint32_t x, int e) {
            e = std::clamp(e, 0, 254);
            return (x & 0x807fffff) | static_cast<uint32_t>(e) << 23;
        };
        const int ea = static_cast<int>(a >> 23 & 255);
        const auto nearby = [&](unsigned spread) {
            return static_cast<int>(random_.below(2 * spread + 1)) - static_cast<int>(spread);
        };
        switch (random_.below(6)) {
            case 0:  // sums: any distance the alignment distinguishes
                b = with_exponent(b, ea + nearby(30));
                break;
            case 1:  // products of any size around the smallest normal number
                b = with_exponent(b, 127 - ea + nearby(28));
                break;
            case 2:  // and around the largest
                b = with_exponent(b, 127 + 254 - ea + nearby(3));
                break;
            case 3:  // nearly equal
                b = (a + static_cast<uint32_t>(nearby(2))) ^ (random_.word() & 0x80000000);
                break;
            case 4: {  // a product that rounding lifts to a power of two, the smallest normal often
                const uint32_t k = 1 + random_.below(4);
                a = (a & 0xff800000) | k;
                b = (b & 0x80000000) | (0x800000 - 2 * k);
                b = with_exponent(b, 127 - ea + (random_.one_in(4) ? nearby(120) : 0));
                break;
            }
            default: {  // the addend nearly cancels the product, or is smaller or greater
                b = with_exponent(b, 127 + nearby(60));
                const int product = ea + static_cast<int>(b >> 23 & 255) - 127;
                c = with_exponent(c, product + nearby(27));
                if (random_.one_in(4)) {
                    float x, y;
                    std::memcpy(&x, &a, 4);
                    std::memcpy(&y, &b, 4);
                    const float p = -(x * y);
                    std::memcpy(&c, &p, 4);
                    c += static_cast<uint32_t>(nearby(1));
                }
                break;
            }
        }
    }

  private:
    uint32_t fraction() {
        switch (random_.below(4)) {
            case 0:
                return random_.below(4);
            case 1:
                return 0x7fffff - random_.below(4);
            case 2:
                return 0x400000u >> random_.below(23);
            default:
                return random_.word() >> 9;
        }
    }
    Random& random_;
};

}  // namespace archipelago::rtl
