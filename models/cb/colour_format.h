// SPDX-License-Identifier: Apache-2.0
// Formats of colour targets: how the components of a pixel lie in memory, and their conversion
// from and to what shaders export, for the 64 lanes of a batch. CB_COLORn_INFO.
//
// Steps of a conversion are single operations in binary32, rounded to nearest even (DECISIONS.md).
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "models/raster/quad_batch.h"

namespace archipelago::cb {

using Vector = raster::PixelExports::Vector;  // components or dwords, by lane
using Lane = Vector::value_type;
constexpr unsigned kLanes = raster::QuadBatch::kLanes;

constexpr unsigned kAlpha = 3;  // component; 0 to 2 are red, green and blue

enum class Encoding : uint8_t { Unorm, Snorm, Uint, Sint, Srgb, Float };
enum class Endian : uint8_t { None, Swap8In16, Swap8In32, Swap8In64 };

// The fields of CB_COLORn_INFO that say it.
struct FormatFields {
    uint32_t format = 0, number_type = 0, comp_swap = 0, endian = 0, round_mode = 0;
};

struct ColourFormat {
    struct Field {  // a component in memory
        uint8_t dword = 0, shift = 0, bits = 0;
        uint8_t component = 0;  // of the shader
        Encoding encoding = Encoding::Unorm;
    };
    uint8_t code = 0;  // of CB_COLORn_INFO.FORMAT
    uint8_t bytes = 4, dwords = 1, fields = 0;
    std::array<Field, 4> field{};  // from the lowest bit up
    Encoding number = Encoding::Unorm;
    Endian endian = Endian::None;
    bool nearest = true;  // ROUND_MODE 0; else bits are dropped
    float low = -1;       // SNORM: numbers are clamped to this and 1
    uint8_t stored = 0;   // components that have a field

    bool integer() const { return number == Encoding::Uint || number == Encoding::Sint; }
    // Has a range that BLEND_CLAMP clamps to.
    bool normalised() const {
        return number == Encoding::Unorm || number == Encoding::Snorm || number == Encoding::Srgb;
    }
    // 1 as a component of exports has it.
    uint32_t one() const { return integer() ? 1 : 0x3f800000u; }
};

// CB_COLORn_INFO.FORMAT as register headers name it; null: reserved.
constexpr uint32_t kFormats = 32;
const char* format_name(uint32_t format);

// False: `error` names the field and why there is no such target.
bool make_format(const FormatFields& fields, ColourFormat& format, std::string& error);

// Bits of a pixel's dwords that these components of the shader have. All four: every bit.
std::array<uint32_t, 4> bits_of_components(const ColourFormat& format, uint8_t components);

// Exported components, as floats or integers, to the dwords of a pixel: the first `lanes` lanes.
void pack(const ColourFormat& format, const Vector& colour, unsigned lanes, Vector& dwords);
// The reverse; sRGB becomes linear. Components that are not stored stay.
void unpack(const ColourFormat& format, const Vector& dwords, unsigned lanes, Vector& colour);
// Between the dwords of a pixel and memory's bytes, in both directions.
void swap_bytes(const ColourFormat& format, unsigned lanes, Vector& dwords);

}  // namespace archipelago::cb
