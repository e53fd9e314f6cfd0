// SPDX-License-Identifier: Apache-2.0
#include "testbenches/host/map/radeon_mode.h"

#include <fmt/format.h>

#include <optional>

namespace archipelago::host {
namespace {

using config::EnumNames;
using config::range;
using config::Reader;
using surface::ArrayMode;
using surface::Generation;
using surface::MicroTileMode;
using surface::PipeConfig;
using surface::TileMode;

// SI and CIK.
constexpr EnumNames<ArrayMode> kArrayModes = {
    {"linear_general", ArrayMode::LinearGeneral},  {"linear_aligned", ArrayMode::LinearAligned},
    {"1d_tiled_thin1", ArrayMode::Tiled1dThin},    {"1d_tiled_thick", ArrayMode::Tiled1dThick},
    {"2d_tiled_thin1", ArrayMode::Tiled2dThin},    {"prt_tiled_thin1", ArrayMode::PrtThin},
    {"prt_2d_tiled_thin1", ArrayMode::Prt2dThin},  {"2d_tiled_thick", ArrayMode::Tiled2dThick},
    {"2d_tiled_xthick", ArrayMode::Tiled2dXthick}, {"prt_tiled_thick", ArrayMode::PrtThick},
    {"prt_2d_tiled_thick", ArrayMode::Prt2dThick}, {"prt_3d_tiled_thin1", ArrayMode::Prt3dThin},
    {"3d_tiled_thin1", ArrayMode::Tiled3dThin},    {"3d_tiled_thick", ArrayMode::Tiled3dThick},
    {"3d_tiled_xthick", ArrayMode::Tiled3dXthick}, {"prt_3d_tiled_thick", ArrayMode::Prt3dThick}};
constexpr EnumNames<MicroTileMode> kTileTypes = {{"display", MicroTileMode::Display},
                                                 {"thin", MicroTileMode::Thin},
                                                 {"depth", MicroTileMode::Depth},
                                                 {"rotated", MicroTileMode::Rotated},
                                                 {"thick", MicroTileMode::Thick}};
constexpr EnumNames<PipeConfig> kPipeConfigs = {{"p2", PipeConfig::P2},
                                                {"p4_8x16", PipeConfig::P4_8x16},
                                                {"p4_16x16", PipeConfig::P4_16x16},
                                                {"p4_16x32", PipeConfig::P4_16x32},
                                                {"p4_32x32", PipeConfig::P4_32x32},
                                                {"p8_16x16_8x16", PipeConfig::P8_16x16_8x16},
                                                {"p8_16x32_8x16", PipeConfig::P8_16x32_8x16},
                                                {"p8_32x32_8x16", PipeConfig::P8_32x32_8x16},
                                                {"p8_16x32_16x16", PipeConfig::P8_16x32_16x16},
                                                {"p8_32x32_16x16", PipeConfig::P8_32x32_16x16},
                                                {"p8_32x32_16x32", PipeConfig::P8_32x32_16x32},
                                                {"p8_32x64_32x32", PipeConfig::P8_32x64_32x32},
                                                {"p16_32x32_8x16", PipeConfig::P16_32x32_8x16},
                                                {"p16_32x32_16x16", PipeConfig::P16_32x32_16x16}};

// Evergreen and Northern Islands.
constexpr EnumNames<ArrayMode> kEvergreenModes = {
    {"linear_general", ArrayMode::LinearGeneral},  {"linear_aligned", ArrayMode::LinearAligned},
    {"1d_tiled_thin1", ArrayMode::Tiled1dThin},    {"1d_tiled_thick", ArrayMode::Tiled1dThick},
    {"2d_tiled_thin1", ArrayMode::Tiled2dThin},    {"2d_tiled_thick", ArrayMode::Tiled2dThick},
    {"2d_tiled_xthick", ArrayMode::Tiled2dXthick}, {"3d_tiled_thin1", ArrayMode::Tiled3dThin},
    {"3d_tiled_thick", ArrayMode::Tiled3dThick},   {"3d_tiled_xthick", ArrayMode::Tiled3dXthick}};

// R6xx and R7xx, whose array mode has the shape of the macro tile in it.
struct R6xxMode {
    ArrayMode array;
    uint8_t macro_aspect;
};
constexpr EnumNames<R6xxMode> kR6xxModes = {{"linear_general", {ArrayMode::LinearGeneral, 1}},
                                            {"linear_aligned", {ArrayMode::LinearAligned, 1}},
                                            {"1d_tiled_thin1", {ArrayMode::Tiled1dThin, 1}},
                                            {"1d_tiled_thick", {ArrayMode::Tiled1dThick, 1}},
                                            {"2d_tiled_thin1", {ArrayMode::Tiled2dThin, 1}},
                                            {"2d_tiled_thin2", {ArrayMode::Tiled2dThin, 2}},
                                            {"2d_tiled_thin4", {ArrayMode::Tiled2dThin, 4}},
                                            {"2d_tiled_thick", {ArrayMode::Tiled2dThick, 1}},
                                            {"3d_tiled_thin1", {ArrayMode::Tiled3dThin, 1}},
                                            {"3d_tiled_thick", {ArrayMode::Tiled3dThick, 1}}};
// Before SI.
constexpr EnumNames<MicroTileMode> kOldTileTypes = {{"display", MicroTileMode::Display},
                                                    {"thin", MicroTileMode::Thin},
                                                    {"depth", MicroTileMode::Depth}};

// A key of other generations, and where this one has what it says.
struct ForeignKey {
    const char* key;
    const char* instead;
};
constexpr ForeignKey kNotR6xx[] = {
    {"tile_index", "R6xx and R7xx have no GB_TILE_MODE, expected array_mode and tile_type"},
    {"pipe_config", "R6xx and R7xx have their pipes in GB_TILING_CONFIG"},
    {"banks", "R6xx and R7xx have their banks in GB_TILING_CONFIG"},
    {"tile_split", "R6xx and R7xx have SAMPLE_SPLIT in GB_TILING_CONFIG"},
    {"bank_width", "macro tiles of R6xx and R7xx have one tile of each bank"},
    {"bank_height", "macro tiles of R6xx and R7xx have one tile of each bank"},
    {"macro_aspect",
     "R6xx and R7xx have it in array_mode, expected 2d_tiled_thin1, "
     "2d_tiled_thin2 or 2d_tiled_thin4"}};
constexpr ForeignKey kNotEvergreen[] = {
    {"tile_index",
     "Evergreen and Northern Islands have no GB_TILE_MODE, expected the parts of the "
     "mode"},
    {"pipe_config", "Evergreen and Northern Islands have their pipes in GB_ADDR_CONFIG"}};

template <size_t kCount>
void refuse(Reader& r, const ForeignKey (&keys)[kCount]) {
    for (const ForeignKey& k : keys)
        if (r.has(k.key))
            r.error(k.key, k.instead);
}

// A power of two from `least` to `most` in place of `value`; required unless the mode has one.
template <class T>
void read_power(Reader& r, const char* key, unsigned least, unsigned most, bool needed, T& value,
                const char* doc) {
    if (!needed && !r.has(key))
        return;
    const auto read = r.required<unsigned>(key, range(least, most), doc);
    if (r.check((read & (read - 1)) == 0, key,
                fmt::format("got {}, expected a power of two", read)))
        value = static_cast<T>(read);
}

// `needed`: none is left out.
void read_banks(Reader& r, bool needed, TileMode& m) {
    read_power(r, "tile_split", 64, 4096, needed, m.tile_split, "bytes");
    read_power(r, "banks", 2, 16, needed, m.banks, "of a pipe");
    read_power(r, "bank_width", 1, 8, needed, m.bank_width, "tiles");
    read_power(r, "bank_height", 1, 8, needed, m.bank_height, "tiles");
    read_power(r, "macro_aspect", 1, 8, needed, m.macro_aspect, "of the macro tile");
}

void read_old_tile_type(Reader& r, TileMode& m) {
    if (!surface::is_linear(m.array) || r.has("tile_type"))
        m.micro = r.enumeration<MicroTileMode>("tile_type", kOldTileTypes, "order within a tile");
}

TileMode read_r6xx_mode(Reader& r, const surface::AddressConfig& config) {
    refuse(r, kNotR6xx);
    const auto mode = r.enumeration<R6xxMode>("array_mode", kR6xxModes, "CB_COLOR_INFO.ARRAY_MODE");
    TileMode m;
    m.array = mode.array;
    m.macro_aspect = mode.macro_aspect;
    m.pipe = surface::pipe_config_of(config);
    m.banks = static_cast<uint8_t>(config.banks);
    m.tile_split = static_cast<uint16_t>(config.sample_split);
    read_old_tile_type(r, m);
    return m;
}

TileMode read_evergreen_mode(Reader& r, const surface::AddressConfig& config) {
    refuse(r, kNotEvergreen);
    TileMode m;
    m.array = r.enumeration<ArrayMode>("array_mode", kEvergreenModes, "CB_COLOR_INFO.ARRAY_MODE");
    m.pipe = surface::pipe_config_of(config);
    read_old_tile_type(r, m);
    read_banks(r, surface::is_macro(m.array), m);
    return m;
}

// The chip's mode of `tile_index`, or one from its parts; those that are given replace the mode's.
TileMode read_mode(Reader& r, const surface::ChipTiling& tiling, unsigned bits, unsigned samples) {
    const auto index = r.maybe<unsigned>(
        "tile_index", range(0u, surface::TilingRegisters::kModes - 1), "GB_TILE_MODE of the chip");
    const bool cik = tiling.address.generation == Generation::Cik;
    TileMode m = index ? tiling.modes[*index] : TileMode{};
    if (!index || r.has("array_mode"))
        m.array = r.enumeration<ArrayMode>("array_mode", kArrayModes, "GB_TILE_MODE.ARRAY_MODE");
    const bool parts = !index && surface::is_macro(m.array);
    if ((!index && !surface::is_linear(m.array)) || r.has("tile_type"))
        m.micro = r.enumeration<MicroTileMode>("tile_type", kTileTypes, "order within a tile");
    if (index && cik)
        m = surface::resolve_cik(m, tiling.macro_modes, bits, samples, tiling.address);
    m.resolved = cik;
    if (parts || r.has("pipe_config")) {
        m.pipe = r.enumeration<PipeConfig>("pipe_config", kPipeConfigs, "pipes and their equation");
        r.check(cik || surface::pipes_of(m.pipe) <= 8, "pipe_config",
                "SI has no configuration of 16 pipes");
    }
    read_banks(r, parts, m);
    return m;
}

}  // namespace

PipeConfig read_pipe_config(Reader& r, const surface::ChipTiling& tiling) {
    const auto index = r.maybe<unsigned>(
        "tile_index", range(0u, surface::TilingRegisters::kModes - 1), "GB_TILE_MODE of the chip");
    if (index && !r.has("pipe_config"))
        return tiling.modes[*index].pipe;
    return r.enumeration<PipeConfig>("pipe_config", kPipeConfigs, "pipes and their equation");
}

TileMode read_tile_mode(Reader& r, const surface::ChipTiling& tiling, unsigned bits,
                        unsigned samples) {
    const Generation generation = tiling.address.generation;
    TileMode m = generation == Generation::R6xx        ? read_r6xx_mode(r, tiling.address)
                 : generation == Generation::Evergreen ? read_evergreen_mode(r, tiling.address)
                                                       : read_mode(r, tiling, bits, samples);
    m.generation = generation;
    return m;
}

}  // namespace archipelago::host
