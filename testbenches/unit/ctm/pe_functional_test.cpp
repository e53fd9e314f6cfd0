// SPDX-License-Identifier: Apache-2.0
// What each command does, in functional mode.
#include "models/ctm/pe/pe_functional.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "models/common/error.h"
#include "models/common/memory_image.h"

namespace archipelago::ctm {
namespace {

constexpr uint32_t kBuffers = 0x1000;

// The machine as a log of what the PE asks of it.
struct Machine : PeMachine {
    Machine() { image.map(0, 0x10000); }
    void memory_controller_command(const UnitCommand& c) override { log.push_back(name("mc", c)); }
    void conditional_operation_command(const UnitCommand& c) override {
        log.push_back(name("co", c));
    }
    uint8_t test(const ConditionRequest& r) override {
        log.push_back("test " + std::to_string(r.origin.x) + "," + std::to_string(r.origin.y));
        return passes;
    }
    void run(const ThreadLaunch& t) override {
        threads.push_back(t);
        log.push_back("thread " + std::to_string(t.number));
        now.total += 10;
        now.active += 3;
    }
    bool read(uint64_t address, uint32_t* dwords, size_t count) override {
        return image.read(address, dwords, 4 * count);
    }
    bool write(uint64_t address, const uint32_t* dwords, size_t count) override {
        return image.write(address, dwords, 4 * count);
    }
    PerfClocks clocks() override { return now; }
    void consumed(uint32_t buffer) override { log.push_back("consumed " + std::to_string(buffer)); }
    static std::string name(const char* unit, const UnitCommand& c) {
        return std::string(unit) + " " + commands().row(static_cast<Opcode>(c.opcode)).name + " " +
               std::to_string(c.parameters[0]);
    }

    MemoryImage image;
    PerfClocks now{1000, 500};
    uint8_t passes = 15;
    std::vector<ThreadLaunch> threads;
    std::vector<std::string> log;
};

class CtmPeFunctional : public testing::Test {
  protected:
    void submit(const std::vector<uint32_t>& words) {
        machine.image.write(kBuffers, words.data(), 4 * words.size());
        registers.write(kCbAddress, kBuffers);
        registers.write(kCbSize, static_cast<uint32_t>(4 * words.size()));
        pe.run();
    }
    std::string stop(const std::vector<uint32_t>& words) {
        try {
            submit(words);
        } catch (const MachineStop& s) {
            return std::string(to_string(s.kind())) + ": " + s.what();
        }
        return "";
    }
    uint32_t get(uint32_t offset) {
        uint32_t value = 0;
        EXPECT_TRUE(registers.read(offset, value));
        return value;
    }
    uint32_t memory(uint32_t address) {
        uint32_t value = 0;
        EXPECT_TRUE(machine.image.read(address, &value, 4));
        return value;
    }
    RegisterFile registers;
    Machine machine;
    PeFunctional pe{{}, false, registers, machine};
    PeFunctional lenient{{}, true, registers, machine};
};

using Log = std::vector<std::string>;
constexpr uint32_t kStart = 0xC0000800, kIdle = 0xC0000900;

TEST_F(CtmPeFunctional, CommandsOfOtherUnitsAreForwardedInOrder) {
    Log expected;
    std::vector<uint32_t> words;
    for (const CommandInfo& info : commands()) {
        if ((info.units & kToProcessorExecution) != 0)
            continue;
        words.push_back(info.header);
        const auto value = static_cast<uint32_t>(100 + words.size());
        for (unsigned i = 0; i < info.parameters; ++i)
            words.push_back(value + i);
        const std::string text = std::string(info.name) + " " + std::to_string(value);
        if ((info.units & kToMemoryController) != 0)
            expected.push_back("mc " + text);
        if ((info.units & kToConditionalOperation) != 0)
            expected.push_back("co " + text);
    }
    expected.push_back("consumed 1");
    submit(words);
    EXPECT_EQ(machine.log, expected);
    EXPECT_EQ(pe.commands(), 19u);
}

TEST_F(CtmPeFunctional, StartTakesDomainConditionalValueAndProgramInfo) {
    registers.write(kProgInfo, kUncachedOutputs | 17u << kTemporariesShift);
    submit({0xC0030700, 0xfffff002, 0x1003, 5, 7, 0xC0000600, 0xdeadbeef, kStart, 1,  //
            0xC0030700, 0, 0, 0, 0, 0xC0000600, 1});
    ASSERT_EQ(machine.threads.size(), 1u);
    const ThreadLaunch& t = machine.threads[0];
    EXPECT_EQ(t.quads, 6);
    EXPECT_EQ(t.origin[0].x, 2);
    EXPECT_EQ(t.origin[0].y, 2);
    EXPECT_EQ(t.covered, 0xffffccu | 0u);
    EXPECT_EQ(t.conditional, 0xdeadbeef);
    EXPECT_FALSE(t.conditional_output);
    EXPECT_TRUE(t.mode.uncached_outputs);
    EXPECT_FALSE(t.mode.full_flow_control);
    EXPECT_EQ(t.temporaries, 17);
    EXPECT_EQ(pe.settings().domain.i1, 0);
}

TEST_F(CtmPeFunctional, ProgramInfoIsThatOfTheSubmission) {
    submit({kStart, 0, kIdle, 0});
    EXPECT_TRUE(machine.threads.back().mode.full_flow_control);
    EXPECT_FALSE(machine.threads.back().mode.uncached_outputs);
    EXPECT_EQ(machine.threads.back().temporaries, 128);
    registers.write(kProgInfo, 0xff00);
    submit({kStart, 0, kIdle, 0});
    EXPECT_FALSE(machine.threads.back().mode.full_flow_control);
    EXPECT_EQ(machine.threads.back().temporaries, 128);
}

TEST_F(CtmPeFunctional, NotPipelinedCommandBehindAStartIsUndefined) {
    for (const CommandInfo& info : commands()) {
        std::vector<uint32_t> words = {kStart, 0, info.header};
        words.resize(words.size() + info.parameters);
        const std::string why = stop(words);
        EXPECT_EQ(why.empty(), info.pipelined) << info.name;
        if (!info.pipelined) {
            EXPECT_NE(why.find(", dword 2, " + std::string(info.name) + ": undefined"),
                      std::string::npos)
                << why;
        }
        words.insert(words.begin() + 2, {kIdle, 0});
        EXPECT_EQ(stop(words), "") << info.name;
        submit({kIdle, 0});
    }
}

TEST_F(CtmPeFunctional, UndefinedIsCarriedOutWhenItIsAllowed) {
    const std::vector<uint32_t> words = {kStart, 0, 0xC0010A00, 0x800, 0};
    machine.image.write(kBuffers, words.data(), 4 * words.size());
    registers.write(kCbAddress, kBuffers);
    registers.write(kCbSize, 20);
    lenient.run();
    EXPECT_EQ(machine.log, (Log{"thread 0", "mc set_inst_fmt 2048", "consumed 1"}));
}

TEST_F(CtmPeFunctional, StartLivesOnBetweenBuffersUntilIdleIsWaitedForOrSeen) {
    const std::vector<uint32_t> set = {0xC0010A00, 0x800, 0};
    submit({kStart, 0});
    EXPECT_NE(stop(set), "");
    submit({kIdle, 0});
    EXPECT_EQ(stop(set), "");
    for (const uint32_t seen : {kStatus, kCbConsumed}) {
        submit({kStart, 0});
        registers.consume();
        get(seen);
        EXPECT_EQ(stop(set), "");
        submit({kStart, 0});
        get(kCbAddress);
        EXPECT_NE(stop(set), "");
        registers.consume();
        submit({kIdle, 0});
    }
}

TEST_F(CtmPeFunctional, RegistersShowWhatIsConsumed) {
    registers.write(kCbAddress, 0xff000000);
    EXPECT_EQ(get(kCbAddress), 0xff000000u);
    EXPECT_EQ(get(kCbConsumed), 0u);
    EXPECT_EQ(get(kStatus), 0u);
    submit({kIdle, 0});
    submit({kIdle, 0});
    EXPECT_EQ(get(kCbConsumed), 2u);
    EXPECT_EQ(machine.log, (Log{"consumed 1", "consumed 2"}));
    registers.write(kCbSize, 8);
    EXPECT_EQ(get(kStatus), kStatusPeBusy);
    uint32_t value = 0;
    EXPECT_FALSE(registers.read(kRegisterBytes, value));
    EXPECT_FALSE(registers.write(kStatus, 0));
    EXPECT_FALSE(registers.write(kCbConsumed, 0));
    EXPECT_FALSE(registers.write(2, 0));
}

TEST_F(CtmPeFunctional, ConditionalExecutionLeavesOutWhatFails) {
    machine.passes = 0;
    const std::vector<uint32_t> setup = {0xC0001B00, 1, 0xC0001C00, 1, 0xC0030700, 0, 0, 3, 1};
    submit(setup);
    submit({kStart, 0});
    EXPECT_TRUE(machine.threads.empty());
    machine.passes = 9;
    machine.log.clear();
    submit({kStart, 0});
    EXPECT_EQ(machine.log, (Log{"test 0,0", "test 2,0", "thread 0", "consumed 3"}));
    EXPECT_EQ(machine.threads[0].program, 2u);
    EXPECT_EQ(machine.threads[0].covered, 0x99u);
    EXPECT_FALSE(machine.threads[0].conditional_output);
    // Location DPP: the threads ask.
    submit({0xC0001C00, 0, kStart, 0});
    EXPECT_TRUE(machine.threads[1].conditional_output);
    EXPECT_EQ(machine.threads[1].covered, 0xffu);
}

TEST_F(CtmPeFunctional, PerformanceCountersCountBetweenStartAndStop) {
    const std::vector<uint32_t> read = {0xC0010500, 0x2fff, 0};  // 0x2800
    submit(read);
    EXPECT_EQ(memory(0x2800), 0u);  // they are off
    const uint32_t mark[2] = {7, 7};
    machine.image.write(0x2800, mark, 8);
    submit({0xC0010200, 0, 0, 0xC0000300, 0});
    submit(read);
    EXPECT_EQ(memory(0x2800), 7u);
    submit({0xC0010200, 1, 0});
    submit(read);
    EXPECT_EQ(memory(0x2800), 0u);
    submit({0xC0000300, 0, kStart, 0, kIdle, 0});
    submit(read);
    EXPECT_EQ(memory(0x2800), 10u);
    EXPECT_EQ(memory(0x2804), 3u);
    submit({kStart, 0, 0xC0000400, 0, kStart, 0, kIdle, 0});
    submit(read);
    EXPECT_EQ(memory(0x2800), 20u);
    EXPECT_EQ(memory(0x2804), 6u);
    submit({0xC0000300, 0});
    submit(read);
    EXPECT_EQ(memory(0x2800), 0u);
    // Off: what was counted stays, and further commands do nothing.
    submit({kStart, 0, kIdle, 0, 0xC0010200, 0xfffffffe, 0, 0xC0000300, 0});
    submit(read);
    EXPECT_EQ(memory(0x2800), 0u);
    submit({0xC0010200, 1, 0});
    submit(read);
    EXPECT_EQ(memory(0x2800), 10u);
}

TEST_F(CtmPeFunctional, MemoryThatIsNotThereStopsWithItsPlace) {
    EXPECT_EQ(
        stop({0xC0010200, 1, 0, 0xC0010500, 0x20000, 0}),
        "access fault: command buffer 1 at 0x1000, dword 3, read_perf_counters: write to unmapped "
        "address 0x20000");
    registers.write(kCbAddress, 0x10000 - 8);
    registers.write(kCbSize, 16);
    const uint32_t words[2] = {kIdle, 0};
    machine.image.write(0x10000 - 8, words, 8);
    try {
        pe.run();
        FAIL();
    } catch (const MachineStop& s) {
        EXPECT_EQ(s.kind(), StopKind::Fault);
        EXPECT_STREQ(s.what(),
                     "command buffer 2 at 0xfff8, dword 2: fetch from unmapped address 0x10000");
    }
}

TEST_F(CtmPeFunctional, BufferAcrossLinesIsReadWhole) {
    std::vector<uint32_t> words;
    for (uint32_t i = 0; i < 100; ++i)
        words.insert(words.end(), {0xC0001900, i});
    machine.image.write(kBuffers + 52, words.data(), 4 * words.size());
    registers.write(kCbAddress, kBuffers + 52);
    registers.write(kCbSize, 800);
    pe.run();
    ASSERT_EQ(machine.log.size(), 101u);
    for (uint32_t i = 0; i < 100; ++i)
        EXPECT_EQ(machine.log[i], "mc set_out_mask " + std::to_string(i));
}

}  // namespace
}  // namespace archipelago::ctm
