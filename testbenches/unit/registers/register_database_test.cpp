// SPDX-License-Identifier: Apache-2.0
// The generated table against the YAML, read here by another parser than the generator's.
#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "registers/si_registers.h"

namespace archipelago::regs {
namespace {

const std::string kFolder = std::string(ARCHIPELAGO_SOURCE_DIR) + "/configs/registers/";

std::vector<YAML::Node> block_files() {
    std::vector<YAML::Node> files;
    for (const YAML::Node& name : YAML::LoadFile(kFolder + "si.yaml")["include"]) {
        files.push_back(YAML::LoadFile(kFolder + name.as<std::string>()));
    }
    return files;
}

void expect_same_fields(const RegisterInfo& info, const YAML::Node& fields) {
    EXPECT_EQ(info.fields.size(), fields ? fields.size() : 0) << info.name;
    if (!fields) {
        return;
    }
    for (const auto& entry : fields) {
        const std::string name = entry.first.as<std::string>();
        const FieldInfo* field = info.field(name);
        ASSERT_NE(field, nullptr) << info.name << "." << name;
        EXPECT_EQ(unsigned{field->lsb}, entry.second[0].as<unsigned>()) << info.name << "." << name;
        EXPECT_EQ(unsigned{field->msb}, entry.second[1].as<unsigned>()) << info.name << "." << name;
        const std::string values = entry.second.size() > 2 ? entry.second[2].as<std::string>() : "";
        EXPECT_EQ(field->values != nullptr ? std::string(field->values->name) : "", values)
            << info.name << "." << name;
    }
}

TEST(SiDatabase, EveryRegisterOfTheYamlIsInTheTableUnchanged) {
    const RegisterDatabase& db = si::database();
    size_t registers = 0;
    size_t names = 0;
    for (const YAML::Node& file : block_files()) {
        for (const auto& entry : file["registers"]) {
            ++registers;
            ++names;
            const std::string name = entry.first.as<std::string>();
            const YAML::Node body = entry.second;
            const RegisterInfo* info = db.find_by_name(name);
            ASSERT_NE(info, nullptr) << name;
            EXPECT_EQ(info->name, name);
            EXPECT_EQ(info->offset, body["at"].as<uint32_t>()) << name;
            EXPECT_EQ(db.blocks[info->block].name, file["block"].as<std::string>()) << name;
            EXPECT_EQ(to_string(info->access), body["access"].as<std::string>("unknown")) << name;
            EXPECT_EQ(info->reset_known, body["reset"].IsDefined()) << name;
            EXPECT_EQ(info->reset, body["reset"].as<uint32_t>(0)) << name;
            for (const YAML::Node& alias : body["aliases"]) {
                ++names;
                EXPECT_EQ(db.find_by_name(alias.as<std::string>()), info) << name;
            }
            expect_same_fields(*info, body["fields"]);
        }
        for (const YAML::Node& run : file["reserved"])
            for (auto at = run[0].as<uint32_t>(); at <= run[1].as<uint32_t>(); at += 4) {
                ++registers;
                ++names;
                const RegisterInfo* info = db.find(at);
                ASSERT_NE(info, nullptr) << at;
                EXPECT_EQ(info->name.substr(0, 9), "RESERVED_");
                EXPECT_TRUE(info->fields.empty()) << info->name;
            }
    }
    EXPECT_EQ(registers, db.registers.size());
    EXPECT_EQ(names, db.names.size());
}

TEST(SiDatabase, EveryLayoutOfTheYamlIsInTheTableUnchanged) {
    size_t layouts = 0;
    for (const YAML::Node& file : block_files()) {
        for (const auto& entry : file["layouts"]) {
            ++layouts;
            const std::string name = entry.first.as<std::string>();
            const RegisterInfo* info = si::database().find_layout(name);
            ASSERT_NE(info, nullptr) << name;
            expect_same_fields(*info, entry.second["fields"]);
        }
    }
    EXPECT_GT(layouts, 0u);
    EXPECT_EQ(layouts, si::database().layouts.size());
}

TEST(SiDatabase, EveryEnumeratorOfTheYamlHasItsNumber) {
    std::map<std::string_view, const EnumInfo*> used;
    for (const auto& table : {si::database().registers, si::database().layouts}) {
        for (const RegisterInfo& info : table) {
            for (const FieldInfo& field : info.fields) {
                if (field.values != nullptr) {
                    used[field.values->name] = field.values;
                }
            }
        }
    }
    size_t enums = 0;
    for (const YAML::Node& file : block_files()) {
        for (const auto& entry : file["enums"]) {
            ++enums;
            const std::string name = entry.first.as<std::string>();
            ASSERT_EQ(used.count(name), 1u) << name << " is used by no field";
            const EnumInfo& info = *used[name];
            EXPECT_EQ(info.values.size(), entry.second.size()) << name;
            for (const auto& value : entry.second) {
                const std::string value_name = value.first.as<std::string>();
                const auto* found =
                    std::find_if(info.values.begin(), info.values.end(),
                                 [&](const EnumValueInfo& v) { return v.name == value_name; });
                ASSERT_NE(found, info.values.end()) << name << "." << value_name;
                EXPECT_EQ(found->value, value.second.as<uint32_t>()) << name << "." << value_name;
            }
        }
    }
    EXPECT_EQ(enums, used.size());
}

TEST(SiDatabase, RangesAndBlocksOfTheYamlAreInTheTableInOrder) {
    const RegisterDatabase& db = si::database();
    const YAML::Node root = YAML::LoadFile(kFolder + "si.yaml");
    EXPECT_EQ(db.title, root["title"].as<std::string>());
    ASSERT_EQ(db.ranges.size(), root["ranges"].size());
    for (size_t i = 0; i < db.ranges.size(); ++i) {
        const YAML::Node range = root["ranges"][i];
        EXPECT_EQ(db.ranges[i].name, range["name"].as<std::string>());
        EXPECT_EQ(db.ranges[i].start, range["start"].as<uint32_t>());
        EXPECT_EQ(db.ranges[i].end, range["end"].as<uint32_t>());
        EXPECT_EQ(to_string(db.ranges[i].kind), range["kind"].as<std::string>());
        EXPECT_EQ(db.ranges[i].note, range["note"].as<std::string>());
    }
    ASSERT_EQ(db.blocks.size(), root["blocks"].size());
    size_t i = 0;
    for (const auto& block : root["blocks"]) {
        EXPECT_EQ(db.blocks[i].name, block.first.as<std::string>());
        EXPECT_EQ(db.blocks[i].title, block.second.as<std::string>());
        ++i;
    }
}

}  // namespace
}  // namespace archipelago::regs
