// SPDX-License-Identifier: Apache-2.0
// The table of formats.
#include "models/cb/colour_format.h"

#include "models/raster/lane_floats.h"

namespace archipelago::cb {
namespace {

struct Layout {
    const char* name;
    uint8_t bytes;
    std::array<uint8_t, 4> bits;  // of the components, from the lowest bit up; 0: no component
};
// By CB_COLORn_INFO.FORMAT; names list components from the highest bits down.
constexpr std::array<Layout, 23> kLayouts = {{
    {nullptr, 0, {}},  // INVALID
    {"8", 1, {8}},
    {"16", 2, {16}},
    {"8_8", 2, {8, 8}},
    {"32", 4, {32}},
    {"16_16", 4, {16, 16}},
    {"10_11_11", 4, {11, 11, 10}},
    {"11_11_10", 4, {10, 11, 11}},
    {"10_10_10_2", 4, {2, 10, 10, 10}},
    {"2_10_10_10", 4, {10, 10, 10, 2}},
    {"8_8_8_8", 4, {8, 8, 8, 8}},
    {"32_32", 8, {32, 32}},
    {"16_16_16_16", 8, {16, 16, 16, 16}},
    {nullptr, 0, {}},
    {"32_32_32_32", 16, {32, 32, 32, 32}},
    {nullptr, 0, {}},
    {"5_6_5", 2, {5, 6, 5}},
    {"1_5_5_5", 2, {5, 5, 5, 1}},
    {"5_5_5_1", 2, {1, 5, 5, 5}},
    {"4_4_4_4", 2, {4, 4, 4, 4}},
    {"8_24", 4, {24, 8}},
    {"24_8", 4, {8, 24}},
    {"X24_8_32_FLOAT", 8, {32, 8}},
}};
constexpr uint32_t kX24_8_32Float = 22;

// COMP_SWAP: the shader's component of each field, by swap and number of fields. R6xx 3D register
// reference, CB_COLOR0_INFO; Mesa's si_translate_colorswap.
constexpr uint8_t R = 0, G = 1, B = 2, A = 3;
constexpr uint8_t kSwaps[4][4][4] = {
    {{R}, {R, G}, {R, G, B}, {R, G, B, A}},  // STD
    {{G}, {R, A}, {R, G, A}, {B, G, R, A}},  // ALT
    {{B}, {G, R}, {B, G, R}, {A, B, G, R}},  // STD_REV
    {{A}, {A, R}, {A, G, R}, {A, R, G, B}},  // ALT_REV
};

bool encoding_of(uint32_t number_type, Encoding& encoding) {
    switch (number_type) {
        case 0:
            encoding = Encoding::Unorm;
            return true;
        case 1:
            encoding = Encoding::Snorm;
            return true;
        case 4:
            encoding = Encoding::Uint;
            return true;
        case 5:
            encoding = Encoding::Sint;
            return true;
        case 6:
            encoding = Encoding::Srgb;
            return true;
        case 7:
            encoding = Encoding::Float;
            return true;
        default:
            return false;  // USCALED, SSCALED
    }
}

// How one field of a target of these numbers is encoded. False: there is no such encoding.
bool encode_field(Encoding number, ColourFormat::Field& field) {
    field.encoding = number;
    switch (number) {
        case Encoding::Unorm:
            return field.bits <= 24;
        case Encoding::Snorm:
            return field.bits >= 2 && field.bits <= 24;
        case Encoding::Srgb:
            if (field.component == kAlpha)
                field.encoding = Encoding::Unorm;
            return field.bits == 8;
        case Encoding::Float:
            if (field.bits == 8)  // the stencil of X24_8_32_FLOAT
                field.encoding = Encoding::Uint;
            return true;
        default:
            return true;
    }
}

bool has_floats(const Layout& layout, uint32_t format) {
    return format == kX24_8_32Float || layout.bits[0] == 16 || layout.bits[0] == 32 ||
           (layout.bits[0] >= 10 && layout.bits[1] == 11);
}

}  // namespace

const char* format_name(uint32_t format) {
    return format < kLayouts.size() ? kLayouts[format].name : nullptr;
}

bool make_format(const FormatFields& fields, ColourFormat& format, std::string& error) {
    if (format_name(fields.format) == nullptr) {
        error = "FORMAT " + std::to_string(fields.format) + " is reserved";
        return false;
    }
    const Layout& layout = kLayouts[fields.format];
    format = ColourFormat();
    const bool known = encoding_of(fields.number_type, format.number);
    bool fits =
        known && (format.number != Encoding::Float || has_floats(layout, fields.format)) &&
        (fields.format != kX24_8_32Float || format.number == Encoding::Float || format.integer());
    format.code = static_cast<uint8_t>(fields.format);
    format.bytes = layout.bytes;
    format.dwords = static_cast<uint8_t>((layout.bytes + 3) / 4);
    format.nearest = fields.round_mode == 0;
    format.endian = static_cast<Endian>(fields.endian & 3);
    while (format.fields < 4 && layout.bits[format.fields] != 0)
        ++format.fields;
    unsigned bit = 0;
    for (unsigned i = 0; i < format.fields; ++i) {
        ColourFormat::Field& f = format.field[i];
        f.dword = static_cast<uint8_t>(bit / 32);
        f.shift = static_cast<uint8_t>(bit % 32);
        f.bits = layout.bits[i];
        f.component = kSwaps[fields.comp_swap & 3][format.fields - 1][i];
        fits = encode_field(format.number, f) && fits;
        format.stored = static_cast<uint8_t>(format.stored | 1u << f.component);
        bit += f.bits;
    }
    if (!fits) {
        error = "NUMBER_TYPE " + std::to_string(fields.number_type) +
                " is not of targets of FORMAT " + layout.name;
        return false;
    }
    if (format.endian != Endian::None && format.bytes < 1u << fields.endian) {
        error = "ENDIAN " + std::to_string(fields.endian) +
                " swaps more bytes than a pixel of FORMAT " + layout.name + " has";
        return false;
    }
    return true;
}

std::array<uint32_t, 4> bits_of_components(const ColourFormat& format, uint8_t components) {
    std::array<uint32_t, 4> bits{};
    if ((format.stored & ~components) == 0) {
        bits.fill(~0u);
        return bits;
    }
    for (unsigned i = 0; i < format.fields; ++i) {
        const ColourFormat::Field& f = format.field[i];
        if ((components >> f.component & 1) != 0)
            bits[f.dword] |= (f.bits == 32 ? ~0u : (1u << f.bits) - 1) << f.shift;
    }
    return bits;
}

}  // namespace archipelago::cb
