// SPDX-License-Identifier: Apache-2.0
#include "testbenches/host/expect.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstring>
#include <stdexcept>

#include "testbenches/host/code_object/byte_io.h"

namespace archipelago::host {
namespace {

struct TypeInfo {
    const char* name;
    uint32_t bytes;
    bool is_signed;
    bool is_float;
};

constexpr std::array<TypeInfo, 10> kTypes{{
    {"i8", 1, true, false},
    {"u8", 1, false, false},
    {"i16", 2, true, false},
    {"u16", 2, false, false},
    {"i32", 4, true, false},
    {"u32", 4, false, false},
    {"i64", 8, true, false},
    {"u64", 8, false, false},
    {"f32", 4, true, true},
    {"f64", 8, true, true},
}};

const TypeInfo& info(ElementType type) {
    return kTypes[static_cast<size_t>(type)];
}

float float_at(const uint8_t* p) {
    return bit_cast<float>(static_cast<uint32_t>(load_le(p, 4)));
}

double double_at(const uint8_t* p) {
    return bit_cast<double>(load_le(p, 8));
}

int64_t signed_at(const uint8_t* p, uint32_t bytes) {
    assert(bytes >= 1 && bytes <= 8);
    const unsigned shift = 64 - 8 * bytes;
    return static_cast<int64_t>(load_le(p, bytes) << shift) >> shift;
}

// Shortest text that reads back as the value; NaNs show their bits.
std::string text_of(ElementType type, const uint8_t* p) {
    const TypeInfo& t = info(type);
    if (t.is_float) {
        const double value = t.bytes == 4 ? static_cast<double>(float_at(p)) : double_at(p);
        if (std::isnan(value))
            return fmt::format("nan (0x{:0{}x})", load_le(p, t.bytes), 2 * t.bytes);
        return t.bytes == 4 ? fmt::format("{}", float_at(p)) : fmt::format("{}", value);
    }
    return t.is_signed ? fmt::format("{}", signed_at(p, t.bytes))
                       : fmt::format("{}", load_le(p, t.bytes));
}

bool floats_match(double expected, double got, const CompareSpec& spec) {
    if (std::isnan(expected) || std::isnan(got))
        return std::isnan(expected) && std::isnan(got);
    if (expected == got)
        return true;
    if (std::isinf(expected) || std::isinf(got))
        return false;
    return std::fabs(got - expected) <= std::max(spec.abs, spec.rel * std::fabs(expected));
}

// Exact also where a difference of 64-bit numbers does not fit a double.
bool integers_match(const TypeInfo& t, const uint8_t* expected, const uint8_t* got,
                    const CompareSpec& spec) {
    uint64_t difference = 0;
    double magnitude = 0;
    if (t.is_signed) {
        const int64_t e = signed_at(expected, t.bytes);
        const int64_t g = signed_at(got, t.bytes);
        difference = e > g ? static_cast<uint64_t>(e) - static_cast<uint64_t>(g)
                           : static_cast<uint64_t>(g) - static_cast<uint64_t>(e);
        magnitude = std::fabs(static_cast<double>(e));
    } else {
        const uint64_t e = load_le(expected, t.bytes);
        const uint64_t g = load_le(got, t.bytes);
        difference = e > g ? e - g : g - e;
        magnitude = static_cast<double>(e);
    }
    const double limit = std::max(spec.abs, spec.rel * magnitude);
    return limit >= 0x1p64 || difference <= static_cast<uint64_t>(limit);
}

bool elements_match(const CompareSpec& spec, const uint8_t* expected, const uint8_t* got) {
    const TypeInfo& t = info(*spec.type);
    if (!t.is_float)
        return integers_match(t, expected, got, spec);
    if (t.bytes == 4)
        return floats_match(static_cast<double>(float_at(expected)),
                            static_cast<double>(float_at(got)), spec);
    return floats_match(double_at(expected), double_at(got), spec);
}

}  // namespace

uint32_t bytes_of(ElementType type) {
    return info(type).bytes;
}

const char* to_string(ElementType type) {
    return info(type).name;
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

Comparison::Comparison(const CompareSpec& spec, uint64_t total_bytes)
    : spec_(spec),
      total_bytes_(total_bytes),
      element_bytes_(spec.type              ? bytes_of(*spec.type)
                     : total_bytes % 4 == 0 ? 4U
                                            : 1U) {
    if (total_bytes % element_bytes_ != 0)
        throw std::invalid_argument(fmt::format("comparing {} bytes as {}: not a multiple of {}",
                                                total_bytes, to_string(*spec.type),
                                                element_bytes_));
    if (!(spec.rel >= 0 && spec.abs >= 0) || std::isinf(spec.rel) || std::isinf(spec.abs))
        throw std::invalid_argument("a tolerance must be finite and not negative");
}

void Comparison::add(const uint8_t* expected, const uint8_t* got, size_t bytes) {
    if (bytes > total_bytes_ - bytes_ || (bytes % 8 != 0 && bytes != total_bytes_ - bytes_))
        throw std::invalid_argument(
            fmt::format("a piece of {} bytes after {} of {}", bytes, bytes_, total_bytes_));
    const uint64_t first = bytes_;
    bytes_ += bytes;
    result_.elements += bytes / element_bytes_;
    // Equal bits are equal values, regardless of the type.
    if (bytes == 0 || std::memcmp(expected, got, bytes) == 0)
        return;
    for (size_t at = 0; at < bytes; at += element_bytes_) {
        const bool same_bits = std::memcmp(expected + at, got + at, element_bytes_) == 0;
        if (!same_bits && !(spec_.type && elements_match(spec_, expected + at, got + at)))
            mismatch(first + at, expected + at, got + at);
    }
}

void Comparison::mismatch(uint64_t offset, const uint8_t* expected, const uint8_t* got) {
    if (result_.mismatches++ != 0)
        return;
    result_.offset = offset;
    result_.element = offset / element_bytes_;
    if (spec_.type) {
        result_.element_name =
            fmt::format("element {} ({})", result_.element, to_string(*spec_.type));
        result_.expected = text_of(*spec_.type, expected);
        result_.got = text_of(*spec_.type, got);
    } else {
        result_.element_name =
            fmt::format("{} {}", element_bytes_ == 4 ? "word" : "byte", result_.element);
        const auto hex = [&](const uint8_t* p) {
            return fmt::format("0x{:0{}x}", load_le(p, element_bytes_), 2 * element_bytes_);
        };
        result_.expected = hex(expected);
        result_.got = hex(got);
    }
}

CompareResult compare(const CompareSpec& spec, const std::vector<uint8_t>& expected,
                      const std::vector<uint8_t>& got) {
    if (expected.size() != got.size())
        throw std::invalid_argument(
            fmt::format("comparing {} bytes with {}", expected.size(), got.size()));
    Comparison comparison(spec, expected.size());
    comparison.add(expected.data(), got.data(), expected.size());
    return comparison.result();
}

std::string describe_mismatch(const CompareResult& result, uint64_t address,
                              std::string_view what) {
    if (result.equal())
        return {};
    return fmt::format("{} at {:#x}: {} at {:#x}: expected {}, got {} ({} of {} differ)", what,
                       address, result.element_name, address + result.offset, result.expected,
                       result.got, result.mismatches, result.elements);
}

}  // namespace archipelago::host
