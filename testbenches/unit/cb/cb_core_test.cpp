// SPDX-License-Identifier: Apache-2.0
// The colour block in cycles: the same memory as without time, rates, flushes, order,
// back-pressure.
#include "models/cb/cb_core.h"

#include <deque>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "colour_bench.h"
#include "models/cb/cb_block.h"
#include "models/config/load.h"
#include "models/config/reader.h"
#include "models/gcn/vgt_event.h"

namespace archipelago::cb {
namespace {

using raster::BackEndDone;
using raster::ShadedBatch;
using Kind = raster::Primitive::Kind;

CbSpec spec_of() {
    CbSpec spec;
    spec.map = RegisterMap{&si::database(), gcn::si::context_window()};
    spec.rb = 3;
    spec.latency = 4;
    return spec;
}

// Answers requests in order after `latency` cycles.
struct MemoryModel {
    void step(Cycle now, CbCore& core) {
        while (requests.can_pop(now)) {
            const MemRequest r = requests.pop(now);
            vmids.push_back(r.vmid);
            MemResponse answer;
            answer.tag = r.tag;
            answer.line = r.line;
            answer.command = r.command;
            if (r.command == MemCommand::Write) {
                ++writes;
                merge_bytes(memory.line(r.line, true), r.data.data(), r.byte_mask);
            } else {
                ++reads;
                std::copy_n(memory.line(r.line, false), kLineBytes, answer.data.begin());
            }
            answers.emplace_back(now + latency, answer);
        }
        while (!answers.empty() && answers.front().first <= now && core.from_memory.can_push(now)) {
            core.from_memory.push(now, answers.front().second);
            answers.pop_front();
        }
    }
    Channel<MemRequest> requests{{8, 1}};
    std::deque<std::pair<Cycle, MemResponse>> answers;
    SparseMemory memory;
    std::vector<uint8_t> vmids;
    Cycle latency = 200;
    unsigned reads = 0, writes = 0;
};

// A core beside the untimed unit, which has the same registers and its own memory.
struct CoreBench {
    explicit CoreBench(const CbSpec& spec = spec_of()) : core(spec) {
        core.connect_tiling(tiling);
        core.to_memory.connect(memory.requests);
        core.done.connect(done);
        core.flush_done.connect(flushed);
        scheduler.add(core);
    }
    // Registers of the bench to the core, in context 0.
    void copy_registers() {
        for (const uint32_t at : {si::CB_COLOR_CONTROL, si::CB_TARGET_MASK, si::CB_SHADER_MASK,
                                  si::SPI_SHADER_COL_FORMAT, si::PA_SC_AA_CONFIG})
            send(at);
        for (uint32_t n = 0; n < kTargets; ++n) {
            send(si::CB_BLEND0_CONTROL + 4 * n);
            for (uint32_t at = si::CB_COLOR0_BASE; at <= si::CB_COLOR0_CLEAR_WORD1; at += 4)
                send(at + ColourBench::kStride * n);
        }
        for (uint8_t i = 0; i < surface::TilingRegisters::kModes; ++i)
            tiling.send(now, {static_cast<uint8_t>(i + 1), untimed.tiling.tile_mode[i]});
        tiling.send(now, {0, untimed.tiling.gb_addr_config});
        run(4);
    }
    void send(uint32_t offset) {
        RegRequest r;
        r.offset = offset;
        r.value = untimed.sets.get(offset, 0);
        r.write = true;
        core.register_writes.send(now, r);
    }
    void give(ShadedBatch batch) {
        if (batch.quads.primitive.kind == Kind::Primitive)
            untimed.write(batch);
        to_give.push_back(std::move(batch));
    }
    void give_event(uint8_t type, Kind kind = Kind::Event) {
        ShadedBatch batch;
        batch.quads.primitive.kind = kind;
        batch.quads.primitive.event_type = type;
        batch.quads.primitive.draw = 1;
        give(batch);
    }
    void run(Cycle cycles) {
        for (const Cycle end = now + cycles; now < end; ++now) {
            if (!to_give.empty() && core.batches.can_push(now)) {
                core.batches.push(now, std::move(to_give.front()));
                to_give.pop_front();
            }
            scheduler.step(now);
            memory.step(now, core);
            while (done.ready(now)) {
                got.push_back(done.take());
                got_at.push_back(now);
            }
            while (flushed.ready(now))
                tags.push_back(flushed.take().tag);
        }
    }
    // Until `events` have passed; the cycle of the last.
    Cycle run_until(size_t events, Cycle limit = 1000000) {
        const Cycle end = now + limit;
        while (got.size() < events && now < end)
            run(1);
        EXPECT_GE(got.size(), events) << core.waiting_for();
        return got_at.empty() ? 0 : got_at.back();
    }
    uint64_t counter(const std::string& name) const {
        StatsRegistry stats;
        core.register_stats(stats, "cb");
        for (const Counter& c : stats.counters())
            if (c.name == name)
                return *c.value;
        ADD_FAILURE() << name;
        return 0;
    }
    // Lines that differ between memory and the untimed unit's.
    unsigned differences() {
        unsigned count = 0;
        for (const auto& [at, line] : untimed.memory.lines)
            count += memory.memory.lines[at] != line ? 1 : 0;
        return count;
    }

    CbCore core;
    MemoryModel memory;
    EventLink<surface::TilingWrite> tiling{1};
    EventLink<BackEndDone> done{1};
    EventLink<raster::FlushDone> flushed{1};
    Scheduler scheduler;
    ColourBench untimed;
    Cycle now = 1;
    std::deque<ShadedBatch> to_give;
    std::vector<BackEndDone> got;
    std::vector<Cycle> got_at;
    std::vector<uint32_t> tags;
};

ShadedBatch solid_tile(uint32_t x, uint32_t y) {
    ShadedBatch batch = whole_tile(x, y);
    export_colour(batch, 0, 0.25f, 0.5f, 0.75f, 0.5f);
    return batch;
}

ShadedBatch scattered_tile(std::mt19937& random, unsigned targets = 1) {
    ShadedBatch batch = whole_tile(random() % 8 * 8, random() % 8 * 8);
    for (uint16_t& c : batch.quads.coverage)
        c = static_cast<uint16_t>(random() & random());
    for (unsigned n = 0; n < targets; ++n)
        for (auto& component : export_to(batch, n).data)
            for (uint32_t& v : component)
                v = bits(std::uniform_real_distribution<float>(0, 1)(random));
    return batch;
}

// Whole screen of a target: cycles a quad.
double cycles_per_quad(const Info& info, uint32_t blend, Cycle latency) {
    CbSpec spec = spec_of();
    spec.data.in_flight = 192;
    CoreBench bench(spec);
    bench.memory.latency = latency;
    bench.untimed.bind(0, info, ColourBench::kMacro);
    bench.untimed.enable(0);
    bench.untimed.set(si::CB_BLEND0_CONTROL, blend);
    bench.copy_registers();
    const Cycle begin = bench.now;
    for (unsigned pass = 0; pass < 4; ++pass)
        for (uint32_t tile = 0; tile < 64; ++tile)
            bench.give(solid_tile(tile % 8 * 8, tile / 8 * 8));
    bench.give_event(0, Kind::DrawEnd);
    const Cycle end = bench.run_until(1);
    return static_cast<double>(end - begin) / (4 * 64 * 16);
}

TEST(CbCores, QuadsTakeTheCyclesOfTheirFormat) {
    Info rgba8, rgba16f, rgba32f;
    rgba16f.format = 12;
    rgba16f.number = 7;
    rgba32f.format = 14;
    rgba32f.number = 7;
    const uint32_t over = 0x40000504;
    EXPECT_NEAR(cycles_per_quad(rgba8, 0, 200), 1, 0.03);
    EXPECT_NEAR(cycles_per_quad(rgba16f, 0, 200), 1, 0.15);
    EXPECT_NEAR(cycles_per_quad(rgba32f, 0, 200), 4, 0.1);
    EXPECT_NEAR(cycles_per_quad(rgba8, over, 100), 1, 0.15);
    EXPECT_NEAR(cycles_per_quad(rgba16f, over, 100), 2, 0.3);
}

TEST(CbCores, WholeLinesAreNotFetched) {
    CoreBench bench;
    bench.untimed.bind(0, Info());
    bench.untimed.enable(0);
    bench.copy_registers();
    for (uint32_t tile = 0; tile < 64; ++tile)
        bench.give(solid_tile(tile % 8 * 8, tile / 8 * 8));
    bench.give_event(vgt_event::kCacheFlushAndInvEvent);
    bench.run_until(1);
    EXPECT_EQ(bench.memory.reads, 0u);
    EXPECT_EQ(bench.memory.writes, 64u * 4);
    EXPECT_EQ(bench.differences(), 0u);
    EXPECT_EQ(bench.counter("pixels"), 64u * 64);
    EXPECT_EQ(bench.counter("quads"), 64u * 16);
    EXPECT_EQ(bench.counter("pixel_bytes"), 64u * 64 * 4);
    EXPECT_EQ(bench.counter("blended_pixels"), 0u);
}

// Random draws into several kinds of targets, small caches, slow memory.
TEST(CbCores, MemoryIsThatOfTheUntimedUnit) {
    std::mt19937 random(1);
    for (unsigned run = 0; run < 12; ++run) {
        CbSpec spec = spec_of();
        spec.data = {run % 3 == 0 ? 40u : 256u, 8};
        spec.metadata = {32, 4};
        spec.lookahead = 1 + run % 4;
        CoreBench bench(spec);
        bench.memory.latency = 1 + random() % 300;
        const uint32_t samples = run % 4 == 3 ? 2 : 0;
        Info info;
        info.clamp = true;
        info.fast_clear = run % 2 == 1;
        info.compression = samples != 0;
        const unsigned targets = run % 4 == 2 ? 3 : 1;
        for (unsigned n = 0; n < targets; ++n) {
            bench.untimed.bind(n, info, run % 4 == 0 ? ColourBench::kLinear : ColourBench::kMacro,
                               1, samples, samples);
            bench.untimed.enable(n);
            bench.untimed.set(si::CB_BLEND0_CONTROL + 4 * n, random() % 2 == 0 ? 0x40000504 : 0);
            if (info.fast_clear)
                bench.untimed.set_cmask(n, samples != 0 ? 0xC : 0);
        }
        bench.memory.memory.lines = bench.untimed.memory.lines;
        bench.copy_registers();
        for (unsigned draw = 0; draw < 60; ++draw)
            bench.give(scattered_tile(random, targets));
        bench.give_event(vgt_event::kCacheFlush);
        bench.run_until(1);
        EXPECT_EQ(bench.differences(), 0u) << run;
        EXPECT_TRUE(bench.core.clean.latest());
        EXPECT_TRUE(bench.core.idle()) << bench.core.waiting_for();
    }
}

TEST(CbCores, ResultsStayInTheCacheUntilTheirFlush) {
    CoreBench bench;
    Info info;
    info.fast_clear = true;
    bench.untimed.bind(0, info);
    bench.untimed.enable(0);
    bench.copy_registers();
    bench.give(solid_tile(0, 0));
    bench.give_event(vgt_event::kBottomOfPipeTs);
    bench.run_until(1);
    EXPECT_EQ(bench.memory.writes, 0u);
    EXPECT_FALSE(bench.core.clean.latest());
    bench.give_event(vgt_event::kFlushAndInvCbMeta);
    bench.run_until(2);
    EXPECT_EQ(bench.memory.writes, 1u);
    bench.give_event(vgt_event::kDbCacheFlushAndInv);
    bench.run_until(3);
    EXPECT_EQ(bench.memory.writes, 1u);
    bench.give_event(vgt_event::kFlushAndInvCbPixelData);
    bench.run_until(4);
    bench.run(2);
    EXPECT_EQ(bench.memory.writes, 5u);
    EXPECT_EQ(bench.differences(), 0u);
    EXPECT_TRUE(bench.core.clean.latest());
    EXPECT_TRUE(bench.core.empty.latest());
    EXPECT_FALSE(bench.core.busy.latest());
    EXPECT_EQ(bench.counter("flushes"), 2u);
    EXPECT_EQ(bench.counter("events"), 4u);
}

// CACHE_FLUSH keeps lines, the other forgets them.
TEST(CbCores, LinesSurviveAFlushThatDoesNotInvalidate) {
    for (const bool invalidate : {false, true}) {
        CoreBench bench;
        bench.untimed.bind(0, Info());
        bench.untimed.enable(0);
        bench.untimed.set(si::CB_BLEND0_CONTROL, 0x40000504);
        bench.copy_registers();
        bench.give(solid_tile(0, 0));
        bench.give_event(invalidate ? vgt_event::kCacheFlushAndInvTsEvent
                                    : vgt_event::kCacheFlushTs);
        bench.give(solid_tile(0, 0));
        bench.give_event(0, Kind::DrawEnd);
        bench.run_until(2);
        EXPECT_EQ(bench.memory.reads, invalidate ? 8u : 4u);
    }
}

TEST(CbCores, SurfaceSyncFlushesEverything) {
    CoreBench bench;
    bench.untimed.bind(0, Info());
    bench.untimed.enable(0);
    bench.copy_registers();
    bench.give(solid_tile(8, 8));
    bench.give_event(0, Kind::DrawEnd);
    bench.run_until(1);
    bench.core.flushes.push(bench.now, raster::FlushAction{77});
    bench.run(1000);
    EXPECT_EQ(bench.tags, std::vector<uint32_t>{77});
    EXPECT_EQ(bench.differences(), 0u);
    EXPECT_TRUE(bench.core.idle());
}

TEST(CbCores, EventsWaitForQuadsAndKeepTheirOrder) {
    CoreBench bench;
    bench.untimed.bind(0, Info());
    bench.untimed.enable(0);
    bench.untimed.set(si::CB_BLEND0_CONTROL, 0x40000504);
    bench.copy_registers();
    bench.memory.latency = 5000;
    for (uint8_t n = 0; n < 8; ++n) {
        bench.give(solid_tile(8 * n, 0));
        bench.give_event(0, Kind::Release);  // of SPI's parameters: ends here
        bench.give_event(n, Kind::DrawEnd);
    }
    bench.run(5000);
    EXPECT_TRUE(bench.got.empty());
    EXPECT_FALSE(bench.core.idle());
    EXPECT_NE(bench.core.waiting_for(), "");
    bench.run_until(8);
    for (uint8_t n = 0; n < 8; ++n) {
        EXPECT_EQ(bench.got[n].event_type, n);
        EXPECT_EQ(bench.got[n].kind, Kind::DrawEnd);
        EXPECT_EQ(bench.got[n].rb, 3);
    }
    EXPECT_GT(bench.counter("data_wait_cycles"), 0u);
}

TEST(CbCores, StallsOfAnyChannelChangeNoPixel) {
    std::mt19937 random(2);
    CoreBench bench;
    bench.untimed.bind(0, Info());
    bench.untimed.enable(0);
    bench.untimed.set(si::CB_BLEND0_CONTROL, 0x40000504);
    bench.copy_registers();
    bench.core.batches.random_stall(1, 40);
    bench.core.from_memory.random_stall(2, 40);
    bench.memory.requests.random_stall(3, 40);
    for (unsigned draw = 0; draw < 100; ++draw)
        bench.give(scattered_tile(random));
    bench.give_event(vgt_event::kCacheFlushAndInvEvent);
    bench.run_until(1);
    EXPECT_EQ(bench.differences(), 0u);
}

TEST(CbCores, AddressSpaceOfThePrimitive) {
    CoreBench bench;
    bench.untimed.bind(0, Info());
    bench.untimed.enable(0);
    bench.copy_registers();
    ShadedBatch batch = solid_tile(0, 0);
    batch.quads.primitive.vmid = 5;
    bench.give(batch);
    bench.give_event(vgt_event::kCacheFlush);
    bench.run_until(1);
    EXPECT_EQ(bench.memory.vmids, std::vector<uint8_t>(4, 5));
}

TEST(CbCores, ParametersOfADescription) {
    const std::string text =
        "cb:\n"
        "  quad_cycles:\n"
        "    up_to_4_bytes: {write: {cycles: 1, source: guess}, blend: {cycles: 2, source: "
        "guess}}\n"
        "    of_8_bytes: {write: {cycles: 3, source: guess}, blend: {cycles: 4, source: guess}}\n"
        "    of_16_bytes: {write: {cycles: 5, source: guess}, blend: {cycles: 6, source: guess}}\n"
        "  latency: {cycles: 7, source: guess}\n"
        "  lookahead: 8\n"
        "  data: {lines: 512, in_flight: 60}\n"
        "  metadata: {lines: 64, in_flight: 9}\n"
        "  register_latency: {cycles: 10, source: guess}\n"
        "  batches: {capacity: 11, latency: {cycles: 12, source: guess}}\n"
        "  memory: {capacity: 13, latency: {cycles: 14, source: guess}}\n"
        "  flushes: {capacity: 15, latency: {cycles: 16, source: guess}}\n";
    config::Diagnostics diag;
    const std::optional<config::Node> tree = config::parse_text(text, "chip.yaml", diag);
    ASSERT_TRUE(tree.has_value());
    config::Reader root(*tree, diag);
    CbSpec spec;
    CbBlock::read(root, spec);
    root.finish();
    EXPECT_EQ(diag.format(), "");
    EXPECT_EQ(spec.cycles_of(1).blend, 2u);
    EXPECT_EQ(spec.cycles_of(8).write, 3u);
    EXPECT_EQ(spec.cycles_of(16).blend, 6u);
    EXPECT_EQ(spec.latency, 7u);
    EXPECT_EQ(spec.lookahead, 8u);
    EXPECT_EQ(spec.data.lines, 512u);
    EXPECT_EQ(spec.metadata.in_flight, 9u);
    EXPECT_EQ(spec.register_latency, 10u);
    EXPECT_EQ(spec.batches.latency, 12u);
    EXPECT_EQ(spec.memory.capacity, 13u);
    EXPECT_EQ(spec.flushes.capacity, 15u);
}

TEST(CbCores, SpecsThatAreWrong) {
    CbSpec spec = spec_of();
    spec.of_8_bytes.blend = 0;
    EXPECT_THROW(CbCore{spec}, std::invalid_argument);
    spec = spec_of();
    spec.data.in_flight = spec.data.lines;
    EXPECT_THROW(CbCore{spec}, std::invalid_argument);
}

}  // namespace
}  // namespace archipelago::cb
