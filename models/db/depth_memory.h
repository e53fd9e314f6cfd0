// SPDX-License-Identifier: Apache-2.0
// Samples of quads, to and from memory. The samples of a pixel and the pixels of a quad lie
// together: a quad is a run of bytes, in as many lines as it fills.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "models/db/depth_state.h"
#include "models/raster/pixel_memory.h"
#include "models/raster/quad_batch.h"

namespace archipelago::db {

constexpr unsigned kLanes = raster::QuadBatch::kLanes;
template <class T>
using Lanes = std::array<T, kLanes>;
// By sample of the buffer, then by lane.
template <class T>
using SampleLanes = std::array<Lanes<T>, kMaxSamples>;

// 0 or 1 for each lane, and the mask of them.
using LaneFlags = Lanes<uint8_t>;
inline uint64_t mask_of(const LaneFlags& flags) {
    uint64_t mask = 0;
    for (unsigned byte = 0; byte < 8; ++byte) {
        uint64_t eight;
        std::memcpy(&eight, &flags[8 * size_t{byte}], sizeof eight);
        mask |= (eight * 0x0102040810204080u >> 56) << 8 * byte;
    }
    return mask;
}

// Bytes of a plane, one line after the other: fetches a line again only when it changes.
class LineReader {
  public:
    explicit LineReader(raster::PixelMemory& memory) : memory_(memory) {}
    const uint8_t* at(uint64_t address) {
        if (line_of(address) != line_) {
            line_ = line_of(address);
            bytes_ = memory_.line(line_, false);
        }
        return bytes_ + address % kLineBytes;
    }

  private:
    raster::PixelMemory& memory_;
    uint64_t line_ = ~uint64_t{0};
    const uint8_t* bytes_ = nullptr;
};

// Gathers writes of a line before it passes them on.
class LineWriter {
  public:
    explicit LineWriter(raster::PixelMemory& memory) : memory_(memory) {}
    ~LineWriter() = default;
    LineWriter(const LineWriter&) = delete;
    LineWriter& operator=(const LineWriter&) = delete;
    void put(uint64_t address, const void* bytes, unsigned size) {
        if (line_of(address) != line_) {
            finish();
            line_ = line_of(address);
        }
        std::memcpy(buffer_.data() + address % kLineBytes, bytes, size);
        mask_ |= bytes_in_line(address, size);
    }
    void finish() {
        if (mask_ != 0)
            memory_.merge(line_, buffer_.data(), mask_);
        mask_ = 0;
    }

  private:
    raster::PixelMemory& memory_;
    uint64_t line_ = ~uint64_t{0};
    uint64_t mask_ = 0;
    Line buffer_{};
};

// Calls piece(address, lane, elements): `elements` elements of the quad at (x, y), one after the
// other in a line, the first one sample 0 of pixel `lane` of the quad.
template <class T, class Piece>
void for_each_piece(const surface::SurfaceLevel& level, const surface::SlicePart& slice, uint32_t x,
                    uint32_t y, const Piece& piece) {
    const unsigned samples = level.layout.samples;
    const unsigned elements = std::min(4 * samples, unsigned{kLineBytes / sizeof(T)});
    for (unsigned lane = 0; lane < 4; lane += elements / samples)
        piece(surface::byte_address(level, x + (lane & 1), y + (lane >> 1), slice), lane, elements);
}

// Quads [first, end) of the batch. T: element in memory.
template <class T, class Value>
void load_quads(const surface::SurfaceLevel& level, uint32_t slice, const raster::QuadBatch& batch,
                unsigned first, unsigned end, raster::PixelMemory& memory, SampleLanes<Value>& to) {
    const surface::SlicePart part = surface::slice_part(level, slice);
    const unsigned samples = level.layout.samples;
    LineReader reader(memory);
    for (unsigned quad = first; quad < end; ++quad)
        for_each_piece<T>(
            level, part, batch.x[quad], batch.y[quad],
            [&](uint64_t address, unsigned lane, unsigned elements) {
                const uint8_t* bytes = reader.at(address);
                if (samples == 1) {  // the four pixels of a quad, in the order of lanes
                    T values[4];
                    std::memcpy(values, bytes, sizeof values);
                    std::copy_n(values, 4, &to[0][4 * size_t{quad}]);
                    return;
                }
                for (unsigned l = 4 * quad + lane, last = l + elements / samples; l < last; ++l)
                    for (unsigned sample = 0; sample < samples; ++sample, bytes += sizeof(T)) {
                        T value;
                        std::memcpy(&value, bytes, sizeof value);
                        to[sample][l] = value;
                    }
            });
}

// Writes the lanes of `written`, a mask for each sample.
template <class T, class Value>
void store_quads(const surface::SurfaceLevel& level, uint32_t slice, const raster::QuadBatch& batch,
                 unsigned first, unsigned end, const std::array<uint64_t, kMaxSamples>& written,
                 const SampleLanes<Value>& from, raster::PixelMemory& memory) {
    const surface::SlicePart part = surface::slice_part(level, slice);
    const unsigned samples = level.layout.samples;
    LineWriter writer(memory);
    for (unsigned quad = first; quad < end; ++quad)
        for_each_piece<T>(
            level, part, batch.x[quad], batch.y[quad],
            [&](uint64_t address, unsigned lane, unsigned elements) {
                if (samples == 1 && (written[0] >> 4 * quad & 0xF) == 0xF) {
                    T values[4];
                    for (unsigned i = 0; i < 4; ++i)
                        values[i] = static_cast<T>(from[0][4 * size_t{quad} + i]);
                    writer.put(address, values, sizeof values);
                    return;
                }
                for (unsigned l = 4 * quad + lane, last = l + elements / samples; l < last; ++l)
                    for (unsigned sample = 0; sample < samples; ++sample, address += sizeof(T))
                        if ((written[sample] >> l & 1) != 0) {
                            const auto value = static_cast<T>(from[sample][l]);
                            writer.put(address, &value, sizeof value);
                        }
            });
    writer.finish();
}

// Every sample of the tile that has pixel (x, y).
template <class T>
void fill_tile(const surface::SurfaceLevel& level, uint32_t slice, uint32_t x, uint32_t y, T value,
               raster::PixelMemory& memory) {
    const surface::SlicePart part = surface::slice_part(level, slice);
    LineWriter writer(memory);
    // Quads in the order in which they lie in the tile.
    for (unsigned quad = 0; quad < 16; ++quad) {
        const uint32_t in_x = (quad & 1) | (quad >> 1 & 2),
                       in_y = (quad >> 1 & 1) | (quad >> 2 & 2);
        for_each_piece<T>(level, part, (x & ~7u) + 2 * in_x, (y & ~7u) + 2 * in_y,
                          [&](uint64_t address, unsigned, unsigned elements) {
                              for (unsigned i = 0; i < elements; ++i)
                                  writer.put(address + i * sizeof(T), &value, sizeof value);
                          });
    }
    writer.finish();
}

}  // namespace archipelago::db
