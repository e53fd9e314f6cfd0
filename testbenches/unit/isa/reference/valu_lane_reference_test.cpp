// SPDX-License-Identifier: Apache-2.0
// The vector opcodes that cross lanes or name registers relative to M0: whole wave compared, EXEC
// partial and empty, on both host levels. From CLRX GcnInstrsVop1.md, Vop2.md and AMD's GCN3 guide.
#include "testbenches/unit/isa/reference/valu_bench.h"

namespace archipelago::isa::reference {
namespace {

class LaneReference : public ::testing::Test {
  protected:
    void next_wave() {
        scramble(before_, rng_);
        const uint64_t execs[] = {~uint64_t{0}, rng_(), rng_() & rng_() & rng_(), 0,
                                  uint64_t{1} << rng_() % 64};
        before_.w.set_exec(execs[rng_() % 5]);
        before_.w.s[kM0] = static_cast<uint32_t>(rng_() % 3 == 0 ? rng_() : rng_() % 40);
        copy_wave(expected_, before_);
    }
    static Inst vop1(Op op, unsigned vdst, unsigned src0) {
        const uint32_t words[2] = {
            static_cast<uint32_t>(enc::vop1::kId.put(enc::vop1::kIdValue) |
                                  enc::vop1::kOp.put(op_info(op).number) |
                                  enc::vop1::kVdst.put(vdst) | enc::vop1::kSrc0.put(src0)),
            0x12345678};
        return decode(words, 2);
    }
    static Inst vop2(Op op, unsigned vdst, unsigned src0, unsigned src1) {
        const uint32_t words[2] = {
            static_cast<uint32_t>(enc::vop2::kId.put(enc::vop2::kIdValue) |
                                  enc::vop2::kOp.put(op_info(op).number) |
                                  enc::vop2::kVdst.put(vdst) | enc::vop2::kSrc0.put(src0) |
                                  enc::vop2::kVsrc1.put(src1)),
            0x12345678};
        return decode(words, 2);
    }
    bool active(unsigned lane) const { return (before_.w.exec() >> lane & 1) != 0; }
    void check(const Inst& inst) {
        ASSERT_NE(inst.format, Format::Illegal);
        for (const char* level : {"portable", "avx2"}) {
            if (valu_table(level) == nullptr) {
                continue;
            }
            copy_wave(actual_, before_);
            valu_table(level)->fn[static_cast<unsigned>(inst.op)](inst, actual_.w);
            for (unsigned r = 0; r < kRegs; ++r) {
                for (unsigned l = 0; l < kLanes; ++l) {
                    ASSERT_EQ(actual_.v[r][l], expected_.v[r][l])
                        << level << " " << disassemble(inst, 0) << " v" << r << " lane " << l
                        << " m0 " << before_.w.s[kM0];
                }
            }
            for (unsigned s = 0; s < 128; ++s) {
                ASSERT_EQ(actual_.w.s[s], expected_.w.s[s])
                    << level << " " << disassemble(inst, 0) << " scalar " << s;
            }
            ASSERT_EQ(actual_.w.scc, expected_.w.scc);
        }
    }

    Rng rng_{9};
    WaveImage before_, expected_, actual_;
};

TEST_F(LaneReference, ReadlaneTakesTheNamedLaneWhateverExecIs) {
    for (unsigned round = 0; round < 500; ++round) {
        next_wave();
        const unsigned reg = static_cast<unsigned>(rng_() % kRegs);
        const unsigned sdst = static_cast<unsigned>(rng_() % 104);
        const unsigned selectors[] = {static_cast<unsigned>(rng_() % 104), kM0,
                                      kConstZero + static_cast<unsigned>(rng_() % 65)};
        const unsigned selector = selectors[rng_() % 3];
        const uint64_t lane = scalar_value(before_.w, selector, 'u', 0) & 63;
        expected_.w.s[sdst] = before_.v[reg][lane];
        check(vop2(Op::V_READLANE_B32, sdst, kVgprFirst + reg, selector));
    }
}

TEST_F(LaneReference, WritelaneChangesTheNamedLaneWhateverExecIs) {
    for (unsigned round = 0; round < 500; ++round) {
        next_wave();
        const unsigned reg = static_cast<unsigned>(rng_() % kRegs);
        const unsigned selectors[] = {kM0, kConstZero + static_cast<unsigned>(rng_() % 65)};
        const unsigned selector = selectors[rng_() % 2];
        const unsigned sources[] = {static_cast<unsigned>(rng_() % 104), kVccHi,
                                    kFloatFirst + static_cast<unsigned>(rng_() % 8)};
        // two different registers besides M0 would need two scalar reads
        const unsigned source = selector == kM0 ? sources[2] : sources[rng_() % 3];
        const uint64_t lane = scalar_value(before_.w, selector, 'u', 0) & 63;
        expected_.v[reg][lane] = static_cast<uint32_t>(scalar_value(before_.w, source, 'u', 0));
        check(vop2(Op::V_WRITELANE_B32, reg, source, selector));
    }
}

TEST_F(LaneReference, ReadfirstlaneTakesTheLowestActiveLaneOrLaneZero) {
    for (unsigned round = 0; round < 500; ++round) {
        next_wave();
        unsigned first = 0;
        for (unsigned l = kLanes; l-- > 0;) {
            first = active(l) ? l : first;
        }
        const unsigned reg = static_cast<unsigned>(rng_() % kRegs);
        const unsigned sdst = static_cast<unsigned>(rng_() % 104);
        expected_.w.s[sdst] = before_.v[reg][first];
        check(vop1(Op::V_READFIRSTLANE_B32, sdst, kVgprFirst + reg));
    }
}

// Beyond the allocation a source is v0 and a destination is not written.
TEST_F(LaneReference, RelativeMovesAddM0InActiveLanes) {
    for (unsigned round = 0; round < 1500; ++round) {
        next_wave();
        const unsigned src = static_cast<unsigned>(rng_() % kRegs);
        const unsigned dst = static_cast<unsigned>(rng_() % kRegs);
        const uint64_t m0 = before_.w.s[kM0];
        const uint64_t far_src = src + m0 < kRegs ? src + m0 : 0;
        const bool far_dst_inside = dst + m0 < kRegs;
        const unsigned kind = round % 3;
        for (unsigned l = 0; l < kLanes; ++l) {
            if (!active(l)) {
                continue;
            }
            const uint32_t x = before_.v[kind == 0 ? src : far_src][l];
            if (kind == 1) {
                expected_.v[dst][l] = x;
            } else if (far_dst_inside) {
                expected_.v[dst + m0][l] = x;
            }
        }
        const Op ops[] = {Op::V_MOVRELD_B32, Op::V_MOVRELS_B32, Op::V_MOVRELSD_B32};
        check(vop1(ops[kind], dst, kVgprFirst + src));
    }
}

TEST_F(LaneReference, NopAndClrexcpChangeNothing) {
    for (unsigned round = 0; round < 20; ++round) {
        next_wave();
        check(vop1(Op::V_NOP, 0, kConstZero));
        check(vop1(Op::V_CLREXCP, 0, kConstZero));
    }
}

}  // namespace
}  // namespace archipelago::isa::reference
