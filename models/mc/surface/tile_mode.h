// SPDX-License-Identifier: Apache-2.0
// Values of GB_TILING_CONFIG, GB_ADDR_CONFIG, GB_TILE_MODEn and GB_MACROTILE_MODEn, decoded. Field
// positions and codes: Linux radeon r600d.h, sid.h and cikd.h.
#pragma once

#include <array>
#include <cstdint>

namespace archipelago::surface {

enum class Generation : uint8_t {
    R6xx,       // R600, R700: bank and pipe from GB_TILING_CONFIG, 1D/2D/3D modes
    Evergreen,  // and Northern Islands: tile parameters per surface
    Si,         // tile parameters in GB_TILE_MODEn
    Cik,        // and in GB_MACROTILE_MODEn
};

// GB_TILE_MODEn.ARRAY_MODE, by its code.
enum class ArrayMode : uint8_t {
    LinearGeneral = 0,
    LinearAligned = 1,
    Tiled1dThin = 2,
    Tiled1dThick = 3,
    Tiled2dThin = 4,
    PrtThin = 5,
    Prt2dThin = 6,
    Tiled2dThick = 7,
    Tiled2dXthick = 8,
    PrtThick = 9,
    Prt2dThick = 10,
    Prt3dThin = 11,
    Tiled3dThin = 12,
    Tiled3dThick = 13,
    Tiled3dXthick = 14,
    Prt3dThick = 15,
};

constexpr bool is_linear(ArrayMode mode) {
    return mode <= ArrayMode::LinearAligned;
}
// Macro tiled: with pipes and banks.
constexpr bool is_macro(ArrayMode mode) {
    return mode >= ArrayMode::Tiled2dThin;
}
constexpr bool is_3d(ArrayMode mode) {
    return mode == ArrayMode::Prt3dThin || mode >= ArrayMode::Tiled3dThin;
}
constexpr bool is_prt(ArrayMode mode) {
    return mode == ArrayMode::PrtThin || mode == ArrayMode::Prt2dThin ||
           mode == ArrayMode::PrtThick || mode == ArrayMode::Prt2dThick ||
           mode == ArrayMode::Prt3dThin || mode == ArrayMode::Prt3dThick;
}
// Slices of one micro tile: 1, 4 or 8.
constexpr unsigned thickness(ArrayMode mode) {
    switch (mode) {
        case ArrayMode::Tiled1dThick:
        case ArrayMode::Tiled2dThick:
        case ArrayMode::PrtThick:
        case ArrayMode::Prt2dThick:
        case ArrayMode::Tiled3dThick:
        case ArrayMode::Prt3dThick:
            return 4;
        case ArrayMode::Tiled2dXthick:
        case ArrayMode::Tiled3dXthick:
            return 8;
        default:
            return 1;
    }
}
const char* name_of(ArrayMode mode);

// MICRO_TILE_MODE, by its code: order of the elements of an 8 x 8 tile. Thick exists on CIK only.
enum class MicroTileMode : uint8_t { Display = 0, Thin = 1, Depth = 2, Rotated = 3, Thick = 4 };

// GB_TILE_MODEn.PIPE_CONFIG, by its code; from FirstInternal on: what the older generations derive
// from the number of pipes.
enum class PipeConfig : uint8_t {
    P2 = 0,
    P4_8x16 = 4,
    P4_16x16 = 5,
    P4_16x32 = 6,
    P4_32x32 = 7,
    P8_16x16_8x16 = 8,
    P8_16x32_8x16 = 9,
    P8_32x32_8x16 = 10,
    P8_16x32_16x16 = 11,
    P8_32x32_16x16 = 12,
    P8_32x32_16x32 = 13,
    P8_32x64_32x32 = 14,
    P16_32x32_8x16 = 16,
    P16_32x32_16x16 = 17,
    FirstInternal = 32,
    P1 = 32,
    P8_OneSe,    // Evergreen: 8 pipes of one shader engine
    P8_TwoSe16,  // Evergreen: of two engines, 16-pixel engine tiles
    P8_R6xx,
};
// Pipes the configuration distributes over; 0: no such configuration.
unsigned pipes_of(PipeConfig config);

// One way to tile. `fault` names what is not defined in the register value; a mode with a fault can
// be held but no surface can be made with it.
struct TileMode {
    ArrayMode array = ArrayMode::LinearGeneral;
    MicroTileMode micro = MicroTileMode::Display;
    PipeConfig pipe = PipeConfig::P2;
    uint16_t tile_split = 64;  // bytes
    uint8_t bank_width = 1;    // micro tiles
    uint8_t bank_height = 1;   // micro tiles
    uint8_t macro_aspect = 1;
    uint8_t banks = 2;
    uint8_t sample_split = 1;  // CIK: samples of a tile before it is split
    bool resolved = false;     // CIK: all parts are this surface's
    Generation generation = Generation::Si;
    const char* fault = nullptr;
};

// In elements. R6xx: one tile of each bank, banks side by side and pipes below one another.
struct MacroTile {
    uint32_t width, height;
};
MacroTile macro_tile_of(const TileMode& mode);

TileMode decode_si_tile_mode(uint32_t gb_tile_mode);
// The value of GB_TILE_MODEn that is decoded as a mode without a fault.
uint32_t encode_si_tile_mode(const TileMode& mode);
// Bank width, height, aspect and number follow from GB_MACROTILE_MODEn per surface: see
// resolve_cik().
TileMode decode_cik_tile_mode(uint32_t gb_tile_mode);

// GB_ADDR_CONFIG; R6xx: GB_TILING_CONFIG.
struct AddressConfig {
    Generation generation = Generation::Si;
    unsigned pipes = 2;
    unsigned pipe_interleave = 256;  // bytes
    unsigned bank_interleave = 1;    // 1 from SI on
    unsigned row_bytes = 2048;       // of a DRAM row
    unsigned shader_engines = 1;
    unsigned engine_tile = 16;     // pixels, Evergreen's choice of the pipe equation
    unsigned banks = 4;            // R6xx: of a pipe; later ones say it for each surface
    unsigned sample_split = 1024;  // R6xx: bytes of a tile's samples in one place
    const char* fault = nullptr;
};
// R6xx, Evergreen: the pipe equation follows from the number of pipes and engines.
PipeConfig pipe_config_of(const AddressConfig& config);
AddressConfig decode_address_config(uint32_t gb_addr_config, Generation generation);
// The value of GB_ADDR_CONFIG that SI and CIK decode as a configuration without a fault.
uint32_t encode_address_config(const AddressConfig& config);

// CIK: the mode of a surface with this element size, sample count; `macro_modes` are the values of
// GB_MACROTILE_MODE0..15.
TileMode resolve_cik(const TileMode& mode, const uint32_t (&macro_modes)[16], unsigned bits,
                     unsigned samples, const AddressConfig& config);

// A write to a register the texture units keep: index 0 is GB_ADDR_CONFIG, 1 + n is GB_TILE_MODEn,
// kBorderColors is TA_CS_BC_BASE_ADDR.
struct TilingWrite {
    static constexpr uint8_t kBorderColors = 33;
    uint8_t index = 0;
    uint32_t value = 0;
};

// What a texture unit holds of the GB block: register values and their decoding.
struct TilingRegisters {
    static constexpr unsigned kModes = 32;
    uint32_t gb_addr_config = 0;
    uint32_t tile_mode[kModes] = {};
    uint32_t cs_border_colors = 0;  // of compute waves: the table's address / 256

    AddressConfig address;
    TileMode modes[kModes];

    // Counts the changes, for users that cache derived values.
    uint32_t changes = 0;

    TilingRegisters() { decode(); }
    void write(const TilingWrite& write);
    // Brings `address` and `modes` up to date with the register values (SI layout).
    void decode();
    template <class Archive>
    void archive(Archive& a) {
        a(gb_addr_config, tile_mode, cs_border_colors);
        if (!a.saving())
            decode();
    }
};

// The tiling registers of a chip of any generation after reset, decoded.
struct ChipTiling {
    using Modes = std::array<uint32_t, TilingRegisters::kModes>;
    using MacroModes = std::array<uint32_t, 16>;

    // `config`: GB_ADDR_CONFIG or GB_TILING_CONFIG; `mode_values`: SI, CIK; `macro_values`: CIK.
    ChipTiling(Generation generation, uint32_t config, const Modes& mode_values = {},
               const MacroModes& macro_values = {});

    AddressConfig address;
    TileMode modes[TilingRegisters::kModes];
    uint32_t macro_modes[16];
};

}  // namespace archipelago::surface
