// SPDX-License-Identifier: Apache-2.0
// The chip as a module: registers, interrupts, cost of idleness, rings in flight together.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "models/asic/families.h"
#include "models/asic/gcn/chip_config.h"
#include "models/common/error.h"
#include "models/cp/packets/si/si_packets.h"
#include "models/cp/pm4/packet_table.h"
#include "models/gcn/interrupt_source.h"
#include "models/gcn/si/front_end.h"
#include "registers/si_mc.h"
#include "registers/si_names.h"
#include "registers/si_srbm.h"
#include "testbenches/contract/both_modes.h"
#include "testbenches/host/gpu_driver.h"
#include "testbenches/host/machine.h"

namespace archipelago::host::chip_test {
namespace {

namespace r = regs::si;

struct Bench {
    std::unique_ptr<asic::ChipDescription> chip;
    Machine machine;
    explicit Bench(asic::Mode mode = asic::Mode::Cycle, const std::string& name = "tahiti",
                   const std::vector<std::string>& overrides = {})
        : chip(asic::load_chip(name, overrides)), machine("bench", *chip, options(mode)) {}
    static MachineOptions options(asic::Mode mode) {
        MachineOptions o;
        o.chip.mode = mode;
        o.chip.check_protocol = true;
        o.hang_cycles = 200'000;
        return o;
    }
};

TEST(Chip, AnIdleChipCostsNothingPerCycle) {
    Bench b;
    uint64_t steps = 0;
    uint64_t ticks = 0;
    b.machine.run([&] {
        GpuDriver driver(b.machine);
        driver.bring_up();
        sc_core::wait(sc_core::sc_time(1, sc_core::SC_MS));  // what is left settles
        steps = b.machine.chip().steps();
        ticks = b.machine.chip().ticks();
        EXPECT_TRUE(b.machine.chip().idle()) << b.machine.chip().waiting_for();
        sc_core::wait(sc_core::sc_time(1, sc_core::SC_SEC));  // 925 million cycles
        steps = b.machine.chip().steps() - steps;
        ticks = b.machine.chip().ticks() - ticks;
    });
    EXPECT_EQ(steps, 0u);
    EXPECT_EQ(ticks, 0u);
}

TEST(Chip, EveryEventOfThePerformanceCountersHasSomethingToCount) {
    Bench b;
    const auto& counters = b.machine.chip().stats().counters();
    for (const perf::EventRow& row : gcn::si::perf_events())
        EXPECT_TRUE(*row.counter == '\0' || std::any_of(counters.begin(), counters.end(),
                                                        [&](const Counter& c) {
                                                            return c.name == row.counter &&
                                                                   perf::unit_matches(c.unit_path,
                                                                                      row.unit);
                                                        }))
            << perf::block_name(row.block) << " " << row.name << ": " << row.unit << " "
            << row.counter;
}

class BothModes : public ::testing::TestWithParam<asic::Mode> {};
INSTANTIATE_TEST_SUITE_P(Chip, BothModes, test::kBothModes, test::mode_name);

TEST_P(BothModes, TheRingTestOfADriverWritesItsScratchRegister) {
    Bench b(GetParam());
    b.machine.run([&] {
        GpuDriver driver(b.machine);
        driver.bring_up();
        b.machine.write_register(r::SCRATCH_REG0, 0xCAFEDEAD);
        EXPECT_EQ(b.machine.read_register(r::SCRATCH_REG0), 0xCAFEDEADu);
        driver.submit(0, {cp::make_header(cp::si_opcode("SET_CONFIG_REG"), 2),
                          (r::SCRATCH_REG0 - 0x8000) / 4, 0xDEADBEEF});
        b.machine.wait_until([&] { return b.machine.read_register(r::SCRATCH_REG0) == 0xDEADBEEF; },
                             "the scratch register");
    });
}

TEST_P(BothModes, AChipWithoutTimeSaysSoAndCountsNoCycles) {
    Bench b(GetParam());
    b.machine.run([&] {
        GpuDriver driver(b.machine);
        driver.bring_up();
        driver.submit(0, {cp::make_header(cp::si_opcode("NOP"), 1), 0});
        driver.fence_and_wait(0);
    });
    const asic::Asic& chip = b.machine.chip();
    EXPECT_EQ(chip.has_time(), GetParam() == asic::Mode::Cycle);
    EXPECT_EQ(chip.cycles() != 0, chip.has_time());
    EXPECT_EQ(chip.attribution().has_value(), chip.has_time());
    uint64_t cycles = 0;
    for (const Counter& counter : chip.stats().counters())
        cycles += counter.unit == "cycles" ? *counter.value : 0;
    EXPECT_EQ(cycles != 0, chip.has_time());
}

TEST_P(BothModes, StatusIsIdleBeforeAndAfterWork) {
    Bench b(GetParam());
    b.machine.run([&] {
        GpuDriver driver(b.machine);
        driver.bring_up();
        sc_core::wait(sc_core::sc_time(10, sc_core::SC_US));
        EXPECT_EQ(b.machine.read_register(r::GRBM_STATUS) >> 31, 0u) << "GUI_ACTIVE";
    });
}

// What Linux's si_vm_flush writes through a ring: GRBM's map has none of it.
TEST_P(BothModes, CpReachesTheRegistersOfTheSystem) {
    Bench b(GetParam());
    b.machine.run([&] {
        GpuDriver driver(b.machine);
        driver.bring_up();
        const uint64_t data = b.machine.allocate(4096);
        const auto lo = static_cast<uint32_t>(data), hi = static_cast<uint32_t>(data >> 32);
        const auto put = [&](uint32_t offset, uint32_t value) {
            driver.submit(0, {cp::make_header(cp::si_opcode("WRITE_DATA"), 4), 1 << 20, offset / 4,
                              0, value});
        };
        put(r::VM_CONTEXT9_PAGE_TABLE_BASE_ADDR, 0x1234);
        put(r::HDP_NONSURFACE_BASE, 0x5678);
        put(r::VM_INVALIDATE_REQUEST, 1 << 9);
        driver.submit(0, {r::VM_CONTEXT8_PAGE_TABLE_BASE_ADDR / 4, 0x4321});  // type 0
        driver.submit(0, {cp::make_header(cp::si_opcode("WAIT_REG_MEM"), 6), 3,
                          r::VM_INVALIDATE_REQUEST / 4, 0, 0, ~0u, 4});
        driver.submit(0, {cp::make_header(cp::si_opcode("COPY_DATA"), 5), 5 << 8,
                          r::HDP_NONSURFACE_BASE / 4, 0, lo, hi});
        driver.fence_and_wait(0);
        uint32_t copied = 0;
        b.machine.memory().read(data, &copied, 4);
        EXPECT_EQ(copied, 0x5678u);
        EXPECT_EQ(b.machine.read_register(r::VM_CONTEXT9_PAGE_TABLE_BASE_ADDR), 0x1234u);
        EXPECT_EQ(b.machine.read_register(r::VM_CONTEXT8_PAGE_TABLE_BASE_ADDR), 0x4321u);
        EXPECT_EQ(b.machine.read_register(r::VM_INVALIDATE_RESPONSE), 1u << 9);
        constexpr uint32_t kMissing = 0x2078;  // between the memory controller's
        driver.submit(
            0, {cp::make_header(cp::si_opcode("COPY_DATA"), 5), 5 << 8, kMissing / 4, 0, lo, hi});
        driver.fence_and_wait(0);
        EXPECT_EQ(b.machine.read_register(r::SRBM_READ_ERROR), r::typed::SRBM_READ_ERROR{}
                                                                   .set_READ_ADDRESS(kMissing / 4)
                                                                   .set_READ_REQUESTER_GRBM(1)
                                                                   .set_READ_ERROR(1)
                                                                   .raw);
    });
}

// Three rings, each writing a value and then waiting in memory for the one before.
TEST(Chip, RingsRunBesideEachOtherAndWaitForOneAnotherInMemory) {
    Bench b;
    b.machine.run([&] {
        GpuDriver driver(b.machine);
        driver.bring_up();
        const uint64_t flags = b.machine.allocate(4096);
        const auto lo = [&](unsigned i) { return static_cast<uint32_t>(flags + 64 * i); };
        const auto hi = static_cast<uint32_t>(flags >> 32);
        // WAIT_REG_MEM memory == value; WRITE_DATA to memory, confirmed.
        const auto wait_for = [&](unsigned i, uint32_t value) {
            return std::vector<uint32_t>{cp::make_header(cp::si_opcode("WAIT_REG_MEM"), 6),
                                         3 | 1 << 4,
                                         lo(i),
                                         hi,
                                         value,
                                         ~0u,
                                         4};
        };
        const auto put = [&](unsigned i, uint32_t value) {
            return std::vector<uint32_t>{cp::make_header(cp::si_opcode("WRITE_DATA"), 4),
                                         5 << 8 | 1 << 20, lo(i), hi, value};
        };
        driver.submit(2, wait_for(1, 7));
        driver.submit(2, put(2, 8));
        driver.submit(1, wait_for(0, 6));
        driver.submit(1, put(1, 7));
        uint32_t seen = 1;
        b.machine.memory().read(flags + 128, &seen, 4);
        EXPECT_EQ(seen, 0u);
        driver.submit(0, put(0, 6));
        for (unsigned ring = 0; ring < 3; ++ring)
            driver.fence_and_wait(ring);
        b.machine.memory().read(flags + 128, &seen, 4);
        EXPECT_EQ(seen, 8u);
        EXPECT_EQ(b.machine.interrupt_count(181), driver.fences("eop"));
    });
}

TEST_P(BothModes, AnInterruptReportsThatTheEngineIsIdle) {
    Bench b(GetParam());
    b.machine.run([&] {
        GpuDriver driver(b.machine);
        driver.bring_up();
        driver.fence_and_wait(0);
        sc_core::wait(sc_core::sc_time(10, sc_core::SC_US));
        EXPECT_EQ(b.machine.interrupt_count(233), 0u);
        b.machine.write_register(r::GRBM_INT_CNTL, 1u << 19);
        for (unsigned n = 1; n <= 3; ++n) {
            driver.fence_and_wait(n % 3);
            sc_core::wait(sc_core::sc_time(10, sc_core::SC_US));
            EXPECT_EQ(b.machine.interrupt_count(233), n);
            EXPECT_EQ(b.machine.read_register(r::GRBM_STATUS) >> 31, 0u);
        }
        b.machine.write_register(r::GRBM_INT_CNTL, 0);
        driver.fence_and_wait(0);
        sc_core::wait(sc_core::sc_time(10, sc_core::SC_US));
        EXPECT_EQ(b.machine.interrupt_count(233), 3u);
    });
}

TEST_P(BothModes, AnInterruptReportsAPacketTheParserDoesNotKnow) {
    Bench b(GetParam());
    b.machine.run([&] {
        GpuDriver driver(b.machine);
        driver.bring_up();
        b.machine.write_register(r::CP_INT_CNTL_RING1, 1u << 24);  // OPCODE_ERROR_INT_ENABLE
        driver.submit(1, {cp::make_header(0xEE, 1), 0});
        b.machine.wait_until([&] { return b.machine.interrupt_count(177) != 0; }, "its interrupt");
        sc_core::wait(sc_core::sc_time(10, sc_core::SC_US));
        EXPECT_EQ(b.machine.interrupt_count(177), 1u);
        EXPECT_EQ(b.machine.read_register(r::CP_INT_STATUS_RING1) >> 24 & 1, 1u);
        EXPECT_THAT(
            b.machine.chip().waiting_for(),
            ::testing::HasSubstr("PFP waits for the host, which has the error: ring compute0"));
    });
}

TEST_P(BothModes, AWaitThatNothingSatisfiesIsReportedAsAHangThatNamesIt) {
    Bench b(GetParam());
    try {
        b.machine.run([&] {
            GpuDriver driver(b.machine);
            driver.bring_up();
            const uint64_t flag = b.machine.allocate(4096);
            driver.submit(
                0, {cp::make_header(cp::si_opcode("WAIT_REG_MEM"), 6), 3 | 1 << 4,
                    static_cast<uint32_t>(flag), static_cast<uint32_t>(flag >> 32), 1, ~0u, 10});
            driver.fence_and_wait(0);
        });
        FAIL() << "did not hang";
    } catch (const MachineStop& stop) {
        EXPECT_EQ(stop.kind(), StopKind::Hang);
        EXPECT_THAT(stop.what(), ::testing::HasSubstr("WAIT_REG_MEM"));
    }
}

// A delay of the register bus that is changed; one machine per process.
class RegisterBusDelays : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Chip, RegisterBusDelays,
                         ::testing::Values("grbm.request.latency.cycles=1",
                                           "grbm.request.latency.cycles=12",
                                           "grbm.response.latency.cycles=8"));

TEST_P(RegisterBusDelays, AReadThroughGrbmTakesTheirSumLongerThanOneOfSrbm) {
    Bench b(asic::Mode::Cycle, "tahiti", {GetParam()});
    uint64_t longer = 0;
    b.machine.run([&] {
        GpuDriver driver(b.machine);
        driver.bring_up();
        const auto read_cycles = [&](uint32_t offset) {
            const sc_core::sc_time asked = sc_core::sc_time_stamp();
            b.machine.read_register(offset);
            return (sc_core::sc_time_stamp() - asked).value() / b.chip->identity().clock_period_fs;
        };
        longer = read_cycles(r::SPI_CONFIG_CNTL) - read_cycles(r::SRBM_SOFT_RESET);
    });
    const gcn::ChipConfig& c = *b.chip->spec<gcn::ChipConfig>();
    const unsigned link = 1 + c.link_register.latency;
    // The receiving end of a link counts for what its latency is beyond 1.
    EXPECT_EQ(longer, c.grbm.request.latency + link + c.spi.registers.latency - 1 + link +
                          c.grbm.response.latency - 1 + c.srbm.response.latency);
}

TEST(Chip, GfxIndexSteersAndBroadcastsAfterReset) {
    Bench b;
    b.machine.run([&] {
        EXPECT_EQ(b.machine.read_register(r::GRBM_GFX_INDEX), 0xE0000000u);
        b.machine.write_register(r::GRBM_GFX_INDEX, 0x00010203);
        EXPECT_EQ(b.machine.read_register(r::GRBM_GFX_INDEX), 0x00010203u);
        EXPECT_EQ(b.machine.read_register(r::GB_BACKEND_MAP), 0u);
    });
}

TEST_P(BothModes, TilingRegistersHoldTheChipsTablesAfterResetAndCanBeWritten) {
    Bench b(GetParam());
    b.machine.run([&] {
        EXPECT_EQ(b.machine.read_register(r::GB_ADDR_CONFIG), 0x12011003u);
        EXPECT_EQ(b.machine.read_register(r::GB_TILE_MODE0 + 4 * 14), 0x00321291u);
        EXPECT_EQ(b.machine.read_register(r::GB_TILE_MODE31), 0u);
        b.machine.write_register(r::GB_TILE_MODE31, 0x00202291);
        EXPECT_EQ(b.machine.read_register(r::GB_TILE_MODE31), 0x00202291u);
    });
}

TEST_P(BothModes, RegistersOfTheSystemAnswerWhatDriversWaitFor) {
    Bench b(GetParam());
    b.machine.run([&] {
        b.machine.write_register(r::VM_INVALIDATE_REQUEST, 1);
        EXPECT_EQ(b.machine.read_register(r::VM_INVALIDATE_RESPONSE), 1u);
        EXPECT_EQ(b.machine.read_register(r::VM_INVALIDATE_REQUEST), 0u);
        EXPECT_EQ(b.machine.read_register(r::SRBM_STATUS), 0u);
        b.machine.write_register(r::VM_CONTEXT0_PAGE_TABLE_BASE_ADDR, 0x1234);
        EXPECT_EQ(b.machine.read_register(r::VM_CONTEXT0_PAGE_TABLE_BASE_ADDR), 0x1234u);
        EXPECT_EQ(b.machine.read_register(r::SRBM_READ_ERROR), 0u);
    });
}

// The radeon driver's reading of them: 12 channels of 32 bits, 16 banks, rows of 2 KiB, 3 GiB.
TEST_P(BothModes, RegistersSayWhatMemoryTheBoardHas) {
    Bench b(GetParam());
    b.machine.run([&] {
        const r::typed::MC_ARB_RAMCFG ram{b.machine.read_register(r::MC_ARB_RAMCFG)};
        const r::typed::MC_SHARED_CHMAP map{b.machine.read_register(r::MC_SHARED_CHMAP)};
        EXPECT_EQ(map.NOOFCHAN(), 7u);
        EXPECT_EQ(ram.CHANSIZE(), 0u);
        EXPECT_EQ(ram.CHANSIZE_OVERRIDE(), 0u);
        EXPECT_EQ(ram.NOOFBANK(), 2u);
        EXPECT_EQ(ram.NOOFCOLS(), 1u);
        EXPECT_EQ(b.machine.read_register(r::CONFIG_MEMSIZE), 3072u);
    });
}

TEST_P(BothModes, TheHostsReadsOfUnknownSystemRegistersAreKept) {
    Bench b(GetParam());
    b.machine.run([&] {
        b.machine.write_register(r::SRBM_INT_CNTL, 1);
        EXPECT_EQ(b.machine.read_register(r::SRBM_INT_CNTL), 1u);
        EXPECT_EQ(b.machine.read_register(0x4000), 0u);
        EXPECT_EQ(b.machine.read_register(r::SRBM_READ_ERROR), r::typed::SRBM_READ_ERROR{}
                                                                   .set_READ_ADDRESS(0x1000)
                                                                   .set_READ_REQUESTER_HI(1)
                                                                   .set_READ_ERROR(1)
                                                                   .raw);
        EXPECT_EQ(b.machine.interrupt_count(archipelago::interrupt_source::kSystemReadError), 1u);
    });
}

TEST_P(BothModes, RegistersOfADmaEngineThatIsNotThereReadZeroAndStopByName) {
    Bench b(GetParam(), "tahiti", {"async_dma.engines=1"});
    std::string reason;
    try {
        b.machine.run([&] {
            EXPECT_EQ(b.machine.read_register(r::DMA1_STATUS_REG), 0u);
            b.machine.write_register(r::DMA1_RB_CNTL, 1);
            b.machine.read_register(r::DMA1_RB_CNTL);
        });
    } catch (const MachineStop& stop) {
        reason = stop.what();
    }
    EXPECT_NE(reason.find("DMA1_RB_CNTL: this chip has no DMA engine 1"), std::string::npos)
        << reason;
}

}  // namespace
}  // namespace archipelago::host::chip_test
