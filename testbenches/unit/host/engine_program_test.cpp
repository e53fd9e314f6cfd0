// SPDX-License-Identifier: Apache-2.0
// Programs of a micro engine alone: what may be left out, and what is wrong with them.
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "testbenches/host/afuc/engine_program.h"

namespace archipelago::host {
namespace {

constexpr const char* kHalt = R"("image": ["0x01000000"])";  // nop, then the section's end

std::string refused(const std::string& program) {
    try {
        run_engine_text(program);
    } catch (const std::invalid_argument& error) {
        return error.what();
    }
    return "nothing";
}

std::string with(const std::string& more) {
    return R"({"isa": "a6xx", )" + std::string(kHalt) + ", " + more + "}";
}

TEST(EngineProgram, BeginsWithZerosUnlessItSaysOtherwise) {
    const auto got = run_engine_text(R"({"isa": "a6xx", )" + std::string(kHalt) + "}");
    EXPECT_EQ(got["instructions"], 1);
    EXPECT_EQ(got["stream_words_left"], 0);
    EXPECT_TRUE(got["gpr"].empty());
    const auto given = run_engine_text(with(R"("init": {"gpr": {"3": 7}}, "stream": [1, "0x2"])"));
    EXPECT_EQ(given["gpr"]["0x3"], "0x7");
    EXPECT_EQ(given["stream_words_left"], 2);
}

TEST(EngineProgram, NamesThePlaceOfWhatIsWrong) {
    const std::pair<std::string, std::string> wrong[] = {
        {"[1]", "program: expected an object, got [1]"},
        {"{\"isa\": ", "column 9: not JSON: syntax error"},
        {"{" + std::string(kHalt) + "}", "isa: expected one of: a5xx, a6xx, a660, a7xx, a750"},
        {R"({"isa": "a6x"})",
         "isa: expected one of: a5xx, a6xx, a660, a7xx, a750, got \"a6x\" (did"},
        {R"({"isa": 6})", "isa: expected one of: a5xx, a6xx, a660, a7xx, a750, got 6"},
        {R"({"isa": "a6xx"})", "image: expected the words of a program"},
        {R"({"isa": "a6xx", "image": []})", "image: expected the words of a program"},
        {R"({"isa": "a6xx", "image": "0x1"})", "image: expected a list of words, got \"0x1\""},
        {R"({"isa": "a6xx", "image": [0, "0x123456789"]})",
         "image[1]: expected a word, got 0x123456789 with more than 32 bits"},
        {R"({"isa": "a6xx", "image": [4294967296]})", "image[0]: expected a word, got 0x100000000"},
        {R"({"isa": "a6xx", "image": [-1]})", "image[0]: expected a word, got -1"},
        {R"({"isa": "a6xx", "image": [1.5]})", "image[0]: expected a word, got 1.5"},
        {R"({"isa": "a6xx", "image": ["zz"]})", "image[0]: expected a number, got \"zz\""},
        {R"({"isa": "a6xx", "image": ["-1"]})", "image[0]: expected a number, got \"-1\""},
        {with(R"("steam": [])"), "program: unknown key \"steam\" (did you mean \"stream\"?)"},
        {with(R"("stream": [null])"), "stream[0]: expected a word, got null"},
        {with(R"("init": [])"), "init: expected an object, got []"},
        {with(R"("init": {"gprs": {}})"), "init: unknown key \"gprs\" (did you mean \"gpr\"?)"},
        {with(R"("init": {"gpr": 3})"), "init.gpr: expected places with values, got 3"},
        {with(R"("init": {"gpr": {"x": 1}})"), "init.gpr: expected a number, got \"x\""},
        {with(R"("init": {"gpr": {"0x20": 1}})"), "init.gpr: 0x20 is not there, the last is 0x1f"},
        {with(R"("init": {"gpr": {"1": "y"}})"), "init.gpr.1: expected a number, got \"y\""},
        {with(R"("init": {"sqe": {"0x10": 1}})"), "init.sqe: 0x10 is not there"},
        {with(R"("init": {"ctrl": {"0x1000": 1}})"), "init.ctrl: 0x1000 is not there"},
        {with(R"("init": {"gpu": {"0x40000": 1}})"), "init.gpu: 0x40000 is not there"},
        {with(R"("init": {"mem": {"0x1002": 1}})"), "init.mem: 0x1002 is not a multiple of 4"},
    };
    for (const auto& [program, said] : wrong)
        EXPECT_EQ(refused(program).substr(0, said.size()), said) << program;
}

}  // namespace
}  // namespace archipelago::host
