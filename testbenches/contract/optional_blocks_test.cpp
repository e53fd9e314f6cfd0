// SPDX-License-Identifier: Apache-2.0
// Chips without a constant engine, a global data share or an interrupt handler: they are described,
// built and run, and stop by name where the block is needed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <functional>
#include <memory>

#include "models/asic/asic.h"
#include "models/asic/families.h"
#include "models/common/error.h"
#include "models/cp/packets/si/si_packets.h"
#include "models/cp/pm4/packet_table.h"
#include "registers/si_names.h"
#include "testbenches/contract/both_modes.h"
#include "testbenches/host/gpu_driver.h"
#include "testbenches/host/machine.h"
#include "testbenches/host/runner.h"

namespace archipelago::host::optional_blocks_test {
namespace {

namespace r = regs::si;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using Words = std::vector<uint32_t>;

// Every test runs in a process of its own, beside others.
std::string file_of(const std::string& name) {
    return ::testing::TempDir() + name + "." + std::to_string(getpid()) + ".yaml";
}

std::unique_ptr<asic::ChipDescription> chip_without(const std::string& block) {
    const std::string path = file_of("without_" + block);
    std::ofstream(path) << "base: " << ARCHIPELAGO_SOURCE_DIR
                        << "/configs/asics/hainan.yaml\nblocks: {" << block << ": false}\n";
    auto chip = asic::load_chip(path, {});
    std::remove(path.c_str());
    return chip;
}

MachineOptions options(asic::Mode mode) {
    MachineOptions o;
    o.chip.mode = mode;
    o.chip.check_protocol = true;
    o.hang_cycles = 200'000;
    return o;
}

// What stops the machine in `program`, after a driver has brought it up.
std::string stop_of(const std::string& block, asic::Mode mode,
                    const std::function<void(Machine&, GpuDriver&)>& program) {
    const auto chip = chip_without(block);
    Machine machine("bench", *chip, options(mode));
    try {
        machine.run([&] {
            GpuDriver driver(machine);
            driver.bring_up();
            program(machine, driver);
            for (unsigned ring = 0; ring < driver.rings(); ++ring)
                driver.fence_and_wait(ring);
        });
    } catch (const MachineStop& stop) {
        EXPECT_EQ(stop.kind(), StopKind::Unimplemented) << stop.what();
        return stop.what();
    }
    return "";
}

class WithoutABlock : public ::testing::TestWithParam<asic::Mode> {
  public:
    // Of packets on ring 0.
    std::string stop_at(const std::string& block, const Words& words) {
        return stop_of(block, GetParam(),
                       [&](Machine&, GpuDriver& driver) { driver.submit(0, words); });
    }
};
INSTANTIATE_TEST_SUITE_P(Chip, WithoutABlock, test::kBothModes, test::mode_name);

void run_without(const char* block, asic::Mode mode) {
    config::Diagnostics diagnostics;
    const auto chip = chip_without(block);
    const auto workload = load_workload(
        std::string(ARCHIPELAGO_SOURCE_DIR) + "/testbenches/workloads/indirect_dispatch.yaml",
        always(*chip), diagnostics);
    Machine machine("bench", *chip, options(mode));
    Runner runner(*workload, machine);
    const RunOutcome outcome = runner.run();
    EXPECT_GT(outcome.expectations, 0u);
    EXPECT_THAT(outcome.failures, IsEmpty());
    EXPECT_TRUE(machine.chip().idle()) << machine.chip().waiting_for();
}
TEST_P(WithoutABlock, WorkRunsThatNeedsNoConstantEngine) {
    run_without("ce", GetParam());
}
TEST_P(WithoutABlock, WorkRunsThatNeedsNoGlobalDataShare) {
    run_without("gds", GetParam());
}
TEST_P(WithoutABlock, WorkRunsThatNeedsNoInterruptHandler) {
    run_without("ih", GetParam());
}

TEST_P(WithoutABlock, TheConstantEngineIsMissedByItsPackets) {
    EXPECT_THAT(
        stop_at("ce", {cp::make_header(cp::si_opcode("INDIRECT_BUFFER_CONST"), 3), 0x1000, 0, 4}),
        HasSubstr("INDIRECT_BUFFER_CONST: this chip has no constant engine"));
}
TEST_P(WithoutABlock, TheConstantEngineIsMissedByWhoWaitsForIt) {
    EXPECT_THAT(stop_at("ce", {cp::make_header(cp::si_opcode("WAIT_ON_CE_COUNTER"), 1), 1}),
                HasSubstr("ring gfx: WAIT_ON_CE_COUNTER: this chip has no constant engine"));
}
TEST_P(WithoutABlock, TheConstantEngineIsMissedByItsPartitions) {
    EXPECT_THAT(stop_at("ce", {cp::make_header(cp::si_opcode("SET_BASE"), 3), 3, 0xC000, 0xE000}),
                HasSubstr("this chip has no constant engine"));
}
TEST_P(WithoutABlock, TheGlobalDataShareIsMissedByItsPackets) {
    EXPECT_THAT(stop_at("gds", {cp::make_header(cp::si_opcode("WRITE_GDS_RAM"), 2), 0, 1}),
                HasSubstr("no global data share is attached"));
}
TEST_P(WithoutABlock, TheGlobalDataShareIsMissedByItsRegisters) {
    EXPECT_THAT(stop_of("gds", GetParam(),
                        [](Machine& machine, GpuDriver&) {
                            machine.write_register(r::GDS_ATOM_CNTL, 1);
                            machine.read_register(r::GDS_ATOM_CNTL);
                        }),
                HasSubstr("GDS_ATOM_CNTL: this chip has no global data share"));
}
TEST_P(WithoutABlock, TheGlobalDataShareIsMissedByItsInstructions) {
    config::Diagnostics diagnostics;
    const auto chip = chip_without("gds");
    const auto workload =
        load_workload(std::string(ARCHIPELAGO_SOURCE_DIR) + "/testbenches/workloads/gds_asm.yaml",
                      always(*chip), diagnostics);
    Machine machine("bench", *chip, options(GetParam()));
    Runner runner(*workload, machine);
    try {
        runner.run();
        FAIL() << "the machine ran on";
    } catch (const MachineStop& stop) {
        EXPECT_EQ(stop.kind(), StopKind::Unimplemented);
        EXPECT_THAT(stop.what(), HasSubstr("no global data share is attached"));
    }
}
TEST_P(WithoutABlock, TheInterruptHandlerIsMissedByInterrupts) {
    EXPECT_THAT(stop_of("ih", GetParam(),
                        [](Machine& machine, GpuDriver&) {
                            machine.write_register(r::CP_INT_CNTL_RING0, 1u << 26);
                        }),
                HasSubstr("ih: interrupt of source 181: this chip has no interrupt handler"));
}
TEST_P(WithoutABlock, TheInterruptHandlerIsMissedByItsRegisters) {
    EXPECT_THAT(stop_of("ih", GetParam(),
                        [](Machine& machine, GpuDriver&) {
                            machine.write_register(r::IH_RB_CNTL, 1);
                            machine.read_register(r::IH_RB_CNTL);
                        }),
                HasSubstr("IH_RB_CNTL: this chip has no interrupt handler"));
}

TEST(OptionalBlocks, AreNotInTheDescriptionNorInTheStatisticsOfAChipWithoutThem) {
    EXPECT_THAT(asic::load_chip("hainan", {})->diagram(), Not(HasSubstr("without")));
    EXPECT_THAT(chip_without("gds")->diagram(), HasSubstr("without global data share\n"));
    EXPECT_THAT(chip_without("ih")->diagram(), HasSubstr("without interrupt handler\n"));
    const auto chip = chip_without("ce");
    EXPECT_THAT(chip->diagram(), HasSubstr("without constant engine\n"));
    const auto gpu = chip->build("gpu");
    for (const Counter& counter : gpu->stats().counters())
        EXPECT_THAT(counter.unit_path, Not(HasSubstr("cp.ce")));
}

TEST(OptionalBlocks, WhatIsWrongInTheListIsNamedWithItsPlace) {
    const std::string path = file_of("wrong_blocks");
    std::ofstream(path) << "base: " << ARCHIPELAGO_SOURCE_DIR
                        << "/configs/asics/hainan.yaml\nblocks: {gdz: false, ih: 3}\n";
    try {
        asic::load_chip(path, {});
        FAIL() << "the description was accepted";
    } catch (const std::exception& error) {
        EXPECT_THAT(error.what(), HasSubstr(":2:10: blocks.gdz: unknown key"));
        EXPECT_THAT(error.what(), HasSubstr("blocks.ih: "));
    }
}

}  // namespace
}  // namespace archipelago::host::optional_blocks_test
