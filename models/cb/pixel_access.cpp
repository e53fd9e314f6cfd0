// SPDX-License-Identifier: Apache-2.0
#include "models/cb/pixel_access.h"

#include <algorithm>

namespace archipelago::cb {
namespace {

// Reads; a line is fetched once for accesses in a row.
class LineReader {
  public:
    explicit LineReader(raster::PixelMemory& memory) : memory_(memory) {}
    const uint8_t* at(uint64_t address) {
        const uint64_t line = line_of(address);
        if (line != line_) {
            bytes_ = memory_.line(line, false);
            line_ = line;
        }
        return bytes_ + address % kLineBytes;
    }

  private:
    raster::PixelMemory& memory_;
    uint64_t line_ = ~uint64_t{0};
    const uint8_t* bytes_ = nullptr;
};

// Writes; those to one line in a row reach memory together.
class LineWriter {
  public:
    explicit LineWriter(raster::PixelMemory& memory) : memory_(memory) {}
    template <unsigned Bytes>
    void put(uint64_t address, const void* from) {
        const uint64_t line = line_of(address);
        if (line != line_) {
            finish();
            line_ = line;
        }
        std::memcpy(&bytes_[address % kLineBytes], from, Bytes);
        mask_ |= ((uint64_t{1} << Bytes) - 1) << address % kLineBytes;
    }
    void finish() {
        if (mask_ != 0)
            memory_.merge(line_, bytes_.data(), mask_);
        mask_ = 0;
    }

  private:
    raster::PixelMemory& memory_;
    uint64_t line_ = ~uint64_t{0}, mask_ = 0;
    Line bytes_;
};

template <class Access>
void for_each(uint64_t lanes, const Access& access) {
    for (; lanes != 0; lanes &= lanes - 1)
        access(static_cast<unsigned>(__builtin_ctzll(lanes)));
}

template <unsigned Bytes>
void load(raster::PixelMemory& memory, const Addresses& at, uint64_t lanes, Vector& dwords) {
    LineReader lines(memory);
    constexpr unsigned kDwords = (Bytes + 3) / 4;
    for_each(lanes, [&](unsigned lane) {
        uint32_t pixel[kDwords] = {};
        std::memcpy(pixel, lines.at(at[lane]), Bytes);
        for (unsigned d = 0; d < kDwords; ++d)
            dwords[d][lane] = pixel[d];
    });
}
template <unsigned Bytes>
void store(raster::PixelMemory& memory, const Addresses& at, uint64_t lanes, const Vector& dwords) {
    LineWriter lines(memory);
    constexpr unsigned kDwords = (Bytes + 3) / 4;
    for_each(lanes, [&](unsigned lane) {
        uint32_t pixel[kDwords];
        for (unsigned d = 0; d < kDwords; ++d)
            pixel[d] = dwords[d][lane];
        lines.put<Bytes>(at[lane], pixel);
    });
    lines.finish();
}

}  // namespace

TileQuads::TileQuads(uint32_t x, uint32_t y) {
    for (unsigned q = 0; q < raster::QuadBatch::kQuads; ++q) {
        x_[q] = static_cast<uint16_t>((x & ~7u) + 2 * (q & 3));
        y_[q] = static_cast<uint16_t>((y & ~7u) + 2 * (q >> 2));
    }
}

void find_pixels(const surface::SurfaceLevel& level, bool quads_in_line, const Quads& quads,
                 uint32_t slice, uint32_t fragment, Addresses& at) {
    const surface::SlicePart part = surface::slice_part(level, slice, fragment);
    if (!quads_in_line) {
        for (unsigned lane = 0; lane < quads.lanes(); ++lane)
            at[lane] = surface::byte_address(level, quads.x_of(lane), quads.y_of(lane), part);
        return;
    }
    // In a micro tile each coordinate bit has address bits of its own.
    const unsigned right = level.element[1], down = level.element[8];
    // A tile that is neither split nor spread over channels lies in one piece.
    const bool in_one_piece =
        level.layout.samples == 1 &&
        level.tile_bytes - 1 <= std::min<uint64_t>(level.low_mask, level.split_mask);
    uint64_t tile = 0;
    uint32_t tile_x = ~0u, tile_y = ~0u;
    for (unsigned q = 0; q < quads.count; ++q) {
        const uint32_t x = quads.x[q], y = quads.y[q];
        uint64_t first = 0;
        if (in_one_piece) {
            if (x / raster::kTile != tile_x || y / raster::kTile != tile_y) {
                tile_x = x / raster::kTile;
                tile_y = y / raster::kTile;
                tile = surface::byte_address(level, x & ~7u, y & ~7u, part);
            }
            first = tile + level.element[(y & 7) * 8 + (x & 7)];
        } else {
            first = surface::byte_address(level, x, y, part);
        }
        at[4 * q] = first;
        at[4 * q + 1] = first + right;
        at[4 * q + 2] = first + down;
        at[4 * q + 3] = first + right + down;
    }
}

void find_pixels(const surface::SurfaceLevel& level, const Quads& quads, uint32_t slice,
                 const std::array<uint8_t, kLanes>& fragment, uint64_t lanes, Addresses& at) {
    for_each(lanes, [&](unsigned lane) {
        const surface::SlicePart part = surface::slice_part(level, slice, fragment[lane]);
        at[lane] = surface::byte_address(level, quads.x_of(lane), quads.y_of(lane), part);
    });
}

void load_pixels(raster::PixelMemory& memory, unsigned bytes, const Addresses& at, uint64_t lanes,
                 Vector& dwords) {
    switch (bytes) {
        case 1:
            return load<1>(memory, at, lanes, dwords);
        case 2:
            return load<2>(memory, at, lanes, dwords);
        case 4:
            return load<4>(memory, at, lanes, dwords);
        case 8:
            return load<8>(memory, at, lanes, dwords);
        default:
            return load<16>(memory, at, lanes, dwords);
    }
}
void store_pixels(raster::PixelMemory& memory, unsigned bytes, const Addresses& at, uint64_t lanes,
                  const Vector& dwords) {
    switch (bytes) {
        case 1:
            return store<1>(memory, at, lanes, dwords);
        case 2:
            return store<2>(memory, at, lanes, dwords);
        case 4:
            return store<4>(memory, at, lanes, dwords);
        case 8:
            return store<8>(memory, at, lanes, dwords);
        default:
            return store<16>(memory, at, lanes, dwords);
    }
}

}  // namespace archipelago::cb
