// SPDX-License-Identifier: Apache-2.0
// What the register bus manager does at its pins.
#include "models/grbm/grbm_pins.h"

#include "models/gcn/si/grbm_pin_core.h"
#include "registers/si_grbm.h"
#include "registers/si_names.h"
#include "testbenches/cosim/on_pins.h"

namespace archipelago::rtl {
namespace {

namespace si = regs::si;
constexpr unsigned kHost = 0, kCp = 1;
constexpr unsigned kToCp = 0, kToSpi = 1, kToGb = 2, kToVgt = 3;  // blocks
constexpr uint32_t kKept = si::GRBM_SCRATCH_REG0;

class GrbmPinsTest : public OnPins<GrbmPins> {
  protected:
    void SetUp() override {
        OnPins::SetUp();
        grbm::settings_to_pins(gcn::si::grbm_spec(), in_);
        in_.run = 1;
        in_.port_ready.fill(1);
        in_.ans_space = {4, 4};
    }
    void ask(unsigned source, uint32_t offset, bool write, uint32_t value = 0, uint32_t tag = 0) {
        in_.req_valid[source] = 1;
        in_.req_offset[source] = offset;
        in_.req_write[source] = write ? 1 : 0;
        in_.req_value[source] = value;
        in_.req_tag[source] = tag;
    }
    void quiet() {
        in_.req_valid = {};
        in_.rsp_valid = {};
    }
    void write(unsigned source, uint32_t offset, uint32_t value) {
        ask(source, offset, true, value);
        EXPECT_EQ(step().req_ready[source], 1);
        quiet();
    }
    // The first answer to the source.
    uint32_t read(unsigned source, uint32_t offset) {
        ask(source, offset, false, 0, 77);
        step();
        quiet();
        EXPECT_EQ(out_.ans_count[source], 1);
        EXPECT_EQ(out_.ans_tag[source * GrbmPins::kAnswers], 77u);
        return out_.ans_value[source * GrbmPins::kAnswers];
    }
    void respond(unsigned block, uint32_t tag, uint32_t value) {
        in_.rsp_valid[block] = 1;
        in_.rsp_tag[block] = tag;
        in_.rsp_value[block] = value;
    }
};

TEST_P(GrbmPinsTest, RequestGoesToTheBlockThatOwnsTheRegister) {
    const struct {
        uint32_t offset;
        std::array<uint8_t, GrbmPins::kBlocks> port;
    } kCases[] = {{si::CP_RB0_BASE, {1, 0, 0}},
                  {si::COMPUTE_DIM_X, {0, 1, 0}},
                  {si::GB_TILE_MODE0, {0, 0, 1}},
                  {si::VGT_EVENT_INITIATOR, {0, 1, 0, 1}}};
    for (const auto& c : kCases) {
        ask(kHost, c.offset, true, 5);
        step();
        EXPECT_EQ(out_.port_valid, c.port) << std::hex << c.offset;
        EXPECT_EQ(out_.port_offset, c.offset);
        EXPECT_EQ(out_.port_value, 5u);
    }
}

TEST_P(GrbmPinsTest, WriteOfASharedRegisterWaitsForBothBlocks) {
    for (const unsigned late : {kToSpi, kToVgt}) {
        ask(kCp, si::VGT_EVENT_INITIATOR, true, 20);
        in_.port_ready[late] = 0;
        step();
        EXPECT_EQ(out_.req_ready[kCp], 0);
        EXPECT_EQ(out_.stall[kCp], GrbmPins::kWaitsForBlock);
        in_.port_ready[late] = 1;
        step();
        EXPECT_EQ(out_.req_ready[kCp], 1);
        EXPECT_EQ(out_.port_valid[kToSpi], 1);
        EXPECT_EQ(out_.port_valid[kToVgt], 1);
    }
}

TEST_P(GrbmPinsTest, ReadOfASharedRegisterGoesToItsOwnerAlone) {
    ask(kHost, si::VGT_EVENT_INITIATOR, false);
    in_.port_ready[kToVgt] = 0;
    step();
    EXPECT_EQ(out_.req_ready[kHost], 1);
    EXPECT_EQ(out_.port_valid[kToSpi], 1);
    EXPECT_EQ(out_.port_valid[kToVgt], 0);
}

TEST_P(GrbmPinsTest, CpNamesTheContextAndTheHostGetsTheNewest) {
    in_.req_context = {2, 5};
    ask(kCp, si::COMPUTE_DIM_X, true);
    step();
    EXPECT_EQ(out_.port_context, 5);
    quiet();
    ask(kHost, si::COMPUTE_DIM_X, true);
    step();
    EXPECT_EQ(out_.port_context, 1) << "nothing was copied yet";
    quiet();
    write(kCp, si::GFX_COPY_STATE, 1);
    write(kHost, si::GFX_COPY_STATE, 3);
    ask(kHost, si::COMPUTE_DIM_X, true);
    step();
    EXPECT_EQ(out_.port_context, 5);
}

TEST_P(GrbmPinsTest, RequestsCarryTheAddressSpaceOfTheirSource) {
    in_.req_vmid = {3, 13};
    ask(kCp, si::COMPUTE_DIM_X, true);
    step();
    EXPECT_EQ(out_.port_vmid, 13);
    quiet();
    ask(kHost, si::COMPUTE_DIM_X, true);
    step();
    EXPECT_EQ(out_.port_vmid, 3);
    quiet();
    step();
    EXPECT_EQ(out_.port_vmid, 0);
}

TEST_P(GrbmPinsTest, ContextRegistersAreKeptForEachContextAndCopied) {
    constexpr uint32_t kRegister = si::PA_SC_RASTER_CONFIG;
    const auto as = [&](uint8_t context) { in_.req_context[kCp] = context; };
    for (uint8_t context = 0; context < 8; ++context) {
        as(context);
        write(kCp, kRegister, 100u + context);
    }
    for (uint8_t context = 0; context < 8; ++context) {
        as(context);
        EXPECT_EQ(read(kCp, kRegister), 100u + context);
    }
    EXPECT_EQ(read(kHost, kRegister), 101u);
    as(6);
    write(kCp, si::GFX_COPY_STATE, 3);
    EXPECT_EQ(read(kCp, kRegister), 103u);
    EXPECT_EQ(read(kHost, kRegister), 103u);
    write(kHost, kRegister, 5);
    EXPECT_EQ(read(kCp, kRegister), 5u);
    as(3);
    EXPECT_EQ(read(kCp, kRegister), 103u);
    in_.rst = 1;
    step();
    in_.rst = 0;
    for (uint8_t context = 0; context < 8; ++context) {
        as(context);
        EXPECT_EQ(read(kCp, kRegister), 0u);
    }
}

TEST_P(GrbmPinsTest, CopiesOfARegisterAreKeptWhereTheyDiffer) {
    const auto of_one = [&](uint32_t se, uint32_t sh, uint32_t instance) {
        write(kCp, si::GRBM_GFX_INDEX, se << 16 | sh << 8 | instance);
    };
    in_.req_context[kCp] = 1;  // as the host's
    for (const uint32_t offset : {si::DB_DEBUG, si::DB_RENDER_CONTROL}) {
        write(kHost, offset, 5);
        of_one(1, 0, 0);
        write(kCp, offset, 9);
        EXPECT_EQ(read(kCp, offset), 9u);
        EXPECT_EQ(read(kHost, offset), 5u) << "the first of all";
        of_one(1, 1, 0);
        EXPECT_EQ(read(kCp, offset), 5u);
        of_one(2, 0, 0);
        write(kCp, offset, 7);
        EXPECT_EQ(read(kCp, offset), 0u) << "there is none";
        of_one(1, 0, 0);
        EXPECT_EQ(read(kCp, offset), 9u);
        write(kHost, offset, 6);
        EXPECT_EQ(read(kCp, offset), 6u);
    }
    of_one(0, 1, 0);
    write(kCp, si::DB_RENDER_CONTROL, 8);
    in_.req_context[kCp] = 4;
    write(kCp, si::GFX_COPY_STATE, 1);
    EXPECT_EQ(read(kCp, si::DB_RENDER_CONTROL), 8u);
}

TEST_P(GrbmPinsTest, WritesCarryTheSteeringOfTheirSource) {
    write(kCp, si::GRBM_GFX_INDEX, 0x20030107);
    ask(kHost, si::COMPUTE_DIM_X, true);
    step();
    EXPECT_EQ(out_.port_broadcast, 7);
    quiet();
    ask(kCp, si::COMPUTE_DIM_X, true);
    step();
    EXPECT_EQ(out_.port_source, kCp);
    EXPECT_EQ(out_.port_se, 3);
    EXPECT_EQ(out_.port_sh, 1);
    EXPECT_EQ(out_.port_instance, 7);
    EXPECT_EQ(out_.port_broadcast, 2);
    EXPECT_EQ(read(kHost, si::GRBM_GFX_INDEX), 0xE0000000u);
    EXPECT_EQ(read(kCp, si::GRBM_GFX_INDEX), 0x20030107u);
}

TEST_P(GrbmPinsTest, SourcesTakeTurns) {
    ask(kHost, si::COMPUTE_DIM_X, true, 1);
    ask(kCp, si::COMPUTE_DIM_X, true, 2);
    for (unsigned n = 0; n < 6; ++n)
        EXPECT_EQ(step().req_ready, (std::array<uint8_t, 2>{n % 2 == 0, n % 2 == 1}));
}

TEST_P(GrbmPinsTest, SourceThatWaitsForItsBlockLetsTheOtherGo) {
    in_.port_ready[kToSpi] = 0;
    ask(kHost, si::COMPUTE_DIM_X, true);
    ask(kCp, si::GB_TILE_MODE0, true);
    for (int i = 0; i < 3; ++i)
        EXPECT_EQ(step().req_ready, (std::array<uint8_t, 2>{0, 1}));
    EXPECT_EQ(out_.stall[kHost], GrbmPins::kWaitsForBlock);
    in_.port_ready[kToSpi] = 1;
    EXPECT_EQ(step().req_ready[kHost], 1);
    EXPECT_EQ(out_.stall[kHost], GrbmPins::kGoes);
}

TEST_P(GrbmPinsTest, ReadComesBackWithItsTagWhateverTheOrder) {
    ask(kHost, si::CP_RB0_BASE, false, 0, 100);
    EXPECT_EQ(step().port_tag, 0u);
    quiet();
    ask(kCp, si::COMPUTE_DIM_X, false, 0, 200);
    EXPECT_EQ(step().port_tag, 1u);
    EXPECT_EQ(out_.reads, 2);
    quiet();
    respond(kToSpi, 1, 0xabc);
    step();
    EXPECT_EQ(out_.ans_count, (std::array<uint8_t, 2>{0, 1}));
    EXPECT_EQ(out_.ans_tag[GrbmPins::kAnswers], 200u);
    EXPECT_EQ(out_.ans_value[GrbmPins::kAnswers], 0xabcu);
    quiet();
    respond(kToCp, 0, 0xdef);
    step();
    EXPECT_EQ(out_.ans_tag[0], 100u);
    EXPECT_EQ(out_.reads, 0);
}

TEST_P(GrbmPinsTest, AnswersOfACycleKeepTheOrderOfTheBlocks) {
    for (const uint32_t offset : {si::GB_TILE_MODE0, si::COMPUTE_DIM_X, si::CP_RB0_BASE}) {
        ask(kHost, offset, false, 0, offset);
        step();
    }
    respond(kToGb, 0, 10);
    respond(kToSpi, 1, 11);
    respond(kToCp, 2, 12);
    ask(kHost, kKept, false, 0, 5);
    step();
    EXPECT_EQ(out_.ans_count[kHost], 4);
    EXPECT_EQ(out_.ans_value[0], 12u);
    EXPECT_EQ(out_.ans_value[1], 11u);
    EXPECT_EQ(out_.ans_value[2], 10u);
    EXPECT_EQ(out_.ans_tag[3], 5u);
}

TEST_P(GrbmPinsTest, ReadsWaitWhenAllPlacesAreTakenAndWritesDoNot) {
    ask(kHost, si::COMPUTE_DIM_X, false);
    for (unsigned n = 0; n < in_.cfg_reads; ++n)
        EXPECT_EQ(step().req_ready[kHost], 1);
    EXPECT_EQ(step().req_ready[kHost], 0);
    EXPECT_EQ(out_.stall[kHost], GrbmPins::kWaitsForPlace);
    ask(kCp, si::COMPUTE_DIM_X, true);
    EXPECT_EQ(step().req_ready[kCp], 1);
    quiet();
    respond(kToSpi, 5, 0);
    ask(kHost, si::COMPUTE_DIM_X, false);
    EXPECT_EQ(step().req_ready[kHost], 1);
    EXPECT_EQ(out_.port_tag, 5u);
}

TEST_P(GrbmPinsTest, StatusIsMadeOfTheBusyLevels) {
    EXPECT_EQ(read(kHost, si::GRBM_STATUS), in_.cfg_status);
    in_.busy[0] = 1u << 29;
    EXPECT_EQ(read(kHost, si::GRBM_STATUS), in_.cfg_status | 1u << 29 | 1u << 31);
    in_.busy = {0, 0, 0, 1u << 27};
    EXPECT_EQ(read(kHost, si::GRBM_STATUS), in_.cfg_status | 1u << 31);
    EXPECT_EQ(read(kCp, si::GRBM_STATUS_SE1), in_.cfg_status_se | 1u << 27);
    EXPECT_EQ(read(kCp, si::GRBM_STATUS_SE0), in_.cfg_status_se);
    write(kHost, si::GRBM_STATUS2, 0xffff);
    EXPECT_EQ(read(kHost, si::GRBM_STATUS2), 0u);
}

TEST_P(GrbmPinsTest, KeptRegistersHoldWhatWasWrittenUntilReset) {
    write(kHost, kKept, 0x1234);
    write(kCp, si::GRBM_SOFT_RESET, 5);
    EXPECT_EQ(read(kCp, kKept), 0x1234u);
    EXPECT_EQ(out_.soft_reset, 5u);
    in_.rst = 1;
    step();
    in_.rst = 0;
    EXPECT_EQ(read(kHost, kKept), 0u);
    EXPECT_EQ(out_.soft_reset, 0u);
}

TEST_P(GrbmPinsTest, UnknownOffsetsReadZeroAndAreCounted) {
    for (const uint32_t offset : {0x8001u, 0x8200u, 0xC200u, 0x48100u}) {
        ask(kHost, offset, false);
        step();
        EXPECT_EQ(out_.unknown, 1) << std::hex << offset;
        EXPECT_EQ(out_.ans_unknown[0], 1);
        EXPECT_EQ(out_.ans_value[0], 0u);
        ask(kHost, offset, true);
        EXPECT_EQ(step().unknown, 1);
    }
}

TEST_P(GrbmPinsTest, PausedItTakesNoRequestsButAnswers) {
    ask(kHost, si::COMPUTE_DIM_X, false, 0, 9);
    step();
    in_.run = 0;
    respond(kToSpi, 0, 3);
    step();
    EXPECT_EQ(out_.req_ready[kHost], 0);
    EXPECT_EQ(out_.ans_tag[0], 9u);
}

TEST_P(GrbmPinsTest, UnsolicitedAnswerStopsItUntilReset) {
    respond(kToSpi, 0, 3);
    ask(kHost, kKept, true, 1);
    step();
    EXPECT_EQ(out_.error_code, GrbmPins::kUnsolicited);
    EXPECT_EQ(out_.error_place, 3u);
    EXPECT_EQ(out_.req_ready[kHost], 0);
    quiet();
    ask(kHost, kKept, false);
    EXPECT_EQ(step().error_code, GrbmPins::kUnsolicited);
    EXPECT_EQ(out_.req_ready[kHost], 0);
    in_.rst = 1;
    step();
    in_.rst = 0;
    EXPECT_EQ(step().req_ready[kHost], 1);
}

TEST_P(GrbmPinsTest, WriteThatStartsWhatDoesNotExistStopsIt) {
    ask(kCp, si::CS_COPY_STATE, false);
    EXPECT_EQ(step().error_code, 0);
    ask(kCp, si::CS_COPY_STATE, true);
    EXPECT_EQ(step().error_code, GrbmPins::kStarts);
    EXPECT_EQ(out_.error_place, si::CS_COPY_STATE);
}

INSTANTIATE_TEST_SUITE_P(On, GrbmPinsTest,
                         testing::ValuesIn(core_and_rtl<GrbmPins, gcn::si::GrbmPinCore>()), kName);

}  // namespace
}  // namespace archipelago::rtl
