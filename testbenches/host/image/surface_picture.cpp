// SPDX-License-Identifier: Apache-2.0
#include "testbenches/host/image/surface_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <vector>

#include "models/common/page.h"
#include "models/raster/lane_floats.h"

namespace archipelago::host {
namespace {

constexpr std::string_view kChannels = "rgba";

bool is_colour(const PictureSurface& s) {
    return s.kind == PixelKind::Colour;
}

// sRGB is shown as it is stored: that is what image files have.
cb::ColourFormat shown_format(cb::ColourFormat format) {
    const auto show = [](cb::Encoding& encoding) {
        if (encoding == cb::Encoding::Srgb)
            encoding = cb::Encoding::Unorm;
    };
    show(format.number);
    for (cb::ColourFormat::Field& field : format.field)
        show(field.encoding);
    return format;
}

// Components of the picture, by number. One that is stored alone is grey, as red with alpha is;
// else there are red, green and blue.
std::vector<unsigned> components_of(const PictureSurface& s, const std::string& channels) {
    std::vector<unsigned> out;
    if (!channels.empty()) {
        for (const char c : channels)
            out.push_back(static_cast<unsigned>(kChannels.find(c)));
        return out;
    }
    const unsigned stored = s.format.stored;
    constexpr unsigned kRed = 1, kAlphaBit = 1u << cb::kAlpha;
    if (!is_colour(s) || (stored & (stored - 1)) == 0 || stored == (kRed | kAlphaBit)) {
        for (unsigned c = 0; c < 4; ++c)
            if (!is_colour(s) ? c == 0 : (stored >> c & 1) != 0)
                out.push_back(c);
        return out;
    }
    out = {0, 1, 2};
    if ((stored & kAlphaBit) != 0)
        out.push_back(cb::kAlpha);
    return out;
}

unsigned bits_of(const PictureSurface& s, const PictureChoice& choice) {
    if (choice.bits != 0)
        return choice.bits;
    if (!is_colour(s))
        return s.kind == PixelKind::Stencil ? 8 : 16;
    const auto wide = [](const cb::ColourFormat::Field& f) { return f.bits > 8; };
    const auto* const end = s.format.field.begin() + s.format.fields;
    return s.format.integer() || s.format.number == cb::Encoding::Float ||
                   std::any_of(s.format.field.begin(), end, wide)
               ? 16
               : 8;
}

unsigned bytes_of(const PictureSurface& s) {
    switch (s.kind) {
        case PixelKind::Colour:
            return s.format.bytes;
        case PixelKind::Z16:
            return 2;
        case PixelKind::Stencil:
            return 1;
        default:
            return 4;
    }
}

// ---- values -------------------------------------------------------------------------------------

uint16_t scaled(double value, uint32_t white) {
    const double clamped = value > 0 ? std::min(value, 1.0) : 0.0;  // NaN: 0
    return static_cast<uint16_t>(std::lround(clamped * white));
}

uint16_t colour_sample(cb::Encoding encoding, uint32_t value, uint32_t white) {
    switch (encoding) {
        case cb::Encoding::Uint:
            return static_cast<uint16_t>(std::min(value, white));
        case cb::Encoding::Sint: {
            const auto number = static_cast<int32_t>(value);
            return static_cast<uint16_t>(std::clamp<int64_t>(number, 0, white));
        }
        case cb::Encoding::Snorm:
            return scaled((double{raster::float_of(value)} + 1) / 2, white);
        default:
            return scaled(raster::float_of(value), white);
    }
}

uint16_t depth_sample(PixelKind kind, uint32_t word, uint32_t white) {
    switch (kind) {
        case PixelKind::Z16:
            return scaled(word / 65535.0, white);
        case PixelKind::Z24:
            return scaled((word & 0xffffff) / 16777215.0, white);
        case PixelKind::Z32Float:
            return scaled(raster::float_of(word), white);
        default:
            return static_cast<uint16_t>(word);  // stencil
    }
}

// ---- pixels -------------------------------------------------------------------------------------

// Memory page by page: an element of a surface lies in one.
class PageReader {
  public:
    explicit PageReader(const ReadMemory& read) : read_(read) {}
    const uint8_t* at(uint64_t address) {
        const uint64_t page = address / kPageBytes;
        if (page != page_ && !read_(page * kPageBytes, bytes_.data(), bytes_.size()))
            return nullptr;
        page_ = page;
        return bytes_.data() + address % kPageBytes;
    }

  private:
    const ReadMemory& read_;
    uint64_t page_ = ~uint64_t{0};
    std::array<uint8_t, kPageBytes> bytes_{};
};

class Picture {
  public:
    Picture(const PictureSurface& surface, const PictureChoice& choice, const ReadMemory& read)
        : surface_(surface),
          format_(shown_format(surface.format)),
          components_(components_of(surface, choice.channels)),
          bytes_(bytes_of(surface)),
          part_(surface::slice_part(surface.level, choice.slice.value_or(surface.first_slice),
                                    choice.sample)),
          slice_(choice.slice.value_or(surface.first_slice)),
          sample_(choice.sample),
          memory_(read),
          metadata_(read) {
        image_.width = choice.width != 0 ? choice.width : surface.width;
        image_.height = choice.height != 0 ? choice.height : surface.height;
        image_.channels = static_cast<unsigned>(components_.size());
        image_.bits = bits_of(surface, choice);
        white_ = image_.bits == 8 ? 255 : 65535;
        check_image_size(image_.width, image_.height);
    }

    Image make() {
        image_.samples.reserve(image_.row_samples() * image_.height);
        for (uint32_t y = 0; y < image_.height; ++y)
            for (uint32_t x = 0; x < image_.width; x += cb::kLanes)
                add(x, y, std::min(image_.width - x, uint32_t{cb::kLanes}));
        return std::move(image_);
    }

  private:
    // Pixels of a row.
    void add(uint32_t x, uint32_t y, uint32_t count) {
        cb::Vector dwords{};
        for (uint32_t lane = 0; lane < count; ++lane)
            load(x + lane, y, lane, dwords);
        if (!is_colour(surface_)) {
            for (uint32_t lane = 0; lane < count; ++lane)
                image_.samples.push_back(
                    depth_sample(surface_.kind,
                                 cleared_[lane] ? (*cleared_[lane])[0] : dwords[0][lane], white_));
            return;
        }
        cb::Vector colour{};  // a component that is not stored is 0
        cb::swap_bytes(format_, count, dwords);
        for (uint32_t lane = 0; lane < count; ++lane)
            for (unsigned d = 0; d < 2 && cleared_[lane]; ++d)
                dwords[d][lane] = (*cleared_[lane])[d];
        cb::unpack(format_, dwords, count, colour);
        for (uint32_t lane = 0; lane < count; ++lane)
            for (const unsigned component : components_)
                image_.samples.push_back(sample(component, colour[component][lane]));
    }

    uint64_t address_of(uint32_t x, uint32_t y, uint32_t lane) {
        if (!surface_.find_sample)
            return surface::byte_address(surface_.level, x, y, part_);
        const SampleState state =
            surface_.find_sample(x, y, slice_, sample_, [this](uint64_t address) {
                const uint8_t* const bytes = metadata_.at(address);
                if (bytes == nullptr)
                    throw ImageError(fmt::format("metadata at {:#x} is not mapped", address));
                return bytes;
            });
        cleared_[lane] = state.value;
        return surface::byte_address(surface_.level, x, y, slice_, state.fragment);
    }

    void load(uint32_t x, uint32_t y, uint32_t lane, cb::Vector& dwords) {
        const uint64_t address = address_of(x, y, lane);
        const uint8_t* const bytes = memory_.at(address);
        if (bytes == nullptr)
            throw ImageError(
                fmt::format("memory at {:#x}, of pixel ({}, {}), is not mapped", address, x, y));
        std::array<uint32_t, 4> words{};
        std::memcpy(words.data(), bytes, bytes_);
        for (unsigned d = 0; d < words.size(); ++d)
            dwords[d][lane] = words[d];
    }

    uint16_t sample(unsigned component, uint32_t value) const {
        if ((format_.stored >> component & 1) == 0)
            return 0;
        return colour_sample(encoding_[component], value, white_);
    }

    static std::array<cb::Encoding, 4> encodings(const cb::ColourFormat& format) {
        std::array<cb::Encoding, 4> out{};
        for (unsigned i = 0; i < format.fields; ++i)
            out[format.field[i].component] = format.field[i].encoding;
        return out;
    }

    const PictureSurface& surface_;
    const cb::ColourFormat format_;
    const std::array<cb::Encoding, 4> encoding_ = encodings(format_);  // by component
    const std::vector<unsigned> components_;
    const unsigned bytes_;
    const surface::SlicePart part_;
    const uint32_t slice_, sample_;
    PageReader memory_, metadata_;
    std::array<std::optional<std::array<uint32_t, 2>>, cb::kLanes> cleared_;  // by lane
    Image image_;
    uint32_t white_ = 255;  // the largest sample
};

void check_choice(const PictureSurface& s, const PictureChoice& c) {
    const auto refuse = [](const char* key, uint32_t value, uint32_t most) {
        throw ImageError(fmt::format("{} {}, the surface has {}", key, value, most));
    };
    if (c.width > s.width)
        refuse("width", c.width, s.width);
    if (c.height > s.height)
        refuse("height", c.height, s.height);
    if (c.slice.value_or(0) >= s.slices)
        refuse("slice", *c.slice, s.slices);
    if (c.sample >= s.samples)
        refuse("sample", c.sample, s.samples);
    if (!c.channels.empty() && !is_colour(s))
        throw ImageError("channels are of colour, depth and stencil have one");
}

}  // namespace

Image picture_of(const PictureSurface& surface, const PictureChoice& choice,
                 const ReadMemory& read) {
    check_choice(surface, choice);
    return Picture(surface, choice, read).make();
}

}  // namespace archipelago::host
