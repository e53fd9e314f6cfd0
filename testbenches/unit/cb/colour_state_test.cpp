// SPDX-License-Identifier: Apache-2.0
// Registers to state: what is bound, what is refused and by which name.
#include "models/cb/colour_state.h"

#include <gtest/gtest.h>

#include "colour_bench.h"
#include "models/common/error.h"

namespace archipelago::cb {
namespace {

std::string refusal(const ColourBench& bench) {
    try {
        bench.decode();
    } catch (const MachineStop& stop) {
        return stop.what();
    }
    return "";
}

TEST(ColourStates, TargetsThatAreBound) {
    ColourBench bench;
    EXPECT_FALSE(bench.decode().target[0].bound);
    bench.bind(0, Info());
    bench.bind(3, Info());
    bench.enable(0);
    bench.enable(3);
    bench.set(si::SPI_SHADER_COL_FORMAT, 0x49);
    ColourState state = bench.decode();
    EXPECT_TRUE(state.target[0].bound);
    EXPECT_FALSE(state.target[1].bound);
    EXPECT_TRUE(state.target[3].bound);
    EXPECT_EQ(state.target[3].export_format, raster::ExportFormat::Fp16);
    EXPECT_EQ(state.target[3].width, ColourBench::kSide);
    EXPECT_EQ(state.target[3].height, ColourBench::kSide);
    EXPECT_FALSE(state.target[3].reads_destination);
    EXPECT_EQ(state.target[3].export_number, 1);
    bench.set(si::CB_SHADER_MASK, 0x1);
    state = bench.decode();
    EXPECT_EQ(state.target[0].exported, 0x1);
    EXPECT_FALSE(state.target[3].bound);
    bench.set(si::CB_TARGET_MASK, 0x7);
    EXPECT_TRUE(bench.decode().target[0].reads_destination);
    bench.set(si::CB_TARGET_MASK, 0);
    EXPECT_FALSE(bench.decode().target[0].bound);
    bench.set(si::CB_TARGET_MASK, 0xF);
    bench.set(si::CB_COLOR_CONTROL, 0x00CC0000);
    EXPECT_FALSE(bench.decode().target[0].bound);
    bench.set(si::CB_COLOR_CONTROL, 0x00CC0011);  // bit 0 is of later chips
    EXPECT_TRUE(bench.decode().target[0].bound);
    bench.set(si::SPI_SHADER_COL_FORMAT, 0);
    EXPECT_FALSE(bench.decode().target[0].bound);
}

TEST(ColourStates, WhenBlendingIsOff) {
    ColourBench bench;
    bench.bind(0, Info());
    bench.enable(0);
    bench.set(si::CB_BLEND0_CONTROL, 0x40000504);
    EXPECT_TRUE(bench.decode().target[0].blend.enabled);
    bench.set(si::CB_COLOR_CONTROL, 0x00660010);  // a logic operation
    EXPECT_FALSE(bench.decode().target[0].blend.enabled);
    bench.set(si::CB_BLEND0_CONTROL, 0xC0000504);  // DISABLE_ROP3
    EXPECT_TRUE(bench.decode().target[0].blend.enabled);
    Info bypass;
    bypass.bypass = true;
    bench.bind(0, bypass);
    EXPECT_FALSE(bench.decode().target[0].blend.enabled);
    Info integer;
    integer.number = 4;
    bench.bind(0, integer);
    EXPECT_FALSE(bench.decode().target[0].blend.enabled);
}

TEST(ColourStates, RefusalsByName) {
    ColourBench bench;
    bench.enable(0);
    bench.enable(2);
    const auto with = [&](const Info& info) {
        bench.bind(0, info);
        return refusal(bench);
    };
    Info info;
    info.format = 13;
    EXPECT_EQ(with(info), "CB_COLOR0_INFO: FORMAT 13 is reserved");
    info.format = 31;
    EXPECT_EQ(with(info), "CB_COLOR0_INFO: FORMAT 31 is reserved");
    info.format = 10;
    info.number = 2;
    EXPECT_EQ(with(info), "CB_COLOR0_INFO: NUMBER_TYPE 2 is not of targets of FORMAT 8_8_8_8");
    info.number = 0;
    info.endian = 3;
    EXPECT_EQ(with(info),
              "CB_COLOR0_INFO: ENDIAN 3 swaps more bytes than a pixel of FORMAT 8_8_8_8 has");
    bench.bind(0, Info());
    bench.set(si::CB_COLOR_CONTROL, 0x00CC0070);
    EXPECT_EQ(refusal(bench), "CB_COLOR_CONTROL: MODE 7 is reserved");
    bench.set(si::CB_COLOR_CONTROL, 0x00CC0010);
    bench.set(si::CB_BLEND0_CONTROL, 0x40000015);
    EXPECT_EQ(refusal(bench), "CB_BLEND_CONTROL of CB_COLOR0: blend factor 21 is reserved");
    bench.set(si::CB_BLEND0_CONTROL, 0x400000A1);
    EXPECT_EQ(refusal(bench), "CB_BLEND_CONTROL of CB_COLOR0: blend function 5 is reserved");
    bench.set(si::CB_BLEND0_CONTROL, 0);
    bench.set(si::SPI_SHADER_COL_FORMAT, 0xA);
    EXPECT_EQ(refusal(bench), "SPI_SHADER_COL_FORMAT: COL0_EXPORT_FORMAT 10 is reserved");
    bench.set(si::SPI_SHADER_COL_FORMAT, 0x99);
    bench.bind(2, Info());
    bench.set(si::CB_BLEND0_CONTROL + 8, 0x40000F01);
    EXPECT_EQ(refusal(bench),
              "CB_BLEND2_CONTROL: blends with a second source, which target 0 alone can");
    bench.set(si::CB_BLEND0_CONTROL + 8, 0);
    bench.set(si::CB_COLOR0_ATTRIB, 13 | 5u << 12);
    EXPECT_EQ(refusal(bench), "CB_COLOR0_ATTRIB: NUM_SAMPLES 5 is reserved");
    bench.set(si::CB_COLOR0_ATTRIB, 13 | 1u << 12 | 2u << 15);
    EXPECT_EQ(refusal(bench), "CB_COLOR0_ATTRIB: NUM_FRAGMENTS is greater than NUM_SAMPLES");
    bench.bind(0, Info(), ColourBench::kMacro);
    bench.set(si::CB_COLOR0_PITCH, 6);
    EXPECT_EQ(refusal(bench).rfind("CB_COLOR0_BASE: ", 0), 0u) << refusal(bench);
}

TEST(ColourStates, ResolvesNeedBothTargets) {
    ColourBench bench;
    bench.set(si::CB_COLOR_CONTROL, 0x00CC0030);
    bench.bind(0, Info(), ColourBench::kMacro, 1, 2, 2);
    EXPECT_EQ(refusal(bench).rfind("CB_COLOR1_INFO: FORMAT is INVALID", 0), 0u);
    Info other;
    other.format = 12;
    bench.bind(1, other);
    EXPECT_EQ(refusal(bench).rfind("CB_COLOR1_INFO: FORMAT is not that", 0), 0u);
    bench.bind(1, Info(), ColourBench::kMacro, 1, 1, 1);
    EXPECT_EQ(refusal(bench).rfind("CB_COLOR1_ATTRIB: ", 0), 0u);
    bench.bind(1, Info());
    EXPECT_EQ(refusal(bench), "");
}

TEST(ColourStates, LinearGeneralIgnoresTheTileIndex) {
    ColourBench bench;
    Info info;
    info.general = true;
    bench.bind(0, info, ColourBench::kMacro);
    bench.enable(0);
    const Target t = bench.decode().target[0];
    EXPECT_EQ(t.surface.layout.mode.array, surface::ArrayMode::LinearGeneral);
    EXPECT_FALSE(t.quads_in_line);
}

}  // namespace
}  // namespace archipelago::cb
