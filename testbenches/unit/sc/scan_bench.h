// SPDX-License-Identifier: Apache-2.0
// The scan converter for tests: registers as a driver writes them, pixels out.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "models/gcn/si/windows.h"
#include "models/raster/primitive.h"
#include "models/sc/scan.h"
#include "registers/si_names.h"
#include "registers/si_register_table.h"

namespace archipelago::sc {

namespace si = regs::si;
using raster::kSubpixels;
using raster::Point;
using raster::Primitive;

// Samples in 1/16 pixel from the centre, in radv's order; 2 and 16 in radeonsi's.
using Offsets = std::vector<std::pair<int, int>>;
inline Offsets sample_offsets(unsigned samples) {
    switch (samples) {
        case 2:
            return {{-4, -4}, {4, 4}};
        case 4:
            return {{-2, -6}, {6, -2}, {-6, 2}, {2, 6}};
        case 8:
            return {{1, -3}, {-1, 3}, {5, 1}, {-3, -5}, {-5, 5}, {-7, -1}, {3, 7}, {7, -7}};
        case 16:
            return {{-5, -2}, {5, 3}, {-2, 6}, {3, -5}, {-4, -6}, {1, 1}, {-6, 4}, {7, -4},
                    {-1, -3}, {6, 7}, {-3, 2}, {0, -7}, {-7, -8}, {2, 5}, {-8, 0}, {4, -1}};
        default:
            return {{0, 0}};
    }
}

// Coverage of a pixel by its coordinates.
using Pixels = std::map<std::pair<int, int>, uint16_t>;

class ScanBench {
  public:
    ScanBench() {
        set(si::PA_SC_SCREEN_SCISSOR_BR, 0x40004000);
        set(si::PA_SC_WINDOW_SCISSOR_TL, 0x80000000);
        set(si::PA_SC_WINDOW_SCISSOR_BR, 0x40004000);
        set(si::PA_SC_GENERIC_SCISSOR_TL, 0x80000000);
        set(si::PA_SC_GENERIC_SCISSOR_BR, 0x40004000);
        set(si::PA_SC_CLIPRECT_RULE, 0xFFFF);
        set(si::PA_SC_EDGERULE, 0xAAAAAAAA);
        set(si::PA_SC_AA_MASK_X0Y0_X1Y0, ~0u);
        set(si::PA_SC_AA_MASK_X0Y1_X1Y1, ~0u);
    }
    void set(uint32_t offset, uint32_t value) {
        RegRequest request;
        request.offset = offset;
        request.value = value;
        request.write = true;
        request.context = 5;
        ASSERT_TRUE(sets_.write(request));
        decoded_ = false;
    }
    void samples(unsigned count) {
        unsigned log2 = 0;
        while (1u << log2 < count)
            ++log2;
        set(si::PA_SC_AA_CONFIG, log2);
        set(si::PA_SC_MODE_CNTL_0, count > 1 ? 1 : 0);
        const Offsets offsets = sample_offsets(count);
        std::array<uint32_t, 4> words{};
        for (unsigned i = 0; i < offsets.size(); ++i)
            words[i / 4] |= ((offsets[i].first & 0xFu) | (offsets[i].second & 0xFu) << 4)
                            << 8 * (i % 4);
        for (const uint32_t pixel :
             {si::PA_SC_AA_SAMPLE_LOCS_PIXEL_X0Y0_0, si::PA_SC_AA_SAMPLE_LOCS_PIXEL_X1Y0_0,
              si::PA_SC_AA_SAMPLE_LOCS_PIXEL_X0Y1_0, si::PA_SC_AA_SAMPLE_LOCS_PIXEL_X1Y1_0})
            for (unsigned i = 0; i < 4; ++i)
                set(pixel + 4 * i, words[i]);
    }
    const ScanState& state() {
        if (!decoded_)
            state_ = decode_scan_state(map, raster::RegisterView{sets_, 5}, rbs);
        decoded_ = true;
        return state_;
    }
    // Checks on the way that quads are aligned, lie in one tile of the RB they name, and that no
    // pixel comes twice.
    Pixels scan(const Primitive& primitive) {
        Pixels pixels;
        batches = 0;
        scan_(state(), primitive, [&](raster::QuadBatch& batch) {
            ++batches;
            add(batch, pixels);
        });
        return pixels;
    }

    RegisterMap map{&si::database(), gcn::si::context_window()};
    RenderBackEnds rbs;
    unsigned batches = 0;              // of the last scan()
    std::map<unsigned, Pixels> by_rb;  // of all

  private:
    void add(const raster::QuadBatch& batch, Pixels& pixels) {
        ASSERT_GT(batch.quads, 0);
        ASSERT_FALSE(batch.depth_done || batch.killed);
        std::set<std::pair<int, int>> tiles;
        for (unsigned quad = 0; quad < batch.quads; ++quad) {
            ASSERT_EQ((batch.x[quad] | batch.y[quad]) & 1, 0);
            tiles.insert({batch.x[quad] / 8, batch.y[quad] / 8});
            unsigned any = 0;
            for (unsigned lane = 4 * quad; lane < 4 * quad + 4; ++lane) {
                any |= batch.coverage[lane];
                if (batch.coverage[lane] == 0)
                    continue;
                const std::pair<int, int> at = {batch.x_of(lane), batch.y_of(lane)};
                ASSERT_TRUE(pixels.emplace(at, batch.coverage[lane]).second);
                by_rb[batch.rb][at] |= batch.coverage[lane];
            }
            ASSERT_NE(any, 0u);
        }
        ASSERT_EQ(tiles.size(), 1u);
        ASSERT_EQ(batch.rb / 4, batch.shader_engine);
    }

    raster::RegisterSets sets_{gcn::si::context_window(), si::GFX_COPY_STATE};
    bool decoded_ = false;
    ScanState state_;
    Scan scan_;
};

inline Primitive polygon(const std::vector<Point>& corners,
                         Primitive::Shape shape = Primitive::Shape::Triangle) {
    Primitive p;
    p.shape = shape;
    p.corners = static_cast<uint8_t>(corners.size());
    std::copy(corners.begin(), corners.end(), p.corner.begin());
    return p;
}
inline Point pixel_point(double x, double y) {
    return {static_cast<int32_t>(x * kSubpixels), static_cast<int32_t>(y * kSubpixels)};
}
inline Primitive rectangle(double x0, double y0, double x1, double y1,
                           Primitive::Shape shape = Primitive::Shape::Rectangle) {
    return polygon(
        {pixel_point(x0, y0), pixel_point(x1, y0), pixel_point(x1, y1), pixel_point(x0, y1)},
        shape);
}

}  // namespace archipelago::sc
