// SPDX-License-Identifier: Apache-2.0
// Every vector ALU opcode against the reference of valu_ops.cpp, on both host levels.
#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "testbenches/unit/isa/reference/approximations.h"
#include "testbenches/unit/isa/reference/valu_bench.h"

namespace archipelago::isa::reference {
namespace {

bool is_float(const ValuOp& op) {
    return op.types.find_first_of("fFh") != std::string::npos;
}
bool native_only(const ValuOp& op) {
    return op_info(find_op(op.name)).has(kOpNoVop3);
}
bool vop3_only(const ValuOp& op) {
    return op_info(find_op(op.name)).format == Format::Vop3;
}
std::string test_name(const std::string& name) {
    std::string t;
    bool upper = true;
    for (const char c : name) {
        if (c == '_') {
            upper = true;
        } else {
            t += upper ? static_cast<char>(std::toupper(c)) : c;
            upper = false;
        }
    }
    return t;
}
// A mode whose f32 and f64 halves differ, so that using the wrong half is seen.
Mode mixed_mode(unsigned n, unsigned other) {
    Mode m = mode_number(n);
    m.fp_round_64 = static_cast<uint8_t>(other & 3);
    m.fp_denorm_64 = static_cast<uint8_t>(other >> 2 & 3);
    return m;
}

class EveryOpcode : public ::testing::TestWithParam<ValuOp> {};

// All tuples of edge values (three-source opcodes: of a part of them) in all modes.
TEST_P(EveryOpcode, GivesTheReferenceBitsForEdgeValuesInEveryMode) {
    const ValuOp& op = GetParam();
    const std::string sources = op.sources();
    Comparison compare;
    Rng rng(1);
    WaveImage wave;
    scramble(wave, rng);
    Form form;
    form.vop3 = vop3_only(op);
    form.literal = 0x40490fdb;
    const unsigned passes = sources.size() == 3 ? 8 : is_float(op) ? 64 : 1;
    unsigned failures = 0;
    for (unsigned pass = 0; pass < passes; ++pass) {
        std::vector<std::vector<uint64_t>> values;
        size_t tuples = 1;
        for (const char type : sources) {
            std::vector<uint64_t> v = edges(type);
            if (sources.size() == 3) {  // every third value, the same or others for each operand
                std::vector<uint64_t> part;
                size_t first = pass % 3 + (pass % 2 == 0 ? 0 : values.size());
                for (size_t n = first % 3; n<v.size(); n += v.size()> 30 ? 3 : 1) {
                    part.push_back(v[n]);
                }
                v = part;
            }
            tuples *= v.size();
            values.push_back(v);
        }
        const size_t batches = (tuples + kLanes - 1) / kLanes;
        for (size_t batch = 0; batch < batches; ++batch) {
            const unsigned mode =
                sources.size() == 3 ? static_cast<unsigned>(batch) * 8 + pass : pass;
            wave.w.mode = mixed_mode(mode & 63, op.types.find('F') != std::string::npos
                                                    ? mode
                                                    : static_cast<unsigned>(batch));
            if (op.types.find('F') != std::string::npos) {  // vary the f32 half instead
                wave.w.mode.fp_round_32 = static_cast<uint8_t>(batch & 3);
                wave.w.mode.fp_denorm_32 = static_cast<uint8_t>(batch >> 2 & 3);
            }
            wave.w.set_vcc(rng());
            for (unsigned l = 0; l < kLanes; ++l) {
                size_t index = (batch * kLanes + l) % tuples;
                for (unsigned n = 0; n < sources.size(); ++n) {
                    put(wave, 2 + 2 * n, sources[n], l, values[n][index % values[n].size()]);
                    index /= values[n].size();
                }
                wave.v[10][l] = static_cast<uint32_t>(
                    edges('f')[(batch + pass * 7 + l * 13) % edges('f').size()]);
            }
            failures += compare.run(op, form, wave) ? 0 : 1;
            if (failures == 4) {
                return;
            }
        }
    }
}

// Random values, operand kinds, modifiers, modes, EXEC and overlapping registers.
TEST_P(EveryOpcode, GivesTheReferenceBitsInEveryOperandForm) {
    const ValuOp& op = GetParam();
    const std::string sources = op.sources();
    Comparison compare;
    Rng rng(2);
    WaveImage wave;
    scramble(wave, rng);
    unsigned failures = 0;
    for (unsigned round = 0; round < 1200; ++round) {
        Form form;
        form.vop3 = vop3_only(op) || (!native_only(op) && rng() % 2 == 0);
        form.literal = static_cast<uint32_t>(any_value(wide(sources[0]) ? 'f' : sources[0], rng));
        bool scalar_used = has(op, 'i') && form.vop3;
        for (unsigned n = 0; n < sources.size(); ++n) {
            const char type = sources[n];
            for (unsigned l = 0; l < kLanes; ++l) {
                put(wave, 2 + 2 * n, type, l, any_value(type, rng));
                // ties matter to compares, medians and the division steps; one sign or both
                if (n != 0 && sources[n - 1] == type && rng() % 4 == 0) {
                    const unsigned from = 2 * static_cast<unsigned>(1 + rng() % n);
                    wave.v[2 + 2 * n][l] = wave.v[from][l];
                    wave.v[3 + 2 * n][l] = wave.v[from + 1][l];
                }
            }
            if ((n != 0 && !form.vop3) || rng() % 2 == 0) {
                continue;  // a VGPR
            }
            const bool constant_taken = native_only(op) && op.name != "v_cndmask_b32";
            const uint64_t kind = rng() % 5;
            if (kind == 0 && !scalar_used) {
                const unsigned s = static_cast<unsigned>(rng() % 50) * 2;
                const uint64_t x = any_value(type, rng);
                wave.w.s[s] = static_cast<uint32_t>(x);
                wave.w.s[s + 1] = static_cast<uint32_t>(x >> 32);
                form.src[n] = s;
                scalar_used = true;
            } else if (kind == 1) {
                form.src[n] = kConstZero + static_cast<unsigned>(rng() % 81);
            } else if (kind == 2) {
                form.src[n] = kFloatFirst + static_cast<unsigned>(rng() % 8);
            } else if (kind == 3 && !form.vop3 && !constant_taken) {
                form.src[n] = kLiteral;
            } else if (kind == 4 && !scalar_used && !wide(type)) {
                const unsigned special[] = {kVccLo, kVccHi, kM0, kExecLo, kVccz, kExecz, kScc};
                form.src[n] = special[rng() % 7];
                scalar_used = true;
            }
        }
        if (form.vop3) {
            const unsigned all = (1u << sources.size()) - 1;
            // modifiers where the document gives them a meaning, see the other test for the rest
            for (unsigned n = 0; n < sources.size(); ++n) {
                if (modified(sources[n])) {
                    form.neg |= static_cast<unsigned>(rng() & 1) << n;
                    form.abs |= static_cast<unsigned>(rng() & 1) << n;
                }
            }
            form.neg &= all;
            form.abs &= all;
            if (op.dst() == 'h') {
                form.clamp = rng() % 3 == 0;
            }
            if (op.dst() == 'f' || op.dst() == 'F') {
                form.omod = rng() % 3 == 0 ? static_cast<unsigned>(rng() % 4) : 0;
                form.clamp = rng() % 3 == 0;
            }
            const unsigned pairs[] = {20, 40, 98, kVccLo, kExecLo};
            form.sdst = pairs[rng() % 5];
            form.mask_src = pairs[rng() % 5];
            wave.w.set_s64(form.mask_src, rng());
        }
        const unsigned destinations[] = {10, 10, 2, 4, 6, 3, 1, 5};
        form.vdst = destinations[rng() % 8];
        wave.w.set_vcc(rng() % 8 == 0 ? 0 : rng());
        const uint64_t execs[] = {~uint64_t{0},
                                  rng(),
                                  rng() & rng() & rng(),
                                  0,
                                  uint64_t{1} << rng() % 64,
                                  0xffffffff,
                                  0xffffffff00000000};
        wave.w.set_exec(execs[rng() % 7]);
        wave.w.scc = (rng() & 1) != 0;
        wave.w.s[kM0] = static_cast<uint32_t>(any_value('u', rng));
        wave.w.mode =
            Mode::from_float_mode(static_cast<uint8_t>(rng()), (rng() & 1) != 0, (rng() & 1) != 0);
        failures += compare.run(op, form, wave) ? 0 : 1;
        if (failures == 4) {
            return;
        }
    }
}

// omod and clamp of integer results, neg and abs of integer sources: encodable, and without effect.
TEST_P(EveryOpcode, IgnoresModifiersItsTypesDoNotHave) {
    const ValuOp& op = GetParam();
    if (native_only(op)) {
        EXPECT_TRUE(op_info(find_op(op.name)).has(kOpConstant)) << "only v_madmk, v_madak";
        return;
    }
    const std::string sources = op.sources();
    Comparison compare;
    Rng rng(3);
    WaveImage wave;
    scramble(wave, rng);
    unsigned failures = 0;
    for (unsigned round = 0; round < 64 && failures < 2; ++round) {
        for (unsigned n = 0; n < sources.size(); ++n) {
            for (unsigned l = 0; l < kLanes; ++l) {
                put(wave, 2 + 2 * n, sources[n], l, any_value(sources[n], rng));
            }
        }
        Form form;
        form.vop3 = true;
        const unsigned all = (1u << sources.size()) - 1;
        form.neg = static_cast<unsigned>(rng()) & all;
        form.abs = static_cast<unsigned>(rng()) & all;
        form.omod = static_cast<unsigned>(rng() % 4);
        form.clamp = (rng() & 1) != 0;
        wave.w.mode =
            Mode::from_float_mode(static_cast<uint8_t>(rng()), (rng() & 1) != 0, (rng() & 1) != 0);
        wave.w.set_vcc(rng());
        failures += compare.run(op, form, wave) ? 0 : 1;
    }
}

INSTANTIATE_TEST_SUITE_P(Valu, EveryOpcode, ::testing::ValuesIn(valu_ops()),
                         [](const ::testing::TestParamInfo<ValuOp>& info) {
                             return test_name(info.param.name);
                         });

// Sources of one opcode that edges and random values would meet by chance only, all of them.
struct Sweep {
    const char* op;
    unsigned count;
    uint64_t (*source)(unsigned n, unsigned operand);
};
const Sweep kSweeps[] = {
    // every half, below bits that do not matter
    {"v_cvt_f32_f16", 0x10000, [](unsigned n, unsigned) { return uint64_t{0xabcd0000 | n}; }},
    // every half and every middle of two, of both signs, with a neighbour on either side
    {"v_cvt_f16_f32", 0x15400 * 6,
     [](unsigned n, unsigned) {
         return uint64_t{n % 2} << 31 | (0x32800000 + uint64_t{n / 6} * 0x1000 + n / 2 % 3 - 1);
     }},
    {"v_cvt_pkrtz_f16_f32", 0x15400 * 3,
     [](unsigned n, unsigned operand) {
         return uint64_t{operand} << 31 | (0x32800000 + uint64_t{n / 3} * 0x1000 + n % 3 - 1);
     }},
    // products around the smallest normal number
    {"v_mul_f32", 48 * 48,
     [](unsigned n, unsigned operand) {
         return uint64_t{0x1fffffe8} + (operand == 0 ? n % 48 : n / 48);
     }},
    {"v_mul_f64", 48 * 48,
     [](unsigned n, unsigned operand) {
         return uint64_t{0x1fffffffffffffe8} + (operand == 0 ? n % 48 : n / 48);
     }},
    // every exponent
    {"v_cvt_f32_f64", 4096,
     [](unsigned n, unsigned) { return uint64_t{n} << 52 | 0xa5a5a5a5a5a5a; }},
    {"v_fract_f64", 4096, [](unsigned n, unsigned) { return uint64_t{n} << 52 | 0xa5a5a5a5a5a5a; }},
    {"v_trig_preop_f64", 1024 * 4,
     [](unsigned n, unsigned operand) {
         return operand == 0 ? uint64_t{1000 + n / 4} << 52 : uint64_t{n % 4};
     }},
    // into the denormal numbers and out of range
    {"v_ldexp_f32", 512 * 64,
     [](unsigned n, unsigned operand) {
         return operand == 0 ? uint64_t{n % 64} * 0x05a5a5a5 & 0xffffffff : uint64_t{n / 64} - 256;
     }},
    {"v_ldexp_f64", 4600 * 16, [](unsigned n, unsigned operand) {
         return operand == 0 ? (uint64_t{n} * 0x9e3779b97f4a7c15) : uint64_t{n / 16} - 2300;
     }}};

TEST(ValuReference, SweepsGiveTheReferenceBitsInEveryMode) {
    for (const Sweep& sweep : kSweeps) {
        const auto op = std::find_if(valu_ops().begin(), valu_ops().end(),
                                     [&](const ValuOp& o) { return o.name == sweep.op; });
        ASSERT_NE(op, valu_ops().end()) << sweep.op;
        Comparison compare;
        Rng rng(9);
        WaveImage wave;
        scramble(wave, rng);
        Form form;
        form.vop3 = vop3_only(*op);
        const std::string sources = op->sources();
        for (unsigned n = 0, batch = 0; n < sweep.count; n += kLanes, ++batch) {
            wave.w.mode = mode_number(batch % 16);
            for (unsigned l = 0; l < kLanes; ++l)
                for (unsigned k = 0; k < sources.size(); ++k)
                    put(wave, 2 + 2 * k, sources[k], l, sweep.source(n + l, k));
            ASSERT_TRUE(compare.run(*op, form, wave)) << sweep.op << " from " << n;
        }
    }
}

// Random words: what the decoder calls legal, with all operand codes there are, does what the
// reference says. LDS-direct sources are tested with the LDS.
TEST(ValuReference, ExecutesAnyLegalEncodingAsTheReferenceDoes) {
    std::map<Op, const ValuOp*> by_op;
    for (const ValuOp& op : valu_ops()) {
        by_op[find_op(op.name)] = &op;
    }
    Comparison compare;
    Rng rng(4);
    WaveImage wave;
    scramble(wave, rng);
    unsigned legal = 0, failures = 0;
    for (unsigned round = 0; round < 50000 && failures < 8; ++round) {
        const auto source = [&]() -> unsigned {
            unsigned code = static_cast<unsigned>(rng() % 512);
            code = rng() % 2 == 0 ? code | 256 : code;
            return code >= kVgprFirst ? kVgprFirst + code % 31 : code == kLdsDirect ? 0 : code;
        };
        const uint32_t literal = static_cast<uint32_t>(any_value('f', rng));
        uint32_t words[2] = {static_cast<uint32_t>(rng()), literal};
        if (rng() % 2 == 0) {  // VOP1, VOP2, VOPC
            words[0] &= ~(0x1ffu | 0xffu << 9 | 0xffu << 17 | 1u << 31);
            words[0] |= source() | static_cast<uint32_t>(rng() % 31) << 9 |
                        static_cast<uint32_t>(rng() % 31) << 17;
            if (rng() % 2 == 0) {  // the opcode is where VOP2 has its destination
                words[0] = (words[0] & 0x1ff) | 0x3eu << 25 |
                           static_cast<uint32_t>(rng() % 31) << 9 |
                           static_cast<uint32_t>(rng() % 256) << 17;
            }
            if ((words[0] >> 25) == 0x3f) {
                words[0] = (words[0] & ~(0xffu << 9)) | static_cast<uint32_t>(rng() % 69) << 9;
            }
        } else {
            const uint64_t low = enc::vop3::kId.put(enc::vop3::kIdValue) |
                                 enc::vop3::kOp.put(rng() % 460) |
                                 (rng() & (enc::vop3::kAbs.put(7) | enc::vop3::kClamp.put(1))) |
                                 enc::vop3::kSrc0.put(source()) | enc::vop3::kSrc1.put(source()) |
                                 enc::vop3::kSrc2.put(source()) | enc::vop3::kOmod.put(rng() % 4) |
                                 enc::vop3::kNeg.put(rng() % 8);
            // the destination field names an SGPR in compares
            const uint64_t word = low | enc::vop3::kVdst.put(rng() % 31) |
                                  (rng() % 2 == 0 ? enc::vop3::kSdst.put(rng() % 128) : 0);
            words[0] = static_cast<uint32_t>(word);
            words[1] = static_cast<uint32_t>(word >> 32);
        }
        const Inst inst = decode(words, 2);
        const auto found = by_op.find(inst.op);
        if (inst.format == Format::Illegal || found == by_op.end()) {
            continue;
        }
        ++legal;
        const ValuOp& op = *found->second;
        Form form;
        form.vop3 = inst.format == Format::Vop3;
        const size_t sources = op.sources().size();
        for (size_t n = 0; n < sources; ++n) {
            form.src[n] = inst.src[n];
        }
        form.vdst = inst.vdst;
        form.sdst = form.vop3 ? inst.sdst : unsigned{kVccLo};
        form.mask_src = form.vop3 && has(op, 'i') ? inst.src[sources] : unsigned{kVccLo};
        form.literal = inst.literal;
        form.neg = inst.neg;
        form.abs = inst.abs;
        form.omod = inst.omod;
        form.clamp = inst.clamp;
        for (unsigned r = 0; r < kRegs; r += 2) {
            const char types[] = {'f', 'F', 'u'};
            const char type = types[rng() % 3];
            for (unsigned l = 0; l < kLanes; ++l) {
                const uint64_t x = any_value(type, rng);
                wave.v[r][l] = static_cast<uint32_t>(x);
                wave.v[r + 1][l] = type == 'F' ? static_cast<uint32_t>(x >> 32)
                                               : static_cast<uint32_t>(any_value(type, rng));
            }
        }
        for (unsigned code = 0; code < 128; ++code) {
            wave.w.s[code] = static_cast<uint32_t>(rng() % 2 == 0 ? any_value('f', rng) : rng());
        }
        wave.w.set_exec(rng() % 2 == 0 ? ~uint64_t{0} : rng());
        wave.w.mode =
            Mode::from_float_mode(static_cast<uint8_t>(rng()), (rng() & 1) != 0, (rng() & 1) != 0);
        failures += compare.run_decoded(op, form, inst, wave) ? 0 : 1;
    }
    EXPECT_GT(legal, 12000u);
}

TEST(ValuReference, CoversEveryOpcodeButThoseTestedApart) {
    std::set<Op> covered;
    for (const ValuOp& op : valu_ops()) {
        const Op found = find_op(op.name);
        ASSERT_NE(found, Op::Illegal) << op.name;
        EXPECT_TRUE(covered.insert(found).second) << op.name;
    }
    for (const Op op :
         {Op::V_NOP, Op::V_CLREXCP, Op::V_READLANE_B32, Op::V_READFIRSTLANE_B32,
          Op::V_WRITELANE_B32, Op::V_MOVRELD_B32, Op::V_MOVRELS_B32, Op::V_MOVRELSD_B32}) {
        EXPECT_TRUE(covered.insert(op).second);  // valu_lane_reference_test.cpp
    }
    for (const Approximation& a : approximations()) {
        EXPECT_TRUE(covered.insert(find_op(a.name)).second) << a.name;
    }
    for (unsigned n = 0; n < kOpCount; ++n) {
        const Op op = static_cast<Op>(n);
        const Format f = op_info(op).format;
        if (f == Format::Vop1 || f == Format::Vop2 || f == Format::Vopc || f == Format::Vop3) {
            EXPECT_EQ(covered.count(op), 1u) << op_info(op).name;
        }
    }
}

}  // namespace
}  // namespace archipelago::isa::reference
