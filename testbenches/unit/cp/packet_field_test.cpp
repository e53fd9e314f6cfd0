// SPDX-License-Identifier: Apache-2.0
// Every field of every executed packet: rows/fields_*.txt has a stream with values of the field for
// each, and both modes must show the field's effect. A field without a row fails the test.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "models/common/error.h"
#include "models/cp/packets/si/si_packets.h"
#include "testbenches/unit/cp/cp_bench.h"
#include "testbenches/unit/cp/packet_outcome.h"
#include "testbenches/unit/cp/text_rows.h"

namespace archipelago::cp::test {
namespace {

struct FieldValue {
    std::string text;
    std::string stop;  // what the stop says, for a value that is not accepted
};

enum class Sight {
    Effects,   // registers, events, cache actions, interrupts, memory, where the stream waits
    Effort,    // accesses to memory within a bounded time, and the cycle register 0x9508 is written
    Requests,  // whose address spaces memory is asked in, in cycle mode
    Nothing,   // the field has no effect: every value is seen alike
};

// PACKET.FIELD [option]  effect | value | value -> stop. The options are those of Sight, "ring n"
// and "reports errors". Values without a stop are all seen differently (alike for Sight::Nothing).
struct FieldRow {
    std::string packet, field, effect;
    std::vector<FieldValue> values;
    Sight sight = Sight::Effects;
    TextStream stream;
};
// For the names of tests, which must not show addresses.
void PrintTo(const FieldRow& row, std::ostream* out) {
    *out << row.packet << " " << row.field;
}

FieldRow field_row(TextRow text) {
    const size_t dot = text.key.find('.');
    FieldRow row{text.key.substr(0, dot), text.key.substr(dot + 1), text.title, {}, {}, {}};
    for (const std::string& cell : text.cells) {
        const size_t arrow = cell.find(" -> ");
        row.values.push_back(
            {cell.substr(0, arrow), arrow == std::string::npos ? "" : cell.substr(arrow + 4)});
    }
    if (text.take("effort"))
        row.sight = Sight::Effort;
    else if (text.take("requests"))
        row.sight = Sight::Requests;
    else if (text.take("nothing"))
        row.sight = Sight::Nothing;
    const bool reports_errors = text.take("reports errors");
    row.stream = {text.stream, text.buffer, text.take_ring(), reports_errors};
    text.expect_no_options();
    return row;
}

const std::vector<FieldRow>& all_rows() {
    static const std::vector<FieldRow> rows = [] {
        std::vector<FieldRow> all;
        for (const char* subject :
             {"state", "sync", "data", "constant", "draw", "gds", "predication", "driver"})
            for (TextRow& row : read_text_rows(std::string("fields_") + subject + ".txt"))
                all.push_back(field_row(std::move(row)));
        return all;
    }();
    return rows;
}

class PacketFields : public ::testing::TestWithParam<FieldRow> {};

TEST_P(PacketFields, HaveTheirEffectInBothModes) {
    const FieldRow& row = GetParam();
    SCOPED_TRACE(row.packet + "." + row.field + ": " + row.effect);
    ASSERT_GE(row.values.size(), 2u) << "nothing to compare";
    for (const bool is_timed : {false, true}) {
        if ((row.sight == Sight::Effort || row.sight == Sight::Requests) && !is_timed)
            continue;
        std::map<std::string, std::string> seen;
        for (const FieldValue& value : row.values) {
            const Outcome outcome =
                (is_timed ? outcome_timed : outcome_functional)(row.stream, value.text);
            if (!value.stop.empty()) {
                EXPECT_NE(outcome.stop.find(value.stop), std::string::npos)
                    << "with " << value.text << (is_timed ? ", timed: " : ", functional: ")
                    << (outcome.stop.empty() ? "no stop; " + outcome.effects : outcome.stop);
                continue;
            }
            EXPECT_EQ(outcome.stop, "") << "with " << value.text;
            const std::string sight = row.sight == Sight::Effort ? std::to_string(outcome.effort)
                                      : row.sight == Sight::Requests ? outcome.requests
                                                                     : outcome.effects;
            const auto [other, is_new] = seen.emplace(sight, value.text);
            EXPECT_TRUE(is_new || row.sight == Sight::Nothing)
                << value.text << " is seen like " << other->second
                << (is_timed ? ", timed: " : ", functional: ") << sight;
        }
        if (row.sight == Sight::Nothing) {
            EXPECT_EQ(seen.size(), 1u) << "an ignored field has an effect";
        }
    }
}

std::string row_name(const ::testing::TestParamInfo<FieldRow>& info) {
    return info.param.packet + "_" + info.param.field + "_" + std::to_string(info.index);
}
INSTANTIATE_TEST_SUITE_P(Rows, PacketFields, ::testing::ValuesIn(all_rows()), row_name);

TEST(PacketFieldRows, EveryFieldOfEveryExecutedPacketHasOne) {
    std::set<std::pair<std::string, std::string>> rows;
    for (const FieldRow& row : all_rows())
        rows.insert({row.packet, row.field});
    std::string missing;
    for (const PacketInfo& info : si_packet_table()) {
        for (unsigned i = 0; i < info.fields.size(); ++i) {
            const std::pair<std::string, std::string> key{info.name, info.fields[i].name};
            if (info.implemented() && rows.count(key) == 0)
                missing += "\n" + key.first + "." + key.second;
        }
    }
    EXPECT_EQ(missing, "");
}

// "ADDRESS_LO 2[31:3]=?", as rows/layout.txt says it.
std::string layout_of(const PacketField& field) {
    return std::string(field.name) + " " + std::to_string(field.dword) + "[" +
           std::to_string(field.msb) + ":" + std::to_string(field.lsb) + "]" +
           (field.meaning != nullptr ? "=" : "") + (field.condition != nullptr ? "?" : "");
}

// Of packets that are not executed, too.
TEST(PacketFieldRows, SayWhereEveryFieldIs) {
    std::map<std::string, std::string> layouts;
    for (const TextRow& row : read_text_rows("layout.txt"))
        layouts[row.key] = row.stream;
    for (const PacketInfo& info : si_packet_table()) {
        std::string fields;
        for (const PacketField& field : info.fields)
            fields += (fields.empty() ? "" : ", ") + layout_of(field);
        std::string expected = layouts[info.name];
        std::replace(expected.begin(), expected.end(), '\n', ' ');
        EXPECT_EQ(fields + (fields.empty() ? "" : " "), expected) << info.name;
        layouts.erase(info.name);
    }
    EXPECT_TRUE(layouts.empty()) << "no packet " << layouts.begin()->first;
}

TEST(PacketFieldRows, NameFieldsThereAre) {
    for (const FieldRow& row : all_rows()) {
        const PacketInfo* info = si_packet_table().find_by_name(row.packet);
        ASSERT_NE(info, nullptr) << row.packet;
        bool known = false;
        for (unsigned i = 0; i < info->fields.size(); ++i)
            known = known || std::string(info->fields[i].name) == row.field;
        EXPECT_TRUE(known) << row.packet << "." << row.field;
    }
}

// Every packet stops at the end of a buffer that lacks its last dword, and names itself.
TEST(PacketFieldRows, EveryPacketThatIsCutOffStopsByName) {
    for (const PacketInfo& info : si_packet_table()) {
        if (!info.implemented() || info.engine == PacketEngine::Ce)
            continue;
        std::vector<uint32_t> words{make_header(info.opcodes[0], info.min_dwords)};
        words.resize(info.min_dwords);
        FunctionalMachine machine;
        machine.setup_rings();
        machine.poke(kIb, words);
        try {
            machine.submit(indirect(kIb, info.min_dwords));
            ADD_FAILURE() << info.name << " ran without its last dword";
        } catch (const MachineStop& stop) {
            EXPECT_EQ(stop.kind(), StopKind::BadInput);
            EXPECT_NE(std::string(stop.what()).find(std::string("packet ") + info.name),
                      std::string::npos)
                << stop.what();
        }
    }
}

}  // namespace
}  // namespace archipelago::cp::test
