// SPDX-License-Identifier: Apache-2.0
// The primitive decoder against tables written down from the whole list of indices.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <vector>

#include "models/vgt/primitives.h"

namespace archipelago::vgt {
namespace {

using Shape = std::vector<uint32_t>;
using Shapes = std::vector<Shape>;

Shapes decode(PrimType type, const std::vector<uint32_t>& indices, unsigned patch = 0,
              Provoking provoking = Provoking::First) {
    PrimitiveDecoder decoder(type, patch, provoking);
    Shapes out;
    const auto take = [&](const Primitives& list) {
        for (unsigned i = 0; i < list.count; ++i)
            out.emplace_back(list.list[i].vertex.begin(),
                             list.list[i].vertex.begin() + list.list[i].count);
    };
    for (const uint32_t i : indices)
        take(decoder.push(i));
    take(decoder.finish());
    return out;
}

// What n vertices 0..n-1 make, by the definition of each type.
Shapes expected(PrimType type, unsigned n, unsigned patch, Provoking provoking = Provoking::First) {
    const bool last = provoking == Provoking::Last;
    Shapes out;
    const auto lists = [&](unsigned size) {
        for (unsigned i = 0; i + size <= n; i += size) {
            Shape s;
            for (unsigned k = 0; k < size; ++k)
                s.push_back(i + k);
            out.push_back(s);
        }
    };
    switch (type) {
        case PrimType::PointList:
            lists(1);
            break;
        case PrimType::LineList:
            lists(2);
            break;
        case PrimType::TriList:
        case PrimType::RectList:
        case PrimType::CopyRectListV0:
        case PrimType::CopyRectListV1:
        case PrimType::CopyRectListV2:
        case PrimType::CopyRectListV3:
        case PrimType::FillRectList:
            lists(3);
            break;
        case PrimType::LineListAdj:
            lists(4);
            break;
        case PrimType::TriListAdj:
            lists(6);
            break;
        case PrimType::Patch:
            lists(patch);
            break;
        case PrimType::LineStrip:
        case PrimType::LineStrip2d:
        case PrimType::LineLoop:
            for (unsigned i = 0; i + 1 < n; ++i)
                out.push_back({i, i + 1});
            if (type == PrimType::LineLoop && n >= 2)
                out.push_back({n - 1, 0});
            break;
        case PrimType::LineStripAdj:
            for (unsigned i = 0; i + 3 < n; ++i)
                out.push_back({i, i + 1, i + 2, i + 3});
            break;
        case PrimType::TriStrip:
        case PrimType::TriStrip2d:
            for (unsigned i = 0; i + 2 < n; ++i)
                out.push_back(i % 2 == 0 ? Shape{i, i + 1, i + 2}
                              : last     ? Shape{i + 1, i, i + 2}
                                         : Shape{i, i + 2, i + 1});
            break;
        case PrimType::TriFan:
            for (unsigned i = 0; i + 2 < n; ++i)
                out.push_back(last ? Shape{0, i + 1, i + 2} : Shape{i + 1, i + 2, 0});
            break;
        case PrimType::Polygon:
            for (unsigned i = 0; i + 2 < n; ++i)
                out.push_back(last ? Shape{i + 1, i + 2, 0} : Shape{0, i + 1, i + 2});
            break;
        case PrimType::QuadList:
            for (unsigned i = 0; i + 4 <= n; i += 4) {
                out.push_back({i, i + 1, i + 3});
                out.push_back({i + 1, i + 2, i + 3});
            }
            break;
        case PrimType::QuadStrip:
            for (unsigned i = 0; i + 4 <= n; i += 2) {
                out.push_back(last ? Shape{i, i + 1, i + 3} : Shape{i, i + 1, i + 2});
                out.push_back(last ? Shape{i + 2, i, i + 3} : Shape{i + 1, i + 3, i + 2});
            }
            break;
        case PrimType::TriStripAdj: {
            // Direct3D 10: vertices 2i, 2i+2, 2i+4, odd ones turned; the neighbours of the first
            // and of the last triangle lie elsewhere.
            const unsigned triangles = n >= 6 ? (n - 4) / 2 : 0;
            for (unsigned i = 0; i < triangles; ++i) {
                const unsigned p = 2 * i;
                const unsigned before = i == 0 ? 1 : p - 2;
                const unsigned behind = i + 1 == triangles ? p + 5 : p + 6;
                if (i % 2 == 0)
                    out.push_back({p, before, p + 2, behind, p + 4, p + 3});
                else if (last)
                    out.push_back({p + 2, before, p, p + 3, p + 4, behind});
                else
                    out.push_back({p, p + 3, p + 4, behind, p + 2, before});
            }
            break;
        }
        default:
            break;
    }
    return out;
}

std::vector<PrimType> all_types() {
    std::vector<PrimType> types;
    for (unsigned t = 1; t < 64; ++t)
        if (prim_type_name(t) != nullptr && t != 16)
            types.push_back(static_cast<PrimType>(t));
    return types;
}

TEST(VgtPrimitives, EveryTypeMakesWhatItsDefinitionSaysForEveryCountOfVertices) {
    for (const PrimType type : all_types()) {
        for (unsigned n = 0; n <= 70; ++n) {
            std::vector<uint32_t> indices(n);
            for (unsigned i = 0; i < n; ++i)
                indices[i] = i;
            for (const unsigned patch : {1u, 3u, 4u, 32u})
                for (const Provoking provoking : {Provoking::First, Provoking::Last})
                    ASSERT_EQ(decode(type, indices, patch, provoking),
                              expected(type, n, patch, provoking))
                        << prim_type_name(static_cast<unsigned>(type)) << " of " << n;
        }
    }
}

TEST(VgtPrimitives, IndicesNameTheVerticesWhateverTheyAre) {
    std::mt19937 random(3);
    for (const PrimType type : all_types()) {
        std::vector<uint32_t> indices(41);
        for (uint32_t& i : indices)
            i = random();
        Shapes want = expected(type, 41, 5);
        for (Shape& s : want)
            for (uint32_t& v : s)
                v = indices[v];
        EXPECT_EQ(decode(type, indices, 5), want);
    }
}

TEST(VgtPrimitives, ACutStreamBeginsAnew) {
    for (const PrimType type : all_types()) {
        PrimitiveDecoder decoder(type, 3, Provoking::First);
        for (unsigned pass = 0; pass < 3; ++pass) {
            Shapes out;
            const auto take = [&](const Primitives& list) {
                for (unsigned i = 0; i < list.count; ++i)
                    out.emplace_back(list.list[i].vertex.begin(),
                                     list.list[i].vertex.begin() + list.list[i].count);
            };
            const unsigned n = 11 - pass;
            for (unsigned i = 0; i < n; ++i)
                take(decoder.push(i));
            take(decoder.finish());
            EXPECT_EQ(out, expected(type, n, 3)) << static_cast<unsigned>(type);
        }
    }
}

// Corners of a strip over a grid lie on alternating sides; all its triangles turn the same way.
TEST(VgtPrimitives, StripsFansAndQuadsWindAllTrianglesTheSameWay) {
    const auto turn = [](const std::function<std::pair<double, double>(uint32_t)>& at,
                         const Shape& s) {
        const auto a = at(s[0]), b = at(s[1]), c = at(s[2]);
        return (b.first - a.first) * (c.second - a.second) -
               (b.second - a.second) * (c.first - a.first);
    };
    std::vector<uint32_t> indices(40);
    for (unsigned i = 0; i < indices.size(); ++i)
        indices[i] = i;
    const auto strip = [](uint32_t i) { return std::pair<double, double>(i / 2, i % 2 ? -1 : 0); };
    for (const PrimType type : {PrimType::TriStrip, PrimType::QuadStrip})
        for (const Shape& s : decode(type, indices))
            EXPECT_GT(turn(strip, s), 0);
    const auto round = [](uint32_t i) {
        return std::pair<double, double>(std::cos(i * 0.1), std::sin(i * 0.1));
    };
    for (const PrimType type : {PrimType::TriFan, PrimType::Polygon, PrimType::QuadList})
        for (const Shape& s : decode(type, indices))
            EXPECT_GT(turn(round, s), 0);
}

// Every edge of the outline is once in a triangle and not inner, the others are inner.
TEST(Primitives, EdgesWithinAQuadOrPolygonAreInner) {
    const auto outline_by = [](Provoking provoking, PrimType type, unsigned count) {
        PrimitiveDecoder decoder(type, 0, provoking);
        std::vector<std::pair<uint32_t, uint32_t>> edges;
        const auto take = [&](const Primitives& list) {
            for (unsigned i = 0; i < list.count; ++i)
                for (unsigned e = 0; e < 3; ++e)
                    if ((list.list[i].inner_edges >> e & 1) == 0)
                        edges.emplace_back(list.list[i].vertex[e],
                                           list.list[i].vertex[(e + 1) % 3]);
        };
        for (uint32_t i = 0; i < count; ++i)
            take(decoder.push(i));
        take(decoder.finish());
        std::sort(edges.begin(), edges.end());
        return edges;
    };
    const auto outline = [&](PrimType type, unsigned count) {
        EXPECT_EQ(outline_by(Provoking::Last, type, count),
                  outline_by(Provoking::First, type, count));
        return outline_by(Provoking::First, type, count);
    };
    using Edges = std::vector<std::pair<uint32_t, uint32_t>>;
    EXPECT_EQ(outline(PrimType::QuadList, 4), (Edges{{0, 1}, {1, 2}, {2, 3}, {3, 0}}));
    EXPECT_EQ(outline(PrimType::QuadStrip, 4), (Edges{{0, 1}, {1, 3}, {2, 0}, {3, 2}}));
    for (uint32_t n = 3; n < 8; ++n) {
        Edges edges;
        for (uint32_t i = 0; i < n; ++i)
            edges.emplace_back(i, (i + 1) % n);
        EXPECT_EQ(outline(PrimType::Polygon, n), edges) << n;
    }
    EXPECT_EQ(outline(PrimType::TriList, 3), (Edges{{0, 1}, {1, 2}, {2, 0}}));
}

TEST(Primitives, TheFirstOfAStripIsMarkedAgainAfterACut) {
    PrimitiveDecoder decoder(PrimType::LineStrip, 0, Provoking::First);
    for (unsigned strip = 0; strip < 2; ++strip) {
        EXPECT_EQ(decoder.push(0).count, 0);
        EXPECT_TRUE(decoder.push(1).list[0].first);
        EXPECT_FALSE(decoder.push(2).list[0].first);
        decoder.finish();
    }
    PrimitiveDecoder triangle(PrimType::Polygon, 0, Provoking::First);
    for (uint32_t i = 0; i < 3; ++i)
        triangle.push(i);
    EXPECT_TRUE(triangle.finish().list[0].first);
}

}  // namespace
}  // namespace archipelago::vgt
