// SPDX-License-Identifier: Apache-2.0
// Programs of CTM chips in workload files: what is read, and how faults are named.
#include <gmock/gmock.h>

#include "testbenches/host/ctm/program_code.h"
#include "workload_files.h"

namespace archipelago::host::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class WorkloadPrograms : public WorkloadFiles {
  protected:
    // Of one program with so many keys besides its code.
    static std::string text_of(const std::string& keys) {
        return "program: {code: {words: [1, 2, 3, 4, 5, 6]}, " + keys + "}\n";
    }
    std::string fault(const std::string& keys) const { return errors(text_of(keys)); }
};

TEST_F(WorkloadPrograms, AreTheFirstStepWithSurfacesAndConstants) {
    const Workload w = good(text_of(R"(
        inputs: [{width: 10, height: 3, format: uint8_4, tiling: tiled, data: {zeros: 120}, name: a}],
        outputs: [{width: 33, height: 9, format: float32_4, tiling: tiled}, {surface: a}],
        constants: {float: [[1, 0, 0, -2]], int: [[4, 1, -1]], bool: [false, true]},
        condition: {surface: a, test: greater, asked_by: dpp, value: 0.5, writes: false},
        proginfo: {uncached_outputs: true}, out_mask: ra)"));
    ASSERT_EQ(w.steps.size(), 1u);
    const auto& p = std::get<ProgramSpec>(w.steps[0].what);
    ASSERT_EQ(w.surfaces.size(), 2u);
    EXPECT_EQ(w.surfaces[0].rows_bytes(), 120u);
    EXPECT_EQ(w.surfaces[0].surface.pitch, 32u);  // the row of the table counts so many
    EXPECT_EQ(w.surfaces[0].memory_bytes(), 2048u);
    EXPECT_EQ(w.surfaces[1].surface.pitch, 48u);
    EXPECT_EQ(w.surfaces[1].memory_bytes(), 3u * 2 * 2048);
    EXPECT_EQ(p.outputs.at(1).surface, 0u);
    EXPECT_THAT(p.domain, ElementsAre(0, 0, 32, 8));
    EXPECT_THAT(p.floats.at(0), ElementsAre(0x3f800000, 0, 0, 0xc0000000));
    EXPECT_THAT(p.integers, ElementsAre(0xff0104));
    EXPECT_THAT(p.booleans, ElementsAre(0, 1));
    EXPECT_TRUE(p.info.full_flow_control);
    EXPECT_TRUE(p.info.uncached_outputs);
    EXPECT_EQ(p.output_mask, 9u);
    ASSERT_TRUE(p.condition);
    EXPECT_EQ(p.condition->test, 5u);
    EXPECT_TRUE(p.condition->of_processors);
    EXPECT_FALSE(p.condition->writes);
}

TEST_F(WorkloadPrograms, FaultsAreNamedWithTheirPlaces) {
    const std::string size = "width: 4, height: 4, format: float32_1";
    EXPECT_THAT(fault("domain: [0, 0, 1, 4096]"), HasSubstr("program.domain[3]: 4096"));
    EXPECT_THAT(fault("inputs: []"), HasSubstr("domain: required key is missing"));
    EXPECT_THAT(fault("outputs: [{" + size + ", data: {zeros: 60}}]"),
                HasSubstr("60 bytes for 4 x 4 elements, which are 64"));
    EXPECT_THAT(fault("outputs: [{" + size + ", pitch: 12}]"),
                HasSubstr("got 12, expected a multiple of 8"));
    EXPECT_THAT(fault("outputs: [{" + size + ", expect: {zeros: 128}}]"),
                HasSubstr("128 bytes are expected in a buffer of 64"));
    EXPECT_THAT(fault("outputs: [{surface: b}]"), HasSubstr("outputs[0].surface: "));
    EXPECT_THAT(fault("domain: [0, 0, 0, 0], constants: {int: [[256, 0, 0]]}"),
                HasSubstr("constants.int[0][0]: 256"));
    EXPECT_THAT(fault("domain: [0, 0, 0, 0], constants: {int: [[1, 0, 200]]}"),
                HasSubstr("expected KR and KG in 0..255 and KB in -128..127"));
    EXPECT_THAT(fault("domain: [0, 0, 0, 0], out_mask: rr"), HasSubstr("expected letters of rgba"));
    EXPECT_THAT(errors("program: {code: {words: [1, 2, 3]}, domain: [0, 0, 0, 0]}\n"),
                HasSubstr("12 bytes, expected 1 to 512 instructions of 24"));
    EXPECT_THAT(errors("steps: [{ring: gfx, words: [1], proginfo: {}}]\n"),
                HasSubstr("steps[0].proginfo: programs of this ring have none"));
}

// Text, an executable, or six words an instruction.
TEST_F(WorkloadPrograms, CodeComesInManyForms) {
    const std::string source =
        ".proginfo partial temporaries=5\n"
        "tex ld r1.rgba, i1.rgba, r0.rgrr unscaled\n"
        "out rgb(r1) mad r0._, s0.rgb, s0.rgb, s0.rgb rgb_out=o0.rgb last sem_wait\n";
    put_text("p.ctm", source);
    const auto file = write_executable(executable_of(ctm::isa::assemble(source)));
    put_text("p.elf", std::string(file.begin(), file.end()));
    const std::string rest =
        ", inputs: [&s {width: 4, format: float32_1}, *s], outputs: [{width: 4, format: "
        "float32_1}]}\n";
    const auto code = [&](const std::string& form) {
        const Workload w = good("program: {code: " + form + rest);
        return std::get<ProgramSpec>(w.steps.at(0).what);
    };
    const ProgramSpec text = code("p.ctm");
    ASSERT_EQ(text.code.size(), 2u);
    EXPECT_FALSE(text.info.full_flow_control);
    EXPECT_EQ(text.info.temporaries, 5);
    for (const char* form : {"p.elf", "{file: p.elf}", "{file: p.ctm}"}) {
        const ProgramSpec other = code(form);
        EXPECT_EQ(other.code, text.code) << form;
        EXPECT_TRUE(other.info == text.info) << form;
    }
    EXPECT_EQ(code("{text: \"alu last\"}").code.size(), 1u);
    EXPECT_EQ(code("{text: \"alu last\"}, proginfo: {temporaries: 3}").info.temporaries, 3);
    // What the workload says goes over the note.
    const ProgramSpec over = code("p.elf, proginfo: {full_flow_control: true}");
    EXPECT_TRUE(over.info.full_flow_control);
    EXPECT_EQ(over.info.temporaries, 5);
}

TEST_F(WorkloadPrograms, FaultsOfCodeAreNamedWithTheirPlaces) {
    put_text("bad.ctm", "alu\nmul\n");
    put_text("cut.elf",
             "\x7f"
             "ELF\1");
    put_text("odd.bin", "12345");
    put_text("empty.ctm", "");
    const auto of = [&](const std::string& form) {
        return errors("program: {code: " + form + ", domain: [0, 0, 0, 0]}\n");
    };
    EXPECT_THAT(of("bad.ctm"), HasSubstr("bad.ctm:2:1: unknown instruction \"mul\""));
    EXPECT_THAT(of("cut.elf"), HasSubstr("cut.elf: ELF header: the file has 5 bytes"));
    EXPECT_THAT(of("odd.bin"), HasSubstr("5 bytes, expected 1 to 512 instructions of 24"));
    EXPECT_THAT(of("empty.ctm"), HasSubstr("is empty"));
    EXPECT_THAT(of("none.ctm"), HasSubstr("none.ctm"));
    EXPECT_THAT(of("{text: \"mul\"}"), HasSubstr("text:1:1: unknown instruction"));
    EXPECT_THAT(of("{text: alu, words: [1]}"), HasSubstr("program.code"));
    const auto file = write_executable(
        executable_of(ctm::isa::assemble("tex ld r1.rgba, i3.rgba, r0.rgrr unscaled last\n")));
    put_text("p.elf", std::string(file.begin(), file.end()));
    EXPECT_THAT(of("p.elf"),
                HasSubstr("the notes of its executable name input 3, there are 0 inputs"));
}

TEST_F(WorkloadPrograms, ProginfoOfAStepIsItsOwn) {
    const Workload w =
        good("steps: [{ring: ctm, words: [1], proginfo: {full_flow_control: false}}]\n");
    const auto& step = std::get<RingStep>(w.steps.at(0).what);
    ASSERT_TRUE(step.program_info);
    EXPECT_FALSE(step.program_info->full_flow_control);
    EXPECT_FALSE(step.program_info->uncached_outputs);
}

}  // namespace
}  // namespace archipelago::host::test
