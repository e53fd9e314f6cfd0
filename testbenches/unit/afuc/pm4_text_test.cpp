// SPDX-License-Identifier: Apache-2.0
// PM4 of every generation as text: every field and any words go there and back unchanged; what is
// wrong is named with its place.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "models/afuc/engine/pm4_header.h"
#include "models/afuc/pm4/text.h"

namespace archipelago::afuc {
namespace {

using Words = std::vector<uint32_t>;
using front::PacketField;

Words pm4_words(const std::vector<uint8_t>& bytes) {
    Words words(bytes.size() / 4);
    if (!words.empty())
        std::memcpy(words.data(), bytes.data(), words.size() * 4);
    return words;
}

Words assembled(Names names, const std::string& text) {
    const front::PacketAssembly assembly = Pm4Language(names).assemble(text);
    for (const TextError& e : assembly.errors)
        ADD_FAILURE() << e.line << ":" << e.column << ": " << e.message << "\n" << text;
    return pm4_words(assembly.bytes);
}

std::string text_of(Names names, const Words& words, bool offsets = false) {
    return Pm4Language(names).disassemble(words.data(), words.size(), {offsets});
}

// "line:column: message" of the first error.
std::string error_of(Names names, const std::string& text) {
    const front::PacketAssembly assembly = Pm4Language(names).assemble(text);
    if (assembly.errors.empty())
        return "no error";
    const TextError& e = assembly.errors.front();
    return std::to_string(e.line) + ":" + std::to_string(e.column) + ": " + e.message;
}

Words packet(uint8_t opcode, Words body) {
    body.insert(body.begin(), make_type7_header(opcode, static_cast<uint32_t>(body.size())));
    return body;
}

class Pm4Text : public ::testing::TestWithParam<Pm4Generation> {
  protected:
    // The same inputs in every run, unless the environment asks for others.
    static void SetUpTestSuite() { setenv("RC_PARAMS", "seed=4 max_success=3000", 0); }
    Names names() const { return GetParam().names; }
    const PacketTable packets{GetParam().names};

    void expect_round_trip(const Words& words) const {
        for (const bool offsets : {false, true}) {
            const std::string text = text_of(names(), words, offsets);
            const front::PacketAssembly assembly = Pm4Language(names()).assemble(text);
            RC_ASSERT(assembly.errors.empty());
            RC_ASSERT(pm4_words(assembly.bytes) == words);
        }
    }
};
INSTANTIATE_TEST_SUITE_P(Generations, Pm4Text, ::testing::ValuesIn(kPm4Generations),
                         [](const auto& info) { return std::string(info.param.name); });

TEST_P(Pm4Text, EveryFieldIsNamedAndTakesItsEdgeValues) {
    for (const Packet& p : packets) {
        for (const PacketField& field : p.fields) {
            if (field.repeat != 0)
                continue;
            const uint32_t most = field.of(0xFFFFFFFF);
            for (const uint32_t value : {1u, most, most / 2 + 1}) {
                Words body(std::max<size_t>(p.min_dwords, field.dword));
                std::string text = p.name;
                if (const front::FieldCondition* c = field.condition) {
                    const auto wanted = static_cast<uint32_t>(__builtin_ctz(c->values));
                    body[c->dword - 1] |= wanted << c->lsb;
                    const auto* control =
                        std::find_if(p.fields.begin(), p.fields.end(), [&](const PacketField& f) {
                            return f.dword == c->dword && f.lsb == c->lsb && f.msb == c->msb;
                        });
                    ASSERT_NE(control, p.fields.end()) << p.name << "." << field.name;
                    text += std::string(" ") + control->name + " = " + std::to_string(wanted) + ",";
                }
                body[field.dword - 1] |= value << field.lsb;
                const bool address = front::meaning_of(p, field).kind == front::FieldKind::Address;
                text += std::string(" ") + field.name + " = " +
                        std::to_string(address ? value << field.lsb : value);
                const Words words = packet(p.opcode, body);
                EXPECT_EQ(assembled(names(), text), words) << text;
                const std::string back = text_of(names(), words);
                EXPECT_EQ(assembled(names(), back), words) << back;
                // A half of a pair is shown as the pair.
                const std::string name = field.name;
                const std::string pair =
                    name.substr(0, name.size() - std::min<size_t>(3, name.size()));
                EXPECT_TRUE(back.find(" " + name + " = ") != std::string::npos ||
                            back.find(" " + pair + " = ") != std::string::npos)
                    << back << " without " << name;
            }
        }
    }
}

TEST_P(Pm4Text, AnyWordsGoThereAndBack) {
    const auto word = rc::gen::oneOf(
        rc::gen::arbitrary<uint32_t>(), rc::gen::inRange<uint32_t>(0, 20),
        rc::gen::apply(
            [](uint32_t opcode, uint32_t count, uint32_t flip) {
                return make_type7_header(opcode % 128, count) ^ (flip < 32 ? 1u << flip : 0);
            },
            rc::gen::arbitrary<uint32_t>(), rc::gen::inRange<uint32_t>(0, 6),
            rc::gen::inRange<uint32_t>(0, 200)),
        rc::gen::apply(
            [](uint32_t first, uint32_t count) { return make_type4_header(first, count); },
            rc::gen::oneOf(rc::gen::inRange<uint32_t>(0x800, 0xC00),
                           rc::gen::inRange<uint32_t>(0, kMaxRegister + 1)),
            rc::gen::inRange<uint32_t>(0, 4)));
    EXPECT_TRUE(rc::check("text of any words assembles to them", [&] {
        const Words words = *rc::gen::container<Words>(word);
        expect_round_trip(words);
    }));
}

TEST_P(Pm4Text, PacketsOfEveryKindGoThereAndBack) {
    const auto small = rc::gen::apply(
        [](uint32_t bits, uint32_t shift, uint32_t more) { return bits << shift | more; },
        rc::gen::inRange<uint32_t>(0, 16), rc::gen::inRange<uint32_t>(0, 32),
        rc::gen::oneOf(rc::gen::just(0u), rc::gen::arbitrary<uint32_t>(),
                       rc::gen::map(rc::gen::inRange<uint32_t>(0, 8),
                                    [](uint32_t mode) { return mode << 28; })));
    EXPECT_TRUE(rc::check("text of packets assembles to them", [&] {
        const size_t row = *rc::gen::inRange<size_t>(0, packets.size());
        const Packet& p = packets.begin()[row];
        const uint32_t least = p.min_dwords > 0 ? p.min_dwords - 1 : 0;
        const uint32_t dwords =
            *rc::gen::inRange<uint32_t>(least, std::min(p.max_dwords, p.min_dwords + 6) + 2);
        const Words body = *rc::gen::container<Words>(dwords, small);
        expect_round_trip(packet(p.opcode, body));
    }));
}

// Text with characters exchanged is taken or refused with a place in it.
TEST_P(Pm4Text, AnyTextIsTakenOrRefused) {
    std::string listing;
    for (const Packet& p : packets)
        listing += text_of(names(), packet(p.opcode, Words(p.min_dwords + 1, 0x20000001)));
    const auto lines = 1 + static_cast<unsigned>(std::count(listing.begin(), listing.end(), '\n'));
    const std::string kCharacters = "[]{}=,:# \n0123456789xABCDEFLO_PKT47";
    EXPECT_TRUE(rc::check("any text is taken or refused", [&] {
        std::string text = listing;
        const auto places = *rc::gen::container<std::vector<std::pair<uint32_t, uint32_t>>>(
            20, rc::gen::arbitrary<std::pair<uint32_t, uint32_t>>());
        for (const auto& [place, with] : places)
            text[place % text.size()] = kCharacters[with % kCharacters.size()];
        const front::PacketAssembly assembly = Pm4Language(names()).assemble(text);
        RC_ASSERT(assembly.bytes.size() % 4 == 0);
        for (const TextError& e : assembly.errors) {
            RC_ASSERT(e.line >= 1 && e.line <= lines + places.size());
            RC_ASSERT(e.column >= 1 && !e.message.empty());
        }
    }));
}

TEST_P(Pm4Text, LongestPacketsGoThereAndBack) {
    for (const char* name : {"CP_NOP", "CP_SET_DRAW_STATE", "CP_WAIT_FOR_IDLE"}) {
        Words body(kMaxBodyDwords);
        for (size_t i = 0; i < body.size(); ++i)
            body[i] = static_cast<uint32_t>(i * 0x01234567);
        const Words words = packet(packets.find_by_name(name)->opcode, body);
        EXPECT_EQ(assembled(names(), text_of(names(), words)), words) << name;
    }
    Words registers{make_type4_header(kMaxRegister, kMaxRegisters)};
    registers.resize(1 + kMaxRegisters, 0xFFFFFFFF);
    EXPECT_EQ(assembled(names(), text_of(names(), registers)), registers);
}

TEST_P(Pm4Text, PacketsCutOffAnywhereStayWords) {
    for (const Packet& p : packets) {
        const Words whole = packet(p.opcode, Words(p.min_dwords + 2, 0x01010101));
        for (size_t size = 1; size <= whole.size(); ++size) {
            const Words words(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
            const std::string text = text_of(names(), words);
            EXPECT_EQ(text.substr(0, 5) == ".word", size < whole.size()) << text;
            EXPECT_EQ(assembled(names(), text), words) << text;
        }
    }
}

TEST_P(Pm4Text, WhatIsNoHeaderStaysAWord) {
    const std::pair<uint32_t, const char*> kWords[] = {
        {0x70908000, "wrong parity of the opcode"},   {0x70108001, "wrong parity of the count"},
        {0x7010C000, "reserved bits are set"},        {0x71108000, "reserved bits are set"},
        {0x40088301, "wrong parity of the register"}, {0x48088381, "wrong parity of the count"},
        {0x4C088301, "reserved bits are set"},        {0xC0001000, "neither type 4 nor type 7"},
        {0x80000000, "neither type 4 nor type 7"},    {0, "neither type 4 nor type 7"}};
    for (const auto& [word, why] : kWords) {
        const std::string text = text_of(names(), {word, 0x70108000});
        EXPECT_EQ(text.substr(0, 5), ".word") << text;
        EXPECT_NE(text.find(why), std::string::npos) << text;
        EXPECT_NE(text.find("\nCP_NOP\n"), std::string::npos) << text;
        EXPECT_EQ(assembled(names(), text), (Words{word, 0x70108000})) << text;
    }
}

// ---- what people read and write ----------------------------------------------------------------

TEST(Pm4TextOfChips, HeadersOfTheFacts) {
    EXPECT_EQ(assembled(Names::A6xx, "CP_NOP"), Words{0x70108000});
    EXPECT_EQ(assembled(Names::A6xx, "CP_ME_INIT").at(0), 0x70C80008u);
    EXPECT_EQ(assembled(Names::A6xx, "PKT4 CP_SCRATCH[0x0] = 1"), (Words{0x48088301, 1}));
    EXPECT_EQ(assembled(Names::A6xx, "PKT4 CP_SCRATCH_REG[0] = 1"), (Words{0x48088301, 1}));
    EXPECT_EQ(assembled(Names::A6xx, "PKT4 0x883 = 1"), (Words{0x48088301, 1}));
}

TEST(Pm4TextOfChips, TextIsWhatAPersonWouldWrite) {
    const auto a6 = [](const Words& words) { return text_of(Names::A6xx, words); };
    const auto a7 = [](const Words& words) { return text_of(Names::A7xx, words); };
    EXPECT_EQ(a6({make_type4_header(0x800, 4), 0x1000, 1, 2, 3}),
              "PKT4 CP_RB_BASE = 0x00001000,\n    CP_RB_BASE_HI = 1,\n    CP_RB_CNTL = 2,\n"
              "    0x803 = 3\n");
    EXPECT_EQ(a6({make_type4_header(0x885, 0)}), "PKT4 [first=CP_SCRATCH[0x2]]\n");
    EXPECT_EQ(a6(packet(0x3D, {0x1000, 1, 0xDEAD, 5})),
              "CP_MEM_WRITE ADDR = 0x100001000, DATA = [0x0000dead, 0x00000005]\n");
    EXPECT_EQ(a6(packet(0x46, {4 | 1u << 30, 0x1000, 0, 7})),
              "CP_EVENT_WRITE EVENT = CACHE_FLUSH_TS, TIMESTAMP = 1, ADDR_0 = 0x1000, DATA = 7\n");
    EXPECT_EQ(a7(packet(0x46, {49})),
              "CP_EVENT_WRITE7 EVENT = CACHE_CLEAN, WRITE_SRC = EV_WRITE_USER_32B, WRITE_DST = "
              "EV_DST_RAM\n");
    EXPECT_EQ(a6(packet(0x3C, {3, 0x883, 0, 1, 0xFF, 16})),
              "CP_WAIT_REG_MEM FUNCTION = WRITE_EQ, POLL = POLL_REGISTER, POLL_REG = "
              "CP_SCRATCH[0x0], REF = 1,\n    MASK = 0xff, DELAY_LOOP_CYCLES = 0x10\n");
    EXPECT_EQ(a6(packet(0x47, {2u << 28 | 0x883, 0x884, 12})),
              "CP_COND_REG_EXEC MODE = REG_COMPARE, REG0 = CP_SCRATCH[0x0], REG1 = "
              "CP_SCRATCH[0x1], DWORDS = 0xc\n");
    EXPECT_EQ(
        a6(packet(0x43, {1u << 24 | 8, 0x2000, 1, 2u << 24 | 1u << 17, 0, 0})),
        "CP_SET_DRAW_STATE COUNT = 8, GROUP_ID = 1, ADDR = 0x100002000, COUNT = 0, DISABLE = 1, "
        "GROUP_ID = 2,\n    ADDR = 0x0\n");
    EXPECT_EQ(a6(packet(0x5C, {0x883, 5, 0x10, 6})),
              "CP_CONTEXT_REG_BUNCH REG = CP_SCRATCH[0x0], VALUE = 5, REG = 0x10, VALUE = 6\n");
    EXPECT_EQ(a6(packet(0x17, {5})), "PKT7 [opcode=0x17] DATA = 0x00000005" + std::string(25, ' ') +
                                         "// unknown opcode\n");
    EXPECT_EQ(a6(packet(0x26, {5})), "CP_WAIT_FOR_IDLE [count=1] DW1 = 0x5" + std::string(25, ' ') +
                                         "// must have 0 body dwords\n");
}

TEST(Pm4TextOfChips, ValuesOfAnotherFieldDecideWhereAFieldIs) {
    const auto multi = [](const std::string& text) {
        return assembled(Names::A6xx, "CP_DRAW_INDIRECT_MULTI " + text);
    };
    EXPECT_EQ(multi("OPCODE = INDIRECT_OP_NORMAL, INDIRECT = 0x2_0000_0001, STRIDE = 9"),
              packet(0x2A, {0, 2, 0, 1, 2, 9}));
    EXPECT_EQ(
        multi("STRIDE = 9, INDEX = 7, INDIRECT = 0x2_0000_0001, OPCODE = INDIRECT_OP_INDEXED"),
        packet(0x2A, {0, 4, 0, 7, 0, 0, 1, 2, 9}));
    EXPECT_EQ(multi("OPCODE = INDIRECT_OP_INDIRECT_COUNT_INDEXED, INDIRECT_COUNT = 3, STRIDE = 9"),
              packet(0x2A, {0, 7, 0, 0, 0, 0, 0, 0, 3, 0, 9}));
    EXPECT_EQ(error_of(Names::A6xx, "CP_DRAW_INDIRECT_MULTI OPCODE = 1, STRIDE = 9"),
              "1:36: CP_DRAW_INDIRECT_MULTI has no STRIDE when OPCODE is 1");
    EXPECT_EQ(assembled(Names::A7xx, "CP_COND_REG_EXEC MODE = THREAD_MODE, BV = 1, DWORDS = 3"),
              packet(0x47, {5u << 28 | 1u << 25, 3}));
    EXPECT_EQ(
        assembled(Names::A7xx, "CP_COND_REG_EXEC MODE = REG_COMPARE_IMM, IMM = 6, DWORDS = 3"),
        packet(0x47, {4u << 28, 6, 3}));
}

TEST(Pm4TextOfChips, GroupsBeginWithTheirFirstField) {
    EXPECT_EQ(assembled(Names::A6xx,
                        "CP_SET_DRAW_STATE COUNT = 1, ADDR = 0x1000, COUNT = 2,\n"
                        "DISABLE = 1, ADDR_LO = 4, COUNT = 3, ADDR_HI = 5"),
              packet(0x43, {1, 0x1000, 0, 2 | 1u << 17, 4, 0, 3, 0, 5}));
    EXPECT_EQ(assembled(Names::A6xx, "CP_CONTEXT_REG_BUNCH REG = [1, 2], VALUE = [3, 4]"),
              packet(0x5C, {1, 3, 2, 4}));
    EXPECT_EQ(error_of(Names::A6xx, "CP_SET_DRAW_STATE DISABLE = 1, COUNT = 1"),
              "1:19: DISABLE before COUNT, with which a group begins");
    EXPECT_EQ(error_of(Names::A6xx, "CP_SET_DRAW_STATE COUNT = 1, DISABLE = 1, DISABLE = 0"),
              "1:43: DISABLE is given twice in a group");
}

TEST(Pm4TextOfChips, ErrorsNamePlaceAndReason) {
    const auto a6 = [](const std::string& text) { return error_of(Names::A6xx, text); };
    EXPECT_EQ(a6("CP_NOP\n CP_MEM_WRIET"), "2:2: unknown packet \"CP_MEM_WRIET\"");
    EXPECT_EQ(a6("CP_THREAD_CONTROL"), "1:1: unknown packet \"CP_THREAD_CONTROL\"");
    EXPECT_EQ(a6("PKT7 DATA = 1"), "1:1: PKT7 needs [opcode=...]");
    EXPECT_EQ(a6("PKT7 [opcode=0x80]"), "1:14: 0x80 is more than 0x7f");
    EXPECT_EQ(a6("CP_NOP [conut=1]"), "1:9: unknown flag \"conut\"");
    EXPECT_EQ(a6("CP_NOP [count=0x4000]"), "1:15: 0x4000 is more than 0x3fff");
    EXPECT_EQ(a6("CP_MEM_WRITE [count=1] ADDR = 1"),
              "1:15: the fields take 2 body dwords, count says 1");
    EXPECT_EQ(a6("CP_MEMCPY DW6 = 1"),
              "1:1: CP_MEMCPY has 5 body dwords, the fields take 6; [count=6] if meant");
    EXPECT_EQ(a6("CP_REG_TO_MEM REG = CP_NOTHING"), "1:21: unknown register \"CP_NOTHING\"");
    EXPECT_EQ(a6("CP_REG_TO_MEM REG = CP_SCRATCH[8]"),
              "1:21: unknown register \"CP_SCRATCH[0x8]\"");
    EXPECT_EQ(a6("CP_REG_TO_MEM CNT = 0x1000"), "1:21: 0x1000 does not fit CNT, at most 0xfff");
    EXPECT_EQ(a6("CP_EVENT_WRITE EVENT = CACHE_CLEAN"),
              "1:24: unknown value \"CACHE_CLEAN\" of EVENT");
    EXPECT_EQ(a6("PKT4 CP_RB_BASE = 1, CP_RB_CNTL = 2"),
              "1:22: CP_RB_CNTL (0x802) is not the next register, which is CP_RB_BASE_HI");
    EXPECT_EQ(a6("PKT4 0x40000 = 1"), "1:6: PKT4 reaches register 0x3ffff, not 0x40000");
    EXPECT_EQ(a6("PKT4 0x10 = 1, 0x12 = 2"), "1:16: 0x12 is not the next register, which is 0x11");
    EXPECT_EQ(a6("PKT4"), "1:5: expected a register, found the end of the line");
    std::string many = "PKT4 0x1000 = 0";
    for (unsigned i = 1; i <= kMaxRegisters; ++i)
        many += ", " + std::to_string(0x1000 + i) + " = 0";
    EXPECT_EQ(a6(many), "1:1: a packet writes at most 127 registers");
}

}  // namespace
}  // namespace archipelago::afuc
