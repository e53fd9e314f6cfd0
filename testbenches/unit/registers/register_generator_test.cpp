// SPDX-License-Identifier: Apache-2.0
// scripts/gen_regs.py: what it refuses, in which words, and that its output is reproducible.
//
// Each bad/*.yaml is a faulty database; its leading `# expect: ` comments are the exact messages.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

const std::string kSource = ARCHIPELAGO_SOURCE_DIR;
const std::string kBad = kSource + "/testbenches/unit/registers/bad";

struct Result {
    int status = -1;
    std::string output;  // standard output and error
};

Result generate(const std::string& database, const std::string& action) {
    const std::string command = std::string("'") + ARCHIPELAGO_PYTHON + "' '" + kSource +
                                "/scripts/gen_regs.py' '" + database + "' " + action + " 2>&1";
    Result result;
    FILE* pipe = popen(command.c_str(), "r");
    if (pipe == nullptr) {
        return result;
    }
    char buffer[256];
    while (std::fgets(buffer, sizeof buffer, pipe) != nullptr) {
        result.output += buffer;
    }
    const int status = pclose(pipe);
    result.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return result;
}

std::string read_file(const fs::path& path) {
    std::ifstream stream(path, std::ios::binary);
    std::stringstream text;
    text << stream.rdbuf();
    return text.str();
}

std::vector<std::string> bad_databases() {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(kBad)) {
        if (entry.path().extension() == ".yaml") {
            names.push_back(entry.path().stem().string());
        }
    }
    std::sort(names.begin(), names.end());
    return names;
}

class BadRegisterDatabase : public testing::TestWithParam<std::string> {};

TEST_P(BadRegisterDatabase, IsRefusedWithPlaceAndReason) {
    const std::string path = kBad + "/" + GetParam() + ".yaml";
    const std::string marker = "# expect: ";
    std::string expected;
    std::istringstream lines(read_file(path));
    for (std::string line; std::getline(lines, line) && line[0] == '#';) {
        if (line.rfind(marker, 0) == 0) {
            expected += line.substr(marker.size()) + "\n";
        }
    }
    ASSERT_FALSE(expected.empty()) << path << " says nothing about what to expect";
    const Result result = generate(path, "--check");
    EXPECT_EQ(result.status, 1);
    EXPECT_EQ(result.output, expected);
}

INSTANTIATE_TEST_SUITE_P(All, BadRegisterDatabase, testing::ValuesIn(bad_databases()),
                         [](const auto& info) { return info.param; });

TEST(RegisterGenerator, WritesTheSameBytesAgain) {
    const fs::path out = fs::path(testing::TempDir()) / "archipelago_registers_again";
    fs::remove_all(out);
    const std::string database = kSource + "/configs/registers/si.yaml";
    const Result result = generate(database, "--out '" + out.string() + "'");
    ASSERT_EQ(result.status, 0) << result.output;
    const Result list = generate(database, "--list");
    ASSERT_EQ(list.status, 0) << list.output;
    std::istringstream names(list.output);
    size_t files = 0;
    for (std::string name; std::getline(names, name); ++files) {
        EXPECT_EQ(read_file(out / name), read_file(fs::path(ARCHIPELAGO_GENERATED_DIR) / name))
            << name;
        EXPECT_FALSE(read_file(out / name).empty()) << name;
    }
    EXPECT_GT(files, 50u);
    size_t written = 0;
    for (const auto& entry : fs::directory_iterator(out)) {
        written += entry.is_regular_file() ? 1 : 0;
    }
    EXPECT_EQ(written, files) << "--list must name every file";
    fs::remove_all(out);
}

TEST(RegisterGenerator, ShippedDatabaseIsValid) {
    const Result result = generate(kSource + "/configs/registers/si.yaml", "--check");
    EXPECT_EQ(result.status, 0);
    EXPECT_EQ(result.output, "");
}

TEST(RegisterGenerator, AMissingDatabaseIsAnError) {
    const Result result = generate(kBad + "/no_such_file", "--check");
    EXPECT_EQ(result.status, 1);
    EXPECT_EQ(result.output, "no_such_file: cannot read: No such file or directory\n");
}

}  // namespace
