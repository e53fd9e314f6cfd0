// SPDX-License-Identifier: Apache-2.0
// Tiled surfaces as packets describe them, one way for each of R6xx/R7xx, Evergreen to Southern
// Islands, and CIK.
#pragma once

#include "models/dma/packet_program.h"

namespace archipelago::dma {

// A surface that a packet names, and where in it the packet begins.
struct PacketSurface {
    Side side;  // tiled, or with strides for the linear array modes
    uint8_t element_bytes = 1;
    uint32_t pitch = 0;   // elements
    uint32_t rows = 0;    // of a slice, with what pads it
    uint32_t height = 0;  // rows in use
};

// What of a surface the fields say, before the address mathematics.
struct SurfaceFields {
    uint32_t array_mode = 0;  // codes of ARRAY_MODE
    uint32_t size = 0;        // log2 of the bytes of an element
    uint64_t pitch_tiles = 0, slice_tiles = 0;
    uint32_t height = 0;  // rows
    uint64_t base = 0;    // bytes
    uint32_t x = 0, y = 0, z = 0;
    surface::MicroTileMode micro = surface::MicroTileMode::Thin;
    surface::PipeConfig pipe = surface::PipeConfig::P2;
    uint32_t banks = 4, bank_width = 1, bank_height = 1, macro_aspect = 1, tile_split = 64;
    uint32_t deepest = 1;  // slices that will be touched
};

// Stops the machine where there is no such surface.
PacketSurface make_packet_surface(const ProgramState& p, const SurfaceFields& fields);

}  // namespace archipelago::dma
