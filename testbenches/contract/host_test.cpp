// SPDX-License-Identifier: Apache-2.0
// The bench: where the host keeps its things, how it fills a ring, how it stops waiting.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "models/common/error.h"
#include "registers/si_names.h"
#include "testbenches/host/gpu_driver.h"
#include "testbenches/host/machine.h"
#include "testbenches/host/runner.h"

namespace archipelago::host {
namespace {

namespace r = regs::si;

struct Bench {
    asic::LoadedChip chip;
    Machine machine;
    explicit Bench(MachineOptions o = {}, asic::Mode mode = asic::Mode::Cycle)
        : chip(asic::load_chip("hainan", {})),
          machine("bench", chip.config, with(std::move(o), mode)) {}
    static MachineOptions with(MachineOptions o, asic::Mode mode) {
        o.chip.mode = mode;
        o.hang_cycles = 200'000;
        return o;
    }
};

constexpr uint64_t kBase = 0xE0'0000'0000;
constexpr uint64_t kEnd = 0x100'0000'0000;

TEST(Machine, AllocationsAvoidWhatTheWorkloadNamesAndLeaveAnUnmappedPageBehind) {
    Bench b;
    b.machine.reserve(
        {{0x1000, 0x1FFF}, {kBase + 0x1800, kBase + 0x1FFF}, {kBase + 0x3000, kBase + 0x12345}});
    // One page fits before the first range, 0x1801 bytes would share its page.
    EXPECT_EQ(b.machine.allocate(0x1000), kBase);
    const uint64_t second = b.machine.allocate(0x1001);
    EXPECT_EQ(second, kBase + 0x13000);
    EXPECT_TRUE(b.machine.memory().is_mapped(second, 0x2000));
    EXPECT_FALSE(b.machine.memory().is_mapped(second + 0x2000, 1));
    EXPECT_EQ(b.machine.allocate(1, 1 << 16), kBase + 0x20000);
}

TEST(Machine, AnAllocationNeverLeavesTheHostsPartOfTheAddressSpace) {
    Bench b;
    b.machine.reserve({{kBase, ~uint64_t{0}}});
    EXPECT_THROW(b.machine.allocate(1), std::length_error);
    b.machine.reserve({{kBase + 0x10000, kEnd + 5}});
    EXPECT_EQ(b.machine.allocate(0x1000), kBase);
    EXPECT_THROW(b.machine.allocate(0x100000), std::length_error);
    EXPECT_THROW(b.machine.allocate(~uint64_t{0}), std::length_error);
    EXPECT_THROW(b.machine.allocate(1, uint64_t{1} << 63), std::length_error);
}

TEST(Machine, RunsOneProgramOnly) {
    Bench b;
    b.machine.run([] {});
    EXPECT_THROW(b.machine.run([] {}), std::logic_error);
}

class HostModes : public ::testing::TestWithParam<asic::Mode> {};
INSTANTIATE_TEST_SUITE_P(Host, HostModes,
                         ::testing::Values(asic::Mode::Cycle, asic::Mode::Functional),
                         [](const auto& info) {
                             return info.param == asic::Mode::Cycle ? "cycle" : "functional";
                         });

// NOP packets of 1001 dwords: half of the ring ends within one.
TEST_P(HostModes, AStreamLongerThanTheRingIsTakenToItsEnd) {
    Bench b({}, GetParam());
    b.machine.run([&] {
        GpuDriver driver(b.machine);
        driver.bring_up();
        std::vector<uint32_t> stream;
        while (stream.size() < 2 * GpuDriver::kRingDwords + 100'000) {
            stream.push_back(type3(0x10, 1000));
            stream.insert(stream.end(), 1000, 0xDEADBEEF);
        }
        stream.insert(stream.end(), {type3(0x68, 2), (r::SCRATCH_REG0 - 0x8000) / 4, 0x600D600D});
        driver.submit(0, stream);
        driver.fence_and_wait(0);
        EXPECT_EQ(b.machine.read_register(r::SCRATCH_REG0), 0x600D600Du);
        // And the ring goes on where it stands.
        driver.submit(0, {type3(0x68, 2), (r::SCRATCH_REG0 - 0x8000) / 4, 1});
        driver.fence_and_wait(0);
        EXPECT_EQ(b.machine.read_register(r::SCRATCH_REG0), 1u);
    });
}

// A stream that exactly fills the ring, in whatever place it stands, goes in one piece.
TEST_P(HostModes, AStreamOfTheRingsSizeGoesRoundItsEnd) {
    Bench b({}, GetParam());
    b.machine.run([&] {
        GpuDriver driver(b.machine);
        driver.bring_up();
        for (uint32_t turn = 1; turn <= 3; ++turn) {
            std::vector<uint32_t> stream(GpuDriver::kRingDwords - 4, 0x80000000);  // type 2
            stream.insert(stream.end(), {type3(0x68, 2), (r::SCRATCH_REG0 - 0x8000) / 4, turn});
            driver.submit(0, stream);
            driver.fence_and_wait(0);
            EXPECT_EQ(b.machine.read_register(r::SCRATCH_REG0), turn);
        }
    });
}

TEST(Runner, FillingWithZeroReachesBytesThatWereMappedBefore) {
    config::Diagnostics diagnostics;
    const auto workload = parse_workload_text(R"(
memory:
  - {address: 0x100000, words: [1, 2, 3, 4]}
  - {address: 0x100000, size: 2 MiB, fill: 0}
expect:
  - {address: 0x100000, words: [0, 0, 0, 0]}
)",
                                              "w.yaml", ".", diagnostics);
    diagnostics.throw_if_errors();
    Bench b({}, asic::Mode::Functional);
    Runner runner(*workload, b.machine);
    EXPECT_THAT(runner.run().failures, ::testing::IsEmpty());
}

// With end-of-pipe interrupts off, the host's own fences raise none either.
TEST(Runner, FewerInterruptsThanFencesCountAsNone) {
    config::Diagnostics diagnostics;
    const auto workload = parse_workload_text(R"(
steps:
  - {ring: gfx, words: [0xC0033700, 0, 0x306A, 0, 0]}
  - {wait: gfx}
  - {wait: gfx}
expect:
  - {interrupt: eop, count: 0}
)",
                                              "w.yaml", ".", diagnostics);
    diagnostics.throw_if_errors();
    Bench b;
    Runner runner(*workload, b.machine);
    EXPECT_THAT(runner.run().failures, ::testing::IsEmpty());
    EXPECT_EQ(b.machine.interrupt_count(181), 3u) << "one of each ring's bring-up";
}

// A kernel that never ends keeps the dispatch queue full; register accesses pile up behind it.
TEST(Machine, ARegisterAccessThatIsNeverAnsweredEndsAtTheLimitOfCycles) {
    MachineOptions o;
    o.max_cycles = 100'000;
    Bench b(o);
    try {
        b.machine.run([&] {
            GpuDriver driver(b.machine);
            driver.bring_up();
            const uint64_t code = b.machine.allocate(4096);
            const uint32_t program[] = {0xBF82FFFF};  // s_branch to itself
            b.machine.memory().write(code, program, sizeof program);
            GpuDriver::Launch launch;
            launch.code = code;
            launch.local_size = {64, 1, 1};
            for (unsigned i = 0; i < b.chip.config.spi.queue_depth + 50; ++i)
                driver.submit(0, GpuDriver::launch_packets(launch));
            sc_core::wait(sc_core::sc_time(20, sc_core::SC_US));
            for (;;)
                b.machine.read_register(r::COMPUTE_PGM_LO);
        });
        FAIL() << "did not stop";
    } catch (const MachineStop& stop) {
        EXPECT_EQ(stop.kind(), StopKind::Hang);
        EXPECT_THAT(stop.what(), ::testing::HasSubstr("0x0b830"));
        EXPECT_THAT(stop.what(), ::testing::HasSubstr("dispatch"));
    }
}

TEST(Machine, AFunctionalDispatchOfTooManyGroupsStopsAtTheLimit) {
    MachineOptions o;
    o.chip.instruction_limit = 1000;
    Bench b(o, asic::Mode::Functional);
    try {
        b.machine.run([&] {
            GpuDriver driver(b.machine);
            driver.bring_up();
            const uint64_t code = b.machine.allocate(4096);
            const uint32_t program[] = {0xBF810000};  // s_endpgm
            b.machine.memory().write(code, program, sizeof program);
            GpuDriver::Launch launch;
            launch.code = code;
            launch.local_size = {64, 1, 1};
            launch.groups = {0xFFFF, 0xFFFF, 1};
            driver.submit(0, GpuDriver::launch_packets(launch));
        });
        FAIL() << "did not stop";
    } catch (const MachineStop& stop) {
        EXPECT_EQ(stop.kind(), StopKind::Hang);
        EXPECT_THAT(stop.what(), ::testing::HasSubstr("at group 1000 of 4294836225"));
    }
}

}  // namespace
}  // namespace archipelago::host
