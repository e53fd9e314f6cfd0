// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <random>
#include <vector>

#include "models/ctm/mc/mc_address_pins.h"
#include "testbenches/cosim/on_pins.h"
#include "testbenches/unit/ctm/address_reference.h"

namespace archipelago::rtl {
namespace {

using Addresses = std::array<uint32_t, 4>;

class CtmMcAddressPinsTest : public OnPins<CtmMcAddressPins> {
  protected:
    void command(unsigned opcode, uint32_t p0, uint32_t p1, uint32_t p2 = 0) {
        in_.cmd_valid = 1;
        in_.cmd = {static_cast<uint8_t>(opcode), p0, p1, p2};
        step();
        EXPECT_EQ(out_.cmd_ready, 1);
        in_.cmd_valid = 0;
    }
    static uint32_t format(uint32_t pitch, ctm::Tiling tiling, ctm::Format format) {
        ctm::Surface s;
        s.pitch = static_cast<uint16_t>(pitch);
        s.tiling = tiling;
        s.format = format;
        return format_word(s);
    }
    void offer(unsigned client, uint32_t x, uint32_t y, unsigned tag = 0) {
        in_.in_valid = 1;
        in_.in = {static_cast<uint8_t>(client), static_cast<uint16_t>(x), static_cast<uint16_t>(y),
                  static_cast<uint8_t>(tag)};
    }
    // One request through an empty pipeline.
    Addresses ask(unsigned client, uint32_t x, uint32_t y) {
        offer(client, x, y);
        in_.out_ready = 1;
        EXPECT_EQ(step().in_ready, 1);
        in_.in_valid = 0;
        for (unsigned i = 0; i < 100 && step().out_valid == 0; ++i) {
        }
        EXPECT_EQ(out_.out_valid, 1);
        return {out_.out_c0, out_.out_c1, out_.out_c2, out_.out_c3};
    }
};

TEST_P(CtmMcAddressPinsTest, AddressComesFourCyclesBehindItsIndices) {
    in_.out_ready = 1;
    offer(0, 0, 0, 5);
    EXPECT_EQ(step().in_ready, 1);
    in_.in_valid = 0;
    for (unsigned cycle = 1; cycle < CtmMcAddressPins::kLatency; ++cycle)
        EXPECT_EQ(step().out_valid, 0) << cycle;
    EXPECT_EQ(step().out_valid, 1);
    EXPECT_EQ(out_.out_tag, 5);
    EXPECT_EQ(step().out_valid, 0);
}

TEST_P(CtmMcAddressPinsTest, EveryRowOfTheTablesIsThatOfTheGuide) {
    std::mt19937 random(4);
    const ctm::Format formats[] = {ctm::Format::OneByte, ctm::Format::Uint16x1,
                                   ctm::Format::Float32x1, ctm::Format::Float32x2,
                                   ctm::Format::Float32x4};
    for (unsigned log2 = 0; log2 < 5; ++log2)
        for (const bool tiled : {false, true})
            for (int n = 0; n < 50; ++n) {
                const uint32_t base = random() & ctm::kBaseMask;
                const uint32_t pitch = random() & ctm::kMaxPitch;
                const uint32_t x = random() & ctm::kMaxIndex;
                const uint32_t y = random() & ctm::kMaxIndex;
                command(
                    0x0b, 7, base,
                    format(pitch, tiled ? ctm::Tiling::Tiled : ctm::Tiling::Linear, formats[log2]));
                const auto& row = (tiled ? ctm::reference::kTable2 : ctm::reference::kTable1)[log2];
                EXPECT_EQ(ask(7, x, y)[0], ctm::reference::address(row, pitch, base, x, y));
                EXPECT_EQ(out_.out_log2_bytes, log2);
            }
}

TEST_P(CtmMcAddressPinsTest, SuperfineGivesTheFourElementsInTheOrderOfTheChannels) {
    command(0x0b, 2, 0x80000, format(512, ctm::Tiling::TiledInp2x2, ctm::Format::Float32x1));
    EXPECT_EQ(ask(2, 0, 0), (Addresses{0x80004, 0x80010, 0x80014, 0x80000}));
    EXPECT_EQ(out_.out_superfine, 1);
    EXPECT_EQ(out_.out_status, 0);
    // After the last index comes the first.
    command(0x0b, 2, 0, format(512, ctm::Tiling::LinearInp2x2, ctm::Format::Float32x1));
    EXPECT_EQ(ask(2, 4095, 4095), (Addresses{4095 * 2048, 4095 * 4, 0, 4095 * 2048 + 4095 * 4}));
}

TEST_P(CtmMcAddressPinsTest, SuperfineOfOtherClientsIsIgnored) {
    command(0x0c, 3, 0x80000, format(512, ctm::Tiling::TiledInp2x2, ctm::Format::Float32x1));
    EXPECT_EQ(ask(19, 1, 0), (Addresses{0x80004, 0, 0, 0}));
    EXPECT_EQ(out_.out_superfine, 0);
}

TEST_P(CtmMcAddressPinsTest, StatusTellsWhatTheGuideDoesNotDefine) {
    command(0x0b, 0, 0x80000, format(64, ctm::Tiling::LinearInp2x2, ctm::Format::Uint8x4));
    EXPECT_EQ(ask(0, 0, 0)[3], 0x80000u);
    EXPECT_EQ(out_.out_status, 1);
    command(0x0b, 0, 0x80000, format(64, ctm::Tiling::LinearInp2x2, ctm::Format::Reserved6));
    EXPECT_EQ(ask(0, 5, 5), Addresses{});
    EXPECT_EQ(out_.out_status, 2);
    EXPECT_EQ(ask(25, 5, 5), Addresses{});
    EXPECT_EQ(out_.out_status, 3);
}

TEST_P(CtmMcAddressPinsTest, RefusedCommandIsReportedInItsCycleAndChangesNothing) {
    const uint32_t word = format(64, ctm::Tiling::Linear, ctm::Format::Float32x1);
    command(0x0c, 1, 0x80000, word);
    EXPECT_EQ(out_.cmd_refused, 0);
    command(0x0c, 5, 0x90000, word);
    EXPECT_EQ(out_.cmd_refused, 1);
    command(0x09, 0x90000, word);
    EXPECT_EQ(out_.cmd_refused, 1);
    command(0x11, 0x90000, word);
    EXPECT_EQ(out_.cmd_refused, 1);
    EXPECT_EQ(step().cmd_refused, 0);
    EXPECT_EQ(ask(17, 0, 0)[0], 0x80000u);
}

TEST_P(CtmMcAddressPinsTest, RequestSeesTheCommandsOfEarlierCyclesOnly) {
    const uint32_t word = format(64, ctm::Tiling::Linear, ctm::Format::Float32x1);
    command(0x0a, 0x80000, word);
    in_.out_ready = 1;
    offer(24, 0, 0, 1);
    command(0x0a, 0x90000, word);  // in the cycle of the request
    offer(24, 0, 0, 2);
    step();
    in_.in_valid = 0;
    while (step().out_valid == 0) {
    }
    EXPECT_EQ(out_.out_c0, 0x80000u);
    EXPECT_EQ(step().out_c0, 0x90000u);
}

TEST_P(CtmMcAddressPinsTest, FullPipelineRefusesHoldsItsAddressAndMovesWhenItIsTaken) {
    unsigned taken = 0;
    for (unsigned n = 0; n < 20; ++n) {
        offer(0, 0, 0, taken);
        taken += step().in_ready;
    }
    EXPECT_EQ(taken, CtmMcAddressPins::kLatency);
    EXPECT_EQ(out_.out_valid, 1);
    EXPECT_EQ(out_.out_tag, 0);
    in_.out_ready = 1;
    offer(0, 0, 0, 77);
    EXPECT_EQ(step().in_ready, 1);
    in_.in_valid = 0;
    for (const unsigned tag : {1u, 2u, 3u, 77u})
        EXPECT_EQ(step().out_tag, tag);
    EXPECT_EQ(step().out_valid, 0);
}

TEST_P(CtmMcAddressPinsTest, ResetForgetsRequestsAndSurfaces) {
    command(0x0b, 0, 0x80000, format(64, ctm::Tiling::Linear, ctm::Format::Float32x1));
    offer(0, 1, 1);
    in_.rst = 1;
    step();
    in_.rst = 0;
    in_.in_valid = 0;
    for (unsigned n = 0; n < 10; ++n)
        EXPECT_EQ(step().out_valid, 0);
    EXPECT_EQ(ask(0, 0, 1)[0], 0u);
}

TEST_P(CtmMcAddressPinsTest, UnitBehindPinsGivesTheAddressesOfASurface) {
    ctm::Surface s;
    s.base = 0x80000;
    s.pitch = 512;
    s.tiling = ctm::Tiling::TiledInp2x2;
    s.format = ctm::Format::Float32x1;
    std::mt19937 random(8);
    std::vector<ctm::Point> points(1000);
    for (ctm::Point& p : points)
        p = {static_cast<uint16_t>(random() & ctm::kMaxIndex),
             static_cast<uint16_t>(random() & ctm::kMaxIndex)};
    std::vector<uint32_t> addresses(4 * points.size());
    ctm::PinAddressUnit unit(*block_, s);
    unit.map(points.data(), 300, addresses.data());
    unit.map(points.data() + 300, 700, addresses.data() + 1200);
    for (size_t i = 0; i < points.size(); ++i) {
        const auto expected = superfine_addresses(s, 2, points[i].x, points[i].y);
        for (unsigned k = 0; k < 4; ++k)
            ASSERT_EQ(addresses[4 * i + k], expected[k]) << i;
    }
}

INSTANTIATE_TEST_SUITE_P(On, CtmMcAddressPinsTest,
                         testing::ValuesIn(core_and_rtl<CtmMcAddressPins, ctm::McAddressPins>()),
                         kName);

}  // namespace
}  // namespace archipelago::rtl
