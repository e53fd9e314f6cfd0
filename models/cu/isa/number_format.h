// SPDX-License-Identifier: Apache-2.0
// Number formats of the components of buffers and images, and the conversion of single components
// of images, with fewer than 32 bits where they are scaled; private to models/cu/isa.
#pragma once

#include <cstdint>

#include "models/cu/isa/small_float.h"

namespace archipelago::isa {

// BUF_NUM_FORMAT and, with more of them, IMG_NUM_FORMAT.
enum class NumFormat : uint8_t {
    Unorm,
    Snorm,
    Uscaled,
    Sscaled,
    Uint,
    Sint,
    SnormOgl,
    Float,
    Srgb = 9,  // images alone
};

constexpr uint32_t kOneFloat = 0x3f800000u;

// What a w that the format lacks is, and what DST_SEL's selector 1 stands for.
constexpr uint32_t format_one(NumFormat num) {
    return num == NumFormat::Uint || num == NumFormat::Sint ? 1 : kOneFloat;
}

inline uint32_t field_mask(unsigned bits) {
    return bits >= 32 ? 0xffffffffu : (1u << bits) - 1;
}
inline int32_t sign_extend(uint32_t value, unsigned bits) {
    const unsigned up = (32 - bits) & 31;
    return static_cast<int32_t>(value << up) >> up;
}

// value * scale to nearest even within [low, high]; NaN gives 0. Both bounds are below 2^53.
inline int64_t scaled_integer(float value, double scale, double low, double high) {
    const double x = static_cast<double>(value) * scale;
    if (!(x == x)) {
        return 0;
    }
    return nearest_integer(x < low ? low : x > high ? high : x);
}

// The value of a component in a register.
inline uint32_t unpack_number(uint32_t v, unsigned bits, NumFormat num) {
    const auto top = static_cast<float>(field_mask(bits));
    switch (num) {
        case NumFormat::Unorm:
            return to_bits(static_cast<float>(v) / top);
        case NumFormat::Snorm: {
            const float f =
                static_cast<float>(sign_extend(v, bits)) / static_cast<float>(field_mask(bits - 1));
            return to_bits(f < -1.0f ? -1.0f : f);
        }
        case NumFormat::SnormOgl:
            return to_bits((2.0f * static_cast<float>(sign_extend(v, bits)) + 1.0f) / top);
        case NumFormat::Uscaled:
            return to_bits(static_cast<float>(v));
        case NumFormat::Sscaled:
            return to_bits(static_cast<float>(sign_extend(v, bits)));
        case NumFormat::Sint:
            return static_cast<uint32_t>(sign_extend(v, bits));
        default:
            return v;
    }
}

// The reverse, of normalised numbers.
inline uint32_t pack_normalised(uint32_t v, unsigned bits, NumFormat num) {
    const bool is_signed = num == NumFormat::Snorm;
    const double top = field_mask(is_signed ? bits - 1 : bits);
    const int64_t packed = scaled_integer(to_float(v), top, is_signed ? -top : 0.0, top);
    return static_cast<uint32_t>(packed) & field_mask(bits);
}

}  // namespace archipelago::isa
