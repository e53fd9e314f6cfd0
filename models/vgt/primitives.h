// SPDX-License-Identifier: Apache-2.0
// Indices to primitives: what the draw's primitive type makes of a stream of indices. Knows no
// time. Types: VGT_PRIMITIVE_TYPE, enumeration VGT_DI_PRIM_TYPE of the public register headers.
#pragma once

#include <array>
#include <cstdint>

namespace archipelago::vgt {

enum class PrimType : uint8_t {
    None = 0,
    PointList = 1,
    LineList = 2,
    LineStrip = 3,
    TriList = 4,
    TriFan = 5,
    TriStrip = 6,
    Patch = 9,
    LineListAdj = 10,
    LineStripAdj = 11,
    TriListAdj = 12,
    TriStripAdj = 13,
    TriWithWFlags = 16,
    RectList = 17,
    LineLoop = 18,
    QuadList = 19,
    QuadStrip = 20,
    Polygon = 21,
    CopyRectListV0 = 22,
    CopyRectListV1 = 23,
    CopyRectListV2 = 24,
    CopyRectListV3 = 25,
    FillRectList = 26,
    LineStrip2d = 27,
    TriStrip2d = 28,
};

// "DI_PT_TRISTRIP" without the prefix; nullptr for numbers no type has.
const char* prim_type_name(unsigned type);
bool has_adjacency(PrimType type);
// Vertices that make the shape: 1 point, 2 line, 3 triangle (and rectangle), 0 patch.
unsigned shape_vertices(PrimType type);
// Three vertices are corners of a rectangle.
bool is_rectangle(PrimType type);

// One primitive: vertices in winding order. With adjacency the adjacent vertices stand between
// those of the shape, as a geometry shader numbers them: lines A V V A, triangles V A V A V A.
struct Primitive {
    static constexpr unsigned kMax = 32;  // control points
    uint8_t count = 0;
    bool first = false;       // of the stream, or after a cut
    uint8_t inner_edges = 0;  // PrimitiveMessage::inner_edges
    std::array<uint32_t, kMax> vertex{};
};

// What one index completes: at most two primitives (a quad is two triangles).
struct Primitives {
    uint8_t count = 0;
    std::array<Primitive, 2> list;
    Primitive& add() { return list[count++]; }
};

// Which vertex of a triangle of a strip or fan gives it its flat attributes, and where that vertex
// stands: the first, as in Direct3D, or the last, as in OpenGL.
enum class Provoking : uint8_t { First, Last };

// Order of vertices. Odd triangles of a strip swap those vertices that do not provoke, so that
// winding and provoking vertex i (First) or i + 2 (Last) stay; triangle i of a fan is provoked by
// i + 1 (First) or i + 2 (Last), a polygon is provoked by vertex 0; the two triangles of a quad a b
// c d are a b d and b c d, of a strip's quad a b d c likewise, but with Last a b c and d a c: the
// strip's last vertex is c. A loop ends with (last, first).
// Adjacency of strips follows the tables of Direct3D 10 (First) and OpenGL (Last). Incomplete
// primitives are dropped.
class PrimitiveDecoder {
  public:
    PrimitiveDecoder() = default;
    // `patch`: control points of a patch, 1..32.
    PrimitiveDecoder(PrimType type, unsigned patch, Provoking provoking)
        : type_(type), provoking_(provoking), patch_(patch) {}
    Primitives push(uint32_t index);
    // The stream ends or is cut (reset index, end of an instance); the next index begins again.
    Primitives finish();

  private:
    uint32_t at(uint64_t position) const { return window_[position % kWindow]; }
    void tri_strip_adj(Primitive& out, uint64_t triangle, bool last) const;
    void polygon(Primitive& out, uint64_t triangle, bool last) const;
    void assemble(uint32_t index, Primitives& out);

    static constexpr unsigned kWindow = 32;
    PrimType type_ = PrimType::None;
    Provoking provoking_ = Provoking::First;
    unsigned patch_ = 0;
    uint64_t seen_ = 0;
    uint32_t first_ = 0;
    bool began_ = false;  // a primitive has come out
    std::array<uint32_t, kWindow> window_{};
};

}  // namespace archipelago::vgt
