// SPDX-License-Identifier: Apache-2.0
// The untimed depth block: pixels a second that are tested and written before the shader.
#include <benchmark/benchmark.h>

#include <vector>

#include "testbenches/unit/db/depth_bench.h"

namespace archipelago::db {
namespace {

class FlatMemory final : public raster::PixelMemory {
  public:
    uint8_t* line(uint64_t address, bool) override { return &bytes_[address % bytes_.size()]; }

  private:
    std::vector<uint8_t> bytes_ = std::vector<uint8_t>(64u << 20);
};

struct Case {
    DepthFormat format;
    unsigned log2_samples;
    bool htile, stencil, slope, passes;
};

void Tiles(benchmark::State& loop, const Case& c) {
    DepthBench bench;
    FlatMemory memory;
    bench.set_buffers(c.format, c.stencil, c.log2_samples, kWidth, kHeight, 1, 2, c.htile,
                      c.stencil);
    const auto& control = bench.map.DB_DEPTH_CONTROL;
    bench.set(control, {{control.Z_ENABLE, 1},
                        {control.Z_WRITE_ENABLE, 1},
                        {control.ZFUNC, static_cast<uint32_t>(Compare::LessEqual)},
                        {control.STENCIL_ENABLE, c.stencil},
                        {control.STENCILFUNC, static_cast<uint32_t>(Compare::Always)}});
    bench.set(si::DB_STENCIL_CONTROL, 0x30);
    bench.set(si::DB_STENCILREFMASK, 0xFFFF01);
    bench.set(bench.map.DB_SHADER_CONTROL, 0x10);
    bench.set_float(bench.map.DB_DEPTH_CLEAR, 0.5f);
    raster::Primitive primitive = flat_primitive(c.passes ? 0 : 2);
    primitive.depth.dz_dx = c.slope ? -1e-6 : 0;
    const auto coverage = static_cast<uint16_t>((1u << (1u << c.log2_samples)) - 1);
    uint64_t pixels = 0;
    for ([[maybe_unused]] auto _ : loop)
        for (uint32_t y = 0; y < kHeight; y += 8)
            for (uint32_t x = 0; x < kWidth; x += 8, pixels += 64) {
                raster::QuadBatch batch = whole_tile(x, y, primitive, coverage);
                bench.unit.early(bench.state(), batch, memory);
                benchmark::DoNotOptimize(batch.quads);
            }
    loop.counters["pixels/s"] =
        benchmark::Counter(static_cast<double>(pixels), benchmark::Counter::kIsRate);
}

BENCHMARK_CAPTURE(Tiles, z32f, Case{DepthFormat::Z32Float, 0, false, false, true, true});
BENCHMARK_CAPTURE(Tiles, z24_htile, Case{DepthFormat::Z24, 0, true, false, true, true});
BENCHMARK_CAPTURE(Tiles, z24_stencil, Case{DepthFormat::Z24, 0, true, true, true, true});
BENCHMARK_CAPTURE(Tiles, z24_four_samples, Case{DepthFormat::Z24, 2, true, false, true, true});
BENCHMARK_CAPTURE(Tiles, z24_fails, Case{DepthFormat::Z24, 0, false, false, true, false});
BENCHMARK_CAPTURE(Tiles, z24_fails_as_tile, Case{DepthFormat::Z24, 0, true, false, true, false});

}  // namespace
}  // namespace archipelago::db

BENCHMARK_MAIN();
