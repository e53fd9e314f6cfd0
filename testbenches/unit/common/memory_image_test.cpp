// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstring>

#include <stdexcept>
#include <vector>

#include "models/common/memory_image.h"

namespace archipelago::memory_image_test {
namespace {

TEST(MemoryImage, UnmappedAccessIsRefusedAndChangesNothing) {
    MemoryImage m;
    m.map(0x1000, 0x1000);
    std::vector<uint8_t> bytes(32, 7);
    EXPECT_FALSE(m.write(0x1ff0, bytes.data(), 32));
    EXPECT_TRUE(m.read(0x1ff0, bytes.data(), 16));
    EXPECT_EQ(bytes[0], 0);
    EXPECT_FALSE(m.read(0x0, bytes.data(), 1));
    EXPECT_EQ(m.page_pointer(0x3000), nullptr);
}

TEST(MemoryImage, MappingRoundsToPagesAndKeepsBytes) {
    MemoryImage m;
    m.map(0x1010, 4);
    const uint32_t word = 0x12345678;
    EXPECT_TRUE(m.write(0x1000, &word, 4));
    m.map(0x0, 0x4000);  // fills the gaps around the page that exists
    uint32_t got = 0;
    EXPECT_TRUE(m.read(0x1000, &got, 4));
    EXPECT_EQ(got, word);
    EXPECT_EQ(m.mapped_bytes(), 0x4000u);
    EXPECT_TRUE(m.is_mapped(0, 0x4000));
    EXPECT_FALSE(m.is_mapped(0, 0x4001));
}

TEST(MemoryImage, AccessesCrossRegionBorders) {
    MemoryImage m;
    m.map(0x1000, 0x1000);
    m.map(0x2000, 0x1000);
    std::vector<uint8_t> out(64), in(64);
    for (size_t i = 0; i < in.size(); ++i)
        in[i] = static_cast<uint8_t>(i + 1);
    ASSERT_TRUE(m.write(0x1fe0, in.data(), in.size()));
    ASSERT_TRUE(m.read(0x1fe0, out.data(), out.size()));
    EXPECT_EQ(in, out);
}

TEST(MemoryImage, RefusesRangesThatWrapOrExceedTheLimit) {
    MemoryImage m;
    m.set_limit(1 << 20);
    EXPECT_THROW(m.map(~uint64_t{0} - 10, 100), std::length_error);
    EXPECT_THROW(m.map(0, 2 << 20), std::length_error);
    EXPECT_FALSE(m.is_mapped(~uint64_t{0} - 10, 100));
}

TEST(MemoryImage, GivesContiguousHostRanges) {
    MemoryImage m;
    m.map(0x10000, 0x3000);
    uint64_t first = 0, last = 0;
    uint8_t* host = nullptr;
    ASSERT_TRUE(m.contiguous_range(0x11234, first, last, host));
    EXPECT_EQ(first, 0x10000u);
    EXPECT_EQ(last, 0x12fffu);
    EXPECT_EQ(m.page_pointer(0x11234), host + 0x1234);
    EXPECT_FALSE(m.contiguous_range(0x13000, first, last, host));
}

TEST(MemoryImage, WhatLivesElsewhereIsReadAndWrittenThereOnceMapped) {
    struct Other : MemoryImage::Elsewhere {
        std::vector<uint8_t> bytes = std::vector<uint8_t>(0x1000);
        void read(uint64_t address, uint8_t* to, size_t size) override {
            std::memcpy(to, &bytes[address - 0x2000], size);
        }
        void write(uint64_t address, const uint8_t* from, size_t size) override {
            std::memcpy(&bytes[address - 0x2000], from, size);
        }
    } other;
    MemoryImage m;
    m.put_elsewhere(0x2000, 0x2FFF, other);
    uint8_t byte = 7;
    EXPECT_FALSE(m.read(0x2000, &byte, 1));
    m.map(0x1000, 0x3000);
    // Across both ends of it.
    std::vector<uint8_t> data(0x1010), got(0x1010);
    for (size_t i = 0; i < data.size(); ++i)
        data[i] = static_cast<uint8_t>(i * 7);
    EXPECT_TRUE(m.write(0x1FF8, data.data(), data.size()));
    EXPECT_EQ(other.bytes[0], data[8]);
    EXPECT_EQ(other.bytes[0xFFF], data[0x1007]);
    EXPECT_EQ(*m.page_pointer(0x1FF8), data[0]);
    EXPECT_EQ(*m.page_pointer(0x2000), 0);
    EXPECT_EQ(*m.page_pointer(0x3007), data[0x100F]);
    EXPECT_TRUE(m.read(0x1FF8, got.data(), got.size()));
    EXPECT_EQ(got, data);
}

}  // namespace
}  // namespace archipelago::memory_image_test
