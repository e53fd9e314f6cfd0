// SPDX-License-Identifier: Apache-2.0
// The table of instructions: each row once in each encoding, rows apart from each other.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "models/afuc/isa/instruction.h"
#include "models/afuc/isa/names.h"

namespace archipelago::afuc {
namespace {

using Kind = Operand::Kind;
constexpr Encoding kEncodings[] = {Encoding::A5, Encoding::A6, Encoding::A7};

// Of two rows that a word fits, the first is the second with more bits given: `mov` of `or`, `jump`
// of `brne`.
TEST(AfucTable, RowsAreApart) {
    for (const Encoding e : kEncodings) {
        const auto& rows = instructions(e);
        for (size_t i = 0; i < rows.size(); ++i)
            for (size_t k = i + 1; k < rows.size(); ++k) {
                const uint32_t both = rows[i].mask & rows[k].mask;
                if (((rows[i].word ^ rows[k].word) & both) != 0)
                    continue;
                EXPECT_EQ(both, rows[k].mask) << rows[i].name << " and " << rows[k].name;
                EXPECT_NE(rows[i].mask, rows[k].mask) << rows[i].name << " and " << rows[k].name;
            }
    }
}

TEST(AfucTable, BitsMeanOneThing) {
    for (const Encoding e : kEncodings)
        for (const Row& row : instructions(e)) {
            EXPECT_EQ(row.word & ~row.mask, 0u) << row.name;
            uint32_t taken = row.mask;
            for (const Operand& o : row.operands) {
                EXPECT_EQ(taken & o.mask(), 0u) << row.name;
                taken |= o.mask();
            }
            EXPECT_EQ(row.known() & taken, taken) << row.name;
        }
}

// Numbers in which encodings differ, from the table of the facts and the document's text.
TEST(AfucTable, EncodingsDifferWhereTheyShould) {
    struct Word {
        uint32_t word;
        const char *a5, *a6, *a7;  // null: no instruction
    };
    constexpr Word kWords[] = {
        {0x00000000, "nop", nullptr, nullptr},      {0x01000000, nullptr, "nop", "nop"},
        {0x48000000, "shl", "shl", "bic"},          {0x50000000, "ushr", "ushr", "min"},
        {0x58000000, "ishr", "ishr", "max"},        {0x60000000, "rot", "rot", "mul8"},
        {0x68000000, "mul8", "mul8", "cmp"},        {0x70000000, "min", "min", "mov"},
        {0x78000000, "max", "max", nullptr},        {0x80000000, "cmp", "cmp", nullptr},
        {0x88000000, "mov", "mov", nullptr},        {0x90000000, "clrbit", "clrbit", nullptr},
        {0x90006001, "setbit", "setbit", "setbit"}, {0x90002000, "clrbit", "clrbit", "shl"},
        {0x98200009, "shl", "shl", "bic"},          {0x98200010, "cmp", "cmp", nullptr},
        {0xA0000000, nullptr, "store", "store"},    {0xA8000000, "store", "cwrite", "cwrite"},
        {0xA8008000, "cwrite", "swrite", "swrite"}, {0xB0000000, nullptr, "load", "load"},
        {0xB0008000, "cread", nullptr, nullptr},    {0xB8000000, nullptr, "cread", "cread"},
        {0xB8008000, nullptr, "sread", "sread"},    {0xE4000000, nullptr, nullptr, "jumpa"},
        {0xDF60'0000, nullptr, nullptr, "sret"},    {0xDF700003, nullptr, nullptr, "jump"},
    };
    const auto name = [](Encoding e, uint32_t word) {
        const Row* row = decode(e, word);
        return std::string(row != nullptr ? row->name : "none");
    };
    const auto text = [](const char* expected) {
        return std::string(expected ? expected : "none");
    };
    for (const Word& w : kWords) {
        EXPECT_EQ(name(Encoding::A5, w.word), text(w.a5)) << std::hex << w.word;
        EXPECT_EQ(name(Encoding::A6, w.word), text(w.a6)) << std::hex << w.word;
        EXPECT_EQ(name(Encoding::A7, w.word), text(w.a7)) << std::hex << w.word;
    }
}

TEST(AfucTable, EveryInstructionOfAnEncodingIsThere) {
    const std::map<Encoding, size_t> names{
        {Encoding::A5, 33}, {Encoding::A6, 36}, {Encoding::A7, 41}};
    for (const auto& [encoding, count] : names) {
        std::set<std::string> found;
        for (const Row& row : instructions(encoding))
            found.insert(row.name);
        EXPECT_EQ(found.size(), count);
    }
}

TEST(AfucNames, RegistersHaveTheirPlaces) {
    EXPECT_EQ(name_of(Names::A6xx, Space::Control, 0x11).text(), "IB1_BASE+0x1");
    EXPECT_EQ(name_of(Names::A750, Space::Control, 0x71).text(), "PACKET_TABLE_WRITE");
    EXPECT_EQ(name_of(Names::A6xx, Space::Gpu, 0x885).text(), "CP_SCRATCH[0x2]");
    EXPECT_EQ(name_of(Names::A6xx, Space::Gpu, 0x404).text(), "RBBM_PERFCTR_CP[0x2]");
    EXPECT_EQ(name_of(Names::A7xx, Space::Gpu, 0x305).text(), "RBBM_PERFCTR_CP[0x2]+0x1");
    EXPECT_EQ(name_of(Names::A7xx, Space::Sqe, 5).text(), "SP");
    EXPECT_EQ(name_of(Names::A6xx, Space::Pipe, 0xA1).text(), "NRT_ADDR+0x1");
    EXPECT_TRUE(name_of(Names::A6xx, Space::Pipe, 0x84).reg->fires);
    EXPECT_FALSE(name_of(Names::A6xx, Space::Pipe, 0xA2).reg->fires);
    EXPECT_FALSE(name_of(Names::A5xx, Space::Sqe, 5));
    EXPECT_FALSE(name_of(Names::A6xx, Space::Control, 0xFFF));
}

TEST(AfucNames, PacketsHaveTheirOpcodes) {
    EXPECT_EQ(packet_name(Names::A6xx, 0x46), "CP_EVENT_WRITE");
    EXPECT_EQ(packet_name(Names::A7xx, 0x46), "CP_EVENT_WRITE7");
    EXPECT_EQ(packet_name(Names::A6xx, 0x01), "UNKN1");
    EXPECT_EQ(packet_opcode(Names::A7xx, "CP_EVENT_WRITE"), 0x46);
    EXPECT_EQ(packet_opcode(Names::A6xx, "PKT4"), 4);
    EXPECT_EQ(packet_opcode(Names::A6xx, "UNKN127"), 127);
    for (const char* none : {"UNKN128", "UNKN", "UNKN1x", "UNKN-1", "CP_NOPE", ""})
        EXPECT_EQ(packet_opcode(Names::A6xx, none), -1) << none;
    for (const Names names : {Names::A5xx, Names::A6xx, Names::A7xx, Names::A750})
        for (int opcode = 0; opcode < 128; ++opcode)
            EXPECT_EQ(packet_opcode(names, packet_name(names, static_cast<unsigned>(opcode))),
                      opcode);
}

}  // namespace
}  // namespace archipelago::afuc
