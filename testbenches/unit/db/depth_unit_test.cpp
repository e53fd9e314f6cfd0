// SPDX-License-Identifier: Apache-2.0
// Passes of drivers, HTILE words, what the documents leave open, and what is refused.
#include <random>

#include "models/common/error.h"
#include "testbenches/unit/db/depth_bench.h"

namespace archipelago::db {
namespace {

class DepthPasses : public ::testing::Test {
  protected:
    // A buffer of one layer, tiled as entry 2 of the table.
    void set_up(DepthFormat format, bool stencil, unsigned log2_samples, bool htile,
                bool htile_has_stencil) {
        format_ = format;
        samples_ = 1u << log2_samples;
        bench_.set_buffers(format, stencil, log2_samples, kWidth, kHeight, 1, 2, htile,
                           htile_has_stencil);
        z_ = layout_of(bench_, 8 * bytes_of(format), samples_, kWidth, kHeight, 1, 2,
                       DepthBench::kZ);
    }
    void set_depth(Compare func, bool write = true) {
        const auto& c = bench_.map.DB_DEPTH_CONTROL;
        bench_.set(
            c,
            {{c.Z_ENABLE, 1}, {c.Z_WRITE_ENABLE, write}, {c.ZFUNC, static_cast<uint32_t>(func)}});
    }
    void set_order(uint32_t db_shader_control) {
        bench_.set(bench_.map.DB_SHADER_CONTROL, db_shader_control);
    }
    raster::QuadBatch early(raster::QuadBatch batch) {
        bench_.unit.early(bench_.state(), batch, bench_.memory);
        return batch;
    }
    uint32_t stored(uint32_t x, uint32_t y, unsigned sample = 0) {
        const uint64_t at = surface::byte_address(z_, x, y, 0, sample);
        return format_ == DepthFormat::Z16 ? bench_.memory.load<uint16_t>(at)
                                           : bench_.memory.load<uint32_t>(at);
    }
    uint64_t htile_address(uint32_t x, uint32_t y) {
        return surface::metadata_address(bench_.state().htile_surface, x, y, 0).byte;
    }
    uint16_t all() const { return static_cast<uint16_t>((1u << samples_) - 1); }

    DepthBench bench_;
    surface::SurfaceLevel z_;
    DepthFormat format_ = DepthFormat::None;
    unsigned samples_ = 1;
};

TEST_F(DepthPasses, AClearedTileReadsAsTheClearValueAndIsExpandedByItsFirstWrite) {
    set_up(DepthFormat::Z24, false, 2, true, false);
    bench_.set_float(si::DB_DEPTH_CLEAR, 0.5f);
    set_depth(Compare::Less);
    set_order(0x10);
    raster::QuadBatch batch = whole_tile(8, 16, flat_primitive(0.25), all());
    batch.quads = 1;
    EXPECT_EQ(early(batch).quads, 1);
    EXPECT_EQ(stored(8, 16, 3), 0x400000u);
    EXPECT_EQ(stored(15, 23, 3), 0x800000u);
    EXPECT_EQ(bench_.memory.load<uint32_t>(htile_address(8, 16)) & 0xF, 0xFu);
    EXPECT_EQ(bench_.memory.load<uint32_t>(htile_address(0, 0)), 0u);
    EXPECT_EQ(bench_.unit.counts().tiles_expanded, 1u);
}

TEST_F(DepthPasses, AFastClearThenADrawThenADecompressEqualAPlainClearAndADraw) {
    std::array<std::array<uint32_t, 64>, 2> result{};
    for (const bool htile : {false, true}) {
        bench_.memory = TestMemory();
        set_up(DepthFormat::Z32Float, false, 0, htile, false);
        bench_.set_float(si::DB_DEPTH_CLEAR, 0.7f);
        set_depth(Compare::Always);
        set_order(0x10);
        bench_.set(si::DB_RENDER_CONTROL, htile ? 1 : 0);
        early(whole_tile(0, 0, flat_primitive(double{0.7f})));
        EXPECT_EQ(bench_.unit.counts().tiles_cleared, htile ? 1u : 0u);
        bench_.set(si::DB_RENDER_CONTROL, 0u);
        set_depth(Compare::Less);
        raster::Primitive slope = flat_primitive(0.6);
        slope.depth.dz_dx = 1.0 / 32;
        early(whole_tile(0, 0, slope));
        set_depth(Compare::Always, false);
        bench_.set(si::DB_RENDER_CONTROL, 0x40);
        early(whole_tile(0, 0, flat_primitive(0)));
        for (unsigned i = 0; i < 64; ++i)
            result[htile ? 1 : 0][i] = stored(i % 8, i / 8);
    }
    EXPECT_EQ(result[0], result[1]);
    EXPECT_NE(result[0][0], result[0][7]);
}

TEST_F(DepthPasses, AClearThatMustWriteRealValuesDoes) {
    set_up(DepthFormat::Z16, false, 0, true, false);
    bench_.set_float(si::DB_DEPTH_CLEAR, 1);
    set_depth(Compare::Always);
    set_order(0x10);
    bench_.set(si::DB_RENDER_CONTROL, 1u);
    bench_.set(si::DB_RENDER_OVERRIDE2, 0x160);
    early(whole_tile(0, 0, flat_primitive(1)));
    EXPECT_EQ(stored(3, 3), 0xFFFFu);
    EXPECT_EQ(bench_.memory.load<uint32_t>(htile_address(0, 0)), 0xFFFFFFFFu);
}

TEST_F(DepthPasses, TilesThatCannotPassAreDroppedBeforeTheirQuads) {
    set_up(DepthFormat::Z24, false, 0, true, false);
    set_depth(Compare::Less);
    set_order(0x10);
    bench_.set_float(si::DB_DEPTH_CLEAR, 0.5f);
    EXPECT_EQ(early(whole_tile(0, 0, flat_primitive(0.75))).quads, 0);
    EXPECT_EQ(bench_.unit.counts().tiles_failed, 1u);
    EXPECT_EQ(bench_.unit.counts().depth_failed, 0u);
    bench_.set(si::DB_RENDER_OVERRIDE, 2u);  // FORCE_HIZ_ENABLE: disabled
    EXPECT_EQ(early(whole_tile(0, 0, flat_primitive(0.75))).quads, 0);
    EXPECT_EQ(bench_.unit.counts().tiles_failed, 1u);
    EXPECT_EQ(bench_.unit.counts().depth_failed, 64u);
}

TEST_F(DepthPasses, AFailedTileIsShadedForItsSideEffectsOnly) {
    set_up(DepthFormat::Z24, false, 0, true, false);
    set_depth(Compare::Less);
    set_order(0x200);  // LATE_Z, EXEC_ON_HIER_FAIL
    bench_.set_float(si::DB_DEPTH_CLEAR, 0.5f);
    raster::ShadedBatch shaded;
    shaded.quads = early(whole_tile(0, 0, flat_primitive(0.75)));
    EXPECT_EQ(shaded.quads.quads, 16);
    EXPECT_TRUE(shaded.quads.killed);
    bench_.unit.late(bench_.state(), shaded, bench_.memory);
    EXPECT_EQ(shaded.quads.covered(), 0u);
    EXPECT_EQ(bench_.unit.zpass(0), 0u);
}

// For every layout: a tile that is dropped has no sample that would pass.
TEST_F(DepthPasses, RangesNeverLoseASample) {
    std::mt19937 random(11);
    for (const bool with_stencil : {false, true})
        for (const bool base_is_max : {false, true})
            for (const auto format : {DepthFormat::Z16, DepthFormat::Z24, DepthFormat::Z32Float}) {
                bench_.set_buffers(format, with_stencil, 0, kWidth, kHeight, 1, 2, true,
                                   with_stencil, base_is_max);
                set_depth(Compare::Less);
                const DepthState& s = bench_.state();
                for (int n = 0; n < 20000; ++n) {
                    const uint32_t a = stored_depth(format, double(random()) / random.max());
                    const uint32_t b =
                        stored_depth(format, depth_of(format, a) + double(random() % 1000) / 1e5);
                    const double low = std::min(depth_of(format, a), depth_of(format, b));
                    const double high = std::max(depth_of(format, a), depth_of(format, b));
                    HtileWord word;
                    word.range =
                        tile_range(format, stored_depth(format, low), stored_depth(format, high));
                    const TileRange range = decode_htile(encode_htile(0, word, s, true), s).range;
                    ASSERT_LE(lower_bound(range), low);
                    ASSERT_GE(upper_bound(range), high);
                }
            }
}

TEST_F(DepthPasses, ExpandedWordsOfBothDriversBoundNothing) {
    bench_.set_buffers(DepthFormat::Z24, true, 0, kWidth, kHeight, 1, 2, true, true, false);
    set_depth(Compare::Less);
    for (const uint32_t word : {0xFFFFF3FFu, 0xFFFFF30Fu}) {
        const HtileWord h = decode_htile(word, bench_.state());
        EXPECT_FALSE(h.z_cleared);
        EXPECT_FALSE(h.stencil_cleared);
        EXPECT_TRUE(h.range == TileRange());
    }
}

TEST_F(DepthPasses, ResummarizingMakesARangeExactAgain) {
    set_up(DepthFormat::Z24, false, 0, true, false);
    set_depth(Compare::Always);
    set_order(0x10);
    bench_.memory.store<uint32_t>(htile_address(0, 0), 0xFFFC000Fu);
    for (unsigned q = 0; q < 16; ++q) {
        raster::QuadBatch batch = whole_tile(0, 0, flat_primitive(0.5));
        batch.x[0] = batch.x[q];
        batch.y[0] = batch.y[q];
        batch.quads = 1;
        early(batch);
    }
    EXPECT_TRUE(
        decode_htile(bench_.memory.load<uint32_t>(htile_address(0, 0)), bench_.state()).range ==
        TileRange());
    set_depth(Compare::Always, false);
    bench_.set(si::DB_RENDER_CONTROL, 0x10);
    early(whole_tile(0, 0, flat_primitive(0)));
    EXPECT_TRUE(
        decode_htile(bench_.memory.load<uint32_t>(htile_address(0, 0)), bench_.state()).range ==
        tile_range(DepthFormat::Z24, 0x800000, 0x800000));
}

TEST_F(DepthPasses, DepthAndStencilAreCopiedToColour) {
    set_up(DepthFormat::Z24, true, 2, false, false);
    set_depth(Compare::Always);
    set_order(0x10);
    early(whole_tile(0, 0, flat_primitive(0.25), 0x4));
    set_depth(Compare::Always, false);
    bench_.set(si::DB_RENDER_CONTROL, 0x04 | 0x08 | 0x80 | 2u << 8);
    raster::ShadedBatch shaded;
    shaded.quads = early(whole_tile(0, 0, flat_primitive(0), all()));
    bench_.unit.late(bench_.state(), shaded, bench_.memory);
    ASSERT_EQ(shaded.exports.colour.size(), 1u);
    EXPECT_FLOAT_EQ(raster::float_of(shaded.exports.colour[0].data[0][5]), 0.25f);
    EXPECT_EQ(shaded.exports.colour[0].data[1][5], 0u);
    EXPECT_EQ(shaded.exports.colours & 1, 1);
    EXPECT_EQ(shaded.quads.coverage[5], all());
}

TEST_F(DepthPasses, ExportedDepthOnOneSideLeavesTheHierarchicalTest) {
    set_up(DepthFormat::Z24, false, 0, true, false);
    set_depth(Compare::Less);
    bench_.set(bench_.map.SPI_SHADER_Z_FORMAT, 1u);
    bench_.set_float(si::DB_DEPTH_CLEAR, 0.5f);
    const auto fails = [&](uint32_t conservative) {
        set_order(1u | conservative << 13);
        return early(whole_tile(0, 0, flat_primitive(0.75))).quads == 0;
    };
    EXPECT_FALSE(fails(0));  // any z
    EXPECT_FALSE(fails(1));  // exported z is less
    EXPECT_TRUE(fails(2));   // greater
}

TEST_F(DepthPasses, NothingIsShadedWhenNothingWouldBeWritten) {
    set_up(DepthFormat::Z24, false, 0, false, false);
    set_depth(Compare::Always);
    bench_.set(si::CB_TARGET_MASK, 0u);
    set_order(0x10);
    EXPECT_EQ(early(whole_tile(0, 0, flat_primitive(0.5))).quads, 0);
    EXPECT_EQ(stored(0, 0), 0x800000u);
    EXPECT_EQ(bench_.unit.zpass(0), 64u);
    set_order(0x410);  // EXEC_ON_NOOP
    EXPECT_EQ(early(whole_tile(0, 0, flat_primitive(0.5))).quads, 16);
    set_order(0x10);
    bench_.set(si::DB_RENDER_OVERRIDE, 0x200);  // NOOP_CULL_DISABLE
    EXPECT_EQ(early(whole_tile(0, 0, flat_primitive(0.5))).quads, 16);
    set_order(0x00);  // LATE_Z
    EXPECT_EQ(early(whole_tile(0, 0, flat_primitive(0.5))).quads, 16);
}

TEST_F(DepthPasses, CountsAreOfTheRenderBackendAndOnlyWhenTheyAreOn) {
    set_up(DepthFormat::None, false, 2, false, false);
    set_order(0x10);
    raster::QuadBatch batch = whole_tile(0, 0, flat_primitive(0), 0xF);
    batch.rb = 3;
    early(batch);
    EXPECT_EQ(bench_.unit.zpass(3), 256u);
    EXPECT_EQ(bench_.unit.zpass(0), 0u);
    bench_.set(si::DB_COUNT_CONTROL, 1u);
    early(batch);
    EXPECT_EQ(bench_.unit.zpass(3), 256u);
}

TEST_F(DepthPasses, ForcedColourKillLeavesDepth) {
    set_up(DepthFormat::Z16, false, 0, false, false);
    set_depth(Compare::Always);
    set_order(0);
    bench_.set(si::DB_RENDER_OVERRIDE, 0x400);
    raster::ShadedBatch shaded;
    shaded.quads = early(whole_tile(0, 0, flat_primitive(0.5)));
    bench_.unit.late(bench_.state(), shaded, bench_.memory);
    EXPECT_EQ(shaded.quads.covered(), 0u);
    EXPECT_EQ(stored(0, 0), 0x8000u);
}

TEST_F(DepthPasses, ColourMayGoWhereDepthFails) {
    set_up(DepthFormat::Z16, false, 0, false, false);
    bench_.set(si::DB_DEPTH_CONTROL, 0xC0000012);  // Z_ENABLE, LESS; colour on fail, not on pass
    for (const uint32_t order : {0x00u, 0x10u}) {
        set_order(order);
        raster::ShadedBatch shaded;
        shaded.quads = early(whole_tile(0, 0, flat_primitive(0.5)));
        bench_.unit.late(bench_.state(), shaded, bench_.memory);
        EXPECT_EQ(shaded.quads.covered(), ~uint64_t{0});
    }
}

// Runs of the shader for each sample may bring the quads of two tiles in turns.
TEST_F(DepthPasses, QuadsOfATileNeedNotBeSideBySideInABatch) {
    std::array<std::vector<uint32_t>, 2> result;
    for (const bool htile : {false, true}) {
        bench_.memory = TestMemory();
        set_up(DepthFormat::Z24, true, 1, htile, htile);
        bench_.set(si::DB_DEPTH_CONTROL, 0x747);  // stencil, z, write, GREATER, stencil ALWAYS
        bench_.set(si::DB_STENCIL_CONTROL, 0x555);
        bench_.set(si::DB_STENCILREFMASK, 0x01FFFF00);
        set_order(0);
        raster::Primitive p = flat_primitive(0.25);
        p.depth.dz_dx = 1.0 / 64;
        raster::ShadedBatch shaded;
        shaded.quads = whole_tile(0, 0, p);
        for (unsigned q = 0; q < 16; ++q) {
            // Quad q / 4 of two tiles, sample 0 and then sample 1 of both.
            shaded.quads.x[q] = static_cast<uint16_t>(q % 2 * 8 + q / 4 % 2 * 2);
            shaded.quads.y[q] = static_cast<uint16_t>(q / 8 * 2);
            for (unsigned i = 0; i < 4; ++i)
                shaded.quads.coverage[4 * q + i] = q / 2 % 2 == 0 ? 1 : 2;
        }
        bench_.unit.late(bench_.state(), shaded, bench_.memory);
        bench_.set(si::DB_DEPTH_CONTROL, 0u);
        bench_.set(si::DB_RENDER_CONTROL, 0x60);
        set_order(0x10);
        early(whole_tile(0, 0, p, all()));
        early(whole_tile(8, 0, p, all()));
        bench_.set(si::DB_RENDER_CONTROL, 0u);
        const auto stencil = layout_of(bench_, 8, 2, kWidth, kHeight, 1, 2, DepthBench::kStencil);
        for (unsigned i = 0; i < 256; ++i) {
            const unsigned x = i / 2 % 16, y = i / 32;
            result[htile ? 1 : 0].push_back(stored(x, y, i % 2));
            result[htile ? 1 : 0].push_back(
                bench_.memory.load<uint8_t>(surface::byte_address(stencil, x, y, 0, i % 2)));
        }
    }
    EXPECT_EQ(result[0], result[1]);
}

TEST_F(DepthPasses, EventsPassUnchanged) {
    set_up(DepthFormat::Z24, false, 0, false, false);
    raster::QuadBatch batch;
    batch.primitive.kind = raster::Primitive::Kind::DrawEnd;
    EXPECT_EQ(early(batch).primitive.kind, raster::Primitive::Kind::DrawEnd);
}

// Random draws over two by two tiles, and all that is stored then.
class DepthEqual : public DepthPasses {
  protected:
    std::vector<uint32_t> drawn(unsigned seed, uint32_t order, bool htile) {
        bench_.memory = TestMemory();
        std::mt19937 random(seed);
        set_up(DepthFormat::Z24, true, seed % 4, htile, seed % 2 == 0);
        bench_.set_float(si::DB_DEPTH_CLEAR, 0);  // as memory without HTILE
        bench_.set(si::DB_STENCIL_CONTROL, random() & 0xFFFFFF);
        const uint32_t control = 0x07 | (random() & 0xF7) << 4 | (random() & 7) << 20;
        bench_.set(si::DB_DEPTH_CONTROL, control);
        for (unsigned n = 0; n < 60; ++n) {
            bench_.set(si::DB_STENCILREFMASK, random());
            bench_.set(si::DB_STENCILREFMASK_BF, random());
            set_order(order);
            raster::Primitive p = flat_primitive(double(random() % 1024) / 1024);
            p.back_facing = random() % 2 == 0;
            p.depth.dz_dx = (double(random() % 64) - 32) / 1024;
            raster::ShadedBatch shaded;
            shaded.quads = early(whole_tile(random() % 2 * 8, random() % 2 * 8, p,
                                            static_cast<uint16_t>(random() & all())));
            bench_.unit.late(bench_.state(), shaded, bench_.memory);
        }
        bench_.set(si::DB_DEPTH_CONTROL, 0u);
        bench_.set(si::DB_RENDER_CONTROL, 0x60);
        set_order(0x10);
        for (unsigned tile = 0; tile < 4; ++tile)
            early(whole_tile(tile % 2 * 8, tile / 2 * 8, flat_primitive(0), all()));
        bench_.set(si::DB_RENDER_CONTROL, 0u);
        return all_stored();
    }
    std::vector<uint32_t> all_stored() {
        const auto stencil =
            layout_of(bench_, 8, samples_, kWidth, kHeight, 1, 2, DepthBench::kStencil);
        std::vector<uint32_t> words;
        for (unsigned i = 0; i < 256 * samples_; ++i) {
            const unsigned pixel = i / samples_, x = pixel % 16, y = pixel / 16;
            words.push_back(stored(x, y, i % samples_));
            words.push_back(
                bench_.memory.load<uint8_t>(surface::byte_address(stencil, x, y, 0, i % samples_)));
        }
        return words;
    }
};

TEST_F(DepthEqual, BeforeAndAfterTheShader) {
    for (unsigned seed = 0; seed < 60; ++seed) {
        const std::vector<uint32_t> late = drawn(seed, 0x00, seed % 3 == 0);
        for (const uint32_t order : {0x10u, 0x20u, 0x30u, 0x1010u})
            EXPECT_EQ(drawn(seed, order, seed % 3 == 0), late) << "seed " << seed;
    }
}

TEST_F(DepthEqual, WithAndWithoutHtile) {
    for (unsigned seed = 0; seed < 60; ++seed)
        EXPECT_EQ(drawn(seed, 0x10, true), drawn(seed, 0x10, false)) << "seed " << seed;
}

// ---- what is refused ----------------------------------------------------------------------------

class DepthStops : public DepthPasses {
  protected:
    template <class Action>
    void expect_stop(StopKind kind, const char* text, const Action& action) {
        try {
            action();
            ADD_FAILURE() << "nothing stops: " << text;
        } catch (const MachineStop& stop) {
            EXPECT_EQ(stop.kind(), kind);
            EXPECT_NE(std::string(stop.what()).find(text), std::string::npos) << stop.what();
        }
    }
};

TEST_F(DepthStops, AtRegistersThatNoBufferHas) {
    set_up(DepthFormat::Z24, false, 0, true, false);
    set_depth(Compare::Less);
    bench_.tiling.write({3, 0x00361290});  // entry 2: not of depth
    expect_stop(StopKind::BadInput, "DB_Z_INFO.TILE_MODE_INDEX: GB_TILE_MODE2",
                [&] { bench_.state(); });
    bench_.tiling = tahiti_tiling();
    bench_.set(si::DB_DEPTH_SLICE, 6u);
    expect_stop(StopKind::BadInput, "DB_DEPTH_SLICE", [&] { bench_.state(); });
    bench_.set(si::DB_DEPTH_SLICE, kWidth * kHeight / 64 - 1);
    bench_.set(si::DB_Z_READ_BASE, 5u);
    expect_stop(StopKind::Unimplemented, "DB_Z_READ_BASE", [&] { bench_.state(); });
    bench_.set(si::DB_Z_READ_BASE, DepthBench::kZ >> 8);
    bench_.state();
}

TEST_F(DepthStops, AtExportsThatAreNotThere) {
    set_up(DepthFormat::Z24, false, 0, false, false);
    set_depth(Compare::Less);
    set_order(1);
    expect_stop(StopKind::BadInput, "Z_EXPORT_ENABLE", [&] { bench_.state(); });
    bench_.set(bench_.map.SPI_SHADER_Z_FORMAT, 4u);
    expect_stop(StopKind::Unimplemented, "SPI_SHADER_Z_FORMAT", [&] { bench_.state(); });
    bench_.set(bench_.map.SPI_SHADER_Z_FORMAT, 1u);
    raster::ShadedBatch shaded;
    shaded.quads = early(whole_tile(0, 0, flat_primitive(0.5)));
    expect_stop(StopKind::BadInput, "draw 7: DB_SHADER_CONTROL expects an export of depth",
                [&] { bench_.unit.late(bench_.state(), shaded, bench_.memory); });
}

TEST_F(DepthStops, AtPixelsOutsideTheBuffer) {
    set_up(DepthFormat::Z24, false, 0, false, false);
    set_depth(Compare::Less);
    set_order(0x10);
    expect_stop(StopKind::BadInput, "draw 7: pixel (256, 0)",
                [&] { early(whole_tile(256, 0, flat_primitive(0))); });
    raster::Primitive p = flat_primitive(0);
    p.layer = 1;
    expect_stop(StopKind::BadInput, "layer 1", [&] { early(whole_tile(0, 0, p)); });
}

TEST_F(DepthStops, AtCompressedTiles) {
    set_up(DepthFormat::Z24, false, 0, true, false);
    set_depth(Compare::Less);
    set_order(0x10);
    bench_.memory.store<uint32_t>(htile_address(0, 0), 3u);
    expect_stop(StopKind::Unimplemented, "zmask 3",
                [&] { early(whole_tile(0, 0, flat_primitive(0))); });
}

// Random words in the registers, some of them near what drivers write: batches are tested, or the
// machine stops with a name.
TEST_F(DepthStops, OnlyByNameUnderRandomRegisters) {
    std::mt19937 random(5);
    const RegisterMap& m = bench_.map;
    unsigned tested = 0, stopped = 0;
    for (unsigned n = 0; n < 3000; ++n) {
        set_up(static_cast<DepthFormat>(random() % 4), random() % 2 != 0, random() % 4,
               random() % 2 != 0, random() % 2 != 0);
        const uint32_t free[] = {m.DB_DEPTH_CONTROL,
                                 m.DB_STENCIL_CONTROL,
                                 m.DB_STENCILREFMASK,
                                 m.DB_DEPTH_BOUNDS_MIN,
                                 m.DB_DEPTH_BOUNDS_MAX,
                                 m.DB_SHADER_CONTROL,
                                 m.DB_EQAA,
                                 m.DB_ALPHA_TO_MASK,
                                 m.DB_COUNT_CONTROL,
                                 m.DB_RENDER_CONTROL,
                                 m.DB_RENDER_OVERRIDE,
                                 m.DB_RENDER_OVERRIDE2,
                                 m.DB_DEPTH_CLEAR,
                                 m.DB_STENCIL_CLEAR,
                                 m.PA_SC_VPORT_ZMIN[0],
                                 m.PA_SC_VPORT_ZMAX[0],
                                 m.DB_HTILE_SURFACE,
                                 m.DB_STENCIL_INFO,
                                 m.DB_Z_INFO,
                                 m.DB_DEPTH_SIZE,
                                 m.DB_DEPTH_SLICE,
                                 m.DB_DEPTH_VIEW,
                                 m.SPI_SHADER_Z_FORMAT,
                                 m.SPI_SHADER_COL_FORMAT,
                                 m.samples.PA_SC_AA_CONFIG};
        for (const uint32_t offset : free)
            if (random() % 4 == 0)
                bench_.set(offset, random() & random());
        raster::Primitive p = flat_primitive(double(random()) / random.max());
        p.depth.dz_dx = raster::float_of(random());
        p.back_facing = random() % 2 == 0;
        p.viewport = static_cast<uint8_t>(random() % 16);
        raster::ShadedBatch shaded;
        try {
            shaded.quads = early(whole_tile(random() % 16 * 8, random() % 16 * 8, p,
                                            static_cast<uint16_t>(random())));
            shaded.exports.colours = 1;
            shaded.exports.colour.resize(1);
            shaded.exports.has_depth = random() % 4 != 0;
            for (auto& component : shaded.exports.depth.data)
                for (uint32_t& word : component)
                    word = random();
            bench_.unit.late(bench_.state(), shaded, bench_.memory);
            ++tested;
        } catch (const MachineStop& stop) {
            EXPECT_NE(stop.kind(), StopKind::Internal) << stop.what();
            ++stopped;
        }
    }
    EXPECT_GT(tested, 300u);
    EXPECT_GT(stopped, 300u);
}

TEST_F(DepthStops, NowhereForDepthThatIsNoNumber) {
    for (const auto format : {DepthFormat::Z16, DepthFormat::Z24, DepthFormat::Z32Float})
        for (const bool htile : {false, true}) {
            set_up(format, false, 0, htile, false);
            for (const float z :
                 {std::nanf(""), std::numeric_limits<float>::infinity(), -1e38f, 1e38f}) {
                bench_.set_float(si::DB_DEPTH_CLEAR, z);
                bench_.set_float(si::PA_SC_VPORT_ZMIN_0, z);
                set_depth(Compare::LessEqual);
                raster::Primitive p = flat_primitive(double{z} * 1e300);
                p.depth.dz_dx = double{z};
                for (const uint32_t no_clamp : {0u, 0x10000u}) {
                    bench_.set(si::DB_RENDER_OVERRIDE, no_clamp);
                    early(whole_tile(0, 0, p));
                }
            }
        }
}

}  // namespace
}  // namespace archipelago::db
