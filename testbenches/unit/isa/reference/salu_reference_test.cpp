// SPDX-License-Identifier: Apache-2.0
// Every scalar ALU opcode against the reference of salu_ops.cpp: edge values, random values, every
// kind of operand, SCC both ways; the whole scalar state must be as expected.
#include "testbenches/unit/isa/reference/salu_ops.h"

#include <set>
#include <string>

#include "testbenches/unit/isa/machine.h"
#include "testbenches/unit/isa/reference/valu_bench.h"

namespace archipelago::isa::reference {
namespace {

class EveryScalarOpcode : public ::testing::TestWithParam<SaluOp> {
  protected:
    EveryScalarOpcode() {
        const std::string types = GetParam().types;
        dst_ = types[0];
        sources_ = types.substr(2);
        op_ = find_op(GetParam().name);
        log_ << GetParam().name;
    }
    static uint64_t read(const WaveState& w, unsigned code, char type, uint32_t literal) {
        return scalar_value(w, code, type, literal);
    }
    // Runs with these operand codes; false and a report at the first difference.
    bool run(const WaveState& before, unsigned sdst, unsigned src0, unsigned src1,
             uint32_t literal) {
        const OpInfo& info = op_info(op_);
        Inst inst;
        uint64_t b = 0;
        if (info.format == Format::Sop2) {
            inst = test::sop2(op_, sdst, src0, src1, literal);
        } else if (info.format == Format::Sop1) {
            inst = test::sop1(op_, sdst, src0, literal);
        } else if (info.format == Format::Sopc) {
            const uint32_t words[2] = {
                static_cast<uint32_t>(enc::sopc::kId.put(enc::sopc::kIdValue) |
                                      enc::sopc::kOp.put(info.number) |
                                      enc::sopc::kSsrc0.put(src0) | enc::sopc::kSsrc1.put(src1)),
                literal};
            inst = decode(words, 2);
        } else {
            inst = test::sopk(op_, sdst, literal & 0xffff);
        }
        if (inst.format == Format::Illegal || inst.exec == nullptr) {
            ADD_FAILURE() << log_.str() << " does not decode: " << sdst << " " << src0 << " "
                          << src1;
            return false;
        }
        const char wide_dst = dst_ == 'U' ? 'U' : 'u';
        const uint64_t a = sources_ == "k" ? 0 : read(before, src0, sources_[0], literal);
        if (sources_ == "k") {
            b = static_cast<uint64_t>(int64_t{static_cast<int16_t>(literal)});
        } else if (sources_.size() > 1) {
            b = read(before, src1, sources_[1], literal);
        }
        Scalar s;
        s.scc = before.scc;
        s.exec = before.exec();
        const uint64_t d = GetParam().fn(s, a, b, read(before, sdst, wide_dst, 0));
        WaveState expected = before;
        if (dst_ != '-' && s.write) {
            expected.s[sdst] = static_cast<uint32_t>(d);
            if (dst_ == 'U') {
                expected.s[sdst + 1] = static_cast<uint32_t>(d >> 32);
            }
        }
        if (s.exec != before.exec()) {
            expected.set_exec(s.exec);
        }
        expected.scc = s.scc;
        WaveState actual = before;
        inst.exec(inst, actual);
        for (unsigned n = 0; n < 128; ++n) {
            if (expected.s[n] != actual.s[n]) {
                ADD_FAILURE() << disassemble(inst, 0) << std::hex << " a " << a << " b " << b
                              << " scc " << before.scc << ": scalar " << std::dec << n << std::hex
                              << " is " << actual.s[n] << ", reference " << expected.s[n];
                return false;
            }
        }
        if (expected.scc != actual.scc || expected.pc != actual.pc ||
            expected.mode.float_mode() != actual.mode.float_mode() || expected.csp != actual.csp) {
            ADD_FAILURE() << disassemble(inst, 0) << std::hex << " a " << a << " b " << b << " scc "
                          << before.scc << ": SCC is " << actual.scc << ", reference "
                          << expected.scc;
            return false;
        }
        return true;
    }

    char dst_ = 'u';
    std::string sources_;
    Op op_{};
    std::ostringstream log_;
};

WaveState random_state(Rng& rng) {
    WaveState w;
    w.num_sgprs = 104;
    for (uint32_t& x : w.s) {
        x = static_cast<uint32_t>(rng());
    }
    w.scc = (rng() & 1) != 0;
    w.pc = rng() & ~uint64_t{3};
    return w;
}
void set_pair(WaveState& w, unsigned code, uint64_t x) {
    w.s[code] = static_cast<uint32_t>(x);
    w.s[code + 1] = static_cast<uint32_t>(x >> 32);
}

TEST_P(EveryScalarOpcode, GivesTheReferenceBitsAndSccForEdgeValues) {
    Rng rng(1);
    WaveState w = random_state(rng);
    const bool constant = sources_ == "k";
    const std::vector<uint64_t>& first = edges(constant ? 'u' : sources_[0]);
    const std::vector<uint64_t>& second = edges(sources_.size() > 1 ? sources_[1] : 'u');
    unsigned failures = 0;
    for (const uint64_t a : first) {
        for (const uint64_t b : second) {
            for (const bool scc : {false, true}) {
                w.scc = scc;
                set_pair(w, 10, a);
                // shift counts and fields: also the position of a field's width
                set_pair(w, 12, (rng() & 3) == 0 ? b | b << 16 : b);
                set_pair(w, 20, a);
                w.set_exec((rng() & 3) == 0 ? a : b ^ a << 32);
                failures += run(w, 20, 10, 12, static_cast<uint32_t>(b)) ? 0 : 1;
                ASSERT_LT(failures, 4u);
            }
        }
    }
}

TEST_P(EveryScalarOpcode, GivesTheReferenceBitsInEveryOperandForm) {
    Rng rng(2);
    unsigned failures = 0;
    const auto source = [&](char type, bool& literal) -> unsigned {
        switch (rng() % 6) {
            case 0:
                return kConstZero + static_cast<unsigned>(rng() % 81);
            case 1:
                return kFloatFirst + static_cast<unsigned>(rng() % 8);
            case 2:
                literal = true;
                return kLiteral;
            case 3: {
                const unsigned special[] = {kVccLo, kExecLo, kTbaLo,     kTmaLo,
                                            kVccz,  kExecz,  kTtmpFirst, kScc};
                return special[rng() % 8];
            }
            default:
                return type == 'U' ? static_cast<unsigned>(rng() % 52) * 2
                                   : static_cast<unsigned>(rng() % 104);
        }
    };
    for (unsigned round = 0; round < 4000; ++round) {
        WaveState w = random_state(rng);
        for (unsigned n = 0; n < 104; n += 2) {
            set_pair(w, n, any_value(rng() % 2 == 0 ? 'u' : 'U', rng));
        }
        if (rng() % 8 == 0) {
            w.set_vcc(0);
        }
        if (rng() % 8 == 0) {
            w.set_exec(0);
        }
        bool literal_used = false;
        const unsigned src0 = source(sources_[0], literal_used);
        const unsigned src1 = source(sources_.size() > 1 ? sources_[1] : 'u', literal_used);
        unsigned sdst = dst_ == 'U' ? static_cast<unsigned>(rng() % 52) * 2
                                    : static_cast<unsigned>(rng() % 104);
        if (rng() % 8 == 0) {
            const unsigned special[] = {kVccLo, kExecLo, kTtmpFirst};
            sdst = special[rng() % 3];
        }
        failures += run(w, sdst, src0, src1, static_cast<uint32_t>(any_value('u', rng))) ? 0 : 1;
        ASSERT_LT(failures, 4u);
    }
}

INSTANTIATE_TEST_SUITE_P(Salu, EveryScalarOpcode, ::testing::ValuesIn(salu_ops()),
                         [](const ::testing::TestParamInfo<SaluOp>& info) {
                             return std::string(info.param.name);
                         });

// s_movrel*: register plus M0; beyond the SGPRs a read gives s0 and a write is dropped.
TEST(ScalarReference, RelativeMovesAddM0ToTheRegisterNumber) {
    Rng rng(3);
    for (unsigned round = 0; round < 4000; ++round) {
        WaveState w = random_state(rng);
        const bool is_wide = rng() % 2 == 0, from = rng() % 2 == 0;
        const unsigned step = is_wide ? 2 : 1;
        const unsigned base = static_cast<unsigned>(rng() % (104 / step)) * step;
        const unsigned other = static_cast<unsigned>(rng() % (104 / step)) * step;
        const unsigned index = static_cast<unsigned>(rng() % (140 / step)) * step;
        w.s[kM0] = rng() % 16 == 0 ? static_cast<uint32_t>(rng()) & ~1u : index;
        const uint64_t at = uint64_t{base} + w.s[kM0];
        const bool inside = at + step <= 104;
        WaveState expected = w;
        Inst inst;
        if (from) {
            inst = test::sop1(is_wide ? Op::S_MOVRELS_B64 : Op::S_MOVRELS_B32, other, base);
            for (unsigned n = 0; n < step; ++n) {
                expected.s[other + n] = w.s[inside ? at + n : n];
            }
        } else {
            inst = test::sop1(is_wide ? Op::S_MOVRELD_B64 : Op::S_MOVRELD_B32, base, other);
            for (unsigned n = 0; n < step && inside; ++n) {
                expected.s[at + n] = w.s[other + n];
            }
        }
        WaveState actual = w;
        inst.exec(inst, actual);
        for (unsigned n = 0; n < 128; ++n) {
            ASSERT_EQ(actual.s[n], expected.s[n])
                << disassemble(inst, 0) << " m0 " << w.s[kM0] << " scalar " << n;
        }
        ASSERT_EQ(actual.scc, w.scc);
    }
}

TEST(ScalarReference, ProgramCounterMovesNameTheNextInstruction) {
    Rng rng(4);
    for (unsigned round = 0; round < 200; ++round) {
        WaveState w = random_state(rng);
        w.s[20] &= ~3u;  // an address of an instruction
        w.s[30] &= ~3u;
        WaveState get = w;
        Inst inst = test::sop1(Op::S_GETPC_B64, 20, 0);
        inst.exec(inst, get);
        EXPECT_EQ(get.s64(20), w.pc);
        WaveState swap = w;
        inst = test::sop1(Op::S_SWAPPC_B64, 20, 30);
        inst.exec(inst, swap);
        EXPECT_EQ(swap.s64(20), w.pc);
        EXPECT_EQ(swap.pc, w.s64(30));
        WaveState same = w;  // source and destination alike
        inst = test::sop1(Op::S_SWAPPC_B64, 20, 20);
        inst.exec(inst, same);
        EXPECT_EQ(same.s64(20), w.pc);
        EXPECT_EQ(same.pc, w.s64(20));
    }
}

// s_cbranch_g_fork, s_cbranch_i_fork: the smaller part goes first, the other waits on the SGPR
// stack as {EXEC mask, address}, four SGPRs an entry. s_cbranch_join takes it off.
TEST(ScalarReference, ForksRunTheSmallerPartFirstAndJoinsFetchTheOther) {
    Rng rng(5);
    for (unsigned round = 0; round < 4000; ++round) {
        WaveState w = random_state(rng);
        const bool immediate = rng() % 2 == 0;
        w.csp = static_cast<uint8_t>(rng() % 7);
        const uint64_t pairs[] = {0,        ~uint64_t{0}, rng(), rng() & rng() & rng(),
                                  w.exec(), ~w.exec()};
        set_pair(w, 60, pairs[rng() % 6]);
        w.s[62] &= ~3u;
        if (rng() % 8 == 0) {
            w.set_exec(0);
        }
        const uint16_t k = static_cast<uint16_t>(rng());
        const Inst inst = immediate ? test::sopk(Op::S_CBRANCH_I_FORK, 60, k)
                                    : test::sop2(Op::S_CBRANCH_G_FORK, 0, 60, 62);
        const uint64_t target =
            immediate ? w.pc + static_cast<uint64_t>(int64_t{static_cast<int16_t>(k)} * 4)
                      : w.s64(62);
        const uint64_t pass = w.exec() & w.s64(60), fail = w.exec() & ~w.s64(60);
        WaveState expected = w, actual = w;
        if (pass == w.exec()) {
            expected.pc = target;
        } else if (fail != w.exec()) {
            const bool fail_first = __builtin_popcountll(fail) < __builtin_popcountll(pass);
            expected.set_exec(fail_first ? fail : pass);
            set_pair(expected, w.csp * 4u, fail_first ? pass : fail);
            set_pair(expected, w.csp * 4u + 2, fail_first ? target : w.pc);
            expected.pc = fail_first ? w.pc : target;
            expected.csp = static_cast<uint8_t>(w.csp + 1);
        }
        inst.exec(inst, actual);
        ASSERT_EQ(actual.pc, expected.pc) << disassemble(inst, 0) << " round " << round;
        ASSERT_EQ(actual.csp, expected.csp);
        for (unsigned n = 0; n < 128; ++n) {
            ASSERT_EQ(actual.s[n], expected.s[n]) << disassemble(inst, 0) << " scalar " << n;
        }
        WaveState joined = expected;
        joined.s[64] = rng() % 2 == 0 ? expected.csp : expected.csp - 1u;
        WaveState after = joined;
        const Inst join = test::sop1(Op::S_CBRANCH_JOIN, 0, 64);
        if (joined.s[64] != joined.csp && joined.csp != 0) {
            joined.csp = static_cast<uint8_t>(joined.csp - 1);
            joined.set_exec(joined.s64(joined.csp * 4u));
            joined.pc = joined.s64(joined.csp * 4u + 2);
        } else if (joined.csp == 0) {
            continue;  // an empty stack is the hardware's trap, not a value
        }
        join.exec(join, after);
        ASSERT_EQ(after.pc, joined.pc) << "join, round " << round;
        ASSERT_EQ(after.csp, joined.csp);
        for (unsigned n = 0; n < 128; ++n) {
            ASSERT_EQ(after.s[n], joined.s[n]) << "join, scalar " << n;
        }
    }
}

// Opcodes of the scalar formats that the table does not hold are tested with control flow, the
// hardware registers and traps (scalar_control_test.cpp) or above.
TEST(ScalarReference, CoversEveryAluOpcode) {
    std::set<std::string> known = {"s_cbranch_g_fork",   "s_cbranch_i_fork", "s_cbranch_join",
                                   "s_getreg_b32",       "s_setreg_b32",     "s_getreg_regrd_b32",
                                   "s_setreg_imm32_b32", "s_getpc_b64",      "s_setpc_b64",
                                   "s_swappc_b64",       "s_rfe_b64",        "s_movrels_b32",
                                   "s_movrels_b64",      "s_movreld_b32",    "s_movreld_b64",
                                   "s_mov_regrd_b32",    "s_setvskip"};
    for (const SaluOp& op : salu_ops()) {
        EXPECT_TRUE(known.insert(op.name).second) << op.name;
        EXPECT_NE(find_op(op.name), Op::Illegal) << op.name;
    }
    for (unsigned n = 0; n < kOpCount; ++n) {
        const OpInfo& info = op_info(static_cast<Op>(n));
        if (info.format == Format::Sop1 || info.format == Format::Sop2 ||
            info.format == Format::Sopc || info.format == Format::Sopk) {
            EXPECT_EQ(known.count(info.name), 1u) << info.name;
        }
    }
}

}  // namespace
}  // namespace archipelago::isa::reference
