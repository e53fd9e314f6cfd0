// SPDX-License-Identifier: Apache-2.0
// Resolves: means of samples, plain and compressed.
#include <algorithm>
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "colour_bench.h"

namespace archipelago::cb {
namespace {

constexpr uint32_t kResolve = 0x00CC0030;

// A source of 4 samples with random pixels in a tile, and its resolve.
class Resolves : public ::testing::Test {
  protected:
    void fill(const Info& info, std::mt19937& random, uint32_t keep = ~0u) {
        bench = ColourBench();
        bench.bind(0, info, ColourBench::kMacro, 1, 2, 2);
        bench.bind(1, info, ColourBench::kMicro);
        bench.set(si::CB_TARGET_MASK, 0xF);
        bench.set(si::CB_COLOR_CONTROL, kResolve);
        for (unsigned lane = 0; lane < kLanes; ++lane)
            for (unsigned s = 0; s < 4; ++s) {
                for (uint32_t& d : source[lane][s])
                    d = static_cast<uint32_t>(random()) & keep;
                bench.set_pixel(0, x(lane), y(lane), source[lane][s], 0, s);
            }
    }
    static uint32_t x(unsigned lane) { return whole_tile().quads.x_of(lane); }
    static uint32_t y(unsigned lane) { return whole_tile().quads.y_of(lane); }

    ColourBench bench;
    std::array<std::array<std::array<uint32_t, 4>, 4>, kLanes> source{};
};

TEST_F(Resolves, UnormIsTheRoundedMean) {
    std::mt19937 random(1);
    fill(Info(), random);
    bench.write(whole_tile());
    for (unsigned lane = 0; lane < kLanes; ++lane)
        for (unsigned c = 0; c < 4; ++c) {
            uint32_t sum = 0;
            for (unsigned s = 0; s < 4; ++s)
                sum += source[lane][s][0] >> 8 * c & 255;
            EXPECT_EQ(bench.pixel(1, x(lane), y(lane))[0] >> 8 * c & 255, (sum + 2) / 4);
        }
}

TEST_F(Resolves, FloatsAndIntegers) {
    std::mt19937 random(2);
    Info info;
    info.format = 4;
    info.number = 7;
    fill(info, random, 0xBFFFFFFF);
    bench.write(whole_tile());
    for (unsigned lane = 0; lane < kLanes; ++lane) {
        double sum = 0;
        for (unsigned s = 0; s < 4; ++s)
            sum += number(source[lane][s][0]);
        EXPECT_EQ(number(bench.pixel(1, x(lane), y(lane))[0]), static_cast<float>(sum / 4));
    }
    info.number = 5;
    fill(info, random);
    bench.write(whole_tile());
    for (unsigned lane = 0; lane < kLanes; ++lane)
        EXPECT_EQ(bench.pixel(1, x(lane), y(lane))[0], source[lane][0][0]);
}

TEST_F(Resolves, SrgbIsAveragedAsCodesOrInLinearSpace) {
    std::mt19937 random(3);
    Info info;
    info.number = 6;
    fill(info, random);
    for (unsigned s = 0; s < 4; ++s)
        bench.set_pixel(0, 0, 0, {s < 2 ? 0xff0000ffu : 0xff000000u}, 0, s);
    bench.write(whole_tile());
    EXPECT_EQ(bench.pixel(1, 0, 0)[0], 0xff000080u);
    bench.set(si::CB_COLOR_CONTROL, kResolve | 8);  // DEGAMMA_ENABLE
    bench.write(whole_tile());
    EXPECT_EQ(bench.pixel(1, 0, 0)[0], 0xff0000bcu);
}

TEST_F(Resolves, MaskedComponentsAndUncoveredPixelsStay) {
    std::mt19937 random(4);
    fill(Info(), random);
    bench.set(si::CB_TARGET_MASK, 0x3);
    raster::ShadedBatch batch = whole_tile();
    batch.quads.coverage[5] = 0;
    for (unsigned lane = 0; lane < kLanes; ++lane)
        bench.set_pixel(1, x(lane), y(lane), {0x11223344});
    bench.write(batch);
    EXPECT_EQ(bench.pixel(1, x(5), y(5))[0], 0x11223344u);
    EXPECT_EQ(bench.pixel(1, x(6), y(6))[0] >> 16, 0x1122u);
    EXPECT_NE(bench.pixel(1, x(6), y(6))[0], 0x11223344u);
}

// Compressed, cleared tiles among the drawn: as the same draws without CMASK and FMASK.
TEST_F(Resolves, CompressedEqualsPlain) {
    std::mt19937 random(5);
    ColourBench plain, packed;
    Info info;
    plain.bind(0, info, ColourBench::kMacro, 1, 2, 2);
    info.compression = info.fast_clear = true;
    packed.bind(0, info, ColourBench::kMacro, 1, 2, 2);
    packed.set_cmask(0, 0);
    packed.set(si::CB_COLOR0_CLEAR_WORD0, 0xff804020);
    for (uint32_t y = 0; y < 8; ++y)
        for (uint32_t x = 0; x < 16; ++x)
            for (uint32_t s = 0; s < 4; ++s)
                plain.set_pixel(0, x, y, {0xff804020}, 0, s);
    plain.enable(0);
    packed.enable(0);
    for (unsigned draw = 0; draw < 10; ++draw) {
        raster::ShadedBatch batch = whole_tile();
        export_colour(batch, 0, 0.1f * draw, 0.5f, 1.0f - 0.1f * draw, 1);
        for (uint16_t& c : batch.quads.coverage)
            c = static_cast<uint16_t>(random() & random());
        plain.write(batch);
        packed.write(batch);
    }
    for (ColourBench* b : {&plain, &packed}) {
        b->bind(1, Info());
        b->set(si::PA_SC_AA_CONFIG, b == &plain ? 0 : 2);  // radv and radeonsi
        b->set(si::CB_COLOR_CONTROL, kResolve);
        b->write(whole_tile(0));
        b->write(whole_tile(8));
    }
    for (uint32_t y = 0; y < 8; ++y)
        for (uint32_t x = 0; x < 16; ++x)
            ASSERT_EQ(packed.pixel(1, x, y), plain.pixel(1, x, y));
    EXPECT_EQ(packed.pixel(1, 9, 3)[0], 0xff804020u);
}

}  // namespace
}  // namespace archipelago::cb
