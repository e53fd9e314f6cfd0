// SPDX-License-Identifier: Apache-2.0
// The contract elastic, with the twins in a user's place: regardless of what their ready and valid
// do, they keep it.
#include <gmock/gmock.h>

#include "rtl-bridge/compare/cosim.h"
#include "rtl-bridge/compare/pin_tables.h"

namespace archipelago::rtl {
namespace {

class Elastically : public testing::TestWithParam<std::string> {};

// Those compared with random stimulus: a compute unit's programs would have to wait for whatever
// they read, so it is compared with the waves of a workload (place/compute_unit_test.py).
std::vector<std::string> elastic_blocks() {
    std::vector<std::string> names;
    for (const PinTable* table : pin_tables())
        if (table->has_twin && table->elastic.exact_only == nullptr && table->block != "cu")
            names.emplace_back(table->block);
    return names;
}

TEST_P(Elastically, TwinGivesTheTransactionsOfTheModel) {
    CosimOptions options;
    options.cycles = 10'000;
    options.elastic = true;
    for (const uint64_t seed : {1u}) {
        options.seed = seed;
        const CosimResult result = find_cosim_bench(GetParam())->run(options);
        EXPECT_TRUE(result.elastic);
        EXPECT_EQ(result.cycles, options.cycles);
        EXPECT_GT(result.transactions, 300u);
        EXPECT_FALSE(result.difference.has_value())
            << "seed " << seed << ": " << result.difference->text();
    }
}

INSTANTIATE_TEST_SUITE_P(Blocks, Elastically, testing::ValuesIn(elastic_blocks()),
                         [](const auto& info) { return info.param; });

TEST(ElasticContract, IsForBlocksThatHandTransactionsOverAndSaysWhyNotForOthers) {
    EXPECT_GE(elastic_blocks().size(), 8u);
    CosimOptions options;
    options.elastic = true;
    try {
        find_cosim_bench("grbm")->run(options);
        FAIL() << "accepted";
    } catch (const std::invalid_argument& error) {
        EXPECT_THAT(error.what(), testing::HasSubstr("busy levels of their cycle"));
    }
}

}  // namespace
}  // namespace archipelago::rtl
