// SPDX-License-Identifier: Apache-2.0
// Image data formats (IMG_DATA_FORMAT, IMG_NUM_FORMAT): texel layout and conversion; private to
// models/cu/isa.
#pragma once

#include <cstdint>

#include "models/cu/isa/format_lanes.h"
#include "models/cu/isa/number_format.h"

namespace archipelago::isa {

enum class ImageLayout : uint8_t {
    None,            // not a format, or one that is not executed
    Fields,          // bit fields, lowest bits first
    SharedExponent,  // 5_9_9_9
    DepthStencil,    // Fields; components after the depth are unsigned integers
    Pair422,         // two texels that share two components
    Bc1,
    Bc2,
    Bc3,
    Bc4,
    Bc5,
    Bc6,
    Bc7,
};

struct ImageFormat {
    ImageLayout layout = ImageLayout::None;
    uint8_t bytes = 0;  // of an element: a texel, or a block of texels
    uint8_t components = 0;
    uint8_t bits[4] = {};
    uint8_t block_width = 1, block_height = 1;  // texels of an element

    bool is_block() const { return block_width != 1; }
};

// IMG_DATA_FORMAT to layout, total over 0..63.
const ImageFormat& image_format(unsigned dfmt);

// Null when reads (stores) in this format are executed, else why they are not.
const char* unsupported_image_read(unsigned dfmt, unsigned nfmt);
const char* unsupported_image_store(unsigned dfmt, unsigned nfmt);

// Values are integers (UINT, SINT), which are never filtered.
bool image_is_integer(unsigned nfmt);

// Texel (x, y) of an element to four registers x, y, z, w before DST_SEL; x and y are below the
// block's size. Components that the format lacks are 0, a lacking w is one.
void unpack_texel(unsigned dfmt, unsigned nfmt, const uint8_t* element, unsigned x, unsigned y,
                  uint32_t out[4]);
// The reverse, for formats with unsupported_image_store() == nullptr.
void pack_texel(unsigned dfmt, unsigned nfmt, const uint32_t in[4], uint32_t raw[4]);

// For whole waves; not usable where layout or numbers are more than bit fields.
LaneFormat image_lane_format(unsigned dfmt, unsigned nfmt);

// Eight-bit sRGB code to linear, correctly rounded.
float srgb_to_linear(unsigned code);
const float* srgb_table();  // of all 256 codes

// image_block.cpp: the compressed formats. Values are unpacked as unpack_texel() does.
void unpack_block(ImageLayout layout, NumFormat num, const uint8_t* block, unsigned x, unsigned y,
                  uint32_t out[4]);

}  // namespace archipelago::isa
