// SPDX-License-Identifier: Apache-2.0
#include "models/dma/packets/tiled_fields.h"

namespace archipelago::dma {

SurfaceFields surface_fields(const ProgramState& p, uint64_t base, unsigned height,
                             unsigned first) {
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

uint64_t base_at(const ProgramState& p, unsigned field) {
    return p.generation->sdma ? p.wide(field, field + 1) : uint64_t{p[field]} << 8;
}

void set_blocks(Region& region, unsigned element_bytes) {
    region.block_width = std::max<uint32_t>(kTile, kLineBytes / element_bytes);
    region.block_height = kTile;
}

}  // namespace archipelago::dma
