// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "models/common/error.h"
#include "models/cu/pipeline/cu_decode_core.h"
#include "rtl-bridge/compare/cu_words.h"
#include "testbenches/cosim/on_pins.h"

namespace archipelago::rtl {
namespace {

using cu::Action;
using isa::Class;
using isa::Format;
using isa::Rate;

class CuDecodePinsTest : public OnPins<CuDecodePins> {
  protected:
    // What these words say, one cycle after them.
    const CuDecodePins::Result& decode(uint32_t first, uint32_t second = 0, bool skip = false) {
        in_.in = {first, second, static_cast<uint8_t>(skip)};
        in_.in_valid = 1;
        in_.out_ready = 1;
        step();
        EXPECT_EQ(out_.in_ready, 1);
        in_.in_valid = 0;
        step();
        EXPECT_EQ(out_.out_valid, 1);
        return out_.out;
    }
    Action action() const { return static_cast<Action>(out_.out.action); }
    Format format() const { return static_cast<Format>(out_.out.format); }
    Class cls() const { return static_cast<Class>(out_.out.cls); }
};

// s_add_u32 s4, s2, s3
TEST_P(CuDecodePinsTest, AScalarInstructionNamesWhatItReadsAndChanges) {
    const auto& r = decode(0x80040302);
    EXPECT_EQ(format(), Format::Sop2);
    EXPECT_EQ(action(), Action::Scalar);
    EXPECT_EQ(cls(), Class::Salu);
    EXPECT_EQ(r.two, 0);
    EXPECT_EQ(r.op, 0);
    EXPECT_EQ(r.num_src, 2);
    EXPECT_EQ(r.src0, 2);
    EXPECT_EQ(r.src1, 3);
    EXPECT_EQ(r.sdst, 4);
    EXPECT_EQ(r.sgprs_used, 5);
    EXPECT_EQ(r.sgprs[0], 0b1100u);
    EXPECT_EQ(r.status_changed, cu::kStatusScc);
}

// s_mov_b32 s0, 0x12345678
TEST_P(CuDecodePinsTest, ALiteralMakesTwoDwords) {
    const auto& r = decode(0xbe8003ff, 0x12345678);
    EXPECT_EQ(action(), Action::Scalar);
    EXPECT_EQ(r.two, 1);
    EXPECT_EQ(r.literal, 0x12345678u);
}

// s_mov_b64 with odd registers; s_mov_b32 of the reserved codes 104 and 125.
TEST_P(CuDecodePinsTest, OddPairsAndReservedCodesAreIllegal) {
    for (const uint32_t words : {0xbe810402u, 0xbe820401u, 0xbee80300u, 0xbe80037du}) {
        const auto& r = decode(words);
        EXPECT_EQ(action(), Action::Illegal) << std::hex << words;
        EXPECT_EQ(format(), Format::Illegal);
        EXPECT_EQ(r.sdst, 0);
        EXPECT_EQ(r.sgprs_used, 0);
    }
    EXPECT_EQ(decode(0xbe820404).two, 0);
    EXPECT_EQ(action(), Action::Scalar);
}

// An illegal destination beside a literal: what follows begins after the literal.
TEST_P(CuDecodePinsTest, AnIllegalInstructionHasItsLength) {
    EXPECT_EQ(decode(0xbee803ff).two, 1);
    EXPECT_EQ(action(), Action::Illegal);
    // No such opcode of SOP1: one dword, regardless of its source.
    EXPECT_EQ(decode(0xbe8000ff).two, 0);
    // No such opcode of VOP3, two dwords by its encoding.
    EXPECT_EQ(decode(0xd3fe0000).two, 1);
    EXPECT_EQ(action(), Action::Illegal);
}

// s_waitcnt vmcnt(5) expcnt(3) lgkmcnt(9)
TEST_P(CuDecodePinsTest, WaitcntGivesItsLimits) {
    const auto& r = decode(0xbf8c0000 | 9 << 8 | 3 << 4 | 5);
    EXPECT_EQ(action(), Action::Wait);
    EXPECT_EQ(r.wait_vm, 5);
    EXPECT_EQ(r.wait_exp, 3);
    EXPECT_EQ(r.wait_lgkm, 9);
}

// v_add_f32 v1, v2, v3 in both of its encodings.
TEST_P(CuDecodePinsTest, AVectorOpcodeHasVop3sNumberInEveryEncoding) {
    for (const bool vop3 : {false, true}) {
        const auto& r = vop3 ? decode(0xd2060001, 0x00020702) : decode(0x06020702);
        EXPECT_EQ(format(), vop3 ? Format::Vop3 : Format::Vop2);
        EXPECT_EQ(action(), Action::Valu);
        EXPECT_EQ(static_cast<Rate>(r.rate), Rate::Full);
        EXPECT_EQ(r.op, 256 + 3);
        EXPECT_EQ(r.src0, 256 + 2);
        EXPECT_EQ(r.src1, 256 + 3);
        EXPECT_EQ(r.vdst, 1);
        EXPECT_EQ(r.vgprs_used, 4);
    }
}

// v_cmpx_lt_f32 vcc, v0, v1
TEST_P(CuDecodePinsTest, AComparisonWritesVccAndPerhapsExec) {
    const auto& r = decode(0x7c220300);
    EXPECT_EQ(r.compares, 1);
    EXPECT_EQ(r.sdst, isa::kVccLo);
    EXPECT_EQ(r.sgprs[1], uint64_t{3} << (isa::kVccLo - 64));
    EXPECT_EQ(r.status_changed, cu::kStatusVcc | cu::kStatusExec);
}

// buffer_load_dword to LDS, then with a status, then buffer_load_dwordx2 to LDS.
TEST_P(CuDecodePinsTest, OnlyLoadsOfOneDwordGoToLds) {
    decode(0xe0310000, 0x80000000);
    EXPECT_EQ(action(), Action::VectorMem);
    decode(0xe0310000, 0x80800000);
    EXPECT_EQ(action(), Action::Unimplemented);
    decode(0xe0350000, 0x80000000);
    EXPECT_EQ(action(), Action::Unimplemented);
    EXPECT_EQ(cls(), Class::Vmem);
}

// ds_read2_b64 v[4:7], v1
TEST_P(CuDecodePinsTest, ADataShareInstructionSaysWhatItMoves) {
    const auto& r = decode(0xd9dc0000, 0x04000001);
    EXPECT_EQ(action(), Action::Lds);
    EXPECT_EQ(r.lds_operands, 1);
    EXPECT_EQ(r.lds_dwords, 4);
    EXPECT_EQ(r.vgprs_used, 8);
    decode(0xd9de0000, 0x04000001);  // with gds
    EXPECT_EQ(action(), Action::Gds);
    EXPECT_EQ(out_.out.lds_dwords, 0);
}

TEST_P(CuDecodePinsTest, InVectorSkipModeOnlyScalarInstructionsHaveAnEffect) {
    const auto& r = decode(0x06020702, 0, true);
    EXPECT_EQ(action(), Action::NoEffect);
    EXPECT_EQ(cls(), Class::Internal);
    EXPECT_EQ(r.vgprs_used, 0);
    EXPECT_EQ(r.src0, 256 + 2);
    decode(0x80040302, 0, true);
    EXPECT_EQ(action(), Action::Scalar);
}

TEST_P(CuDecodePinsTest, ADecodedInstructionStaysUntilItIsTaken) {
    in_.in = {0x80040302, 0, 0};
    in_.in_valid = 1;
    step();
    in_.in.first = 0xbf810000;  // s_endpgm
    for (int i = 0; i < 3; ++i) {
        step();
        EXPECT_EQ(out_.out_valid, 1);
        EXPECT_EQ(out_.in_ready, 0);
        EXPECT_EQ(action(), Action::Scalar);
    }
    in_.out_ready = 1;
    step();
    EXPECT_EQ(out_.in_ready, 1);
    in_.in_valid = 0;
    step();
    EXPECT_EQ(action(), Action::End);
    step();
    EXPECT_EQ(out_.out_valid, 0);
    EXPECT_EQ(out_.out.cls, 0);
}

TEST_P(CuDecodePinsTest, ResetDropsADecodedInstruction) {
    in_.in = {0x80040302, 0, 0};
    in_.in_valid = 1;
    step();
    in_.rst = 1;
    step();
    in_.rst = 0;
    in_.in_valid = 0;
    step();
    EXPECT_EQ(out_.out_valid, 0);
}

// A decoder that reads instructions as another one, and one that is silent.
class WrongDecoder : public PinBlock<CuDecodePins> {
  public:
    explicit WrongDecoder(bool silent) : silent_(silent) {}
    void step(const CuDecodePins::In& in, CuDecodePins::Out& out) override {
        core_.step(in, out);
        if (silent_)
            out.out_valid = 0;
        else if (out.out_valid != 0)
            ++out.out.vdst;
    }

  private:
    bool silent_;
    cu::CuDecodeCore core_;
};

std::string stop_of(PinBlock<CuDecodePins>& decoder) {
    cu::PinDecodeUnit unit(decoder);
    try {
        unit.decode(0x06020702, 0, false);
    } catch (const MachineStop& stop) {
        return stop.what();
    }
    return "decoded";
}

TEST(PinDecodeUnit, ADecoderThatReadsOtherwiseOrNotAtAllStopsTheMachine) {
    WrongDecoder wrong(false), silent(true);
    EXPECT_THAT(stop_of(wrong), testing::HasSubstr("0x06020702 0x00000000: out_vdst is 0x2, the "
                                                   "model says 0x1"));
    EXPECT_THAT(stop_of(silent), testing::HasSubstr("gives no decoded instruction"));
}

// What comes from the pins is what the model decodes, in and out of vector skip mode.
TEST(PinDecodeUnit, GivesWhatTheModelDecodes) {
    cu::CuDecodeCore core;
    cu::PinDecodeUnit unit(core);
    Random random(3);
    CuWords generator(random);
    for (const CuEncoding& e : cu_encodings())
        for (unsigned i = 0; i < 40 * e.numbers; ++i) {
            const CuDecodePins::Words w = generator.of(e, i % e.numbers);
            const uint32_t words[2] = {w.first, w.second};
            const cu::Decoded model = cu::make_decoded(words, 2, w.skip != 0);
            const cu::Decoded d = unit.decode(w.first, w.second, w.skip != 0);
            EXPECT_EQ(d.inst.op, model.inst.op) << std::hex << w.first << " " << w.second;
            EXPECT_EQ(d.inst.exec, model.inst.exec);
            EXPECT_EQ(d.inst.simm16, model.inst.simm16);
            EXPECT_EQ(d.inst.words[0], model.inst.words[0]);
            EXPECT_EQ(d.inst.words[1], model.inst.words[1]);
            EXPECT_EQ(d.inst.dwords, model.inst.dwords);
            EXPECT_EQ(d.dwords, model.dwords);
            EXPECT_EQ(d.flops, model.flops);
            EXPECT_EQ(d.f64, model.f64);
            EXPECT_EQ(isa::disassemble(d.inst, 0), isa::disassemble(model.inst, 0));
        }
}

INSTANTIATE_TEST_SUITE_P(On, CuDecodePinsTest,
                         testing::ValuesIn(core_and_rtl<CuDecodePins, cu::CuDecodeCore>()), kName);

}  // namespace
}  // namespace archipelago::rtl
