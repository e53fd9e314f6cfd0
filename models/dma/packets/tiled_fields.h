// SPDX-License-Identifier: Apache-2.0
// Fields of a tiled surface, which packets of all kinds have, and what follows from them. Document
// "Async DMA", in the sections that tiled.cpp names.
#pragma once

#include "models/dma/packets/field_values.h"
#include "models/dma/packets/packets.h"
#include "models/dma/packets/surfaces.h"
#include "models/dma/packets/transfers.h"
#include "models/front/join_fields.h"

namespace archipelago::dma {

inline constexpr uint32_t kTile = 8;  // elements along x and y

// The indices in a list of fields that begins with a surface's; the others follow.
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
inline constexpr unsigned kNoHeight = 0;  // the index of no height

inline constexpr std::array<PacketField, kOldFields> kSurfaceR600 = {
    {{"DETILE", 3, 31, 31, &kDetiles},
     {"ARRAY_MODE", 3, 27, 30},
     {"SIZE", 3, 24, 26, &kSizes},
     {"PITCH_TILE_MAX", 3, 0, 9},
     {"SLICE_TILE_MAX", 4, 12, 31},
     {"X", 5, 3, 15},
     {"Y", 5, 17, 29},
     {"Z", 4, 0, 10},
     {"SWAP", 5, 1, 2, &kSwaps}}};
// The field that says the order of elements in a tile, in two bits of dword `d` from `lsb` on. The
// document swaps the two bits of NON_DISP; no source explains the second.
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
                             unsigned first = 0);
// A base in units of 256 bytes, or CIK's of 64 bits, whose upper half is the next field.
uint64_t base_at(const ProgramState& p, unsigned field);
// Visits whole rows of tiles of both sides.
void set_blocks(Region& region, unsigned element_bytes);

}  // namespace archipelago::dma
