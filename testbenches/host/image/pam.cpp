// SPDX-License-Identifier: Apache-2.0
#include "testbenches/host/image/pam.h"

#include <fmt/format.h>

#include <array>
#include <charconv>

namespace archipelago::host {
namespace {

constexpr std::array<const char*, 4> kTypes = {"GRAYSCALE", "GRAYSCALE_ALPHA", "RGB", "RGB_ALPHA"};

struct Header {
    uint32_t width = 0, height = 0, depth = 0, maximum = 0;
};

// The next line, without its end.
std::string_view take_line(std::string_view& text) {
    const size_t end = text.find('\n');
    if (end == std::string_view::npos)
        throw ImageError("no ENDHDR, expected the header of a PAM file");
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 1);
    return line;
}

uint32_t number_of(std::string_view key, std::string_view text, uint32_t most) {
    uint32_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || value == 0 || value > most)
        throw ImageError(fmt::format("{} {}, expected 1 to {}", key, text, most));
    return value;
}

Header take_header(std::string_view& text) {
    if (take_line(text) != "P7")
        throw ImageError("does not begin with P7, expected a PAM file");
    Header header;
    const struct {
        std::string_view key;
        uint32_t& value;
        uint32_t most;
    } numbers[] = {{"WIDTH", header.width, kMaxPictureSide},
                   {"HEIGHT", header.height, kMaxPictureSide},
                   {"DEPTH", header.depth, 4},
                   {"MAXVAL", header.maximum, 65535}};
    for (std::string_view line = take_line(text); line != "ENDHDR"; line = take_line(text))
        for (const auto& n : numbers)
            if (line.substr(0, n.key.size() + 1) == std::string(n.key) + " ")
                n.value = number_of(n.key, line.substr(n.key.size() + 1), n.most);
    for (const auto& n : numbers)
        if (n.value == 0)
            throw ImageError(fmt::format("the header has no {}", n.key));
    return header;
}

}  // namespace

std::string pam_text(const Image& image) {
    std::string text = fmt::format(
        "P7\nWIDTH {}\nHEIGHT {}\nDEPTH {}\nMAXVAL {}\nTUPLTYPE {}\nENDHDR\n", image.width,
        image.height, image.channels, image.bits == 8 ? 255 : 65535, kTypes[image.channels - 1]);
    for (const uint16_t sample : image.samples) {
        if (image.bits == 16)
            text += static_cast<char>(sample >> 8);
        text += static_cast<char>(sample);
    }
    return text;
}

Image read_pam(std::string_view text) {
    const Header header = take_header(text);
    check_image_size(header.width, header.height);
    Image image;
    image.width = header.width;
    image.height = header.height;
    image.channels = header.depth;
    image.bits = header.maximum < 256 ? 8 : 16;
    const size_t bytes = image.bits / 8, count = image.row_samples() * image.height;
    if (text.size() < count * bytes)
        throw ImageError(
            fmt::format("has {} bytes of samples, expected {}", text.size(), count * bytes));
    const uint32_t white = image.bits == 8 ? 255 : 65535;
    image.samples.resize(count);
    for (size_t i = 0; i < count; ++i) {
        const auto byte = [&](size_t n) { return static_cast<uint8_t>(text[n]); };
        const uint32_t sample = bytes == 1 ? byte(i) : byte(2 * i) * 256u + byte(2 * i + 1);
        if (sample > header.maximum)
            throw ImageError(
                fmt::format("a sample of {} is above MAXVAL {}", sample, header.maximum));
        image.samples[i] =
            static_cast<uint16_t>((sample * white + header.maximum / 2) / header.maximum);
    }
    return image;
}

}  // namespace archipelago::host
