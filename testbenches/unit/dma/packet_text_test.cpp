// SPDX-License-Identifier: Apache-2.0
// Packets of every generation as text: every field and any words go there and back unchanged; what
// is wrong is named with its place.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "models/dma/packet_text.h"
#include "models/dma/packet_writer.h"
#include "models/dma/register_file.h"
#include "models/front/field_names.h"
#include "models/front/text/syntax.h"
#include "registers/cik_register_table.h"
#include "registers/eg_register_table.h"
#include "registers/ni_register_table.h"
#include "registers/r600_register_table.h"
#include "registers/r700_register_table.h"
#include "registers/si_register_table.h"

namespace archipelago::dma::test {
namespace {

using Words = std::vector<uint32_t>;

TextLanguage language_of(const char* generation) {
    return TextLanguage(find_generation(generation)->packets, regs::si::database());
}

Words words_of(const std::vector<uint8_t>& bytes) {
    Words words(bytes.size() / 4);
    if (!words.empty())
        std::memcpy(words.data(), bytes.data(), words.size() * 4);
    return words;
}

Words assembled(const TextLanguage& language, const std::string& text) {
    const front::PacketAssembly assembly = language.assemble(text);
    for (const TextError& e : assembly.errors)
        ADD_FAILURE() << e.line << ":" << e.column << ": " << e.message << "\n" << text;
    EXPECT_EQ(assembly.bytes.size() % 4, 0u);
    return words_of(assembly.bytes);
}

std::string text_of(const TextLanguage& language, const Words& words, bool offsets = false) {
    return language.disassemble(words.data(), words.size(), {offsets});
}

// "line:column: message" of the first error.
std::string error_of(const char* generation, const std::string& text) {
    const front::PacketAssembly assembly = language_of(generation).assemble(text);
    if (assembly.errors.empty())
        return "no error";
    const TextError& e = assembly.errors.front();
    return std::to_string(e.line) + ":" + std::to_string(e.column) + ": " + e.message;
}

struct Table {
    std::string name;
    const PacketTable* packets;
    uint32_t nop;
};

// The packets of all generations as drivers send them, and as the document has them.
std::vector<Table> all_tables() {
    static std::vector<std::shared_ptr<const PacketTable>> forms;
    std::vector<Table> tables;
    for (const Generation* g : generations()) {
        tables.push_back({g->name, &g->packets, g->nop});
        std::vector<std::string> others;
        for (const PacketInfo& info : g->document)
            others.emplace_back(info.name);
        std::string unknown;
        forms.push_back(document_forms(*g, others, unknown));
        tables.push_back({std::string(g->name) + "_document", forms.back().get(), g->nop});
    }
    return tables;
}

class PacketText : public ::testing::TestWithParam<Table> {
  protected:
    // The same inputs in every run, unless the environment asks for others.
    static void SetUpTestSuite() { setenv("RC_PARAMS", "seed=4 max_success=3000", 0); }
    const PacketTable& packets() const { return *GetParam().packets; }
    TextLanguage language() const { return TextLanguage(packets(), regs::si::database()); }
};
INSTANTIATE_TEST_SUITE_P(Tables, PacketText, ::testing::ValuesIn(all_tables()),
                         [](const auto& info) { return info.param.name; });

// What text and hosts take for granted of a row.
TEST_P(PacketText, RowsAreWhatTextNeeds) {
    for (const PacketInfo& info : packets()) {
        EXPECT_EQ(packets().find_by_name(info.name), &info) << info.name;
        EXPECT_EQ(packets().find(info.header), &info) << info.name;
        EXPECT_TRUE(front::is_text_name(info.name)) << info.name;
        Words named(info.fixed);
        named[0] = info.header_mask;
        for (const PacketField& field : info.fields) {
            const std::string name = std::string(info.name) + "." + field.name;
            EXPECT_TRUE(front::is_text_name(field.name)) << name;
            EXPECT_GE(field.dword, 1u) << name;
            for (const ValueName& value : front::meaning_of(info, field).names) {
                EXPECT_TRUE(front::is_text_name(value.name)) << name << " " << value.name;
                EXPECT_LE(value.value, field.of(0xFFFFFFFF)) << name << " " << value.name;
            }
            if (field.repeat != 0) {
                EXPECT_NE(info.payload, nullptr) << name;
                EXPECT_EQ(field.dword, info.fixed + 1) << name;
                EXPECT_EQ(field.mask(), 0xFFFFFFFF) << name;
                continue;
            }
            ASSERT_LE(field.dword, info.fixed) << name;
            if (field.condition == nullptr) {
                EXPECT_EQ(named[field.dword - 1] & field.mask(), 0u) << name;
                named[field.dword - 1] |= field.mask();
            }
        }
        const bool listed =
            std::any_of(info.fields.begin(), info.fields.end(),
                        [&](const PacketField& field) { return &field == info.payload; });
        EXPECT_EQ(listed, info.payload != nullptr) << info.name;
    }
}

TEST_P(PacketText, EveryFieldIsNamedAndTakesItsEdgeValues) {
    for (const PacketInfo& info : packets()) {
        for (const PacketField& field : info.fields) {
            if (&field == info.payload || field.repeat != 0 || field.condition != nullptr)
                continue;
            const uint32_t most = field.of(0xFFFFFFFF);
            for (const uint32_t value : {1u, most, most / 2 + 1}) {
                Words words(info.fixed);
                words[0] = info.header;
                words[field.dword - 1] |= value << field.lsb;
                const bool address =
                    front::meaning_of(info, field).kind == front::FieldKind::Address;
                const std::string text = std::string(info.name) + " " + field.name + " = " +
                                         std::to_string(address ? value << field.lsb : value);
                EXPECT_EQ(assembled(language(), text), words) << text;
                EXPECT_EQ(assembled(language(), text_of(language(), words)), words) << text;
                EXPECT_EQ(Words(PacketWriter(packets()).packet(info.name).set(field.name, value)),
                          words)
                    << text;
            }
        }
    }
}

// Headers there are more often than chance has them, with counts of data that often fit.
rc::Gen<Words> streams(const PacketTable& packets) {
    const auto header = rc::gen::apply(
        [&packets](uint32_t row, uint32_t bits) {
            const PacketInfo& info = *(packets.begin() + row % packets.size());
            return info.header | (bits & ~info.header_mask);
        },
        rc::gen::arbitrary<uint32_t>(),
        rc::gen::oneOf(rc::gen::inRange<uint32_t>(0, 12), rc::gen::arbitrary<uint32_t>()));
    return rc::gen::container<Words>(rc::gen::weightedOneOf<uint32_t>(
        {{2, header},
         {2, rc::gen::inRange<uint32_t>(0, 20)},
         {1,
          rc::gen::map(rc::gen::arbitrary<std::pair<uint16_t, uint16_t>>(), [](const auto& halves) {
              return uint32_t{halves.first} << 16 | halves.second;
          })}}));
}

TEST_P(PacketText, AnyWordsGoThereAndBack) {
    EXPECT_TRUE(rc::check("text of any words assembles to them", [this] {
        const Words words = *streams(packets());
        for (const bool offsets : {false, true}) {
            const std::string text = text_of(language(), words, offsets);
            const front::PacketAssembly assembly = language().assemble(text);
            RC_ASSERT(assembly.errors.empty());
            RC_ASSERT(words_of(assembly.bytes) == words);
        }
    }));
}

TEST_P(PacketText, PacketsCutOffAnywhereStayWords) {
    for (const PacketInfo& info : packets()) {
        Words whole(info.fixed, 0x01010101);
        whole[0] = info.header;
        if (info.payload != nullptr) {
            uint32_t& word = whole[info.payload->dword - 1];
            word = (word & ~info.payload->mask()) | 3u << info.payload->lsb;
            whole.insert(whole.end(), {1, 2, 3});
        }
        for (size_t size = 1; size <= whole.size(); ++size) {
            const Words words(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
            const std::string text = text_of(language(), words);
            EXPECT_EQ(text.substr(0, 5) == ".word", size < whole.size()) << text;
            EXPECT_EQ(assembled(language(), text), words) << text;
        }
    }
}

TEST_P(PacketText, NopIsTheGenerationsOwn) {
    EXPECT_EQ(assembled(language(), "NOP"), Words{GetParam().nop});
    EXPECT_EQ(text_of(language(), {GetParam().nop}).substr(0, 3), "NOP");
}

TEST_P(PacketText, WriterAndTextAgreeOnData) {
    const Words words = assembled(language(), "WRITE_LINEAR DST = 0x1_0000_2000, DATA = [7, 8, 9]");
    EXPECT_EQ(Words(PacketWriter(packets())
                        .packet("WRITE_LINEAR")
                        .address("DST", 0x100002000)
                        .data({7, 8, 9})),
              words);
    EXPECT_EQ(packets().find(words[0])->payload->in(words.data()), 3u);
}

TEST(PacketTextOfChips, TextIsWhatAPersonWouldWrite) {
    const auto si = [](const Words& words) { return text_of(language_of("si"), words); };
    EXPECT_EQ(si({0x30000040, 0x1000, 0x2000, 0, 0x12}),
              "COPY_LINEAR COUNT = 0x40, DST = 0x1000, DST_SWAP = NONE, SRC = 0x1200002000, "
              "SRC_SWAP = NONE\n");
    EXPECT_EQ(si({0x20000002, 0x1000, 1, 0xDEAD, 5}),
              "WRITE_LINEAR DST = 0x100001000, SWAP = NONE, DATA = [0x0000dead, 0x00000005]\n");
    EXPECT_EQ(si({0x90000000, 0x000F1520, 1}),
              "SRBM_WRITE REGISTER = HDP_MEM_COHERENCY_FLUSH_CNTL, BYTE_ENABLE = 15, DATA = 1\n");
    EXPECT_EQ(si({0x70000001}), "TRAP DW1 = 0x1\n");
    EXPECT_EQ(si({0x12345678}),
              ".word 0x12345678                                             // no packet has this "
              "header\n");
    EXPECT_EQ(
        si({0x60000000, 0x1000}),
        ".word 0x60000000                                             // FENCE, cut off: 2 of "
        "4 dwords\n.word 0x00001000\n");
}

TEST(PacketTextOfChips, PeopleMayLeaveOutWhatIsZero) {
    const auto of = [](const char* generation, const std::string& text) {
        return assembled(language_of(generation), text);
    };
    EXPECT_EQ(of("r600", "COPY_LINEAR COUNT = 2, DST = 0x12_0000_1000, SRC = 0x34_0000_0000"),
              (Words{0x30000002, 0x1000, 0, 0x00120034}));
    EXPECT_EQ(of("eg", "COPY_LINEAR COUNT = 64, DST = 0x1000, SRC = 0x2000 # 256 bytes"),
              (Words{0x30000040, 0x1000, 0x2000, 0, 0}));
    EXPECT_EQ(of("ni", "WRITE_LINEAR DST = 0x1000"), (Words{0x20000000, 0x1000, 0}));
    EXPECT_EQ(of("si", "WRITE_LINEAR COUNT = 2, DST = 0x1000, DATA = 7"),
              (Words{0x20000002, 0x1000, 0, 7, 0}));
    EXPECT_EQ(of("cik", "WRITE_LINEAR DST = 0x1000, DATA = [1, 2]"),
              (Words{2, 0x1000, 0, 2, 1, 2}));
    EXPECT_EQ(of("cik", "NOP\n.word 0xffffffff\nTRAP"), (Words{0, 0xFFFFFFFF, 6}));
}

TEST(PacketTextOfChips, ErrorsNamePlaceAndReason) {
    EXPECT_EQ(error_of("si", "NOP\n COPY_LINAER"), "2:2: unknown packet \"COPY_LINAER\"");
    EXPECT_EQ(error_of("si", "NOP [count=2]"), "1:5: expected the end of the line, found \"[\"");
    EXPECT_EQ(error_of("si", "COPY_LINEAR SIZE = 1"), "1:13: COPY_LINEAR has no field \"SIZE\"");
    EXPECT_EQ(error_of("si", "COPY_LINEAR DST = 2"), "1:19: DST must be a multiple of 4");
    EXPECT_EQ(error_of("si", "COPY_LINEAR DST = 0x100_0000_0000"),
              "1:19: 0x100_0000_0000 does not fit DST, at most 0xffffffffff");
    EXPECT_EQ(error_of("r600", "COPY_LINEAR COUNT = 0x10000"),
              "1:21: 0x10000 does not fit COUNT, at most 0xffff");
    EXPECT_EQ(error_of("si", "WRITE_LINEAR COUNT = 1, DATA = [1, 2]"),
              "1:1: COUNT says 1 dwords of data, there are 2");
    EXPECT_EQ(error_of("si", "TRAP DW2 = 1"), "1:1: TRAP has 1 dwords, the fields take 2");
    EXPECT_EQ(error_of("si", "TRAP DW1 = 0x80000000"),
              "1:1: 0xf0000000 is not the header of such a TRAP");
    EXPECT_EQ(error_of("si", "SRBM_WRITE REGISTER = NOTHING"),
              "1:23: unknown register \"NOTHING\"");
}

TEST(PacketTextOfChips, MoreDataThanACountHoldsIsRefused) {
    std::string text = "WRITE_LINEAR DATA = [0";
    for (unsigned i = 0; i < 0xFFFF; ++i)
        text += ",0";
    EXPECT_EQ(error_of("r600", text + "]"), "1:1: 0x10000 does not fit COUNT, at most 0xffff");
}

// Names of the engines' registers lead to those that the register file has; engine 1 has its own.
TEST(PacketTextOfChips, RegistersOfEveryGenerationHaveTheirNames) {
    const auto expect = [](const regs::RegisterDatabase& db, const std::string& prefix,
                           const std::string& ring, uint32_t base, const RegisterMap& map) {
        const std::pair<std::string, uint32_t> names[] = {
            {ring + "RB_CNTL", map.rb_cntl},
            {ring + "RB_BASE", map.rb_base},
            {ring + "RB_RPTR", map.rb_rptr},
            {ring + "RB_WPTR", map.rb_wptr},
            {ring + "RB_RPTR_ADDR_HI", map.rptr_addr_hi},
            {ring + "RB_RPTR_ADDR_LO", map.rptr_addr_lo},
            {ring + "IB_CNTL", map.ib_cntl},
            {ring + "IB_RPTR", map.ib_rptr},
            {prefix + "CNTL", map.cntl},
            {prefix + "STATUS_REG", map.status},
            {prefix + "SEM_INCOMPLETE_TIMER_CNTL", map.semaphore_incomplete},
            {prefix + "SEM_WAIT_FAIL_TIMER_CNTL", map.semaphore_wait}};
        for (const auto& [name, offset] : names) {
            const regs::RegisterInfo* info = db.find_by_name(name);
            ASSERT_NE(info, nullptr) << name;
            EXPECT_EQ(info->offset, base + offset) << name;
        }
    };
    for (const auto* db : {&regs::r600::database(), &regs::r700::database(), &regs::eg::database(),
                           &regs::ni::database(), &regs::si::database()})
        expect(*db, "DMA_", "DMA_", 0xD000, kOldRegisters);
    for (const auto* db : {&regs::ni::database(), &regs::si::database()})
        expect(*db, "DMA1_", "DMA1_", 0xD800, kOldRegisters);
    expect(regs::cik::database(), "SDMA0_", "SDMA0_GFX_", 0xD000, kSdmaRegisters);
    expect(regs::cik::database(), "SDMA1_", "SDMA1_GFX_", 0xD800, kSdmaRegisters);
    EXPECT_EQ(regs::r600::database().find_by_name("DMA1_RB_CNTL"), nullptr);
}

TEST(PacketTextOfChips, LogsNameRegisters) {
    const PacketTable& packets = find_generation("ni")->packets;
    const Words words = {0x90000000, 0x000F1520, 1};
    EXPECT_EQ(
        front::describe_fields(*packets.find(words[0]), words.data(), 3, &regs::ni::database()),
        " REGISTER=0x1520 (HDP_MEM_COHERENCY_FLUSH_CNTL) BYTE_ENABLE=15 DATA=0x1");
}

TEST(PacketTextOfChips, RegistersAreNumbersWithoutADatabase) {
    const TextLanguage language(find_generation("eg")->packets);
    EXPECT_EQ(text_of(language, {0x90000000, 0x000F1520, 1}),
              "SRBM_WRITE REGISTER = 0x1520, BYTE_ENABLE = 15, DATA = 1\n");
}

}  // namespace
}  // namespace archipelago::dma::test
