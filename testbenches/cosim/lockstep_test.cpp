// SPDX-License-Identifier: Apache-2.0
// Every block that has a twin: no difference, everything reached.
#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <iterator>
#include <sstream>
#include <string>

#include "rtl-bridge/compare/cosim.h"

namespace archipelago::rtl {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

constexpr uint64_t kCycles = 400'000;
constexpr uint64_t kCoverageCycles = 1'000'000;
constexpr uint64_t kFloor = 10;  // times each coverage bin is reached in them

class Twin : public testing::TestWithParam<std::string> {
  protected:
    const CosimBench* bench() const { return find_cosim_bench(GetParam()); }
};

std::vector<std::string> blocks() {
    std::vector<std::string> names;
    for (const CosimBench* bench : cosim_benches())
        if (bench->has_twin())
            names.emplace_back(bench->block());
    return names;
}

std::string shape_text(std::string direction, const std::string& name, const std::string& bits) {
    return direction.append(" ").append(name).append(" ").append(bits);
}

// Of "[N:0]".
unsigned long range_bits(const std::string& range) {
    EXPECT_EQ(range.substr(range.find(':')), ":0]");
    return std::stoul(range.substr(1)) + 1;
}

// Of one range, or of several as in "[3:0][31:0]".
std::string bits_of(const std::string& ranges) {
    unsigned long bits = 1;
    for (size_t at = 0; at < ranges.size();) {
        const size_t next = std::min(ranges.find('[', at + 1), ranges.size());
        bits *= range_bits(ranges.substr(at, next - at));
        at = next;
    }
    return std::to_string(bits);
}

// An output that is not in the list would not be compared, an input not driven.
TEST_P(Twin, IsComparedAndDrivenAtEveryPinOfItsVerilog) {
    const auto text_of = [](const std::string& path) {
        std::ifstream file(path);
        return std::string{std::istreambuf_iterator<char>(file), {}};
    };
    const std::string& block = GetParam();
    std::string module =
        text_of(ARCHIPELAGO_SOURCE_DIR "/rtl-bridge/rtl/" + block + "/" + block + ".sv");
    module.erase(0, module.find("\nmodule " + block));
    module.resize(module.find(");"));
    EXPECT_THAT(module, testing::HasSubstr("`include \"" + block + "_ports.svh\""));
    EXPECT_THAT(module, testing::Not(testing::ContainsRegex("\n *(in|out)put")));
    std::string verilog =
        text_of(ARCHIPELAGO_GENERATED_RTL "/" + block + "/" + block + "_ports.svh");
    for (size_t at = 0; (at = verilog.find("//", at)) != std::string::npos;)
        verilog.erase(at, verilog.find('\n', at) - at);
    for (char& c : verilog)
        if (c == ',' || c == '(')
            c = ' ';
    std::vector<std::string> theirs;
    std::istringstream words(verilog);
    for (std::string word; words >> word;) {
        if (word != "input" && word != "output")
            continue;
        std::string pin = word, bits = "1";
        words >> word;
        EXPECT_EQ(word, "logic");
        words >> word;
        if (word.front() == '[') {
            bits = bits_of(word);
            words >> word;
        }
        if (word != "clk" && word != "rst")
            theirs.push_back(shape_text(pin, word, bits));
    }
    std::vector<std::string> ours;
    for (const PinRow& pin : bench()->pins().pins)
        ours.push_back(
            shape_text(pin.input ? "input" : "output", pin.name(), std::to_string(pin.width())));
    EXPECT_GE(ours.size(), 4u);
    EXPECT_THAT(ours, testing::UnorderedElementsAreArray(theirs));
}

TEST_P(Twin, NeverDiffersFromItsModel) {
    for (const uint64_t seed : {11u, 12u, 13u}) {
        CosimOptions options;
        options.cycles = kCycles;
        options.seed = seed;
        const CosimResult result = bench()->run(options);
        EXPECT_EQ(result.cycles, kCycles);
        EXPECT_FALSE(result.difference.has_value())
            << "seed " << seed << ": " << result.difference->text();
    }
}

// Input bits of the block that need not toggle, with a reason: still_inputs.txt.
std::vector<std::string> still_inputs(const std::string& block) {
    std::ifstream file(ARCHIPELAGO_SOURCE_DIR "/testbenches/cosim/still_inputs.txt");
    EXPECT_TRUE(file.is_open());
    std::vector<std::string> bits;
    for (std::string line; std::getline(file, line);) {
        std::istringstream words(line.substr(0, line.find('#')));
        std::string name, pin;
        if (words >> name >> pin && name == block)
            bits.push_back(pin);
    }
    return bits;
}

// A width that the stimulus never draws would hide a twin that cuts it.
TEST_P(Twin, IsDrivenIntoEveryStateOfTheListByEveryBitOfItsInputs) {
    CosimOptions options;
    options.cycles = kCoverageCycles;
    options.seed = 21;
    options.toggles = true;
    const CosimResult result = bench()->run(options);
    EXPECT_THAT(result.coverage.groups(), testing::Not(IsEmpty()));
    EXPECT_THAT(result.coverage.below(kFloor), IsEmpty());
    const std::vector<std::string> exempt = still_inputs(GetParam());
    if (exempt != std::vector<std::string>{"*"}) {
        EXPECT_THAT(result.still, testing::IsSubsetOf(exempt));
    }
}

TEST_P(Twin, RunOfASeedRepeatsItself) {
    CosimOptions options;
    options.cycles = kCycles / 16;
    options.seed = 61;
    const Coverage a = bench()->run(options).coverage;
    const Coverage b = bench()->run(options).coverage;
    ASSERT_EQ(a.groups().size(), b.groups().size());
    for (size_t g = 0; g < a.groups().size(); ++g)
        for (size_t i = 0; i < a.groups()[g].bins.size(); ++i)
            ASSERT_EQ(a.groups()[g].bins[i].count, b.groups()[g].bins[i].count)
                << a.groups()[g].bins[i].name;
}

INSTANTIATE_TEST_SUITE_P(Blocks, Twin, testing::ValuesIn(blocks()),
                         [](const auto& info) { return info.param; });

std::string refusal(const std::function<void()>& swap) {
    try {
        swap();
    } catch (const std::invalid_argument& error) {
        return error.what();
    }
    return "accepted";
}

TEST(BlockSwap, RefusesABlockWithoutPinsAndNamesThoseThatHaveThem) {
    const std::string text = refusal([] { make_block_swap("toaster", {}); });
    EXPECT_THAT(text, HasSubstr("toaster"));
    EXPECT_THAT(text, HasSubstr("valu_lane"));
}

TEST(BlockSwap, OfOneInstanceIsRefusedWhereThereIsOneForAll) {
    EXPECT_THAT(refusal([] { make_block_swap("lds", {})->only(1); }),
                HasSubstr("place of every instance"));
}

}  // namespace
}  // namespace archipelago::rtl
