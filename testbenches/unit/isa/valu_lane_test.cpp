// SPDX-License-Identifier: Apache-2.0
// Operand kinds, carries, masks, moves between lanes and register files.
#include "testbenches/unit/isa/valu_harness.h"

#include "models/cu/isa/valu_env.h"

namespace archipelago::isa::valu_test::valu_lane_test {
namespace {

Lanes counting(uint32_t first, uint32_t step) {
    Lanes x;
    for (unsigned l = 0; l < kLanes; ++l) {
        x[l] = first + step * l;
    }
    return x;
}

// ---- operands -----------------------------------------------------------------------------------
uint32_t move_of(unsigned code, Wave& wave, uint32_t literal = 0) {
    Inst i = make(Op::V_MOV_B32);
    i.src[0] = static_cast<uint16_t>(code);
    i.literal = literal;
    execute(i, wave.w);
    const Lanes out = wave.get(kDst);
    for (const uint32_t x : out) {
        EXPECT_EQ(x, out[0]);
    }
    return out[0];
}
TEST(ValuOperands, ScalarSourcesAndConstants) {
    Wave wave;
    for (unsigned n = 0; n < 126; ++n) {
        wave.w.s[n] = 0x1000 + n;
    }
    for (const unsigned code : {0u, 5u, 103u, 106u, 107u, 108u, 112u, 124u}) {
        EXPECT_EQ(move_of(code, wave), 0x1000 + code);
    }
    EXPECT_EQ(move_of(kExecLo, wave), ~0u);
    EXPECT_EQ(move_of(kConstZero, wave), 0u);
    for (unsigned n = 1; n <= 64; ++n) {
        EXPECT_EQ(move_of(128 + n, wave), n);
    }
    for (unsigned n = 1; n <= 16; ++n) {
        EXPECT_EQ(move_of(192 + n, wave), 0u - n);
    }
    const float floats[8] = {0.5f, -0.5f, 1.0f, -1.0f, 2.0f, -2.0f, 4.0f, -4.0f};
    for (unsigned n = 0; n < 8; ++n) {
        EXPECT_EQ(move_of(kFloatFirst + n, wave), bits(floats[n]));
    }
    EXPECT_EQ(move_of(kLiteral, wave, 0xcafef00d), 0xcafef00du);
    EXPECT_EQ(move_of(kVccz, wave), 0u);
    EXPECT_EQ(move_of(kExecz, wave), 0u);
    wave.w.set_vcc(0);
    EXPECT_EQ(move_of(kVccz, wave), 1u);
    wave.w.scc = true;
    EXPECT_EQ(move_of(kScc, wave), 1u);
    EXPECT_EQ(move_of(220, wave), 0u);  // reserved
}
uint64_t double_source(unsigned code, Wave& wave, uint32_t literal = 0) {
    Inst i = make(Op::V_ADD_F64);
    i.src[0] = static_cast<uint16_t>(code);
    i.src[1] = kConstZero;
    i.literal = literal;
    execute(i, wave.w);
    return wave.get64(kDst)[33];
}
TEST(ValuOperands, SixtyFourBitSourcesUsePairsAndDoubleConstants) {
    Wave wave;
    const double floats[8] = {0.5, -0.5, 1.0, -1.0, 2.0, -2.0, 4.0, -4.0};
    for (unsigned n = 0; n < 8; ++n) {
        EXPECT_EQ(double_source(kFloatFirst + n, wave), bits(floats[n]));
    }
    wave.w.set_s64(8, bits(3.25));
    EXPECT_EQ(double_source(8, wave), bits(3.25));
    EXPECT_EQ(double_source(kLiteral, wave, 0x40590000), bits(100.0));
    // An integer constant is its sign-extended bits: -1 is a NaN.
    EXPECT_EQ(hex(double_source(193, wave)), hex(~0ull));
    Inst shift = make(Op::V_ASHR_I64);
    shift.src[0] = 208;  // -16
    shift.src[1] = 130;  // 2
    execute(shift, wave.w);
    EXPECT_EQ(wave.get64(kDst)[0], static_cast<uint64_t>(-4));
}
TEST(ValuOperands, LiteralsOfWideIntegerComparesExtendByTheirType) {
    Wave wave;
    Lanes64 minus_two, big;
    minus_two.fill(static_cast<uint64_t>(-2));
    big.fill(0xfffffffe);
    for (const bool is_signed : {true, false}) {
        Inst i = make(is_signed ? Op::V_CMP_EQ_I64 : Op::V_CMP_EQ_U64);
        i.src[0] = kLiteral;
        i.literal = 0xfffffffe;
        wave.set(kSrc1, minus_two);
        execute(i, wave.w);
        EXPECT_EQ(wave.w.vcc(), is_signed ? ~0ull : 0);
        wave.set(kSrc1, big);
        execute(i, wave.w);
        EXPECT_EQ(wave.w.vcc(), is_signed ? 0 : ~0ull);
    }
}
TEST(ValuOperands, OverlappingSourceAndDestinationPairs) {
    for (const unsigned dst : {1u, 2u, 3u}) {
        Wave wave;
        Lanes64 a;
        for (unsigned l = 0; l < kLanes; ++l) {
            a[l] = bits(double(l) + 0.5);
        }
        wave.set(2, a);
        Inst i = make(Op::V_ADD_F64);
        i.src[0] = i.src[1] = kVgprFirst + 2;
        i.vdst = static_cast<uint16_t>(dst);
        execute(i, wave.w);
        for (unsigned l = 0; l < kLanes; ++l) {
            ASSERT_EQ(wave.get64(dst)[l], bits(2.0 * l + 1)) << "v" << dst;
        }
    }
}

// ---- carries ------------------------------------------------------------------------------------
TEST(ValuCarry, AddAndSubtractWithAndWithoutCarryIn) {
    struct Case {
        Op op;
        bool takes_carry;
        int64_t (*exact)(int64_t, int64_t, int64_t);
    };
    const Case cases[] = {
        {Op::V_ADD_I32, false, [](int64_t a, int64_t b, int64_t) { return a + b; }},
        {Op::V_SUB_I32, false, [](int64_t a, int64_t b, int64_t) { return a - b; }},
        {Op::V_SUBREV_I32, false, [](int64_t a, int64_t b, int64_t) { return b - a; }},
        {Op::V_ADDC_U32, true, [](int64_t a, int64_t b, int64_t c) { return a + b + c; }},
        {Op::V_SUBB_U32, true, [](int64_t a, int64_t b, int64_t c) { return a - b - c; }},
        {Op::V_SUBBREV_U32, true, [](int64_t a, int64_t b, int64_t c) { return b - a - c; }},
    };
    const auto values = edge_integers();
    const uint64_t exec = 0xfedcba9876543210;
    for (const Case& c : cases) {
        for (const bool vop3 : {false, true}) {
            for (const bool scalar : {false, true}) {
                for (size_t n = 0; n < values.size(); ++n) {
                    Wave wave;
                    Lanes a, b;
                    a.fill(values[n]);
                    for (unsigned l = 0; l < kLanes; ++l) {
                        b[l] = values[(n + l) % values.size()];
                    }
                    wave.set(kSrc0, a);
                    wave.set(kSrc1, b);
                    wave.set(kDst, counting(7, 1));
                    wave.w.s[3] = values[n];
                    wave.w.set_exec(exec);
                    const uint64_t carry_in = 0x5a5af00f12345678;
                    wave.w.set_vcc(vop3 ? 1 : carry_in);
                    wave.w.set_s64(40, carry_in);
                    Inst i = make(c.op);
                    i.format = vop3 ? Format::Vop3 : Format::Vop2;
                    if (scalar) {
                        i.src[0] = 3;
                    }
                    i.src[2] = 40;
                    i.sdst = vop3 ? 50 : 0;
                    execute(i, wave.w);
                    const uint64_t out = vop3 ? wave.w.s64(50) : wave.w.vcc();
                    for (unsigned l = 0; l < kLanes; ++l) {
                        const int64_t exact = c.exact(a[l], b[l], carry_in >> l & 1);
                        const bool active = exec >> l & 1;
                        ASSERT_EQ(wave.get(kDst)[l], active ? uint32_t(exact) : 7 + l);
                        ASSERT_EQ(out >> l & 1, active && (exact < 0 || exact > 0xffffffffll))
                            << op_info(c.op).name << " lane " << l;
                    }
                    EXPECT_EQ(wave.w.vcc(), vop3 ? 1 : out);
                }
            }
        }
    }
}

// ---- masks --------------------------------------------------------------------------------------
TEST(ValuMask, CndmaskPicksByVccOrTheNamedPairAndTakesModifiers) {
    Wave wave;
    wave.set(kSrc0, counting(100, 1));
    wave.set(kSrc1, counting(bits(1.0f), 0));
    wave.w.set_vcc(0x00000000ffffffff);
    wave.w.set_s64(60, 0xff00ff00ff00ff00);
    Inst i = make(Op::V_CNDMASK_B32);
    execute(i, wave.w);
    EXPECT_EQ(wave.get(kDst)[0], bits(1.0f));
    EXPECT_EQ(wave.get(kDst)[32], 132u);
    i.format = Format::Vop3;
    i.src[2] = 60;
    i.neg = 2;
    execute(i, wave.w);
    EXPECT_EQ(wave.get(kDst)[0], 100u);
    EXPECT_EQ(wave.get(kDst)[8], bits(-1.0f));
    EXPECT_EQ(wave.get(kDst)[63], bits(-1.0f));
}
TEST(ValuMask, MbcntCountsLanesBelow) {
    Wave wave;
    wave.set(kSrc1, counting(1000, 0));
    const uint64_t mask = 0x8000f00d70000003;
    Inst lo = make(Op::V_MBCNT_LO_U32_B32);
    lo.src[0] = 20;
    Inst hi = make(Op::V_MBCNT_HI_U32_B32);
    hi.src[0] = 21;
    hi.src[1] = kVgprFirst + kDst;
    wave.w.set_s64(20, mask);
    execute(lo, wave.w);
    const Lanes low = wave.get(kDst);
    execute(hi, wave.w);
    for (unsigned l = 0; l < kLanes; ++l) {
        uint32_t below = 0, below_low = 0;
        for (unsigned k = 0; k < l; ++k) {
            below += mask >> k & 1;
            below_low += k < 32 ? mask >> k & 1 : 0;
        }
        EXPECT_EQ(low[l], 1000 + below_low);
        EXPECT_EQ(wave.get(kDst)[l], 1000 + below) << "lane " << l;
    }
}

// ---- lanes and scalars --------------------------------------------------------------------------
TEST(ValuLane, ReadlaneAndReadfirstlaneNameTheirScalarInEitherField) {
    for (const bool in_sdst : {false, true}) {
        Wave wave;
        wave.set(kSrc0, counting(500, 3));
        wave.w.set_exec(0xfff0000000000100);
        wave.w.s[9] = 64 + 5;  // six bits count
        Inst i = make(Op::V_READLANE_B32);
        i.src[1] = 9;
        i.vdst = in_sdst ? 0 : 70;
        i.sdst = in_sdst ? 70 : 0;
        execute(i, wave.w);
        EXPECT_EQ(wave.w.s[70], 515u);
        i.op = Op::V_READFIRSTLANE_B32;
        execute(i, wave.w);
        EXPECT_EQ(wave.w.s[70], 524u);
        wave.w.set_exec(0);
        execute(i, wave.w);
        EXPECT_EQ(wave.w.s[70], 500u);
    }
}
TEST(ValuLane, WritelaneIgnoresExec) {
    Wave wave;
    wave.set(kDst, counting(1, 0));
    wave.w.set_exec(0);
    wave.w.s[3] = 77;
    Inst i = make(Op::V_WRITELANE_B32);
    i.src[0] = 3;
    i.src[1] = 128 + 6;
    execute(i, wave.w);
    for (unsigned l = 0; l < kLanes; ++l) {
        EXPECT_EQ(wave.get(kDst)[l], l == 6 ? 77u : 1u);
    }
}
TEST(ValuLane, RelativeMovesAddM0AndStayInsideTheAllocation) {
    Wave wave;
    for (unsigned n = 0; n < kRegisters; ++n) {
        wave.set(n, counting(1000 * n, 1));
    }
    wave.w.s[kM0] = 3;
    wave.w.set_exec(0x0f);
    Inst d = make(Op::V_MOVRELD_B32);
    execute(d, wave.w);  // v13 = v2
    EXPECT_EQ(wave.get(kDst + 3)[0], 2000u);
    EXPECT_EQ(wave.get(kDst + 3)[4], 13004u);
    EXPECT_EQ(wave.get(kDst)[0], 10000u);
    wave.w.set_exec(~0ull);
    execute(make(Op::V_MOVRELS_B32), wave.w);  // v10 = v5
    EXPECT_EQ(wave.get(kDst)[63], 5063u);
    execute(make(Op::V_MOVRELSD_B32), wave.w);  // v13 = v5
    EXPECT_EQ(wave.get(kDst + 3)[63], 5063u);
    wave.w.s[kM0] = static_cast<uint32_t>(-1);  // wraps to the register below
    execute(make(Op::V_MOVRELS_B32), wave.w);
    EXPECT_EQ(wave.get(kDst)[1], 1001u);
    wave.w.s[kM0] = 1000;
    const auto before = *wave.storage;
    execute(d, wave.w);  // outside: dropped
    EXPECT_EQ(std::memcmp(&before, wave.storage.get(), sizeof before), 0);
    execute(make(Op::V_MOVRELS_B32), wave.w);  // outside: v0
    EXPECT_EQ(wave.get(kDst)[7], 7u);
}
TEST(ValuLane, NopAndClrexcpChangeNothing) {
    Wave wave;
    wave.set(kDst, counting(3, 5));
    const auto before = *wave.storage;
    const WaveState state = wave.w;
    execute(make(Op::V_NOP), wave.w);
    execute(make(Op::V_CLREXCP), wave.w);
    EXPECT_EQ(std::memcmp(&before, wave.storage.get(), sizeof before), 0);
    EXPECT_EQ(std::memcmp(state.s, wave.w.s, sizeof state.s), 0);
}

// ---- the host's floating-point environment ------------------------------------------------------
uint32_t mxcsr() {
    uint32_t value;
    __asm__ volatile("stmxcsr %0" : "=m"(value));
    return value & 0xffc0;
}
TEST(ValuEnvironment, InstructionsLeaveTheHostAsTheyFoundIt) {
    Wave wave;
    wave.w.mode = mode_of(1, 0);
    const uint32_t before = mxcsr();
    execute(make(Op::V_MUL_F32), wave.w);
    EXPECT_EQ(mxcsr(), before);
    {
        const HostRounding rounding(3);
        const uint32_t toward_zero = mxcsr();
        execute(make(Op::V_MUL_F32), wave.w);
        EXPECT_EQ(mxcsr(), toward_zero);
    }
}
TEST(ValuEnvironment, GuardKeepsTheEnvironmentAndRestoresItAtTheEnd) {
    const uint32_t before = mxcsr();
    Wave wave;
    wave.set(kSrc0, counting(bits(1.0f), 0));
    wave.set(kSrc1, counting(bits(0x1p-30f), 0));
    {
        const FpEnvGuard outer;
        {
            const FpEnvGuard inner;
            wave.w.mode = mode_of(1, 0);
            execute(make(Op::V_ADD_F32), wave.w);
            EXPECT_EQ(wave.get(kDst)[0], 0x3f800001u);  // up
        }
        wave.w.mode = mode_of(2, 3);
        execute(make(Op::V_ADD_F32), wave.w);
        EXPECT_EQ(wave.get(kDst)[0], 0x3f800000u);  // down
        EXPECT_NE(mxcsr(), before);
    }
    EXPECT_EQ(mxcsr(), before);
}

}  // namespace
}  // namespace archipelago::isa::valu_test::valu_lane_test
