// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "models/afuc/engine/engine_pins.h"
#include "models/afuc/engine/pm4_header.h"
#include "models/afuc/isa/text.h"
#include "testbenches/cosim/on_pins.h"

namespace archipelago::rtl {
namespace {

using Pins = AfucEnginePins;

class AfucEnginePinsTest : public OnPins<Pins> {
  protected:
    enum Generation : uint8_t { kA5xx, kA6xx, kA660, kA7xx, kA750 };

    // Instructions from 0 on, all written, after a reset.
    void program(Generation generation, const std::string& text) {
        in_ = {};
        in_.rst = 1;
        in_.generation = generation;
        step();
        in_.rst = 0;
        in_.room = 1;
        begin(afuc::assemble(afuc::kGenerations[generation], text).words);
    }
    void begin(std::vector<uint32_t> words) {
        in_.start_valid = 1;
        in_.start.words = static_cast<uint32_t>(words.size());
        const uint8_t room = in_.room;
        in_.room = 0;
        step();
        in_.start_valid = 0;
        words.resize((words.size() + Pins::kLine - 1) / Pins::kLine * Pins::kLine);
        in_.line_valid = 1;
        for (uint32_t at = 0; at < words.size(); at += Pins::kLine) {
            in_.line_address = at;
            std::copy_n(words.begin() + at, Pins::kLine, in_.line_words.begin());
            step();
        }
        in_.line_valid = 0;
        in_.room = room;
    }
    void entry(uint8_t opcode, uint32_t handler) {
        in_.table_valid = 1;
        in_.table_entry = opcode;
        in_.table_value = handler;
        in_.room = 0;
        step();
        in_.table_valid = 0;
        in_.room = 1;
    }
    void run(unsigned issues) {
        for (unsigned i = 0; i < issues; ++i)
            EXPECT_EQ(step().issue, 1) << "pc " << out_.pc << ", wait " << +out_.wait;
    }
    // What the next issue cycle writes to a register.
    uint32_t written() {
        EXPECT_EQ(step().write_count, 1);
        EXPECT_EQ(out_.write_kind[0], Pins::kInternal);
        return out_.write_value[0];
    }
};

TEST_P(AfucEnginePinsTest, WaitsForRoomInstructionsAndWords) {
    program(
        kA6xx,
        "mov $rem, 0x1\n(xmov1)mov $addr, $data\nadd $02, $memdata, $memdata\nmov $03, $regdata\n");
    in_.room = 0;
    EXPECT_EQ(step().wait, Pins::kRoom);
    in_.room = 1;
    run(1);
    EXPECT_EQ(step().wait, Pins::kData);
    in_.data_count = 1;
    in_.data_words[0] = 0x80;
    EXPECT_EQ(step().issue, 1);
    EXPECT_EQ(out_.data_taken, 1);
    in_.memory_count = 1;
    EXPECT_EQ(step().wait, Pins::kMemory);
    in_.memory_count = 2;
    EXPECT_EQ(step().memory_taken, 2);
    EXPECT_EQ(step().wait, Pins::kRegisters);
    begin(std::vector<uint32_t>(8, 0x01000000));
    in_.start_valid = 1;
    in_.start.words = 8;
    step();
    in_.start_valid = 0;
    EXPECT_EQ(step().wait, Pins::kInstruction);
}

TEST_P(AfucEnginePinsTest, PacketLeadsToItsHandlerWithItsWords) {
    program(kA6xx,
            "waitin\nmov $01, $data\nnop\nnop\nmov $addr, 0x9\nmov $data, $rem\n"
            "(rep)mov $data, $data\nnop\n");
    entry(0x10, 4);
    run(1);
    EXPECT_EQ(step().wait, Pins::kData);
    EXPECT_EQ(out_.data_header, 1);
    in_.data_count = 5;
    in_.data_words[0] = afuc::make_type7_header(0x10, 3);
    EXPECT_EQ(step().packet, 1);
    EXPECT_EQ(out_.header, in_.data_words[0]);
    EXPECT_EQ(out_.data_header, 1);
    run(1);
    EXPECT_EQ(out_.pc, 4u);
    EXPECT_EQ(written(), 3u);
    for (unsigned i = 0; i < 3; ++i) {
        in_.data_words[0] = 100 + i;
        EXPECT_EQ(written(), 100 + i);
        EXPECT_EQ(out_.data_header, 0);
    }
    EXPECT_EQ(step().pc, 7u);
}

TEST_P(AfucEnginePinsTest, WrongParityStopsItUntilAStart) {
    for (const unsigned bit : {0u, 15u, 14u, 16u, 23u, 24u, 31u}) {
        program(kA7xx, "waitin\nmov $01, $data\nnop\n");
        entry(0x10, 2);
        in_.data_count = 5;
        in_.data_words[0] = afuc::make_type7_header(0x10, 2) ^ 1u << bit;
        run(1);
        for (unsigned i = 0; i < 4; ++i) {
            EXPECT_EQ(step().fault, Pins::kOpcode) << bit;
            EXPECT_EQ(out_.issue | out_.data_taken, 0);
            EXPECT_EQ(out_.pc, 1u);
            EXPECT_EQ(out_.header, in_.data_words[0]);
        }
        begin({0x01000000});
        EXPECT_EQ(step().issue, 1) << bit;
        EXPECT_EQ(step().fault, Pins::kMicrocode);  // outside of the section
    }
}

TEST_P(AfucEnginePinsTest, BranchThatStoppedLeadsNowhereAfterAStart) {
    program(kA6xx, "jump #l\njump #l\nnop\nnop\nl:\nnop\n");
    run(1);
    EXPECT_EQ(step().fault, Pins::kMicrocode);
    begin(std::vector<uint32_t>(8, 0x01000000));
    for (const uint32_t pc : {0u, 1u, 2u}) {
        EXPECT_EQ(step().pc, pc);
        EXPECT_EQ(out_.issue, 1);
    }
}

TEST_P(AfucEnginePinsTest, LoadsAndLiveRegistersAreAskedFor) {
    program(kA7xx,
            "mov $02, 0x1\ncwrite $02, [$00 + @LOAD_STORE_HI]\nload $addr, [$02 + 0x7]\n"
            "cread $03, [$00 + @THREAD_SYNC]\nload $04, [$memdata + 0x0]\n");
    run(2);
    EXPECT_EQ(step().wait, Pins::kLoad);
    EXPECT_EQ(out_.load_valid, 1);
    EXPECT_EQ(out_.load_address, 0x1'0000'0008u);
    in_.load_valid = 1;
    run(1);
    EXPECT_EQ(step().wait, Pins::kLive);
    in_.live_valid = 1;
    run(1);
    EXPECT_EQ(step().fault, Pins::kUnimplemented);
}

TEST_P(AfucEnginePinsTest, SetsecureLeavesTwoInstructionsOutWhenItIsDone) {
    const char* const text =
        "mov $02, 0x3\nsetsecure $02, #done\nmov $addr, 0x1\nnop\ndone:\nmov $addr, 0x2\n"
        "cread $data, [$00 + @SECURE_MODE]\n";
    for (const bool done : {false, true}) {
        program(kA6xx, text);
        run(1);
        for (unsigned i = 0; i < 2; ++i) {
            EXPECT_EQ(step().wait, Pins::kSecure);
            EXPECT_EQ(out_.secure_valid, 1);
            EXPECT_EQ(out_.secure_on, 1);
        }
        in_.secure_valid = 1;
        in_.secure_done = done ? 1 : 0;
        EXPECT_EQ(step().issue, 1);
        EXPECT_EQ(out_.secure_valid, 0);
        EXPECT_EQ(step().pc, done ? 4u : 2u);
        run(done ? 0 : 2);
        EXPECT_EQ(written(), done ? 1u : 0u);
    }
    program(kA6xx, "jump #l\nsetsecure $02, #l\nnop\nnop\nl:\nnop\n");
    in_.secure_valid = in_.secure_done = 1;
    run(1);
    EXPECT_EQ(step().fault, Pins::kMicrocode);
}

TEST_P(AfucEnginePinsTest, APreemptedEngineComesBackToItsWaitin) {
    program(kA6xx,
            "mov $02, 0xa\nswrite $02, [$00 + %PREEMPT_INSTR]\nmov $03, 0x1\n"
            "cwrite $03, [$00 + @PREEMPT_ENABLE]\nwaitin\nmov $01, $data\nnop\nnop\nnop\nnop\n"
            "mov $addr, 0x5\niret\nmov $data, $03\n");
    entry(0x10, 6);
    in_.preempt = 1;
    run(5);
    EXPECT_EQ(step().preempted, 1);
    EXPECT_EQ(out_.issue | out_.wait | out_.fault, 0);
    EXPECT_EQ(out_.pc, 5u);
    EXPECT_EQ(step().pc, 10u);
    run(1);
    EXPECT_EQ(written(), 1u);  // in the delay slot
    in_.preempt = 0;
    EXPECT_EQ(step().pc, 4u);
    EXPECT_EQ(step().wait, Pins::kData);
    in_.data_count = 1;
    in_.data_words[0] = afuc::make_type7_header(0x10, 0);
    EXPECT_EQ(step().packet, 1);
    EXPECT_EQ(step().pc, 6u);
    // Once it is back it may be preempted again; nothing comes back from nowhere.
    program(kA6xx, "iret\nnop\n");
    EXPECT_EQ(step().fault, Pins::kMicrocode);
}

INSTANTIATE_TEST_SUITE_P(AfucEngine, AfucEnginePinsTest,
                         testing::ValuesIn(core_and_rtl<Pins, afuc::EnginePins>()), kName);

}  // namespace
}  // namespace archipelago::rtl
