// SPDX-License-Identifier: Apache-2.0
// The Verilog macros and the Markdown document against the table.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>

#include "registers/si_registers.h"

namespace archipelago::regs {
namespace {

const std::string kGenerated = std::string(ARCHIPELAGO_GENERATED_DIR) + "/";

std::string read_file(const std::string& path) {
    std::ifstream stream(path);
    EXPECT_TRUE(stream) << path;
    std::stringstream text;
    text << stream.rdbuf();
    return text.str();
}

// Macro name -> text of si_registers.vh and everything it includes.
std::map<std::string, std::string> read_macros(const std::string& file) {
    std::map<std::string, std::string> macros;
    std::istringstream lines(read_file(kGenerated + file));
    std::string line;
    while (std::getline(lines, line)) {
        std::istringstream words(line);
        std::string directive, name, value;
        words >> directive >> name >> value;
        if (directive == "`include") {
            macros.merge(read_macros(name.substr(1, name.size() - 2)));
        } else if (directive == "`define" && !value.empty()) {
            EXPECT_TRUE(macros.emplace(name, value).second) << "defined twice: " << name;
        }
    }
    return macros;
}

void expect_field_macros(std::map<std::string, std::string>& macros, const RegisterInfo& info) {
    for (const FieldInfo& field : info.fields) {
        const std::string stem = "SI_" + std::string(info.name) + "__" + std::string(field.name);
        EXPECT_EQ(macros[stem + "_LSB"], std::to_string(field.lsb)) << stem;
        EXPECT_EQ(macros[stem + "_MSB"], std::to_string(field.msb)) << stem;
        macros.erase(stem + "_LSB");
        macros.erase(stem + "_MSB");
    }
}

TEST(SiVerilogMacros, AgreeWithTheTableAndDefineNothingElse) {
    std::map<std::string, std::string> macros = read_macros("si_registers.vh");
    const RegisterDatabase& db = si::database();
    for (const NameInfo& entry : db.names) {
        const std::string name = "SI_" + std::string(entry.name);
        char expected[16];
        std::snprintf(expected, sizeof expected, "32'h%08X", db.registers[entry.index].offset);
        EXPECT_EQ(macros[name], expected) << name;
        macros.erase(name);
    }
    std::set<const EnumInfo*> enums;
    for (const auto& table : {db.registers, db.layouts}) {
        for (const RegisterInfo& info : table) {
            expect_field_macros(macros, info);
            for (const FieldInfo& field : info.fields) {
                enums.insert(field.values);
            }
        }
    }
    enums.erase(nullptr);
    for (const EnumInfo* info : enums) {
        for (const EnumValueInfo& value : info->values) {
            const std::string name =
                "SI_ENUM_" + std::string(info->name) + "__" + std::string(value.name);
            EXPECT_EQ(macros[name], std::to_string(value.value)) << name;
            macros.erase(name);
        }
    }
    for (const auto& left : macros) {
        ADD_FAILURE() << left.first << " stands for nothing in the table";
    }
}

TEST(SiVerilogMacros, CompileUnderVerilator) {
#ifndef ARCHIPELAGO_VERILATOR
    GTEST_SKIP() << "verilator is not installed";
#else
    const std::string path = testing::TempDir() + "si_macro_user.v";
    std::ofstream(path) << R"(
`include "si_registers.vh"
`include "si_cp.vh"
module si_macro_user(input [31:0] address, input [31:0] data, output hit, output [5:0] event_type);
    assign hit = address == `SI_CP_RB0_BASE || event_type == `SI_ENUM_VGT_EVENT_TYPE__CS_DONE;
    assign event_type = data[`SI_VGT_EVENT_INITIATOR__EVENT_TYPE_MSB :
                             `SI_VGT_EVENT_INITIATOR__EVENT_TYPE_LSB];
endmodule
)";
    // -Wno-fatal would hide a clash; unused inputs are the test module's own.
    const std::string command = std::string(ARCHIPELAGO_VERILATOR) +
                                " --lint-only -Wall -Wno-UNUSED -Wno-WIDTH '-I" + kGenerated +
                                "' '" + path + "' 2>&1";
    FILE* pipe = popen(command.c_str(), "r");
    ASSERT_NE(pipe, nullptr);
    std::string output;
    char buffer[256];
    while (std::fgets(buffer, sizeof buffer, pipe) != nullptr) {
        output += buffer;
    }
    const int status = pclose(pipe);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << output;
#endif
}

TEST(SiDocument, ListsEveryRegisterWithItsOffset) {
    const std::string text = read_file(kGenerated + "si_registers.md");
    for (const RegisterInfo& info : si::database().registers) {
        char row[32];
        std::snprintf(row, sizeof row, "| 0x%05X | ", info.offset);
        EXPECT_NE(text.find(row + std::string(info.name)), std::string::npos) << info.name;
    }
    EXPECT_NE(text.find("EVENT_TYPE [5:0] ([VGT_EVENT_TYPE](#vgt_event_type))"), std::string::npos);
}

}  // namespace
}  // namespace archipelago::regs
