// SPDX-License-Identifier: Apache-2.0
// What must hold for every VALU opcode: it is implemented, the host levels agree bit for bit,
// inactive lanes and other registers stay, and nothing depends on a guard being alive.
#include "testbenches/unit/isa/valu_harness.h"

#include "models/cu/isa/valu_env.h"
#include "models/cu/isa/valu_table.h"

namespace archipelago::isa::valu_test::valu_levels_test {
namespace {

bool is_valu_format(Format f) {
    return f == Format::Vop1 || f == Format::Vop2 || f == Format::Vopc || f == Format::Vop3;
}
std::vector<Op> valu_ops() {
    std::vector<Op> ops;
    for (unsigned n = 0; n < kOpCount; ++n) {
        const Op op = static_cast<Op>(n);
        if (is_valu_format(op_info(op).format)) {
            ops.push_back(op);
        }
    }
    return ops;
}
bool ignores_exec(Op op) {
    return op == Op::V_READLANE_B32 || op == Op::V_READFIRSTLANE_B32 || op == Op::V_WRITELANE_B32;
}
bool moves_relative(Op op) {
    return op == Op::V_MOVRELD_B32 || op == Op::V_MOVRELSD_B32;
}

// A wave in a state that depends on `random` only, rich in the values that matter.
void randomise(Wave& wave, std::mt19937_64& random) {
    static const std::vector<uint32_t> floats = edge_floats();
    static const std::vector<uint64_t> doubles = edge_doubles();
    for (unsigned r = 0; r < kRegisters; r += 2) {
        for (unsigned l = 0; l < kLanes; ++l) {
            uint64_t x = random();
            switch (random() % 6) {
                case 0:
                    x = floats[random() % floats.size()] |
                        uint64_t(floats[random() % floats.size()]) << 32;
                    break;
                case 1:
                    x = doubles[random() % doubles.size()];
                    break;
                case 2:
                    x &= 0x0000007f0000003f;  // small integers
                    break;
                default:
                    break;
            }
            wave.w.v[r][l] = static_cast<uint32_t>(x);
            wave.w.v[r + 1][l] = static_cast<uint32_t>(x >> 32);
        }
    }
    for (uint32_t& s : wave.w.s) {
        s = random() % 3 == 0 ? floats[random() % floats.size()] : uint32_t(random());
    }
    wave.w.s[kM0] = random() % 40;
    const uint64_t execs[] = {~0ull, 0, random(), random() & random(), 1ull << (random() % 64)};
    wave.w.set_exec(execs[random() % 5]);
    const uint64_t bits = random();
    wave.w.mode = Mode::from_float_mode(static_cast<uint8_t>(bits), bits >> 8 & 1, bits >> 9 & 1);
    wave.w.scc = bits >> 10 & 1;
}
Inst random_inst(Op op, std::mt19937_64& random) {
    Inst i = make(op);
    if (random() % 2 == 0) {
        i.format = Format::Vop3;
    }
    for (uint16_t& s : i.src) {
        switch (random() % 4) {
            case 0:
                s = static_cast<uint16_t>(random() % 104);
                break;
            case 1:
                s = static_cast<uint16_t>(128 + random() % 128);
                break;
            default:
                s = static_cast<uint16_t>(kVgprFirst + random() % (kRegisters - 1));
                break;
        }
    }
    if (i.format == Format::Vop3) {
        i.neg = random() % 8;
        i.abs = random() % 8;
        i.omod = random() % 4;
        i.clamp = random() % 2;
    }
    i.literal = static_cast<uint32_t>(random());
    i.vdst = static_cast<uint16_t>(random() % (kRegisters - 1));
    i.sdst = static_cast<uint16_t>(random() % 128);
    return i;
}
std::string describe(const Inst& i, const WaveState& w) {
    std::string text = op_info(i.op).name;
    text += i.format == Format::Vop3 ? " e64" : " e32";
    for (const uint16_t s : i.src) {
        text += " " + std::to_string(s);
    }
    return text + " neg " + std::to_string(i.neg) + " abs " + std::to_string(i.abs) + " omod " +
           std::to_string(i.omod) + " clamp " + std::to_string(i.clamp) + " float_mode " +
           std::to_string(w.mode.float_mode()) + " ieee " + std::to_string(w.mode.ieee) + " exec " +
           hex(w.exec());
}
std::string first_difference(const Wave& a, const Wave& b) {
    for (unsigned r = 0; r < kRegisters; ++r) {
        for (unsigned l = 0; l < kLanes; ++l) {
            if (a.w.v[r][l] != b.w.v[r][l]) {
                return "v" + std::to_string(r) + " lane " + std::to_string(l) + ": " +
                       hex(a.w.v[r][l]) + " and " + hex(b.w.v[r][l]);
            }
        }
    }
    for (unsigned s = 0; s < 128; ++s) {
        if (a.w.s[s] != b.w.s[s]) {
            return "s" + std::to_string(s) + ": " + hex(a.w.s[s]) + " and " + hex(b.w.s[s]);
        }
    }
    return a.w.scc == b.w.scc ? "" : "scc";
}
void copy_state(Wave& to, const Wave& from) {
    *to.storage = *from.storage;
    to.w = from.w;
    to.w.v = to.storage->v;
}

TEST(ValuLevels, EveryOpcodeIsImplementedOnEveryLevel) {
    const std::vector<Op> ops = valu_ops();
    EXPECT_EQ(ops.size(), 359u);
    for (const Op op : ops) {
        EXPECT_NE(find_valu(op), nullptr) << op_info(op).name;
        EXPECT_NE(valu_table("portable")->fn[static_cast<unsigned>(op)], nullptr);
        if (const ValuTable* table = valu_table("avx2")) {
            EXPECT_NE(table->fn[static_cast<unsigned>(op)], nullptr);
        }
    }
    EXPECT_EQ(find_valu(Op::S_ADD_U32), nullptr);
    EXPECT_EQ(find_valu(Op::Illegal), nullptr);
    EXPECT_EQ(find_valu(static_cast<Op>(0xffff)), nullptr);
    EXPECT_EQ(valu_table("unknown"), nullptr);
}
TEST(ValuLevels, PortableAndAvx2GiveTheSameBits) {
    const ValuTable* avx2 = valu_table("avx2");
    if (avx2 == nullptr) {
        GTEST_SKIP() << "this host has no AVX2: nothing to compare the portable level with";
    }
    const ValuTable* portable = valu_table("portable");
    std::mt19937_64 random(42);
    for (const Op op : valu_ops()) {
        unsigned failures = 0;
        for (unsigned round = 0; round < 150 && failures < 3; ++round) {
            Wave a, b;
            randomise(a, random);
            copy_state(b, a);
            const Inst i = random_inst(op, random);
            const std::string text = describe(i, a.w);
            portable->fn[static_cast<unsigned>(op)](i, a.w);
            avx2->fn[static_cast<unsigned>(op)](i, b.w);
            const std::string difference = first_difference(a, b);
            if (!difference.empty()) {
                ++failures;
                ADD_FAILURE() << text << ": " << difference << " (portable and avx2)";
            }
        }
    }
}
TEST(ValuLevels, InactiveLanesAndOtherRegistersKeepTheirValues) {
    std::mt19937_64 random(43);
    for (const Op op : valu_ops()) {
        if (ignores_exec(op)) {
            continue;  // covered by LaneReference
        }
        const OpInfo& info = op_info(op);
        for (unsigned round = 0; round < 20; ++round) {
            Wave before, after;
            randomise(before, random);
            if (moves_relative(op)) {
                before.w.s[kM0] = 0;
            }
            copy_state(after, before);
            const Inst i = random_inst(op, random);
            const uint64_t exec = before.w.exec();
            find_valu(op)(i, after.w);
            const bool mask_result = info.format == Format::Vopc;
            const unsigned written = mask_result ? 0 : info.dst_dwords;
            for (unsigned r = 0; r < kRegisters; ++r) {
                const bool is_dst = r >= i.vdst && r < i.vdst + written;
                for (unsigned l = 0; l < kLanes; ++l) {
                    // Compared as numbers: text is for the report only.
                    if ((!is_dst || !(exec >> l & 1)) && after.w.v[r][l] != before.w.v[r][l]) {
                        FAIL() << describe(i, before.w) << " v" << r << " lane " << l << ": "
                               << hex(after.w.v[r][l]) << " and " << hex(before.w.v[r][l]);
                    }
                }
            }
            const bool writes_mask = info.has(kOpMaskOut);
            for (unsigned s = 0; s < 128; ++s) {
                const unsigned dst = i.format == Format::Vop3 || info.format == Format::Vop3
                                         ? i.sdst
                                         : unsigned(kVccLo);
                const bool is_mask = writes_mask && (s == dst || s == dst + 1);
                const bool is_exec = info.has(kOpExecOut) && s >= kExecLo;
                if (!is_mask && !is_exec && after.w.s[s] != before.w.s[s]) {
                    FAIL() << describe(i, before.w) << " s" << s << ": " << hex(after.w.s[s])
                           << " and " << hex(before.w.s[s]);
                }
            }
        }
    }
}
TEST(ValuLevels, GuardDoesNotChangeResults) {
    std::mt19937_64 random(44);
    Wave alone, guarded;
    for (unsigned round = 0; round < 3; ++round) {
        for (const Op op : valu_ops()) {
            randomise(alone, random);
            copy_state(guarded, alone);
            const Inst i = random_inst(op, random);
            const std::string text = describe(i, alone.w);
            find_valu(op)(i, alone.w);
            {
                const FpEnvGuard guard;
                // Leave another environment for the instruction to replace.
                Wave other;
                other.w.mode = mode_of(round, 2 - round);
                find_valu(Op::V_ADD_F32)(make(Op::V_ADD_F32), other.w);
                find_valu(op)(i, guarded.w);
            }
            ASSERT_EQ(first_difference(alone, guarded), "") << text;
        }
    }
}
TEST(ValuLevels, BackendNamesTheLevelInUse) {
    const std::string name = lane_backend();
    ASSERT_NE(valu_table(name.c_str()), nullptr);
    EXPECT_EQ(find_valu(Op::V_ADD_F32),
              valu_table(name.c_str())->fn[static_cast<unsigned>(Op::V_ADD_F32)]);
}

}  // namespace
}  // namespace archipelago::isa::valu_test::valu_levels_test
