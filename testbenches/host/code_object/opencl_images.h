// SPDX-License-Identifier: Apache-2.0
// OpenCL's image functions, which libclc does not have, over the image instructions of LLVM.
#pragma once

namespace archipelago::host {

// An image is the address of its resource descriptor (T#, eight dwords), followed by the numbers of
// its channel data type and channel order in OpenCL's own encoding; a sampler is the address of its
// descriptor (S#, four dwords). Samplers of the source come from a table, indexed by the bits in
// which clang encodes CLK_*: 1 normalized, 14 addressing mode, 32 linear filter. Sources: SI ISA
// document (descriptors), LLVM IntrinsicsAMDGPU.td.
inline constexpr char kOpenclImages[] = R"(
#define ARCHIPELAGO_TEXELS(image) (*__builtin_astype(image, constant uint8*))
#define ARCHIPELAGO_SAMPLER(sampler) (*__builtin_astype(sampler, constant uint4*))

#define ARCHIPELAGO_SAMPLER_OF(clamp, normalized, linear) \
    (uint4)((clamp) * 0x49 | !(normalized) << 15, 0xfff000, (linear) * 0x500000, 0)
#define ARCHIPELAGO_SAMPLERS_OF(linear) \
    ARCHIPELAGO_SAMPLER_OF(2, 0, linear), ARCHIPELAGO_SAMPLER_OF(2, 1, linear), \
    ARCHIPELAGO_SAMPLER_OF(2, 0, linear), ARCHIPELAGO_SAMPLER_OF(2, 1, linear), \
    ARCHIPELAGO_SAMPLER_OF(6, 0, linear), ARCHIPELAGO_SAMPLER_OF(6, 1, linear), \
    ARCHIPELAGO_SAMPLER_OF(0, 0, linear), ARCHIPELAGO_SAMPLER_OF(0, 1, linear), \
    ARCHIPELAGO_SAMPLER_OF(1, 0, linear), ARCHIPELAGO_SAMPLER_OF(1, 1, linear), 0, 0, 0, 0, 0, 0
static constant uint4 archipelago_samplers[32] = {ARCHIPELAGO_SAMPLERS_OF(0),
                                                  ARCHIPELAGO_SAMPLERS_OF(1)};
static inline __attribute__((always_inline)) constant uint4* __translate_sampler_initializer(int bits) {
    return archipelago_samplers + ((bits & 15) | (bits & 32) >> 1);
}

#define ARCHIPELAGO_INTS_1d int
#define ARCHIPELAGO_INTS_2d int, int
#define ARCHIPELAGO_INTS_3d int, int, int
#define ARCHIPELAGO_INTS_1darray int, int
#define ARCHIPELAGO_INTS_2darray int, int, int
#define ARCHIPELAGO_FLOATS_1d float
#define ARCHIPELAGO_FLOATS_2d float, float
#define ARCHIPELAGO_FLOATS_3d float, float, float
#define ARCHIPELAGO_FLOATS_1darray float, float
#define ARCHIPELAGO_FLOATS_2darray float, float, float
#define ARCHIPELAGO_OF_1d(at) at
#define ARCHIPELAGO_OF_2d(at) at.x, at.y
#define ARCHIPELAGO_OF_3d(at) at.x, at.y, at.z
#define ARCHIPELAGO_OF_1darray(at) at.x, at.y
#define ARCHIPELAGO_OF_2darray(at) at.x, at.y, at.z

#define ARCHIPELAGO_READ(D, IMAGE, INT, FLOAT, NAME, T, AS) \
    ARCHIPELAGO_BODY T NAME(read_only IMAGE image, sampler_t sampler, FLOAT at) { \
        return AS(archipelago_sample_##D(15, ARCHIPELAGO_OF_##D(at), ARCHIPELAGO_TEXELS(image), \
                                         ARCHIPELAGO_SAMPLER(sampler), 0, 0, 0)); \
    } \
    ARCHIPELAGO_BODY T NAME(read_only IMAGE image, sampler_t sampler, INT at) { \
        return NAME(image, sampler, convert_##FLOAT(at)); \
    } \
    ARCHIPELAGO_BODY T NAME(read_only IMAGE image, INT at) { \
        return AS(archipelago_load_##D(15, ARCHIPELAGO_OF_##D(at), ARCHIPELAGO_TEXELS(image), 0, 0)); \
    }
#define ARCHIPELAGO_WRITE(D, IMAGE, INT, NAME, T) \
    ARCHIPELAGO_BODY void NAME(write_only IMAGE image, INT at, T color) { \
        archipelago_store_##D(as_float4(color), 15, ARCHIPELAGO_OF_##D(at), \
                              ARCHIPELAGO_TEXELS(image), 0, 0); \
    }
#define ARCHIPELAGO_SIZE(ACCESS, IMAGE) \
    ARCHIPELAGO_BODY int get_image_width(ACCESS IMAGE image) { \
        return (ARCHIPELAGO_TEXELS(image).s2 & 0x3fff) + 1; \
    } \
    ARCHIPELAGO_BODY int get_image_channel_data_type(ACCESS IMAGE image) { \
        return __builtin_astype(image, constant int*)[8]; \
    } \
    ARCHIPELAGO_BODY int get_image_channel_order(ACCESS IMAGE image) { \
        return __builtin_astype(image, constant int*)[9]; \
    }
#define ARCHIPELAGO_HEIGHT(ACCESS, IMAGE) \
    ARCHIPELAGO_BODY int get_image_height(ACCESS IMAGE image) { \
        return (ARCHIPELAGO_TEXELS(image).s2 >> 14 & 0x3fff) + 1; \
    } \
    ARCHIPELAGO_BODY int2 get_image_dim(ACCESS IMAGE image) { \
        return (int2)(get_image_width(image), get_image_height(image)); \
    }
#define ARCHIPELAGO_LAYERS(ACCESS, IMAGE) \
    ARCHIPELAGO_BODY size_t get_image_array_size(ACCESS IMAGE image) { \
        return (ARCHIPELAGO_TEXELS(image).s5 >> 13 & 0x1fff) - (ARCHIPELAGO_TEXELS(image).s5 & 0x1fff) + 1; \
    }
#define ARCHIPELAGO_DEPTH(ACCESS) \
    ARCHIPELAGO_BODY int get_image_depth(ACCESS image3d_t image) { \
        return (ARCHIPELAGO_TEXELS(image).s4 & 0x1fff) + 1; \
    } \
    ARCHIPELAGO_BODY int4 get_image_dim(ACCESS image3d_t image) { \
        return (int4)(get_image_width(image), get_image_height(image), get_image_depth(image), 0); \
    }
#define ARCHIPELAGO_IMAGE(D, IMAGE, INT, FLOAT) \
    float4 archipelago_load_##D(int, ARCHIPELAGO_INTS_##D, uint8, int, int) \
        __asm("llvm.amdgcn.image.load." #D ".v4f32.i32"); \
    float4 archipelago_sample_##D(int, ARCHIPELAGO_FLOATS_##D, uint8, uint4, bool, int, int) \
        __asm("llvm.amdgcn.image.sample.lz." #D ".v4f32.f32"); \
    void archipelago_store_##D(float4, int, ARCHIPELAGO_INTS_##D, uint8, int, int) \
        __asm("llvm.amdgcn.image.store." #D ".v4f32.i32"); \
    ARCHIPELAGO_READ(D, IMAGE, INT, FLOAT, read_imagef, float4, ) \
    ARCHIPELAGO_READ(D, IMAGE, INT, FLOAT, read_imagei, int4, as_int4) \
    ARCHIPELAGO_READ(D, IMAGE, INT, FLOAT, read_imageui, uint4, as_uint4) \
    ARCHIPELAGO_WRITE(D, IMAGE, INT, write_imagef, float4) \
    ARCHIPELAGO_WRITE(D, IMAGE, INT, write_imagei, int4) \
    ARCHIPELAGO_WRITE(D, IMAGE, INT, write_imageui, uint4) \
    ARCHIPELAGO_SIZE(read_only, IMAGE) ARCHIPELAGO_SIZE(write_only, IMAGE)
#pragma OPENCL EXTENSION cl_khr_3d_image_writes : enable
ARCHIPELAGO_IMAGE(1d, image1d_t, int, float)
ARCHIPELAGO_IMAGE(2d, image2d_t, int2, float2)
ARCHIPELAGO_IMAGE(3d, image3d_t, int4, float4)
ARCHIPELAGO_IMAGE(1darray, image1d_array_t, int2, float2)
ARCHIPELAGO_IMAGE(2darray, image2d_array_t, int4, float4)
ARCHIPELAGO_HEIGHT(read_only, image2d_t) ARCHIPELAGO_HEIGHT(write_only, image2d_t)
ARCHIPELAGO_HEIGHT(read_only, image2d_array_t) ARCHIPELAGO_HEIGHT(write_only, image2d_array_t)
ARCHIPELAGO_BODY int get_image_height(read_only image3d_t image) {
    return (ARCHIPELAGO_TEXELS(image).s2 >> 14 & 0x3fff) + 1;
}
ARCHIPELAGO_BODY int get_image_height(write_only image3d_t image) {
    return (ARCHIPELAGO_TEXELS(image).s2 >> 14 & 0x3fff) + 1;
}
ARCHIPELAGO_DEPTH(read_only) ARCHIPELAGO_DEPTH(write_only)
ARCHIPELAGO_LAYERS(read_only, image1d_array_t) ARCHIPELAGO_LAYERS(write_only, image1d_array_t)
ARCHIPELAGO_LAYERS(read_only, image2d_array_t) ARCHIPELAGO_LAYERS(write_only, image2d_array_t)
)";

}  // namespace archipelago::host
