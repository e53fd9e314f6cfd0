// SPDX-License-Identifier: Apache-2.0
// The colour block for tests: registers as a driver writes them, a sparse memory, batches of quads.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <map>
#include <random>

#include "models/cb/colour_unit.h"
#include "models/gcn/si/windows.h"
#include "models/mc/surface/surface.h"
#include "registers/si_names.h"
#include "registers/si_register_table.h"

namespace archipelago::cb {

namespace si = regs::si;

// All addresses are mapped, and hold 0.
class SparseMemory : public raster::PixelMemory {
  public:
    uint8_t* line(uint64_t line_address, bool write) override {
        (write ? writes : reads) += 1;
        return lines[line_address].data();
    }
    std::map<uint64_t, Line> lines;
    unsigned reads = 0, writes = 0;
};

// CB_COLORn_INFO, as far as tests vary it.
struct Info {
    uint32_t format = 10, number = 0, swap = 0, endian = 0, round = 0;
    bool fast_clear = false, compression = false, clamp = false, bypass = false, simple = false;
    bool keeps_fmask = false, general = false;
    uint32_t word() const {
        return endian | format << 2 | uint32_t{general} << 7 | number << 8 | swap << 11 |
               uint32_t{fast_clear} << 13 | uint32_t{compression} << 14 | uint32_t{clamp} << 15 |
               uint32_t{bypass} << 16 | uint32_t{simple} << 17 | round << 18 |
               uint32_t{keeps_fmask} << 26;
    }
};

class ColourBench {
  public:
    static constexpr uint32_t kLinear = 8, kMicro = 13, kMacro = 16, kFmaskMode = 14;
    static constexpr uint32_t kStride = 0x3C;
    static constexpr uint32_t kSide = 64;  // pixels

    ColourBench() : map{&si::database(), gcn::si::context_window()} {
        make_tiling();
        set(si::CB_COLOR_CONTROL, 0x00CC0010);
    }

    void set(uint32_t offset, uint32_t value) {
        RegRequest request{};
        request.offset = offset;
        request.value = value;
        sets.write(request);
    }
    // A square target of kSide pixels a side. 2^`samples` samples, 2^`fragments` fragments.
    void bind(unsigned n, const Info& info, uint32_t tile_mode = kMicro, uint32_t slices = 1,
              uint32_t samples = 0, uint32_t fragments = 0) {
        const uint32_t at = n * kStride;
        const uint32_t height = samples > 0 ? 128 : kSide;
        set(si::CB_COLOR0_BASE + at, base(n) >> 8);
        set(si::CB_COLOR0_PITCH + at, kSide / 8 - 1);
        set(si::CB_COLOR0_SLICE + at, kSide * height / 64 - 1);
        set(si::CB_COLOR0_VIEW + at, (slices - 1) << 13);
        set(si::CB_COLOR0_INFO + at, info.word());
        set(si::CB_COLOR0_ATTRIB + at,
            tile_mode | kFmaskMode << 5 | 2u << 10 | samples << 12 | fragments << 15);
        set(si::CB_COLOR0_CMASK + at, (base(n) + 0x4000000) >> 8);
        set(si::CB_COLOR0_FMASK + at, (base(n) + 0x8000000) >> 8);
        set(si::CB_COLOR0_FMASK_SLICE + at, kSide * 512 / 64 - 1);
        set(si::PA_SC_AA_CONFIG, samples);
    }
    static uint32_t base(unsigned n) { return 0x10000000 * (n + 1); }
    // All targets' masks alike, and 32_ABGR exports.
    void enable(unsigned n, uint32_t export_format = 9) {
        masks_ |= 0xFu << (4 * n);
        formats_ = (formats_ & ~(15u << 4 * n)) | export_format << 4 * n;
        set(si::CB_TARGET_MASK, masks_);
        set(si::CB_SHADER_MASK, masks_);
        set(si::SPI_SHADER_COL_FORMAT, formats_);
    }

    ColourState decode() const {
        return decode_colour_state(map, raster::RegisterView{sets, 0}, tiling);
    }
    void write(const raster::ShadedBatch& batch) { unit.write(decode(), batch, memory); }

    // The dwords of a pixel of a target, in memory's order.
    std::array<uint32_t, 4> pixel(unsigned n, uint32_t x, uint32_t y, uint32_t slice = 0,
                                  uint32_t fragment = 0) {
        const Target t = bound(n);
        std::array<uint32_t, 4> dwords{};
        const uint64_t at = surface::byte_address(t.surface, x, y, slice, fragment);
        std::memcpy(dwords.data(), memory.line(line_of(at), false) + at % kLineBytes,
                    t.format.bytes);
        return dwords;
    }
    void set_pixel(unsigned n, uint32_t x, uint32_t y, const std::array<uint32_t, 4>& dwords,
                   uint32_t slice = 0, uint32_t fragment = 0) {
        const Target t = bound(n);
        const uint64_t at = surface::byte_address(t.surface, x, y, slice, fragment);
        std::memcpy(memory.line(line_of(at), true) + at % kLineBytes, dwords.data(),
                    t.format.bytes);
    }
    uint8_t cmask(unsigned n, uint32_t x, uint32_t y, uint32_t slice = 0) {
        const auto at = surface::metadata_address(bound(n).cmask, x, y, slice);
        return static_cast<uint8_t>(memory.load<uint8_t>(at.byte) >> at.bit & 15);
    }
    void set_cmask(unsigned n, uint8_t code) {
        const Target t = bound(n);
        for (uint32_t y = 0; y < t.height; y += 8)
            for (uint32_t x = 0; x < t.width; x += 8) {
                const auto at = surface::metadata_address(t.cmask, x, y, 0);
                const auto byte = memory.load<uint8_t>(at.byte);
                memory.store(at.byte, static_cast<uint8_t>((byte & ~(15u << at.bit)) |
                                                           unsigned{code} << at.bit));
            }
    }
    // The target as any mode would decode it.
    Target bound(unsigned n) const {
        raster::RegisterSets copy = sets;
        RegRequest request{};
        request.offset = si::CB_COLOR_CONTROL;
        request.value = 0x00CC0020;
        copy.write(request);
        request.offset = si::CB_TARGET_MASK;
        request.value = ~0u;
        copy.write(request);
        return decode_colour_state(map, raster::RegisterView{copy, 0}, tiling).target[n];
    }

    RegisterMap map;
    raster::RegisterSets sets{gcn::si::context_window(), si::GFX_COPY_STATE};
    surface::TilingRegisters tiling;
    SparseMemory memory;
    ColourUnit unit;

  private:
    void make_tiling() {
        surface::AddressConfig config;
        config.pipes = 8;
        tiling.gb_addr_config = surface::encode_address_config(config);
        surface::TileMode mode;
        mode.pipe = surface::PipeConfig::P8_32x32_8x16;
        mode.banks = 16;
        mode.tile_split = 256;
        mode.array = surface::ArrayMode::LinearAligned;
        tiling.tile_mode[kLinear] = surface::encode_si_tile_mode(mode);
        mode.array = surface::ArrayMode::Tiled1dThin;
        tiling.tile_mode[kMicro] = surface::encode_si_tile_mode(mode);
        mode.array = surface::ArrayMode::Tiled2dThin;
        tiling.tile_mode[kMacro] = surface::encode_si_tile_mode(mode);
        mode.bank_height = 4;
        tiling.tile_mode[kFmaskMode] = surface::encode_si_tile_mode(mode);
        tiling.decode();
    }
    uint32_t masks_ = 0, formats_ = 0;
};

// 16 quads of the tile at (x, y), all pixels and samples covered.
inline raster::ShadedBatch whole_tile(uint32_t x = 0, uint32_t y = 0) {
    raster::ShadedBatch batch;
    batch.quads.quads = 16;
    batch.quads.primitive.draw = 1;
    for (unsigned q = 0; q < 16; ++q) {
        batch.quads.x[q] = static_cast<uint16_t>(x + 2 * (q & 3));
        batch.quads.y[q] = static_cast<uint16_t>(y + 2 * (q >> 2));
    }
    batch.quads.coverage.fill(0xFFFF);
    return batch;
}
inline raster::PixelExports::Target& export_to(raster::ShadedBatch& batch, unsigned target,
                                               bool compressed = false) {
    raster::PixelExports& e = batch.exports;
    e.colours = static_cast<uint8_t>(e.colours | 1u << target);
    if (e.colour.size() <= target)
        e.colour.resize(target + 1);
    e.colour[target].enabled = 0xF;
    e.colour[target].compressed = compressed;
    return e.colour[target];
}
inline uint32_t bits(float f) {
    uint32_t u;
    std::memcpy(&u, &f, sizeof u);
    return u;
}
inline float number(uint32_t u) {
    float f;
    std::memcpy(&f, &u, sizeof f);
    return f;
}
// One colour in all lanes.
inline void export_colour(raster::ShadedBatch& batch, unsigned target, float r, float g, float b,
                          float a) {
    auto& data = export_to(batch, target).data;
    data[0].fill(bits(r));
    data[1].fill(bits(g));
    data[2].fill(bits(b));
    data[3].fill(bits(a));
}

}  // namespace archipelago::cb
