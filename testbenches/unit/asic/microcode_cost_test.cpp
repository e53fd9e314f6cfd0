// SPDX-License-Identifier: Apache-2.0
// What a packet costs by microcode: the issue cycles of its routine, which dword each takes, and
// what of a microcode is refused.
#include "models/asic/gcn/microcode_cost.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "models/asic/families.h"
#include "models/common/error.h"
#include "models/cp/pm4/packet_program.h"
#include "models/cp/pm4/packet_table.h"
#include "models/cp/registers/si/si_registers.h"
#include "testbenches/support/scratch.h"

namespace archipelago::gcn::test::microcode_cost_test {
namespace {

using cp::MicrocodeCycles;
using cp::ProgramEngine;
using testing::ElementsAre;
using testing::HasSubstr;

const cp::PacketTable& packets() {
    return *cp::si_spec().packets;
}

class MicrocodeCost : public testing::Test {
  protected:
    void SetUp() override {
        path_ = testing::TempDir() + "microcode_cost_" + std::to_string(getpid()) + ".afuc";
    }
    void TearDown() override { std::filesystem::remove(path_); }

    std::optional<Microcode> load(const std::string& text) {
        std::ofstream(path_) << text;
        problems.clear();
        return load_microcode(path_, problems);
    }
    // The issue cycles of a packet on one engine.
    MicrocodeCycles microcode_cycles(const std::string& text, const char* packet,
                                     const std::vector<uint32_t>& body, unsigned moves = 3) {
        const std::optional<Microcode> code = load(text);
        if (!code)
            throw std::runtime_error(problems.at(0));
        const cp::PacketInfo& info = *packets().find_by_name(packet);
        return microcode_cost(*code, {}, moves)
            ->microcode_cycles(ProgramEngine::Pfp, info,
                               cp::make_header(info.opcodes[0], static_cast<uint32_t>(body.size())),
                               body.data(), static_cast<uint32_t>(body.size()), {});
    }
    std::string stop(const std::string& text, const char* packet,
                     const std::vector<uint32_t>& body) {
        try {
            microcode_cycles(text, packet, body);
        } catch (const MachineStop& error) {
            return error.what();
        }
        return "no stop";
    }

    std::vector<std::string> problems;

  private:
    std::string path_;
};

constexpr const char* kSet =
    "[01000001]\n"
    "SET_SH_REG:\n"
    "  mov $02, $data\n"
    "  add $usraddr, $02, 0x2c00\n"
    "  (rep)(xmov3)mov $data, $data\n"
    "  waitin\n"
    "  mov $01, $data\n";

TEST_F(MicrocodeCost, IsTheCyclesToTheDelaySlotOfWaitin) {
    const MicrocodeCycles b = microcode_cycles(kSet, "SET_SH_REG", {0, 1, 2, 3, 4, 5});
    EXPECT_EQ(b.count, 1 + 1 + 2 + 2u);
    EXPECT_THAT(b.dwords, ElementsAre(0, 2, 2, 2, 2, 3));
}

TEST_F(MicrocodeCost, GrowsWhenFewerRegistersAreWrittenInACycle) {
    EXPECT_EQ(microcode_cycles(kSet, "SET_SH_REG", std::vector<uint32_t>(17), 3).count, 4 + 4u);
    EXPECT_EQ(microcode_cycles(kSet, "SET_SH_REG", std::vector<uint32_t>(17), 2).count, 4 + 6u);
    EXPECT_EQ(microcode_cycles(kSet, "SET_SH_REG", std::vector<uint32_t>(17), 1).count, 4 + 8u);
    EXPECT_EQ(microcode_cycles(kSet, "SET_SH_REG", std::vector<uint32_t>(17), 0).count, 4 + 16u);
}

TEST_F(MicrocodeCost, IsThatOfTheBranchesThatThePacketsDwordsTake) {
    const char* const text =
        "[00000001]\n"  // a5xx
        "SET_SH_REG:\n"
        "  mov $02, $data\n"
        "  breq $02, 0x7, #over\n"
        "  mov $03, $data\n"
        "  nop\n  nop\n"
        "over:\n"
        "  waitin\n"
        "  mov $01, $data\n";
    EXPECT_EQ(microcode_cycles(text, "SET_SH_REG", {7, 0}).count, 5u);
    EXPECT_EQ(microcode_cycles(text, "SET_SH_REG", {8, 0}).count, 7u);
}

TEST_F(MicrocodeCost, DoesNotDependOnThePacketsBefore) {
    const std::optional<Microcode> code = load(
        "[01000001]\n"
        "SET_SH_REG:\n"
        "  add $10, $10, 0x1\n"
        "  (rep)mov $00, $data\n"
        "  brne $10, 0x1, #more\n"
        "  cread $11, [$00 + @IB1_DWORDS]\n"
        "  brne $11, 0x0, #more\n"
        "  cwrite $10, [$00 + @IB1_DWORDS]\n"
        "  waitin\n"
        "  mov $01, $data\n"
        "more:\n"
        "  nop\n  nop\n  nop\n  nop\n"
        "  waitin\n"
        "  mov $01, $data\n");
    ASSERT_TRUE(code) << problems.at(0);
    const auto cost = microcode_cost(*code, code, 3);
    const cp::PacketInfo& info = *packets().find_by_name("SET_SH_REG");
    const uint32_t body[2] = {};
    const auto count = [&](ProgramEngine engine) {
        return cost->microcode_cycles(engine, info, cp::make_header(0x76, 2), body, 2, {}).count;
    };
    const uint32_t first = count(ProgramEngine::Pfp);
    EXPECT_EQ(first, 9u);
    EXPECT_EQ(count(ProgramEngine::Pfp), first);
    EXPECT_EQ(count(ProgramEngine::Me), first);
}

TEST_F(MicrocodeCost, StopsByNameWhenARoutineIsWrong) {
    EXPECT_THAT(stop(kSet, "NOP", {0}),
                HasSubstr("packet NOP at ring gfx dword 0: the microcode has no routine for it: no "
                          "label NOP"));
    const std::string head = "[01000001]\nNOP:\n";
    const std::string tail = "  waitin\n  mov $01, $data\n";
    EXPECT_THAT(stop(head + tail, "NOP", {1, 2}), HasSubstr("takes 0 of 2 dwords"));
    EXPECT_THAT(stop(head + "  mov $02, $data\n  mov $02, $data\n" + tail, "NOP", {1}),
                HasSubstr(".afuc:4: packet NOP at ring gfx dword 0: cp.pfp: pc 2, mov: reads "
                          "beyond the packet"));
    EXPECT_THAT(stop(head + "here:\n  jump #here\n  nop\n", "NOP", {1}),
                testing::ContainsRegex(".afuc:[45]: packet NOP at ring gfx dword 0: cp.pfp: pc "
                                       "[12], .*: no waitin in 1040 cycles"));
    EXPECT_THAT(stop(head + "  iret\n  nop\n", "NOP", {1}), HasSubstr("iret"));
}

TEST_F(MicrocodeCost, RefusesFilesByPlace) {
    EXPECT_FALSE(load("[01000001]\nNOP:\n  mow $01, $data\n"));
    EXPECT_THAT(problems, ElementsAre(testing::ContainsRegex("\\.afuc:3:3: .*mow")));
    EXPECT_FALSE(load("; no ID\nNOP:\n  nop\n"));
    EXPECT_THAT(problems, ElementsAre(HasSubstr("begins with no ID word")));
    problems.clear();
    EXPECT_FALSE(load_microcode("none.afuc", problems));
    EXPECT_THAT(problems, ElementsAre("cannot read none.afuc: No such file or directory"));
}

// Of each number of dwords that a packet may have, up to 20.
TEST_F(MicrocodeCost, TheMicrocodeOfTheExamplesHasEveryPacketOfBothEngines) {
    const std::string folder = std::string(ARCHIPELAGO_SOURCE_DIR) + "/configs/microcode/radeon/";
    const auto file = [&](const char* name) { return *load_microcode(folder + name, problems); };
    const auto one = microcode_cost(file("one.afuc"), {}, 3);
    const auto two = microcode_cost(file("pfp.afuc"), file("me.afuc"), 0);
    const std::vector<uint32_t> body(20);
    unsigned asked = 0;
    const auto ask = [&](const cp::PacketInfo& info, uint32_t header) {
        SCOPED_TRACE(info.name);
        const uint32_t dwords = cp::header_body_dwords(header);
        const uint32_t count =
            one->microcode_cycles(ProgramEngine::Pfp, info, header, body.data(), dwords, {}).count;
        EXPECT_GT(count, dwords / 4);
        EXPECT_GT(
            two->microcode_cycles(ProgramEngine::Pfp, info, header, body.data(), dwords, {}).count,
            dwords);
        if (info.routing.fixed == cp::Route::Me || info.routing.decide != nullptr) {
            EXPECT_GT(
                two->microcode_cycles(ProgramEngine::Me, info, header, body.data(), dwords, {})
                    .count,
                dwords / 4);
        }
        ++asked;
    };
    for (const cp::PacketInfo& info : packets())
        if (info.engine != cp::PacketEngine::Ce && info.implemented())
            for (uint32_t n = info.min_dwords; n <= std::min<uint32_t>(info.max_dwords, 20); ++n)
                ask(info, cp::make_header(info.opcodes[0], n));
    for (uint32_t n = 1; n <= 20; ++n)
        ask(packets().type0(), cp::make_type0_header(0x8A14, n));
    EXPECT_GT(asked, 200u);
}

// A sweep runs a point again when its chip's hash has changed, and only then.
void expect_words_in_hash(const std::string& base, const std::string& code) {
    const archipelago::test::Scratch folder;
    const auto chip = folder.write("own.yaml", "base: " + asic::config_folder() + "/asics/" + base +
                                                   ".yaml\ncp: {microcode: own.afuc}\n");
    const auto hash_with = [&](const std::string& text) {
        folder.write("own.afuc", text);
        return asic::load_chip(chip, {})->identity().hash;
    };
    const std::string hash = hash_with(code);
    EXPECT_EQ(hash_with(code + "; the same\n"), hash);
    EXPECT_NE(hash_with(code + "[00000001]\n"), hash);
}

TEST(MicrocodeOfAChip, IsInItsHashByItsWordsNotByItsName) {
    expect_words_in_hash("tahiti", "[01000001]\nNOP:\n  mov $01, $data\n");
    expect_words_in_hash("a630",
                         ".include \"" + asic::config_folder() + "/microcode/adreno/a630.afuc\"\n");
}

}  // namespace
}  // namespace archipelago::gcn::test::microcode_cost_test
