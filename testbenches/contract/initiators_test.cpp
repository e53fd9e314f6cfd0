// SPDX-License-Identifier: Apache-2.0
// The chip's register socket shared by several initiators of a user's platform: processor models in
// b_transport beside a bus master of nb_transport.
#include <gtest/gtest.h>

#include <memory>

#include "models/asic/asic.h"
#include "models/asic/families.h"
#include "models/common/memory_image.h"
#include "registers/si_names.h"
#include "testbenches/support/register_initiators.h"
#include "tlm/memory_arbiter.h"
#include "tlm/memory_target.h"
#include "tlm/protocol_checker.h"

namespace archipelago::asic::initiators_test {
namespace {

namespace r = regs::si;

constexpr unsigned kThreads = 3;
constexpr unsigned kAccesses = 150;

struct Platform {
    std::unique_ptr<ChipDescription> description = load_chip("hainan", {});
    std::unique_ptr<Asic> chip;
    MemoryImage image;
    tlm_shell::MemoryTargetModule memory{"memory", image};
    tlm_shell::RunControl control;
    tlm_shell::PayloadPool pool;
    tlm_shell::ClockDomain clock{"host_clock", 1'234'567, control};
    tlm_shell::ProtocolChecker checker{"checker"};
    tlm_shell::MemoryArbiter bus{"bus", kThreads + 1, tlm_shell::ArbiterPayloads::Any};
    std::vector<std::unique_ptr<test::BlockingInitiator>> threads;
    test::PipelinedInitiator master{"master", clock, pool, traffic(kThreads)};

    // Two of the eight scratch registers each.
    static test::RegisterTraffic traffic(unsigned i) {
        return {i + 1, {r::SCRATCH_REG0 + 8 * i, r::SCRATCH_REG1 + 8 * i}, kAccesses, 50};
    }
    explicit Platform(const ChipOptions& options) : chip(description->build("chip", options)) {
        chip->memory.bind(memory.socket);
        bus.out.bind(checker.in);
        checker.out.bind(chip->registers);
        for (unsigned i = 0; i < kThreads; ++i) {
            threads.push_back(std::make_unique<test::BlockingInitiator>(
                ("thread" + std::to_string(i)).c_str(), traffic(i), sc_core::SC_ZERO_TIME));
            threads.back()->socket.bind(bus.input(i));
        }
        master.port.socket.bind(bus.input(kThreads));
    }
    void check() const {
        EXPECT_FALSE(chip->error());
        EXPECT_FALSE(control.error());
        EXPECT_EQ(checker.outstanding(), 0u);
        for (const auto& thread : threads) {
            EXPECT_TRUE(thread->finished) << thread->name() << " is never answered";
            EXPECT_EQ(thread->reads + thread->writes, kAccesses);
        }
        EXPECT_TRUE(master.finished());
        EXPECT_EQ(master.reads + master.writes, kAccesses);
    }
};

class ChipInitiators : public ::testing::TestWithParam<std::tuple<Mode, unsigned>> {};
TEST_P(ChipInitiators, ReadBackWhatEachHasWritten) {
    ChipOptions options;
    options.mode = std::get<0>(GetParam());
    options.check_protocol = true;
    options.stall_percent = std::get<1>(GetParam());
    options.stall_seed = 5;
    options.shuffle_seed = options.stall_percent;
    Platform platform(options);
    sc_core::sc_start();
    platform.check();
}
INSTANTIATE_TEST_SUITE_P(All, ChipInitiators,
                         ::testing::Values(std::tuple{Mode::Functional, 0u},
                                           std::tuple{Mode::Cycle, 0u},
                                           std::tuple{Mode::Cycle, 20u},
                                           std::tuple{Mode::Cycle, 50u}));

}  // namespace
}  // namespace archipelago::asic::initiators_test
