// SPDX-License-Identifier: Apache-2.0
// What programs of recorded vectors do not reach: delay slots, waiting, and what stops an engine.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "models/afuc/engine/pm4_header.h"
#include "models/afuc/isa/text.h"
#include "models/common/error.h"
#include "testbenches/host/afuc/engine_alone.h"

namespace archipelago::afuc::test {
namespace {

void load(EngineAlone& b, const std::string& text) {
    const Assembly a = assemble(*b.engine.spec().generation, text);
    ASSERT_TRUE(a.errors.empty()) << a.errors[0].message;
    b.load(a.words);
}
std::string stop_of(const char* generation, const std::string& text,
                    std::deque<uint32_t> stream = {}) {
    EngineAlone b(generation);
    load(b, text);
    b.engine.state().packet_table[0x10] = 0;
    b.stream = std::move(stream);
    try {
        b.run();
    } catch (const MachineStop& stop) {
        return std::string(to_string(stop.kind())) + ": " + stop.what();
    }
    return "waits at pc " + std::to_string(b.engine.state().pc);
}

TEST(AfucEngine, ProgramsThatDoWrongStopWithTheirPlace) {
    const char* const bad = to_string(StopKind::BadInput);
    const auto expected = [&](const char* text) { return std::string(bad) + ": " + text; };
    EXPECT_EQ(stop_of("a6xx", "nop\nnop"),
              expected("engine: pc 2: outside of the image of 2 words"));
    EXPECT_EQ(stop_of("a6xx", "[ffffffff]"),
              expected("engine: pc 0: 0xffffffff is no instruction"));
    EXPECT_EQ(
        stop_of("a6xx", "jump #a\njump #a\na: nop"),
        expected(
            "engine: pc 1, jump: a branch in the delay slot of one that is taken is taken, too"));
    EXPECT_EQ(stop_of("a6xx", "a: call #a\nnop"),
              expected("engine: pc 0, call: more than 8 calls within each other"));
    EXPECT_EQ(stop_of("a6xx", "ret\nnop"),
              expected("engine: pc 0, ret: returns with 0 return addresses"));
    EXPECT_EQ(stop_of("a6xx", "load $02, [$00 + 0x2]"),
              expected("engine: pc 0, load: address 0x2 is not a multiple of 4"));
    EXPECT_EQ(stop_of("a6xx", "mov $02, 0x1\ncwrite $02, [$02 + 0xfff]"),
              expected("engine: pc 1, cwrite: control register 0x1000 is not there"));
    EXPECT_EQ(stop_of("a6xx", "sread $02, [$00 + 0x10]"),
              expected("engine: pc 0, sread: SQE register 0x10 is not there"));
    EXPECT_EQ(stop_of("a6xx",
                      "mov $02, 0x80\ncwrite $02, [$00 + @PACKET_TABLE_WRITE_ADDR]\n"
                      "cwrite $02, [$00 + @PACKET_TABLE_WRITE]"),
              expected("engine: pc 2, cwrite: entry 128 of the packet table, which has 128"));
    EXPECT_EQ(stop_of("a6xx", "mov $02, 0x20\ncwrite $02, [$00 + @DRAW_STATE_SEL]"),
              expected("engine: pc 1, cwrite: draw state 32, there are 32"));
    EXPECT_EQ(
        stop_of("a6xx", "waitin\nmov $01, $data", {0x70108000}),
        expected("engine: pc 1, mov, packet CP_NOP, header 0x70108000: the packet table has no "
                 "handler"));
    EXPECT_EQ(
        stop_of("a6xx", "waitin\nmov $01, $data", {0x70100000}),
        expected(
            "engine: pc 1, mov, packet unknown, header 0x70100000: wrong parity of the count"));
    EXPECT_EQ(
        stop_of("a6xx", "waitin\nmov $01, $data", {0xC0001000}),
        expected(
            "engine: pc 1, mov, packet unknown, header 0xc0001000: neither type 4 nor type 7"));
    EXPECT_EQ(
        stop_of("a6xx", "mov $rem, 0x3\nmov $02, $data\nwaitin\nmov $01, $data", {1, 2}),
        expected("engine: pc 3, mov, packet unknown, header 0x2: neither type 4 nor type 7; $rem "
                 "was 2 in front of it"));
    EXPECT_EQ(
        stop_of("a6xx", "mov $rem, 0x1\nmov $02, $data\nmov $02, $data\nwaitin\nmov $01, $data",
                {1, 2, 3}),
        expected("engine: pc 4, mov, packet unknown, header 0x3: neither type 4 nor type 7; $rem "
                 "was -1 in front of it"));
    EXPECT_EQ(stop_of("a6xx", "iret\nnop"),
              expected("engine: pc 0, iret: nothing has been preempted"));
    EXPECT_EQ(
        stop_of("a6xx", "jump #a\nsetsecure $02, #a\nnop\nnop\na: nop"),
        expected("engine: pc 1, setsecure: a branch in the delay slot of one that is taken is "
                 "taken, too"));
}

TEST(AfucEngine, HeadersHaveParity) {
    EXPECT_EQ(take_header(0x70C80008).words, 8u);
    EXPECT_EQ(take_header(0x70C80008).entry, 0x48u);
    EXPECT_EQ(take_header(0x70C80008).error, nullptr);
    EXPECT_EQ(take_header(0x48088301).first, 0x883u);
    EXPECT_EQ(take_header(0x48088301).words, 1u);
    EXPECT_EQ(take_header(0x48088301).error, nullptr);
    // Any one bit but those of reserved fields is noticed.
    for (unsigned bit = 0; bit < 32; ++bit) {
        EXPECT_NE(take_header(0x70C80008 ^ 1u << bit).error, nullptr) << bit;
        EXPECT_NE(take_header(0x48088301 ^ 1u << bit).error, nullptr) << bit;
    }
}

// An issue cycle that waits has done nothing.
TEST(AfucEngine, AnIssueCycleWaitsForAllOfItsWords) {
    EngineAlone b("a6xx");
    load(b, "mov $rem, 0x4\n(xmov3)mov $usraddr, $data\nnop");
    b.stream = {0x100, 1, 0x200};
    b.run();
    EXPECT_EQ(b.engine.state().pc, 1u);
    EXPECT_EQ(b.engine.state().gpr[kRem], 4u);
    EXPECT_EQ(b.stream.size(), 3u);
    EXPECT_TRUE(b.events.empty());
    b.stream.push_back(2);
    EXPECT_TRUE(b.engine.step());
    const std::vector<Event> expected{{"gpu", 0x100, 1}, {"gpu", 0x200, 2}};
    EXPECT_EQ(b.events, expected);
    EXPECT_EQ(b.engine.state().gpr[kRem], 0u);
}

// Regardless of where it writes, and where the words that are asked for end.
TEST(AfucEngine, AnIssueCycleReadsWhatStoodThereBeforeIt) {
    EngineAlone memory("a6xx");
    load(memory,
         "mov $02, 0x1000\ncwrite $02, [$00 + @MEM_READ_ADDR]\nmov $03, 0x3\n"
         "cwrite $03, [$00 + @MEM_READ_DWORDS]\nmov $addr, 0xa0 << 24\nmov $data, 0x1004\n"
         "mov $data, $00\nmov $addr, 0xa204 << 16\nmov $rem, 0x4\n(xmov3)mov $data, $memdata\nmov "
         "$04, $data");
    for (uint32_t i = 0; i < 5; ++i)
        memory.memory_words[0x1000 + 4 * i] = i;
    memory.run();
    for (uint32_t i = 0; i < 4; ++i)
        EXPECT_EQ(memory.memory_words[0x1004 + 4 * i], i);

    EngineAlone registers("a6xx");
    load(registers,
         "mov $02, 0x100\ncwrite $02, [$00 + @REG_READ_ADDR]\nmov $03, 0x2\n"
         "cwrite $03, [$00 + @REG_READ_DWORDS]\nmov $addr, 0x101\nmov $rem, 0x4\n"
         "(xmov3)mov $data, $regdata\nmov $04, $data");
    for (uint32_t i = 0; i < 5; ++i)
        registers.gpu[0x100 + i] = i;
    registers.run();
    const uint32_t moved[] = {0, 1, 2, 2};
    for (uint32_t i = 0; i < 4; ++i)
        EXPECT_EQ(registers.gpu[0x101 + i], moved[i]);
}

// Regardless of what is moved, (rep) is over when $rem moves have been made.
TEST(AfucEngine, ExtraMovesCountAsWords) {
    const std::string memory =
        "mov $02, 0x1000\ncwrite $02, [$00 + @MEM_READ_ADDR]\nmov $03, 0x20\n"
        "cwrite $03, [$00 + @MEM_READ_DWORDS]\nmov $addr, 0x100\n";
    for (const char* moves : {"", "(xmov1)", "(xmov2)"})
        for (uint32_t rem = 1; rem <= 8; ++rem) {
            EngineAlone b("a6xx");
            load(b, memory + "(rep)" + moves + "mov $data, $memdata\nmov $04, $data");
            for (uint32_t i = 0; i < 16; ++i)
                b.memory_words[0x1000 + 4 * i] = i;
            b.engine.state().gpr[kRem] = rem;
            b.run();
            const auto written = std::count_if(b.events.begin(), b.events.end(),
                                               [](const Event& e) { return e.kind == "gpu"; });
            EXPECT_EQ(written, rem) << moves;
            EXPECT_EQ(b.engine.state().gpr[kRem], 0u) << moves << rem;
        }
    EngineAlone once("a6xx");
    load(once, memory + "mov $rem, 0x3\n(xmov2)mov $data, $memdata\nmov $04, $data");
    once.run();
    EXPECT_EQ(once.engine.state().gpr[kRem], 1u);
}

// One word, however often it is looked at.
TEST(AfucEngine, PeekingWaitsForOneWord) {
    EngineAlone b("a7xx");
    load(b, "mov $rem, 0x4\n(xmov2)(peek)add $data, $data, $data\nmov $02, $data\nmov $02, $data");
    b.stream = {7};
    b.run();
    const std::vector<Event> expected{{"gpu", 0, 14}, {"gpu", 1, 7}, {"gpu", 2, 7}};
    EXPECT_EQ(b.events, expected);
    EXPECT_EQ(b.engine.state().pc, 3u);
}

// Dense branches of a switch: each in the delay slot of the one before, one taken.
TEST(AfucEngine, BranchesMayStandInDelaySlots) {
    for (uint32_t value = 1; value <= 4; ++value) {
        EngineAlone b("a6xx");
        load(b,
             "breq $02, 0x1, #a\nbreq $02, 0x2, #b\nbreq $02, 0x3, #c\nnop\njump #d\nnop\n"
             "a: mov $03, 0x1\nmov $04, $data\nb: mov $03, 0x2\nmov $04, $data\n"
             "c: mov $03, 0x3\nmov $04, $data\nd: mov $03, 0x4\nmov $04, $data");
        b.engine.state().gpr[2] = value;
        b.run();
        EXPECT_EQ(b.engine.state().gpr[3], value);
    }
}

// $data goes where $addr or $usraddr points, whichever was written last; bit 18 keeps it there.
TEST(AfucEngine, TheRegisterPortCountsUpUnlessToldNotTo) {
    EngineAlone b("a6xx");
    load(b,
         "mov $addr, 0x100\nmov $data, 0x1\nmov $usraddr, 0x200\nmov $data, 0x2\nmov $data, 0x3\n"
         "mov $addr, 0x4 << 16\nmov $data, 0x4\nmov $data, 0x5\nmov $02, $data");
    b.run();
    const std::vector<Event> expected{
        {"gpu", 0x100, 1}, {"gpu", 0x200, 2}, {"gpu", 0x201, 3}, {"gpu", 0, 4}, {"gpu", 0, 5}};
    EXPECT_EQ(b.events, expected);
    EXPECT_EQ(b.engine.state().gpr[kUsrAddr], 0x202u);
}

// What stands after setsecure is for one that has been refused, and there is no delay slot.
TEST(AfucEngine, SetsecureLeavesOutTwoInstructionsUnlessItIsRefused) {
    for (const char* generation : {"a5xx", "a6xx", "a660", "a7xx", "a750"}) {
        for (const uint32_t mode : {0u, 1u, 2u, 3u}) {
            for (const bool trusts : {false, true}) {
                EngineAlone b(generation);
                load(b,
                     "setsecure $02, #done\nmov $03, 0x1\nmov $04, 0x1\ndone: mov $05, 0x1\n"
                     "mov $06, $data");
                b.engine.state().gpr[2] = mode;
                b.trusts = trusts;
                b.run();
                const std::vector<Event> asked{{"secure", 0, mode & 1}};
                EXPECT_EQ(b.events, asked);
                EXPECT_EQ(b.engine.state().gpr[3], trusts ? 0u : 1u);
                EXPECT_EQ(b.engine.state().gpr[4], trusts ? 0u : 1u);
                EXPECT_EQ(b.engine.state().gpr[5], 1u);
                const RegisterName* shown =
                    find_register(b.engine.spec().generation->names, Space::Control, "SECURE_MODE");
                if (shown != nullptr) {
                    EXPECT_EQ(b.engine.state().control[shown->first], trusts ? mode & 1 : 0);
                }
            }
        }
    }
}

// Preemption takes place where a packet is waited for, once it is enabled, and not amid itself.
TEST(AfucEngine, PreemptionLeavesAWaitinAndComesBackToIt) {
    for (const char* generation : {"a6xx", "a660", "a7xx", "a750"}) {
        EngineAlone b(generation);
        load(b,
             "mov $02, #routine\nswrite $02, [$00 + %PREEMPT_INSTR]\nmov $03, $data\nwaitin\n"
             "mov $01, $data\nhandler: add $04, $04, 0x1\nwaitin\nmov $01, $data\n"
             "routine: add $05, $05, 0x1\nmov $06, $data\niret\nadd $07, $07, 0x1");
        b.engine.state().packet_table[0x10] = 5;
        const auto control = [&](const char* name) -> uint32_t& {
            const Names names = b.engine.spec().generation->names;
            return b.engine.state().control[find_register(names, Space::Control, name)->first];
        };
        b.preempt = true;
        control("PREEMPT_ENABLE") = 1;
        b.run();
        EXPECT_EQ(b.engine.state().pc, 2u);  // not at other words
        control("PREEMPT_ENABLE") = 0;
        b.stream = {1};
        b.run();
        EXPECT_EQ(b.engine.state().pc, 4u);
        control("PREEMPT_ENABLE") = 1;
        b.run();
        EXPECT_EQ(b.engine.state().gpr[5], 1u);
        EXPECT_EQ(b.engine.state().pc, 9u);
        EXPECT_EQ(b.engine.state().sqe[8], 3u);  // STACK0
        b.preempt = true;
        b.stream = {7, 0x70108000};
        b.run();  // the end of the routine, and again
        EXPECT_EQ(b.engine.state().gpr[7], 2u);
        EXPECT_EQ(b.engine.state().gpr[5], 2u);
        EXPECT_EQ(b.engine.state().gpr[6], 0x70108000u);
        b.stream = {0x70108000};
        b.run();
        EXPECT_EQ(b.engine.state().gpr[7], 2u);
        EXPECT_EQ(b.engine.state().gpr[4], 1u);  // the packet's handler
        EXPECT_EQ(b.engine.state().sqe[5], 0u);  // SP
        control("PREEMPT_TRIGGER") = 1;
        b.run();
        EXPECT_EQ(b.engine.state().gpr[5], 3u);
    }
}

TEST(AfucEngine, ABitOfNrtAddressKeepsIt) {
    EngineAlone b("a6xx");
    load(b,
         "mov $addr, 0xa0 << 24\nmov $data, 0x2001\nmov $data, 0x0\nmov $addr, 0xa204 << 16\n"
         "mov $data, 0x1\nmov $data, 0x2\nmov $02, $data");
    b.run();
    EXPECT_EQ(b.memory_words[0x2000], 2u);
    EXPECT_EQ(b.memory_words.count(0x2004), 0u);
}

}  // namespace
}  // namespace archipelago::afuc::test
