// SPDX-License-Identifier: Apache-2.0
// Image resources (SQ_IMG_RSRC_WORD0..7, "T#") and samplers (SQ_IMG_SAMP_WORD0..3, "S#"); private
// to models/cu/isa. Field positions: register headers of GFX6 (gfx_6_0).
#pragma once

#include <cstdint>

namespace archipelago::isa {

enum class ImageType : uint8_t {
    Dim1 = 8,
    Dim2,
    Dim3,
    Cube,
    Dim1Array,
    Dim2Array,
    Dim2Msaa,
    Dim2MsaaArray,
};

struct ImageResource {
    uint64_t base = 0;     // byte address, a multiple of 256
    uint16_t min_lod = 0;  // 4.8 fixed point, like all LODs
    uint8_t dfmt = 0, nfmt = 0;
    uint32_t width = 1, height = 1, depth = 1;  // texels of level 0; depth: 3D only
    bool interlaced = false;
    uint16_t dst_sel = 0;                    // 3 bits for each of x, y, z, w
    uint8_t base_level = 0, last_level = 0;  // MSAA: last_level is log2 of the samples
    uint8_t tiling_index = 0;
    bool pow2_pad = false;  // levels were laid out from sizes padded to powers of two
    uint8_t type = 0;       // ImageType when >= 8
    uint32_t pitch = 1;     // texels of level 0; 0: follows from the width (128-bit resource)
    uint32_t base_array = 0, last_array = 0;
    uint16_t min_lod_warn = 0;

    // `words`: eight dwords, or the first four of a 128-bit resource.
    static ImageResource decode(const uint32_t* words, bool short_form) {
        ImageResource r;
        r.base = (words[0] | static_cast<uint64_t>(words[1] & 0xff) << 32) << 8;
        r.min_lod = words[1] >> 8 & 0xfff;
        r.dfmt = words[1] >> 20 & 0x3f;
        r.nfmt = words[1] >> 26 & 15;
        r.width = (words[2] & 0x3fff) + 1;
        r.height = (words[2] >> 14 & 0x3fff) + 1;
        r.interlaced = words[2] >> 31 != 0;
        r.dst_sel = words[3] & 0xfff;
        r.base_level = words[3] >> 12 & 15;
        r.last_level = words[3] >> 16 & 15;
        r.tiling_index = words[3] >> 20 & 31;
        r.pow2_pad = (words[3] >> 25 & 1) != 0;
        r.type = static_cast<uint8_t>(words[3] >> 28);
        if (short_form) {
            r.pitch = 0;
            return r;
        }
        r.depth = (words[4] & 0x1fff) + 1;
        r.pitch = (words[4] >> 13 & 0x3fff) + 1;
        r.base_array = words[5] & 0x1fff;
        r.last_array = words[5] >> 13 & 0x1fff;
        r.min_lod_warn = words[6] & 0xfff;
        return r;
    }

    // Stores: the register component, x to w, whose value a component of the texel gets: the first
    // one that a load would give it to; without one that of the same number.
    unsigned stored_from(unsigned texel_component) const {
        for (unsigned c = 0; c < 4; ++c)
            if ((dst_sel >> (3 * c) & 7) == 4 + texel_component)
                return c;
        return texel_component;
    }

    ImageType kind() const { return static_cast<ImageType>(type); }
    bool is_msaa() const {
        return kind() == ImageType::Dim2Msaa || kind() == ImageType::Dim2MsaaArray;
    }
    bool is_array() const {
        return kind() == ImageType::Dim1Array || kind() == ImageType::Dim2Array ||
               kind() == ImageType::Dim2MsaaArray;
    }
    // Coordinates within a slice: 1, 2 or 3.
    unsigned dims() const {
        return kind() == ImageType::Dim1 || kind() == ImageType::Dim1Array ? 1
               : kind() == ImageType::Dim3                                 ? 3
                                                                           : 2;
    }
    unsigned samples() const { return is_msaa() ? 1u << last_level : 1; }
    // Levels of the view; the first is base_level.
    unsigned levels() const {
        return is_msaa() || last_level < base_level ? 1 : last_level - base_level + 1u;
    }
    // Size of level `level` of the view in texels.
    uint32_t width_at(unsigned level) const { return shrink(width, level); }
    uint32_t height_at(unsigned level) const { return dims() == 1 ? 1 : shrink(height, level); }
    uint32_t depth_at(unsigned level) const { return dims() == 3 ? shrink(depth, level) : 1; }
    uint32_t slices() const { return last_array >= base_array ? last_array - base_array + 1 : 1; }
    // Slices the view may reach; base_array is the first.
    uint32_t reachable_slices() const {
        const uint32_t laid_out = kind() == ImageType::Cube ? depth * 6 : depth;
        const uint32_t there = laid_out > base_array ? laid_out - base_array : 1;
        return slices() < there ? slices() : there;
    }

  private:
    uint32_t shrink(uint32_t size, unsigned level) const {
        const unsigned shift = is_msaa() ? 0 : base_level + level;
        return shift < 32 && size >> shift != 0 ? size >> shift : 1;
    }
};

// SQ_TEX_CLAMP
enum class Wrap : uint8_t {
    Repeat,
    Mirror,
    ClampLastTexel,
    MirrorOnceLastTexel,
    ClampHalfBorder,
    MirrorOnceHalfBorder,
    ClampBorder,
    MirrorOnceBorder,
};

enum class MipFilter : uint8_t { None, Point, Linear };
enum class FilterMode : uint8_t { Blend, Min, Max };
enum class BorderColor : uint8_t { TransparentBlack, OpaqueBlack, OpaqueWhite, Table };

struct ImageSampler {
    Wrap wrap[3] = {};
    uint8_t compare = 0;  // SQ_TEX_DEPTH_COMPARE: bit 0 less, bit 1 equal, bit 2 greater
    bool unnormalized = false;
    bool trunc_coord = false;
    bool degamma = false;                    // UNORM of eight bits is read as SRGB
    bool no_cube_wrap = false;               // filter within the face
    uint8_t filter_mode = 0;                 // FilterMode; 3 is reserved
    int32_t min_lod = 0, max_lod = 0;        // 8 fraction bits
    int32_t lod_bias = 0;                    // 8 fraction bits, both bias fields together
    uint8_t mag_filter = 0, min_filter = 0;  // SQ_TEX_XY_FILTER: bit 0 linear, bit 1 anisotropic
    uint8_t z_filter = 0;                    // SQ_TEX_Z_FILTER: 0 as in x and y, 1 point, 2 linear
    uint8_t mip_filter = 0;                  // MipFilter; 3 is reserved
    bool mip_point_preclamp = false;
    uint16_t border_ptr = 0;  // entry of the border colour table
    BorderColor border = BorderColor::TransparentBlack;

    static ImageSampler decode(const uint32_t words[4]) {
        ImageSampler s;
        for (unsigned i = 0; i < 3; ++i) {
            s.wrap[i] = static_cast<Wrap>(words[0] >> (3 * i) & 7);
        }
        s.compare = words[0] >> 12 & 7;
        s.unnormalized = (words[0] >> 15 & 1) != 0;
        s.degamma = (words[0] >> 20 & 1) != 0;
        s.trunc_coord = (words[0] >> 27 & 1) != 0;
        s.no_cube_wrap = (words[0] >> 28 & 1) != 0;
        s.filter_mode = words[0] >> 29 & 3;
        s.min_lod = static_cast<int32_t>(words[1] & 0xfff);
        s.max_lod = static_cast<int32_t>(words[1] >> 12 & 0xfff);
        const auto bias = static_cast<int32_t>(words[2] << 18) >> 18;    // 5.8, signed
        const auto second = static_cast<int32_t>(words[2] << 12) >> 26;  // 1.4, signed
        s.lod_bias = bias + second * 16;
        s.mag_filter = words[2] >> 20 & 3;
        s.min_filter = words[2] >> 22 & 3;
        s.z_filter = words[2] >> 24 & 3;
        s.mip_filter = words[2] >> 26 & 3;
        s.mip_point_preclamp = (words[2] >> 28 & 1) != 0;
        s.border_ptr = words[3] & 0xfff;
        s.border = static_cast<BorderColor>(words[3] >> 30);
        return s;
    }
};

}  // namespace archipelago::isa
