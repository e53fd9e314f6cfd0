// SPDX-License-Identifier: Apache-2.0
// Mip chains of Southern and Sea Islands.
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <random>
#include <sstream>
#include <string>

#include "models/mc/surface/surface.h"
#include "testbenches/unit/mc/surface_vectors.h"
#include "testbenches/unit/mc/tile_tables.h"

namespace archipelago::surface {
namespace {

// The tiling of a chip by the name of its table.
ChipTiling tiling_of(const std::string& name) {
    ChipTiling::Modes modes{};
    ChipTiling::MacroModes macro_modes{};
    for (const SiTable& t : kSiTables) {
        if (name != t.name)
            continue;
        std::copy(std::begin(t.modes), std::end(t.modes), modes.begin());
        return {Generation::Si, t.gb_addr_config, modes};
    }
    for (const CikTable& t : kCikTables) {
        if (name != t.name)
            continue;
        std::copy(std::begin(t.modes), std::end(t.modes), modes.begin());
        std::copy(std::begin(t.macro_modes), std::end(t.macro_modes), macro_modes.begin());
        return {Generation::Cik, t.gb_addr_config, modes, macro_modes};
    }
    ADD_FAILURE() << "no table " << name;
    return {Generation::Si, 0};
}

TEST(MipChain, LevelsAreThoseOfTheSeparateTranscription) {
    const auto lines =
        lines_of("chains 4000 9 " ARCHIPELAGO_SOURCE_DIR "/testbenches/unit/mc/tile_tables.h");
    ASSERT_EQ(lines.size(), 4000u);
    static const ImageType kTypes[] = {ImageType::D1,    ImageType::D2,      ImageType::D3,
                                       ImageType::Cube,  ImageType::D1Array, ImageType::D2Array,
                                       ImageType::D2Msaa};
    for (const std::string& line : lines) {
        std::istringstream in(line);
        std::string name;
        in >> name;
        const ChipTiling tiling = tiling_of(name);
        ImageGeometry g;
        g.tiling_index = number(in);
        g.type = kTypes[number(in) % 7];
        g.width = number(in);
        g.height = number(in);
        g.depth = number(in);
        g.pitch = number(in);
        g.samples = number(in);
        g.last_level = number(in);
        g.element_bytes = number(in);
        g.block_width = number(in);
        g.block_height =
            g.type == ImageType::D1 || g.type == ImageType::D1Array ? 1 : g.block_width;
        g.pow2_pad = number(in) != 0;
        const uint64_t base = uint64_t{1} << 30;
        g.base = base + 256 * number(in);
        const unsigned count = number(in);
        std::array<SurfaceLevel, kMaxLevels> levels;
        std::string error;
        ASSERT_TRUE(
            make_levels(g, tiling.address, tiling.modes, levels, error, &tiling.macro_modes))
            << error << "\n"
            << line;
        ASSERT_EQ(count, g.last_level + 1);
        for (unsigned i = 0; i < count; ++i) {
            const LevelLayout& l = levels[i].layout;
            EXPECT_EQ(static_cast<uint32_t>(l.mode.array), number(in)) << i << ": " << line;
            EXPECT_EQ(l.pitch, number(in)) << i << ": " << line;
            EXPECT_EQ(l.height, number(in)) << i << ": " << line;
            EXPECT_EQ(l.slices, number(in)) << i << ": " << line;
            EXPECT_EQ(l.base - base, number(in)) << i << ": " << line;
            const uint32_t x = number(in), y = number(in), z = number(in), sample = number(in);
            uint64_t expected = 0;
            in >> expected;
            ASSERT_TRUE(in) << line;
            ASSERT_EQ(byte_address(levels[i], x, y, z, sample) - base, expected)
                << i << ": " << line << "\n"
                << text_of(l);
        }
    }
}

// 256 x 256, 32 bits, Tahiti mode 14 (2D thin: macro tile 64 x 64): worked out by hand.
TEST(MipChain, SmallLevelsOfAMacroTiledImageBecomeMicroTiled) {
    TilingRegisters tiling;
    tiling.write({0, 0x12011003});
    tiling.write({15, 0x00321291});
    const TileMode& mode = tiling.modes[14];
    const uint32_t macro_width = 8 * mode.bank_width * 8 * mode.macro_aspect;
    const uint32_t macro_height = 8 * mode.bank_height * mode.banks / mode.macro_aspect;
    ImageGeometry g;
    g.width = g.height = g.pitch = 256;
    g.tiling_index = 14;
    g.last_level = 8;
    g.pow2_pad = true;
    std::array<SurfaceLevel, kMaxLevels> levels;
    std::string error;
    ASSERT_TRUE(make_levels(g, tiling.address, tiling.modes, levels, error)) << error;
    uint64_t end = 0;
    for (unsigned i = 0; i <= 8; ++i) {
        const uint32_t side = 256u >> i;
        const bool macro = i == 0 || (side >= macro_width && side >= macro_height);
        EXPECT_EQ(is_macro(levels[i].layout.mode.array), macro) << i;
        EXPECT_EQ(levels[i].width, std::max(1u, side));
        EXPECT_GE(levels[i].layout.base, end);
        end = levels[i].layout.base + levels[i].size_bytes;
    }
    // One tile of 256 bytes each from 8 x 8 on.
    EXPECT_EQ(levels[6].layout.base - levels[5].layout.base, 256u);
    EXPECT_EQ(levels[8].size_bytes, 256u);
}

TEST(MipChain, BaseAddressHoldsTheSwizzleOfMacroTiledImagesOnly) {
    TilingRegisters tiling;
    tiling.write({0, 0x12011003});
    tiling.write({1, 0x00321291});
    tiling.write({2, 0x00350288});
    ImageGeometry g;
    g.width = g.height = g.pitch = 256;
    g.base = 0x1000000 + 0x100 * (3 + 8 * 5);
    std::array<SurfaceLevel, kMaxLevels> levels;
    std::string error;
    ASSERT_TRUE(make_levels(g, tiling.address, tiling.modes, levels, error)) << error;
    EXPECT_EQ(levels[0].layout.base, 0x1000000u);
    EXPECT_EQ(levels[0].layout.pipe_swizzle, 3u);
    EXPECT_EQ(levels[0].layout.bank_swizzle, 5u);
    g.tiling_index = 1;
    ASSERT_TRUE(make_levels(g, tiling.address, tiling.modes, levels, error)) << error;
    EXPECT_EQ(levels[0].layout.base, g.base);
    EXPECT_EQ(byte_address(levels[0], 0, 0, 0), g.base);
}

TEST(MipChain, LevelZeroBeforeSiIsAsItsParametersSay) {
    TileMode modes[TilingRegisters::kModes];
    modes[0].array = ArrayMode::Tiled2dThin;
    modes[0].generation = Generation::Evergreen;
    modes[0].pipe = PipeConfig::P4_8x16;
    modes[0].banks = 8;
    ImageGeometry g;
    g.width = g.height = 100;
    // Four pipes, two interleave units of a bank in sequence: pipe 3, bank 5.
    g.base = 0x100000 + 256 * (3 + 5 * 8);
    const AddressConfig config = decoded(0x02010102, Generation::Evergreen);
    std::array<SurfaceLevel, kMaxLevels> levels;
    std::string error;
    ASSERT_TRUE(make_levels(g, config, modes, levels, error)) << error;
    EXPECT_EQ(levels[0].layout.pitch, 128u) << "of macro tiles 32 wide";
    EXPECT_EQ(levels[0].layout.height, 128u) << "and 64 high, as the mode says";
    EXPECT_EQ(levels[0].layout.base, 0x100000u);
    EXPECT_EQ(levels[0].layout.pipe_swizzle, 3u);
    EXPECT_EQ(levels[0].layout.bank_swizzle, 5u);
}

TEST(MipChain, BlocksOfCompressedFormatsRoundUpPerLevel) {
    TilingRegisters tiling;
    tiling.write({0, 0x12011003});
    tiling.write({1, 0x00350288});
    ImageGeometry g;
    g.width = g.height = 20;
    g.pitch = 32;
    g.block_width = g.block_height = 4;
    g.element_bytes = 8;
    g.last_level = 4;
    g.pow2_pad = true;
    std::array<SurfaceLevel, kMaxLevels> levels;
    std::string error;
    ASSERT_TRUE(make_levels(g, tiling.address, tiling.modes, levels, error)) << error;
    const uint32_t expected[] = {5, 3, 2, 1, 1};
    for (unsigned i = 0; i < 5; ++i) {
        EXPECT_EQ(levels[i].width, expected[i]) << i;
        EXPECT_EQ(levels[i].height, expected[i]) << i;
    }
}

TEST(MipChain, AnyGeometryEitherHasLevelsOrSaysWhyNot) {
    std::mt19937 rng(17);
    unsigned made = 0;
    for (unsigned n = 0; n < 40000; ++n) {
        TileMode modes[32];
        for (TileMode& mode : modes)
            mode = decode_si_tile_mode(static_cast<uint32_t>(rng()));
        const bool wild = n % 2 == 0;
        const auto any = [&](uint32_t usual) {
            return static_cast<uint32_t>(wild && rng() % 16 == 0 ? rng() : rng() % usual);
        };
        ImageGeometry g;
        g.type = static_cast<ImageType>(rng() % 8);
        g.width = any(17000);
        g.height = any(17000);
        g.depth = any(50);
        g.pitch = any(40) * 512;
        g.samples = wild ? any(20) : 1u << rng() % 5;
        g.last_level = any(4) == 0 ? any(17) : 0;
        g.element_bytes = wild ? any(20) : 1u << rng() % 5;
        g.block_width = any(5);
        g.block_height = any(5);
        g.tiling_index = any(33);
        g.pow2_pad = rng() % 2 != 0;
        g.base = uint64_t{rng()} << 8;
        const uint32_t config = wild ? static_cast<uint32_t>(rng()) : 0x12011003;
        std::array<SurfaceLevel, kMaxLevels> levels;
        std::string error;
        if (make_levels(g, decoded(config, Generation::Si), modes, levels, error)) {
            ++made;
            for (unsigned i = 0; i <= g.last_level; ++i)
                byte_address(levels[i], static_cast<uint32_t>(rng()), static_cast<uint32_t>(rng()),
                             static_cast<uint32_t>(rng()), static_cast<uint32_t>(rng()));
        } else {
            ASSERT_FALSE(error.empty());
        }
    }
    EXPECT_GT(made, 1000u);
}

// A chain worked out by hand.
struct KnownLevel {
    ArrayMode array;
    uint32_t pitch, height, slices;  // elements
    uint64_t base;                   // bytes after that of the image
};

void expect_chain(const ImageGeometry& g, const AddressConfig& config, const TileMode& mode,
                  const std::vector<KnownLevel>& expected) {
    TileMode modes[TilingRegisters::kModes];
    modes[g.tiling_index] = mode;
    std::array<SurfaceLevel, kMaxLevels> levels;
    std::string error;
    ASSERT_TRUE(make_levels(g, config, modes, levels, error)) << error;
    ASSERT_EQ(expected.size(), g.last_level + 1);
    for (size_t i = 0; i < expected.size(); ++i) {
        const LevelLayout& l = levels[i].layout;
        EXPECT_EQ(l.mode.array, expected[i].array) << i << ": " << text_of(l);
        EXPECT_EQ(l.pitch, expected[i].pitch) << i;
        EXPECT_EQ(l.height, expected[i].height) << i;
        EXPECT_EQ(l.slices, expected[i].slices) << i;
        EXPECT_EQ(l.base, expected[i].base) << i;
    }
}

// 32 x 32 x 32 elements of 32 bits with six levels.
ImageGeometry volume() {
    ImageGeometry g;
    g.type = ImageType::D3;
    g.width = g.height = g.depth = 32;
    g.last_level = 5;
    g.pow2_pad = true;
    return g;
}

TileMode mode_of(Generation generation, ArrayMode array, MicroTileMode micro) {
    TileMode m;
    m.generation = generation;
    m.resolved = true;
    m.array = array;
    m.micro = micro;
    m.pipe = PipeConfig::P4_16x16;
    m.tile_split = 2048;
    m.banks = 4;
    return m;
}

// The last levels have two slices and one.
TEST(MipChain, VolumesOfCikKeepTheirThickTiles) {
    const AddressConfig config = decoded(0x12010002, Generation::Cik);
    for (const MicroTileMode micro : {MicroTileMode::Thin, MicroTileMode::Thick})
        expect_chain(volume(), config, mode_of(Generation::Cik, ArrayMode::Tiled1dThick, micro),
                     {{ArrayMode::Tiled1dThick, 32, 32, 32, 0},
                      {ArrayMode::Tiled1dThick, 16, 16, 16, 0x20000},
                      {ArrayMode::Tiled1dThick, 8, 8, 8, 0x24000},
                      {ArrayMode::Tiled1dThick, 8, 8, 4, 0x24800},
                      {ArrayMode::Tiled1dThick, 8, 8, 4, 0x24C00},
                      {ArrayMode::Tiled1dThick, 8, 8, 4, 0x25000}});
}

TEST(MipChain, VolumesOfSiGetThinTilesForTheirLastSlices) {
    expect_chain(volume(), decoded(0x12010002, Generation::Si),
                 mode_of(Generation::Si, ArrayMode::Tiled1dThick, MicroTileMode::Thin),
                 {{ArrayMode::Tiled1dThick, 32, 32, 32, 0},
                  {ArrayMode::Tiled1dThick, 16, 16, 16, 0x20000},
                  {ArrayMode::Tiled1dThick, 8, 8, 8, 0x24000},
                  {ArrayMode::Tiled1dThick, 8, 8, 4, 0x24800},
                  {ArrayMode::Tiled1dThin, 8, 8, 2, 0x24C00},
                  {ArrayMode::Tiled1dThin, 8, 8, 1, 0x24E00}});
}

// Macro tiles of 32 x 32 elements and eight slices: a level of four slices keeps them, too; one of
// 16 x 16 elements has micro tiles, which are four slices thick.
TEST(MipChain, ExtraThickTilesOfCikStayForLevelsOfFewSlices) {
    ImageGeometry g = volume();
    g.width = g.height = 128;
    g.depth = 8;
    g.last_level = 3;
    const AddressConfig config = decoded(0x12010002, Generation::Cik);
    expect_chain(g, config,
                 mode_of(Generation::Cik, ArrayMode::Tiled2dXthick, MicroTileMode::Thick),
                 {{ArrayMode::Tiled2dXthick, 128, 128, 8, 0},
                  {ArrayMode::Tiled2dXthick, 64, 64, 8, 0x80000},
                  {ArrayMode::Tiled2dXthick, 32, 32, 8, 0xA0000},
                  {ArrayMode::Tiled1dThick, 16, 16, 4, 0xA8000}});
    expect_chain(g, decoded(0x12010002, Generation::Si),
                 mode_of(Generation::Si, ArrayMode::Tiled2dXthick, MicroTileMode::Thin),
                 {{ArrayMode::Tiled2dXthick, 128, 128, 8, 0},
                  {ArrayMode::Tiled2dThick, 64, 64, 4, 0x80000},
                  {ArrayMode::Tiled2dThin, 32, 32, 2, 0x90000},
                  {ArrayMode::Tiled1dThin, 16, 16, 1, 0x92000}});
}

// 10 x 23 bytes: rows of tiles of 16 elements fill whole units in the 32 rows that POW2_PAD makes
// of the height; in 24 rows they need 32 elements.
TEST(MipChain, TheLeastPitchIsThatOfThePaddedHeight) {
    for (const Generation generation : {Generation::Si, Generation::Cik}) {
        ImageGeometry g;
        g.width = 10;
        g.height = 23;
        g.element_bytes = 1;
        g.last_level = 1;
        g.pow2_pad = true;
        const AddressConfig config = decoded(0x12010002, generation);
        const auto micro = mode_of(generation, ArrayMode::Tiled1dThin, MicroTileMode::Thin);
        expect_chain(
            g, config, micro,
            {{ArrayMode::Tiled1dThin, 16, 32, 1, 0}, {ArrayMode::Tiled1dThin, 16, 16, 1, 0x200}});
        g.pow2_pad = false;
        g.last_level = 0;
        expect_chain(g, config, micro, {{ArrayMode::Tiled1dThin, 32, 24, 1, 0}});
        g.width = 12;
        g.height = 33;
        g.element_bytes = 4;
        g.last_level = 1;
        g.pow2_pad = true;
        expect_chain(g, config,
                     mode_of(generation, ArrayMode::LinearAligned, MicroTileMode::Display),
                     {{ArrayMode::LinearAligned, 16, 64, 1, 0},
                      {ArrayMode::LinearAligned, 16, 16, 1, 0x1000}});
    }
}

// Hainan's DRAM rows have 1 KiB; a bank's part of this macro tile has 2 KiB.
TEST(MipChain, AMacroTileMayHoldMoreOfABankThanARow) {
    TileMode mode = mode_of(Generation::Si, ArrayMode::Tiled2dThin, MicroTileMode::Thin);
    mode.pipe = PipeConfig::P2;
    mode.tile_split = 256;
    mode.banks = 8;
    mode.bank_width = 2;
    mode.bank_height = 4;
    TileMode modes[TilingRegisters::kModes];
    modes[0] = mode;
    ImageGeometry g;
    g.type = ImageType::D2Array;
    g.width = g.pitch = 64;
    g.height = 256;
    g.depth = 16;
    g.element_bytes = 8;
    std::array<SurfaceLevel, kMaxLevels> levels;
    std::string error;
    ASSERT_TRUE(make_levels(g, decoded(0x02010001, Generation::Si), modes, levels, error)) << error;
    EXPECT_EQ(levels[0].layout.mode.bank_width, 2u);
    EXPECT_EQ(byte_address(levels[0], 18, 23, 11), 0x175870u) << "as AMD's library has it";
}

}  // namespace
}  // namespace archipelago::surface
