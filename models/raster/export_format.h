// SPDX-License-Identifier: Apache-2.0
// Colour exports of pixel shaders, decoded by their format: SPI_SHADER_COL_FORMAT has a code for
// each target. Southern Islands document 3.7; Mesa's ac_shader_util.c for the packing.
#pragma once

#include <cstdint>

#include "models/raster/quad_batch.h"

namespace archipelago::raster {

// SPI_SHADER_EX_FORMAT. The 16-bit formats are compressed exports.
enum class ExportFormat : uint8_t {
    Zero,  // no export
    R32,   // x
    Gr32,  // x, y
    Ar32,  // x and w: red and alpha
    Fp16,  // halves
    Unorm16,
    Snorm16,
    Uint16,
    Sint16,
    Abgr32,
};
constexpr uint32_t kExportFormats = 10;

// Bits of the components (0 red to 3 alpha) that exports of this format have.
constexpr uint8_t components_of(ExportFormat format) {
    switch (format) {
        case ExportFormat::Zero:
            return 0x0;
        case ExportFormat::R32:
            return 0x1;
        case ExportFormat::Gr32:
            return 0x3;
        case ExportFormat::Ar32:
            return 0x9;
        default:
            return 0xF;
    }
}

// The format of a target in a value of SPI_SHADER_COL_FORMAT. Throws MachineStop for a reserved
// code.
ExportFormat export_format_of(uint32_t spi_shader_col_format, unsigned target);

// Throws MachineStop when an export is compressed and its format is not, or the reverse.
void check_export(ExportFormat format, const PixelExports::Target& exported);

// Components of the first `lanes` lanes: bits of floats, of integer formats two's complement.
// Writes only components in `needed`; those that the format has not are 0, alpha is `absent_alpha`.
// Checks the export.
void decode_exports(ExportFormat format, const PixelExports::Target& exported, unsigned lanes,
                    uint8_t needed, uint32_t absent_alpha, PixelExports::Vector& to);

}  // namespace archipelago::raster
