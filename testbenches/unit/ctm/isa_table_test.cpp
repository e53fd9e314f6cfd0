// SPDX-License-Identifier: Apache-2.0
// A row for every field of the words: its bits, and what they become; then what is reserved.
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "models/common/error.h"
#include "testbenches/unit/ctm/isa_program.h"

namespace archipelago::ctm::isa::test {
namespace {

// A field's bits as in the R5xx register descriptions, a legal value, and what decode() makes of
// it.
struct Row {
    Type type;
    Field field;
    unsigned word;
    uint32_t bits;  // all of the field's
    uint32_t value;
    std::function<uint32_t(const Instruction&)> decoded;
};

template <class Get>
Row row(Type type, Field field, unsigned word, uint32_t bits, uint32_t value, Get get) {
    return {type, field, word,
            bits, value, [get](const Instruction& i) {
                return static_cast<uint32_t>(get(i)); }};
}
#define CTM_ROW(type, field, word, bits, value, expression) \
    row(Type::type, Field::field, word, bits, value,        \
        [](const Instruction& i) { return expression; })

const std::vector<Row>& common_rows() {
    static const std::vector<Row> kRows{
        CTM_ROW(Alu, Type, 0, 0x3, 1, i.type),
        CTM_ROW(Alu, TexSemWait, 0, 0x4, 1, i.waits_for_semaphore),
        CTM_ROW(Alu, RgbPredSel, 0, 0x38, 5, i.alu.rgb.predicate),
        CTM_ROW(Alu, RgbPredInv, 0, 0x40, 1, i.alu.rgb.predicate_inverted),
        CTM_ROW(Alu, WriteInactive, 0, 0x80, 1, i.write_inactive),
        CTM_ROW(Out, Last, 0, 0x100, 1, i.last),
        CTM_ROW(Alu, Nop, 0, 0x200, 1, i.nop),
        CTM_ROW(Alu, AluWait, 0, 0x400, 1, i.waits_for_alu),
        CTM_ROW(Alu, RgbWmask, 0, 0x3800, 5, i.alu.rgb.write_mask),
        CTM_ROW(Alu, AlphaWmask, 0, 0x4000, 1, i.alu.alpha.write_mask),
        CTM_ROW(Out, RgbOmask, 0, 0x38000, 6, i.alu.rgb.output_mask),
        CTM_ROW(Out, AlphaOmask, 0, 0x40000, 1, i.alu.alpha.output_mask),
        CTM_ROW(Alu, RgbClamp, 0, 0x80000, 1, i.alu.rgb.clamp),
        CTM_ROW(Alu, AlphaClamp, 0, 0x100000, 1, i.alu.alpha.clamp),
        CTM_ROW(Alu, AluResultSel, 0, 0x200000, 1, i.alu.alu_result_of_alpha),
        CTM_ROW(Alu, AlphaPredInv, 0, 0x400000, 1, i.alu.alpha.predicate_inverted),
        CTM_ROW(Alu, AluResultOp, 0, 0x1800000, 2, i.alu.alu_result_compare),
        CTM_ROW(Alu, AlphaPredSel, 0, 0xe000000, 4, i.alu.alpha.predicate),
        CTM_ROW(Alu, StatWe, 0, 0xf0000000, 9, i.alu.predicate_write),
    };
    return kRows;
}

const std::vector<Row>& math_rows() {
    static const std::vector<Row> kRows{
        CTM_ROW(Alu, RgbAddr0, 1, 0xff, 0x55, i.alu.rgb.source[0].index),
        CTM_ROW(Alu, RgbAddr0Const, 1, 0x100, 1, i.alu.rgb.source[0].kind),
        CTM_ROW(Alu, RgbAddr0Rel, 1, 0x200, 1, i.alu.rgb.source[0].relative),
        CTM_ROW(Alu, RgbAddr1, 1, 0x3fc00, 0x2a, i.alu.rgb.source[1].index),
        CTM_ROW(Alu, RgbAddr1Const, 1, 0x40000, 1, i.alu.rgb.source[1].kind),
        CTM_ROW(Alu, RgbAddr1Rel, 1, 0x80000, 1, i.alu.rgb.source[1].relative),
        CTM_ROW(Alu, RgbAddr2, 1, 0xff00000, 0x7f, i.alu.rgb.source[2].index),
        CTM_ROW(Alu, RgbAddr2Const, 1, 0x10000000, 1, i.alu.rgb.source[2].kind),
        CTM_ROW(Alu, RgbAddr2Rel, 1, 0x20000000, 1, i.alu.rgb.source[2].relative),
        CTM_ROW(Alu, RgbSrcpOp, 1, 0xc0000000, 2, i.alu.rgb.presubtract),
        CTM_ROW(Alu, AlphaAddr0, 2, 0xff, 0x55, i.alu.alpha.source[0].index),
        CTM_ROW(Alu, AlphaAddr0Const, 2, 0x100, 1, i.alu.alpha.source[0].kind),
        CTM_ROW(Alu, AlphaAddr0Rel, 2, 0x200, 1, i.alu.alpha.source[0].relative),
        CTM_ROW(Alu, AlphaAddr1, 2, 0x3fc00, 0x2a, i.alu.alpha.source[1].index),
        CTM_ROW(Alu, AlphaAddr1Const, 2, 0x40000, 1, i.alu.alpha.source[1].kind),
        CTM_ROW(Alu, AlphaAddr1Rel, 2, 0x80000, 1, i.alu.alpha.source[1].relative),
        CTM_ROW(Alu, AlphaAddr2, 2, 0xff00000, 0x7f, i.alu.alpha.source[2].index),
        CTM_ROW(Alu, AlphaAddr2Const, 2, 0x10000000, 1, i.alu.alpha.source[2].kind),
        CTM_ROW(Alu, AlphaAddr2Rel, 2, 0x20000000, 1, i.alu.alpha.source[2].relative),
        CTM_ROW(Alu, AlphaSrcpOp, 2, 0xc0000000, 3, i.alu.alpha.presubtract),
        CTM_ROW(Alu, RgbSelA, 3, 0x3, 3, i.alu.rgb.operand[0].select),
        CTM_ROW(Alu, RedSwizA, 3, 0x1c, 6, i.alu.rgb.operand[0].swizzle[0]),
        CTM_ROW(Alu, GreenSwizA, 3, 0xe0, 5, i.alu.rgb.operand[0].swizzle[1]),
        CTM_ROW(Alu, BlueSwizA, 3, 0x700, 4, i.alu.rgb.operand[0].swizzle[2]),
        CTM_ROW(Alu, RgbModA, 3, 0x1800, 2, i.alu.rgb.operand[0].modifier),
        CTM_ROW(Alu, RgbSelB, 3, 0x6000, 1, i.alu.rgb.operand[1].select),
        CTM_ROW(Alu, RedSwizB, 3, 0x38000, 3, i.alu.rgb.operand[1].swizzle[0]),
        CTM_ROW(Alu, GreenSwizB, 3, 0x1c0000, 2, i.alu.rgb.operand[1].swizzle[1]),
        CTM_ROW(Alu, BlueSwizB, 3, 0xe00000, 6, i.alu.rgb.operand[1].swizzle[2]),
        CTM_ROW(Alu, RgbModB, 3, 0x3000000, 3, i.alu.rgb.operand[1].modifier),
        CTM_ROW(Alu, RgbOmod, 3, 0x1c000000, 5, i.alu.rgb.output_modifier),
        CTM_ROW(Alu, RgbTarget, 3, 0x60000000, 2, i.alu.rgb.target),
        CTM_ROW(Alu, AluWmask, 3, 0x80000000, 1, i.alu.writes_alu_result),
        CTM_ROW(Alu, AlphaOp, 4, 0xf, 12, i.alu.alpha_op),
        CTM_ROW(Alu, AlphaAddrd, 4, 0x7f0, 0x55, i.alu.alpha.destination),
        CTM_ROW(Alu, AlphaAddrdRel, 4, 0x800, 1, i.alu.alpha.destination_relative),
        CTM_ROW(Alu, AlphaSelA, 4, 0x3000, 2, i.alu.alpha.operand[0].select),
        CTM_ROW(Alu, AlphaSwizA, 4, 0x1c000, 5, i.alu.alpha.operand[0].swizzle[0]),
        CTM_ROW(Alu, AlphaModA, 4, 0x60000, 1, i.alu.alpha.operand[0].modifier),
        CTM_ROW(Alu, AlphaSelB, 4, 0x180000, 3, i.alu.alpha.operand[1].select),
        CTM_ROW(Alu, AlphaSwizB, 4, 0xe00000, 6, i.alu.alpha.operand[1].swizzle[0]),
        CTM_ROW(Alu, AlphaModB, 4, 0x3000000, 2, i.alu.alpha.operand[1].modifier),
        CTM_ROW(Alu, AlphaOmod, 4, 0x1c000000, 6, i.alu.alpha.output_modifier),
        CTM_ROW(Alu, AlphaTarget, 4, 0x60000000, 1, i.alu.alpha.target),
        CTM_ROW(Out, WOmask, 4, 0x80000000, 1, i.alu.writes_conditional),
        CTM_ROW(Alu, RgbOp, 5, 0xf, 9, i.alu.rgb_op),
        CTM_ROW(Alu, RgbAddrd, 5, 0x7f0, 0x2a, i.alu.rgb.destination),
        CTM_ROW(Alu, RgbAddrdRel, 5, 0x800, 1, i.alu.rgb.destination_relative),
        CTM_ROW(Alu, RgbSelC, 5, 0x3000, 1, i.alu.rgb.operand[2].select),
        CTM_ROW(Alu, RedSwizC, 5, 0x1c000, 3, i.alu.rgb.operand[2].swizzle[0]),
        CTM_ROW(Alu, GreenSwizC, 5, 0xe0000, 2, i.alu.rgb.operand[2].swizzle[1]),
        CTM_ROW(Alu, BlueSwizC, 5, 0x700000, 6, i.alu.rgb.operand[2].swizzle[2]),
        CTM_ROW(Alu, RgbModC, 5, 0x1800000, 3, i.alu.rgb.operand[2].modifier),
        CTM_ROW(Alu, AlphaSelC, 5, 0x6000000, 2, i.alu.alpha.operand[2].select),
        CTM_ROW(Alu, AlphaSwizC, 5, 0x38000000, 4, i.alu.alpha.operand[2].swizzle[0]),
        CTM_ROW(Alu, AlphaModC, 5, 0xc0000000, 1, i.alu.alpha.operand[2].modifier),
    };
    return kRows;
}

const std::vector<Row>& other_rows() {
    static const std::vector<Row> kRows{
        CTM_ROW(Texture, TexId, 1, 0xf0000, 13, i.texture.input),
        CTM_ROW(Texture, TexInst, 1, 0x1c00000, 3, i.texture.op),
        CTM_ROW(Texture, TexSemAcquire, 1, 0x2000000, 1, i.texture.acquires_semaphore),
        CTM_ROW(Texture, TexIgnoreUncovered, 1, 0x4000000, 1, i.texture.ignores_uncovered),
        CTM_ROW(Texture, TexUnscaled, 1, 0x8000000, 1, i.texture.unscaled),
        CTM_ROW(Texture, TexSrcAddr, 2, 0x7f, 0x55, i.texture.source),
        CTM_ROW(Texture, TexSrcAddrRel, 2, 0x80, 1, i.texture.source_relative),
        CTM_ROW(Texture, TexSrcSSwiz, 2, 0x300, 3, i.texture.source_swizzle[0]),
        CTM_ROW(Texture, TexSrcTSwiz, 2, 0xc00, 2, i.texture.source_swizzle[1]),
        CTM_ROW(Texture, TexSrcRSwiz, 2, 0x3000, 1, i.texture.source_swizzle[2]),
        CTM_ROW(Texture, TexSrcQSwiz, 2, 0xc000, 3, i.texture.source_swizzle[3]),
        CTM_ROW(Texture, TexDstAddr, 2, 0x7f0000, 0x2a, i.texture.destination),
        CTM_ROW(Texture, TexDstAddrRel, 2, 0x800000, 1, i.texture.destination_relative),
        CTM_ROW(Texture, TexDstRSwiz, 2, 0x3000000, 1, i.texture.destination_swizzle[0]),
        CTM_ROW(Texture, TexDstGSwiz, 2, 0xc000000, 2, i.texture.destination_swizzle[1]),
        CTM_ROW(Texture, TexDstBSwiz, 2, 0x30000000, 3, i.texture.destination_swizzle[2]),
        CTM_ROW(Texture, TexDstASwiz, 2, 0xc0000000, 1, i.texture.destination_swizzle[3]),
        CTM_ROW(FlowControl, FcOp, 2, 0x7, 6, i.flow.op),
        CTM_ROW(FlowControl, FcBElse, 2, 0x10, 1, i.flow.branch_else),
        CTM_ROW(FlowControl, FcJumpAny, 2, 0x20, 1, i.flow.jump_any),
        CTM_ROW(FlowControl, FcAOp, 2, 0xc0, 2, i.flow.address_op),
        CTM_ROW(FlowControl, FcJumpFunc, 2, 0xff00, 0xa5, i.flow.jump_function),
        CTM_ROW(FlowControl, FcBPopCnt, 2, 0x1f0000, 0x15, i.flow.branch_pop_count),
        CTM_ROW(FlowControl, FcBOp0, 2, 0x3000000, 1, i.flow.if_stay),
        CTM_ROW(FlowControl, FcBOp1, 2, 0xc000000, 2, i.flow.if_jump),
        CTM_ROW(FlowControl, FcIgnoreUncovered, 2, 0x10000000, 1, i.flow.ignores_uncovered),
        CTM_ROW(FlowControl, FcBoolAddr, 3, 0x1f, 0x15, i.flow.boolean),
        CTM_ROW(FlowControl, FcIntAddr, 3, 0x1f00, 0x0a, i.flow.integer),
        CTM_ROW(FlowControl, FcJumpAddr, 3, 0x1ff0000, 0x155, i.flow.jump_address),
        CTM_ROW(FlowControl, FcJumpGlobal, 3, 0x80000000, 1, i.flow.jump_global),
    };
    return kRows;
}

void check(const Row& r) {
    SCOPED_TRACE(info(r.field).name);
    const FieldInfo& f = info(r.field);
    EXPECT_EQ(unsigned(f.word), r.word);
    EXPECT_EQ(field_mask(f) << f.low, r.bits);
    EXPECT_NE(f.types & 1u << number(r.type), 0u);
    Words w = words_of(r.type, {});
    if (r.field != Field::Type) {
        EXPECT_EQ(r.decoded(decode(w)), 0u);
    }
    set(w, r.field, r.value);
    EXPECT_EQ(w[r.word] & r.bits, r.value << __builtin_ctz(r.bits));
    const Instruction i = decode(w);
    EXPECT_EQ(i.error, "");
    EXPECT_EQ(r.decoded(i), r.value);
}

TEST(CtmFields, EachIsDecodedFromItsBits) {
    size_t rows = 0;
    for (const auto* table : {&common_rows(), &math_rows(), &other_rows()}) {
        for (const Row& r : *table) {
            check(r);
        }
        rows += table->size();
    }
    // All but those of DXDY, which no program may use.
    EXPECT_EQ(rows, kFieldCount - 12);
}

TEST(CtmFields, NoneOverlapAndNamesDiffer) {
    for (const Type type : {Type::Alu, Type::Out, Type::FlowControl, Type::Texture}) {
        Words taken{};
        for (const FieldInfo& f : kFieldTable) {
            if ((f.types >> number(type) & 1) != 0) {
                const uint32_t mask = field_mask(f) << f.low;
                EXPECT_EQ(taken[f.word] & mask, 0u) << f.name;
                taken[f.word] |= mask;
            }
        }
    }
    for (const FieldInfo& f : kFieldTable) {
        for (const FieldInfo& g : kFieldTable) {
            EXPECT_TRUE(&f == &g || std::string(f.name) != g.name) << f.name;
        }
    }
}

TEST(CtmFields, InlineConstantsHaveFourBitsOfExponentAndThreeOfMantissa) {
    EXPECT_EQ(inline_constant(0), 0);
    EXPECT_EQ(inline_constant(1), 1 / 512.0F);
    EXPECT_EQ(inline_constant(7), 7 / 512.0F);
    EXPECT_EQ(inline_constant(8), 1 / 64.0F);
    EXPECT_EQ(inline_constant(7 << 3), 1);
    EXPECT_EQ(inline_constant((8 << 3) + 5), 3.25F);
    EXPECT_EQ(inline_constant(0x7f), 480);
}

// ---- reserved encodings

std::string error_of(const Words& words) {
    return decode(words).error;
}

TEST(CtmErrors, ReservedValuesAreNamed) {
    const Words alu{};
    const auto with_field = [](const Words& w, Field f, uint32_t value) {
        return error_of(with(w, {{f, value}}));
    };
    for (const Field f : {Field::RedSwizA, Field::GreenSwizB, Field::BlueSwizC, Field::AlphaSwizA,
                          Field::AlphaSwizB, Field::AlphaSwizC}) {
        EXPECT_EQ(with_field(alu, f, 7), std::string("reserved ") + info(f).name + " 7");
    }
    EXPECT_EQ(with_field(alu, Field::RgbOp, 6), "reserved RGB_OP 6");
    EXPECT_EQ(with_field(alu, Field::RgbOp, 13), "reserved RGB_OP 13");
    EXPECT_EQ(with_field(alu, Field::AlphaOp, 4), "reserved ALPHA_OP 4");
    EXPECT_EQ(with_field(alu, Field::RgbPredSel, 6), "reserved RGB_PRED_SEL 6");
    EXPECT_EQ(with_field(alu, Field::AlphaPredSel, 7), "reserved ALPHA_PRED_SEL 7");
    EXPECT_EQ(error_of(with(alu, {{Field::RgbAddr1, 0x80}, {Field::RgbAddr1Rel, 1}})),
              "reserved RGB_ADDR1: an inline constant that aL is added to");
    const Words tex = words_of(Type::Texture, {});
    EXPECT_EQ(with_field(tex, Field::TexInst, 7), "reserved TEX_INST 7");
    EXPECT_EQ(with_field(tex, Field::TexInst, 6), "TEX_INST DXDY: inputs have no levels of detail");
    EXPECT_EQ(with_field(tex, Field::TexInst, 5), "TEX_INST LOD: inputs have no levels of detail");
    const Words fc = words_of(Type::FlowControl, {});
    EXPECT_EQ(with_field(fc, Field::FcAOp, 3), "reserved FC_A_OP 3");
    EXPECT_EQ(with_field(fc, Field::FcBOp0, 3), "reserved FC_B_OP0 3");
    EXPECT_EQ(with_field(fc, Field::FcBOp1, 3), "reserved FC_B_OP1 3");
    EXPECT_EQ(with_field(fc, Field::RgbPredSel, 1),
              "RGB_PRED_SEL RGBA in flow control: its predicate is not by channel");
}

TEST(CtmErrors, OperationsThatNeedTheOtherUnit) {
    for (const uint32_t alpha : {0u, 2u, 3u, 5u, 6u, 7u, 14u, 15u}) {
        EXPECT_EQ(error_of(with({}, {{Field::RgbOp, 10}, {Field::AlphaOp, alpha}})),
                  "RGB_OP SOP without a transcendental operation in ALPHA_OP");
    }
    for (const uint32_t rgb : {0u, 4u, 5u, 7u, 8u, 9u, 11u, 12u}) {
        EXPECT_EQ(error_of(with({}, {{Field::RgbOp, rgb}, {Field::AlphaOp, 1}})),
                  "ALPHA_OP DP without a dot product in RGB_OP");
    }
}

TEST(CtmErrors, OnlyWhatPassesBitsMaySwitchTheOutputModifierOff) {
    for (uint32_t op = 0; op < 13; ++op) {
        const bool passes = op == 4 || op == 5 || op == 7 || op == 8;
        Words w = with({}, {{Field::RgbOp, op}, {Field::RgbOmod, 7}});
        set(w, Field::AlphaOp, op == 10 ? 8 : 0);
        if (op != 6) {
            EXPECT_EQ(error_of(w).empty(), passes) << op;
        }
    }
    for (uint32_t op = 0; op < 16; ++op) {
        const bool passes = op == 2 || op == 3 || op == 5 || op == 6;
        Words w = with({}, {{Field::AlphaOp, op}, {Field::AlphaOmod, 7}});
        set(w, Field::RgbOp, op == 1 ? 1 : 0);
        if (op != 4) {
            EXPECT_EQ(error_of(w).empty(), passes) << op;
        }
    }
}

TEST(CtmErrors, ReservedBitsAreIgnored) {
    Words fc = words_of(Type::FlowControl, {});
    fc[1] = fc[4] = fc[5] = 0xffffffff;
    fc[2] = 0xe0e00008;
    fc[3] = 0x7e00e0e0;
    EXPECT_EQ(error_of(fc), "");
    EXPECT_EQ(decode(fc).flow.jump_address, 0);
    Words tex = words_of(Type::Texture, {});
    tex[1] = 0xf020ffff;
    EXPECT_EQ(error_of(tex), "");
}

std::string stop_of(const Words& words, Thread& thread, const Surroundings& s = {}) {
    Effects effects;
    try {
        step(words, s, thread, effects);
    } catch (const MachineStop& stop) {
        return stop.kind() == StopKind::BadInput ? stop.what() : "another kind";
    }
    return "no stop";
}

TEST(CtmErrors, StopsNameThreadPcAndType) {
    Thread t = thread_of(2);
    t.origin[0] = {6, 4};
    t.pc = 12;
    EXPECT_EQ(stop_of(words_of(Type::Texture, {{Field::TexInst, 7}}), t),
              "thread at (6, 4), pc 12, TEX: reserved TEX_INST 7");
    EXPECT_EQ(stop_of(with({}, {{Field::RgbOp, 6}}), t),
              "thread at (6, 4), pc 12, ALU: reserved RGB_OP 6");
}

TEST(CtmErrors, AProgramWithoutAFinalOutRunsOffItsEnd) {
    Thread t = thread_of(1);
    const std::vector<Words> program(kMaxInstructions, with({}, {{Field::Last, 1}}));
    Effects effects;
    try {
        run(program, {}, t, effects);
        FAIL() << "no stop";
    } catch (const MachineStop& stop) {
        EXPECT_STREQ(stop.what(),
                     "thread at (0, 0), pc 511, ALU: the program runs past its 512 instructions "
                     "without a final OUT with LAST");
    }
}

TEST(CtmErrors, RelativeAddressesOutsideTheirRegisters) {
    Thread t = thread_of(1);
    t.al = -3;
    const Words w = to_register(registers(math(Type::Alu, RgbOp::Max, AlphaOp::Max), 2, 2, 2), 5);
    EXPECT_EQ(stop_of(with(w, {{Field::RgbAddr0Rel, 1}}), t),
              "thread at (0, 0), pc 0, ALU: register 2 + aL is -1, outside 0 to 127");
    t.al = 126;
    EXPECT_EQ(stop_of(with(w, {{Field::AlphaAddrdRel, 1}}), t),
              "thread at (0, 0), pc 0, ALU: register 5 + aL is 131, outside 0 to 127");
    EXPECT_EQ(
        stop_of(
            with(w, {{Field::RgbAddr0, 200}, {Field::RgbAddr0Const, 1}, {Field::RgbAddr0Rel, 1}}),
            t),
        "thread at (0, 0), pc 0, ALU: float constant 200 + aL is 326, outside 0 to 255");
}

TEST(CtmErrors, UncachedOutputsOfSomeChannelsAndScaledCoordinates) {
    Thread t = thread_of(1);
    Surroundings s;
    s.mode.uncached_outputs = true;
    EXPECT_EQ(stop_of(out(0, 0, false, 7), t, s),
              "thread at (0, 0), pc 0, OUT: an uncached output writes all channels or none, not "
              "some of them");
    EXPECT_EQ(stop_of(words_of(Type::Texture,
                               {{Field::TexInst, 1}, {Field::TexId, 3}, {Field::RgbWmask, 1}}),
                      t),
              "thread at (0, 0), pc 0, TEX: scaled coordinates of input 3, which has no width and "
              "height");
}

TEST(CtmErrors, BranchCountersHoldSoManyLevels) {
    const auto levels = [](bool full) {
        Thread t = thread_of(1);
        t.alu_result = 1;  // lane 0 stays, the others go off in the first
        const Words enter =
            words_of(Type::FlowControl, {{Field::FcJumpFunc, 0x0f}, {Field::FcBOp0, 2}});
        Surroundings s;
        s.mode.full_flow_control = full;
        for (unsigned n = 0; n < 100; ++n) {
            t.alu_result = n == 0 ? 1 : 0xf;
            const std::string stop = stop_of(enter, t, s);
            if (stop != "no stop") {
                EXPECT_NE(stop.find("overflow of the branch counters"), std::string::npos) << stop;
                return n;
            }
        }
        return 0u;
    };
    EXPECT_EQ(levels(true), 32u);
    EXPECT_EQ(levels(false), 4u);
}

}  // namespace
}  // namespace archipelago::ctm::isa::test
