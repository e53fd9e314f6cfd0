// SPDX-License-Identifier: Apache-2.0
#include "models/mc/surface/metadata.h"

#include <gtest/gtest.h>

#include <set>
#include <tuple>

#include "testbenches/unit/mc/metadata_vectors.h"

namespace archipelago::surface {
namespace {

MetadataSurface set_up(const MetadataLayout& layout) {
    MetadataSurface surface;
    std::string error;
    EXPECT_TRUE(surface.set_up(layout, error)) << error;
    return surface;
}

TEST(Metadata, LieWhereTheAddressLibraryHasThem) {
    for (const MetadataVector& v : kMetadataVectors) {
        const MetadataSurface s = set_up(v.layout);
        EXPECT_EQ(s.pitch, v.padded[0]);
        EXPECT_EQ(s.height, v.padded[1]);
        EXPECT_EQ(s.block_width, v.block[0]);
        EXPECT_EQ(s.block_height, v.block[1]);
        for (const auto& p : v.points) {
            const MetadataAddress at = metadata_address(s, p.x, p.y, p.slice);
            EXPECT_EQ(std::make_tuple(at.byte, at.bit), std::make_tuple(p.address, p.bit))
                << p.x << "," << p.y << "," << p.slice << " of " << v.layout.pitch << " x "
                << v.layout.height;
        }
    }
}

constexpr PipeConfig kConfigs[] = {
    PipeConfig::P2,
    PipeConfig::P4_8x16,
    PipeConfig::P4_16x16,
    PipeConfig::P4_16x32,
    PipeConfig::P4_32x32,
    PipeConfig::P8_16x32_8x16,
    PipeConfig::P8_32x32_8x16,
    PipeConfig::P8_16x32_16x16,
    PipeConfig::P8_32x32_16x16,
    PipeConfig::P8_32x32_16x32,
    PipeConfig::P8_32x64_32x32,
};

// Every tile has an element of its own, in range.
void expect_distinct(const MetadataSurface& s) {
    std::set<uint64_t> seen;
    for (uint32_t z = 0; z < s.layout.slices; ++z)
        for (uint32_t y = 0; y < s.height; y += 8)
            for (uint32_t x = 0; x < s.pitch; x += 8) {
                const MetadataAddress at = metadata_address(s, x, y, z);
                ASSERT_GE(at.byte, s.layout.base);
                ASSERT_LT(at.byte, s.layout.base + s.size_bytes);
                ASSERT_TRUE(seen.insert(at.byte * 8 + at.bit).second)
                    << "pipe configuration " << int(s.layout.pipe) << ": " << x << "," << y << ","
                    << z;
            }
}

TEST(Metadata, HaveAnElementForEachTile) {
    for (const PipeConfig pipe : kConfigs)
        for (const MetadataKind kind : {MetadataKind::Htile, MetadataKind::Cmask})
            for (const bool linear : {false, true})
                expect_distinct(set_up({kind, pipe, linear, 200, 136, 3, 0x10000}));
}

TEST(Metadata, HaveOneElementForThePixelsOfATile) {
    const MetadataSurface s =
        set_up({MetadataKind::Cmask, PipeConfig::P8_32x32_8x16, false, 512, 512});
    const MetadataAddress first = metadata_address(s, 136, 264, 0);
    const MetadataAddress last = metadata_address(s, 143, 271, 0);
    EXPECT_EQ(first.byte, last.byte);
    EXPECT_EQ(first.bit, last.bit);
}

TEST(Metadata, AreRefusedByNameWithoutALayout) {
    MetadataSurface s;
    std::string error;
    EXPECT_FALSE(s.set_up({MetadataKind::Htile, PipeConfig::P8_16x16_8x16, false, 64, 64}, error));
    EXPECT_EQ(error, "HTILE: the third pipe bit of P8_16x16_8x16 is not published");
    EXPECT_FALSE(s.set_up({MetadataKind::Cmask, PipeConfig::P8_R6xx, false, 64, 64}, error));
    EXPECT_EQ(error, "CMASK: no layout is known for this pipe configuration");
    EXPECT_FALSE(s.set_up({MetadataKind::Cmask, PipeConfig::P2, false, 0, 64}, error));
    EXPECT_EQ(error, "CMASK: empty");
}

}  // namespace
}  // namespace archipelago::surface
