// SPDX-License-Identifier: Apache-2.0
// Packets by name: the words are those of the assembler, regardless of the table that has the
// names.
#include "models/cp/pm4/packet_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <stdexcept>

#include "models/cp/packets/si/si_packets.h"
#include "registers/si_names.h"
#include "testbenches/unit/cp/toy_family/toy_packets.h"

namespace archipelago::cp::test {
namespace {

using ::testing::HasSubstr;
using Words = std::vector<uint32_t>;
namespace r = regs::si;

// Two tables that lay packets out differently.
class Writer : public ::testing::TestWithParam<const char*> {
  protected:
    static Pm4Language language() {
        return std::strcmp(GetParam(), "toy") == 0 ? toy_pm4() : si_pm4();
    }
    static PacketWriter write(const char* packet) {
        PacketWriter writer(language().packets);
        return writer.packet(packet);
    }
    static Words assembled(const std::string& text) {
        const front::PacketAssembly assembly = language().assemble(text);
        EXPECT_TRUE(assembly.errors.empty()) << text;
        Words words(assembly.bytes.size() / 4);
        std::memcpy(words.data(), assembly.bytes.data(), 4 * words.size());
        return words;
    }
    static std::string refusal(const std::function<void()>& writing) {
        try {
            writing();
        } catch (const std::invalid_argument& error) {
            return error.what();
        }
        return "none";
    }
};
INSTANTIATE_TEST_SUITE_P(Tables, Writer, ::testing::Values("si", "toy"),
                         [](const auto& info) { return std::string(info.param); });

TEST_P(Writer, FieldsAddressesAndDataGoWhereTheRowHasThem) {
    EXPECT_EQ(
        Words(write("WRITE_DATA").set("DST_SEL", 5).address("DST_ADDR", 0x1200000040).data({7, 8})),
        assembled("WRITE_DATA DST_SEL = MEMORY, DST_ADDR = 0x1200000040, DATA = [7, 8]"));
    EXPECT_EQ(Words(write("WRITE_DATA").data({7}).set("DST_SEL", "MEMORY").set("WR_CONFIRM", 1)),
              assembled("WRITE_DATA DST_SEL = MEMORY, WR_CONFIRM = 1, DATA = 7"));
}

TEST_P(Writer, APacketIsAsShortAsItsRowAllows) {
    EXPECT_EQ(Words(write("NOP")), assembled("NOP DATA = 0"));
    EXPECT_EQ(Words(write("NOP").dwords(3)), assembled("NOP DATA = [0, 0, 0]"));
    EXPECT_EQ(Words(write("DISPATCH_DIRECT").compute().set("DIM_Y", 2)),
              assembled("DISPATCH_DIRECT [compute] DIM_Y = 2"));
}

TEST_P(Writer, RegistersAreTakenByTheirOffsets) {
    EXPECT_EQ(Words(write("SET_SH_REG").compute().registers(r::COMPUTE_PGM_LO, {1, 2})),
              assembled("SET_SH_REG [compute] COMPUTE_PGM_LO = 1, COMPUTE_PGM_HI = 2"));
    EXPECT_EQ(Words(write("SET_CONFIG_REG").registers(r::SCRATCH_REG0, {3})),
              assembled("SET_CONFIG_REG SCRATCH_REG0 = 3"));
}

TEST_P(Writer, PacketsFollowEachOther) {
    PacketWriter writer(language().packets);
    writer.packet("SET_CONFIG_REG").registers(r::SCRATCH_REG0, {3});
    writer.packet("SURFACE_SYNC").set("ENGINE", "ME").set("POLL_INTERVAL", 10);
    EXPECT_EQ(writer.words(), assembled("SET_CONFIG_REG SCRATCH_REG0 = 3\n"
                                        "SURFACE_SYNC ENGINE = ME, POLL_INTERVAL = 10"));
}

TEST_P(Writer, WhatARowHasNotIsRefusedByName) {
    EXPECT_EQ(refusal([] { write("FROBNICATE"); }),
              std::string("generation ") + GetParam() + " has no packet FROBNICATE");
    EXPECT_EQ(refusal([] { write("WRITE_DATA").set("COLOUR", 1); }),
              "packet WRITE_DATA: has no field COLOUR");
    EXPECT_EQ(refusal([] { write("WRITE_DATA").address("SRC_ADDR", 0); }),
              "packet WRITE_DATA: has no field SRC_ADDR_LO");
    EXPECT_EQ(refusal([] { write("WRITE_DATA").set("DST_SEL", "MOON"); }),
              "packet WRITE_DATA: DST_SEL has no value MOON");
    EXPECT_EQ(refusal([] { write("SURFACE_SYNC").data({1}); }), "packet SURFACE_SYNC: has no data");
    EXPECT_EQ(refusal([] { write("NOP").registers(r::SCRATCH_REG0, {1}); }),
              "packet NOP: does not set registers");
}

TEST_P(Writer, WhatDoesNotFitIsRefusedByName) {
    EXPECT_EQ(refusal([] { write("WRITE_DATA").set("WR_CONFIRM", 2); }),
              "packet WRITE_DATA: 0x2 does not fit WR_CONFIRM");
    EXPECT_EQ(refusal([] { write("INDIRECT_BUFFER").address("IB_BASE", 0x1002); }),
              "packet INDIRECT_BUFFER: 0x1002 is not aligned for IB_BASE");
    EXPECT_EQ(refusal([] { write("INDIRECT_BUFFER").address("IB_BASE", uint64_t{1} << 48); }),
              "packet INDIRECT_BUFFER: 0x10000 does not fit IB_BASE_HI");
    EXPECT_EQ(refusal([] { write("SURFACE_SYNC").dwords(5); }),
              "packet SURFACE_SYNC: 5 body dwords, must have at most 4");
    EXPECT_EQ(refusal([] { write("SET_SH_REG").registers(r::SCRATCH_REG0, {1}); }),
              "packet SET_SH_REG: 1 registers from 0x08500 on are not all in its window");
    EXPECT_THAT(refusal([] {
                    write("SET_SH_REG").registers(0xBFFC, {1, 2});
                }),
                HasSubstr("not all in its window"));
}

}  // namespace
}  // namespace archipelago::cp::test
