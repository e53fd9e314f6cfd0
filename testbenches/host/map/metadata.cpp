// SPDX-License-Identifier: Apache-2.0
#include "testbenches/host/map/metadata.h"

#include <fmt/format.h>

#include <string>

#include "testbenches/host/map/radeon_mode.h"

namespace archipelago::host {

using config::range;
using surface::MetadataKind;

MetadataMap read_metadata(config::Reader& r, const surface::ChipTiling& tiling) {
    constexpr unsigned kSide = 1 << 16;
    MetadataMap map;
    surface::MetadataLayout l;
    l.kind = r.enumeration<MetadataKind>(
        "metadata", {{"htile", MetadataKind::Htile}, {"cmask", MetadataKind::Cmask}},
        "of depth or of colour");
    map.width = r.required<unsigned>("width", range(1u, kSide), "pixels of the render target");
    map.height = r.optional<unsigned>("height", 1, range(1u, kSide), "pixels");
    l.pitch = r.optional<unsigned>("pitch", map.width, range(1u, kSide), "pixels; it is padded");
    l.height = map.height;
    l.slices = r.optional<unsigned>("depth", 1, range(1u, 8192u), "layers");
    l.linear = r.optional<bool>("linear", false, "DB_HTILE_SURFACE.LINEAR, CMASK_IS_LINEAR");
    l.base = r.optional_quantity("base", config::Unit::Byte, 0, range(0u, uint64_t{1} << 40),
                                 "address", config::BareNumber::Allowed);
    map.slice = r.optional<unsigned>("slice", 0, range(0u, 65535u), "of points without one");
    l.pipe = read_pipe_config(r, tiling);
    l.pipe_interleave = tiling.address.pipe_interleave;
    r.check(tiling.address.generation == surface::Generation::Si, "metadata",
            "the layout is known for Southern Islands only");
    r.check(l.pitch >= map.width, "pitch",
            fmt::format("got {}, expected at least the width of {}", l.pitch, map.width));
    r.check(map.slice < l.slices, "slice", fmt::format("there are slices 0 to {}", l.slices - 1));
    std::string why;
    if (r.ok() && !map.surface.set_up(l, why))
        r.error(why);
    return map;
}

MetadataMapper::MetadataMapper(const MetadataMap& map)
    : map_(map),
      numbers_{{"x", map.width - 1},
               {"y", map.height - 1},
               {"slice", map.surface.layout.slices - 1, map.slice}} {}

char* MetadataMapper::answer(const uint64_t* numbers, size_t lines, char* text) {
    for (; lines != 0; --lines, numbers += 3) {
        const surface::MetadataAddress at = surface::metadata_address(
            map_.surface, static_cast<uint32_t>(numbers[0]), static_cast<uint32_t>(numbers[1]),
            static_cast<uint32_t>(numbers[2]));
        text = put_hex(text, at.byte);
        if (map_.surface.layout.kind == MetadataKind::Cmask) {
            *text++ = ' ';
            *text++ = static_cast<char>('0' + at.bit);
        }
        *text++ = '\n';
    }
    return text;
}

}  // namespace archipelago::host
