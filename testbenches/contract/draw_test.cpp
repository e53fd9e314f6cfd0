// SPDX-License-Identifier: Apache-2.0
// Draws in the whole chip: the workloads that draw, in both modes and under random stalls, and
// what the registers say meanwhile.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/asic/families.h"
#include "models/common/error.h"
#include "models/cp/packets/si/si_packets.h"
#include "models/cp/pm4/packet_table.h"
#include "registers/si_names.h"
#include "testbenches/contract/both_modes.h"
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
         {"draws", "draws_streamout", "draws_geometry", "draws_patches", "draws_counters",
          "perf_draws", "draws_vmid", "interrupt_errors", "interrupt_system"})
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
    const auto chip = asic::load_chip("tahiti", {});
    const auto workload =
        load_workload(std::string(ARCHIPELAGO_SOURCE_DIR) + "/testbenches/workloads/" +
                          GetParam().workload + ".yaml",
                      always(*chip), diagnostics);
    ASSERT_TRUE(workload.has_value()) << diagnostics.format();
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
    Machine machine("bench", *chip, options);
    Runner runner(*workload, machine);
    const RunOutcome outcome = runner.run();
    EXPECT_GT(outcome.expectations, 0u);
    EXPECT_THAT(outcome.failures, ::testing::IsEmpty());
    EXPECT_TRUE(machine.chip().idle()) << machine.chip().waiting_for();
}

class PipelineStatistics : public ::testing::TestWithParam<asic::Mode> {};
INSTANTIATE_TEST_SUITE_P(Chip, PipelineStatistics, test::kBothModes, test::mode_name);

TEST_P(PipelineStatistics, CountTheThreadsOfDispatches) {
    namespace si = regs::si;
    const auto chip = asic::load_chip("tahiti", {});
    MachineOptions options;
    options.hang_cycles = 200'000;
    options.chip.mode = GetParam();
    Machine machine("bench", *chip, options);
    machine.run([&] {
        GpuDriver driver(machine);
        driver.bring_up();
        const uint64_t program = machine.allocate(4096), counts = machine.allocate(4096);
        const uint32_t code = 0xBF810000;  // s_endpgm
        machine.memory().write(program, &code, sizeof code);
        unsigned ring = 0;
        const auto submit = [&](const char* name, std::vector<uint32_t> body, bool compute) {
            body.insert(body.begin(), cp::make_header(cp::si_opcode(name),
                                                      static_cast<uint32_t>(body.size()), compute));
            driver.submit(ring, body);
        };
        const auto set = [&](uint32_t first, std::vector<uint32_t> values) {
            values.insert(values.begin(), (first - 0xB000) / 4);
            submit("SET_SH_REG", values, true);
        };
        const auto event = [&](uint32_t type) { submit("EVENT_WRITE", {type}, false); };
        const auto dispatch = [&](uint32_t x, uint32_t y) {
            submit("DISPATCH_DIRECT", {x, y, 1, 5}, true);
        };
        constexpr uint32_t kStart = 25, kStop = 26;  // PIPELINESTAT_
        for (; ring < 2; ++ring) {
            set(si::COMPUTE_START_X, {0, 0, 0});
            set(si::COMPUTE_NUM_THREAD_X, {48, 2, 1});
            set(si::COMPUTE_PGM_LO, {static_cast<uint32_t>(program >> 8), 0});
            set(si::COMPUTE_PGM_RSRC1, {0, 0});
            set(si::COMPUTE_STATIC_THREAD_MGMT_SE0, {~0u, ~0u});
        }
        ring = 0;
        event(kStart);
        driver.fence_and_wait(0);
        ring = 1;  // is not of the graphics pipeline
        dispatch(7, 1);
        driver.fence_and_wait(1);
        ring = 0;
        dispatch(2, 3);
        event(kStop);
        dispatch(5, 1);
        submit("EVENT_WRITE",
               {30 | 2 << 8, static_cast<uint32_t>(counts), static_cast<uint32_t>(counts >> 32)},
               false);
        event(kStart);  // what is after the sample is not in it, before it is written either
        dispatch(1, 1);
        driver.fence_and_wait(0);
        uint64_t invocations = 0;
        machine.memory().read(counts + 80, &invocations, sizeof invocations);
        EXPECT_EQ(invocations, 2u * 3u * 96u);
    });
}

TEST(DrawStatus, TheStatusRegisterShowsADrawFromItsIndicesToItsLastWave) {
    namespace si = regs::si;
    const auto chip = asic::load_chip("tahiti", {});
    MachineOptions options;
    options.hang_cycles = 200'000;
    Machine machine("bench", *chip, options);
    machine.run([&] {
        GpuDriver driver(machine);
        driver.bring_up();
        const uint64_t program = machine.allocate(4096);
        const uint32_t code[] = {0x7E000280, 0xF80008CF, 0, 0xBF810000};  // v0 = 0, pos0, end
        machine.memory().write(program, code, sizeof code);
        const auto packet = [](const char* name, std::vector<uint32_t> body) {
            body.insert(body.begin(),
                        cp::make_header(cp::si_opcode(name), static_cast<uint32_t>(body.size())));
            return body;
        };
        const uint32_t vs = (si::SPI_SHADER_PGM_LO_VS - 0xB000) / 4;
        for (const auto& words :
             {packet("SET_SH_REG", {vs, static_cast<uint32_t>(program >> 8), 0}),
              packet("SET_SH_REG", {vs + 2, 0, 0}),
              packet("SET_CONTEXT_REG", {(si::SPI_SHADER_POS_FORMAT - 0x28000) / 4, 4}),
              packet("SET_CONFIG_REG", {(si::VGT_PRIMITIVE_TYPE - 0x8000) / 4, 4}),
              packet("DRAW_INDEX_AUTO", {60000, 2})})
            driver.submit(0, words);
        const auto status = [&] { return machine.read_register(si::GRBM_STATUS); };
        constexpr uint32_t kVgt = 1u << 17, kIaNoDma = 1u << 18, kIa = 1u << 19, kSpi = 1u << 22,
                           kActive = 1u << 31;
        const auto poll = [&](uint32_t bit) {
            for (unsigned n = 0; n < 10000 && (status() & bit) == 0; ++n) {
            }
        };
        poll(kVgt);
        EXPECT_EQ(status() & (kIa | kIaNoDma | kActive), kIa | kIaNoDma | kActive);
        poll(kSpi);
        EXPECT_EQ(status() & (kSpi | kVgt), kSpi | kVgt);
        EXPECT_NE(machine.read_register(si::GRBM_STATUS_SE1) & 1u << 23, 0u);
        driver.fence_and_wait(0);
        EXPECT_EQ(status() & (kVgt | kIa | kIaNoDma | kSpi), 0u);
    });
}

}  // namespace
}  // namespace archipelago::host
