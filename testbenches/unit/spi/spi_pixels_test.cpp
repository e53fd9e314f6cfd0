// SPDX-License-Identifier: Apache-2.0
// The pixel side of SPI in cycles: order, rates and back-pressure between render back ends and
// compute units.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <tuple>

#include "models/common/error.h"
#include "testbenches/unit/spi/graphics_bench.h"

namespace archipelago::spi::spi_pixels_test {
namespace {

using Kind = raster::Primitive::Kind;

// A render back end: sends its stream of batches and takes them back.
struct BackEnd : Clocked {
    Channel<raster::QuadBatch>* out = nullptr;
    std::deque<raster::QuadBatch> todo;
    Channel<raster::ShadedBatch> in{{2, 1}};
    std::vector<std::pair<Cycle, raster::ShadedBatch>> seen;
    bool open = true;
    BackEnd() { in.set_consumer(this); }
    bool tick(Cycle now) override {
        bool progress = false;
        if (!todo.empty() && out->can_push(now)) {
            out->push(now, todo.front());
            todo.pop_front();
            progress = true;
        }
        if (open && in.can_pop(now)) {
            seen.emplace_back(now, in.pop(now));
            progress = true;
        }
        return progress;
    }
};

struct Bench : GraphicsBench {
    std::array<BackEnd, 8> rb;
    uint32_t mask;
    explicit Bench(uint32_t rbs = 0x33, SpiSpec s = gcn::si::spi_spec(), unsigned life = 40)
        : GraphicsBench((s.render_backends = rbs, s), {life, true, true}), mask(rbs) {
        for (unsigned n = 0; n < 8; ++n) {
            if ((mask >> n & 1) == 0)
                continue;
            rb[n].out = &spi->from_rb(n);
            rb[n].out->set_producer(&rb[n]);
            spi->to_rb[n / 4][n % 4].connect(rb[n].in);
            scheduler.add(rb[n]);
        }
    }
    void send(raster::QuadBatch batch, unsigned to) {
        batch.rb = static_cast<uint8_t>(to);
        batch.shader_engine = static_cast<uint8_t>(to / 4);
        rb[to].todo.push_back(batch);
    }
    void token(Kind kind, uint32_t draw, uint32_t free_through = 0) {
        raster::QuadBatch batch;
        batch.primitive.kind = kind;
        batch.primitive.draw = draw;
        batch.primitive.free_through = free_through;
        for (unsigned n = 0; n < 8; ++n)
            if ((mask >> n & 1) != 0)
                rb[n].todo.push_back(batch);
    }
    void run_all() {
        for (BackEnd& b : rb)
            b.wake_at(scheduler.now());
        run();
    }
};

using Pixel = std::tuple<unsigned, unsigned, uint32_t, uint32_t>;  // x, y, draw, primitive

std::vector<Pixel> pixels_of(const raster::QuadBatch& b) {
    std::vector<Pixel> out;
    for (unsigned lane = 0; lane < 4u * b.quads; ++lane)
        if (b.coverage[lane] != 0)
            out.emplace_back(b.x_of(lane), b.y_of(lane), b.primitive.draw, b.primitive.number);
    return out;
}

// Random batches of several draws to four RBs, with stalls everywhere.
void expect_all_back(unsigned stall, uint64_t shuffle) {
    std::mt19937 random(stall + 7);
    Bench b;
    if (shuffle != 0)
        b.scheduler.shuffle(shuffle);
    std::array<std::vector<Pixel>, 8> expected;
    std::array<std::vector<std::pair<Kind, uint32_t>>, 8> tokens;
    for (uint32_t n = 0; n < 4; ++n) {
        const uint32_t d = b.simple_draw(3);
        for (uint32_t number = 0; number < 30; ++number) {
            raster::Primitive p = triangle({{{0, 0, 1}, {90, 0, 1}, {0, 90, 1}}}, number);
            p.draw = d;
            p.parameters.wave = {number / 10, number / 10, number / 10};
            p.free_through = number / 10;
            for (const unsigned to : {0u, 1u, 4u, 5u}) {
                if (random() % 3 == 0)
                    continue;
                raster::QuadBatch batch =
                    batch_of(p, 8 * (random() % 64), 8 * (random() % 64), 1 + random() % 16);
                b.send(batch, to);
                for (const Pixel& pixel : pixels_of(batch))
                    expected[to].push_back(pixel);
            }
            if (number % 10 == 9)
                b.token(Kind::Release, d, number / 10 + 1);
        }
        b.token(Kind::Event, 0);
        b.token(Kind::DrawEnd, d);
    }
    for (unsigned n = 0; n < 8 && stall != 0; ++n) {
        if (b.rb[n].out == nullptr)
            continue;
        b.rb[n].out->random_stall(n + 1, stall);
        b.rb[n].in.random_stall(n + 11, stall);
    }
    b.run_all();
    for (unsigned n = 0; n < 8; ++n) {
        std::vector<Pixel> seen;
        unsigned events = 0;
        uint32_t ended = 0;
        for (const auto& [cycle, batch] : b.rb[n].seen) {
            events += batch.quads.primitive.kind == Kind::Event ? 1 : 0;
            if (batch.quads.primitive.kind == Kind::DrawEnd)
                ended = batch.quads.primitive.draw;
            for (const Pixel& pixel : pixels_of(batch.quads)) {
                EXPECT_EQ(batch.quads.rb, n);
                EXPECT_EQ(std::get<2>(pixel), ended + 1);
                seen.push_back(pixel);
            }
        }
        EXPECT_EQ(seen, expected[n]) << n;
        EXPECT_EQ(events, b.rb[n].out != nullptr ? 4u : 0u);
        EXPECT_EQ(ended, b.rb[n].out != nullptr ? 4u : 0u);
    }
}

TEST(SpiPixels, QuadsComeBackToTheirRenderBackEndOnceInOrderWithEventsAndEndsOfDraws) {
    for (const unsigned stall : {0u, 30u, 60u})
        for (const uint64_t shuffle : {0u, 1u, 99u})
            expect_all_back(stall, shuffle);
}

// One batch makes four waves, of which one at a time waits for launch.
TEST(SpiPixels, RunsOfTheShaderForEachSampleComeBackWithTheirSample) {
    SpiSpec spec = gcn::si::spi_spec();
    spec.stage_queue = 1;
    Bench b(0x1, spec);
    b.context(regs::si::PA_SC_MODE_CNTL_0, 1);
    b.context(regs::si::PA_SC_AA_CONFIG, 2);
    b.context(regs::si::PA_SC_MODE_CNTL_1, 1 << 16);
    b.context(regs::si::DB_EQAA, 2 << 4);
    for (size_t n = 0; n < 4; ++n)
        b.writer.todo.pop_back();  // of other blocks
    const uint32_t d = b.simple_draw(1);
    raster::Primitive p = triangle({{{0, 0, 1}, {90, 0, 1}, {0, 90, 1}}});
    p.draw = d;
    for (unsigned n = 0; n < 5; ++n)
        b.send(batch_of(p, 8 * n, 8, 16, 15), 0);
    b.token(Kind::DrawEnd, d);
    b.run_all();
    std::map<std::pair<unsigned, unsigned>, unsigned> samples_of;
    unsigned quads = 0;
    for (const auto& [cycle, batch] : b.rb[0].seen)
        for (unsigned lane = 0; lane < 4u * batch.quads.quads; ++lane) {
            quads += lane % 4 == 0 ? 1 : 0;
            unsigned& seen = samples_of[{batch.quads.x_of(lane), batch.quads.y_of(lane)}];
            EXPECT_EQ(seen & batch.quads.coverage[lane], 0u);
            seen |= batch.quads.coverage[lane];
        }
    EXPECT_EQ(quads, 5u * 16 * 4);
    EXPECT_EQ(samples_of.size(), 5u * 64);
    for (const auto& [pixel, seen] : samples_of)
        EXPECT_EQ(seen, 15u);
    EXPECT_EQ(b.seen(Stage::Ps).size(), 20u);
}

TEST(SpiPixels, ASparseStreamLeavesInWavesThatAreNotFull) {
    SpiSpec spec = gcn::si::spi_spec();
    spec.partial_wave = 100;
    Bench b(0x1, spec);
    const uint32_t d = b.simple_draw(1);
    raster::Primitive p = triangle({{{0, 0, 1}, {90, 0, 1}, {0, 90, 1}}});
    p.draw = d;
    b.send(batch_of(p, 8, 8, 5), 0);
    b.rb[0].wake_at(0);
    b.go(1000);
    ASSERT_EQ(b.rb[0].seen.size(), 1u);
    EXPECT_EQ(b.rb[0].seen[0].second.quads.quads, 5);
    EXPECT_FALSE(b.spi->idle());
    EXPECT_THAT(b.spi->waiting_for(), ::testing::HasSubstr("the rasteriser has more of it"));
    b.token(Kind::DrawEnd, d);
    b.run_all();
}

// Four quads a cycle: a full tile in four.
TEST(SpiPixels, TilesArePackedAtTheRateOfQuads) {
    for (const unsigned rate : {4u, 8u}) {
        SpiSpec spec = gcn::si::spi_spec();
        spec.quads_per_cycle = rate;
        spec.stage_queue = 64;
        Bench b(0x1, spec, 4);
        const uint32_t d = b.simple_draw(1);
        raster::Primitive p = triangle({{{0, 0, 1}, {90, 0, 1}, {0, 90, 1}}});
        p.draw = d;
        for (unsigned n = 0; n < 60; ++n)
            b.send(batch_of(p, 8 * n, 8), 0);
        b.token(Kind::DrawEnd, d);
        b.run_all();
        const auto& seen = b.rb[0].seen;
        ASSERT_EQ(seen.size(), 61u);
        EXPECT_EQ(seen[50].first - seen[10].first, 40u * 16 / rate);
    }
}

TEST(SpiPixels, NoMoreWavesRunThanTheColourBufferHasRoomFor) {
    SpiSpec spec = gcn::si::spi_spec();
    spec.color_vectors = 6;
    Bench b(0x1, spec, 200);
    b.context(regs::si::SPI_SHADER_COL_FORMAT, 0x44);  // two colours
    const uint32_t d = b.simple_draw(1);
    raster::Primitive p = triangle({{{0, 0, 1}, {90, 0, 1}, {0, 90, 1}}});
    p.draw = d;
    for (unsigned n = 0; n < 12; ++n)
        b.send(batch_of(p, 8 * n, 8), 0);
    b.token(Kind::DrawEnd, d);
    b.run_all();
    const auto seen = b.seen(Stage::Ps);
    ASSERT_EQ(seen.size(), 12u);
    for (size_t n = 3; n < seen.size(); ++n)
        EXPECT_GE(seen[n].at, seen[n - 3].at + 200);
    EXPECT_GT(b.spi->state().counters.no_color_room_cycles, 0u);
}

TEST(SpiPixels, ARenderBackEndThatTakesNothingBackHoldsTheColourBuffer) {
    SpiSpec spec = gcn::si::spi_spec();
    spec.color_vectors = 9;
    Bench b(0x1, spec);
    b.context(regs::si::SPI_SHADER_COL_FORMAT, 0x4);
    const uint32_t d = b.simple_draw(1);
    raster::Primitive p = triangle({{{0, 0, 1}, {90, 0, 1}, {0, 90, 1}}});
    p.draw = d;
    for (unsigned n = 0; n < 30; ++n)
        b.send(batch_of(p, 8 * n, 8), 0);
    b.token(Kind::DrawEnd, d);
    b.rb[0].open = false;
    b.rb[0].wake_at(0);
    b.go(5000);
    EXPECT_EQ(b.seen(Stage::Ps).size(), 9u + b.rb[0].in.spec().capacity);
    EXPECT_FALSE(b.spi->idle());
    b.rb[0].open = true;
    b.run_all();
    EXPECT_EQ(b.rb[0].seen.size(), 31u);
}

TEST(SpiPixels, SamplesHaveThePixelsOfTheDrawsThatWereCountedBeforeThem) {
    constexpr uint8_t kStart = 25, kStop = 26, kSample = 30;
    Bench b(0x1);
    const auto draw = [&](unsigned waves) {
        const uint32_t d = b.simple_draw(1);
        raster::Primitive p = triangle({{{0, 0, 1}, {90, 0, 1}, {0, 90, 1}}});
        p.draw = d;
        for (unsigned n = 0; n < waves; ++n) {
            raster::QuadBatch batch = batch_of(p, 8 * n, 8);
            batch.coverage[7] = 0;  // a helper pixel
            b.send(batch, 0);
        }
        b.token(Kind::DrawEnd, d);
    };
    draw(3);
    b.event(kStart);
    draw(5);
    b.event(kSample);
    draw(2);
    b.event(kStop);
    draw(4);
    b.event(kSample);
    b.run_all();
    std::vector<uint64_t> found;
    for (const auto& [cycle, event] : b.writer.done)
        if (event.event_type == kSample)
            found.push_back(event.ps_invocations);
    EXPECT_EQ(found, (std::vector<uint64_t>{5 * 63, 7 * 63}));
}

TEST(SpiPixels, EventsWaitForTheRenderBackEndsThatTheyAreAbout) {
    constexpr uint8_t kContextDone = 5, kPsFlush = 16, kBottom = 40;
    Bench b(0x1);
    EventLink<raster::BackEndDone>& done = b.spi->from_cb(0);
    const uint32_t d = b.simple_draw(1);
    b.token(Kind::DrawEnd, d);
    for (const uint8_t type : {kPsFlush, kContextDone, kBottom})
        b.event(type);
    for (BackEnd& rb : b.rb)
        rb.wake_at(0);
    b.go(1000);
    ASSERT_EQ(b.writer.done.size(), 1u);
    EXPECT_EQ(b.writer.done[0].second.event_type, kPsFlush);
    raster::BackEndDone passed;
    passed.kind = Kind::DrawEnd;
    passed.draw = d;
    done.send(b.scheduler.now(), passed);
    b.go(2000);
    ASSERT_EQ(b.writer.done.size(), 2u);
    EXPECT_EQ(b.writer.done[1].second.event_type, kContextDone);
    passed.kind = Kind::Event;
    for (unsigned n = 0; n < 3; ++n) {
        EXPECT_EQ(b.writer.done.size(), 2u);
        done.send(b.scheduler.now(), passed);
        b.go(3000 + 1000 * n);
    }
    EXPECT_EQ(b.writer.done.size(), 3u);
    EXPECT_TRUE(b.spi->idle()) << b.spi->waiting_for();
}

}  // namespace
}  // namespace archipelago::spi::spi_pixels_test
