// SPDX-License-Identifier: Apache-2.0
// Executables of CTM chips: written and read, refused, found in memory.
#include <gmock/gmock.h>

#include <cstring>

#include "models/common/error.h"
#include "testbenches/host/code_object/byte_io.h"
#include "testbenches/host/ctm/loader.h"
#include "testbenches/host/ctm/program_code.h"

namespace archipelago::host::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

constexpr char kProgram[] = R"(
.proginfo partial cached temporaries=9
begin:
        tex ld r1.rgba, i2.rgba, r0.rgrr unscaled acquire
        alu rgb(r1, c7) mad r1.rgb, s0.rgb, s1.rgb, s0.rgb | alpha(r1, c200) mad r1.a, s0.a, s1.a, s0.a sem_wait
        fc loop end int=5
        fc endloop begin int=5
end:    out rgb(r1) max.bits r0._, s0.rgb, s0.rgb, s0.rrr | alpha(r1) max.bits r0._, s0.a, s0.a, s0.r rgb_out=o1.rgb alpha_out=o3.a conditional last sem_wait
)";

CtmExecutable made_of(const std::string& text) {
    return executable_of(ctm::isa::assemble(text));
}
std::vector<uint8_t> file_of(const std::string& text) {
    return write_executable(made_of(text));
}
std::string refusal(const std::vector<uint8_t>& file) {
    try {
        read_executable(file, "a.elf");
    } catch (const CodeObjectError& error) {
        return error.what();
    }
    return "";
}
std::vector<uint8_t> with(std::vector<uint8_t> file, size_t at, uint32_t value, unsigned bytes) {
    store_le(&file.at(at), value, bytes);
    return file;
}
// Contents of the guide's note of this type; 0: there is none.
size_t contents_of(const std::vector<uint8_t>& file, uint32_t type) {
    const std::string owner("ATI DPP\0", 8);
    for (size_t at = 12; at + 8 <= file.size(); ++at)
        if (std::memcmp(&file[at], owner.data(), 8) == 0 && load_le(&file[at - 4], 4) == type)
            return at + 8;
    return 0;
}

TEST(CtmExecutable, SaysWhatAProgramUses) {
    const CtmExecutable e = read_executable(file_of(kProgram), "a.elf");
    EXPECT_THAT(e.code, SizeIs(5));
    EXPECT_THAT(e.inputs, ElementsAre(2));
    EXPECT_THAT(e.outputs, ElementsAre(1, 3));
    EXPECT_THAT(e.float_constants, ElementsAre(7, 200));
    EXPECT_THAT(e.integer_constants, ElementsAre(5));
    EXPECT_TRUE(e.conditional_output);
    EXPECT_FALSE(e.early_exit);
    EXPECT_TRUE(e.known_program_info);
    EXPECT_FALSE(e.info.full_flow_control);
    EXPECT_FALSE(e.info.uncached_outputs);
    EXPECT_EQ(e.info.temporaries, 9);
    ASSERT_THAT(e.symbols, SizeIs(2));
    EXPECT_EQ(e.symbols[1].name, "end");
    EXPECT_EQ(e.symbols[1].instruction, 4u);
    ASSERT_THAT(e.sections, SizeIs(5));
    EXPECT_EQ(e.sections[1].name, ".text");
}

TEST(CtmExecutable, UncachedOutputsRelativeConstantsAndEarlyExitsAreSeen) {
    const CtmExecutable e = made_of(
        ".proginfo uncached\n"
        "out rgb(c3+aL) mad r0._, s0.rgb, s0.rgb, s0.rgb rgb_out=o2.rgb last\n"
        "out rgb(r0) mad r0._, s0.rgb, s0.rgb, s0.rgb rgb_out=o2.rgb last\n");
    EXPECT_THAT(e.outputs, ElementsAre(0));
    EXPECT_THAT(e.float_constants, SizeIs(256));
    EXPECT_TRUE(e.early_exit);
    EXPECT_TRUE(read_executable(write_executable(e), "a").info.uncached_outputs);
}

TEST(CtmExecutable, IsWrittenAgainAsItWasRead) {
    CtmExecutable e = made_of(kProgram);
    e.address = 0x800;
    e.other_notes.push_back({"somebody", 77, {1, 2, 3, 4, 5}});
    e.other_notes.push_back({"", 3, {}});
    e.other_notes.push_back({"ATI DPP", 8, {1}});  // a type the guide has not
    const std::vector<uint8_t> file = write_executable(e);
    const CtmExecutable back = read_executable(file, "a.elf");
    EXPECT_EQ(back.address, 0x800u);
    ASSERT_THAT(back.other_notes, SizeIs(3));
    EXPECT_EQ(back.other_notes[0].owner, "somebody");
    EXPECT_THAT(back.other_notes[0].contents, ElementsAre(1, 2, 3, 4, 5));
    EXPECT_EQ(write_executable(back), file);
    EXPECT_EQ(write_executable(made_of(list_executable(made_of(kProgram)))), file_of(kProgram));
}

// Every length but the whole one, header first: a place, a reason, no crash.
TEST(CtmExecutable, CutOffAnywhereIsRefused) {
    const std::vector<uint8_t> file = file_of(kProgram);
    for (size_t bytes = 0; bytes < file.size(); ++bytes) {
        const std::string got =
            refusal({file.begin(), file.begin() + static_cast<std::ptrdiff_t>(bytes)});
        ASSERT_THAT(got, StartsWith("a.elf: ")) << bytes;
        ASSERT_GT(got.size(), 20u) << bytes;
    }
    EXPECT_EQ(refusal(file), "");
}

// Section headers are optional in an executable.
TEST(CtmExecutable, NeedsNoSections) {
    std::vector<uint8_t> file = file_of(kProgram);
    const CtmExecutable whole = read_executable(file, "a.elf");
    file = with(with(with(file, 0x20, 0, 4), 0x30, 0, 2), 0x32, 0, 2);
    for (const CtmSection& s : whole.sections)
        if (s.name == ".text")
            file.resize(s.offset + s.bytes);
    const CtmExecutable e = read_executable(file, "a.elf");
    EXPECT_EQ(e.code, whole.code);
    EXPECT_THAT(e.symbols, IsEmpty());
    file.pop_back();
    EXPECT_THAT(refusal(file), HasSubstr("program header 1 (PT_LOAD): bytes 0x"));
}

// What stands in header 0 counts for nothing, in a file and in memory.
TEST(CtmExecutable, SectionZeroIsNoSection) {
    std::vector<uint8_t> file = file_of(kProgram);
    const uint64_t table = load_le(&file[0x20], 4);
    std::fill_n(file.begin() + static_cast<std::ptrdiff_t>(table), size_t{40}, 0x41);
    EXPECT_NO_THROW(read_executable(file, "e.elf"));
    const auto read = [&](uint64_t offset, uint8_t* to, size_t bytes) {
        if (offset + bytes > file.size())
            return false;
        std::copy_n(file.begin() + static_cast<std::ptrdiff_t>(offset), bytes, to);
        return true;
    };
    EXPECT_EQ(executable_bytes(read, "e.elf"), file.size());
}

TEST(CtmExecutable, StringTablesAreOfTheirType) {
    std::vector<uint8_t> file = file_of(kProgram);
    const uint64_t names = load_le(&file[0x20], 4) + load_le(&file[0x32], 2) * size_t{40};
    store_le(&file[names + 4], 8, 4);
    EXPECT_THAT(refusal(file), HasSubstr("is of type 8, expected 3"));
}

TEST(CtmExecutable, HeadersOfOtherFilesAreRefused) {
    const std::vector<uint8_t> file = file_of(kProgram);
    EXPECT_EQ(refusal(with(file, 0, 0, 1)),
              "a.elf: ELF header at 0x0: not an ELF file (no 7f 45 4c 46 at the start)");
    EXPECT_EQ(refusal(with(file, 4, 2, 1)),
              "a.elf: ELF header at 0x4: the class is 2, of CTM executables it is 1");
    for (const size_t at : {5, 6, 7, 8, 0x10, 0x12, 0x18, 0x24, 0x2a, 0x2e})
        EXPECT_THAT(refusal(with(file, at, 99, 1)), HasSubstr(", of CTM executables it is ")) << at;
    EXPECT_THAT(refusal(with(file, 0x2c, 0, 2)), HasSubstr("no segment with the instructions"));
    EXPECT_THAT(refusal(with(file, 0x2c, 1, 2)), HasSubstr("no segment with the instructions"));
    EXPECT_THAT(refusal(with(file, 52, 1, 4)), HasSubstr("a second segment with instructions"));
    EXPECT_THAT(refusal(with(file, 84, 2, 4)), HasSubstr("programs are not linked"));
    EXPECT_THAT(refusal(with(file, 84 + 16, 25, 4)), HasSubstr("0x19 bytes in the file and 0x78"));
    EXPECT_THAT(refusal(with(with(file, 84 + 16, 25, 4), 84 + 20, 25, 4)),
                HasSubstr("25 bytes, expected 1 to 512 instructions of 24"));
    EXPECT_THAT(refusal(with(with(file, 84 + 16, 24, 4), 84 + 20, 24, 4)),
                HasSubstr("are not those of the segment with the instructions"));
}

TEST(CtmExecutable, NotesAreChecked) {
    const std::vector<uint8_t> file = file_of(kProgram);
    const size_t inputs = contents_of(file, 2), condition = contents_of(file, 4);
    ASSERT_NE(inputs, 0u);
    EXPECT_THAT(refusal(with(file, inputs, 16, 4)), HasSubstr("(inputs): index 16, there are 16"));
    EXPECT_THAT(refusal(with(file, condition, 2, 4)),
                HasSubstr("(conditional output): expected one word, 0 or 1"));
    EXPECT_THAT(refusal(with(file, inputs - 12, 1, 4)), HasSubstr("a second note of this type"));
    EXPECT_THAT(refusal(with(file, contents_of(file, 1) - 12, 99, 4)),
                HasSubstr("notes: no program information note"));
    EXPECT_THAT(refusal(with(file, inputs - 16, 3, 4)), HasSubstr("3 bytes are not whole words"));
    EXPECT_THAT(refusal(with(file, inputs - 16, 0xfffffffc, 4)), HasSubstr("go beyond"));
    EXPECT_THAT(refusal(with(file, inputs - 1, 'x', 1)), HasSubstr("does not end with a zero"));
}

// The rest of the guide's structure is lost: what is not ours says nothing of the registers.
TEST(CtmExecutable, ProgramInformationOfAnotherFormIsKept) {
    CtmExecutable e = made_of(kProgram);
    e.known_program_info = false;
    e.program_info = {1, 0, 0xab, 0xcd, 0, 0, 0, 0};
    const CtmExecutable back = read_executable(write_executable(e), "a.elf");
    EXPECT_FALSE(back.known_program_info);
    EXPECT_EQ(back.program_info, e.program_info);
    EXPECT_TRUE(back.info == ProgramInfo());
    EXPECT_THAT(list_executable(back),
                HasSubstr("of another form: 0x00000001 0x00000000 0x000000ab"));
}

TEST(CtmExecutable, CodeComesInThreeForms) {
    const std::vector<uint8_t> file = file_of(kProgram);
    const std::string text = kProgram;
    EXPECT_EQ(form_of(file, "a.ctm"), CodeForm::Executable);
    EXPECT_EQ(form_of({1, 2, 3}, "a.ctm"), CodeForm::Text);
    EXPECT_EQ(form_of({1, 2, 3}, "a.bin"), CodeForm::Instructions);
    const ProgramCode of_file = read_program_code(file, "a", CodeForm::Executable);
    const ProgramCode of_text = assemble_program(text, "a.ctm");
    EXPECT_EQ(of_file.code, of_text.code);
    EXPECT_TRUE(of_file.info == of_text.info);
    try {
        assemble_program("alu\nmul\nfc jmp 0\n", "a.ctm");
        FAIL() << "taken";
    } catch (const CodeObjectError& error) {
        EXPECT_STREQ(error.what(),
                     "program text: a.ctm:2:1: unknown instruction \"mul\"\n"
                     "a.ctm:3:4: unknown operation \"jmp\" (did you mean \"jump\"?)");
    }
    EXPECT_THROW(assemble_program("// nothing\n", "a.ctm"), CodeObjectError);
    EXPECT_THROW(assemble_program("alu\n.byte 1\n", "a.ctm"), CodeObjectError);
    EXPECT_THROW(read_program_code({1, 2, 3}, "a", CodeForm::Instructions), CodeObjectError);
}

// ---- in memory ---------------------------------------------------------------------------------

class CtmLoader : public testing::Test {
  protected:
    CtmLoader() { memory_.map(0x10000, 0x4000); }
    void put(uint64_t address, const std::string& text) {
        const std::vector<uint8_t> file = file_of(text);
        ASSERT_TRUE(memory_.write(address, file.data(), file.size()));
    }
    std::vector<LoadedBuffer> load(const std::vector<uint32_t>& words) {
        return load_programs(words, memory_, "command buffer 1", state_,
                             [this](const std::vector<uint32_t>& code) {
                                 placed_.push_back(code);
                                 return static_cast<uint32_t>(0x80000 + 0x1000 * placed_.size());
                             });
    }
    static constexpr uint32_t kSetInst = 0xc0010a00, kStart = 0xc0000800, kWait = 0xc0000900;
    static constexpr uint32_t kFormat = 0x02000400;
    MemoryImage memory_;
    LoaderState state_;
    std::vector<std::vector<uint32_t>> placed_;
};

TEST_F(CtmLoader, FindsTheCodeOfAnExecutable) {
    put(0x10800, kProgram);
    // The lower eleven bits of a base are reserved.
    const auto parts = load({kWait, 0, kSetInst, 0x10abc, kFormat, kStart, 0});
    ASSERT_THAT(parts, SizeIs(2));  // PROGINFO is another from the program on
    EXPECT_THAT(parts[0].words, ElementsAre(kWait, 0));
    EXPECT_THAT(parts[1].words, ElementsAre(kSetInst, 0x81000, kFormat, kStart, 0));
    EXPECT_TRUE(parts[1].info == made_of(kProgram).info);
    ASSERT_THAT(placed_, SizeIs(1));
    EXPECT_THAT(placed_[0], SizeIs(30));
    // It holds in later buffers too.
    EXPECT_TRUE(load({kStart, 0}).at(0).info == made_of(kProgram).info);
    EXPECT_TRUE(load({kSetInst, 0x11000, kFormat}).at(0).info == ProgramInfo());
}

TEST_F(CtmLoader, LeavesOtherBuffersAsTheyAre) {
    const std::vector<uint32_t> code = {kSetInst, 0x10800, kFormat, kStart, 0};
    EXPECT_EQ(load(code).at(0).words, code);
    const std::vector<uint32_t> unmapped = {kSetInst, 0x90000, kFormat};
    EXPECT_EQ(load(unmapped).at(0).words, unmapped);
    const std::vector<uint32_t> unreadable = {kWait, 0, 0x12345678, kSetInst, 0x10800, 1};
    EXPECT_EQ(load(unreadable).at(0).words, unreadable);
    const std::vector<uint32_t> cut = {kWait, 0, kSetInst, 0x10800};
    EXPECT_EQ(load(cut).at(0).words, cut);
    EXPECT_THAT(placed_, IsEmpty());
}

TEST_F(CtmLoader, NamesWhatIsWrongWithAnExecutable) {
    put(0x10800, kProgram);
    const uint16_t machine = 3;
    ASSERT_TRUE(memory_.write(0x10812, &machine, 2));
    try {
        load({kWait, 0, kSetInst, 0x10800, kFormat});
        FAIL() << "taken";
    } catch (const MachineStop& stop) {
        EXPECT_EQ(stop.kind(), StopKind::BadInput);
        EXPECT_STREQ(stop.what(),
                     "command buffer 1, dword 2, set_inst_fmt: program at 0x10800: ELF header at "
                     "0x12: the machine is 3, of CTM executables it is 122");
    }
    // At the end of what is mapped.
    const std::vector<uint8_t> file = file_of(kProgram);
    for (size_t bytes = 4; bytes < file.size(); bytes += 7) {
        MemoryImage image;
        image.map(0x1000, 0x1000);
        const uint64_t at = 0x2000 - bytes;
        ASSERT_TRUE(image.write(at, file.data(), bytes));
        EXPECT_THROW(executable_at(image, at, "p"), CodeObjectError) << bytes;
    }
}

}  // namespace
}  // namespace archipelago::host::test
