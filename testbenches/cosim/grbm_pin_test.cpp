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
