// SPDX-License-Identifier: Apache-2.0
// Texel formats whose values are not plain bit fields.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "models/cu/isa/image_format.h"
#include "models/cu/isa/image_sampler.h"
#include "models/cu/isa/small_float.h"

namespace archipelago::isa::image_format_test {
namespace {

struct Value {
    float x, y, z, w;
};
Value read(unsigned dfmt, unsigned nfmt, const std::vector<uint8_t>& bytes, unsigned x = 0,
           unsigned y = 0) {
    EXPECT_EQ(unsupported_image_read(dfmt, nfmt), nullptr);
    uint8_t raw[16] = {};
    std::memcpy(raw, bytes.data(), bytes.size());
    uint32_t out[4];
    unpack_texel(dfmt, nfmt, raw, x, y, out);
    return {to_float(out[0]), to_float(out[1]), to_float(out[2]), to_float(out[3])};
}
void expect(const Value& v, float x, float y, float z, float w) {
    EXPECT_EQ(v.x, x);
    EXPECT_EQ(v.y, y);
    EXPECT_EQ(v.z, z);
    EXPECT_EQ(v.w, w);
}

TEST(ImageFormat, SrgbIsTheNearestFloatOfTheDefinition) {
    for (unsigned i = 0; i < 256; ++i) {
        const long double c = i / 255.0L;
        const long double linear =
            c <= 0.04045L ? c / 12.92L : std::pow((c + 0.055L) / 1.055L, 2.4L);
        EXPECT_EQ(srgb_to_linear(i), static_cast<float>(linear)) << i;
    }
}

TEST(ImageFormat, SmallFloatsGoBothWays) {
    for (uint32_t v = 0; v < 0x10000; ++v) {
        const uint32_t f = half_bits_to_float(v);
        if ((v & 0x7fff) > 0x7c00) {
            EXPECT_TRUE(std::isnan(to_float(f)));
            EXPECT_EQ(float_to_half_bits(f) & 0xfdff, v & 0xfdff);
            continue;
        }
        EXPECT_EQ(float_to_half_bits(f), v);
    }
    for (unsigned bits = 5; bits <= 6; ++bits) {
        for (uint32_t v = 0; v <= 31u << bits; ++v) {
            EXPECT_EQ(float_to_small(small_to_float(v, bits), bits), v);
        }
    }
    EXPECT_EQ(float_to_small(to_bits(65520.0f), 10), 31u << 10) << "rounds up to infinity";
    EXPECT_EQ(float_to_small(to_bits(65519.0f), 10), (31u << 10) - 1);
    EXPECT_EQ(float_to_small(to_bits(std::ldexp(1.0f, -25)), 10), 0u) << "tie to even";
    EXPECT_EQ(float_to_small(to_bits(std::ldexp(1.5f, -25)), 10), 1u);
}

TEST(ImageFormat, SharedExponentsAreExact) {
    // 1.0 = 256 / 512 * 2^(16 - 15)
    expect(read(34, 7, {0x00, 0x01, 0x00, 0x80}), 1.0f, 0.0f, 0.0f, 1.0f);
    const uint32_t word = 511u | 3u << 9 | 256u << 18 | 31u << 27;
    std::vector<uint8_t> bytes(4);
    std::memcpy(bytes.data(), &word, 4);
    expect(read(34, 7, bytes), 65408.0f, 384.0f, 32768.0f, 1.0f);
    const uint32_t small = 1u;
    std::memcpy(bytes.data(), &small, 4);
    expect(read(34, 7, bytes), std::ldexp(1.0f, -24), 0.0f, 0.0f, 1.0f);
}

TEST(ImageFormat, DepthHasANumberAndStencilAnInteger) {
    Value v = read(20, 0, {0xff, 0xff, 0xff, 0x2a});
    EXPECT_EQ(v.x, 1.0f);
    EXPECT_EQ(to_bits(v.y), 0x2au);
    v = read(21, 0, {0x2a, 0x00, 0x00, 0x80});
    EXPECT_EQ(to_bits(v.x), 0x2au);
    EXPECT_EQ(v.y, static_cast<float>(0x800000 / 16777215.0));
    v = read(22, 7, {0, 0, 0x40, 0x3f, 0x11, 0x99, 0x99, 0x99});
    EXPECT_EQ(v.x, 0.75f);
    EXPECT_EQ(to_bits(v.y), 0x11u);
}

TEST(ImageFormat, PairsShareRedAndBlue) {
    expect(read(32, 0, {255, 51, 0, 102}, 0), 1.0f, 0.2f, 0.0f, 1.0f);
    expect(read(32, 0, {255, 51, 0, 102}, 1), 1.0f, 0.4f, 0.0f, 1.0f);
    expect(read(33, 0, {51, 255, 102, 0}, 0), 1.0f, 0.2f, 0.0f, 1.0f);
    expect(read(33, 0, {51, 255, 102, 0}, 1), 1.0f, 0.4f, 0.0f, 1.0f);
}

TEST(ImageFormat, Bc1HasFourColoursOrThreeAndBlack) {
    // c0 = red > c1 = green: thirds.
    const std::vector<uint8_t> four = {0x00, 0xf8, 0xe0, 0x07, 0xe4, 0, 0, 0};  // codes 0 1 2 3
    expect(read(35, 0, four, 0), 1, 0, 0, 1);
    expect(read(35, 0, four, 1), 0, 1, 0, 1);
    expect(read(35, 0, four, 2), float(2 / 3.0), float(1 / 3.0), 0, 1);
    expect(read(35, 0, four, 3), float(1 / 3.0), float(2 / 3.0), 0, 1);
    const std::vector<uint8_t> three = {0xe0, 0x07, 0x00, 0xf8, 0xe4, 0, 0, 0};
    expect(read(35, 0, three, 2), 0.5f, 0.5f, 0, 1);
    expect(read(35, 0, three, 3), 0, 0, 0, 0);
    // sRGB: 2/3 is code 170.
    EXPECT_EQ(read(35, 9, four, 2).x, srgb_to_linear(170));
    // BC2 and BC3 always have four colours.
    std::vector<uint8_t> bc2 = {0x10, 0, 0, 0, 0, 0, 0, 0xf0};
    bc2.insert(bc2.end(), three.begin(), three.end());
    expect(read(36, 0, bc2, 3), float(2 / 3.0), float(1 / 3.0), 0, 0);
    EXPECT_EQ(read(36, 0, bc2, 1).w, static_cast<float>(1 / 15.0));
    EXPECT_EQ(read(36, 0, bc2, 3, 3).w, 1.0f);
}

TEST(ImageFormat, Bc4InterpolatesSevenOrFiveSteps) {
    // Codes 0..7 for texels 0..7: bits 0, 1, 2, ... three each.
    const std::vector<uint8_t> seven = {255, 0, 0x88, 0xc6, 0xfa, 0, 0, 0};
    const float kSeven[8] = {1, 0, 6 / 7.0f, 5 / 7.0f, 4 / 7.0f, 3 / 7.0f, 2 / 7.0f, 1 / 7.0f};
    for (unsigned t = 0; t < 8; ++t) {
        EXPECT_FLOAT_EQ(read(38, 0, seven, t % 4, t / 4).x, kSeven[t]) << t;
    }
    const std::vector<uint8_t> five = {0, 255, 0x88, 0xc6, 0xfa, 0, 0, 0};
    const float kFive[8] = {0, 1, 1 / 5.0f, 2 / 5.0f, 3 / 5.0f, 4 / 5.0f, 0, 1};
    for (unsigned t = 0; t < 8; ++t) {
        EXPECT_FLOAT_EQ(read(38, 0, five, t % 4, t / 4).x, kFive[t]) << t;
    }
    const std::vector<uint8_t> negative = {0x81, 0x7f, 0x88, 0xc6, 0xfa, 0, 0, 0};
    EXPECT_EQ(read(38, 1, negative, 0).x, -1.0f);
    EXPECT_EQ(read(38, 1, negative, 1).x, 1.0f);
    EXPECT_EQ(read(38, 1, negative, 2, 1).x, -1.0f);
    std::vector<uint8_t> two = seven;
    two.insert(two.end(), five.begin(), five.end());
    const Value v = read(39, 0, two, 2, 0);
    EXPECT_FLOAT_EQ(v.x, 6 / 7.0f);
    EXPECT_FLOAT_EQ(v.y, 1 / 5.0f);
}

// Puts fields into a block, lowest bits first.
struct BlockWriter {
    std::vector<uint8_t> bytes = std::vector<uint8_t>(16);
    unsigned at = 0;
    BlockWriter& put(uint64_t value, unsigned bits) {
        for (unsigned i = 0; i < bits; ++i, ++at) {
            bytes[at / 8] = static_cast<uint8_t>(bytes[at / 8] | (value >> i & 1) << (at % 8));
        }
        return *this;
    }
};

TEST(ImageFormat, Bc7ModesByHand) {
    // Mode 6: ends 7777 + p bit; indices of four bits.
    BlockWriter six;
    six.put(1u << 6, 7);
    for (unsigned c = 0; c < 4; ++c) {
        six.put(0, 7).put(127, 7);
    }
    six.put(0, 1).put(1, 1);
    six.put(0, 3);
    for (unsigned t = 1; t < 16; ++t) {
        six.put(t, 4);
    }
    ASSERT_EQ(six.at, 128u);
    static const unsigned kWeights[16] = {0,  4,  9,  13, 17, 21, 26, 30,
                                          34, 38, 43, 47, 51, 55, 60, 64};
    for (unsigned t = 0; t < 16; ++t) {
        const auto code = static_cast<float>((kWeights[t] * 255 + 32) >> 6);
        const Value v = read(41, 0, six.bytes, t % 4, t / 4);
        expect(v, code / 255, code / 255, code / 255, code / 255);
    }
    // Mode 5, rotation 1: alpha and red change places.
    BlockWriter five;
    five.put(1u << 5, 6).put(1, 2);
    five.put(10, 7).put(10, 7).put(64, 7).put(64, 7).put(127, 7).put(127, 7);
    five.put(200, 8).put(200, 8);
    five.put(0, 31).put(0, 31);
    ASSERT_EQ(five.at, 128u);
    const Value v = read(41, 0, five.bytes, 1, 1);
    EXPECT_EQ(v.x, 200 / 255.0f);
    EXPECT_EQ(v.y, (64 << 1 | 64 >> 6) / 255.0f);
    EXPECT_EQ(v.z, 1.0f);
    EXPECT_EQ(v.w, (10 << 1 | 10 >> 6) / 255.0f);
    // Mode 1, partition 13: upper half one subset, lower half the other; shared p bits.
    BlockWriter one;
    one.put(2, 2).put(13, 6);
    for (unsigned c = 0; c < 3; ++c) {
        one.put(1 + c, 6).put(1 + c, 6).put(40 + c, 6).put(40 + c, 6);
    }
    one.put(0, 1).put(1, 1);
    one.put(0, 46);
    ASSERT_EQ(one.at, 128u);
    const Value upper = read(41, 0, one.bytes, 3, 1);
    const Value lower = read(41, 0, one.bytes, 0, 2);
    const auto wide = [](unsigned v7) { return static_cast<float>(v7 << 1 | v7 >> 6) / 255; };
    expect(upper, wide(2), wide(4), wide(6), 1);
    expect(lower, wide(81), wide(83), wide(85), 1);
    // Mode 4 with the index selector: colours use the three-bit indices.
    BlockWriter four;
    four.put(1u << 4, 5).put(0, 2).put(1, 1);
    for (unsigned c = 0; c < 3; ++c) {
        four.put(0, 5).put(31, 5);
    }
    four.put(0, 6).put(63, 6);
    four.put(0, 1).put(2, 2).put(0, 28);
    four.put(0, 2).put(5, 3).put(0, 42);
    ASSERT_EQ(four.at, 128u);
    const Value mixed = read(41, 0, four.bytes, 1, 0);
    EXPECT_EQ(mixed.x, static_cast<float>((46 * 255 + 32) >> 6) / 255);
    EXPECT_EQ(mixed.w, static_cast<float>((43 * 255 + 32) >> 6) / 255);
    // Mode 0, partition 0 with three subsets; mode 2 and 3 likewise: whole blocks of one colour.
    BlockWriter zero;
    zero.put(1, 1).put(0, 4);
    for (unsigned c = 0; c < 3; ++c) {
        for (unsigned e = 0; e < 6; ++e) {
            zero.put(e / 2, 4);
        }
    }
    zero.put(0, 6).put(0, 45);
    ASSERT_EQ(zero.at, 128u);
    const auto five_bits = [](unsigned v5) { return static_cast<float>(v5 << 3 | v5 >> 2) / 255; };
    // Partition 0: rows 0 0 1 1 / 0 0 1 1 / 0 2 2 1 / 2 2 2 2.
    EXPECT_EQ(read(41, 0, zero.bytes, 0, 0).x, five_bits(0));
    EXPECT_EQ(read(41, 0, zero.bytes, 3, 0).x, five_bits(2));
    EXPECT_EQ(read(41, 0, zero.bytes, 1, 2).x, five_bits(4));
    EXPECT_EQ(read(41, 0, zero.bytes, 3, 2).x, five_bits(2));
    EXPECT_EQ(read(41, 0, zero.bytes, 0, 3).x, five_bits(4));
    expect(read(41, 0, std::vector<uint8_t>(16), 0), 0, 0, 0, 0);
}

TEST(ImageFormat, Bc7AnchorsDoNotShiftTheirNeighbours) {
    // Mode 3, two subsets, indices of two bits; partition 17 has its second anchor at texel 2.
    BlockWriter b;
    b.put(8, 4).put(17, 6);
    for (unsigned c = 0; c < 3; ++c) {
        b.put(0, 7).put(127, 7).put(0, 7).put(127, 7);
    }
    b.put(10, 4);  // p bits: 0 1 0 1
    b.put(1, 1).put(2, 2).put(1, 1).put(3, 2);
    b.put(0, 24);
    ASSERT_EQ(b.at, 128u);
    static const unsigned kCodes[4] = {(21 * 255 + 32) >> 6, (43 * 255 + 32) >> 6,
                                       (21 * 255 + 32) >> 6, 255};
    for (unsigned t = 0; t < 4; ++t) {
        EXPECT_EQ(read(41, 0, b.bytes, t, 0).y, static_cast<float>(kCodes[t]) / 255) << t;
    }
}

TEST(ImageFormat, Bc6ModesByHand) {
    // Mode 11 (00011): two ends of ten bits each, one subset.
    BlockWriter eleven;
    eleven.put(3, 5).put(0, 10).put(512, 10).put(1023, 10);
    eleven.put(1023, 10).put(512, 10).put(0, 10);
    eleven.put(0, 3);
    for (unsigned t = 1; t < 16; ++t) {
        eleven.put(t, 4);
    }
    ASSERT_EQ(eleven.at, 128u);
    Value v = read(40, 0, eleven.bytes, 0, 0);
    EXPECT_EQ(v.x, 0.0f);
    // 0xffff * 31 / 64 = 0x7bff: the largest half; 512 -> 0x8020 -> 0x3e0f.
    EXPECT_EQ(v.z, 65504.0f);
    EXPECT_EQ(v.y, to_float(half_bits_to_float(0x8020u * 31 / 64)));
    EXPECT_EQ(v.w, 1.0f);
    v = read(40, 0, eleven.bytes, 3, 3);
    EXPECT_EQ(v.x, 65504.0f);
    EXPECT_EQ(v.z, 0.0f);
    // Signed: 1023 is -1, 512 the most negative.
    v = read(40, 1, eleven.bytes, 0, 0);
    EXPECT_EQ(v.x, 0.0f);
    EXPECT_EQ(v.y, -65504.0f);
    EXPECT_LT(v.z, 0.0f);
    EXPECT_GT(v.z, -0.001f);
    // Mode 14 (01111): sixteen bits, whose upper six stand in reverse; difference of four bits.
    BlockWriter fourteen;
    const uint32_t base = 0xa5c3;
    fourteen.put(15, 5);
    for (unsigned c = 0; c < 3; ++c) {
        fourteen.put(base & 1023, 10);
    }
    for (unsigned c = 0; c < 3; ++c) {
        fourteen.put(15, 4);  // -1
        for (unsigned i = 15; i >= 10; --i) {
            fourteen.put(base >> i & 1, 1);
        }
    }
    fourteen.put(0, 3).put(15, 4).put(0, 56);
    ASSERT_EQ(fourteen.at, 128u);
    EXPECT_EQ(read(40, 0, fourteen.bytes, 0, 0).y, to_float(half_bits_to_float(base * 31 >> 6)));
    EXPECT_EQ(read(40, 0, fourteen.bytes, 1, 0).y,
              to_float(half_bits_to_float((base - 1) * 31 >> 6)));
    // Reserved modes are black.
    expect(read(40, 0, {0x13, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}), 0, 0, 0, 1);
}

TEST(ImageFormat, Bc6HeadersFillTheirBits) {
    // Each bit of the header moves exactly one end of one channel: no bit is used twice or lost.
    // Partition 13 splits the block into halves. Mode 15, whose lowest bits vanish in the last
    // scaling, is above.
    struct Mode {
        unsigned code, bits, header;
    };
    static const Mode kModes[] = {{0, 2, 77},    {1, 2, 77},    {2, 5, 77},    {6, 5, 77},
                                  {10, 5, 77},   {14, 5, 77},   {0x12, 5, 77}, {0x16, 5, 77},
                                  {0x1a, 5, 77}, {0x1e, 5, 77}, {3, 5, 65},    {7, 5, 65},
                                  {11, 5, 65}};
    for (const Mode& m : kModes) {
        const auto render = [&](unsigned flipped) {
            BlockWriter b;
            b.put(m.code, m.bits);
            b.at = m.header == 77 ? 77 : 65;
            if (m.header == 77) {
                b.put(13, 5);
            }
            // Index 7 (or 15) at texels 1 and 14, 0 elsewhere: both ends of both subsets show.
            b.at = m.header == 77 ? 82 + 2 : 65 + 3;
            b.put(m.header == 77 ? 7 : 15, m.header == 77 ? 3 : 4);
            b.at = m.header == 77 ? 128 - 2 - 3 : 128 - 8;
            b.put(m.header == 77 ? 7 : 15, m.header == 77 ? 3 : 4);
            if (flipped != 0) {
                b.bytes[flipped / 8] =
                    static_cast<uint8_t>(b.bytes[flipped / 8] ^ 1u << (flipped % 8));
            }
            std::vector<float> seen;
            for (const unsigned t : {0u, 1u, 12u, 14u}) {
                const Value v = read(40, 0, b.bytes, t % 4, t / 4);
                seen.insert(seen.end(), {v.x, v.y, v.z});
            }
            return seen;
        };
        std::vector<std::vector<float>> pictures;
        const std::vector<float> black = render(0);
        for (unsigned bit = m.bits; bit < m.header; ++bit) {
            const std::vector<float> picture = render(bit);
            EXPECT_NE(picture, black) << "mode " << m.code << " bit " << bit;
            unsigned channels = 0;
            for (unsigned c = 0; c < 3; ++c) {
                bool differs = false;
                for (unsigned t = 0; t < 4; ++t) {
                    differs = differs || picture[3 * t + c] != black[3 * t + c];
                }
                channels += differs ? 1 : 0;
            }
            EXPECT_EQ(channels, 1u) << "mode " << m.code << " bit " << bit;
            for (const std::vector<float>& other : pictures) {
                EXPECT_NE(picture, other) << "mode " << m.code << " bit " << bit;
            }
            pictures.push_back(picture);
        }
    }
}

TEST(ImageFormat, EveryFormatIsReadOrRefusedAndNeverFails) {
    unsigned readable = 0;
    for (unsigned dfmt = 0; dfmt < 64; ++dfmt) {
        for (unsigned nfmt = 0; nfmt < 16; ++nfmt) {
            if (unsupported_image_read(dfmt, nfmt) != nullptr) {
                EXPECT_NE(unsupported_image_store(dfmt, nfmt), nullptr);
                continue;
            }
            ++readable;
            const ImageFormat& f = image_format(dfmt);
            for (unsigned fill = 0; fill < 256; fill += 15) {
                uint8_t raw[16];
                std::memset(raw, static_cast<int>(fill), sizeof raw);
                uint32_t out[4];
                for (unsigned y = 0; y < f.block_height; ++y) {
                    for (unsigned x = 0; x < f.block_width; ++x) {
                        unpack_texel(dfmt, nfmt, raw, x, y, out);
                    }
                }
                if (unsupported_image_store(dfmt, nfmt) == nullptr) {
                    uint32_t back[4];
                    pack_texel(dfmt, nfmt, out, back);
                    // What was read can be written back, but -2^n of SNORM reads as -1.
                    if (nfmt != 1) {
                        EXPECT_EQ(std::memcmp(back, raw, f.bytes), 0)
                            << dfmt << " " << nfmt << " " << fill;
                    }
                }
            }
        }
    }
    EXPECT_GT(readable, 150u);
}

TEST(ImageSampler, LodIsTheFloorOfTheLogarithm) {
    for (int e = -20; e < 20; ++e) {
        EXPECT_EQ(lod_of_squared(std::ldexp(1.0, 2 * e)), 256 * e);
        EXPECT_EQ(lod_of_squared(std::nextafter(std::ldexp(1.0, 2 * e), 0.0)), 256 * e - 1);
    }
    uint64_t state = 1;
    for (unsigned i = 0; i < 10000; ++i) {
        state = state * 6364136223846793005ull + 1442695040888963407ull;
        const double v = std::ldexp(1.0 + (state >> 12) * 0x1p-52, static_cast<int>(i % 60) - 30);
        EXPECT_EQ(lod_of_squared(v), static_cast<int32_t>(std::floor(128 * std::log2(v))));
    }
    EXPECT_EQ(lod_of_squared(0.0), -kLodLimit);
    EXPECT_EQ(lod_of_squared(std::nan("")), -kLodLimit);
    EXPECT_EQ(lod_of_squared(INFINITY), kLodLimit);
    EXPECT_EQ(lod_of_squared(5e-324), -kLodLimit);
}

TEST(ImageSampler, CubeEdgesLeadBackWhereTheyCameFrom) {
    constexpr int32_t kSize = 5;
    for (uint32_t face = 0; face < 6; ++face) {
        for (int32_t i = 0; i < kSize; ++i) {
            const int32_t kOut[4][2] = {{-1, i}, {kSize, i}, {i, -1}, {i, kSize}};
            for (const auto& out : kOut) {
                const CubeTexel there = cross_cube_edge(face, out[0], out[1], kSize);
                EXPECT_NE(there.face, face);
                EXPECT_NE(there.face ^ 1u, face) << "not the opposite face";
                // One of the four steps from there comes back to the texel inside the edge.
                const int32_t inside[2] = {std::min(std::max(out[0], 0), kSize - 1),
                                           std::min(std::max(out[1], 0), kSize - 1)};
                unsigned back = 0;
                const int32_t kSteps[4][2] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}};
                for (const auto& step : kSteps) {
                    const CubeTexel home =
                        cross_cube_edge(there.face, there.x + step[0], there.y + step[1], kSize);
                    back += home.face == face && home.x == inside[0] && home.y == inside[1];
                }
                EXPECT_EQ(back, 1u) << face << " " << out[0] << " " << out[1];
            }
        }
    }
}

}  // namespace
}  // namespace archipelago::isa::image_format_test
