// SPDX-License-Identifier: Apache-2.0
// Draws in the whole chip: the workloads that draw, in both modes and under random stalls, and
// what the registers say meanwhile.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/common/error.h"
#include "registers/si_names.h"
#include "testbenches/host/gpu_driver.h"
#include "testbenches/host/machine.h"
#include "testbenches/host/runner.h"

namespace archipelago::host {
namespace {

enum class How { Cycle, Stalled, Shuffled, Functional };

struct Case {
    const char* workload;
    How how;
};

class DrawWorkloads : public ::testing::TestWithParam<Case> {};

std::vector<Case> cases() {
    std::vector<Case> all;
    for (const char* workload :
         {"draws", "draws_streamout", "draws_geometry", "draws_patches", "draws_counters"})
        for (const How how : {How::Cycle, How::Stalled, How::Shuffled, How::Functional})
            all.push_back({workload, how});
    return all;
}

std::string name_of(const ::testing::TestParamInfo<Case>& info) {
    static const char* const kHow[] = {"cycle", "stalled", "shuffled", "functional"};
    return std::string(info.param.workload) + "_" + kHow[static_cast<int>(info.param.how)];
}
// Test names must be the same in every build.
void PrintTo(const Case& c, std::ostream* os) {
    *os << c.workload;
}

INSTANTIATE_TEST_SUITE_P(Chip, DrawWorkloads, ::testing::ValuesIn(cases()), name_of);

TEST_P(DrawWorkloads, EndWithWhatTheirDrawsWrite) {
    config::Diagnostics diagnostics;
    const auto workload =
        load_workload(std::string(ARCHIPELAGO_SOURCE_DIR) + "/testbenches/workloads/" +
                          GetParam().workload + ".yaml",
                      diagnostics);
    ASSERT_TRUE(workload.has_value()) << diagnostics.format();
    const asic::LoadedChip chip = asic::load_chip("tahiti", {});
    MachineOptions options;
    options.hang_cycles = 200'000;
    options.chip.check_protocol = true;
    options.chip.mode =
        GetParam().how == How::Functional ? asic::Mode::Functional : asic::Mode::Cycle;
    if (GetParam().how == How::Stalled) {
        options.chip.stall_seed = 3;
        options.chip.stall_percent = 25;
    }
    if (GetParam().how == How::Shuffled)
        options.chip.shuffle_seed = 5;
    Machine machine("bench", chip.config, options);
    Runner runner(*workload, machine);
    const RunOutcome outcome = runner.run();
    EXPECT_GT(outcome.expectations, 0u);
    EXPECT_THAT(outcome.failures, ::testing::IsEmpty());
    EXPECT_TRUE(machine.chip().idle()) << machine.chip().waiting_for();
}

}  // namespace
}  // namespace archipelago::host
