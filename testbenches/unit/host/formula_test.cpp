// SPDX-License-Identifier: Apache-2.0
// What a formula of a workload gives, type by type, and how it is refused.
#include "testbenches/host/formula.h"

#include <gmock/gmock.h>

#include <cmath>

#include "testbenches/host/code_object/byte_io.h"

namespace archipelago::host::formula_test {
namespace {

using ::testing::HasSubstr;

const std::vector<std::string> kNames = {"x", "y", "k"};

template <class T>
FormulaOperand operand(ElementType type, const std::vector<T>& values) {
    FormulaOperand out{type, std::vector<uint8_t>(values.size() * sizeof(T))};
    std::memcpy(out.bytes.data(), values.data(), out.bytes.size());
    return out;
}

const std::vector<FormulaOperand> kOperands = {
    operand<float>(ElementType::F32, {1, 2.5F, -3, 0.1F}),
    operand<int8_t>(ElementType::I8, {-1, 2, -128, 127}),
    operand<uint32_t>(ElementType::U32, {3, 0, 0xffffffff, 1})};

template <class T>
T value(const std::string& text, ElementType type, uint64_t i = 0) {
    uint8_t bytes[8] = {};
    Formula(text, type, kNames).store(i, 4, kOperands, bytes);
    T out{};
    std::memcpy(&out, bytes, sizeof out);
    return out;
}
float f32(const std::string& text, uint64_t i = 0) {
    return value<float>(text, ElementType::F32, i);
}
int32_t i32(const std::string& text, uint64_t i = 0) {
    return value<int32_t>(text, ElementType::I32, i);
}
uint32_t u32(const std::string& text, uint64_t i = 0) {
    return value<uint32_t>(text, ElementType::U32, i);
}

TEST(Formula, OperatorsBindAsInC) {
    EXPECT_EQ(i32("2 + 3 * 4 - 1"), 13);
    EXPECT_EQ(i32("(2 + 3) * 4"), 20);
    EXPECT_EQ(i32("20 / 2 / 5 % 2"), 0);
    EXPECT_EQ(i32("1 << 3 + 1 >> 2"), 4);
    EXPECT_EQ(i32("1 | 6 & 3 ^ 4"), 1 | ((6 & 3) ^ 4));
    EXPECT_EQ(i32("1 + 1 == 2 && 3 < 2 || !0"), 1);
    EXPECT_EQ(i32("-i ? 10 : i == 0 ? 20 : 30"), 20);
    EXPECT_EQ(i32("- - 3 + +2"), 5);
    EXPECT_EQ(i32("~5 & 0xff"), 250);
    EXPECT_EQ(i32("max(min(7, 3), -2) + abs(-4) + clamp(9, 0, 5)"), 12);
}

TEST(Formula, RealsAreRoundedAfterEachOperation) {
    EXPECT_EQ(f32("2 * x + y", 1), 2.0F * 2.5F + 2.0F);
    EXPECT_EQ(f32("x * 3 - 0.3", 3), 0.1F * 3.0F - 0.3F);
    EXPECT_EQ(f32("16777216 + 1 + 1"), 16777216.0F);
    EXPECT_EQ(value<double>("x * 3", ElementType::F64, 3), static_cast<double>(0.1F) * 3);
    EXPECT_EQ(f32("fma(x, x, -0.01)", 3), std::fma(0.1F, 0.1F, -0.01F));
    EXPECT_EQ(f32("sqrt(x + 6) + floor(-1.5) + ceil(0.2) + pow(2, 10)", 1), std::sqrt(8.5F) + 1023);
    EXPECT_EQ(f32("5.5 % 2"), 1.5F);
    EXPECT_TRUE(std::isinf(f32("1 / (x - 1)")));
    EXPECT_EQ(value<uint16_t>("2049", ElementType::F16), 0x6800) << "to even: 2048";
    EXPECT_EQ(f32("i / n", 1), 0.25F);
    EXPECT_EQ(f32("1e3 + .5"), 1000.5F);
}

TEST(Formula, IntegersWrapAroundInTheirType) {
    EXPECT_EQ(u32("k + 1", 2), 0u);
    EXPECT_EQ(u32("0 - 1"), 0xffffffffu);
    EXPECT_EQ(u32("(k + k) / 2", 2), 0x7fffffffu);
    EXPECT_EQ(u32("k >> 31", 2), 1u);
    EXPECT_EQ(i32("k >> 31", 2), -1);
    EXPECT_EQ(i32("-7 / 2"), -3);
    EXPECT_EQ(i32("-7 % 2"), -1);
    EXPECT_EQ(i32("(0 - 2147483647 - 1) / -1"), INT32_MIN);
    EXPECT_EQ(value<int8_t>("y + y", ElementType::I8, 3), -2) << "computed as i32, then cut";
    EXPECT_EQ(value<uint8_t>("(y + y) / 2", ElementType::U8, 3), 127);
    EXPECT_EQ(value<uint64_t>("1 << 40", ElementType::U64), uint64_t{1} << 40);
    EXPECT_EQ(value<int64_t>("k * k", ElementType::I64, 2), int64_t{-8589934591});
}

TEST(Formula, OtherElementsAreNamedByAnIndexOfIntegers) {
    EXPECT_EQ(f32("x[i + 1] - x[i]", 0), 1.5F);
    EXPECT_EQ(f32("x[n - 1 - i]", 2), 2.5F);
    EXPECT_EQ(f32("x[i / 2]", 3), 2.5F) << "integer division";
    EXPECT_EQ(f32("x[k[i]]", 3), 2.5F);
    EXPECT_EQ(f32("i == 0 ? 0 : x[i - 1]", 0), 0) << "what is not chosen is not computed";
}

TEST(Formula, SaysWhatItNeeds) {
    const Formula f("x[k]", ElementType::F32, kNames);
    EXPECT_TRUE(f.uses(0));
    EXPECT_FALSE(f.uses(1));
    EXPECT_TRUE(f.uses(2));
}

std::string fault(const std::string& text, ElementType type = ElementType::F32, uint64_t i = 0) {
    try {
        uint8_t bytes[8];
        Formula(text, type, kNames).store(i, 4, kOperands, bytes);
    } catch (const FormulaError& error) {
        return error.what();
    }
    return "none";
}

TEST(Formula, IsRefusedWithTheColumn) {
    EXPECT_EQ(fault("2 * z"),
              "column 5 of the formula: unknown name \"z\", expected one of: x, y, k, i, n");
    EXPECT_EQ(fault("2 +"),
              "column 4 of the formula: it ends where a number or a name is expected");
    EXPECT_EQ(fault("2 x"), "column 3 of the formula: \"x\" is left");
    EXPECT_EQ(fault("(x"), "column 3 of the formula: expected \")\"");
    EXPECT_EQ(fault("x[1"), "column 4 of the formula: expected \"]\"");
    EXPECT_EQ(fault("max(x)"), "column 6 of the formula: expected \",\"");
    EXPECT_EQ(fault("x & y"), "column 3 of the formula: \"&\" is for integers");
    EXPECT_EQ(fault("~x"), "column 1 of the formula: \"~\" is for integers");
    EXPECT_EQ(fault("$"), "column 1 of the formula: got \"$\", expected a number, a name or (");
    EXPECT_EQ(fault("2x"), "column 1 of the formula: this is no number");
    EXPECT_EQ(fault("99999999999999999999"), "column 1 of the formula: this is no number");
    EXPECT_EQ(fault("k + 0.5", ElementType::U32),
              "column 5 of the formula: a number with a point among integers");
    EXPECT_EQ(fault("sqrt(k)", ElementType::U32), "column 1 of the formula: sqrt() is for reals");
    EXPECT_EQ(fault("x + 1", ElementType::I32),
              "column 1 of the formula: elements of f32 among integers");
    EXPECT_EQ(fault("x[i - 1]"),
              "column 1 of the formula: element -1 of a buffer of 4, where i is 0");
    EXPECT_EQ(fault("x[9]"), "column 1 of the formula: element 9 of a buffer of 4, where i is 0");
    EXPECT_EQ(fault("k / (k - 3)", ElementType::U32),
              "column 3 of the formula: an integer divided by 0");
    EXPECT_THAT(fault(std::string(1000, '(')), HasSubstr("too many parts inside of each other"));
    EXPECT_THAT(fault(std::string(1000, '-')), HasSubstr("too many parts inside of each other"));
    EXPECT_EQ(fault(""), "column 1 of the formula: it ends where a number or a name is expected");
}

}  // namespace
}  // namespace archipelago::host::formula_test
