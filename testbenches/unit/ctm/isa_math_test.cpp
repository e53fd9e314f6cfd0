// SPDX-License-Identifier: Apache-2.0
// Random ALU and OUT instructions on random values: every lane as the reference has it, at both
// levels of the host's instructions.
#include <gtest/gtest.h>

#include <random>

#include "models/ctm/isa/lanes.h"
#include "rtl-bridge/compare/random.h"
#include "testbenches/unit/ctm/isa_program.h"
#include "testbenches/unit/ctm/isa_reference.h"

namespace archipelago::ctm::isa::test {
namespace {

constexpr unsigned kRegisters = 6, kMaxAl = 2;

// Operands and instructions.
class RandomMath : public Random<Mersenne<std::mt19937>> {
  public:
    using Random::Random;

    uint32_t value() {
        constexpr uint32_t kSpecial[] = {
            0,          0x80000000, 0x3f800000, 0xbf800000, 0x3f000000, 0xbf000000, 0x7f800000,
            0xff800000, 0x7fc00000, 0xffc12345, 0x7f812345, 1,          0x80000001, 0x007fffff,
            0x807fffff, 0x00800000, 0x80800000, 0x00ffffff, 0x7f7fffff, 0xff7fffff, 0x3f7fffff,
            0x4b000000, 0xcb7fffff, 0x3effffff, 0x3f000001};
        switch (below(4)) {
            case 0:
                return kSpecial[below(std::size(kSpecial))];
            case 1:
                return word();
            case 2:  // close to each other: cancellation
                return 0x3f800000 + below(64) + (one_in(2) ? 0x80000000 : 0) + (below(5) << 22);
            default:
                return bits_of(float(int(below(64)) - 32) / float(1u << below(5)));
        }
    }
    Words instruction();
    Words straight_instruction();

  private:
    uint32_t address() {
        switch (below(6)) {
            case 0:
                return below(256) | 1u << 8;  // constant
            case 1:
                return below(254) | 3u << 8;  // constant + aL
            case 2:
                return below(128) | 0x80;  // inline
            case 3:
                return below(kRegisters - kMaxAl) | 2u << 8;  // register + aL
            default:
                return below(kRegisters);
        }
    }
    static bool is_swizzle(Field f) {
        return std::string(info(f).name).find("_SWIZ_") != std::string::npos;
    }
};

Words RandomMath::instruction() {
    constexpr uint8_t kRgbOps[] = {0, 0, 1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 12};
    constexpr uint8_t kAlphaOps[] = {0, 0, 1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    Words w;
    for (uint32_t& each : w) {
        each = word();
    }
    set(w, Field::Type, below(2));
    set(w, Field::RgbPredSel, one_in(2) ? 0 : below(6));
    set(w, Field::AlphaPredSel, one_in(2) ? 0 : below(6));
    set(w, Field::Last, 0);
    for (size_t i = 0; i < kFieldCount; ++i) {
        const auto f = static_cast<Field>(i);
        if ((info(f).types & kOfMath) != 0 && is_swizzle(f)) {
            set(w, f, below(7));
        }
    }
    for (const unsigned at : {0u, 10u, 20u}) {
        for (const unsigned word : {1u, 2u}) {
            w[word] = (w[word] & ~(0x3ffu << at)) | address() << at;
        }
    }
    set(w, Field::RgbAddrd, below(kRegisters - kMaxAl));
    set(w, Field::AlphaAddrd, below(kRegisters - kMaxAl));
    set(w, Field::RgbOp, kRgbOps[below(std::size(kRgbOps))]);
    set(w, Field::AlphaOp, kAlphaOps[below(std::size(kAlphaOps))]);
    const auto rgb = static_cast<RgbOp>(get(w, Field::RgbOp));
    const auto alpha = static_cast<AlphaOp>(get(w, Field::AlphaOp));
    if (rgb == RgbOp::Sop && !is_transcendental(alpha)) {
        set(w, Field::AlphaOp, 8 + below(6));
    }
    if (get(w, Field::AlphaOp) == 1 && !is_dot(rgb)) {
        set(w, Field::RgbOp, 1 + below(3));
    }
    // Off is for what passes bits only.
    const uint32_t r = get(w, Field::RgbOp), a = get(w, Field::AlphaOp);
    if (get(w, Field::RgbOmod) == 7 && r != 4 && r != 5 && r != 7 && r != 8) {
        set(w, Field::RgbOmod, below(7));
    }
    if (get(w, Field::AlphaOmod) == 7 && a != 2 && a != 3 && a != 5 && a != 6) {
        set(w, Field::AlphaOmod, below(7));
    }
    return w;
}

// Without modifiers, presubtract, predicates, aL and outputs.
Words RandomMath::straight_instruction() {
    Words w = instruction();
    for (const Field f :
         {Field::Type, Field::RgbPredSel, Field::AlphaPredSel, Field::StatWe, Field::AluWmask,
          Field::RgbModA, Field::RgbModB, Field::RgbModC, Field::AlphaModA, Field::AlphaModB,
          Field::AlphaModC, Field::RgbAddrdRel, Field::AlphaAddrdRel}) {
        set(w, f, 0);
    }
    for (const Field f : {Field::RgbSelA, Field::RgbSelB, Field::RgbSelC, Field::AlphaSelA,
                          Field::AlphaSelB, Field::AlphaSelC}) {
        set(w, f, below(3));
    }
    for (const unsigned word : {1u, 2u}) {
        w[word] &= ~(1u << 9 | 1u << 19 | 1u << 29);
    }
    constexpr uint8_t kRgbOps[] = {0, 4, 5, 7, 8, 9}, kAlphaOps[] = {0, 2, 3, 5, 6, 7};
    const uint32_t op = below(6);
    set(w, Field::RgbOp, kRgbOps[op]);
    set(w, Field::AlphaOp, kAlphaOps[below(6)]);
    set(w, Field::RgbOmod, below(7));
    set(w, Field::AlphaOmod, below(7));
    return w;
}

using Constants = std::array<QuadState::Channels, 256>;

QuadState random_quad(RandomMath& random) {
    QuadState q;
    for (auto& lane : q.reg) {
        for (unsigned r = 0; r < kRegisters; ++r) {
            for (uint32_t& x : lane[r]) {
                x = random.value();
            }
        }
    }
    for (unsigned l = 0; l < 4; ++l) {
        q.active[l] = !random.one_in(4);
        q.alu_result[l] = random.one_in(2);
        for (bool& p : q.predicate[l]) {
            p = random.one_in(2);
        }
    }
    return q;
}

void put(const QuadState& q, unsigned quad, Thread& t) {
    for (unsigned l = 0; l < 4; ++l) {
        const unsigned lane = 4 * quad + l;
        const LaneMask bit = LaneMask{1} << lane;
        for (unsigned r = 0; r < kRegisters; ++r) {
            for (unsigned c = 0; c < 4; ++c) {
                t.temporaries[r][c].lane[lane] = float_of(q.reg[l][r][c]);
            }
        }
        for (unsigned c = 0; c < 4; ++c) {
            t.predicate[c] |= q.predicate[l][c] ? bit : 0;
        }
        t.active &= q.active[l] ? ~LaneMask{0} : ~bit;
        t.alu_result |= q.alu_result[l] ? bit : 0;
    }
}

// Registers hold the same bits, NaN too: nothing on the way may touch them.
void expect_same(const QuadState& q, unsigned quad, const Thread& t) {
    for (unsigned l = 0; l < 4; ++l) {
        const unsigned lane = 4 * quad + l;
        for (unsigned c = 0; c < 4; ++c) {
            for (unsigned r = 0; r < kRegisters; ++r) {
                ASSERT_EQ(bits_of(t.temporaries[r][c].lane[lane]), q.reg[l][r][c])
                    << "lane " << lane << " r" << r << "."
                    << "rgba"[c];
            }
            ASSERT_EQ((t.predicate[c] >> lane & 1) != 0, q.predicate[l][c]) << lane << ' ' << c;
            for (unsigned o = 0; o < 4; ++o) {
                ASSERT_EQ((t.output_written[o][c] >> lane & 1) != 0, q.written[l][o][c]);
                if (q.written[l][o][c]) {
                    ASSERT_EQ(bits_of(t.output[o][c].lane[lane]), q.output[l][o][c]);
                }
            }
        }
        ASSERT_EQ((t.alu_result >> lane & 1) != 0, q.alu_result[l]) << lane;
        ASSERT_EQ(t.conditional[lane], q.conditional[l]) << lane;
    }
}

void one_instruction(RandomMath& random, const Constants& constants, bool straight) {
    const Words words = straight ? random.straight_instruction() : random.instruction();
    SCOPED_TRACE(testing::Message() << std::hex << words[0] << ' ' << words[1] << ' ' << words[2]
                                    << ' ' << words[3] << ' ' << words[4] << ' ' << words[5]);
    constexpr unsigned kQuadCounts[] = {1, 3, 4, 12};
    const unsigned quads = kQuadCounts[random.below(4)];
    Thread thread = thread_of(quads, kRegisters);
    thread.al = int16_t(random.below(kMaxAl + 1));
    std::vector<QuadState> states;
    for (unsigned quad = 0; quad < quads; ++quad) {
        states.push_back(random_quad(random));
        states.back().al = thread.al;
        if (straight && !random.one_in(8)) {
            states.back().active.fill(true);
        }
        put(states.back(), quad, thread);
    }
    Surroundings s;
    s.floats = [&](unsigned i) {
        const auto& k = constants[i];
        return std::array<float, 4>{float_of(k[0]), float_of(k[1]), float_of(k[2]), float_of(k[3])};
    };
    Effects effects;
    ASSERT_EQ(decode(words).error, "");
    step(words, s, thread, effects);
    const ReferenceMath reference(words, constants);
    for (unsigned quad = 0; quad < quads; ++quad) {
        reference.run(states[quad]);
        expect_same(states[quad], quad, thread);
    }
}

TEST(CtmMath, RandomInstructionsAreAsTheReferenceHasThem) {
    RandomMath random(20061);
    Constants constants;
    for (auto& k : constants) {
        for (uint32_t& x : k) {
            x = random.value();
        }
    }
    for (int n = 0; n < 6000 && !testing::Test::HasFatalFailure(); ++n) {
        one_instruction(random, constants, n % 3 == 0);
    }
}

// The test above takes both ways through a plan.
TEST(CtmMath, StraightInstructionsArePlannedStraight) {
    RandomMath random(3);
    int straight = 0;
    for (int n = 0; n < 1000; ++n) {
        straight += decode(random.straight_instruction()).alu.plan.straight ? 1 : 0;
    }
    EXPECT_GT(straight, 300);
}

// Both levels on the same values: the portable one serves hosts without AVX2.
TEST(CtmMath, HostLevelsAgree) {
    const LaneKernels* const wide = lane_kernels("avx2");
    if (wide == nullptr) {
        GTEST_SKIP() << "the host has no AVX2";
    }
    const LaneKernels& narrow = *lane_kernels("portable");
    RandomMath random(7);
    alignas(64) float in[8][kMaxLanes];
    alignas(64) float out[2][kMaxLanes];
    const FloatMode mode;
    for (int n = 0; n < 300; ++n) {
        const float* pointers[8];
        for (unsigned i = 0; i < 8; ++i) {
            pointers[i] = in[i];
            for (float& x : in[i]) {
                x = float_of(random.value());
            }
        }
        for (unsigned k = 0; k < unsigned(Kernel::Count); ++k) {
            for (unsigned f = 0; f < unsigned(Finish::Count); ++f) {
                wide->math[k][f](pointers, out[0], kMaxLanes, 2);
                narrow.math[k][f](pointers, out[1], kMaxLanes, 2);
                if (f == 0 && Kernel(k) != Kernel::Pass && Kernel(k) != Kernel::Min &&
                    Kernel(k) != Kernel::Max && Kernel(k) != Kernel::Cnd &&
                    Kernel(k) != Kernel::Cmp) {
                    continue;  // a NaN's bits are anyone's before the output modifier
                }
                ASSERT_EQ(std::memcmp(out[0], out[1], sizeof out[0]), 0) << k << ' ' << f;
            }
        }
        for (const Compare c : {Compare::Eq, Compare::Lt, Compare::Ge, Compare::Ne}) {
            ASSERT_EQ(wide->compare(in[0], kMaxLanes, c), narrow.compare(in[0], kMaxLanes, c));
        }
    }
}

TEST(CtmMath, TheHostsOwnFloatModeComesBack) {
    volatile float tiny = float_of(1);
    Thread t = thread_of(1, 2);
    Effects effects;
    step(to_register(registers(math(Type::Alu, RgbOp::Mad, AlphaOp::Mad), 0, 0, 0), 1), {}, t,
         effects);
    EXPECT_NE(tiny * 1.0F, 0.0F);
}

}  // namespace
}  // namespace archipelago::ctm::isa::test
