// SPDX-License-Identifier: Apache-2.0
#include "testbenches/host/map/radeon_surface.h"

#include <fmt/format.h>

#include <optional>
#include <string>

#include "testbenches/host/map/radeon_mode.h"

namespace archipelago::host {
namespace {

using config::range;
using config::Reader;
using surface::ImageType;
using surface::TileMode;

surface::ImageGeometry read_geometry(Reader& r, surface::Generation generation, unsigned bits,
                                     unsigned packed) {
    constexpr unsigned kSide = 1 << 16;
    surface::ImageGeometry g;
    g.type = r.enumeration<ImageType>("type",
                                      {{"2d", ImageType::D2Array},
                                       {"1d", ImageType::D1Array},
                                       {"3d", ImageType::D3},
                                       {"cube", ImageType::Cube}},
                                      ImageType::D2Array, "what its slices are");
    g.element_bytes = std::max(1u, bits / 8);
    const auto elements = [&](unsigned n) { return (n + packed - 1) / packed; };
    g.width = elements(r.required<unsigned>("width", range(1u, kSide), "elements"));
    g.height = r.optional<unsigned>("height", 1, range(1u, kSide), "elements");
    g.depth = r.optional<unsigned>("depth", 1, range(1u, 8192u), "3d: slices; 2d: layers; cubes");
    g.samples = r.optional<unsigned>("samples", 1, range(1u, 16u), "of an element");
    g.last_level = r.optional<unsigned>("levels", 1, range(1u, surface::kMaxLevels), "mip") - 1;
    // As drivers allocate them.
    g.pow2_pad = g.last_level > 0 && generation >= surface::Generation::Si;
    const auto pitch = r.optional<unsigned>("pitch", 0, range(0u, kSide), "0: the least");
    r.check(pitch % packed == 0, "pitch",
            fmt::format("got {}, expected whole bytes, {} elements each", pitch, packed));
    g.pitch = elements(pitch);
    const bool by_address = r.at_most_one_of({"base", "address"}) == "address";
    g.base = r.optional_quantity(
        by_address ? "address" : "base", config::Unit::Byte, 0, range(0u, uint64_t{1} << 40),
        "with the swizzle of macro tiled surfaces", config::BareNumber::Allowed);
    return g;
}

}  // namespace

RadeonSurface read_radeon_surface(Reader& r, const surface::ChipTiling& tiling,
                                  std::optional<unsigned> element_bits) {
    RadeonSurface s;
    const unsigned bits = element_bits
                              ? *element_bits
                              : r.required<unsigned>("bpp", range(1u, 128u), "bits of an element");
    if (element_bits) {
        const auto given = r.optional<unsigned>("bpp", bits, range(1u, 128u));
        r.check(given == bits, "bpp",
                fmt::format("got {}, an element of this format has {} bits", given, bits));
    }
    const unsigned packed = bits < 8 ? 8 / bits : 1;  // elements of a byte
    s.packed_shift = packed > 1 ? static_cast<unsigned>(__builtin_ctz(packed)) : 0;
    const surface::ImageGeometry image = read_geometry(r, tiling.address.generation, bits, packed);
    const TileMode mode = read_tile_mode(r, tiling, bits, image.samples);
    s.level = r.optional<unsigned>("level", 0, range(0u, surface::kMaxLevels - 1), "to map");
    s.slice = r.optional<unsigned>("slice", 0, range(0u, 65535u), "of points without one");
    r.check(s.level <= image.last_level, "level",
            fmt::format("there are levels 0 to {}", image.last_level));
    r.check((bits & (bits - 1)) == 0 || bits == 96, "bpp",
            fmt::format("got {}, expected 1, 2, 4, 8, 16, 32, 64, 96 or 128", bits));
    r.check(packed == 1 || (surface::is_linear(mode.array) && image.last_level == 0), "bpp",
            "elements of less than a byte are in linear surfaces of one level only");
    if (!r.ok())
        return s;
    TileMode modes[surface::TilingRegisters::kModes];
    modes[image.tiling_index] = mode;
    std::string why;
    if (!surface::make_levels(image, tiling.address, modes, s.levels, why)) {
        r.error(why);
        return s;
    }
    s.width = packed == 1 ? s.mapped().width : r.required<unsigned>("width");
    r.check(s.slice < s.mapped().depth, "slice",
            fmt::format("there are slices 0 to {}", s.mapped().depth - 1));
    return s;
}

RadeonMapper::RadeonMapper(const RadeonSurface& surface)
    : surface_(surface),
      numbers_{{"x", surface.width - 1},
               {"y", surface.mapped().height - 1},
               {"slice", surface.mapped().depth - 1, surface.slice},
               {"sample", surface.mapped().layout.samples - 1}} {}

char* RadeonMapper::answer(const uint64_t* numbers, size_t lines, char* text) {
    return put_lines(numbers, lines, text,
                     [this](uint32_t x, uint32_t y, uint32_t slice, uint32_t sample) {
                         return surface_.address(x, y, slice, sample);
                     });
}

char* RadeonFinder::answer(const uint64_t* numbers, size_t lines, char* text) {
    const surface::SurfaceLevel& level = surface_.mapped();
    for (; lines != 0; --lines, ++numbers) {
        const std::optional<surface::SurfacePoint> p = finder_.find(*numbers);
        const uint32_t x = p ? p->x << surface_.packed_shift : 0;
        if (!p)
            text = fmt::format_to(text, "outside\n");
        else if (x >= surface_.width || p->y >= level.height || p->slice >= level.depth)
            text = fmt::format_to(text, "padding\n");
        else
            text = fmt::format_to(text, "{},{},{},{}\n", x, p->y, p->slice, p->sample);
    }
    return text;
}

}  // namespace archipelago::host
