// SPDX-License-Identifier: Apache-2.0
// Every data and number format of typed buffer accesses, in both directions.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "models/cu/isa/buffer_resource.h"
#include "models/cu/isa/format_lanes.h"
#include "testbenches/unit/isa/float_bits.h"

namespace archipelago::isa::buffer_format_test {
namespace {

using test::as_float;
using test::bits;

constexpr unsigned kFloatFormat = static_cast<unsigned>(NumFormat::Float);

bool exists(unsigned dfmt, unsigned nfmt) {
    const DataFormat& f = data_format(dfmt);
    return f.bytes != 0 && (nfmt != kFloatFormat || f.bits[0] >= 16 || f.components == 3);
}

// Single elements, in one lane of a wave.
class BufferFormatLevels : public ::testing::TestWithParam<const char*> {
  protected:
    void SetUp() override {
        lanes = format_lanes(GetParam());
        if (lanes == nullptr) {
            GTEST_SKIP() << "this host has no " << GetParam();
        }
    }
    void unpack_element(unsigned dfmt, unsigned nfmt, const uint32_t raw[4], uint32_t out[4]) {
        lane = (lane + 1) % kLanes;
        for (unsigned k = 0; k < 4; ++k) {
            memory[k][lane] = raw[k];
        }
        lanes->unpack(buffer_lane_format(dfmt, nfmt), memory, 15, registers);
        for (unsigned c = 0; c < 4; ++c) {
            out[c] = registers[c][lane];
        }
    }
    void pack_element(unsigned dfmt, unsigned nfmt, const uint32_t in[4], uint32_t raw[4]) {
        lane = (lane + 1) % kLanes;
        for (unsigned c = 0; c < 4; ++c) {
            registers[c][lane] = in[c];
        }
        const uint32_t* const from[4] = {registers[0], registers[1], registers[2], registers[3]};
        lanes->pack(buffer_lane_format(dfmt, nfmt), from, memory);
        for (unsigned k = 0; k < 4; ++k) {
            raw[k] = k < buffer_lane_format(dfmt, nfmt).dwords ? memory[k][lane] : 0;
        }
    }

    const FormatLanes* lanes = nullptr;
    alignas(64) VReg memory[4] = {};
    alignas(64) VReg registers[4] = {};
    unsigned lane = 0;
};

TEST(BufferFormat, EveryPairThatExistsLoadsAndAllButScaledOnesStore) {
    unsigned pairs = 0;
    for (unsigned dfmt = 1; dfmt < 16; ++dfmt) {
        for (unsigned nfmt = 0; nfmt < 8; ++nfmt) {
            EXPECT_EQ(unsupported_load(dfmt, nfmt) == nullptr, exists(dfmt, nfmt));
            EXPECT_EQ(unsupported_store(dfmt, nfmt) == nullptr,
                      exists(dfmt, nfmt) && nfmt != 2 && nfmt != 3 && nfmt != 6);
            pairs += exists(dfmt, nfmt) ? 1 : 0;
        }
    }
    EXPECT_EQ(pairs, 14u * 8 - 5);  // FLOAT not in 8, 8_8, 8_8_8_8 and the two with 2 bits
}

// What a component is worth by the definition of its number format.
double meaning(uint32_t v, unsigned width, unsigned nfmt) {
    const double top = std::ldexp(1.0, static_cast<int>(width)) - 1;
    const double half = std::ldexp(1.0, static_cast<int>(width) - 1);
    const double s = v >= half ? v - 2 * half : v;
    switch (static_cast<NumFormat>(nfmt)) {
        case NumFormat::Unorm:
            return v / top;
        case NumFormat::Snorm:
            return std::max(-1.0, s / (half - 1));
        case NumFormat::SnormOgl:
            return (2 * s + 1) / top;
        case NumFormat::Uscaled:
            return v;
        case NumFormat::Sscaled:
            return s;
        default:
            return 0;
    }
}

TEST_P(BufferFormatLevels, EveryValueOfANarrowComponentIsLoadedExactlyAndComesBack) {
    for (unsigned dfmt = 1; dfmt < 15; ++dfmt) {
        const DataFormat& f = data_format(dfmt);
        for (unsigned nfmt = 0; nfmt < kFloatFormat; ++nfmt) {
            unsigned bit = 0;
            for (unsigned c = 0; c < f.components; ++c) {
                const unsigned width = f.bits[c];
                const uint64_t step = width == 32 ? 0x00fedcb7 : width == 16 ? 7 : 1;
                for (uint64_t v = 0; v < uint64_t{1} << width; v += step) {
                    uint32_t raw[4] = {};
                    raw[bit / 32] = static_cast<uint32_t>(v) << (bit % 32);
                    uint32_t out[4];
                    unpack_element(dfmt, nfmt, raw, out);
                    const auto number = static_cast<uint32_t>(v);
                    if (nfmt == static_cast<unsigned>(NumFormat::Uint)) {
                        ASSERT_EQ(out[c], number);
                    } else if (nfmt == static_cast<unsigned>(NumFormat::Sint)) {
                        const int64_t s = v >> (width - 1) != 0
                                              ? static_cast<int64_t>(v) - (int64_t{1} << width)
                                              : static_cast<int64_t>(v);
                        ASSERT_EQ(static_cast<int32_t>(out[c]), s);
                    } else {
                        ASSERT_EQ(as_float(out[c]),
                                  static_cast<float>(meaning(number, width, nfmt)))
                            << "dfmt " << dfmt << " nfmt " << nfmt << " value " << v;
                    }
                    // A float has 24 bits of precision; the lowest Snorm value is stored as -max.
                    const bool doubled = nfmt == static_cast<unsigned>(NumFormat::Snorm) &&
                                         v == uint64_t{1} << (width - 1);
                    const bool exact = (width < 24 || nfmt == 4 || nfmt == 5) &&
                                       unsupported_store(dfmt, nfmt) == nullptr;
                    if (exact && !doubled && (f.components == 1 || c == 0)) {
                        uint32_t back[4];
                        pack_element(dfmt, nfmt, out, back);
                        ASSERT_EQ(
                            back[bit / 32] >> (bit % 32) & (width == 32 ? ~0u : (1u << width) - 1),
                            number)
                            << "dfmt " << dfmt << " nfmt " << nfmt;
                    }
                }
                bit += width;
            }
        }
    }
}

TEST_P(BufferFormatLevels, StoresRoundToNearestEvenAndClamp) {
    const struct {
        unsigned dfmt, nfmt;
        float in;
        uint32_t raw;
    } table[] = {
        {4, 0, 1.0f, 0xffffffff},  {4, 0, 2.0f, 0xffffffff},   {4, 0, -2.0f, 0},
        {4, 1, -1.0f, 0x80000001}, {4, 1, 1.0f, 0x7fffffff},   {2, 0, 0.5f, 0x8000},
        {2, 1, -0.5f, 0xc000},     {2, 1, 9.0f, 0x7fff},       {8, 0, 1.0f, 3},
        {4, 0, 0x1p-33f, 0},       {4, 0, 0x1.000002p-33f, 1},
    };
    for (const auto& t : table) {
        const uint32_t in[4] = {bits(t.in), 0, 0, 0};
        uint32_t raw[4];
        pack_element(t.dfmt, t.nfmt, in, raw);
        EXPECT_EQ(raw[0], t.raw) << "dfmt " << t.dfmt << " nfmt " << t.nfmt << " " << t.in;
    }
    for (unsigned nfmt = 0; nfmt < kFloatFormat; ++nfmt) {
        if (unsupported_store(2, nfmt) != nullptr || nfmt == 4 || nfmt == 5)
            continue;
        const uint32_t nan[4] = {0x7fc00000, 0, 0, 0};
        uint32_t raw[4];
        pack_element(2, nfmt, nan, raw);
        EXPECT_EQ(raw[0], 0u);
    }
}

// 11 bits: 5 of exponent (bias 15), 6 of mantissa; 10 bits: 5 of mantissa; no sign.
TEST_P(BufferFormatLevels, UnsignedSmallFloatsAreExact) {
    for (const unsigned dfmt : {6u, 7u}) {
        const DataFormat& f = data_format(dfmt);
        unsigned bit = 0;
        for (unsigned c = 0; c < 3; ++c) {
            const unsigned places = f.bits[c] - 5u;
            for (uint32_t v = 0; v < 1u << f.bits[c]; ++v) {
                const uint32_t raw[4] = {v << bit, 0, 0, 0};
                uint32_t out[4];
                unpack_element(dfmt, kFloatFormat, raw, out);
                const int exponent = static_cast<int>(v >> places);
                const uint32_t mantissa = v & ((1u << places) - 1);
                if (exponent == 31) {
                    EXPECT_EQ(std::isnan(as_float(out[c])), mantissa != 0);
                    EXPECT_EQ(std::isinf(as_float(out[c])), mantissa == 0);
                } else {
                    const double fraction = std::ldexp(mantissa, -static_cast<int>(places));
                    const double expected = exponent == 0 ? std::ldexp(fraction, -14)
                                                          : std::ldexp(1 + fraction, exponent - 15);
                    ASSERT_EQ(static_cast<double>(as_float(out[c])), expected);
                    uint32_t back[4];
                    pack_element(dfmt, kFloatFormat, out, back);
                    ASSERT_EQ(back[0], v << bit);
                }
                EXPECT_EQ(out[3], bits(1.0f));
            }
            bit += f.bits[c];
        }
    }
}

TEST_P(BufferFormatLevels, StoresToSmallFloatsRoundAndSaturate) {
    const auto store = [this](float x) {  // as 11 bits: the first component of 10_11_11
        const uint32_t in[4] = {bits(x), 0, 0, 0};
        uint32_t raw[4];
        pack_element(6, kFloatFormat, in, raw);
        return raw[0];
    };
    EXPECT_EQ(store(-1.0f), 0u);
    EXPECT_EQ(store(1.0f), 0x3c0u);
    EXPECT_EQ(store(1.0f + 1 / 128.0f), 0x3c0u);  // a tie goes to even
    EXPECT_EQ(store(1.0f + 3 / 128.0f), 0x3c2u);
    EXPECT_EQ(store(65024.0f), 0x7bfu);  // the largest
    EXPECT_EQ(store(65280.0f), 0x7c0u);
    EXPECT_EQ(store(1e10f), 0x7c0u);
    EXPECT_EQ(store(std::numeric_limits<float>::infinity()), 0x7c0u);
    EXPECT_GT(store(std::numeric_limits<float>::quiet_NaN()), 0x7c0u);
    EXPECT_EQ(store(std::ldexp(1.0f, -20)), 1u);  // the least
    EXPECT_EQ(store(std::ldexp(1.0f, -21)), 0u);  // a tie
    EXPECT_EQ(store(std::ldexp(3.0f, -22)), 1u);
    EXPECT_EQ(store(1e-30f), 0u);
}

INSTANTIATE_TEST_SUITE_P(Levels, BufferFormatLevels, ::testing::Values("portable", "avx2"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace archipelago::isa::buffer_format_test
