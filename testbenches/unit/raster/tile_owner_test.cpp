// SPDX-License-Identifier: Apache-2.0
#include "models/raster/tile_owner.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "registers/si_register_table.h"

namespace archipelago::raster {
namespace {

const RasterConfigRegister& config() {
    static const RasterConfigRegister reg(&regs::si::database());
    return reg;
}
unsigned bit(uint32_t value, unsigned n) {
    return value >> n & 1;
}

// The equations of the chips as their tiling tables give the pipe of a pixel.
TEST(TileOwners, OfTheChipsAreTheMemoryPipesOfTheTiles) {
    const TileOwners tahiti(config(), 0x2A00126A), verde(config(), 0x124A), oland(config(), 0x82),
        hainan(config(), 0);
    for (uint32_t y = 0; y < 256; y += 4)
        for (uint32_t x = 0; x < 256; x += 4) {
            const unsigned x3 = bit(x, 3), x4 = bit(x, 4), x5 = bit(x, 5);
            const unsigned y3 = bit(y, 3), y4 = bit(y, 4), y5 = bit(y, 5);
            EXPECT_EQ(tahiti.at(x, y).shader_engine, x5 ^ y5);
            EXPECT_EQ(tahiti.at(x, y).packer, x3 ^ y4);
            EXPECT_EQ(tahiti.at(x, y).rb, x4 ^ x5 ^ y3);
            EXPECT_EQ(verde.at(x, y).number(), 2 * (x3 ^ y4) + (x4 ^ y3));
            EXPECT_EQ(oland.at(x, y).number(), x3 ^ y4);
            EXPECT_EQ(hainan.at(x, y).number(), 0u);
        }
}

TEST(TileOwners, MapsSendAllTilesToOneUnitOrInvertTheSelection) {
    const uint32_t tahiti = 0x2A00126A;
    const auto with_se_map = [&](uint32_t map) {
        return TileOwners(config(), config().SE_MAP.set(tahiti, map));
    };
    for (uint32_t x = 0; x < 128; x += 8) {
        EXPECT_EQ(with_se_map(0).at(x, 0).shader_engine, 0);
        EXPECT_EQ(with_se_map(3).at(x, 0).shader_engine, 1);
        EXPECT_EQ(with_se_map(1).at(x, 0).shader_engine, 1 - with_se_map(2).at(x, 0).shader_engine);
    }
}

TEST(TileOwners, EnginesOfARectangleAreThoseOfItsPixels) {
    std::mt19937 random(7);
    for (unsigned round = 0; round < 2000; ++round) {
        const TileOwners owners(config(), static_cast<uint32_t>(random()));
        const uint32_t x0 = random() % 200, y0 = random() % 200;
        const uint32_t x1 = x0 + random() % 70, y1 = y0 + random() % 70;
        unsigned engines = 0;
        for (uint32_t y = y0; y <= y1; ++y)
            for (uint32_t x = x0; x <= x1; ++x)
                engines |= 1u << owners.at(x, y).shader_engine;
        EXPECT_EQ(owners.engines(x0, y0, x1, y1), engines);
    }
}

}  // namespace
}  // namespace archipelago::raster
