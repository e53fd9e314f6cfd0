// SPDX-License-Identifier: Apache-2.0
// The context registers of the colour block, decoded once for each context.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "models/cb/blender.h"
#include "models/cb/colour_format.h"
#include "models/cb/fmask.h"
#include "models/cb/register_map.h"
#include "models/cb/rop3.h"
#include "models/mc/surface/metadata.h"
#include "models/mc/surface/surface.h"
#include "models/raster/export_format.h"
#include "models/raster/register_sets.h"

namespace archipelago::cb {

// CB_COLOR_CONTROL.MODE, by its code.
enum class Mode : uint8_t {
    Disable,
    Normal,
    EliminateFastClear,
    Resolve,
    Decompress,
    FmaskDecompress,
};
constexpr uint32_t kModes = 6;

// A render target that the mode accesses.
struct Target {
    bool bound = false;
    uint8_t index = 0;
    ColourFormat format;
    surface::SurfaceLevel surface;
    bool quads_in_line = false;  // the four pixels of a quad lie in one line of 64 bytes
    // Of the surface: pixels, and slices of the view.
    uint32_t width = 0, height = 0, first_slice = 0, last_slice = 0;
    uint8_t samples = 1, fragments = 1;

    // The pipeline from the export to memory.
    uint8_t export_number = 0;
    raster::ExportFormat export_format = raster::ExportFormat::Zero;
    uint8_t exported = 0;  // components that the shader gives
    uint8_t written = 0;   // components that reach memory
    Blend blend;
    Rop3 rop;
    std::array<uint32_t, 4> written_bits{};  // of a pixel's dwords
    bool reads_destination = false;
    bool destination_alpha_is_one = false;

    bool fast_clear = false;  // CMASK says which tiles are cleared
    surface::MetadataSurface cmask;
    std::array<uint32_t, 2> clear_word{};
    bool compressed = false;   // FMASK says which fragment a sample shows
    bool keeps_fmask = false;  // FMASK_COMPRESSION_DISABLE: it is always valid in memory
    surface::SurfaceLevel fmask;
    FmaskFormat fmask_format;

    std::string name() const { return "CB_COLOR" + std::to_string(index); }
};

struct ColourState {
    Mode mode = Mode::Disable;
    bool degamma = false;        // resolves average sRGB colours in linear space
    uint8_t raster_samples = 1;  // of coverage masks
    bool dual_source = false;    // target 0 blends with the export to target 1
    raster::ExportFormat source1_format = raster::ExportFormat::Zero;
    uint8_t source1_exported = 0;
    std::array<Target, kTargets> target;
};

// Throws MachineStop, which names the register, for state that no target can have. `tiling`: the
// GB block's registers.
ColourState decode_colour_state(const RegisterMap& map, const raster::RegisterView& registers,
                                const surface::TilingRegisters& tiling);

// A target as its registers describe it, whether or not the mode accesses it, without the pipeline
// to it. Not bound: its FORMAT is INVALID. Throws as above.
Target describe_target(const RegisterMap& map, const raster::RegisterView& registers,
                       const surface::TilingRegisters& tiling, unsigned index);

}  // namespace archipelago::cb
