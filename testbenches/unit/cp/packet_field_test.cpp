// SPDX-License-Identifier: Apache-2.0
#include "testbenches/unit/cp/packet_field_test.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <set>

#include "models/common/error.h"
#include "models/cp/pm4_text.h"
#include "testbenches/unit/cp/cp_bench.h"

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

std::string replaced(std::string text, const std::string& what, const std::string& by) {
    for (size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
        text.replace(at, what.size(), by);
    return text;
}

std::vector<uint32_t> words_of(const std::string& text) {
    const Pm4Assembly assembly = assemble_pm4(si_pm4(), text);
    for (const Pm4Error& e : assembly.errors)
        ADD_FAILURE() << e.line << ":" << e.column << ": " << e.message << "\n" << text;
    std::vector<uint32_t> words(assembly.bytes.size() / 4);
    if (!words.empty())
        std::memcpy(words.data(), assembly.bytes.data(), words.size() * 4);
    return words;
}

// What a stream did, as text that can be compared and shown.
struct Outcome {
    std::string stop;
    std::string effects;
    uint64_t effort = 0;
};

// Dwords that are not what they were at first: n in dword n at kData, else 0.
std::string memory_changes(const Machine& machine) {
    std::string text;
    const std::pair<uint64_t, uint64_t> kRanges[] = {{kData, 0x10000}, {kMirror + 16, 0xFF0}};
    for (const auto& [start, size] : kRanges) {
        for (uint64_t at = start; at < start + size; at += 4) {
            const uint32_t was = start == kData ? static_cast<uint32_t>((at - start) / 4) : 0;
            const uint32_t is = machine.peek(at);
            char line[64];
            std::snprintf(line, sizeof line, "[%llx]=%x ", static_cast<unsigned long long>(at), is);
            if (is != was)
                text += line;
        }
    }
    return text;
}

Outcome outcome_of(Machine& machine, const FieldRow& row, const char* value) {
    machine.setup_rings();
    std::vector<uint32_t> numbers(0x4000);
    for (uint32_t i = 0; i < numbers.size(); ++i)
        numbers[i] = i;
    machine.poke(kData, numbers);
    const std::vector<uint32_t> buffer = words_of(replaced(row.buffer, "%", value));
    machine.poke(kIb, buffer);
    const std::vector<uint32_t> stream =
        words_of(replaced(replaced(row.stream, "%", value), "$", std::to_string(buffer.size())));
    machine.seen = {};
    Outcome outcome;
    bool idle = false;
    try {
        idle = machine.submit(stream, row.ring);
    } catch (const MachineStop& stop) {
        outcome.stop = stop.what();
    }
    std::string& text = outcome.effects;
    char line[96];
    for (const RegWrite& w : machine.seen.regs) {
        std::snprintf(line, sizeof line, "reg %05x=%x ring %u; ", w.offset, w.value, w.ring);
        text += line;
    }
    for (const auto& [ring, type] : machine.seen.events)
        text += "event " + std::to_string(type) + " ring " + std::to_string(ring) + "; ";
    for (const CacheAction& a : machine.seen.actions) {
        std::snprintf(line, sizeof line, "caches %d%d%d%d%d %llx %llx; ", a.invalidate_l1,
                      a.invalidate_scalar, a.invalidate_inst, a.writeback_l2, a.invalidate_l2,
                      static_cast<unsigned long long>(a.base),
                      static_cast<unsigned long long>(a.size));
        text += line;
    }
    for (const Interrupt& i : machine.seen.interrupts) {
        std::snprintf(line, sizeof line, "interrupt %u ring %u; ", i.source_id, i.ring);
        text += line;
    }
    text += memory_changes(machine);
    for (unsigned at = 0; at < 256; at += 4)
        if (machine.gds_word(at) != 0)
            text += "gds " + std::to_string(at) + "=" + std::to_string(machine.gds_word(at)) + " ";
    if (outcome.stop.empty())
        text += idle ? "idle" : "waits: " + machine.waiting_for();
    return outcome;
}

Outcome functional(const FieldRow& row, const char* value) {
    FunctionalMachine machine;
    return outcome_of(machine, row, value);
}
Outcome timed(const FieldRow& row, const char* value) {
    BenchOptions options;
    options.limit = 20'000;
    TimedMachine machine(options);
    Outcome outcome = outcome_of(machine, row, value);
    const auto written = std::find_if(machine.seen.regs.begin(), machine.seen.regs.end(),
                                      [](const RegWrite& w) { return w.offset == 0x9508; });
    outcome.effort = machine.requests.size() * 1'000'000;
    if (written != machine.seen.regs.end())
        outcome.effort +=
            machine.reg_cycles[static_cast<size_t>(written - machine.seen.regs.begin())];
    return outcome;
}

class PacketFields : public ::testing::TestWithParam<FieldRow> {};

TEST_P(PacketFields, HaveTheirEffectInBothModes) {
    const FieldRow& row = GetParam();
    SCOPED_TRACE(std::string(row.packet) + "." + row.field + ": " + row.effect);
    ASSERT_GE(row.values.size(), 2u) << "nothing to compare";
    for (const bool is_timed : {false, true}) {
        if (row.sight == Sight::Effort && !is_timed)
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
            const std::string sight =
                row.sight == Sight::Effort ? std::to_string(outcome.effort) : outcome.effects;
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

// Fields of executed packets that are part of what still stops by name.
const std::set<std::pair<std::string, std::string>> kLeft = {
    {"EVENT_WRITE", "ADDRESS_LO"},
    {"EVENT_WRITE", "ADDRESS_HI"},
};

TEST(PacketFieldRows, EveryFieldOfEveryExecutedPacketHasOne) {
    std::set<std::pair<std::string, std::string>> rows;
    for (const FieldRow& row : all_rows())
        rows.insert({row.packet, row.field});
    std::string missing;
    for (const PacketInfo& info : si_packet_table()) {
        for (unsigned i = 0; i < info.field_count; ++i) {
            const std::pair<std::string, std::string> key{info.name, info.fields[i].name};
            if (info.implemented() && rows.count(key) == 0 && kLeft.count(key) == 0)
                missing += "\n" + key.first + "." + key.second;
        }
    }
    EXPECT_EQ(missing, "");
    for (const auto& [packet, field] : kLeft)
        EXPECT_EQ(rows.count({packet, field}), 0u) << packet << "." << field << " is not left";
}

TEST(PacketFieldRows, NameFieldsThereAre) {
    for (const FieldRow& row : all_rows()) {
        const PacketInfo* info = si_packet_table().find_by_name(row.packet);
        ASSERT_NE(info, nullptr) << row.packet;
        bool known = false;
        for (unsigned i = 0; i < info->field_count; ++i)
            known = known || std::string(info->fields[i].name) == row.field;
        EXPECT_TRUE(known) << row.packet << "." << row.field;
    }
}

// Every packet stops at the end of a stream that lacks its last dword, and names itself.
TEST(PacketFieldRows, EveryPacketThatIsCutOffStopsByName) {
    for (const PacketInfo& info : si_packet_table()) {
        if (!info.implemented() || info.engine == PacketEngine::Ce)
            continue;
        std::vector<uint32_t> words{make_header(info.opcodes[0], info.min_body)};
        words.resize(info.min_body);
        FunctionalMachine machine;
        machine.setup_rings();
        try {
            machine.submit(words);
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
