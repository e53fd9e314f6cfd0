// SPDX-License-Identifier: Apache-2.0
// Chips that one register resets as a whole: CTM's and Adrenos'. A stop ends a job, and after a
// driver's reset the chip is as good as new: the same results in the same cycles. Each test is a
// process.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <ostream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "models/afuc/cp/gpu_registers.h"
#include "models/asic/board_memory.h"
#include "models/asic/families.h"
#include "models/common/error.h"
#include "models/common/memory_image.h"
#include "models/common/page.h"
#include "models/ctm/pe/registers.h"
#include "testbenches/contract/both_modes.h"
#include "testbenches/host/gpu_driver.h"
#include "testbenches/host/machine.h"
#include "testbenches/host/runner.h"
#include "tlm/memory_target.h"

namespace archipelago::host::whole_reset_test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Keys = std::vector<std::string>;

// Packets of an Adreno, and command buffers of CTM, that stop a job.
struct Stop {
    const char* name;
    const char* chip;
    StopKind kind;
    const char* text;
    const char* steps;
};
void PrintTo(const Stop& stop, std::ostream* to) {
    *to << stop.chip << " " << stop.name;
}

constexpr const char* kUnmappedWrite = R"(
  - {ring: cp, packets: ["CP_MEM_WRITE ADDR = 0x70000000, DATA = [1]"]}
  - {wait: cp}
)";
// The value comes from nowhere.
constexpr const char* kEndlessWait = R"(
  - memory: {address: 0x100000, size: 4096, fill: 0}
  - ring: cp
    packets:
      - CP_WAIT_REG_MEM FUNCTION = WRITE_EQ, POLL = POLL_MEMORY, POLL_ADDR = 0x100000, REF = 7, MASK = 0xff
  - {wait: cp}
)";
constexpr const char* kResetByPacket = R"(
  - {ring: cp, packets: ["PKT4 RBBM_SW_RESET_CMD = 1"]}
  - {wait: cp}
)";
constexpr const char* kUnmappedBuffer = R"(
  - {ring: ctm, ib: {address: 0x7000000, dwords: 8}}
  - {wait: ctm}
)";
constexpr const char* kUnmappedInput = R"(
  - program:
      code: {words: [0x00007807, 0x0a400000, 0xe4010400, 0, 0, 0,
                     0x00078105, 0x00000001, 0x00000001, 0x1c440220, 0x1c60c003, 0x00000005]}
      inputs: [{width: 64, height: 64, format: float32_1}]
      outputs: [{width: 64, height: 64, format: float32_1}]
  # set_inp_fmt of input 0 at an address that nothing maps; invalidate, start, wait
  - {ring: ctm, words: [0xc0030b00, 0, 0x7000000, 0x2000040, 1, 0xc0001600, 0, 0xc0000800, 0, 0xc0000900, 0]}
  - {wait: ctm}
)";
constexpr const char* kEndlessProgram = R"(
  - program:
      code: {words: [2, 0, 0xff00, 0, 0, 0]}  # a jump to itself
      outputs: [{width: 64, height: 64, format: float32_1}]
)";
constexpr const char* kNoCommand = R"(
  - {ring: ctm, words: [0xc0007f00, 0]}
  - {wait: ctm}
)";

const Stop kStops[] = {
    {"fault", "a530", StopKind::Fault, "0x70000000", kUnmappedWrite},
    {"fault", "a630", StopKind::Fault, "0x70000000", kUnmappedWrite},
    {"fault", "a740", StopKind::Fault, "0x70000000", kUnmappedWrite},
    {"hang", "a530", StopKind::Hang, "ring cp", kEndlessWait},
    {"hang", "a630", StopKind::Hang, "ring cp", kEndlessWait},
    {"hang", "a740", StopKind::Hang, "ring cp", kEndlessWait},
    {"reset_by_packet", "a630", StopKind::Unimplemented, "RBBM_SW_RESET_CMD", kResetByPacket},
    {"fault", "r580", StopKind::Fault, "0x7000000", kUnmappedBuffer},
    {"fault_of_a_program", "r580", StopKind::Fault, "address 0x7000", kUnmappedInput},
    {"hang", "r580", StopKind::Hang, "instructions", kEndlessProgram},
    {"no_command", "r580", StopKind::BadInput, "0xc0007f00", kNoCommand},
    {"fault", "r520", StopKind::Fault, "0x7000000", kUnmappedBuffer},
};

bool is_adreno(const std::string& chip) {
    return chip[0] == 'a';
}

// Jobs with results; those of CTM also show whether caches have kept lines.
std::string good_jobs(const std::string& chip) {
    const std::string dir = ARCHIPELAGO_SOURCE_DIR "/testbenches/workloads/";
    return dir + (is_adreno(chip) ? "adreno/all/mixing.yaml" : "ctm/stale_cache.yaml");
}

// Engine and memory have one clock, so that a number of cycles says how both stand.
Keys one_clock(const std::string& chip) {
    const auto description = asic::load_chip(chip, {});
    const uint64_t mhz = 1'000'000'000 / (description->identity().clock_period_fs / 1000) / 1000;
    const std::string clock = std::to_string(mhz) + " MHz";
    return {"clocks.engine=" + clock, "clocks.memory=" + clock};
}

struct Bench {
    std::unique_ptr<asic::ChipDescription> chip;
    Machine machine;
    GpuDriver driver;

    Bench(const std::string& name, asic::Mode mode, unsigned stall_percent)
        : chip(asic::load_chip(name, one_clock(name))),
          machine("bench", *chip, options(mode, stall_percent)),
          driver(machine) {
        machine.run([&] { driver.bring_up(); });
    }
    static MachineOptions options(asic::Mode mode, unsigned stall_percent) {
        MachineOptions o;
        o.chip.mode = mode;
        o.chip.stall_percent = stall_percent;
        o.chip.stall_seed = 5;
        o.chip.shuffle_seed = stall_percent;
        o.chip.instruction_limit = 200'000;
        o.hang_cycles = 200'000;
        o.recovers = true;
        return o;
    }
    Workload parsed(const std::string& steps) const {
        config::Diagnostics diagnostics;
        auto workload =
            parse_workload_text("steps:" + steps, "w.yaml", ".", always(*chip), diagnostics);
        diagnostics.throw_if_errors();
        return std::move(*workload);
    }
    Workload loaded(const std::string& path) const {
        config::Diagnostics diagnostics;
        auto workload = load_workload(path, always(*chip), diagnostics);
        diagnostics.throw_if_errors();
        return std::move(*workload);
    }
    // To a cycle that stands as others do to the refreshes of DRAM, some of which have passed since
    // the rings were set up.
    void align() {
        machine.run([&] {
            const uint64_t every = uint64_t{16} * chip->spec<asic::BoardMemory>()->mc.timing.refi;
            const uint64_t now = machine.chip().cycles();
            machine.wait_at_most(2 * every - now % every, [] { return false; });
        });
    }
    // Cycles that it took.
    uint64_t run_good_jobs(const Workload& workload) {
        align();
        Runner runner(workload, machine, driver);
        const RunOutcome outcome = runner.run();
        EXPECT_THAT(outcome.failures, IsEmpty());
        EXPECT_GT(outcome.expectations, 0u);
        return outcome.cycles;
    }
    std::pair<StopKind, std::string> stop_of(const Workload& workload) {
        try {
            Runner(workload, machine, driver).run();
        } catch (const MachineStop& stop) {
            return {stop.kind(), stop.what()};
        }
        ADD_FAILURE() << "did not stop";
        return {};
    }
    void reset() {
        machine.run([&] { driver.reset(); });
    }
};

class WholeReset
    : public ::testing::TestWithParam<std::tuple<Stop, std::pair<asic::Mode, unsigned>>> {};
INSTANTIATE_TEST_SUITE_P(Chips, WholeReset,
                         ::testing::Combine(::testing::ValuesIn(kStops),
                                            ::testing::Values(std::pair(asic::Mode::Cycle, 0u),
                                                              std::pair(asic::Mode::Cycle, 20u),
                                                              std::pair(asic::Mode::Functional,
                                                                        0u))),
                         [](const auto& info) {
                             const Stop& stop = std::get<0>(info.param);
                             const auto& how = std::get<1>(info.param);
                             return std::string(stop.chip) + "_" + stop.name +
                                    (how.first == asic::Mode::Cycle ? "_cycle" : "_functional") +
                                    (how.second != 0 ? "_stalled" : "");
                         });

// Twice. Random stalls differ from job to job, and so do their cycles.
TEST_P(WholeReset, AfterAStopTheChipIsAsGoodAsNew) {
    const auto& [stop, how] = GetParam();
    Bench b(stop.chip, how.first, how.second);
    const Workload good = b.loaded(good_jobs(stop.chip)), bad = b.parsed(stop.steps);
    const uint64_t cycles = b.run_good_jobs(good);
    for (unsigned i = 0; i < 2; ++i) {
        const auto [kind, text] = b.stop_of(bad);
        EXPECT_EQ(kind, stop.kind) << text;
        EXPECT_THAT(text, HasSubstr(stop.text));
        b.reset();
        const uint64_t now = b.run_good_jobs(good);
        if (how.second == 0) {
            EXPECT_EQ(now, cycles);
        }
    }
}

// ---- the register ------------------------------------------------------------------------------

class ResetRegister : public ::testing::TestWithParam<std::tuple<const char*, asic::Mode>> {};
INSTANTIATE_TEST_SUITE_P(
    Chips, ResetRegister,
    ::testing::Combine(::testing::Values("a530", "a650", "a750", "r580"), test::kBothModes),
    [](const auto& info) {
        return std::get<0>(info.param) +
               std::string(std::get<1>(info.param) == asic::Mode::Cycle ? "_cycle" : "_functional");
    });

// A chip at rest, whose other registers take nothing and read as 0 meanwhile.
TEST_P(ResetRegister, HoldsTheChipWhileItIsSet) {
    const auto& [name, mode] = GetParam();
    Bench b(name, mode, 0);
    const bool adreno = is_adreno(name);
    const uint32_t reset = adreno ? 4 * 0x43 : 0xF0;
    const uint32_t other = adreno ? 4 * 0x38 : 0x0;  // RBBM_INT_0_MASK, CB_ADDRESS
    b.machine.run([&] {
        b.machine.write_register(other, 0x10);
        EXPECT_EQ(b.machine.read_register(other), 0x10u);
        b.machine.write_register(reset, 1);
        EXPECT_EQ(b.machine.read_register(reset), 1u);
        EXPECT_EQ(b.machine.inspect_register(reset), 1u);
        b.machine.write_register(other, 0x20);
        EXPECT_EQ(b.machine.read_register(other), 0u);
        b.machine.write_register(reset, 0);
        EXPECT_EQ(b.machine.read_register(reset), 0u);
        b.machine.wait_at_most(1000, [] { return false; });
        EXPECT_EQ(b.machine.read_register(other), 0u);
        b.machine.write_register(other, 0x30);
        EXPECT_EQ(b.machine.read_register(other), 0x30u);
    });
    b.reset();
    b.run_good_jobs(b.loaded(good_jobs(name)));
}

// ---- two chips in one platform -----------------------------------------------------------------

// A CTM chip beside the machine, with memory of its own, and a processor that knows its registers.
struct Neighbour : sc_core::sc_module, tlm::tlm_bw_transport_if<> {
    static constexpr uint64_t kBuffer = 0x10000;
    std::unique_ptr<asic::ChipDescription> description = asic::load_chip("r520", {});
    std::unique_ptr<asic::Asic> chip;
    MemoryImage image;
    tlm_shell::MemoryTargetModule memory{"memory", image};
    tlm::tlm_initiator_socket<> socket{"host"};
    unsigned consumed = 0;  // buffers

    Neighbour(const sc_core::sc_module_name& name, asic::Mode mode) : sc_module(name) {
        asic::ChipOptions options;
        options.mode = mode;
        chip = description->build("chip", options);
        chip->memory.bind(memory.socket);
        chip->on_interrupt([this](const Interrupt&) { ++consumed; });
        chip->halt_on_error();
        socket.bind(*this);
        socket.bind(chip->registers);
        image.map(kBuffer, kPageBytes);
        const uint32_t idle[] = {0xC0000900, 0};  // wait_for_idle
        image.write(kBuffer, idle, sizeof idle);
    }
    uint32_t access(tlm::tlm_command command, uint32_t offset, uint32_t value = 0) {
        tlm::tlm_generic_payload gp;
        gp.set_command(command);
        gp.set_address(offset);
        gp.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
        gp.set_data_length(4);
        gp.set_streaming_width(4);
        sc_core::sc_time delay;
        socket->b_transport(gp, delay);
        return value;
    }
    void write(uint32_t offset, uint32_t value) { access(tlm::TLM_WRITE_COMMAND, offset, value); }
    void submit(uint64_t address) {
        write(ctm::kCbAddress, static_cast<uint32_t>(address));
        write(ctm::kCbSize, 8);
        sc_core::wait(sc_core::sc_time(10, sc_core::SC_US));
    }
    void reset() {
        EXPECT_TRUE(chip->resume());
        for (const uint32_t value : {ctm::kSoftResetBits, 0u}) {
            write(ctm::kSoftReset, value);
            sc_core::wait(sc_core::sc_time(50, sc_core::SC_US));
        }
    }
    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase&,
                                       sc_core::sc_time&) override {
        return tlm::TLM_ACCEPTED;
    }
    void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
};

class TwoChips : public ::testing::TestWithParam<asic::Mode> {};
INSTANTIATE_TEST_SUITE_P(Platform, TwoChips, test::kBothModes, test::mode_name);

TEST_P(TwoChips, AResetOfOneIsNoneOfTheOther) {
    Neighbour other("other", GetParam());
    Bench b("a630", GetParam(), 0);
    const Workload good = b.loaded(good_jobs("a630")), bad = b.parsed(kUnmappedWrite);
    b.run_good_jobs(good);
    for (unsigned i = 0; i < 2; ++i) {
        b.machine.run([&] {
            const unsigned before = other.consumed;
            other.submit(Neighbour::kBuffer);
            EXPECT_EQ(other.consumed, before + 1);
            other.submit(0x7000'0000);
            EXPECT_TRUE(other.chip->error());
        });
        b.run_good_jobs(good);  // beside a chip that has halted
        b.machine.run([&] { other.reset(); });
        b.stop_of(bad);
        b.reset();
        EXPECT_FALSE(other.chip->error());
        b.machine.run([&] {
            EXPECT_EQ(other.access(tlm::TLM_READ_COMMAND, ctm::kCbConsumed), 0u);
            other.submit(Neighbour::kBuffer);
            EXPECT_EQ(other.access(tlm::TLM_READ_COMMAND, ctm::kCbConsumed), 1u);
        });
        b.run_good_jobs(good);
    }
}

}  // namespace
}  // namespace archipelago::host::whole_reset_test
