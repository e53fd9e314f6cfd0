// SPDX-License-Identifier: Apache-2.0
// Comparing memory with what a workload expects: bit by bit, or element by element with a
// tolerance.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "testbenches/host/element_type.h"

namespace archipelago::host {

// How elements are compared. Without a type every bit counts. With one, elements are equal when
// their values are (so -0 equals 0), when both are NaN, or when they differ by no more than the
// larger of `abs` and `rel` times the magnitude of the expected value; an infinity only equals
// itself.
struct CompareSpec {
    std::optional<ElementType> type;
    double rel = 0;  // not negative, finite
    double abs = 0;  // not negative, finite
};

struct CompareResult {
    uint64_t elements = 0;    // compared
    uint64_t mismatches = 0;  // of them differ
    // Of the first mismatch:
    uint64_t element = 0;
    uint64_t offset = 0;       // in bytes from the first byte compared
    std::string element_name;  // "element 17 (f32)", "word 17", "byte 17"
    std::string expected;      // as text
    std::string got;

    bool equal() const { return mismatches == 0; }
};

// Compares in pieces, so that neither side needs to be in memory as a whole.
class Comparison {
  public:
    // `total_bytes` is the length of the whole comparison; with a type it must be a multiple of
    // the element's size (std::invalid_argument otherwise). Without a type the elements shown are
    // 32-bit words, or bytes when the length is no multiple of four.
    Comparison(const CompareSpec& spec, uint64_t total_bytes);

    // The next `bytes` of both sides. Every piece but the last must be a multiple of 8 bytes;
    // std::invalid_argument when it is not, or when the pieces exceed the total.
    void add(const uint8_t* expected, const uint8_t* got, size_t bytes);

    // Bytes that have been compared, and what came out.
    uint64_t bytes() const { return bytes_; }
    const CompareResult& result() const { return result_; }

  private:
    void mismatch(uint64_t offset, const uint8_t* expected, const uint8_t* got);

    CompareSpec spec_;
    uint64_t total_bytes_;
    uint32_t element_bytes_;
    uint64_t bytes_ = 0;
    CompareResult result_;
};

// Both sides at once. A different length is std::invalid_argument.
CompareResult compare(const CompareSpec& spec, const std::vector<uint8_t>& expected,
                      const std::vector<uint8_t>& got);

// One line for a failed comparison of what starts at `address`; empty when all is equal:
// "expect at 0x100030000: element 17 (f32) at 0x100030044: expected 1.5, got 2.5 (3 of 256 differ)"
std::string describe_mismatch(const CompareResult& result, uint64_t address,
                              std::string_view what = "expect");

}  // namespace archipelago::host
