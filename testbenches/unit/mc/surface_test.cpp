// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <random>
#include <set>
#include <sstream>
#include <unordered_set>
#include <vector>

#include "models/mc/surface/point_finder.h"
#include "models/mc/surface/surface.h"
#include "testbenches/unit/mc/surface_reference.h"
#include "testbenches/unit/mc/surface_vectors.h"
#include "testbenches/unit/mc/tile_tables.h"

namespace archipelago::surface {
namespace {

// Every byte of the element is found again.
void expect_found(const SurfaceLevel& s, uint32_t x, uint32_t y, uint32_t z, uint32_t sample) {
    const PointFinder finder(s);
    const uint64_t at = byte_address(s, x, y, z, sample);
    for (uint32_t byte = 0; byte < s.layout.bits / 8; ++byte) {
        const std::optional<SurfacePoint> p = finder.find(at + byte);
        ASSERT_TRUE(p.has_value()) << text_of(s.layout);
        ASSERT_EQ(std::vector<uint32_t>({p->x, p->y, p->slice, p->sample, p->byte}),
                  std::vector<uint32_t>({x, y, z, sample, byte}))
            << text_of(s.layout);
    }
}

// ---- registers ----------------------------------------------------------------------------------

TEST(TileMode, SiFieldsAreWhereTheDriverPutsThem) {
    const TileMode mode = decode_si_tile_mode(0x00362A92);  // Tahiti, entry 7, 2 KiB rows
    EXPECT_EQ(mode.micro, MicroTileMode::Depth);
    EXPECT_EQ(mode.array, ArrayMode::Tiled2dThin);
    EXPECT_EQ(mode.pipe, PipeConfig::P8_32x32_8x16);
    EXPECT_EQ(mode.tile_split, 2048u);
    EXPECT_EQ(mode.bank_width, 1u);
    EXPECT_EQ(mode.bank_height, 4u);
    EXPECT_EQ(mode.macro_aspect, 2u);
    EXPECT_EQ(mode.banks, 16u);
    EXPECT_EQ(mode.fault, nullptr);
}

TEST(Surface, OfATileSplitBeyondTheCodesIsRefused) {
    LevelLayout l;
    l.mode = decode_si_tile_mode(kSiTables[0].modes[10]);
    l.pitch = l.height = 512;
    SurfaceLevel level;
    std::string error;
    EXPECT_TRUE(level.set_up(l, decoded(kSiTables[0].gb_addr_config, Generation::Si), error));
    l.mode.tile_split = 8192;  // as a packet may say it, code 7
    EXPECT_FALSE(level.set_up(l, decoded(kSiTables[0].gb_addr_config, Generation::Si), error));
    EXPECT_NE(error.find("TILE_SPLIT 7 is not defined"), std::string::npos);
}

TEST(TileMode, IsEncodedAsTheValueItIsDecodedFrom) {
    for (const SiTable& table : kSiTables) {
        // Pipes, interleave, engines, engine tile and row of GB_ADDR_CONFIG.
        EXPECT_EQ(encode_address_config(decoded(table.gb_addr_config, Generation::Si)),
                  table.gb_addr_config & 0x30073077);
        for (const uint32_t value : table.modes)
            EXPECT_EQ(encode_si_tile_mode(decode_si_tile_mode(value)), value) << table.name;
    }
}

TEST(TileMode, CikFieldsAreWhereTheDriverPutsThem) {
    const TileMode mode = decode_cik_tile_mode(0x02000450);
    EXPECT_EQ(mode.array, ArrayMode::Tiled2dThin);
    EXPECT_EQ(mode.pipe, PipeConfig::P16_32x32_16x16);
    EXPECT_EQ(mode.micro, MicroTileMode::Display);
    EXPECT_EQ(mode.sample_split, 2u);
    EXPECT_EQ(decode_cik_tile_mode(5u << 22).fault,
              std::string("MICRO_TILE_MODE_NEW is not defined"));
}

TEST(TileMode, UndefinedValuesAreNamed) {
    EXPECT_STREQ(decode_si_tile_mode(7u << 11).fault, "TILE_SPLIT 7 is not defined");
    EXPECT_STREQ(decode_si_tile_mode(4u << 2 | 1u << 6).fault, "PIPE_CONFIG is not defined");
    EXPECT_EQ(decode_si_tile_mode(1u << 2 | 1u << 6).fault, nullptr) << "linear has no pipes";
    EXPECT_STREQ(decoded(3u << 28, Generation::Si).fault, "ROW_SIZE is not defined");
    EXPECT_STREQ(decoded(7, Generation::Si).fault, "NUM_PIPES is not defined");
    std::string error;
    std::array<SurfaceLevel, kMaxLevels> levels;
    TilingRegisters tiling;
    tiling.write({0, 0x12011003});
    tiling.write({4, 4u << 2 | 15u << 6});
    ImageGeometry image;
    image.pitch = 64;
    image.tiling_index = 3;
    EXPECT_FALSE(make_levels(image, tiling.address, tiling.modes, levels, error));
    EXPECT_EQ(error, "image: GB_TILE_MODE3: PIPE_CONFIG is not defined");
}

TEST(TileMode, AddressConfigGivesPipesInterleaveAndRow) {
    const AddressConfig c = decoded(0x12011003, Generation::Si);
    EXPECT_EQ(c.pipes, 8u);
    EXPECT_EQ(c.pipe_interleave, 256u);
    EXPECT_EQ(c.bank_interleave, 1u);
    EXPECT_EQ(c.row_bytes, 2048u);
    EXPECT_EQ(c.shader_engines, 2u);
    EXPECT_EQ(pipe_config_of(decoded(0x02011003, Generation::Evergreen)),
              PipeConfig::P8_32x32_8x16);
}

TEST(TileMode, TilingConfigGivesPipesBanksGroupsAndSampleSplit) {
    const AddressConfig c = decoded(3u << 1 | 1u << 4 | 1u << 6 | 2u << 8 | 3u << 14,
                                    Generation::R6xx);  // PIPE, BANK, GROUP, ROW, SAMPLE_SPLIT
    EXPECT_EQ(c.generation, Generation::R6xx);
    EXPECT_EQ(c.pipes, 8u);
    EXPECT_EQ(c.banks, 8u);
    EXPECT_EQ(c.pipe_interleave, 512u);
    EXPECT_EQ(c.row_bytes, 4096u);
    EXPECT_EQ(c.sample_split, 8192u);
    EXPECT_EQ(c.fault, nullptr);
    EXPECT_EQ(pipe_config_of(c), PipeConfig::P8_R6xx);
    EXPECT_EQ(decoded(0, Generation::R6xx).banks, 4u);
    EXPECT_STREQ(decoded(4u << 1, Generation::R6xx).fault, "PIPE_TILING is not defined");
    EXPECT_STREQ(decoded(2u << 4, Generation::R6xx).fault, "BANK_TILING is not defined");
    EXPECT_STREQ(decoded(2u << 6, Generation::R6xx).fault, "GROUP_SIZE is not defined");
    EXPECT_STREQ(decoded(3u << 1 | 4u << 8, Generation::R6xx).fault,
                 "the bank swaps of ROW_TILING 4 to 7 are not described");
    EXPECT_EQ(decoded(2u << 1 | 4u << 8, Generation::R6xx).fault, nullptr)
        << "they need eight pipes";
}

TEST(TileMode, AChipsTilingIsDecodedAsItsGenerationHasIt) {
    ChipTiling::Modes modes{};
    modes[10] = 0x02000450;  // Hawaii
    const ChipTiling cik(Generation::Cik, 0x12011003, modes, {0xD8});
    EXPECT_EQ(cik.modes[10].pipe, PipeConfig::P16_32x32_16x16);
    EXPECT_EQ(cik.modes[10].sample_split, 2u);
    EXPECT_EQ(cik.macro_modes[0], 0xD8u);
    modes[10] = 0x00361290;  // Tahiti
    const ChipTiling si(Generation::Si, 0x12011003, modes);
    EXPECT_EQ(si.modes[10].bank_height, 4u);
    EXPECT_EQ(si.address.pipes, 8u);
    EXPECT_EQ(ChipTiling(Generation::R6xx, 0x16).address.banks, 8u);
}

TEST(TileMode, WritesReachTheDecodedCopyAndAreCounted) {
    TilingRegisters tiling;
    const uint32_t before = tiling.changes;
    tiling.write({0, 0x12011003});
    tiling.write({15, 0x00321291});
    EXPECT_EQ(tiling.changes, before + 2);
    EXPECT_EQ(tiling.address.pipes, 8u);
    EXPECT_EQ(tiling.tile_mode[14], 0x00321291u);
    EXPECT_EQ(tiling.modes[14].array, ArrayMode::Tiled2dThin);
    tiling.write({200, 1});
    EXPECT_EQ(tiling.changes, before + 2) << "no such register";
}

// ---- addresses ----------------------------------------------------------------------------------

// Bits placed by hand: 8 x 8 tiles of 32-bit elements, display order x0 x1 y0 x2 y1 y2.
TEST(Surface, MicroTiledDisplayOrderIsTheDocumentedOne) {
    LevelLayout l;
    l.mode.array = ArrayMode::Tiled1dThin;
    l.pitch = 16;
    l.height = 16;
    l.base = 0x10000;
    SurfaceLevel s;
    std::string error;
    ASSERT_TRUE(s.set_up(l, AddressConfig(), error)) << error;
    EXPECT_EQ(byte_address(s, 1, 0, 0), 0x10000u + 4);
    EXPECT_EQ(byte_address(s, 0, 1, 0), 0x10000u + 16);
    EXPECT_EQ(byte_address(s, 4, 0, 0), 0x10000u + 32);
    EXPECT_EQ(byte_address(s, 0, 2, 0), 0x10000u + 64);
    EXPECT_EQ(byte_address(s, 0, 4, 0), 0x10000u + 128);
    EXPECT_EQ(byte_address(s, 8, 0, 0), 0x10000u + 256);
    EXPECT_EQ(byte_address(s, 0, 8, 0), 0x10000u + 512);
}

TEST(Surface, AddressesAreThoseOfTheSeparateTranscription) {
    const auto lines = lines_of("addresses 6000 7");
    ASSERT_EQ(lines.size(), 6000u);
    for (const std::string& line : lines) {
        std::istringstream in(line);
        LevelLayout l;
        AddressConfig c;
        l.mode.generation = static_cast<Generation>(number(in));
        l.mode.array = static_cast<ArrayMode>(number(in));
        l.mode.micro = static_cast<MicroTileMode>(number(in));
        l.mode.pipe = static_cast<PipeConfig>(number(in));
        l.mode.tile_split = static_cast<uint16_t>(number(in));
        l.mode.bank_width = static_cast<uint8_t>(number(in));
        l.mode.bank_height = static_cast<uint8_t>(number(in));
        l.mode.macro_aspect = static_cast<uint8_t>(number(in));
        l.mode.banks = static_cast<uint8_t>(number(in));
        c.generation = l.mode.generation;
        c.pipe_interleave = number(in);
        c.bank_interleave = number(in);
        l.bits = number(in);
        l.samples = number(in);
        l.pitch = number(in);
        l.height = number(in);
        l.slices = number(in);
        l.pipe_swizzle = number(in);
        l.bank_swizzle = number(in);
        const uint32_t x = number(in), y = number(in), z = number(in), sample = number(in);
        uint64_t expected = 0;
        in >> expected;
        ASSERT_TRUE(in) << line;
        SurfaceLevel s;
        std::string error;
        ASSERT_TRUE(s.set_up(l, c, error)) << error << "\n" << line;
        expect_found(s, x, y, z, sample);
        ASSERT_EQ(byte_address(s, x, y, z, sample), expected) << line << "\n" << text_of(l);
    }
}

// Random parameters, as a driver would choose them or not.
LevelLayout random_layout(std::mt19937& rng, AddressConfig& c) {
    const auto any = [&](uint32_t n) { return static_cast<uint32_t>(rng() % n); };
    LevelLayout l;
    static const PipeConfig kConfigs[] = {
        PipeConfig::P2,
        PipeConfig::P4_8x16,
        PipeConfig::P4_16x16,
        PipeConfig::P4_16x32,
        PipeConfig::P4_32x32,
        PipeConfig::P8_16x16_8x16,
        PipeConfig::P8_16x32_8x16,
        PipeConfig::P8_32x32_8x16,
        PipeConfig::P8_16x32_16x16,
        PipeConfig::P8_32x32_16x16,
        PipeConfig::P8_32x32_16x32,
        PipeConfig::P8_32x64_32x32,
        PipeConfig::P16_32x32_8x16,
        PipeConfig::P16_32x32_16x16,
    };
    l.mode.generation = any(2) == 0 ? Generation::Si : Generation::Cik;
    l.mode.array = static_cast<ArrayMode>(any(16));
    l.mode.micro = static_cast<MicroTileMode>(any(5));
    l.mode.pipe = kConfigs[any(14)];
    l.mode.tile_split = static_cast<uint16_t>(64u << any(7));
    l.mode.bank_width = static_cast<uint8_t>(1u << any(4));
    l.mode.bank_height = static_cast<uint8_t>(1u << any(4));
    l.mode.macro_aspect = static_cast<uint8_t>(1u << any(4));
    l.mode.banks = static_cast<uint8_t>(2u << any(4));
    c.pipe_interleave = 256u << any(2);
    l.bits = 8u << any(5);
    l.samples = thickness(l.mode.array) > 1 ? 1 : 1u << any(5);
    uint32_t width = 8, height = 8;
    if (is_macro(l.mode.array)) {
        width = 8 * l.mode.bank_width * pipes_of(l.mode.pipe) * l.mode.macro_aspect;
        height = std::max(8, 8 * l.mode.bank_height * l.mode.banks / l.mode.macro_aspect);
    }
    l.pitch = width * (1 + any(4));
    l.height = height * (1 + any(4));
    l.slices = thickness(l.mode.array) * (1 + any(6));
    l.pipe_swizzle = any(16);
    l.bank_swizzle = any(16);
    l.base = uint64_t{any(1000)} << 20;
    return l;
}

// Calls visit(level, config) with those of `count` random levels that there are; how many.
template <class Visit>
unsigned for_random_levels(std::mt19937& rng, unsigned count, const Visit& visit) {
    unsigned made = 0;
    for (unsigned n = 0; n < count && !::testing::Test::HasFatalFailure(); ++n) {
        AddressConfig c;
        const LevelLayout l = random_layout(rng, c);
        SurfaceLevel s;
        std::string error;
        if (!s.set_up(l, c, error)) {
            EXPECT_FALSE(error.empty());
            continue;
        }
        ++made;
        visit(s, c);
    }
    return made;
}

TEST(Surface, FastFormIsTheEquationsForRandomParameters) {
    std::mt19937 rng(3);
    const unsigned made =
        for_random_levels(rng, 60000, [&](const SurfaceLevel& s, const AddressConfig& c) {
            const LevelLayout& l = s.layout;
            for (unsigned k = 0; k < 8; ++k) {
                const uint32_t x = rng() % l.pitch, y = rng() % l.height, z = rng() % l.slices;
                const uint32_t sample = rng() % l.samples;
                ASSERT_EQ(byte_address(s, x, y, z, sample),
                          reference_address(l, c, x, y, z, sample))
                    << text_of(l) << " at " << x << "," << y << "," << z << "," << sample;
            }
        });
    EXPECT_GT(made, 20000u);
}

TEST(Surface, PointsAreFoundAgainByTheirAddresses) {
    std::mt19937 rng(17);
    const unsigned made =
        for_random_levels(rng, 10000, [&](const SurfaceLevel& s, const AddressConfig&) {
            const LevelLayout& l = s.layout;
            expect_found(s, rng() % l.pitch, rng() % l.height, rng() % l.slices, rng() % l.samples);
            const PointFinder finder(s);
            // After the last slice; of a linear surface, after the last sample.
            const bool linear = is_linear(l.mode.array);
            EXPECT_FALSE(
                finder.find(byte_address(s, 0, 0, linear ? 0 : l.slices, linear ? l.samples : 0))
                    .has_value())
                << text_of(l);
            EXPECT_FALSE(finder.find(l.base - 1).has_value());
        });
    EXPECT_GT(made, 3000u);
}

TEST(Surface, LanesGetWhatOneElementGets) {
    std::mt19937 rng(5);
    bool one_slice = false;  // every other time all lanes are in one
    for_random_levels(rng, 500, [&](const SurfaceLevel& s, const AddressConfig&) {
        const LevelLayout& l = s.layout;
        one_slice = !one_slice;
        LaneCoordinates at;
        for (unsigned i = 0; i < 64; ++i) {
            at.x[i] = rng() % 8 == 0 ? static_cast<uint32_t>(rng()) : rng() % l.pitch;
            at.y[i] = rng() % l.height;
            at.slice[i] = i != 0 && one_slice ? at.slice[0] : rng() % l.slices;
            at.sample[i] = i != 0 && one_slice ? at.sample[0] : rng() % l.samples;
        }
        const uint64_t exec = uint64_t{rng()} << 32 | rng();
        uint64_t to[64];
        for (uint64_t& address : to)
            address = 0xDEAD;
        byte_addresses(s, at, exec, to);
        for (unsigned i = 0; i < 64; ++i)
            ASSERT_EQ(to[i], (exec >> i & 1) != 0
                                 ? byte_address(s, at.x[i], at.y[i], at.slice[i], at.sample[i])
                                 : 0xDEAD);
    });
}

TEST(Surface, ParametersWithoutMathematicsAreRefusedByName) {
    const auto refusal = [](const LevelLayout& l) {
        SurfaceLevel s;
        std::string error;
        return s.set_up(l, AddressConfig(), error) ? std::string() : error;
    };
    LevelLayout l;
    l.mode = decode_si_tile_mode(0x00362A92);
    l.pitch = l.height = 512;
    EXPECT_EQ(refusal(l), "");
    LevelLayout bad = l;
    bad.pitch = 520;
    EXPECT_EQ(refusal(bad),
              "surface (2D_TILED_THIN1, 32 bits, 1 samples, 520 x 512 x 1): pitch and height must "
              "be multiples of the 128 x 256 macro tile");
    bad = l;
    bad.bits = 96;
    EXPECT_NE(refusal(bad).find("element size"), std::string::npos);
    bad = l;
    bad.samples = 3;
    EXPECT_NE(refusal(bad).find("samples"), std::string::npos);
    bad = l;
    bad.mode.pipe = PipeConfig::P8_16x16_8x16;
    EXPECT_NE(refusal(bad).find("third pipe bit of P8_16x16_8x16"), std::string::npos);
    bad = l;
    bad.mode.pipe = PipeConfig::P8_32x64_32x32;
    bad.mode.bank_width = 2;
    EXPECT_NE(refusal(bad).find("two tiles in one place"), std::string::npos);
    bad = l;
    bad.mode.banks = 32;
    EXPECT_NE(refusal(bad).find("32 banks"), std::string::npos);
    bad = l;
    bad.mode.micro = MicroTileMode::Thick;
    EXPECT_NE(refusal(bad).find("micro tile order"), std::string::npos);
    bad = l;
    bad.mode.array = ArrayMode::Tiled2dThick;
    EXPECT_NE(refusal(bad).find("thickness"), std::string::npos);
    bad = l;
    bad.pitch = 0;
    EXPECT_NE(refusal(bad).find("empty"), std::string::npos);
}

// Every element has bytes of its own inside the level.
void expect_apart(const SurfaceLevel& s, const std::string& what) {
    const LevelLayout& l = s.layout;
    const uint64_t unit = l.bits == 96 ? 4 : l.bits / 8;
    const uint64_t step = l.bits / 8 / unit;
    std::vector<bool> taken(s.size_bytes / unit);
    uint64_t count = 0;
    for (uint32_t z = 0; z < l.slices; ++z)
        for (uint32_t sample = 0; sample < l.samples; ++sample)
            for (uint32_t y = 0; y < l.height; ++y)
                for (uint32_t x = 0; x < l.pitch; ++x) {
                    const uint64_t at = byte_address(s, x, y, z, sample) - l.base;
                    ASSERT_EQ(at % unit, 0u) << what;
                    ASSERT_LT(at / unit + step - 1, taken.size()) << what;
                    for (uint64_t i = 0; i < step; ++i) {
                        ASSERT_FALSE(taken[at / unit + i])
                            << what << " at " << x << "," << y << "," << z << "," << sample;
                        taken[at / unit + i] = true;
                    }
                    ++count;
                }
    EXPECT_EQ(count * l.bits / 8, s.size_bytes) << what << ": no byte is left over";
}

// Small images in every mode of a table, with swizzles: all levels, all element sizes.
void expect_table_apart(const char* name, const TileMode (&modes)[32], const AddressConfig& c,
                        const uint32_t (*macro_modes)[16], std::set<std::string>& seen) {
    unsigned skipped = 0;
    for (uint32_t index = 0; index < 32; ++index) {
        for (uint32_t bytes = 1; bytes <= 16; bytes *= 2) {
            for (unsigned variant = 0; variant < 3; ++variant) {
                TileMode mode = modes[index];
                ASSERT_EQ(mode.fault, nullptr) << name << " " << index;
                ImageGeometry image;
                image.tiling_index = index;
                image.element_bytes = bytes;
                image.width = 70;
                image.height = 40;
                if (variant == 1) {
                    image.type = ImageType::D3;
                    image.depth = 9;
                    image.pow2_pad = true;
                    image.last_level = 4;
                }
                if (variant == 2) {
                    if (thickness(mode.array) > 1)
                        continue;
                    image.type = ImageType::D2MsaaArray;
                    image.samples = 4;
                    image.depth = 3;
                }
                image.base = 0x40000000 + 0x100 * (index * 37 % 128);
                if (!is_macro(mode.array))
                    image.base = 0x40000000;
                std::array<SurfaceLevel, kMaxLevels> levels;
                std::string error;
                // The smallest pitch the mode's tile divides.
                bool made = false;
                for (image.pitch = 128; image.pitch <= 4096 && !made; image.pitch *= 2)
                    made = make_levels(image, c, modes, levels, error, macro_modes);
                if (!made && mode.micro == MicroTileMode::Rotated && bytes == 16) {
                    EXPECT_NE(error.find("micro tile order"), std::string::npos);
                    continue;
                }
                ASSERT_TRUE(made) << name << " mode " << index << " bytes " << bytes << ": "
                                  << error;
                uint64_t end = 0x40000000;
                for (unsigned i = 0; i <= image.last_level; ++i) {
                    const SurfaceLevel& level = levels[i];
                    EXPECT_GE(level.layout.base, end) << name;
                    end = level.layout.base + level.size_bytes;
                    EXPECT_LE(level.width, level.layout.pitch);
                    EXPECT_LE(level.height, level.layout.height);
                    EXPECT_LE(level.depth, level.layout.slices);
                    const std::string what = text_of(level.layout);
                    if (level.size_bytes <= 32 << 20 && seen.insert(what).second)
                        expect_apart(level, std::string(name) + " " + what);
                    skipped += level.size_bytes > 32 << 20;
                }
            }
        }
    }
    EXPECT_EQ(skipped, 0u) << "levels too large to walk";
}

TEST(Surface, EveryElementOfEverySiModeHasBytesOfItsOwn) {
    std::set<std::string> seen;  // tables share most of their modes
    for (const SiTable& table : kSiTables) {
        TileMode modes[32];
        for (unsigned i = 0; i < 32; ++i)
            modes[i] = decode_si_tile_mode(table.modes[i]);
        expect_table_apart(table.name, modes, decoded(table.gb_addr_config, Generation::Si),
                           nullptr, seen);
    }
}

TEST(Surface, EveryElementOfEveryCikModeHasBytesOfItsOwn) {
    std::set<std::string> seen;
    for (const CikTable& table : kCikTables) {
        TileMode modes[32];
        for (unsigned i = 0; i < 32; ++i)
            modes[i] = decode_cik_tile_mode(table.modes[i]);
        expect_table_apart(table.name, modes, decoded(table.gb_addr_config, Generation::Cik),
                           &table.macro_modes, seen);
    }
}

// What set_up accepts is one to one, regardless of the parameters.
TEST(Surface, AcceptedParametersNeverPutTwoElementsInOnePlace) {
    std::mt19937 rng(11);
    unsigned checked = 0;
    for (unsigned n = 0; n < 4000; ++n) {
        AddressConfig c;
        LevelLayout l = random_layout(rng, c);
        l.samples = std::min(l.samples, 4u);
        SurfaceLevel s;
        std::string error;
        if (!s.set_up(l, c, error) || s.size_bytes > 1 << 18)
            continue;
        ++checked;
        std::unordered_set<uint64_t> places;
        uint64_t elements = 0;
        for (uint32_t z = 0; z < l.slices; ++z)
            for (uint32_t sample = 0; sample < l.samples; ++sample)
                for (uint32_t y = 0; y < l.height; ++y)
                    for (uint32_t x = 0; x < l.pitch; ++x, ++elements)
                        places.insert(byte_address(s, x, y, z, sample));
        ASSERT_EQ(places.size(), elements) << text_of(l);
        for (const uint64_t place : places)
            ASSERT_EQ((place - l.base) % (l.bits / 8), 0u) << text_of(l);
    }
    EXPECT_GT(checked, 200u);
}

}  // namespace
}  // namespace archipelago::surface
