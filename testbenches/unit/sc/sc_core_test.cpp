// SPDX-License-Identifier: Apache-2.0
// The scan converter in cycles: rates, order, back-pressure, messages without quads.
#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <optional>
#include <string>

#include "models/config/load.h"
#include "models/config/reader.h"
#include "models/sc/sc_block.h"
#include "models/sc/sc_core.h"
#include "scan_bench.h"

namespace archipelago::sc {
namespace {

using raster::QuadBatch;

ScSpec spec_of(unsigned engine = 0) {
    ScSpec spec;
    spec.map = RegisterMap{&si::database(), gcn::si::context_window()};
    spec.shader_engine = engine;
    spec.rbs.present = 0xFF;
    spec.raster_config = 0x2A00126A;
    spec.latency = 10;
    spec.primitives.capacity = 64;
    return spec;
}

struct CoreBench {
    explicit CoreBench(const ScSpec& spec = spec_of(), unsigned capacity = 64) : core(spec) {
        for (auto& to : core.to_rb) {
            rbs.push_back(std::make_unique<Channel<QuadBatch>>(ChannelSpec{capacity, 1}));
            to.connect(*rbs.back());
        }
        const std::pair<uint32_t, uint32_t> registers[] = {
            {si::PA_SC_SCREEN_SCISSOR_BR, 0x40004000},  {si::PA_SC_WINDOW_SCISSOR_BR, 0x40004000},
            {si::PA_SC_GENERIC_SCISSOR_BR, 0x40004000}, {si::PA_SC_CLIPRECT_RULE, 0xFFFF},
            {si::PA_SC_EDGERULE, 0xAAAAAAAA},           {si::PA_SC_AA_MASK_X0Y0_X1Y0, ~0u},
            {si::PA_SC_AA_MASK_X0Y1_X1Y1, ~0u}};
        for (const auto& [offset, value] : registers)
            write(offset, value);
        scheduler.add(core);
    }
    RegRequest request(uint32_t offset, uint32_t value) const {
        RegRequest r;
        r.offset = offset;
        r.value = value;
        r.write = true;
        r.context = 2;
        return r;
    }
    void write(uint32_t offset, uint32_t value) { core.write_register(request(offset, value)); }
    void give(Primitive p, uint32_t number = 0) {
        p.context = 2;
        p.draw = 1;
        p.number = number;
        to_give.push_back(p);
    }
    // Takes what came, one each cycle of each RB, as long as `taking`.
    void run(Cycle cycles, bool taking = true) {
        for (const Cycle end = now + cycles; now < end; ++now) {
            while (!to_give.empty() && core.primitives.can_push(now)) {
                core.primitives.push(now, to_give.front());
                to_give.pop_front();
            }
            scheduler.step(now);
            for (auto& rb : rbs)
                if (taking && rb->can_pop(now)) {
                    got.emplace_back(now, rb->pop(now));
                    got_by_rb[got.back().second.rb].push_back(got.back().second);
                }
        }
    }

    ScCore core;
    std::vector<std::unique_ptr<Channel<QuadBatch>>> rbs;
    Scheduler scheduler;
    Cycle now = 1;
    std::deque<Primitive> to_give;
    std::vector<std::pair<Cycle, QuadBatch>> got;
    std::map<unsigned, std::vector<QuadBatch>> got_by_rb;
};

TEST(ScCore, SixteenPixelsLeaveInACycle) {
    CoreBench bench;
    bench.give(rectangle(0, 0, 256, 256));
    bench.run(4000);
    // Half of 1024 tiles are this engine's, four cycles each.
    ASSERT_EQ(bench.got.size(), 512u);
    EXPECT_EQ(bench.got.back().first - bench.got.front().first, 4u * 511u);
    EXPECT_EQ(bench.core.state().counters.quads, 512u * 16u);
    EXPECT_EQ(bench.core.state().counters.pixels, 512u * 64u);
    EXPECT_TRUE(bench.core.idle());
}

TEST(ScCore, ASmallPrimitiveLeavesInEachCycleAndTheFirstAfterTheLatency) {
    CoreBench bench;
    for (uint32_t i = 0; i < 64; ++i)
        bench.give(rectangle(2 + i % 3, 2, 3 + i % 3, 3), i);
    bench.run(200);
    ASSERT_EQ(bench.got.size(), 64u);
    // In the channel in cycle 1, taken in 2, 10 cycles on the way, 1 in the channel to the RB.
    EXPECT_EQ(bench.got.front().first, 13u);
    EXPECT_EQ(bench.got.back().first, 13u + 63u);
    for (uint32_t i = 0; i < 64; ++i)
        EXPECT_EQ(bench.got[i].second.primitive.number, i);
}

TEST(ScCore, PrimitivesThatCoverNothingTakeACycleEach) {
    CoreBench bench;
    for (uint32_t i = 0; i < 50; ++i)
        bench.give(rectangle(2.6, 2.6, 3.4, 3.4));
    bench.give(rectangle(2, 2, 3, 3));
    bench.run(200);
    ASSERT_EQ(bench.got.size(), 1u);
    EXPECT_EQ(bench.got.front().first, 13u + 50u);
    EXPECT_EQ(bench.core.state().counters.empty, 50u);
}

TEST(ScCore, SendsTheBatchesOfTheUntimedScanInItsOrder) {
    ScanBench untimed;
    untimed.set(si::PA_SC_RASTER_CONFIG, 0x2A00126A);
    std::array<CoreBench, 2> engines{CoreBench(spec_of(0), 2), CoreBench(spec_of(1), 2)};
    std::vector<Primitive> all;
    for (uint32_t i = 0; i < 40; ++i)
        all.push_back(polygon({pixel_point(3 * i, 7), pixel_point(150 - i, 90.5),
                               pixel_point(2.25 * i, 40 + 3 * i)}));
    Scan scan;
    std::map<unsigned, std::vector<QuadBatch>> expected;
    for (uint32_t i = 0; i < all.size(); ++i) {
        all[i].number = i;
        scan(untimed.state(), all[i],
             [&](const QuadBatch& batch) { expected[batch.rb].push_back(batch); });
        for (CoreBench& bench : engines)
            bench.give(all[i], i);
    }
    for (CoreBench& bench : engines) {
        bench.run(3000, false);  // nothing is taken
        EXPECT_FALSE(bench.core.idle());
        EXPECT_NE(bench.core.waiting_for().find("render back end"), std::string::npos);
        bench.run(9000);
        EXPECT_TRUE(bench.core.idle()) << bench.core.waiting_for();
        EXPECT_GT(*bench.core.state().quad_stall.counter(QuadStall::RenderBackEnd), 2000u);
        EXPECT_GT(*bench.core.state().walk_stall.counter(WalkStall::TileQueue), 2000u);
    }
    for (unsigned rb = 0; rb < 8; ++rb) {
        const auto& got = engines[rb / 4].got_by_rb[rb];
        ASSERT_EQ(got.size(), expected[rb].size());
        for (size_t i = 0; i < got.size(); ++i) {
            const QuadBatch& a = got[i];
            const QuadBatch& b = expected[rb][i];
            ASSERT_EQ(a.primitive.number, b.primitive.number);
            ASSERT_EQ(a.quads, b.quads);
            for (unsigned lane = 0; lane < 4u * a.quads; ++lane) {
                ASSERT_EQ(a.coverage[lane], b.coverage[lane]);
                ASSERT_EQ(a.x_of(lane), b.x_of(lane));
                ASSERT_EQ(a.y_of(lane), b.y_of(lane));
            }
        }
    }
}

TEST(ScCore, EventsAndEndsOfDrawsReachEveryRenderBackEndInOrder) {
    CoreBench bench;
    bench.give(rectangle(0, 0, 8, 8));
    Primitive event;
    event.kind = Primitive::Kind::Event;
    event.event_type = 0x2C;
    bench.give(event);
    bench.give(rectangle(0, 0, 8, 8));
    Primitive end;
    end.kind = Primitive::Kind::DrawEnd;
    bench.give(end);
    bench.run(100);
    ASSERT_EQ(bench.got_by_rb.size(), 4u);
    for (const auto& [rb, batches] : bench.got_by_rb) {
        std::vector<Primitive::Kind> kinds;
        for (const QuadBatch& batch : batches) {
            EXPECT_EQ(batch.quads != 0, batch.primitive.kind == Primitive::Kind::Primitive);
            EXPECT_EQ(batch.shader_engine, 0);
            kinds.push_back(batch.primitive.kind);
        }
        using Kinds = std::vector<Primitive::Kind>;
        using Kind = Primitive::Kind;
        EXPECT_EQ(kinds, rb == 0
                             ? Kinds({Kind::Primitive, Kind::Event, Kind::Primitive, Kind::DrawEnd})
                             : Kinds({Kind::Event, Kind::DrawEnd}));
    }
}

TEST(ScCore, ParametersAreReleasedInEveryStreamAfterTheLastQuad) {
    CoreBench bench;
    Primitive p = rectangle(0, 0, 64, 64);
    p.free_through = 3;
    bench.give(p);
    bench.give(p);  // nothing new
    Primitive nothing = rectangle(2.6, 2.6, 3.4, 3.4);
    nothing.free_through = 5;
    bench.give(nothing);
    bench.run(400);
    ASSERT_EQ(bench.got_by_rb.size(), 4u);
    for (const auto& [rb, batches] : bench.got_by_rb) {
        std::vector<uint32_t> released;
        for (const QuadBatch& batch : batches) {
            if (batch.primitive.kind == Primitive::Kind::Release) {
                released.push_back(batch.primitive.free_through);
                EXPECT_EQ(batch.quads, 0);
            } else {
                EXPECT_EQ(batch.primitive.free_through, released.empty() ? 0u : 3u);
            }
        }
        EXPECT_EQ(released, std::vector<uint32_t>({3, 5}));
    }
}

TEST(ScCore, WritesThatAreSteeredToAnotherEngineAreNotItsOwn) {
    CoreBench bench(spec_of(1));
    RegRequest steered = bench.request(si::PA_SC_RASTER_CONFIG, 0);
    steered.se_broadcast = false;
    steered.se = 0;
    bench.core.register_writes.send(0, steered);
    bench.give(rectangle(0, 0, 64, 64));
    bench.run(300);
    EXPECT_EQ(bench.got.size(), 32u);
    steered.se = 1;
    bench.core.register_writes.send(bench.now, steered);
    bench.run(10);
    bench.give(rectangle(0, 0, 64, 64));
    bench.run(300);
    EXPECT_EQ(bench.got.size(), 32u);  // all tiles are the other engine's
    EXPECT_EQ(bench.core.state().counters.empty, 1u);
}

TEST(ScCore, SupertilesWithoutATileAreCountedAndTakeTheirTime) {
    CoreBench bench;
    // A thin diagonal from corner to corner of 8 x 8 supertiles.
    bench.give(polygon({pixel_point(0, 0), pixel_point(512, 512), pixel_point(511, 512)}));
    bench.run(2000);
    EXPECT_GT(bench.core.state().counters.supertiles, 30u);
    EXPECT_LT(bench.core.state().counters.tiles, 8u * 64u);
    EXPECT_TRUE(bench.core.idle());
}

TEST(ScCore, RefusesAnEngineWithoutRenderBackEnds) {
    ScSpec spec = spec_of(1);
    spec.rbs.present = 0xF;
    EXPECT_THROW(ScCore core(spec), std::invalid_argument);
}

TEST(ScCore, ReadsItsParameters) {
    const std::string text =
        "sc:\n"
        "  raster_config: 0x124A\n  primitives_per_cycle: 1\n  supertiles_per_cycle: 2\n  "
        "tiles_per_cycle: 3\n"
        "  quads_per_cycle: 4\n  tile_queue: 20\n  latency: {cycles: 12, source: guess}\n"
        "  register_latency: {cycles: 5, source: guess}\n"
        "  primitives: {capacity: 6, latency: {cycles: 7, source: guess}}\n";
    config::Diagnostics diag;
    const std::optional<config::Node> tree = config::parse_text(text, "chip.yaml", diag);
    ASSERT_TRUE(tree.has_value());
    config::Reader root(*tree, diag);
    ScSpec spec;
    ScBlock::read(root, spec);
    root.finish();
    EXPECT_EQ(diag.format(), "");
    EXPECT_EQ(spec.raster_config, 0x124Au);
    EXPECT_EQ(spec.supertiles_per_cycle, 2u);
    EXPECT_EQ(spec.tiles_per_cycle, 3u);
    EXPECT_EQ(spec.quads_per_cycle, 4u);
    EXPECT_EQ(spec.tile_queue, 20u);
    EXPECT_EQ(spec.latency, 12u);
    EXPECT_EQ(spec.register_latency, 5u);
    EXPECT_EQ(spec.primitives.capacity, 6u);
    EXPECT_EQ(spec.primitives.latency, 7u);
}

}  // namespace
}  // namespace archipelago::sc
