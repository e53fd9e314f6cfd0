// SPDX-License-Identifier: Apache-2.0
#include "testbenches/host/image/bound_surface.h"

#include <fmt/format.h>

#include <cstring>

#include "models/cb/colour_state.h"
#include "models/cb/tile_metadata.h"
#include "models/common/error.h"
#include "models/common/register_info.h"
#include "models/db/depth_state.h"
#include "models/db/htile_word.h"

namespace archipelago::host {
namespace {

// Register values of one context, as the decoders of blocks take them.
class Registers {
  public:
    Registers(const regs::RegisterDatabase& database, const ContextWindow& window,
              const InspectRegister& inspect)
        : database_(database), inspect_(inspect), sets_(window, regs::kNoOffset) {
        for (const auto& info : database.registers) {
            RegRequest request;
            request.write = true;
            request.offset = info.offset;
            request.value = window.of_context(info.offset) ? value_of(info.offset) : 0;
            if (window.of_context(info.offset))
                sets_.write(request);
        }
        tiling_.gb_addr_config = value_of("GB_ADDR_CONFIG");
        for (unsigned i = 0; i < surface::TilingRegisters::kModes; ++i)
            tiling_.tile_mode[i] = value_of("GB_TILE_MODE" + std::to_string(i));
        tiling_.decode();
    }
    raster::RegisterView view() const { return {sets_, 0}; }
    const surface::TilingRegisters& tiling() const { return tiling_; }

  private:
    uint32_t value_of(uint32_t offset) const {
        const std::optional<uint32_t> value = inspect_(offset);
        if (!value)
            throw ImageError(fmt::format("register {:#x} cannot be read", offset));
        return *value;
    }
    uint32_t value_of(const std::string& name) const {
        const auto* const info = database_.find_by_name(name);
        return info != nullptr ? value_of(info->offset) : 0;
    }

    const regs::RegisterDatabase& database_;
    const InspectRegister& inspect_;
    raster::RegisterSets sets_;
    surface::TilingRegisters tiling_;
};

// The fragment of a sample of a tile that is not cleared.
uint32_t fragment_of(const cb::Target& t, uint32_t x, uint32_t y, uint32_t slice, uint32_t sample,
                     const MetadataAt& metadata) {
    const uint64_t address = surface::byte_address(t.fmask, x, y, slice);
    uint64_t element = 0;
    std::memcpy(&element, metadata(address), t.fmask_format.element_bytes());
    const uint8_t fragment = t.fmask_format.decode(element)[sample];
    return fragment < t.fragments ? fragment : 0;  // no fragment has it
}

// By CMASK and FMASK.
SampleState find_colour(const cb::Target& t, uint32_t x, uint32_t y, uint32_t slice,
                        uint32_t sample, const MetadataAt& metadata) {
    SampleState state{sample, {}};
    uint8_t code = cb::kCmaskExpanded;
    if (t.fast_clear) {
        const surface::MetadataAddress at = surface::metadata_address(t.cmask, x, y, slice);
        code = static_cast<uint8_t>(*metadata(at.byte) >> at.bit & 15);
    }
    const unsigned tile = code >> 2;
    if (tile != cb::kCmaskCleared && tile != cb::kCmaskExpanded >> 2)
        throw ImageError(
            fmt::format("{}_CMASK: code {}, a tile that is cleared in part", t.name(), code));
    if (tile == cb::kCmaskCleared && t.format.bytes > 8)
        throw ImageError(t.name() + "_INFO: FAST_CLEAR of a tile whose pixels have 128 bits");
    if (tile == cb::kCmaskCleared)
        state.value = t.clear_word;
    else if (t.compressed)
        state.fragment = (code & 3) == 0 ? 0 : fragment_of(t, x, y, slice, sample, metadata);
    return state;
}

// By HTILE.
SampleState find_depth(const db::DepthState& s, bool stencil, uint32_t x, uint32_t y,
                       uint32_t slice, uint32_t sample, const MetadataAt& metadata) {
    SampleState state{sample, {}};
    uint32_t word = 0;
    std::memcpy(&word, metadata(surface::metadata_address(s.htile_surface, x, y, slice).byte), 4);
    db::HtileWord tile;
    try {
        tile = db::decode_htile(word, s);
    } catch (const MachineStop& stop) {
        throw ImageError(stop.what());
    }
    if (stencil ? tile.stencil_cleared : tile.z_cleared)
        state.value = {{stencil ? s.stencil_clear : s.z_clear, 0}};
    return state;
}

PictureSurface colour_surface(const cb::Target& target) {
    if (!target.bound)
        throw ImageError("nothing is bound: " + target.name() + "_INFO.FORMAT is INVALID");
    PictureSurface out;
    out.level = target.surface;
    out.slices = target.last_slice + 1;
    out.samples = target.compressed ? target.samples : target.fragments;
    out.first_slice = target.first_slice;
    out.width = target.width;
    out.height = target.height;
    out.format = target.format;
    if (target.fast_clear || target.compressed)
        out.find_sample = [target](uint32_t x, uint32_t y, uint32_t slice, uint32_t sample,
                                   const MetadataAt& metadata) {
            return find_colour(target, x, y, slice, sample, metadata);
        };
    return out;
}

PictureSurface depth_surface(const db::DepthState& state, bool stencil) {
    if (!(stencil ? state.uses_stencil : state.uses_z))
        throw ImageError(fmt::format("nothing is bound: {}.FORMAT is INVALID",
                                     stencil ? "DB_STENCIL_INFO" : "DB_Z_INFO"));
    PictureSurface out;
    out.level = stencil ? state.stencil : state.z;
    out.slices = state.last_slice + 1u;
    out.samples = 1u << state.log2_samples;
    out.first_slice = state.first_slice;
    out.width = state.width;
    out.height = state.height;
    out.kind = stencil                                ? PixelKind::Stencil
               : state.format == db::DepthFormat::Z16 ? PixelKind::Z16
               : state.format == db::DepthFormat::Z24 ? PixelKind::Z24
                                                      : PixelKind::Z32Float;
    if (state.htile && (!stencil || state.htile_has_stencil))
        out.find_sample = [state, stencil](uint32_t x, uint32_t y, uint32_t slice, uint32_t sample,
                                           const MetadataAt& metadata) {
            return find_depth(state, stencil, x, y, slice, sample, metadata);
        };
    return out;
}

}  // namespace

bool has_render_targets(const asic::ChipDescription& chip) {
    return chip.spec<cb::RegisterMap>() != nullptr && chip.spec<db::RegisterMap>() != nullptr;
}

PictureSurface bound_surface(const BoundSurface& bound, const asic::ChipDescription& chip,
                             const InspectRegister& inspect) {
    const auto& colour = *chip.spec<cb::RegisterMap>();
    const auto& depth = *chip.spec<db::RegisterMap>();
    const Registers registers(*chip.spec<regs::RegisterDatabase>(), colour.context, inspect);
    try {
        if (bound.kind == BoundSurface::Kind::Colour)
            return colour_surface(
                cb::describe_target(colour, registers.view(), registers.tiling(), bound.index));
        return depth_surface(db::describe_buffers(depth, registers.tiling(), registers.view()),
                             bound.kind == BoundSurface::Kind::Stencil);
    } catch (const MachineStop& stop) {
        throw ImageError(stop.what());
    }
}

}  // namespace archipelago::host
