// SPDX-License-Identifier: Apache-2.0
// Batches of quads and context registers for tests of SPI's pixel side.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>
#include <utility>
#include <vector>

#include "models/gcn/si/front_end.h"
#include "models/gcn/si/windows.h"
#include "models/spi/pixel_packer.h"
#include "registers/si_names.h"

namespace archipelago::spi {

struct PixelRegisters {
    RegisterMap map = gcn::si::spi_spec().map;
    raster::RegisterSets sets{gcn::si::context_window(), regs::si::GFX_COPY_STATE};
    void set(uint32_t offset, uint32_t value) {
        RegRequest request;
        request.write = true;
        request.offset = offset;
        request.value = value;
        sets.write(request);
    }
    // Samples at (x, y), 1/16 pixel, the same in all pixels of a quad.
    void samples(const std::vector<std::pair<int, int>>& at) {
        unsigned log2 = 0;
        while (1u << log2 < at.size())
            ++log2;
        set(regs::si::PA_SC_MODE_CNTL_0, at.size() > 1 ? 1 : 0);
        set(regs::si::PA_SC_AA_CONFIG, log2 | log2 << 20);
        set(regs::si::PA_SC_CENTROID_PRIORITY_0, 0x76543210);
        set(regs::si::PA_SC_CENTROID_PRIORITY_1, 0xFEDCBA98);
        for (uint32_t word = 0; word < 4; ++word) {
            uint32_t value = 0;
            for (uint32_t n = 4 * word; n < 4 * word + 4 && n < at.size(); ++n)
                value |= ((static_cast<uint32_t>(at[n].first) & 0xF) |
                          (static_cast<uint32_t>(at[n].second) & 0xF) << 4)
                         << (8 * (n % 4));
            for (uint32_t pixel = 0; pixel < 4; ++pixel)
                set(regs::si::PA_SC_AA_SAMPLE_LOCS_PIXEL_X0Y0_0 + 16 * pixel + 4 * word, value);
        }
    }
    PixelInputs decode() const { return decode_pixel_inputs(map, {sets, 0}); }
};

inline raster::Point at_pixel(double x, double y) {
    return {static_cast<int32_t>(std::lround(x * raster::kSubpixels)),
            static_cast<int32_t>(std::lround(y * raster::kSubpixels))};
}

// A triangle whose vertices have these window positions and w.
struct Corner {
    double x, y, w;
};
inline raster::Primitive triangle(const std::array<Corner, 3>& corners, uint32_t number = 1) {
    raster::Primitive p;
    p.draw = 1;
    p.number = number;
    for (unsigned n = 0; n < 3; ++n) {
        p.corner[n] = p.plane[n].at = at_pixel(corners[n].x, corners[n].y);
        p.plane[n].inverse_w = static_cast<float>(1 / corners[n].w);
        p.plane[n].i = p.plane[n].linear_i = n == 1 ? 1 : 0;
        p.plane[n].j = p.plane[n].linear_j = n == 2 ? 1 : 0;
        p.parameters.lane[n] = static_cast<uint8_t>(n);
    }
    p.parameters.wave = {number, number, number};
    return p;
}

// So many quads of one tile whose corner is at (x, y), in rows, with this coverage of each pixel.
inline raster::QuadBatch batch_of(const raster::Primitive& primitive, unsigned x, unsigned y,
                                  unsigned quads = 16, uint16_t coverage = 1) {
    raster::QuadBatch batch;
    batch.primitive = primitive;
    batch.quads = static_cast<uint8_t>(quads);
    for (unsigned q = 0; q < quads; ++q) {
        batch.x[q] = static_cast<uint16_t>(x + 2 * (q % 4));
        batch.y[q] = static_cast<uint16_t>(y + 2 * (q / 4));
        for (unsigned k = 0; k < 4; ++k)
            batch.coverage[4 * q + k] = coverage;
    }
    return batch;
}

inline float as_float(uint32_t bits) {
    float f;
    std::memcpy(&f, &bits, 4);
    return f;
}

}  // namespace archipelago::spi
