// SPDX-License-Identifier: Apache-2.0
// Elements in memory and in registers, format by format.
#include "models/ctm/mc/element_format.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <limits>

#include "testbenches/unit/ctm/mc_fixture.h"

namespace archipelago::ctm {
namespace {

using test::bits_of;
using Element = std::array<uint8_t, kMaxElementBytes>;

float value_of(uint32_t bits) {
    float value = 0;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}
Channels read(Format format, const Element& element) {
    Channels value{};
    with_format(format, [&](auto known) {
        const FourChannels four = unpack_as<decltype(known)::value>(element.data());
        std::memcpy(value.data(), &four, sizeof value);
    });
    return value;
}

TEST(McElementFormat, SixteenBitsAreFractionsOf65535AndCopyWithoutLoss) {
    for (uint32_t n = 0; n <= 0xffff; ++n) {
        Element element{};
        element[0] = static_cast<uint8_t>(n);
        element[1] = static_cast<uint8_t>(n >> 8);
        const Channels value = read(Format::Uint16x1, element);
        // The nearest float: its neighbours are no nearer.
        const double exact = n / 65535.0;
        const double off = std::abs(value_of(value[0]) - exact);
        ASSERT_LE(off, std::abs(value_of(value[0] + 1) - exact)) << n;
        if (n != 0) {
            ASSERT_LE(off, std::abs(value_of(value[0] - 1) - exact)) << n;
        }
        Element copy{};
        ASSERT_EQ(pack(Format::Uint16x1, value, 0xf, copy.data()), 3u);
        ASSERT_EQ(copy, element) << n;
    }
}

TEST(McElementFormat, BytesAreFractionsOf255AndCopyWithoutLoss) {
    for (uint32_t n = 0; n <= 0xff; ++n) {
        const Element element = {static_cast<uint8_t>(n), static_cast<uint8_t>(255 - n),
                                 static_cast<uint8_t>(n ^ 0x55), static_cast<uint8_t>(n * 7)};
        const Channels value = read(Format::Uint8x4, element);
        for (unsigned c = 0; c < 4; ++c)
            EXPECT_EQ(value[c], bits_of(static_cast<float>(element[c]) / 255.0F));
        Element copy{};
        EXPECT_EQ(pack(Format::Uint8x4, value, 0xf, copy.data()), 0xfu);
        EXPECT_EQ(copy, element);
        Element byte{};
        EXPECT_EQ(pack(Format::OneByte, value, 0xf, byte.data()), 1u);
        EXPECT_EQ(byte[0], n);
        EXPECT_EQ(read(Format::OneByte, byte), (Channels{value[0], 0, 0, kFloatOne}));
    }
}

TEST(McElementFormat, FixedPointIsClampedAndRoundedToNearestEven) {
    const auto byte = [](float value) {
        Element element{};
        pack(Format::OneByte, {bits_of(value), 0, 0, 0}, 1, element.data());
        return element[0];
    };
    const float infinite = std::numeric_limits<float>::infinity();
    EXPECT_EQ(byte(-1.0F), 0);
    EXPECT_EQ(byte(-infinite), 0);
    EXPECT_EQ(byte(std::numeric_limits<float>::quiet_NaN()), 0);
    EXPECT_EQ(byte(-0.0F), 0);
    EXPECT_EQ(byte(1.0F), 255);
    EXPECT_EQ(byte(1.5F), 255);
    EXPECT_EQ(byte(infinite), 255);
    EXPECT_EQ(byte(0.5F), 128);         // 127.5: the even one above
    EXPECT_EQ(byte(2.5F / 255.0F), 3);  // its float is above 2.5 / 255
    EXPECT_EQ(byte(0.1F), 26);          // 25.5 in decimals, above it as a float
    Element half{};
    pack(Format::Uint16x1, {bits_of(0.5F), 0, 0, 0}, 1, half.data());
    EXPECT_EQ(half[0] | half[1] << 8, 0x8000);  // 32767.5
    // Ties exactly: k + 1/2 over 255 has no float, over 65535 neither; 1/2 is the one there is.
}

TEST(McElementFormat, FloatsKeepTheirBits) {
    const uint32_t bits[] = {0x7f800001, 0xffc12345, 0x00000001,
                             0x80000000, 0x7f800000, 0xdeadbeef};
    for (const uint32_t b : bits) {
        const Channels value = {b, ~b, b ^ 0x1234, b + 1};
        Element element{};
        EXPECT_EQ(pack(Format::Float32x4, value, 0xf, element.data()), 0xffffu);
        EXPECT_EQ(read(Format::Float32x4, element), value);
        EXPECT_EQ(read(Format::Float32x2, element), (Channels{b, ~b, 0, kFloatOne}));
        EXPECT_EQ(read(Format::Float32x1, element), (Channels{b, 0, 0, kFloatOne}));
        EXPECT_EQ(unpack_first(Format::Float32x4, element.data()), b);
        Element two{};
        EXPECT_EQ(pack(Format::Float32x2, value, 0xf, two.data()), 0xffu);
        EXPECT_EQ(read(Format::Float32x2, two), (Channels{b, ~b, 0, kFloatOne}));
        EXPECT_EQ(two[8], 0);
    }
}

TEST(McElementFormat, ChannelsLieAtRisingAddressesAndMaskedOnesAreLeftAlone) {
    const Channels value = {bits_of(1.0F), bits_of(0.0F), bits_of(1.0F), bits_of(0.2F)};
    for (unsigned which = 0; which < 16; ++which) {
        Element bytes;
        bytes.fill(0xaa);
        EXPECT_EQ(pack(Format::Uint8x4, value, which, bytes.data()), which);
        const std::array<uint8_t, 4> expected = {255, 0, 255, 51};
        for (unsigned c = 0; c < 4; ++c)
            EXPECT_EQ(bytes[c], (which >> c & 1) != 0 ? expected[c] : 0xaa);
        Element floats;
        floats.fill(0xaa);
        uint32_t mask = 0;
        for (unsigned c = 0; c < 4; ++c)
            mask |= (which >> c & 1) != 0 ? 0xfu << 4 * c : 0;
        EXPECT_EQ(pack(Format::Float32x4, value, which, floats.data()), mask);
        for (unsigned n = 0; n < 16; ++n)
            if ((mask >> n & 1) == 0) {
                EXPECT_EQ(floats[n], 0xaa);
            }
    }
    Element one;
    EXPECT_EQ(pack(Format::Float32x1, value, 0xe, one.data()), 0u);
}

}  // namespace
}  // namespace archipelago::ctm
