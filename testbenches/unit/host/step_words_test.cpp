// SPDX-License-Identifier: Apache-2.0
// Steps that end inside a packet: the next of the ring goes on with it, or the workload is refused.
#include <gmock/gmock.h>

#include "models/afuc/pm4/text.h"
#include "models/ctm/command/command_text.h"
#include "testbenches/host/step_words.h"
#include "testbenches/host/whole_packets.h"
#include "testbenches/unit/host/workload_files.h"

namespace archipelago::host::test {
namespace {

using Words = std::vector<uint32_t>;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// NOP of 3 dwords, WRITE_DATA of 5.
constexpr const char* kWhole = "0xc0011000, 1, 2";
const Words kWriteData = {0xC0033700, 0x100500, 0x200000, 0, 0x77};

class StepWordsTest : public WorkloadFiles {
  protected:
    StepWordsTest() : rings_(test_chip({}).rings) { ring("cp").packets = &adreno_; }
    WorkloadChip::Ring& ring(const std::string& name) {
        return *std::find_if(rings_.begin(), rings_.end(),
                             [&](const auto& r) { return r.name == name; });
    }
    std::string refused(const std::string& steps) {
        const Workload w = good("steps:\n" + steps);
        try {
            const StepWords words(w.steps, rings_);
        } catch (const std::runtime_error& error) {
            return error.what();
        }
        return "";
    }

    std::vector<WorkloadChip::Ring> rings_;
    const afuc::Pm4Language adreno_{afuc::Names::A6xx};
};

TEST_F(StepWordsTest, WholePacketsGoIntoTheRingAsTheyAre) {
    const Workload w = good(std::string("steps:\n  - {ring: gfx, words: [") + kWhole + "]}\n");
    EXPECT_THAT(StepWords(w.steps, rings_).of(0), ElementsAre(0xC0011000, 1, 2));
}

// Over three steps, with another ring's step, memory and an expectation in between.
TEST_F(StepWordsTest, APacketGoesIntoTheRingWithTheStepThatEndsIt) {
    const Workload w = good(R"(
memory:
  - {address: 0x200000, size: 64}
steps:
  - {ring: gfx, words: [0xc0011000, 1, 2, 0xc0033700, 0x100500]}
  - {ring: compute0, words: [0x80000000]}
  - {ring: gfx, words: [0x200000]}
  - {wait: compute0}
  - expect: {address: 0x200000, words: [0]}
  - {ring: gfx, words: [0, 0x77, 0x80000000, 0xc0001000]}
  - {ring: gfx, words: [5]}
  - {wait: gfx}
)");
    const StepWords words(w.steps, rings_);
    EXPECT_THAT(words.of(0), ElementsAre(0xC0011000, 1, 2));
    EXPECT_THAT(words.of(1), ElementsAre(0x80000000));
    EXPECT_THAT(words.of(2), IsEmpty());
    Words last = kWriteData;
    last.push_back(0x80000000);
    EXPECT_EQ(words.of(5), last);
    EXPECT_THAT(words.of(6), ElementsAre(0xC0001000, 5));
}

TEST_F(StepWordsTest, WhatTheHostPutsBehindAPacketIsNotTheRestOfIt) {
    const std::string cut = "  - {ring: gfx, words: [0xc0011000, 1, 2, 0xc0033700, 0x100500]}\n";
    const std::string where =
        "w.yaml:2:5: steps[0]: ends inside packet WRITE_DATA, which begins at dword 3 of the step: "
        "3 of its dwords are missing, and ";
    EXPECT_EQ(refused(cut), where + "the fence at the end of the run would be taken for them");
    EXPECT_EQ(refused(cut + "  - {wait: gfx}\n"),
              where + "the fence of w.yaml:3:5: steps[1] would be taken for them");
    EXPECT_EQ(refused(cut + "  - {ring: gfx, ib: {address: 0x200000, dwords: 4}}\n"),
              where + "the call of the buffer of w.yaml:3:5: steps[1] would be taken for them");
    // The step with its begin is named, not the last that went on with it.
    EXPECT_EQ(
        refused(cut + "  - {ring: gfx, words: [0x200000, 0]}\n"),
        "w.yaml:2:5: steps[0]: ends inside packet WRITE_DATA, which begins at dword 3 of the "
        "step: 1 of its dwords is missing, and the fence at the end of the run would be taken "
        "for them");
    EXPECT_THAT(refused(cut + "  - {ring: gfx, words: [0x200000, 0, 1, 0xc0011000]}\n"),
                HasSubstr("w.yaml:3:5: steps[1]: ends inside packet NOP, which begins at dword 3 "
                          "of the step: 2 of its dwords are missing"));
}

TEST_F(StepWordsTest, PacketsOfEveryFamilyAreKnown) {
    EXPECT_THAT(refused("  - {ring: gfx, words: [0x00012542, 1]}\n"),
                HasSubstr("inside packet type-0, which begins at dword 0 of the step: 1 of"));
    // COPY_LINEAR of 5; WRITE_LINEAR of 3 and the payload, whose size is in its first dword.
    EXPECT_THAT(refused("  - {ring: dma1, words: [0xf0000000, 0x30000004, 0x200000]}\n"),
                HasSubstr("inside packet COPY_LINEAR, which begins at dword 1 of the step: 3 of"));
    EXPECT_THAT(refused("  - {ring: dma1, words: [0x20000005, 0x200000]}\n"),
                HasSubstr("inside packet WRITE_LINEAR, which begins at dword 0 of the step: at "
                          "least 1 of its dwords is missing"));
    EXPECT_THAT(refused("  - {ring: dma1, words: [0x20000005, 0x200000, 0, 1]}\n"),
                HasSubstr("4 of its dwords are missing"));
    EXPECT_THAT(refused("  - {ring: cp, words: [0x70100000, 0x703d8003, 0x100000]}\n"), "");
    EXPECT_THAT(refused("  - {ring: cp, words: [0x70108000, 0x703d8003, 0x100000]}\n"),
                HasSubstr("inside packet CP_MEM_WRITE, which begins at dword 1 of the step: 2 of"));
}

// What begins no packet, and what is after it, is the machine's to refuse by name.
TEST_F(StepWordsTest, WordsThatBeginNoPacketAreLeftToTheMachine) {
    EXPECT_EQ(refused("  - {ring: gfx, words: [0x40000000, 0xc0033700]}\n"), "");
    EXPECT_EQ(refused("  - {ring: gfx, words: [0xc010ee00, 0xc0033700]}\n"), "");
    EXPECT_EQ(refused("  - {ring: dma1, words: [0x98000000, 0x30000004]}\n"), "");
    // A language there is not, and one whose buffers are each a whole.
    EXPECT_EQ(refused("  - {ring: dma0, words: [0x30000004]}\n"), "");
    const ctm::CommandLanguage commands;
    ring("ctm").packets = &commands;
    EXPECT_EQ(refused("  - {ring: ctm, words: [1]}\n"), "");
}

TEST(WholePackets, ARingIsGivenNoPartOfAPacketThatItHolds) {
    const cp::Pm4Language pm4 = cp::si_pm4();
    Words words;
    for (unsigned i = 0; i < 4; ++i)
        words.insert(words.end(), kWriteData.begin(), kWriteData.end());
    EXPECT_EQ(whole_packets(pm4, words, 0, 12, 100), 10u);
    EXPECT_EQ(whole_packets(pm4, words, 10, 12, 100), 10u);
    EXPECT_EQ(whole_packets(pm4, words, 0, 100, 100), 20u);
    EXPECT_EQ(whole_packets(pm4, words, 0, 4, 100), 5u);  // alone longer than a piece
    EXPECT_EQ(whole_packets(pm4, words, 0, 3, 4), 3u);    // the ring never holds it
    words[5] = 0x40000000;                                // begins none
    EXPECT_EQ(whole_packets(pm4, words, 0, 12, 100), 5u);
    EXPECT_EQ(whole_packets(pm4, words, 5, 12, 14), 12u);
}

}  // namespace
}  // namespace archipelago::host::test
