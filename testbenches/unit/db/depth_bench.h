// SPDX-License-Identifier: Apache-2.0
// The depth block untimed, with registers, a tile table and memory of its own.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <string>

#include "models/db/depth_unit.h"
#include "models/db/depth_value.h"
#include "models/gcn/si/windows.h"
#include "registers/si_names.h"
#include "registers/si_register_table.h"

namespace archipelago::db {

namespace si = regs::si;

constexpr uint32_t kWidth = 256, kHeight = 256, kSlices = 2;  // of the buffers

// All addresses are mapped.
class TestMemory final : public raster::PixelMemory {
  public:
    uint8_t* line(uint64_t address, bool) override { return lines_[address].data(); }
    bool operator==(const TestMemory& other) const { return lines_ == other.lines_; }

  private:
    std::map<uint64_t, Line> lines_;
};

// The tile table of Tahiti as amdgpu writes it, as far as depth buffers use it.
inline surface::TilingRegisters tahiti_tiling() {
    constexpr uint32_t kModes[] = {0x00360292, 0x00360A92, 0x00361292, 0x00122A92,
                                   0x0000028A, 0x00021A92, 0x00031292, 0x00022112};
    surface::TilingRegisters tiling;
    tiling.write({0, 0x12011003});
    for (uint8_t i = 0; i < 8; ++i)
        tiling.write({static_cast<uint8_t>(1 + i), kModes[i]});
    return tiling;
}

struct DepthBench {
    static constexpr unsigned kContext = 2;
    static constexpr uint64_t kZ = 0x1000000, kStencil = 0x2000000, kHtile = 0x3000000;

    RegisterMap map{&si::database(), gcn::si::context_window()};
    surface::TilingRegisters tiling = tahiti_tiling();
    raster::RegisterSets sets{gcn::si::context_window(), si::GFX_COPY_STATE};
    DepthStates states{map, tiling};
    DepthUnit unit;
    TestMemory memory;
    std::function<void(const RegRequest&)> on_write;  // to another copy of the registers

    void set(uint32_t offset, uint32_t value) {
        RegRequest request;
        request.offset = offset;
        request.value = value;
        request.write = true;
        request.context = kContext;
        ASSERT_TRUE(sets.write(request));
        if (on_write)
            on_write(request);
    }
    void set(uint32_t offset, std::initializer_list<regs::FieldValue> values) {
        set(offset, regs::word(values));
    }
    void set_float(uint32_t offset, float value) { set(offset, raster::bits_of(value)); }
    const DepthState& state() { return states.get(sets, kContext); }

    // Buffers of this size, all tests off, colour on.
    void set_buffers(DepthFormat format, bool stencil, unsigned log2_samples, uint32_t width,
                     uint32_t height, unsigned slices, unsigned tile_mode, bool htile,
                     bool htile_has_stencil, bool range_base_is_max = true) {
        set(map.DB_Z_INFO, {{map.DB_Z_INFO.FORMAT, static_cast<uint32_t>(format)},
                            {map.DB_Z_INFO.NUM_SAMPLES, log2_samples},
                            {map.DB_Z_INFO.TILE_MODE_INDEX, tile_mode},
                            {map.DB_Z_INFO.TILE_SURFACE_ENABLE, htile},
                            {map.DB_Z_INFO.ZRANGE_PRECISION, range_base_is_max}});
        set(map.DB_STENCIL_INFO, {{map.DB_STENCIL_INFO.FORMAT, stencil},
                                  {map.DB_STENCIL_INFO.TILE_MODE_INDEX, tile_mode},
                                  {map.DB_STENCIL_INFO.TILE_STENCIL_DISABLE, !htile_has_stencil}});
        set(map.DB_DEPTH_SIZE, {{map.DB_DEPTH_SIZE.PITCH_TILE_MAX, width / 8 - 1},
                                {map.DB_DEPTH_SIZE.HEIGHT_TILE_MAX, height / 8 - 1}});
        set(map.DB_DEPTH_SLICE, width * height / 64 - 1);
        set(map.DB_DEPTH_VIEW, {{map.DB_DEPTH_VIEW.SLICE_MAX, slices - 1}});
        set(map.DB_Z_READ_BASE, kZ >> 8);
        set(map.DB_Z_WRITE_BASE, kZ >> 8);
        set(map.DB_STENCIL_READ_BASE, kStencil >> 8);
        set(map.DB_STENCIL_WRITE_BASE, kStencil >> 8);
        set(map.DB_HTILE_DATA_BASE, kHtile >> 8);
        set(map.samples.PA_SC_AA_CONFIG, log2_samples);
        set(map.samples.PA_SC_MODE_CNTL_0, log2_samples != 0);
        for (unsigned i = 0; i < 16; ++i)
            set_float(map.PA_SC_VPORT_ZMAX[i], 1);
        set(map.CB_COLOR_CONTROL, {{map.CB_COLOR_CONTROL.MODE, 1}});
        set(map.CB_TARGET_MASK, 0xF);
        set(map.CB_SHADER_MASK, 0xF);
        set(map.SPI_SHADER_COL_FORMAT, 9);  // 32_ABGR
        set(map.DB_COUNT_CONTROL, {{map.DB_COUNT_CONTROL.SAMPLE_RATE, log2_samples}});
    }
};

// A layout for reading what is in memory.
inline surface::SurfaceLevel layout_of(const DepthBench& bench, unsigned bits, unsigned samples,
                                       uint32_t width, uint32_t height, unsigned slices,
                                       unsigned tile_mode, uint64_t base) {
    surface::SurfaceLevel level;
    std::string error;
    surface::LevelLayout l;
    l.mode = bench.tiling.modes[tile_mode];
    l.bits = bits;
    l.samples = samples;
    l.pitch = width;
    l.height = height;
    l.slices = slices;
    l.base = base;
    EXPECT_TRUE(level.set_up(l, bench.tiling.address, error)) << error;
    return level;
}

// A rectangle of z that covers whole pixels.
inline raster::Primitive flat_primitive(double z) {
    raster::Primitive p;
    p.shape = raster::Primitive::Shape::Rectangle;
    p.context = DepthBench::kContext;
    p.draw = 7;
    p.depth.z = z;
    return p;
}

// All sixteen quads of a tile, wholly covered.
inline raster::QuadBatch whole_tile(uint32_t x, uint32_t y, const raster::Primitive& primitive,
                                    uint16_t coverage = 1) {
    raster::QuadBatch batch;
    batch.quads = 16;
    for (unsigned q = 0; q < 16; ++q) {
        batch.x[q] = static_cast<uint16_t>(x + q % 4 * 2);
        batch.y[q] = static_cast<uint16_t>(y + q / 4 * 2);
    }
    batch.coverage.fill(coverage);
    batch.primitive = primitive;
    return batch;
}

}  // namespace archipelago::db
