// SPDX-License-Identifier: Apache-2.0
// The generated table against the YAML, which models/config reads here and not the generator.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "models/config/load.h"
#include "models/config/scalar.h"
#include "registers/si_registers.h"

namespace archipelago::regs {
namespace {

using config::Node;

const std::string kFolder = std::string(ARCHIPELAGO_SOURCE_DIR) + "/configs/registers/";

Node load(const std::string& name) {
    config::Diagnostics diagnostics;
    const std::optional<Node> file = config::load_file(kFolder + name, diagnostics);
    EXPECT_EQ(diagnostics.format(), "");
    return file.value_or(Node());
}

// The value of a key; a null node when the map does not have it.
const Node& get(const Node& map, const std::string& key) {
    static const Node none;
    const config::MapEntry* entry = map.find(key);
    return entry != nullptr ? entry->value : none;
}

uint32_t number(const Node& node) {
    const config::IntegerText integer = config::parse_integer(node.text());
    EXPECT_EQ(integer.status, config::IntegerText::Status::Ok) << node.origin().to_string();
    return static_cast<uint32_t>(integer.magnitude);
}

std::vector<Node> block_files() {
    std::vector<Node> files;
    const Node root = load("si.yaml");
    std::set<std::string> named;
    for (const Node& name : get(root, "include").items()) {
        if (name.text() == "si/*.yaml") {
            for (const auto& file : std::filesystem::directory_iterator(kFolder + "si"))
                named.insert("si/" + file.path().filename().string());
        } else {
            named.insert(name.text());
        }
    }
    for (const std::string& name : named)
        files.push_back(load(name));
    return files;
}

void expect_same_fields(const RegisterInfo& info, const Node& fields) {
    EXPECT_EQ(info.fields.size(), fields.entries().size()) << info.name;
    for (const config::MapEntry& entry : fields.entries()) {
        const std::vector<Node>& field_of_yaml = entry.value.items();
        const FieldInfo* field = info.field(entry.key);
        ASSERT_NE(field, nullptr) << info.name << "." << entry.key;
        ASSERT_GE(field_of_yaml.size(), 2u) << info.name << "." << entry.key;
        EXPECT_EQ(uint32_t{field->lsb}, number(field_of_yaml[0])) << info.name << "." << entry.key;
        EXPECT_EQ(uint32_t{field->msb}, number(field_of_yaml[1])) << info.name << "." << entry.key;
        EXPECT_EQ(field->values != nullptr ? std::string(field->values->name) : "",
                  field_of_yaml.size() > 2 ? field_of_yaml[2].text() : "")
            << info.name << "." << entry.key;
    }
}

TEST(SiDatabase, EveryRegisterOfTheYamlIsInTheTableUnchanged) {
    const RegisterDatabase& db = si::database();
    size_t registers = 0;
    size_t names = 0;
    for (const Node& file : block_files()) {
        for (const config::MapEntry& entry : get(file, "registers").entries()) {
            ++registers;
            ++names;
            const std::string& name = entry.key;
            const Node& body = entry.value;
            const RegisterInfo* info = db.find_by_name(name);
            ASSERT_NE(info, nullptr) << name;
            EXPECT_EQ(info->name, name);
            const Node& access = get(body, "access");
            const Node& reset = get(body, "reset");
            EXPECT_EQ(info->offset, number(get(body, "at"))) << name;
            EXPECT_EQ(db.blocks[info->block].name, get(file, "block").text()) << name;
            EXPECT_EQ(to_string(info->access), access.is_null() ? "unknown" : access.text())
                << name;
            EXPECT_EQ(info->reset_known, !reset.is_null()) << name;
            EXPECT_EQ(info->reset, reset.is_null() ? 0 : number(reset)) << name;
            for (const Node& alias : get(body, "aliases").items()) {
                ++names;
                EXPECT_EQ(db.find_by_name(alias.text()), info) << name;
            }
            expect_same_fields(*info, get(body, "fields"));
        }
        for (const Node& run : get(file, "reserved").items())
            for (uint32_t at = number(run.items()[0]); at <= number(run.items()[1]); at += 4) {
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
    for (const Node& file : block_files()) {
        for (const config::MapEntry& entry : get(file, "layouts").entries()) {
            ++layouts;
            const std::string& name = entry.key;
            const RegisterInfo* info = si::database().find_layout(name);
            ASSERT_NE(info, nullptr) << name;
            expect_same_fields(*info, get(entry.value, "fields"));
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
    for (const Node& file : block_files()) {
        for (const config::MapEntry& entry : get(file, "enums").entries()) {
            ++enums;
            const std::string& name = entry.key;
            ASSERT_EQ(used.count(name), 1u) << name << " is used by no field";
            const EnumInfo& info = *used[name];
            EXPECT_EQ(info.values.size(), entry.value.entries().size()) << name;
            for (const config::MapEntry& value : entry.value.entries()) {
                const auto* found =
                    std::find_if(info.values.begin(), info.values.end(),
                                 [&](const EnumValueInfo& v) { return v.name == value.key; });
                ASSERT_NE(found, info.values.end()) << name << "." << value.key;
                EXPECT_EQ(found->value, number(value.value)) << name << "." << value.key;
            }
        }
    }
    EXPECT_EQ(enums, used.size());
}

TEST(SiDatabase, RangesAndBlocksOfTheYamlAreInTheTableInOrder) {
    const RegisterDatabase& db = si::database();
    const Node root = load("si.yaml");
    EXPECT_EQ(db.title, get(root, "title").text());
    const Node& ranges = get(root, "ranges");
    ASSERT_EQ(db.ranges.size(), ranges.items().size());
    for (size_t i = 0; i < db.ranges.size(); ++i) {
        const Node& range = ranges.items()[i];
        EXPECT_EQ(db.ranges[i].name, get(range, "name").text());
        EXPECT_EQ(db.ranges[i].start, number(get(range, "start")));
        EXPECT_EQ(db.ranges[i].end, number(get(range, "end")));
        EXPECT_EQ(to_string(db.ranges[i].kind), get(range, "kind").text());
        EXPECT_EQ(db.ranges[i].note, get(range, "note").text());
    }
    const Node& blocks = get(root, "blocks");
    ASSERT_EQ(db.blocks.size(), blocks.entries().size());
    for (size_t i = 0; i < db.blocks.size(); ++i) {
        EXPECT_EQ(db.blocks[i].name, blocks.entries()[i].key);
        EXPECT_EQ(db.blocks[i].title, blocks.entries()[i].value.text());
    }
}

}  // namespace
}  // namespace archipelago::regs
