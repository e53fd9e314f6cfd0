// SPDX-License-Identifier: Apache-2.0
// Decoding of colour exports, and floats of few bits, against plain arithmetic.
#include "models/raster/export_format.h"

#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "models/common/error.h"
#include "models/raster/lane_floats.h"

namespace archipelago::raster {
namespace {

constexpr uint32_t kOne = 0x3f800000;

// The value of a float of five exponent bits.
double value_of(uint32_t v, unsigned mantissa) {
    const int exponent = static_cast<int>(v >> mantissa & 31);
    const double fraction = v & ((1u << mantissa) - 1);
    if (exponent == 0)
        return std::ldexp(fraction, -14 - static_cast<int>(mantissa));
    if (exponent == 31)
        return fraction == 0 ? std::numeric_limits<double>::infinity() : std::nan("");
    return std::ldexp(1.0 + std::ldexp(fraction, -static_cast<int>(mantissa)), exponent - 15);
}

template <unsigned Mantissa>
void check_all_codes() {
    const uint32_t infinity = 31u << Mantissa;
    for (uint32_t v = 0; v < 32u << Mantissa; ++v) {
        const uint32_t f = float_of_small<Mantissa>(v);
        const double expected = value_of(v, Mantissa);
        if (v > infinity)
            EXPECT_TRUE(std::isnan(float_of(f))) << v;
        else
            EXPECT_EQ(double{float_of(f)}, expected) << v;
        EXPECT_EQ(small_of_float<Mantissa>(f, false), v);
        EXPECT_EQ(small_of_float<Mantissa>(f, true), v);
    }
    // Between two neighbours, and at the tie.
    for (uint32_t v = 0; v + 1 < infinity; ++v) {
        const double low = value_of(v, Mantissa), high = value_of(v + 1, Mantissa);
        const auto tie = static_cast<float>((low + high) / 2);
        const uint32_t below = bits_of(std::nextafterf(tie, 0));
        const uint32_t last = bits_of(std::nextafterf(static_cast<float>(high), 0));
        EXPECT_EQ(small_of_float<Mantissa>(bits_of(tie), true), v + 1);
        EXPECT_EQ(small_of_float<Mantissa>(below, true), v);
        EXPECT_EQ(small_of_float<Mantissa>(bits_of(tie), false), v);
        EXPECT_EQ(small_of_float<Mantissa>(last, false), v);
    }
}

TEST(LaneFloats, EveryCodeAndTheNumbersBetween) {
    check_all_codes<10>();
    check_all_codes<6>();
    check_all_codes<5>();
}

TEST(LaneFloats, TooLargeTooSmallAndNoNumbers) {
    EXPECT_EQ(half_of_float(bits_of(65504.0f), false), 0x7bffu);
    EXPECT_EQ(half_of_float(bits_of(1e30f), false), 0x7bffu);
    EXPECT_EQ(half_of_float(bits_of(65519.9f), true), 0x7bffu);
    EXPECT_EQ(half_of_float(bits_of(65520.0f), true), 0x7c00u);
    EXPECT_EQ(half_of_float(bits_of(-1e30f), true), 0xfc00u);
    EXPECT_EQ(half_of_float(0x7f800000, false), 0x7c00u);
    EXPECT_EQ(half_of_float(0xff800000, false), 0xfc00u);
    EXPECT_EQ(half_of_float(0x80000001, true), 0x8000u);
    for (const uint32_t nan : {0x7f800001u, 0x7fffffffu, 0xffc00000u, 0xff802000u}) {
        EXPECT_EQ(half_of_float(nan, false) & 0x7c00, 0x7c00u);
        EXPECT_NE(half_of_float(nan, false) & 0x03ff, 0u);
    }
}

PixelExports::Target random_target(std::mt19937& random, bool compressed) {
    PixelExports::Target t;
    t.enabled = 0xF;
    t.compressed = compressed;
    for (auto& component : t.data)
        for (uint32_t& v : component)
            v = static_cast<uint32_t>(random());
    return t;
}
PixelExports::Vector decoded(ExportFormat format, const PixelExports::Target& t) {
    PixelExports::Vector to{};
    decode_exports(format, t, QuadBatch::kLanes, 0xF, kOne, to);
    return to;
}

TEST(ExportFormats, ComponentsOf32Bits) {
    std::mt19937 random(1);
    const PixelExports::Target t = random_target(random, false);
    for (const auto format :
         {ExportFormat::R32, ExportFormat::Gr32, ExportFormat::Ar32, ExportFormat::Abgr32}) {
        const PixelExports::Vector to = decoded(format, t);
        for (unsigned c = 0; c < 4; ++c)
            for (unsigned lane = 0; lane < QuadBatch::kLanes; ++lane) {
                const uint32_t absent = c == 3 ? kOne : 0;
                const bool present = (components_of(format) >> c & 1) != 0;
                EXPECT_EQ(to[c][lane], present ? t.data[c][lane] : absent);
            }
    }
}

TEST(ExportFormats, CompressedPairs) {
    std::mt19937 random(2);
    for (unsigned run = 0; run < 200; ++run) {
        const PixelExports::Target t = random_target(random, true);
        const auto fp16 = decoded(ExportFormat::Fp16, t);
        const auto unorm = decoded(ExportFormat::Unorm16, t);
        const auto snorm = decoded(ExportFormat::Snorm16, t);
        const auto uint = decoded(ExportFormat::Uint16, t);
        const auto sint = decoded(ExportFormat::Sint16, t);
        for (unsigned lane = 0; lane < QuadBatch::kLanes; ++lane)
            for (unsigned c = 0; c < 4; ++c) {
                const uint32_t v = t.data[c / 2][lane] >> (16 * (c % 2)) & 0xffff;
                const auto s = static_cast<int16_t>(v);
                const double half = value_of(v & 0x7fff, 10) * (v >= 0x8000 ? -1 : 1);
                if (std::isnan(half))
                    EXPECT_TRUE(std::isnan(float_of(fp16[c][lane])));
                else
                    EXPECT_EQ(double{float_of(fp16[c][lane])}, half);
                EXPECT_NEAR(float_of(unorm[c][lane]), v / 65535.0, 1e-7);
                EXPECT_NEAR(float_of(snorm[c][lane]), s < -32767 ? -1.0 : s / 32767.0, 1e-7);
                EXPECT_EQ(uint[c][lane], v);
                EXPECT_EQ(static_cast<int32_t>(sint[c][lane]), s);
            }
    }
    PixelExports::Target ends = random_target(random, true);
    ends.data[0][0] = 0xffff0000;
    ends.data[1][0] = 0x80007fff;
    EXPECT_EQ(decoded(ExportFormat::Unorm16, ends)[0][0], 0u);
    EXPECT_EQ(decoded(ExportFormat::Unorm16, ends)[1][0], kOne);
    EXPECT_EQ(decoded(ExportFormat::Snorm16, ends)[2][0], kOne);
    EXPECT_EQ(decoded(ExportFormat::Snorm16, ends)[3][0], kOne | 0x80000000);
}

TEST(ExportFormats, LanesAndComponentsThatAreNotAskedForStay) {
    PixelExports::Target t;
    t.enabled = 0xF;
    for (auto& component : t.data)
        component.fill(7);
    PixelExports::Vector to;
    for (auto& component : to)
        component.fill(9);
    decode_exports(ExportFormat::Abgr32, t, 8, 0x5, kOne, to);
    EXPECT_EQ(to[0][7], 7u);
    EXPECT_EQ(to[0][8], 9u);
    EXPECT_EQ(to[1][0], 9u);
    EXPECT_EQ(to[2][0], 7u);
}

TEST(ExportFormats, CodesAndMismatches) {
    EXPECT_EQ(export_format_of(0x94000000, 6), ExportFormat::Fp16);
    EXPECT_EQ(export_format_of(0x94000000, 7), ExportFormat::Abgr32);
    EXPECT_THROW(export_format_of(0xA0, 1), MachineStop);
    PixelExports::Target t;
    t.enabled = 0xF;
    EXPECT_THROW(decoded(ExportFormat::Fp16, t), MachineStop);
    t.compressed = true;
    EXPECT_THROW(decoded(ExportFormat::R32, t), MachineStop);
    t.enabled = 0;  // an export of nothing, for its valid mask
    EXPECT_NO_THROW(decoded(ExportFormat::R32, t));
}

}  // namespace
}  // namespace archipelago::raster
