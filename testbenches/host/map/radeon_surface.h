// SPDX-License-Identifier: Apache-2.0
// Surfaces of Radeon chips: linear, micro tiled and macro tiled, with mip chains.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "models/config/reader.h"
#include "models/mc/surface/point_finder.h"
#include "models/mc/surface/surface.h"
#include "testbenches/host/map/points.h"

namespace archipelago::host {

struct RadeonSurface {
    std::array<surface::SurfaceLevel, surface::kMaxLevels> levels;
    unsigned level = 0;  // the one whose points are mapped
    uint32_t width = 1;  // of that level, in elements
    uint32_t slice = 0;  // of points that name none
    // log2 of the elements in a byte. Elements of less than a byte are those of a linear surface of
    // bytes.
    unsigned packed_shift = 0;

    const surface::SurfaceLevel& mapped() const { return levels[level]; }
    uint64_t address(uint32_t x, uint32_t y, uint32_t slice_of, uint32_t sample) const {
        return surface::byte_address(mapped(), x >> packed_shift, y, slice_of, sample);
    }
    // Bit of the byte where the element begins.
    unsigned bit(uint32_t x) const {
        return (x & ((1u << packed_shift) - 1)) << (3 - packed_shift);
    }
};

// Reads the keys of testbenches/surfaces/README.md, as far as the chip's generation has them.
// `element_bits`: known otherwise, so that `bpp` may be left out.
RadeonSurface read_radeon_surface(config::Reader& r, const surface::ChipTiling& tiling,
                                  std::optional<unsigned> element_bits = {});

// Points x,y[,slice[,sample]] to addresses; with the bit after it for elements of less than a
// byte.
class RadeonMapper : public LineMapper {
  public:
    explicit RadeonMapper(const RadeonSurface& surface);
    const std::vector<LineNumber>& numbers() const override { return numbers_; }
    size_t needed() const override { return 2; }
    size_t longest() const override { return kHexText + 3; }
    char* answer(const uint64_t* numbers, size_t lines, char* text) override;

  protected:
    const RadeonSurface& surface() const { return surface_; }
    // Of each line the answer with address(x, y, slice, sample), x in elements of the level.
    template <class Address>
    char* put_lines(const uint64_t* numbers, size_t lines, char* text, const Address& address) {
        for (; lines != 0; --lines, numbers += 4) {
            const auto x = static_cast<uint32_t>(numbers[0]);
            text = put_hex(text, address(x, static_cast<uint32_t>(numbers[1]),
                                         static_cast<uint32_t>(numbers[2]),
                                         static_cast<uint32_t>(numbers[3])));
            if (surface_.packed_shift != 0) {
                *text++ = ' ';
                *text++ = static_cast<char>('0' + surface_.bit(x));
            }
            *text++ = '\n';
        }
        return text;
    }

  private:
    const RadeonSurface& surface_;
    std::vector<LineNumber> numbers_;
};

// Addresses to points x,y,slice,sample: of the element that has this byte, or of the first such
// one; `padding` for one outside the picture, `outside` where the level has no element.
class RadeonFinder final : public LineMapper {
  public:
    explicit RadeonFinder(const RadeonSurface& surface)
        : surface_(surface), finder_(surface.mapped()) {}
    const std::vector<LineNumber>& numbers() const override { return numbers_; }
    size_t longest() const override { return 4 * 11; }
    char* answer(const uint64_t* numbers, size_t lines, char* text) override;

  private:
    const RadeonSurface& surface_;
    const surface::PointFinder finder_;
    const std::vector<LineNumber> numbers_{{"address", uint64_t{1} << 48}};
};

}  // namespace archipelago::host
