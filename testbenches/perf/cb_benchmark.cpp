// SPDX-License-Identifier: Apache-2.0
// The untimed colour block: pixels a second of batches of a tile, by format, blending and samples.
#include <benchmark/benchmark.h>

#include <cstring>
#include <vector>

#include "models/cb/colour_unit.h"
#include "models/gcn/si/windows.h"
#include "registers/si_names.h"
#include "registers/si_register_table.h"

namespace archipelago::cb {
namespace {

namespace si = regs::si;
constexpr uint32_t kWidth = 1024, kHeight = 1024;  // pixels
constexpr uint32_t kTileMode = 16;

// Surfaces from address 0 on.
class FlatMemory final : public raster::PixelMemory {
  public:
    explicit FlatMemory(size_t bytes) : bytes_(bytes) {}
    uint8_t* line(uint64_t line_address, bool) override { return &bytes_[line_address]; }

  private:
    std::vector<uint8_t> bytes_;
};

surface::TilingRegisters tiling_of_eight_pipes() {
    surface::TilingRegisters tiling;
    surface::AddressConfig config;
    config.pipes = 8;
    tiling.gb_addr_config = surface::encode_address_config(config);
    surface::TileMode mode;
    mode.array = surface::ArrayMode::Tiled2dThin;
    mode.pipe = surface::PipeConfig::P8_32x32_8x16;
    mode.banks = 16;
    mode.bank_height = 4;
    mode.tile_split = 256;
    tiling.tile_mode[kTileMode] = surface::encode_si_tile_mode(mode);
    tiling.decode();
    return tiling;
}

struct Case {
    const char* name;
    uint32_t info, blend;
    uint32_t samples = 0;  // log2
};
constexpr Case kCases[] = {
    {"rgba8", 0x28028, 0},
    {"rgba8 blended", 0x28028, 0x40000504},
    {"rgba16f", 0x60730, 0},
    {"rgba16f blended", 0x60730, 0x40000504},
    {"rgb10a2 blended", 0x28024, 0x40000504},
    {"rgba8 srgb blended", 0x28628, 0x40000504},
    {"rgba8, 4 samples", 0x28028, 0, 2},
    {"rgba8, 4 samples, FMASK", 0x2C028, 0, 2},
};

ColourState state_of(const Case& c) {
    raster::RegisterSets sets(gcn::si::context_window(), si::GFX_COPY_STATE);
    const auto set = [&](uint32_t offset, uint32_t value) {
        RegRequest request;
        request.offset = offset;
        request.value = value;
        sets.write(request);
    };
    set(si::CB_COLOR_CONTROL, 0x00CC0010);
    set(si::CB_TARGET_MASK, 0xF);
    set(si::CB_SHADER_MASK, 0xF);
    set(si::SPI_SHADER_COL_FORMAT, 4);
    set(si::CB_COLOR0_PITCH, kWidth / 8 - 1);
    set(si::CB_COLOR0_SLICE, kWidth * kHeight / 64 - 1);
    set(si::CB_COLOR0_INFO, c.info);
    set(si::CB_COLOR0_ATTRIB, kTileMode | kTileMode << 5 | 2u << 10 | c.samples * 0x9000);
    set(si::CB_COLOR0_FMASK, (64u << 20) >> 8);
    set(si::CB_COLOR0_FMASK_SLICE, kWidth * kHeight / 64 - 1);
    set(si::PA_SC_AA_CONFIG, c.samples);
    set(si::CB_BLEND0_CONTROL, c.blend);
    return decode_colour_state(RegisterMap{&si::database(), gcn::si::context_window()},
                               raster::RegisterView{sets, 0}, tiling_of_eight_pipes());
}

raster::ShadedBatch batch_of(unsigned quads) {
    raster::ShadedBatch batch;
    batch.quads.quads = static_cast<uint8_t>(quads);
    batch.quads.coverage.fill(0xFFFF);
    batch.exports.colours = 1;
    batch.exports.colour.resize(1);
    raster::PixelExports::Target& target = batch.exports.colour[0];
    target.enabled = 0xF;
    target.compressed = true;
    target.data[0].fill(0x38003400);
    target.data[1].fill(0x38003A00);
    return batch;
}

// Batches of `quads` quads each over the whole target.
void tiles(benchmark::State& run) {
    const Case& c = kCases[run.range(0)];
    const auto quads = static_cast<unsigned>(run.range(1));
    const ColourState state = state_of(c);
    raster::ShadedBatch batch = batch_of(quads);
    FlatMemory memory(96u << 20);
    ColourUnit unit;
    uint64_t pixels = 0;
    run.SetLabel(c.name);
    for (auto _ : run)
        for (uint32_t tile = 0; tile < 1024; ++tile) {
            const uint32_t x = tile % 32 * 8, y = tile / 32 * 8;
            for (unsigned q = 0; q < quads; ++q) {
                batch.quads.x[q] = static_cast<uint16_t>(x + 2 * (q & 3));
                batch.quads.y[q] = static_cast<uint16_t>(y + 2 * (q >> 2));
            }
            unit.write(state, batch, memory);
            pixels += 4u * quads;
        }
    run.SetItemsProcessed(static_cast<int64_t>(pixels));
}
BENCHMARK(tiles)->ArgsProduct({{0, 1, 2, 3, 4, 5, 6, 7}, {16, 2}});

}  // namespace
}  // namespace archipelago::cb

BENCHMARK_MAIN();
