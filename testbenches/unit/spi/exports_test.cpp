// SPDX-License-Identifier: Apache-2.0
// The buffers VS waves export to, by themselves.
#include "models/spi/exports.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/common/error.h"

namespace archipelago::spi::exports_test {
namespace {

constexpr unsigned kPos0 = 12, kParam0 = 32;

StageProgram vertex_program(unsigned positions, unsigned parameters) {
    StageProgram p;
    p.position_mask = static_cast<uint8_t>((1u << positions) - 1);
    p.positions = static_cast<uint8_t>(positions);
    p.parameters = static_cast<uint8_t>(parameters);
    return p;
}

VertexWave vertices(uint32_t draw, uint32_t number, uint8_t se = 0) {
    VertexWave v;
    v.draw = draw;
    v.wave = number;
    v.lanes = 64;
    v.shader_engine = se;
    return v;
}

ExportMessage exported(uint32_t draw, uint32_t wave, unsigned target, bool done = false) {
    ExportMessage m;
    m.wave.stage = ShaderStage::Vs;
    m.wave.dispatch = draw;
    m.wave.group = wave;
    m.target = static_cast<uint8_t>(target);
    m.enabled = 15;
    m.done = done;
    m.exec = ~uint64_t{0};
    for (unsigned k = 0; k < 4; ++k)
        m.data[k].fill(100 * target + k);
    return m;
}

void open_pixels(ExportBuffers& buffers, uint32_t draw, uint32_t wave) {
    auto packed = std::make_unique<PackedWave>();
    packed->draw = draw;
    packed->wave = wave;
    packed->quads = 1;
    packed->primitives.resize(1);
    buffers.open_pixels(packed, StageProgram{});
}

TEST(Exports, OnlyEnabledComponentsOfActiveLanesAreWritten) {
    ExportBuffers buffers(1, 8, 8);
    buffers.open(vertices(1, 0), vertex_program(1, 1), false);
    buffers.take(exported(1, 0, kParam0));
    ExportMessage part = exported(1, 0, kParam0);
    part.enabled = 0b0101;
    part.exec = 0xf0;
    for (auto& component : part.data)
        component.fill(7);
    buffers.take(part);
    const VertexExports::Vector& v = buffers.parameters(1, 0)->at(0);
    EXPECT_EQ(v[0][4], 7u);
    EXPECT_EQ(v[0][3], 3200u);
    EXPECT_EQ(v[1][4], 3201u);
    EXPECT_EQ(v[2][7], 7u);
    EXPECT_EQ(v[3][7], 3203u);
    EXPECT_EQ(buffers.parameters(1, 0)->size(), 1u);
    EXPECT_EQ(buffers.parameters(1, 1), nullptr);
}

TEST(Exports, PositionsAreHandedOnInTheOrderOfTheirFormats) {
    ExportBuffers buffers(1, 8, 8);
    StageProgram p = vertex_program(0, 1);
    p.position_mask = 0b1010;
    p.positions = 2;
    buffers.open(vertices(3, 5), p, false);
    buffers.take(exported(3, 5, kPos0 + 3));
    EXPECT_FALSE(buffers.any_complete());
    buffers.take(exported(3, 5, kPos0 + 1, true));
    ASSERT_TRUE(buffers.any_complete());
    const VertexExports out = buffers.send();
    EXPECT_EQ(out.draw, 3u);
    EXPECT_EQ(out.wave, 5u);
    EXPECT_EQ(out.lanes, 64);
    ASSERT_EQ(out.position.size(), 2u);
    EXPECT_EQ(out.position[0][0][9], 1300u);
    EXPECT_EQ(out.position[1][2][9], 1502u);
    EXPECT_FALSE(buffers.any_complete());
}

TEST(Exports, SpaceIsOfEachEngineAndGivenBackInTwoParts) {
    ExportBuffers buffers(2, 4, 4);
    const StageProgram p = vertex_program(2, 3);
    buffers.open(vertices(1, 0, 1), p, false);
    EXPECT_TRUE(buffers.has_room(0, p));
    EXPECT_FALSE(buffers.has_room(1, p));
    EXPECT_TRUE(buffers.has_room(1, vertex_program(2, 1)));
    EXPECT_FALSE(buffers.take_back({1, 0, true, false})) << "the positions have not come";
    buffers.take(exported(1, 0, kPos0));
    buffers.take(exported(1, 0, kPos0 + 1, true));
    buffers.send();
    EXPECT_TRUE(buffers.take_back({1, 0, true, false}));
    EXPECT_EQ(buffers.state().engines[1].positions, 0u);
    EXPECT_EQ(buffers.state().engines[1].parameters, 3u);
    EXPECT_FALSE(buffers.take_back({1, 0, true, false})) << "twice";
    // Parameters may be given back before the wave has ended, and are kept until then.
    EXPECT_TRUE(buffers.take_back({1, 0, false, true}));
    EXPECT_FALSE(buffers.take_back({1, 0, false, true}));
    EXPECT_EQ(buffers.state().engines[1].parameters, 3u);
    buffers.take(exported(1, 0, kParam0 + 2));
    buffers.ended(ShaderStage::Vs, 1, 0);
    EXPECT_EQ(buffers.state().engines[1].parameters, 0u);
    EXPECT_TRUE(buffers.state().vertices.empty());
    EXPECT_FALSE(buffers.take_back({1, 0, true, false})) << "no such wave";
}

TEST(Exports, ParametersAreGivenBackThroughAWaveOfTheirDrawOnly) {
    ExportBuffers buffers(1, 0, 0);
    for (uint32_t draw = 1; draw < 3; ++draw)
        for (uint32_t wave = 0; wave < 4; ++wave) {
            buffers.open(vertices(draw, wave), vertex_program(0, 1), false);
            buffers.ended(ShaderStage::Vs, draw, wave);
        }
    EXPECT_EQ(buffers.state().engines[0].parameters, 8u);
    buffers.free_parameters_through(1, 2);
    EXPECT_EQ(buffers.state().engines[0].parameters, 6u);
    EXPECT_EQ(buffers.parameters(1, 1), nullptr);
    EXPECT_EQ(buffers.parameters(1, 2)->size(), 1u);
    buffers.forget(1);
    EXPECT_EQ(buffers.state().engines[0].parameters, 4u);
    EXPECT_EQ(buffers.state().complete.size(), 4u);
    EXPECT_EQ(buffers.state().complete.front().first, 2u);
}

TEST(Exports, WavesThatRunLateGetSpaceOldestFirstWithWhatTheyHaveSent) {
    ExportBuffers buffers(1, 1, 4);
    const StageProgram p = vertex_program(1, 1);
    buffers.open(vertices(1, 0), p, false);
    buffers.open(vertices(1, 1), p, true);
    buffers.open(vertices(1, 2), p, true);
    EXPECT_EQ(buffers.state().late, 2u);
    buffers.take(exported(1, 2, kPos0, true));
    buffers.take(exported(1, 1, kPos0, true));
    buffers.ended(ShaderStage::Vs, 1, 1);
    EXPECT_FALSE(buffers.grant_space());
    EXPECT_FALSE(buffers.any_complete());
    buffers.take(exported(1, 0, kPos0, true));
    buffers.send();
    EXPECT_TRUE(buffers.take_back({1, 0, true, false}));
    EXPECT_FALSE(buffers.has_room(0, p)) << "those that run come first";
    EXPECT_TRUE(buffers.grant_space());
    ASSERT_TRUE(buffers.any_complete());
    EXPECT_EQ(buffers.send().wave, 1u);
    EXPECT_EQ(buffers.state().late, 1u);
    EXPECT_FALSE(buffers.grant_space());
    EXPECT_TRUE(buffers.take_back({1, 1, true, true}));
    EXPECT_TRUE(buffers.grant_space());
    EXPECT_EQ(buffers.send().wave, 2u);
    EXPECT_EQ(buffers.state().late, 0u);
    EXPECT_TRUE(buffers.has_room(0, vertex_program(0, 1)));
}

TEST(Exports, ALateWaveThatEndedWithoutItsPositionIsNamedWhenItGetsSpace) {
    ExportBuffers buffers(1, 1, 4);
    buffers.open(vertices(1, 0), vertex_program(1, 1), true);
    buffers.ended(ShaderStage::Vs, 1, 0);
    EXPECT_THROW(buffers.grant_space(), MachineStop);
}

struct Target {
    ShaderStage stage;
    unsigned target;
    bool compressed;
    const char* refused;  // null: taken
};
TEST(Exports, EachStageHasItsTargets) {
    const Target rows[] = {
        {ShaderStage::Vs, 0, false, "target 0, which is a pixel's"},
        {ShaderStage::Vs, 8, false, "target 8, which is a pixel's"},
        {ShaderStage::Vs, 9, false, nullptr},
        {ShaderStage::Vs, 10, false, "target 10"},
        {ShaderStage::Vs, 12, false, nullptr},
        {ShaderStage::Vs, 12, true, "a compressed position"},
        {ShaderStage::Vs, 13, false, "POS1 has no format"},
        {ShaderStage::Vs, 16, false, "there is no target 16"},
        {ShaderStage::Vs, 32, false, nullptr},
        {ShaderStage::Vs, 32, true, "a compressed parameter"},
        {ShaderStage::Vs, 34, false, "parameter 2"},
        {ShaderStage::Ps, 0, false, nullptr},
        {ShaderStage::Ps, 7, true, nullptr},
        {ShaderStage::Ps, 8, false, nullptr},
        {ShaderStage::Ps, 9, false, nullptr},
        {ShaderStage::Ps, 12, false, "target 12, which is a vertex's"},
        {ShaderStage::Ps, 32, false, "target 32, which is a vertex's"},
        {ShaderStage::Gs, 12, false, "this is one of GS"},
        {ShaderStage::Cs, 0, false, "this is one of CS"},
    };
    for (const Target& row : rows) {
        ExportBuffers buffers(1, 8, 8);
        buffers.open(vertices(1, 0), vertex_program(1, 2), false);
        open_pixels(buffers, 1, 0);
        ExportMessage m = exported(1, 0, row.target);
        m.wave.stage = row.stage;
        m.compressed = row.compressed;
        try {
            buffers.take(m);
            EXPECT_EQ(row.refused, nullptr) << row.target << " was taken";
        } catch (const MachineStop& stop) {
            ASSERT_NE(row.refused, nullptr) << stop.what();
            EXPECT_EQ(stop.kind(), StopKind::BadInput);
            EXPECT_THAT(stop.what(), ::testing::HasSubstr(row.refused));
        }
    }
}

TEST(Exports, WhatIsExportedIsCountedByTarget) {
    ExportBuffers buffers(1, 8, 8);
    buffers.open(vertices(1, 0), vertex_program(2, 2), false);
    open_pixels(buffers, 1, 0);
    for (const unsigned target : {9u, 12u, 13u, 32u, 33u, 33u})
        buffers.take(exported(1, 0, target));
    for (const unsigned target : {0u, 5u, 8u, 9u}) {
        ExportMessage m = exported(1, 0, target, target == 9);
        m.wave.stage = ShaderStage::Ps;
        buffers.take(m);
    }
    const ExportCounters& c = buffers.state().counters;
    EXPECT_EQ(c.positions, 2u);
    EXPECT_EQ(c.parameters, 3u);
    EXPECT_EQ(c.colors, 2u);
    EXPECT_EQ(c.depths, 1u);
    EXPECT_EQ(c.nulls, 2u);
    EXPECT_NO_THROW(buffers.ended(ShaderStage::Ps, 1, 0));
    EXPECT_TRUE(buffers.colours(0).ready());
}

TEST(Exports, APixelWaveWithoutALastExportIsNamed) {
    ExportBuffers buffers(1, 8, 8);
    open_pixels(buffers, 4, 2);
    try {
        buffers.ended(ShaderStage::Ps, 4, 2);
        ADD_FAILURE() << "accepted";
    } catch (const MachineStop& stop) {
        EXPECT_EQ(stop.kind(), StopKind::BadInput);
        EXPECT_THAT(stop.what(), ::testing::HasSubstr("ps4.w2"));
    }
}

}  // namespace
}  // namespace archipelago::spi::exports_test
