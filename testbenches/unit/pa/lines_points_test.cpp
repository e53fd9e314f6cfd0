// SPDX-License-Identifier: Apache-2.0
// The polygons that points and lines cover. Pixels are those whose centres are inside, with left
// and top edges.
#include <algorithm>
#include <cmath>
#include <random>
#include <set>

#include "testbenches/unit/pa/pa_bench.h"

namespace archipelago::pa {
namespace {

using Pixels = std::set<std::pair<int, int>>;

Pixels pixels_of(const raster::Primitive& p) {
    Pixels pixels;
    int64_t turn = 0;
    for (unsigned k = 2; k < p.corners; ++k)
        turn += area_of(p.corner[0], p.corner[k - 1], p.corner[k]);
    for (int y = -4; y < 70; ++y)
        for (int x = -4; x < 70; ++x) {
            const raster::Point at{x * kPixel + kPixel / 2, y * kPixel + kPixel / 2};
            bool inside = true;
            for (unsigned k = 0; k < p.corners; ++k) {
                raster::Point a = p.corner[k], b = p.corner[(k + 1) % p.corners];
                if (turn < 0)
                    std::swap(a, b);
                const int64_t e = area_of(a, b, at);
                // Inside is positive: a left edge runs up, a top edge to the right.
                const bool included = b.y < a.y || (b.y == a.y && b.x > a.x);
                inside &= e > 0 || (e == 0 && included);
            }
            if (inside)
                pixels.insert({x, y});
        }
    return pixels;
}

Pixels line(PaBench& b, float x0, float y0, float x1, float y1) {
    const auto out = b.run(PaBench::window({{x0, y0, 0}, {x1, y1, 0}}));
    return out.empty() ? Pixels{} : pixels_of(out.at(0));
}

TEST(PaPoints, AreSquaresOfTheirSizeAroundTheVertex) {
    PaBench b;
    b.window_coordinates();
    b.set(si::PA_SU_POINT_SIZE, 0x0018'0028);  // width 3, height 5
    const auto out = b.run(PaBench::window({{10.5f, 20.5f, 0.25f}}));
    ASSERT_EQ(out.size(), 1u);
    const raster::Primitive& p = out[0];
    EXPECT_EQ(p.shape, raster::Primitive::Shape::Point);
    EXPECT_EQ(p.parameters.count, 1);
    EXPECT_EQ(p.corner[0].x, 9 * kPixel);
    EXPECT_EQ(p.corner[0].y, 18 * kPixel);
    EXPECT_EQ(p.corner[2].x, 12 * kPixel);
    EXPECT_EQ(p.corner[2].y, 23 * kPixel);
    EXPECT_EQ(pixels_of(p).size(), 15u);
    EXPECT_EQ(p.depth.z, 0.25);
    EXPECT_EQ(p.depth.dz_dx, 0);
}

TEST(PaPoints, BringTheirSizeWithinLimits) {
    PaBench b;
    b.set(si::SPI_SHADER_POS_FORMAT, 0x44);
    b.set(si::PA_CL_VS_OUT_CNTL, 0x0021'0000);
    b.set(si::PA_SU_POINT_MINMAX, 80u << 16 | 4);  // sizes 0.5 to 10
    const auto size = [&](float value) {
        Vertex v;
        v.more = {{bits_of(value), 0, 0, 0}};
        const auto out = b.run({v});
        return double(out.at(0).corner[1].x - out.at(0).corner[0].x) / kPixel;
    };
    EXPECT_EQ(size(4), 4);
    EXPECT_EQ(size(3.25f), 3.25);
    EXPECT_EQ(size(0), 0.5);
    EXPECT_EQ(size(-1), 0.5);
    EXPECT_EQ(size(NAN), 0.5);
    EXPECT_EQ(size(HUGE_VALF), 10);
    EXPECT_EQ(size(11), 10);
    b.set(si::PA_CL_VS_OUT_CNTL, 0x0020'0000);
    EXPECT_EQ(size(4), 1);
    b.set(si::PA_SU_POINT_SIZE, 0u);
    Vertex v;
    v.more = {{}};
    EXPECT_TRUE(b.run({v}).empty());
}

TEST(PaPoints, AreDroppedWithTheirVertex) {
    PaBench b;
    EXPECT_EQ(b.run(PaBench::clip_space({{0, 0, 0.9f, 1}})).size(), 1u);
    EXPECT_TRUE(b.run(PaBench::clip_space({{0, 0, 1.1f, 1}})).empty());
    EXPECT_TRUE(b.run(PaBench::clip_space({{1.1f, 0, 0, 1}})).empty());
    b.guard_band(100, 1.5f);
    EXPECT_EQ(b.run(PaBench::clip_space({{1.1f, 0, 0, 1}})).size(), 1u);
}

TEST(PaLines, HaveOnePixelForEachStepOfTheMajorAxis) {
    PaBench b;
    b.window_coordinates();
    std::mt19937 random(21);
    std::uniform_real_distribution<float> at(2, 60);
    for (unsigned round = 0; round < 300; ++round) {
        const float x0 = at(random), y0 = at(random), x1 = at(random), y1 = at(random);
        const auto out = b.run(PaBench::window({{x0, y0, 0}, {x1, y1, 0}}));
        ASSERT_EQ(out.size(), 1u);
        const bool x_major = std::abs(x1 - x0) >= std::abs(y1 - y0);
        EXPECT_EQ(out[0].x_major, x_major);
        EXPECT_EQ(out[0].descending, x_major ? x1 < x0 : y1 < y0);
        std::set<int> steps;
        const Pixels pixels = pixels_of(out[0]);
        for (const auto& p : pixels)
            steps.insert(x_major ? p.first : p.second);
        EXPECT_EQ(steps.size(), pixels.size());
        const float m0 = x_major ? std::min(x0, x1) : std::min(y0, y1);
        const float m1 = x_major ? std::max(x0, x1) : std::max(y0, y1);
        EXPECT_NEAR(double(pixels.size()), double(m1 - m0), 1.01);
    }
}

TEST(PaLines, JoinWithoutAGapOrACommonPixel) {
    PaBench b;
    b.window_coordinates();
    const Pixels first = line(b, 2.2f, 3.7f, 11.6f, 6.1f), second = line(b, 11.6f, 6.1f, 21, 9);
    for (int x = 2; x < 21; ++x) {
        unsigned hits = 0;
        for (int y = 0; y < 20; ++y)
            hits += unsigned(first.count({x, y}) + second.count({x, y}));
        EXPECT_EQ(hits, 1u) << x;
    }
}

TEST(PaLines, AreAsWideAsPaSuLineCntlSays) {
    PaBench b;
    b.window_coordinates();
    b.set(si::PA_SU_LINE_CNTL, 24u);  // 3 pixels
    const Pixels pixels = line(b, 4, 10.5f, 14, 10.5f);
    EXPECT_EQ(pixels.size(), 30u);
    EXPECT_TRUE(pixels.count({4, 9}) != 0 && pixels.count({13, 11}) != 0);
    b.set(si::PA_SU_LINE_CNTL, 0u);
    EXPECT_TRUE(line(b, 4, 10.5f, 14, 10.5f).empty());
}

TEST(PaLines, AreRectanglesWithMultisampling) {
    PaBench b;
    b.window_coordinates();
    b.set(si::PA_SU_LINE_CNTL, 16u);  // 2 pixels
    const auto diagonal = PaBench::window({{10, 10, 0}, {22, 26, 0}});
    const auto width = [&] {
        const auto out = b.run(diagonal);
        const raster::Primitive& p = out.at(0);
        // Distance between the long sides.
        return std::abs(double(area_of(p.corner[0], p.corner[1], p.corner[2]))) / kPixel / kPixel /
               20;
    };
    EXPECT_NEAR(width(), 2 * 0.8, 0.01);  // along y alone
    b.set(si::PA_SC_LINE_CNTL, 1u << 9);
    EXPECT_NEAR(width(), 2, 0.01);
    b.set(si::PA_SC_LINE_CNTL, 1u << 9 | 1u << 11);
    EXPECT_NEAR(width(), 2, 0.01);
    const auto out = b.run(diagonal);
    const raster::Point &a = out[0].corner[0], &d = out[0].corner[3];
    EXPECT_NEAR(double(d.x - a.x) * 12 + double(d.y - a.y) * 16, 0, 32);  // ends at right angles
}

TEST(PaLines, LastPixelIsDrawnWhenAsked) {
    PaBench b;
    b.window_coordinates();
    EXPECT_EQ(line(b, 2.5f, 5.5f, 9.5f, 5.5f).size(), 7u);
    b.set(si::PA_SC_LINE_CNTL, 1u << 10);
    const Pixels pixels = line(b, 2.5f, 5.5f, 9.5f, 5.5f);
    EXPECT_EQ(pixels.size(), 8u);
    EXPECT_EQ(pixels.count({9, 5}), 1u);
    EXPECT_EQ(line(b, 9.5f, 5.5f, 2.5f, 5.5f).count({2, 5}), 1u);
}

// OpenGL's rule: a pixel is drawn when the line leaves the diamond around its centre. Here with
// steps of 1/64 pixel along the line.
TEST(PaLines, DiamondTestDrawsThePixelsWhoseDiamondsTheLineLeaves) {
    PaBench b;
    b.window_coordinates();
    b.set(si::PA_SC_LINE_CNTL, 1u << 12);
    std::mt19937 random(22);
    for (unsigned round = 0; round < 300; ++round) {
        const auto coordinate = [&] { return 4 + float(random() % (40 * 64)) / 64 + 1 / 256.0f; };
        const float x0 = coordinate(), y0 = coordinate(), x1 = coordinate(), y1 = coordinate();
        const auto in_diamond = [](double x, double y) {
            return std::abs(x - std::floor(x) - 0.5) + std::abs(y - std::floor(y) - 0.5) < 0.5;
        };
        // Only its ends differ from the rule that counts centres along the major axis.
        const bool x_major = std::abs(x1 - x0) >= std::abs(y1 - y0);
        const Pixels pixels = line(b, x0, y0, x1, y1);
        const std::pair<int, int> first{int(x0), int(y0)}, last{int(x1), int(y1)};
        if (first == last)
            continue;
        EXPECT_TRUE(!in_diamond(x0, y0) || pixels.count(first) == 1)
            << x0 << " " << y0 << " to " << x1 << " " << y1;
        EXPECT_TRUE(!in_diamond(x1, y1) || pixels.count(last) == 0)
            << x0 << " " << y0 << " to " << x1 << " " << y1;
        std::set<int> steps;
        for (const auto& p : pixels)
            steps.insert(x_major ? p.first : p.second);
        EXPECT_EQ(steps.size(), pixels.size());
    }
}

TEST(PaLines, KeepValuesAcrossThem) {
    PaBench b;
    b.window_coordinates();
    const auto out = b.run(PaBench::window({{10, 10, 0.25f}, {20, 15, 0.75f}}));
    const raster::Primitive& p = out.at(0);
    EXPECT_EQ(p.parameters.count, 2);
    EXPECT_EQ(p.plane[1].i, 1);
    EXPECT_EQ(p.plane[2].i, 0);
    EXPECT_NEAR(p.depth.at_point(15 * kPixel, 12 * kPixel), 0.5, 1e-9);
    EXPECT_NEAR(p.depth.at_point(15 * kPixel, 14 * kPixel), 0.5, 1e-9);
}

TEST(PaLines, AreCutAtClipPlanes) {
    PaBench b;
    const auto out = b.run(PaBench::clip_space({{0, 0, 0, 1}, {0.5f, 0, 2, 1}}));
    ASSERT_EQ(out.size(), 1u);
    EXPECT_EQ(out[0].plane[1].at.x, 40 * kPixel);
    EXPECT_FLOAT_EQ(out[0].plane[1].i, 0.5f);
    EXPECT_TRUE(b.run(PaBench::clip_space({{0, 0, 2, 1}, {0.5f, 0, 3, 1}})).empty());
}

TEST(PaLines, StippleContinuesOverAStripAndBeginsAnewAsTheRegisterSays) {
    PaBench b;
    b.window_coordinates();
    b.field(b.map.PA_SC_MODE_CNTL_0.LINE_STIPPLE_ENABLE, 1);
    const auto starts = [&](unsigned reset) {
        b.setup.reset();
        b.field(b.map.PA_SC_LINE_STIPPLE.AUTO_RESET_CNTL, reset);
        std::vector<uint32_t> found;
        for (const bool first : {true, false, true}) {
            PrimitiveMessage message;
            message.first = first;
            found.push_back(
                b.run(PaBench::window({{2, 5, 0}, {12, 8, 0}}), message).at(0).stipple_start);
        }
        return found;
    };
    EXPECT_EQ(starts(0), (std::vector<uint32_t>{0, 10, 20}));
    EXPECT_EQ(starts(1), (std::vector<uint32_t>{0, 0, 0}));
    EXPECT_EQ(starts(2), (std::vector<uint32_t>{0, 10, 0}));
}

}  // namespace
}  // namespace archipelago::pa
