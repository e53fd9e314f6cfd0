// SPDX-License-Identifier: Apache-2.0
#include "testbenches/support/command_line.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace archipelago::command_line {
namespace {

struct Given {
    std::optional<int> status;
    uint64_t seed = 1;
    unsigned count = 2;
    std::string said;  // on standard error
};

Given parsed(std::vector<const char*> arguments) {
    Given given;
    CLI::App app{"a program", "program"};
    app.add_option("--seed", given.seed)->check(check_count);
    app.add_option("--count", given.count)->check(check_count);
    arguments.insert(arguments.begin(), "program");
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    given.status = parse(app, static_cast<int>(arguments.size()), arguments.data());
    given.said = testing::internal::GetCapturedStderr();
    testing::internal::GetCapturedStdout();
    return given;
}

TEST(CommandLine, OptionsAreFilledInAndTheRestKeepsItsDefault) {
    const Given given = parsed({"--seed", "18446744073709551615"});
    EXPECT_FALSE(given.status.has_value());
    EXPECT_EQ(given.seed, ~uint64_t{0});
    EXPECT_EQ(given.count, 2u);
}

TEST(CommandLine, HelpIsNoFailure) {
    EXPECT_EQ(parsed({"--help"}).status, 0);
}

TEST(CommandLine, WhatIsNoCountIsRefusedByNameAndText) {
    for (const char* text : {"-1", "5x", "1.5", "", "010", "18446744073709551616"}) {
        const Given given = parsed({"--seed", text});
        EXPECT_EQ(given.status, kBadUsage) << text;
        EXPECT_NE(given.said.find("--seed: got \"" + std::string(text) + '"'), std::string::npos)
            << given.said;
    }
}

TEST(CommandLine, ACountThatDoesNotFitItsOptionIsRefused) {
    EXPECT_EQ(parsed({"--count", "4294967295"}).count, ~0u);
    EXPECT_EQ(parsed({"--count", "4294967296"}).status, kBadUsage);
}

TEST(CommandLine, WhatNoOptionTakesIsRefused) {
    for (const auto& arguments : std::vector<std::vector<const char*>>{
             {"--nothing"}, {"word"}, {"--seed"}, {"--seed", "1", "2"}})
        EXPECT_EQ(parsed(arguments).status, kBadUsage) << arguments.front();
}

}  // namespace
}  // namespace archipelago::command_line
