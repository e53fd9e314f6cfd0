// SPDX-License-Identifier: Apache-2.0
// Graphics stages through SPI and a compute unit that really runs them, in both modes: what
// vertices export is what pixels interpolate, streamout and tessellation included.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "models/asic/gcn/functional_graphics.h"
#include "models/common/error.h"
#include "models/cu/isa/assemble.h"
#include "models/gcn/si/front_end.h"
#include "models/spi/spi_core.h"
#include "registers/si_names.h"
#include "testbenches/unit/cu/cu_bench.h"
#include "testbenches/unit/spi/pixel_bench.h"
#include "testbenches/unit/spi/primitive_sink.h"
#include "testbenches/unit/spi/stage_register.h"

namespace archipelago::spi {
namespace {

namespace r = regs::si;
using Stage = ShaderStage;
using cu::test::kData;
using cu::test::kDataBytes;

constexpr uint64_t kPrograms = 0x10000;  // one for each stage, 0x400 apart

std::vector<uint32_t> assembled(const std::string& text) {
    const isa::Assembly a = isa::assemble(text);
    for (const isa::AssemblyError& e : a.errors)
        ADD_FAILURE() << e.line << ": " << e.message;
    std::vector<uint32_t> words(a.bytes.size() / 4);
    std::memcpy(words.data(), a.bytes.data(), a.bytes.size());
    return words;
}

// x is the vertex id, y one more; the parameter is (2x, y, x, 1).
const char* const kVertex = R"(
    v_cvt_f32_u32 v1, v0
    v_add_f32 v2, 1.0, v1
    v_mul_f32 v3, 2.0, v1
    v_mov_b32 v4, 0
    v_mov_b32 v5, 1.0
    exp pos0 v1, v2, v4, v5 done
    exp param0 v3, v2, v1, v5
    s_endpgm
)";

// Stores the three interpolated components where POS_FIXED_PT says: 16 bytes a pixel of a tile.
const char* const kPixel = R"(
    s_mov_b32 m0, s4
    v_and_b32 v3, 7, v2
    v_lshrrev_b32 v2, 16, v2
    v_lshlrev_b32 v2, 3, v2
    v_add_i32 v2, vcc, v2, v3
    v_lshlrev_b32 v2, 4, v2
    v_interp_p1_f32 v4, v0, attr0.x
    v_interp_p2_f32 v4, v1, attr0.x
    v_interp_p1_f32 v5, v0, attr0.y
    v_interp_p2_f32 v5, v1, attr0.y
    v_interp_mov_f32 v6, p0, attr0.z
    v_mov_b32 v7, 0
    buffer_store_dwordx4 v[4:7], v2, s[0:3], 0 offen
    exp mrt0 v4, v5, v6, v6 done vm
    s_endpgm
)";

// The vertices the configuration counts store vertex id and instance id, eight bytes each.
const char* const kStreamout = R"(
    v_mbcnt_lo_u32_b32_e64 v4, -1, 0
    v_mbcnt_hi_u32_b32_e32 v4, -1, v4
    s_bfe_u32 s7, s4, 0x70010
    v_cmp_gt_u32_e32 vcc, s7, v4
    s_and_saveexec_b64 s[8:9], vcc
    v_add_i32 v5, vcc, s5, v4
    v_lshlrev_b32 v5, 3, v5
    s_lshl_b32 s6, s6, 2
    buffer_store_dwordx2 v[0:1], v5, s[0:3], s6 offen
    s_mov_b64 exec, s[8:9]
    v_mov_b32 v6, 0
    exp pos0 v6, v6, v6, v6 done
    s_endpgm
)";

const char* const kLocal = R"(
    s_mov_b32 m0, -1
    v_lshlrev_b32 v2, 2, v0
    v_add_i32 v3, vcc, 0x1000, v0
    ds_write_b32 v2, v3
    s_waitcnt lgkmcnt(0)
    s_endpgm
)";

// Reads what another lane, of another wave, has left: 127 less its number. s5: TESS_FACTOR_OFFSET.
const char* const kHull = R"(
    s_mov_b32 m0, -1
    v_sub_i32 v2, vcc, 127, v0
    v_lshlrev_b32 v2, 2, v2
    ds_read_b32 v3, v2
    v_lshlrev_b32 v4, 2, v0
    s_waitcnt lgkmcnt(0)
    buffer_store_dword v3, v4, s[0:3], s4 offen
    s_endpgm
)";

// Two waves of a group meet at a barrier and read what the other has written.
const char* const kHullBarrier = R"(
    s_mov_b32 m0, -1
    v_lshlrev_b32 v2, 2, v0
    v_add_i32 v3, vcc, 0x2000, v0
    ds_write_b32 v2, v3
    s_waitcnt lgkmcnt(0)
    s_barrier
    v_sub_i32 v4, vcc, 127, v0
    v_lshlrev_b32 v4, 2, v4
    ds_read_b32 v3, v4
    s_waitcnt lgkmcnt(0)
    buffer_store_dword v3, v2, s[0:3], s4 offen
    s_endpgm
)";

// Scratch: every wave writes its own part, found by the last SGPR, and reads it back.
const char* const kScratchVertex = R"(
    v_mbcnt_lo_u32_b32_e64 v4, -1, 0
    v_mbcnt_hi_u32_b32_e32 v4, -1, v4
    v_lshlrev_b32 v4, 2, v4
    buffer_store_dword v0, v4, s[0:3], s4 offen
    s_waitcnt vmcnt(0) expcnt(0)
    buffer_load_dword v5, v4, s[0:3], s4 offen
    v_lshlrev_b32 v6, 2, v0
    s_waitcnt vmcnt(0)
    buffer_store_dword v5, v6, s[0:3], 0 offen offset:2048
    v_mov_b32 v6, 0
    exp pos0 v6, v6, v6, v6 done
    s_endpgm
)";

struct Scene {
    std::vector<std::pair<uint32_t, uint32_t>> registers;
    std::vector<std::pair<Stage, const char*>> programs;
    std::vector<VgtMessage> vgt;
    std::vector<PrimitiveMessage> primitives;
    std::vector<raster::QuadBatch> batches;
    bool rasteriser = false;

    Scene() {
        set(r::SPI_SHADER_POS_FORMAT, 4);
        set(r::SPI_PS_INPUT_ENA, 0x8002);  // PERSP_CENTER, POS_FIXED_PT
        set(r::SPI_PS_INPUT_ADDR, 0x8002);
    }
    void set(uint32_t offset, uint32_t value) { registers.emplace_back(offset, value); }
    void stage(Stage s, uint32_t in_block, uint32_t value) {
        set(stage_register(s, in_block), value);
    }
    // A stage with its program and the data buffer's descriptor in s[0:3].
    void program(Stage s, const char* text, uint32_t rsrc2 = 0, unsigned vgpr_inputs = 1) {
        programs.emplace_back(s, text);
        stage(s, 0x20, static_cast<uint32_t>((kPrograms + 0x400 * index_of(s)) >> 8));
        stage(s, 0x28, 5 | 2 << 6 | 0xc0 << 12 | (vgpr_inputs - 1) << 24);
        stage(s, 0x2C, rsrc2 | 4 << 1);
        WaveLaunch descriptor;
        cu::test::set_descriptor(descriptor, kData, kDataBytes);
        for (uint32_t i = 0; i < 4; ++i)
            stage(s, 0x30 + 4 * i, descriptor.sgpr_init[i]);
    }
    VertexWave& wave(Stage s, uint32_t number, unsigned lanes = 64) {
        VgtMessage m;
        m.draw = m.wave.draw = 1;
        m.wave.stage = s;
        m.wave.wave = number;
        m.wave.lanes = static_cast<uint8_t>(lanes);
        for (uint32_t lane = 0; lane < 64; ++lane)
            m.wave.vgpr[0][lane] = 64 * number + lane;
        vgt.push_back(m);
        return vgt.back().wave;
    }
    void end() {
        VgtMessage m;
        m.kind = VgtMessage::Kind::DrawEnd;
        m.draw = 1;
        vgt.push_back(m);
        PrimitiveMessage p;
        p.kind = PrimitiveMessage::Kind::DrawEnd;
        p.draw = 1;
        primitives.push_back(p);
    }
};

raster::QuadBatch end_of_draw() {
    raster::QuadBatch end;
    end.primitive.kind = raster::Primitive::Kind::DrawEnd;
    end.primitive.draw = 1;
    return end;
}

// What the scene's registers are in the context of its draw.
PixelRegisters registers_of(const Scene& scene) {
    PixelRegisters registers;
    for (const auto& [offset, value] : scene.registers)
        registers.set(offset, value);
    return registers;
}

struct Result {
    std::vector<raster::ShadedBatch> shaded;
    std::vector<uint8_t> data;
    ExportCounters exports;
    std::array<uint64_t, kGraphicsStages> waves{};
    std::vector<VertexExports> positions;
    uint32_t word(uint32_t offset) const {
        uint32_t value;
        std::memcpy(&value, &data.at(offset), 4);
        return value;
    }
    float real(uint32_t offset) const {
        float value;
        std::memcpy(&value, &data.at(offset), 4);
        return value;
    }
};

SpiSpec one_unit() {
    SpiSpec spec = gcn::si::spi_spec();
    spec.shader_engines = spec.sh_per_se = spec.cu_per_sh = 1;
    return spec;
}

void load(cu::test::CuBench& bench, const Scene& scene) {
    for (const auto& [stage, text] : scene.programs)
        bench.load(assembled(text), kPrograms + 0x400 * index_of(stage));
}

void write(SpiCore& spi, uint32_t offset, uint32_t value) {
    RegRequest q;
    q.write = true;
    q.offset = offset;
    q.value = value;
    ASSERT_TRUE(spi.write_register(q));
}

template <class T>
struct Speaker : Clocked {
    Channel<T>* out = nullptr;
    std::vector<T> todo;
    size_t next = 0;
    bool tick(Cycle now) override {
        bool progress = false;
        while (next < todo.size() && out->can_push(now)) {
            out->push(now, todo[next++]);
            progress = true;
        }
        return progress;
    }
};

// Shaded quads of one RB.
struct ShadedSink : Clocked {
    Channel<raster::ShadedBatch> in{{2, 1}};
    std::vector<raster::ShadedBatch> seen;
    ShadedSink() { in.set_consumer(this); }
    bool tick(Cycle now) override {
        const bool any = in.can_pop(now);
        if (any)
            seen.push_back(in.pop(now));
        return any;
    }
};

Result in_cycles(const Scene& scene, unsigned stall = 0) {
    cu::test::CuBench bench;
    load(bench, scene);
    SpiSpec spec = one_unit();
    spec.render_backends = scene.rasteriser ? 3 : 0;
    SpiCore spi(spec);
    PrimitiveSinkSpec sink_spec;
    sink_spec.rasteriser = scene.rasteriser;
    PrimitiveSink sink(sink_spec);
    Speaker<VgtMessage> vgt;
    Speaker<PrimitiveMessage> primitives;
    std::array<Speaker<raster::QuadBatch>, 2> rasteriser;
    std::array<ShadedSink, 2> shaded;
    Channel<EventDone> events;
    Channel<RegResponse> responses;
    spi.to_events.connect(events);
    spi.to_registers.connect(responses);
    spi.to_cu[0].connect(bench.core.launch_in);
    bench.core.to_wave_done.connect(spi.wave_done(0));
    bench.core.to_export.connect(spi.from_exports(0));
    spi.to_vertices.connect(sink.vertices);
    sink.to_free.connect(spi.from_assembler());
    vgt.out = &spi.from_vgt();
    vgt.out->set_producer(&vgt);
    vgt.todo = scene.vgt;
    primitives.out = &sink.primitives;
    sink.primitives.set_producer(&primitives);
    primitives.todo = scene.primitives;
    if (scene.rasteriser) {
        for (unsigned rb = 0; rb < 2; ++rb) {
            rasteriser[rb].out = &spi.from_rb(rb);
            rasteriser[rb].out->set_producer(&rasteriser[rb]);
            spi.to_rb[0][rb].connect(shaded[rb].in);
            for (const raster::QuadBatch& batch : scene.batches)
                if (batch.rb == rb)
                    rasteriser[rb].todo.push_back(batch);
            rasteriser[rb].todo.push_back(end_of_draw());
        }
        for (const auto& [offset, value] : scene.registers) {
            RegRequest request;
            request.write = true;
            request.offset = offset;
            request.value = value;
            spi.write_context(request);
        }
    }
    if (stall != 0) {
        bench.core.launch_in.random_stall(1, stall);
        spi.from_exports(0).random_stall(2, stall);
        spi.wave_done(0).random_stall(3, stall);
    }
    bench.scheduler.add(spi);
    bench.scheduler.add(sink);
    bench.scheduler.add(vgt);
    bench.scheduler.add(primitives);
    for (unsigned rb = 0; rb < 2 && scene.rasteriser; ++rb) {
        bench.scheduler.add(rasteriser[rb]);
        bench.scheduler.add(shaded[rb]);
    }
    for (const auto& [offset, value] : scene.registers)
        write(spi, offset, value);
    write(spi, r::VGT_DRAW_INITIATOR, 2);
    vgt.wake_at(0);
    primitives.wake_at(0);
    for (auto& speaker : rasteriser)
        speaker.wake_at(0);
    bench.scheduler.run(1'000'000);
    EXPECT_TRUE(spi.idle()) << spi.waiting_for();
    EXPECT_TRUE(sink.idle()) << sink.waiting_for();
    Result out;
    for (unsigned rb = 0; rb < 2 && scene.rasteriser; ++rb) {
        EXPECT_EQ(shaded[rb].seen.back().quads.primitive.kind, raster::Primitive::Kind::DrawEnd);
        shaded[rb].seen.pop_back();
        for (const raster::ShadedBatch& batch : shaded[rb].seen)
            out.shaded.push_back(batch);
    }
    out.data = bench.data();
    out.exports = spi.exports().counters;
    out.waves = spi.state().counters.stage_waves;
    return out;
}

Result functionally(const Scene& scene) {
    cu::test::CuBench bench;
    load(bench, scene);
    cu::test::ImageMemory memory(bench.memory);
    cu::FunctionalCu unit({}, memory, cu::test::CuBench::identity());
    SpiCore spi(one_unit());
    cu::FunctionalStats stats;
    gcn::FunctionalGraphics graphics(spi, unit, stats);
    cu::FunctionalPorts ports;
    ports.exports = &graphics;
    unit.connect(ports);
    const PixelRegisters registers = registers_of(scene);
    if (scene.rasteriser)
        graphics.expect_pixels(registers.sets);
    Result out;
    graphics.on_shaded = [&](raster::ShadedBatch& b) { out.shaded.push_back(b); };
    graphics.on_vertices = [&](VertexExports v) { out.positions.push_back(std::move(v)); };
    for (const auto& [offset, value] : scene.registers)
        write(spi, offset, value);
    write(spi, r::VGT_DRAW_INITIATOR, 2);
    for (const VgtMessage& m : scene.vgt)
        graphics.run(m);
    for (const raster::QuadBatch& batch : scene.batches)
        graphics.run(batch);
    if (scene.rasteriser)
        graphics.run(end_of_draw());
    EXPECT_TRUE(spi.idle()) << spi.waiting_for();
    EXPECT_TRUE(graphics.exports().vertices.empty());
    EXPECT_TRUE(graphics.waiting_for().empty());
    out.data = bench.data();
    out.exports = graphics.exports().counters;
    out.waves = spi.state().counters.stage_waves;
    return out;
}

// Both modes, and cycle mode with channels that stall, leave the same after.
Result run(const Scene& scene) {
    const Result cycles = in_cycles(scene);
    const Result stalled = in_cycles(scene, 30);
    Result plain = functionally(scene);
    EXPECT_EQ(cycles.data, plain.data);
    EXPECT_EQ(cycles.data, stalled.data);
    EXPECT_EQ(cycles.waves, plain.waves);
    EXPECT_EQ(cycles.exports.positions, plain.exports.positions);
    EXPECT_EQ(cycles.exports.parameters, plain.exports.parameters);
    EXPECT_EQ(cycles.exports.colors, plain.exports.colors);
    EXPECT_EQ(cycles.shaded.size(), plain.shaded.size());
    for (size_t n = 0; n < std::min(cycles.shaded.size(), plain.shaded.size()); ++n) {
        const raster::ShadedBatch &a = cycles.shaded[n], &b = plain.shaded[n];
        EXPECT_EQ(a.quads.x, b.quads.x);
        EXPECT_EQ(a.exports.valid, b.exports.valid);
        for (unsigned lane = 0; lane < 4u * a.quads.quads; ++lane)
            EXPECT_EQ(a.exports.colour.at(0).data[0][lane], b.exports.colour.at(0).data[0][lane]);
    }
    return plain;
}

TEST(GraphicsEndToEnd, PixelsInterpolateWhatVerticesExported) {
    Scene scene;
    scene.rasteriser = true;
    scene.set(r::SPI_PS_IN_CONTROL, 1);
    scene.set(r::SPI_SHADER_COL_FORMAT, 9);
    scene.program(Stage::Vs, kVertex);
    scene.program(Stage::Ps, kPixel);
    scene.wave(Stage::Vs, 0);
    scene.wave(Stage::Vs, 1);
    PrimitiveMessage first;
    first.draw = 1;
    first.vertices = 3;
    first.wave = {0, 0, 1};
    first.end_of_packet = true;
    scene.primitives.push_back(first);
    scene.end();
    // A tile: six quads of one primitive, the others of a second, whose planes are the same.
    const std::array<Corner, 3> corners{{{0, 0, 1}, {64, 0, 1}, {0, 64, 1}}};
    raster::QuadBatch tile = batch_of(triangle(corners, 1), 0, 0);
    raster::QuadBatch rest = tile;
    tile.quads = 6;
    tile.coverage[5] = 0;  // a helper pixel
    tile.primitive.parameters = {3, {0, 0, 0}, {4, 9, 60}};
    scene.batches.push_back(tile);
    rest.quads = 10;
    rest.rb = 1;
    std::copy(rest.x.begin() + 6, rest.x.end(), rest.x.begin());
    std::copy(rest.y.begin() + 6, rest.y.end(), rest.y.begin());
    rest.primitive.number = 2;
    rest.primitive.parameters = {3, {1, 0, 1}, {2, 5, 63}};
    scene.batches.push_back(rest);
    const Result result = run(scene);
    EXPECT_EQ(result.exports.positions, 2u);
    EXPECT_EQ(result.exports.parameters, 2u);
    EXPECT_EQ(result.exports.colors, 1u);
    ASSERT_EQ(result.shaded.size(), 2u);
    const float ids[2][3] = {{4, 9, 60}, {66, 5, 127}};
    for (unsigned n = 0; n < 2; ++n) {
        const raster::ShadedBatch& b = result.shaded[n];
        EXPECT_EQ(b.quads.quads, scene.batches[n].quads);
        EXPECT_EQ(b.quads.rb, n);
        EXPECT_EQ(b.quads.primitive.number, n + 1);
        for (unsigned lane = 0; lane < 4u * b.quads.quads; ++lane) {
            const unsigned x = b.quads.x_of(lane), y = b.quads.y_of(lane);
            const uint32_t offset = 16 * (x + 8 * y);
            const float i = (static_cast<float>(x) + 0.5f) / 64;
            const float j = (static_cast<float>(y) + 0.5f) / 64;
            const float at = ids[n][0] + i * (ids[n][1] - ids[n][0]) + j * (ids[n][2] - ids[n][0]);
            const bool live = n == 1 || lane != 5;
            EXPECT_EQ(b.exports.valid >> lane & 1, live ? 1u : 0u);
            EXPECT_NEAR(result.real(offset), live ? 2 * at : 0, 1e-4) << lane;
            EXPECT_NEAR(result.real(offset + 4), live ? at + 1 : 0, 1e-4) << lane;
            EXPECT_EQ(result.real(offset + 8), live ? ids[n][0] : 0) << lane;
            if (live) {
                EXPECT_EQ(as_float(b.exports.colour.at(0).data[0][lane]), result.real(offset));
            }
        }
    }
    ASSERT_EQ(result.positions.size(), 2u);
    float x = 0;
    std::memcpy(&x, &result.positions[1].position.at(0)[0][7], 4);
    EXPECT_EQ(x, 71.0f);
}

TEST(GraphicsEndToEnd, StreamoutWritesAsManyVerticesAsTheWaveHasBehindThoseBefore) {
    Scene scene;
    scene.program(Stage::Vs, kStreamout, 1 << 12 | 1 << 8, 2);  // SO_EN, SO_BASE0_EN
    for (uint32_t n = 0; n < 3; ++n) {
        VertexWave& v = scene.wave(Stage::Vs, n, n == 2 ? 10 : 64);
        v.vgpr[1].fill(0x777 + n);
        v.streamout_config = (n == 2 ? 10u : 64u) << 16 | 0xffff;
        v.streamout_index = 64 * n;
        v.streamout_offset[0] = 32;
    }
    scene.end();
    const Result result = run(scene);
    for (uint32_t vertex = 0; vertex < 138; ++vertex) {
        EXPECT_EQ(result.word(128 + 8 * vertex), vertex);
        EXPECT_EQ(result.word(128 + 8 * vertex + 4), 0x777 + vertex / 64);
    }
    EXPECT_EQ(result.word(128 + 8 * 138), 0u);
    EXPECT_EQ(result.word(124), 0u);
}

TEST(GraphicsEndToEnd, HullShadersReadTheLdsThatAllLocalShadersOfTheirGroupHaveWritten) {
    Scene scene;
    scene.program(Stage::Ls, kLocal, 2 << 7);  // 512 bytes
    scene.program(Stage::Hs, kHull);
    for (uint32_t group = 0; group < 4; ++group) {
        for (uint32_t n = 0; n < 2; ++n) {
            VertexWave& v = scene.wave(Stage::Ls, 2 * group + n);
            for (uint32_t lane = 0; lane < 64; ++lane)
                v.vgpr[0][lane] = 64 * n + lane;
            v.group = group;
            v.wave_in_group = static_cast<uint8_t>(n);
            v.waves_in_group = 3;
        }
        if (group % 2 == 0)
            continue;
        // Two groups are begun before the HS waves of the first come.
        for (uint32_t g = group - 1; g <= group; ++g) {
            VertexWave& v = scene.wave(Stage::Hs, g);
            for (uint32_t lane = 0; lane < 64; ++lane)
                v.vgpr[0][lane] = lane;
            v.group = g;
            v.wave_in_group = 2;
            v.waves_in_group = 3;
            v.tess_factor_offset = 256 * g;
        }
    }
    scene.end();
    const Result result = run(scene);
    for (uint32_t group = 0; group < 4; ++group)
        for (uint32_t lane = 0; lane < 64; ++lane)
            EXPECT_EQ(result.word(256 * group + 4 * lane), 0x1000 + 127 - lane) << group;
    EXPECT_EQ(result.waves[index_of(Stage::Ls)], 8u);
    EXPECT_EQ(result.waves[index_of(Stage::Hs)], 4u);
}

TEST(GraphicsEndToEnd, HullShadersOfAGroupMeetAtABarrier) {
    Scene scene;
    scene.program(Stage::Ls, kLocal, 2 << 7);
    scene.program(Stage::Hs, kHullBarrier);
    for (uint32_t group = 0; group < 3; ++group)
        for (uint32_t n = 0; n < 4; ++n) {
            VertexWave& v = scene.wave(n < 2 ? Stage::Ls : Stage::Hs, 2 * group + n % 2);
            for (uint32_t lane = 0; lane < 64; ++lane)
                v.vgpr[0][lane] = 64 * (n % 2) + lane;
            v.group = group;
            v.wave_in_group = static_cast<uint8_t>(n);
            v.waves_in_group = 4;
            v.tess_factor_offset = 512 * group;
        }
    scene.end();
    const Result result = run(scene);
    for (uint32_t group = 0; group < 3; ++group)
        for (uint32_t thread = 0; thread < 128; ++thread)
            EXPECT_EQ(result.word(512 * group + 4 * thread), 0x2000 + 127 - thread) << group;
}

TEST(GraphicsEndToEnd, EachWaveFindsItsOwnScratchByItsLastSgpr) {
    Scene scene;
    scene.set(r::SPI_TMPRING_SIZE, 2 | 1 << 12);
    scene.program(Stage::Vs, kScratchVertex, 1);
    for (uint32_t n = 0; n < 8; ++n)
        scene.wave(Stage::Vs, n);
    scene.end();
    const Result result = in_cycles(scene);  // which slots are used differs between the modes
    const Result plain = functionally(scene);
    for (uint32_t vertex = 0; vertex < 512; ++vertex) {
        EXPECT_EQ(result.word(2048 + 4 * vertex), vertex);
        EXPECT_EQ(plain.word(2048 + 4 * vertex), vertex);
    }
}

TEST(GraphicsEndToEnd, WhatAStageMayNotExportStopsTheMachineAlikeInBothModes) {
    struct Row {
        const char* text;
        const char* message;
    };
    const Row rows[] = {
        {"exp mrt0 v0, v0, v0, v0 done\n s_endpgm\n", "exports to target 0, which is a pixel's"},
        {"exp pos1 v0, v0, v0, v0 done\n s_endpgm\n", "POS1 has no format"},
        {"exp param1 v0, v0, v0, v0\n s_endpgm\n", "parameter 1, SPI_VS_OUT_CONFIG"},
        {"exp pos0 v0, v0, v0, v0 done\n exp pos0 v0, v0, v0, v0\n s_endpgm\n",
         "behind the one marked as last"},
        {"exp pos0 v0, v0, v0, v0\n s_endpgm\n", "ended without its last position"},
    };
    for (const Row& row : rows) {
        Scene scene;
        scene.program(Stage::Vs, row.text);
        scene.wave(Stage::Vs, 0);
        scene.end();
        for (const auto& mode : {std::function<void()>([&] { in_cycles(scene); }),
                                 std::function<void()>([&] { functionally(scene); })}) {
            try {
                mode();
                ADD_FAILURE() << "accepted: " << row.text;
            } catch (const MachineStop& stop) {
                EXPECT_EQ(stop.kind(), StopKind::BadInput);
                EXPECT_THAT(stop.what(), ::testing::HasSubstr(row.message));
                EXPECT_THAT(stop.what(), ::testing::HasSubstr("vs1.w0"));
            }
        }
    }
    for (const Stage stage : {Stage::Es, Stage::Gs, Stage::Ls}) {
        Scene scene;
        scene.program(stage, "exp pos0 v0, v0, v0, v0 done\n s_endpgm\n");
        scene.wave(stage, 0);
        scene.end();
        EXPECT_THROW(in_cycles(scene), MachineStop);
        EXPECT_THROW(functionally(scene), MachineStop);
    }
}

TEST(GraphicsEndToEnd, AFaultOfAGraphicsWaveNamesDrawStageAndWave) {
    Scene scene;
    scene.program(Stage::Vs,
                  "s_mov_b32 s2, -1\n v_mov_b32 v1, 0x7f000000\n"
                  " buffer_load_dword v2, v1, s[0:3], 0 offen\n s_endpgm\n");
    scene.wave(Stage::Vs, 0);
    scene.end();
    for (const auto& mode : {std::function<void()>([&] { in_cycles(scene); }),
                             std::function<void()>([&] { functionally(scene); })}) {
        try {
            mode();
            ADD_FAILURE() << "no fault";
        } catch (const MachineStop& stop) {
            EXPECT_EQ(stop.kind(), StopKind::Fault);
            EXPECT_THAT(stop.what(), ::testing::HasSubstr("vs1.w0"));
        }
    }
}

}  // namespace
}  // namespace archipelago::spi
