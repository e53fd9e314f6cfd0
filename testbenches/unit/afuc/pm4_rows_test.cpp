// SPDX-License-Identifier: Apache-2.0
// Rows of PM4 packets: each belongs to a packet, is what text needs, and has the fields and names
// of values that the source describes (vectors/pm4_*.csv).
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "models/afuc/engine/pm4_header.h"
#include "models/afuc/isa/names.h"
#include "models/afuc/pm4/registers.h"
#include "models/afuc/pm4/text.h"
#include "models/front/text/syntax.h"

namespace archipelago::afuc {
namespace {

using front::PacketField;

struct Line {
    std::vector<std::string> cells;
    unsigned number(size_t cell) const {
        return static_cast<unsigned>(std::strtoul(cells.at(cell).c_str(), nullptr, 10));
    }
    bool of(const char* generation) const {
        return ("+" + cells.at(1) + "+").find("+" + std::string(generation) + "+") !=
               std::string::npos;
    }
    std::string text() const {
        std::string all;
        for (const std::string& cell : cells)
            all += cell + " ";
        return all;
    }
};

std::vector<Line> lines_of(const std::string& file) {
    std::ifstream in(ARCHIPELAGO_SOURCE_DIR "/testbenches/unit/afuc/vectors/" + file);
    EXPECT_TRUE(in) << file;
    std::vector<Line> lines;
    for (std::string text; std::getline(in, text);) {
        if (text.empty() || text[0] == '#')
            continue;
        Line line;
        std::istringstream cells(text);
        for (std::string cell; std::getline(cells, cell, ',');)
            line.cells.push_back(cell);
        lines.push_back(line);
    }
    return lines;
}

// Names that rows give otherwise than the source: X is X_LO where X_HI is the other half; what no
// name can begin with; two meanings of one field.
bool same_name(const std::string& packet, const std::string& source, const std::string& ours,
               unsigned dword) {
    if (source == ours || source + "_LO" == ours || "_" + source == ours)
        return true;
    if (packet == "CP_SET_PSEUDO_REG")
        return "ADDR_" + source == ours;
    if (packet == "CP_COND_REG_EXEC" && dword == 2)
        return "REG1_" + source == ours;
    return false;
}

const PacketField* field_at(const front::PacketShape& packet, const Line& line) {
    for (const PacketField& field : packet.fields)
        if (field.dword == line.number(3) && field.lsb == line.number(4) &&
            field.msb == line.number(5) && field.repeat == line.number(6) &&
            same_name(packet.name, line.cells.at(2), field.name, field.dword))
            return &field;
    return nullptr;
}

class Pm4Rows : public ::testing::TestWithParam<Pm4Generation> {
  protected:
    const PacketTable packets{GetParam().names};
};
INSTANTIATE_TEST_SUITE_P(Generations, Pm4Rows, ::testing::ValuesIn(kPm4Generations),
                         [](const auto& info) { return std::string(info.param.name); });

TEST_P(Pm4Rows, HaveTheFieldsOfTheSource) {
    unsigned found = 0;
    for (const Line& line : lines_of("pm4_fields.csv")) {
        if (!line.of(GetParam().name))
            continue;
        const Packet* packet = packets.find_by_name(line.cells.at(0));
        ASSERT_NE(packet, nullptr) << line.text();
        EXPECT_NE(field_at(*packet, line), nullptr) << line.text();
        ++found;
    }
    EXPECT_GT(found, 150u);
}

TEST_P(Pm4Rows, HaveNoFieldsButThose) {
    // What the source has no description or no name of.
    const std::set<std::string> kOurs = {
        "CP_MEM_WRITE.DATA",        "CP_SCRATCH_WRITE.DATA",    "CP_EVENT_WRITE.DATA",
        "CP_LOAD_STATE4.DATA",      "CP_LOAD_STATE6.DATA",      "CP_LOAD_STATE6_GEOM.DATA",
        "CP_LOAD_STATE6_FRAG.DATA", "CP_MEM_TO_MEM.DST_LO",     "CP_MEM_TO_MEM.DST_HI",
        "CP_MEM_TO_MEM.SRC_A_LO",   "CP_MEM_TO_MEM.SRC_A_HI",   "CP_MEM_TO_MEM.SRC_B_LO",
        "CP_MEM_TO_MEM.SRC_B_HI",   "CP_MEM_TO_MEM.SRC_C_LO",   "CP_MEM_TO_MEM.SRC_C_HI",
        "CP_EVENT_WRITE7.ADDR_LO",  "CP_EVENT_WRITE7.ADDR_HI",  "CP_REG_WRITE.REG",
        "CP_REG_WRITE.VALUE",       "CP_WAIT_REG_MEM.POLL_REG", "CP_COND_WRITE5.POLL_REG"};
    const std::vector<Line> lines = lines_of("pm4_fields.csv");
    std::set<std::string> described;
    for (const Line& line : lines)
        described.insert(line.cells.at(0));
    for (const Packet& packet : packets) {
        if (described.count(packet.name) == 0)
            continue;
        for (const PacketField& field : packet.fields) {
            const std::string name = std::string(packet.name) + "." + field.name;
            bool known = kOurs.count(name) != 0;
            for (const Line& line : lines)
                known =
                    known || (line.cells.at(0) == packet.name && line.of(GetParam().name) &&
                              line.number(3) == field.dword && line.number(4) == field.lsb &&
                              line.number(5) == field.msb &&
                              same_name(packet.name, line.cells.at(2), field.name, field.dword));
            EXPECT_TRUE(known || !packet.described) << name;
        }
    }
}

TEST_P(Pm4Rows, HaveTheNamesOfValuesOfTheSource) {
    unsigned found = 0;
    for (const Line& line : lines_of("pm4_values.csv")) {
        if (!line.of(GetParam().name))
            continue;
        const Packet* packet = packets.find_by_name(line.cells.at(0));
        ASSERT_NE(packet, nullptr) << line.text();
        const PacketField* field = packet->field(line.cells.at(2).c_str());
        ASSERT_NE(field, nullptr) << line.text();
        uint32_t value = 0;
        EXPECT_TRUE(
            front::value_of_name(front::meaning_of(*packet, *field), line.cells.at(4), value))
            << line.text();
        EXPECT_EQ(value, line.number(3)) << line.text();
        ++found;
    }
    EXPECT_GT(found, 200u);
}

// A name of a value more than the source has would be one of another generation.
TEST_P(Pm4Rows, HaveNoNamesOfValuesButThose) {
    std::set<std::string> known;
    for (const Line& line : lines_of("pm4_values.csv"))
        if (line.of(GetParam().name))
            known.insert(line.cells.at(0) + "." + line.cells.at(2) + "." + line.cells.at(4));
    for (const Packet& packet : packets)
        for (const PacketField& field : packet.fields)
            for (const ValueName& value : front::meaning_of(packet, field).names)
                EXPECT_EQ(
                    known.count(std::string(packet.name) + "." + field.name + "." + value.name), 1u)
                    << packet.name << "." << field.name << "." << value.name;
}

TEST_P(Pm4Rows, AreWhatTextNeeds) {
    for (const Packet& packet : packets) {
        EXPECT_EQ(packets.find_by_name(packet.name), &packet) << packet.name;
        ASSERT_NE(packets.find(packet.opcode), nullptr) << packet.name;
        EXPECT_EQ(packet_opcode(GetParam().names, packet.name), packet.opcode) << packet.name;
        EXPECT_TRUE(front::is_text_name(packet.name)) << packet.name;
        EXPECT_LE(packet.min_dwords, packet.max_dwords) << packet.name;
        const PacketField* repeated = nullptr;
        for (const PacketField& field : packet.fields) {
            const std::string name = std::string(packet.name) + "." + field.name;
            EXPECT_TRUE(front::is_text_name(field.name)) << name;
            EXPECT_LE(field.lsb, field.msb) << name;
            EXPECT_LE(field.msb, 31) << name;
            EXPECT_GE(field.dword, 1) << name;
            EXPECT_LE(field.dword, packet.max_dwords) << name;
            if (field.repeat != 0) {
                EXPECT_TRUE(repeated == nullptr || field.repeat == repeated->repeat) << name;
                repeated = &field;
            }
            // Conditions hang on what every such packet has, and on no other condition.
            if (field.condition != nullptr) {
                EXPECT_GE(field.condition->dword, 1) << name;
                EXPECT_LE(field.condition->dword, packet.min_dwords) << name;
                EXPECT_LE(field.condition->msb - field.condition->lsb, 4) << name;
                EXPECT_EQ(field.repeat, 0) << name;
            }
            for (const ValueName& value : front::meaning_of(packet, field).names) {
                EXPECT_TRUE(front::is_text_name(value.name)) << name << " " << value.name;
                EXPECT_LE(value.value, field.of(0xFFFFFFFF)) << name << " " << value.name;
            }
        }
    }
}

// A row whose name no generation has would never be used.
TEST(Pm4Table, EveryRowBelongsToAPacket) {
    std::set<const PacketRow*> used;
    for (const Pm4Generation& g : kPm4Generations)
        for (const Packet& packet : PacketTable(g.names))
            if (const PacketRow* row = find_row(g.names, packet.name))
                used.insert(row);
    for (const Rows& rows : all_rows())
        for (const PacketRow& row : rows)
            EXPECT_EQ(used.count(&row), 1u) << row.name;
}

TEST(Pm4Table, PacketsOfTheirGenerations) {
    const PacketTable a5(Names::A5xx), a6(Names::A6xx), a7(Names::A7xx);
    EXPECT_STREQ(a5.find(0x50)->name, "CP_PERFCOUNTER_ACTION");
    EXPECT_STREQ(a6.find(0x50)->name, "CP_START_BIN");
    EXPECT_STREQ(a6.find(0x46)->name, "CP_EVENT_WRITE");
    EXPECT_STREQ(a7.find(0x46)->name, "CP_EVENT_WRITE7");
    EXPECT_EQ(a6.find_by_name("CP_THREAD_CONTROL"), nullptr);
    EXPECT_EQ(a7.find(4), nullptr);  // the entry of type 4
    for (const char* name : {"CP_ME_INIT",
                             "CP_MEM_WRITE",
                             "CP_REG_TO_MEM",
                             "CP_MEM_TO_REG",
                             "CP_MEM_TO_MEM",
                             "CP_REG_RMW",
                             "CP_INDIRECT_BUFFER",
                             "CP_INDIRECT_BUFFER_CHAIN",
                             "CP_INDIRECT_BUFFER_PFD",
                             "CP_WAIT_REG_MEM",
                             "CP_WAIT_MEM_WRITES",
                             "CP_WAIT_FOR_ME",
                             "CP_COND_REG_EXEC",
                             "CP_COND_EXEC",
                             "CP_COND_WRITE5",
                             "CP_SET_DRAW_STATE",
                             "CP_CONTEXT_REG_BUNCH",
                             "CP_REG_TO_SCRATCH",
                             "CP_SCRATCH_TO_REG",
                             "CP_SKIP_IB2_ENABLE_GLOBAL",
                             "CP_SKIP_IB2_ENABLE_LOCAL",
                             "CP_SET_SECURE_MODE",
                             "CP_SET_PROTECTED_MODE",
                             "CP_WAIT_FOR_IDLE",
                             "CP_DRAW_INDX_OFFSET",
                             "CP_DRAW_INDIRECT",
                             "CP_EXEC_CS",
                             "CP_EXEC_CS_INDIRECT",
                             "CP_BLIT",
                             "CP_INTERRUPT"})
        for (const PacketTable* table : {&a5, &a6, &a7})
            EXPECT_TRUE(table->find_by_name(name)->described) << name;
}

TEST(Pm4Table, EveryRegisterLeadsBack) {
    for (const Names names : {Names::A5xx, Names::A6xx, Names::A7xx, Names::A750}) {
        const regs::RegisterDatabase& db = gpu_registers(names);
        EXPECT_GT(db.registers.size(), 100u);
        for (size_t i = 1; i < db.registers.size(); ++i)
            EXPECT_LT(db.registers[i - 1].offset, db.registers[i].offset);
        for (size_t i = 1; i < db.names.size(); ++i)
            EXPECT_LT(db.names[i - 1].name, db.names[i].name);
        for (const regs::RegisterInfo& reg : db.registers) {
            EXPECT_EQ(db.find(reg.offset), &reg) << reg.name;
            EXPECT_EQ(db.find_by_name(reg.name), &reg) << reg.name;
            EXPECT_LE(reg.offset / 4, kMaxRegister) << reg.name;
            EXPECT_TRUE(front::is_register_name(reg.name)) << reg.name;
        }
    }
}

TEST(Pm4Table, RegistersOfTheSource) {
    struct Expected {
        Names names;
        const char* name;
        uint32_t index;
    };
    constexpr Expected kExpected[] = {
        {Names::A6xx, "CP_SCRATCH_REG[0x1]", 0x884},
        {Names::A6xx, "CP_RB_BASE_HI", 0x801},
        {Names::A5xx, "CP_RB_BASE_HI", 0x801},
        {Names::A6xx, "GRAS_CL_CNTL", 0x8000},
        {Names::A6xx, "VFD_FETCH_BASE[0x1]", 0xA014},
        {Names::A6xx, "VFD_FETCH_BASE_HI[0x1]", 0xA015},
        {Names::A6xx, "VFD_FETCH_SIZE[0x1f]", 0xA08E},
        {Names::A5xx, "RB_MRT_CONTROL[0x2]", 0xE15E},
    };
    for (const Expected& e : kExpected) {
        const regs::RegisterInfo* reg = gpu_registers(e.names).find_by_name(e.name);
        ASSERT_NE(reg, nullptr) << e.name;
        EXPECT_EQ(reg->offset, e.index * 4) << e.name;
    }
}

}  // namespace
}  // namespace archipelago::afuc
