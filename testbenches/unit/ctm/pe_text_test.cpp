// SPDX-License-Identifier: Apache-2.0
// Commands as text: any words go there and back unchanged; what is wrong is named with its place.
#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "models/ctm/command/command.h"
#include "models/ctm/command/command_text.h"

namespace archipelago::ctm::text_test {
namespace {

using Words = std::vector<uint32_t>;

Words assembled(const std::string& text) {
    const front::PacketAssembly assembly = CommandLanguage().assemble(text);
    for (const TextError& e : assembly.errors)
        ADD_FAILURE() << e.line << ":" << e.column << ": " << e.message << "\n" << text;
    Words words(assembly.bytes.size() / 4);
    if (!words.empty())
        std::memcpy(words.data(), assembly.bytes.data(), 4 * words.size());
    return words;
}
std::string text_of(const Words& words, bool offsets = false) {
    return CommandLanguage().disassemble(words.data(), words.size(), {offsets});
}
std::string error_of(const std::string& text) {
    const front::PacketAssembly assembly = CommandLanguage().assemble(text);
    if (assembly.errors.empty())
        return "no error";
    const TextError& e = assembly.errors.front();
    return std::to_string(e.line) + ":" + std::to_string(e.column) + ": " + e.message;
}

TEST(CtmCommandText, CommandsAreLinesOfNamedFields) {
    const Words words = {0xC0030B00, 3,          0x10000, 0x04010040, 32, 0xC0030700, 0, 1, 63,
                         31,         0xC0001B00, 3,       0xC0001C00, 1,  0xC0000800, 0};
    const std::string text =
        "set_inp_fmt input = 3, base_address = 0x10000, pitch = 64, tiling = TILED, "
        "format = FLOAT32_4, height = 32\n"
        "set_domain i0 = 0, j0 = 1, i1 = 63, j1 = 31\n"
        "set_cond_test condition = EQUAL\n"
        "set_cond_loc loc = PE\n"
        "start_program\n";
    EXPECT_EQ(assembled(text), words);
    EXPECT_EQ(assembled(text_of(words)), words);
    EXPECT_NE(text_of(words).find("tiling = TILED, format = FLOAT32_4"), std::string::npos)
        << text_of(words);
    EXPECT_NE(text_of(words).find("set_cond_loc loc = PE"), std::string::npos) << text_of(words);
}

TEST(CtmCommandText, AnyWordsComeBack) {
    std::mt19937 random(3);
    for (unsigned n = 0; n < 500; ++n) {
        Words words;
        for (unsigned i = random() % 20; i > 0; --i) {
            const CommandInfo& info = commands().begin()[random() % 27];
            words.push_back(random() % 8 != 0 ? info.header : random());
            for (unsigned k = 0; k < info.parameters; ++k)
                words.push_back(random() % 2 != 0 ? random() : random() % 16);
        }
        if (!words.empty() && random() % 3 == 0)
            words.pop_back();
        for (const bool offsets : {false, true})
            EXPECT_EQ(assembled(text_of(words, offsets)), words) << text_of(words);
    }
}

TEST(CtmCommandText, WhatIsWrongIsNamed) {
    EXPECT_EQ(error_of("start_programme"), "1:1: unknown packet \"start_programme\"");
    EXPECT_EQ(error_of("wait_for_idle\nset_domain k0 = 1"), "2:12: set_domain has no field \"k0\"");
    EXPECT_EQ(error_of("start_program DW2 = 1"),
              "1:1: start_program has 1 parameters, the fields take 2");
    EXPECT_NE(error_of("set_domain i0 = 4096"), "no error");
    EXPECT_NE(error_of("set_out_fmt base_address = 0x801"), "no error");
    EXPECT_NE(error_of("set_cond_test condition = MAYBE"), "no error");
}

}  // namespace
}  // namespace archipelago::ctm::text_test
