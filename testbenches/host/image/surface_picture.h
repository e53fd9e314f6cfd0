// SPDX-License-Identifier: Apache-2.0
// Surfaces in memory as pictures: colour targets in every format of the colour block, depth and
// stencil.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "models/cb/colour_format.h"
#include "models/mc/surface/surface.h"
#include "testbenches/host/image/image_file.h"

namespace archipelago::host {

enum class PixelKind : uint8_t { Colour, Z16, Z24, Z32Float, Stencil };

// Where the value of a sample is: in a fragment of its pixel, unless its tile is cleared to `value`
// and memory has something else.
struct SampleState {
    uint32_t fragment = 0;
    std::optional<std::array<uint32_t, 2>> value;
};
// A byte of metadata and those behind it in its page; throws ImageError where none is mapped.
using MetadataAt = std::function<const uint8_t*(uint64_t address)>;
// What metadata say of a sample; empty: there are none, and sample n is fragment n.
using FindSample = std::function<SampleState(uint32_t x, uint32_t y, uint32_t slice,
                                             uint32_t sample, const MetadataAt& metadata)>;

struct PictureSurface {
    surface::SurfaceLevel level;
    uint32_t slices = 1, samples = 1;
    uint32_t width = 0, height = 0;  // of the picture, at most those of the level
    uint32_t first_slice = 0;        // of the view
    PixelKind kind = PixelKind::Colour;
    cb::ColourFormat format;  // of colour
    FindSample find_sample;
};

// What of a surface a picture shows, and how.
struct PictureChoice {
    uint32_t width = 0, height = 0;  // from the upper left; 0: all of it
    std::optional<uint32_t> slice;   // absent: the first of the view
    uint32_t sample = 0;
    uint8_t vmid = 0;      // whose addresses the surface has
    std::string channels;  // of colour, as "rgb" or "a"; empty: those that the format stores
    unsigned bits = 0;     // of a sample: 8 or 16; 0: as many as the format needs
};

// The bytes from an address on; false: not mapped.
using ReadMemory = std::function<bool(uint64_t address, void* to, size_t bytes)>;

// Throws ImageError: what of the choice the surface has not, or that its memory is not mapped.
//
// Components that are normalised or floats become 0 to the largest sample, from 0 to 1 (signed
// normalised: from -1 to 1); integers stay as far as the samples go; sRGB stays as it is stored.
Image picture_of(const PictureSurface& surface, const PictureChoice& choice,
                 const ReadMemory& read);

}  // namespace archipelago::host
