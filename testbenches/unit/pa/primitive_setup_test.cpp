// SPDX-License-Identifier: Apache-2.0
// Facing, culling, provoking vertices, polygon mode, polygon offset, what vertices select.
#include <algorithm>
#include <cmath>
#include <random>
#include <set>

#include "testbenches/unit/pa/pa_bench.h"

namespace archipelago::pa {
namespace {

using Shape = raster::Primitive::Shape;

std::vector<Vertex> some_triangle() {
    return PaBench::window({{10, 10, 0.5f}, {20, 10, 0.5f}, {10, 30, 0.5f}});
}

// By integers that the grid has, so the sign of the area is exact.
TEST(PaFacing, IsTheSignOfTheExactAreaAndDecidesCulling) {
    std::mt19937 random(11);
    for (unsigned round = 0; round < 4000; ++round) {
        PaBench b;
        b.window_coordinates();
        const unsigned face = random() % 2, cull = random() % 4;
        b.set(si::PA_SU_SC_MODE_CNTL, cull | face << 2);
        // Small steps: many areas are 0 or next to it.
        std::array<std::array<int64_t, 2>, 3> p;
        std::vector<std::array<float, 3>> xyz;
        for (auto& v : p) {
            v = {int64_t(random() % 8), int64_t(random() % 8)};
            xyz.push_back({v[0] / 256.0f, v[1] / 256.0f, 0});
        }
        const int64_t area =
            (p[1][0] - p[0][0]) * (p[2][1] - p[0][1]) - (p[2][0] - p[0][0]) * (p[1][1] - p[0][1]);
        const bool front = face == 0 ? area < 0 : area > 0;
        const bool seen = area != 0 && (cull >> (front ? 0 : 1) & 1) == 0;
        const auto out = b.run(PaBench::window(xyz));
        ASSERT_EQ(out.size(), seen ? 1u : 0u);
        ASSERT_TRUE(!seen || out[0].back_facing == !front);
        ASSERT_TRUE(area != 0 || cull != 0 || b.counters.zero_area == 1);
    }
}

TEST(PaFacing, RectanglesHaveOneFaceAndAreNotCulled) {
    PaBench b;
    b.window_coordinates();
    b.set(si::PA_SU_SC_MODE_CNTL, 3u);
    PrimitiveMessage message;
    message.rectangle = true;
    const auto out = b.run(PaBench::window({{2, 3, 0}, {2, 9, 0.5f}, {12, 3, 0.25f}}), message);
    ASSERT_EQ(out.size(), 1u);
    EXPECT_EQ(out[0].shape, Shape::Rectangle);
    ASSERT_EQ(out[0].corners, 4);
    std::set<std::pair<int, int>> corners;
    for (const raster::Point& c : out[0].corner)
        corners.insert({c.x / kPixel, c.y / kPixel});
    EXPECT_EQ(corners, (std::set<std::pair<int, int>>{{2, 3}, {2, 9}, {12, 3}, {12, 9}}));
    // In order around it.
    EXPECT_EQ(out[0].corner[2].x, 12 * kPixel);
    EXPECT_EQ(out[0].corner[2].y, 9 * kPixel);
    EXPECT_NEAR(out[0].depth.at_point(12 * kPixel, 9 * kPixel), 0.75, 1e-12);
    EXPECT_EQ(out[0].plane[1].i, 1);
    EXPECT_EQ(out[0].plane[1].at.y, 9 * kPixel);
    EXPECT_EQ(out[0].plane[2].j, 1);
}

TEST(PaFacing, AClippedRectangleIsCoveredByItsPieces) {
    PaBench b;
    b.guard_band(1, 1);
    PrimitiveMessage message;
    message.rectangle = true;
    const auto out =
        b.run(PaBench::clip_space({{0, 0, 0, 1}, {0, 2, 0, 1}, {2, 0, 0, 1}}), message);
    double area = 0;
    for (const raster::Primitive& p : out) {
        EXPECT_EQ(p.shape, Shape::Rectangle);
        EXPECT_EQ(p.corners, 3);
        area += std::abs(double(area_of(p.corner[0], p.corner[1], p.corner[2]))) / 2;
    }
    EXPECT_EQ(area / kPixel / kPixel, 32 * 32);
}

TEST(PaParameters, TheProvokingVertexComesFirst) {
    for (const unsigned last : {0u, 1u}) {
        PaBench b;
        b.window_coordinates();
        b.field(b.map.PA_SU_SC_MODE_CNTL.PROVOKING_VTX_LAST, last);
        const auto out = b.run(some_triangle());
        ASSERT_EQ(out.size(), 1u);
        const raster::Primitive& p = out[0];
        EXPECT_EQ(p.parameters.count, 3);
        EXPECT_EQ(p.parameters.wave[0], 5u);
        const std::array<uint8_t, 3> lanes =
            last != 0 ? std::array<uint8_t, 3>{6, 0, 3} : std::array<uint8_t, 3>{0, 3, 6};
        EXPECT_EQ(p.parameters.lane, lanes);
        // Plane vertex n is parameter vertex n.
        const raster::Point of_lane[3] = {p.corner[0], p.corner[1], p.corner[2]};
        for (unsigned n = 0; n < 3; ++n) {
            EXPECT_EQ(p.plane[n].at.x, of_lane[lanes[n] / 3].x);
            EXPECT_EQ(p.plane[n].at.y, of_lane[lanes[n] / 3].y);
            EXPECT_EQ(p.plane[n].i, n == 1 ? 1 : 0);
            EXPECT_EQ(p.plane[n].linear_j, n == 2 ? 1 : 0);
        }
        const auto line = b.run(PaBench::window({{1, 1, 0}, {9, 1, 0}}));
        ASSERT_EQ(line.size(), 1u);
        EXPECT_EQ(line[0].parameters.lane[0], last != 0 ? 3 : 0);
        EXPECT_EQ(line[0].plane[0].at.x, kPixel);  // a line begins at its first vertex
        EXPECT_EQ(line[0].plane[0].i, last != 0 ? 1 : 0);
    }
}

TEST(PaParameters, PerspectiveCorrectionCanBeOff) {
    PaBench b;
    const auto vertices = PaBench::clip_space({{0, 0, 0, 1}, {1, 0, 0, 2}, {0, 1, 0, 4}});
    EXPECT_EQ(b.run(vertices)[0].plane[2].inverse_w, 0.25f);
    b.field(b.map.PA_SU_SC_MODE_CNTL.PERSP_CORR_DIS, 1);
    EXPECT_EQ(b.run(vertices)[0].plane[2].inverse_w, 1);
}

TEST(PaParameters, LayerAndViewportAreTheProvokingVertexs) {
    PaBench b;
    b.set(si::SPI_SHADER_POS_FORMAT, 0x44);
    b.set(si::PA_CL_VS_OUT_CNTL, 0x002C'0000);
    for (unsigned n = 0; n < 16; ++n)
        b.viewport(n, {1, 1, 1}, {float(n), 0, 0});
    const auto run = [&](uint32_t layer, uint32_t viewport) {
        auto v = PaBench::clip_space({{0, 0, 0, 1}, {1, 0, 0, 1}, {0, 1, 0, 1}});
        for (Vertex& vertex : v)
            vertex.more = {{0, 0, 1, 2}};
        v[0].more[0][2] = layer;
        v[0].more[0][3] = viewport;
        return b.run(v);
    };
    auto out = run(5 | 0x800, 15);  // the layer has 11 bits
    ASSERT_EQ(out.size(), 1u);
    EXPECT_EQ(out[0].layer, 5);
    EXPECT_EQ(out[0].viewport, 15);
    EXPECT_EQ(out[0].corner[0].x, 15 * kPixel);
    EXPECT_EQ(run(0, 16)[0].viewport, 0);
    b.set(si::PA_CL_VS_OUT_CNTL, 0x0020'0000);
    out = run(5, 3);
    EXPECT_EQ(out[0].layer, 0);
    EXPECT_EQ(out[0].viewport, 0);
}

TEST(PaParameters, EveryPrimitiveIsNumberedAndReleasesWaves) {
    PaBench b;
    b.window_coordinates();
    PrimitiveMessage message;
    const auto vertices = some_triangle();
    EXPECT_EQ(b.run(vertices, message)[0].free_through, 0u);
    message.end_of_packet = true;
    EXPECT_EQ(b.run(vertices, message)[0].free_through, 6u);
    EXPECT_EQ(b.setup.free_through(), 6u);
    // Culled: the caller says it on.
    b.field(b.map.PA_SU_SC_MODE_CNTL.CULL_FRONT, 1);
    EXPECT_TRUE(b.run(vertices, message).empty());
    EXPECT_EQ(b.setup.free_through(), 6u);
    EXPECT_EQ(b.counters.front_face, 1u);
}

TEST(PaPolygonMode, DrawsTheEdgesAndCornersThatTheirFlagsShow) {
    PaBench b;
    b.set(si::SPI_SHADER_POS_FORMAT, 0x44);
    b.set(si::PA_CL_VS_OUT_CNTL, 0x0022'0000);  // edge flags
    b.window_coordinates();
    const auto run = [&](unsigned front, unsigned back, unsigned flags, unsigned inner) {
        b.set(si::PA_SU_SC_MODE_CNTL, 4u | 1u << 3 | front << 5 | back << 8);
        auto v = some_triangle();
        for (unsigned n = 0; n < 3; ++n)
            v[n].more = {{0, flags >> n & 1, 0, 0}};
        PrimitiveMessage message;
        message.inner_edges = static_cast<uint8_t>(inner);
        return b.run(v, message);
    };
    EXPECT_EQ(run(2, 0, 7, 0).size(), 1u);
    EXPECT_EQ(run(2, 0, 7, 0)[0].shape, Shape::Triangle);
    const auto lines = run(1, 2, 7, 0);
    ASSERT_EQ(lines.size(), 3u);
    EXPECT_EQ(lines[0].shape, Shape::Line);
    EXPECT_EQ(lines[0].parameters.count, 3);
    EXPECT_EQ(lines[1].plane[0].i, 1);  // from vertex 1
    EXPECT_EQ(lines[1].plane[1].j, 1);  // to vertex 2
    EXPECT_EQ(run(1, 2, 5, 0).size(), 2u);
    EXPECT_EQ(run(1, 2, 7, 2).size(), 2u);
    const auto points = run(0, 2, 3, 0);
    ASSERT_EQ(points.size(), 2u);
    EXPECT_EQ(points[1].shape, Shape::Point);
    EXPECT_EQ(points[1].parameters.count, 1);
    EXPECT_EQ(points[1].parameters.lane[0], 3);
    // Turned round, the other type holds.
    b.field(b.map.PA_SU_SC_MODE_CNTL.FACE, 0);
    auto flagged = some_triangle();
    for (Vertex& vertex : flagged)
        vertex.more = {{0, 1, 0, 0}};
    const auto back = b.run(flagged);
    ASSERT_EQ(back.size(), 1u);
    EXPECT_TRUE(back[0].back_facing);
}

// Edges on a clip plane are drawn when BOUNDARY_EDGE_FLAG_ENA says so.
TEST(PaPolygonMode, EdgesOnAClipPlaneAreDrawnWhenAsked) {
    PaBench b;
    b.guard_band(1, 1);
    b.set(si::PA_SU_SC_MODE_CNTL, 4u | 1u << 3 | 1u << 5 | 1u << 8);
    const auto v = PaBench::clip_space({{0, 0, 0, 1}, {2, 0, 0, 1}, {0, 0.5f, 0, 1}});
    EXPECT_EQ(b.run(v).size(), 3u);
    b.field(b.map.PA_CL_CLIP_CNTL.BOUNDARY_EDGE_FLAG_ENA, 1);
    EXPECT_EQ(b.run(v).size(), 4u);
}

// z = 0.25 + x/100 - y/50.
std::vector<Vertex> slope() {
    return PaBench::window({{0, 0, 0.25f}, {100, 0, 1.25f}, {0, 10, 0.05f}});
}
double offset_of(PaBench& b) {
    const auto out = b.run(slope());
    return out.at(0).depth.at_point(0, 0) - 0.25;
}

TEST(PaPolygonOffset, IsSlopeTimesFactorPlusUnitsOfTheDepthFormat) {
    PaBench b;
    b.window_coordinates();
    b.set(si::PA_SU_SC_MODE_CNTL, 4u | 1u << 11);
    b.set(si::PA_SU_POLY_OFFSET_FRONT_SCALE, 32.0f);  // factor 2
    b.set(si::PA_SU_POLY_OFFSET_FRONT_OFFSET, 3.0f);
    const double slope_part = 2 * 0.02;
    const auto format = [&](int bits, bool is_float) {
        b.set(si::PA_SU_POLY_OFFSET_DB_FMT_CNTL, uint32_t(bits & 0xff) | (is_float ? 0x100u : 0));
    };
    format(-16, false);
    EXPECT_NEAR(offset_of(b), slope_part + 3 * std::ldexp(1, -16), 1e-8);
    format(-24, false);
    EXPECT_NEAR(offset_of(b), slope_part + 3 * std::ldexp(1, -24), 1e-8);
    format(-23, true);  // the largest z is 1.25: exponent 0
    EXPECT_NEAR(offset_of(b), slope_part + 3 * std::ldexp(1, -23), 1e-8);
    b.set(si::PA_SU_POLY_OFFSET_FRONT_SCALE, -24.0f);
    EXPECT_NEAR(offset_of(b), -1.5 * 0.02 + 3 * std::ldexp(1, -23), 1e-8);
    b.set(si::PA_SU_POLY_OFFSET_CLAMP, -0.01f);
    EXPECT_NEAR(offset_of(b), -0.01, 1e-8);
    b.set(si::PA_SU_POLY_OFFSET_FRONT_SCALE, 32.0f);
    b.set(si::PA_SU_POLY_OFFSET_CLAMP, 0.015f);
    EXPECT_NEAR(offset_of(b), 0.015, 1e-8);
}

TEST(PaPolygonOffset, UnitOfAFloatFormatFollowsTheLargestZ) {
    PaBench b;
    b.window_coordinates();
    b.set(si::PA_SU_SC_MODE_CNTL, 4u | 1u << 11);
    b.set(si::PA_SU_POLY_OFFSET_FRONT_OFFSET, 1.0f);
    b.set(si::PA_SU_POLY_OFFSET_DB_FMT_CNTL, 0x1e9);
    for (const float z : {0.75f, 0.2f, 0.01f, 1.0f}) {
        const auto out = b.run(PaBench::window({{0, 0, z}, {10, 0, z}, {0, 10, z}}));
        int exponent = 0;
        std::frexp(z, &exponent);
        EXPECT_EQ(out.at(0).depth.z - double(z), std::ldexp(1.0, exponent - 1 - 23)) << z;
    }
}

TEST(PaPolygonOffset, FrontBackAndLinesHaveTheirOwnEnables) {
    PaBench b;
    b.window_coordinates();
    b.set(si::PA_SU_POLY_OFFSET_FRONT_OFFSET, 1.0f);
    b.set(si::PA_SU_POLY_OFFSET_BACK_OFFSET, 2.0f);
    b.set(si::PA_SU_POLY_OFFSET_DB_FMT_CNTL, uint32_t(-10 & 0xff));
    const double unit = std::ldexp(1, -10);
    const auto at = [&](uint32_t mode) {
        b.set(si::PA_SU_SC_MODE_CNTL, mode);
        return std::lround(offset_of(b) / unit);
    };
    EXPECT_EQ(at(4u), 0);
    EXPECT_EQ(at(4u | 1u << 11), 1);
    EXPECT_EQ(at(4u | 1u << 12), 0);
    EXPECT_EQ(at(0u | 1u << 11), 0);  // back facing
    EXPECT_EQ(at(0u | 1u << 12), 2);
    EXPECT_EQ(at(4u | 1u << 11 | 1u << 3 | 1u << 5), 1);  // as lines
    b.set(si::PA_SU_SC_MODE_CNTL, 1u << 13);
    const auto line = b.run(PaBench::window({{0, 0, 0.5f}, {10, 0, 0.5f}}));
    EXPECT_EQ(line.at(0).depth.z, 0.5 + unit);
    const auto point = b.run(PaBench::window({{0, 0, 0.5f}}));
    EXPECT_EQ(point.at(0).depth.z, 0.5 + unit);
}

TEST(PaPositions, NotANumberDropsInfinityClipsUnlessAsked) {
    PaBench b;
    const auto run = [&](float x, float z) {
        return b.run(PaBench::clip_space({{0, 0, 0, 1}, {x, 0, z, 1}, {0, 0.5f, 0, 1}})).size();
    };
    EXPECT_EQ(run(0.5f, 0), 1u);
    EXPECT_EQ(run(NAN, 0), 0u);
    EXPECT_EQ(b.counters.bad_position, 1u);
    EXPECT_GE(run(HUGE_VALF, 0), 1u);  // the largest number, clipped
    EXPECT_EQ(b.counters.bad_position, 1u);
    b.field(b.map.PA_CL_NANINF_CNTL.VS_XY_NAN_TO_INF, 1);
    EXPECT_GE(run(NAN, 0), 1u);
    b.field(b.map.PA_CL_NANINF_CNTL.VS_XY_INF_RETAIN, 1);
    EXPECT_EQ(run(HUGE_VALF, 0), 0u);
    EXPECT_EQ(run(0.5f, NAN), 0u);
}

TEST(PaPositions, MissingExportsAreNamed) {
    PaBench b;
    b.set(si::SPI_SHADER_POS_FORMAT, 0x44);
    b.set(si::PA_CL_VS_OUT_CNTL, 0x0024'0000);
    try {
        b.run(some_triangle());
        FAIL();
    } catch (const MachineStop& stop) {
        EXPECT_EQ(stop.kind(), StopKind::BadInput);
        EXPECT_NE(std::string(stop.what()).find("VS has exported 1 vectors to POS slots"),
                  std::string::npos);
    }
}

TEST(PaPositions, EventsAndEndsOfDrawsPass) {
    PrimitiveSetup setup;
    std::vector<raster::Primitive> out;
    PrimitiveMessage message;
    message.kind = PrimitiveMessage::Kind::Event;
    message.event_type = 0x16;
    message.ring = 1;
    setup.pass(message, out);
    message.kind = PrimitiveMessage::Kind::DrawEnd;
    message.draw = 7;
    setup.pass(message, out);
    EXPECT_EQ(out[0].kind, raster::Primitive::Kind::Event);
    EXPECT_EQ(out[0].event_type, 0x16);
    EXPECT_EQ(out[0].ring, 1);
    EXPECT_EQ(out[1].kind, raster::Primitive::Kind::DrawEnd);
    EXPECT_EQ(out[1].draw, 7u);
}

}  // namespace
}  // namespace archipelago::pa
