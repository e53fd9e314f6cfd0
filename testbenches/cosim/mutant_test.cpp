// SPDX-License-Identifier: Apache-2.0
// Lockstep detects every mutant of rtl-bridge/mutations.
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "rtl-bridge/compare/cosim.h"
#include "testbenches/support/scratch.h"

namespace archipelago::rtl {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

constexpr uint64_t kCycles = 1'000'000;  // in which each is detected

class Mutant : public testing::TestWithParam<std::string> {
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

TEST_P(Mutant, WithNoneSelectedIsTheTwin) {
    CosimOptions options;
    options.cycles = kCycles / 20;
    options.seed = 31;
    const CosimResult result = bench()->run(options);
    EXPECT_FALSE(result.difference.has_value()) << result.difference->text();
}

TEST_P(Mutant, IsOneOfFifteenAtLeast) {
    EXPECT_GE(bench()->mutants().size(), 15u);
}

TEST_P(Mutant, DifferenceNamesCyclePortFieldValuesAndTransactions) {
    const test::Scratch scratch;
    const std::filesystem::path wave = scratch.path() / "wave.fst";
    CosimOptions options;
    options.cycles = kCycles;
    options.seed = 51;
    options.mutant = 1;
    const CosimResult first = bench()->run(options);
    options.waveform = wave.string();
    const CosimResult second = bench()->run(options);
    ASSERT_TRUE(first.difference.has_value());
    ASSERT_TRUE(second.difference.has_value());
    const Difference& d = *first.difference;
    EXPECT_NE(d.model, d.rtl);
    EXPECT_EQ(first.cycles, d.cycle);
    EXPECT_THAT(d.text(), HasSubstr("cycle " + std::to_string(d.cycle) + ": " + d.port + "." +
                                    d.field + "=0x"));
    EXPECT_LE(d.model_transactions.size(), kShownTransactions);
    EXPECT_THAT(d.model_transactions, testing::Not(IsEmpty()));
    EXPECT_THAT(d.rtl_transactions, testing::Not(IsEmpty()));
    // The waveform comes from a second run of the same seed, which must not have changed anything.
    EXPECT_EQ(d.text(), second.difference->text());
    EXPECT_GT(std::filesystem::file_size(wave), 300u);
}

INSTANTIATE_TEST_SUITE_P(Blocks, Mutant, testing::ValuesIn(blocks()),
                         [](const auto& info) { return info.param; });

// Some mutants of a block's list, so many that they take less than three minutes of an idle core.
struct Mutants {
    std::string block;
    unsigned first, end;  // index in the list

    std::string name() const {
        return block + "_" + std::to_string(first + 1) + "_to_" + std::to_string(end);
    }
    friend void PrintTo(const Mutants& mutants, std::ostream* out) { *out << mutants.name(); }
};

class EachMutant : public testing::TestWithParam<Mutants> {};

std::vector<Mutants> shares() {
    std::vector<Mutants> all;
    for (const std::string& block : blocks()) {
        // A compute unit takes six seconds on average until it differs, the other blocks less than
        // one.
        const unsigned most = block == "cu" ? 8 : 40;
        const auto count = static_cast<unsigned>(find_cosim_bench(block)->mutants().size());
        for (unsigned first = 0; first < count; first += most)
            all.push_back({block, first, std::min(first + most, count)});
    }
    return all;
}

TEST_P(EachMutant, OfTheListIsDetected) {
    const CosimBench& bench = *find_cosim_bench(GetParam().block);
    const std::vector<std::string> mutants = bench.mutants();
    for (unsigned n = GetParam().first; n < GetParam().end; ++n) {
        CosimOptions options;
        options.cycles = kCycles;
        options.seed = 41;
        options.mutant = n + 1;
        EXPECT_TRUE(bench.run(options).difference.has_value())
            << bench.block() << ": " << mutants[n] << " is not detected in " << kCycles
            << " cycles";
    }
}

INSTANTIATE_TEST_SUITE_P(Blocks, EachMutant, testing::ValuesIn(shares()),
                         [](const auto& info) { return info.param.name(); });

// Under the contract elastic.
CosimResult run_freely(const std::string& block, const std::string& mutant) {
    const CosimBench* bench = find_cosim_bench(block);
    const std::vector<std::string> mutants = bench->mutants();
    const auto at = std::find(mutants.begin(), mutants.end(), mutant);
    EXPECT_NE(at, mutants.end()) << mutant;
    CosimOptions options;
    options.cycles = 30'000;
    options.elastic = true;
    options.mutant = static_cast<unsigned>(at - mutants.begin()) + 1;
    return bench->run(options);
}

TEST(ElasticContract, FindsWhatChangesTransactionsAndNamesPortAndTransaction) {
    const std::pair<const char*, const char*> mutants[] = {
        {"tc_l1", "data_of_its_own_slot"},
        {"tc_l2_bank", "write_back_loses_a_byte"},
        {"valu_lane", "product_exponent_off_by_one"},
        {"cu_valu", "inactive_lanes_zero"},
        {"lds", "second_offset_of_the_lower_byte"},
        {"spi_alloc", "cu_turn_not_kept"},
        {"spi_dispatch", "y_walks_with_x"},
        {"vgt_index_dma", "half_dword_left_out_of_the_mask"}};
    for (const auto& [block, mutant] : mutants) {
        const CosimResult result = run_freely(block, mutant);
        ASSERT_TRUE(result.difference.has_value()) << block << ": " << mutant;
        EXPECT_THAT(result.difference->text(), HasSubstr("port ")) << block;
        EXPECT_THAT(result.difference->rtl_transactions, testing::Not(IsEmpty())) << block;
    }
}

TEST(ElasticContract, LetsOtherCyclesPass) {
    for (const auto& [block, mutant] : {std::pair("tc_l1", "hit_takes_a_cycle_more"),
                                        std::pair("tc_l2_bank", "answer_leaves_early"),
                                        std::pair("vgt_index_dma", "a_line_too_few_ahead"),
                                        std::pair("vgt_index_dma", "setup_a_cycle_longer")}) {
        const CosimResult result = run_freely(block, mutant);
        EXPECT_FALSE(result.difference.has_value()) << result.difference->text();
    }
}

}  // namespace
}  // namespace archipelago::rtl
