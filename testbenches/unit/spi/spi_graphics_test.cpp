// SPDX-License-Identifier: Apache-2.0
// SPI's graphics stages between a vertex grouper, compute units, a primitive sink and a rasteriser.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <set>

#include "models/common/error.h"
#include "models/spi/primitive_sink.h"
#include "models/spi/spi_core.h"
#include "registers/si_names.h"
#include "testbenches/unit/spi/spi_bench.h"

namespace archipelago::spi {
namespace {

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

// Says what it is told, in order, as soon as the channel takes it.
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

constexpr uint32_t kPosition = 0x4;  // SPI_SHADER_POS_FORMAT: POS0 of four 32-bit components

struct Options {
    unsigned life = 20;  // of a wave, cycles
    bool sink = true, rasteriser = false;
};

struct Bench {
    SpiSpec spec;
    std::unique_ptr<SpiCore> spi;
    Writer writer;
    Speaker<VgtMessage> vgt;
    Speaker<PrimitiveMessage> primitives;
    Speaker<PixelWave> rasteriser;
    std::unique_ptr<PrimitiveSink> sink;
    std::vector<std::unique_ptr<FakeGraphicsCu>> cus;
    Scheduler scheduler;
    uint32_t draws = 0;

    explicit Bench(const SpiSpec& s = {}, Options options = {}) : spec(s) {
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
            spi->connect_cu(i, cu.in);
            scheduler.add(cu);
        }
        writer.out = &spi->registers;
        spi->registers.set_producer(&writer);
        spi->connect_registers(writer.in);
        spi->connect_events(writer.events);
        vgt.out = &spi->from_vgt();
        vgt.out->set_producer(&vgt);
        if (options.rasteriser) {
            rasteriser.out = &spi->from_rasteriser();
            rasteriser.out->set_producer(&rasteriser);
        }
        if (options.sink) {
            PrimitiveSinkSpec sink_spec;
            sink_spec.rasteriser = options.rasteriser;
            sink = std::make_unique<PrimitiveSink>(sink_spec);
            scheduler.add(*sink);
            spi->connect_vertices(sink->vertices);
            sink->connect_free(spi->from_assembler());
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

SpiSpec small() {
    SpiSpec spec;
    spec.shader_engines = spec.sh_per_se = spec.cu_per_sh = 1;
    return spec;
}

// ---- waves
// -----------------------------------------------------------------------------------------

TEST(SpiGraphics, EveryWaveOfEveryDrawRunsOnceOnTheEngineVgtChose) {
    Bench b;
    for (int d = 0; d < 5; ++d)
        b.simple_draw(40);
    b.run();
    const auto seen = b.seen(Stage::Vs);
    std::set<std::pair<uint32_t, uint32_t>> waves;
    for (const auto& s : seen) {
        waves.emplace(s.wave.dispatch, s.wave.group);
        EXPECT_EQ(s.cu / 16, s.wave.group % 2);
    }
    EXPECT_EQ(seen.size(), 200u);
    EXPECT_EQ(waves.size(), 200u);
    EXPECT_EQ(b.spi->state().counters.stage_waves[index_of(Stage::Vs)], 200u);
    EXPECT_EQ(b.spi->state().counters.draws, 5u);
    EXPECT_EQ(b.spi->exports().counters.positions, 200u);
    EXPECT_EQ(b.spi->exports().counters.parameters, 200u);
    EXPECT_EQ(b.sink->state().primitives, 200u);
    EXPECT_EQ(b.sink->state().freed, 200u);
    EXPECT_TRUE(b.spi->state().graphics.draws.empty());
}

TEST(SpiGraphics, EachDrawHasTheShaderRegistersOfItsInitiator) {
    Bench b({}, {300});
    for (uint32_t d = 0; d < 6; ++d) {
        b.stage(Stage::Vs, 0x2C, 1 << 1);
        b.stage(Stage::Vs, 0x30, 0x100 + d);
        b.stage(Stage::Vs, 0x20, 0x10 + d);
        b.simple_draw(3);
    }
    b.run();
    for (const auto& s : b.seen(Stage::Vs)) {
        EXPECT_EQ(s.wave.sgpr_init[0], 0x100 + s.wave.dispatch - 1);
        EXPECT_EQ(s.wave.pc, (0x10 + s.wave.dispatch - 1) << 8);
    }
}

TEST(SpiGraphics, EachContextHasItsOwnCopyOfTheContextRegisters) {
    Bench b;
    b.context(r::SPI_SHADER_POS_FORMAT, 0x44, 3);
    b.context(r::SPI_SHADER_POS_FORMAT, kPosition, 4);
    const uint32_t first = b.draw(3);
    const uint32_t second = b.draw(4);
    for (const uint32_t d : {first, second}) {
        b.wave(Stage::Vs, d, 0);
        b.end(d);
    }
    for (auto& cu : b.cus)
        cu->life = 400;
    b.go(100);
    ASSERT_EQ(b.spi->exports().vertices.size(), 2u);
    EXPECT_EQ(b.spi->exports().vertices.at({first, 0}).positions, 2);
    EXPECT_EQ(b.spi->exports().vertices.at({second, 0}).positions, 1);
}

TEST(SpiGraphics, CopyingAContextCopiesAllOfItsRegisters) {
    Bench b;
    RegRequest q;
    q.write = true;
    q.offset = r::SPI_PS_IN_CONTROL;
    q.context = 2;
    q.value = 7;
    EXPECT_TRUE(b.spi->write_register(q));
    q.offset = kGfxCopyState;
    q.context = 5;
    q.value = 2;
    EXPECT_TRUE(b.spi->write_register(q));
    uint32_t value = 0;
    q.offset = r::SPI_PS_IN_CONTROL;
    q.write = false;
    EXPECT_TRUE(b.spi->read_register(q, value));
    EXPECT_EQ(value, 7u);
}

TEST(SpiGraphics, ShaderRegistersWaitWhileTooManyUpdatesAreInFlight) {
    for (const unsigned updates : {1000u, 4u}) {
        SpiSpec spec;
        spec.sh_updates = updates;
        Bench b(spec, {500});
        for (uint32_t d = 0; d < 4; ++d) {
            b.stage(Stage::Vs, 0x2C, 1 << 1);
            b.stage(Stage::Vs, 0x30, 0x100 + d);
            b.stage(Stage::Vs, 0x34, 0);
            b.simple_draw(1);
        }
        b.run();
        const auto seen = b.seen(Stage::Vs);
        ASSERT_EQ(seen.size(), 4u);
        for (const auto& s : seen)
            EXPECT_EQ(s.wave.sgpr_init[0], 0x100 + s.wave.dispatch - 1);
        if (updates == 4) {
            // The fourth draw's second write is the fifth behind the first draw.
            EXPECT_GT(seen[2].at, b.end_of(Stage::Vs, 1, 0));
            EXPECT_GT(b.spi->state().counters.register_stall_cycles, 400u);
        } else {
            EXPECT_LT(seen[3].at, 200u);
        }
    }
}

TEST(SpiGraphics, DrawsInFlightAreLimited) {
    SpiSpec spec;
    spec.draws_in_flight = 2;
    Bench b(spec, {300});
    for (int d = 0; d < 4; ++d)
        b.simple_draw(1);
    b.run();
    const auto seen = b.seen(Stage::Vs);
    EXPECT_LT(seen[1].at, 200u);
    EXPECT_GT(seen[2].at, 300u);
}

TEST(SpiGraphics, AWaveWaitsForTheWavesItReadsFrom) {
    const std::pair<Stage, Stage> edges[] = {{Stage::Hs, Stage::Es},
                                             {Stage::Es, Stage::Gs},
                                             {Stage::Gs, Stage::Vs},
                                             {Stage::Hs, Stage::Vs}};
    for (const auto& [from, to] : edges) {
        Bench b({}, {200, false});
        const uint32_t d = b.draw();
        b.wave(from, d, 0);
        b.wave(from, d, 1);
        b.wave(to, d, 0);
        b.wave(from, d, 2);  // comes later: not waited for
        b.wave(to, d, 1);
        b.end(d);
        for (size_t i = 0; i < b.cus.size(); ++i)
            b.cus[i]->life = i == 0 ? 700 : 200;
        b.run();
        const Cycle ready = std::max(b.end_of(from, d, 0), b.end_of(from, d, 1));
        const auto seen = b.seen(to);
        ASSERT_EQ(seen.size(), 2u);
        EXPECT_GT(seen[0].at, ready) << stage_name(from) << " to " << stage_name(to);
        EXPECT_GT(seen[1].at, b.end_of(from, d, 2));
    }
    // No such edge: the stages run side by side.
    Bench b({}, {500, false});
    const uint32_t d = b.draw();
    b.wave(Stage::Es, d, 0);
    b.wave(Stage::Vs, d, 0);
    b.end(d);
    b.run();
    EXPECT_LT(b.seen(Stage::Vs)[0].at, 100u);
}

TEST(SpiGraphics, HullWavesFollowTheLocalWavesOfTheirGroupOnTheSameUnitAndLds) {
    Bench b({}, {100, false});
    b.stage(Stage::Ls, 0x2C, 16u << 7);    // 4 KiB of LDS
    b.stage(Stage::Hs, 0x28, 3 | 1 << 6);  // more VGPRs than LS
    const uint32_t d = b.draw();
    for (uint32_t g = 0; g < 6; ++g) {
        b.group_wave(Stage::Ls, d, 2 * g, g, 0, 3);
        b.group_wave(Stage::Ls, d, 2 * g + 1, g, 1, 3);
        b.group_wave(Stage::Hs, d, g, g, 2, 3);
    }
    b.end(d);
    b.run();
    const auto ls = b.seen(Stage::Ls);
    const auto hs = b.seen(Stage::Hs);
    ASSERT_EQ(ls.size(), 12u);
    ASSERT_EQ(hs.size(), 6u);
    std::set<unsigned> units;
    for (const auto& h : hs) {
        for (const auto& l : ls) {
            if (l.wave.group / 2 != h.wave.group)
                continue;
            EXPECT_EQ(l.cu, h.cu);
            EXPECT_EQ(l.wave.group_slot, h.wave.group_slot);
            EXPECT_EQ(l.wave.lds_base, h.wave.lds_base);
            EXPECT_GT(h.at, b.end_of(Stage::Ls, d, l.wave.group));
            EXPECT_FALSE(l.wave.keeps_lds);
        }
        EXPECT_EQ(h.wave.lds_bytes, 4096u);
        EXPECT_TRUE(h.wave.keeps_lds);
        EXPECT_EQ(h.wave.vgpr_count, 16);
        units.insert(h.cu);
    }
    EXPECT_GT(units.size(), 1u);
    EXPECT_TRUE(b.spi->state().graphics.groups.empty());
}

TEST(SpiGraphics, ScratchSlotsAreNeverSharedByLivingWavesOfAnyStage) {
    Bench b({}, {80, false});
    b.context(r::SPI_TMPRING_SIZE, 5 | 1 << 12);
    b.stage(Stage::Vs, 0x2C, 1);
    b.stage(Stage::Es, 0x2C, 1);
    const uint32_t d = b.draw();
    for (uint32_t n = 0; n < 20; ++n) {
        b.wave(Stage::Vs, d, n);
        b.wave(Stage::Es, d, n);
    }
    b.end(d);
    b.run();
    std::vector<std::pair<Cycle, uint32_t>> taken;
    for (const Stage s : {Stage::Vs, Stage::Es})
        for (const auto& w : b.seen(s)) {
            const uint32_t offset = w.wave.sgpr_init[s == Stage::Es ? 1 : 0];
            EXPECT_EQ(offset % 1024, 0u);
            EXPECT_LT(offset, 5u * 1024);
            for (const auto& [at, other] : taken)
                if (other == offset) {
                    EXPECT_GE(at > w.at ? at - w.at : w.at - at, 80u);
                }
            taken.emplace_back(w.at, offset);
        }
    EXPECT_EQ(taken.size(), 40u);
    EXPECT_GT(b.spi->state().counters.no_scratch_cycles, 0u);
}

TEST(SpiGraphics, MasksOfEachStageKeepItsWavesAwayFromUnits) {
    const struct {
        Stage stage;
        uint32_t offset, shift;
    } rows[] = {{Stage::Vs, r::SPI_STATIC_THREAD_MGMT_1, 16},
                {Stage::Gs, r::SPI_STATIC_THREAD_MGMT_2, 0},
                {Stage::Es, r::SPI_STATIC_THREAD_MGMT_2, 16},
                {Stage::Ls, r::SPI_STATIC_THREAD_MGMT_3, 0}};
    for (const auto& row : rows) {
        Bench b({}, {2000, false});
        b.writer.write(row.offset, 0xffff0000u >> row.shift | 0x5u << row.shift);
        const uint32_t d = b.draw();
        for (uint32_t n = 0; n < 32; ++n)
            b.wave(row.stage, d, n);
        b.end(d);
        b.run();
        std::set<unsigned> units;
        for (const auto& s : b.seen(row.stage))
            units.insert(s.cu);
        EXPECT_EQ(units, (std::set<unsigned>{0, 2, 8, 10})) << stage_name(row.stage);
    }
}

TEST(SpiGraphics, MasksAreKeptForEachShaderArray) {
    Bench b({}, {2000, false});
    b.writer.write(r::SPI_STATIC_THREAD_MGMT_1, 0x00010000);
    RegRequest& q = b.writer.todo.back();
    q.se_broadcast = q.sh_broadcast = false;
    q.se = 0;
    q.sh = 1;
    const uint32_t d = b.draw();
    for (uint32_t n = 0; n < 60; ++n)
        b.wave(Stage::Vs, d, n, static_cast<uint8_t>(n % 2));
    b.end(d);
    b.run();
    for (const auto& s : b.seen(Stage::Vs))
        EXPECT_TRUE(s.cu < 8 || s.cu == 8 || s.cu >= 16) << s.cu;
    uint32_t value = 0;
    RegRequest read;
    read.offset = r::SPI_STATIC_THREAD_MGMT_1;
    read.sh = 1;
    read.se_broadcast = read.sh_broadcast = false;
    EXPECT_TRUE(b.spi->read_register(read, value));
    EXPECT_EQ(value, 0x00010000u);
}

TEST(SpiGraphics, AStageWithoutAnyUnitIsRefusedByName) {
    Bench b;
    b.writer.write(r::SPI_STATIC_THREAD_MGMT_1, 0x0000ffff);
    b.simple_draw(1);
    try {
        b.go();
        ADD_FAILURE() << "a wave without a unit was accepted";
    } catch (const MachineStop& stop) {
        EXPECT_EQ(stop.kind(), StopKind::BadInput);
        EXPECT_THAT(stop.what(), ::testing::HasSubstr("SPI_STATIC_THREAD_MGMT"));
    }
}

TEST(SpiGraphics, TheWaveLimitHoldsForEachArrayAndItsStageOnly) {
    SpiSpec spec;
    spec.limit_registers = true;
    spec.stage_queue = 64;
    spec.position_vectors = spec.parameter_vectors = 1000;
    Bench b(spec, {5000, false});
    b.writer.write(0xB118, 0xffff | 1 << 16);  // VS: 16 waves on an array
    b.writer.write(0xB31C, 0xffff);
    const uint32_t d = b.draw();
    for (uint32_t n = 0; n < 80; ++n) {
        b.wave(Stage::Vs, d, n);
        b.wave(Stage::Es, d, n);
    }
    b.end(d);
    b.go(3000);
    EXPECT_EQ(b.seen(Stage::Vs).size(), 32u);
    EXPECT_EQ(b.seen(Stage::Es).size(), 80u);
}

TEST(SpiGraphics, CuEnOfTheStageLeavesOutUnits) {
    SpiSpec spec;
    spec.limit_registers = true;
    Bench b(spec, {2000, false});
    b.writer.write(0xB118, 0x0004);
    const uint32_t d = b.draw();
    for (uint32_t n = 0; n < 20; ++n)
        b.wave(Stage::Vs, d, n);
    b.end(d);
    b.run();
    for (const auto& s : b.seen(Stage::Vs))
        EXPECT_EQ(s.cu % 8, 2u);
}

// ---- who comes first
// ---------------------------------------------------------------------------------

TEST(SpiGraphics, GraphicsAndComputeTakeTurns) {
    SpiSpec spec;
    spec.stage_queue = 64;
    spec.position_vectors = spec.parameter_vectors = 1000;
    spec.vgt.capacity = 64;
    Bench b(spec, {20000, false});
    const uint32_t d = b.draw();
    for (uint32_t n = 0; n < 60; ++n)
        b.wave(Stage::Es, d, n);
    b.end(d);
    b.dispatch(0, 200);
    b.go(150);
    const size_t graphics = b.seen(Stage::Es).size(), compute = b.seen(Stage::Cs).size();
    EXPECT_GT(graphics, 20u);
    EXPECT_GT(compute, 20u);
}

// Both want more than there is: what the order of the pipes gives them.
std::pair<size_t, size_t> arbitrated(uint32_t priority, uint32_t cycles0) {
    SpiSpec spec = small();
    spec.stage_queue = 64;
    spec.vgt.capacity = 64;
    spec.registers.capacity = 64;
    Bench b(spec, {300, false});
    b.writer.write(r::SPI_ARB_PRIORITY, priority);
    b.writer.write(r::SPI_ARB_CYCLES_0, cycles0);
    b.dispatch(1, 4000);
    const uint32_t d = b.draw();
    for (uint32_t n = 0; n < 2000; ++n)
        b.wave(Stage::Es, d, n);
    b.end(d);
    b.go(4000);
    return {b.seen(Stage::Es).size(), b.seen(Stage::Cs).size()};
}

TEST(SpiGraphics, ArbitrationSlicesPutOnePipeBeforeTheOthers) {
    const auto in_turn = arbitrated(0, 0);
    const auto graphics_first = arbitrated(0, 100);
    const auto compute_first = arbitrated(2, 100);
    EXPECT_GT(graphics_first.first, 3 * in_turn.first / 2);
    EXPECT_LT(graphics_first.second, in_turn.second / 2);
    EXPECT_LT(compute_first.first, in_turn.first / 2);
    EXPECT_GT(compute_first.second, 3 * in_turn.second / 2);
}

TEST(SpiGraphics, ArbitrationSlicesShareTimeByTheirLengths) {
    // Slice 0 graphics first, slice 1 the first compute ring first.
    const auto even = arbitrated(2 << 3, 1000 | 1000 << 16);
    const auto mostly_graphics = arbitrated(2 << 3, 1900 | 100 << 16);
    const auto by_multiplier = arbitrated(2 << 3 | 1 << 12, 119 | 100 << 16);
    EXPECT_GT(mostly_graphics.first, even.first);
    EXPECT_LT(mostly_graphics.second, even.second);
    EXPECT_GT(by_multiplier.first, even.first);
}

TEST(SpiGraphics, AStageBelowItsLockThresholdKeepsTheArrayUntilItHasRoom) {
    // Waves of VS need a whole SIMD's registers, the dispatch takes whatever gets free.
    const auto first_vs = [](uint32_t threshold) {
        SpiSpec spec = small();
        spec.limit_registers = true;
        Bench b(spec, {100, false});
        for (auto& cu : b.cus)
            cu->life = 97;
        b.stage(Stage::Vs, 0x28, 63 | 1 << 6);
        b.writer.write(0xB118, 0xffff | threshold << 22);
        b.dispatch(1, 3000, 3);  // 16 VGPRs: sixteen, by slots ten, on a SIMD
        const uint32_t d = b.draw();
        b.wave(Stage::Vs, d, 0);
        b.end(d);
        // VGT comes when the unit is full.
        std::deque<VgtMessage> later;
        later.swap(b.vgt.todo);
        b.go(2000);
        b.vgt.todo.swap(later);
        b.go(2'000'000);
        return b.seen(Stage::Vs).at(0).at;
    };
    const Cycle without = first_vs(0);
    const Cycle with = first_vs(1);
    EXPECT_LT(with, 2300u);
    EXPECT_GT(without, 5000u);  // when the dispatch has placed its last group
}

// ---- exports
// -----------------------------------------------------------------------------------------

TEST(SpiGraphics, AVertexWaveStartsOnlyWhenThereIsRoomForWhatItExports) {
    for (const bool positions : {true, false}) {
        SpiSpec spec;
        (positions ? spec.position_vectors : spec.parameter_vectors) = 6;
        Bench b(spec, {50});
        b.context(r::SPI_SHADER_POS_FORMAT, 0x44);
        b.context(r::SPI_VS_OUT_CONFIG, 1 << 1);
        for (auto& cu : b.cus)
            cu->positions = 2;
        b.simple_draw(60);
        unsigned most = 0;
        b.writer.wake_at(0);
        b.vgt.wake_at(0);
        b.primitives.wake_at(0);
        for (Cycle t = 0; t < 4000; ++t) {
            b.scheduler.run(t);
            for (const auto& e : b.spi->exports().engines) {
                most = std::max(most, positions ? e.positions : e.parameters);
                ASSERT_LE(positions ? e.positions : e.parameters, 6u);
            }
        }
        b.run();
        EXPECT_EQ(most, 6u);
        EXPECT_EQ(b.seen(Stage::Vs).size(), 60u);
        EXPECT_GT(b.spi->state().counters.no_export_room_cycles, 100u);
        EXPECT_FALSE(b.spi->sx_busy.latest());
    }
}

TEST(SpiGraphics, AFullPositionBufferNobodyEmptiesIsNamed) {
    SpiSpec spec = small();
    spec.position_vectors = 2;
    Bench b(spec);
    const uint32_t d = b.draw();
    for (uint32_t n = 0; n < 5; ++n)
        b.wave(Stage::Vs, d, n);  // and no primitive that would end their use
    b.go();
    EXPECT_FALSE(b.spi->idle());
    EXPECT_TRUE(b.spi->sx_busy.latest());
    EXPECT_THAT(b.spi->waiting_for(),
                ::testing::HasSubstr("a VS wave of draw 1 waits for space in the position buffer"));
    EXPECT_THAT(b.spi->waiting_for(), ::testing::HasSubstr("not given back by the primitive side"));
    EXPECT_THAT(b.sink->waiting_for(), ::testing::HasSubstr("VS wave 0 of draw 1"));
    EXPECT_EQ(b.seen(Stage::Vs).size(), 2u);
}

TEST(SpiGraphics, SomeVertexWavesMayStartBeforeTheirExportSpaceIsThere) {
    SpiSpec spec = small();
    spec.position_vectors = 2;
    spec.limit_registers = true;
    for (const uint32_t limit : {0u, 3u}) {
        Bench b(spec, {400});
        b.writer.write(0xB11C, limit);
        b.writer.write(0xB118, 0xffff);
        b.simple_draw(30);
        b.go(200);
        EXPECT_EQ(b.seen(Stage::Vs).size(), 2u + limit);
        EXPECT_LE(b.spi->exports().engines[0].positions, 2u);
        b.run();
        EXPECT_EQ(b.seen(Stage::Vs).size(), 30u);
        EXPECT_EQ(b.spi->exports().counters.positions, 30u);
        EXPECT_EQ(b.spi->state().counters.late_waves != 0, limit != 0);
    }
}

TEST(SpiGraphics, AVertexWaveThatEndsWithoutItsLastPositionStopsTheMachine) {
    Bench b;
    for (auto& cu : b.cus)
        cu->export_positions = false;
    b.simple_draw(1);
    try {
        b.go();
        ADD_FAILURE() << "the wave's end was accepted";
    } catch (const MachineStop& stop) {
        EXPECT_EQ(stop.kind(), StopKind::BadInput);
        EXPECT_THAT(stop.what(), ::testing::HasSubstr("draw 1 VS wave 0"));
    }
}

// ---- pixels
// ------------------------------------------------------------------------------------------

PixelWave pixels(uint32_t draw, uint32_t vs_wave, uint32_t free_through, bool end) {
    PixelWave p;
    p.draw = draw;
    p.live = ~uint64_t{0};
    p.primitive[0] = {3, {vs_wave, vs_wave, vs_wave}, {0, 1, 2}};
    p.free_through = free_through;
    p.end_of_draw = end;
    return p;
}

TEST(SpiGraphics, PixelWavesStartWithTheParametersOfTheirVerticesWhichThenAreGivenBack) {
    SpiSpec spec;
    spec.parameter_vectors = 2;
    Bench b(spec, {60, true, true});
    b.context(r::SPI_PS_IN_CONTROL, 1);
    const uint32_t d = b.simple_draw(12);
    for (uint32_t n = 0; n < 12; ++n)
        b.rasteriser.todo.push_back(pixels(d, n, n + 1, n == 11));
    b.run();
    const auto seen = b.seen(Stage::Ps);
    ASSERT_EQ(seen.size(), 12u);
    for (const auto& s : seen) {
        EXPECT_GT(s.at, b.end_of(Stage::Vs, d, s.wave.group));
        EXPECT_EQ(s.wave.lds_bytes, 48u);
    }
    EXPECT_EQ(b.spi->exports().counters.colors, 12u);
    EXPECT_GT(b.spi->state().counters.no_export_room_cycles, 0u);
}

TEST(SpiGraphics, AWaveWithoutPixelsOnlyGivesBack) {
    SpiSpec spec;
    Bench b(spec, {60, true, true});
    const uint32_t d = b.simple_draw(3);
    PixelWave none;
    none.draw = d;
    none.end_of_draw = true;
    none.free_through = 3;
    b.go(2000);
    EXPECT_FALSE(b.spi->idle());
    EXPECT_THAT(b.spi->waiting_for(), ::testing::HasSubstr("the rasteriser has more of it"));
    b.rasteriser.todo.push_back(none);
    b.rasteriser.wake_at(b.scheduler.now() + 1);
    b.run();
    EXPECT_TRUE(b.seen(Stage::Ps).empty());
}

TEST(SpiGraphics, PixelWavesAreCountedUpToTheLargestNumber) {
    Bench b({}, {60, true, true});
    b.writer.write(r::SPI_PS_MAX_WAVE_ID, 2);
    b.stage(Stage::Ps, 0x2C, 1 << 7);
    const uint32_t d = b.simple_draw(1);
    for (uint32_t n = 0; n < 7; ++n)
        b.rasteriser.todo.push_back(pixels(d, 0, n == 6, n == 6));
    b.run();
    std::map<uint32_t, uint32_t> ids;
    for (const auto& s : b.seen(Stage::Ps))
        ids[s.wave.group] = s.wave.sgpr_init[1];
    for (uint32_t n = 0; n < 7; ++n)
        EXPECT_EQ(ids.at(n), n % 3);
}

// ---- events
// ------------------------------------------------------------------------------------------

constexpr uint8_t kContextDone = 5, kCsFlush = 7, kVsFlush = 15, kPsFlush = 16, kBottom = 40;
constexpr uint8_t kCsDone = 47, kPsDone = 48, kEnd = 20;

// A draw of long VS and longer PS waves and a still longer dispatch, then the event.
struct Ends {
    Cycle vertices = 0, pixels = 0, groups = 0, event = 0;
};
Ends ends_with(uint8_t type, uint8_t context = 1) {
    Bench b({}, {200, true, true});
    b.context(r::SPI_SHADER_POS_FORMAT, kPosition, 1);
    b.context(r::SPI_PS_INPUT_ENA, 2, 1);
    b.context(r::SPI_PS_INPUT_ADDR, 2, 1);
    b.context(r::SPI_PS_IN_CONTROL, 1, 1);
    const uint32_t d = b.simple_draw(4, 1);
    for (uint32_t n = 0; n < 4; ++n)
        b.rasteriser.todo.push_back(pixels(d, n, n + 1, n == 3));
    b.dispatch(0, 3000);
    b.event(type, context);
    b.run();
    Ends e;
    for (uint32_t n = 0; n < 4; ++n) {
        e.vertices = std::max(e.vertices, b.end_of(Stage::Vs, d, n));
        e.pixels = std::max(e.pixels, b.end_of(Stage::Ps, d, n));
    }
    for (const auto& s : b.seen(Stage::Cs))
        e.groups = std::max(e.groups, s.at + 200);
    EXPECT_EQ(b.writer.done.size(), 1u);
    EXPECT_EQ(b.writer.done[0].second.event_type, type);
    e.event = b.event_at(0);
    return e;
}

TEST(SpiGraphics, EachEventWaitsForTheWorkItIsAbout) {
    {
        const Ends e = ends_with(kVsFlush);
        EXPECT_GT(e.event, e.vertices);
        EXPECT_LT(e.event, e.pixels);
    }
    for (const uint8_t type : {kPsFlush, kPsDone, kContextDone}) {
        const Ends e = ends_with(type);
        EXPECT_GT(e.event, e.pixels) << int{type};
        EXPECT_LT(e.event, e.groups) << int{type};
    }
    for (const uint8_t type : {kBottom, kEnd, kCsFlush, kCsDone}) {
        const Ends e = ends_with(type);
        EXPECT_GT(e.event, e.pixels) << int{type};
        EXPECT_GT(e.event, e.groups) << int{type};
    }
    const Ends other = ends_with(kContextDone, 2);  // nothing is drawn in context 2
    EXPECT_LT(other.event, other.vertices);
}

TEST(SpiGraphics, ComputeEventsDoNotWaitForDraws) {
    Bench b({}, {5000});
    const uint32_t d = b.draw();
    b.wave(Stage::Vs, d, 0);
    b.primitive(d, 0, true);
    b.end(d);
    b.event(kCsFlush);
    b.writer.write(r::VGT_EVENT_INITIATOR, kBottom, 1);  // a compute ring, which VGT ignores
    b.run();
    ASSERT_EQ(b.writer.done.size(), 2u);
    EXPECT_LT(b.event_at(0), 1000u);
    EXPECT_LT(b.event_at(1), 1000u);
}

TEST(SpiGraphics, AnEventOfTheGraphicsRingWaitsForVgtToPassIt) {
    Bench b;
    b.event(kBottom);
    const VgtMessage token = b.vgt.todo.back();
    b.vgt.todo.clear();
    b.go(500);
    EXPECT_TRUE(b.writer.done.empty());
    EXPECT_FALSE(b.spi->idle());
    b.vgt.todo.push_back(token);
    b.vgt.wake_at(600);
    b.run();
    EXPECT_EQ(b.writer.done.size(), 1u);
}

TEST(SpiGraphics, WavesAndEventsMayComeBeforeTheRegistersHaveToldOfThem) {
    Bench b;
    for (int i = 0; i < 300; ++i)
        b.stage(Stage::Vs, 0x34, 0);  // the bus is behind
    b.simple_draw(3);
    b.event(kBottom);
    b.simple_draw(3);
    b.run();
    EXPECT_EQ(b.seen(Stage::Vs).size(), 6u);
    EXPECT_EQ(b.writer.done.size(), 1u);
}

// ---- what must not be
// --------------------------------------------------------------------------------

void expect_stop(Bench& b, StopKind kind, const char* message) {
    try {
        b.go();
        ADD_FAILURE() << "accepted: " << message;
    } catch (const MachineStop& stop) {
        EXPECT_EQ(stop.kind(), kind);
        EXPECT_THAT(stop.what(), ::testing::HasSubstr(message));
    }
}

TEST(SpiGraphics, ADrawWithoutAVertexGrouperStopsTheMachineByName) {
    SpiCore spi(SpiSpec{});
    RegRequest q;
    q.write = true;
    q.offset = r::VGT_DRAW_INITIATOR;
    try {
        spi.write_register(q);
        ADD_FAILURE() << "accepted";
    } catch (const MachineStop& stop) {
        EXPECT_EQ(stop.kind(), StopKind::Unimplemented);
    }
}

TEST(SpiGraphics, PartnersThatBreakTheProtocolAreNamed) {
    {
        Bench b;
        const uint32_t d = b.simple_draw(1);
        b.wave(Stage::Vs, d, 1);
        expect_stop(b, StopKind::Protocol, "VGT sends more of draw 1");
    }
    {
        Bench b;
        b.wave(Stage::Ps, b.draw(), 0);
        expect_stop(b, StopKind::Protocol, "VGT sends a wave of stage PS");
    }
    {
        Bench b;
        b.event(kBottom);
        b.vgt.todo.back().event_type = kEnd;
        expect_stop(b, StopKind::Protocol, "VGT passes event 20 of ring 0, the next is event 40");
    }
    {
        Bench b({}, {20, false});
        const uint32_t d = b.draw();
        b.wave(Stage::Vs, d, 3);
        b.wave(Stage::Vs, d, 3);
        expect_stop(b, StopKind::Protocol, "VS wave 3 comes twice");
    }
    {
        Bench b;
        const uint32_t d = b.draw();
        b.group_wave(Stage::Hs, d, 0, 0, 1, 2);
        expect_stop(b, StopKind::Protocol, "its first wave is not the first LS wave");
    }
    {
        Bench b({}, {20, true, true});
        const uint32_t d = b.simple_draw(1);
        b.rasteriser.todo.push_back(pixels(d, 0, 1, true));
        b.rasteriser.todo.push_back(pixels(d, 0, 1, true));
        expect_stop(b, StopKind::Protocol, "the rasteriser sends more of draw 1");
    }
}

TEST(SpiGraphics, PixelsThatTakeMoreLdsThanThereIsAreRefused) {
    Bench b({}, {20, true, true});
    b.context(r::SPI_PS_IN_CONTROL, 32);
    b.stage(Stage::Ps, 0x2C, 100u << 8);
    const uint32_t d = b.simple_draw(1);
    PixelWave p = pixels(d, 0, 1, true);
    p.new_primitive = 0x1111111111111111;
    for (auto& primitive : p.primitive)
        primitive = {1, {}, {}};
    b.rasteriser.todo.push_back(p);
    expect_stop(b, StopKind::BadInput, "32 attributes of 16 primitives and EXTRA_LDS_SIZE");
}

// ---- all of it
// ---------------------------------------------------------------------------------------

using Trace = std::vector<std::tuple<Cycle, unsigned, unsigned, uint32_t, uint32_t>>;
Trace trace_of(uint64_t shuffle, unsigned stall) {
    SpiSpec spec;
    spec.position_vectors = 5;
    spec.parameter_vectors = 9;
    Bench b(spec, {37, true, true});
    if (shuffle != 0)
        b.scheduler.shuffle(shuffle);
    if (stall != 0) {
        b.vgt.out->random_stall(3, stall);
        b.rasteriser.out->random_stall(4, stall);
        b.sink->primitives.random_stall(5, stall);
        b.sink->vertices.random_stall(6, stall);
        for (unsigned i = 0; i < b.cus.size(); ++i) {
            b.cus[i]->in.random_stall(i + 1, stall);
            b.spi->wave_done(i).random_stall(i + 100, stall);
            b.spi->from_exports(i).random_stall(i + 200, stall);
        }
    }
    b.context(r::SPI_PS_IN_CONTROL, 1);
    for (int i = 0; i < 12; ++i) {
        const uint32_t d = b.simple_draw(9);
        for (uint32_t n = 0; n < 9; ++n)
            b.rasteriser.todo.push_back(pixels(d, n, n + 1, n == 8));
        b.dispatch(0, 20);
        b.event(i % 2 == 0 ? kVsFlush : kEnd);
        b.dispatch(1, 30);
    }
    b.run();
    Trace t;
    for (const Stage s : {Stage::Vs, Stage::Ps, Stage::Cs})
        for (const auto& w : b.seen(s))
            t.emplace_back(w.at, w.cu, index_of(s), w.wave.dispatch, w.wave.group);
    EXPECT_EQ(b.seen(Stage::Ps).size(), 108u);
    EXPECT_EQ(b.writer.done.size(), 12u);
    std::sort(t.begin(), t.end());
    return t;
}

TEST(SpiGraphics, TickOrderCannotBeSeenAndStallsLoseNothing) {
    for (const unsigned stall : {0u, 30u}) {
        const Trace plain = trace_of(0, stall);
        for (uint64_t seed = 1; seed < 4; ++seed)
            EXPECT_EQ(plain, trace_of(seed * 1234567, stall)) << stall;
    }
}

TEST(SpiGraphics, ResetInTheMiddleLeavesNothingBehind) {
    Bench b({}, {100000, true, true});
    b.simple_draw(9);
    b.event(kEnd);
    b.go(200);
    EXPECT_FALSE(b.spi->idle());
    b.spi->reset();
    EXPECT_TRUE(b.spi->idle());
    EXPECT_TRUE(b.spi->waiting_for().empty());
    EXPECT_FALSE(b.spi->busy.latest());
    EXPECT_FALSE(b.spi->sx_busy.latest());
    EXPECT_EQ(b.spi->state().counters.draws, 0u);
    EXPECT_EQ(b.spi->exports().counters.positions, 0u);
    b.sink->reset();
    EXPECT_TRUE(b.sink->idle());
}

}  // namespace
}  // namespace archipelago::spi
