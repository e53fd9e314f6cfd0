// SPDX-License-Identifier: Apache-2.0
// Integer and bit instructions against scalar reference code.
#include "testbenches/unit/isa/valu_harness.h"

#include <algorithm>

namespace archipelago::isa::valu_test::valu_int_test {
namespace {

using In1 = std::array<uint32_t, 1>;
using In2 = std::array<uint32_t, 2>;
using In3 = std::array<uint32_t, 3>;

int32_t s(uint32_t x) {
    return static_cast<int32_t>(x);
}
uint32_t u(int64_t x) {
    return static_cast<uint32_t>(x);
}
int64_t s24(uint32_t x) {
    return (x & 0x800000) != 0 ? int64_t(x & 0xffffff) - 0x1000000 : x & 0xffffff;
}
uint64_t u24(uint32_t x) {
    return x & 0xffffff;
}
uint32_t byte(uint32_t x, unsigned n) {
    return x >> (8 * n) & 0xff;
}
uint32_t distance(uint32_t a, uint32_t b) {
    return a > b ? a - b : b - a;
}
uint32_t sad(uint32_t a, uint32_t b, bool masked = false) {
    uint32_t sum = 0;
    for (unsigned n = 0; n < 4; ++n) {
        if (!masked || byte(b, n) != 0) {
            sum += distance(byte(a, n), byte(b, n));
        }
    }
    return sum;
}
unsigned ones(uint32_t x) {
    unsigned n = 0;
    for (; x != 0; x &= x - 1) {
        ++n;
    }
    return n;
}
uint32_t first_from_top(uint32_t x, bool wanted) {
    for (int bit = 31; bit >= 0; --bit) {
        if ((x >> bit & 1) == (wanted ? 1u : 0u)) {
            return u(31 - bit);
        }
    }
    return 0xffffffff;
}
uint32_t field_i(uint32_t a, uint32_t b, uint32_t c) {
    const unsigned offset = b & 31, width = c & 31;
    if (width == 0) {
        return 0;
    }
    if (offset + width >= 32) {
        return u(s(a) >> offset);
    }
    const uint32_t field = a >> offset & ((1u << width) - 1);
    const uint32_t sign = 1u << (width - 1);
    return (field ^ sign) - sign;
}
uint32_t clamp(int64_t x, int64_t low, int64_t high) {
    return u(x < low ? low : x > high ? high : x);
}
uint64_t quad_sad(uint64_t a, uint32_t b, uint64_t c, bool masked) {
    uint64_t r = 0;
    for (unsigned n = 0; n < 4; ++n) {
        const uint64_t sum =
            sad(static_cast<uint32_t>(a >> (8 * n)), b, masked) + (c >> (16 * n) & 0xffff);
        r |= (sum & 0xffff) << (16 * n);
    }
    return r;
}

struct Unary {
    Op op;
    uint32_t (*ref)(uint32_t);
};
const Unary kUnary[] = {
    {Op::V_MOV_B32, [](uint32_t a) { return a; }},
    {Op::V_MOV_FED_B32, [](uint32_t a) { return a; }},
    {Op::V_NOT_B32, [](uint32_t a) { return ~a; }},
    {Op::V_BFREV_B32,
     [](uint32_t a) {
         uint32_t r = 0;
         for (unsigned n = 0; n < 32; ++n) {
             r |= (a >> n & 1) << (31 - n);
         }
         return r;
     }},
    {Op::V_FFBH_U32, [](uint32_t a) { return first_from_top(a, true); }},
    {Op::V_FFBL_B32,
     [](uint32_t a) {
         for (uint32_t n = 0; n < 32; ++n) {
             if (a >> n & 1) {
                 return n;
             }
         }
         return 0xffffffffu;
     }},
    {Op::V_FFBH_I32, [](uint32_t a) { return first_from_top(a, s(a) >= 0); }},
};

struct Binary {
    Op op;
    uint32_t (*ref)(uint32_t, uint32_t);
};
const Binary kBinary[] = {
    {Op::V_MUL_I32_I24, [](uint32_t a, uint32_t b) { return u(s24(a) * s24(b)); }},
    {Op::V_MUL_HI_I32_I24, [](uint32_t a, uint32_t b) { return u((s24(a) * s24(b)) >> 32); }},
    {Op::V_MUL_U32_U24, [](uint32_t a, uint32_t b) { return uint32_t(u24(a) * u24(b)); }},
    {Op::V_MUL_HI_U32_U24, [](uint32_t a, uint32_t b) { return uint32_t(u24(a) * u24(b) >> 32); }},
    {Op::V_MIN_I32, [](uint32_t a, uint32_t b) { return s(a) < s(b) ? a : b; }},
    {Op::V_MAX_I32, [](uint32_t a, uint32_t b) { return s(a) > s(b) ? a : b; }},
    {Op::V_MIN_U32, [](uint32_t a, uint32_t b) { return a < b ? a : b; }},
    {Op::V_MAX_U32, [](uint32_t a, uint32_t b) { return a > b ? a : b; }},
    {Op::V_LSHR_B32, [](uint32_t a, uint32_t b) { return a >> (b & 31); }},
    {Op::V_LSHRREV_B32, [](uint32_t a, uint32_t b) { return b >> (a & 31); }},
    {Op::V_ASHR_I32, [](uint32_t a, uint32_t b) { return u(s(a) >> (b & 31)); }},
    {Op::V_ASHRREV_I32, [](uint32_t a, uint32_t b) { return u(s(b) >> (a & 31)); }},
    {Op::V_LSHL_B32, [](uint32_t a, uint32_t b) { return a << (b & 31); }},
    {Op::V_LSHLREV_B32, [](uint32_t a, uint32_t b) { return b << (a & 31); }},
    {Op::V_AND_B32, [](uint32_t a, uint32_t b) { return a & b; }},
    {Op::V_OR_B32, [](uint32_t a, uint32_t b) { return a | b; }},
    {Op::V_XOR_B32, [](uint32_t a, uint32_t b) { return a ^ b; }},
    {Op::V_BFM_B32, [](uint32_t a, uint32_t b) { return ((1u << (a & 31)) - 1) << (b & 31); }},
    {Op::V_BCNT_U32_B32, [](uint32_t a, uint32_t b) { return ones(a) + b; }},
    {Op::V_MUL_LO_U32, [](uint32_t a, uint32_t b) { return uint32_t(uint64_t(a) * b); }},
    {Op::V_MUL_LO_I32, [](uint32_t a, uint32_t b) { return u(int64_t(s(a)) * s(b)); }},
    {Op::V_MUL_HI_U32, [](uint32_t a, uint32_t b) { return uint32_t(uint64_t(a) * b >> 32); }},
    {Op::V_MUL_HI_I32, [](uint32_t a, uint32_t b) { return u((int64_t(s(a)) * s(b)) >> 32); }},
    {Op::V_CVT_PK_U16_U32,
     [](uint32_t a, uint32_t b) { return clamp(a, 0, 65535) | clamp(b, 0, 65535) << 16; }},
    {Op::V_CVT_PK_I16_I32,
     [](uint32_t a, uint32_t b) {
         return (clamp(s(a), -32768, 32767) & 0xffff) | clamp(s(b), -32768, 32767) << 16;
     }},
};

struct Ternary {
    Op op;
    uint32_t (*ref)(uint32_t, uint32_t, uint32_t);
};
const Ternary kTernary[] = {
    {Op::V_MAD_I32_I24, [](uint32_t a, uint32_t b, uint32_t c) { return u(s24(a) * s24(b)) + c; }},
    {Op::V_MAD_U32_U24,
     [](uint32_t a, uint32_t b, uint32_t c) { return uint32_t(u24(a) * u24(b)) + c; }},
    {Op::V_BFE_U32,
     [](uint32_t a, uint32_t b, uint32_t c) { return a >> (b & 31) & ((1u << (c & 31)) - 1); }},
    {Op::V_BFE_I32, field_i},
    {Op::V_BFI_B32, [](uint32_t a, uint32_t b, uint32_t c) { return (a & b) | (~a & c); }},
    {Op::V_ALIGNBIT_B32, [](uint32_t a, uint32_t b,
                            uint32_t c) { return uint32_t((uint64_t(a) << 32 | b) >> (c & 31)); }},
    {Op::V_ALIGNBYTE_B32,
     [](uint32_t a, uint32_t b, uint32_t c) {
         return uint32_t((uint64_t(a) << 32 | b) >> (8 * (c & 3)));
     }},
    {Op::V_MIN3_I32,
     [](uint32_t a, uint32_t b, uint32_t c) {
         return u(std::min({s(a), s(b), s(c)}));
     }},
    {Op::V_MAX3_I32,
     [](uint32_t a, uint32_t b, uint32_t c) {
         return u(std::max({s(a), s(b), s(c)}));
     }},
    {Op::V_MIN3_U32,
     [](uint32_t a, uint32_t b, uint32_t c) {
         return std::min({a, b, c});
     }},
    {Op::V_MAX3_U32,
     [](uint32_t a, uint32_t b, uint32_t c) {
         return std::max({a, b, c});
     }},
    {Op::V_MED3_I32,
     [](uint32_t a, uint32_t b, uint32_t c) {
         int32_t x[3] = {s(a), s(b), s(c)};
         std::sort(x, x + 3);
         return u(x[1]);
     }},
    {Op::V_MED3_U32,
     [](uint32_t a, uint32_t b, uint32_t c) {
         uint32_t x[3] = {a, b, c};
         std::sort(x, x + 3);
         return x[1];
     }},
    {Op::V_LERP_U8,
     [](uint32_t a, uint32_t b, uint32_t c) {
         uint32_t r = 0;
         for (unsigned n = 0; n < 4; ++n) {
             r |= (byte(a, n) + byte(b, n) + (byte(c, n) & 1)) / 2 << (8 * n);
         }
         return r;
     }},
    {Op::V_SAD_U8, [](uint32_t a, uint32_t b, uint32_t c) { return sad(a, b) + c; }},
    {Op::V_SAD_HI_U8, [](uint32_t a, uint32_t b, uint32_t c) { return (sad(a, b) << 16) + c; }},
    {Op::V_SAD_U16,
     [](uint32_t a, uint32_t b, uint32_t c) {
         return distance(a & 0xffff, b & 0xffff) + distance(a >> 16, b >> 16) + c;
     }},
    {Op::V_SAD_U32, [](uint32_t a, uint32_t b, uint32_t c) { return distance(a, b) + c; }},
    {Op::V_MSAD_U8, [](uint32_t a, uint32_t b, uint32_t c) { return sad(a, b, true) + c; }},
};

TEST(ValuInteger, UnaryOpcodesMatchTheReference) {
    for (const Unary& t : kUnary) {
        for_all<uint32_t, uint32_t, 1>(make(t.op), Mode{}, with_random(edge_integers(), 500),
                                       [&](const In1& x) { return t.ref(x[0]); });
    }
}
TEST(ValuInteger, BinaryOpcodesMatchTheReference) {
    for (const Binary& t : kBinary) {
        for_all<uint32_t, uint32_t, 2>(make(t.op), Mode{}, with_random(edge_integers(), 60),
                                       [&](const In2& x) { return t.ref(x[0], x[1]); });
    }
}
TEST(ValuInteger, TernaryOpcodesMatchTheReference) {
    for (const Ternary& t : kTernary) {
        for_all<uint32_t, uint32_t, 3>(make(t.op), Mode{}, with_random(edge_integers(), 10),
                                       [&](const In3& x) { return t.ref(x[0], x[1], x[2]); });
    }
}
TEST(ValuInteger, ModifierBitsDoNotChangeIntegerResults) {
    Inst i = make_vop3(Op::V_MUL_HI_I32);
    i.neg = 7;
    i.abs = 7;
    i.omod = 1;
    i.clamp = true;
    for_all<uint32_t, uint32_t, 2>(i, mode_of(0, 0, false), edge_integers(), [](const In2& x) {
        return u((int64_t(s(x[0])) * s(x[1])) >> 32);
    });
}
TEST(ValuInteger, SixtyFourBitShiftsUseSixBitsOfA32BitCount) {
    std::mt19937_64 random(7);
    for (const Op op : {Op::V_LSHL_B64, Op::V_LSHR_B64, Op::V_ASHR_I64}) {
        Wave wave;
        Lanes64 a;
        Lanes n;
        for (unsigned l = 0; l < kLanes; ++l) {
            a[l] = random();
            n[l] = l + 64 * (l & 3);
        }
        wave.set(kSrc0, a);
        wave.set(kSrc1, n);
        execute(make(op), wave.w);
        for (unsigned l = 0; l < kLanes; ++l) {
            const unsigned c = l & 63;
            const uint64_t expected = op == Op::V_LSHL_B64   ? a[l] << c
                                      : op == Op::V_LSHR_B64 ? a[l] >> c
                                                             : uint64_t(int64_t(a[l]) >> c);
            EXPECT_EQ(wave.get64(kDst)[l], expected) << op_info(op).name << " by " << c;
        }
    }
}
TEST(ValuInteger, QuadSadAccumulatesFourWrappingSixteenBitSums) {
    std::mt19937_64 random(9);
    for (const bool masked : {false, true}) {
        for (unsigned round = 0; round < 20; ++round) {
            Wave wave;
            Lanes64 a, c;
            Lanes b;
            for (unsigned l = 0; l < kLanes; ++l) {
                a[l] = random();
                b[l] = uint32_t(random()) & (l % 3 == 0 ? 0xff00ff00u : ~0u);
                c[l] = l % 5 == 0 ? ~0ull : random();
            }
            wave.set(kSrc0, a);
            wave.set(kSrc1, b);
            wave.set(kSrc2, c);
            const Op op = masked ? Op::V_MQSAD_U8 : Op::V_QSAD_U8;
            execute(make(op), wave.w);
            for (unsigned l = 0; l < kLanes; ++l) {
                ASSERT_EQ(wave.get64(kDst)[l], quad_sad(a[l], b[l], c[l], masked));
            }
        }
    }
}

}  // namespace
}  // namespace archipelago::isa::valu_test::valu_int_test
