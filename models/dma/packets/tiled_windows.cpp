// SPDX-License-Identifier: Apache-2.0
// Packets that copy a window of a tiled surface, to a linear one or to another tiled one. Document
// "Async DMA", in the sections that tiled.cpp names.
#include "models/dma/packets/packets.h"
#include "models/dma/packets/tiled_fields.h"

namespace archipelago::dma {
namespace {

// Checks that a window lies in a surface.
void check_window(const ProgramState& p, const PacketSurface& s, const Region& r) {
    if (s.side.x + uint64_t{r.width} > s.pitch || s.side.y + uint64_t{r.height} > s.rows)
        p.bad("a window of " + std::to_string(r.width) + " x " + std::to_string(r.height) + " at " +
              std::to_string(s.side.x) + ", " + std::to_string(s.side.y) +
              " goes beyond the surface of " + std::to_string(s.pitch) + " x " +
              std::to_string(s.rows));
}
// A window of a transfer whose two surfaces are set.
bool send_window(ProgramState& p, MicroOp& op, uint32_t width, uint32_t height, uint32_t depth) {
    Transfer& t = p.transfer;
    t.region = {width, height, depth, 1, 1};
    set_blocks(t.region, t.element_bytes);
    p.check_swap(t.swap_mask[0], 0, uint64_t{width} * t.element_bytes);
    if (t.region.elements() == 0)
        return false;
    check_rows(p);
    return issue(op, OpKind::Transfer);
}

}  // namespace

namespace copy_tiled_partial {
enum f : uint8_t {  // after the surface
    kLinearLo = kFields,
    kLinearHi,
    kLinearSwap,
    kLinearPitch,
    kLinearSlice,
    kWidth,
    kHeight,
    kDepth,
    kBase,
    kBaseHi,  // CIK, and what follows
    kLinearX,
    kLinearY,
    kLinearZ,
};
template <TileOrder kOrder>
constexpr auto kFieldsNi = join(surface_eg(3, kOrder),
                                std::array<PacketField, 10>{{{"LINEAR_LO", 8, 2, 31, &kAddress},
                                                             {"LINEAR_HI", 9, 0, 7},
                                                             {"LINEAR_SWAP", 9, 8, 9, &kSwaps},
                                                             {"LINEAR_PITCH", 9, 13, 31},
                                                             {"LINEAR_SLICE_PITCH", 10, 0, 31},
                                                             {"DX", 11, 0, 13},
                                                             {"DY", 11, 16, 29},
                                                             {"DZ", 12, 0, 10},
                                                             {"BASE_256B", 2, 0, 31},
                                                             {"HEIGHT_MAX", 4, 16, 29}}});
constexpr auto kFieldsCik = join(surface_cik({5, 16, 6, 7, 4, 5, 14, 24}),
                                 std::array<PacketField, 13>{{{"LINEAR_LO", 8, 2, 31, &kAddress},
                                                              {"LINEAR_HI", 9, 0, 31},
                                                              {"LINEAR_SWAP", 14, 16, 17, &kSwaps},
                                                              {"LINEAR_PITCH", 11, 16, 29},
                                                              {"LINEAR_SLICE_PITCH", 12, 0, 27},
                                                              {"RECT_X", 13, 0, 13},
                                                              {"RECT_Y", 13, 16, 29},
                                                              {"RECT_Z", 14, 0, 11},
                                                              {"BASE_LO", 2, 8, 31, &kAddress},
                                                              {"BASE_HI", 3, 0, 31},
                                                              {"LINEAR_X", 10, 0, 13},
                                                              {"LINEAR_Y", 10, 16, 29},
                                                              {"LINEAR_Z", 11, 0, 11}}});

// Pitches are in bytes, those of CIK in elements less one. There are at least `kFewest` slices.
template <uint32_t kFewest>
bool run(ProgramState& p, MicroOp& op) {
    if (p.step++ != 0)
        return false;
    const bool sdma = p.generation->sdma;
    Transfer& t = prepare(p);
    const PacketSurface s = make_packet_surface(p, surface_fields(p, base_at(p, kBase), kNoHeight));
    t.element_bytes = s.element_bytes;
    Side linear;
    linear.address = p.wide(kLinearLo, kLinearHi);
    linear.column = s.element_bytes;
    linear.row = sdma ? linear.column * (uint64_t{p[kLinearPitch]} + 1) : p[kLinearPitch];
    linear.slice = sdma ? linear.column * (uint64_t{p[kLinearSlice]} + 1) : p[kLinearSlice];
    if (sdma) {
        linear.x = p[kLinearX];
        linear.y = p[kLinearY];
        linear.z = p[kLinearZ];
    }
    const uint32_t depth = std::max(kFewest, p[kDepth]);
    check_window(p, s, {p[kWidth], p[kHeight], depth, 1, 1});
    const bool detile = p[kDetile] != 0;
    t.from = detile ? s.side : linear;
    t.to[0] = detile ? linear : s.side;
    t.swap_mask[0] = p.swap_mask(p[kSwap]) ^ p.swap_mask(p[kLinearSwap]);
    return send_window(p, op, p[kWidth], p[kHeight], depth);
}
}  // namespace copy_tiled_partial

template <TileOrder kOrder>
constexpr PacketInfo kCopyTiledPartialNi = packet("COPY_TILED_PARTIAL", 0x34900000, 0xFFF00000)
                                               .program(12, copy_tiled_partial::kFieldsNi<kOrder>,
                                                        copy_tiled_partial::run<0>);
constexpr PacketInfo kCopyTiledPartialCik =
    packet("COPY_TILED_SUB_WINDOW", 0x0501, 0xFFFF)
        .program(14, copy_tiled_partial::kFieldsCik, copy_tiled_partial::run<1>);
constexpr PacketInfo kCopyTiledPartialCikDocument =
    PacketRow(kCopyTiledPartialCik).runs(copy_tiled_partial::run<0>);

namespace copy_tiled_to_tiled {
// The fields as they stand; after them, for the program, those of both surfaces.
enum f : uint8_t { kWidth, kHeight, kDepth, kFromBase, kFromBaseHi, kToBase, kToBaseHi };

template <TileOrder kOrder>
constexpr std::array<PacketField, 29> kShownNi = {{{"DX", 12, 0, 13},
                                                   {"DY", 12, 16, 29},
                                                   {"DZ", 13, 0, 10},
                                                   {"SRC_BASE_256B", 2, 0, 31},
                                                   {"SRC_HEIGHT_MAX", 3, 16, 29},
                                                   {"DST_BASE_256B", 5, 0, 31},
                                                   {"DST_HEIGHT_MAX", 6, 16, 29},
                                                   {"SRC_PITCH_TILE_MAX", 3, 0, 10},
                                                   {"SRC_SLICE_TILE_MAX", 4, 0, 21},
                                                   {"SRC_X", 9, 16, 29},
                                                   {"SRC_Y", 10, 16, 29},
                                                   {"SRC_Z", 11, 16, 26},
                                                   {"DST_PITCH_TILE_MAX", 6, 0, 10},
                                                   {"DST_SLICE_TILE_MAX", 7, 0, 21},
                                                   {"DST_X", 9, 0, 13},
                                                   {"DST_Y", 10, 0, 13},
                                                   {"DST_Z", 11, 0, 10},
                                                   {"DETILE", 8, 31, 31, &kDetiles},
                                                   {"ARRAY_MODE", 8, 27, 30},
                                                   {"SIZE", 8, 24, 26, &kSizes},
                                                   {"SWAP0", 8, 1, 2, &kSwaps},
                                                   {"SWAP1", 8, 12, 13, &kSwaps},
                                                   {"BANK_HEIGHT", 8, 21, 22},
                                                   {"BANK_WIDTH", 8, 18, 19},
                                                   {"MACRO_TILE_ASPECT", 8, 16, 17},
                                                   {"NUM_BANKS", 8, 7, 8},
                                                   {"TILE_SPLIT", 8, 3, 5},
                                                   order_field(kOrder, 8, 9),
                                                   {"PIPE_CONFIG", 7, 26, 30}}};
// A surface: dwords and lowest bits of what it has of its own; dword 8 is that of both.
struct NiDwords {
    uint8_t pitch, slice, lsb;
    uint8_t swap_lsb;
};
constexpr std::array<PacketField, kFields> surface_ni(const NiDwords& d, TileOrder order) {
    const auto from = [](uint8_t lsb, uint8_t bits) {
        return static_cast<uint8_t>(lsb + bits - 1);
    };
    return {{{"DETILE", 8, 31, 31},
             {"ARRAY_MODE", 8, 27, 30},
             {"SIZE", 8, 24, 26},
             {"PITCH_TILE_MAX", d.pitch, 0, 10},
             {"SLICE_TILE_MAX", d.slice, 0, 21},
             {"X", 9, d.lsb, from(d.lsb, 14)},
             {"Y", 10, d.lsb, from(d.lsb, 14)},
             {"Z", 11, d.lsb, from(d.lsb, 11)},
             {"SWAP", 8, d.swap_lsb, from(d.swap_lsb, 2)},
             {"BANK_HEIGHT", 8, 21, 22},
             {"BANK_WIDTH", 8, 18, 19},
             {"MACRO_TILE_ASPECT", 8, 16, 17},
             {"NUM_BANKS", 8, 7, 8},
             {"TILE_SPLIT", 8, 3, 5},
             order_field(order, 8, 9),
             {"PIPE_CONFIG", 7, 26, 30}}};
}
template <TileOrder kOrder>
constexpr auto kFieldsNi = join(kShownNi<kOrder>, join(surface_ni({3, 4, 16, 1}, kOrder),
                                                       surface_ni({6, 7, 0, 12}, kOrder)));

// `rect_z`: the lowest bit of RECT_Z. The document has slices by eights, drivers do not.
constexpr std::array<PacketField, 35> shown_cik(uint8_t rect_z) {
    return {{{"RECT_X", 14, 0, 13},
             {"RECT_Y", 14, 16, 29},
             {"RECT_Z", 15, rect_z, 11},
             {"SRC_LO", 2, 8, 31, &kAddress},
             {"SRC_HI", 3, 0, 31},
             {"DST_LO", 8, 8, 31, &kAddress},
             {"DST_HI", 9, 0, 31},
             {"SRC_X", 4, 0, 13},
             {"SRC_Y", 4, 16, 29},
             {"SRC_Z", 5, 0, 11},
             {"SRC_PITCH_TILE_MAX", 5, 16, 26},
             {"SRC_SLICE_TILE_MAX", 6, 0, 21},
             {"SRC_PIPE_CONFIG", 7, 26, 30},
             {"SRC_MACRO_TILE_ASPECT", 7, 24, 25},
             {"SRC_NUM_BANKS", 7, 21, 22},
             {"SRC_BANK_HEIGHT", 7, 18, 19},
             {"SRC_BANK_WIDTH", 7, 15, 16},
             {"SRC_TILE_SPLIT", 7, 11, 13},
             {"SRC_MICRO_TILE_MODE", 7, 8, 10},
             {"SRC_ARRAY_MODE", 7, 3, 6},
             {"SRC_SIZE", 7, 0, 2, &kSizes},
             {"DST_X", 10, 0, 13},
             {"DST_Y", 10, 16, 29},
             {"DST_Z", 11, 0, 11},
             {"DST_PITCH_TILE_MAX", 11, 16, 26},
             {"DST_SLICE_TILE_MAX", 12, 0, 21},
             {"DST_PIPE_CONFIG", 13, 26, 30},
             {"DST_MACRO_TILE_ASPECT", 13, 24, 25},
             {"DST_NUM_BANKS", 13, 21, 22},
             {"DST_BANK_HEIGHT", 13, 18, 19},
             {"DST_BANK_WIDTH", 13, 15, 16},
             {"DST_TILE_SPLIT", 13, 11, 13},
             {"DST_MICRO_TILE_MODE", 13, 8, 10},
             {"DST_ARRAY_MODE", 13, 3, 6},
             {"DST_SIZE", 13, 0, 2, &kSizes}}};
}
constexpr auto kSurfacesCik =
    join(surface_cik({5, 16, 6, 7, 4, 5, 15, 24}), surface_cik({11, 16, 12, 13, 10, 11, 15, 16}));
constexpr auto kShownCik = shown_cik(0);
constexpr auto kFieldsCik = join(kShownCik, kSurfacesCik);
constexpr auto kFieldsCikDocument = join(shown_cik(3), kSurfacesCik);

// Checks what both sides must have in common: NI and SI describe it once.
void check_alike(const ProgramState& p, unsigned from, unsigned to) {
    using surface::MicroTileMode;
    if (p[from + kSize] != p[to + kSize])
        p.bad("elements of different sizes");
    const auto mode = [&](unsigned first) {
        return static_cast<MicroTileMode>(p[first + kMicroMode]);
    };
    const bool rotates = mode(from) == MicroTileMode::Display && mode(to) == MicroTileMode::Rotated;
    if (p[from + kMicroMode] != p[to + kMicroMode] && !rotates)
        p.bad("micro tile modes differ, and not as display and rotated");
}

// `shown`: the fields in front of the surfaces'; `fewest`: slices that there are at least.
bool copy(ProgramState& p, MicroOp& op, unsigned shown, uint32_t fewest) {
    if (p.step++ != 0)
        return false;
    const unsigned from = shown, to = shown + kFields;
    check_alike(p, from, to);
    Transfer& t = prepare(p);
    const PacketSurface source =
        make_packet_surface(p, surface_fields(p, base_at(p, kFromBase), kNoHeight, from));
    const PacketSurface target =
        make_packet_surface(p, surface_fields(p, base_at(p, kToBase), kNoHeight, to));
    const uint32_t depth = std::max(fewest, p.placed(kDepth));
    const Region window{p[kWidth], p[kHeight], depth, 1, 1};
    for (const PacketSurface* s : {&source, &target})
        check_window(p, *s, window);
    if (((source.side.x | source.side.y | target.side.x | target.side.y | p[kWidth] | p[kHeight]) %
         kTile) != 0)
        p.bad("places and sizes are not those of tiles");
    t.element_bytes = source.element_bytes;
    t.from = source.side;
    t.to[0] = target.side;
    t.swap_mask[0] = p.swap_mask(p[from + kSwap]) ^ p.swap_mask(p[to + kSwap]);
    return send_window(p, op, p[kWidth], p[kHeight], depth);
}
bool run_ni(ProgramState& p, MicroOp& op) {
    return copy(p, op, kShownNi<TileOrder::NonDisp>.size(), 0);
}
template <uint32_t kFewest>
bool run_cik(ProgramState& p, MicroOp& op) {
    return copy(p, op, kShownCik.size(), kFewest);
}
}  // namespace copy_tiled_to_tiled

template <TileOrder kOrder>
constexpr PacketInfo kCopyTiledToTiledNi =
    packet("COPY_TILED_TO_TILED", 0x34D00000, 0xFFF00000)
        .program(13, copy_tiled_to_tiled::kFieldsNi<kOrder>, copy_tiled_to_tiled::run_ni,
                 copy_tiled_to_tiled::kShownNi<kOrder>.size());
constexpr PacketInfo kCopyTiledToTiledCik =
    packet("COPY_TILED_TO_TILED", 0x0601, 0xFFFF)
        .program(15, copy_tiled_to_tiled::kFieldsCik, copy_tiled_to_tiled::run_cik<1>,
                 copy_tiled_to_tiled::kShownCik.size());
constexpr PacketInfo kCopyTiledToTiledCikDocument =
    packet("COPY_TILED_TO_TILED", 0x0601, 0xFFFF)
        .program(15, copy_tiled_to_tiled::kFieldsCikDocument, copy_tiled_to_tiled::run_cik<0>,
                 copy_tiled_to_tiled::kShownCik.size());

template <TileOrder kOrder>
std::vector<PacketInfo> tiled_windows() {
    return {kCopyTiledPartialNi<kOrder>, kCopyTiledToTiledNi<kOrder>};
}
template std::vector<PacketInfo> tiled_windows<TileOrder::NonDisp>();
template std::vector<PacketInfo> tiled_windows<TileOrder::NonDispDocument>();
template std::vector<PacketInfo> tiled_windows<TileOrder::MicroTileMode>();

}  // namespace archipelago::dma
