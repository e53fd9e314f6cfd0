// SPDX-License-Identifier: Apache-2.0
// SPI's untimed pixel side: quads packed into waves, the waves' inputs and launch state, and their
// exports given back to the quads. No shader runs.
#include <benchmark/benchmark.h>

#include <vector>

#include "models/spi/pixel_exports.h"
#include "testbenches/unit/spi/pixel_bench.h"

namespace archipelago::spi {
namespace {

class OneWave final : public ParameterSource {
  public:
    const std::vector<VertexExports::Vector>* parameters(uint32_t, uint32_t) const override {
        return &of_;
    }

  private:
    std::vector<VertexExports::Vector> of_{1};
};

// A shader with I and J, one attribute and one compressed colour.
struct Pixels {
    PixelPacker packer;
    PixelExportBuffer colours;
    StageProgram program;
    OneWave parameters;
    LaunchData data;
    ExportMessage exported;
    raster::ShadedBatch shaded;
    uint32_t waves = 0;
    Pixels() {
        program.stage = ShaderStage::Ps;
        program.vgprs = program.sgprs = 16;
        program.input_ena = program.input_addr = 2;
        program.attributes = 1;
        program.color_formats = 4;
        exported.wave.stage = ShaderStage::Ps;
        exported.wave.dispatch = 1;
        exported.enabled = 15;
        exported.compressed = exported.done = exported.valid_mask = true;
        exported.exec = ~uint64_t{0};
    }
    void run() {
        const PixelWave& wave = packer.finish();
        make_pixel_wave(program, wave, parameters, waves, waves, 0, data);
        packer.packed()->wave = exported.wave.group = waves++;
        colours.open(packer.packed(), program);
        packer.clear();
        colours.take(exported);
        colours.ended(1, exported.wave.group);
        while (colours.ready()) {
            colours.next(shaded);
            benchmark::DoNotOptimize(shaded.quads.quads);
        }
    }
    void add(const raster::QuadBatch& batch, const PixelInputs& inputs) {
        while (!packer.add(batch, inputs))
            run();
        if (packer.full())
            run();
    }
};

PixelInputs one_pair() {
    PixelRegisters registers;
    registers.set(regs::si::SPI_PS_INPUT_ENA, 2);
    return registers.decode();
}

void FullTiles(benchmark::State& loop) {
    Pixels pixels;
    const PixelInputs inputs = one_pair();
    const raster::QuadBatch batch =
        batch_of(triangle({{{0, 0, 1}, {1920, 0, 1}, {0, 1080, 1}}}), 8, 8);
    uint64_t count = 0;
    for ([[maybe_unused]] auto _ : loop) {
        pixels.add(batch, inputs);
        count += raster::QuadBatch::kLanes;
    }
    loop.counters["pixels/s"] =
        benchmark::Counter(static_cast<double>(count), benchmark::Counter::kIsRate);
}
BENCHMARK(FullTiles);

void TrianglesOfOnePixel(benchmark::State& loop) {
    Pixels pixels;
    const PixelInputs inputs = one_pair();
    raster::QuadBatch batch =
        batch_of(triangle({{{0, 0, 1}, {1920, 0, 1}, {0, 1080, 1}}}), 8, 8, 1, 0);
    batch.coverage[0] = 1;
    for ([[maybe_unused]] auto _ : loop) {
        ++batch.primitive.number;
        pixels.add(batch, inputs);
    }
    loop.counters["triangles/s"] =
        benchmark::Counter(static_cast<double>(loop.iterations()), benchmark::Counter::kIsRate);
}
BENCHMARK(TrianglesOfOnePixel);

}  // namespace
}  // namespace archipelago::spi

BENCHMARK_MAIN();
