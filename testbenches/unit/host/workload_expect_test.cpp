// SPDX-License-Identifier: Apache-2.0
#include "testbenches/host/expect.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>

namespace archipelago::host {
namespace {

template <class T>
std::vector<uint8_t> bytes(const std::vector<T>& values) {
    std::vector<uint8_t> out(values.size() * sizeof(T));
    std::memcpy(out.data(), values.data(), out.size());
    return out;
}

template <class T>
bool equal(ElementType type, T expected, T got, double rel = 0, double abs = 0) {
    return compare({type, rel, abs}, bytes<T>({expected}), bytes<T>({got})).equal();
}

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

TEST(Expect, TheFirstMismatchIsOneClearLine) {
    std::vector<float> expected(256, 1.5F);
    std::vector<float> got = expected;
    got[17] = 2.5F;
    got[18] = 0.1F;
    got[255] = -1.0F;
    const CompareResult result = compare({ElementType::F32, 1e-6, 0}, bytes(expected), bytes(got));
    EXPECT_EQ(describe_mismatch(result, 0x100030000),
              "expect at 0x100030000: element 17 (f32) at 0x100030044: expected 1.5, got 2.5 (3 of "
              "256 differ)");
}

TEST(Expect, EqualMemoryHasNoMessage) {
    const CompareResult result = compare({}, {1, 2, 3}, {1, 2, 3});
    EXPECT_TRUE(result.equal());
    EXPECT_EQ(result.elements, 3U);
    EXPECT_EQ(describe_mismatch(result, 0), "");
}

TEST(Expect, WithoutATypeEveryBitCountsAndWordsAreShown) {
    const CompareResult result =
        compare({}, bytes<float>({1.0F, 0.0F, kNan}), bytes<float>({1.0F, -0.0F, kNan}));
    EXPECT_EQ(describe_mismatch(result, 0x1000, "buffer y"),
              "buffer y at 0x1000: word 1 at 0x1004: expected 0x00000000, got 0x80000000 (1 of 3 "
              "differ)");
}

TEST(Expect, BytesAreShownWhenTheLengthIsNoWholeNumberOfWords) {
    const CompareResult result = compare({}, {1, 2, 3, 4, 5}, {1, 2, 3, 4, 0xa5});
    EXPECT_EQ(describe_mismatch(result, 0x10),
              "expect at 0x10: byte 4 at 0x14: expected 0x05, got 0xa5 (1 of 5 differ)");
}

TEST(Expect, TheToleranceIsTheLargerOfRelativeAndAbsolute) {
    EXPECT_TRUE(equal(ElementType::F32, 100.0F, 101.0F, 0.01));
    EXPECT_FALSE(equal(ElementType::F32, 100.0F, 101.01F, 0.01));
    EXPECT_TRUE(equal(ElementType::F32, 0.0F, 0.5F, 0.01, 0.5));
    EXPECT_FALSE(equal(ElementType::F32, 100.0F, 101.5F, 0.01, 1.0));
    EXPECT_TRUE(equal(ElementType::F64, -100.0, -101.0, 0.01));
    EXPECT_FALSE(equal(ElementType::F64, 1.0, -1.0, 0.5));
}

TEST(Expect, NansEqualNansAndInfinitiesOnlyThemselves) {
    float other_nan;
    const uint32_t bits = 0xffc00001;
    std::memcpy(&other_nan, &bits, sizeof bits);
    EXPECT_TRUE(equal(ElementType::F32, kNan, other_nan));
    EXPECT_FALSE(equal(ElementType::F32, kNan, 1.0F, 1e30, 1e30));
    EXPECT_FALSE(equal(ElementType::F32, 1.0F, kNan, 1e30, 1e30));
    EXPECT_TRUE(equal(ElementType::F32, kInf, kInf));
    EXPECT_FALSE(equal(ElementType::F32, kInf, -kInf, 1e30, 1e30));
    EXPECT_FALSE(equal(ElementType::F32, kInf, 1.0F, 1e30, 1e30));
    EXPECT_FALSE(equal(ElementType::F32, 1.0F, kInf, 1e30, 1e30));
}

TEST(Expect, ZerosOfBothSignsAreEqualWithAType) {
    EXPECT_TRUE(equal(ElementType::F32, 0.0F, -0.0F));
    EXPECT_TRUE(equal(ElementType::F64, 0.0, -0.0));
}

TEST(Expect, IntegersAreComparedExactlyAtAnyWidth) {
    EXPECT_FALSE(equal<uint64_t>(ElementType::U64, ~uint64_t{0}, ~uint64_t{0} - 1));
    EXPECT_TRUE(equal<uint64_t>(ElementType::U64, ~uint64_t{0}, ~uint64_t{0} - 1, 0, 1));
    EXPECT_FALSE(equal<int64_t>(ElementType::I64, INT64_MIN, INT64_MAX, 0, 1e18));
    EXPECT_TRUE(equal<int64_t>(ElementType::I64, INT64_MIN, INT64_MAX, 0, 1e20));
    EXPECT_TRUE(equal<int8_t>(ElementType::I8, -100, -99, 0.01));
    EXPECT_FALSE(equal<uint16_t>(ElementType::U16, 1000, 1002, 0, 1));
}

TEST(Expect, ElementsAreShownAsTheirType) {
    const auto line = [](ElementType type, const std::vector<uint8_t>& expected,
                         const std::vector<uint8_t>& got) {
        const std::string all = describe_mismatch(compare({type, 0, 0}, expected, got), 0);
        return all.substr(all.find("element"));
    };
    EXPECT_EQ(line(ElementType::I8, {0xff}, {1}),
              "element 0 (i8) at 0x0: expected -1, got 1 (1 of 1 differ)");
    EXPECT_EQ(line(ElementType::U16, {0xff, 0xff}, {0, 0}),
              "element 0 (u16) at 0x0: expected 65535, got 0 (1 of 1 differ)");
    EXPECT_EQ(line(ElementType::I64, bytes<int64_t>({INT64_MIN}), bytes<int64_t>({7})),
              "element 0 (i64) at 0x0: expected -9223372036854775808, got 7 (1 of 1 differ)");
    EXPECT_EQ(line(ElementType::F32, bytes<float>({kNan}), bytes<float>({-kInf})),
              "element 0 (f32) at 0x0: expected nan (0x7fc00000), got -inf (1 of 1 differ)");
    EXPECT_EQ(line(ElementType::F64, bytes<double>({0.1}), bytes<double>({0.30000000000000004})),
              "element 0 (f64) at 0x0: expected 0.1, got 0.30000000000000004 (1 of 1 differ)");
}

TEST(Expect, PiecesGiveTheSameResultAsTheWhole) {
    std::vector<uint32_t> expected(1000);
    std::vector<uint32_t> got(1000);
    for (uint32_t i = 0; i < 1000; ++i) {
        expected[i] = i;
        got[i] = i % 300 == 299 ? 0 : i;
    }
    const CompareSpec spec{ElementType::U32, 0, 0};
    const CompareResult whole = compare(spec, bytes(expected), bytes(got));
    EXPECT_EQ(whole.mismatches, 3U);
    Comparison pieces(spec, 4000);
    const std::vector<uint8_t> e = bytes(expected);
    const std::vector<uint8_t> g = bytes(got);
    for (size_t at = 0; at < e.size();) {
        const size_t count = std::min<size_t>(152, e.size() - at);
        pieces.add(e.data() + at, g.data() + at, count);
        at += count;
    }
    EXPECT_EQ(pieces.bytes(), 4000U);
    EXPECT_EQ(describe_mismatch(pieces.result(), 64), describe_mismatch(whole, 64));
}

TEST(Expect, MisuseIsRefused) {
    EXPECT_THROW(Comparison({ElementType::F32, 0, 0}, 6), std::invalid_argument);
    EXPECT_THROW(Comparison({ElementType::F32, -1, 0}, 4), std::invalid_argument);
    EXPECT_THROW(Comparison({ElementType::F32, 0, std::nan("")}, 4), std::invalid_argument);
    EXPECT_THROW(compare({}, {1}, {1, 2}), std::invalid_argument);
    Comparison comparison({}, 16);
    const uint8_t data[24] = {};
    EXPECT_THROW(comparison.add(data, data, 4), std::invalid_argument);
    EXPECT_THROW(comparison.add(data, data, 24), std::invalid_argument);
    comparison.add(data, data, 16);
    EXPECT_TRUE(comparison.result().equal());
}

}  // namespace
}  // namespace archipelago::host
