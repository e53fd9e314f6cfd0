// SPDX-License-Identifier: Apache-2.0
// The inputs of pixel waves against plain arithmetic on the triangle they are made of.
#include "models/spi/pixel_inputs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <random>

#include "models/common/error.h"
#include "testbenches/unit/spi/pixel_bench.h"

namespace archipelago::spi::pixel_inputs_test {
namespace {

namespace r = regs::si;

// One wave of one batch.
PixelWave pack(const PixelRegisters& registers, const raster::QuadBatch& batch) {
    const PixelInputs inputs = registers.decode();
    PixelPacker packer;
    EXPECT_TRUE(packer.add(batch, inputs));
    return packer.finish();
}

float input(const PixelWave& wave, PixelInput which, unsigned lane, unsigned element = 0) {
    return as_float(wave.input[first_element(which) + element][lane]);
}

// What the wave holds is compared with areas of the triangle's parts.
struct Oracle {
    std::array<Corner, 3> corner;
    struct Values {
        double linear_i, linear_j, i, j, inverse_w;
    };
    static double area(double ax, double ay, double bx, double by, double cx, double cy) {
        return (bx - ax) * (cy - ay) - (cx - ax) * (by - ay);
    }
    Values at(double x, double y) const {
        const auto& c = corner;
        const double whole = area(c[0].x, c[0].y, c[1].x, c[1].y, c[2].x, c[2].y);
        const double b1 = area(c[0].x, c[0].y, x, y, c[2].x, c[2].y) / whole;
        const double b2 = area(c[0].x, c[0].y, c[1].x, c[1].y, x, y) / whole;
        const double b0 = 1 - b1 - b2;
        const double inverse_w = b0 / c[0].w + b1 / c[1].w + b2 / c[2].w;
        return {b1, b2, b1 / c[1].w / inverse_w, b2 / c[2].w / inverse_w, inverse_w};
    }
};

Oracle random_triangle(std::mt19937& random) {
    std::uniform_int_distribution<int> position(-64 * 256, 128 * 256);
    std::uniform_real_distribution<double> w(0.5, 20);
    Oracle o{};
    do {
        for (Corner& c : o.corner)
            c = {position(random) / 256.0, position(random) / 256.0, w(random)};
    } while (std::abs(Oracle::area(o.corner[0].x, o.corner[0].y, o.corner[1].x, o.corner[1].y,
                                   o.corner[2].x, o.corner[2].y)) < 200);
    return o;
}

TEST(PixelInputs, BarycentricsAreThoseOfTheTriangleAtTheCentres) {
    std::mt19937 random(1);
    PixelRegisters registers;
    registers.set(r::SPI_PS_INPUT_ENA, 0x7F);
    for (unsigned n = 0; n < 500; ++n) {
        const Oracle oracle = random_triangle(random);
        const raster::QuadBatch batch =
            batch_of(triangle(oracle.corner), 8 * (random() % 8), 8 * (random() % 8));
        const PixelWave wave = pack(registers, batch);
        for (unsigned lane = 0; lane < 64; ++lane) {
            const Oracle::Values v = oracle.at(batch.x_of(lane) + 0.5, batch.y_of(lane) + 0.5);
            if (v.inverse_w < 0.02)
                continue;  // a helper pixel beyond the eye
            const double scale = 1 + std::abs(v.i) + std::abs(v.j);
            for (const PixelInput which :
                 {PixelInput::PerspSample, PixelInput::PerspCenter, PixelInput::PerspCentroid}) {
                EXPECT_NEAR(input(wave, which, lane, 0), v.i, 2e-5 * scale);
                EXPECT_NEAR(input(wave, which, lane, 1), v.j, 2e-5 * scale);
            }
            EXPECT_NEAR(input(wave, PixelInput::PerspPullModel, lane, 0), v.i * v.inverse_w, 2e-5);
            EXPECT_NEAR(input(wave, PixelInput::PerspPullModel, lane, 1), v.j * v.inverse_w, 2e-5);
            EXPECT_NEAR(input(wave, PixelInput::PerspPullModel, lane, 2), v.inverse_w, 2e-5);
            for (const PixelInput which :
                 {PixelInput::LinearSample, PixelInput::LinearCenter, PixelInput::LinearCentroid}) {
                EXPECT_NEAR(input(wave, which, lane, 0), v.linear_i, 2e-5 * scale);
                EXPECT_NEAR(input(wave, which, lane, 1), v.linear_j, 2e-5 * scale);
            }
        }
    }
}

const std::vector<std::pair<int, int>> kFour = {{-2, -6}, {6, -2}, {-6, 2}, {2, 6}};

TEST(PixelInputs, TheCentroidIsTheFirstCoveredSampleAndTheCentreOfWholePixels) {
    const Oracle oracle{{{{1, 2, 1}, {90, 10, 4}, {20, 80, 2}}}};
    PixelRegisters registers;
    registers.samples(kFour);
    registers.set(r::SPI_PS_INPUT_ENA, 0x66);
    for (unsigned coverage = 0; coverage < 16; ++coverage) {
        raster::QuadBatch batch =
            batch_of(triangle(oracle.corner), 24, 16, 4, static_cast<uint16_t>(coverage));
        batch.coverage[0] = 1;
        const PixelWave wave = pack(registers, batch);
        double dx = 0, dy = 0;
        if (coverage != 0 && coverage != 15) {
            const auto [x, y] = kFour[static_cast<unsigned>(__builtin_ctz(coverage))];
            dx = x / 16.0;
            dy = y / 16.0;
        }
        const Oracle::Values centroid = oracle.at(25.5 + dx, 16.5 + dy);
        const Oracle::Values centre = oracle.at(25.5, 16.5);
        EXPECT_NEAR(input(wave, PixelInput::PerspCentroid, 1, 0), centroid.i, 1e-5);
        EXPECT_NEAR(input(wave, PixelInput::LinearCentroid, 1, 1), centroid.linear_j, 1e-5);
        EXPECT_NEAR(input(wave, PixelInput::PerspCenter, 1, 0), centre.i, 1e-5);
    }
}

TEST(PixelInputs, AWaveOfWholePixelsSaysThatItsCentroidsAreCentres) {
    PixelRegisters registers;
    registers.samples(kFour);
    registers.set(r::SPI_PS_INPUT_ENA, 0x6);
    const raster::Primitive p = triangle({{{0, 0, 1}, {90, 0, 1}, {0, 90, 1}}});
    EXPECT_TRUE(pack(registers, batch_of(p, 8, 8, 16, 15)).centroid_at_centre);
    EXPECT_FALSE(pack(registers, batch_of(p, 8, 8, 16, 7)).centroid_at_centre);
    registers.set(r::SPI_PS_IN_CONTROL, 1 << 14);  // BC_OPTIMIZE_DISABLE
    EXPECT_FALSE(pack(registers, batch_of(p, 8, 8, 16, 15)).centroid_at_centre);
    registers.set(r::SPI_PS_IN_CONTROL, 0);
    registers.set(r::SPI_PS_INPUT_ENA, 0x42);  // not both of one kind
    EXPECT_FALSE(pack(registers, batch_of(p, 8, 8, 16, 15)).centroid_at_centre);
}

TEST(PixelInputs, LocationsFollowTheirControls) {
    const Oracle oracle{{{{1, 2, 1}, {90, 10, 4}, {20, 80, 2}}}};
    PixelRegisters registers;
    registers.samples(kFour);
    registers.set(r::SPI_PS_INPUT_ENA, 0x366);
    registers.set(r::SPI_BARYC_CNTL, 1 | 1 << 4 | 1 << 8 | 1 << 12 | 1 << 16);
    const raster::QuadBatch batch = batch_of(triangle(oracle.corner), 24, 16, 1, 2);
    const PixelWave wave = pack(registers, batch);
    const Oracle::Values centroid = oracle.at(24.5 + 6 / 16.0, 16.5 - 2 / 16.0);
    const Oracle::Values centre = oracle.at(24.5, 16.5);
    EXPECT_NEAR(input(wave, PixelInput::PerspCenter, 0), centroid.i, 1e-5);
    EXPECT_NEAR(input(wave, PixelInput::PerspCentroid, 0), centre.i, 1e-5);
    EXPECT_NEAR(input(wave, PixelInput::LinearCenter, 0), centroid.linear_i, 1e-5);
    EXPECT_NEAR(input(wave, PixelInput::LinearCentroid, 0), centre.linear_i, 1e-5);
    EXPECT_EQ(input(wave, PixelInput::PosX, 0), 24.5f + 6 / 16.0f);
    EXPECT_EQ(input(wave, PixelInput::PosY, 0), 16.5f - 2 / 16.0f);
    registers.set(r::SPI_BARYC_CNTL, 1 << 16 | 1 << 20);  // POS_FLOAT_ULC
    EXPECT_EQ(input(pack(registers, batch), PixelInput::PosX, 3), 25.0f);
    EXPECT_EQ(input(pack(registers, batch), PixelInput::PosY, 3), 17.0f);
    registers.set(r::SPI_BARYC_CNTL, 3 << 16);
    try {
        registers.decode();
        ADD_FAILURE() << "accepted";
    } catch (const MachineStop& stop) {
        EXPECT_THAT(stop.what(), ::testing::HasSubstr("SPI_BARYC_CNTL.POS_FLOAT_LOCATION is 3"));
    }
}

TEST(PixelInputs, PositionDepthAndWAreThoseOfTheWindow) {
    std::mt19937 random(2);
    PixelRegisters registers;
    registers.set(r::SPI_PS_INPUT_ENA, 0xF02);
    for (unsigned n = 0; n < 200; ++n) {
        const Oracle oracle = random_triangle(random);
        raster::Primitive p = triangle(oracle.corner);
        p.depth.at = p.plane[0].at;
        p.depth.z = 0.25;
        p.depth.dz_dx = 0.001;
        p.depth.dz_dy = -0.0003;
        const raster::QuadBatch batch = batch_of(p, 8 * (random() % 8), 8 * (random() % 8));
        const PixelWave wave = pack(registers, batch);
        for (unsigned lane = 0; lane < 64; ++lane) {
            const double x = batch.x_of(lane) + 0.5, y = batch.y_of(lane) + 0.5;
            EXPECT_EQ(input(wave, PixelInput::PosX, lane), x);
            EXPECT_EQ(input(wave, PixelInput::PosY, lane), y);
            EXPECT_NEAR(input(wave, PixelInput::PosZ, lane),
                        0.25 + 0.001 * (x - oracle.corner[0].x) - 0.0003 * (y - oracle.corner[0].y),
                        1e-6);
            const double inverse_w = oracle.at(x, y).inverse_w;
            if (inverse_w > 0.02) {
                EXPECT_NEAR(input(wave, PixelInput::PosW, lane) * inverse_w, 1, 1e-4);
            }
        }
    }
}

// Near and far w far apart: the far end keeps its precision.
TEST(PixelInputs, PerspectiveIsExactWhereVerticesAreAtVeryDifferentDistances) {
    const Oracle oracle{{{{-4000, 0, 0.001}, {60, 0, 1000}, {60, 60, 1000}}}};
    PixelRegisters registers;
    registers.set(r::SPI_PS_INPUT_ENA, 2);
    const raster::QuadBatch batch = batch_of(triangle(oracle.corner), 48, 16);
    const PixelWave wave = pack(registers, batch);
    for (unsigned lane = 0; lane < 64; ++lane) {
        const Oracle::Values v = oracle.at(batch.x_of(lane) + 0.5, batch.y_of(lane) + 0.5);
        EXPECT_NEAR(input(wave, PixelInput::PerspCenter, lane, 0), v.i, 1e-5);
        EXPECT_NEAR(input(wave, PixelInput::PerspCenter, lane, 1), v.j, 1e-5);
    }
}

TEST(PixelInputs, WordsAreFaceLayerSampleCoverageAndPixel) {
    PixelRegisters registers;
    registers.samples(kFour);
    registers.set(r::SPI_PS_INPUT_ENA, 0xF002);
    raster::Primitive p = triangle({{{0, 0, 1}, {90, 0, 1}, {0, 90, 1}}});
    p.layer = 0x5A5;
    const auto word = [&](PixelInput which, unsigned lane) {
        return pack(registers, batch_of(p, 24, 16, 2, 0xB)).input[first_element(which)][lane];
    };
    EXPECT_EQ(word(PixelInput::Ancillary, 3), 0x5A5u << 16);
    EXPECT_EQ(word(PixelInput::SampleCoverage, 5), 0xBu);
    EXPECT_EQ(word(PixelInput::PosFixedPt, 7), 27u | 17u << 16);
    EXPECT_EQ(word(PixelInput::FrontFace, 0), 0x3F800000u);
    p.back_facing = true;
    EXPECT_EQ(word(PixelInput::FrontFace, 0), 0xBF800000u);
    registers.set(r::SPI_BARYC_CNTL, 1 << 24);  // FRONT_FACE_ALL_BITS
    EXPECT_EQ(word(PixelInput::FrontFace, 0), 0u);
    p.back_facing = false;
    EXPECT_EQ(word(PixelInput::FrontFace, 0), ~0u);
}

TEST(PixelInputs, OfAPointIAndJRunOverItsSquareAndWIsTheVertexs) {
    PixelRegisters registers;
    registers.set(r::SPI_PS_INPUT_ENA, 0x822);
    raster::Primitive p;
    p.draw = 1;
    p.shape = raster::Primitive::Shape::Point;
    p.parameters.count = 1;
    p.corners = 4;
    p.corner = {at_pixel(24, 16), at_pixel(32, 16), at_pixel(32, 24), at_pixel(24, 24)};
    for (raster::PlaneVertex& v : p.plane) {
        v.at = at_pixel(28, 20);
        v.inverse_w = 0.5f;
    }
    p.w = 2;
    const PixelWave wave = pack(registers, batch_of(p, 24, 16));
    for (unsigned lane = 0; lane < 64; ++lane) {
        const double s = (2 * (lane / 4 % 4) + (lane & 1) + 0.5) / 8;
        const double t = (2 * (lane / 16) + (lane >> 1 & 1) + 0.5) / 8;
        for (const PixelInput which : {PixelInput::PerspCenter, PixelInput::LinearCenter}) {
            EXPECT_NEAR(input(wave, which, lane, 0), s, 1e-6);
            EXPECT_NEAR(input(wave, which, lane, 1), t, 1e-6);
        }
        EXPECT_EQ(input(wave, PixelInput::PosW, lane), 2.0f);
    }
}

TEST(PixelInputs, LineStippleCountsPixelsOfTheMajorAxisFromThePatternsStart) {
    PixelRegisters registers;
    registers.set(r::SPI_PS_INPUT_ENA, 0xA0);
    raster::Primitive p = triangle({{{40, 20, 1}, {20, 24, 1}, {40, 21, 1}}});
    p.shape = raster::Primitive::Shape::Line;
    p.x_major = true;
    p.descending = true;
    p.stipple_start = 7;
    const PixelWave wave = pack(registers, batch_of(p, 24, 16));
    EXPECT_EQ(input(wave, PixelInput::LineStippleTex, 5), 7 + 40 - 27.5f);
}

TEST(PixelInputs, LanesAfterTheLastQuadAreZero) {
    PixelRegisters registers;
    registers.set(r::SPI_PS_INPUT_ENA, 0xFFFF);
    const PixelInputs inputs = registers.decode();
    const raster::Primitive p = triangle({{{1, 2, 1}, {90, 10, 4}, {20, 80, 2}}});
    PixelPacker packer;
    ASSERT_TRUE(packer.add(batch_of(p, 24, 16), inputs));
    packer.finish();
    packer.clear();
    ASSERT_TRUE(packer.add(batch_of(p, 24, 16, 3), inputs));
    const PixelWave& wave = packer.finish();
    for (const auto& values : wave.input)
        for (unsigned lane = 12; lane < 64; ++lane)
            EXPECT_EQ(values[lane], 0u);
    EXPECT_EQ(wave.live, 0xFFFu);
}

}  // namespace
}  // namespace archipelago::spi::pixel_inputs_test
