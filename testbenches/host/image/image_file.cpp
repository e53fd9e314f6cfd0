// SPDX-License-Identifier: Apache-2.0
#include "testbenches/host/image/image_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "models/common/files.h"
#include "testbenches/host/image/pam.h"
#include "testbenches/host/image/png.h"

namespace archipelago::host {
namespace {

bool ends_with(std::string_view text, std::string_view end) {
    return text.size() > end.size() && text.substr(text.size() - end.size()) == end;
}

}  // namespace

std::string Image::shape() const {
    constexpr const char* kNames[] = {"grey", "grey with alpha", "RGB", "RGBA"};
    return fmt::format("{} x {}, {}-bit {}", width, height, bits, kNames[channels - 1]);
}

void check_image_size(uint32_t width, uint32_t height) {
    if (width > kMaxPictureSide || height > kMaxPictureSide ||
        uint64_t{width} * height > kMaxPicturePixels)
        throw ImageError(fmt::format("{} x {} pixels, expected sides up to {} and {} pixels in all",
                                     width, height, kMaxPictureSide, kMaxPicturePixels));
}

bool is_image_name(std::string_view path) {
    return ends_with(path, ".png") || ends_with(path, ".pam");
}

std::string image_text(const std::string& path, const Image& image) {
    return ends_with(path, ".png") ? png_text(image) : pam_text(image);
}

Image read_image(const std::string& path) {
    const std::string text = archipelago::read_file(path);
    return ends_with(path, ".png") ? read_png(text) : read_pam(text);
}

Image with_bits(const Image& image, unsigned bits) {
    Image out = image;
    out.bits = bits;
    if (bits == image.bits)
        return out;
    for (uint16_t& sample : out.samples)
        sample =
            static_cast<uint16_t>(bits == 16 ? sample * 257u : (sample * 255u + 32767) / 65535);
    return out;
}

ImageDifference compare_images(const Image& expected, const Image& got, unsigned tolerance) {
    ImageDifference out;
    const unsigned channels = expected.channels;
    for (size_t first = 0; first < expected.samples.size(); first += channels) {
        unsigned largest = 0;
        for (size_t i = first; i < first + channels; ++i)
            largest = std::max(largest, static_cast<unsigned>(
                                            std::abs(int{expected.samples[i]} - got.samples[i])));
        out.largest = std::max(out.largest, largest);
        if (largest <= tolerance || out.pixels++ != 0)
            continue;
        const size_t pixel = first / channels;
        out.x = static_cast<uint32_t>(pixel % expected.width);
        out.y = static_cast<uint32_t>(pixel / expected.width);
        const auto samples = [&](const Image& image) {
            const auto at = image.samples.begin() + static_cast<ptrdiff_t>(first);
            return std::vector<uint16_t>(at, at + channels);
        };
        out.expected = samples(expected);
        out.got = samples(got);
    }
    return out;
}

}  // namespace archipelago::host
