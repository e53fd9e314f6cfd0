// SPDX-License-Identifier: Apache-2.0
// Restrictions that chapter 2 of "Radeon Southern Islands Acceleration" states: what must be, must
// not be, is reserved, is illegal or only allowed somewhere, and what becomes of a stream that does
// not keep to it. rows/restrictions_*.txt has a row for each; the table of 2.1.6 (rings and
// engines) is here, a row per packet.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "models/common/error.h"
#include "models/cp/packets/si/si_packets.h"
#include "models/cp/pm4/packet_table.h"
#include "testbenches/unit/cp/cp_bench.h"
#include "testbenches/unit/cp/packet_outcome.h"
#include "testbenches/unit/cp/text_rows.h"

namespace archipelago::cp::test {
namespace {

enum class Breach {
    Stops,   // BadInput that names packet and place, with `outcome` in its text
    Does,    // what is seen has `outcome` in it; nothing stops
    Ignored  // seen, and in cycle mode timed, as with the legal value
};

// SECTION [breach, ring n]  rule | breaking value | legal value, which never stops | outcome
struct Restriction {
    std::string section, rule;
    Breach kind;
    std::string breach, legal, outcome;
    TextStream stream;
};
void PrintTo(const Restriction& row, std::ostream* out) {
    *out << row.section << " " << row.rule;
}

Breach take_breach(TextRow& text) {
    if (text.take("stops"))
        return Breach::Stops;
    if (text.take("does"))
        return Breach::Does;
    if (text.take("ignored"))
        return Breach::Ignored;
    throw std::runtime_error(text.place + ": neither stops, does nor ignored");
}

const std::vector<Restriction>& all_restrictions() {
    static const std::vector<Restriction> rows = [] {
        std::vector<Restriction> all;
        for (const char* part : {"state", "draw", "sync", "data"}) {
            for (TextRow& text : read_text_rows(std::string("restrictions_") + part + ".txt")) {
                if (text.cells.size() != 3)
                    throw std::runtime_error(text.place + ": not three cells");
                const Breach kind = take_breach(text);
                const TextStream stream{text.stream, text.buffer, text.take_ring(), false};
                text.expect_no_options();
                all.push_back({text.key, text.title, kind, text.cells[0], text.cells[1],
                               text.cells[2], stream});
            }
        }
        return all;
    }();
    return rows;
}

bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

class Restrictions : public ::testing::TestWithParam<Restriction> {};

TEST_P(Restrictions, HaveTheirOutcomeInBothModes) {
    const Restriction& row = GetParam();
    SCOPED_TRACE(row.section + ": " + row.rule);
    for (const bool timed : {false, true}) {
        const auto run = timed ? outcome_timed : outcome_functional;
        const Outcome breach = run(row.stream, row.breach), legal = run(row.stream, row.legal);
        const char* const mode = timed ? "timed: " : "functional: ";
        EXPECT_EQ(legal.stop, "") << mode << "with " << row.legal;
        switch (row.kind) {
            case Breach::Stops:
                EXPECT_TRUE(has(breach.stop, row.outcome))
                    << mode << "with " << row.breach << ": "
                    << (breach.stop.empty() ? "no stop; " + breach.effects : breach.stop);
                EXPECT_EQ(breach.stop.rfind("ring ", 0), 0u) << "names no place: " << breach.stop;
                break;
            case Breach::Does:
                EXPECT_EQ(breach.stop, "") << mode << "with " << row.breach;
                EXPECT_TRUE(has(breach.effects, row.outcome)) << mode << breach.effects;
                EXPECT_NE(breach.effects, legal.effects) << mode << "there is nothing to see";
                break;
            case Breach::Ignored:
                EXPECT_EQ(breach.stop, "") << mode << "with " << row.breach;
                EXPECT_EQ(breach.effects, legal.effects) << mode;
                EXPECT_TRUE(has(breach.effects, row.outcome)) << mode << breach.effects;
                EXPECT_EQ(breach.effort, legal.effort) << mode;
                break;
        }
    }
}

std::string restriction_name(const ::testing::TestParamInfo<Restriction>& info) {
    std::string name = "Section_" + info.param.section;
    std::replace_if(
        name.begin(), name.end(), [](char c) { return std::isalnum(c) == 0; }, '_');
    return name + "_" + std::to_string(info.index);
}
INSTANTIATE_TEST_SUITE_P(Document, Restrictions, ::testing::ValuesIn(all_restrictions()),
                         restriction_name);

TEST(RestrictionRows, AreEachThereOnce) {
    std::set<std::string> rules, streams;
    for (const Restriction& row : all_restrictions()) {
        EXPECT_TRUE(rules.insert(row.section + row.rule).second) << row.section << " " << row.rule;
        EXPECT_TRUE(streams
                        .insert(row.stream.stream + "|" + row.stream.buffer + "|" + row.breach +
                                std::to_string(row.stream.ring))
                        .second)
            << row.section << " " << row.rule << " has the stream of another row";
    }
}

// ---- 2.1.6 -------------------------------------------------------------------------------------

// The document's table, in its order. Rings of SET_CONFIG_REG: the Linux driver uses it on all.
struct Support {
    const char* packet;
    uint8_t rings;
    bool de, ce;
};
constexpr uint8_t kGfx = kRingGfx, kAll = kRingAll;
const Support kSupport[] = {
    {"ME_INITIALIZE", kGfx, true, true},
    {"PREAMBLE_CNTL", kAll, true, false},
    {"INDIRECT_BUFFER", kAll, true, false},
    // Met on a ring, and in a constant buffer; what it calls is for the constant engine.
    {"INDIRECT_BUFFER_CONST", kAll, true, true},
    {"DRAW_INDEX", kGfx, true, false},
    {"DRAW_INDEX_2", kGfx, true, false},
    {"DRAW_INDEX_AUTO", kGfx, true, false},
    {"DRAW_INDEX_MULTI_AUTO", kGfx, true, false},
    {"DRAW_INDEX_IMMD", kGfx, true, false},
    {"DRAW_INDEX_INDIRECT", kGfx, true, false},
    {"INDEX_BUFFER_SIZE", kGfx, true, false},
    {"DRAW_INDEX_OFFSET", kGfx, true, false},
    {"DRAW_INDEX_OFFSET_2", kGfx, true, false},
    {"DRAW_INDIRECT", kGfx, true, false},
    {"INDEX_BASE", kGfx, true, false},
    {"INDEX_TYPE", kGfx, true, false},
    {"NUM_INSTANCES", kGfx, true, false},
    {"MPEG_INDEX", kGfx, true, false},
    {"DISPATCH_DIRECT", kAll, true, false},
    {"DISPATCH_INDIRECT", kAll, true, false},
    {"CLEAR_STATE", kAll, true, false},
    {"CONTEXT_CONTROL", kAll, true, false},
    {"LOAD_CONFIG_REG", kGfx, true, false},
    {"LOAD_CONTEXT_REG", kAll, true, false},
    {"LOAD_SH_REG", kAll, true, false},
    {"ALLOC_GDS", kAll, true, false},
    {"SET_BASE", kAll, true, true},
    {"SET_CONFIG_REG", kAll, true, false},
    {"SET_CONTEXT_REG", kAll, true, false},
    {"SET_CONTEXT_REG_INDIRECT", kAll, true, false},
    {"SET_SH_REG", kAll, true, false},
    {"LOAD_CONST_RAM", kAll, false, true},
    {"WRITE_CONST_RAM", kAll, false, true},
    {"WRITE_CONST_RAM_OFFSET", kAll, false, true},
    {"DUMP_CONST_RAM", kAll, false, true},
    {"SET_CE_DE_COUNTERS", kAll, false, true},
    {"INCREMENT_DE_COUNTER", kAll, true, false},
    {"INCREMENT_CE_COUNTER", kAll, false, true},
    {"WAIT_ON_DE_COUNTER", kAll, false, true},
    {"WAIT_ON_CE_COUNTER", kAll, true, false},
    {"COND_EXEC", kAll, true, false},
    {"COND_WRITE", kAll, true, false},
    {"SET_PREDICATION", kAll, true, false},
    {"PRED_EXEC", kAll, true, false},
    {"OCCLUSION_QUERY", kAll, true, false},
    {"EVENT_WRITE", kAll, true, false},
    {"EVENT_WRITE_EOP", kAll, true, false},
    {"EVENT_WRITE_EOS", kAll, true, false},
    {"MEM_SEMAPHORE", kAll, true, false},
    {"PFP_SYNC_ME", kAll, true, false},
    {"STRMOUT_BUFFER_UPDATE", kAll, true, false},
    {"SURFACE_SYNC", kAll, true, false},
    {"WAIT_REG_MEM", kAll, true, false},
    {"ATOMIC", kAll, true, false},
    {"ATOMIC_GDS", kAll, true, false},
    {"COPY_DW", kAll, true, false},
    // 2.9.2 and 2.9.4 give these two to the constant engine as well.
    {"COPY_DATA", kAll, true, true},
    {"WRITE_DATA", kAll, true, true},
    {"ME_WRITE", kAll, true, false},
    {"CE_WRITE", kAll, false, true},
    {"MEM_WRITE", kAll, true, false},
    {"NOP", kAll, true, true},
    {"ONE_REG_WRITE", kAll, true, false},
    // In sections of their own.
    {"WRITE_GDS_RAM", kAll, true, false},
    {"WAIT_ON_DE_COUNTER_DIFF", kAll, false, true},
    {"WAIT_ON_AVAIL_BUFFER", kAll, true, false},
};

class RingsAndEngines : public ::testing::TestWithParam<Support> {};

// How a packet of zeroes stops on a ring, or called by it in a constant buffer.
std::string stop_of(bool timed, const PacketInfo& info, unsigned ring, bool constant) {
    const std::vector<uint32_t> words =
        packet(info.opcodes[0], std::vector<uint32_t>(info.min_dwords));
    std::unique_ptr<Machine> machine;
    BenchOptions options;
    options.limit = 20'000;
    if (timed)
        machine = std::make_unique<TimedMachine>(options);
    else
        machine = std::make_unique<FunctionalMachine>();
    machine->setup_rings();
    machine->poke(kIb, words);
    try {
        machine->submit(
            constant ? indirect(kIb, static_cast<uint32_t>(words.size()), 0, 0x31) : words, ring);
    } catch (const MachineStop& stop) {
        return stop.what();
    }
    return "";
}

TEST_P(RingsAndEngines, AreThoseOfTheDocument) {
    const Support& row = GetParam();
    const PacketInfo* info = si_packet_table().find_by_name(row.packet);
    ASSERT_NE(info, nullptr);
    const std::string name = std::string("packet ") + row.packet;
    for (const bool timed : {false, true})
        for (unsigned ring = 0; ring < kSiRings; ++ring) {
            const bool on_ring = (row.rings >> ring & 1) != 0;
            const std::string de = stop_of(timed, *info, ring, false);
            EXPECT_EQ(has(de, name + " is not allowed on this ring"), !on_ring) << de;
            EXPECT_EQ(has(de, name + " is for the constant engine"), on_ring && !row.de) << de;
            const std::string ce = stop_of(timed, *info, ring, true);
            EXPECT_EQ(has(ce, name + " is not allowed on this ring"), !on_ring) << ce;
            EXPECT_EQ(has(ce, name + " is not for the constant engine"), on_ring && !row.ce) << ce;
        }
}

std::string support_name(const ::testing::TestParamInfo<Support>& info) {
    return info.param.packet;
}
void PrintTo(const Support& row, std::ostream* out) {
    *out << row.packet;
}
INSTANTIATE_TEST_SUITE_P(Section_2_1_6, RingsAndEngines, ::testing::ValuesIn(kSupport),
                         support_name);

}  // namespace
}  // namespace archipelago::cp::test
