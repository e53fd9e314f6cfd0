// SPDX-License-Identifier: Apache-2.0
// Pictures of surfaces: their files, and every kind of pixel against plain arithmetic.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <map>

#include "testbenches/host/image/image_file.h"
#include "testbenches/host/image/pam.h"
#include "testbenches/host/image/png.h"
#include "testbenches/host/image/surface_picture.h"

namespace archipelago::host {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Image random_image(unsigned channels, unsigned bits) {
    Image image;
    image.width = 7;
    image.height = 5;
    image.channels = channels;
    image.bits = bits;
    uint32_t state = 12345 + channels * 100 + bits;
    for (size_t i = 0; i < image.row_samples() * image.height; ++i) {
        state = state * 1664525 + 1013904223;
        image.samples.push_back(static_cast<uint16_t>(bits == 8 ? state >> 24 : state >> 16));
    }
    return image;
}

TEST(ImageFiles, ReadBackAsWritten) {
    for (unsigned channels = 1; channels <= 4; ++channels)
        for (const unsigned bits : {8u, 16u}) {
            const Image image = random_image(channels, bits);
            for (const Image& read : {read_png(png_text(image)), read_pam(pam_text(image))}) {
                EXPECT_EQ(read.shape(), image.shape());
                EXPECT_EQ(read.samples, image.samples);
            }
        }
}

std::string error_of(const std::function<void()>& read) {
    try {
        read();
    } catch (const ImageError& error) {
        return error.what();
    }
    return "";
}

TEST(ImageFiles, ThatAreDamagedAreRefused) {
    const std::string png = png_text(random_image(4, 8));
    EXPECT_THAT(error_of([&] { read_png(png.substr(0, png.size() / 2)); }), HasSubstr("cut off"));
    EXPECT_NE(error_of([&] { read_png("no picture at all"); }), "");
    EXPECT_NE(error_of([&] { read_png(""); }), "");
    for (size_t at = 8; at < png.size(); ++at) {  // no crash, whatever it reads
        std::string damaged = png;
        damaged[at] = static_cast<char>(damaged[at] ^ 0x11);
        error_of([&] { read_png(damaged); });
    }
    const auto pam = [](const std::string& text) { return error_of([&] { read_pam(text); }); };
    EXPECT_EQ(pam("P6\n"), "does not begin with P7, expected a PAM file");
    EXPECT_EQ(pam("P7\nWIDTH 2\n"), "no ENDHDR, expected the header of a PAM file");
    EXPECT_EQ(pam("P7\nWIDTH 2\nENDHDR\n"), "the header has no HEIGHT");
    EXPECT_EQ(pam("P7\nWIDTH 0\nENDHDR\n"), "WIDTH 0, expected 1 to 32768");
    EXPECT_EQ(pam("P7\nWIDTH 2\nHEIGHT 2\nDEPTH 1\nMAXVAL 255\nENDHDR\nabc"),
              "has 3 bytes of samples, expected 4");
    EXPECT_EQ(pam("P7\nWIDTH 1\nHEIGHT 1\nDEPTH 1\nMAXVAL 3\nENDHDR\n\x04"),
              "a sample of 4 is above MAXVAL 3");
    EXPECT_THAT(pam("P7\nWIDTH 32768\nHEIGHT 32768\nDEPTH 4\nMAXVAL 255\nENDHDR\n"),
                HasSubstr("32768 x 32768 pixels, expected sides"));
}

TEST(ImageFiles, OfOtherMaximaAreScaled) {
    const Image image = read_pam(
        "P7\n# a comment\nWIDTH 4\nHEIGHT 1\nDEPTH 1\nMAXVAL 3\nTUPLTYPE GRAYSCALE\nENDHDR\n" +
        std::string("\0\1\2\3", 4));
    EXPECT_THAT(image.samples, ElementsAre(0, 85, 170, 255));
    EXPECT_THAT(with_bits(image, 16).samples, ElementsAre(0, 21845, 43690, 65535));
    EXPECT_EQ(with_bits(with_bits(image, 16), 8).samples, image.samples);
}

TEST(ImageFiles, AreComparedPixelByPixel) {
    const Image expected = random_image(3, 8);
    Image got = expected;
    EXPECT_EQ(compare_images(expected, got, 0).pixels, 0u);
    got.samples[(2 * 7 + 4) * 3 + 1] ^= 2;  // pixel (4, 2)
    got.samples[(3 * 7 + 1) * 3] ^= 4;
    const ImageDifference d = compare_images(expected, got, 0);
    EXPECT_EQ(d.pixels, 2u);
    EXPECT_EQ(d.largest, 4u);
    EXPECT_EQ(d.x, 4u);
    EXPECT_EQ(d.y, 2u);
    EXPECT_EQ(d.got[1], d.expected[1] ^ 2);
    EXPECT_EQ(compare_images(expected, got, 2).pixels, 1u);
    EXPECT_EQ(compare_images(expected, got, 4).pixels, 0u);
}

// ---- pixels -------------------------------------------------------------------------------------

// A row of pixels, bytes in order, as a linear surface.
class Row {
  public:
    Row(unsigned bytes, std::vector<uint64_t> pixels) {
        surface::LevelLayout layout;
        layout.mode.array = surface::ArrayMode::LinearAligned;
        layout.bits = bytes * 8;
        layout.pitch = 64;
        layout.height = 1;
        layout.base = kBase;
        std::string error;
        EXPECT_TRUE(surface_.level.set_up(layout, {}, error)) << error;
        surface_.width = static_cast<uint32_t>(pixels.size());
        surface_.height = 1;
        for (size_t i = 0; i < pixels.size(); ++i)
            std::memcpy(memory_.data() + i * bytes, &pixels[i], std::min(bytes, 8u));
    }
    Row& colour(const char* name, uint32_t number_type, uint32_t swap = 0, uint32_t endian = 0) {
        cb::FormatFields fields;
        for (uint32_t code = 0; code < cb::kFormats; ++code)
            if (cb::format_name(code) != nullptr && std::string(cb::format_name(code)) == name)
                fields.format = code;
        fields.number_type = number_type;
        fields.comp_swap = swap;
        fields.endian = endian;
        std::string error;
        EXPECT_TRUE(cb::make_format(fields, surface_.format, error)) << error;
        return *this;
    }
    Row& depth(PixelKind kind) {
        surface_.kind = kind;
        return *this;
    }
    Image picture(const PictureChoice& choice = {}) const {
        return picture_of(surface_, choice, [this](uint64_t address, void* to, size_t bytes) {
            if (address != kBase)
                return false;
            std::memcpy(to, memory_.data(), bytes);
            return true;
        });
    }
    PictureSurface& surface() { return surface_; }

  private:
    static constexpr uint64_t kBase = 0x10000;
    PictureSurface surface_;
    std::vector<uint8_t> memory_ = std::vector<uint8_t>(4096);
};

enum Number : uint32_t { Unorm = 0, Snorm = 1, Uint = 4, Sint = 5, Srgb = 6, Float = 7 };

uint64_t half(double value) {  // of powers of two and their sums
    int exponent = 0;
    const double part = std::frexp(std::fabs(value), &exponent);
    return (value < 0 ? 0x8000u : 0u) | static_cast<uint32_t>(exponent + 14) << 10 |
           (static_cast<uint32_t>(part * 2048) & 0x3ff);
}
uint64_t single(float value) {
    uint32_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
}

TEST(SurfacePictures, HaveTheComponentsThatEverySwapStores) {
    const std::map<uint32_t, std::vector<uint16_t>> by_swap = {
        {0, {0x11, 0x22, 0x33, 0x44}},   // R in the lowest byte
        {1, {0x33, 0x22, 0x11, 0x44}},   // B, G, R, A
        {2, {0x44, 0x33, 0x22, 0x11}},   // A, B, G, R
        {3, {0x22, 0x33, 0x44, 0x11}}};  // A, R, G, B
    for (const auto& [swap, rgba] : by_swap) {
        const Image image = Row(4, {0x44332211}).colour("8_8_8_8", Unorm, swap).picture();
        EXPECT_EQ(image.shape(), "1 x 1, 8-bit RGBA");
        EXPECT_EQ(image.samples, rgba) << swap;
    }
    // Bytes of a dword swapped in memory.
    EXPECT_THAT(Row(4, {0x44332211}).colour("8_8_8_8", Unorm, 0, 2).picture().samples,
                ElementsAre(0x44, 0x33, 0x22, 0x11));
}

TEST(SurfacePictures, ScaleNormalisedNumbersToTheLargestSample) {
    // From the lowest bits: 5 of R, 6 of G, 5 of B.
    EXPECT_THAT(Row(2, {0x001f, 0x07e0, 0xf800, 0x8410}).colour("5_6_5", Unorm).picture().samples,
                ElementsAre(255, 0, 0, 0, 255, 0, 0, 0, 255, 132, 130, 132));
    const Image tens =
        Row(4, {0xc0000000u | 1023u << 20 | 512u << 10 | 1}).colour("2_10_10_10", Unorm).picture();
    EXPECT_EQ(tens.shape(), "1 x 1, 16-bit RGBA");
    EXPECT_THAT(tens.samples, ElementsAre(std::lround(65535.0 / 1023),
                                          std::lround(65535.0 * 512 / 1023), 65535, 65535));
    EXPECT_THAT(Row(2, {0xffff, 0x8000, 1}).colour("16", Unorm).picture().samples,
                ElementsAre(65535, 0x8000, 1));
    EXPECT_THAT(Row(1, {0, 127, 255}).colour("8", Unorm).picture().samples,
                ElementsAre(0, 127, 255));
    // -1, 0 and 1.
    EXPECT_THAT(Row(1, {0x81, 0, 127}).colour("8", Snorm).picture().samples,
                ElementsAre(0, 128, 255));
    // As it is stored.
    EXPECT_THAT(Row(4, {0x80402010}).colour("8_8_8_8", Srgb).picture().samples,
                ElementsAre(0x10, 0x20, 0x40, 0x80));
}

TEST(SurfacePictures, ClampFloatsToTheRangeOfOne) {
    const auto not_a_number = single(std::nanf(""));
    const Image image =
        Row(4, {single(0.25f), single(-3), single(7), single(INFINITY), not_a_number})
            .colour("32", Float)
            .picture();
    EXPECT_EQ(image.shape(), "5 x 1, 16-bit grey");
    EXPECT_THAT(image.samples, ElementsAre(std::lround(0.25 * 65535), 0, 65535, 65535, 0));
    PictureChoice eight;
    eight.bits = 8;
    EXPECT_THAT(Row(8, {half(0.5) | half(1) << 16 | half(0.25) << 32 | half(1) << 48})
                    .colour("16_16_16_16", Float)
                    .picture(eight)
                    .samples,
                ElementsAre(128, 255, 64, 255));
    EXPECT_EQ(Row(16, {0}).colour("32_32_32_32", Float).picture().shape(), "1 x 1, 16-bit RGBA");
}

TEST(SurfacePictures, KeepIntegersAsFarAsSamplesGo) {
    EXPECT_THAT(Row(1, {0, 200}).colour("8", Uint).picture().samples, ElementsAre(0, 200));
    EXPECT_THAT(Row(4, {70000, 65535}).colour("32", Uint).picture().samples,
                ElementsAre(65535, 65535));
    EXPECT_THAT(Row(2, {0xffff, 5}).colour("16", Sint).picture().samples, ElementsAre(0, 5));
}

TEST(SurfacePictures, HaveDepthAndStencilAsGrey) {
    EXPECT_THAT(Row(2, {0x1234}).depth(PixelKind::Z16).picture().samples, ElementsAre(0x1234));
    EXPECT_THAT(Row(4, {0xaaffffff, 0x800000}).depth(PixelKind::Z24).picture().samples,
                ElementsAre(65535, std::lround(65535.0 * 0x800000 / 0xffffff)));
    EXPECT_THAT(Row(4, {single(0.5f), single(2)}).depth(PixelKind::Z32Float).picture().samples,
                ElementsAre(32768, 65535));
    const Image stencil = Row(1, {0x80}).depth(PixelKind::Stencil).picture();
    EXPECT_EQ(stencil.shape(), "1 x 1, 8-bit grey");
    EXPECT_THAT(stencil.samples, ElementsAre(0x80));
}

TEST(SurfacePictures, ShowTheChannelsThatAreAskedFor) {
    const auto channels = [](const char* names) {
        PictureChoice choice;
        choice.channels = names;
        return Row(4, {0x44332211}).colour("8_8_8_8", Unorm).picture(choice).samples;
    };
    EXPECT_THAT(channels("rgb"), ElementsAre(0x11, 0x22, 0x33));
    EXPECT_THAT(channels("a"), ElementsAre(0x44));
    // Two components are red and green.
    EXPECT_THAT(Row(2, {0x2211}).colour("8_8", Unorm).picture().samples,
                ElementsAre(0x11, 0x22, 0));
    EXPECT_EQ(Row(2, {0}).colour("8_8", Unorm, 1).picture().shape(),
              "1 x 1, 8-bit grey with alpha");
}

TEST(SurfacePictures, NameWhatTheSurfaceDoesNotHave) {
    const auto why = [](const std::function<void(Row&, PictureChoice&)>& change) {
        Row row(4, {0, 0});
        row.colour("8_8_8_8", Unorm);
        PictureChoice choice;
        change(row, choice);
        return error_of([&] { row.picture(choice); });
    };
    EXPECT_EQ(why([](Row&, PictureChoice& c) { c.width = 3; }), "width 3, the surface has 2");
    EXPECT_EQ(why([](Row&, PictureChoice& c) { c.slice = 1; }), "slice 1, the surface has 1");
    EXPECT_EQ(why([](Row&, PictureChoice& c) { c.sample = 2; }), "sample 2, the surface has 1");
    EXPECT_EQ(why([](Row& r, PictureChoice& c) { r.depth(PixelKind::Z24), c.channels = "r"; }),
              "channels are of colour, depth and stencil have one");
    EXPECT_EQ(why([](Row& r, PictureChoice&) { r.surface().level.layout.base = 0x20000; }),
              "memory at 0x20000, of pixel (0, 0), is not mapped");
}

}  // namespace
}  // namespace archipelago::host
