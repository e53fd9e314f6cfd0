// SPDX-License-Identifier: Apache-2.0
// SPI between a vertex grouper, compute units, a primitive sink and a rasteriser that the
// test controls.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "models/gcn/si/front_end.h"
#include "models/spi/spi_core.h"
#include "registers/si_names.h"
#include "testbenches/unit/spi/pixel_bench.h"
#include "testbenches/unit/spi/primitive_sink.h"
#include "testbenches/unit/spi/spi_bench.h"
#include "testbenches/unit/spi/stage_register.h"

namespace archipelago::spi {
namespace r = regs::si;
using Stage = ShaderStage;

// A compute unit whose VS and PS waves export in the middle of their life: positions, a parameter,
// and a colour.
struct FakeGraphicsCu : FakeCu {
    Channel<ExportMessage>* exports = nullptr;
    std::deque<std::pair<Cycle, ExportMessage>> todo;
    unsigned positions = 1;
    bool export_positions = true;
    std::map<uint64_t, uint64_t> ends;  // cycle each wave ended, by stage, draw and number
    static uint64_t key(Stage stage, uint32_t draw, uint32_t wave) {
        return uint64_t{index_of(stage)} << 56 | uint64_t{draw} << 32 | wave;
    }
    unsigned exports_of(const WaveLaunch& w) override {
        return w.stage == Stage::Ps                       ? 1
               : w.stage == Stage::Vs && export_positions ? positions + 1
                                                          : 0;
    }
    void send(Cycle at, const WaveLaunch& w, unsigned target, bool done) {
        ExportMessage m;
        m.target = static_cast<uint8_t>(target);
        m.enabled = 15;
        m.exec = w.exec;
        m.done = done;
        m.wave.stage = w.stage;
        m.wave.dispatch = w.dispatch;
        m.wave.group = w.group;
        for (auto& component : m.data)
            component.fill(w.group * 256 + target);
        m.wave.hw_id = w.slot | w.simd << 4;
        todo.emplace_back(at, m);
        wake_at(at);
    }
    bool tick(Cycle now) override {
        const size_t before = seen.size();
        bool progress = FakeCu::tick(now);
        for (size_t i = before; i < seen.size(); ++i) {
            const WaveLaunch& w = seen[i].second;
            ends[key(w.stage, w.dispatch, w.group)] = now + life;
            if (w.stage == Stage::Vs && export_positions) {
                for (unsigned n = 0; n < positions; ++n)
                    send(now + life / 2, w, 12 + n, n + 1 == positions);
                send(now + life / 2, w, 32, false);
            }
            if (w.stage == Stage::Ps)
                send(now + life / 2, w, 0, true);
        }
        if (!todo.empty() && todo.front().first <= now && exports->can_push(now)) {
            exports->push(now, todo.front().second);
            todo.pop_front();
            progress = true;
        }
        return progress;
    }
};

// Sends the messages it is given, in order, as soon as the channel takes them.
template <class T>
struct Speaker : Clocked {
    Channel<T>* out = nullptr;
    std::deque<T> todo;
    bool tick(Cycle now) override {
        bool progress = false;
        while (out != nullptr && !todo.empty() && out->can_push(now)) {
            out->push(now, todo.front());
            todo.pop_front();
            progress = true;
        }
        return progress;
    }
};

// Sends quads to SPI as render back ends 0 of both shader engines do, in order, and what is not of
// one of them, events and ends of draws, for both.
struct Rasteriser : Clocked {
    std::array<Channel<raster::QuadBatch>*, 2> out{};
    std::deque<raster::QuadBatch> todo;
    std::array<bool, 2> sent{};
    bool tick(Cycle now) override {
        bool progress = false;
        while (out[0] != nullptr && !todo.empty()) {
            const raster::QuadBatch& batch = todo.front();
            const bool quads = batch.primitive.kind == raster::Primitive::Kind::Primitive;
            bool all = true;
            for (unsigned se = 0; se < 2; ++se) {
                if (sent[se] || out[se] == nullptr || (quads && batch.shader_engine != se))
                    continue;
                if (!out[se]->can_push(now)) {
                    all = false;
                    continue;
                }
                out[se]->push(now, batch);
                sent[se] = progress = true;
            }
            if (!all)
                break;
            sent = {};
            todo.pop_front();
        }
        return progress;
    }
    void token(raster::Primitive::Kind kind, uint32_t draw, uint32_t free_through = 0) {
        raster::QuadBatch batch;
        batch.primitive.kind = kind;
        batch.primitive.draw = draw;
        batch.primitive.free_through = free_through;
        todo.push_back(batch);
    }
    // A wave of pixels of one primitive, whose vertices are of a VS wave.
    void pixels(uint32_t draw, uint32_t vs_wave, uint32_t free_through, bool end,
                uint8_t context = 0) {
        raster::QuadBatch batch = batch_of(triangle({{{0, 0, 1}, {90, 0, 1}, {0, 90, 1}}}), 8, 8);
        batch.primitive.context = context;
        batch.primitive.draw = draw;
        batch.primitive.number = static_cast<uint32_t>(todo.size());
        batch.primitive.parameters.wave = {vs_wave, vs_wave, vs_wave};
        todo.push_back(batch);
        token(raster::Primitive::Kind::Release, draw, free_through);
        if (end)
            token(raster::Primitive::Kind::DrawEnd, draw);
    }
    void end(uint32_t draw) { token(raster::Primitive::Kind::DrawEnd, draw); }
};

constexpr uint32_t kPosition = 0x4;  // SPI_SHADER_POS_FORMAT: POS0 of four 32-bit components

struct Options {
    unsigned life = 20;  // of a wave, cycles
    bool sink = true, rasteriser = false;
};

struct GraphicsBench {
    SpiSpec spec = gcn::si::spi_spec();
    std::unique_ptr<SpiCore> spi;
    Writer writer;
    Speaker<VgtMessage> vgt;
    Speaker<PrimitiveMessage> primitives;
    Rasteriser rasteriser;
    std::unique_ptr<PrimitiveSink> sink;
    std::vector<std::unique_ptr<FakeGraphicsCu>> cus;
    Scheduler scheduler;
    uint32_t draws = 0;

    explicit GraphicsBench(const SpiSpec& s = gcn::si::spi_spec(), Options options = {}) : spec(s) {
        if (spec.render_backends == 0 && options.rasteriser)
            spec.render_backends = spec.shader_engines > 1 ? 0x11 : 0x1;
        const bool own = s.render_backends == 0;  // quads are the bench's, else the test's
        spi = std::make_unique<SpiCore>(spec);
        scheduler.add(writer);
        scheduler.add(vgt);
        scheduler.add(primitives);
        scheduler.add(rasteriser);
        scheduler.add(*spi);
        for (unsigned i = 0; i < spec.cus(); ++i) {
            cus.push_back(std::make_unique<FakeGraphicsCu>());
            FakeGraphicsCu& cu = *cus.back();
            cu.life = options.life;
            cu.out = &spi->wave_done(i);
            cu.exports = &spi->from_exports(i);
            spi->wave_done(i).set_producer(&cu);
            spi->from_exports(i).set_producer(&cu);
            spi->to_cu[i].connect(cu.in);
            scheduler.add(cu);
        }
        writer.out = &spi->registers;
        spi->registers.set_producer(&writer);
        spi->to_registers.connect(writer.in);
        spi->to_events.connect(writer.events);
        vgt.out = &spi->from_vgt();
        vgt.out->set_producer(&vgt);
        for (unsigned se = 0; own && options.rasteriser && se < spec.shader_engines; ++se) {
            rasteriser.out[se] = &spi->from_rb(4 * se);
            rasteriser.out[se]->set_producer(&rasteriser);
        }
        if (options.sink) {
            PrimitiveSinkSpec sink_spec;
            sink_spec.rasteriser = options.rasteriser;
            sink = std::make_unique<PrimitiveSink>(sink_spec);
            scheduler.add(*sink);
            spi->to_vertices.connect(sink->vertices);
            sink->to_free.connect(spi->from_assembler());
            primitives.out = &sink->primitives;
            sink->primitives.set_producer(&primitives);
        }
        context(r::SPI_SHADER_POS_FORMAT, kPosition);
        context(r::SPI_PS_INPUT_ENA, 2);
        context(r::SPI_PS_INPUT_ADDR, 2);
        for (unsigned s_i = 0; s_i < kGraphicsStages; ++s_i)
            stage(static_cast<Stage>(s_i), 0x28, 1 | 1 << 6);  // 8 VGPRs, 16 SGPRs
    }
    void context(uint32_t offset, uint32_t value, uint8_t context = 0) {
        writer.write(offset, value);
        writer.todo.back().context = context;
        spi->write_context(writer.todo.back());
    }
    void stage(Stage s, uint32_t in_block, uint32_t value) {
        writer.write(stage_register(s, in_block), value);
    }
    uint32_t draw(uint8_t context = 0) {
        writer.write(r::VGT_DRAW_INITIATOR, 2);
        writer.todo.back().context = context;
        return ++draws;
    }
    VertexWave wave(Stage stage, uint32_t draw, uint32_t number, uint8_t se = 0) {
        VgtMessage m;
        m.draw = m.wave.draw = draw;
        m.wave.stage = stage;
        m.wave.wave = number;
        m.wave.lanes = 64;
        m.wave.shader_engine = se;
        vgt.todo.push_back(m);
        return m.wave;
    }
    void group_wave(Stage stage, uint32_t draw, uint32_t number, uint32_t group, unsigned in_group,
                    unsigned of) {
        wave(stage, draw, number);
        VertexWave& v = vgt.todo.back().wave;
        v.group = group;
        v.wave_in_group = static_cast<uint8_t>(in_group);
        v.waves_in_group = static_cast<uint8_t>(of);
    }
    void end(uint32_t draw) {
        VgtMessage m;
        m.kind = VgtMessage::Kind::DrawEnd;
        m.draw = draw;
        vgt.todo.push_back(m);
        PrimitiveMessage p;
        p.kind = PrimitiveMessage::Kind::DrawEnd;
        p.draw = draw;
        primitives.todo.push_back(p);
    }
    void primitive(uint32_t draw, uint32_t wave, bool last) {
        PrimitiveMessage p;
        p.draw = draw;
        p.vertices = 3;
        p.wave = {wave, wave, wave};
        p.end_of_packet = last;
        primitives.todo.push_back(p);
    }
    // A draw of so many VS waves, each with one primitive.
    uint32_t simple_draw(unsigned waves, uint8_t context = 0) {
        const uint32_t d = draw(context);
        for (unsigned w = 0; w < waves; ++w) {
            wave(Stage::Vs, d, w, static_cast<uint8_t>(w % 2));
            primitive(d, w, true);
        }
        end(d);
        return d;
    }
    void event(uint8_t type, uint8_t context = 0) {
        writer.write(r::VGT_EVENT_INITIATOR, type);
        writer.todo.back().context = context;
        VgtMessage m;
        m.kind = VgtMessage::Kind::Event;
        m.event_type = type;
        vgt.todo.push_back(m);
    }
    void dispatch(uint8_t ring, uint32_t groups, uint32_t rsrc1 = 0, uint32_t limits = 0) {
        writer.write(r::COMPUTE_DIM_X, groups, ring);
        writer.write(r::COMPUTE_DIM_Y, 1, ring);
        writer.write(r::COMPUTE_DIM_Z, 1, ring);
        writer.write(r::COMPUTE_NUM_THREAD_X, 64, ring);
        writer.write(r::COMPUTE_NUM_THREAD_Y, 1, ring);
        writer.write(r::COMPUTE_NUM_THREAD_Z, 1, ring);
        writer.write(r::COMPUTE_PGM_RSRC1, rsrc1, ring);
        writer.write(r::COMPUTE_PGM_RSRC2, 0, ring);
        writer.write(r::COMPUTE_RESOURCE_LIMITS, limits, ring);
        writer.write(r::COMPUTE_STATIC_THREAD_MGMT_SE0, 0xffffffff, ring);
        writer.write(r::COMPUTE_STATIC_THREAD_MGMT_SE1, 0xffffffff, ring);
        writer.write(r::COMPUTE_DISPATCH_INITIATOR, 5, ring);
    }
    void go(Cycle limit = 1'000'000) {
        writer.wake_at(0);
        vgt.wake_at(0);
        primitives.wake_at(0);
        rasteriser.wake_at(0);
        scheduler.run(limit);
    }
    void run() {
        go();
        EXPECT_TRUE(spi->idle()) << spi->waiting_for() << " at " << scheduler.now();
        if (sink != nullptr) {
            EXPECT_TRUE(sink->idle()) << sink->waiting_for();
        }
        EXPECT_EQ(spi->state().waves_live, 0u);
        EXPECT_EQ(spi->state().graphics.waves_live, 0u);
        for (const ExportState::Engine& e : spi->exports().engines) {
            EXPECT_EQ(e.positions, 0u);
            EXPECT_EQ(e.parameters, 0u);
        }
    }
    struct Seen {
        Cycle at;
        unsigned cu;
        WaveLaunch wave;
    };
    std::vector<Seen> seen(Stage stage) const {
        std::vector<Seen> out;
        for (unsigned i = 0; i < cus.size(); ++i)
            for (const auto& [cycle, w] : cus[i]->seen)
                if (w.stage == stage)
                    out.push_back({cycle, i, w});
        std::sort(out.begin(), out.end(), [](const Seen& a, const Seen& b) { return a.at < b.at; });
        return out;
    }
    Cycle end_of(Stage stage, uint32_t draw, uint32_t wave) const {
        for (const auto& cu : cus) {
            const auto it = cu->ends.find(FakeGraphicsCu::key(stage, draw, wave));
            if (it != cu->ends.end())
                return it->second;
        }
        ADD_FAILURE() << "no such wave";
        return 0;
    }
    Cycle event_at(size_t n) const { return writer.done.at(n).first; }
};

inline SpiSpec small() {
    SpiSpec spec = gcn::si::spi_spec();
    spec.shader_engines = spec.sh_per_se = spec.cu_per_sh = 1;
    return spec;
}

}  // namespace archipelago::spi
