// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>

#include "models/common/error.h"
#include "models/mc/tile_address/tile_address_core.h"
#include "models/mc/tile_address/tile_address_unit.h"
#include "testbenches/cosim/on_pins.h"
#include "testbenches/unit/mc/surface_reference.h"
#include "testbenches/unit/mc/tile_tables.h"

namespace archipelago::rtl {
namespace {

class SiTileAddressPinsTest : public OnPins<SiTileAddressPins> {
  protected:
    using Pins = SiTileAddressPins;
    void write(unsigned index, uint32_t value) {
        in_.reg_valid = 1;
        in_.reg = {static_cast<uint8_t>(index), value};
        step();
        in_.reg_valid = 0;
    }
    void set(const Pins::Surface& surface) {
        in_.set_valid = 1;
        in_.set = surface;
        step();
        in_.set_valid = 0;
    }
    // 32 bits linear, 64 x 8 x 2, at 0x1000.
    static Pins::Surface linear(unsigned number = 0) {
        return {static_cast<uint8_t>(number), 0, 2, 0, 64, 8, 2, 0x1000, 0, 0};
    }
    void offer(unsigned surface, uint32_t x, uint32_t y, uint32_t slice = 0, unsigned sample = 0,
               unsigned tag = 0) {
        in_.in_valid = 1;
        in_.in = {static_cast<uint8_t>(surface), x, y, slice, static_cast<uint8_t>(sample),
                  static_cast<uint8_t>(tag)};
    }
    // One request through an empty pipeline.
    uint64_t ask(unsigned surface, uint32_t x, uint32_t y, uint32_t slice = 0,
                 unsigned sample = 0) {
        offer(surface, x, y, slice, sample);
        in_.out_ready = 1;
        EXPECT_EQ(step().in_ready, 1);
        in_.in_valid = 0;
        for (unsigned i = 0; i < 100 && step().out_valid == 0; ++i) {
        }
        EXPECT_EQ(out_.out_valid, 1);
        return out_.out_address;
    }
    bool refuses(const Pins::Surface& surface) {
        set(surface);
        EXPECT_EQ(out_.out_valid, 0);
        const uint64_t address = ask(surface.number, 0, 0);
        EXPECT_TRUE(out_.out_refused == 0 || address == 0);
        return out_.out_refused != 0;
    }
};

TEST_P(SiTileAddressPinsTest, AddressComesFiveCyclesBehindItsCoordinates) {
    set(linear());
    in_.out_ready = 1;
    offer(0, 1, 0, 0, 0, 5);
    EXPECT_EQ(step().in_ready, 1);
    in_.in_valid = 0;
    for (unsigned cycle = 1; cycle < Pins::kLatency; ++cycle)
        EXPECT_EQ(step().out_valid, 0) << cycle;
    EXPECT_EQ(step().out_valid, 1);
    EXPECT_EQ(out_.out_tag, 5);
    EXPECT_EQ(out_.out_address, 0x1004u);
    EXPECT_EQ(step().out_valid, 0);
    EXPECT_EQ(out_.out_address, 0u);
}

// Every entry of the tables drivers program into the five chips, every element size and sample
// count: the addresses of the equations written down one by one.
TEST_P(SiTileAddressPinsTest, EveryTileModeOfTheChipsHasTheAddressesOfTheEquations) {
    std::mt19937 random(5);
    unsigned surfaces = 0;
    for (const surface::SiTable& table : surface::kSiTables) {
        write(0, table.gb_addr_config);
        const auto config =
            surface::decode_address_config(table.gb_addr_config, surface::Generation::Si);
        for (unsigned tile = 0; tile < 32; ++tile) {
            write(1 + tile, table.modes[tile]);
            surface::LevelLayout l;
            l.mode = surface::decode_si_tile_mode(table.modes[tile]);
            const uint32_t thick = surface::thickness(l.mode.array);
            surface::MacroTile unit{8, 8};
            if (surface::is_macro(l.mode.array))
                unit = surface::macro_tile_of(l.mode);
            for (unsigned code = 0; code < 5 * 5; ++code) {
                Pins::Surface s;
                s.tile = static_cast<uint8_t>(tile);
                s.size = static_cast<uint8_t>(code % 5);
                s.samples = static_cast<uint8_t>(code / 5);
                s.pitch = unit.width * (1 + random() % 4);
                s.height = unit.height * (1 + random() % 4);
                s.slices = 2 * thick;
                s.base = uint64_t{random() % 1024} << 20;
                s.pipe_swizzle = random() % 8;
                s.bank_swizzle = random() % 8;
                l.bits = 8u << s.size;
                l.samples = 1u << s.samples;
                l.pitch = s.pitch;
                l.height = s.height;
                l.slices = s.slices;
                l.base = s.base;
                l.pipe_swizzle = s.pipe_swizzle;
                l.bank_swizzle = s.bank_swizzle;
                set(s);
                surface::SurfaceLevel level;
                std::string error;
                const bool good = level.set_up(l, config, error);
                surfaces += good ? 1 : 0;
                for (int n = 0; n < (good ? 4 : 1); ++n) {
                    const uint32_t x = random() % l.pitch, y = random() % l.height;
                    const uint32_t z = random() % l.slices, sample = random() % l.samples;
                    const uint64_t address = ask(0, x, y, z, sample);
                    ASSERT_EQ(out_.out_refused, good ? 0 : 1) << table.name << ' ' << tile << error;
                    if (!good)
                        continue;
                    ASSERT_EQ(address, surface::reference_address(l, config, x, y, z, sample))
                        << table.name << ", mode " << tile << ", code " << code;
                }
            }
        }
    }
    EXPECT_GT(surfaces, 3000u);
}

TEST_P(SiTileAddressPinsTest, SurfaceSeesTheRegistersOfEarlierCyclesAndKeepsThem) {
    // 1D_TILED_THIN1, display order: with 4 bytes (0, 1) stands after (3, 0).
    constexpr uint32_t kTiled = 2 << 2;
    in_.reg_valid = 1;
    in_.reg = {1, kTiled};
    set(linear(0));  // in the cycle of the write
    in_.reg_valid = 0;
    set(linear(1));
    EXPECT_EQ(ask(0, 0, 1), 0x1100u);
    EXPECT_EQ(ask(1, 0, 1), 0x1010u);
    write(1, 0);
    EXPECT_EQ(ask(1, 0, 1), 0x1010u);
    set(linear(1));
    EXPECT_EQ(ask(1, 0, 1), 0x1100u);
}

TEST_P(SiTileAddressPinsTest, RequestSeesTheSurfacesOfEarlierCyclesOnly) {
    set(linear());
    in_.out_ready = 1;
    offer(0, 0, 0, 0, 0, 1);
    Pins::Surface moved = linear();
    moved.base = 0x9000;
    set(moved);  // in the cycle of the request
    offer(0, 0, 0, 0, 0, 2);
    step();
    in_.in_valid = 0;
    while (step().out_valid == 0) {
    }
    EXPECT_EQ(out_.out_address, 0x1000u);
    EXPECT_EQ(step().out_address, 0x9000u);
}

TEST_P(SiTileAddressPinsTest, FourSurfacesAreHeldApart) {
    for (unsigned n = 0; n < Pins::kSurfaces; ++n) {
        Pins::Surface s = linear(n);
        s.base = 0x10000 * n;
        set(s);
    }
    for (unsigned n = 0; n < Pins::kSurfaces; ++n)
        EXPECT_EQ(ask(n, 3, 0), 0x10000 * n + 12);
}

TEST_P(SiTileAddressPinsTest, LinearSamplesStandBehindTheSlices) {
    Pins::Surface s = linear();
    s.samples = 1;
    set(s);
    EXPECT_EQ(ask(0, 1, 2, 1, 1), 0x1000 + (((2 + 1) * 8 + 2) * 64 + 1) * 4u);
    s.size = 5;  // 12 bytes
    set(s);
    EXPECT_EQ(ask(0, 1, 2, 1, 1), 0x1000 + (((2 + 1) * 8 + 2) * 64 + 1) * 12u);
}

TEST_P(SiTileAddressPinsTest, WhatIsNoSurfaceIsRefused) {
    EXPECT_FALSE(refuses(linear()));
    const auto with = [&](auto change) {
        Pins::Surface s = linear();
        change(s);
        return s;
    };
    EXPECT_TRUE(refuses(with([](Pins::Surface& s) { s.size = 6; })));
    EXPECT_TRUE(refuses(with([](Pins::Surface& s) { s.samples = 5; })));
    EXPECT_TRUE(refuses(with([](Pins::Surface& s) { s.pitch = 0; })));
    EXPECT_TRUE(refuses(with([](Pins::Surface& s) { s.height = (1 << 18) + 1; })));
    EXPECT_FALSE(refuses(with([](Pins::Surface& s) { s.height = 1 << 18; })));
    write(1, 7 << 11);  // TILE_SPLIT 7
    EXPECT_TRUE(refuses(linear()));
    write(1, 4 << 2 | 8 << 6);  // 2D_TILED_THIN1, P8_16x16_8x16
    EXPECT_TRUE(refuses(with([](Pins::Surface& s) { s.height = 128; })));
    // P4_32x32 needs the x bit that wider banks use: two tiles in one place.
    write(1, 4 << 2 | 7 << 6 | 1 << 14 | 3 << 20);
    EXPECT_TRUE(refuses(with([](Pins::Surface& s) { s.height = 128; })));
    write(1, 4 << 2 | 7 << 6 | 3 << 20);
    EXPECT_FALSE(refuses(with([](Pins::Surface& s) { s.height = 128; })));
    write(0, 5);  // NUM_PIPES 5
    EXPECT_TRUE(refuses(linear()));
}

TEST_P(SiTileAddressPinsTest, FullPipelineRefusesHoldsItsAddressAndMovesWhenItIsTaken) {
    set(linear());
    unsigned taken = 0;
    for (unsigned n = 0; n < 20; ++n) {
        offer(0, 0, 0, 0, 0, taken);
        taken += step().in_ready;
    }
    EXPECT_EQ(taken, Pins::kLatency);
    EXPECT_EQ(out_.out_valid, 1);
    EXPECT_EQ(out_.out_tag, 0);
    in_.out_ready = 1;
    offer(0, 0, 0, 0, 0, 77);
    EXPECT_EQ(step().in_ready, 1);
    in_.in_valid = 0;
    for (const unsigned tag : {1u, 2u, 3u, 4u, 77u})
        EXPECT_EQ(step().out_tag, tag);
    EXPECT_EQ(step().out_valid, 0);
}

TEST_P(SiTileAddressPinsTest, ResetForgetsRequestsRegistersAndSurfaces) {
    write(1, 7 << 11);
    set(linear(1));
    offer(1, 1, 1);
    in_.rst = 1;
    step();
    in_.rst = 0;
    in_.in_valid = 0;
    for (unsigned n = 0; n < 10; ++n)
        EXPECT_EQ(step().out_valid, 0);
    EXPECT_EQ(ask(1, 0, 0), 0u);
    EXPECT_EQ(out_.out_refused, 1);
    EXPECT_FALSE(refuses(linear(1)));
}

TEST_P(SiTileAddressPinsTest, UnitBehindPinsGivesTheAddressesOfMoreSurfacesThanTheBlockHolds) {
    tile_address::PinAddressUnit unit(*block_);
    const surface::SiTable& table = surface::kSiTables[0];
    const auto config =
        surface::decode_address_config(table.gb_addr_config, surface::Generation::Si);
    std::mt19937 random(6);
    std::vector<surface::SurfaceLevel> levels;
    for (const unsigned tile : {8u, 9u, 10u, 14u, 20u, 13u, 16u}) {
        surface::LevelLayout l;
        l.mode = surface::decode_si_tile_mode(table.modes[tile]);
        l.bits = 32;
        l.pitch = l.height = 512;
        l.slices = 8;
        l.base = 0x100000 * tile;
        std::string error;
        levels.emplace_back();
        if (!levels.back().set_up(l, config, error))
            levels.pop_back();
    }
    ASSERT_GT(levels.size(), Pins::kSurfaces);
    for (int n = 0; n < 500; ++n) {
        const surface::SurfaceLevel& level = levels[random() % levels.size()];
        const uint32_t x = random() % 512, y = random() % 512, z = random() % 8;
        ASSERT_EQ(unit.address(level, x, y, z), surface::byte_address(level, x, y, z)) << n;
    }
}

TEST_P(SiTileAddressPinsTest, UnitBehindPinsServesSouthernIslandsOnly) {
    const tile_address::PinAddressUnit unit(*block_);
    EXPECT_NO_THROW(unit.check(surface::Generation::Si, "key", "si"));
    EXPECT_THROW(unit.check(surface::Generation::Cik, "key", "cik"), std::invalid_argument);
}

TEST(TileAddressSpec, LatencyIsThatOfTheModelsSpec) {
    tile_address::TileAddressCore core(tile_address::TileAddressSpec{9});
    SiTileAddressPins::In in;
    SiTileAddressPins::Out out;
    in.in_valid = in.out_ready = 1;
    core.step(in, out);
    in.in_valid = 0;
    for (unsigned cycle = 1; cycle < 9; ++cycle) {
        core.step(in, out);
        EXPECT_EQ(out.out_valid, 0) << cycle;
    }
    core.step(in, out);
    EXPECT_EQ(out.out_valid, 1);
    for (const unsigned bad : {0u, tile_address::TileAddressSpec::kMaxLatency + 1})
        EXPECT_THROW(tile_address::TileAddressCore(tile_address::TileAddressSpec{bad}),
                     std::invalid_argument);
}

INSTANTIATE_TEST_SUITE_P(
    On, SiTileAddressPinsTest,
    testing::ValuesIn(core_and_rtl<SiTileAddressPins, tile_address::TileAddressCore>()), kName);

}  // namespace
}  // namespace archipelago::rtl
