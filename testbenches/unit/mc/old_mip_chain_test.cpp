// SPDX-License-Identifier: Apache-2.0
// Mip chains of R6xx to Northern Islands: tables worked out by hand from the rules (README of
// models/mc/surface), and that no two elements of a chain share a byte.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "models/mc/surface/point_finder.h"
#include "models/mc/surface/surface.h"

namespace archipelago::surface {
namespace {

constexpr auto kLinear = ArrayMode::LinearAligned, k1d = ArrayMode::Tiled1dThin,
               k1dThick = ArrayMode::Tiled1dThick, k2d = ArrayMode::Tiled2dThin,
               k2dThick = ArrayMode::Tiled2dThick;
// Four pipes, interleave units of 256 bytes; R6xx: four banks.
constexpr uint32_t kTilingConfig = 0x4, kAddrConfig = 0x02010002;

struct Level {
    ArrayMode array;
    uint32_t pitch, height, slices;  // elements
    uint64_t base;                   // bytes after that of the image
};
struct Chain {
    const char* name;
    Generation generation;
    ArrayMode array;
    ImageGeometry image;
    std::vector<Level> levels;
};

// Evergreen: macro tiles of 64 x 64; thin ones of bytes have twice the height, to fill whole units.
TileMode mode_for(Generation generation, ArrayMode array, const AddressConfig& config,
                  uint32_t bytes) {
    TileMode mode;
    mode.generation = generation;
    mode.array = array;
    mode.pipe = pipe_config_of(config);
    mode.banks = static_cast<uint8_t>(generation == Generation::R6xx ? config.banks : 8);
    if (generation != Generation::R6xx)
        mode.bank_height = bytes * thickness(array) == 1 ? 4 : 2;
    mode.macro_aspect = generation == Generation::R6xx ? 1 : 2;
    mode.tile_split = 1024;
    return mode;
}
AddressConfig config_for(Generation generation) {
    return decode_address_config(generation == Generation::R6xx ? kTilingConfig : kAddrConfig,
                                 generation);
}
ImageGeometry image_of(ImageType type, uint32_t width, uint32_t height, uint32_t depth,
                       uint32_t bytes, uint32_t levels) {
    ImageGeometry g;
    g.type = type;
    g.width = width;
    g.height = height;
    g.depth = depth;
    g.element_bytes = bytes;
    g.last_level = levels - 1;
    return g;
}
ImageGeometry blocks_of(ImageGeometry g) {
    g.block_width = g.block_height = 4;
    return g;
}

// The rest of a chain that came down to one tile a level, of 256 bytes each.
std::vector<Level> with_tiles(std::vector<Level> levels, unsigned count, uint32_t pitch) {
    for (; count != 0; --count)
        levels.push_back({k1d, pitch, 8, 1, levels.back().base + 256});
    return levels;
}

std::vector<Chain> chains() {
    constexpr auto kR6xx = Generation::R6xx, kEvergreen = Generation::Evergreen;
    using Type = ImageType;
    return {
        // Macro tiles of 32 x 32. Sizes are those of the image halved, up to a power of two.
        {"R6xx, 32 bits", kR6xx, k2d, image_of(Type::D2, 100, 70, 1, 4, 7),
         with_tiles({{k2d, 128, 96, 1, 0},
                     {k2d, 64, 64, 1, 49152},
                     {k2d, 32, 32, 1, 65536},
                     {k1d, 16, 8, 1, 69632},
                     {k1d, 8, 8, 1, 70144}},
                    2, 8)},
        // A row of macro tiles has four of 64 bytes in each bank, or the level is micro tiled; a
        // row of micro tiles has four, too.
        {"R6xx, 8 bits",
         kR6xx,
         k2d,
         image_of(Type::D2, 200, 100, 1, 1, 5),
         {{k2d, 256, 128, 1, 0},
          {k2d, 128, 64, 1, 32768},
          {k1d, 64, 32, 1, 40960},
          {k1d, 32, 16, 1, 43008},
          {k1d, 32, 8, 1, 43520}}},
        // Blocks of four by four texels.
        {"R6xx, BC1",
         kR6xx,
         k2d,
         blocks_of(image_of(Type::D2, 300, 200, 1, 8, 4)),
         {{k2d, 96, 64, 1, 0},
          {k2d, 64, 32, 1, 49152},
          {k1d, 32, 16, 1, 65536},
          {k1d, 16, 8, 1, 69632}}},
        // Rows of whole interleave units, 64 elements at least.
        {"R6xx, linear",
         kR6xx,
         kLinear,
         image_of(Type::D2, 100, 5, 1, 2, 3),
         {{kLinear, 128, 5, 1, 0}, {kLinear, 128, 2, 1, 1280}, {kLinear, 128, 1, 1, 1792}}},
        // Layers and faces stay as many as they are.
        {"R6xx, three layers",
         kR6xx,
         k1d,
         image_of(Type::D2Array, 16, 16, 3, 4, 2),
         {{k1d, 16, 16, 3, 0}, {k1d, 8, 8, 3, 3072}}},
        {"R6xx, cube",
         kR6xx,
         k1d,
         image_of(Type::Cube, 16, 16, 1, 4, 2),
         {{k1d, 16, 16, 6, 0}, {k1d, 8, 8, 6, 6144}}},
        {"Evergreen, 32 bits", kEvergreen, k2d, image_of(Type::D2, 150, 150, 1, 4, 8),
         with_tiles({{k2d, 192, 192, 1, 0},
                     {k2d, 128, 128, 1, 147456},
                     {k2d, 64, 64, 1, 212992},
                     {k1d, 32, 32, 1, 229376},
                     {k1d, 16, 16, 1, 233472},
                     {k1d, 8, 8, 1, 234496}},
                    2, 8)},
        // Room for eight faces.
        {"Evergreen, cube",
         kEvergreen,
         k1d,
         image_of(Type::Cube, 16, 16, 1, 4, 2),
         {{k1d, 16, 16, 8, 0}, {k1d, 8, 8, 8, 8192}}},
        // Slices of 3D images are halved, too; fewer than four take thin tiles, whose rows of 64
        // bytes each come in fours.
        {"Evergreen, thick",
         kEvergreen,
         k2dThick,
         image_of(Type::D3, 128, 64, 16, 1, 6),
         {{k2dThick, 128, 64, 16, 0},
          {k1dThick, 64, 32, 8, 131072},
          {k1dThick, 32, 16, 4, 147456},
          {k1d, 32, 8, 2, 149504},
          {k1d, 32, 8, 1, 150016},
          {k1d, 32, 8, 1, 150272}}},
    };
}

std::string made(const ImageGeometry& g, Generation generation, ArrayMode array,
                 std::array<SurfaceLevel, kMaxLevels>& levels) {
    const AddressConfig config = config_for(generation);
    TileMode modes[TilingRegisters::kModes];
    modes[0] = mode_for(generation, array, config, g.element_bytes);
    std::string error;
    return make_levels(g, config, modes, levels, error) ? "" : error;
}

TEST(OldMipChain, LevelsAreThoseWorkedOutByHand) {
    for (const Chain& chain : chains()) {
        SCOPED_TRACE(chain.name);
        ASSERT_EQ(chain.levels.size(), chain.image.last_level + 1);
        ImageGeometry g = chain.image;
        g.base = 0x10000000;
        std::array<SurfaceLevel, kMaxLevels> levels;
        ASSERT_EQ(made(g, chain.generation, chain.array, levels), "");
        for (unsigned i = 0; i <= g.last_level; ++i) {
            const LevelLayout& l = levels[i].layout;
            const Level& expected = chain.levels[i];
            EXPECT_EQ(l.mode.array, expected.array) << i;
            EXPECT_EQ(l.pitch, expected.pitch) << i;
            EXPECT_EQ(l.height, expected.height) << i;
            EXPECT_EQ(l.slices, expected.slices) << i;
            EXPECT_EQ(l.base, g.base + expected.base) << i;
            EXPECT_EQ(levels[i].depth, std::min(expected.slices, g.type == ImageType::Cube ? 6
                                                                 : g.type == ImageType::D3
                                                                     ? std::max(1u, g.depth >> i)
                                                                     : g.depth))
                << i;
        }
    }
}

// Levels for any image of a mode, with elements of 1 to 16 bytes.
ImageGeometry any_image(std::mt19937& random, ArrayMode array) {
    const ImageType types[] = {ImageType::D2, ImageType::D2Array, ImageType::Cube, ImageType::D3};
    const ImageType type = thickness(array) > 1 ? ImageType::D3 : types[random() % 4];
    ImageGeometry g = image_of(type, 1 + random() % 150, 1 + random() % 150, 1, 1u << random() % 5,
                               1 + random() % 8);
    if (type == ImageType::D3 || type == ImageType::D2Array)
        g.depth = 1 + random() % 9;
    if (random() % 4 == 0)
        g = blocks_of(g);
    g.base = 0x10000000;
    return g;
}

// Every element of every level has bytes of its own, and is found again by each of them.
void expect_bytes_of_their_own(const ImageGeometry& g,
                               const std::array<SurfaceLevel, kMaxLevels>& levels) {
    const SurfaceLevel& last = levels[g.last_level];
    std::vector<bool> taken(last.layout.base + last.size_bytes - g.base);
    for (unsigned i = 0; i <= g.last_level; ++i) {
        const SurfaceLevel& level = levels[i];
        const PointFinder finder(level);
        EXPECT_LE(level.width, level.layout.pitch);
        EXPECT_LE(level.height, level.layout.height);
        EXPECT_LE(level.depth, level.layout.slices);
        for (uint32_t z = 0; z < level.layout.slices; ++z)
            for (uint32_t y = 0; y < level.layout.height; ++y)
                for (uint32_t x = 0; x < level.layout.pitch; ++x) {
                    const uint64_t at = byte_address(level, x, y, z);
                    for (uint32_t byte = 0; byte < g.element_bytes; ++byte) {
                        ASSERT_LT(at + byte - g.base, taken.size());
                        ASSERT_FALSE(taken[at + byte - g.base]) << "level " << i;
                        taken[at + byte - g.base] = true;
                    }
                    if ((x ^ y ^ z) % 7 != 0)
                        continue;
                    const auto point = finder.find(at + g.element_bytes - 1);
                    ASSERT_TRUE(point.has_value()) << "level " << i;
                    ASSERT_TRUE(point->x == x && point->y == y && point->slice == z)
                        << "level " << i;
                }
    }
}

TEST(OldMipChain, ElementsOfAllLevelsHaveBytesOfTheirOwn) {
    std::mt19937 random(6);
    for (const Generation generation : {Generation::R6xx, Generation::Evergreen})
        for (const ArrayMode array :
             {ArrayMode::LinearGeneral, kLinear, k1d, k1dThick, k2d, k2dThick})
            for (unsigned n = 0; n < 24; ++n) {
                const ImageGeometry g = any_image(random, array);
                SCOPED_TRACE(std::string(name_of(array)) + " " + std::to_string(g.width) + " x " +
                             std::to_string(g.height) + " x " + std::to_string(g.depth) + ", " +
                             std::to_string(g.element_bytes) + " bytes");
                std::array<SurfaceLevel, kMaxLevels> levels;
                ASSERT_EQ(made(g, generation, array, levels), "");
                ASSERT_NO_FATAL_FAILURE(expect_bytes_of_their_own(g, levels));
            }
}

// Where a chain of them would overlap.
TEST(OldMipChain, HolesInMacroTilesAreRefused) {
    const AddressConfig config = config_for(Generation::Evergreen);
    TileMode modes[TilingRegisters::kModes];
    modes[0] = mode_for(Generation::Evergreen, k2d, config, 2);
    std::array<SurfaceLevel, kMaxLevels> levels;
    std::string error;
    for (const uint32_t bytes : {1u, 2u}) {
        ImageGeometry g = image_of(ImageType::D2, 100, 100, 1, bytes, 2);
        EXPECT_EQ(make_levels(g, config, modes, levels, error), bytes == 2);
        g.last_level = 0;
        EXPECT_TRUE(make_levels(g, config, modes, levels, error));
    }
    EXPECT_EQ(error,
              "image: macro tiles of a mip chain must fill whole interleave units of each bank");
}

TEST(OldMipChain, NoPowerOfTwoPadsLevelZero) {
    ImageGeometry g = image_of(ImageType::D2, 100, 100, 1, 4, 2);
    g.pow2_pad = true;
    std::array<SurfaceLevel, kMaxLevels> levels;
    EXPECT_EQ(made(g, Generation::R6xx, k2d, levels), "image: POW2_PAD is of SI and CIK");
}

}  // namespace
}  // namespace archipelago::surface
