// SPDX-License-Identifier: Apache-2.0
// The CO in cycle mode: order, latency, what a result and a command wait for.
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "models/common/error.h"
#include "models/ctm/co/co_core.h"
#include "models/ctm/command/command.h"

namespace archipelago::ctm::co_test {
namespace {

class CtmCoCore : public testing::Test {
  protected:
    CtmCoCore() {
        core.to_pe.connect(pe);
        core.to_memory.connect(memory);
        core.to_commands_done.connect(done);
        for (unsigned i = 0; i < spec().arrays; ++i) {
            arrays.push_back(std::make_unique<Channel<ConditionResult>>(ChannelSpec{8, 1}));
            core.to_array[i].connect(*arrays[i]);
        }
    }
    static CoSpec spec() {
        CoSpec s;
        s.arrays = 2;
        s.in_flight = 4;
        s.latency = 3;
        s.requests = {16, 1};
        return s;
    }
    void step(unsigned cycles = 1) {
        for (unsigned i = 0; i < cycles; ++i)
            core.tick(++now);
    }
    void command(Opcode opcode, uint32_t p0, uint32_t p1 = 0) {
        core.commands.push(now, UnitCommand{static_cast<uint8_t>(opcode), {p0, p1, 0, 0}});
        step(2);
        ASSERT_TRUE(done.ready(now + 1));
        EXPECT_EQ(done.take().opcode, static_cast<uint8_t>(opcode));
    }
    void set_up(Condition condition, ConditionLocation location) {
        command(Opcode::SetCondOutFmt, 0, 2u << 24);
        command(Opcode::SetCondTest, static_cast<uint32_t>(condition));
        command(Opcode::SetCondLoc, static_cast<uint32_t>(location));
    }
    static ConditionRequest request(uint32_t tag, uint32_t value = 1) {
        ConditionRequest r;
        r.lanes = 15;
        r.value.fill(value);
        r.tag = tag;
        return r;
    }
    // Answers the oldest access of the MC.
    ElementRequest serve(uint32_t value) {
        EXPECT_TRUE(memory.can_pop(now + 1));
        const ElementRequest r = memory.pop(now + 1);
        ElementResponse answer;
        answer.tag = r.tag;
        answer.lanes = r.lanes;
        for (auto& lane : answer.value)
            lane[0] = value;
        core.from_memory.push(now, answer);
        return r;
    }
    CoCore core{spec()};
    Channel<ConditionResult> pe{{8, 1}};
    Channel<ElementRequest> memory{{8, 1}};
    EventLink<UnitCommandDone> done;
    std::vector<std::unique_ptr<Channel<ConditionResult>>> arrays;
    Cycle now = 10;
};

TEST_F(CtmCoCore, ResultWithoutMemoryComesItsLatencyBehind) {
    core.from_pe.push(now, request(7));
    const Cycle taken = now + 1;
    while (pe.empty())
        step();
    EXPECT_EQ(now, taken + spec().latency);
    EXPECT_EQ(pe.pop(now + 1).tag, 7u);
    EXPECT_TRUE(memory.empty());
}

TEST_F(CtmCoCore, TestsAreTakenInTurnAndAnsweredInOrder) {
    for (uint32_t n = 0; n < 2; ++n) {
        core.from_array[0].push(now, request(10 + n));
        core.from_array[1].push(now, request(20 + n));
        core.from_pe.push(now, request(30 + n));
    }
    step(20);
    EXPECT_EQ(core.state().counters.tests, 6u);
    for (uint32_t n = 0; n < 2; ++n) {
        EXPECT_EQ(arrays[0]->pop(now + 1).tag, 10 + n);
        EXPECT_EQ(arrays[1]->pop(now + 1).tag, 20 + n);
        EXPECT_EQ(pe.pop(now + 1).tag, 30 + n);
    }
}

TEST_F(CtmCoCore, ResultWaitsUntilWhatPassedIsTakenByTheMc) {
    set_up(Condition::Less, ConditionLocation::ProcessorExecution);
    core.from_pe.push(now, request(7));
    step(2);
    const ElementRequest read = serve(2);
    EXPECT_FALSE(read.write);
    step(2);
    EXPECT_TRUE(pe.empty());
    step(30);
    EXPECT_TRUE(pe.empty());
    const ElementRequest write = serve(0);
    EXPECT_TRUE(write.write);
    EXPECT_EQ(write.lanes, 15);
    const Cycle taken = now + 1;
    while (pe.empty())
        step();
    EXPECT_EQ(now, taken + spec().latency);
    EXPECT_EQ(pe.pop(now + 1).lanes, 15);
}

TEST_F(CtmCoCore, FailingTestWritesNothing) {
    set_up(Condition::Less, ConditionLocation::Processors);
    core.from_array[1].push(now, request(7, 3));
    step(2);
    serve(2);
    step(20);
    EXPECT_TRUE(memory.empty());
    EXPECT_EQ(arrays[1]->pop(now + 1).lanes, 0);
    EXPECT_TRUE(core.idle());
}

TEST_F(CtmCoCore, AsManyTestsAreInsideAsMayBeAndAnswersMayComeInAnyOrder) {
    set_up(Condition::Equal, ConditionLocation::ProcessorExecution);
    for (uint32_t n = 0; n < 8; ++n)
        core.from_pe.push(now, request(n, n));
    step(20);
    EXPECT_EQ(core.state().tests.size(), spec().in_flight);
    EXPECT_EQ(core.state().counters.reads, spec().in_flight);
    std::vector<ElementRequest> reads;
    while (memory.can_pop(now + 1))
        reads.push_back(memory.pop(now + 1));
    for (auto r = reads.rbegin(); r != reads.rend(); ++r) {
        ElementResponse answer;
        answer.tag = r->tag;
        for (auto& lane : answer.value)
            lane[0] = 1000;
        core.from_memory.push(now, answer);
        EXPECT_TRUE(pe.empty());
        step();
    }
    step(20);
    for (uint32_t n = 0; n < 4; ++n)
        EXPECT_EQ(pe.pop(now + 1).tag, n);
}

TEST_F(CtmCoCore, CommandWaitsForTestsInsideAndHoldsUpThoseBehind) {
    set_up(Condition::Less, ConditionLocation::ProcessorExecution);
    core.from_pe.push(now, request(1, 3));
    step(3);
    core.commands.push(now, UnitCommand{static_cast<uint8_t>(Opcode::SetCondTest), {0, 0, 0, 0}});
    core.from_pe.push(now, request(2, 3));
    step(20);
    EXPECT_FALSE(done.ready(now + 1));
    EXPECT_EQ(core.state().counters.tests, 1u);
    serve(9);  // 3 < 9
    step(3);
    serve(0);
    step(20);
    EXPECT_TRUE(done.ready(now + 1));
    EXPECT_EQ(pe.pop(now + 1).lanes, 15);
    EXPECT_EQ(pe.pop(now + 1).lanes, 0);  // never
}

TEST_F(CtmCoCore, SaysWhatItWaitsFor) {
    set_up(Condition::Less, ConditionLocation::ProcessorExecution);
    core.from_pe.push(now, request(1, 3));
    step(5);
    EXPECT_EQ(core.waiting_for(), "ctm.co: 1 tests inside, that of (0, 0) reads");
    core.reset();
    EXPECT_TRUE(core.idle());
    EXPECT_EQ(core.waiting_for(), "");
}

}  // namespace
}  // namespace archipelago::ctm::co_test
