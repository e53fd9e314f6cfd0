// SPDX-License-Identifier: Apache-2.0
// Images and samplers that workloads give to kernels, and the descriptors that kernels read
// (code_object/opencl_images.h): in rows, one level.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace archipelago::host {

// Channels, with the numbers that T# and OpenCL have for them.
struct ImageFormat {
    std::string name;  // "rgba_unorm8"
    uint32_t texel_bytes = 0;
    uint32_t data_format = 0;  // T# DATA_FORMAT
    uint32_t num_format = 0;   // T# NUM_FORMAT
    uint32_t select = 0;       // T# DST_SEL of x, y, z and w
    uint32_t cl_type = 0;      // CL_UNORM_INT8, ...
    uint32_t cl_order = 0;     // CL_R, CL_RG, CL_RGBA
};
const std::vector<ImageFormat>& image_formats();

struct ImageShape {
    uint32_t width = 1, height = 1;  // texels
    unsigned dimensions = 2;         // 1 or 2
    unsigned format = 0;             // its place in image_formats()

    uint64_t bytes() const {
        return uint64_t{width} * height * image_formats()[format].texel_bytes;
    }
    // A row of this many texels, or of a multiple of it, needs no padding.
    uint32_t row_multiple() const;
};

struct SamplerShape {
    bool normalized = false;
    bool linear = false;
    uint32_t wrap = 2;  // S# CLAMP_X, CLAMP_Y, CLAMP_Z
};

// T#, CL channel data type and CL channel order. `address` is a multiple of 256.
std::array<uint32_t, 10> image_descriptor(const ImageShape& shape, uint64_t address);
std::array<uint32_t, 4> sampler_descriptor(const SamplerShape& shape);

}  // namespace archipelago::host
