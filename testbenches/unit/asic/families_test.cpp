// SPDX-License-Identifier: Apache-2.0
// Chips of every family through one registry, and a family that only this folder knows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "models/asic/asic.h"
#include "models/asic/families.h"
#include "models/common/error.h"
#include "models/ctm/mc/address_spec.h"
#include "testbenches/host/machine.h"
#include "testbenches/host/runner.h"
#include "testbenches/support/scratch.h"
#include "testbenches/unit/asic/toy/toy_family.h"

namespace archipelago::families_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

asic::Families with_toy() {
    asic::Families all = asic::families();
    all.push_back(toy::family());
    return all;
}

// A folder of descriptions that goes with the test.
class Configs {
  public:
    Configs() { std::filesystem::create_directories(scratch_.path() / "asics"); }

    void add(const std::string& chip, const std::string& text) const {
        std::ofstream(scratch_.path() / "asics" / (chip + ".yaml")) << text;
    }
    std::unique_ptr<asic::ChipDescription> load(const std::string& chip,
                                                const std::vector<std::string>& set = {}) const {
        return asic::load_chip(chip, set, scratch_.path(), with_toy());
    }
    std::string error_of(const std::string& chip) const {
        try {
            load(chip);
        } catch (const std::exception& error) {
            return error.what();
        }
        return "none";
    }
    std::string folder() const { return scratch_.path(); }

  private:
    Scratch scratch_;
};

constexpr const char* kToy =
    "name: toy1\n"
    "generation: toy\n"
    "product: none\n"
    "clock: 100 MHz\n"
    "copy_cycles: {cycles: 2, source: guess}\n";

TEST(Families, AFamilyIsDescribedAndListedThroughTheRegistryAlone) {
    const Configs configs;
    configs.add("toy1", kToy);
    EXPECT_THAT(asic::chip_names(configs.folder()), ElementsAre("toy1"));
    const auto chip = configs.load("toy1", {"copy_cycles={cycles: 3, source: guess}"});
    EXPECT_EQ(chip->identity().name, "toy1");
    EXPECT_EQ(chip->identity().generation, "toy");
    EXPECT_EQ(chip->identity().hash.size(), 16u);
    EXPECT_EQ(chip->diagram(), "host -> copier -> memory\n");
    EXPECT_EQ(chip->summary(), "a copier");
    ASSERT_EQ(chip->rings().size(), 1u);
    EXPECT_EQ(chip->rings()[0].name, "copy");
    EXPECT_EQ(chip->records().timings.guess_count(), 1u);
    ASSERT_NE(chip->spec<toy::ToySpec>(), nullptr);
    EXPECT_EQ(chip->spec<toy::ToySpec>()->copy_cycles, 3u);
    EXPECT_EQ(chip->spec<ctm::AddressSpec>(), nullptr);
}

TEST(Families, AChipOfTheFamilyRunsUnderTheHost) {
    const Configs configs;
    configs.add("toy1", kToy);
    const auto chip = configs.load("toy1");
    host::Machine machine("bench", *chip, {});
    const uint32_t word = 0x12345678;
    uint32_t copied = 0;
    machine.memory().map(toy::kSource, 4096);
    machine.memory().map(toy::kTarget, 4096);
    machine.memory().write(toy::kSource, &word, 4);
    machine.run([&] {
        machine.write_register(toy::kDoorbell, 4);
        machine.wait_until([&] { return machine.interrupt_count(toy::kCopyDone) == 1; }, "a copy");
        EXPECT_EQ(machine.read_register(toy::kDoorbell), 1u);
        machine.memory().read(toy::kTarget, &copied, 4);
    });
    EXPECT_EQ(copied, word);
    EXPECT_EQ(machine.chip().cycles(), 8u);
    EXPECT_EQ(machine.chip().stats().counters().at(0).unit_path, "copier");
    EXPECT_TRUE(machine.chip().idle());
}

TEST(Families, AWorkloadReachesARingThroughTheDriverOfItsKind) {
    const Configs configs;
    configs.add("toy1", kToy);
    const auto chip = configs.load("toy1");
    config::Diagnostics diagnostics;
    const auto workload =
        host::parse_workload_text(R"(
memory:
  - {address: 0x10000, words: [0x11, 0x22]}
  - {address: 0x30000, words: [8]}
steps:
  - {ring: copy, words: [4]}
  - {wait: copy}
  - expect: {address: 0x20000, words: [0x11, 0]}
  - {ring: copy, ib: {address: 0x30000, dwords: 1}}
expect:
  - {address: 0x20000, words: [0x11, 0x22]}
)",
                                  "w.yaml", ".", host::always(*chip), diagnostics);
    ASSERT_TRUE(workload.has_value()) << diagnostics.format();
    host::Machine machine("bench", *chip, {});
    const host::RunOutcome outcome =
        host::Runner(*workload, machine, toy::ring_driver_kinds()).run();
    EXPECT_THAT(outcome.failures, IsEmpty());
    EXPECT_EQ(outcome.expectations, 2u);
    EXPECT_EQ(machine.interrupt_count(toy::kCopyDone), 2u);
}

TEST(Families, ADriverLaunchesKernelsInTheFormOfItsFamily) {
    const Configs configs;
    configs.add("toy1", kToy);
    const auto chip = configs.load("toy1");
    host::Machine machine("bench", *chip, {});
    host::GpuDriver driver(machine, toy::ring_driver_kinds());
    machine.run([&] {
        driver.bring_up();
        host::KernelSpec spec;
        spec.global_size = {6, 1, 1};
        const auto kernel = driver.load_kernel(0, spec);
        kernel->place({});
        driver.launch(0, kernel->launch(), 2);
        EXPECT_TRUE(driver.pending(0));
        driver.fence_and_wait(0);
    });
    EXPECT_EQ(machine.interrupt_count(toy::kCopyDone), 2u);
    EXPECT_EQ(machine.chip().cycles(), 2u * 6 * 2);
    EXPECT_THROW(driver.launch(0, host::KernelLaunch()), std::bad_cast);
    EXPECT_THROW(driver.wave_launch(0, {}, 0), MachineStop) << "it has no waves";
}

TEST(Families, ARingWithoutADriverIsNamedWithItsKind) {
    const Configs configs;
    configs.add("toy1", kToy);
    const auto chip = configs.load("toy1");
    host::Machine machine("bench", *chip, {});
    try {
        host::GpuDriver driver(machine);
        FAIL() << "there is a driver";
    } catch (const MachineStop& stop) {
        EXPECT_THAT(stop.what(), HasSubstr("ring copy"));
        EXPECT_THAT(stop.what(), HasSubstr("a host's driver for rings of kind copier"));
    }
}

TEST(Families, AChipThatStopsNamesTheUnit) {
    const Configs configs;
    configs.add("toy1", kToy);
    const auto chip = configs.load("toy1");
    host::Machine machine("bench", *chip, {});
    try {
        machine.run([&] { machine.write_register(toy::kDoorbell + 4, 1); });
        FAIL() << "the machine ran on";
    } catch (const MachineStop& stop) {
        EXPECT_THAT(stop.what(), HasSubstr("copier"));
    }
}

TEST(Families, WhatIsWrongInADescriptionIsNamedWithItsPlace) {
    const Configs configs;
    configs.add("late", std::string(kToy) + "colour: red\n");
    EXPECT_THAT(configs.error_of("late"), HasSubstr("late.yaml:6:1: colour: unknown key"));
    configs.add("other", "name: x\ngeneration: vliw9\n");
    EXPECT_THAT(
        configs.error_of("other"),
        HasSubstr("other.yaml:2:13: generation: \"vliw9\" is not a generation this version "
                  "builds, expected si, r5xx, r600, r700, evergreen, northern_islands, a5xx, "
                  "a6xx, a660, a7xx, a750, cik or toy"));
    configs.add("none", "name: x\n");
    EXPECT_THAT(configs.error_of("none"), HasSubstr("generation: required key is missing"));
    EXPECT_THAT(configs.error_of("toy2"), HasSubstr("unknown asic \"toy2\""));
}

TEST(Families, TheAddressUnitOfACtmChipIsFoundByItsSpec) {
    const auto chip = asic::load_chip("r580", {});
    ASSERT_NE(chip->spec<ctm::AddressSpec>(), nullptr);
    EXPECT_EQ(chip->spec<ctm::AddressSpec>()->latency, 4u);
    ASSERT_EQ(chip->rings().size(), 1u);
    EXPECT_EQ(chip->rings()[0].name, "ctm");
    EXPECT_TRUE(chip->rings()[0].program_info);
    // Addresses of commands have 32 bits.
    EXPECT_LE(chip->host_memory().end, uint64_t{1} << 28);
}

}  // namespace
}  // namespace archipelago::families_test
