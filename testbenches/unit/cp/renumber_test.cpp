// SPDX-License-Identifier: Apache-2.0
// Packets with other opcodes than their family's.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/common/error.h"
#include "models/cp/packets/si/si_packets.h"
#include "models/cp/registers/si/si_registers.h"
#include "testbenches/unit/cp/packets_fixture.h"

namespace archipelago::cp::test::renumber_test {
namespace {

using ::testing::ElementsAre;

TEST(Renumber, PacketsAnswerToTheirNewNumbersAlone) {
    std::vector<std::pair<std::string, std::string>> problems;
    const auto table = renumber(si_packet_table(),
                                {{"LOAD_CONFIG_REG", {0x60}},
                                 {"LOAD_CONTEXT_REG", {0x61}},
                                 {"LOAD_SH_REG", {0x5F}},
                                 {"INDIRECT_BUFFER", {0x3F}}},
                                problems);
    ASSERT_NE(table, nullptr);
    EXPECT_TRUE(problems.empty());
    EXPECT_STREQ(table->find(0x60)->name, "LOAD_CONFIG_REG");
    EXPECT_STREQ(table->find(0x61)->name, "LOAD_CONTEXT_REG");
    EXPECT_STREQ(table->find(0x5F)->name, "LOAD_SH_REG");
    EXPECT_STREQ(table->find(0x3F)->name, "INDIRECT_BUFFER");
    EXPECT_EQ(table->find(0x32), nullptr);
    EXPECT_STREQ(si_packet_table().find(0x60)->name, "LOAD_CONTEXT_REG");
}

TEST(Renumber, WrongChoicesAreNamed) {
    std::vector<std::pair<std::string, std::string>> problems;
    EXPECT_EQ(renumber(si_packet_table(),
                       {{"LOAD_CONFIG", {0x60}},
                        {"SET_BASE", {0x11}},
                        {"LOAD_SH_REG", {}},
                        {"LOAD_CONFIG_REG", {0x60}},
                        {"COND_WRITE", {0x0F, 0x0F}}},
                       problems),
              nullptr);
    using P = std::pair<std::string, std::string>;
    EXPECT_THAT(
        problems,
        ElementsAre(
            P{"LOAD_CONFIG", "no packet of generation si"},
            P{"SET_BASE", "the number is fixed: the constant engine decodes it as well"},
            P{"LOAD_SH_REG", "must have one or two opcodes"},
            P{"COND_WRITE", "opcode 0x0f is that of COND_WRITE and itself"},
            P{"LOAD_CONFIG_REG", "opcode 0x60 is that of LOAD_CONFIG_REG and LOAD_CONTEXT_REG"}));
}

TEST(Renumber, BothProcessorsReadTheNewNumbers) {
    std::vector<std::pair<std::string, std::string>> problems;
    Spec spec = si_spec();
    spec.own_packets = renumber(spec.own_packets != nullptr ? *spec.own_packets : *spec.packets,
                                {{"SET_CONFIG_REG", {0xE8}}}, problems);
    ASSERT_NE(spec.own_packets, nullptr);
    spec.packets = spec.own_packets.get();
    BenchOptions options;
    options.spec = spec;
    TimedMachine timed(options);
    FunctionalMachine functional(spec);
    for (Machine* m : {static_cast<Machine*>(&timed), static_cast<Machine*>(&functional)}) {
        m->setup_rings();
        ASSERT_TRUE(m->submit(packet(0xE8, {0x285, 9})));
        EXPECT_THAT(m->seen.regs, ElementsAre(RegWrite{0x8A14, 9, 0}));
        EXPECT_THROW(m->submit(set_config(0x8A14, {1})), MachineStop);
    }
}

}  // namespace
}  // namespace archipelago::cp::test::renumber_test
