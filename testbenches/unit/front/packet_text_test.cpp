// SPDX-License-Identifier: Apache-2.0
// A family of packets of two rows, and what all families share of text and writing: pairs of halves
// regardless of where they lie, names of values, a field that counts the data.
#include <gtest/gtest.h>

#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "models/front/packet_writer.h"
#include "models/front/text/packet_assembler.h"
#include "models/front/text/packet_lister.h"

namespace archipelago::front::test {
namespace {

using Words = std::vector<uint32_t>;

constexpr ValueName kColourNames[] = {{0, "RED"}, {1, "GREEN"}, {2, "8IN16"}};
constexpr FieldMeaning kColours = value_names(kColourNames);
constexpr FieldMeaning kAddress{FieldKind::Address, 0, nullptr, {}};
// Dword 1 is the header: a number of the row in its highest byte.
constexpr PacketField kPaintFields[] = {
    {"COLOUR", 1, 0, 1, &kColours}, {"AT_LO", 2, 2, 31, &kAddress}, {"AT_HI", 3, 16, 23}};
constexpr PacketField kSendFields[] = {{"COUNT", 1, 0, 7}, PacketField{"DATA", 2, 0, 31}.every(1)};
constexpr PacketShape kRows[] = {{"PAINT", 3, 3, {kPaintFields, 3, 3}, 0},
                                 {"SEND", 1, 256, {kSendFields, 2, 2}, 0}};

struct Table {
    const PacketShape* begin() const { return kRows; }
    const PacketShape* end() const { return kRows + 2; }
    const PacketShape* find_by_name(const std::string& name) const {
        for (const PacketShape& row : kRows)
            if (name == row.name)
                return &row;
        return nullptr;
    }
};
uint32_t number_of(const PacketShape& row) {
    return static_cast<uint32_t>(&row - kRows) + 1;
}
const regs::RegisterDatabase kNoRegisters{};

class Assembler final : public PacketAssembler {
  public:
    Assembler() : PacketAssembler(kNoRegisters, {"dwords", "it", 256}) {}

  private:
    void packet(const Token& name) override {
        const PacketShape& row = row_of(Table(), name, {".word"});
        begin();
        touch(row.min_dwords, name);
        items(row, 0);
        dwords_[0] |= number_of(row) << 24 | (row.max_dwords == 256 ? highest_ - 1 : 0);
        for (const uint32_t dword : dwords_)
            emit(dword);
    }
};

class Lister final : public PacketLister {
  public:
    Lister() : PacketLister(kNoRegisters, {false}) {}

  private:
    size_t packet(const uint32_t* words, size_t count) override {
        const uint32_t number = words[0] >> 24;
        if (number == 0 || number > 2) {
            write_word(words[0], "no packet");
            return 1;
        }
        const PacketShape& row = kRows[number - 1];
        const uint32_t size = row.min_dwords + (number == 2 ? kSendFields[0].in(words) : 0);
        if (size > count)
            return write_cut_off(words, count, "cut off");
        covered_.assign(size, 0);
        covered_[0] = 0xFF000000;
        fields(row, words, size, &kSendFields[0]);
        other_bits(words, size);
        write(row.name);
        return size;
    }
};

class Writer : public PacketWriter<Writer> {
  public:
    Writer() : PacketWriter<Writer>("dwords") {}
    Writer& packet(const PacketShape& row) {
        row_ = &row;
        start(row, 0);
        return *this;
    }

  private:
    void resized(uint32_t dwords) override {
        dword(1) = number_of(*row_) << 24 | (dword(1) & 0xFF);
        if (row_ == &kRows[1])
            set("COUNT", dwords - 1);
    }
    const PacketShape* row_ = nullptr;
};

Words assembled(const std::string& text) {
    const PacketAssembly assembly = Assembler().run(text);
    for (const TextError& error : assembly.errors)
        ADD_FAILURE() << error.message << "\n" << text;
    Words words(assembly.bytes.size() / 4);
    std::memcpy(words.data(), assembly.bytes.data(), words.size() * 4);
    return words;
}
std::string text_of(const Words& words) {
    return Lister().run(words.data(), words.size());
}

TEST(FamilyText, TheHighHalfOfAPairIsWhereverTheRowHasIt) {
    const Words words = {0x01000001, 0x1000, 0x00340000};
    EXPECT_EQ(text_of(words), "PAINT COLOUR = GREEN, AT = 0x3400001000\n");
    EXPECT_EQ(assembled("PAINT COLOUR = GREEN, AT = 0x3400001000"), words);
    EXPECT_EQ(Words(Writer().packet(kRows[0]).set("COLOUR", "GREEN").address("AT", 0x3400001000)),
              words);
}

TEST(FamilyText, AValueWhoseNameReadsAsANumberIsANumber) {
    const Words words = {0x01000002, 0, 0};
    EXPECT_EQ(text_of(words), "PAINT COLOUR = 2, AT = 0x0\n");
    EXPECT_EQ(assembled(text_of(words)), words);
}

TEST(FamilyText, DataAreCountedByTheFamily) {
    const Words words = {0x02000003, 7, 8, 9};
    EXPECT_EQ(text_of(words), "SEND DATA = [0x00000007, 0x00000008, 0x00000009]\n");
    EXPECT_EQ(assembled(text_of(words)), words);
    EXPECT_EQ(Words(Writer().packet(kRows[1]).data({7, 8, 9})), words);
    EXPECT_THROW(Writer().packet(kRows[1]).dwords(257), std::invalid_argument);
}

TEST(FamilyText, AnyWordsComeBack) {
    for (const Words& words : {Words{0x01FFFFFF, 0xFFFFFFFF, 0xFFFFFFFF}, Words{0x02FFFF00},
                               Words{0, 0x01000000, 1}, Words{0x02000002, 1}})
        EXPECT_EQ(assembled(text_of(words)), words) << text_of(words);
}

TEST(FamilyText, LogsNameFieldsAndValues) {
    const Words words = {0x01000001, 0x1000, 0x00340000};
    EXPECT_EQ(describe_fields(kRows[0], words.data(), 2), " COLOUR=1 (GREEN) AT_LO=0x1000");
}

}  // namespace
}  // namespace archipelago::front::test
