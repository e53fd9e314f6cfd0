// SPDX-License-Identifier: Apache-2.0
// Image resources to surface levels, with the last few kept.
#include <cstring>

#include "models/cu/isa/image_format.h"
#include "models/cu/isa/image_op.h"
#include "models/cu/isa/image_resource.h"

namespace archipelago::isa {
namespace {

// Texels of a row of a 128-bit resource, which does not state them: the width, up to the tile.
uint32_t implied_pitch(const ImageResource& r, const ImageFormat& f,
                       const surface::TileMode& mode) {
    uint32_t tile = 8;
    if (surface::is_linear(mode.array)) {
        tile = f.bytes != 0 && 64u / f.bytes > 8 ? 64u / f.bytes : 8;
    } else if (surface::is_macro(mode.array)) {
        tile = 8 * mode.bank_width * surface::pipes_of(mode.pipe) * mode.macro_aspect;
    }
    tile = tile != 0 ? tile : 8;
    const uint32_t elements = (r.width + f.block_width - 1) / f.block_width;
    return (elements + tile - 1) / tile * tile * f.block_width;
}

surface::ImageType surface_type(const ImageResource& r) {
    // A 2D or 1D view into an array is laid out like the array.
    const bool stacked = r.depth > 1 || r.base_array > 0;
    switch (r.kind()) {
        case ImageType::Dim1:
            return stacked ? surface::ImageType::D1Array : surface::ImageType::D1;
        case ImageType::Dim2:
            return stacked ? surface::ImageType::D2Array : surface::ImageType::D2;
        case ImageType::Dim3:
            return surface::ImageType::D3;
        case ImageType::Cube:
            return surface::ImageType::Cube;
        case ImageType::Dim1Array:
            return surface::ImageType::D1Array;
        case ImageType::Dim2Array:
            return surface::ImageType::D2Array;
        case ImageType::Dim2Msaa:
            return stacked ? surface::ImageType::D2MsaaArray : surface::ImageType::D2Msaa;
        case ImageType::Dim2MsaaArray:
            break;
    }
    return surface::ImageType::D2MsaaArray;
}

// Null, or what of the resource is not executed regardless of the instruction.
const char* refused(const ImageResource& r, bool short_form) {
    if (r.type < 8) {
        return "image access through a resource whose TYPE is not an image";
    }
    if (r.interlaced) {
        return "interlaced image resource";
    }
    if (short_form &&
        (r.is_array() || r.kind() == ImageType::Dim3 || r.kind() == ImageType::Cube)) {
        return "128-bit image resource (R128) that is an array, a cube or 3D";
    }
    if (r.is_msaa() ? r.last_level > 4 : r.last_level < r.base_level) {
        return r.is_msaa() ? "multisample image resource of more than 16 samples"
                           : "image resource whose BASE_LEVEL lies above LAST_LEVEL";
    }
    for (unsigned c = 0; c < 4; ++c) {
        if ((r.dst_sel >> (3 * c) & 6) == 2) {
            return "image resource with a reserved DST_SEL";
        }
    }
    return nullptr;
}

}  // namespace

const ImageUnit::Layout& ImageUnit::layout(const uint32_t* words, bool short_form,
                                           const surface::TilingRegisters& tiling) {
    return find(words, short_form, tiling);
}

ImageUnit::Layout& ImageUnit::find(const uint32_t* words, bool short_form,
                                   const surface::TilingRegisters& tiling) {
    if (gb_addr_config_ != tiling.gb_addr_config ||
        std::memcmp(tile_mode_, tiling.tile_mode, sizeof tile_mode_) != 0) {
        gb_addr_config_ = tiling.gb_addr_config;
        std::memcpy(tile_mode_, tiling.tile_mode, sizeof tile_mode_);
        for (Layout& l : layouts_) {
            l.valid = false;
        }
    }
    uint32_t key[8] = {};
    std::memcpy(key, words, short_form ? 16 : 32);
    uint32_t hash = short_form ? 1 : 0;
    for (const uint32_t word : key) {
        hash = (hash ^ word) * 0x9e3779b1u;
    }
    if (layouts_.empty()) {
        layouts_.resize(kLayouts);
    }
    for (unsigned i = 0; i < kLayouts; ++i) {
        Layout& l = layouts_[i];
        if (hashes_[i] == hash && l.valid && l.short_form == short_form &&
            std::memcmp(l.words, key, sizeof key) == 0) {
            return l;
        }
    }
    hashes_[next_] = hash;
    Layout& l = layouts_[next_];
    next_ = (next_ + 1) % kLayouts;
    std::memcpy(l.words, key, sizeof key);
    l.short_form = short_form;
    l.valid = true;
    l.lanes_ready = false;
    l.error.clear();
    const ImageResource r = ImageResource::decode(key, short_form);
    const ImageFormat& f = image_format(r.dfmt);
    const char* why = refused(r, short_form);
    if (why == nullptr) {
        why = unsupported_image_read(r.dfmt, r.nfmt);
    }
    if (why != nullptr) {
        l.error = why;
        return l;
    }
    surface::ImageGeometry g;
    g.type = surface_type(r);
    g.width = r.width;
    g.height = r.dims() == 1 ? 1 : r.height;
    g.depth = r.kind() == ImageType::Dim3 || r.kind() == ImageType::Cube || r.depth > r.base_array
                  ? r.depth
                  : r.base_array + 1;
    g.pitch = r.pitch != 0 ? r.pitch : implied_pitch(r, f, tiling.modes[r.tiling_index]);
    g.samples = r.samples();
    g.last_level = r.is_msaa() ? 0 : r.last_level;
    g.element_bytes = f.bytes;
    g.block_width = f.block_width;
    g.block_height = f.block_height;
    g.tiling_index = r.tiling_index;
    g.pow2_pad = r.pow2_pad;
    g.base = r.base;
    std::string error;
    if (!surface::make_levels(g, tiling.address, tiling.modes, l.levels, error)) {
        l.error = "image resource: " + error;
    }
    return l;
}

}  // namespace archipelago::isa
