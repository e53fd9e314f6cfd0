// SPDX-License-Identifier: Apache-2.0
// Packets that copy a number of elements between a linear buffer and tiled surfaces. Document
// "Async DMA": r6xx/r7xx 2, 4; evergreen/ni/si 2, 8 to 14; cik 4 to 8, 11.
//
// Rows of tiles are visited a block at a time, so that both sides use whole lines of memory; the
// hardware's order is not published. What is moved does not depend on it.
#include "models/dma/packets/packets.h"
#include "models/dma/packets/tiled_fields.h"

namespace archipelago::dma {
namespace {

// A copy of p.left elements that begins at p.x, p.y, p.z of a surface and goes through its rows,
// cut into regions: the rest of a row, then whole rows, then whole slices. False: none is left.
bool next_region(ProgramState& p, uint32_t pitch, uint32_t height, Region& region) {
    if (p.left == 0)
        return false;
    region = {};
    const uint64_t slice = uint64_t{pitch} * height;
    if (p.x != 0 || p.left < pitch) {
        region.width = static_cast<uint32_t>(std::min<uint64_t>(p.left, pitch - p.x));
        p.x += region.width;
        if (p.x == pitch) {
            p.x = 0;
            ++p.y;
        }
    } else if (p.y != 0 || p.left < slice) {
        region.width = pitch;
        region.height = static_cast<uint32_t>(std::min<uint64_t>(p.left / pitch, height - p.y));
        p.y += region.height;
    } else {
        region.width = pitch;
        region.height = height;
        region.depth = static_cast<uint32_t>(p.left / slice);
        p.z += region.depth;
    }
    if (p.y == height) {
        p.y = 0;
        ++p.z;
    }
    p.left -= region.elements();
    return true;
}

// Sends the next region of a walk that counts elements, where both sides are.
bool send_region(ProgramState& p, MicroOp& op) {
    Transfer& t = p.transfer;
    for (Side* side : {&t.from, &t.to[0], &t.to[1]}) {
        side->x = p.x;
        side->y = p.y;
        side->z = p.z;
    }
    if (!next_region(p, p.pitch, p.height, t.region))
        return false;
    set_blocks(t.region, t.element_bytes);
    return issue(op, OpKind::Transfer);
}

// Prepares a walk from the packet's first element in `s` on, which wraps at `pitch` and `height`.
void begin_walk(ProgramState& p, const PacketSurface& s, uint32_t pitch, uint32_t height) {
    Transfer& t = p.transfer;
    t.element_bytes = s.element_bytes;
    p.pitch = pitch;
    p.height = height;
    p.x = s.side.x;
    p.y = s.side.y;
    p.z = s.side.z;
    if (p.x >= pitch || p.y >= height)
        p.bad("begins at " + std::to_string(p.x) + ", " + std::to_string(p.y) +
              ", outside a surface of " + std::to_string(pitch) + " x " + std::to_string(height));
    for (const uint8_t mask : t.swap_mask)
        p.check_swap(mask, uint64_t{p.x} * s.element_bytes, uint64_t{pitch} * s.element_bytes);
}

// The length of the walk.
void count_dwords(ProgramState& p, uint64_t dwords) {
    const Transfer& t = p.transfer;
    if (4 * dwords % t.element_bytes != 0)
        p.bad("COUNT " + std::to_string(dwords) + " is no whole number of elements");
    p.left = 4 * dwords / t.element_bytes;
    for (const uint8_t mask : t.swap_mask)
        p.check_swap(mask, 0, 4 * dwords);
}

// Where the fields after those of the surface are.
unsigned after_surface(const ProgramState& p) {
    return p.generation->surfaces == surface::Generation::R6xx ? kOldFields : kFields;
}

}  // namespace

// ---- WRITE_TILED -------------------------------------------------------------------------------

namespace write_tiled {
enum f : uint8_t { kHeight, kCount, kBase };  // after the surface
constexpr auto kFieldsR600 =
    join(kSurfaceR600, std::array<PacketField, 4>{{{"HEIGHT_MAX", 3, 10, 22},
                                                   {"COUNT", 1, 0, 15},
                                                   {"BASE_256B", 2, 0, 31},
                                                   PacketField{"DATA", 6, 0, 31}.every(1)}});
template <TileOrder kOrder>
constexpr auto kFieldsEg = join(surface_eg(3, kOrder),
                                std::array<PacketField, 4>{
                                    {{"HEIGHT_MAX", 4, 16, 29},
                                     {"COUNT", 1, 0, 19},
                                     {"BASE_256B", 2, 0, 31},
                                     PacketField{"DATA", 8, 0, 31}.every(1)}});
constexpr auto kFieldsCik =
    join(surface_cik({4, 0, 5, 6, 7, 8, 8, 24}),
         std::array<PacketField, 5>{{{"HEIGHT", 4, 16, 29},
                                     {"COUNT", 9, 0, 19},
                                     {"BASE_LO", 2, 8, 31, &kAddress},
                                     {"BASE_HI", 3, 0, 31},
                                     PacketField{"DATA", 10, 0, 31}.every(1)}});

void begin(ProgramState& p) {
    const unsigned n = after_surface(p);
    Transfer& t = prepare(p);
    const PacketSurface s =
        make_packet_surface(p, surface_fields(p, base_at(p, n + kBase), n + kHeight));
    t.source = Source::Packet;
    t.swap_mask[0] = p.swap_mask(p[kSwap]) ^ (p.control->data_swap ? 3 : 0);
    t.to[0] = s.side;
    p.count = p[n + kCount];
    begin_walk(p, s, s.pitch, s.height);
    count_dwords(p, p.count);
}

// A line's worth of dwords at a time, cut where a row of the surface ends.
bool run(ProgramState& p, MicroOp& op) {
    enum : uint32_t { kStart, kTake, kSend };
    if (p.step == kStart) {
        begin(p);
        p.step = kTake;
    }
    Transfer& t = p.transfer;
    if (p.step == kSend) {
        t.first = static_cast<uint8_t>(p.sent);
        if (p.sent == 0)
            t.data = p.result.data;
        if (send_region(p, op)) {
            p.sent += static_cast<uint32_t>(t.bytes());
            return true;
        }
        p.step = kTake;
    }
    if (p.index == p.count)
        return false;
    const uint64_t dwords = std::min<uint64_t>(16, p.count - p.index);
    p.index += dwords;
    p.left = 4 * dwords / t.element_bytes;
    p.sent = 0;
    p.step = kSend;
    return take(op, static_cast<uint8_t>(dwords));
}
}  // namespace write_tiled

constexpr PacketInfo kWriteTiledR600 = packet("WRITE_TILED", 0x20800000, 0xF0800000)
                                           .program(5, write_tiled::kFieldsR600, write_tiled::run)
                                           .carries(write_tiled::kFieldsR600[kOldFields + 1]);
template <TileOrder kOrder>
constexpr PacketInfo kWriteTiledEg = packet("WRITE_TILED", 0x20800000, 0xFFF00000)
                                         .program(7, write_tiled::kFieldsEg<kOrder>,
                                                  write_tiled::run)
                                         .carries(write_tiled::kFieldsEg<kOrder>[kFields + 1]);
constexpr PacketInfo kWriteTiledCik = packet("WRITE_TILED", 0x0102, 0xFFFF)
                                          .program(9, write_tiled::kFieldsCik, write_tiled::run)
                                          .carries(write_tiled::kFieldsCik[kFields + 1]);

// ---- counted copies between a linear buffer and tiled surfaces ----------------------------------

namespace copy_tiled {
enum f : uint8_t {  // after the surface
    kHeight,
    kCount,
    kLinearLo,
    kLinearHi,
    kLinearSwap,
    kBase,
};
// CIK: of copies of one surface, of two.
constexpr unsigned kLinearPitch = kBase + 2, kBase2Cik = kBase + 2, kSwap2Cik = kBase + 4,
                   kLinearPitch2 = kBase + 5;
constexpr unsigned kBase2 = kBase + 1, kSwap2 = kBase + 2;

constexpr auto kFieldsR600 =
    join(kSurfaceR600, std::array<PacketField, 6>{{{"HEIGHT_MAX", 3, 10, 22},
                                                   {"COUNT", 1, 0, 15},
                                                   {"LINEAR_LO", 6, 2, 31, &kAddress},
                                                   {"LINEAR_HI", 7, 0, 7},
                                                   {"LINEAR_SWAP", 7, 8, 9, &kSwaps},
                                                   {"BASE_256B", 2, 0, 31}}});
// Evergreen on: the surface from dword `d` on, and what all of these copies have after it.
constexpr uint8_t kDwordCount = 19, kTileCount = 15;  // the last bit of COUNT, by what it counts
constexpr auto counted_eg(uint8_t d, uint8_t count, TileOrder order) {
    const auto at = [d](uint8_t n) { return static_cast<uint8_t>(d + n); };
    return join(surface_eg(d, order),
                std::array<PacketField, 5>{{{"HEIGHT_MAX", at(1), 16, 29},
                                            {"COUNT", 1, 0, count},
                                            {"LINEAR_LO", at(5), 2, 31, &kAddress},
                                            {"LINEAR_HI", at(6), 0, 7},
                                            {"LINEAR_SWAP", at(6), 30, 31, &kSwaps}}});
}
constexpr std::array<PacketField, 1> kOneBase = {{{"BASE_256B", 2, 0, 31}}};
// SWAP is that of the second surface.
constexpr std::array<PacketField, 3> kTwoBases = {
    {{"BASE0_256B", 2, 0, 31}, {"BASE1_256B", 3, 0, 31}, {"SWAP0", 8, 19, 20, &kSwaps}}};
template <TileOrder kOrder>
constexpr auto kFieldsEg = join(counted_eg(3, kDwordCount, kOrder), kOneBase);
template <TileOrder kOrder>
constexpr auto kFieldsTileUnits = join(counted_eg(3, kTileCount, kOrder), kOneBase);
template <TileOrder kOrder>
constexpr auto kFieldsBroadcastEg = join(counted_eg(4, kDwordCount, kOrder), kTwoBases);
template <TileOrder kOrder>
constexpr auto kFieldsBroadcastTileUnits = join(counted_eg(4, kTileCount, kOrder), kTwoBases);
template <TileOrder kOrder>
constexpr auto kFieldsFieldsEg = join(counted_eg(4, kDwordCount, kOrder),
                                      std::array<PacketField, 2>{{{"EVEN_BASE_256B", 3, 0, 31},
                                                                  {"ODD_BASE_256B", 2, 0, 31}}});
constexpr auto kFieldsCik = join(surface_cik({4, 0, 5, 6, 7, 8, 8, 24}),
                                 std::array<PacketField, 8>{{{"HEIGHT", 4, 16, 29},
                                                             {"COUNT", 12, 0, 19},
                                                             {"LINEAR_LO", 9, 2, 31, &kAddress},
                                                             {"LINEAR_HI", 10, 0, 31},
                                                             {"LINEAR_SWAP", 8, 16, 17, &kSwaps},
                                                             {"BASE_LO", 2, 8, 31, &kAddress},
                                                             {"BASE_HI", 3, 0, 31},
                                                             {"LINEAR_PITCH", 11, 0, 18}}});
// The document numbers dword 5 twice; from there on its numbers are one too small.
constexpr auto kFieldsBroadcastCik =
    join(surface_cik({6, 0, 7, 8, 9, 10, 11, 24}),
         std::array<PacketField, 11>{{{"HEIGHT", 6, 16, 29},
                                      {"COUNT", 15, 0, 19},
                                      {"LINEAR_LO", 12, 2, 31, &kAddress},
                                      {"LINEAR_HI", 13, 0, 31},
                                      {"LINEAR_SWAP", 11, 16, 17, &kSwaps},
                                      {"BASE1_LO", 2, 8, 31, &kAddress},
                                      {"BASE1_HI", 3, 0, 31},
                                      {"BASE2_LO", 4, 8, 31, &kAddress},
                                      {"BASE2_HI", 5, 0, 31},
                                      {"SWAP2", 11, 8, 9, &kSwaps},
                                      {"LINEAR_PITCH", 14, 0, 18}}});
constexpr auto kFieldsFieldsCik =
    join(surface_cik({6, 0, 7, 8, 9, 10, 11, 24}),
         std::array<PacketField, 10>{{{"HEIGHT", 6, 16, 29},
                                      {"COUNT", 14, 0, 19},
                                      {"LINEAR_LO", 12, 2, 31, &kAddress},
                                      {"LINEAR_HI", 13, 0, 31},
                                      {"LINEAR_SWAP", 11, 16, 17, &kSwaps},
                                      {"BASE1_LO", 2, 8, 31, &kAddress},
                                      {"BASE1_HI", 3, 0, 31},
                                      {"BASE2_LO", 4, 8, 31, &kAddress},
                                      {"BASE2_HI", 5, 0, 31},
                                      {"SWAP2", 11, 8, 9, &kSwaps}}});

// A linear buffer with the rows of `s`, where `address` has the element at which the packet begins.
Side linear_like(const PacketSurface& s, uint64_t address) {
    Side side;
    side.column = s.element_bytes;
    side.row = side.column * s.pitch;
    side.slice = side.row * s.height;
    side.address = address - s.side.x * side.column - s.side.y * side.row - s.side.z * side.slice;
    return side;
}

// The linear side of a copy between `s` and the address in the packet; CIK's packet has where the
// surface begins, and its pitch, in the field `pitch`.
Side linear_side_of(const ProgramState& p, const PacketSurface& s, unsigned pitch) {
    const unsigned n = after_surface(p);
    const uint64_t address = p.wide(n + kLinearLo, n + kLinearHi);
    if (!p.generation->sdma)
        return linear_like(s, address);
    Side side;
    side.address = address;
    side.column = s.element_bytes;
    side.row = side.column * (pitch != 0 ? p[n + pitch] + 1 : s.pitch);
    side.slice = side.row * s.height;
    return side;
}

// Rows end where those of the narrower side do.
void begin_walk_beside(ProgramState& p, const PacketSurface& s, const Side& linear) {
    const uint64_t pitch = linear.row / linear.column;
    begin_walk(p, s, static_cast<uint32_t>(std::min<uint64_t>(pitch, s.pitch)), s.height);
    for (const uint8_t mask : p.transfer.swap_mask)
        p.check_swap(mask, 0, linear.row);
}

// What COUNT counts. Where it is tiles, the linear side has whole ones, too.
enum class Unit : uint8_t { Dword, Tile };
void pad_height(PacketSurface& s, Unit unit) {
    if (unit == Unit::Tile)
        s.height = (s.height + kTile - 1) / kTile * kTile;
}
// The walk goes tile by tile, through rows of tiles: its positions and sizes become tiles.
void count_tiles(ProgramState& p, uint64_t tiles) {
    if (p.x % kTile != 0 || p.y % kTile != 0)
        p.bad("X and Y are " + std::to_string(p.x) + ", " + std::to_string(p.y) +
              ", not those of a tile");
    for (uint32_t* size : {&p.x, &p.y, &p.pitch, &p.height})
        *size /= kTile;
    p.left = tiles;
}
void count(ProgramState& p, Unit unit) {
    const uint32_t value = p[after_surface(p) + kCount];
    if (unit == Unit::Tile)
        count_tiles(p, value);
    else
        count_dwords(p, value);
}

void begin(ProgramState& p, Unit unit) {
    const unsigned n = after_surface(p);
    Transfer& t = prepare(p);
    PacketSurface s = make_packet_surface(p, surface_fields(p, base_at(p, n + kBase), n + kHeight));
    pad_height(s, unit);
    const Side linear = linear_side_of(p, s, kLinearPitch);
    const bool detile = p[kDetile] != 0;
    t.from = detile ? s.side : linear;
    t.to[0] = detile ? linear : s.side;
    t.swap_mask[0] = p.swap_mask(p[kSwap]) ^ p.swap_mask(p[n + kLinearSwap]);
    begin_walk_beside(p, s, linear);
    count(p, unit);
}
bool run(ProgramState& p, MicroOp& op) {
    if (p.step++ == 0)
        begin(p, Unit::Dword);
    return send_region(p, op);
}

// Two surfaces of one layout.
PacketSurface begin_two(ProgramState& p, unsigned first, unsigned second) {
    const unsigned n = after_surface(p);
    if (p[kDetile] != 0)
        p.bad("DETILE is 1, but both surfaces are written");
    Transfer& t = prepare(p);
    PacketSurface s = make_packet_surface(p, surface_fields(p, base_at(p, n + first), n + kHeight));
    t.to[0] = s.side;
    t.to[1] = make_packet_surface(p, surface_fields(p, base_at(p, n + second), n + kHeight)).side;
    return s;
}
void begin_broadcast(ProgramState& p, Unit unit) {
    const unsigned n = after_surface(p);
    const bool sdma = p.generation->sdma;
    PacketSurface s = begin_two(p, kBase, sdma ? kBase2Cik : kBase2);
    pad_height(s, unit);
    Transfer& t = p.transfer;
    t.targets = Targets::Both;
    t.from = linear_side_of(p, s, kLinearPitch2);
    const uint8_t linear = p.swap_mask(p[n + kLinearSwap]);
    constexpr unsigned kOwn = kSwap;
    const unsigned swaps[] = {sdma ? kOwn : n + kSwap2, sdma ? n + kSwap2Cik : kOwn};
    for (unsigned i = 0; i < 2; ++i)
        t.swap_mask[i] = linear ^ p.swap_mask(p[swaps[i]]);
    begin_walk_beside(p, s, t.from);
    count(p, unit);
}
bool run_broadcast(ProgramState& p, MicroOp& op) {
    if (p.step++ == 0)
        begin_broadcast(p, Unit::Dword);
    return send_region(p, op);
}

// Even rows of a frame to the first surface, odd ones to the second; Y is a row of them, and the
// frame begins at twice that row.
bool run_fields(ProgramState& p, MicroOp& op) {
    if (p.step++ == 0) {
        const unsigned n = after_surface(p);
        PacketSurface s = begin_two(p, kBase, p.generation->sdma ? kBase2Cik : kBase2);
        s.side.y *= 2;
        s.height *= 2;
        Transfer& t = p.transfer;
        t.targets = Targets::Fields;
        t.from = linear_side_of(p, s, 0);
        constexpr unsigned kOwn = kSwap;
        const unsigned swaps[] = {kOwn, p.generation->sdma ? n + kSwap2Cik : kOwn};
        for (unsigned i = 0; i < 2; ++i)
            t.swap_mask[i] = p.swap_mask(p[swaps[i]]) ^ p.swap_mask(p[n + kLinearSwap]);
        begin_walk(p, s, s.pitch, s.height);
        count(p, Unit::Dword);
    }
    return send_region(p, op);
}

bool send_tiles(ProgramState& p, MicroOp& op) {
    Transfer& t = p.transfer;
    for (Side* side : {&t.from, &t.to[0], &t.to[1]}) {
        side->x = kTile * p.x;
        side->y = kTile * p.y;
        side->z = p.z;
    }
    if (!next_region(p, p.pitch, p.height, t.region))
        return false;
    t.region.width *= kTile;
    t.region.height *= kTile;
    set_blocks(t.region, t.element_bytes);
    return issue(op, OpKind::Transfer);
}
bool run_tile_units(ProgramState& p, MicroOp& op) {
    if (p.step++ == 0)
        begin(p, Unit::Tile);
    return send_tiles(p, op);
}
bool run_broadcast_tile_units(ProgramState& p, MicroOp& op) {
    if (p.step++ == 0)
        begin_broadcast(p, Unit::Tile);
    return send_tiles(p, op);
}
}  // namespace copy_tiled

constexpr PacketInfo kCopyTiledR600 = packet("COPY_TILED", 0x30800000, 0xF0800000)
                                          .program(7, copy_tiled::kFieldsR600, copy_tiled::run);
template <TileOrder kOrder>
constexpr PacketInfo kCopyTiledEg = packet("COPY_TILED", 0x30800000, 0xFFF00000)
                                        .program(9, copy_tiled::kFieldsEg<kOrder>, copy_tiled::run);
constexpr PacketInfo kCopyTiledCik =
    packet("COPY_TILED", 0x0101, 0x0C00FFFF).program(12, copy_tiled::kFieldsCik, copy_tiled::run);
template <TileOrder kOrder>
constexpr PacketInfo kCopyFrameToFieldEg = packet("COPY_FRAME_TO_FIELD", 0x34800000, 0xFFF00000)
                                               .program(10, copy_tiled::kFieldsFieldsEg<kOrder>,
                                                        copy_tiled::run_fields);
constexpr PacketInfo kCopyFrameToFieldCik =
    packet("COPY_FRAME_TO_FIELD", 0x04000101, 0x0C00FFFF)
        .program(14, copy_tiled::kFieldsFieldsCik, copy_tiled::run_fields);
template <TileOrder kOrder>
constexpr PacketInfo kCopyTiledBroadcastEg = packet("COPY_TILED_BROADCAST", 0x34B00000, 0xFFF00000)
                                                 .program(10,
                                                          copy_tiled::kFieldsBroadcastEg<kOrder>,
                                                          copy_tiled::run_broadcast);
constexpr PacketInfo kCopyTiledBroadcastCik =
    packet("COPY_TILED_BROADCAST", 0x08000101, 0x0C00FFFF)
        .program(15, copy_tiled::kFieldsBroadcastCik, copy_tiled::run_broadcast);
template <TileOrder kOrder>
constexpr PacketInfo kCopyTileUnits = packet("COPY_TILE_UNITS", 0x34C00000, 0xFFF00000)
                                          .program(9, copy_tiled::kFieldsTileUnits<kOrder>,
                                                   copy_tiled::run_tile_units);
template <TileOrder kOrder>
constexpr PacketInfo kCopyTileUnitsBroadcast =
    packet("COPY_TILE_UNITS_BROADCAST", 0x34F00000, 0xFFF00000)
        .program(10, copy_tiled::kFieldsBroadcastTileUnits<kOrder>,
                 copy_tiled::run_broadcast_tile_units);

template <TileOrder kOrder>
std::vector<PacketInfo> tiled_packets() {
    return {kWriteTiledEg<kOrder>,         kCopyTiledEg<kOrder>,   kCopyFrameToFieldEg<kOrder>,
            kCopyTiledBroadcastEg<kOrder>, kCopyTileUnits<kOrder>, kCopyTileUnitsBroadcast<kOrder>};
}
template std::vector<PacketInfo> tiled_packets<TileOrder::NonDisp>();
template std::vector<PacketInfo> tiled_packets<TileOrder::NonDispDocument>();
template std::vector<PacketInfo> tiled_packets<TileOrder::MicroTileMode>();

}  // namespace archipelago::dma
