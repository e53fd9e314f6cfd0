// SPDX-License-Identifier: Apache-2.0
// The bench: where the host keeps its things, how it fills a ring, how it stops waiting.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <utility>

#include "models/asic/families.h"
#include "models/asic/gcn/chip_config.h"
#include "models/common/error.h"
#include "models/cp/packets/si/si_packets.h"
#include "models/cp/pm4/text.h"
#include "registers/si_names.h"
#include "testbenches/contract/both_modes.h"
#include "testbenches/host/gpu_driver.h"
#include "testbenches/host/machine.h"
#include "testbenches/host/rings/radeon_cp.h"
#include "testbenches/host/runner.h"

namespace archipelago::host::host_test {
namespace {

namespace r = regs::si;

struct Bench {
    std::unique_ptr<asic::ChipDescription> chip;
    Machine machine;
    explicit Bench(MachineOptions o = {}, asic::Mode mode = asic::Mode::Cycle,
                   const std::string& name = "hainan")
        : chip(asic::load_chip(name, {})), machine("bench", *chip, with(std::move(o), mode)) {}
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

TEST(Machine, RunsProgramsOneAfterTheOther) {
    Bench b;
    unsigned run = 0;
    for (unsigned i = 1; i <= 3; ++i) {
        b.machine.run([&] { ++run; });
        EXPECT_EQ(run, i);
    }
}

class HostModes : public ::testing::TestWithParam<asic::Mode> {};
INSTANTIATE_TEST_SUITE_P(Host, HostModes, test::kBothModes, test::mode_name);

// NOP packets of 1001 dwords: half of the ring ends within one.
TEST_P(HostModes, AStreamLongerThanTheRingIsTakenToItsEnd) {
    Bench b({}, GetParam());
    b.machine.run([&] {
        GpuDriver driver(b.machine);
        driver.bring_up();
        std::vector<uint32_t> stream;
        while (stream.size() < 2 * kRadeonRingDwords + 100'000) {
            stream.push_back(cp::make_header(cp::si_opcode("NOP"), 1000));
            stream.insert(stream.end(), 1000, 0xDEADBEEF);
        }
        stream.insert(stream.end(), {cp::make_header(cp::si_opcode("SET_CONFIG_REG"), 2),
                                     (r::SCRATCH_REG0 - 0x8000) / 4, 0x600D600D});
        driver.submit(0, stream);
        driver.fence_and_wait(0);
        EXPECT_EQ(b.machine.read_register(r::SCRATCH_REG0), 0x600D600Du);
        // And the ring goes on where it stands.
        driver.submit(0, {cp::make_header(cp::si_opcode("SET_CONFIG_REG"), 2),
                          (r::SCRATCH_REG0 - 0x8000) / 4, 1});
        driver.fence_and_wait(0);
        EXPECT_EQ(b.machine.read_register(r::SCRATCH_REG0), 1u);
    });
}

// A stream that exactly fills the ring, at any offset, goes in one piece.
TEST_P(HostModes, AStreamOfTheRingsSizeGoesRoundItsEnd) {
    Bench b({}, GetParam());
    b.machine.run([&] {
        GpuDriver driver(b.machine);
        driver.bring_up();
        for (uint32_t turn = 1; turn <= 3; ++turn) {
            std::vector<uint32_t> stream(kRadeonRingDwords - 4, 0x80000000);  // type 2
            stream.insert(stream.end(), {cp::make_header(cp::si_opcode("SET_CONFIG_REG"), 2),
                                         (r::SCRATCH_REG0 - 0x8000) / 4, turn});
            driver.submit(0, stream);
            driver.fence_and_wait(0);
            EXPECT_EQ(b.machine.read_register(r::SCRATCH_REG0), turn);
        }
    });
}

// COPY_LINEAR packets of 5 dwords: no half of the ring ends after one. And one packet longer than
// such a half.
TEST_P(HostModes, AnAsyncDmaRingIsGivenWholePackets) {
    constexpr uint64_t kFrom = 0x100000, kTo = 0x110000, kPayload = 10'000;
    Bench b({}, GetParam());
    b.machine.memory().map(kFrom, 4096);
    b.machine.memory().map(kTo, 4 + 4 * kPayload);
    const uint32_t value = 0x600D600D;
    b.machine.memory().write(kFrom, &value, 4);
    b.machine.run([&] {
        GpuDriver driver(b.machine);
        const std::vector<asic::Ring> rings = b.chip->rings();
        const auto dma = std::find_if(rings.begin(), rings.end(),
                                      [](const asic::Ring& ring) { return ring.name == "dma0"; });
        const auto ring = static_cast<unsigned>(dma - rings.begin());
        std::vector<uint32_t> stream;
        for (unsigned i = 0; i < 4000; ++i)
            stream.insert(stream.end(), {0x30000001, kTo, kFrom, 0, 0});
        stream.insert(stream.end(), {0x20000000 | kPayload, kTo + 4, 0});
        stream.insert(stream.end(), kPayload, 0x12345678);
        driver.submit(ring, stream);
        driver.fence_and_wait(ring);
        uint32_t got[2] = {};
        b.machine.memory().read(kTo, got, sizeof got);
        EXPECT_EQ(got[0], value);
        EXPECT_EQ(got[1], 0x12345678u);
    });
}

// transport_dbg() at the register socket takes no time in either mode.
TEST_P(HostModes, ARegisterIsLookedAtWithoutTime) {
    Bench b({}, GetParam());
    b.machine.run([&] {
        b.machine.write_register(r::SCRATCH_REG0, 0x600D600D);
        EXPECT_EQ(b.machine.read_register(r::SCRATCH_REG0), 0x600D600Du);
        const uint64_t before = b.machine.chip().cycles();
        EXPECT_EQ(b.machine.inspect_register(r::SCRATCH_REG0), 0x600D600Du);
        EXPECT_EQ(b.machine.chip().cycles(), before);
    });
    EXPECT_EQ(b.machine.inspect_register(r::SCRATCH_REG0), 0x600D600Du);
}

TEST(Runner, FillingWithZeroReachesBytesThatWereMappedBefore) {
    Bench b({}, asic::Mode::Functional);
    config::Diagnostics diagnostics;
    const auto workload = parse_workload_text(R"(
memory:
  - {address: 0x100000, words: [1, 2, 3, 4]}
  - {address: 0x100000, size: 2 MiB, fill: 0}
expect:
  - {address: 0x100000, words: [0, 0, 0, 0]}
)",
                                              "w.yaml", ".", always(*b.chip), diagnostics);
    diagnostics.throw_if_errors();
    Runner runner(*workload, b.machine);
    EXPECT_THAT(runner.run().failures, ::testing::IsEmpty());
}

// With end-of-pipe interrupts off, the host's own fences raise none either.
TEST(Runner, FewerInterruptsThanFencesCountAsNone) {
    Bench b;
    config::Diagnostics diagnostics;
    const auto workload = parse_workload_text(R"(
steps:
  - {ring: gfx, words: [0xC0033700, 0, 0x306A, 0, 0]}
  - {wait: gfx}
  - {wait: gfx}
expect:
  - {interrupt: eop, count: 0}
)",
                                              "w.yaml", ".", always(*b.chip), diagnostics);
    diagnostics.throw_if_errors();
    Runner runner(*workload, b.machine);
    EXPECT_THAT(runner.run().failures, ::testing::IsEmpty());
    EXPECT_EQ(b.machine.interrupt_count(181), 3u) << "one of each ring's bring-up";
}

// A description of hainan with the opcodes of its packets exchanged, where the chip allows it.
std::string with_other_opcodes() {
    std::vector<const cp::PacketInfo*> rows;
    for (const cp::PacketInfo& row : cp::si_packet_table())
        if (row.engine == cp::PacketEngine::De)
            rows.push_back(&row);
    std::string file = ::testing::TempDir() + "other_opcodes_" + std::to_string(getpid()) + ".yaml";
    std::ofstream out(file);
    out << "base: " << asic::config_folder() << "/asics/hainan.yaml\ncp:\n  packets:\n";
    for (size_t i = 0; i < rows.size(); ++i)
        out << "    " << rows[i]->name << ": " << unsigned{rows[(i + 1) % rows.size()]->opcodes[0]}
            << "\n";
    return file;
}

void run_with_other_opcodes(const std::string& name, asic::Mode mode) {
    const std::string file = with_other_opcodes();
    Bench b({}, mode, file);
    std::filesystem::remove(file);
    const cp::PacketTable& packets = b.chip->spec<cp::Pm4Language>()->packets;
    ASSERT_NE(packets.find_by_name("SURFACE_SYNC"), packets.find(0x43));
    config::Diagnostics diagnostics;
    const auto workload =
        load_workload(ARCHIPELAGO_SOURCE_DIR "/testbenches/workloads/" + name + ".yaml",
                      always(*b.chip), diagnostics);
    diagnostics.throw_if_errors();
    const RunOutcome outcome = Runner(*workload, b.machine).run();
    EXPECT_GT(outcome.expectations, 0u);
    EXPECT_THAT(outcome.failures, ::testing::IsEmpty());
}
TEST_P(HostModes, AChipWithOtherOpcodesRunsKernels) {
    run_with_other_opcodes("saxpy_asm", GetParam());
}
TEST_P(HostModes, AChipWithOtherOpcodesTakesPacketsAsText) {
    run_with_other_opcodes("packets_text", GetParam());
}

// A kernel that never ends keeps the dispatch queue full; register accesses pile up after it.
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
            GcnLaunch launch;
            launch.code = code;
            launch.local_size = {64, 1, 1};
            for (unsigned i = 0; i < b.chip->spec<gcn::ChipConfig>()->spi.queue_depth + 50; ++i)
                driver.launch(0, launch);
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
    o.chip.work_limit = 1000;
    Bench b(o, asic::Mode::Functional);
    try {
        b.machine.run([&] {
            GpuDriver driver(b.machine);
            driver.bring_up();
            const uint64_t code = b.machine.allocate(4096);
            const uint32_t program[] = {0xBF810000};  // s_endpgm
            b.machine.memory().write(code, program, sizeof program);
            GcnLaunch launch;
            launch.code = code;
            launch.local_size = {64, 1, 1};
            launch.groups = {0xFFFF, 0xFFFF, 1};
            driver.launch(0, launch);
        });
        FAIL() << "did not stop";
    } catch (const MachineStop& stop) {
        EXPECT_EQ(stop.kind(), StopKind::Hang);
        EXPECT_THAT(stop.what(), ::testing::HasSubstr("at group 1000 of 4294836225"));
    }
}

// Each wave stores the address space that it knows of itself, HW_ID.VM_ID.
TEST_P(HostModes, ADispatchRunsInTheAddressSpaceOfItsIndirectBuffer) {
    Bench b({}, GetParam());
    b.machine.run([&] {
        GpuDriver driver(b.machine);
        driver.bring_up();
        const uint64_t code = b.machine.allocate(4096);
        const uint64_t out = b.machine.allocate(4096);
        const uint32_t program[] = {0xB9081D04,              // s_getreg_b32 s8, VM_ID of HW_ID
                                    0x7E020208,              // v_mov_b32 v1, s8
                                    0x34100082,              // v_lshlrev_b32 v8, 2, v0
                                    0xE0701000, 0x80000108,  // buffer_store_dword v1, v8, s[0:3]
                                    0xBF810000};             // s_endpgm
        b.machine.memory().write(code, program, sizeof program);
        uint32_t place = 0;
        for (const uint32_t vmid : {5u, 0u, 11u}) {
            GcnLaunch launch;
            launch.code = code;
            launch.local_size = {64, 1, 1};
            launch.rsrc1 = 4 | 1u << 6;  // 20 VGPRs, 16 SGPRs
            launch.rsrc2 = 4u << 1;
            const uint64_t to = out + 256 * place++;
            launch.user_sgprs = {static_cast<uint32_t>(to),
                                 static_cast<uint32_t>(to >> 32) & 0xFFFF, 0x100, 0x00027FAC};
            const std::vector<uint32_t> packets = radeon_dispatch(cp::si_packet_table(), launch);
            const uint64_t ib = b.machine.allocate(4096);
            b.machine.memory().write(ib, packets.data(), 4 * packets.size());
            driver.submit_ib(1, ib, static_cast<uint32_t>(packets.size()), vmid);
        }
        driver.fence_and_wait(1);
        place = 0;
        for (const uint32_t vmid : {5u, 0u, 11u}) {
            uint32_t seen = 0xFFFFFFFF;
            b.machine.memory().read(out + 256 * place++ + 4 * 63, &seen, 4);
            EXPECT_EQ(seen, vmid);
        }
    });
}

TEST(Machine, ARingRefusesALaunchInTheFormOfAnotherFamily) {
    Bench b;
    GpuDriver driver(b.machine);
    try {
        driver.launch(0, KernelLaunch());
        FAIL() << "did not stop";
    } catch (const MachineStop& stop) {
        EXPECT_EQ(stop.kind(), StopKind::Unimplemented);
        EXPECT_THAT(stop.what(), ::testing::HasSubstr("a kernel of another family"));
    }
}

// One wave that raises `count` interrupts.
void send_messages(Bench& b, GpuDriver& driver, uint32_t count) {
    const uint64_t code = b.machine.allocate(4096);
    const uint32_t program[] = {0xBE8003FF, count,  // s_mov_b32 s0, count
                                0xBF900001,         // loop: s_sendmsg sendmsg(MSG_INTERRUPT)
                                0x80808100,         // s_sub_u32 s0, s0, 1
                                0xBF078000,         // s_cmp_lg_u32 s0, 0
                                0xBF85FFFC,         // s_cbranch_scc1 loop
                                0xBF810000};        // s_endpgm
    b.machine.memory().write(code, program, sizeof program);
    GcnLaunch launch;
    launch.code = code;
    launch.local_size = {64, 1, 1};
    driver.launch(0, launch);
}

constexpr uint8_t kShaderSource = 239;

TEST_P(HostModes, OfManyInterruptsTheLastAreKeptAndAllAreCounted) {
    Bench b({}, GetParam());
    b.machine.run([&] {
        GpuDriver driver(b.machine);
        driver.bring_up();
        send_messages(b, driver, 1000);
        driver.fence_and_wait(0);
        EXPECT_EQ(b.machine.interrupt_count(kShaderSource), 1000u);
        EXPECT_EQ(b.machine.interrupts().size(), Machine::kInterruptsKept);
        EXPECT_EQ(b.machine.interrupts().back().source_id, 181u) << "that of the fence";
        EXPECT_EQ(b.machine.interrupts().front().source_id, kShaderSource);
    });
}

// The interrupt handler holds the wave back, and nothing is lost.
TEST(Machine, AWaveThatSendsMoreInterruptsThanFitWaitsForTheHost) {
    Bench b;
    b.machine.run([&] {
        GpuDriver driver(b.machine);
        driver.bring_up();
        const uint64_t ring = b.machine.allocate(4096);
        b.machine.write_register(r::IH_RB_BASE, static_cast<uint32_t>(ring >> 8));
        b.machine.write_register(r::IH_CNTL, 1);               // ENABLE_INTR
        b.machine.write_register(r::IH_RB_CNTL, 1 | 6u << 1);  // 16 entries, no overflow
        send_messages(b, driver, 1000);
        sc_core::wait(sc_core::sc_time(100, sc_core::SC_US));
        EXPECT_EQ(b.machine.interrupt_count(kShaderSource), 15u);
        EXPECT_FALSE(b.machine.chip().idle()) << "the wave waits";
        while (b.machine.interrupt_count(kShaderSource) < 1000) {
            const uint64_t before = b.machine.interrupt_count(kShaderSource);
            b.machine.write_register(r::IH_RB_RPTR, b.machine.read_register(r::IH_RB_WPTR));
            sc_core::wait(sc_core::sc_time(20, sc_core::SC_US));
            ASSERT_GT(b.machine.interrupt_count(kShaderSource), before);
        }
        sc_core::wait(sc_core::sc_time(20, sc_core::SC_US));
        EXPECT_TRUE(b.machine.chip().idle()) << b.machine.chip().waiting_for();
        EXPECT_EQ(b.machine.interrupt_count(kShaderSource), 1000u);
    });
}

}  // namespace
}  // namespace archipelago::host::host_test
