// SPDX-License-Identifier: Apache-2.0
#include "models/vgt/primitives.h"

#include <initializer_list>

namespace archipelago::vgt {
namespace {

void fill(Primitive& out, std::initializer_list<uint32_t> vertices, unsigned inner_edges = 0) {
    out.count = 0;
    out.inner_edges = static_cast<uint8_t>(inner_edges);
    for (const uint32_t v : vertices)
        out.vertex[out.count++] = v;
}

}  // namespace

const char* prim_type_name(unsigned type) {
    static const char* const kNames[] = {"NONE",
                                         "POINTLIST",
                                         "LINELIST",
                                         "LINESTRIP",
                                         "TRILIST",
                                         "TRIFAN",
                                         "TRISTRIP",
                                         nullptr,
                                         nullptr,
                                         "PATCH",
                                         "LINELIST_ADJ",
                                         "LINESTRIP_ADJ",
                                         "TRILIST_ADJ",
                                         "TRISTRIP_ADJ",
                                         nullptr,
                                         nullptr,
                                         "TRI_WITH_WFLAGS",
                                         "RECTLIST",
                                         "LINELOOP",
                                         "QUADLIST",
                                         "QUADSTRIP",
                                         "POLYGON",
                                         "2D_COPY_RECT_LIST_V0",
                                         "2D_COPY_RECT_LIST_V1",
                                         "2D_COPY_RECT_LIST_V2",
                                         "2D_COPY_RECT_LIST_V3",
                                         "2D_FILL_RECT_LIST",
                                         "2D_LINE_STRIP",
                                         "2D_TRI_STRIP"};
    return type < sizeof kNames / sizeof *kNames ? kNames[type] : nullptr;
}

bool has_adjacency(PrimType type) {
    return type == PrimType::LineListAdj || type == PrimType::LineStripAdj ||
           type == PrimType::TriListAdj || type == PrimType::TriStripAdj;
}

unsigned shape_vertices(PrimType type) {
    switch (type) {
        case PrimType::None:
        case PrimType::Patch:
            return 0;
        case PrimType::PointList:
            return 1;
        case PrimType::LineList:
        case PrimType::LineStrip:
        case PrimType::LineListAdj:
        case PrimType::LineStripAdj:
        case PrimType::LineLoop:
        case PrimType::LineStrip2d:
            return 2;
        default:
            return 3;
    }
}

bool is_rectangle(PrimType type) {
    return type == PrimType::RectList ||
           (type >= PrimType::CopyRectListV0 && type <= PrimType::FillRectList);
}

// Triangle i has vertices 0, i + 1, i + 2, of which the polygon's first vertex provokes. Only the
// first triangle has the polygon's first edge, only the last the one that closes it.
void PrimitiveDecoder::polygon(Primitive& out, uint64_t triangle, bool last) const {
    const unsigned opens = triangle == 0 ? 0 : 1, closes = last ? 0 : 1;
    const uint32_t second = at(triangle + 1), third = at(triangle + 2);
    if (provoking_ == Provoking::First)
        fill(out, {first_, second, third}, opens << 0 | closes << 2);
    else
        fill(out, {second, third, first_}, closes << 1 | opens << 2);
}

// Triangle i has vertices 2i, 2i+2, 2i+4. Across the edge to the triangle before lies 2i-2 (1 for
// the first), across the one to the triangle after 2i+6 (2i+5 for the last), across the outer one
// 2i+3.
void PrimitiveDecoder::tri_strip_adj(Primitive& out, uint64_t triangle, bool last) const {
    const uint64_t p = 2 * triangle;
    const uint32_t before = triangle == 0 ? at(1) : at(p - 2);
    const uint32_t behind = last ? at(p + 5) : at(p + 6);
    const uint32_t outer = at(p + 3);
    if (triangle % 2 == 0)
        fill(out, {at(p), before, at(p + 2), behind, at(p + 4), outer});
    else if (provoking_ == Provoking::First)
        fill(out, {at(p), outer, at(p + 4), behind, at(p + 2), before});
    else
        fill(out, {at(p + 2), before, at(p), outer, at(p + 4), behind});
}

Primitives PrimitiveDecoder::push(uint32_t index) {
    Primitives out;
    assemble(index, out);
    if (out.count != 0 && !began_)
        out.list[0].first = began_ = true;
    return out;
}

void PrimitiveDecoder::assemble(uint32_t index, Primitives& out) {
    if (seen_ == 0)
        first_ = index;
    window_[seen_ % kWindow] = index;
    const uint64_t n = ++seen_;
    switch (type_) {
        case PrimType::PointList:
            fill(out.add(), {index});
            break;
        case PrimType::LineList:
            if (n % 2 == 0)
                fill(out.add(), {at(n - 2), index});
            break;
        case PrimType::LineStrip:
        case PrimType::LineStrip2d:
        case PrimType::LineLoop:
            if (n >= 2)
                fill(out.add(), {at(n - 2), index});
            break;
        case PrimType::TriList:
        case PrimType::RectList:
        case PrimType::CopyRectListV0:
        case PrimType::CopyRectListV1:
        case PrimType::CopyRectListV2:
        case PrimType::CopyRectListV3:
        case PrimType::FillRectList:
            if (n % 3 == 0)
                fill(out.add(), {at(n - 3), at(n - 2), index});
            break;
        case PrimType::Polygon:  // a triangle is out once it is known whether it is the last
            if (n >= 4)
                polygon(out.add(), n - 4, false);
            break;
        case PrimType::TriFan:
            if (n >= 3 && provoking_ == Provoking::First)
                fill(out.add(), {at(n - 2), index, first_});
            else if (n >= 3)
                fill(out.add(), {first_, at(n - 2), index});
            break;
        case PrimType::TriStrip:
        case PrimType::TriStrip2d:
            if (n >= 3 && n % 2 == 1)
                fill(out.add(), {at(n - 3), at(n - 2), index});
            else if (n >= 3 && provoking_ == Provoking::First)
                fill(out.add(), {at(n - 3), index, at(n - 2)});
            else if (n >= 3)
                fill(out.add(), {at(n - 2), at(n - 3), index});
            break;
        case PrimType::QuadList:
            if (n % 4 == 0) {
                fill(out.add(), {at(n - 4), at(n - 3), index}, 1u << 1);
                fill(out.add(), {at(n - 3), at(n - 2), index}, 1u << 2);
            }
            break;
        case PrimType::QuadStrip:  // around the quad: n-4, n-3, n-1, n-2
            if (n >= 4 && n % 2 == 0 && provoking_ == Provoking::First) {
                fill(out.add(), {at(n - 4), at(n - 3), at(n - 2)}, 1u << 1);
                fill(out.add(), {at(n - 3), index, at(n - 2)}, 1u << 2);
            } else if (n >= 4 && n % 2 == 0) {
                fill(out.add(), {at(n - 4), at(n - 3), index}, 1u << 2);
                fill(out.add(), {at(n - 2), at(n - 4), index}, 1u << 1);
            }
            break;
        case PrimType::LineListAdj:
            if (n % 4 == 0)
                fill(out.add(), {at(n - 4), at(n - 3), at(n - 2), index});
            break;
        case PrimType::LineStripAdj:
            if (n >= 4)
                fill(out.add(), {at(n - 4), at(n - 3), at(n - 2), index});
            break;
        case PrimType::TriListAdj:
            if (n % 6 == 0)
                fill(out.add(), {at(n - 6), at(n - 5), at(n - 4), at(n - 3), at(n - 2), index});
            break;
        case PrimType::TriStripAdj:
            // A triangle is out once the next one is whole: only then it is not the last.
            if (n >= 8 && n % 2 == 0)
                tri_strip_adj(out.add(), (n - 8) / 2, false);
            break;
        case PrimType::Patch:
            if (n % patch_ == 0) {
                Primitive& p = out.add();
                p.count = static_cast<uint8_t>(patch_);
                for (unsigned i = 0; i < patch_; ++i)
                    p.vertex[i] = at(n - patch_ + i);
            }
            break;
        case PrimType::None:
        case PrimType::TriWithWFlags:
            break;
    }
}

Primitives PrimitiveDecoder::finish() {
    Primitives out;
    if (type_ == PrimType::LineLoop && seen_ >= 2)
        fill(out.add(), {at(seen_ - 1), first_});
    if (type_ == PrimType::TriStripAdj && seen_ >= 6)
        tri_strip_adj(out.add(), (seen_ - 6) / 2, true);
    if (type_ == PrimType::Polygon && seen_ >= 3)
        polygon(out.add(), seen_ - 3, true);
    if (out.count != 0)
        out.list[0].first = !began_;
    began_ = false;
    seen_ = 0;
    return out;
}

}  // namespace archipelago::vgt
