// SPDX-License-Identifier: Apache-2.0
// Properties of coverage over random primitives, against arithmetic of its own: 128 bits, a sample
// at a time, no tiles.
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "models/mc/surface/surface.h"
#include "scan_bench.h"

namespace archipelago::sc {
namespace {

__extension__ using Wide = __int128;
using Random = std::mt19937;

int between(Random& random, int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
}

// Where sample `s` of pixel (x, y) is, 1/4096 pixel.
Point sample_point(const Offsets& offsets, int x, int y, unsigned s) {
    return {4096 * x + 2048 + 256 * offsets[s].first, 4096 * y + 2048 + 256 * offsets[s].second};
}

// Whether the polygon covers the point by `rule`: bits left in, right in, top in, bottom in.
bool inside(const Primitive& p, const Point& at, unsigned rule) {
    Wide area = 0;
    for (unsigned i = 0; i < p.corners; ++i) {
        const Point& a = p.corner[i];
        const Point& b = p.corner[(i + 1) % p.corners];
        area += Wide{a.x} * b.y - Wide{b.x} * a.y;
    }
    if (area == 0)
        return false;
    for (unsigned i = 0; i < p.corners; ++i) {
        Point a = p.corner[i];
        Point b = p.corner[(i + 1) % p.corners];
        if (area < 0)
            std::swap(a, b);
        const Wide side =
            (Wide{b.x} - a.x) * (Wide{at.y} - a.y) - (Wide{b.y} - a.y) * (Wide{at.x} - a.x);
        // The inside is to the right of a side that goes up, below one that goes right.
        const unsigned tie = b.y < a.y ? 8 : b.y > a.y ? 4 : b.x > a.x ? 2 : 1;
        if (side < 0 || (side == 0 && (rule & tie) == 0))
            return false;
    }
    return true;
}

uint16_t expected(const Primitive& p, const Offsets& offsets, int x, int y, unsigned rule) {
    uint16_t covered = 0;
    for (unsigned s = 0; s < offsets.size(); ++s)
        covered |= static_cast<uint16_t>(inside(p, sample_point(offsets, x, y, s), rule) << s);
    return covered;
}

void expect_coverage(ScanBench& bench, const Primitive& p, const Offsets& offsets, unsigned rule,
                     int size, const std::string& what) {
    const Pixels pixels = bench.scan(p);
    for (int y = 0; y < size; ++y)
        for (int x = 0; x < size; ++x) {
            const auto found = pixels.find({x, y});
            ASSERT_EQ(found == pixels.end() ? 0 : found->second, expected(p, offsets, x, y, rule))
                << what << ", pixel " << x << ", " << y;
        }
    for (const auto& [at, coverage] : pixels)
        ASSERT_TRUE(at.first < size && at.second < size) << what;
}

// Corners on pixel centres, on sample positions, on the 1/16 grid, or anywhere.
Point random_point(Random& random, int low, int high) {
    const int steps[] = {4096, 2048, 256, 16, 1};
    const int step = steps[between(random, 0, 4)];
    const auto one = [&] { return between(random, low * 4096 / step, high * 4096 / step) * step; };
    const int32_t x = one();
    return {x + (step == 4096 ? 2048 : 0), one() + (step == 4096 ? 2048 : 0)};
}

TEST(ScanProperty, TrianglesCoverTheSamplesOfPlainArithmetic) {
    Random random(11);
    for (const unsigned samples : {1u, 2u, 4u, 8u, 16u}) {
        ScanBench bench;
        bench.samples(samples);
        bench.set(si::PA_SC_WINDOW_SCISSOR_BR, 40 << 16 | 40);
        for (int i = 0; i < 150; ++i) {
            const unsigned rule = static_cast<unsigned>(between(random, 0, 15));
            bench.set(si::PA_SC_EDGERULE, rule);
            const int reach = i % 3 == 0 ? 6 : i % 3 == 1 ? 60 : 8000;
            const Primitive p = polygon({random_point(random, 20 - reach, 20 + reach),
                                         random_point(random, 20 - reach, 20 + reach),
                                         random_point(random, 20 - reach, 20 + reach)});
            expect_coverage(bench, p, sample_offsets(samples), rule, 40,
                            std::to_string(samples) + " samples, triangle " + std::to_string(i));
        }
    }
}

TEST(ScanProperty, CornersAtTheEndsOfTheRangeAreExact) {
    Random random(12);
    ScanBench bench;
    bench.samples(4);
    bench.set(si::PA_SC_WINDOW_SCISSOR_BR, 24 << 16 | 24);
    const int32_t far = 1 << 29;
    for (int i = 0; i < 200; ++i) {
        std::vector<Point> corners;
        for (int c = 0; c < 3; ++c) {
            Point p = random_point(random, -10, 34);
            if (between(random, 0, 1) != 0)
                p.x = between(random, 0, 1) != 0 ? far - between(random, 0, 9) : -far;
            if (between(random, 0, 1) != 0)
                p.y = between(random, 0, 1) != 0 ? far : -far + between(random, 0, 9);
            corners.push_back(p);
        }
        expect_coverage(bench, polygon(corners), sample_offsets(4), 0xA, 24,
                        "triangle " + std::to_string(i));
    }
}

TEST(ScanProperty, EachPixelOfAQuadHasItsOwnSamplePositions) {
    Random random(13);
    ScanBench bench;
    bench.samples(2);
    const uint32_t locations[] = {
        si::PA_SC_AA_SAMPLE_LOCS_PIXEL_X0Y0_0, si::PA_SC_AA_SAMPLE_LOCS_PIXEL_X1Y0_0,
        si::PA_SC_AA_SAMPLE_LOCS_PIXEL_X0Y1_0, si::PA_SC_AA_SAMPLE_LOCS_PIXEL_X1Y1_0};
    const Offsets offsets[] = {
        {{-8, -8}, {7, 7}}, {{0, 3}, {-5, 1}}, {{7, -8}, {1, 0}}, {{-1, -1}, {-8, 6}}};
    for (unsigned pixel = 0; pixel < 4; ++pixel) {
        uint32_t word = 0;
        for (unsigned s = 0; s < 2; ++s)
            word |= ((offsets[pixel][s].first & 0xFu) | (offsets[pixel][s].second & 0xFu) << 4)
                    << 8 * s;
        bench.set(locations[pixel], word);
    }
    for (int i = 0; i < 200; ++i) {
        const Primitive p = polygon({random_point(random, 0, 30), random_point(random, 0, 30),
                                     random_point(random, 0, 30)});
        const Pixels pixels = bench.scan(p);
        for (int y = 0; y < 32; ++y)
            for (int x = 0; x < 32; ++x) {
                const auto found = pixels.find({x, y});
                ASSERT_EQ(found == pixels.end() ? 0 : found->second,
                          expected(p, offsets[2 * (y & 1) + (x & 1)], x, y, 0xA))
                    << "triangle " << i << ", pixel " << x << ", " << y;
            }
    }
}

// A grid of vertices around the window, each moved at random, but not across another; in triangles
// that turn either way.
std::vector<Primitive> random_mesh(Random& random, int size, int cells) {
    std::vector<std::vector<Point>> at(cells + 1, std::vector<Point>(cells + 1));
    const int cell = (size + 8) * 4096 / cells;
    for (int y = 0; y <= cells; ++y)
        for (int x = 0; x <= cells; ++x) {
            Point p = {x * cell - 4 * 4096, y * cell - 4 * 4096};
            if (x > 0 && y > 0 && x < cells && y < cells) {
                p.x += between(random, -cell / 6, cell / 6);
                p.y += between(random, -cell / 6, cell / 6);
                if (cell > 6 * 4096 && between(random, 0, 2) == 0)  // through pixel centres
                    p = {(p.x & ~4095) + 2048, (p.y & ~4095) + 2048};
                else if (between(random, 0, 2) == 0)  // through samples
                    p = {p.x & ~255, p.y & ~255};
            }
            at[y][x] = p;
        }
    std::vector<Primitive> mesh;
    const auto add = [&](const Point& a, const Point& b, const Point& c) {
        mesh.push_back(between(random, 0, 1) != 0 ? polygon({a, b, c}) : polygon({c, b, a}));
    };
    for (int y = 0; y < cells; ++y)
        for (int x = 0; x < cells; ++x) {
            if (between(random, 0, 1) != 0) {
                add(at[y][x], at[y][x + 1], at[y + 1][x]);
                add(at[y + 1][x], at[y][x + 1], at[y + 1][x + 1]);
            } else {
                add(at[y][x], at[y][x + 1], at[y + 1][x + 1]);
                add(at[y][x], at[y + 1][x + 1], at[y + 1][x]);
            }
        }
    return mesh;
}

TEST(ScanProperty, MeshesWithSharedEdgesCoverEachSampleOnce) {
    Random random(14);
    for (const unsigned samples : {1u, 2u, 4u, 8u, 16u})
        for (const unsigned rule : {0xAu, 0x9u, 0x6u, 0x5u})
            for (const int cells : {3, 9, 40}) {
                ScanBench bench;
                bench.samples(samples);
                bench.set(si::PA_SC_EDGERULE, rule);
                const int size = 50;
                bench.set(si::PA_SC_WINDOW_SCISSOR_BR, size << 16 | size);
                Pixels all;
                for (const Primitive& p : random_mesh(random, size, cells))
                    for (const auto& [at, coverage] : bench.scan(p)) {
                        ASSERT_EQ(all[at] & coverage, 0)
                            << "twice: " << at.first << ", " << at.second;
                        all[at] |= coverage;
                    }
                ASSERT_EQ(all.size(), static_cast<size_t>(size * size));
                for (const auto& [at, coverage] : all)
                    ASSERT_EQ(coverage, (1u << samples) - 1) << at.first << ", " << at.second;
            }
}

PixelRect random_rect(Random& random, int size) {
    return {between(random, 0, size), between(random, 0, size), between(random, 0, size + 8),
            between(random, 0, size + 8)};
}
bool contains(const PixelRect& r, int x, int y) {
    return x >= r.x0 && x < r.x1 && y >= r.y0 && y < r.y1;
}
uint32_t corner(int x, int y) {
    return static_cast<uint32_t>(x) | static_cast<uint32_t>(y) << 16;
}

TEST(ScanProperty, ClipRectanglesFollowAnyRule) {
    Random random(15);
    const int size = 45;
    for (int i = 0; i < 120; ++i) {
        ScanBench bench;
        const uint32_t rule = i == 0 ? 0 : static_cast<uint32_t>(between(random, 0, 0xFFFF));
        bench.set(si::PA_SC_CLIPRECT_RULE, rule);
        std::array<PixelRect, 4> rects;
        for (unsigned n = 0; n < 4; ++n) {
            rects[n] = random_rect(random, size);  // some of them empty
            bench.set(si::PA_SC_CLIPRECT_0_TL + 8 * n, corner(rects[n].x0, rects[n].y0));
            bench.set(si::PA_SC_CLIPRECT_0_BR + 8 * n, corner(rects[n].x1, rects[n].y1));
        }
        const Pixels pixels = bench.scan(rectangle(0, 0, size, size));
        for (int y = 0; y < size; ++y)
            for (int x = 0; x < size; ++x) {
                unsigned inside_of = 0;
                for (unsigned n = 0; n < 4; ++n)
                    inside_of |= unsigned{contains(rects[n], x, y)} << n;
                ASSERT_EQ(pixels.count({x, y}), rule >> inside_of & 1)
                    << "rule " << rule << ", pixel " << x << ", " << y;
            }
    }
}

TEST(ScanProperty, ScissorsCutWithTheWindowOffsetAndByViewport) {
    Random random(16);
    const int size = 45;
    for (int i = 0; i < 150; ++i) {
        ScanBench bench;
        const int dx = between(random, -20, 20);
        const int dy = between(random, -20, 20);
        bench.set(si::PA_SC_WINDOW_OFFSET, corner(dx & 0xFFFF, dy & 0xFFFF));
        const bool by_viewport = i % 2 != 0;
        bench.set(si::PA_SC_MODE_CNTL_0, by_viewport ? 2 : 0);
        const unsigned viewport = static_cast<unsigned>(between(random, 0, 15));
        const uint32_t tl[] = {si::PA_SC_SCREEN_SCISSOR_TL, si::PA_SC_WINDOW_SCISSOR_TL,
                               si::PA_SC_GENERIC_SCISSOR_TL,
                               si::PA_SC_VPORT_SCISSOR_0_TL + 8 * viewport};
        std::array<PixelRect, 4> rects;
        for (unsigned n = 0; n < 4; ++n) {
            rects[n] = random_rect(random, size);
            const bool shifted = n != 0 && between(random, 0, 1) != 0;
            const uint32_t disable = n != 0 && !shifted ? 1u << 31 : 0;
            bench.set(tl[n], corner(rects[n].x0, rects[n].y0) | disable);
            bench.set(tl[n] + 4, corner(rects[n].x1, rects[n].y1));
            if (shifted)
                rects[n] = {rects[n].x0 + dx, rects[n].y0 + dy, rects[n].x1 + dx, rects[n].y1 + dy};
        }
        Primitive p = rectangle(-30, -30, 90, 90);
        p.viewport = static_cast<uint8_t>(viewport);
        const Pixels pixels = bench.scan(p);
        for (const auto& [at, coverage] : pixels)
            ASSERT_TRUE(at.first < 90 && at.second < 90);
        for (int y = 0; y < 90; ++y)
            for (int x = 0; x < 90; ++x) {
                bool in = true;
                for (unsigned n = 0; n < (by_viewport ? 4u : 3u); ++n)
                    in = in && contains(rects[n], x, y);
                ASSERT_EQ(pixels.count({x, y}), in ? 1u : 0u) << x << ", " << y;
            }
    }
}

// ---- distribution -------------------------------------------------------------------------------
struct Chip {
    const char* name;
    uint32_t raster_config, gb_addr_config, tile_mode;
    unsigned rbs;
    unsigned pipe_shift;  // RB = pipe >> this
};
// PA_SC_RASTER_CONFIG as the Linux drivers write it; the 2D-tiled mode 14 of their tables.
const Chip kChips[] = {{"tahiti", 0x2A00126A, 0x12011003, 0x00321291, 8, 0},
                       {"pitcairn", 0x2A00126A, 0x12011003, 0x00321291, 8, 0},
                       {"verde", 0x0000124A, 0x12010002, 0x00361111, 4, 0},
                       {"oland", 0x00000082, 0x12010002, 0x00361111, 2, 1},
                       {"hainan", 0x00000000, 0x12010002, 0x00361111, 1, 2}};

TEST(ScanProperty, RenderBackEndsOwnThePixelsOfTheirMemoryPipe) {
    for (const Chip& chip : kChips) {
        surface::TilingRegisters tiling;
        tiling.gb_addr_config = chip.gb_addr_config;
        for (uint32_t& mode : tiling.tile_mode)
            mode = chip.tile_mode;
        tiling.decode();
        surface::ImageGeometry image;
        image.width = image.height = 256;
        std::array<surface::SurfaceLevel, surface::kMaxLevels> levels;
        std::string error;
        ASSERT_TRUE(surface::make_levels(image, tiling.address, tiling.modes, levels, error))
            << error;
        ScanBench bench;
        bench.set(si::PA_SC_RASTER_CONFIG, chip.raster_config);
        bench.rbs.present = (1u << chip.rbs) - 1;
        EXPECT_EQ(bench.scan(rectangle(0, 0, 256, 256)).size(), 256u * 256u);
        const unsigned pipes = 1u << levels[0].pipe_shift;
        for (const auto& [rb, pixels] : bench.by_rb)
            for (const auto& [at, coverage] : pixels) {
                const uint64_t address =
                    surface::byte_address(levels[0], static_cast<uint32_t>(at.first),
                                          static_cast<uint32_t>(at.second), 0, 0);
                ASSERT_EQ(rb, address / 256 % pipes >> chip.pipe_shift)
                    << chip.name << ", pixel " << at.first << ", " << at.second;
            }
        EXPECT_EQ(bench.by_rb.size(), chip.rbs) << chip.name;
    }
}

TEST(ScanProperty, OneAndEightRenderBackEndsCoverTheSame) {
    Random random(17);
    ScanBench one;
    ScanBench eight;
    one.samples(4);
    eight.samples(4);
    eight.set(si::PA_SC_RASTER_CONFIG, 0x2A00126A);
    for (int i = 0; i < 100; ++i) {
        const Primitive p = polygon({random_point(random, 0, 130), random_point(random, 0, 130),
                                     random_point(random, 0, 130)});
        ASSERT_EQ(one.scan(p), eight.scan(p)) << "triangle " << i;
    }
    EXPECT_EQ(one.by_rb.size(), 1u);
    EXPECT_EQ(eight.by_rb.size(), 8u);
}

TEST(ScanProperty, EnginesThatVisitTheirOwnTilesCoverTheSameTogether) {
    Random random(18);
    ScanBench bench;
    bench.set(si::PA_SC_RASTER_CONFIG, 0x2A00126A);
    for (int i = 0; i < 100; ++i) {
        const Primitive p = polygon({random_point(random, 0, 200), random_point(random, 0, 200),
                                     random_point(random, 0, 200)});
        std::set<std::pair<int, int>> all;
        std::set<std::pair<int, int>> by_engine;
        const auto walk = [&](uint8_t engine, std::set<std::pair<int, int>>& tiles) {
            WalkState state;
            TileCoverage tile;
            begin(state, bench.state(), p);
            for (;;) {
                WalkState moved = state;  // all of the walk is in its state
                const Visit v = visit(moved, bench.state(), tile, engine);
                state = moved;
                if (v == Visit::End)
                    return;
                if (v == Visit::Covered) {
                    ASSERT_TRUE(tiles.emplace(tile.x, tile.y).second);
                }
            }
        };
        walk(kAllEngines, all);
        walk(0, by_engine);
        walk(1, by_engine);
        ASSERT_EQ(all, by_engine) << "triangle " << i;
    }
}

}  // namespace
}  // namespace archipelago::sc
