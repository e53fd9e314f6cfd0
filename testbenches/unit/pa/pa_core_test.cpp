// SPDX-License-Identifier: Apache-2.0
// The timed primitive assemblers: rates, latency, back-pressure, order, release of positions.
#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <utility>

#include "models/common/archive.h"
#include "models/common/unit.h"
#include "models/gcn/si/front_end.h"
#include "models/pa/pa_core.h"
#include "testbenches/unit/pa/pa_bench.h"

namespace archipelago::pa {
namespace {

using Kind = raster::Primitive::Kind;

PaSpec pa_spec() {
    PaSpec spec = gcn::si::pa_spec();
    spec.latency = 7;
    spec.primitives = {16, 1};
    spec.vertices = {4, 1};
    return spec;
}

// PA with VGT and SPI before it and scan converters after it, each of which takes `take` messages
// in a cycle.
struct CoreBench : Clocked {
    struct Arrival {
        Cycle cycle;
        raster::Primitive primitive;
    };
    const PaSpec spec;
    PaCore pa;
    std::vector<Channel<raster::Primitive>> scan;
    Channel<ExportFree> freed{{2, 1}};
    Scheduler scheduler;
    std::deque<PrimitiveMessage> to_push;
    std::deque<VertexExports> exports;
    std::vector<std::deque<Arrival>> arrived;
    std::vector<ExportFree> frees;
    std::map<uint32_t, Cycle> entered;  // by primitive_id
    unsigned take = 4;
    Cycle now = 0;

    explicit CoreBench(const PaSpec& with = pa_spec(), uint64_t shuffle = 0, unsigned stall = 0)
        : spec(with), pa(with), arrived(with.engines) {
        for (unsigned engine = 0; engine < spec.engines; ++engine)
            scan.emplace_back(ChannelSpec{4, 1}, "scan");
        for (unsigned engine = 0; engine < spec.engines; ++engine) {
            pa.to_scan[engine].connect(scan[engine]);
            scan[engine].set_consumer(this);
            if (stall != 0)
                scan[engine].random_stall(engine + 1, stall);
        }
        pa.to_free.connect(freed);
        freed.set_consumer(this);
        pa.primitives.set_producer(this);
        pa.vertices.set_producer(this);
        if (stall != 0)
            pa.primitives.random_stall(9, stall);
        scheduler.add(*this);
        scheduler.add(pa);
        if (shuffle != 0)
            scheduler.shuffle(shuffle);
        PaBench registers_of;
        for (uint32_t offset = 0x28000; offset < 0x29000; offset += 4)
            if (const uint32_t value = registers_of.sets.get(offset, PaBench::kContext))
                write(offset, value);
    }
    void write(uint32_t offset, uint32_t value) {
        RegRequest r;
        r.offset = offset;
        r.value = value;
        r.write = true;
        r.context = PaBench::kContext;
        pa.register_writes.send(now, r);
    }
    bool tick(Cycle cycle) override {
        bool moved = false;
        while (!to_push.empty() && pa.primitives.can_push(cycle)) {
            entered.emplace(to_push.front().primitive_id, cycle);
            pa.primitives.push(cycle, to_push.front());
            to_push.pop_front();
            moved = true;
        }
        while (!exports.empty() && pa.vertices.can_push(cycle)) {
            pa.vertices.push(cycle, exports.front());
            exports.pop_front();
            moved = true;
        }
        for (unsigned engine = 0; engine < spec.engines; ++engine)
            for (unsigned n = 0; n < take && scan[engine].can_pop(cycle); ++n) {
                arrived[engine].push_back({cycle, scan[engine].pop(cycle)});
                moved = true;
            }
        while (freed.can_pop(cycle)) {
            frees.push_back(freed.pop(cycle));
            moved = true;
        }
        return moved;
    }
    void run(Cycle cycles) {
        for (const Cycle end = now + cycles; now < end; ++now) {
            wake_at(now);
            scheduler.step(now);
        }
    }
    // Until all has left PA; cycles from now on.
    Cycle drain() {
        const Cycle begin = now;
        while (now < begin + 10000 &&
               !(to_push.empty() && pa.state().entries.empty() && pa.primitives.empty()))
            run(1);
        return now - begin;
    }

    // A wave with triangles in lanes 3 * n on, whose upper left corner is `at`, in pixels.
    void wave(uint32_t draw, uint32_t number, const std::vector<std::array<float, 2>>& at) {
        VertexExports e;
        e.draw = draw;
        e.wave = number;
        e.lanes = 64;
        e.context = PaBench::kContext;
        e.position.resize(1);
        for (unsigned n = 0; n < at.size() && n < 21; ++n)
            for (unsigned v = 0; v < 3; ++v) {
                const float x = at[n][0] + (v == 1 ? 2.0f : 0), y = at[n][1] + (v == 2 ? 2.0f : 0);
                e.position[0][0][3 * n + v] = bits_of((x - 32) / 32);
                e.position[0][1][3 * n + v] = bits_of((y - 32) / 32);
                e.position[0][3][3 * n + v] = bits_of(1);
            }
        exports.push_back(e);
    }
    void triangle(uint32_t draw, uint32_t wave, unsigned n, uint8_t engine, bool last = false) {
        PrimitiveMessage m;
        m.context = PaBench::kContext;
        m.draw = draw;
        m.vertices = 3;
        m.shader_engine = engine;
        m.primitive_id = n;
        m.wave.fill(wave);
        for (unsigned v = 0; v < 3; ++v)
            m.lane[v] = static_cast<uint8_t>(3 * (n % 21) + v);
        m.end_of_packet = last;
        to_push.push_back(m);
    }
    void passing(PrimitiveMessage::Kind kind, uint32_t draw) {
        PrimitiveMessage m;
        m.kind = kind;
        m.draw = draw;
        m.context = PaBench::kContext;
        to_push.push_back(m);
    }
    std::vector<raster::Primitive> all(unsigned engine) const {
        std::vector<raster::Primitive> out;
        for (const Arrival& a : arrived[engine])
            out.push_back(a.primitive);
        return out;
    }
};

TEST(PaCore, APrimitiveLeavesAfterTheLatency) {
    CoreBench b;
    b.wave(1, 0, {{2, 2}});
    b.run(5);
    b.triangle(1, 0, 0, 0);
    b.run(1);
    const Cycle pushed = b.now - 1;
    // A cycle in the channel from VGT, one in that to SC.
    const Cycle due = pushed + 1 + b.spec.latency + 1;
    b.run(due - b.now);
    EXPECT_TRUE(b.arrived[0].empty());
    b.run(1);
    ASSERT_EQ(b.arrived[0].size(), 1u);
    EXPECT_TRUE(b.arrived[1].empty());  // x5 ^ y5 is 0
}

TEST(PaCore, EachShaderEngineSetsUpOnePrimitiveACycle) {
    for (const bool culled : {false, true}) {
        CoreBench b;
        if (culled)
            b.write(si::PA_SU_SC_MODE_CNTL, 0x247);
        b.wave(1, 0, {{2, 2}, {34, 2}});
        b.run(10);
        const unsigned count = 400;
        for (unsigned n = 0; n < count; ++n)
            b.triangle(1, 0, n / 2 % 2 == 0 ? 0 : 1, n % 2);
        const Cycle cycles = b.drain();
        EXPECT_EQ(b.pa.state().counters.setup.in, count);
        EXPECT_NEAR(double(cycles), count / 2.0 + b.spec.latency, 5) << culled;
    }
}

TEST(PaCore, PiecesOfClippingTakeACycleEach) {
    CoreBench b;
    b.write(si::PA_CL_GB_HORZ_CLIP_ADJ, bits_of(1));
    b.wave(1, 0, {{63, 2}});
    b.run(10);
    for (unsigned n = 0; n < 100; ++n)
        b.triangle(1, 0, 0, 0);
    const Cycle cycles = b.drain();
    EXPECT_EQ(b.pa.state().counters.setup.out, 200u);
    EXPECT_NEAR(double(cycles), 200 + b.spec.latency, 5);
}

TEST(PaCore, WaitsForPositionsAndSaysSo) {
    CoreBench b;
    b.triangle(1, 3, 0, 0);
    b.run(50);
    EXPECT_EQ(b.pa.waiting_for(), "a primitive of draw 1 waits for the positions of VS wave 3");
    EXPECT_FALSE(b.pa.idle());
    b.wave(1, 3, {{2, 2}});
    b.run(50);
    EXPECT_EQ(b.arrived[0].size(), 1u);
    EXPECT_GE(b.pa.state().counters.busy_cycles, 40u);
}

// Primitives of two shader engines that touch one or both scan converters: each gets its own, in
// VGT's order, whatever the stalls.
TEST(PaCore, OrderIsKeptUnderBackPressure) {
    std::vector<std::vector<uint32_t>> expected;
    for (const uint64_t seed : {0u, 1u, 2u, 3u}) {
        CoreBench b(pa_spec(), seed, seed == 0 ? 0 : 30);
        b.take = seed == 3 ? 1 : 4;
        std::vector<std::array<float, 2>> at;
        for (unsigned n = 0; n < 21; ++n)
            at.push_back({float(2 + 3 * n % 60), float(1 + 7 * n % 60)});
        b.wave(1, 0, at);
        b.wave(1, 1, at);
        b.run(5);
        for (unsigned n = 0; n < 42; ++n)
            b.triangle(1, n / 21, n, n / 5 % 2, n % 21 == 20);
        b.passing(PrimitiveMessage::Kind::Event, 0);
        b.passing(PrimitiveMessage::Kind::DrawEnd, 1);
        b.run(1000);
        std::vector<std::vector<uint32_t>> numbers(2);
        for (unsigned engine = 0; engine < 2; ++engine) {
            const auto all = b.all(engine);
            ASSERT_GE(all.size(), 4u);
            EXPECT_EQ(all.back().kind, Kind::DrawEnd);
            EXPECT_EQ(all[all.size() - 2].kind, Kind::Event);
            uint32_t released = 0;
            for (const raster::Primitive& p : all) {
                if (p.kind == Kind::Primitive)
                    numbers[engine].push_back(p.number);
                if (p.kind != Kind::Event) {
                    EXPECT_GE(p.free_through, released);
                    released = p.free_through;
                }
            }
            EXPECT_EQ(released, 2u);  // both learn that both waves are done
            EXPECT_TRUE(std::is_sorted(numbers[engine].begin(), numbers[engine].end()));
        }
        std::set<uint32_t> together(numbers[0].begin(), numbers[0].end());
        together.insert(numbers[1].begin(), numbers[1].end());
        EXPECT_EQ(together.size(), 42u);
        if (expected.empty())
            expected = numbers;
        EXPECT_EQ(numbers, expected);
        EXPECT_TRUE(b.pa.idle()) << b.pa.waiting_for();
    }
}

TEST(PaCore, PositionsAreFreedWithTheLastPrimitiveOrTheDraw) {
    CoreBench b;
    b.write(si::PA_SU_SC_MODE_CNTL, 0x247);  // all culled
    b.wave(1, 0, {{2, 2}});
    b.wave(1, 1, {{2, 2}});
    b.wave(1, 2, {{2, 2}});
    b.run(5);
    b.triangle(1, 0, 0, 0, true);
    b.run(20);
    ASSERT_EQ(b.frees.size(), 1u);
    EXPECT_EQ(b.frees[0].wave, 0u);
    EXPECT_TRUE(b.frees[0].position && !b.frees[0].parameters);
    // Nothing is drawn: the release travels alone, to both scan converters.
    for (unsigned engine = 0; engine < 2; ++engine) {
        ASSERT_EQ(b.arrived[engine].size(), 1u);
        EXPECT_EQ(b.arrived[engine][0].primitive.kind, Kind::Release);
        EXPECT_EQ(b.arrived[engine][0].primitive.free_through, 1u);
    }
    b.triangle(1, 1, 1, 0, true);
    b.passing(PrimitiveMessage::Kind::DrawEnd, 1);
    b.run(30);
    EXPECT_EQ(b.frees.size(), 3u);  // wave 2 has no primitive
    b.wave(1, 3, {{2, 2}});         // nor has wave 3, which comes late
    b.run(10);
    EXPECT_EQ(b.frees.size(), 4u);
    EXPECT_TRUE(b.pa.idle());
}

TEST(PaCore, AFullScanConverterStopsIt) {
    CoreBench b;
    b.take = 0;
    b.wave(1, 0, {{2, 2}});
    b.run(5);
    for (unsigned n = 0; n < 200; ++n)
        b.triangle(1, 0, 0, 0);
    b.run(400);
    EXPECT_EQ(b.pa.state().held[0], b.spec.queue);
    EXPECT_EQ(b.pa.waiting_for(), "draw 1: scan converters to take a primitive: 0");
    EXPECT_FALSE(b.to_push.empty());
    EXPECT_TRUE(b.pa.busy.latest());
    b.take = 4;
    b.passing(PrimitiveMessage::Kind::DrawEnd, 1);
    b.run(600);
    EXPECT_EQ(b.arrived[0].size(), 201u);
    EXPECT_TRUE(b.pa.idle());
    EXPECT_FALSE(b.pa.busy.latest());
}

TEST(PaCore, RegistersHoldForLaterPrimitives) {
    CoreBench b;
    b.wave(1, 0, {{2, 2}});
    b.run(5);
    b.triangle(1, 0, 0, 0);
    b.run(20);
    b.write(si::PA_CL_VPORT_XOFFSET, bits_of(40));
    b.run(5);
    b.triangle(1, 0, 0, 0);
    b.run(20);
    ASSERT_EQ(b.arrived[0].size(), 2u);
    EXPECT_EQ(b.arrived[0][0].primitive.corner[0].x, 2 * kPixel);
    EXPECT_EQ(b.arrived[0][1].primitive.corner[0].x, 10 * kPixel);
}

TEST(PaCore, CountsOfPipelineStatisticsAreThoseWhenTheEventArrives) {
    CoreBench b;
    Channel<SampleCounts> to_cp{{2, 1}};
    b.pa.to_samples.connect(to_cp);
    const auto& events = b.spec.map.VGT_EVENT_INITIATOR.EVENT_TYPE;
    const auto event = [&](uint32_t type) {
        b.passing(PrimitiveMessage::Kind::Event, 0);
        b.to_push.back().event_type = static_cast<uint8_t>(type);
    };
    b.triangle(1, 0, 0, 0);  // not counted yet
    event(events.PIPELINESTAT_START);
    b.triangle(1, 0, 0, 0);
    b.triangle(1, 0, 0, 0);
    event(events.SAMPLE_PIPELINESTAT);
    b.triangle(1, 0, 0, 0);
    SampleCounts from_vgt;
    from_vgt.event_type = static_cast<uint8_t>(events.SAMPLE_PIPELINESTAT);
    from_vgt.counts[SampleCounts::kVsInvocations] = 77;
    b.pa.samples.push(b.now, from_vgt);
    b.run(30);
    EXPECT_FALSE(to_cp.can_pop(b.now));  // the primitives before it have no positions yet
    b.wave(1, 0, {{2, 2}});
    b.run(30);
    ASSERT_TRUE(to_cp.can_pop(b.now));
    const SampleCounts counts = to_cp.pop(b.now);
    EXPECT_EQ(counts.counts[SampleCounts::kVsInvocations], 77u);
    EXPECT_EQ(counts.counts[SampleCounts::kClipperInvocations], 2u);
    EXPECT_EQ(counts.counts[SampleCounts::kClipperPrimitives], 2u);
}

TEST(PaCore, RasterConfigIsTheChipsUntilItIsWritten) {
    PaSpec spec = pa_spec();
    spec.raster_config = 0x2A00126A;
    CoreBench b(spec);
    b.pa.register_writes.clear();  // those of the bench
    PaBench driver;
    for (uint32_t offset = 0x28000; offset < 0x29000; offset += 4)
        if (offset != si::PA_SC_RASTER_CONFIG && driver.sets.get(offset, PaBench::kContext) != 0)
            b.write(offset, driver.sets.get(offset, PaBench::kContext));
    b.wave(1, 0, {{34, 2}});
    b.run(5);
    b.triangle(1, 0, 0, 0);
    b.run(30);
    EXPECT_EQ(b.arrived[0].size(), 0u);
    EXPECT_EQ(b.arrived[1].size(), 1u);
    b.pa.reset();
    b.run(1);
    EXPECT_TRUE(b.pa.idle());
}

TEST(PaCore, IsSavedAndRestoredAtRest) {
    CoreBench a;
    a.wave(1, 0, {{2, 2}});
    a.run(5);
    a.triangle(1, 0, 0, 0, true);
    a.passing(PrimitiveMessage::Kind::DrawEnd, 1);
    a.run(50);
    Archive out;
    out.block("pa", [&] { a.pa.archive(out); });
    CoreBench b;
    b.run(5);
    Archive in(out.bytes(), "test");
    in.block("pa", [&] { b.pa.archive(in); });
    EXPECT_EQ(b.pa.state().counters.setup.in, 1u);
    EXPECT_EQ(b.pa.state().ended_through, 1u);
}

}  // namespace
}  // namespace archipelago::pa
