// SPDX-License-Identifier: Apache-2.0
// Packets with tiled surfaces. Document "Async DMA": r6xx/r7xx 2, 4; evergreen/ni/si 2, 8 to 14;
// cik 4 to 8, 11.
//
// Rows of tiles are visited a block at a time, so that both sides use whole lines of memory; the
// hardware's order is not published. What is moved does not depend on it.
#include "models/dma/packets/field_values.h"
#include "models/dma/packets/packets.h"
#include "models/dma/packets/surfaces.h"
#include "models/dma/packets/transfers.h"
#include "models/front/join_fields.h"

namespace archipelago::dma {
namespace {

constexpr uint32_t kTile = 8;  // elements along x and y

// ---- fields of surfaces ------------------------------------------------------------------------

// The places in a list of fields that begins with a surface's; the others follow.
enum Surface : uint8_t {
    kDetile,
    kArrayMode,
    kSize,
    kPitch,
    kSlice,
    kX,
    kY,
    kZ,
    kSwap,
    kOldFields,  // all that R6xx and R7xx have
    kBankHeight = kOldFields,
    kBankWidth,
    kMacroAspect,
    kBanks,
    kTileSplit,
    kMicroMode,
    kPipeConfig,
    kFields,
};
constexpr unsigned kNoHeight = 0;  // the place of no height

constexpr std::array<PacketField, kOldFields> kSurfaceR600 = {{{"DETILE", 3, 31, 31, &kDetiles},
                                                               {"ARRAY_MODE", 3, 27, 30},
                                                               {"SIZE", 3, 24, 26, &kSizes},
                                                               {"PITCH_TILE_MAX", 3, 0, 9},
                                                               {"SLICE_TILE_MAX", 4, 12, 31},
                                                               {"X", 5, 3, 15},
                                                               {"Y", 5, 17, 29},
                                                               {"Z", 4, 0, 10},
                                                               {"SWAP", 5, 1, 2, &kSwaps}}};
// The field that says the order of elements in a tile, in two bits of dword `d` from `lsb` on. The
// document has the two of non_disp the other way round; what the second means, no source tells.
constexpr PacketField order_field(TileOrder order, uint8_t d, uint8_t lsb) {
    const auto next = static_cast<uint8_t>(lsb + 1);
    return order == TileOrder::MicroTileMode ? PacketField{"MICRO_TILE_MODE", d, lsb, next}
           : order == TileOrder::NonDisp     ? PacketField{"NON_DISP", d, next, next}
                                             : PacketField{"NON_DISP", d, lsb, next};
}
// `d`: the dword with the array mode.
constexpr std::array<PacketField, kFields> surface_eg(uint8_t d, TileOrder order) {
    const auto at = [d](uint8_t n) { return static_cast<uint8_t>(d + n); };
    return {{{"DETILE", d, 31, 31, &kDetiles},
             {"ARRAY_MODE", d, 27, 30},
             {"SIZE", d, 24, 26, &kSizes},
             {"PITCH_TILE_MAX", at(1), 0, 10},
             {"SLICE_TILE_MAX", at(2), 0, 21},
             {"X", at(3), 0, 13},
             {"Y", at(4), 0, 13},
             {"Z", at(3), 18, 28},
             {"SWAP", at(4), 30, 31, &kSwaps},
             {"BANK_HEIGHT", d, 21, 22},
             {"BANK_WIDTH", d, 18, 19},
             {"MACRO_TILE_ASPECT", d, 16, 17},
             {"NUM_BANKS", at(4), 25, 26},
             {"TILE_SPLIT", at(4), 21, 23},
             order_field(order, at(4), 27),
             {"PIPE_CONFIG", at(2), 26, 30}}};
}
// Of CIK, by their dwords.
struct CikDwords {
    uint8_t pitch, pitch_lsb, slice, mode, xy, z, swap, swap_lsb;
};
constexpr std::array<PacketField, kFields> surface_cik(const CikDwords& d) {
    const auto from = [](uint8_t lsb, uint8_t bits) {
        return static_cast<uint8_t>(lsb + bits - 1);
    };
    return {{{"DETILE", 1, 31, 31, &kDetiles},
             {"ARRAY_MODE", d.mode, 3, 6},
             {"SIZE", d.mode, 0, 2, &kSizes},
             {"PITCH_TILE_MAX", d.pitch, d.pitch_lsb, from(d.pitch_lsb, 11)},
             {"SLICE_TILE_MAX", d.slice, 0, 21},
             {"X", d.xy, 0, 13},
             {"Y", d.xy, 16, 29},
             {"Z", d.z, 0, 11},
             {"SWAP", d.swap, d.swap_lsb, from(d.swap_lsb, 2), &kSwaps},
             {"BANK_HEIGHT", d.mode, 18, 19},
             {"BANK_WIDTH", d.mode, 15, 16},
             {"MACRO_TILE_ASPECT", d.mode, 24, 25},
             {"NUM_BANKS", d.mode, 21, 22},
             {"TILE_SPLIT", d.mode, 11, 13},
             {"MICRO_TILE_MODE", d.mode, 8, 10},
             {"PIPE_CONFIG", d.mode, 26, 30}}};
}

// The surface at `base` whose fields begin at `first` of the list.
SurfaceFields surface_fields(const ProgramState& p, uint64_t base, unsigned height,
                             unsigned first = 0) {
    const auto field = [&](Surface f) { return p[first + f]; };
    SurfaceFields s;
    s.array_mode = field(kArrayMode);
    s.size = field(kSize);
    s.pitch_tiles = uint64_t{field(kPitch)} + 1;
    s.slice_tiles = uint64_t{field(kSlice)} + 1;
    if (height != kNoHeight)
        s.height = p[height] + (p.generation->sdma ? 0 : 1);
    s.base = base;
    s.x = field(kX);
    s.y = field(kY);
    s.z = field(kZ);
    s.deepest = 1u << 13;  // more than Z can name; a copy says itself where it ends
    const surface::Generation generation = p.generation->surfaces;
    if (generation == surface::Generation::R6xx) {
        s.pipe = surface::pipe_config_of(p.control->tiling);
        s.banks = p.control->banks;
        s.micro = surface::MicroTileMode::Display;  // of colour surfaces
        // 2D_TILED_THIN2 and 2D_TILED_THIN4, whose codes mean others from SI on.
        if (s.array_mode == 5 || s.array_mode == 6) {
            s.macro_aspect = s.array_mode == 5 ? 2 : 4;
            s.array_mode = static_cast<uint32_t>(surface::ArrayMode::Tiled2dThin);
        }
        return s;
    }
    s.banks = 2u << field(kBanks);
    s.bank_width = 1u << field(kBankWidth);
    s.bank_height = 1u << field(kBankHeight);
    s.macro_aspect = 1u << field(kMacroAspect);
    s.tile_split = 64u << field(kTileSplit);
    if (generation == surface::Generation::Evergreen) {
        s.pipe = surface::pipe_config_of(p.control->tiling);
        s.micro =
            field(kMicroMode) != 0 ? surface::MicroTileMode::Thin : surface::MicroTileMode::Display;
    } else {
        s.pipe = static_cast<surface::PipeConfig>(field(kPipeConfig));
        s.micro = static_cast<surface::MicroTileMode>(field(kMicroMode));
    }
    return s;
}

// ---- regions -----------------------------------------------------------------------------------

// Visits whole rows of tiles of both sides.
void set_blocks(Region& region, unsigned element_bytes) {
    region.block_width = std::max<uint32_t>(kTile, kLineBytes / element_bytes);
    region.block_height = kTile;
}

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

// Prepares a walk from the packet's place in `s` on, which wraps at `pitch` and `height`.
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
unsigned behind_surface(const ProgramState& p) {
    return p.generation->surfaces == surface::Generation::R6xx ? kOldFields : kFields;
}
// A base in units of 256 bytes, or CIK's of 64 bits, whose upper half is the next field.
uint64_t base_at(const ProgramState& p, unsigned field) {
    return p.generation->sdma ? p.wide(field, field + 1) : uint64_t{p[field]} << 8;
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
    const unsigned n = behind_surface(p);
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

// ---- counted copies between a linear place and tiled surfaces ----------------------------------

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

// A linear place with the rows of `s`, where `address` has the element at which the packet begins.
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
    const unsigned n = behind_surface(p);
    const uint64_t address = p.wide(n + kLinearLo, n + kLinearHi);
    if (!p.generation->sdma)
        return linear_like(s, address);
    Side side;
    side.address = address;
    side.column = s.element_bytes;
    side.row = side.column * (pitch != 0 ? p[n + pitch] + 1 : s.pitch);
    side.slice = side.row * s.height;
    if (side.row > side.column * s.pitch)
        p.bad("LINEAR_PITCH is more than the surface's pitch");
    return side;
}

// What COUNT counts. Where it is tiles, the linear side has whole ones, too.
enum class Unit : uint8_t { Dword, Tile };
void pad_height(PacketSurface& s, Unit unit) {
    if (unit == Unit::Tile)
        s.height = (s.height + kTile - 1) / kTile * kTile;
}
// The walk goes tile by tile, through rows of tiles: its places and sizes become tiles.
void count_tiles(ProgramState& p, uint64_t tiles) {
    if (p.x % kTile != 0 || p.y % kTile != 0)
        p.bad("X and Y are " + std::to_string(p.x) + ", " + std::to_string(p.y) +
              ", not those of a tile");
    for (uint32_t* size : {&p.x, &p.y, &p.pitch, &p.height})
        *size /= kTile;
    p.left = tiles;
}
void count(ProgramState& p, Unit unit) {
    const uint32_t value = p[behind_surface(p) + kCount];
    if (unit == Unit::Tile)
        count_tiles(p, value);
    else
        count_dwords(p, value);
}

void begin(ProgramState& p, Unit unit) {
    const unsigned n = behind_surface(p);
    Transfer& t = prepare(p);
    PacketSurface s = make_packet_surface(p, surface_fields(p, base_at(p, n + kBase), n + kHeight));
    pad_height(s, unit);
    const Side linear = linear_side_of(p, s, kLinearPitch);
    const bool detile = p[kDetile] != 0;
    t.from = detile ? s.side : linear;
    t.to[0] = detile ? linear : s.side;
    t.swap_mask[0] = p.swap_mask(p[kSwap]) ^ p.swap_mask(p[n + kLinearSwap]);
    begin_walk(p, s, static_cast<uint32_t>(linear.row / linear.column), s.height);
    count(p, unit);
}
bool run(ProgramState& p, MicroOp& op) {
    if (p.step++ == 0)
        begin(p, Unit::Dword);
    return send_region(p, op);
}

// Two surfaces of one layout.
PacketSurface begin_two(ProgramState& p, unsigned first, unsigned second) {
    const unsigned n = behind_surface(p);
    if (p[kDetile] != 0)
        p.bad("DETILE is 1, but both surfaces are written");
    Transfer& t = prepare(p);
    PacketSurface s = make_packet_surface(p, surface_fields(p, base_at(p, n + first), n + kHeight));
    t.to[0] = s.side;
    t.to[1] = make_packet_surface(p, surface_fields(p, base_at(p, n + second), n + kHeight)).side;
    return s;
}
void begin_broadcast(ProgramState& p, Unit unit) {
    const unsigned n = behind_surface(p);
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
    begin_walk(p, s, static_cast<uint32_t>(t.from.row / t.from.column), s.height);
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
        const unsigned n = behind_surface(p);
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

// ---- windows -----------------------------------------------------------------------------------

namespace {

// Checks that a window lies in a surface.
void check_window(const ProgramState& p, const PacketSurface& s, const Region& r) {
    if (s.side.x + uint64_t{r.width} > s.pitch || s.side.y + uint64_t{r.height} > s.rows)
        p.bad("a window of " + std::to_string(r.width) + " x " + std::to_string(r.height) + " at " +
              std::to_string(s.side.x) + ", " + std::to_string(s.side.y) +
              " goes beyond the surface of " + std::to_string(s.pitch) + " x " +
              std::to_string(s.rows));
}
// A window of the transfer at hand, whose sides are there.
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
