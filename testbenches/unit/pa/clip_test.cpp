// SPDX-License-Identifier: Apache-2.0
// Clipping: what is inside stays, what is outside goes, and nothing else changes.
#include <cmath>
#include <random>

#include "testbenches/unit/pa/pa_bench.h"

namespace archipelago::pa {
namespace {

double area_of_pieces(const std::vector<raster::Primitive>& pieces) {
    double sum = 0;
    for (const raster::Primitive& p : pieces)
        sum += std::abs(double(area_of(p.corner[0], p.corner[1], p.corner[2]))) / kPixel / kPixel;
    return sum / 2;
}

// A right triangle whose corner lies in the middle of the viewport, z from the vertex on.
std::vector<Vertex> triangle(std::array<float, 3> z) {
    return PaBench::clip_space({{0, 0, z[0], 1}, {0.5f, 0, z[1], 1}, {0, 0.5f, z[2], 1}});
}

TEST(PaClip, NearAndFarPlaneInBothConventions) {
    const struct {
        bool zero_to_one;
        std::array<float, 3> z;
        double area;  // in units of the whole triangle's
    } kCases[] = {
        {false, {-0.9f, -0.9f, -0.9f}, 1}, {false, {-1.1f, -1.1f, -1.1f}, 0},
        {false, {1.1f, 1.1f, 1.1f}, 0},    {false, {-2, 0, 0}, 0.75},  // the corner is cut
        {false, {2, 0, 0}, 0.75},          {true, {-0.1f, -0.1f, -0.1f}, 0},
        {true, {-1, 1, 1}, 0.75},          {true, {0.5f, 1.5f, 0.5f}, 0.75},
        {true, {0.1f, 0.1f, 0.1f}, 1},
    };
    for (const auto& c : kCases) {
        PaBench b;
        b.field(b.map.PA_CL_CLIP_CNTL.DX_CLIP_SPACE_DEF, c.zero_to_one ? 1 : 0);
        EXPECT_NEAR(area_of_pieces(b.run(triangle(c.z))), 128 * c.area, 0.1)
            << c.zero_to_one << " " << c.z[0] << " " << c.z[1];
    }
    PaBench b;
    b.field(b.map.PA_CL_CLIP_CNTL.ZCLIP_NEAR_DISABLE, 1);
    EXPECT_NEAR(area_of_pieces(b.run(triangle({-5, 0, 0}))), 128, 1e-9);
    EXPECT_NEAR(area_of_pieces(b.run(triangle({2, 0, 0}))), 96, 0.1);
    b.field(b.map.PA_CL_CLIP_CNTL.ZCLIP_FAR_DISABLE, 1);
    EXPECT_NEAR(area_of_pieces(b.run(triangle({2, 0, 0}))), 128, 1e-9);
}

TEST(PaClip, DistancesClipAndCull) {
    PaBench b;
    b.set(si::SPI_SHADER_POS_FORMAT, 0x44);
    b.set(si::PA_CL_VS_OUT_CNTL, 0x0040'0201);  // CCDIST0; clip 0, cull 1
    const auto run = [&](std::array<float, 3> clip, std::array<float, 3> cull) {
        std::vector<Vertex> v = triangle({0, 0, 0});
        for (unsigned n = 0; n < 3; ++n)
            v[n].more = {{bits_of(clip[n]), bits_of(cull[n]), 0, 0}};
        return area_of_pieces(b.run(v));
    };
    EXPECT_NEAR(run({1, 1, 1}, {1, 1, 1}), 128, 1e-9);
    EXPECT_NEAR(run({-1, 1, 1}, {1, 1, 1}), 96, 0.1);
    EXPECT_NEAR(run({1, -1, -1}, {1, 1, 1}), 32, 0.1);
    EXPECT_EQ(run({-1, -1, -1}, {1, 1, 1}), 0);
    EXPECT_NEAR(run({1, 1, 1}, {-1, -1, 1}), 128, 1e-9);
    EXPECT_EQ(run({1, 1, 1}, {-1, -1, -1}), 0);
    EXPECT_EQ(b.counters.cull_distance, 1u);
    EXPECT_EQ(run({NAN, 1, 1}, {1, 1, 1}), 0);
}

TEST(PaClip, UserPlanesClipOrCull) {
    PaBench b;
    b.field(b.map.PA_CL_CLIP_CNTL.UCP_ENA_0, 1);
    const std::array<float, 4> plane{1, 0, 0, -0.25f};  // x >= w/4
    for (uint32_t c = 0; c < 4; ++c)
        b.set(si::PA_CL_UCP_0_X + 4 * c, plane[c]);
    EXPECT_NEAR(area_of_pieces(b.run(triangle({0, 0, 0}))), 32, 0.1);
    b.field(b.map.PA_CL_CLIP_CNTL.UCP_CULL_ONLY_ENA, 1);
    EXPECT_NEAR(area_of_pieces(b.run(triangle({0, 0, 0}))), 128, 1e-9);
    b.set(si::PA_CL_UCP_0_X + 12, -0.75f);
    EXPECT_EQ(b.run(triangle({0, 0, 0})).size(), 0u);
    EXPECT_EQ(b.counters.user_plane, 1u);
}

TEST(PaClip, GuardBandDiscardsClipsAndLeavesAlone) {
    PaBench b;
    b.guard_band(4, 1);
    // Right of the viewport, wholly.
    EXPECT_TRUE(
        b.run(PaBench::clip_space({{1.1f, 0, 0, 1}, {3, 0, 0, 1}, {1.1f, 1, 0, 1}})).empty());
    EXPECT_EQ(b.counters.guard_band, 1u);
    // Partly beyond the viewport, within the band: as it is.
    auto pieces = b.run(PaBench::clip_space({{0, 0, 0, 1}, {3, 0, 0, 1}, {0, 3, 0, 1}}));
    ASSERT_EQ(pieces.size(), 1u);
    EXPECT_EQ(pieces[0].corner[1].x, (32 + 96) * kPixel);
    EXPECT_EQ(b.counters.clipped, 0u);
    // Beyond the band: cut at 4 w, x = 32 + 128.
    pieces = b.run(PaBench::clip_space({{0, 0, 0, 1}, {8, 0, 0, 1}, {0, 2, 0, 1}}));
    EXPECT_EQ(pieces.size(), 2u);
    EXPECT_EQ(b.counters.clipped, 1u);
    for (const raster::Primitive& p : pieces)
        for (unsigned k = 0; k < 3; ++k)
            EXPECT_LE(p.corner[k].x, 160 * kPixel);
    EXPECT_NEAR(area_of_pieces(pieces), 256 * 64 / 2 * 0.75, 1);
}

TEST(PaClip, ClipDisableLeavesAllAlone) {
    PaBench b;
    b.field(b.map.PA_CL_CLIP_CNTL.CLIP_DISABLE, 1);
    EXPECT_EQ(b.run(PaBench::clip_space({{200, 0, 5, 1}, {201, 0, 5, 1}, {200, 1, 5, 1}})).size(),
              1u);
}

// Vertices in front of, at and behind the eye.
TEST(PaClip, WhatIsBehindTheEyeIsCut) {
    PaBench b;
    b.field(b.map.PA_CL_CLIP_CNTL.DX_CLIP_SPACE_DEF, 1);
    b.field(b.map.PA_CL_CLIP_CNTL.ZCLIP_FAR_DISABLE, 1);
    const auto pieces =
        b.run(PaBench::clip_space({{0, 0.5f, 1, 1}, {1, 0.5f, 1, 1}, {0.5f, 0.5f, -1, -1}}));
    EXPECT_FALSE(pieces.empty());
    EXPECT_TRUE(b.run(PaBench::clip_space({{0, 0, -1, 0}, {1, 0, -1, 0}, {0, 1, -1, 0}})).empty());
    EXPECT_TRUE(b.run(PaBench::clip_space({{0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}})).empty());
}

struct RandomTriangle {
    std::vector<Vertex> vertices;
    explicit RandomTriangle(std::mt19937& random, bool behind) {
        std::uniform_real_distribution<float> xy(-3, 3), z(-0.9f, 0.9f), w(0.5f, 2);
        for (unsigned v = 0; v < 3; ++v) {
            const float scale = w(random) * (behind && random() % 4 == 0 ? -1.0f : 1.0f);
            vertices.push_back(
                {{xy(random) * scale, xy(random) * scale, z(random) * scale, scale}, {}});
        }
    }
};

// No piece reaches over the planes it is clipped at, and each lies in the triangle's plane.
TEST(PaClip, NoPieceIsOutsideTheClipVolume) {
    std::mt19937 random(3);
    for (unsigned round = 0; round < 5000; ++round) {
        PaBench b;
        b.guard_band(1.5f, 1);
        const RandomTriangle t(random, true);
        for (const raster::Primitive& p : b.run(t.vertices))
            for (unsigned k = 0; k < 3; ++k) {
                ASSERT_LE(std::abs(p.corner[k].x - 32 * kPixel), 48 * kPixel + 16);
                ASSERT_LE(std::abs(p.corner[k].y - 32 * kPixel), 48 * kPixel + 16);
            }
    }
}

// Interpolated at a point as SPI does, from the planes of a piece.
struct Values {
    double i, j, linear_i, linear_j, inverse_w, z;
};
Values values_at(const raster::Primitive& p, raster::Point at) {
    const auto& v = p.plane;
    const double whole = double(area_of(v[0].at, v[1].at, v[2].at));
    const double b1 = double(area_of(v[0].at, at, v[2].at)) / whole;
    const double b2 = double(area_of(v[0].at, v[1].at, at)) / whole;
    const auto mix = [&](double a, double b, double c) { return a + b1 * (b - a) + b2 * (c - a); };
    Values out{};
    out.inverse_w = mix(v[0].inverse_w, v[1].inverse_w, v[2].inverse_w);
    out.i = mix(v[0].i * v[0].inverse_w, v[1].i * v[1].inverse_w, v[2].i * v[2].inverse_w) /
            out.inverse_w;
    out.j = mix(v[0].j * v[0].inverse_w, v[1].j * v[1].inverse_w, v[2].j * v[2].inverse_w) /
            out.inverse_w;
    out.linear_i = mix(v[0].linear_i, v[1].linear_i, v[2].linear_i);
    out.linear_j = mix(v[0].linear_j, v[1].linear_j, v[2].linear_j);
    out.z = p.depth.at_point(at.x, at.y);
    return out;
}

TEST(PaClip, ClippedAndUnclippedDrawingAgreeInsideTheGuardBand) {
    std::mt19937 random(4);
    unsigned cut = 0;
    for (unsigned round = 0; round < 5000; ++round) {
        const RandomTriangle t(random, false);
        PaBench whole, band;
        band.guard_band(1, 1);
        whole.field(whole.map.PA_SU_VTX_CNTL.QUANT_MODE, 7);
        band.field(band.map.PA_SU_VTX_CNTL.QUANT_MODE, 7);
        const auto one = whole.run(t.vertices);
        const auto pieces = band.run(t.vertices);
        if (pieces.empty() || one.empty())
            continue;
        cut += band.counters.clipped;
        const double area =
            std::abs(double(area_of(one[0].corner[0], one[0].corner[1], one[0].corner[2])));
        if (area < 1e10)  // slivers: snapping moves their planes
            continue;
        for (const raster::Primitive& p : pieces) {
            EXPECT_EQ(p.back_facing, one[0].back_facing);
            EXPECT_EQ(p.parameters.lane, one[0].parameters.lane);
            const raster::Point at{(p.corner[0].x + p.corner[1].x + p.corner[2].x) / 3,
                                   (p.corner[0].y + p.corner[1].y + p.corner[2].y) / 3};
            const Values a = values_at(one[0], at), c = values_at(p, at);
            ASSERT_NEAR(a.z, c.z, 1e-6);
            ASSERT_NEAR(a.i, c.i, 1e-4);
            ASSERT_NEAR(a.j, c.j, 1e-4);
            ASSERT_NEAR(a.linear_i, c.linear_i, 1e-4);
            ASSERT_NEAR(a.linear_j, c.linear_j, 1e-4);
        }
    }
    EXPECT_GT(cut, 1000u);
}

// New vertices carry barycentric coordinates: planes made of the pieces are those of the triangle.
TEST(PaClip, PlanesOfATriangleThatReachesBehindTheEyeAreExact) {
    std::mt19937 random(5);
    unsigned checked = 0;
    for (unsigned round = 0; round < 3000; ++round) {
        const RandomTriangle t(random, true);
        PaBench b;
        b.field(b.map.PA_SU_VTX_CNTL.QUANT_MODE, 7);
        b.guard_band(2, 1);
        for (const raster::Primitive& p : b.run(t.vertices)) {
            if (std::abs(double(area_of(p.plane[0].at, p.plane[1].at, p.plane[2].at))) < 2e9)
                continue;
            const raster::Point at = p.corner[0];
            const Values c = values_at(p, at);
            const auto mix = [&](unsigned k) {
                const auto& v = t.vertices;
                return (1 - c.i - c.j) * v[0].position[k] + c.i * v[1].position[k] +
                       c.j * v[2].position[k];
            };
            if (mix(3) < 0.1)
                continue;
            ++checked;
            ASSERT_NEAR(32 + 32 * mix(0) / mix(3), double(at.x) / kPixel, 0.02);
            ASSERT_NEAR(32 + 32 * mix(1) / mix(3), double(at.y) / kPixel, 0.02);
            ASSERT_NEAR(0.5 + 0.5 * mix(2) / mix(3), c.z, 0.01);
        }
    }
    EXPECT_GT(checked, 500u);
}

// Pieces of a triangle and of its neighbour cover their union without overlap: areas add up, and
// the fans meet at common edges only.
TEST(PaClip, NeighboursGetTheSameCornersOnTheirCommonEdge) {
    std::mt19937 random(6);
    std::uniform_real_distribution<float> xy(-3, 3);
    for (unsigned round = 0; round < 2000; ++round) {
        const std::array<float, 4> p{xy(random), xy(random), 0, 1}, q{xy(random), xy(random), 0, 1};
        PaBench b;
        b.guard_band(1.25f, 1.25f);
        const auto corners_on = [&](const std::vector<raster::Primitive>& pieces) {
            std::vector<std::pair<int32_t, int32_t>> found;
            for (const raster::Primitive& piece : pieces)
                for (unsigned k = 0; k < piece.corners; ++k) {
                    const double x = piece.corner[k].x / 131072.0 - 1;
                    const double y = piece.corner[k].y / 131072.0 - 1;
                    const double away =
                        std::abs((q[0] - p[0]) * (y - p[1]) - (q[1] - p[1]) * (x - p[0])) /
                        std::hypot(q[0] - p[0], q[1] - p[1]);
                    if (away < 1e-4)
                        found.emplace_back(piece.corner[k].x, piece.corner[k].y);
                }
            std::sort(found.begin(), found.end());
            found.erase(std::unique(found.begin(), found.end()), found.end());
            return found;
        };
        // Apexes far from the edge, one on each side, so that no other corner is near it.
        const float nx = p[1] - q[1], ny = q[0] - p[0];
        const auto left = b.run(PaBench::clip_space({p, q, {p[0] + 3 * nx, p[1] + 3 * ny, 0, 1}}));
        const auto right = b.run(PaBench::clip_space({q, p, {p[0] - 3 * nx, p[1] - 3 * ny, 0, 1}}));
        if (left.empty() || right.empty())
            continue;
        EXPECT_EQ(corners_on(left), corners_on(right));
    }
}

TEST(PaClip, StatisticsCountWhatComesAndWhatTheClipperPassesOn) {
    PaBench b;
    b.guard_band(4, 1);
    b.run(triangle({0, 0, 0}));
    b.run(triangle({3, 3, 3}));
    b.run(PaBench::clip_space({{0, 0, 0, 1}, {8, 0, 0, 1}, {0, 2, 0, 1}}));  // two pieces
    EXPECT_EQ(b.counters.pipeline.invocations, 3u);
    EXPECT_EQ(b.counters.pipeline.primitives, 3u);
    count_by_event(b.map, b.map.VGT_EVENT_INITIATOR.EVENT_TYPE.PIPELINESTAT_STOP,
                   b.counters.pipeline);
    b.run(triangle({0, 0, 0}));
    EXPECT_EQ(b.counters.pipeline.invocations, 3u);
    count_by_event(b.map, b.map.VGT_EVENT_INITIATOR.EVENT_TYPE.PIPELINESTAT_START,
                   b.counters.pipeline);
    b.field(b.map.PA_CL_CLIP_CNTL.DX_RASTERIZATION_KILL, 1);
    EXPECT_TRUE(b.run(triangle({0, 0, 0})).empty());
    EXPECT_EQ(b.counters.pipeline.invocations, 4u);
    EXPECT_EQ(b.counters.pipeline.primitives, 3u);
    EXPECT_EQ(b.counters.rasterization_kill, 1u);
}

}  // namespace
}  // namespace archipelago::pa
