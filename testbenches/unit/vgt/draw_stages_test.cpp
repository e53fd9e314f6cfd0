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

using Thread = std::pair<uint32_t, uint32_t>;  // primitive, instance of the shader
using Vertices = std::vector<uint32_t>;        // their numbers
using PerThread = std::map<Thread, std::vector<Vertices>>;

// The input primitives that the decoder makes of vertices 0 to `indices` - 1, in each instance.
std::vector<Vertices> decoded_primitives(const Draw& draw, uint32_t indices, unsigned instances) {
    std::vector<Vertices> inputs;
    const auto add = [&](const Primitives& made) {
        for (unsigned i = 0; i < made.count; ++i)
            inputs.emplace_back(made.list[i].vertex.begin(),
                                made.list[i].vertex.begin() + made.list[i].count);
    };
    for (unsigned instance = 0; instance < instances; ++instance) {
        PrimitiveDecoder decoder(draw.type, 0, draw.provoking);
        for (uint32_t i = 0; i < indices; ++i)
            add(decoder.push(i));
        add(decoder.finish());
    }
    return inputs;
}

// The primitives that a strip of points (0), lines (1) or triangles (2) means.
std::vector<Vertices> primitives_of(const Vertices& strip, unsigned out_type) {
    std::vector<Vertices> primitives;
    for (size_t i = 0; i + out_type < strip.size(); ++i) {
        if (out_type == 0)
            primitives.push_back({strip[i]});
        else if (out_type == 1)
            primitives.push_back({strip[i], strip[i + 1]});
        else if (i % 2 == 0)
            primitives.push_back({strip[i], strip[i + 1], strip[i + 2]});
        else
            primitives.push_back({strip[i], strip[i + 2], strip[i + 1]});
    }
    return primitives;
}

// A draw whose geometry shader emits and cuts at random. Its rings are memory, by dword.
class GeometryDraw {
  public:
    explicit GeometryDraw(uint32_t round)
        : kind_(round % 6),
          out_type_(round / 6 % 3),
          shader_instances_(1 + round % 5 / 4 * 4),
          draw_(set_up(round)),
          engine_(bench_.spec),
          launcher_(engine_, round),
          inputs_(decoded_primitives(draw_, kIndices, kInstances)) {}

    void run() {
        launcher_.execute = [this](const VertexWave& w) {
            if (w.stage == Stage::Es)
                run_es(w);
            else if (w.stage == Stage::Vs)
                run_vs(w);
            else
                run_gs(w);
        };
        launcher_.run(draw_);
        ASSERT_TRUE(engine_.finished()) << engine_.waiting_for();
        EXPECT_EQ(threads_.size(), inputs_.size() * shader_instances_);

        PerThread want;
        for (const auto& [thread, strips] : emitted_)
            for (const Vertices& strip : strips)
                for (const Vertices& primitive : primitives_of(strip, out_type_))
                    want[thread].push_back(primitive);
        ASSERT_EQ(primitives_by_thread(), want);
    }

  private:
    static constexpr uint32_t kIndices = 400, kInstances = 2;

    // What the thread of a lane emitted.
    struct Output {
        std::vector<Vertices> strips{1};
        uint32_t vertices = 0;
    };

    Draw set_up(uint32_t round) {
        static constexpr uint32_t kTypes[] = {1, 3, 6, 10, 12, 13};
        DrawBench& b = bench_;
        b.spec.shader_engines = 1 + round % 2;
        geometry_registers(b, 1 + round % 3, 1 + round / 3 % 3);
        b.set(si::VGT_PRIMITIVE_TYPE, kTypes[kind_]).set(si::VGT_GS_OUT_PRIM_TYPE, out_type_);
        b.set(si::VGT_NUM_INDICES, kIndices).set(si::VGT_NUM_INSTANCES, kInstances);
        b.set(si::VGT_GS_INSTANCE_CNT, shader_instances_ == 1 ? 0 : 1 | shader_instances_ << 2);
        b.set(si::VGT_GS_VERTEX_REUSE, round % 17).set(si::VGT_GS_PER_ES, round % 4 * 20);
        b.set(si::IA_MULTI_VGT_PARAM, 12 | (round & 1) << 18);
        return b.draw();
    }

    void run_es(const VertexWave& w) {
        for (unsigned lane = 0; lane < w.lanes; ++lane) {
            ASSERT_LT(w.es2gs_offset / 4 + 127, draw_.gs.es_ring / 4);
            es_ring_[w.es2gs_offset / 4 + lane] = w.vgpr[0][lane];
            es_ring_[w.es2gs_offset / 4 + 64 + lane] = w.vgpr[3][lane];
        }
    }

    void run_vs(const VertexWave& w) {
        vs_[w.wave] = w;
        for (unsigned lane = 0; lane < w.lanes; ++lane)
            vs_vertex_[w.wave].push_back(gs_ring_.at(w.vgpr[0][lane]));
    }

    void run_gs(const VertexWave& w) {
        ASSERT_EQ(w.stage, Stage::Gs);
        for (unsigned lane = 0; lane < w.lanes; ++lane) {
            check_inputs(w, lane);
            if (testing::Test::HasFatalFailure())
                return;
        }
        std::vector<Output> outputs(w.lanes);
        // A few rounds of emits and cuts of some of the threads, more than there is room for.
        for (unsigned n = 0; n < 9; ++n) {
            ShaderMessage m;
            m.kind = ShaderMessage::Kind::Gs;
            m.operation = static_cast<uint8_t>(1 + launcher_.random()() % 3);
            m.exec = uint64_t{launcher_.random()()} << 32 | launcher_.random()();
            m.m0 = w.gs_wave;
            for (unsigned lane = 0; lane < w.lanes; ++lane)
                if ((m.exec >> lane & 1) != 0)
                    emit_or_cut(w, lane, m.operation, outputs[lane]);
            engine_.message(m);
        }
        for (unsigned lane = 0; lane < w.lanes; ++lane)
            emitted_[thread_of(w, lane)] = outputs[lane].strips;
        ShaderMessage done;
        done.kind = ShaderMessage::Kind::GsDone;
        done.m0 = w.gs_wave;
        engine_.message(done);
    }

    static Thread thread_of(const VertexWave& w, unsigned lane) {
        return {w.vgpr[2][lane], w.vgpr[7][lane]};
    }

    // Each thread runs once and finds the vertices and the instance of its primitive.
    void check_inputs(const VertexWave& w, unsigned lane) {
        static constexpr unsigned kInputs[] = {1, 2, 3, 4, 6, 6};
        static constexpr unsigned kOffset[] = {0, 1, 3, 4, 5, 6};
        const uint32_t id = w.vgpr[2][lane];
        ASSERT_LT(id, inputs_.size());
        EXPECT_TRUE(threads_.insert(thread_of(w, lane)).second);
        ASSERT_EQ(inputs_[id].size(), kInputs[kind_]);
        for (unsigned v = 0; v < inputs_[id].size(); ++v) {
            const uint32_t at = w.vgpr[kOffset[v]][lane];
            ASSERT_EQ(es_ring_.at(at), inputs_[id][v]);
            ASSERT_EQ(es_ring_.at(at + 64), id < inputs_.size() / 2 ? 0u : 1u);
        }
    }

    void emit_or_cut(const VertexWave& w, unsigned lane, uint8_t operation, Output& out) {
        if ((operation & 2) != 0 && out.vertices < 6) {
            const uint32_t number = next_vertex_++;
            gs_ring_[w.gs2vs_offset / 4 + lane / 16 * 16 * 6 + out.vertices * 16 + lane % 16] =
                number;
            out.strips.back().push_back(number);
            emitted_by_[number] = thread_of(w, lane);
            ++out.vertices;
        }
        if ((operation & 1) != 0)
            out.strips.emplace_back();
    }

    // What the engine assembled, in its order.
    PerThread primitives_by_thread() {
        PerThread got;
        for (const PrimitiveMessage& p : launcher_.primitives) {
            Vertices numbers;
            for (unsigned v = 0; v < p.vertices; ++v) {
                EXPECT_EQ(vs_.at(p.wave[v]).shader_engine, p.shader_engine);
                numbers.push_back(vs_vertex_.at(p.wave[v]).at(p.lane[v]));
            }
            const Thread& thread = emitted_by_.at(numbers[0]);
            EXPECT_EQ(p.primitive_id, thread.first);
            got[thread].push_back(numbers);
        }
        return got;
    }

    const unsigned kind_, out_type_;
    const uint32_t shader_instances_;
    DrawBench bench_;
    const Draw draw_;
    DrawEngine engine_;
    Launcher launcher_;
    const std::vector<Vertices> inputs_;
    std::map<uint32_t, uint32_t> es_ring_, gs_ring_;
    std::set<Thread> threads_;
    PerThread emitted_;                      // strips
    std::map<uint32_t, Thread> emitted_by_;  // by number of the vertex
    std::map<uint32_t, VertexWave> vs_;
    std::map<uint32_t, Vertices> vs_vertex_;  // by wave
    uint32_t next_vertex_ = 1;
};

TEST(VgtGeometry, EveryThreadFindsItsVerticesAndEveryEmittedVertexItsPrimitive) {
    for (uint32_t round = 0; round < 60 && !HasFatalFailure(); ++round) {
        SCOPED_TRACE(round);
        GeometryDraw(round).run();
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
