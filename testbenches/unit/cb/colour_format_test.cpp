// SPDX-License-Identifier: Apache-2.0
// Conversion to and from every format, number type and swap against plain arithmetic in double.
#include "models/cb/colour_format.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "colour_bench.h"
#include "models/cb/rop3.h"

namespace archipelago::cb {
namespace {

// Bits of the components from bit 0 up, by CB_COLORn_INFO.FORMAT.
const std::map<uint32_t, std::vector<unsigned>> kBits = {{1, {8}},
                                                         {2, {16}},
                                                         {3, {8, 8}},
                                                         {4, {32}},
                                                         {5, {16, 16}},
                                                         {6, {11, 11, 10}},
                                                         {7, {10, 11, 11}},
                                                         {8, {2, 10, 10, 10}},
                                                         {9, {10, 10, 10, 2}},
                                                         {10, {8, 8, 8, 8}},
                                                         {11, {32, 32}},
                                                         {12, {16, 16, 16, 16}},
                                                         {14, {32, 32, 32, 32}},
                                                         {16, {5, 6, 5}},
                                                         {17, {5, 5, 5, 1}},
                                                         {18, {1, 5, 5, 5}},
                                                         {19, {4, 4, 4, 4}},
                                                         {20, {24, 8}},
                                                         {21, {8, 24}},
                                                         {22, {32, 8}}};
// Components by COMP_SWAP and their number.
const char* const kSwaps[4][4] = {{"R", "RG", "RGB", "RGBA"},
                                  {"G", "RA", "RGA", "BGRA"},
                                  {"B", "GR", "BGR", "ABGR"},
                                  {"A", "AR", "AGR", "ARGB"}};
unsigned component(char c) {
    return static_cast<unsigned>(std::string("RGBA").find(c));
}

double srgb_of_linear(double x) {
    return x <= 0.0031308 ? 12.92 * x : 1.055 * std::pow(x, 1 / 2.4) - 0.055;
}
double clamp_number(double x, double low, double high) {
    return std::isnan(x) ? 0 : std::clamp(x, low, high);
}

// What a field of a few bits holds of a component; `step`: codes that count as equal, for rounding.
struct Expected {
    uint64_t value = 0;
    unsigned step = 0;
};
uint64_t float_field(float f, unsigned bits, bool nearest) {
    if (bits == 32)
        return cb::bits(f);
    const int mantissa = bits == 16 ? 10 : static_cast<int>(bits) - 5;
    const uint64_t sign = bits == 16 && std::signbit(f) ? 0x8000 : 0;
    const uint64_t infinity = uint64_t{31} << mantissa;
    if (bits != 16 && std::signbit(f) && !std::isnan(f))
        return 0;
    if (std::isnan(f))
        return ~uint64_t{0};  // any NaN
    const double x = std::fabs(double{f});
    if (std::isinf(x))
        return sign | infinity;
    const int exponent = std::max(-14, x > 0 ? std::ilogb(x) : -14);
    const double units = std::ldexp(x, mantissa - exponent);
    const double whole = nearest ? std::floor(units + 0.5) : std::floor(units);
    const uint64_t largest = nearest ? infinity : infinity - 1;
    if (exponent > 15)
        return sign | largest;
    const uint64_t code =
        (static_cast<uint64_t>(exponent + 14) << mantissa) + static_cast<uint64_t>(whole);
    return sign | std::min(code, largest);
}
Expected expected_field(uint32_t v, unsigned bits, uint32_t number_type, bool alpha, bool nearest) {
    const double x = number(v);
    const double top = std::ldexp(1.0, static_cast<int>(bits)) - 1, half = nearest ? 0.5 : 0;
    switch (number_type) {
        case 0:
            return {static_cast<uint64_t>(std::floor(clamp_number(x, 0, 1) * top + half)), 1};
        case 1: {
            const double scaled = clamp_number(x, -1, 1) * ((top + 1) / 2 - 1);
            const double rounded = std::trunc(scaled + std::copysign(half, scaled));
            return {
                static_cast<uint64_t>(static_cast<int64_t>(rounded)) & static_cast<uint64_t>(top),
                0};
        }
        case 4:
            return {std::min<uint64_t>(v, static_cast<uint64_t>(top)), 0};
        case 5: {
            const auto high = static_cast<int64_t>((top - 1) / 2);
            const auto s = std::clamp<int64_t>(static_cast<int32_t>(v), -high - 1, high);
            return {static_cast<uint64_t>(s) & static_cast<uint64_t>(top), 0};
        }
        case 6: {
            const double c = clamp_number(x, 0, 1);
            return {static_cast<uint64_t>(std::floor((alpha ? c : srgb_of_linear(c)) * top + half)),
                    1};
        }
        default:
            if (bits == 8)
                return {std::min<uint64_t>(v, 255), 0};
            return {float_field(number(v), bits, nearest), 0};
    }
}

// Whether a target of the format can have the number type.
bool can_have(uint32_t format, uint32_t number_type) {
    const std::vector<unsigned>& b = kBits.at(format);
    const unsigned most = *std::max_element(b.begin(), b.end());
    const unsigned least = *std::min_element(b.begin(), b.end());
    switch (number_type) {
        case 0:
            return most <= 24;
        case 1:
            return most <= 24 && least >= 2;
        case 4:
        case 5:
            return true;
        case 6:
            return most == 8 && least == 8;
        case 7:
            return most == 32 || least == 16 || most == 11;
        default:
            return false;
    }
}

std::vector<uint32_t> special_numbers() {
    std::vector<uint32_t> v;
    for (const float f : {0.0f, -0.0f, 1.0f, -1.0f, 0.5f, 2.0f, -2.0f, 1e-30f, 65504.0f, 65536.0f,
                          1e30f, 0.00390625f, 5.9e-8f, -5.9e-8f, 0.0031308f})
        v.push_back(bits(f));
    for (const uint32_t u : {0x7f800000u, 0xff800000u, 0x7fc00000u, 0xffc00000u, 0x7f800001u, 1u,
                             0x80000001u, 255u, 256u, 1023u, 65535u, 65536u, 0x7fffffffu,
                             0x80000000u, 0xffffffffu, 0xffffff80u, 0xffffff7fu})
        v.push_back(u);
    return v;
}

Vector random_colours(std::mt19937& random) {
    static const std::vector<uint32_t> specials = special_numbers();
    Vector v{};
    for (Lane& lane : v)
        for (uint32_t& x : lane)
            switch (random() % 4) {
                case 0:
                    x = specials[random() % specials.size()];
                    break;
                case 1:
                    x = static_cast<uint32_t>(random());
                    break;
                default:
                    x = bits(std::uniform_real_distribution<float>(-1.2f, 1.2f)(random));
            }
    return v;
}

uint64_t field_at(const Vector& dwords, unsigned lane, unsigned bit, unsigned width) {
    const uint64_t v = dwords[bit / 32][lane] >> bit % 32;
    return width == 32 ? v : v & ((1u << width) - 1);
}

void check_pack(const FormatFields& fields, std::mt19937& random) {
    ColourFormat format;
    std::string error;
    ASSERT_TRUE(make_format(fields, format, error)) << error;
    const Vector colour = random_colours(random);
    Vector dwords{};
    pack(format, colour, kLanes, dwords);
    const std::vector<unsigned>& widths = kBits.at(fields.format);
    const char* swap = kSwaps[fields.comp_swap][widths.size() - 1];
    for (unsigned lane = 0; lane < kLanes; ++lane) {
        unsigned bit = 0;
        for (unsigned i = 0; i < widths.size(); bit += widths[i], ++i) {
            const uint32_t v = colour[component(swap[i])][lane];
            const Expected e = expected_field(v, widths[i], fields.number_type, swap[i] == 'A',
                                              fields.round_mode == 0);
            const uint64_t got = field_at(dwords, lane, bit, widths[i]);
            const std::string where = "format " + std::to_string(fields.format) + " type " +
                                      std::to_string(fields.number_type) + " of " +
                                      std::to_string(v);
            if (e.value == ~uint64_t{0})
                EXPECT_GT(got & 0x7fff, widths[i] == 16 ? 0x7c00u : 31u << (widths[i] - 5))
                    << where;
            else
                EXPECT_LE(std::max(got, e.value) - std::min(got, e.value), e.step) << where;
        }
    }
}

TEST(ColourFormats, EveryFormatNumberAndSwap) {
    std::mt19937 random(1);
    unsigned kinds = 0;
    for (uint32_t format = 0; format < 32; ++format)
        for (uint32_t type = 0; type < 8; ++type)
            for (uint32_t swap = 0; swap < 4; ++swap)
                for (uint32_t round = 0; round < 2; ++round) {
                    const FormatFields fields{format, type, swap, 0, round};
                    if (kBits.count(format) == 0 || !can_have(format, type)) {
                        ColourFormat made;
                        std::string error;
                        // X24_8_32_FLOAT has no SNORM or UNORM, as its component has 32 bits.
                        EXPECT_FALSE(make_format(fields, made, error));
                        EXPECT_NE(error, "");
                        continue;
                    }
                    ++kinds;
                    for (unsigned run = 0; run < 8; ++run)
                        check_pack(fields, random);
                }
    EXPECT_EQ(kinds % 8, 0u);
    EXPECT_GT(kinds, 400u);
}

// Every code of up to 16 bits is read and written back as it was.
TEST(ColourFormats, EveryCodeSurvives) {
    for (const auto& [format, widths] : kBits)
        for (uint32_t type = 0; type < 8; ++type) {
            ColourFormat made;
            std::string error;
            if (!make_format({format, type, 0, 0, 0}, made, error))
                continue;
            for (uint32_t code = 0; code < 0x10000; code += kLanes) {
                Vector dwords{}, colour{}, back{};
                for (unsigned lane = 0; lane < kLanes; ++lane) {
                    unsigned bit = 0;
                    for (const unsigned width : widths) {
                        uint32_t c = code + lane;
                        c = width < 16 ? c & ((1u << width) - 1) : c;
                        if (type == 1 && c == 1u << (width - 1))
                            c = 0;  // the code below -1 is never made
                        if (type == 7 && width <= 16 && width > 8 &&
                            (c & 0x7fff) > (width == 16 ? 0x7c00u : 31u << (width - 5)))
                            c = 0;  // NaN
                        dwords[bit / 32][lane] |= c << bit % 32;
                        bit += width;
                    }
                }
                unpack(made, dwords, kLanes, colour);
                pack(made, colour, kLanes, back);
                for (unsigned d = 0; d < made.dwords; ++d)
                    ASSERT_EQ(back[d], dwords[d]) << format << " " << type << " " << code;
            }
        }
}

TEST(ColourFormats, TiesRoundUpAndBitsAreDropped) {
    ColourFormat format;
    std::string error;
    Vector colour{}, dwords{};
    colour[0].fill(bits(0.5f));
    ASSERT_TRUE(make_format({1, 0, 0, 0, 0}, format, error));
    pack(format, colour, 1, dwords);
    EXPECT_EQ(dwords[0][0], 128u);  // 127.5
    ASSERT_TRUE(make_format({1, 0, 0, 0, 1}, format, error));
    pack(format, colour, 1, dwords);
    EXPECT_EQ(dwords[0][0], 127u);
    colour[0].fill(bits(-0.5f));
    ASSERT_TRUE(make_format({1, 1, 0, 0, 0}, format, error));
    pack(format, colour, 1, dwords);
    EXPECT_EQ(dwords[0][0], 0xC0u);  // -63.5 to -64
}

TEST(ColourFormats, BitsOfComponents) {
    ColourFormat format;
    std::string error;
    ASSERT_TRUE(make_format({10, 0, 1, 0, 0}, format, error));  // BGRA
    EXPECT_EQ(bits_of_components(format, 0x1)[0], 0x00ff0000u);
    EXPECT_EQ(bits_of_components(format, 0xC)[0], 0xff0000ffu);
    EXPECT_EQ(bits_of_components(format, 0xF)[0], ~0u);
    ASSERT_TRUE(make_format({12, 7, 0, 0, 1}, format, error));
    EXPECT_EQ(bits_of_components(format, 0x2)[0], 0xffff0000u);
    EXPECT_EQ(bits_of_components(format, 0x8)[1], 0xffff0000u);
    ASSERT_TRUE(make_format({1, 0, 3, 0, 0}, format, error));  // alpha alone
    EXPECT_EQ(bits_of_components(format, 0x7)[0], 0u);
    EXPECT_EQ(bits_of_components(format, 0x8)[0], ~0u);
}

TEST(ColourFormats, ByteOrder) {
    ColourFormat format;
    std::string error;
    Vector d{};
    const auto fill = [&] {
        for (unsigned i = 0; i < 4; ++i)
            d[i].fill(0x03020100u + 0x04040404u * i);
    };
    fill();
    ASSERT_TRUE(make_format({5, 0, 0, 1, 0}, format, error));
    swap_bytes(format, 1, d);
    EXPECT_EQ(d[0][0], 0x02030001u);
    fill();
    ASSERT_TRUE(make_format({11, 4, 0, 2, 0}, format, error));
    swap_bytes(format, 1, d);
    EXPECT_EQ(d[0][0], 0x00010203u);
    EXPECT_EQ(d[1][0], 0x04050607u);
    fill();
    ASSERT_TRUE(make_format({14, 4, 0, 3, 0}, format, error));
    swap_bytes(format, 1, d);
    EXPECT_EQ(d[0][0], 0x04050607u);
    EXPECT_EQ(d[1][0], 0x00010203u);
    EXPECT_EQ(d[3][0], 0x08090A0Bu);
    EXPECT_FALSE(make_format({1, 0, 0, 1, 0}, format, error));
    EXPECT_FALSE(make_format({10, 0, 0, 3, 0}, format, error));
}

TEST(Rop3s, All256OnEveryBit) {
    for (uint32_t code = 0; code < 256; ++code) {
        const Rop3 rop(code);
        bool reads = false;
        uint32_t result[2][2];
        for (uint32_t s = 0; s < 2; ++s)
            for (uint32_t d = 0; d < 2; ++d) {
                // The export is the pattern as well.
                result[s][d] = code >> (4 * s + 2 * s + d) & 1;
                EXPECT_EQ(rop(s == 0 ? 0 : ~0u, d == 0 ? 0 : ~0u), result[s][d] == 0 ? 0 : ~0u);
                EXPECT_EQ(rop(0x5u * s, 0x3u * d) & 1, result[s][d]);
            }
        reads = result[0][0] != result[0][1] || result[1][0] != result[1][1];
        EXPECT_EQ(rop.reads_destination(), reads) << code;
        EXPECT_EQ(rop.copies(), !reads && result[0][0] == 0 && result[1][0] == 1) << code;
    }
    const uint32_t s = 0xF0F0A5C3, d = 0x12345678;
    EXPECT_EQ(Rop3(0x88)(s, d), s & d);
    EXPECT_EQ(Rop3(0x66)(s, d), s ^ d);
    EXPECT_EQ(Rop3(0x77)(s, d), ~(s & d));
    EXPECT_EQ(Rop3(0xDD)(s, d), s | ~d);
    EXPECT_EQ(Rop3(0x5A)(s, d), s ^ d);
    EXPECT_EQ(Rop3(0x55)(s, d), ~d);
}

}  // namespace
}  // namespace archipelago::cb
