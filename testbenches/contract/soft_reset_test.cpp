// SPDX-License-Identifier: Apache-2.0
// A driver's recovery: halt the engines, GRBM_SOFT_RESET, bring the rings up again. The order is
// that of Linux radeon si_gpu_soft_reset().
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/asic/families.h"
#include "models/asic/gcn/chip_config.h"
#include "models/common/error.h"
#include "models/cp/packets/si/si_packets.h"
#include "models/cp/registers/si/si_registers.h"
#include "registers/si_cp.h"
#include "registers/si_grbm.h"
#include "registers/si_names.h"
#include "registers/si_srbm.h"
#include "testbenches/contract/both_modes.h"
#include "testbenches/host/gpu_driver.h"
#include "testbenches/host/machine.h"
#include "testbenches/host/rings/gcn_kernel.h"
#include "testbenches/support/si_work.h"

namespace archipelago::host::soft_reset_test {
namespace {

namespace r = regs::si;
using Bits = r::typed::GRBM_SOFT_RESET;

struct Bench {
    std::unique_ptr<asic::ChipDescription> chip;
    Machine machine;
    explicit Bench(asic::Mode mode, unsigned stall_percent = 0)
        : chip(asic::load_chip("hainan", {})),
          machine("bench", *chip, options(mode, stall_percent)) {}
    static MachineOptions options(asic::Mode mode, unsigned stall_percent) {
        MachineOptions o;
        o.chip.mode = mode;
        o.chip.stall_percent = stall_percent;
        o.chip.stall_seed = 3;
        o.chip.shuffle_seed = stall_percent;
        o.hang_cycles = 200'000;
        return o;
    }
    static void pause() { sc_core::wait(sc_core::sc_time(50, sc_core::SC_US)); }

    void hold(Bits bits) {
        machine.write_register(r::GRBM_SOFT_RESET, bits.raw);
        EXPECT_EQ(machine.read_register(r::GRBM_SOFT_RESET), bits.raw);
        pause();
    }
    void release() {
        machine.write_register(r::GRBM_SOFT_RESET, 0);
        EXPECT_EQ(machine.read_register(r::GRBM_SOFT_RESET), 0u);
        pause();
    }
    void halt() {
        machine.write_register(
            r::CP_ME_CNTL,
            r::typed::CP_ME_CNTL{}.set_ME_HALT(1).set_PFP_HALT(1).set_CE_HALT(1).raw);
        pause();
    }
    void recover() {
        halt();
        reset_all();
    }
    void reset_all() {
        hold(Bits{}
                 .set_SOFT_RESET_CP(1)
                 .set_SOFT_RESET_CB(1)
                 .set_SOFT_RESET_DB(1)
                 .set_SOFT_RESET_GDS(1)
                 .set_SOFT_RESET_PA(1)
                 .set_SOFT_RESET_SC(1)
                 .set_SOFT_RESET_BCI(1)
                 .set_SOFT_RESET_SPI(1)
                 .set_SOFT_RESET_SX(1)
                 .set_SOFT_RESET_TC(1)
                 .set_SOFT_RESET_TA(1)
                 .set_SOFT_RESET_VGT(1)
                 .set_SOFT_RESET_IA(1));
        EXPECT_EQ(machine.read_register(r::COMPUTE_PGM_LO), 0u) << "a block in reset answers 0";
        release();
        EXPECT_TRUE(machine.chip().idle()) << machine.chip().waiting_for();
    }

    uint64_t put_program(const std::vector<uint32_t>& words) {
        const uint64_t code = machine.allocate(4096);
        machine.memory().write(code, words.data(), 4 * words.size());
        return code;
    }
    // All 64 lanes of each of 20 groups add up what they read.
    void run_kernel(GpuDriver& driver, unsigned ring) {
        const uint64_t out = machine.allocate(4096);
        const uint32_t seed = static_cast<uint32_t>(++kernels) << 16;
        std::vector<uint32_t> in(64);
        for (uint32_t i = 0; i < 64; ++i)
            in[i] = seed + i;
        machine.memory().write(out, in.data(), 256);
        driver.launch(ring, launch_add_five(put_program(kAddFive), out));
        driver.fence_and_wait(ring);
        std::vector<uint32_t> got(64);
        machine.memory().read(out + 1024, got.data(), 256);
        for (uint32_t i = 0; i < 64; ++i)
            EXPECT_EQ(got[i], seed + i + 5) << i;
    }
    void run_kernels() {
        GpuDriver driver(machine);
        driver.bring_up();
        for (unsigned ring = 0; ring < cp::kSiRings; ++ring)
            run_kernel(driver, ring);
    }
    unsigned kernels = 0;
};

class SoftReset : public ::testing::TestWithParam<asic::Mode> {};
INSTANTIATE_TEST_SUITE_P(Chip, SoftReset, test::kBothModes, test::mode_name);

TEST_P(SoftReset, AnIdleChipRunsAfterIt) {
    Bench b(GetParam());
    b.machine.run([&] {
        b.recover();
        b.run_kernels();
        b.recover();
        b.run_kernels();
    });
}

TEST_P(SoftReset, RingsThatWaitForEverRunAfterIt) {
    Bench b(GetParam());
    b.machine.run([&] {
        GpuDriver driver(b.machine);
        driver.bring_up();
        const uint64_t flag = b.machine.allocate(4096);
        const std::vector<uint32_t> wait = wait_for_memory(flag);
        const uint64_t ib = b.machine.allocate(4096);
        b.machine.memory().write(ib, wait.data(), 4 * wait.size());
        driver.submit_ib(0, ib, static_cast<uint32_t>(wait.size()), 3);
        driver.submit(1, wait);
        driver.submit(2, wait);
        Bench::pause();
        EXPECT_FALSE(b.machine.chip().waiting_for().empty());
        b.recover();
        b.run_kernels();
    });
}

// Engines that are not halted poll registers of a block in reset and memory: answers are on their
// way when the reset comes.
TEST(SoftResetWithoutHalt, TakesEnginesInTheMiddleOfTheirPolls) {
    Bench b(asic::Mode::Cycle);
    b.machine.run([&] {
        const uint64_t flag = b.machine.allocate(4096);
        for (unsigned n = 0; n < 24; ++n) {
            GpuDriver driver(b.machine);
            driver.bring_up();
            driver.submit(1, wait_for_memory(flag));
            driver.submit(2, {cp::make_header(cp::si_opcode("WAIT_REG_MEM"), 6), 3,
                              r::COMPUTE_PGM_HI / 4, 0, 1, ~0u, 1});
            sc_core::wait(sc_core::sc_time(2000 + 3 * n, sc_core::SC_NS));
            b.reset_all();
        }
        b.run_kernels();
    });
}

TEST_P(SoftReset, APacketTheParserStandsStillAtIsForgotten) {
    Bench b(GetParam());
    b.machine.run([&] {
        GpuDriver driver(b.machine);
        driver.bring_up();
        b.machine.write_register(r::CP_INT_CNTL_RING0, 1u << 24);  // OPCODE_ERROR_INT_ENABLE
        driver.submit(0, {cp::make_header(0xEE, 1), 0});
        b.machine.wait_until([&] { return b.machine.interrupt_count(176) != 0; }, "its interrupt");
        b.recover();
        b.run_kernels();
    });
}

// Waves that never end, on every place there is, with and without memory traffic.
class SoftResetEndlessWaves : public ::testing::TestWithParam<std::tuple<bool, unsigned>> {};
INSTANTIATE_TEST_SUITE_P(Chip, SoftResetEndlessWaves,
                         ::testing::Combine(::testing::Bool(), ::testing::Values(0u, 20u)));
TEST_P(SoftResetEndlessWaves, AreGoneAfterIt) {
    const auto [traffic, stall] = GetParam();
    Bench b(asic::Mode::Cycle, stall);
    b.machine.run([&, memory = traffic] {
        GpuDriver driver(b.machine);
        driver.bring_up();
        const uint64_t data = b.machine.allocate(1 << 16);
        GcnLaunch launch;
        launch.code = memory ? b.put_program({0x34020086,              // v_lshlrev_b32 v1, 6, v0
                                              0xE0301000, 0x80000201,  // loop: load v2
                                              0xC0040100,              // s_load_dword s8, s[0:1]
                                              0xE0705000, 0x80000101,  // store v1, glc
                                              0xBF82FFFA})             // s_branch loop
                             : b.put_program({0xBF82FFFF});
        launch.local_size = {256, 1, 1};
        launch.groups = {1000, 1, 1};
        launch.rsrc1 = 4 | 1u << 6;
        launch.rsrc2 = 4u << 1;
        launch.user_sgprs = {static_cast<uint32_t>(data),
                             static_cast<uint32_t>(data >> 32) & 0xFFFF, 0x10000, 0x00024FAC};
        // The queue is full, and writes wait on the register bus.
        for (unsigned i = 0; i < b.chip->spec<gcn::ChipConfig>()->spi.queue_depth + 4; ++i)
            driver.launch(i % 2, launch);
        Bench::pause();
        EXPECT_FALSE(b.machine.chip().idle());
        b.recover();
        b.run_kernels();
    });
}

// One register of each block that keeps its value.
TEST_P(SoftReset, ABitResetsItsBlockOnly) {
    Bench b(GetParam());
    b.machine.run([&] {
        struct Row {
            uint32_t reg;
            Bits bits;
        };
        const Row rows[] = {{r::SCRATCH_REG3, Bits{}.set_SOFT_RESET_CP(1)},
                            {r::VGT_MAX_VTX_INDX, Bits{}.set_SOFT_RESET_VGT(1)},
                            {r::COMPUTE_PGM_LO, Bits{}.set_SOFT_RESET_SPI(1)},
                            {r::GDS_RD_ADDR, Bits{}.set_SOFT_RESET_GDS(1)},
                            {r::GRBM_SCRATCH_REG0, Bits{}}};
        for (const Row& reset : rows) {
            for (const Row& row : rows)
                b.machine.write_register(row.reg, 0x5A5A);
            b.hold(reset.bits);
            b.machine.write_register(reset.reg, 0x5A5A);
            EXPECT_EQ(b.machine.read_register(reset.reg) == 0x5A5A, reset.bits.raw == 0)
                << "written to a block in reset";
            b.release();
            for (const Row& row : rows)
                EXPECT_EQ(b.machine.read_register(row.reg) == 0x5A5A,
                          row.reg != reset.reg || reset.bits.raw == 0)
                    << std::hex << row.reg << " after " << reset.bits.raw;
        }
        b.run_kernels();
    });
}

TEST_P(SoftReset, ABitOfTheSystemsResetsTheInterruptHandler) {
    Bench b(GetParam());
    b.machine.run([&] {
        const uint32_t bits = r::typed::SRBM_SOFT_RESET{}.set_SOFT_RESET_IH(1).raw;
        b.machine.write_register(r::IH_RB_BASE, 0x5A5A);
        b.machine.write_register(r::SCRATCH_REG3, 0x5A5A);
        b.machine.write_register(r::SRBM_SOFT_RESET, bits);
        EXPECT_EQ(b.machine.read_register(r::SRBM_SOFT_RESET), bits);
        b.pause();
        b.machine.write_register(r::IH_RB_BASE, 0x1234);
        EXPECT_EQ(b.machine.read_register(r::IH_RB_BASE), 0u) << "written to a block in reset";
        b.machine.write_register(r::SRBM_SOFT_RESET, 0);
        b.pause();
        EXPECT_EQ(b.machine.read_register(r::IH_RB_BASE), 0u);
        b.machine.write_register(r::IH_RB_BASE, 0x1234);
        EXPECT_EQ(b.machine.read_register(r::IH_RB_BASE), 0x1234u);
        EXPECT_EQ(b.machine.read_register(r::SCRATCH_REG3), 0x5A5Au);
        b.run_kernels();
    });
}

}  // namespace
}  // namespace archipelago::host::soft_reset_test
