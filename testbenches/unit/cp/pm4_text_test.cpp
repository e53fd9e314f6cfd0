// SPDX-License-Identifier: Apache-2.0
// PM4 as text: every packet, every field and any words go there and back unchanged; what is wrong
// is named with its place.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "models/cp/packets/si/si_packets.h"
#include "models/cp/pm4/names.h"
#include "models/cp/pm4/text.h"
#include "registers/si_register_table.h"

namespace archipelago::cp::test::pm4_text_test {
namespace {

using Words = std::vector<uint32_t>;

Words assembled(const std::string& text) {
    const front::PacketAssembly assembly = si_pm4().assemble(text);
    for (const TextError& e : assembly.errors)
        ADD_FAILURE() << e.line << ":" << e.column << ": " << e.message << "\n" << text;
    Words words(assembly.bytes.size() / 4);
    EXPECT_EQ(assembly.bytes.size() % 4, 0u);
    std::memcpy(words.data(), assembly.bytes.data(), words.size() * 4);
    return words;
}

std::string text_of(const Words& words, bool offsets = false) {
    return si_pm4().disassemble(words.data(), words.size(), {offsets});
}

// "line:column: message" of the first error.
std::string error_of(const std::string& text) {
    const front::PacketAssembly assembly = si_pm4().assemble(text);
    if (assembly.errors.empty())
        return "no error";
    const TextError& e = assembly.errors.front();
    return std::to_string(e.line) + ":" + std::to_string(e.column) + ": " + e.message;
}

void expect_round_trip(const Words& words, const std::string& what) {
    for (const bool offsets : {false, true}) {
        const std::string text = text_of(words, offsets);
        const Words back = assembled(text);
        ASSERT_EQ(back, words) << what << "\n" << text;
        ASSERT_EQ(text_of(back, offsets), text) << what;
    }
}

TEST(Pm4Text, EveryPacketOfEverySizeGoesThereAndBack) {
    std::mt19937 random(1);
    for (const PacketInfo& info : si_packet_table()) {
        for (unsigned k = 0; k < info.opcode_count; ++k) {
            for (const uint32_t size :
                 {1u, 2u, 3u, 4u, 5u, 6u, 8u, 10u, 12u, 33u, uint32_t{info.min_dwords},
                  info.min_dwords + 1u, std::min<uint32_t>(info.max_dwords, 100)}) {
                for (const uint32_t fill : {0u, 1u, 0xFFFFFFFFu, 0x80000001u, 2u}) {
                    Words words{make_header(info.opcodes[k], size, fill == 1)};
                    for (uint32_t i = 0; i < size; ++i)
                        words.push_back(fill == 2 ? static_cast<uint32_t>(random()) : fill);
                    expect_round_trip(words, info.name);
                }
            }
        }
    }
}

TEST(Pm4Text, EveryFieldIsNamedAndTakesItsEdgeValues) {
    for (const PacketInfo& info : si_packet_table()) {
        for (const PacketField& field : info.fields) {
            const FieldMeaning meaning = meaning_of(info, field);
            const uint32_t most = field.of(0xFFFFFFFF);
            for (const uint32_t value : {1u, most, most / 2 + 1, most - (most > 1)}) {
                uint32_t size = std::max<uint32_t>(info.min_dwords, field.dword);
                if (field.condition != nullptr && field.condition->dword == 0)
                    size = field.condition->values;
                Words body(size);
                body[field.dword - 1] = value << field.lsb;
                // The field it depends on, set to its first value.
                if (field.condition != nullptr && field.condition->dword != 0) {
                    uint32_t state = 0;
                    while ((field.condition->values >> state & 1) == 0)
                        ++state;
                    body[field.condition->dword - 1] |= state << field.condition->lsb;
                }
                ASSERT_TRUE(field.applies(body.data(), size)) << info.name << "." << field.name;
                Words words{make_header(info.opcodes[0], size)};
                words.insert(words.end(), body.begin(), body.end());
                expect_round_trip(words, std::string(info.name) + "." + field.name);
                // By its own name, as a person writes it.
                std::string written = std::to_string(value);
                if (meaning.kind == FieldKind::Address)
                    written = std::to_string(value << field.lsb);
                std::string text = std::string(info.name) + " [count=" + std::to_string(size) +
                                   "] " + field.name + " = " + written;
                if (field.condition != nullptr && field.condition->dword != 0) {
                    const uint32_t state =
                        body[field.condition->dword - 1] &
                        (((2u << (field.condition->msb - field.condition->lsb)) - 1)
                         << field.condition->lsb);
                    text += ", DW" + std::to_string(field.condition->dword) + " = " +
                            std::to_string(state);
                }
                EXPECT_EQ(assembled(text), words) << text;
            }
            // One more than fits.
            if (most != 0xFFFFFFFF && meaning.kind != FieldKind::Address &&
                field.lsb != field.msb && field.condition == nullptr) {
                const std::string name = field.name;
                EXPECT_NE(
                    error_of(std::string(info.name) + " " + name + " = " + std::to_string(most + 1))
                        .find("does not fit " + name),
                    std::string::npos)
                    << info.name;
            }
        }
    }
}

TEST(Pm4Text, EveryNamedValueIsWrittenAndTaken) {
    unsigned values = 0;
    for (const PacketInfo& info : si_packet_table()) {
        for (const PacketField& field : info.fields) {
            const FieldMeaning meaning = meaning_of(info, field);
            if (field.condition != nullptr)
                continue;
            for (const ValueName& name : meaning.names) {
                ++values;
                ASSERT_LE(name.value, field.of(0xFFFFFFFF)) << info.name << "." << field.name;
                const Words words =
                    assembled(std::string(info.name) + " " + field.name + " = " + name.name);
                EXPECT_EQ(field.in(&words[1]), name.value) << info.name << "." << field.name;
                EXPECT_NE(text_of(words).find(std::string(field.name) + " = " + name.name),
                          std::string::npos)
                    << text_of(words);
            }
        }
    }
    EXPECT_GT(values, 250u);
}

TEST(Pm4Text, EveryRegisterGoesThereAndBack) {
    const regs::RegisterDatabase& db = regs::si::database();
    std::mt19937 random(2);
    for (const regs::RegisterInfo& reg : db.registers) {
        if (reg.offset >= 0x40000)
            continue;
        for (const uint32_t value : {0u, 0xFFFFFFFFu, static_cast<uint32_t>(random())}) {
            expect_round_trip({make_type0_header(reg.offset, 1), value}, std::string(reg.name));
            for (const auto& [opcode, start] :
                 {std::pair<uint8_t, uint32_t>{0x68, 0x8000}, {0x69, 0x28000}, {0x76, 0xB000}}) {
                if (reg.offset >= start && reg.offset < start + 0x1000)
                    expect_round_trip({make_header(opcode, 2), (reg.offset - start) / 4, value},
                                      std::string(reg.name));
            }
        }
    }
}

TEST(Pm4Text, AnyWordsGoThereAndBack) {
    std::mt19937 random(3);
    for (unsigned i = 0; i < 100'000; ++i) {
        Words words(1 + random() % 24);
        for (uint32_t& word : words) {
            word = static_cast<uint32_t>(random());
            // Mostly headers that fit, of packets there are.
            if (random() % 2 == 0)
                word = 0xC0000000u | (random() % 12) << 16 | (random() & 0xFF) << 8 |
                       (random() % 8 == 0 ? random() & 0xFF : 0);
            if (random() % 16 == 0)
                word = (random() % 3) << 16 | (random() & 0xFFFF);
        }
        ASSERT_NO_FATAL_FAILURE(expect_round_trip(words, std::to_string(i)));
    }
}

TEST(Pm4Text, CutOffPacketsStayWords) {
    EXPECT_EQ(text_of({0xC0032700, 1, 2}),
              ".word 0xc0032700                                             // DRAW_INDEX_2, cut "
              "off: 2 of 4 body dwords\n.word 0x00000001, 0x00000002\n");
    EXPECT_EQ(text_of({0x40000000}),
              ".word 0x40000000                                             // no packet has type "
              "1\n");
}

TEST(Pm4Text, TextIsWhatAPersonWouldWrite) {
    EXPECT_EQ(text_of({0xC0017600, 0x207, 0x40}),
              "SET_SH_REG COMPUTE_NUM_THREAD_X = {NUM_THREAD_FULL: 0x40}\n");
    EXPECT_EQ(text_of({0xC0004600, 0x407}),
              "EVENT_WRITE EVENT_INDEX = 4, EVENT_TYPE = CS_PARTIAL_FLUSH\n");
    EXPECT_EQ(text_of({0xC0053C00, 0x13, 0x200000, 0, 5, 0xFFFFFFFF, 4}),
              "WAIT_REG_MEM ENGINE = ME, MEM_SPACE = MEMORY, FUNCTION = EQUAL, POLL_ADDRESS = "
              "0x200000,\n    SWAP = NONE, REFERENCE = 5, MASK = 0xffffffff, POLL_INTERVAL = 4\n");
    EXPECT_EQ(text_of({0xC0023F00, 0x208000, 0, 0x01000100}),
              "INDIRECT_BUFFER [opcode=0x3f] SWAP = NONE, IB_BASE = 0x208000, VMID = 1, IB_SIZE = "
              "0x100 // 256 dwords at 0x208000\n");
    EXPECT_EQ(text_of({0x80000000}), "TYPE2\n");
}

TEST(Pm4Text, PeopleMayLeaveOutWhatIsZero) {
    EXPECT_EQ(assembled("NOP"), (Words{0xC0001000, 0}));
    EXPECT_EQ(assembled("NOP DATA = [1, 2, -1, 1.0]"),
              (Words{0xC0031000, 1, 2, 0xFFFFFFFF, 0x3F800000}));
    EXPECT_EQ(assembled("DISPATCH_DIRECT [compute, predicate] DIM_X = 4, DIM_Y=1,\n"
                        "  DIM_Z = 1, # all of it\n"
                        "  DISPATCH_INITIATOR = {COMPUTE_SHADER_EN: 1}  ; go"),
              (Words{0xC0031503, 4, 1, 1, 1}));
    EXPECT_EQ(assembled("WRITE_DATA DST_SEL = MEMORY, WR_CONFIRM = 1, DST_ADDR = 0x1_0020_0000, "
                        "DATA = 0xdead"),
              (Words{0xC0033700, 0x00100500, 0x00200000, 1, 0xDEAD}));
    EXPECT_EQ(assembled("WRITE_DATA DST_SEL = REGISTER, DST_REGISTER = SCRATCH_REG0, DATA = 7"),
              (Words{0xC0033700, 0, regs::si::find_by_name("SCRATCH_REG0")->offset / 4, 0, 7}));
    EXPECT_EQ(assembled("LOAD_SH_REG BASE_ADDR = 0x1000, REG_OFFSET = 1, NUM_DWORDS = 2, "
                        "REG_OFFSET = 5, NUM_DWORDS = 3"),
              (Words{0xC0056100, 0x1000, 0, 1, 2, 5, 3}));
    EXPECT_EQ(assembled("TYPE0 SCRATCH_REG0 = 1, SCRATCH_REG1 = 2"),
              (Words{make_type0_header(regs::si::find_by_name("SCRATCH_REG0")->offset, 2), 1, 2}));
    EXPECT_EQ(assembled("PACKET3 [opcode=0x99] DATA = 3\n.word 1, 2\n\n"),
              (Words{0xC0009900, 3, 1, 2}));
    EXPECT_EQ(assembled("DRAW_INDEX_INDIRECT DATA_OFFSET = 8, DRAW_INITIATOR = 2"),
              (Words{0xC0032500, 8, 0, 0, 2}));
    EXPECT_EQ(assembled("DRAW_INDEX_INDIRECT [count=3] DATA_OFFSET = 8, DRAW_INITIATOR = 2"),
              (Words{0xC0022500, 8, 0, 2}));
}

TEST(Pm4Text, ErrorsNamePlaceAndReason) {
    EXPECT_EQ(error_of("NOP\n  SET_SHREG X = 1"), "2:3: unknown packet \"SET_SHREG\"");
    EXPECT_EQ(error_of("SET_SH_REG COMPUTE_PGM_LOW = 1"),
              "1:12: unknown register \"COMPUTE_PGM_LOW\"");
    EXPECT_EQ(error_of("SET_SH_REG COMPUTE_NUM_THREAD_X = {FULL: 1}"),
              "1:36: COMPUTE_NUM_THREAD_X has no field \"FULL\"");
    EXPECT_EQ(error_of("SET_SH_REG COMPUTE_NUM_THREAD_X = 1, COMPUTE_PGM_LO = 1"),
              "1:38: COMPUTE_PGM_LO (0x0b830) is not the next register, which is "
              "COMPUTE_NUM_THREAD_Y");
    EXPECT_EQ(error_of("SET_SH_REG SCRATCH_REG0 = 1"),
              "1:12: SET_SH_REG writes registers from 0x0b000 on, SCRATCH_REG0 is 0x08500");
    EXPECT_EQ(error_of("EVENT_WRITE EVENT_TYPE = CS_FLUSH"),
              "1:26: unknown value \"CS_FLUSH\" of EVENT_TYPE");
    EXPECT_EQ(error_of("EVENT_WRITE EVENT_TYPE = 64"),
              "1:26: 0x40 does not fit EVENT_TYPE, at most 0x3f");
    EXPECT_EQ(error_of("EVENT_WRITE EVENT_TYPE = 1, EVENT_TYPE = 2"),
              "1:29: EVENT_TYPE is given twice");
    EXPECT_EQ(error_of("COPY_DATA SRC_SEL = IMMEDIATE, SRC_ADDR = 8"),
              "1:32: COPY_DATA has no SRC_ADDR_LO when SRC_SEL is IMMEDIATE");
    EXPECT_EQ(error_of("MEM_SEMAPHORE ADDRESS = 4"), "1:25: ADDRESS must be a multiple of 8");
    EXPECT_EQ(error_of("DISPATCH_DIRECT DIMX = 4"), "1:17: DISPATCH_DIRECT has no field \"DIMX\"");
    EXPECT_EQ(error_of("DISPATCH_DIRECT DIM_X 4"), "1:23: expected '=', found \"4\"");
    EXPECT_EQ(error_of("DISPATCH_DIRECT [gfx] DIM_X = 4"), "1:18: unknown flag \"gfx\"");
    EXPECT_EQ(error_of("NOP [count=0]"), "1:6: a packet has at least 1 body dword");
    EXPECT_EQ(error_of("NOP [count=1] DATA = [1, 2]"),
              "1:6: the fields take 2 body dwords, count says 1");
    EXPECT_EQ(error_of("CLEAR_STATE DW2 = 1"),
              "1:1: CLEAR_STATE has 1 body dwords, the fields take 2; [count=2] if meant");
    EXPECT_EQ(error_of("NOP DATA = 0x1_0000_0000"), "1:12: 0x1_0000_0000 does not fit 32 bits");
    EXPECT_EQ(error_of("NOP DATA = 12z"), "1:12: \"12z\" is not a number");
    EXPECT_EQ(error_of("NOP DATA = [1, 2"), "1:17: expected ']', found the end of the line");
    EXPECT_EQ(error_of("NOP $"), "1:5: unexpected '$'");
    EXPECT_EQ(error_of(".byte 256"), "1:7: 256 does not fit 8 bits");
    EXPECT_EQ(error_of("PACKET3 DATA = 1"), "1:1: PACKET3 needs [opcode=...]");
    EXPECT_EQ(error_of("NOP NOP"), "1:5: NOP has no field \"NOP\"");
}

TEST(Pm4Text, EveryErrorOfATextIsReportedAndTheRestAssembled) {
    const front::PacketAssembly assembly =
        si_pm4().assemble("NOPE\nNOP DATA = 7\nEVENT_WRITE EVENT_TYPE = X\n");
    ASSERT_EQ(assembly.errors.size(), 2u);
    EXPECT_EQ(assembly.errors[0].line, 1u);
    EXPECT_EQ(assembly.errors[1].line, 3u);
    EXPECT_EQ(assembly.errors[0].unknown, "NOPE");
    const auto& known = assembly.errors[0].known;
    EXPECT_NE(std::find(known.begin(), known.end(), "NOP"), known.end());
    EXPECT_EQ(assembly.bytes.size(), 8u);
}

TEST(Pm4Text, ATextMakesBoundedBytes) {
    std::string text;
    for (unsigned i = 0; i < 1100; ++i)
        text += "NOP [count=0x4000]\n";
    const front::PacketAssembly assembly = si_pm4().assemble(text);
    ASSERT_FALSE(assembly.errors.empty());
    EXPECT_LE(assembly.bytes.size(), front::kMaxTextBytes);
    EXPECT_NE(assembly.errors[0].message.find("makes more than"), std::string::npos);
}

}  // namespace
}  // namespace archipelago::cp::test::pm4_text_test
