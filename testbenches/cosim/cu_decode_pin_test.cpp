// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "models/common/error.h"
#include "models/cu/pipeline/cu_decode_core.h"
#include "rtl-bridge/compare/cu_words.h"
#include "testbenches/cosim/on_pins.h"

namespace archipelago::rtl {
namespace {

using cu::Action;

class CuDecodePinsTest : public OnPins<CuDecodePins> {
  protected:
    Action action() const { return static_cast<Action>(out_.out.action); }
};

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
TEST_P(CuDecodePinsTest, GivesWhatTheModelDecodes) {
    cu::PinDecodeUnit unit(*block_);
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
