// SPDX-License-Identifier: Apache-2.0
// A machine that runs on: programs one after the other, fences in flight, work from outside, and
// stops that end a program and not the machine.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "models/asic/families.h"
#include "models/common/error.h"
#include "models/cp/packets/si/si_packets.h"
#include "registers/si_names.h"
#include "testbenches/contract/both_modes.h"
#include "testbenches/host/gpu_driver.h"
#include "testbenches/host/machine.h"
#include "testbenches/host/rings/gcn_kernel.h"
#include "testbenches/host/runner.h"
#include "testbenches/support/si_work.h"

namespace archipelago::host::job_test {
namespace {

namespace r = regs::si;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Words = std::vector<uint32_t>;

constexpr unsigned kGfx = 0, kCompute = 1, kDma = 3;  // rings of Southern Islands
constexpr uint64_t kUnmapped = 0x7000'0000;

struct Bench {
    std::unique_ptr<asic::ChipDescription> chip;
    Machine machine;
    GpuDriver driver;

    explicit Bench(asic::Mode mode, const std::string& name = "hainan", unsigned stall_percent = 0)
        : chip(asic::load_chip(name, {})),
          machine("bench", *chip, options(mode, stall_percent)),
          driver(machine) {}
    static MachineOptions options(asic::Mode mode, unsigned stall_percent) {
        MachineOptions o;
        o.chip.mode = mode;
        o.chip.stall_percent = stall_percent;
        o.chip.stall_seed = 5;
        o.chip.shuffle_seed = stall_percent;
        o.hang_cycles = 200'000;
        o.recovers = true;
        return o;
    }

    uint64_t place(const Words& words) {
        const uint64_t at = machine.allocate(4 * words.size());
        machine.memory().write(at, words.data(), 4 * words.size());
        return at;
    }
    uint32_t word(uint64_t address) {
        uint32_t value = 0;
        machine.memory().read(address, &value, 4);
        return value;
    }
    // What stopped `program`.
    std::pair<StopKind, std::string> stop_of(const std::function<void()>& program) {
        try {
            machine.run(program);
        } catch (const MachineStop& stop) {
            return {stop.kind(), stop.what()};
        }
        ADD_FAILURE() << "did not stop";
        return {};
    }
    // Work on every ring, with its results.
    void run_good_job() {
        machine.run([&] {
            for (const unsigned ring : {kGfx, kCompute, 2u}) {
                const uint64_t data = machine.allocate(4096);
                const uint32_t seed = ++jobs << 8;
                Words in(64);
                for (uint32_t i = 0; i < 64; ++i)
                    in[i] = seed + i;
                machine.memory().write(data, in.data(), 256);
                driver.launch(ring, launch_add_five(place(kAddFive), data));
                driver.fence_and_wait(ring);
                for (uint32_t i = 0; i < 64; ++i)
                    EXPECT_EQ(word(data + 1024 + 4 * i), seed + i + 5) << i;
            }
            const uint64_t from = place({0x600D600D});
            const uint64_t to = machine.allocate(4096);
            driver.submit(kDma, copy(from, to));
            driver.fence_and_wait(kDma);
            EXPECT_EQ(word(to), 0x600D600Du);
        });
    }
    static Words copy(uint64_t from, uint64_t to) {
        return {0x30000001, static_cast<uint32_t>(to), static_cast<uint32_t>(from),
                static_cast<uint32_t>(to >> 32), static_cast<uint32_t>(from >> 32)};
    }
    void reset() {
        machine.run([&] { driver.reset(); });
    }
    void bring_up() {
        machine.run([&] { driver.bring_up(); });
    }
    uint32_t jobs = 0;
};

class Jobs : public ::testing::TestWithParam<asic::Mode> {};
INSTANTIATE_TEST_SUITE_P(Machine, Jobs, test::kBothModes, test::mode_name);

TEST_P(Jobs, TimeRunsOnFromOneProgramToTheNext) {
    Bench b(GetParam());
    b.bring_up();
    uint64_t cycles = b.machine.chip().cycles();
    for (unsigned i = 0; i < 3; ++i) {
        b.run_good_job();
        EXPECT_EQ(b.machine.chip().cycles() > cycles, GetParam() == asic::Mode::Cycle);
        cycles = b.machine.chip().cycles();
    }
}

TEST(Machine, WhatAProgramThrowsEndsThatProgramOnly) {
    Bench b(asic::Mode::Cycle);
    EXPECT_THROW(b.machine.run([] { throw std::invalid_argument("bad"); }), std::invalid_argument);
    b.bring_up();
    b.run_good_job();
}

TEST(Machine, AStopIsFinalUnlessTheMachineRecovers) {
    const auto chip = asic::load_chip("hainan", {});
    Machine machine("bench", *chip, {});
    GpuDriver driver(machine);
    EXPECT_THROW(machine.run([&] {
        driver.bring_up();
        driver.submit_ib(kGfx, kUnmapped, 8, 0);
        driver.fence_and_wait(kGfx);
    }),
                 MachineStop);
    EXPECT_THROW(machine.run([] {}), std::logic_error);
}

// ---- fences ------------------------------------------------------------------------------------

TEST_P(Jobs, SeveralFencesOfARingAreInFlightAndPassInOrder) {
    Bench b(GetParam());
    b.bring_up();
    const uint64_t flags = b.machine.allocate(4096);
    b.machine.run([&] {
        std::vector<Fence> fences;
        for (unsigned i = 0; i < 3; ++i) {
            b.driver.submit(kGfx, wait_for_memory(flags + 64 * i));
            fences.push_back(b.driver.fence(kGfx));
        }
        EXPECT_FALSE(b.driver.pending(kGfx));
        for (unsigned i = 0; i < 3; ++i) {
            for (unsigned k = 0; k < 3; ++k)
                EXPECT_EQ(b.driver.passed(fences[k]), k < i) << i << " " << k;
            EXPECT_TRUE(b.driver.busy());
            const uint32_t one = 1;
            b.machine.memory().write(flags + 64 * i, &one, 4);
            b.machine.read_register(r::SCRATCH_REG0);  // functional mode goes on within an access
            b.driver.wait(fences[i]);
        }
        EXPECT_TRUE(b.driver.passed(fences[2]));
        EXPECT_FALSE(b.driver.busy());
    });
}

TEST_P(Jobs, AnAsyncDmaRingTakesMoreFencesThanItHasAddressesFor) {
    Bench b(GetParam());
    b.bring_up();
    const uint64_t from = b.place({0x12345678}), to = b.machine.allocate(4096);
    b.machine.run([&] {
        std::vector<Fence> fences;
        for (unsigned i = 0; i < 600; ++i) {
            b.driver.submit(kDma, Bench::copy(from, to));
            fences.push_back(b.driver.fence(kDma));
        }
        b.driver.wait(fences.back());
        for (const Fence& fence : fences)
            EXPECT_TRUE(b.driver.passed(fence));
        EXPECT_EQ(b.driver.fences("dma0"), 600u);
    });
}

TEST_P(Jobs, AResetLosesFencesThatHadNotPassed) {
    Bench b(GetParam());
    b.bring_up();
    const uint64_t flag = b.machine.allocate(4096);
    Fence before, lost;
    b.stop_of([&] {
        before = b.driver.fence(kGfx);
        b.driver.wait(before);
        b.driver.submit(kGfx, wait_for_memory(flag));
        lost = b.driver.fence(kGfx);
        b.driver.wait(lost);
    });
    b.reset();
    b.run_good_job();
    EXPECT_TRUE(b.driver.passed(before));
    EXPECT_FALSE(b.driver.passed(lost));
    EXPECT_TRUE(b.driver.lost(lost));
    EXPECT_FALSE(b.driver.lost(before));
    EXPECT_THAT(b.stop_of([&] { b.driver.wait(lost); }).second, HasSubstr("a reset has lost"));
}

// ---- work from outside -------------------------------------------------------------------------

TEST_P(Jobs, AnIdleMachineThatWaitsForOutsideWorkDoesNotHangAndItsTimeStandsStill) {
    Bench b(GetParam());
    b.bring_up();
    unsigned slept = 0;
    uint64_t cycles = 0;
    b.machine.run([&] {
        b.driver.launch(kGfx, launch_add_five(b.place(kAddFive), b.machine.allocate(4096)));
        b.driver.fence(kGfx);
        const OutsideWork outside{[&] { return slept == 3; },
                                  [&] {
                                      EXPECT_FALSE(b.driver.busy());
                                      if (slept++ == 0)
                                          cycles = b.machine.chip().cycles();
                                  }};
        b.driver.wait_for_outside(outside);
        EXPECT_EQ(b.machine.chip().cycles(), cycles);
    });
    EXPECT_EQ(slept, 3u);
    b.run_good_job();
}

TEST_P(Jobs, AMachineWhoseRingHoldsWorkThatDoesNotMoveHangsAlsoThen) {
    Bench b(GetParam());
    b.bring_up();
    const uint64_t flag = b.machine.allocate(4096);
    const auto [kind, text] = b.stop_of([&] {
        b.driver.submit(kGfx, wait_for_memory(flag));
        b.driver.fence(kGfx);
        b.driver.wait_for_outside({[] { return false; }, [] { ADD_FAILURE() << "it sleeps"; }});
    });
    EXPECT_EQ(kind, StopKind::Hang);
    EXPECT_THAT(text, HasSubstr("the rings to run empty"));
    EXPECT_THAT(text, HasSubstr("WAIT_REG_MEM"));
}

// ---- stops -------------------------------------------------------------------------------------

// How a job stops.
struct Stop {
    const char* name;
    StopKind kind;
    const char* text;
    void (*submit)(Bench& b);  // and wait
};

void PrintTo(const Stop& stop, std::ostream* to) {
    *to << stop.name;
}

// A kernel that reads and writes an address that nothing maps.
void fault_in_a_wave(Bench& b) {
    b.driver.launch(kCompute, launch_add_five(b.place(kAddFive), kUnmapped));
    b.driver.fence_and_wait(kCompute);
}

const Stop kStops[] = {
    {"hang", StopKind::Hang, "WAIT_REG_MEM",
     [](Bench& b) {
         b.driver.submit(kCompute, wait_for_memory(b.machine.allocate(4096)));
         b.driver.launch(kGfx, launch_add_five(b.place(kAddFive), b.machine.allocate(4096)));
         b.driver.fence_and_wait(kGfx);
         b.driver.fence_and_wait(kCompute);
     }},
    {"fault_of_a_wave", StopKind::Fault, "0x70000000", fault_in_a_wave},
    {"fault_of_an_instruction_fetch", StopKind::Fault, "0x70000000",
     [](Bench& b) {
         GcnLaunch launch = launch_add_five(b.place(kAddFive), b.machine.allocate(4096));
         launch.code = kUnmapped;
         b.driver.launch(kGfx, launch);
         b.driver.fence_and_wait(kGfx);
     }},
    {"fault_of_an_indirect_buffer", StopKind::Fault, "0x70000000",
     [](Bench& b) {
         b.driver.submit_ib(kGfx, kUnmapped, 8, 3);
         b.driver.fence_and_wait(kGfx);
     }},
    {"fault_of_async_dma", StopKind::Fault, "0x70000000",
     [](Bench& b) {
         b.driver.submit(kDma, Bench::copy(b.place({1}), kUnmapped));
         b.driver.fence_and_wait(kDma);
     }},
    {"unimplemented_packet", StopKind::Unimplemented, "SET_RESOURCE_INDIRECT",
     [](Bench& b) {
         b.driver.submit(kGfx, {cp::make_header(cp::si_opcode("SET_RESOURCE_INDIRECT"), 1), 0});
         b.driver.fence_and_wait(kGfx);
     }},
};

class Stops : public ::testing::TestWithParam<std::tuple<Stop, std::pair<asic::Mode, unsigned>>> {};
INSTANTIATE_TEST_SUITE_P(
    Machine, Stops,
    ::testing::Combine(::testing::ValuesIn(kStops),
                       ::testing::Values(std::pair(asic::Mode::Cycle, 0u),
                                         std::pair(asic::Mode::Cycle, 20u),
                                         std::pair(asic::Mode::Functional, 0u))),
    [](const auto& info) {
        const auto& how = std::get<1>(info.param);
        return std::get<0>(info.param).name +
               std::string(how.first == asic::Mode::Cycle ? "_cycle" : "_functional") +
               (how.second != 0 ? "_stalled" : "");
    });

// Twice: the machine is as good as before.
TEST_P(Stops, EndsItsJobAndTheNextOneRuns) {
    const auto& [stop, how] = GetParam();
    Bench b(how.first, "hainan", how.second);
    b.bring_up();
    for (unsigned i = 0; i < 2; ++i) {
        b.run_good_job();
        const auto [kind, text] = b.stop_of([&, submit = stop.submit] { submit(b); });
        EXPECT_EQ(kind, stop.kind) << text;
        EXPECT_THAT(text, HasSubstr(stop.text));
        b.reset();
        EXPECT_TRUE(b.machine.chip().idle()) << b.machine.chip().waiting_for();
    }
    b.run_good_job();
}

// A machine that has halted answers no program before it is reset.
TEST_P(Jobs, AHaltedChipTakesNoWorkBeforeItsReset) {
    Bench b(GetParam());
    b.bring_up();
    const std::string text = b.stop_of([&] { fault_in_a_wave(b); }).second;
    const uint64_t cycles = b.machine.chip().cycles();
    EXPECT_EQ(b.stop_of([&] { b.machine.read_register(r::SCRATCH_REG0); }).second, text);
    EXPECT_EQ(b.machine.chip().cycles(), cycles);
    b.reset();
    b.run_good_job();
}

// An access of a register that waits when the chip stops ends with the stop.
TEST(Machine, AStopEndsAnAccessThatWaits) {
    Bench b(asic::Mode::Cycle);
    b.bring_up();
    const auto [kind, text] = b.stop_of([&] {
        b.driver.launch(kCompute, launch_add_five(b.place(kAddFive), kUnmapped));
        for (;;)
            b.machine.read_register(r::SCRATCH_REG0);
    });
    EXPECT_EQ(kind, StopKind::Fault) << text;
    b.reset();
    b.run_good_job();
}

// ---- workloads ---------------------------------------------------------------------------------

constexpr const char* kGood = R"(
memory:
  - {address: 0x100000, size: 4096}
steps:
  - {ring: gfx, packets: ["WRITE_DATA DST_SEL = MEMORY_SYNC, WR_CONFIRM = 1, DST_ADDR = 0x100000, DATA = [1, 2, 3]"]}
  - {wait: gfx}
  - {ring: compute0, words: [0xC0001000, 0]}
expect:
  - {address: 0x100000, words: [1, 2, 3]}
  - {interrupt: eop, count: 0}
)";
constexpr const char* kBad = R"(
steps:
  - {ring: gfx, ib: {address: 0x70000000, dwords: 8}}
  - {wait: gfx}
expect:
  - {interrupt: eop, count: 0}
)";

Workload parsed(const Bench& b, const char* text) {
    config::Diagnostics diagnostics;
    auto workload = parse_workload_text(text, "w.yaml", ".", always(*b.chip), diagnostics);
    diagnostics.throw_if_errors();
    return std::move(*workload);
}

TEST_P(Jobs, WorkloadsShareAMachineAndEachCountsItsOwnInterrupts) {
    Bench b(GetParam());
    const Workload good = parsed(b, kGood), bad = parsed(b, kBad);
    Runner first(good, b.machine, b.driver);
    Runner second(bad, b.machine, b.driver);
    Runner third(good, b.machine, b.driver);
    EXPECT_THAT(first.run().failures, IsEmpty());
    b.machine.run([&] { b.machine.settle(); });
    EXPECT_THROW(second.run(), MachineStop);
    EXPECT_THAT(second.outcome().failures, IsEmpty());
    b.reset();
    const RunOutcome outcome = third.run();
    EXPECT_THAT(outcome.failures, IsEmpty());
    EXPECT_EQ(outcome.expectations, 2u);
}

// ---- other families ----------------------------------------------------------------------------

// Chips of which the async DMA engines alone are modelled: rings 0 and 1.
TEST_P(Jobs, AFaultOfAnAsyncDmaEngineAloneEndsItsJob) {
    Bench b(GetParam(), "cayman");
    b.bring_up();
    for (const unsigned ring : {0u, 1u}) {
        const uint64_t from = b.place({0x600D0000 + ring});
        const uint64_t to = b.machine.allocate(4096);
        const auto [kind, text] = b.stop_of([&] {
            b.driver.submit(ring, Bench::copy(from, kUnmapped));
            b.driver.fence_and_wait(ring);
        });
        EXPECT_EQ(kind, StopKind::Fault) << text;
        b.reset();
        b.machine.run([&] {
            b.driver.submit(ring, Bench::copy(from, to));
            b.driver.fence_and_wait(ring);
        });
        EXPECT_EQ(b.word(to), 0x600D0000 + ring);
    }
}

// A workload of the project, by its path in testbenches/workloads.
Workload loaded(const Bench& b, const std::string& path) {
    config::Diagnostics diagnostics;
    auto workload = load_workload(ARCHIPELAGO_SOURCE_DIR "/testbenches/workloads/" + path,
                                  always(*b.chip), diagnostics);
    diagnostics.throw_if_errors();
    return std::move(*workload);
}

TEST_P(Jobs, CommandBuffersOfAProgramDoNotDisturbThoseOfTheNext) {
    Bench b(GetParam(), "r580");
    const Workload workload = loaded(b, "ctm/reduction.yaml");
    Runner first(workload, b.machine, b.driver), second(workload, b.machine, b.driver);
    EXPECT_THAT(first.run().failures, IsEmpty());
    const RunOutcome outcome = second.run();
    EXPECT_GT(outcome.expectations, 0u);
    EXPECT_THAT(outcome.failures, IsEmpty());
}

TEST_P(Jobs, AnAdrenoRunsOnAndDoesSoAfterAReset) {
    Bench b(GetParam(), "a630");
    const Workload workload = loaded(b, "adreno/all/mem_write.yaml");
    Runner first(workload, b.machine, b.driver), second(workload, b.machine, b.driver),
        third(workload, b.machine, b.driver);
    EXPECT_THAT(first.run().failures, IsEmpty());
    EXPECT_THAT(second.run().failures, IsEmpty());
    b.reset();
    EXPECT_THAT(third.run().failures, IsEmpty());
}

}  // namespace
}  // namespace archipelago::host::job_test
