// SPDX-License-Identifier: Apache-2.0
#include "testbenches/host/expect.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>

#include "testbenches/host/code_object/byte_io.h"

namespace archipelago::host {
namespace {

// Shortest text that reads back as the value; NaNs show their bits.
std::string text_of(ElementType type, const uint8_t* p) {
    if (is_real(type)) {
        const double value = load_real(type, p);
        if (std::isnan(value))
            return fmt::format("nan (0x{:0{}x})", load_le(p, bytes_of(type)), 2 * bytes_of(type));
        return type == ElementType::F64 ? fmt::format("{}", value)
                                        : fmt::format("{}", static_cast<float>(value));
    }
    const uint64_t value = load_integer(type, p);
    return is_signed(type) ? fmt::format("{}", static_cast<int64_t>(value))
                           : fmt::format("{}", value);
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
bool integers_match(const uint8_t* expected, const uint8_t* got, const CompareSpec& spec) {
    uint64_t difference = 0;
    double magnitude = 0;
    const uint64_t e_bits = load_integer(*spec.type, expected);
    const uint64_t g_bits = load_integer(*spec.type, got);
    if (is_signed(*spec.type)) {
        const auto e = static_cast<int64_t>(e_bits);
        const auto g = static_cast<int64_t>(g_bits);
        difference = e > g ? static_cast<uint64_t>(e) - static_cast<uint64_t>(g)
                           : static_cast<uint64_t>(g) - static_cast<uint64_t>(e);
        magnitude = std::fabs(static_cast<double>(e));
    } else {
        difference = e_bits > g_bits ? e_bits - g_bits : g_bits - e_bits;
        magnitude = static_cast<double>(e_bits);
    }
    const double limit = std::max(spec.abs, spec.rel * magnitude);
    return limit >= 0x1p64 || difference <= static_cast<uint64_t>(limit);
}

bool elements_match(const CompareSpec& spec, const uint8_t* expected, const uint8_t* got) {
    if (!is_real(*spec.type))
        return integers_match(expected, got, spec);
    return floats_match(load_real(*spec.type, expected), load_real(*spec.type, got), spec);
}

}  // namespace

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
