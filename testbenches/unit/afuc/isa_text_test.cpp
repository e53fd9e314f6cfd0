// SPDX-License-Identifier: Apache-2.0
// Text of images: both forms of the document, that disassembly comes back to the same words,
// errors.
#include <gtest/gtest.h>

#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "models/afuc/isa/image.h"
#include "models/afuc/isa/instruction.h"
#include "models/afuc/isa/text.h"

namespace archipelago::afuc {
namespace {

using Words = std::vector<uint32_t>;
const Generation& kA5xx = *find_generation("a5xx");
const Generation& kA6xx = *find_generation("a6xx");
const Generation& kA7xx = *find_generation("a7xx");

Words assembled(const Generation& g, const std::string& text) {
    const Assembly a = assemble(g, text);
    EXPECT_TRUE(a.errors.empty()) << text << ": " << (a.errors.empty() ? "" : a.errors[0].message);
    return a.words;
}
std::string first_error(const Generation& g, const std::string& text) {
    const Assembly a = assemble(g, text);
    if (a.errors.empty())
        return "none";
    const TextError& e = a.errors[0];
    return std::to_string(e.line) + ":" + std::to_string(e.column) + ": " + e.message;
}
// One word back and forth.
void expect_again(const Generation& g, const Words& words) {
    const std::string text = disassemble(g, words);
    const Assembly a = assemble(g, text);
    ASSERT_TRUE(a.errors.empty()) << text << a.errors[0].line << ": " << a.errors[0].message;
    ASSERT_EQ(a.words, words) << text;
}

// The number after a place: bits 15:12 of the word.
TEST(AfucText, BothFormsOfTheDocument) {
    EXPECT_EQ(assembled(kA6xx, "(rep)cwrite $00, [$03 + 0x001], 0x4"),
              assembled(kA6xx, "(rep)cwrite $00, [$03 + 0x001]!"));
    EXPECT_EQ(assembled(kA6xx, "cwrite $0e, [$05 + @IB1_BASE], 0x0"),
              assembled(kA6xx, "cwrite $0e, [$05 + 0x010]"));
    EXPECT_EQ(assembled(kA5xx, "cwrite $02, [$05 + 0x0b0], 0x8"),
              assembled(kA5xx, "cwrite $02, [$05 + @IB1_BASE]"));
    EXPECT_EQ(assembled(kA5xx, "mov $0c, CP_SCRATCH_REG[0x7]"), assembled(kA5xx, "mov $0c, 0xb7f"));
    EXPECT_EQ(assembled(kA6xx, "mov $0c, RBBM_PERFCTR_CP[0x2]+0x1"),
              assembled(kA6xx, "mov $0c, 0x405"));
    EXPECT_EQ(assembled(kA5xx, "mov $addr, CP_ME_NRT_ADDR_LO"), assembled(kA5xx, "mov $1d, 0x80d"));
    EXPECT_EQ(assembled(kA5xx, "or $addr, $17, VFD_INDEX_OFFSET"),
              assembled(kA5xx, "or $addr, $17, 0xe408"));
    EXPECT_EQ(assembled(kA6xx, "mov $addr, 0x0084 << 24 ; |WAIT_MEM_WRITES"),
              assembled(kA6xx, "mov $addr,132<<24"));
    EXPECT_EQ(assembled(kA5xx, "mov $04, $addr"), assembled(kA5xx, "mov $04, $memdata"));
    EXPECT_EQ(assembled(kA6xx, "a: b: breq $04, b1, #a"), (Words{0xCC810000}));
}

TEST(AfucText, DirectivesLayAnImageOut) {
    const Words file =
        assembled(kA7xx,
                  "[01730001]\n[#jumptbl]\nwaitin\nmov $01, $data\nCP_NOP: UNKN1:\n"
                  "waitin\nmov $01, $data\n.align 32\njumptbl:\n.jumptbl\n"
                  ".section BV\n[01000001]\n[#jumptbl]\nCP_NOP: nop\njumptbl:\n.jumptbl\n");
    ASSERT_EQ(file.size(), 1u + 8 + 128 + 3 + 128);  // a zero dword first
    EXPECT_EQ(file[0], 0u);
    EXPECT_EQ(file[2], 0x01000008u);
    EXPECT_EQ(file[1 + 8 + 0x10], 4u);
    EXPECT_EQ(file[1 + 8 + 1], 4u);
    EXPECT_EQ(file[1 + 136], 0x01000001u);
    EXPECT_EQ(file[1 + 136 + 3 + 0x10], 2u);
    expect_again(kA7xx, file);
    const std::vector<Section> parts = sections(kA7xx, &file[1], 267);
    ASSERT_EQ(parts.size(), 2u);
    EXPECT_EQ(parts[1].begin, 136u);
    EXPECT_EQ(parts[1].table, 139u);
    // An engine without others has what is after its table, regardless of what it is.
    const std::vector<Section> one = sections(kA6xx, &file[1], 267);
    ASSERT_EQ(one.size(), 1u);
    EXPECT_EQ(one[0].end, 267u);
    expect_again(kA6xx, file);
}

// What stands before a section is what `.align` puts inside one; other words come back as they are.
TEST(AfucText, SectionsArePaddedWithNops) {
    const std::string part = "[01730001]\n[#jumptbl]\nnop\njumptbl:\n.jumptbl\n";
    const Words file = assembled(kA7xx, part + ".section BV\n" + part);
    ASSERT_EQ(file.size(), 1u + 136 + 131);
    EXPECT_EQ(Words(file.begin() + 1 + 131, file.begin() + 1 + 136), Words(5, 0x01000000));
    EXPECT_EQ(file, assembled(kA7xx, part + ".align 32\n.section BV\n" + part));
    EXPECT_NE(disassemble(kA7xx, file).find(".section"), std::string::npos);
    expect_again(kA7xx, file);
    for (const uint32_t other : {0u, 0x01000007u, 0x88020001u}) {
        Words changed = file;
        changed[1 + 133] = other;
        EXPECT_NE(disassemble(kA7xx, changed).find(".section"), std::string::npos);
        expect_again(kA7xx, changed);
    }
}

// A source that includes another and adds a packet to it.
TEST(AfucText, PacketsBehindTheLastTableAreOfItsSection) {
    const std::string text =
        "[016ee001]\n[#jumptbl]\nCP_NOP: waitin\nmov $01, $data\njumptbl: .jumptbl\n"
        "UNKN127: mov $02, $data\njump #CP_NOP\ncall #helper\nnop\nhelper: ret\nnop\n";
    const Words file = assembled(kA6xx, text);
    ASSERT_EQ(file.size(), 1u + 4 + 128 + 6);
    EXPECT_EQ(file[1 + 4 + 127], 132u);
    const std::vector<Section> parts = sections(kA6xx, &file[1], 138);
    ASSERT_EQ(parts.size(), 1u);
    EXPECT_EQ(parts[0].table, 4u);
    EXPECT_EQ(parts[0].end, 138u);
    expect_again(kA6xx, file);
    const std::string back = disassemble(kA6xx, file);
    EXPECT_NE(back.find("    .jumptbl\nUNKN127:\n    mov $02, $data\n    jump #CP_NOP\n"),
              std::string::npos)
        << back;
    EXPECT_NE(back.find("fxn136:\n    ret\n"), std::string::npos) << back;
}

// An entry that leads into the table has no label: the table stays words.
TEST(AfucText, TablesThatLeadIntoThemselvesComeBack) {
    Words file = assembled(
        kA6xx, "[016ee001]\n[#jumptbl]\nCP_NOP: jump #CP_NOP\nnop\njumptbl: .jumptbl\nret\n");
    file[1 + 4 + 127] = 5;
    expect_again(kA6xx, file);
}

TEST(AfucText, PacketTablesNameTheirHandlers) {
    const std::string text = disassemble(
        kA6xx, assembled(kA6xx,
                         "[016ee001]\n[#jumptbl]\nCP_NOP: PKT4: nop\nUNKN2: jump #PKT4\nnop\n"
                         "jumptbl: .jumptbl\n"));
    EXPECT_NE(text.find("PKT4:\nCP_NOP:\n"), std::string::npos) << text;
    EXPECT_NE(text.find("UNKN2:\n    jump #PKT4\n"), std::string::npos) << text;
    EXPECT_NE(text.find("jumptbl:\n    .jumptbl\n"), std::string::npos) << text;
    EXPECT_NE(text.find("ID 0x6ee, version 0x1"), std::string::npos) << text;
}

// Every row with random operands and modifiers, and words of any bits.
TEST(AfucText, DisassemblyComesBackToTheSameWords) {
    std::mt19937 random(7);
    for (const Generation& g : kGenerations) {
        for (unsigned round = 0; round < 200; ++round) {
            Words words;
            for (const Row& row : instructions(g.encoding))
                words.push_back(row.word | (static_cast<uint32_t>(random()) & ~row.mask &
                                            (round % 2 != 0 ? row.known() : UINT32_MAX)));
            for (unsigned i = 0; i < 50; ++i)
                words.push_back(static_cast<uint32_t>(random()));
            std::shuffle(words.begin(), words.end(), random);
            if (round % 5 == 0)
                words.insert(words.begin(), {0, nop(g.encoding) | 0x6EE123, nop(g.encoding) | 8});
            expect_again(g, words);
        }
    }
}

// A word whose bits all mean something is never a literal.
TEST(AfucText, InstructionsAreShownAsText) {
    std::mt19937 random(8);
    for (const Generation& g : kGenerations)
        for (const Row& row : instructions(g.encoding)) {
            if (std::any_of(row.operands.begin(), row.operands.end(),
                            [](const Operand& o) { return o.kind >= Operand::Kind::Relative; }))
                continue;
            const uint32_t word =
                row.word | (static_cast<uint32_t>(random()) & row.known() & ~row.mask);
            const std::string text = disassemble(g, {0x981F0806, word});
            EXPECT_EQ(text.find('['), text.find("[$"))
                << g.name << ": " << row.name << ": " << text;
        }
}

TEST(AfucText, ErrorsNameTheirPlace) {
    struct Case {
        const char *text, *error;
    };
    constexpr Case kCases[] = {
        {"nop\n add $02, $03, 0x12345", "2:16: 0x12345 does not fit into 16 bits"},
        {"breq $02, 0x20, #l\nl:", "1:11: 0x20 does not fit into 5 bits"},
        {"breq $02, b32, #l\nl:", "1:11: no bit b32, expected b0 to b31"},
        {"call x\nnop\nx: ret", "1:6: no register x of a6xx; a label is written #x"},
        {"nop extra", "1:5: nop has no operand, found \"extra\""},
        {"label with space:", "1:1: a label is one word of letters, digits, _ and ."},
        {"mov $02, -1",
         "1:10: numbers have no sign: write the bits, e.g. 0xffff, or use sub or not"},
        {"(rep)ret", "1:1: a modifier that ret does not take"},
        {"(sds1)cread $02, [$00 + 0x10]", "1:1: a modifier that cread does not take"},
        {"(xmov4)mov $data, $data", "1:1: no modifier (xmov4)"},
        {"(rep)(rep)mov $data, $data", "1:6: modifier (rep) occurs twice"},
        {"jump #nowhere", "1:6: no label nowhere"},
        {"l: nop\nl: nop", "2:1: label l occurs twice, first in line 1"},
        {"adc $02, $03, $04", "1:1: no instruction adc of a6xx"},
        {"bic $02, $03, $04", "1:1: no instruction bic of a6xx"},
        {"add $02, $03",
         "1:1: expected add $destination, $source, $source or add $destination, $source, number of "
         "16 bits"},
        {"add $02, $03, $20", "1:15: no register $20, expected $00 to $1f or a name"},
        {"mov $2, 0x1", "1:5: no register $2, expected $00 to $1f or a name"},
        {"add $02, $a, $03", "1:10: no register $a, expected $00 to $1f or a name"},
        {"cwrite $02, [$5 + 0x10]", "1:14: no register $5, expected $00 to $1f or a name"},
        {"mov $002, 0x1", "1:5: no register $002, expected $00 to $1f or a name"},
        {"add $02, $03, $04 $05", "1:19: expected the end of the line, found \"$05\""},
        {"cwrite $02, [$05 + @IB9_BASE]", "1:21: no register IB9_BASE of a6xx"},
        {"cwrite $02, [$05 + %SP]", "1:1: expected cwrite $source, [$register + number or @NAME]"},
        {"cwrite $02, [$05 + 0x1000]", "1:13: 0x1000 does not fit into 12 bits"},
        {"cwrite $02, [$05 + 0x10], 0x8", "1:27: flags 0x8 are not those of cwrite"},
        {"mov $02, CP_NOTHING",
         "1:10: no register CP_NOTHING of a6xx; a label is written #CP_NOTHING"},
        {"mov $02, CP_SCRATCH[8]", "1:10: no element 0x8, expected 0x0 to 0x7"},
        {"mov $02, RBBM_PERFCTR_CP[14]", "1:10: no element 0xe, expected 0x0 to 0xd"},
        {"mov $02, 0x1 << 32", "1:10: 0x20 does not fit into 5 bits"},
        {"add $02, $03, 0x1 << 2",
         "1:1: expected add $destination, $source, $source or add $destination, $source, number of "
         "16 bits"},
        {"[123456789]", "1:2: a word has eight hexadecimal digits"},
        {"[12g]", "1:2: expected a number, found \"12g]\""},
        {".jumptable", "1:1: no directive .jumptable"},
        {".align 3", "1:8: expected a multiple of 4 up to 4096"},
        {"nop\n.image", "2:1: .image stands before all words"},
        {".jumptbl\n.jumptbl", "2:1: a section has one .jumptbl"},
        {"setsecure $03, #l\nl:", "1:11: expected $02"},
        {"#", "1:1: expected an instruction, found \"#\""},
        {"add $02, , $03", "1:10: expected an operand, found the end of the line"},
    };
    for (const Case& c : kCases)
        EXPECT_EQ(first_error(kA6xx, c.text), c.error) << c.text;
}

TEST(AfucText, BranchesReachAsFarAsTheirBits) {
    std::string text = "jump #far\n";
    for (unsigned i = 0; i < 0x7FFE; ++i)
        text += "nop\n";
    EXPECT_EQ(assembled(kA6xx, text + "far: nop\n")[0], 0xC8007FFFu);
    EXPECT_EQ(first_error(kA6xx, text + "nop\nfar: nop\n"), "1:6: label far is too far");
}

// A file of the test's own folder.
std::string written(const std::string& name, const std::string& text) {
    const std::string path = testing::TempDir() + "afuc_text_" + name;
    std::ofstream(path) << text;
    return path;
}

TEST(AfucText, IncludesFilesInRelationToTheFileAtHand) {
    written("leaf.afuc", "leaf: mov $02, 0x1\n  brne $02, 0x0, #root\n");
    const std::string inner = written("inner.afuc", "nop\n.include \"afuc_text_leaf.afuc\"\nnop");
    const std::string root = testing::TempDir() + "root.afuc";
    const Assembly a =
        assemble(kA6xx, "root: nop\n.include \"afuc_text_inner.afuc\"\n jump #leaf\n", root);
    ASSERT_TRUE(a.errors.empty()) << a.errors[0].message;
    EXPECT_EQ(a.words, assembled(kA6xx,
                                 "root: nop\nnop\nleaf: mov $02, 0x1\nbrne $02, 0x0, #root\n"
                                 "nop\njump #leaf\n"));
    ASSERT_EQ(a.files.size(), 3u);
    EXPECT_EQ(a.files[0], root);
    EXPECT_EQ(a.files[1], inner);
    const uint32_t files[] = {0, 1, 2, 2, 1, 0}, lines[] = {1, 1, 1, 2, 3, 3};
    ASSERT_EQ(a.places.size(), a.words.size());
    for (size_t i = 0; i < a.places.size(); ++i) {
        EXPECT_EQ(a.places[i].file, files[i]) << i;
        EXPECT_EQ(a.places[i].line, lines[i]) << i;
    }
}

TEST(AfucText, NamesTheIncludedFileOfAnError) {
    const std::string wrong =
        written("wrong.afuc", "nop\n  brne $02, 0x0, #nowhere\n  mov $99, 1\n");
    const std::string loop = testing::TempDir() + "afuc_text_loop.afuc";
    written("loop.afuc", "nop\n.include \"afuc_text_loop.afuc\"\n");
    const Assembly a = assemble(kA6xx,
                                ".include \"afuc_text_wrong.afuc\"\nfoo $02\n"
                                ".include \"afuc_text_loop.afuc\"\n.include \"none\"\n"
                                ".include none\n",
                                testing::TempDir() + "root.afuc");
    const struct {
        std::string file;
        unsigned line, column;
        std::string message;
    } kExpected[] = {{"", 2, 1, "no instruction foo of a6xx"},
                     {"", 4, 10, "cannot read " + testing::TempDir() + "none"},
                     {"", 5, 10, "expected \"\"\", found \"none\""},
                     {wrong, 2, 18, "no label nowhere"},
                     {wrong, 3, 7, "no register $99, expected $00 to $1f or a name"},
                     {loop, 2, 10, loop + " includes itself"}};
    ASSERT_EQ(a.errors.size(), std::size(kExpected));
    for (size_t i = 0; i < a.errors.size(); ++i) {
        EXPECT_EQ(a.errors[i].file, kExpected[i].file) << i;
        EXPECT_EQ(a.errors[i].line, kExpected[i].line) << i;
        EXPECT_EQ(a.errors[i].column, kExpected[i].column) << i;
        EXPECT_EQ(a.errors[i].message, kExpected[i].message) << i;
    }
}

TEST(AfucText, IncludesRegularFilesOnly) {
    EXPECT_EQ(first_error(kA6xx, ".include \"/dev/zero\""), "1:10: cannot read /dev/zero");
    EXPECT_EQ(first_error(kA6xx, ".include \"/\""), "1:10: cannot read /");
}

// Files that include each other under ever new names, sixteen deep.
TEST(AfucText, IncludesAreCounted) {
    unsigned read = 0;
    const Assembly a = assemble(kA6xx, ".include \"d/x\"\n", "", [&](const std::string&) {
        ++read;
        return std::optional<std::string>(".include \"d/x\"\n.include \"e/x\"\n");
    });
    EXPECT_EQ(read, 4096u);
    ASSERT_FALSE(a.errors.empty());
    bool counted = false;
    for (const TextError& e : a.errors)
        counted |= e.message == "more than 4096 files are included";
    EXPECT_TRUE(counted);
}

TEST(AfucText, LabelsOfAnotherFileThatOccurTwiceAreNamed) {
    const std::string inner = written("twice.afuc", "nop\nl: nop\n");
    const Assembly a = assemble(kA6xx, ".include \"afuc_text_twice.afuc\"\nl: nop\n",
                                testing::TempDir() + "root.afuc");
    ASSERT_EQ(a.errors.size(), 1u);
    EXPECT_EQ(a.errors[0].message, "label l occurs twice, first in " + inner + ":2");
}

// A packet that no generation has is in no table; an ID tells of another generation's image.
TEST(AfucText, WarnsOfWhatIsHardlyMeant) {
    const auto warnings = [](const Generation& g, const std::string& text) {
        const Assembly a = assemble(g, text);
        EXPECT_TRUE(a.errors.empty());
        std::string all;
        for (const TextError& w : a.warnings)
            all +=
                std::to_string(w.line) + ":" + std::to_string(w.column) + ": " + w.message + "\n";
        return all;
    };
    const std::string head = "[016ee001]\n[#t]\n", tail = "nop\nt: .jumptbl\n";
    EXPECT_EQ(warnings(kA6xx, head + "CP_NOP: UNKN127: PKT4: cp_loop: " + tail), "");
    EXPECT_EQ(
        warnings(kA6xx, head + "CP_NOSUCHPKT:\n UNKN200: " + tail),
        "3:1: label CP_NOSUCHPKT is like a packet's, but none of a6xx has the name: it is not "
        "in .jumptbl\n"
        "4:2: label UNKN200 is like a packet's, but none of a6xx has the name: it is not in "
        ".jumptbl\n");
    EXPECT_EQ(warnings(kA6xx, "CP_NOSUCHPKT: nop\n"), "");  // without a table
    EXPECT_EQ(warnings(kA7xx, "ubfx $02, $03, b9, b3\nbfi $02, $03, b3, b3\n"),
              "1:16: b9 is above b3: the field's lowest bit stands before its highest\n");
    EXPECT_EQ(warnings(kA7xx, head + tail),
              "1:2: this is the ID of an image of a6xx, assembled as one of a7xx\n");
    EXPECT_NE(disassemble(kA6xx, assembled(kA6xx, "[01730001]\n[#t]\n" + tail))
                  .find("; the ID is that of an image of a7xx, taken as one of a6xx\n"),
              std::string::npos);
}

TEST(AfucText, WordsKeepTheirLabels) {
    const Assembly a =
        assemble(kA6xx, "[016ee001]\n[#t]\na: b: brne $02, b1, #a\nnop\nt: .jumptbl\n");
    ASSERT_EQ(a.names.size(), 2u);
    EXPECT_EQ(a.names.at(3), "a");  // after the zero dword
    EXPECT_EQ(a.names.at(5), "t");
    const auto label = [](uint32_t index) { return std::string(index == 2 ? "a" : ""); };
    EXPECT_EQ(instruction_text(kA6xx, a.words[3], 2, label), "brne $02, b1, #a");
    EXPECT_EQ(instruction_text(kA6xx, a.words[3], 7, label), "brne $02, b1, #l7");
}

TEST(AfucText, SaysWhatAnImageLacks) {
    const auto lacks = [](Words words, uint32_t number = 0) {
        return missing_section(kA7xx, words, number);
    };
    EXPECT_EQ(lacks({}), "it has 0 words: no ID and no packet table");
    EXPECT_EQ(lacks({0x12345678, 0}),
              "its section 0 begins with 0x12345678, which is no ID word of a7xx");
    EXPECT_EQ(lacks({0x01730001, 0x88000000}),
              "its section 0 has 0x88000000 as second word, which is no place of a packet table");
    EXPECT_EQ(lacks({0x01730001, 0x010003d8, 1, 2}),
              "its section 0 names a packet table at word 984 + 128, but the image has 4 words");
    Words one(3 + 128, 0);
    one[0] = 0x01730001;
    one[1] = 0x01000003;
    EXPECT_EQ(lacks(one, 2), "it ends behind section 0 of 3");
}

TEST(AfucText, MessagesCanBePrinted) {
    EXPECT_EQ(first_error(kA6xx, "nop \x01\xff\n"), "1:5: nop has no operand, found \"??\"");
    EXPECT_EQ(disassemble(kA6xx, {}), "");
}

TEST(AfucText, NamesOfTheProgramsOwnControlRegisters) {
    EXPECT_EQ(assembled(kA6xx, ".scratch MINE 0x123\ncread $02, [$03 + @MINE+0x1]"),
              assembled(kA6xx, "cread $02, [$03 + 0x124]"));
    EXPECT_EQ(assembled(kA6xx, ".scratch MARKER 0x12a\ncread $02, [$03 + @MARKER]"),
              assembled(kA6xx, "cread $02, [$03 + @MARKER]"));
    EXPECT_EQ(first_error(kA6xx, ".scratch MARKER 0x12b"),
              "1:10: MARKER is the hardware's register 0x12a");
    EXPECT_EQ(first_error(kA6xx, ".scratch A 1\n.scratch A 2"), "2:10: A is 0x1 already");
    EXPECT_EQ(first_error(kA6xx, ".scratch A 0x1000"), "1:12: 0x1000 is no control register");
    EXPECT_EQ(first_error(kA6xx, ".scratch"), "1:9: expected a name, found the end of the line");
    EXPECT_EQ(first_error(kA6xx, ".scratch A 1\ncread $02, [$03 + %A]"),
              "2:20: no register A of a6xx");
}

}  // namespace
}  // namespace archipelago::afuc
