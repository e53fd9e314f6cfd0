// SPDX-License-Identifier: Apache-2.0
// The constant engine at its pins, cycle by cycle. What its packets do stands in the tests of
// models/cp; lockstep holds the Verilog to them.
#include <initializer_list>
#include <vector>

#include "models/cp/ce_instruction.h"
#include "models/cp/registers/si/si_pin_cores.h"
#include "testbenches/cosim/on_pins.h"

namespace archipelago::rtl {
namespace {

using cp::CePacket;
using cp::CeReason;
using cp::CeStop;
using cp::DeKind;

class CpCePinsTest : public OnPins<CpCePins> {
  protected:
    void SetUp() override {
        OnPins::SetUp();
        reset_with(
            {2, 2, 2, 2, 0x8000, 0xC000, cp::ce_config_pins({}, cp::si_packet_table()).opcodes});
        in_.req_ready = in_.grant_ready = 1;
    }
    void reset_with(const CpCePins::Config& config) {
        in_.config = config;
        in_.rst = 1;
        step();
        in_.rst = 0;
    }
    CeReason reason(unsigned ring) const { return static_cast<CeReason>(out_.reason[ring]); }
    // Gives dwords to a ring as it takes them; the cycles that took.
    unsigned give(unsigned ring, std::initializer_list<uint32_t> dwords) {
        unsigned cycles = 0;
        for (const uint32_t dword : dwords) {
            in_.stream[ring] = {1, dword, static_cast<uint8_t>(7 + ring)};
            do {
                step();
                ++cycles;
            } while (out_.stream_ready[ring] == 0 && cycles < 100);
        }
        in_.stream[ring].valid = 0;
        return cycles;
    }
    // Steps until a request leaves; the cycles that took.
    unsigned until_request() {
        unsigned cycles = 1;
        while (step().req_valid == 0 && cycles < 100)
            ++cycles;
        return cycles;
    }
    void message(DeKind kind, unsigned ring, unsigned buffer = 0, unsigned flags = 0) {
        in_.de_valid = 1;
        in_.de = {static_cast<uint8_t>(ring), static_cast<uint8_t>(kind),
                  static_cast<uint8_t>(buffer), static_cast<uint8_t>(flags)};
        EXPECT_EQ(step().de_ready, 1);
        in_.de_valid = 0;
    }
    void respond(uint16_t tag, uint8_t status = 0) {
        in_.rsp_valid = 1;
        in_.rsp.tag = tag;
        in_.rsp.status = status;
        step();
        in_.rsp_valid = 0;
    }
};

constexpr uint32_t header(uint32_t opcode, uint32_t body) {
    return 0xC0000000 | (body - 1) << 16 | opcode << 8;
}

TEST_P(CpCePinsTest, OpcodesAreThoseOfTheConfiguration) {
    CpCePins::Config config = in_.config;
    config.opcodes[static_cast<size_t>(CePacket::IncrementCeCounter)] = 0x33;
    reset_with(config);
    give(0, {header(0x33, 1), 0});
    while (out_.done_valid == 0 && out_.stop_valid == 0)
        step();
    EXPECT_EQ(out_.done_packet, static_cast<uint8_t>(CePacket::IncrementCeCounter));
    give(0, {header(0x84, 1)});
    EXPECT_EQ(static_cast<CeStop>(out_.stop_code), CeStop::Packet);
}

TEST_P(CpCePinsTest, WriteTakesADwordACycleBehindItsMicrocode) {
    // Header, offset, two cycles of microcode, data.
    EXPECT_EQ(give(0, {header(0x81, 4), 0x10, 1, 2, 3}), 2u + 2 + 3);
    EXPECT_EQ(out_.done_valid, 1);
    EXPECT_EQ(out_.done_packet, static_cast<uint8_t>(CePacket::WriteConstRam));
    EXPECT_EQ(step().active, 0);
    give(0, {header(0x83, 4), 0xC, 5, 0x1008, 2});
    EXPECT_EQ(until_request(), 3u);
    EXPECT_EQ(out_.req.write, 1);
    EXPECT_EQ(out_.req.line, (uint64_t{2} << 32 | 0x1000) / 64);
    EXPECT_EQ(out_.req.mask, 0x7C);
    EXPECT_EQ(out_.req.vmid, 7);
    EXPECT_EQ(out_.req.tag, cp::ce_write_tag(0, 0));
    const CpCePins::Words expected = {0, 0, 0, 1, 2, 3};
    EXPECT_EQ(out_.req.data, expected);
    EXPECT_EQ(out_.done_valid, 1);
}

TEST_P(CpCePinsTest, DumpWaitsForThePortAndForConfirmations) {
    in_.req_ready = 0;
    give(1, {header(0x83, 4), 0, 48, 0, 0});
    for (int i = 0; i < 3; ++i)
        step();
    EXPECT_EQ(reason(1), CeReason::MemPort);
    in_.req_ready = 1;
    EXPECT_EQ(step().req_valid, 1);
    EXPECT_EQ(step().req_valid, 1);
    EXPECT_EQ(step().req_valid, 0);
    EXPECT_EQ(reason(1), CeReason::Dumps);
    EXPECT_EQ(out_.active, 0);
    respond(cp::ce_write_tag(1, 0));
    EXPECT_EQ(out_.rsp_ready, 1);
    EXPECT_EQ(step().req_valid, 1);
    EXPECT_EQ(out_.done_ring, 1);
}

TEST_P(CpCePinsTest, LoadRequestsHalvesAndEndsWithTheLastOfThem) {
    give(2, {header(0x80, 4), 0x20, 0, 16, 0});
    EXPECT_EQ(until_request(), 3u);
    EXPECT_EQ(out_.req.mask, 0xFF00);
    EXPECT_EQ(out_.req.tag, cp::ce_read_tag(2, 0xC000 / 32, 1, false));
    step();
    EXPECT_EQ(out_.req.mask, 0x00FF);
    EXPECT_EQ(out_.req.tag, cp::ce_read_tag(2, 0xC000 / 32 + 1, 0, false));
    step();
    EXPECT_EQ(reason(2), CeReason::Loads);
    for (unsigned i = 0; i < 16; ++i)
        in_.rsp.data[i] = 100 + i;
    respond(cp::ce_read_tag(2, 0xC000 / 32 + 1, 0, false));
    EXPECT_EQ(step().done_valid, 0);
    respond(cp::ce_read_tag(2, 0xC000 / 32, 1, false));
    EXPECT_EQ(step().done_valid, 1);
    give(2, {header(0x83, 4), 0, 16, 0, 0});
    until_request();
    EXPECT_EQ(out_.req.data[0], 108u);
    EXPECT_EQ(out_.req.data[8], 100u);
}

TEST_P(CpCePinsTest, WaitingRingGivesTheEngineToTheNext) {
    give(0, {header(0x87, 2), 5, 0});
    give(1, {header(0x87, 2), 5, 0});
    for (int i = 0; i < 4; ++i)
        step();
    EXPECT_EQ(reason(0), CeReason::DeCounter);
    EXPECT_EQ(reason(1), CeReason::DeCounter);
    EXPECT_EQ(give(2, {header(0x81, 2), 0, 9}), 5u);
    for (int i = 0; i < 5; ++i)
        message(DeKind::IncrementDone, 1, 0);
    EXPECT_EQ(step().done_ring, 1);
    EXPECT_EQ(reason(0), CeReason::DeCounter);
}

TEST_P(CpCePinsTest, StopIsReportedOnceAndNothingMovesUntilReset) {
    give(0, {header(0x83, 3)});
    EXPECT_EQ(out_.stop_valid, 1);
    EXPECT_EQ(out_.stop_code, static_cast<uint8_t>(CeStop::Size));
    EXPECT_EQ(out_.stop_info, header(0x83, 3));
    in_.stream[1] = {1, header(0x84, 1), 0};
    in_.de_valid = in_.rsp_valid = 1;
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(step().stop_valid, 0);
        EXPECT_EQ(out_.active, 0);
        EXPECT_EQ(out_.stream_ready[1] + out_.de_ready + out_.rsp_ready, 0);
    }
    in_.de_valid = in_.rsp_valid = 0;
    in_.rst = 1;
    step();
    in_.rst = 0;
    EXPECT_EQ(step().stream_ready[1], 1);
}

INSTANTIATE_TEST_SUITE_P(On, CpCePinsTest,
                         testing::ValuesIn(core_and_rtl<CpCePins, cp::SiCeCore>()), kName);

}  // namespace
}  // namespace archipelago::rtl
