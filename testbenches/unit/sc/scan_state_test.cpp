// SPDX-License-Identifier: Apache-2.0
// The effect of each register of the scan converter on the pixels that come out.
#include <gtest/gtest.h>

#include <string>

#include "models/common/error.h"
#include "scan_bench.h"

namespace archipelago::sc {
namespace {

void expect_stop(ScanBench& bench, const Primitive& p, StopKind kind, const std::string& text) {
    try {
        bench.scan(p);
        FAIL() << "nothing stopped; expected: " << text;
    } catch (const MachineStop& stop) {
        EXPECT_EQ(stop.kind(), kind);
        EXPECT_NE(std::string(stop.what()).find(text), std::string::npos) << stop.what();
    }
}

Primitive line(const Point& from, const Point& to) {
    Primitive p = polygon({from, to, to, from}, Primitive::Shape::Line);
    p.x_major = std::abs(to.x - from.x) >= std::abs(to.y - from.y);
    p.descending = p.x_major ? to.x < from.x : to.y < from.y;
    const int half = kSubpixels / 2;
    const int dx = p.x_major ? 0 : half;
    const int dy = p.x_major ? half : 0;
    p.corner = {Point{from.x - dx, from.y - dy}, Point{to.x - dx, to.y - dy},
                Point{to.x + dx, to.y + dy}, Point{from.x + dx, from.y + dy}};
    return p;
}

TEST(ScanState, EmptyAndInvertedScissorsLeaveNothing) {
    for (const uint32_t tl : {si::PA_SC_SCREEN_SCISSOR_TL, si::PA_SC_WINDOW_SCISSOR_TL,
                              si::PA_SC_GENERIC_SCISSOR_TL, si::PA_SC_VPORT_SCISSOR_0_TL})
        for (const bool inverted : {false, true}) {
            ScanBench bench;
            bench.set(si::PA_SC_MODE_CNTL_0, 2);
            bench.set(si::PA_SC_VPORT_SCISSOR_0_BR, 0x00400040);
            EXPECT_EQ(bench.scan(rectangle(0, 0, 64, 64)).size(), 4096u);
            bench.set(tl, inverted
                              ? 0x80200020 & (tl == si::PA_SC_SCREEN_SCISSOR_TL ? 0x7FFFFFFF : ~0u)
                              : 0x00100010);
            bench.set(tl + 4, 0x00100010);
            EXPECT_EQ(bench.scan(rectangle(0, 0, 64, 64)).size(), 0u) << std::hex << tl;
        }
}

TEST(ScanState, EdgesOnPixelCentresFollowTheRuleOfTheShape) {
    using Shape = Primitive::Shape;
    // 0xAAA6995A: points right and bottom in, rectangles left and bottom in, triangles left and
    // top.
    ScanBench bench;
    bench.set(si::PA_SC_EDGERULE, 0xAAA6995A);
    const auto covers = [&](Shape shape, int x, int y) {
        const Pixels pixels = bench.scan(rectangle(2.5, 2.5, 4.5, 4.5, shape));
        EXPECT_EQ(pixels.size(), 4u);
        EXPECT_EQ(pixels.count({x, y}) + pixels.count({x + 1, y + 1}), 2u);
    };
    covers(Shape::Triangle, 2, 2);
    covers(Shape::Rectangle, 2, 3);
    covers(Shape::Point, 3, 3);
    covers(Shape::Line, 2, 2);
    // 0xAA99AAAA: lines from left to right have the left end in, from right to left the right one.
    bench.set(si::PA_SC_EDGERULE, 0xAA99AAAA);
    EXPECT_EQ(bench.scan(line(pixel_point(2.5, 5.25), pixel_point(5.5, 5.25))).count({2, 5}), 1u);
    EXPECT_EQ(bench.scan(line(pixel_point(2.5, 5.25), pixel_point(5.5, 5.25))).count({5, 5}), 0u);
    EXPECT_EQ(bench.scan(line(pixel_point(5.5, 5.25), pixel_point(2.5, 5.25))).count({5, 5}), 1u);
    EXPECT_EQ(bench.scan(line(pixel_point(5.5, 5.25), pixel_point(2.5, 5.25))).count({2, 5}), 0u);
}

TEST(ScanState, WithoutMultisamplingTheCentreCoversAllSamples) {
    ScanBench bench;
    bench.samples(8);
    bench.set(si::PA_SC_MODE_CNTL_0, 0);
    const Pixels pixels = bench.scan(rectangle(1.25, 1.25, 3.25, 2));
    ASSERT_EQ(pixels.size(), 2u);
    EXPECT_EQ(pixels.at({1, 1}), 0xFF);
    EXPECT_EQ(pixels.at({2, 1}), 0xFF);
}

TEST(ScanState, MasksOfTheFourPixelsOfAQuadTakeSamplesAway) {
    ScanBench bench;
    bench.samples(4);
    bench.set(si::PA_SC_AA_MASK_X0Y0_X1Y0, 0xFFF2000F);
    bench.set(si::PA_SC_AA_MASK_X0Y1_X1Y1, 0x00040000);
    const Pixels pixels = bench.scan(rectangle(0, 0, 16, 16));
    EXPECT_EQ(pixels.size(), 3u * 64u);
    EXPECT_EQ(pixels.at({4, 6}), 0xF);
    EXPECT_EQ(pixels.at({5, 6}), 0x2);
    EXPECT_EQ(pixels.at({5, 7}), 0x4);
    bench.set(si::PA_SC_AA_MASK_X0Y0_X1Y0, 0);
    bench.set(si::PA_SC_AA_MASK_X0Y1_X1Y1, 0xFFF0FFF0);
    EXPECT_TRUE(bench.scan(rectangle(0, 0, 16, 16)).empty());
    EXPECT_EQ(bench.batches, 0u);
    // A mask of one sample of a single-sampled target.
    bench.samples(1);
    bench.set(si::PA_SC_AA_MASK_X0Y1_X1Y1, 0xFFFFFFFE);
    EXPECT_EQ(bench.scan(rectangle(0, 0, 16, 16)).size(), 64u);
}

TEST(ScanState, MultisampledRectanglesCoverSomeSamplesAtTheirBorder) {
    ScanBench bench;
    bench.samples(4);
    const Pixels pixels = bench.scan(rectangle(0, 0, 8.5, 8));
    EXPECT_EQ(pixels.at({7, 0}), 0xF);
    EXPECT_EQ(pixels.at({8, 0}), 0x5);  // (-2, -6) and (-6, 2)
}

TEST(ScanState, StippledLinesSkipPixels) {
    ScanBench bench;
    bench.set(si::PA_SC_MODE_CNTL_0, 4);
    const auto drawn = [&](const Primitive& p, bool along_x) {
        std::string text(32, '.');
        for (const auto& [at, coverage] : bench.scan(p))
            text[static_cast<size_t>(along_x ? at.first : at.second)] = '#';
        return text;
    };
    // Pattern 0x00F3, two pixels a bit: ####....######## then 16 pixels nothing.
    bench.set(si::PA_SC_LINE_STIPPLE, 0x000100F3);
    EXPECT_EQ(drawn(line(pixel_point(2.5, 3), pixel_point(30.5, 3)), true),
              "..####....########..............");
    EXPECT_EQ(drawn(line(pixel_point(3, 2.5), pixel_point(3, 30.5)), false),
              "..####....########..............");
    Primitive back = line(pixel_point(29.5, 3), pixel_point(0.5, 3));
    EXPECT_EQ(drawn(back, true), "..............########....###...");
    // Six pixels of the strip came before.
    back.stipple_start = 6;
    EXPECT_EQ(drawn(back, true), "####................########....");
    // The highest bit first.
    bench.set(si::PA_SC_LINE_STIPPLE, 0x1000CF00);
    EXPECT_EQ(drawn(line(pixel_point(2.5, 3), pixel_point(18.5, 3)), true),
              "..##..####......................");
    // Triangles are not stippled, nor are lines without the bit.
    EXPECT_EQ(bench.scan(rectangle(0, 0, 32, 1)).size(), 32u);
    bench.set(si::PA_SC_MODE_CNTL_0, 0);
    EXPECT_EQ(drawn(line(pixel_point(2.5, 3), pixel_point(18.5, 3)), true),
              "..################..............");
}

TEST(ScanState, TheStippleBeginsWithTheFirstCentre) {
    ScanBench bench;
    bench.set(si::PA_SC_MODE_CNTL_0, 4);
    bench.set(si::PA_SC_LINE_STIPPLE, 0x00000001);  // the first pixel of 16
    const auto first = [&](double from, double to) {
        const Pixels pixels = bench.scan(line(pixel_point(from, 3), pixel_point(to, 3)));
        EXPECT_EQ(pixels.size(), 1u);
        return pixels.empty() ? -1 : pixels.begin()->first.first;
    };
    EXPECT_EQ(first(2.25, 12), 2);
    EXPECT_EQ(first(2.5, 12), 2);
    EXPECT_EQ(first(2.75, 12), 3);
    EXPECT_EQ(first(12.75, 2), 12);
    EXPECT_EQ(first(12.25, 2), 11);
}

TEST(ScanState, DebuggingBitsKillAllPixels) {
    for (const uint32_t bit : {14u, 15u}) {
        ScanBench bench;
        bench.set(si::PA_SC_MODE_CNTL_1, 1u << bit);
        EXPECT_TRUE(bench.scan(rectangle(0, 0, 16, 16)).empty());
    }
    ScanBench bench;  // as drivers write it
    bench.set(si::PA_SC_MODE_CNTL_1, 0x760201BC);
    EXPECT_EQ(bench.scan(rectangle(0, 0, 16, 16)).size(), 256u);
}

TEST(ScanState, PrimitivesWithoutAreaOrWithCornersInOnePointAreTaken) {
    ScanBench bench;
    EXPECT_TRUE(bench.scan(polygon({{0, 0}, {4096, 4096}, {8192, 8192}})).empty());
    EXPECT_TRUE(bench.scan(polygon({{77, 77}, {77, 77}, {77, 77}})).empty());
    const Point a = pixel_point(0, 0);
    const Point b = pixel_point(8, 0);
    const Point c = pixel_point(8, 8);
    EXPECT_EQ(bench.scan(polygon({a, b, c, c})), bench.scan(polygon({a, b, c})));
    EXPECT_EQ(bench.scan(polygon({a, a, b, c})), bench.scan(polygon({a, b, c})));
}

TEST(ScanState, OtherKindsOfMessagesCoverNothing) {
    ScanBench bench;
    Primitive p = rectangle(0, 0, 8, 8);
    p.kind = Primitive::Kind::Event;
    EXPECT_TRUE(bench.scan(p).empty());
}

TEST(ScanState, UnsupportedStateStopsByName) {
    ScanBench bench;
    bench.set(si::PA_SC_AA_CONFIG, 7);
    expect_stop(bench, rectangle(0, 0, 8, 8), StopKind::BadInput,
                "PA_SC_AA_CONFIG.MSAA_NUM_SAMPLES");
    bench.set(si::PA_SC_AA_CONFIG, 0);
    bench.set(si::PA_SC_MODE_CNTL_1, 1u << 18);
    expect_stop(bench, rectangle(0, 0, 8, 8), StopKind::Unimplemented,
                "MULTI_GPU_SUPERTILE_ENABLE");
    bench.set(si::PA_SC_MODE_CNTL_1, 0);
    // A chip with two render back ends and the configuration of one with eight.
    bench.set(si::PA_SC_RASTER_CONFIG, 0x2A00126A);
    bench.rbs.present = 3;
    expect_stop(bench, rectangle(0, 0, 64, 64), StopKind::BadInput, "render back end");
}

}  // namespace
}  // namespace archipelago::sc
