// SPDX-License-Identifier: Apache-2.0
// Texel layouts and conversions. Names of formats list components from the highest bits down, the
// tables here from the lowest up.
#include "models/cu/isa/image_format.h"

#include "models/common/srgb.h"

namespace archipelago::isa {
namespace {

constexpr unsigned k8 = 1, k8_8 = 3, k10_11_11 = 6, k11_11_10 = 7, k8_8_8_8 = 10;
constexpr unsigned k24_8 = 21, kX24_8_32 = 22;
constexpr unsigned kFmaskFirst = 44, kFmaskLast = 56;

constexpr ImageFormat fields(uint8_t bytes, uint8_t components, uint8_t b0, uint8_t b1 = 0,
                             uint8_t b2 = 0, uint8_t b3 = 0) {
    ImageFormat f;
    f.layout = ImageLayout::Fields;
    f.bytes = bytes;
    f.components = components;
    f.bits[0] = b0;
    f.bits[1] = b1;
    f.bits[2] = b2;
    f.bits[3] = b3;
    return f;
}
constexpr ImageFormat depth(uint8_t bytes, uint8_t b0, uint8_t b1) {
    ImageFormat f = fields(bytes, 2, b0, b1);
    f.layout = ImageLayout::DepthStencil;
    return f;
}
constexpr ImageFormat block(ImageLayout layout, uint8_t bytes, uint8_t components) {
    ImageFormat f;
    f.layout = layout;
    f.bytes = bytes;
    f.components = components;
    f.block_width = 4;
    f.block_height = 4;
    return f;
}
constexpr ImageFormat pair() {
    ImageFormat f = fields(4, 3, 8, 8, 8);
    f.layout = ImageLayout::Pair422;
    f.block_width = 2;
    return f;
}
constexpr ImageFormat shared_exponent() {
    ImageFormat f = fields(4, 3, 9, 9, 9);
    f.layout = ImageLayout::SharedExponent;
    return f;
}

struct Formats {
    ImageFormat of[64];

    constexpr Formats() : of{} {
        of[1] = fields(1, 1, 8);
        of[2] = fields(2, 1, 16);
        of[3] = fields(2, 2, 8, 8);
        of[4] = fields(4, 1, 32);
        of[5] = fields(4, 2, 16, 16);
        of[6] = fields(4, 3, 11, 11, 10);
        of[7] = fields(4, 3, 10, 11, 11);
        of[8] = fields(4, 4, 2, 10, 10, 10);
        of[9] = fields(4, 4, 10, 10, 10, 2);
        of[10] = fields(4, 4, 8, 8, 8, 8);
        of[11] = fields(8, 2, 32, 32);
        of[12] = fields(8, 4, 16, 16, 16, 16);
        of[13] = fields(12, 3, 32, 32, 32);
        of[14] = fields(16, 4, 32, 32, 32, 32);
        of[16] = fields(2, 3, 5, 6, 5);
        of[17] = fields(2, 4, 5, 5, 5, 1);
        of[18] = fields(2, 4, 1, 5, 5, 5);
        of[19] = fields(2, 4, 4, 4, 4, 4);
        of[20] = depth(4, 24, 8);
        of[21] = depth(4, 8, 24);
        of[22] = depth(8, 32, 8);
        of[32] = pair();
        of[33] = pair();
        of[34] = shared_exponent();
        of[35] = block(ImageLayout::Bc1, 8, 4);
        of[36] = block(ImageLayout::Bc2, 16, 4);
        of[37] = block(ImageLayout::Bc3, 16, 4);
        of[38] = block(ImageLayout::Bc4, 8, 1);
        of[39] = block(ImageLayout::Bc5, 16, 2);
        of[40] = block(ImageLayout::Bc6, 16, 3);
        of[41] = block(ImageLayout::Bc7, 16, 4);
        // FMASK: which fragment each sample shows; raw bits of the given width.
        for (unsigned i = 44; i <= 49; ++i) {
            of[i] = fields(1, 1, 8);
        }
        of[50] = of[51] = fields(2, 1, 16);
        of[52] = of[53] = of[54] = fields(4, 1, 32);
        of[55] = of[56] = fields(8, 2, 32, 32);
        of[57] = fields(1, 2, 4, 4);
        of[58] = fields(2, 3, 5, 5, 6);
    }
};
constexpr Formats kFormats;

struct SrgbTable {
    float linear[256];

    SrgbTable() : linear{} {
        for (unsigned i = 0; i < 256; ++i)
            linear[i] = static_cast<float>(linear_of_srgb(i / 255.0));
    }
};

// The six-bit and five-bit mantissa floats of the packed formats have no sign.
uint32_t unpack_float(uint32_t v, unsigned bits) {
    switch (bits) {
        case 16:
            return half_bits_to_float(v);
        case 11:
            return small_to_float(v, 6);
        case 10:
            return small_to_float(v, 5);
        default:
            return v;
    }
}
uint32_t pack_float(uint32_t v, unsigned bits) {
    const bool negative = v >> 31 != 0 && (v & 0x7fffffffu) <= 0x7f800000u;
    switch (bits) {
        case 16:
            return float_to_half_bits(v);
        case 11:
            return negative ? 0 : float_to_small(v, 6);
        case 10:
            return negative ? 0 : float_to_small(v, 5);
        default:
            return v;
    }
}

uint32_t unpack_field(uint32_t v, unsigned bits, NumFormat num, bool alpha) {
    if (num == NumFormat::Float) {
        return unpack_float(v, bits);
    }
    if (num == NumFormat::Srgb) {
        return alpha ? unpack_number(v, bits, NumFormat::Unorm) : to_bits(srgb_to_linear(v));
    }
    return unpack_number(v, bits, num);
}

uint32_t pack_field(uint32_t v, unsigned bits, NumFormat num) {
    switch (num) {
        case NumFormat::Unorm:
        case NumFormat::Snorm:
            return pack_normalised(v, bits, num);
        case NumFormat::Uscaled: {
            const double top = field_mask(bits);
            return static_cast<uint32_t>(scaled_integer(to_float(v), 1.0, 0.0, top));
        }
        case NumFormat::Sscaled: {
            const double top = field_mask(bits - 1);
            return static_cast<uint32_t>(scaled_integer(to_float(v), 1.0, -top - 1.0, top)) &
                   field_mask(bits);
        }
        case NumFormat::Uint:
            return v > field_mask(bits) ? field_mask(bits) : v;
        case NumFormat::Sint: {
            const auto top = static_cast<int32_t>(field_mask(bits - 1));
            const auto s = static_cast<int32_t>(v);
            const int32_t clamped = bits == 32 ? s : s > top ? top : s < -top - 1 ? -top - 1 : s;
            return static_cast<uint32_t>(clamped) & field_mask(bits);
        }
        case NumFormat::Float:
            return pack_float(v, bits);
        default:
            return v & field_mask(bits);
    }
}

uint64_t element_bits(const uint8_t* element, unsigned first, unsigned bytes) {
    uint64_t v = 0;
    for (unsigned i = 0; i < 8 && first + i < bytes; ++i) {
        v |= static_cast<uint64_t>(element[first + i]) << (8 * i);
    }
    return v;
}

void unpack_shared_exponent(uint32_t v, uint32_t out[4]) {
    // mantissa / 512 * 2^(exponent - 15), exact
    const int exponent = static_cast<int>(v >> 27) - 24;
    const double scale = exponent >= 0 ? static_cast<double>(1u << exponent)
                                       : 1.0 / static_cast<double>(1u << -exponent);
    for (unsigned c = 0; c < 3; ++c) {
        out[c] = to_bits(static_cast<float>(static_cast<double>(v >> (9 * c) & 0x1ff) * scale));
    }
}

// GB_GR has the bytes R G0 B G1, BG_RG has G0 R G1 B; texel i has Gi.
void unpack_pair(unsigned dfmt, NumFormat num, const uint8_t* e, unsigned x, uint32_t out[4]) {
    const unsigned green = dfmt == 32 ? 1 : 0;
    const unsigned other = 1 - green;
    out[0] = unpack_field(e[other], 8, num, false);
    out[1] = unpack_field(e[green + 2 * x], 8, num, false);
    out[2] = unpack_field(e[other + 2], 8, num, false);
}

bool is_norm(unsigned nfmt) {
    return nfmt <= static_cast<unsigned>(NumFormat::Snorm) ||
           nfmt == static_cast<unsigned>(NumFormat::SnormOgl);
}

const char* unsupported_fields(unsigned dfmt, const ImageFormat& f, NumFormat num) {
    if (dfmt >= kFmaskFirst && dfmt <= kFmaskLast) {
        return num == NumFormat::Uint ? nullptr : "FMASK image format whose numbers are not UINT";
    }
    switch (num) {
        case NumFormat::Float:
            return f.bits[0] == 16 || f.bits[0] == 32 || dfmt == k10_11_11 || dfmt == k11_11_10
                       ? nullptr
                       : "FLOAT image format of components without an exponent";
        case NumFormat::Srgb:
            return dfmt == k8 || dfmt == k8_8 || dfmt == k8_8_8_8
                       ? nullptr
                       : "SRGB image format whose components are not 8 bits wide";
        case NumFormat::Snorm:
            for (unsigned c = 0; c < f.components; ++c) {
                if (f.bits[c] == 1) {
                    return "SNORM image format with a component of one bit";
                }
            }
            break;
        default:
            break;
    }
    if (f.bits[0] == 32 && (is_norm(static_cast<unsigned>(num)) || num == NumFormat::Uscaled ||
                            num == NumFormat::Sscaled)) {
        return "normalised or scaled image format of 32-bit components";
    }
    return nullptr;
}

const char* unsupported_block(const ImageFormat& f, NumFormat num) {
    const bool srgb = num == NumFormat::Srgb;
    switch (f.layout) {
        case ImageLayout::Bc1:
        case ImageLayout::Bc2:
        case ImageLayout::Bc3:
        case ImageLayout::Bc7:
            return num == NumFormat::Unorm || srgb
                       ? nullptr
                       : "BC1, BC2, BC3 or BC7 image whose numbers are neither UNORM nor SRGB";
        default:
            return num == NumFormat::Unorm || num == NumFormat::Snorm
                       ? nullptr
                       : "BC4, BC5 or BC6 image whose numbers are neither UNORM nor SNORM";
    }
}

}  // namespace

const ImageFormat& image_format(unsigned dfmt) {
    return kFormats.of[dfmt & 63];
}

bool image_is_integer(unsigned nfmt) {
    return nfmt == static_cast<unsigned>(NumFormat::Uint) ||
           nfmt == static_cast<unsigned>(NumFormat::Sint);
}

const float* srgb_table() {
    static const SrgbTable table;
    return table.linear;
}

float srgb_to_linear(unsigned code) {
    return srgb_table()[code & 255];
}

const char* unsupported_image_read(unsigned dfmt, unsigned nfmt) {
    const ImageFormat& f = image_format(dfmt);
    if (f.layout == ImageLayout::None) {
        return dfmt >= 59 ? "image data format 1, 1_REVERSED or 32_AS_*"
                          : "image data format INVALID or reserved";
    }
    if (nfmt > 7 && nfmt != static_cast<unsigned>(NumFormat::Srgb)) {
        return "image number format UB* or reserved";
    }
    const auto num = static_cast<NumFormat>(nfmt);
    switch (f.layout) {
        case ImageLayout::SharedExponent:
            return num == NumFormat::Float ? nullptr : "5_9_9_9 image whose numbers are not FLOAT";
        case ImageLayout::DepthStencil:
            if (dfmt == kX24_8_32) {
                return num == NumFormat::Float || num == NumFormat::Uint
                           ? nullptr
                           : "X24_8_32 image whose numbers are neither FLOAT nor UINT";
            }
            return num == NumFormat::Unorm || num == NumFormat::Uint
                       ? nullptr
                       : "8_24 or 24_8 image whose numbers are neither UNORM nor UINT";
        case ImageLayout::Pair422:
            return num == NumFormat::Float ? "FLOAT image format of components without an exponent"
                                           : nullptr;
        case ImageLayout::Fields:
            return unsupported_fields(dfmt, f, num);
        default:
            return unsupported_block(f, num);
    }
}

const char* unsupported_image_store(unsigned dfmt, unsigned nfmt) {
    const char* why = unsupported_image_read(dfmt, nfmt);
    if (why != nullptr) {
        return why;
    }
    if (image_format(dfmt).layout != ImageLayout::Fields) {
        return "store to an image of a block, shared exponent or depth format";
    }
    if (dfmt >= kFmaskFirst && dfmt <= kFmaskLast) {
        return "store to an image of an FMASK format";
    }
    switch (static_cast<NumFormat>(nfmt)) {
        case NumFormat::SnormOgl:
        case NumFormat::Srgb:
            return "store to an image whose numbers are SNORM_OGL or SRGB";
        default:
            return nullptr;
    }
}

LaneFormat image_lane_format(unsigned dfmt, unsigned nfmt) {
    LaneFormat format;
    const ImageFormat& f = image_format(dfmt);
    if (f.layout != ImageLayout::Fields || unsupported_image_read(dfmt, nfmt) != nullptr) {
        return format;
    }
    format.set_up(f.bytes, f.components, f.bits, static_cast<NumFormat>(nfmt));
    format.saturates = true;
    format.srgb = format.num == NumFormat::Srgb ? srgb_table() : nullptr;
    return format;
}

void unpack_texel(unsigned dfmt, unsigned nfmt, const uint8_t* element, unsigned x, unsigned y,
                  uint32_t out[4]) {
    const ImageFormat& f = image_format(dfmt);
    const auto num = static_cast<NumFormat>(nfmt);
    out[0] = out[1] = out[2] = 0;
    out[3] = format_one(num);
    switch (f.layout) {
        case ImageLayout::None:
            return;
        case ImageLayout::SharedExponent:
            unpack_shared_exponent(static_cast<uint32_t>(element_bits(element, 0, 4)), out);
            return;
        case ImageLayout::Pair422:
            unpack_pair(dfmt, num, element, x, out);
            return;
        case ImageLayout::Fields:
        case ImageLayout::DepthStencil:
            break;
        default:
            unpack_block(f.layout, num, element, x, y, out);
            return;
    }
    // The stencil beside a depth is an integer regardless of the number format.
    const unsigned stencil = f.layout != ImageLayout::DepthStencil ? 4 : dfmt == k24_8 ? 0 : 1;
    unsigned bit = 0;
    for (unsigned c = 0; c < f.components; ++c) {
        const uint64_t dword = element_bits(element, bit / 32 * 4, f.bytes);
        const auto v = static_cast<uint32_t>(dword >> (bit % 32)) & field_mask(f.bits[c]);
        out[c] = c == stencil ? v : unpack_field(v, f.bits[c], num, c == 3);
        bit += f.bits[c];
    }
}

void pack_texel(unsigned dfmt, unsigned nfmt, const uint32_t in[4], uint32_t raw[4]) {
    const ImageFormat& f = image_format(dfmt);
    raw[0] = raw[1] = raw[2] = raw[3] = 0;
    unsigned bit = 0;
    for (unsigned c = 0; c < f.components; ++c) {
        raw[bit / 32] |= pack_field(in[c], f.bits[c], static_cast<NumFormat>(nfmt)) << (bit % 32);
        bit += f.bits[c];
    }
}

}  // namespace archipelago::isa
