// SPDX-License-Identifier: Apache-2.0
#include "testbenches/host/element_type.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "testbenches/host/code_object/byte_io.h"

namespace archipelago::host {
namespace {

struct TypeInfo {
    const char* name;
    uint32_t bytes;
    bool is_signed;
    bool is_real;
};

constexpr std::array<TypeInfo, 11> kTypes{{
    {"i8", 1, true, false},
    {"u8", 1, false, false},
    {"i16", 2, true, false},
    {"u16", 2, false, false},
    {"i32", 4, true, false},
    {"u32", 4, false, false},
    {"i64", 8, true, false},
    {"u64", 8, false, false},
    {"f16", 2, true, true},
    {"f32", 4, true, true},
    {"f64", 8, true, true},
}};

const TypeInfo& info(ElementType type) {
    return kTypes[static_cast<size_t>(type)];
}

// binary16: 10 bits of mantissa; exponents from -14 to 15.
constexpr int kHalfMantissa = 10, kHalfLeast = -14, kHalfMost = 15;
constexpr uint16_t kHalfSign = 0x8000, kHalfInfinity = 0x7c00, kHalfNan = 0x7e00;

double half_value(uint16_t bits) {
    const int exponent = bits >> kHalfMantissa & 31;
    const int mantissa = bits & ((1 << kHalfMantissa) - 1);
    const double sign = (bits & kHalfSign) != 0 ? -1 : 1;
    if (exponent == 31)
        return mantissa != 0 ? std::nan("") : sign * INFINITY;
    if (exponent == 0)
        return sign * std::ldexp(mantissa, kHalfLeast - kHalfMantissa);
    return sign * std::ldexp(mantissa + (1 << kHalfMantissa), exponent - 15 - kHalfMantissa);
}

uint16_t half_bits(double value) {
    if (std::isnan(value))
        return kHalfNan;
    const uint16_t sign = std::signbit(value) ? kHalfSign : 0;
    const double magnitude = std::fabs(value);
    if (magnitude == 0)
        return sign;
    const int exponent =
        std::isinf(magnitude) ? kHalfMost + 1 : std::max(std::ilogb(magnitude), kHalfLeast);
    if (exponent > kHalfMost)
        return sign | kHalfInfinity;
    // In units of the last place; a carry goes into the exponent, up to infinity.
    const auto units =
        static_cast<uint16_t>(std::nearbyint(std::ldexp(magnitude, kHalfMantissa - exponent)));
    return static_cast<uint16_t>(sign | (((exponent - kHalfLeast) << kHalfMantissa) + units));
}

}  // namespace

uint32_t bytes_of(ElementType type) {
    return info(type).bytes;
}

const char* to_string(ElementType type) {
    return info(type).name;
}

bool is_real(ElementType type) {
    return info(type).is_real;
}

bool is_signed(ElementType type) {
    return info(type).is_signed;
}

const std::vector<std::string>& element_type_names() {
    static const std::vector<std::string> names = [] {
        std::vector<std::string> out;
        out.reserve(kTypes.size());
        for (const TypeInfo& t : kTypes)
            out.emplace_back(t.name);
        return out;
    }();
    return names;
}

double load_real(ElementType type, const uint8_t* element) {
    if (type == ElementType::F16)
        return half_value(static_cast<uint16_t>(load_le(element, 2)));
    if (type == ElementType::F32)
        return static_cast<double>(bit_cast<float>(static_cast<uint32_t>(load_le(element, 4))));
    return bit_cast<double>(load_le(element, 8));
}

void store_real(ElementType type, double value, uint8_t* to) {
    if (type == ElementType::F16)
        store_le(to, half_bits(value), 2);
    else if (type == ElementType::F32)
        store_le(to, bit_cast<uint32_t>(static_cast<float>(value)), 4);
    else
        store_le(to, bit_cast<uint64_t>(value), 8);
}

uint64_t load_integer(ElementType type, const uint8_t* element) {
    const uint32_t bytes = bytes_of(type);
    const uint64_t bits = load_le(element, bytes);
    if (!is_signed(type))
        return bits;
    const auto extended = [](auto value) {
        return static_cast<uint64_t>(static_cast<int64_t>(value));
    };
    switch (bytes) {
        case 1:
            return extended(static_cast<int8_t>(bits));
        case 2:
            return extended(static_cast<int16_t>(bits));
        case 4:
            return extended(static_cast<int32_t>(bits));
        default:
            return bits;
    }
}

void store_term(ElementType type, const uint8_t* first, const uint8_t* step, uint64_t n,
                uint8_t* to) {
    if (is_real(type))
        store_real(type, load_real(type, first) + static_cast<double>(n) * load_real(type, step),
                   to);
    else
        store_le(to, load_integer(type, first) + n * load_integer(type, step), bytes_of(type));
}

}  // namespace archipelago::host
