// SPDX-License-Identifier: Apache-2.0
#include "models/dma/packets/surfaces.h"

#include "models/common/text.h"

namespace archipelago::dma {
namespace {

using surface::ArrayMode;

surface::LevelLayout layout_of(const ProgramState& p, const SurfaceFields& f) {
    surface::LevelLayout layout;
    surface::TileMode& mode = layout.mode;
    mode.array = static_cast<ArrayMode>(f.array_mode);
    mode.micro = f.micro;
    mode.pipe = f.pipe;
    mode.tile_split = static_cast<uint16_t>(f.tile_split);
    mode.bank_width = static_cast<uint8_t>(f.bank_width);
    mode.bank_height = static_cast<uint8_t>(f.bank_height);
    mode.macro_aspect = static_cast<uint8_t>(f.macro_aspect);
    mode.banks = static_cast<uint8_t>(f.banks);
    mode.generation = p.generation->surfaces;
    layout.bits = 8u << f.size;
    layout.pitch = static_cast<uint32_t>(8 * f.pitch_tiles);
    layout.height = static_cast<uint32_t>(f.slice_tiles / f.pitch_tiles * 8);
    const uint32_t thick = surface::thickness(mode.array);
    layout.slices = (f.deepest + thick - 1) / thick * thick;
    layout.base = f.base;
    // The address bits that a macro tiled surface's alignment leaves free are its swizzle.
    if (surface::is_macro(mode.array)) {
        const uint32_t interleave = p.control->tiling.pipe_interleave;
        const uint32_t pipes = std::max(1u, surface::pipes_of(mode.pipe));
        const uint64_t swizzle = f.base / interleave % (uint64_t{pipes} * mode.banks);
        layout.pipe_swizzle = static_cast<uint32_t>(swizzle % pipes);
        layout.bank_swizzle = static_cast<uint32_t>(swizzle / pipes);
        layout.base -= swizzle * interleave;
    }
    return layout;
}

}  // namespace

PacketSurface make_packet_surface(const ProgramState& p, const SurfaceFields& f) {
    if (f.size > 4)
        p.bad("reserved element size " + std::to_string(f.size));
    if (f.slice_tiles % f.pitch_tiles != 0)
        p.bad("a slice of " + std::to_string(f.slice_tiles) + " tiles with rows of " +
              std::to_string(f.pitch_tiles));
    const surface::LevelLayout layout = layout_of(p, f);
    PacketSurface made;
    made.element_bytes = static_cast<uint8_t>(layout.bits / 8);
    made.pitch = layout.pitch;
    made.rows = layout.height;
    made.height = f.height;
    if (f.height > made.rows)
        p.bad("height " + std::to_string(f.height) + ", but the slice has " +
              std::to_string(made.rows) + " rows");
    made.side.x = f.x;
    made.side.y = f.y;
    made.side.z = f.z;
    if (surface::is_linear(layout.mode.array)) {
        made.side.address = f.base;
        made.side.column = made.element_bytes;
        made.side.row = uint64_t{made.pitch} * made.element_bytes;
        made.side.slice = made.side.row * made.rows;
        return made;
    }
    std::string error;
    made.side.tiled = make_surface(layout, p.control->tiling, error);
    if (made.side.tiled == nullptr)
        p.bad("tiled surface: " + error);
    return made;
}

}  // namespace archipelago::dma
