// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <vector>

#include "models/ctm/command/command.h"
#include "models/ctm/pe/sequencer_core.h"
#include "testbenches/cosim/on_pins.h"

namespace archipelago::rtl {
namespace {

class CtmPePinsTest : public OnPins<CtmPePins> {
  protected:
    void ready(uint8_t value) {
        in_.mc_ready = in_.co_ready = in_.ctr_ready = in_.start_ready = value;
    }
    void open(uint32_t dwords, bool after_idle = false) {
        in_.buf_valid = 1;
        in_.buf = {dwords, static_cast<uint8_t>(after_idle ? 1 : 0)};
        EXPECT_EQ(step().buf_ready, 1);
        in_.buf_valid = 0;
    }
    // Dwords, one a cycle, while they are taken.
    void give(const std::vector<uint32_t>& words) {
        in_.dw_valid = 1;
        for (const uint32_t word : words) {
            in_.dw_data = word;
            EXPECT_EQ(step().dw_ready, 1) << word;
        }
        in_.dw_valid = 0;
    }
    // A buffer of one command, up to the cycle before its effect.
    void command(const std::vector<uint32_t>& words) {
        for (unsigned i = 0; i < 10 && step().buf_ready == 0; ++i) {
        }
        open(static_cast<uint32_t>(words.size()));
        give(words);
    }
    std::vector<uint32_t> of(const ctm::CommandInfo& info, uint32_t parameter = 0) {
        std::vector<uint32_t> words{info.header};
        words.resize(1 + info.parameters, parameter);
        return words;
    }
};

TEST_P(CtmPePinsTest, EveryCommandReachesItsReceiver) {
    ready(1);
    for (const ctm::CommandInfo& info : ctm::commands()) {
        command(of(info, 0x1234));
        step();
        EXPECT_EQ(out_.mc_valid, (info.units & ctm::kToMemoryController) != 0) << info.name;
        EXPECT_EQ(out_.co_valid, (info.units & ctm::kToConditionalOperation) != 0) << info.name;
        EXPECT_EQ(out_.start_valid, info.opcode == ctm::Opcode::StartProgram) << info.name;
        EXPECT_EQ(out_.ctr_valid, info.opcode <= ctm::Opcode::ReadPerfCounters) << info.name;
        EXPECT_EQ(out_.cmd.opcode, static_cast<unsigned>(info.opcode));
        EXPECT_EQ(out_.cmd.p[info.parameters - 1], 0x1234u) << info.name;
        EXPECT_EQ(out_.cmd.p[3], info.parameters == 4 ? 0x1234u : 0u) << info.name;
        in_.mc_done = out_.mc_valid;
        in_.co_done = out_.co_valid;
        step();
        in_.mc_done = in_.co_done = 0;
        EXPECT_EQ(step().end_valid | out_.buf_ready, 1) << info.name;
        if (info.opcode == ctm::Opcode::StartProgram) {
            command({0xC0000900, 0});
            step();
        }
    }
}

TEST_P(CtmPePinsTest, EffectComesItsCyclesBehindTheLastDword) {
    ready(1);
    for (const uint8_t cycles : {0, 1, 7, 63}) {
        in_.cycles = cycles;
        command({0xC0001900, 5});
        for (unsigned i = 0; i < cycles; ++i)
            EXPECT_EQ(step().mc_valid, 0) << i;
        EXPECT_EQ(step().mc_valid, 1);
        in_.mc_done = 1;
        step();
        in_.mc_done = 0;
        step();
    }
}

TEST_P(CtmPePinsTest, HeadersThatAreNoneStopItUntilReset) {
    for (const uint32_t header : {0u, 0xC0000100u, 0xC0001D00u, 0xC0000801u, 0xC0010800u,
                                  0x40000800u, 0x80000800u, 0xC0040800u, 0xE0000800u}) {
        open(8);
        give({header});
        EXPECT_EQ(step().stop_code, CtmPePins::kUnknownHeader) << header;
        EXPECT_EQ(out_.dw_ready | out_.buf_ready, 0);
        in_.rst = 1;
        step();
        in_.rst = 0;
        EXPECT_EQ(step().stop_code, 0);
    }
}

TEST_P(CtmPePinsTest, BufferThatEndsWithinACommandStopsIt) {
    for (const ctm::CommandInfo& info : ctm::commands())
        for (const unsigned missing : {0u, 1u}) {
            open(1 + info.parameters - missing);
            give({info.header});
            EXPECT_EQ(step().stop_code, missing != 0 ? CtmPePins::kEndsWithin : CtmPePins::kNone)
                << info.name;
            in_.rst = 1;
            step();
            in_.rst = 0;
        }
}

TEST_P(CtmPePinsTest, UndefinedCommandStopsItUnlessItIsAllowed) {
    ready(1);
    for (const uint8_t allow : {0, 1}) {
        in_.allow = allow;
        in_.rst = 1;
        step();
        in_.rst = 0;
        command({0xC0000800, 0});
        step();
        command({0xC0010A00, 0, 0});
        step();
        EXPECT_EQ(out_.stop_code, allow != 0 ? CtmPePins::kNone : CtmPePins::kUndefined);
        EXPECT_EQ(out_.mc_valid, allow);
    }
}

TEST_P(CtmPePinsTest, HostThatHasSeenItIdleBeginsAfresh) {
    ready(1);
    command({0xC0000800, 0});
    step();
    step();
    open(3, true);
    give({0xC0010A00, 0, 0});
    EXPECT_EQ(step().mc_valid, 1);
}

TEST_P(CtmPePinsTest, CommandsWaitForProgramsAndStartsDoNot) {
    ready(1);
    in_.programs_run = 1;
    command({0xC0000800, 0});
    EXPECT_EQ(step().start_valid, 1);
    in_.programs_run = 0;
    command({0xC0001600, 0});
    in_.programs_run = 1;
    for (unsigned i = 0; i < 5; ++i) {
        EXPECT_EQ(step().mc_valid, 0);
        EXPECT_EQ(out_.wait_code, CtmPePins::kPrograms);
    }
    in_.programs_run = 0;
    EXPECT_EQ(step().mc_valid, 1);
}

TEST_P(CtmPePinsTest, StartWaitsUntilCommandsOfUnitsAreDone) {
    ready(1);
    open(4);
    give({0xC0001600, 0});
    EXPECT_EQ(step().mc_valid, 1);
    give({0xC0000800, 0});
    for (unsigned i = 0; i < 5; ++i) {
        EXPECT_EQ(step().start_valid, 0);
        EXPECT_EQ(out_.wait_code, CtmPePins::kUnits);
    }
    in_.mc_done = 1;
    EXPECT_EQ(step().start_valid, 0);
    in_.mc_done = 0;
    EXPECT_EQ(step().start_valid, 1);
}

INSTANTIATE_TEST_SUITE_P(CtmPe, CtmPePinsTest,
                         testing::ValuesIn(core_and_rtl<CtmPePins, ctm::SequencerCore>()), kName);

}  // namespace
}  // namespace archipelago::rtl
