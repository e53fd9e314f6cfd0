// SPDX-License-Identifier: Apache-2.0
// Format conversion of typed buffer accesses.
#include "models/cu/isa/buffer_resource.h"
#include "models/cu/isa/number_format.h"

namespace archipelago::isa {
namespace {

constexpr DataFormat kFormats[16] = {
    {},                         // invalid
    {1, 1, {8}},                // 8
    {2, 1, {16}},               // 16
    {2, 2, {8, 8}},             // 8_8
    {4, 1, {32}},               // 32
    {4, 2, {16, 16}},           // 16_16
    {4, 3, {11, 11, 10}},       // 10_11_11
    {4, 3, {10, 11, 11}},       // 11_11_10
    {4, 4, {2, 10, 10, 10}},    // 10_10_10_2
    {4, 4, {10, 10, 10, 2}},    // 2_10_10_10
    {4, 4, {8, 8, 8, 8}},       // 8_8_8_8
    {8, 2, {32, 32}},           // 32_32
    {8, 4, {16, 16, 16, 16}},   // 16_16_16_16
    {12, 3, {32, 32, 32}},      // 32_32_32
    {16, 4, {32, 32, 32, 32}},  // 32_32_32_32
    {},                         // reserved
};

// Unsigned floats of 11 and 10 bits; negative numbers give 0, NaN one NaN.
uint32_t float_to_unsigned(uint32_t f, unsigned mantissa_bits) {
    if ((f & 0x7fffffffu) > 0x7f800000u) {
        return 0x1fu << mantissa_bits | 1u << (mantissa_bits - 1);
    }
    return f >> 31 != 0 ? 0 : float_to_small(f, mantissa_bits);
}

// Normalised 32-bit components: the quotient is rounded once, from double precision.
uint32_t unpack32(uint32_t v, NumFormat nfmt) {
    const double value = static_cast<int32_t>(v);
    switch (nfmt) {
        case NumFormat::Unorm:
            return to_bits(static_cast<float>(v / 4294967295.0));
        case NumFormat::Snorm:
            return to_bits(static_cast<float>(value < -2147483647.0 ? -1.0 : value / 2147483647.0));
        case NumFormat::SnormOgl:
            return to_bits(static_cast<float>((2.0 * value + 1.0) / 4294967295.0));
        case NumFormat::Uscaled:
            return to_bits(static_cast<float>(v));
        case NumFormat::Sscaled:
            return to_bits(static_cast<float>(static_cast<int32_t>(v)));
        default:
            return v;
    }
}

uint32_t unpack(uint32_t v, unsigned bits, NumFormat nfmt) {
    if (bits == 32) {
        return unpack32(v, nfmt);
    }
    if (nfmt == NumFormat::Float) {
        return bits == 16 ? half_bits_to_float(v) : small_to_float(v, bits - 5);
    }
    return unpack_number(v, bits, nfmt);
}

uint32_t pack(uint32_t v, unsigned bits, NumFormat nfmt) {
    switch (nfmt) {
        case NumFormat::Unorm:
        case NumFormat::Snorm:
            return pack_normalised(v, bits, nfmt);
        case NumFormat::Float:
            return bits == 32   ? v
                   : bits == 16 ? float_to_half_bits(v)
                                : float_to_unsigned(v, bits - 5);
        default:
            return v & field_mask(bits);
    }
}

bool is_integer(unsigned nfmt) {
    return nfmt == static_cast<unsigned>(NumFormat::Uint) ||
           nfmt == static_cast<unsigned>(NumFormat::Sint);
}

// Floats exist of 32, 16, and in 10_11_11 and 11_11_10 of 11 and 10 bits; every other number
// format of every width.
const char* unsupported(unsigned dfmt, unsigned nfmt) {
    const DataFormat& f = data_format(dfmt);
    if (f.bytes == 0) {
        return (dfmt & 15) == 0 ? nullptr : "buffer data format 15, which is reserved";
    }
    if (static_cast<NumFormat>(nfmt) == NumFormat::Float && f.bits[0] != 16 && f.bits[0] != 32 &&
        f.components != 3) {
        return "FLOAT buffer format of 8 bits or with an alpha of 2 bits";
    }
    return nullptr;
}

}  // namespace

const DataFormat& data_format(unsigned dfmt) {
    return kFormats[dfmt & 15];
}

const char* unsupported_load(unsigned dfmt, unsigned nfmt) {
    return unsupported(dfmt, nfmt);
}

const char* unsupported_store(unsigned dfmt, unsigned nfmt) {
    switch (static_cast<NumFormat>(nfmt)) {
        case NumFormat::Uscaled:
        case NumFormat::Sscaled:
        case NumFormat::SnormOgl:
            return "store in a buffer format that can only be loaded (USCALED, SSCALED, SNORM_OGL)";
        default:
            return unsupported(dfmt, nfmt);
    }
}

uint32_t format_one(unsigned nfmt) {
    return is_integer(nfmt) ? 1 : kOneFloat;
}

void unpack_element(unsigned dfmt, unsigned nfmt, const uint32_t raw[4], uint32_t out[4]) {
    const DataFormat& f = data_format(dfmt);
    unsigned bit = 0;
    for (unsigned c = 0; c < f.components; ++c) {
        const uint32_t v = raw[bit / 32] >> (bit % 32) & field_mask(f.bits[c]);
        out[c] = unpack(v, f.bits[c], static_cast<NumFormat>(nfmt));
        bit += f.bits[c];
    }
    for (unsigned c = f.components; c < 4; ++c) {
        out[c] = c == 3 ? format_one(nfmt) : 0;
    }
}

void pack_element(unsigned dfmt, unsigned nfmt, const uint32_t in[4], uint32_t raw[4]) {
    const DataFormat& f = data_format(dfmt);
    raw[0] = raw[1] = raw[2] = raw[3] = 0;
    unsigned bit = 0;
    for (unsigned c = 0; c < f.components; ++c) {
        raw[bit / 32] |= pack(in[c], f.bits[c], static_cast<NumFormat>(nfmt)) << (bit % 32);
        bit += f.bits[c];
    }
}

}  // namespace archipelago::isa
