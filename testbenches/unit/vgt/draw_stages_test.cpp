// SPDX-License-Identifier: Apache-2.0
// Geometry and tessellation: stages that read what others left in rings, run in any order their
// launcher may choose. Rings are memory here, so what is overwritten too early shows.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <random>
#include <set>
#include <vector>

#include "models/common/error.h"
#include "testbenches/unit/vgt/draw_bench.h"

namespace archipelago::vgt {
namespace {

using Stage = ShaderStage;

// Runs waves as SPI may: each when those of the stage before it that were sent earlier have ended,
// else in any order.
class Launcher {
  public:
    Launcher(DrawEngine& engine, uint32_t seed) : engine_(engine), random_(seed) {}
    std::function<void(const VertexWave&)> execute;
    std::vector<PrimitiveMessage> primitives;
    size_t most = 0;  // waves waiting at once

    void take() {
        while (!engine_.waves.empty()) {
            waiting_.push_back(engine_.waves.front());
            engine_.waves.pop_front();
        }
        while (!engine_.primitives.empty()) {
            primitives.push_back(engine_.primitives.front());
            engine_.primitives.pop_front();
        }
        most = std::max(most, waiting_.size());
    }
    // Runs one wave; false: there is none that may run.
    bool step() {
        take();
        std::vector<size_t> ready;
        for (size_t i = 0; i < waiting_.size(); ++i) {
            const auto blocks = [&](const VertexWave& before) {
                switch (waiting_[i].stage) {
                    case Stage::Vs:
                        return before.stage == Stage::Gs || before.stage == Stage::Hs;
                    case Stage::Gs:
                        return before.stage == Stage::Es;
                    case Stage::Es:
                        return before.stage == Stage::Hs;
                    case Stage::Hs:
                        return before.stage == Stage::Ls && before.group == waiting_[i].group;
                    default:
                        return false;
                }
            };
            if (std::none_of(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(i),
                             blocks))
                ready.push_back(i);
        }
        if (ready.empty())
            return false;
        const size_t pick = ready[random_() % ready.size()];
        const VertexWave wave = waiting_[pick];
        waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(pick));
        execute(wave);
        engine_.stage_done({wave.stage, wave.draw, wave.wave});
        take();
        return true;
    }
    void run(const Draw& draw) {
        engine_.begin(draw);
        for (;;) {
            const bool feed = !engine_.input_done() && engine_.ready();
            if (feed && random_() % 4 != 0) {
                engine_.index(0);
                take();
            } else if (!step() && !feed) {
                break;
            }
        }
    }
    std::mt19937& random() { return random_; }

  private:
    DrawEngine& engine_;
    std::mt19937 random_;
    std::vector<VertexWave> waiting_;
};

void geometry_registers(DrawBench& b, uint32_t es_slots, uint32_t gs_slots) {
    b.set(si::VGT_SHADER_STAGES_EN, 2 << 3 | 1 << 5 | 2 << 6);
    b.set(si::VGT_GS_MODE, 3);
    b.set(si::VGT_ESGS_RING_ITEMSIZE, 2).set(si::VGT_ESGS_RING_SIZE, 2 * es_slots);
    b.set(si::VGT_GS_MAX_VERT_OUT, 6).set(si::VGT_GS_VERT_ITEMSIZE, 1);
    b.set(si::VGT_GSVS_RING_ITEMSIZE, 6).set(si::VGT_GSVS_RING_SIZE, 6 * gs_slots);
    b.set(si::VGT_PRIMITIVEID_EN, 2);
}

TEST(VgtGeometry, EveryThreadFindsItsVerticesAndEveryEmittedVertexItsPrimitive) {
    for (uint32_t round = 0; round < 60; ++round) {
        DrawBench b;
        b.spec.shader_engines = 1 + round % 2;
        geometry_registers(b, 1 + round % 3, 1 + round / 3 % 3);
        static constexpr uint32_t kTypes[] = {1, 3, 6, 10, 12, 13};
        static constexpr unsigned kInputs[] = {1, 2, 3, 4, 6, 6};
        const unsigned kind = round % 6;
        const unsigned out_type = round / 6 % 3;
        const uint32_t instances = 1 + round % 5 / 4 * 4;  // of the shader
        b.set(si::VGT_PRIMITIVE_TYPE, kTypes[kind]).set(si::VGT_GS_OUT_PRIM_TYPE, out_type);
        b.set(si::VGT_NUM_INDICES, 400).set(si::VGT_NUM_INSTANCES, 2);
        b.set(si::VGT_GS_INSTANCE_CNT, instances == 1 ? 0 : 1 | instances << 2);
        b.set(si::VGT_GS_VERTEX_REUSE, round % 17).set(si::VGT_GS_PER_ES, round % 4 * 20);
        b.set(si::IA_MULTI_VGT_PARAM, 12 | (round & 1) << 18);
        const Draw d = b.draw();
        DrawEngine engine(b.spec);
        Launcher launcher(engine, round);

        // What the decoder makes of 0..399, twice.
        std::vector<std::vector<uint32_t>> inputs;
        for (unsigned instance = 0; instance < 2; ++instance) {
            PrimitiveDecoder decoder(d.type, 0);
            const auto add = [&](const Primitives& list) {
                for (unsigned i = 0; i < list.count; ++i)
                    inputs.emplace_back(list.list[i].vertex.begin(),
                                        list.list[i].vertex.begin() + list.list[i].count);
            };
            for (uint32_t i = 0; i < 400; ++i)
                add(decoder.push(i));
            add(decoder.finish());
        }

        std::map<uint32_t, uint32_t> es_ring, gs_ring;  // by dword
        struct Emitted {
            std::vector<std::vector<uint32_t>> strips;  // numbers of the vertices
        };
        std::map<std::pair<uint32_t, uint32_t>, Emitted> emitted;  // by primitive, instance
        std::map<uint32_t, std::array<uint32_t, 3>> vertex;        // by number
        std::set<std::pair<uint32_t, uint32_t>> threads;
        std::map<uint32_t, VertexWave> vs;
        std::map<uint32_t, std::vector<uint32_t>> vs_vertex;
        uint32_t next_vertex = 1;
        launcher.execute = [&](const VertexWave& w) {
            if (w.stage == Stage::Es) {
                for (unsigned lane = 0; lane < w.lanes; ++lane) {
                    ASSERT_LT(w.es2gs_offset / 4 + 127, d.gs.es_ring / 4);
                    es_ring[w.es2gs_offset / 4 + lane] = w.vgpr[0][lane];
                    es_ring[w.es2gs_offset / 4 + 64 + lane] = w.vgpr[3][lane];
                }
                return;
            }
            if (w.stage == Stage::Vs) {
                vs[w.wave] = w;
                for (unsigned lane = 0; lane < w.lanes; ++lane)
                    vs_vertex[w.wave].push_back(gs_ring.at(w.vgpr[0][lane]));
                return;
            }
            ASSERT_EQ(w.stage, Stage::Gs);
            static constexpr unsigned kOffset[] = {0, 1, 3, 4, 5, 6};
            std::vector<std::vector<std::vector<uint32_t>>> strips(w.lanes);
            std::vector<uint32_t> count(w.lanes, 0);
            for (unsigned lane = 0; lane < w.lanes; ++lane) {
                const uint32_t id = w.vgpr[2][lane];
                ASSERT_LT(id, inputs.size());
                EXPECT_TRUE(threads.insert({id, w.vgpr[7][lane]}).second);
                ASSERT_EQ(inputs[id].size(), kInputs[kind]);
                for (unsigned v = 0; v < inputs[id].size(); ++v) {
                    const uint32_t at = w.vgpr[kOffset[v]][lane];
                    ASSERT_EQ(es_ring.at(at), inputs[id][v]);
                    ASSERT_EQ(es_ring.at(at + 64), id < inputs.size() / 2 ? 0u : 1u);
                }
                strips[lane].emplace_back();
            }
            // A few rounds of emits and cuts of some of the threads, more than there is room for.
            for (unsigned n = 0; n < 9; ++n) {
                ShaderMessage m;
                m.kind = ShaderMessage::Kind::Gs;
                m.operation = static_cast<uint8_t>(1 + launcher.random()() % 3);
                m.exec = uint64_t{launcher.random()()} << 32 | launcher.random()();
                m.m0 = w.gs_wave;
                for (unsigned lane = 0; lane < w.lanes; ++lane) {
                    if ((m.exec >> lane & 1) == 0)
                        continue;
                    if ((m.operation & 2) != 0 && count[lane] < 6) {
                        const uint32_t number = next_vertex++;
                        gs_ring[w.gs2vs_offset / 4 + lane / 16 * 16 * 6 + count[lane] * 16 +
                                lane % 16] = number;
                        strips[lane].back().push_back(number);
                        vertex[number] = {w.vgpr[2][lane], w.vgpr[7][lane], 0};
                        ++count[lane];
                    }
                    if ((m.operation & 1) != 0)
                        strips[lane].emplace_back();
                }
                engine.message(m);
            }
            for (unsigned lane = 0; lane < w.lanes; ++lane)
                emitted[{w.vgpr[2][lane], w.vgpr[7][lane]}].strips = strips[lane];
            ShaderMessage done;
            done.kind = ShaderMessage::Kind::GsDone;
            done.m0 = w.gs_wave;
            engine.message(done);
        };
        launcher.run(d);
        ASSERT_TRUE(engine.finished()) << round << ": " << engine.waiting_for();
        EXPECT_EQ(threads.size(), inputs.size() * instances);

        // Primitives of a thread are those of its strips, in order.
        std::map<std::pair<uint32_t, uint32_t>, std::vector<std::vector<uint32_t>>> got, want;
        for (const PrimitiveMessage& p : launcher.primitives) {
            std::vector<uint32_t> numbers;
            for (unsigned v = 0; v < p.vertices; ++v) {
                ASSERT_EQ(vs.at(p.wave[v]).shader_engine, p.shader_engine);
                numbers.push_back(vs_vertex.at(p.wave[v]).at(p.lane[v]));
            }
            const auto& first = vertex.at(numbers[0]);
            EXPECT_EQ(p.primitive_id, first[0]);
            got[{first[0], first[1]}].push_back(numbers);
        }
        for (const auto& [thread, e] : emitted)
            for (const auto& strip : e.strips)
                for (size_t i = 0; i + out_type < strip.size(); ++i) {
                    if (out_type == 0)
                        want[thread].push_back({strip[i]});
                    else if (out_type == 1)
                        want[thread].push_back({strip[i], strip[i + 1]});
                    else if (i % 2 == 0)
                        want[thread].push_back({strip[i], strip[i + 1], strip[i + 2]});
                    else
                        want[thread].push_back({strip[i], strip[i + 2], strip[i + 1]});
                }
        ASSERT_EQ(got, want) << round;
    }
}

TEST(VgtGeometry, AMessageOfAWaveThatDoesNotRunStops) {
    DrawBench b;
    geometry_registers(b, 1, 1);
    DrawEngine engine(b.spec);
    engine.begin(b.draw());
    ShaderMessage m;
    m.kind = ShaderMessage::Kind::Gs;
    m.m0 = 7;
    EXPECT_THROW(engine.message(m), MachineStop);
}

TEST(VgtGeometry, RingsThatHoldNoWaveAndOtherScenariosStop) {
    const auto stop = [](uint32_t offset, uint32_t value, StopKind kind) {
        DrawBench b;
        geometry_registers(b, 1, 1);
        b.set(offset, value);
        try {
            b.draw();
        } catch (const MachineStop& e) {
            EXPECT_EQ(e.kind(), kind) << e.what();
            return true;
        }
        return false;
    };
    EXPECT_TRUE(stop(si::VGT_ESGS_RING_SIZE, 1, StopKind::BadInput));
    EXPECT_TRUE(stop(si::VGT_ESGS_RING_ITEMSIZE, 0, StopKind::BadInput));
    EXPECT_TRUE(stop(si::VGT_GSVS_RING_SIZE, 5, StopKind::BadInput));
    EXPECT_TRUE(stop(si::VGT_GSVS_RING_ITEMSIZE, 0, StopKind::BadInput));
    EXPECT_TRUE(stop(si::VGT_GS_OUT_PRIM_TYPE, 3, StopKind::BadInput));
    EXPECT_TRUE(stop(si::VGT_GS_MODE, 1, StopKind::Unimplemented));
    EXPECT_TRUE(stop(si::VGT_GS_MODE, 3 | 1 << 21, StopKind::Unimplemented));
    EXPECT_FALSE(stop(si::VGT_GS_MODE, 3, StopKind::BadInput));
}

TEST(VgtPatches, ControlPointsPassThroughGroupsAndBuffersThatAreNotSharedTooEarly) {
    for (uint32_t round = 0; round < 40; ++round) {
        DrawBench b;
        b.spec.shader_engines = 1 + round % 2;
        const bool geometry = round % 3 == 2;
        const unsigned in = 1 + round % 7, out = 1 + round % 4, per_group = 1 + round % 23;
        const unsigned domain = round % 3;
        if (geometry)
            geometry_registers(b, 2, 2);
        b.set(si::VGT_SHADER_STAGES_EN,
              geometry ? 1 | 1 << 2 | 1 << 3 | 1 << 5 | 2 << 6 : 1 | 1 << 2 | 1 << 6);
        b.set(si::VGT_PRIMITIVE_TYPE, 9).set(si::VGT_NUM_INDICES, 60 * in + in - 1);
        b.set(si::VGT_NUM_INSTANCES, 2).set(si::VGT_PRIMITIVEID_EN, 2);
        b.set(si::VGT_LS_HS_CONFIG, per_group | in << 8 | out << 14);
        b.set(si::VGT_TF_PARAM, domain | (domain == 0 ? 1 : 3) << 5);
        b.set(si::VGT_TF_RING_SIZE, 700);
        b.set(si::VGT_HS_OFFCHIP_PARAM, (1 + round % 3) | 3 << 9);
        b.set(si::IA_MULTI_VGT_PARAM, round % 31);
        const Draw d = b.draw();
        DrawEngine engine(b.spec);
        Launcher launcher(engine, round);
        // LDS of groups; off-chip buffers: which patch each place belongs to.
        std::map<std::pair<uint32_t, uint32_t>, uint32_t> lds;
        std::map<uint32_t, uint32_t> buffer;
        std::map<uint32_t, unsigned> corners;  // of each patch
        std::map<uint32_t, unsigned> ls_waves;
        launcher.execute = [&](const VertexWave& w) {
            for (unsigned lane = 0; lane < w.lanes; ++lane) {
                if (w.stage == Stage::Ls) {
                    lds[{w.group, w.vgpr[1][lane]}] = w.vgpr[0][lane];
                } else if (w.stage == Stage::Hs) {
                    const uint32_t rel = w.vgpr[1][lane] & 0xFF, point = w.vgpr[1][lane] >> 8;
                    ASSERT_LT(point, out);
                    ASSERT_LT(rel, per_group);
                    // The first control point of the patch names it.
                    ASSERT_EQ(lds.at({w.group, rel * in}), w.vgpr[0][lane] % 60 * in);
                    buffer[w.tess_offchip_offset + 4 * rel] = w.vgpr[0][lane];
                    ASSERT_LT(w.tess_factor_offset, d.tess.factor_ring);
                } else if (w.stage == (geometry ? Stage::Es : Stage::Vs)) {
                    ASSERT_EQ(buffer.at(w.tess_offchip_offset + 4 * w.vgpr[2][lane]),
                              w.vgpr[3][lane]);
                    ++corners[w.vgpr[3][lane]];
                }
            }
            if (w.stage == Stage::Ls)
                ++ls_waves[w.group];
            if (w.stage == Stage::Gs) {
                ShaderMessage done;
                done.kind = ShaderMessage::Kind::GsDone;
                done.m0 = w.gs_wave;
                engine.message(done);
            }
        };
        launcher.run(d);
        ASSERT_TRUE(engine.finished()) << round << ": " << engine.waiting_for();
        ASSERT_EQ(corners.size(), 120u) << round;
        for (const auto& [patch, n] : corners)
            EXPECT_EQ(n, domain + 2) << patch;
    }
}

}  // namespace
}  // namespace archipelago::vgt
