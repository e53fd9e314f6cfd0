// SPDX-License-Identifier: Apache-2.0
// Quads become waves, and exports of waves go back to the quads: nothing is lost, doubled or out of
// order.
#include "models/spi/pixel_packer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <tuple>

#include "models/common/error.h"
#include "models/spi/pixel_exports.h"
#include "testbenches/unit/spi/pixel_bench.h"

namespace archipelago::spi::pixel_packer_test {
namespace {

namespace r = regs::si;

StageProgram shader() {
    StageProgram p;
    p.color_formats = 4;
    return p;
}

// A pixel, or one of its samples, as it is written: in the order of arrival.
struct Write {
    unsigned x, y, coverage;
    uint32_t primitive;
    unsigned rb;
    uint32_t colour = 0;
    bool operator==(const Write& o) const {
        return std::tie(x, y, coverage, primitive, rb, colour) ==
               std::tie(o.x, o.y, o.coverage, o.primitive, o.rb, o.colour);
    }
};

uint32_t colour_of(unsigned x, unsigned y, uint32_t primitive, unsigned sample) {
    return x | y << 10 | primitive << 20 | sample << 28;
}

// A shader that exports a number of its pixel, and takes note of what its waves are.
struct Shaders {
    PixelExportBuffer colours;
    std::vector<unsigned> quads;  // of each wave
    std::vector<Write> written;
    uint32_t waves = 0;
    raster::ShadedBatch batch;

    void run(PixelPacker& packer) {
        const PixelWave& wave = packer.finish();
        PackedWave& packed = *packer.packed();
        quads.push_back(packed.quads);
        EXPECT_EQ(primitive_starts(wave), static_cast<int>(packed.primitives.size()));
        ExportMessage m;
        m.wave.stage = ShaderStage::Ps;
        m.wave.dispatch = packed.draw;
        m.wave.group = packed.wave = waves++;
        m.done = m.valid_mask = true;
        m.enabled = 15;
        m.exec = wave.live;
        for (unsigned lane = 0; lane < 4u * packed.quads; ++lane)
            m.data[0][lane] = colour_of(
                packed.x[lane / 4] + (lane & 1), packed.y[lane / 4] + (lane >> 1 & 1),
                packed.primitives[packed.primitive[lane / 4]].number, packed.sample[lane / 4]);
        colours.open(packer.packed(), shader());
        packer.clear();
        colours.take(m);
        colours.ended(m.wave.dispatch, m.wave.group);
        while (colours.ready()) {
            colours.next(batch);
            write();
        }
    }
    static int primitive_starts(const PixelWave& wave) {
        return __builtin_popcountll(wave.new_primitive | 1);
    }
    void write() {
        const raster::QuadBatch& q = batch.quads;
        EXPECT_EQ(batch.exports.colours, 1u);
        for (unsigned lane = 0; lane < 4u * q.quads; ++lane)
            if (q.coverage[lane] != 0 && (batch.exports.valid >> lane & 1) != 0)
                written.push_back({q.x_of(lane), q.y_of(lane), q.coverage[lane], q.primitive.number,
                                   q.rb, batch.exports.colour.at(0).data[0][lane]});
    }
    void add(PixelPacker& packer, const raster::QuadBatch& batch, const PixelInputs& inputs) {
        while (!packer.add(batch, inputs))
            run(packer);
        if (packer.full())
            run(packer);
    }
};

raster::QuadBatch random_batch(std::mt19937& random, uint32_t number, unsigned samples) {
    const raster::Primitive p =
        triangle({{{1.0 * number, 2, 1}, {90, 10, 4}, {20, 80, 2}}}, number);
    raster::QuadBatch batch =
        batch_of(p, 8 * (random() % 16), 8 * (random() % 16), 1 + random() % 16);
    batch.rb = static_cast<uint8_t>(random() % 4);
    batch.depth_done = random() % 2 != 0;
    for (unsigned q = 0; q < batch.quads; ++q) {
        for (unsigned k = 0; k < 4; ++k)
            batch.coverage[4 * q + k] = static_cast<uint16_t>(random() % (1u << samples));
        batch.coverage[4 * q + random() % 4] |= 1;
    }
    return batch;
}

void expect_writes(const raster::QuadBatch& b, unsigned runs, std::vector<Write>& expected) {
    for (unsigned q = 0; q < b.quads; ++q)
        for (unsigned run = 0; run < runs; ++run)
            for (unsigned lane = 4 * q; lane < 4 * q + 4; ++lane) {
                unsigned mask = 0;
                for (unsigned s = run; s < 16; s += runs)
                    mask |= 1u << s;
                if ((b.coverage[lane] & mask) != 0)
                    expected.push_back(
                        {b.x_of(lane), b.y_of(lane), b.coverage[lane] & mask, b.primitive.number,
                         b.rb, colour_of(b.x_of(lane), b.y_of(lane), b.primitive.number, run)});
            }
}

TEST(PixelPacker, EveryCoveredSampleComesBackOnceInOrderAndWavesAreFull) {
    std::mt19937 random(3);
    for (unsigned n = 0; n < 60; ++n) {
        const unsigned log2 = random() % 4, iteration = random() % (log2 + 1);
        PixelRegisters registers;
        registers.set(r::SPI_PS_INPUT_ENA, 2);
        std::vector<std::pair<int, int>> at(1u << log2);
        for (auto& [x, y] : at)
            x = y = static_cast<int>(random() % 16) - 8;
        registers.samples(at);
        registers.set(r::PA_SC_MODE_CNTL_1, iteration != 0 ? 1 << 16 : 0);
        registers.set(r::DB_EQAA, iteration << 4);
        const PixelInputs inputs = registers.decode();
        PixelPacker packer;
        Shaders shaders;
        std::vector<Write> expected;
        uint32_t number = 0;
        for (unsigned b = 0; b < 40; ++b) {
            number += random() % 2;
            const raster::QuadBatch batch = random_batch(random, number, 1u << log2);
            expect_writes(batch, 1u << iteration, expected);
            shaders.add(packer, batch, inputs);
        }
        if (!packer.empty())
            shaders.run(packer);
        EXPECT_EQ(shaders.written, expected);
        for (size_t wave = 0; wave + 1 < shaders.quads.size(); ++wave)
            EXPECT_EQ(shaders.quads[wave], 16u);
    }
}

TEST(PixelPacker, SixteenPrimitivesShareAWaveAndTilesOfOneAreOnePrimitive) {
    PixelRegisters registers;
    registers.set(r::SPI_PS_INPUT_ENA, 2);
    const PixelInputs inputs = registers.decode();
    PixelPacker packer;
    for (uint32_t n = 0; n < 16; ++n) {
        const raster::Primitive p = triangle({{{1.0 * n, 0, 1}, {90, 0, 1}, {0, 90, 1}}}, n);
        ASSERT_TRUE(packer.add(batch_of(p, 8 * n, 8, 1), inputs));
    }
    const PixelWave& wave = packer.finish();
    EXPECT_EQ(wave.new_primitive, 0x1111111111111111u);
    for (uint32_t n = 0; n < 16; ++n)
        EXPECT_EQ(wave.primitive[n].wave[0], n);
    packer.clear();
    const raster::Primitive p = triangle({{{0, 0, 1}, {90, 0, 1}, {0, 90, 1}}});
    for (unsigned tile = 0; tile < 4; ++tile) {
        raster::QuadBatch batch = batch_of(p, 8 * tile, 8, 4);
        batch.rb = static_cast<uint8_t>(tile);
        ASSERT_TRUE(packer.add(batch, inputs));
    }
    EXPECT_EQ(packer.finish().new_primitive, 1u);
    packer.clear();
    // The same triangle twice is two primitives.
    raster::Primitive again = p;
    ++again.number;
    ASSERT_TRUE(packer.add(batch_of(p, 8, 8, 1), inputs));
    ASSERT_TRUE(packer.add(batch_of(again, 8, 8, 1), inputs));
    EXPECT_EQ(packer.finish().new_primitive, 0x11u);
}

TEST(PixelPacker, AnotherDrawDoesNotJoinTheWave) {
    PixelRegisters registers;
    registers.set(r::SPI_PS_INPUT_ENA, 2);
    const PixelInputs inputs = registers.decode();
    PixelPacker packer;
    raster::Primitive p = triangle({{{0, 0, 1}, {90, 0, 1}, {0, 90, 1}}});
    ASSERT_TRUE(packer.add(batch_of(p, 8, 8, 3), inputs));
    p.draw = 2;
    EXPECT_FALSE(packer.add(batch_of(p, 8, 8, 3), inputs));
    EXPECT_EQ(packer.packed()->quads, 3);
    packer.finish();
    packer.clear();
    EXPECT_TRUE(packer.add(batch_of(p, 8, 8, 3), inputs));
    EXPECT_EQ(packer.draw(), 2u);
}

TEST(PixelPacker, SamplePositionsAndNumbersFollowTheRunsOfTheShader) {
    PixelRegisters registers;
    registers.samples({{-2, -6}, {6, -2}, {-6, 2}, {2, 6}});
    registers.set(r::SPI_PS_INPUT_ENA, 0x2302);
    registers.set(r::SPI_BARYC_CNTL, 2 << 16);
    registers.set(r::PA_SC_MODE_CNTL_1, 1 << 16);
    registers.set(r::DB_EQAA, 2 << 4);
    const PixelInputs inputs = registers.decode();
    PixelPacker packer;
    const raster::Primitive p = triangle({{{0, 0, 1}, {90, 0, 1}, {0, 90, 1}}});
    ASSERT_TRUE(packer.add(batch_of(p, 24, 16, 1, 15), inputs));
    const PixelWave& wave = packer.finish();
    const int x[] = {-2, 6, -6, 2}, y[] = {-6, -2, 2, 6};
    for (unsigned run = 0; run < 4; ++run) {
        EXPECT_EQ(as_float(wave.input[first_element(PixelInput::PosX)][4 * run]),
                  24.5f + static_cast<float>(x[run]) / 16);
        EXPECT_EQ(as_float(wave.input[first_element(PixelInput::PosY)][4 * run]),
                  16.5f + static_cast<float>(y[run]) / 16);
        EXPECT_EQ(wave.input[first_element(PixelInput::Ancillary)][4 * run], run << 8);
        EXPECT_EQ(packer.packed()->coverage[4 * run], 1u << run);
    }
}

// ---- exports ----

struct Exporting {
    PixelExportBuffer colours;
    raster::ShadedBatch batch;
    explicit Exporting(const StageProgram& program = shader()) { open(2, 2, program); }
    // A wave of so many quads of a primitive; the last one may have been killed.
    void open(uint32_t wave, unsigned quads, const StageProgram& program = shader(),
              bool killed = false) {
        auto packed = std::make_unique<PackedWave>();
        packed->draw = 4;
        packed->wave = wave;
        packed->quads = static_cast<uint8_t>(quads);
        packed->primitives.resize(1);
        packed->coverage.fill(1);
        packed->x.fill(static_cast<uint16_t>(8 * (wave - 2)));
        packed->killed[quads - 1] = killed;
        colours.open(packed, program);
    }
    static ExportMessage message(unsigned target, bool done) {
        ExportMessage m;
        m.wave.stage = ShaderStage::Ps;
        m.wave.dispatch = 4;
        m.wave.group = 2;
        m.target = static_cast<uint8_t>(target);
        m.enabled = 15;
        m.done = done;
        for (unsigned k = 0; k < 4; ++k)
            m.data[k].fill(100 * target + k);
        return m;
    }
    std::string refused(const std::vector<ExportMessage>& messages) {
        try {
            for (const ExportMessage& m : messages)
                colours.take(m);
            colours.ended(4, 2);
        } catch (const MachineStop& stop) {
            EXPECT_EQ(stop.kind(), StopKind::BadInput);
            return stop.what();
        }
        return {};
    }
};

TEST(PixelExports, TargetsKeepWhatTheyWereGiven) {
    Exporting e;
    ExportMessage packed = Exporting::message(5, false);
    packed.compressed = true;
    packed.enabled = 3;
    ExportMessage last = Exporting::message(8, true);
    last.valid_mask = true;
    last.exec = 0x5;
    EXPECT_EQ(e.refused({Exporting::message(2, false), packed, last}), "");
    ASSERT_TRUE(e.colours.ready());
    EXPECT_TRUE(e.colours.next(e.batch));
    const raster::PixelExports& x = e.batch.exports;
    EXPECT_EQ(x.colours, 1u << 2 | 1u << 5);
    EXPECT_EQ(x.colour.size(), 6u);
    EXPECT_EQ(x.colour[2].data[3][7], 203u);
    EXPECT_FALSE(x.colour[2].compressed);
    EXPECT_TRUE(x.colour[5].compressed);
    EXPECT_EQ(x.colour[5].enabled, 3);
    EXPECT_EQ(x.colour[3].enabled, 0);
    EXPECT_TRUE(x.has_depth);
    EXPECT_EQ(x.depth.data[0][0], 800u);
    EXPECT_EQ(x.valid, 0x5u);
}

TEST(PixelExports, WithoutAFormatTheValidMaskIsIgnored) {
    Exporting e{StageProgram{}};
    ExportMessage last = Exporting::message(9, true);
    last.valid_mask = true;
    last.exec = 0;
    EXPECT_EQ(e.refused({last}), "");
    e.colours.next(e.batch);
    EXPECT_EQ(e.batch.exports.valid, ~uint64_t{0});
    EXPECT_EQ(e.batch.exports.colours, 0);
    EXPECT_TRUE(e.batch.exports.colour.empty());
}

TEST(PixelExports, CoverageOfWhatTheHierarchicalTestHasFailedIsEmpty) {
    Exporting e;
    e.open(3, 2, shader(), true);
    EXPECT_EQ(e.refused({Exporting::message(0, true)}), "");
    ExportMessage m = Exporting::message(0, true);
    m.wave.group = 3;
    e.colours.take(m);
    e.colours.ended(4, 3);
    EXPECT_TRUE(e.colours.next(e.batch));
    EXPECT_FALSE(e.colours.next(e.batch));
    EXPECT_EQ(e.batch.quads.quads, 1);
    EXPECT_EQ(e.batch.quads.covered(), 0xFu);
    EXPECT_TRUE(e.colours.next(e.batch));
    EXPECT_TRUE(e.batch.quads.killed);
    EXPECT_EQ(e.batch.quads.covered(), 0u);
    EXPECT_TRUE(e.colours.empty());
}

TEST(PixelExports, WavesLeaveInTheOrderInWhichTheyWerePacked) {
    Exporting e;
    e.open(3, 1);
    ExportMessage m = Exporting::message(0, true);
    m.wave.group = 3;
    e.colours.take(m);
    e.colours.ended(4, 3);
    EXPECT_FALSE(e.colours.ready());
    EXPECT_EQ(e.refused({Exporting::message(0, true)}), "");
    ASSERT_TRUE(e.colours.ready());
    EXPECT_TRUE(e.colours.next(e.batch));
    EXPECT_EQ(e.batch.quads.x[0], 0);
    ASSERT_TRUE(e.colours.ready());
    EXPECT_TRUE(e.colours.next(e.batch));
    EXPECT_EQ(e.batch.quads.x[0], 8);
}

TEST(PixelExports, WhatAPixelShaderMayNotDoIsNamed) {
    using ::testing::HasSubstr;
    const auto m = Exporting::message;
    EXPECT_THAT(Exporting().refused({}), HasSubstr("ps4.w2"));
    EXPECT_THAT(Exporting().refused({}), HasSubstr("ended without an export"));
    EXPECT_THAT(Exporting().refused({m(0, false)}), HasSubstr("ended without its last"));
    EXPECT_THAT(Exporting().refused({m(3, false), m(3, true)}), HasSubstr("MRT3 twice"));
    EXPECT_THAT(Exporting().refused({m(8, false), m(8, true)}), HasSubstr("MRTZ twice"));
    EXPECT_THAT(Exporting().refused({m(0, true), m(1, true)}), HasSubstr("MRT1 after its last"));
    EXPECT_THAT(Exporting().refused({m(12, true)}), HasSubstr("target 12, which is a vertex's"));
}

}  // namespace
}  // namespace archipelago::spi::pixel_packer_test
