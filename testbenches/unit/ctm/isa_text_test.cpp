// SPDX-License-Identifier: Apache-2.0
// Program text: what lines mean, that disassembly comes back to the same words, and errors.
#include <gtest/gtest.h>

#include <fstream>
#include <random>

#include "models/ctm/isa/text.h"
#include "testbenches/unit/ctm/isa_program.h"

namespace archipelago::ctm::isa::test {
namespace {

Words assembled(const std::string& line) {
    const Assembly a = assemble(line);
    EXPECT_TRUE(a.errors.empty()) << line << ": " << (a.errors.empty() ? "" : a.errors[0].message);
    return a.program.size() == 1 ? a.program[0] : Words{};
}
std::string first_error(const std::string& text) {
    const Assembly a = assemble(text);
    if (a.errors.empty()) {
        return "none";
    }
    const TextError& e = a.errors[0];
    return std::to_string(e.line) + ":" + std::to_string(e.column) + ": " + e.message;
}

TEST(CtmText, LinesMeanTheirFields) {
    EXPECT_EQ(assembled("alu rgb(r1, r2, r3) mad r4.rgb, s0.rgb, s1.rgb, s2.rgb"
                        " | alpha(r1, r2, r3) mad r4.a, s0.a, s1.a, s2.a"),
              to_register(registers(math(Type::Alu, RgbOp::Mad, AlphaOp::Mad), 1, 2, 3), 4));
    EXPECT_EQ(assembled("alu rgb(r1, r2, r3) mad r4.rgb, s0, s1, s2"
                        " | alpha(r1, r2, r3) mad r4.a, s0, s1, s2"),
              to_register(registers(math(Type::Alu, RgbOp::Mad, AlphaOp::Mad), 1, 2, 3), 4));
    EXPECT_EQ(assembled("alu alpha(c200+aL, 1.5, r0, inv) rcp*4 sat r9+aL._, -abs(sp.r)"),
              with({}, {{Field::AlphaAddr0, 200},
                        {Field::AlphaAddr0Const, 1},
                        {Field::AlphaAddr0Rel, 1},
                        {Field::AlphaAddr1, 0x80 | 0x3c},
                        {Field::AlphaSrcpOp, 3},
                        {Field::AlphaOp, 10},
                        {Field::AlphaOmod, 2},
                        {Field::AlphaClamp, 1},
                        {Field::AlphaAddrd, 9},
                        {Field::AlphaAddrdRel, 1},
                        {Field::AlphaSelA, 3},
                        {Field::AlphaModA, 3}}));
    EXPECT_EQ(assembled("out rgb(r7, r7, r7) max.bits r0._, s0, s1, s2 | "
                        "alpha(r7, r7, r7) max.bits r0._, s0, s1, s2 rgb_out=o2.rgb "
                        "alpha_out=o2.a last sem_wait"),
              out(7, 2, true));
    EXPECT_EQ(assembled("alu predicate=ga rgb_test=ge alu_result=lt.a rgb_pred=!g alpha_pred=rgba"),
              with({}, {{Field::StatWe, 10},
                        {Field::RgbTarget, 2},
                        {Field::AluWmask, 1},
                        {Field::AluResultOp, 1},
                        {Field::AluResultSel, 1},
                        {Field::RgbPredSel, 3},
                        {Field::RgbPredInv, 1},
                        {Field::AlphaPredSel, 1}}));
    EXPECT_EQ(assembled("tex ld r3.rga, i5.gbar, r1+aL.grrr unscaled acquire sem_wait"),
              words_of(Type::Texture, {{Field::TexInst, 1},
                                       {Field::TexDstAddr, 3},
                                       {Field::RgbWmask, 3},
                                       {Field::AlphaWmask, 1},
                                       {Field::TexId, 5},
                                       {Field::TexDstRSwiz, 1},
                                       {Field::TexDstGSwiz, 2},
                                       {Field::TexDstBSwiz, 3},
                                       {Field::TexSrcAddr, 1},
                                       {Field::TexSrcAddrRel, 1},
                                       {Field::TexSrcSSwiz, 1},
                                       {Field::TexUnscaled, 1},
                                       {Field::TexSemAcquire, 1},
                                       {Field::TexSemWait, 1}}));
    EXPECT_EQ(assembled("fc jump 12 func=0x0f any else address=push stay=inc jump=dec levels=3 "
                        "bool=1 int=2 ignore_uncovered global"),
              words_of(Type::FlowControl, {{Field::FcJumpAddr, 12},
                                           {Field::FcJumpFunc, 15},
                                           {Field::FcJumpAny, 1},
                                           {Field::FcBElse, 1},
                                           {Field::FcAOp, 2},
                                           {Field::FcBOp0, 2},
                                           {Field::FcBOp1, 1},
                                           {Field::FcBPopCnt, 3},
                                           {Field::FcBoolAddr, 1},
                                           {Field::FcIntAddr, 2},
                                           {Field::FcIgnoreUncovered, 1},
                                           {Field::FcJumpGlobal, 1}}));
    EXPECT_EQ(assembled(".words 1 2 3 0x4 5 0xffffffff"), (Words{1, 2, 3, 4, 5, 0xffffffff}));
    EXPECT_EQ(assembled("alu RGB_OMASK=5"), with({}, {{Field::RgbOmask, 5}}));
}

TEST(CtmText, TheExampleOfTheReadmeAssembles) {
    std::ifstream file(ARCHIPELAGO_SOURCE_DIR "/models/ctm/isa/README.md");
    std::string readme{std::istreambuf_iterator<char>(file), {}};
    const size_t begin = readme.find("```\n") + 4;
    const Assembly a = assemble(readme.substr(begin, readme.find("```", begin) - begin));
    EXPECT_TRUE(a.errors.empty()) << a.errors[0].line << ": " << a.errors[0].message;
    EXPECT_EQ(a.program.size(), 5u);
}

TEST(CtmText, LabelsAndComments) {
    const Assembly a = assemble(
        "// a loop\nstart: fc rep end int=1\n\nagain:\n  alu // nothing\n"
        "  fc endrep again func=0xff any\nend: out last\n");
    ASSERT_TRUE(a.errors.empty()) << a.errors[0].message;
    ASSERT_EQ(a.program.size(), 4u);
    EXPECT_EQ(get(a.program[0], Field::FcJumpAddr), 3u);
    EXPECT_EQ(get(a.program[2], Field::FcJumpAddr), 1u);
}

TEST(CtmText, BytesBehindTheProgram) {
    const Assembly a = assemble("alu\n.byte 0x12\n.byte 255\n");
    ASSERT_TRUE(a.errors.empty());
    EXPECT_EQ(a.program.size(), 1u);
    EXPECT_EQ(a.tail, (std::vector<uint8_t>{0x12, 0xff}));
}

TEST(CtmText, DisassemblyIsReadable) {
    EXPECT_EQ(disassemble(to_register(registers(math(Type::Alu, RgbOp::Mad, AlphaOp::Mad), 1, 2, 3),
                                      4, 0xb)),
              "alu rgb(r1, r2, r3) mad r4.rg, s0.rgb, s1.rgb, s2.rgb | "
              "alpha(r1, r2, r3) mad r4.a, s0.a, s1.a, s2.a");
    EXPECT_EQ(disassemble({}), "alu");
    EXPECT_EQ(disassemble(with({}, {{Field::RgbOp, 6}})),
              ".words 0x00000000 0x00000000 0x00000000 0x00000000 0x00000000 0x00000006  "
              "// reserved RGB_OP 6");
}

// Any words; then such as have few reserved values, so that most lines are in words.
TEST(CtmText, DisassemblyAssemblesToTheSameWords) {
    std::mt19937 engine(11);
    unsigned readable = 0;
    for (int n = 0; n < 20000; ++n) {
        Words w;
        for (uint32_t& word : w) {
            word = uint32_t(engine());
        }
        if (n % 4 != 0) {
            for (const FieldInfo& f : kFieldTable) {
                if ((f.types >> get(w, Field::Type) & 1) != 0 && f.width > 1 &&
                    f.field != Field::Type && engine() % 2 == 0) {
                    set(w, f.field, uint32_t(engine() % 3));
                }
            }
            Words kept{};
            for (const FieldInfo& f : kFieldTable) {
                if ((f.types >> get(w, Field::Type) & 1) != 0 &&
                    (n % 4 != 1 || engine() % 3 == 0 || f.field == Field::Type)) {
                    set(kept, f.field, get(w, f.field));
                }
            }
            w = kept;
        }
        const std::string line = disassemble(w);
        readable += line[0] != '.' ? 1 : 0;
        const Assembly a = assemble(line);
        ASSERT_TRUE(a.errors.empty()) << line << ": " << a.errors[0].message;
        ASSERT_EQ(a.program.size(), 1u) << line;
        ASSERT_EQ(a.program[0], w) << line;
    }
    EXPECT_GT(readable, 3000u);
}

TEST(CtmText, EveryFieldComesBackByItself) {
    for (const FieldInfo& f : kFieldTable) {
        for (const Type type : {Type::Alu, Type::Out, Type::FlowControl, Type::Texture}) {
            if ((f.types >> number(type) & 1) == 0 || f.field == Field::Type) {
                continue;
            }
            for (uint32_t value = 0; value <= field_mask(f); ++value) {
                const Words w = words_of(type, {{f.field, value}});
                const Assembly a = assemble(disassemble(w));
                ASSERT_TRUE(a.errors.empty() && a.program.size() == 1) << f.name << ' ' << value;
                ASSERT_EQ(a.program[0], w) << f.name << ' ' << value;
            }
        }
    }
}

TEST(CtmText, ErrorsNameTheirPlace) {
    EXPECT_EQ(first_error("alu\nmul r1"), "2:1: unknown instruction \"mul\"");
    EXPECT_EQ(first_error("alu rgb(r1) mda r4.rgb"), "1:13: unknown operation \"mda\"");
    EXPECT_EQ(first_error("alu rgb(r128) mad r4.rgb"), "1:9: \"128\" is above 127");
    EXPECT_EQ(first_error("alu rgb(1.51) mad r4.rgb"), "1:9: the number has no inline constant");
    EXPECT_EQ(first_error("alu rgb(r1) mad r4.rgba"), "1:20: expected a mask of \"rgb\" or \"_\"");
    EXPECT_EQ(first_error("alu rgb(r1) mad r4.rgb, s0.rg"), "1:28: expected 3 of \"rgba0h1\"");
    EXPECT_EQ(first_error("alu rgb(r1, mad"), "1:13: expected a register, a constant or a number");
    EXPECT_EQ(first_error("fc jump nowhere"), "1:9: unknown label \"nowhere\"");
    EXPECT_EQ(first_error("fc jump 512"), "1:9: \"512\" is above 511");
    EXPECT_EQ(first_error("fc jump"), "1:8: expected a label or a number to jump to");
    EXPECT_EQ(first_error("a: a: alu"), "1:1: label \"a\" is there already");
    EXPECT_EQ(first_error("alu lst"), "1:5: unknown word \"lst\"");
    EXPECT_EQ(first_error("alu RGB_OMOD=8"), "1:14: \"8\" is above 7");
    EXPECT_EQ(first_error(".words 1 2 3"), "1:13: expected a number");
    EXPECT_EQ(first_error(".words 1 2 3 4 5 6 7"), "1:20: expected the end of the line");
    EXPECT_EQ(first_error(".word 1"), "1:2: directives are .words, .byte and .proginfo");
    EXPECT_EQ(first_error(".byte 256"), "1:7: \"256\" is above 255");
    EXPECT_EQ(first_error(".byte 1\nalu"), "2:1: an instruction behind .byte");
}

TEST(CtmText, ProginfoAndLabelsAreKeptBesideTheProgram) {
    const Assembly a = assemble("a: .proginfo partial uncached temporaries=7\nalu\nb:\nc: alu\nd:");
    ASSERT_TRUE(a.errors.empty());
    ASSERT_TRUE(a.info);
    EXPECT_FALSE(a.info->full_flow_control);
    EXPECT_TRUE(a.info->uncached_outputs);
    EXPECT_EQ(a.info->temporaries, 7);
    ASSERT_EQ(a.labels.size(), 4u);
    const uint32_t places[] = {0, 1, 1, 2};
    for (size_t i = 0; i < 4; ++i) {
        EXPECT_EQ(a.labels[i].name, std::string(1, static_cast<char>('a' + i)));
        EXPECT_EQ(a.labels[i].instruction, places[i]);
    }
    EXPECT_FALSE(assemble("alu").info);
    EXPECT_EQ(first_error(".proginfo"), "none");
    EXPECT_EQ(first_error(".proginfo half"), "1:11: unknown word of .proginfo \"half\"");
    EXPECT_EQ(first_error(".proginfo temporaries=129"), "1:23: \"129\" is above 128");
    EXPECT_EQ(first_error(".proginfo full\n.proginfo full"), "2:1: a second .proginfo");
}

// Regardless of what is cut off or changed: errors, never a crash.
TEST(CtmText, AnyTextIsTakenOrRefused) {
    std::mt19937 engine(3);
    const std::string good =
        "l: alu rgb(c200+aL, 1.5, r0, inv) mad*4 sat r9+aL.rg, -abs(sp.r0h), s0 | alpha(r1) rcp "
        "r1.a, s0.a alu_result=lt.a rgb_pred=!g\nfc jump l func=0xf0\n.words 1 2 3 4 5 6\n";
    for (int n = 0; n < 5000; ++n) {
        std::string text = good.substr(0, engine() % (good.size() + 1));
        for (unsigned k = engine() % 4; k > 0 && !text.empty(); --k) {
            text[engine() % text.size()] = char(engine() % 96 + 32);
        }
        const Assembly a = assemble(text);
        ASSERT_LE(a.program.size(), 8u);
    }
}

}  // namespace
}  // namespace archipelago::ctm::isa::test
