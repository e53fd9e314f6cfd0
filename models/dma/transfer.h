// SPDX-License-Identifier: Apache-2.0
// What a packet asks the copy engine to move: bytes from one layout of memory into one or two
// others, element by element of a region. Both modes walk the same spans (span_walk.h).
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "models/front/location.h"
#include "models/mc/surface/surface.h"

namespace archipelago::dma {

// Where the elements of one slice of a tile are: in pieces, each of them together in memory.
struct TileSlice {
    std::array<uint8_t, 64> piece{};    // by y * 8 + x
    std::array<uint16_t, 64> offset{};  // bytes from its beginning
    std::array<uint8_t, 64> element{};  // one of each piece
    uint8_t pieces = 0;
};

// A tiled surface, prepared for address calculation.
struct TiledSurface {
    surface::SurfaceLevel level;
    // Elements along x that follow one another in memory, from every multiple of it on.
    uint32_t run = 1;
    std::array<TileSlice, 8> slices;  // those of its tiles
    uint32_t piece_bytes = 0;
};
// Null: `error` says why there is no such surface.
std::shared_ptr<const TiledSurface> make_surface(const surface::LevelLayout& layout,
                                                 const surface::AddressConfig& config,
                                                 std::string& error);

// Where one side of a transfer has its elements.
struct Side {
    std::shared_ptr<const TiledSurface> tiled;  // null: linear, by the strides below
    uint64_t address = 0;                       // of element (0, 0, 0); bytes
    uint64_t column = 0, row = 0, slice = 0;    // bytes between elements along x, y and z
    uint32_t x = 0, y = 0, z = 0;               // of the region's first element

    // Of a linear side: where an element of the region is.
    uint64_t at(uint32_t right, uint32_t down, uint32_t deeper) const {
        return address + (x + right) * column + (y + down) * row + (z + deeper) * slice;
    }
};

// The elements, visited block by block: rows of a block, blocks along x, then y, then z.
struct Region {
    uint32_t width = 1, height = 1, depth = 1;   // elements
    uint32_t block_width = 1, block_height = 1;  // elements
    uint64_t elements() const { return uint64_t{width} * height * depth; }
};

// Byte i of a swapped stream is byte i ^ mask of the stream: 1 swaps 8 in 16, 3 8 in 32, 7 8 in 64,
// and what two swaps make together is the XOR of their masks. A mask stays within so many bytes.
constexpr unsigned swap_unit(uint8_t mask) {
    return mask >= 4 ? 8 : mask >= 2 ? 4 : mask + 1u;
}

enum class Source : uint8_t {
    Memory,
    Packet,   // `data`
    Pattern,  // a dword, again and again
    Entries,  // page table entries: first + n * increment, OR mask
};
enum class Targets : uint8_t {
    One,
    Both,    // the same to two places
    Fields,  // even rows to the first, odd rows to the second, each at half its y; `to` count frame
             // rows
};

struct PageEntries {
    uint64_t first = 0;
    uint64_t increment = 0;
    uint64_t mask = 0;
    uint64_t entry(uint64_t n) const { return (first + n * increment) | mask; }
};

// The bytes of a source that is not in memory.
struct MadeBytes {
    Source source = Source::Memory;
    uint32_t pattern = 0;
    std::array<uint32_t, 16> data{};
    uint8_t first = 0;  // byte of `data` with which a transfer begins
    PageEntries entries;
    uint8_t made_byte(uint64_t i) const {
        if (source == Source::Pattern)
            return static_cast<uint8_t>(pattern >> 8 * (i % 4));
        if (source == Source::Packet)
            return static_cast<uint8_t>(data[(first + i) / 4 % data.size()] >>
                                        8 * ((first + i) % 4));
        return static_cast<uint8_t>(entries.entry(i / 8) >> 8 * (i % 8));
    }
};

struct Transfer : MadeBytes {
    Targets targets = Targets::One;
    uint8_t element_bytes = 1;  // 1, 2, 4, 8, 16
    Side from;
    std::array<Side, 2> to;
    std::array<uint8_t, 2> swap_mask{};  // of what each of `to` gets
    Region region;

    // For faults.
    front::Location location;
    const char* packet = nullptr;

    template <class Archive>
    void archive(Archive& a) {
        a(static_cast<MadeBytes&>(*this), targets, element_bytes, from, to, swap_mask, region,
          location, packet);
    }

    uint64_t bytes() const { return region.elements() * element_bytes; }
    bool tiled() const {
        return from.tiled != nullptr || to[0].tiled != nullptr || to[1].tiled != nullptr;
    }
    bool swaps() const { return (swap_mask[0] | swap_mask[1]) != 0; }
};

}  // namespace archipelago::dma
