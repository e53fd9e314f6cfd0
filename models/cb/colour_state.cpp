// SPDX-License-Identifier: Apache-2.0
#include "models/cb/colour_state.h"

#include <algorithm>

#include "models/common/error.h"
#include "models/raster/lane_floats.h"

namespace archipelago::cb {
namespace {

using raster::RegisterView;

[[noreturn]] void refuse(const std::string& name, const std::string& why) {
    throw MachineStop(StopKind::BadInput, name, why);
}

uint8_t nibble(uint32_t word, unsigned target) {
    return static_cast<uint8_t>(word >> (4 * target) & 15);
}

// The export that target `i` takes: exports are numbered over the targets that CB_SHADER_MASK has.
unsigned export_of(const RegisterMap& map, const RegisterView& registers, unsigned i) {
    const uint32_t mask = registers(map.CB_SHADER_MASK);
    unsigned number = 0;
    for (unsigned n = 0; n < i; ++n)
        number += nibble(mask, n) != 0 ? 1 : 0;
    return number;
}

// What decoding a target reads.
struct Source {
    const TargetRegisters& map;
    const RegisterView& registers;
    const surface::TilingRegisters& tiling;

    template <class Field>
    uint32_t operator()(const Field& field) const {
        return registers.field(field);
    }
    uint64_t address(uint32_t offset) const { return uint64_t{registers(offset)} << 8; }
};

using TileModes = surface::TileMode[surface::TilingRegisters::kModes];

void decode_samples(const Source& s, Target& t) {
    const uint32_t samples = s(s.map.ATTRIB.NUM_SAMPLES);
    const uint32_t fragments = s(s.map.ATTRIB.NUM_FRAGMENTS);
    if (samples > 4)
        refuse(s.map.name + "_ATTRIB", "NUM_SAMPLES " + std::to_string(samples) + " is reserved");
    if (fragments > samples)
        refuse(s.map.name + "_ATTRIB", "NUM_FRAGMENTS is greater than NUM_SAMPLES");
    t.samples = static_cast<uint8_t>(1u << samples);
    t.fragments = static_cast<uint8_t>(1u << fragments);
}

// One level with all its slices. `tiles`: the surface has tiles * 64 pixels in a slice.
void set_up_surface(const Source& s, const std::string& name, const TileModes& modes,
                    surface::ImageGeometry image, uint32_t tiles, surface::SurfaceLevel& level) {
    image.type = surface::ImageType::D2Array;
    image.pitch = image.width = (s(s.map.PITCH.TILE_MAX) + 1) * 8;
    image.height = std::max<uint32_t>(1, tiles * 64 / image.pitch);
    image.depth = s(s.map.VIEW.SLICE_MAX) + 1;
    std::array<surface::SurfaceLevel, surface::kMaxLevels> levels;
    std::string error;
    if (!surface::make_levels(image, s.tiling.address, modes, levels, error))
        refuse(name, error);
    level = levels[0];
}

void decode_surface(const Source& s, Target& t) {
    // LINEAR_GENERAL: the tile index is not used.
    static const TileModes general{};
    const bool is_general = s(s.map.INFO.LINEAR_GENERAL) != 0;
    surface::ImageGeometry image;
    image.samples = t.fragments;
    image.element_bytes = t.format.bytes;
    image.tiling_index = is_general ? 0 : s(s.map.ATTRIB.TILE_MODE_INDEX);
    image.base = s.address(s.map.BASE);
    const uint32_t tiles = s(s.map.SLICE.TILE_MAX) + 1;
    set_up_surface(s, s.map.name + "_BASE", is_general ? general : s.tiling.modes, image, tiles,
                   t.surface);
    const surface::TileMode& mode = t.surface.layout.mode;
    const bool linear = surface::is_linear(mode.array);
    t.quads_in_line = !linear && (mode.micro != surface::MicroTileMode::Depth || t.fragments == 1);
    t.width = t.surface.layout.pitch;
    t.height = tiles * 64 / t.width;
    if (linear)  // the slice's size is rounded down to whole tiles
        t.height = (tiles * 64 + 63 + t.width) / t.width;
    t.first_slice = s(s.map.VIEW.SLICE_START);
    t.last_slice = s(s.map.VIEW.SLICE_MAX);
}

void decode_cmask(const Source& s, Target& t) {
    t.fast_clear = s(s.map.INFO.FAST_CLEAR) != 0;
    if (!t.fast_clear)
        return;
    t.clear_word = {s.registers(s.map.CLEAR_WORD0), s.registers(s.map.CLEAR_WORD1)};
    surface::MetadataLayout layout;
    layout.kind = surface::MetadataKind::Cmask;
    layout.pipe = t.surface.layout.mode.pipe;
    layout.linear = s(s.map.INFO.CMASK_IS_LINEAR) != 0;
    layout.pitch = t.surface.layout.pitch;
    layout.height = t.surface.layout.height;
    layout.slices = t.last_slice + 1;
    layout.base = s.address(s.map.CMASK);
    layout.pipe_interleave = s.tiling.address.pipe_interleave;
    std::string error;
    if (!t.cmask.set_up(layout, error))
        refuse(s.map.name + "_CMASK", error);
}

void decode_fmask(const Source& s, Target& t) {
    t.compressed = s(s.map.INFO.COMPRESSION) != 0 && t.samples > 1;
    if (!t.compressed)
        return;
    t.keeps_fmask = s(s.map.INFO.FMASK_COMPRESSION_DISABLE) != 0;
    t.fmask_format = {t.samples, t.fragments};
    const uint32_t index = s(s.map.ATTRIB.FMASK_TILE_MODE_INDEX);
    TileModes modes;
    std::copy(std::begin(s.tiling.modes), std::end(s.tiling.modes), std::begin(modes));
    modes[index].bank_height = static_cast<uint8_t>(1u << s(s.map.ATTRIB.FMASK_BANK_HEIGHT));
    surface::ImageGeometry image;
    image.element_bytes = t.fmask_format.element_bytes();
    image.tiling_index = index;
    image.base = s.address(s.map.FMASK);
    set_up_surface(s, s.map.name + "_FMASK", modes, image, s(s.map.FMASK_SLICE.TILE_MAX) + 1,
                   t.fmask);
}

BlendFactor decode_factor(const Source& s, uint32_t code) {
    if (code >= kBlendFactors)
        refuse("CB_BLEND_CONTROL of " + s.map.name,
               "blend factor " + std::to_string(code) + " is reserved");
    return static_cast<BlendFactor>(code);
}
Combine decode_combine(const Source& s, uint32_t code) {
    if (code >= kCombines)
        refuse("CB_BLEND_CONTROL of " + s.map.name,
               "blend function " + std::to_string(code) + " is reserved");
    return static_cast<Combine>(code);
}

void decode_blend(const Source& s, const RegisterMap& map, Target& t) {
    const auto& control = s.map.BLEND_CONTROL;
    Blend& blend = t.blend;
    blend.enabled = s(control.ENABLE) != 0 && s(s.map.INFO.BLEND_BYPASS) == 0 &&
                    !t.format.integer() && t.rop.copies();
    if (!blend.enabled)
        return;
    blend.colour = {decode_factor(s, s(control.COLOR_SRCBLEND)),
                    decode_factor(s, s(control.COLOR_DESTBLEND)),
                    decode_combine(s, s(control.COLOR_COMB_FCN))};
    blend.alpha = blend.colour;
    if (s(control.SEPARATE_ALPHA_BLEND) != 0)
        blend.alpha = {decode_factor(s, s(control.ALPHA_SRCBLEND)),
                       decode_factor(s, s(control.ALPHA_DESTBLEND)),
                       decode_combine(s, s(control.ALPHA_COMB_FCN))};
    blend.clamp = s(s.map.INFO.BLEND_CLAMP) != 0 && t.format.normalised();
    blend.simple_float = s(s.map.INFO.SIMPLE_FLOAT) != 0;
    blend.constant = {raster::float_of(s.registers(map.CB_BLEND_RED)),
                      raster::float_of(s.registers(map.CB_BLEND_GREEN)),
                      raster::float_of(s.registers(map.CB_BLEND_BLUE)),
                      raster::float_of(s.registers(map.CB_BLEND_ALPHA))};
}

void set_written_bits(Target& t) {
    t.written_bits = bits_of_components(t.format, t.written);
    const bool whole = std::all_of(t.written_bits.begin(), t.written_bits.begin() + t.format.dwords,
                                   [](uint32_t bits) { return bits == ~0u; });
    t.reads_destination = t.blend.enabled || t.rop.reads_destination() || !whole;
}

// From the export to memory.
void decode_pipeline(const Source& s, const RegisterMap& map, Target& t) {
    t.export_number = static_cast<uint8_t>(export_of(map, s.registers, t.index));
    t.export_format =
        raster::export_format_of(s.registers(map.SPI_SHADER_COL_FORMAT), t.export_number);
    t.exported = static_cast<uint8_t>(nibble(s.registers(map.CB_SHADER_MASK), t.index) &
                                      raster::components_of(t.export_format));
    t.written = nibble(s.registers(map.CB_TARGET_MASK), t.index);
    t.destination_alpha_is_one = s(s.map.ATTRIB.FORCE_DST_ALPHA_1) != 0;
    if (s(s.map.BLEND_CONTROL.DISABLE_ROP3) == 0)
        t.rop = Rop3(s(map.CB_COLOR_CONTROL.ROP3));
    decode_blend(s, map, t);
    set_written_bits(t);
}

void decode_target(const Source& s, Target& t) {
    FormatFields fields;
    fields.format = s(s.map.INFO.FORMAT);
    fields.number_type = s(s.map.INFO.NUMBER_TYPE);
    fields.comp_swap = s(s.map.INFO.COMP_SWAP);
    fields.endian = s(s.map.INFO.ENDIAN);
    fields.round_mode = s(s.map.INFO.ROUND_MODE);
    std::string error;
    if (!make_format(fields, t.format, error))
        refuse(s.map.name + "_INFO", error);
    if (s(s.map.INFO.BLEND_CLAMP) != 0)
        t.format.low = 0;
    decode_samples(s, t);
    decode_surface(s, t);
    decode_cmask(s, t);
    decode_fmask(s, t);
    t.bound = true;
}

// Whether the mode accesses the target.
bool is_accessed(Mode mode, const RegisterMap& map, const RegisterView& registers, unsigned i) {
    if (registers.field(map.target[i].INFO.FORMAT) == 0)
        return false;
    const bool written = nibble(registers(map.CB_TARGET_MASK), i) != 0;
    switch (mode) {
        case Mode::Disable:
            return false;
        case Mode::Normal:
            return written && nibble(registers(map.CB_SHADER_MASK), i) != 0 &&
                   nibble(registers(map.SPI_SHADER_COL_FORMAT), export_of(map, registers, i)) != 0;
        case Mode::Resolve:
            return i < 2;
        default:
            return written;
    }
}

// Target 0 may blend with the export to target 1, which then is not written.
void decode_dual_source(const RegisterMap& map, const RegisterView& registers, ColourState& state) {
    state.dual_source = true;
    state.source1_format = raster::export_format_of(registers(map.SPI_SHADER_COL_FORMAT), 1);
    state.source1_exported = static_cast<uint8_t>(nibble(registers(map.CB_SHADER_MASK), 1) &
                                                  raster::components_of(state.source1_format));
}

// CB0 into CB1, all components that the mask of CB0 has: radv masks CB1, radeonsi does not.
void decode_resolve(const RegisterMap& map, const RegisterView& registers, ColourState& state) {
    const Target& from = state.target[0];
    Target& to = state.target[1];
    if (!from.bound || !to.bound)
        refuse(from.bound ? "CB_COLOR1_INFO" : "CB_COLOR0_INFO",
               "FORMAT is INVALID, and the mode is a resolve of CB0 into CB1");
    if (from.format.code != to.format.code)
        refuse("CB_COLOR1_INFO", "FORMAT is not that of CB0, which is resolved into it");
    if (to.samples != 1)
        refuse("CB_COLOR1_ATTRIB", "a multisampled surface is no destination of a resolve");
    to.written = nibble(registers(map.CB_TARGET_MASK), 0);
    set_written_bits(to);
}

}  // namespace

ColourState decode_colour_state(const RegisterMap& map, const RegisterView& registers,
                                const surface::TilingRegisters& tiling) {
    ColourState state;
    const uint32_t mode = registers.field(map.CB_COLOR_CONTROL.MODE);
    if (mode >= kModes)
        refuse("CB_COLOR_CONTROL", "MODE " + std::to_string(mode) + " is reserved");
    state.mode = static_cast<Mode>(mode);
    state.degamma = registers.field(map.CB_COLOR_CONTROL.DEGAMMA_ENABLE) != 0;
    state.raster_samples = static_cast<uint8_t>(
        1u << std::min(4u, registers.field(map.PA_SC_AA_CONFIG.MSAA_NUM_SAMPLES)));
    for (unsigned i = 0; i < kTargets; ++i) {
        Target& t = state.target[i];
        t.index = static_cast<uint8_t>(i);
        if (!is_accessed(state.mode, map, registers, i) || (i == 1 && state.dual_source))
            continue;
        const Source source{map.target[i], registers, tiling};
        decode_target(source, t);
        if (state.mode != Mode::Normal)
            continue;
        decode_pipeline(source, map, t);
        if (!t.blend.reads_source1())
            continue;
        if (i != 0)
            refuse("CB_BLEND" + std::to_string(i) + "_CONTROL",
                   "blends with a second source, which target 0 alone can");
        decode_dual_source(map, registers, state);
    }
    if (state.mode == Mode::Resolve)
        decode_resolve(map, registers, state);
    return state;
}

Target describe_target(const RegisterMap& map, const RegisterView& registers,
                       const surface::TilingRegisters& tiling, unsigned index) {
    Target target;
    target.index = static_cast<uint8_t>(index);
    if (registers.field(map.target[index].INFO.FORMAT) != 0)
        decode_target({map.target[index], registers, tiling}, target);
    return target;
}

}  // namespace archipelago::cb
