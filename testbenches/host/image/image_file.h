// SPDX-License-Identifier: Apache-2.0
// Pictures as PNG and PAM files. Sources: PNG (Third Edition), by libpng; PAM: netpbm's pam(5).
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace archipelago::host {

struct ImageError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Row by row from the upper left; the samples of a pixel side by side.
struct Image {
    uint32_t width = 0, height = 0;
    unsigned channels = 1;  // 1 grey, 2 grey and alpha, 3 RGB, 4 RGBA
    unsigned bits = 8;      // of a sample: 8 or 16
    std::vector<uint16_t> samples;

    size_t row_samples() const { return size_t{width} * channels; }
    // "640 x 480, 8-bit RGBA"
    std::string shape() const;
};

// The largest that are read and made.
constexpr uint32_t kMaxPictureSide = 32768;
constexpr uint64_t kMaxPicturePixels = uint64_t{1} << 26;
// Throws ImageError for a picture that is larger.
void check_image_size(uint32_t width, uint32_t height);

// Whether the name ends as those of images do: .png or .pam.
bool is_image_name(std::string_view path);
// The contents of a file of this name.
std::string image_text(const std::string& path, const Image& image);
// Throws ImageError: what is wrong with the file.
Image read_image(const std::string& path);

// The same picture with samples of so many bits.
Image with_bits(const Image& image, unsigned bits);

// Where the samples of two pictures differ.
struct ImageDifference {
    uint64_t pixels = 0;   // with a sample that differs by more than the tolerance
    unsigned largest = 0;  // of all samples
    // The first of those pixels, row by row.
    uint32_t x = 0, y = 0;
    std::vector<uint16_t> expected, got;
};
// Of pictures of one size with the same channels and bits.
ImageDifference compare_images(const Image& expected, const Image& got, unsigned tolerance);

}  // namespace archipelago::host
