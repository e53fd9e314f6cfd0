// SPDX-License-Identifier: Apache-2.0
// Batches of quads into targets: masks, layers, samples, CMASK and FMASK.
#include "models/cb/colour_unit.h"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "colour_bench.h"
#include "models/cb/target_write.h"
#include "models/common/error.h"

namespace archipelago::cb {
namespace {

using Dwords = std::array<uint32_t, 4>;

raster::ShadedBatch random_batch(std::mt19937& random, uint32_t x, uint32_t y) {
    raster::ShadedBatch batch = whole_tile(x, y);
    for (unsigned lane = 0; lane < kLanes; ++lane) {
        batch.quads.coverage[lane] = static_cast<uint16_t>(random());
        if (random() % 4 == 0)
            batch.quads.coverage[lane] = 0;
        if (random() % 4 == 0)
            batch.quads.coverage[lane] = 0xFFFF;
    }
    auto& data = export_to(batch, 0).data;
    for (auto& component : data)
        for (uint32_t& v : component)
            v = bits(std::uniform_real_distribution<float>(0, 1)(random));
    return batch;
}

std::string refusal(ColourBench& bench, const raster::ShadedBatch& batch) {
    try {
        bench.write(batch);
    } catch (const MachineStop& stop) {
        return stop.what();
    }
    return "";
}

TEST(ColourUnits, CoveredPixelsOfEverySizeAndTiling) {
    std::mt19937 random(1);
    for (const uint32_t tiling : {ColourBench::kLinear, ColourBench::kMicro, ColourBench::kMacro})
        for (const uint32_t format : {1u, 2u, 4u, 11u, 14u}) {
            ColourBench bench;
            Info info;
            info.format = format;
            info.number = 4;
            bench.bind(0, info, tiling);
            bench.enable(0);
            raster::ShadedBatch batch = random_batch(random, 24, 8);
            for (auto& component : batch.exports.colour[0].data)
                for (uint32_t& v : component)
                    v &= format == 1 ? 0xFF : format == 2 ? 0xFFFF : ~0u;
            bench.write(batch);
            const unsigned components = format == 11 ? 2 : format == 14 ? 4 : 1;
            for (unsigned lane = 0; lane < kLanes; ++lane) {
                Dwords expected{};
                if (batch.quads.coverage[lane] != 0)
                    for (unsigned c = 0; c < components; ++c)
                        expected[c] = batch.exports.colour[0].data[c][lane];
                EXPECT_EQ(bench.pixel(0, batch.quads.x_of(lane), batch.quads.y_of(lane)), expected);
            }
            // Nothing else has been touched.
            EXPECT_EQ(bench.pixel(0, 23, 8), Dwords{});
            EXPECT_EQ(bench.pixel(0, 32, 15), Dwords{});
        }
}

TEST(ColourUnits, FetchesALineOnceForItsPixels) {
    ColourBench bench;
    bench.bind(0, Info());
    bench.enable(0);
    raster::ShadedBatch batch = whole_tile();
    export_colour(batch, 0, 1, 0, 0, 1);
    bench.write(batch);
    EXPECT_EQ(bench.memory.reads, 0u);
    EXPECT_LE(bench.memory.writes, 8u);  // 256 bytes; quads of a row of a tile alternate lines
}

TEST(ColourUnits, TargetMaskKeepsComponentsAndShaderMaskFillsThem) {
    ColourBench bench;
    Info info;
    info.swap = 1;  // BGRA
    bench.bind(0, info);
    bench.enable(0);
    bench.set(si::CB_TARGET_MASK, 0x9);
    raster::ShadedBatch batch = whole_tile();
    export_colour(batch, 0, 1, 1, 1, 0);
    bench.set_pixel(0, 1, 1, {0x12345678});
    bench.write(batch);
    EXPECT_EQ(bench.pixel(0, 1, 1)[0], 0x00ff5678u);
    bench.set(si::CB_TARGET_MASK, 0xF);
    bench.set(si::CB_SHADER_MASK, 0x2);
    bench.write(batch);
    EXPECT_EQ(bench.pixel(0, 1, 1)[0], 0xff00ff00u);
    bench.set(si::CB_SHADER_MASK, 0xF);
    bench.set(si::SPI_SHADER_COL_FORMAT, 1);  // 32_R
    bench.write(batch);
    EXPECT_EQ(bench.pixel(0, 1, 1)[0], 0xffff0000u);
    // Of integer targets the absent alpha is 1.
    info.number = 4;
    bench.bind(0, info);
    bench.write(batch);
    EXPECT_EQ(bench.pixel(0, 1, 1)[0], 0x01ff0000u);
}

TEST(ColourUnits, EachTargetHasItsExport) {
    ColourBench bench;
    raster::ShadedBatch batch = whole_tile();
    for (unsigned n = 0; n < kTargets; ++n) {
        Info info;
        info.format = 4;
        info.number = 4;
        bench.bind(n, info);
        bench.enable(n);
        export_to(batch, n).data[0].fill(100 + n);
    }
    bench.write(batch);
    for (unsigned n = 0; n < kTargets; ++n)
        EXPECT_EQ(bench.pixel(n, 7, 7)[0], 100 + n);
}

// radeonsi clears target 1 by export 0; between targets without an export there are no holes.
TEST(ColourUnits, ExportsAreNumberedOverTheShadersTargets) {
    ColourBench bench;
    Info info;
    info.format = 4;
    info.number = 4;
    for (const unsigned n : {1u, 2u, 6u}) {
        bench.bind(n, info);
        bench.enable(n);
    }
    bench.set(si::CB_SHADER_MASK, 0x0F0000F0);
    bench.set(si::SPI_SHADER_COL_FORMAT, 0x99);
    raster::ShadedBatch batch = whole_tile();
    export_to(batch, 0).data[0].fill(100);
    export_to(batch, 1).data[0].fill(106);
    bench.write(batch);
    EXPECT_EQ(bench.pixel(1, 7, 7)[0], 100u);
    EXPECT_EQ(bench.pixel(2, 7, 7)[0], 0u);
    EXPECT_EQ(bench.pixel(6, 7, 7)[0], 106u);
}

TEST(ColourUnits, HalvesReachAHalfFloatTargetAsTheyAre) {
    ColourBench bench;
    Info info;
    info.format = 12;
    info.number = 7;
    info.round = 1;
    bench.bind(0, info);
    bench.enable(0, 4);
    raster::ShadedBatch batch = whole_tile();
    std::mt19937 random(3);
    auto& data = export_to(batch, 0, true).data;
    for (unsigned run = 0; run < 200; ++run) {
        for (unsigned lane = 0; lane < kLanes; ++lane)
            for (unsigned d = 0; d < 2; ++d)
                data[d][lane] = static_cast<uint32_t>(random());
        bench.write(batch);
        for (unsigned lane = 0; lane < kLanes; ++lane) {
            const Dwords p = bench.pixel(0, batch.quads.x_of(lane), batch.quads.y_of(lane));
            EXPECT_EQ(p, (Dwords{data[0][lane], data[1][lane], 0, 0}));
        }
    }
}

TEST(ColourUnits, BlendsWithMemory) {
    ColourBench bench;
    Info info;
    info.clamp = true;
    bench.bind(0, info);
    bench.enable(0);
    bench.set(si::CB_BLEND0_CONTROL, 0x40000504);  // SRC_ALPHA, 1 - SRC_ALPHA
    std::mt19937 random(4);
    for (unsigned run = 0; run < 50; ++run) {
        raster::ShadedBatch batch = random_batch(random, 0, 0);
        std::array<uint32_t, kLanes> before{};
        for (unsigned lane = 0; lane < kLanes; ++lane) {
            before[lane] = static_cast<uint32_t>(random());
            bench.set_pixel(0, batch.quads.x_of(lane), batch.quads.y_of(lane), {before[lane]});
        }
        bench.write(batch);
        const auto& data = batch.exports.colour[0].data;
        for (unsigned lane = 0; lane < kLanes; ++lane)
            for (unsigned c = 0; c < 4; ++c) {
                const double a = number(data[3][lane]);
                const double d = (before[lane] >> 8 * c & 255) / 255.0;
                double expected = number(data[c][lane]) * a + d * (1 - a);
                if (batch.quads.coverage[lane] == 0)
                    expected = d;
                const uint32_t got =
                    bench.pixel(0, batch.quads.x_of(lane), batch.quads.y_of(lane))[0];
                EXPECT_NEAR(got >> 8 * c & 255, expected * 255, 0.501);
            }
    }
}

TEST(ColourUnits, DestinationAlphaAndTheSecondSource) {
    ColourBench bench;
    Info info;
    info.clamp = true;
    bench.bind(0, info);
    bench.enable(0);
    bench.enable(1);
    bench.set(si::CB_TARGET_MASK, 0xF);
    raster::ShadedBatch batch = whole_tile();
    export_colour(batch, 0, 1, 1, 1, 1);
    export_colour(batch, 1, 0, 0.2f, 0.4f, 0.6f);
    bench.set(si::CB_BLEND0_CONTROL, 0x4000000F);  // SRC1_COLOR, ZERO
    bench.write(batch);
    EXPECT_EQ(bench.pixel(0, 0, 0)[0], 0x99663300u);
    bench.set(si::CB_BLEND0_CONTROL, 0x40000006);  // DST_ALPHA, ZERO
    bench.write(batch);
    EXPECT_EQ(bench.pixel(0, 0, 0)[0], 0x99999999u);
    bench.set(si::CB_COLOR0_ATTRIB, 13 | 1u << 17);  // FORCE_DST_ALPHA_1
    bench.write(batch);
    EXPECT_EQ(bench.pixel(0, 0, 0)[0], 0xffffffffu);
    info.format = 16;  // no alpha in memory: it is 1
    bench.bind(0, info);
    bench.write(batch);
    EXPECT_EQ(bench.pixel(0, 0, 0)[0], 0xffffu);
}

TEST(ColourUnits, SrgbBlendsInLinearSpace) {
    ColourBench bench;
    Info info;
    info.number = 6;
    info.clamp = true;
    bench.bind(0, info);
    bench.enable(0);
    raster::ShadedBatch batch = whole_tile();
    export_colour(batch, 0, 0.5f, 0, 1, 0.5f);
    bench.write(batch);
    EXPECT_EQ(bench.pixel(0, 3, 3)[0], 0x80ff00bcu);
    bench.set(si::CB_BLEND0_CONTROL, 0x40000101);  // ONE, ONE
    export_colour(batch, 0, 0.5f, 0.21586f, 0, 0);
    bench.write(batch);
    EXPECT_EQ(bench.pixel(0, 3, 3)[0], 0x80ff80ffu);
}

TEST(ColourUnits, SnormIsClampedTo0UnderBlendClamp) {
    ColourBench bench;
    Info info;
    info.number = 1;
    raster::ShadedBatch batch = whole_tile();
    export_colour(batch, 0, -1, -0.25f, 0.25f, 2);
    for (const bool clamp : {false, true}) {
        info.clamp = clamp;
        bench.bind(0, info);
        bench.enable(0);
        bench.write(batch);
        EXPECT_EQ(bench.pixel(0, 0, 0)[0], clamp ? 0x7f200000u : 0x7f20e081u);
    }
    bench.set(si::CB_BLEND0_CONTROL, 0x40000181);  // destination - source
    bench.write(batch);
    EXPECT_EQ(bench.pixel(0, 0, 0)[0], 0x00000000u);
}

TEST(ColourUnits, RasterOperationsWorkOnConvertedBits) {
    ColourBench bench;
    Info info;
    info.number = 4;
    bench.bind(0, info);
    bench.enable(0);
    raster::ShadedBatch batch = whole_tile();
    auto& data = export_to(batch, 0).data;
    for (unsigned c = 0; c < 4; ++c)
        data[c].fill(0x31 + 0x42 * c);
    const uint32_t s = 0xF7B57331, d = 0x5A3C0FF1;
    for (uint32_t code = 0; code < 256; ++code) {
        bench.set(si::CB_COLOR_CONTROL, code << 16 | 0x10);
        bench.set_pixel(0, 5, 2, {d});
        bench.write(batch);
        uint32_t expected = 0;
        for (unsigned b = 0; b < 32; ++b) {
            const uint32_t sb = s >> b & 1, db = d >> b & 1;
            expected |= (code >> (sb << 2 | sb << 1 | db) & 1) << b;
        }
        EXPECT_EQ(bench.pixel(0, 5, 2)[0], expected) << code;
    }
}

TEST(ColourUnits, LayersBeyondTheViewAreDropped) {
    ColourBench bench;
    Info info;
    info.format = 4;
    info.number = 4;
    bench.bind(0, info, ColourBench::kMacro, 8);
    bench.enable(0);
    bench.set(si::CB_COLOR0_VIEW, 2 | 5u << 13);
    raster::ShadedBatch batch = whole_tile();
    for (uint16_t layer = 0; layer < 8; ++layer) {
        batch.quads.primitive.layer = layer;
        export_to(batch, 0).data[0].fill(layer + 1u);
        bench.write(batch);
    }
    for (uint32_t slice = 2; slice < 6; ++slice)
        EXPECT_EQ(bench.pixel(0, 0, 0, slice)[0], slice - 1);
    EXPECT_EQ(bench.memory.lines.size(), 4u * 4);  // four slices of a tile of 256 bytes
}

TEST(ColourUnits, WhatIsRefused) {
    ColourBench bench;
    bench.bind(0, Info());
    bench.enable(0);
    raster::ShadedBatch batch = whole_tile(64, 0);
    batch.quads.primitive.draw = 9;
    EXPECT_EQ(refusal(bench, batch),
              "draw 9, CB_COLOR0: pixel (64, 0) is outside of the surface of 64 x 64");
    batch = whole_tile(0, 64);
    EXPECT_NE(refusal(bench, batch), "");
    batch.quads.coverage.fill(0);
    EXPECT_EQ(refusal(bench, batch), "");
    batch = whole_tile();
    EXPECT_EQ(refusal(bench, batch),
              "draw 1: its pixel shader exports nothing to MRT 0, for which "
              "SPI_SHADER_COL_FORMAT has a format");
    batch.quads.killed = true;
    EXPECT_EQ(refusal(bench, batch), "");
    EXPECT_TRUE(bench.memory.lines.empty());
}

TEST(ColourUnits, CoverageWithFewerAndMoreSamplesThanTheTarget) {
    EXPECT_EQ(covered_samples(0x5, 4, 4), 0x5);
    EXPECT_EQ(covered_samples(0x1, 1, 4), 0xF);
    EXPECT_EQ(covered_samples(0xF0, 1, 4), 0x0);
    EXPECT_EQ(covered_samples(0x2, 2, 8), 0xAA);
    EXPECT_EQ(covered_samples(0x8, 4, 1), 0x1);
    EXPECT_EQ(covered_samples(0x8, 4, 2), 0x2);
    EXPECT_EQ(covered_samples(0x8000, 16, 8), 0x80);
}

// ---- metadata
// -----------------------------------------------------------------------------------

// Clears and draws: a target with CMASK after its elimination is one that was cleared by writes.
TEST(FastClears, EliminatedEqualWritten) {
    std::mt19937 random(6);
    for (const uint32_t tiling : {ColourBench::kMicro, ColourBench::kMacro})
        for (const bool linear_cmask : {false, true}) {
            ColourBench with, without;
            Info info;
            info.clamp = true;
            without.bind(0, info, tiling);
            info.fast_clear = true;
            with.bind(0, info, tiling);
            if (linear_cmask)
                with.set(si::CB_COLOR0_INFO, info.word() | 1u << 19);
            with.set(si::CB_COLOR0_CLEAR_WORD0, 0x80402010);
            with.set_cmask(0, 0);
            for (uint32_t y = 0; y < ColourBench::kSide; ++y)
                for (uint32_t x = 0; x < ColourBench::kSide; ++x)
                    without.set_pixel(0, x, y, {0x80402010});
            for (ColourBench* bench : {&with, &without}) {
                bench->enable(0);
                bench->set(si::CB_BLEND0_CONTROL, 0x40000504);
            }
            for (unsigned draw = 0; draw < 20; ++draw) {
                const auto batch = random_batch(random, random() % 8 * 8, random() % 8 * 8);
                with.write(batch);
                without.write(batch);
            }
            EXPECT_EQ(with.cmask(0, 0, 0) % 15, 0);
            with.set(si::CB_COLOR_CONTROL, 0x00CC0020);
            for (uint32_t tile = 0; tile < 64; ++tile) {
                raster::ShadedBatch batch = whole_tile(tile % 8 * 8, tile / 8 * 8);
                with.write(batch);
                EXPECT_EQ(with.cmask(0, tile % 8 * 8, tile / 8 * 8), 0xF);
            }
            for (uint32_t y = 0; y < ColourBench::kSide; ++y)
                for (uint32_t x = 0; x < ColourBench::kSide; ++x)
                    ASSERT_EQ(with.pixel(0, x, y), without.pixel(0, x, y));
        }
}

TEST(FastClears, CodesThatAreNotKnown) {
    ColourBench bench;
    Info info;
    info.fast_clear = true;
    bench.bind(0, info);
    bench.enable(0);
    bench.set_cmask(0, 5);
    raster::ShadedBatch batch = whole_tile();
    export_colour(batch, 0, 1, 1, 1, 1);
    EXPECT_EQ(refusal(bench, batch), "CB_COLOR0_CMASK: code 5, a tile that is cleared in part");
    info.format = 14;
    info.number = 7;
    bench.bind(0, info);
    bench.set_cmask(0, 0);
    EXPECT_NE(refusal(bench, batch).find("128 bits"), std::string::npos);
}

struct Samples {
    uint32_t samples, fragments;  // log2
};

// Random draws into two multisampled targets, one of them compressed.
class Compressed : public ::testing::TestWithParam<Samples> {
  protected:
    void draw(std::mt19937& random, bool blend, bool keeps, bool clears) {
        Info info;
        info.clamp = true;
        plain.bind(0, info, ColourBench::kMacro, 1, GetParam().samples, GetParam().fragments);
        info.compression = true;
        info.fast_clear = true;
        info.keeps_fmask = keeps;
        packed.bind(0, info, ColourBench::kMacro, 1, GetParam().samples, GetParam().fragments);
        packed.set_cmask(0, clears ? 0 : 0xC);
        for (ColourBench* bench : {&plain, &packed}) {
            bench->enable(0);
            bench->set(si::CB_BLEND0_CONTROL, blend ? 0x40000504 : 0);
        }
        for (unsigned n = 0; n < 30; ++n) {
            const auto batch = random_batch(random, n % 2 * 8, 8);
            plain.write(batch);
            packed.write(batch);
        }
    }
    void rewrite(uint32_t mode) {
        packed.set(si::CB_COLOR_CONTROL, 0x00CC0000 | mode << 4);
        for (const uint32_t x : {0u, 8u})
            packed.write(whole_tile(x, 8));
    }
    ColourBench plain, packed;
};

TEST_P(Compressed, DecompressedEqualsPlain) {
    std::mt19937 random(7);
    for (unsigned run = 0; run < 8; ++run) {
        plain = ColourBench();
        packed = ColourBench();
        draw(random, (run & 1) != 0, (run & 2) != 0, (run & 4) != 0);
        rewrite(4);
        for (uint32_t x = 0; x < 16; ++x)
            for (uint32_t y = 8; y < 16; ++y)
                for (uint32_t s = 0; s < 1u << GetParam().samples; ++s)
                    ASSERT_EQ(packed.pixel(0, x, y, 0, s), plain.pixel(0, x, y, 0, s));
        EXPECT_EQ(packed.cmask(0, 3, 9), 0xF);
    }
}

// As a shader reads a sample: its fragment from FMASK, then the fragment.
TEST_P(Compressed, FmaskSaysWhereSamplesAre) {
    std::mt19937 random(8);
    for (unsigned run = 0; run < 8; ++run) {
        plain = ColourBench();
        packed = ColourBench();
        draw(random, (run & 1) != 0, (run & 2) != 0, (run & 4) != 0);
        rewrite(5);
        const Target t = packed.bound(0);
        for (uint32_t x = 0; x < 16; ++x)
            for (uint32_t y = 8; y < 16; ++y) {
                uint64_t element = 0;
                const uint64_t at = surface::byte_address(t.fmask, x, y, 0);
                std::memcpy(&element, packed.memory.line(line_of(at), false) + at % kLineBytes,
                            t.fmask_format.element_bytes());
                const unsigned width = GetParam().samples == 1   ? 1
                                       : GetParam().samples == 2 ? 2
                                                                 : 4;
                for (uint32_t s = 0; s < 1u << GetParam().samples; ++s) {
                    const auto f =
                        static_cast<uint32_t>(element >> (width * s) & ((1u << width) - 1));
                    ASSERT_EQ(packed.pixel(0, x, y, 0, f), plain.pixel(0, x, y, 0, s));
                }
            }
    }
}
INSTANTIATE_TEST_SUITE_P(Samples, Compressed,
                         ::testing::Values(Samples{1, 1}, Samples{2, 2}, Samples{3, 3}));

TEST(Fragments, WholePixelsLeaveTheTileAtOneFragment) {
    ColourBench bench;
    Info info;
    info.compression = true;
    info.fast_clear = true;
    bench.bind(0, info, ColourBench::kMacro, 1, 2, 2);
    bench.enable(0);
    bench.set_cmask(0, 0xC);
    raster::ShadedBatch batch = whole_tile();
    export_colour(batch, 0, 1, 0, 0, 1);
    bench.write(batch);
    EXPECT_EQ(bench.cmask(0, 0, 0), 0xC);
    EXPECT_EQ(bench.pixel(0, 0, 0, 0, 0)[0], 0xff0000ffu);
    EXPECT_EQ(bench.pixel(0, 0, 0, 0, 1)[0], 0u);
    batch.quads.coverage.fill(0x2);
    bench.write(batch);
    EXPECT_EQ(bench.cmask(0, 0, 0), 0xF);
    EXPECT_EQ(bench.pixel(0, 0, 0, 0, 1)[0], 0xff0000ffu);
}

// A quad for each sample of a pixel, in one batch.
TEST(Fragments, ShaderRunsOfEachSample) {
    for (const bool compression : {false, true}) {
        ColourBench bench;
        Info info;
        info.format = 4;
        info.number = 4;
        info.compression = compression;
        info.fast_clear = compression;
        bench.bind(0, info, ColourBench::kMacro, 1, 2, 2);
        bench.enable(0);
        bench.set_cmask(0, 0xC);
        raster::ShadedBatch batch = whole_tile();
        auto& data = export_to(batch, 0).data;
        for (unsigned q = 0; q < 16; ++q) {
            batch.quads.x[q] = static_cast<uint16_t>(q / 4 * 2);
            batch.quads.y[q] = 0;
            for (unsigned lane = 4 * q; lane < 4 * q + 4; ++lane) {
                batch.quads.coverage[lane] = static_cast<uint16_t>(1u << q % 4);
                data[0][lane] = 1000 + lane;
            }
        }
        bench.write(batch);
        bench.set(si::CB_COLOR_CONTROL, 0x00CC0040);
        bench.write(whole_tile());
        for (unsigned lane = 0; lane < kLanes; ++lane)
            EXPECT_EQ(
                bench.pixel(0, batch.quads.x_of(lane), batch.quads.y_of(lane), 0, lane / 4 % 4)[0],
                1000 + lane);
    }
}

}  // namespace
}  // namespace archipelago::cb
