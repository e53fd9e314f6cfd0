// SPDX-License-Identifier: Apache-2.0
#include "testbenches/unit/cp/packet_field_test.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "models/common/error.h"
#include "models/cp/packets/si/si_packets.h"
#include "testbenches/unit/cp/cp_bench.h"
#include "testbenches/unit/cp/packet_outcome.h"

namespace archipelago::cp::test {
namespace {

std::vector<FieldRow> all_rows() {
    std::vector<FieldRow> rows;
    for (const auto& list : {state_rows, sync_rows, data_rows, constant_rows, draw_rows, gds_rows,
                             predication_rows, driver_rows})
        for (FieldRow& row : list())
            rows.push_back(std::move(row));
    return rows;
}

Outcome functional(const FieldRow& row, const char* value) {
    return outcome_functional({row.stream, row.buffer, row.ring, row.tells_errors}, value);
}
Outcome timed(const FieldRow& row, const char* value) {
    return outcome_timed({row.stream, row.buffer, row.ring, row.tells_errors}, value);
}

class PacketFields : public ::testing::TestWithParam<FieldRow> {};

TEST_P(PacketFields, HaveTheirEffectInBothModes) {
    const FieldRow& row = GetParam();
    SCOPED_TRACE(std::string(row.packet) + "." + row.field + ": " + row.effect);
    ASSERT_GE(row.values.size(), 2u) << "nothing to compare";
    for (const bool is_timed : {false, true}) {
        if ((row.sight == Sight::Effort || row.sight == Sight::Requests) && !is_timed)
            continue;
        std::map<std::string, const char*> seen;
        for (const FieldValue& value : row.values) {
            const Outcome outcome = is_timed ? timed(row, value.text) : functional(row, value.text);
            if (*value.stop != 0) {
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
    return std::string(info.param.packet) + "_" + info.param.field + "_" +
           std::to_string(info.index);
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
