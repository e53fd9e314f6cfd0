// SPDX-License-Identifier: Apache-2.0
#include "models/mc/surface/tile_mode.h"

#include <algorithm>

#include "models/mc/surface/powers_of_two.h"

namespace archipelago::surface {
namespace {

uint32_t field(uint32_t value, unsigned low, unsigned width) {
    return value >> low & ((1u << width) - 1);
}

// TILE_SPLIT: 64 << code bytes. Code 7 is not defined.
void decode_split(TileMode& mode, uint32_t code) {
    if (code == 7)
        mode.fault = "TILE_SPLIT 7 is not defined";
    else
        mode.tile_split = static_cast<uint16_t>(64u << code);
}

void decode_pipe(TileMode& mode, uint32_t code) {
    mode.pipe = static_cast<PipeConfig>(code);
    if (is_macro(mode.array) && pipes_of(mode.pipe) == 0)
        mode.fault = "PIPE_CONFIG is not defined";
}

void decode_banks(TileMode& mode, uint32_t width, uint32_t height, uint32_t aspect,
                  uint32_t banks) {
    mode.bank_width = static_cast<uint8_t>(1u << width);
    mode.bank_height = static_cast<uint8_t>(1u << height);
    mode.macro_aspect = static_cast<uint8_t>(1u << aspect);
    mode.banks = static_cast<uint8_t>(2u << banks);
}

// GB_TILING_CONFIG. Registers that lead elsewhere are caught, not followed.
AddressConfig decode_tiling_config(uint32_t v) {
    AddressConfig config;
    config.generation = Generation::R6xx;
    const uint32_t pipes = field(v, 1, 3);
    const uint32_t banks = field(v, 4, 2);
    const uint32_t group = field(v, 6, 2);
    const uint32_t row = field(v, 8, 3);
    config.row_bytes = 1024u << (row & 3);
    config.sample_split = 1024u << field(v, 14, 2);
    if (pipes > 3)
        config.fault = "PIPE_TILING is not defined";
    else
        config.pipes = 1u << pipes;
    if (banks > 1)
        config.fault = "BANK_TILING is not defined";
    else
        config.banks = 4u << banks;
    if (group > 1)
        config.fault = "GROUP_SIZE is not defined";
    else
        config.pipe_interleave = 256u << group;
    if (row > 3 && pipes == 3)
        config.fault = "the bank swaps of ROW_TILING 4 to 7 are not described";
    return config;
}

}  // namespace

const char* name_of(ArrayMode mode) {
    static const char* const kNames[] = {
        "LINEAR_GENERAL",  "LINEAR_ALIGNED",  "1D_TILED_THIN1",     "1D_TILED_THICK",
        "2D_TILED_THIN1",  "PRT_TILED_THIN1", "PRT_2D_TILED_THIN1", "2D_TILED_THICK",
        "2D_TILED_XTHICK", "PRT_TILED_THICK", "PRT_2D_TILED_THICK", "PRT_3D_TILED_THIN1",
        "3D_TILED_THIN1",  "3D_TILED_THICK",  "3D_TILED_XTHICK",    "PRT_3D_TILED_THICK"};
    return kNames[static_cast<unsigned>(mode) & 15];
}

unsigned pipes_of(PipeConfig config) {
    switch (config) {
        case PipeConfig::P1:
            return 1;
        case PipeConfig::P2:
            return 2;
        case PipeConfig::P4_8x16:
        case PipeConfig::P4_16x16:
        case PipeConfig::P4_16x32:
        case PipeConfig::P4_32x32:
            return 4;
        case PipeConfig::P8_16x16_8x16:
        case PipeConfig::P8_16x32_8x16:
        case PipeConfig::P8_32x32_8x16:
        case PipeConfig::P8_16x32_16x16:
        case PipeConfig::P8_32x32_16x16:
        case PipeConfig::P8_32x32_16x32:
        case PipeConfig::P8_32x64_32x32:
        case PipeConfig::P8_OneSe:
        case PipeConfig::P8_TwoSe16:
        case PipeConfig::P8_R6xx:
            return 8;
        case PipeConfig::P16_32x32_8x16:
        case PipeConfig::P16_32x32_16x16:
            return 16;
    }
    return 0;
}

MacroTile macro_tile_of(const TileMode& m) {
    const uint32_t pipes = pipes_of(m.pipe);
    if (m.generation == Generation::R6xx)
        return {8u * m.banks / m.macro_aspect, 8 * pipes * m.macro_aspect};
    return {8 * m.bank_width * pipes * m.macro_aspect,
            8u * m.bank_height * m.banks / m.macro_aspect};
}

TileMode decode_si_tile_mode(uint32_t v) {
    TileMode mode;
    mode.generation = Generation::Si;
    mode.micro = static_cast<MicroTileMode>(field(v, 0, 2));
    mode.array = static_cast<ArrayMode>(field(v, 2, 4));
    decode_pipe(mode, field(v, 6, 5));
    decode_split(mode, field(v, 11, 3));
    decode_banks(mode, field(v, 14, 2), field(v, 16, 2), field(v, 18, 2), field(v, 20, 2));
    return mode;
}

uint32_t encode_si_tile_mode(const TileMode& m) {
    return static_cast<uint32_t>(m.micro) | static_cast<uint32_t>(m.array) << 2 |
           static_cast<uint32_t>(m.pipe) << 6 | log2_of(m.tile_split / 64u) << 11 |
           log2_of(m.bank_width) << 14 | log2_of(m.bank_height) << 16 |
           log2_of(m.macro_aspect) << 18 | log2_of(m.banks / 2u) << 20;
}

TileMode decode_cik_tile_mode(uint32_t v) {
    TileMode mode;
    mode.generation = Generation::Cik;
    mode.array = static_cast<ArrayMode>(field(v, 2, 4));
    decode_pipe(mode, field(v, 6, 5));
    decode_split(mode, field(v, 11, 3));
    const uint32_t micro = field(v, 22, 3);
    if (micro > static_cast<uint32_t>(MicroTileMode::Thick))
        mode.fault = "MICRO_TILE_MODE_NEW is not defined";
    else
        mode.micro = static_cast<MicroTileMode>(micro);
    mode.sample_split = static_cast<uint8_t>(1u << field(v, 25, 2));
    return mode;
}

TileMode resolve_cik(const TileMode& mode, const uint32_t (&macro_modes)[16], unsigned bits,
                     unsigned samples, const AddressConfig& config) {
    TileMode resolved = mode;
    resolved.resolved = true;
    const unsigned sample_tile = 64 * thickness(mode.array) * bits / 8;
    unsigned split = mode.tile_split;
    if (mode.micro != MicroTileMode::Depth)
        split = std::max(256u, mode.sample_split * sample_tile);
    split = std::min(split, config.row_bytes);
    resolved.tile_split = static_cast<uint16_t>(split);
    if (!is_macro(mode.array))
        return resolved;
    const unsigned tile = std::max(64u, std::min(split, samples * sample_tile));
    unsigned index = is_prt(mode.array) ? 8 : 0;
    for (unsigned size = 64; size * 2 <= tile; size *= 2)
        ++index;
    const uint32_t macro = macro_modes[index & 15];
    decode_banks(resolved, field(macro, 0, 2), field(macro, 2, 2), field(macro, 4, 2),
                 field(macro, 6, 2));
    return resolved;
}

AddressConfig decode_address_config(uint32_t v, Generation generation) {
    if (generation == Generation::R6xx)
        return decode_tiling_config(v);
    AddressConfig config;
    config.generation = generation;
    const uint32_t pipes = field(v, 0, 3);
    const uint32_t interleave = field(v, 4, 3);
    const uint32_t bank_interleave = field(v, 8, 3);
    const uint32_t engine_tile = field(v, 16, 3);
    const uint32_t row = field(v, 28, 2);
    if (pipes > 4)
        config.fault = "NUM_PIPES is not defined";
    else
        config.pipes = 1u << pipes;
    // Registers that lead elsewhere are caught, not followed.
    if (interleave > 1)
        config.fault = "PIPE_INTERLEAVE_SIZE is not defined";
    else
        config.pipe_interleave = 256u << interleave;
    if (row > 2)
        config.fault = "ROW_SIZE is not defined";
    else
        config.row_bytes = 1024u << row;
    if (generation == Generation::Evergreen) {
        if (bank_interleave > 3)
            config.fault = "BANK_INTERLEAVE_SIZE is not defined";
        else
            config.bank_interleave = 1u << bank_interleave;
    }
    config.shader_engines = 1u << field(v, 12, 2);
    config.engine_tile = 16u << std::min(engine_tile, 3u);
    return config;
}

uint32_t encode_address_config(const AddressConfig& c) {
    return log2_of(c.pipes) | log2_of(c.pipe_interleave / 256) << 4 |
           log2_of(c.shader_engines) << 12 | log2_of(c.engine_tile / 16) << 16 |
           log2_of(c.row_bytes / 1024) << 28;
}

void TilingRegisters::write(const TilingWrite& write) {
    if (write.index == TilingWrite::kBorderColors)
        cs_border_colors = write.value;
    if (write.index > kModes)
        return;
    if (write.index == 0) {
        gb_addr_config = write.value;
        address = decode_address_config(write.value, Generation::Si);
    } else {
        tile_mode[write.index - 1] = write.value;
        modes[write.index - 1] = decode_si_tile_mode(write.value);
    }
    ++changes;
}

void TilingRegisters::decode() {
    ++changes;
    address = decode_address_config(gb_addr_config, Generation::Si);
    for (unsigned i = 0; i < kModes; ++i)
        modes[i] = decode_si_tile_mode(tile_mode[i]);
}

ChipTiling::ChipTiling(Generation generation, uint32_t config, const Modes& mode_values,
                       const MacroModes& macro_values)
    : address(decode_address_config(config, generation)) {
    const auto decode = generation == Generation::Cik ? decode_cik_tile_mode : decode_si_tile_mode;
    std::transform(mode_values.begin(), mode_values.end(), modes, decode);
    std::copy(macro_values.begin(), macro_values.end(), macro_modes);
}

}  // namespace archipelago::surface
