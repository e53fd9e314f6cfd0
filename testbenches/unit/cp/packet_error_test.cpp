// SPDX-License-Identifier: Apache-2.0
// Packets the parser cannot take, with the error interrupts enabled.
#include "registers/si_cp.h"
#include "testbenches/unit/cp/packets_fixture.h"

namespace archipelago::cp::test::packet_error_test {
namespace {

using regs::si::typed::CP_INT_STATUS_RING0;
const uint32_t kOpcodeError = CP_INT_STATUS_RING0{}.set_OPCODE_ERROR_INT_STAT(1).raw;
const uint32_t kReservedBits = CP_INT_STATUS_RING0{}.set_RESERVED_BIT_ERROR_INT_STAT(1).raw;

class PacketErrors : public PacketsTest {
  protected:
    void enable(unsigned ring, uint32_t bits) {
        m().host_write(si::CP_INT_CNTL_RING0 + 4 * ring, bits);
    }
    uint32_t status(unsigned ring) { return m().host_read(si::CP_INT_STATUS_RING0 + 4 * ring); }
    std::vector<uint32_t> scratch(unsigned index, uint32_t value) {
        return packet("SET_CONFIG_REG", {(si::SCRATCH_REG0 - 0x8000) / 4 + index, value});
    }
};
INSTANTIATE_TEST_SUITE_P(Cp, PacketErrors, all_modes(), mode_name);

TEST_P(PacketErrors, AnUnknownOpcodeInterruptsAndNothingBehindItIsExecuted) {
    enable(0, kOpcodeError);
    stop_early(20000);
    EXPECT_FALSE(m().submit(scratch(0, 1) + packet(0x99, {0}) + scratch(1, 2)));
    ASSERT_EQ(seen().interrupts.size(), 1u);
    EXPECT_EQ(seen().interrupts[0].source_id, 176);
    EXPECT_EQ(seen().interrupts[0].ring, 0);
    EXPECT_EQ(status(0), kOpcodeError);
    EXPECT_EQ(m().host_read(si::SCRATCH_REG0), 1u) << "what was before it";
    EXPECT_EQ(m().host_read(si::SCRATCH_REG0 + 4), 0u);
    EXPECT_THAT(m().waiting_for(),
                ::testing::HasSubstr("PFP halted, the host has the error: "
                                     "ring gfx dword 3: unknown packet opcode 0x99"));
}

TEST_P(PacketErrors, TheParserStandsStillForTheOtherRingsToo) {
    enable(0, kOpcodeError);
    stop_early(20000);
    EXPECT_FALSE(m().submit(packet(0x99, {0})));
    stop_early(20000);
    EXPECT_FALSE(m().submit(scratch(2, 3), 1));
    EXPECT_EQ(m().host_read(si::SCRATCH_REG0 + 8), 0u);
    EXPECT_EQ(seen().interrupts.size(), 1u);
}

TEST_P(PacketErrors, EachOpcodeErrorIsReported) {
    const struct {
        const char* what;
        unsigned ring;
        std::vector<uint32_t> words;
    } kCases[] = {{"type 1", 0, {0x40001000, 0}},
                  {"a draw on a compute ring", 1, packet("DRAW_INDEX_AUTO", {3, 2})},
                  {"a packet of the constant engine", 0, packet("WRITE_CONST_RAM", {0, 0})}};
    for (const auto& one : kCases) {
        SCOPED_TRACE(one.what);
        start();
        enable(one.ring, kOpcodeError);
        stop_early(20000);
        EXPECT_FALSE(m().submit(one.words, one.ring));
        ASSERT_EQ(seen().interrupts.size(), 1u);
        EXPECT_EQ(seen().interrupts[0].source_id, 176 + one.ring);
        EXPECT_EQ(seen().interrupts[0].ring, one.ring);
        EXPECT_EQ(status(one.ring), kOpcodeError);
    }
}

TEST_P(PacketErrors, AReservedSwapCodeOfAnIndirectBufferIsAReservedBitError) {
    const std::vector<uint32_t> words = packet(0x3F, {0x2003, 0, 16});
    enable(0, kReservedBits);
    stop_early(20000);
    EXPECT_FALSE(m().submit(words));
    ASSERT_EQ(seen().interrupts.size(), 1u);
    EXPECT_EQ(seen().interrupts[0].source_id, 176);
    EXPECT_EQ(status(0), kReservedBits);
    start();
    enable(0, kOpcodeError);
    EXPECT_THAT(stop(words), ::testing::HasSubstr("reserved swap code 3"));
}

TEST_P(PacketErrors, WithoutTheInterruptOfItsRingAnErrorStopsTheMachineByName) {
    enable(1, kOpcodeError);
    enable(0, kReservedBits);
    EXPECT_THAT(stop(packet(0x99, {0})),
                ::testing::HasSubstr("ring gfx dword 0: unknown packet opcode 0x99"));
    EXPECT_TRUE(seen().interrupts.empty());
}

TEST_P(PacketErrors, WhatNoInterruptStandsForStopsEvenWhenAllAreEnabled) {
    enable(0, 0xFFFFFFFF);
    EXPECT_THAT(stop({0xFFFF1000, 0x100}), ::testing::HasSubstr("ring gfx dword 0"));
}

}  // namespace
}  // namespace archipelago::cp::test::packet_error_test
