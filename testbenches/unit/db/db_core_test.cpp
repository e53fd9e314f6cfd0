// SPDX-License-Identifier: Apache-2.0
// The depth block in cycles: rates, latencies, order, back-pressure, flushes, counts.
#include "models/db/db_core.h"

#include <deque>
#include <optional>
#include <random>
#include <string>

#include "models/common/archive.h"
#include "models/config/load.h"
#include "models/config/parse.h"
#include "models/config/reader.h"
#include "models/db/db_block.h"
#include "testbenches/unit/db/depth_bench.h"

namespace archipelago::db {
namespace {

using raster::QuadBatch;
using raster::ShadedBatch;

DbSpec spec_of() {
    DbSpec spec;
    spec.map = RegisterMap{&si::database(), gcn::si::context_window()};
    spec.data.lines = 1024;
    spec.early_latency = 10;
    spec.late_latency = 5;
    return spec;
}

// Everything around the block: memory that answers after a delay, SPI that gives back every batch
// in order after another one.
struct CoreBench {
    explicit CoreBench(const DbSpec& spec = spec_of(), unsigned seed = 0)
        : core(spec), random(seed), shakes(seed != 0) {
        core.to_spi.connect(to_spi);
        core.to_cb.connect(to_cb);
        core.to_memory.connect(requests);
        core.flush_done.connect(flush_done);
        core.zpass.connect(zpass);
        core.set_tiling(tahiti_tiling());
        bench.on_write = [this](const RegRequest& r) { core.write_register(r); };
        scheduler.add(core);
    }
    void give(const QuadBatch& batch) { to_give.push_back(batch); }
    void give(raster::Primitive::Kind kind, uint32_t draw, unsigned event = 0) {
        QuadBatch batch;
        batch.primitive.kind = kind;
        batch.primitive.draw = draw;
        batch.primitive.event_type = static_cast<uint8_t>(event);
        to_give.push_back(batch);
    }
    bool lucky() { return !shakes || random() % 3 != 0; }

    void serve_memory() {
        if (!answers.empty() && answers.front().first <= now && core.from_memory.can_push(now)) {
            core.from_memory.push(now, answers.front().second);
            answers.pop_front();
        }
        if (!requests.can_pop(now) || !lucky())
            return;
        const MemRequest request = requests.pop(now);
        MemResponse answer;
        answer.tag = request.tag;
        answer.line = request.line;
        answer.command = request.command;
        uint8_t* const bytes = memory.line(request.line, true);
        if (request.command == MemCommand::Write)
            merge_bytes(bytes, request.data.data(), request.byte_mask);
        else
            std::copy_n(bytes, kLineBytes, answer.data.begin());
        answers.emplace_back(now + memory_latency, answer);
    }
    void serve_shader() {
        if (shading && to_spi.can_pop(now) && lucky()) {
            ShadedBatch shaded;
            shaded.quads = to_spi.pop(now);
            got.emplace_back(now, shaded.quads);
            in_shader.emplace_back(now + shader_latency, shaded);
        }
        if (!in_shader.empty() && in_shader.front().first <= now && core.late.can_push(now)) {
            core.late.push(now, in_shader.front().second);
            in_shader.pop_front();
        }
        if (to_cb.can_pop(now) && lucky())
            coloured.emplace_back(now, to_cb.pop(now));
    }
    void run(Cycle cycles) {
        for (const Cycle end = now + cycles; now < end; ++now) {
            if (!to_give.empty() && core.early.can_push(now) && lucky()) {
                core.early.push(now, to_give.front());
                to_give.pop_front();
            }
            serve_memory();
            serve_shader();
            scheduler.step(now);
            while (zpass.ready(now))
                counts.push_back(zpass.take());
        }
    }
    void finish() {
        for (int i = 0; i < 10000 && (!to_give.empty() || !in_shader.empty() || !core.idle() ||
                                      !to_spi.empty() || !to_cb.empty() || !answers.empty());
             ++i)
            run(20);
        EXPECT_TRUE(core.idle()) << core.waiting_for();
    }

    DepthBench bench;  // registers, and the untimed unit to compare with
    DbCore core;
    Channel<QuadBatch> to_spi{{4, 1}};
    Channel<ShadedBatch> to_cb{{4, 1}};
    Channel<MemRequest> requests{{4, 1}};
    EventLink<raster::FlushDone> flush_done{1};
    EventLink<raster::ZpassCount> zpass{1};
    Scheduler scheduler;
    std::mt19937 random;
    bool shakes, shading = true;
    TestMemory memory;
    Cycle now = 1, memory_latency = 40, shader_latency = 60;
    std::deque<QuadBatch> to_give;
    std::deque<std::pair<Cycle, MemResponse>> answers;
    std::deque<std::pair<Cycle, ShadedBatch>> in_shader;
    std::vector<std::pair<Cycle, QuadBatch>> got;
    std::vector<std::pair<Cycle, ShadedBatch>> coloured;
    std::vector<raster::ZpassCount> counts;
};

constexpr unsigned kFlushAll = 0x16, kFlushData = 0x2B, kFlushHtile = 0x2C, kZpassDone = 0x15;

void set_depth(DepthBench& bench, Compare func, uint32_t order, bool write = true) {
    const auto& c = bench.map.DB_DEPTH_CONTROL;
    bench.set(c,
              {{c.Z_ENABLE, 1}, {c.Z_WRITE_ENABLE, write}, {c.ZFUNC, static_cast<uint32_t>(func)}});
    bench.set(bench.map.DB_SHADER_CONTROL, order);
}

// Whole tiles, the same few again and again, so that their lines are in the cache.
void give_tiles(CoreBench& b, unsigned count, double z, uint16_t coverage, unsigned tiles = 4) {
    for (unsigned i = 0; i < count; ++i)
        b.give(whole_tile(i % tiles * 8, 0, flat_primitive(z), coverage));
}

TEST(DbCore, TestsSixteenSamplesACycle) {
    CoreBench b;
    b.bench.set_buffers(DepthFormat::Z24, false, 2, kWidth, kHeight, 1, 2, false, false);
    set_depth(b.bench, Compare::GreaterEqual, 0x10);
    give_tiles(b, 200, 0.5, 0xF);
    b.finish();
    ASSERT_EQ(b.got.size(), 200u);
    // 256 samples of a tile take 16 cycles.
    EXPECT_EQ(b.got[199].first - b.got[99].first, 100u * 16);
    EXPECT_EQ(b.core.state().counters.z_samples, 200u * 256);
}

TEST(DbCore, DropsATileACycleByItsRange) {
    CoreBench b;
    b.bench.set_buffers(DepthFormat::Z24, false, 0, kWidth, kHeight, 1, 2, true, false);
    b.bench.set_float(si::DB_DEPTH_CLEAR, 0.25f);
    set_depth(b.bench, Compare::Less, 0x10);
    give_tiles(b, 300, 0.5, 1);
    b.run(100);
    const uint64_t before = b.core.unit().counts().tiles_failed;
    b.run(100);
    EXPECT_EQ(b.core.unit().counts().tiles_failed - before, 100u);
    b.finish();
    EXPECT_EQ(b.core.unit().counts().tiles_failed, 300u);
    EXPECT_EQ(b.core.state().counters.dropped_batches, 300u);
    EXPECT_EQ(b.core.state().counters.z_samples, 0u);
}

TEST(DbCore, PassesFourQuadsACycleWhenNothingIsTested) {
    CoreBench b;
    b.bench.set_buffers(DepthFormat::None, false, 0, kWidth, kHeight, 1, 2, false, false);
    b.bench.set(b.bench.map.DB_SHADER_CONTROL, 0x10);
    give_tiles(b, 100, 0.5, 1);
    b.finish();
    ASSERT_EQ(b.got.size(), 100u);
    EXPECT_EQ(b.got[99].first - b.got[0].first, 99u * 4);
    // In the channel in cycle 1, taken in 2, four cycles of quads, 10 on the way, one to SPI.
    EXPECT_EQ(b.got[0].first, 2u + 3 + 10 + 1);
}

// Position and samples of each pixel that is written to colour.
void add_pixels(const QuadBatch& batch, std::vector<uint64_t>& to) {
    for (unsigned lane = 0; lane < 4u * batch.quads; ++lane)
        if (batch.coverage[lane] != 0)
            to.push_back(uint64_t{batch.x_of(lane)} << 32 | uint64_t{batch.y_of(lane)} << 16 |
                         batch.coverage[lane]);
}

TEST(DbCore, MemoryIsThatOfTheUntimedUnitUnderRandomStalls) {
    for (unsigned seed = 1; seed <= 12; ++seed) {
        CoreBench b(spec_of(), seed);
        std::mt19937 random(seed);
        const bool htile = seed % 2 == 0, stencil = seed % 3 == 0;
        b.bench.set_buffers(DepthFormat::Z24, stencil, seed % 4, kWidth, kHeight, 1, 2, htile,
                            htile && stencil);
        b.bench.set_float(si::DB_DEPTH_CLEAR, 0.5f);
        b.bench.set(si::DB_STENCIL_CONTROL, 0x57057);
        b.bench.set(si::DB_STENCILREFMASK, 0x01FFFF03);
        const auto& c = b.bench.map.DB_DEPTH_CONTROL;
        b.bench.set(c, {{c.Z_ENABLE, 1},
                        {c.Z_WRITE_ENABLE, 1},
                        {c.ZFUNC, seed % 7 + 1},
                        {c.STENCIL_ENABLE, stencil},
                        {c.STENCILFUNC, seed % 5 + 1}});
        b.bench.set(b.bench.map.DB_SHADER_CONTROL, seed % 4 << 4);
        const auto all = static_cast<uint16_t>((1u << (1u << seed % 4)) - 1);
        std::vector<uint64_t> expected;
        for (unsigned i = 0; i < 300; ++i) {
            raster::Primitive p = flat_primitive(double(random() % 1000) / 1000);
            p.depth.dz_dx = (double(random() % 100) - 50) / 1000;
            QuadBatch batch = whole_tile(random() % 8 * 8, random() % 8 * 8, p, all);
            batch.quads = static_cast<uint8_t>(random() % 16 + 1);
            b.give(batch);
            ShadedBatch shaded;
            shaded.quads = batch;
            b.bench.unit.early(b.bench.state(), shaded.quads, b.bench.memory);
            b.bench.unit.late(b.bench.state(), shaded, b.bench.memory);
            add_pixels(shaded.quads, expected);
        }
        b.give(raster::Primitive::Kind::Event, 7, kFlushAll);
        b.finish();
        EXPECT_TRUE(b.memory == b.bench.memory) << "seed " << seed;
        std::vector<uint64_t> got;
        for (const auto& [at, batch] : b.coloured)
            add_pixels(batch.quads, got);
        EXPECT_EQ(got, expected) << "seed " << seed;
        EXPECT_EQ(b.core.unit().zpass(0), b.bench.unit.zpass(0));
    }
}

TEST(DbCore, LosesNothingWhenSpiTakesNothing) {
    CoreBench b;
    b.bench.set_buffers(DepthFormat::Z24, false, 0, kWidth, kHeight, 1, 2, false, false);
    set_depth(b.bench, Compare::Always, 0x10);
    b.shading = false;
    give_tiles(b, 40, 0.5, 1, 32);
    b.run(2000);
    EXPECT_TRUE(b.got.empty());
    EXPECT_GT(b.to_give.size(), 10u);
    EXPECT_EQ(b.core.waiting_for(), "draw 7: SPI or the colour block to take quads");
    b.shading = true;
    b.finish();
    ASSERT_EQ(b.got.size(), 40u);
    for (unsigned i = 0; i < 40; ++i)
        EXPECT_EQ(b.got[i].second.x[0], i % 32 * 8);
}

TEST(DbCore, AnEventWritesTheCachesBackBeforeItPasses) {
    for (const unsigned event : {6u, 0x16u, 0x2Au, 0x2Bu, kFlushHtile}) {
        CoreBench b;
        b.bench.set_buffers(DepthFormat::Z24, false, 0, kWidth, kHeight, 1, 2, true, false);
        set_depth(b.bench, Compare::Always, 0x10);
        give_tiles(b, 1, 0.5, 1);
        b.run(500);
        const uint64_t z = DepthBench::kZ, htile = DepthBench::kHtile;
        EXPECT_FALSE(b.core.clean.latest());
        EXPECT_EQ(b.memory.load<uint32_t>(z), 0u);
        b.give(raster::Primitive::Kind::Event, 7, event);
        b.finish();
        EXPECT_EQ(b.memory.load<uint32_t>(z), event == kFlushHtile ? 0u : 0x800000u);
        EXPECT_EQ(b.memory.load<uint32_t>(htile) != 0, event != kFlushData);
        EXPECT_EQ(b.core.clean.latest(), event != kFlushHtile && event != kFlushData);
        ASSERT_EQ(b.coloured.size(), 2u);
        EXPECT_EQ(b.coloured[1].second.quads.primitive.event_type, event);
    }
}

TEST(DbCore, CountsWhatIsBeforeAnEventAndNotWhatIsAfterIt) {
    CoreBench b;
    b.bench.set_buffers(DepthFormat::Z24, false, 0, kWidth, kHeight, 1, 2, false, false);
    set_depth(b.bench, Compare::Always, 0x10);
    b.shader_latency = 2000;
    give_tiles(b, 2, 0.5, 1);
    b.give(raster::Primitive::Kind::Event, 7, kZpassDone);
    give_tiles(b, 3, 0.5, 1);
    b.give(raster::Primitive::Kind::Event, 7, kZpassDone);
    b.finish();
    ASSERT_EQ(b.counts.size(), 2u);
    EXPECT_EQ(b.counts[0].count, 2u * 64);
    EXPECT_EQ(b.counts[1].count, 5u * 64);
}

TEST(DbCore, AnEarlyTestWaitsForTheWritesOfEarlierDraws) {
    CoreBench b;
    b.bench.set_buffers(DepthFormat::Z24, false, 0, kWidth, kHeight, 1, 2, false, false);
    set_depth(b.bench, Compare::Always, 0x00);  // late
    QuadBatch first = whole_tile(0, 0, flat_primitive(0.25));
    b.give(first);
    b.give(raster::Primitive::Kind::DrawEnd, 7);
    // The second draw has another context.
    RegRequest copy;
    copy.offset = si::GFX_COPY_STATE;
    copy.value = DepthBench::kContext;
    copy.context = 3;
    copy.write = true;
    b.core.write_register(copy);
    RegRequest order = copy;
    order.offset = si::DB_SHADER_CONTROL;
    order.value = 0x10;
    b.core.write_register(order);
    order.offset = si::DB_DEPTH_CONTROL;
    order.value = 0x46;  // GREATER
    b.core.write_register(order);
    QuadBatch second = whole_tile(0, 0, flat_primitive(0.2));
    second.primitive.draw = 8;
    second.primitive.context = 3;
    b.give(second);
    b.finish();
    // 0.2 is not greater than 0.25, but than the zeros before.
    EXPECT_EQ(b.coloured.size(), 2u);
    EXPECT_EQ(b.core.unit().counts().depth_failed, 64u);
}

TEST(DbCore, SurfaceSyncForgetsAllLines) {
    CoreBench b;
    b.bench.set_buffers(DepthFormat::Z24, false, 0, kWidth, kHeight, 1, 2, true, false);
    set_depth(b.bench, Compare::LessEqual, 0x10);
    give_tiles(b, 1, 0, 1);
    b.finish();
    b.core.flushes.push(b.now, {77});
    b.run(400);
    ASSERT_TRUE(b.flush_done.ready(b.now));
    EXPECT_EQ(b.flush_done.take().tag, 77u);
    EXPECT_TRUE(b.core.clean.latest());
    EXPECT_TRUE(b.core.empty.latest());
    // What is in memory now is seen.
    b.memory.store<uint32_t>(DepthBench::kHtile, 0);
    b.bench.set_float(si::DB_DEPTH_CLEAR, 0.5f);
    const uint64_t failed = b.core.unit().counts().tiles_failed;
    b.give(whole_tile(0, 0, flat_primitive(0.75)));
    b.finish();
    EXPECT_EQ(b.core.unit().counts().tiles_failed, failed + 1);
}

TEST(DbCore, StartsAnewAfterAReset) {
    CoreBench b;
    b.bench.set_buffers(DepthFormat::Z24, false, 0, kWidth, kHeight, 1, 2, true, false);
    set_depth(b.bench, Compare::Always, 0x10);
    give_tiles(b, 10, 0.5, 1);
    b.run(20);
    b.core.reset();
    EXPECT_TRUE(b.core.idle());
    EXPECT_EQ(b.core.unit().zpass(0), 0u);
    EXPECT_EQ(b.core.waiting_for(), "");
}

// Z of a screen that is in no cache: the lines of many batches are on their way at a time.
TEST(DbCore, FetchesAheadOfTheTests) {
    DbSpec spec = spec_of();
    spec.lookahead = 64;
    spec.data.in_flight = spec.htile.in_flight = 256;
    spec.early = {64, 1};
    CoreBench b(spec);
    b.memory_latency = 200;
    b.bench.set_buffers(DepthFormat::Z24, false, 0, kWidth, kHeight, 1, 2, true, false);
    set_depth(b.bench, Compare::GreaterEqual, 0x10);
    for (unsigned tile = 0; tile < 1024; ++tile) {
        b.memory.store<uint32_t>(surface::metadata_address(b.bench.state().htile_surface,
                                                           tile % 32 * 8, tile / 32 * 8, 0)
                                     .byte,
                                 0xFFFC000F);
        b.give(whole_tile(tile % 32 * 8, tile / 32 * 8, flat_primitive(0.5)));
    }
    b.finish();
    ASSERT_EQ(b.got.size(), 1024u);
    // Four lines are read and four written for each tile, a request a cycle.
    EXPECT_LT(b.got[1000].first - b.got[500].first, 500u * 10);
}

TEST(DbCore, ReadsItsParameters) {
    const std::string text =
        "db:\n"
        "  z_samples_per_cycle: 8\n  quads_per_cycle: 2\n  lookahead: 32\n"
        "  data: {lines: 2048, in_flight: 64}\n  htile: {lines: 128, in_flight: 16}\n"
        "  early_latency: {cycles: 12, source: guess}\n"
        "  late_latency: {cycles: 13, source: guess}\n"
        "  register_latency: {cycles: 5, source: guess}\n"
        "  early: {capacity: 6, latency: {cycles: 7, source: guess}}\n"
        "  late: {capacity: 8, latency: {cycles: 9, source: guess}}\n"
        "  memory: {capacity: 10, latency: {cycles: 2, source: guess}}\n"
        "  flushes: {capacity: 1, latency: {cycles: 3, source: guess}}\n";
    config::Diagnostics diag;
    const std::optional<config::Node> tree = config::parse_text(text, "chip.yaml", diag);
    ASSERT_TRUE(tree.has_value());
    config::Reader root(*tree, diag);
    DbSpec spec;
    DbBlock::read(root, spec);
    root.finish();
    EXPECT_EQ(diag.format(), "");
    EXPECT_EQ(spec.z_samples_per_cycle, 8u);
    EXPECT_EQ(spec.quads_per_cycle, 2u);
    EXPECT_EQ(spec.lookahead, 32u);
    EXPECT_EQ(spec.data.lines, 2048u);
    EXPECT_EQ(spec.htile.in_flight, 16u);
    EXPECT_EQ(spec.early_latency, 12u);
    EXPECT_EQ(spec.late_latency, 13u);
    EXPECT_EQ(spec.register_latency, 5u);
    EXPECT_EQ(spec.early.capacity, 6u);
    EXPECT_EQ(spec.late.latency, 9u);
    EXPECT_EQ(spec.memory.capacity, 10u);
    EXPECT_EQ(spec.flushes.latency, 3u);
}

TEST(DbCore, RefusesASpecThatCannotWork) {
    DbSpec spec = spec_of();
    spec.data.lines = 100;
    EXPECT_THROW(DbCore{spec}, std::invalid_argument);
    spec = spec_of();
    spec.z_samples_per_cycle = 0;
    ASSERT_EQ(spec.problems().size(), 1u);
}

}  // namespace
}  // namespace archipelago::db
