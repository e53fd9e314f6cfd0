// SPDX-License-Identifier: Apache-2.0
// Reading the code of an object for a listing: sections, labels, refusals.
#include <gtest/gtest.h>

#include "testbenches/host/code_object/elf_code.h"
#include "testbenches/unit/host/code_object_elf_builder.h"

namespace archipelago::host {
namespace {

using Bytes = std::vector<uint8_t>;

constexpr uint64_t kHeader = 64;
constexpr uint64_t kSectionHeader = 64;

// A relocatable object: .text of `code`, two more words of code in .text.init, symbols, names.
struct Object {
    struct Symbol {
        uint32_t name;
        uint8_t type;
        uint16_t section;
        uint64_t value;
    };
    struct Section {
        uint32_t name, type;
        uint64_t flags, address;
        Bytes contents;
        uint32_t link = 0;
    };

    uint16_t type = 1;
    uint16_t machine = 224;
    uint32_t flags = 0x20;
    std::string names =
        std::string("\0.text\0.text.init\0.symtab\0main\0odd\nname\0old\0far\0", 48);
    Bytes code = Bytes(512, 0);
    std::vector<Symbol> symbols{{26, 2, 1, 8}, {31, 0, 1, 4}, {40, 10, 1, 256}, {44, 0, 1, 512}};
    std::vector<Section> more;

    Bytes build() const {
        std::vector<Section> sections(1, Section{0, 0, 0, 0, {}});
        sections.push_back({1, 1, 6, 0, code});
        sections.push_back({7, 1, 6, 0, Bytes(8, 0x80)});
        Bytes table(24, 0);
        for (const Symbol& s : symbols) {
            const size_t at = table.size();
            table.resize(at + 24);
            store_le(&table[at], s.name, 4);
            table[at + 4] = s.type;
            store_le(&table[at + 6], s.section, 2);
            store_le(&table[at + 8], s.value, 8);
        }
        sections.push_back({18, 2, 0, 0, table, 4});
        sections.push_back({0, 3, 0, 0, Bytes(names.begin(), names.end())});
        sections.insert(sections.end(), more.begin(), more.end());
        Bytes file(kHeader + kSectionHeader * sections.size());
        const uint8_t ident[] = {0x7f, 'E', 'L', 'F', 2, 1, 1};
        std::copy(std::begin(ident), std::end(ident), file.begin());
        store_le(&file[0x10], type, 2);
        store_le(&file[0x12], machine, 2);
        store_le(&file[0x28], kHeader, 8);
        store_le(&file[0x30], flags, 4);
        store_le(&file[0x3a], kSectionHeader, 2);
        store_le(&file[0x3c], sections.size(), 2);
        store_le(&file[0x3e], 4, 2);
        for (size_t i = 0; i < sections.size(); ++i) {
            const Section& s = sections[i];
            const size_t at = kHeader + kSectionHeader * i;
            store_le(&file[at], s.name, 4);
            store_le(&file[at + 0x4], s.type, 4);
            store_le(&file[at + 0x8], s.flags, 8);
            store_le(&file[at + 0x10], s.address, 8);
            store_le(&file[at + 0x18], file.size(), 8);
            store_le(&file[at + 0x20], s.contents.size(), 8);
            store_le(&file[at + 0x28], s.link, 4);
            file.insert(file.end(), s.contents.begin(), s.contents.end());
        }
        return file;
    }
};

std::string refusal(const Bytes& file) {
    try {
        read_elf_code(file, "k.o");
    } catch (const CodeObjectError& error) {
        return error.what();
    }
    return "";
}

void expect_refusal(const Bytes& file, const std::string& reason) {
    const std::string text = refusal(file);
    EXPECT_EQ(text.rfind("k.o: ", 0), 0u) << text;
    EXPECT_NE(text.find(reason), std::string::npos) << text;
}

TEST(CodeSections, EveryExecutableSectionIsReadWithItsLabelsInOrder) {
    const std::vector<CodeSection> sections = read_elf_code(Object().build(), "k.o");
    ASSERT_EQ(sections.size(), 2u);
    EXPECT_EQ(sections[0].name, ".text");
    EXPECT_EQ(sections[0].bytes, Bytes(512, 0));
    EXPECT_EQ(sections[1].name, ".text.init");
    EXPECT_EQ(sections[1].bytes, Bytes(8, 0x80));
    EXPECT_TRUE(sections[1].labels.empty());
    const std::vector<CodeLabel>& labels = sections[0].labels;
    ASSERT_EQ(labels.size(), 3u) << "a symbol beyond the end is none";
    EXPECT_EQ(labels[0].name, "odd?name") << "names can be printed";
    EXPECT_EQ(labels[0].address, 4u);
    EXPECT_EQ(labels[1].name, "main");
    EXPECT_EQ(labels[1].address, 8u);
    EXPECT_EQ(labels[1].data_bytes, 0u);
    EXPECT_EQ(labels[2].name, "old");
    EXPECT_EQ(labels[2].data_bytes, 256u) << "the header of an amdgpu_hsa_kernel symbol";
}

TEST(CodeSections, LinkedObjectsHaveAddresses) {
    Object object;
    object.type = 3;
    Bytes file = object.build();
    store_le(&file[kHeader + kSectionHeader + 0x10], 0x1000, 8);
    for (size_t i = 0; i < 4; ++i) {
        // Symbols hold addresses then.
        const size_t table = load_le(&file[kHeader + 3 * kSectionHeader + 0x18], 8);
        uint8_t* value = &file[table + 24 * (i + 1) + 8];
        store_le(value, load_le(value, 8) + 0x1000, 8);
    }
    const std::vector<CodeSection> sections = read_elf_code(file, "k.o");
    EXPECT_EQ(sections[0].address, 0x1000u);
    ASSERT_EQ(sections[0].labels.size(), 3u);
    EXPECT_EQ(sections[0].labels[1].address, 0x1008u);
}

TEST(CodeSections, ObjectsWithoutCodeSectionsGiveTheirExecutableSegments) {
    const std::vector<CodeSection> sections = read_elf_code(test::ElfBuilder().build(), "k.hsaco");
    ASSERT_EQ(sections.size(), 1u);
    EXPECT_EQ(sections[0].address, test::ElfBuilder::kText);
    EXPECT_EQ(sections[0].bytes.size(), test::ElfBuilder::kTextBytes);
}

TEST(CodeSections, WhatIsNoGfx6ObjectIsRefusedWithTheReason) {
    EXPECT_FALSE(is_elf({}));
    EXPECT_FALSE(is_elf({0x7f, 'E', 'L'}));
    EXPECT_TRUE(is_elf(Object().build()));
    expect_refusal({0x7f, 'E', 'L', 'F'}, "the file has 4 bytes");
    Object other;
    other.machine = 62;
    expect_refusal(other.build(), "machine 62 is not AMDGPU");
    Object newer;
    newer.flags = 0x2c;
    expect_refusal(newer.build(), "made for machine 0x2c");
    Bytes narrow = Object().build();
    narrow[4] = 1;
    expect_refusal(narrow, "not a 64-bit ELF file");
    Bytes big = Object().build();
    big[5] = 2;
    expect_refusal(big, "not little-endian");
    Object empty;
    empty.code.clear();
    Bytes none = empty.build();
    store_le(&none[kHeader + 2 * kSectionHeader + 0x8], 0, 8);
    expect_refusal(none, "no executable code");
    Object twice;
    twice.more.push_back({1, 1, 6, 0, {}});
    Bytes overlapping = twice.build();
    for (const uint64_t field : {0x18, 0x20}) {
        store_le(&overlapping[kHeader + 5 * kSectionHeader + field],
                 field == 0x18 ? 0 : overlapping.size(), 8);
    }
    expect_refusal(overlapping, "lies over other code");
}

TEST(CodeSections, EveryCutFileIsRefusedOrRead) {
    const Bytes file = Object().build();
    unsigned refused = 0;
    for (size_t size = 0; size < file.size(); ++size) {
        refused += refusal(Bytes(file.begin(), file.begin() + static_cast<ptrdiff_t>(size))).empty()
                       ? 0
                       : 1;
    }
    EXPECT_GT(refused, file.size() - 64);
}

}  // namespace
}  // namespace archipelago::host
