// SPDX-License-Identifier: Apache-2.0
// The depth block, untimed: hierarchical, depth bounds, stencil and depth test, before and after
// the shader, and the counts of samples that pass. R6xx/R7xx document 2.1.4.
//
// early() works on a batch of the scan converter, late() on what the shader has made of it. Within
// a draw batches come in the order of their primitives. early() of a draw comes after late() of
// every batch of the draws before it.
#pragma once

#include <array>
#include <cstdint>

#include "models/db/depth_memory.h"
#include "models/db/depth_state.h"
#include "models/db/htile_word.h"
#include "models/raster/pixel_memory.h"
#include "models/raster/quad_batch.h"

namespace archipelago::db {

constexpr unsigned kMaxRenderBackends = 16;

struct DepthCounts {
    uint64_t tiles_failed = 0;                       // by the hierarchical test
    uint64_t bounds_failed = 0, stencil_failed = 0;  // samples
    uint64_t depth_failed = 0, passed = 0;           // samples
    uint64_t tiles_expanded = 0, tiles_cleared = 0;  // in memory; as "cleared" in HTILE
};

class DepthUnit {
  public:
    // Tests and writes what may be tested before the shader. Quads without covered samples leave
    // the batch; it is empty when the shader has nothing to do for it.
    void early(const DepthState& state, raster::QuadBatch& batch, raster::PixelMemory& memory);
    // Takes away what the shader has killed or masked, tests and writes what early() has not.
    // Leaves in `coverage` what may be written to colour.
    void late(const DepthState& state, raster::ShadedBatch& batch, raster::PixelMemory& memory);

    // Samples that have passed since the chip was reset.
    uint64_t zpass(unsigned rb) const { return zpass_[rb % kMaxRenderBackends]; }
    const DepthCounts& counts() const { return counts_; }
    void reset();
    template <class Archive>
    void archive(Archive& a) {
        a(zpass_, counts_);
    }

  private:
    using SampleMasks = std::array<uint64_t, kMaxSamples>;  // lanes, by sample of the buffers

    // Quads of a batch, side by side in it, that lie in one tile.
    struct TileRun {
        unsigned first = 0, end = 0;
        uint16_t quads = 0;    // of the sixteen of the tile
        uint64_t address = 0;  // of its HTILE word
        uint32_t word = 0;
        HtileWord before, now;
        bool stencil_changes = false;
        bool alone = true;  // no other run of the batch is in the tile
    };
    // Exports that replace the primitive's depth and the registers' stencil values.
    struct ShaderValues {
        Lanes<uint32_t> z;  // bits of floats
        Lanes<uint8_t> test, operand;
    };
    // One batch at work.
    struct Work {
        const raster::QuadBatch* batch = nullptr;
        unsigned lanes = 0, runs = 0;
        uint32_t slice = 0;
        std::array<TileRun, raster::QuadBatch::kQuads> run;
        Lanes<uint16_t> coverage;  // before the tests
        bool writes_z = false, writes_stencil = false;
        SampleMasks covered, passed, failed, z_written, stencil_written;
        bool z_loaded = false;
        unsigned z_rows = 1;  // of new_z: one for all samples, or one for each
        SampleLanes<uint32_t> stored_z, new_z;
        SampleLanes<uint8_t> stored_stencil;  // new stencil once it is tested
    };

    // Hierarchical test.
    bool tile_fails(const DepthState& s, const raster::QuadBatch& batch,
                    raster::PixelMemory& memory);
    static bool primitive_fails(const DepthState& s, const raster::Primitive& primitive, uint32_t x,
                                uint32_t y, double low, double high);

    // Tests of samples.
    void test(const DepthState& s, raster::QuadBatch& batch, raster::PixelMemory& memory,
              const TestSet& tests, bool writes, const ShaderValues* exported);
    void make_z(const DepthState& s, const ShaderValues* exported);
    const SampleLanes<uint32_t>& spread_z(const DepthState& s);
    void test_sample(const DepthState& s, unsigned sample, const TestSet& tests,
                     const ShaderValues* exported);
    uint64_t test_stencil(const DepthState& s, unsigned sample, const ShaderValues* exported) const;
    void change_stencil(const DepthState& s, unsigned sample, uint64_t lanes, Outcome outcome,
                        const ShaderValues* exported);

    // Coverage.
    void begin_coverage(const DepthState& s, const raster::QuadBatch& batch);
    void keep(const DepthState& s, const SampleMasks& lanes, raster::QuadBatch& batch) const;
    void select_colour(const DepthState& s, raster::QuadBatch& batch);
    void mask_coverage(const DepthState& s, raster::ShadedBatch& batch);
    void count(const DepthState& s, const raster::QuadBatch& batch);

    // Tiles in memory.
    static void check_bounds(const DepthState& s, const raster::QuadBatch& batch, unsigned quad);
    static uint64_t lanes_of(const TileRun& run);
    static bool fills_tile(const DepthState& s, const TileRun& run, const SampleMasks& written);
    static bool touches(const DepthState& s, const TileRun& run, const SampleMasks& written);
    void open(const DepthState& s, const raster::QuadBatch& batch, raster::PixelMemory& memory);
    void load_z(const DepthState& s, raster::PixelMemory& memory);
    void load_stencil(const DepthState& s, raster::PixelMemory& memory);
    void expand_z(const DepthState& s, TileRun& run, raster::PixelMemory& memory);
    void expand_stencil(const DepthState& s, TileRun& run, raster::PixelMemory& memory);
    void write_z(const DepthState& s, TileRun& run, raster::PixelMemory& memory);
    void write_stencil(const DepthState& s, TileRun& run, raster::PixelMemory& memory);
    void update_range(const DepthState& s, TileRun& run, bool fills);
    void resummarize(const DepthState& s, TileRun& run, raster::PixelMemory& memory);
    void close(const DepthState& s, unsigned number, raster::PixelMemory& memory);

    // Exports of the shader, and those that replace them.
    static void read_exports(const DepthState& s, const raster::ShadedBatch& batch,
                             ShaderValues& values);
    void copy_to_colour(const DepthState& s, raster::ShadedBatch& batch,
                        raster::PixelMemory& memory);

    std::array<uint64_t, kMaxRenderBackends> zpass_{};
    DepthCounts counts_;
    Work work_;
    ShaderValues values_;
};

}  // namespace archipelago::db
