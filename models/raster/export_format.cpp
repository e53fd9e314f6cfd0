// SPDX-License-Identifier: Apache-2.0
#include "models/raster/export_format.h"

#include <algorithm>
#include <string>

#include "models/common/error.h"
#include "models/raster/lane_floats.h"
#include "models/raster/lane_loops.h"

namespace archipelago::raster {
namespace {

using Lane = std::array<uint32_t, QuadBatch::kLanes>;

bool is_compressed(ExportFormat format) {
    return format >= ExportFormat::Fp16 && format <= ExportFormat::Sint16;
}

// Component `c` of compressed exports: the lower half of a dword holds the even one.
template <class Decode>
void decode_halves(const PixelExports::Vector& from, unsigned c, unsigned lanes, Lane& to,
                   const Decode& decode) {
    const Lane& pair = from[c / 2];
    const unsigned shift = 16 * (c & 1);
    for (unsigned i = 0; i < lanes; ++i)
        to[i] = decode(pair[i] >> shift & 0xffff);
}

uint32_t sign_extended(uint32_t v) {
    return (v ^ 0x8000u) - 0x8000u;
}

void decode_component(ExportFormat format, const PixelExports::Vector& from, unsigned c,
                      unsigned lanes, Lane& to) {
    switch (format) {
        case ExportFormat::Fp16:
            return decode_halves(from, c, lanes, to, float_of_half);
        case ExportFormat::Unorm16:
            return decode_halves(from, c, lanes, to, [](uint32_t v) {
                return bits_of(static_cast<float>(static_cast<int32_t>(v)) * (1.0f / 65535));
            });
        case ExportFormat::Snorm16:
            return decode_halves(from, c, lanes, to, [](uint32_t v) {
                const float f =
                    static_cast<float>(static_cast<int32_t>(sign_extended(v))) * (1.0f / 32767);
                return bits_of(f < -1.0f ? -1.0f : f);
            });
        case ExportFormat::Uint16:
            return decode_halves(from, c, lanes, to, [](uint32_t v) { return v; });
        case ExportFormat::Sint16:
            return decode_halves(from, c, lanes, to, sign_extended);
        default:
            std::copy_n(from[c].begin(), lanes, to.begin());
    }
}

}  // namespace

ExportFormat export_format_of(uint32_t spi_shader_col_format, unsigned target) {
    const uint32_t code = spi_shader_col_format >> (4 * target) & 15;
    if (code >= kExportFormats)
        throw MachineStop(StopKind::BadInput, "SPI_SHADER_COL_FORMAT",
                          "COL" + std::to_string(target) + "_EXPORT_FORMAT " +
                              std::to_string(code) + " is reserved");
    return static_cast<ExportFormat>(code);
}

void check_export(ExportFormat format, const PixelExports::Target& exported) {
    if (format == ExportFormat::Zero || exported.enabled == 0 ||
        exported.compressed == is_compressed(format))
        return;
    throw MachineStop(
        StopKind::BadInput, "SPI_SHADER_COL_FORMAT",
        std::string(exported.compressed ? "a compressed export has format "
                                        : "an export that is not compressed has format ") +
            std::to_string(static_cast<unsigned>(format)));
}

ARCHIPELAGO_LANE_LOOPS
void decode_exports(ExportFormat format, const PixelExports::Target& exported, unsigned lanes,
                    uint8_t needed, uint32_t absent_alpha, PixelExports::Vector& to) {
    check_export(format, exported);
    const uint8_t present = components_of(format);
    for (unsigned c = 0; c < 4; ++c) {
        if ((needed >> c & 1) == 0)
            continue;
        if ((present >> c & 1) != 0)
            decode_component(format, exported.data, c, lanes, to[c]);
        else
            std::fill_n(to[c].begin(), lanes, c == 3 ? absent_alpha : 0);
    }
}

}  // namespace archipelago::raster
