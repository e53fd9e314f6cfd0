// SPDX-License-Identifier: Apache-2.0
// Draws to VS waves and primitives: a brute-force reference for random draws, and each rule alone.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <vector>

#include "registers/si_pa.h"
#include "testbenches/unit/vgt/draw_bench.h"

namespace archipelago::vgt {
namespace {

// A vertex as a shader would see it.
using Seen = std::array<uint32_t, 4>;

struct Expected {
    std::vector<Seen> vertices;  // three at most
    unsigned engine = 0;
    uint32_t id = 0, instance = 0;
};

// Triangle lists, line strips and points only: what a draw must come to, from the registers' plain
// meaning.
std::vector<Expected> reference(const Draw& d, const std::vector<uint32_t>& indices,
                                unsigned engines) {
    std::vector<Expected> out;
    uint32_t id = d.id_reset;
    uint64_t in_group = 0;
    unsigned engine = 0;
    for (uint32_t instance = 0; instance < d.instances; ++instance) {
        if (!d.keep_id)
            id = d.id_reset;
        std::vector<uint32_t> part;
        const auto flush = [&] {
            std::vector<std::vector<uint32_t>> shapes;
            for (size_t i = 0; i < part.size(); ++i) {
                if (d.type == PrimType::PointList)
                    shapes.push_back({part[i]});
                if (d.type == PrimType::LineStrip && i + 1 < part.size())
                    shapes.push_back({part[i], part[i + 1]});
                if (d.type == PrimType::TriList && i % 3 == 2)
                    shapes.push_back({part[i - 2], part[i - 1], part[i]});
            }
            for (const auto& shape : shapes) {
                if (!d.switch_on_eop && in_group == d.group) {
                    in_group = 0;
                    engine = (engine + 1) % engines;
                }
                ++in_group;
                Expected e;
                e.engine = engine;
                e.id = id;
                e.instance = instance;
                for (const uint32_t raw : shape) {
                    uint64_t v = static_cast<uint32_t>(raw + d.index_offset);
                    v = std::min<uint64_t>(v, d.index_max);
                    v = std::max<uint64_t>(v, d.index_min);
                    e.vertices.push_back({static_cast<uint32_t>(v), instance / d.step_rate[0],
                                          d.primitive_id ? id : instance / d.step_rate[1],
                                          instance});
                }
                out.push_back(e);
                ++id;
            }
            part.clear();
        };
        for (uint32_t i = 0; i < d.count; ++i) {
            const uint32_t raw = d.source == IndexSource::Auto ? i : indices[i];
            if (d.reset && raw == d.reset_index)
                flush();
            else
                part.push_back(raw);
        }
        flush();
        if (d.switch_on_eoi && in_group != 0) {
            in_group = 0;
            engine = (engine + 1) % engines;
        }
    }
    return out;
}

TEST(VgtDraw, RandomDrawsComeToTheVerticesAndPrimitivesTheRegistersDescribe) {
    std::mt19937 random(11);
    const auto up_to = [&](uint32_t n) { return static_cast<uint32_t>(random() % (n + 1)); };
    for (unsigned round = 0; round < 600; ++round) {
        DrawBench b;
        b.spec.shader_engines = 1 + round % 2;
        static constexpr uint32_t kTypes[] = {1, 3, 4};
        b.set(si::VGT_PRIMITIVE_TYPE, kTypes[up_to(2)]);
        b.initiator = up_to(1) == 0 ? 2 : 1;
        b.set(si::VGT_INDEX_TYPE, 1);
        const uint32_t count = up_to(400);
        b.set(si::VGT_NUM_INDICES, count);
        b.set(si::VGT_NUM_INSTANCES, b.initiator == 1 ? 1 : 1 + up_to(4));
        b.set(si::VGT_INSTANCE_STEP_RATE_0, 1 + up_to(3));
        b.set(si::VGT_INSTANCE_STEP_RATE_1, up_to(2));
        b.set(si::VGT_INDX_OFFSET, up_to(3) == 0 ? ~0u - 5 : up_to(20));
        b.set(si::VGT_MAX_VTX_INDX, up_to(1) == 0 ? ~0u : 60);
        b.set(si::VGT_MIN_VTX_INDX, up_to(3));
        b.set(si::VGT_MULTI_PRIM_IB_RESET_EN, up_to(1));
        b.set(si::VGT_MULTI_PRIM_IB_RESET_INDX, 7);
        b.set(si::VGT_PRIMITIVEID_EN, up_to(3));
        b.set(si::VGT_PRIMITIVEID_RESET, up_to(5));
        b.set(si::VGT_VERTEX_REUSE_BLOCK_CNTL, up_to(20));
        b.set(si::VGT_REUSE_OFF, up_to(4) == 0);
        b.set(si::VGT_VTX_VECT_EJECT_REG, up_to(1) == 0 ? 0 : 1 + up_to(30));
        b.set(si::IA_MULTI_VGT_PARAM, up_to(50) | up_to(15) << 16);
        std::vector<uint32_t> indices(count);
        for (uint32_t& i : indices)
            i = up_to(40);
        const Draw d = b.draw();
        DrawEngine engine(b.spec);
        const EngineOutput out = run(engine, d, indices);
        const std::vector<Expected> want = reference(d, indices, b.spec.shader_engines);

        ASSERT_TRUE(engine.finished());
        ASSERT_EQ(out.primitives.size(), want.size());
        // Waves are numbered as they leave; none is empty.
        for (size_t i = 0; i < out.waves.size(); ++i) {
            ASSERT_EQ(out.waves[i].wave, i);
            ASSERT_GE(out.waves[i].lanes, 1);
            ASSERT_LE(out.waves[i].lanes, 64);
            ASSERT_EQ(out.waves[i].draw, d.number);
            ASSERT_EQ(out.waves[i].context, 1);
        }
        // Primitives of one shader engine keep their order; both together are all of them.
        std::array<size_t, 2> next{};
        std::set<std::pair<uint32_t, uint8_t>> used;
        std::map<uint32_t, unsigned> of_wave;
        for (const PrimitiveMessage& p : out.primitives) {
            size_t& i = next[p.shader_engine];
            while (i < want.size() && want[i].engine != p.shader_engine)
                ++i;
            ASSERT_LT(i, want.size());
            const Expected& e = want[i++];
            ASSERT_EQ(p.vertices, e.vertices.size());
            ASSERT_EQ(p.primitive_id, e.id);
            ASSERT_EQ(p.instance, e.instance);
            for (unsigned v = 0; v < p.vertices; ++v) {
                const VertexWave* wave = out.vs(p.wave[v]);
                ASSERT_NE(wave, nullptr);
                ASSERT_EQ(wave->shader_engine, e.engine);
                ASSERT_LT(p.lane[v], wave->lanes);
                for (unsigned k = 0; k < 4; ++k)
                    ASSERT_EQ(wave->vgpr[k][p.lane[v]], e.vertices[v][k]);
                used.insert({p.wave[v], p.lane[v]});
            }
            ++of_wave[p.wave[0]];
            ASSERT_LE(of_wave[p.wave[0]], d.eject == 0 ? ~0u : d.eject);
        }
        // No lane is there for nothing, and without reuse every primitive has its own.
        size_t lanes = 0;
        for (const VertexWave& w : out.waves)
            lanes += w.lanes;
        EXPECT_EQ(used.size(), lanes);
        if (d.reuse == 0 || d.primitive_id) {
            size_t vertices = 0;
            for (const Expected& e : want)
                vertices += e.vertices.size();
            EXPECT_EQ(lanes, vertices);
        }
        // The last primitive of each wave, and only that, says so.
        for (size_t i = 0; i < out.primitives.size(); ++i)
            EXPECT_EQ(out.primitives[i].end_of_packet,
                      i + 1 == out.primitives.size() ||
                          out.primitives[i + 1].wave[0] != out.primitives[i].wave[0]);
    }
}

TEST(VgtDraw, AVertexIsReusedWhileItIsAmongTheLastOnesTheBufferHolds) {
    for (const unsigned depth : {1u, 3u, 14u, 200u}) {
        DrawBench b;
        b.spec.shader_engines = 1;
        b.initiator = 1;
        b.set(si::VGT_INDEX_TYPE, 1).set(si::VGT_PRIMITIVE_TYPE, 1);
        b.set(si::VGT_VERTEX_REUSE_BLOCK_CNTL, depth);
        const unsigned most = std::min(depth, b.spec.reuse_most);
        // Vertex 0, then n others, then vertex 0 again.
        for (unsigned n = 0; n < 20; ++n) {
            std::vector<uint32_t> indices{0};
            for (unsigned i = 1; i <= n; ++i)
                indices.push_back(i);
            indices.push_back(0);
            b.set(si::VGT_NUM_INDICES, n + 2);
            DrawEngine engine(b.spec);
            const EngineOutput out = run(engine, b.draw(), indices);
            ASSERT_EQ(out.waves.size(), 1u);
            EXPECT_EQ(out.waves[0].lanes, n < most ? n + 1 : n + 2) << depth << ", " << n;
        }
    }
}

TEST(VgtDraw, AListOfTrianglesPacksWholeTrianglesOf63Vertices) {
    DrawBench b;
    b.set(si::VGT_NUM_INDICES, 300).set(si::IA_MULTI_VGT_PARAM, 0xFFFF);
    DrawEngine engine(b.spec);
    const EngineOutput out = run(engine, b.draw());
    ASSERT_EQ(out.waves.size(), 5u);
    for (unsigned i = 0; i < 4; ++i)
        EXPECT_EQ(out.waves[i].lanes, 63);
    EXPECT_EQ(out.waves[4].lanes, 48);
}

// Of triangle 1 of a strip vertex 1 provokes by the first convention, vertex 3 by the last.
TEST(VgtDraw, OrderInAStripIsThatOfTheContextsProvokingVertex) {
    for (const bool last : {false, true}) {
        DrawBench b;
        b.set(si::VGT_PRIMITIVE_TYPE, 6).set(si::VGT_NUM_INDICES, 4);
        b.set(si::PA_SU_SC_MODE_CNTL,
              regs::si::typed::PA_SU_SC_MODE_CNTL{}.set_PROVOKING_VTX_LAST(last ? 1 : 0).raw);
        b.set(si::PA_SU_SC_MODE_CNTL, ~0u, 2);  // of another context
        DrawEngine engine(b.spec);
        const EngineOutput out = run(engine, b.draw());
        ASSERT_EQ(out.primitives.size(), 2u);
        const PrimitiveMessage& odd = out.primitives[1];
        const unsigned provoking = last ? 2 : 0;
        EXPECT_EQ(odd.lane[provoking], last ? 3 : 1);
        EXPECT_EQ(odd.lane[1], last ? 1 : 3);
    }
}

TEST(VgtDraw, PrimitivesOfRectangleListsAreRectangles) {
    DrawBench b;
    for (const uint32_t type : {0x11u, 4u}) {
        b.set(si::VGT_PRIMITIVE_TYPE, type).set(si::VGT_NUM_INDICES, 6);
        DrawEngine engine(b.spec);
        const EngineOutput out = run(engine, b.draw());
        ASSERT_EQ(out.primitives.size(), 2u);
        EXPECT_EQ(out.primitives[0].rectangle, type == 0x11);
        EXPECT_TRUE(out.primitives[0].first);
        EXPECT_FALSE(out.primitives[1].first);
    }
}

TEST(VgtDraw, GroupsOfPrimitivesGoToTheShaderEnginesInTurn) {
    DrawBench b;
    b.set(si::VGT_NUM_INDICES, 3 * 40).set(si::IA_MULTI_VGT_PARAM, 9);  // 10 primitives
    DrawEngine engine(b.spec);
    const EngineOutput out = run(engine, b.draw());
    for (const PrimitiveMessage& p : out.primitives)
        EXPECT_EQ(p.shader_engine, p.primitive_id / 10 % 2);
    EXPECT_EQ(out.waves.size(), 2u);  // both fill their wave from group to group
}

TEST(VgtDraw, PartialVsWaveEndsAWaveWithEachGroup) {
    DrawBench b;
    b.set(si::VGT_NUM_INDICES, 3 * 40).set(si::IA_MULTI_VGT_PARAM, 9 | 1 << 16);
    DrawEngine engine(b.spec);
    const EngineOutput out = run(engine, b.draw());
    ASSERT_EQ(out.waves.size(), 4u);
    for (const VertexWave& w : out.waves)
        EXPECT_EQ(w.lanes, 30);
}

TEST(VgtDraw, SwitchOnEopKeepsADrawOnOneShaderEngineAndNotEopTheNextToo) {
    DrawBench b;
    b.set(si::VGT_NUM_INDICES, 3 * 40).set(si::IA_MULTI_VGT_PARAM, 1 << 17);
    DrawEngine engine(b.spec);
    const unsigned engines[] = {0, 1, 1, 0};
    const uint32_t initiators[] = {2, 2 | 1 << 5, 2, 2};  // the second is not the end of a packet
    for (unsigned i = 0; i < 4; ++i) {
        b.initiator = initiators[i];
        for (const PrimitiveMessage& p : run(engine, b.draw()).primitives)
            EXPECT_EQ(p.shader_engine, engines[i]) << i;
    }
}

TEST(VgtDraw, SwitchOnEoiChangesTheShaderEngineWithEachInstance) {
    DrawBench b;
    b.set(si::VGT_NUM_INSTANCES, 4).set(si::IA_MULTI_VGT_PARAM, 1 << 17 | 1 << 19);
    DrawEngine engine(b.spec);
    for (const PrimitiveMessage& p : run(engine, b.draw()).primitives)
        EXPECT_EQ(p.shader_engine, p.instance % 2);
}

TEST(VgtDraw, PrimitiveNumbersGoOnBehindANotEopDraw) {
    DrawBench b;
    b.set(si::VGT_NUM_INDICES, 6).set(si::VGT_PRIMITIVEID_RESET, 100);
    DrawEngine engine(b.spec);
    const auto first = [&](uint32_t initiator) {
        b.initiator = initiator;
        return run(engine, b.draw()).primitives.front().primitive_id;
    };
    EXPECT_EQ(first(2 | 1 << 5), 100u);
    EXPECT_EQ(first(2), 102u);
    EXPECT_EQ(first(2), 100u);
}

TEST(VgtDraw, TheVertexCounterNumbersAutomaticIndicesOfDrawAfterDraw) {
    DrawBench b;
    b.set(si::VGT_VTX_CNT_EN, 1);
    DrawEngine engine(b.spec);
    EXPECT_EQ(run(engine, b.draw()).waves[0].vgpr[0][0], 0u);
    EXPECT_EQ(run(engine, b.draw()).waves[0].vgpr[0][0], 3u);
    b.set(si::VGT_VTX_CNT_EN, 0);
    EXPECT_EQ(run(engine, b.draw()).waves[0].vgpr[0][0], 0u);
}

TEST(VgtDraw, WithoutAGeometryShaderAdjacentVerticesAreNotShaded) {
    const std::map<uint32_t, std::vector<uint32_t>> want = {
        {10, {1, 2}}, {11, {1, 2}}, {12, {0, 2, 4}}, {13, {0, 2, 4}}};
    for (const auto& [type, vertices] : want) {
        DrawBench b;
        b.set(si::VGT_PRIMITIVE_TYPE, type).set(si::VGT_NUM_INDICES, type < 12 ? 4 : 6);
        DrawEngine engine(b.spec);
        const EngineOutput out = run(engine, b.draw());
        ASSERT_EQ(out.waves.size(), 1u);
        ASSERT_EQ(out.waves[0].lanes, vertices.size()) << type;
        for (unsigned i = 0; i < vertices.size(); ++i)
            EXPECT_EQ(out.waves[0].vgpr[0][i], vertices[i]);
        EXPECT_EQ(out.primitives[0].vertices, vertices.size());
    }
}

TEST(VgtDraw, PipelineStatisticsCountOnlyWhileTheyRun) {
    DrawBench b;
    b.set(si::VGT_PRIMITIVE_TYPE, 6).set(si::VGT_NUM_INDICES, 10).set(si::VGT_NUM_INSTANCES, 2);
    DrawEngine engine(b.spec);
    run(engine, b.draw());
    EXPECT_EQ(engine.carry.counts.ia_vertices, 0u);
    engine.carry.counts.counting = true;
    run(engine, b.draw());
    EXPECT_EQ(engine.carry.counts.ia_vertices, 20u);
    EXPECT_EQ(engine.carry.counts.ia_primitives, 16u);
    EXPECT_EQ(engine.carry.counts.vs, 20u);  // every vertex of a strip once
}

// ---- streamout --------------------------------------------------------------------------------

TEST(VgtStreamout, EveryPrimitiveThatFitsIsWrittenOnceAndInOrder) {
    std::mt19937 random(5);
    for (unsigned round = 0; round < 100; ++round) {
        DrawBench b;
        const uint32_t stride[2] = {1 + static_cast<uint32_t>(random() % 8),
                                    1 + static_cast<uint32_t>(random() % 8)};
        const uint32_t size = static_cast<uint32_t>(random() % 2000);
        b.set(si::VGT_PRIMITIVE_TYPE, 6).set(si::VGT_NUM_INDICES, 120);
        b.set(si::IA_MULTI_VGT_PARAM, static_cast<uint32_t>(random() % 30));
        b.set(si::VGT_STRMOUT_CONFIG, 1).set(si::VGT_STRMOUT_BUFFER_CONFIG, 0x5);
        b.set(si::VGT_STRMOUT_VTX_STRIDE_0, stride[0]).set(si::VGT_STRMOUT_BUFFER_SIZE_0, size);
        b.set(si::VGT_STRMOUT_VTX_STRIDE_2, stride[1]).set(si::VGT_STRMOUT_BUFFER_SIZE_2, 1500);
        DrawEngine engine(b.spec);
        uint32_t filled[2] = {static_cast<uint32_t>(random() % 40), 4};
        engine.carry.streamout.filled[0] = filled[0];
        engine.carry.streamout.filled[2] = filled[1];
        const EngineOutput out = run(engine, b.draw());
        uint32_t written = 0;  // primitives
        while (written < 118 && filled[0] + 3 * (written + 1) * stride[0] <= size &&
               filled[1] + 3 * (written + 1) * stride[1] <= 1500)
            ++written;
        EXPECT_EQ(engine.carry.streamout.written[0], written);
        EXPECT_EQ(engine.carry.streamout.needed[0], 118u);
        EXPECT_EQ(engine.carry.streamout.filled[0], filled[0] + 3 * written * stride[0]);
        EXPECT_EQ(engine.carry.streamout.filled[1], 0u);
        EXPECT_EQ(engine.carry.streamout.filled[2], filled[1] + 3 * written * stride[1]);
        // What the waves write: index and offset name the vertex's place; strips are triangles.
        std::map<uint32_t, uint32_t> at;  // place -> vertex
        for (const VertexWave& w : out.waves) {
            EXPECT_EQ(w.streamout_offset[0], filled[0]);
            EXPECT_EQ(w.streamout_offset[2], filled[1]);
            const unsigned lanes = w.streamout_config >> 16 & 0x7F;
            ASSERT_LE(lanes, w.lanes);
            for (unsigned lane = 0; lane < lanes; ++lane)
                EXPECT_TRUE(at.emplace(w.streamout_index + lane, w.vgpr[0][lane]).second);
        }
        ASSERT_EQ(at.size(), 3 * written);
        for (uint32_t t = 0; t < written; ++t) {
            EXPECT_EQ(at[3 * t], t);
            EXPECT_EQ(at[3 * t + 1], t % 2 == 0 ? t + 1 : t + 2);
            EXPECT_EQ(at[3 * t + 2], t % 2 == 0 ? t + 2 : t + 1);
        }
    }
}

TEST(VgtStreamout, ADrawGoesOnWhereItsBufferWasMovedTo) {
    DrawBench b;
    b.set(si::VGT_STRMOUT_CONFIG, 1).set(si::VGT_STRMOUT_BUFFER_CONFIG, 1);
    b.set(si::VGT_STRMOUT_VTX_STRIDE_0, 2).set(si::VGT_STRMOUT_BUFFER_SIZE_0, 1000);
    DrawEngine engine(b.spec);
    run(engine, b.draw());
    EXPECT_EQ(engine.carry.streamout.filled[0], 6u);
    Draw d = b.draw();
    d.streamout.moved = 1;
    d.streamout.offset[0] = 100;
    EXPECT_EQ(run(engine, d).waves[0].streamout_offset[0], 100u);
    EXPECT_EQ(engine.carry.streamout.filled[0], 106u);
    EXPECT_EQ(run(engine, b.draw()).waves[0].streamout_offset[0], 106u);
}

TEST(VgtStreamout, AnOpaqueDrawTakesItsCountFromTheFilledSize) {
    DrawBench b;
    b.initiator = 2 | 1 << 6;
    b.set(si::VGT_STRMOUT_DRAW_OPAQUE_BUFFER_FILLED_SIZE, 107);
    b.set(si::VGT_STRMOUT_DRAW_OPAQUE_OFFSET, 7);
    b.set(si::VGT_STRMOUT_DRAW_OPAQUE_VERTEX_STRIDE, 8);
    EXPECT_EQ(b.draw().count, 12u);
    b.set(si::VGT_STRMOUT_DRAW_OPAQUE_OFFSET, 108);
    EXPECT_EQ(b.draw().count, 0u);
}

}  // namespace
}  // namespace archipelago::vgt
