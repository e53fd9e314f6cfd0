// SPDX-License-Identifier: Apache-2.0
// Exports, pixels and events of SPI, and partners that do what they must not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "models/common/error.h"
#include "models/gcn/si/front_end.h"
#include "testbenches/unit/spi/graphics_bench.h"

namespace archipelago::spi::spi_flow_test {
namespace {

using Bench = GraphicsBench;

// ---- exports ----

TEST(SpiFlow, AVertexWaveStartsOnlyWhenThereIsRoomForWhatItExports) {
    for (const bool positions : {true, false}) {
        SpiSpec spec = gcn::si::spi_spec();
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

TEST(SpiFlow, AFullPositionBufferIsNamed) {
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

TEST(SpiFlow, ExportSpaceMayBeGivenBackWhenTheDrawHasLongEnded) {
    for (const bool rasteriser : {false, true}) {
        Bench b(gcn::si::spi_spec(), {20, true, rasteriser});
        const uint32_t d = b.simple_draw(8);
        if (rasteriser)
            b.rasteriser.end(d);
        b.sink->pause();
        b.event(40);
        b.go(5000);
        EXPECT_TRUE(b.spi->state().graphics.draws.empty());
        EXPECT_EQ(b.writer.done.size(), 1u);
        EXPECT_FALSE(b.spi->idle());
        b.sink->resume();
        b.run();
        EXPECT_EQ(b.sink->state().freed, 8u);
    }
}

TEST(SpiFlow, WithoutAnAssemblerSpaceIsGivenBackAtOnceAlsoOfWavesWithoutPositions) {
    for (const bool positions : {false, true}) {
        Bench b(gcn::si::spi_spec(), {20, false});
        b.context(r::SPI_SHADER_POS_FORMAT, positions ? kPosition : 0);
        for (auto& cu : b.cus)
            cu->export_positions = positions;
        b.simple_draw(20);
        b.simple_draw(20);
        b.run();
        EXPECT_EQ(b.seen(Stage::Vs).size(), 40u);
    }
}

TEST(SpiFlow, SomeVertexWavesMayStartBeforeTheirExportSpaceIsThere) {
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

TEST(SpiFlow, AVertexWaveThatEndsWithoutItsLastPositionStopsTheMachine) {
    Bench b;
    for (auto& cu : b.cus)
        cu->export_positions = false;
    b.simple_draw(1);
    try {
        b.go();
        ADD_FAILURE() << "the wave's end was accepted";
    } catch (const MachineStop& stop) {
        EXPECT_EQ(stop.kind(), StopKind::BadInput);
        EXPECT_THAT(stop.what(), ::testing::HasSubstr("vs1.w0"));
    }
}

// ---- pixels ----

TEST(SpiFlow, PixelWavesStartWithTheParametersOfTheirVerticesWhichThenAreGivenBack) {
    SpiSpec spec = gcn::si::spi_spec();
    spec.parameter_vectors = 2;
    Bench b(spec, {60, true, true});
    b.context(r::SPI_PS_IN_CONTROL, 1);
    const uint32_t d = b.simple_draw(12);
    for (uint32_t n = 0; n < 12; ++n)
        b.rasteriser.pixels(d, n, n + 1, n == 11);
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

TEST(SpiFlow, ADrawWithoutPixelsOnlyGivesBack) {
    SpiSpec spec = gcn::si::spi_spec();
    Bench b(spec, {60, true, true});
    const uint32_t d = b.simple_draw(3);
    b.go(2000);
    EXPECT_FALSE(b.spi->idle());
    EXPECT_THAT(b.spi->waiting_for(), ::testing::HasSubstr("the rasteriser has more of it"));
    b.rasteriser.end(d);
    b.rasteriser.wake_at(b.scheduler.now() + 1);
    b.run();
    EXPECT_TRUE(b.seen(Stage::Ps).empty());
}

TEST(SpiFlow, PixelWavesAreCountedUpToTheLargestNumber) {
    Bench b(gcn::si::spi_spec(), {60, true, true});
    b.writer.write(r::SPI_PS_MAX_WAVE_ID, 2);
    b.stage(Stage::Ps, 0x2C, 1 << 7);
    const uint32_t d = b.simple_draw(1);
    for (uint32_t n = 0; n < 7; ++n)
        b.rasteriser.pixels(d, 0, n == 6, n == 6);
    b.run();
    std::map<uint32_t, uint32_t> ids;
    for (const auto& s : b.seen(Stage::Ps))
        ids[s.wave.group] = s.wave.sgpr_init[1];
    for (uint32_t n = 0; n < 7; ++n)
        EXPECT_EQ(ids.at(n), n % 3);
}

// ---- events ----

constexpr uint8_t kContextDone = 5, kCsFlush = 7, kVsFlush = 15, kPsFlush = 16, kBottom = 40;
constexpr uint8_t kCsDone = 47, kPsDone = 48, kEnd = 20;

// A draw of long VS and longer PS waves and a still longer dispatch, then the event.
struct Ends {
    Cycle vertices = 0, pixels = 0, groups = 0, event = 0;
};
Ends ends_with(uint8_t type, uint8_t context = 1) {
    Bench b(gcn::si::spi_spec(), {200, true, true});
    b.context(r::SPI_SHADER_POS_FORMAT, kPosition, 1);
    b.context(r::SPI_PS_INPUT_ENA, 2, 1);
    b.context(r::SPI_PS_INPUT_ADDR, 2, 1);
    b.context(r::SPI_PS_IN_CONTROL, 1, 1);
    const uint32_t d = b.simple_draw(4, 1);
    for (uint32_t n = 0; n < 4; ++n)
        b.rasteriser.pixels(d, n, n + 1, n == 3, 1);
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

TEST(SpiFlow, EachEventWaitsForTheWorkItIsAbout) {
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

TEST(SpiFlow, ComputeEventsDoNotWaitForDraws) {
    Bench b(gcn::si::spi_spec(), {5000});
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

TEST(SpiFlow, AnEventOfTheGraphicsRingWaitsForVgtToPassIt) {
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

TEST(SpiFlow, WavesAndEventsMayComeBeforeTheirRegisterWrites) {
    Bench b;
    for (int i = 0; i < 300; ++i)
        b.stage(Stage::Vs, 0x34, 0);  // the bus is after
    b.simple_draw(3);
    b.event(kBottom);
    b.simple_draw(3);
    b.run();
    EXPECT_EQ(b.seen(Stage::Vs).size(), 6u);
    EXPECT_EQ(b.writer.done.size(), 1u);
}

// ---- what must not be ----

void expect_stop(Bench& b, StopKind kind, const char* message) {
    try {
        b.go();
        ADD_FAILURE() << "accepted: " << message;
    } catch (const MachineStop& stop) {
        EXPECT_EQ(stop.kind(), kind);
        EXPECT_THAT(stop.what(), ::testing::HasSubstr(message));
    }
}

TEST(SpiFlow, ADrawWithoutAVertexGrouperStopsTheMachineByName) {
    SpiCore spi(gcn::si::spi_spec());
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

TEST(SpiFlow, PartnersThatBreakTheProtocolAreNamed) {
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
        Bench b(gcn::si::spi_spec(), {20, false});
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
        Bench b(gcn::si::spi_spec(), {20, true, true});
        const uint32_t d = b.simple_draw(1);
        b.rasteriser.pixels(d, 0, 1, true);
        b.rasteriser.pixels(d, 0, 1, true);
        expect_stop(b, StopKind::Protocol, "the rasteriser sends more of draw 1");
    }
}

TEST(SpiFlow, PixelsThatTakeMoreLdsThanThereIsAreRefused) {
    Bench b(gcn::si::spi_spec(), {20, true, true});
    b.context(r::SPI_PS_IN_CONTROL, 32);
    b.stage(Stage::Ps, 0x2C, 100u << 8);
    const uint32_t d = b.simple_draw(1);
    b.rasteriser.pixels(d, 0, 1, true);
    raster::QuadBatch batch = b.rasteriser.todo.front();
    b.rasteriser.todo.pop_front();
    batch.quads = 1;
    for (uint32_t n = 0; n < 16; ++n) {
        batch.primitive.number = 16 - n;
        b.rasteriser.todo.push_front(batch);
    }
    expect_stop(b, StopKind::BadInput, "32 attributes of 16 primitives and EXTRA_LDS_SIZE");
}

TEST(SpiFlow, AGroupOfPatchesThatFitsNoUnitIsRefused) {
    Bench b;
    b.stage(Stage::Hs, 0x28, 40 | 1 << 6);  // 164 VGPRs: one wave on a SIMD
    const uint32_t d = b.draw();
    for (unsigned n = 0; n < 4; ++n)
        b.group_wave(Stage::Ls, d, n, 0, n, 5);
    expect_stop(b, StopKind::BadInput, "a group of 5 waves with 164 VGPRs");
}

// ---- all of it ----

using Trace = std::vector<std::tuple<Cycle, unsigned, unsigned, uint32_t, uint32_t>>;
Trace trace_of(uint64_t shuffle, unsigned stall) {
    SpiSpec spec = gcn::si::spi_spec();
    spec.position_vectors = 5;
    spec.parameter_vectors = 9;
    Bench b(spec, {37, true, true});
    if (shuffle != 0)
        b.scheduler.shuffle(shuffle);
    if (stall != 0) {
        b.vgt.out->random_stall(3, stall);
        b.rasteriser.out[0]->random_stall(4, stall);
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
            b.rasteriser.pixels(d, n, n + 1, n == 8);
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

TEST(SpiFlow, TickOrderCannotBeSeenAndStallsLoseNothing) {
    for (const unsigned stall : {0u, 30u}) {
        const Trace plain = trace_of(0, stall);
        for (uint64_t seed = 1; seed < 4; ++seed)
            EXPECT_EQ(plain, trace_of(seed * 1234567, stall)) << stall;
    }
}

TEST(SpiFlow, ResetInTheMiddleLeavesNothingBehind) {
    Bench b(gcn::si::spi_spec(), {100000, true, true});
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
}  // namespace archipelago::spi::spi_flow_test
