// SPDX-License-Identifier: Apache-2.0
#include "testbenches/host/image_descriptor.h"

#include <algorithm>

namespace archipelago::host {
namespace {

constexpr uint32_t kLinearAligned = 8;  // GB_TILE_MODE8 of all Southern Islands
constexpr uint32_t kType1D = 8, kType2D = 9;
constexpr uint32_t kRowTexels = 8, kRowBytes = 64;  // alignment of a row in that mode

struct Order {
    const char* name;
    unsigned channels;
    uint32_t select, cl;
};
constexpr Order kOrders[] = {
    {"r", 1, 4 | 0 << 3 | 0 << 6 | 1 << 9, 0x10b0},     // x, 0, 0, 1
    {"rg", 2, 4 | 5 << 3 | 0 << 6 | 1 << 9, 0x10b2},    // x, y, 0, 1
    {"rgba", 4, 4 | 5 << 3 | 6 << 6 | 7 << 9, 0x10b5},  // x, y, z, w
};
struct Channel {
    const char* name;
    unsigned bytes;
    uint32_t num_format, cl;
};
constexpr Channel kChannels[] = {
    {"unorm8", 1, 0, 0x10d2},  {"unorm16", 2, 0, 0x10d3}, {"snorm8", 1, 1, 0x10d0},
    {"snorm16", 2, 1, 0x10d1}, {"i8", 1, 5, 0x10d7},      {"i16", 2, 5, 0x10d8},
    {"i32", 4, 5, 0x10d9},     {"u8", 1, 4, 0x10da},      {"u16", 2, 4, 0x10db},
    {"u32", 4, 4, 0x10dc},     {"f16", 2, 7, 0x10dd},     {"f32", 4, 7, 0x10de}};

// 8, 8_8, 8_8_8_8, 16, 16_16, ... of T# DATA_FORMAT.
uint32_t data_format(unsigned bytes, unsigned channels) {
    constexpr uint32_t k8[] = {1, 3, 10}, k16[] = {2, 5, 12}, k32[] = {4, 11, 14};
    const unsigned column = channels / 2;
    return bytes == 1 ? k8[column] : bytes == 2 ? k16[column] : k32[column];
}

}  // namespace

const std::vector<ImageFormat>& image_formats() {
    static const std::vector<ImageFormat> formats = [] {
        std::vector<ImageFormat> all;
        for (const Order& order : kOrders)
            for (const Channel& c : kChannels)
                all.push_back({std::string(order.name) + "_" + c.name, c.bytes * order.channels,
                               data_format(c.bytes, order.channels), c.num_format, order.select,
                               c.cl, order.cl});
        return all;
    }();
    return formats;
}

uint32_t ImageShape::row_multiple() const {
    return std::max(kRowTexels, kRowBytes / image_formats()[format].texel_bytes);
}

std::array<uint32_t, 10> image_descriptor(const ImageShape& shape, uint64_t address) {
    const ImageFormat& f = image_formats()[shape.format];
    return {static_cast<uint32_t>(address >> 8),
            static_cast<uint32_t>(address >> 40 & 0xff) | f.data_format << 20 | f.num_format << 26,
            (shape.width - 1) | (shape.height - 1) << 14,
            f.select | kLinearAligned << 20 | (shape.dimensions == 1 ? kType1D : kType2D) << 28,
            (shape.width - 1) << 13,  // pitch
            0,
            0,
            0,
            f.cl_type,
            f.cl_order};
}

std::array<uint32_t, 4> sampler_descriptor(const SamplerShape& shape) {
    constexpr uint32_t kAnyLevel = 0xfff000;    // MIN_LOD 0, MAX_LOD the largest
    constexpr uint32_t kBothLinear = 0x500000;  // XY_MAG_FILTER and XY_MIN_FILTER
    return {shape.wrap * 0x49 | (shape.normalized ? 0 : 1u << 15), kAnyLevel,
            shape.linear ? kBothLinear : 0, 0};
}

}  // namespace archipelago::host
