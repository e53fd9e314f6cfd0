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

// Both modes of a chip, each with its memory, in one platform.
struct BothModes : sc_core::sc_module, tlm::tlm_bw_transport_if<> {
    std::unique_ptr<ChipDescription> description;
    std::unique_ptr<Asic> chips[2];  // cycle, functional
    MemoryImage image;
    tlm_shell::MemoryTargetModule memories[2]{{"memory0", image}, {"memory1", image}};
    tlm::tlm_initiator_socket<> sockets[2];
    std::vector<uint64_t> offsets;
    std::vector<tlm::tlm_response_status> answers[2];

    BothModes(const sc_core::sc_module_name& n, const std::string& chip)
        : sc_module(n), description(load_chip(chip, {})) {
        for (unsigned i = 0; i < 2; ++i) {
            ChipOptions options;
            options.mode = i == 0 ? Mode::Cycle : Mode::Functional;
            chips[i] = description->build(i == 0 ? "cycle" : "functional", options);
            chips[i]->memory.bind(memories[i].socket);
            sockets[i].bind(*this);
            sockets[i].bind(chips[i]->registers);
        }
        SC_HAS_PROCESS(BothModes);
        SC_THREAD(run);
    }
    tlm::tlm_response_status read(unsigned i, uint64_t offset) {
        uint8_t data[4] = {};
        tlm::tlm_generic_payload gp;
        gp.set_command(tlm::TLM_READ_COMMAND);
        gp.set_address(offset);
        gp.set_data_ptr(data);
        gp.set_data_length(4);
        gp.set_streaming_width(4);
        sc_core::sc_time delay;
        sockets[i]->b_transport(gp, delay);
        return gp.get_response_status();
    }
    void run() {
        for (unsigned i = 0; i < 2; ++i)
            for (const uint64_t offset : offsets)
                answers[i].push_back(read(i, offset));
        sc_core::sc_stop();
    }
    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase&,
                                       sc_core::sc_time&) override {
        return tlm::TLM_ACCEPTED;
    }
    void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
};

// A name of a chip of each family, and an offset at which it has no register.
class NoRegister : public ::testing::TestWithParam<std::pair<std::string, uint64_t>> {};
TEST_P(NoRegister, IsAnAddressErrorInBothModes) {
    const auto [chip, nowhere] = GetParam();
    BothModes platform("platform", chip);
    platform.offsets = {nowhere, 0xFFFF'FFFC};
    sc_core::sc_start();
    for (const auto& chip_with_mode : platform.chips)
        EXPECT_FALSE(chip_with_mode->error());
    for (const auto& answers : platform.answers)
        EXPECT_EQ(answers, std::vector(2, tlm::TLM_ADDRESS_ERROR_RESPONSE));
}
INSTANTIATE_TEST_SUITE_P(Families, NoRegister,
                         ::testing::Values(std::pair<std::string, uint64_t>{"hainan", 0x3FFFC},
                                           std::pair<std::string, uint64_t>{"juniper", 0x100000},
                                           std::pair<std::string, uint64_t>{"r520", 0x3FFFC},
                                           std::pair<std::string, uint64_t>{"a630", 0x100000}),
                         [](const auto& info) { return info.param.first; });

}  // namespace
}  // namespace archipelago::asic::initiators_test
